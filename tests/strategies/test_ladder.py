"""The human-like and folk strategies choose what their descriptions say, over whole games beside plain twins."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from salad_sim import simulate
from salad_sim.game.card_file import card_file_lines
from salad_sim.game.cards import official_set
from salad_sim.game.moves import NO_FLIP, make_move
from salad_sim.game.rule_profiles import profiles
from salad_sim.game.rules import OFFICIAL, Rules
from salad_sim.strategy.registry import load_strategy
from support.playing import PLAYERS, SEED, Arbitrary, Mover, Player, Position, Table, draft_code, play_beside_twin
from support.positions import check_chances, mixed, positions
from support.processes import run_python
from support.reference import ladder
from support.reference.game import VEGETABLES, NaiveGame

RULE_MIXES = {
    "official": OFFICIAL,
    "up to two": Rules(vegetables="up-to-two", zero="even", sets="complete-once"),
    "never": Rules(flip="never", zero="odd"),
    "once": Rules(sets="once", split="down"),
}

TWINS: dict[str, Callable[..., list[ladder.Turn]]] = {
    "casual(mistakes=0)": ladder.greedy,
    "denial(weight=0)": ladder.greedy,
    "point-grabber(until=0)": ladder.greedy,
    "flipper(back=0)": ladder.greedy,
    "no-negatives(unless=0)": lambda twin: ladder.no_negatives(twin, 0),
    "hoarder": ladder.hoarder,
    "hoarder(until=0.25)": lambda twin: ladder.hoarder(twin, 0.25),
    "point-grabber": ladder.point_grabber,
    "point-grabber(until=1)": lambda twin: ladder.point_grabber(twin, 1),
    "collector": ladder.collector,
    "collector(kinds=1, enough=-2)": lambda twin: ladder.collector(twin, 1, -2),
    "collector(kinds=3, enough=6.5)": lambda twin: ladder.collector(twin, 3, 6.5),
    "variety": ladder.variety,
    "variety(enough=1)": lambda twin: ladder.variety(twin, 1),
    "specialist(vegetable=onion)": lambda twin: ladder.specialist(twin, "onion"),
    "specialist(vegetable=cabbage, ahead=10)": lambda twin: ladder.specialist(twin, "cabbage", 10),
    "no-negatives": ladder.no_negatives,
    "no-negatives(unless=4)": lambda twin: ladder.no_negatives(twin, 4),
    "flipper": ladder.flipper,
    "flipper(back=2.25, least=-1)": lambda twin: ladder.flipper(twin, 2.25, -1),
    "balanced": ladder.balanced,
    "balanced(per_card=3.3)": lambda twin: ladder.balanced(twin, 3.3),
    "denial": ladder.denial,
    "denial(weight=2.5)": lambda twin: ladder.denial(twin, 2.5),
}

STRATEGIES = (
    "balanced",
    "casual",
    "collector",
    "denial",
    "flipper",
    "hoarder",
    "no-negatives",
    "point-grabber",
    "specialist",
    "variety",
)


def code(turn: ladder.Turn) -> int:
    draft, flip = turn
    return int(make_move(draft_code(draft), NO_FLIP if flip is None else flip))


def company(name: str, number: int) -> Mover:
    """The strategy in some seats, odd and greedy moves in others, so that it meets hands of every kind."""
    mine, others = Player(name, SEED + number), (mixed(number), Arbitrary(number))

    def ask(table: Table, twin: NaiveGame) -> int:
        which = (twin.seat + number + twin.turn // 9) % 3
        return mine(table) if which == 0 else others[which - 1](table, twin)

    return ask


def turns_of_games(name: str, n_players: int, rules: Rules, numbers: range) -> Iterator[Position]:
    """Every turn of some games."""
    for number in numbers:
        for position in play_beside_twin(Table(n_players, rules), SEED, company(name, number), number):
            if not position.twin.over:
                yield position


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("n_players", PLAYERS)
def test_a_strategy_chooses_what_its_description_says(n_players: int, name: str) -> None:
    player = Player(name)
    n_choices = n_flips = 0
    for number, (mix, rules) in enumerate(RULE_MIXES.items()):
        for position in turns_of_games(name, n_players, rules, range(number, number + 1)):
            allowed = {code(turn) for turn in TWINS[name](position.twin)}
            move = player(position.table)
            assert move in allowed, (mix, position.twin.state())
            n_choices += len(allowed) == 1
            n_flips += move >= 64
    assert n_choices > 20 and n_flips > 2


@pytest.mark.parametrize("name", ["hoarder", "collector", "variety", "flipper", "no-negatives", "denial"])
def test_equal_choices_are_equally_likely(name: str) -> None:
    player = Player(name)
    n_found = 0
    for position in turns_of_games(name, 3, OFFICIAL, range(20)):
        moves = [code(turn) for turn in TWINS[name](position.twin)]
        if 1 < len(moves) <= 30 and len({move % 64 for move in moves}) in (1, len(moves)):
            check_chances(player, position, {move: Fraction(1, len(moves)) for move in moves}, 1000)
            n_found += 1
        if n_found == 6:
            return
    raise AssertionError(f"only {n_found} such positions were found")


# ------------------------------------------------------------------------------------------ the ideas


def final_twin(names: list[str], number: int) -> NaiveGame:
    """Play a game of strategies, one in each seat, to its end."""
    seats = [Player(name, SEED + 10 * number + seat) for seat, name in enumerate(names)]

    def ask(table: Table, twin: NaiveGame) -> int:
        return seats[twin.seat](table)

    *_, (_, twin) = play_beside_twin(Table(len(names)), SEED, ask, number)
    return twin


def test_casual_without_mistakes_is_greedy_to_the_move() -> None:
    for number in range(5):
        finals = [final_twin([name] * 3, number).state() for name in ("casual(mistakes=0)", "greedy")]
        assert finals[0] == finals[1]


@pytest.mark.parametrize("n_players", [2, 4])
def test_casual_errs_as_often_as_it_says(n_players: int) -> None:
    player = Player("casual(mistakes=0.4)")
    n_found = 0
    for position in positions(n_players, OFFICIAL, range(20)):
        at, good = ladder.Position(position.twin), {draft for draft, _ in ladder.greedy(position.twin)}
        drafts = {draft: Fraction(2, 5) / len(at.drafts) for draft in at.drafts}
        drafts |= {draft: drafts[draft] + Fraction(3, 5) / len(good) for draft in good}
        chances: Counter[int] = Counter()
        for draft, share in drafts.items():
            gains = {card: at.flip_gain(draft, card) for card in at.hand(draft)}
            flips = [card for card in gains if gains[card] == max(gains.values()) and gains[card] > 0]
            for card in flips:
                chances[code((draft, card))] += share * Fraction(3, 5) / len(flips)  # type: ignore[assignment]
            chances[code((draft, None))] += share * (Fraction(2, 5) if flips else 1)  # type: ignore[assignment]
        if position.twin.turn > 6 and min(chances.values()) > 0.004:
            check_chances(player, position, dict(chances), 3000)  # type: ignore[arg-type]
            n_found += 1
        if n_found == 5:
            return
    raise AssertionError(f"only {n_found} such positions were found")


def final_counts(name: str, n_players: int = 2, n_games: int = 8) -> list[dict[str, int]]:
    """What a strategy has at the end of games against greedy."""
    lineup = [name, *["greedy"] * (n_players - 1)]
    return [final_twin(lineup, number).tables()[0] for number in range(n_games)]


def test_hoarder_takes_no_card_at_first_and_point_grabber_nothing_else() -> None:
    for name, kind in (("hoarder", "market"), ("point-grabber", "pile")):
        player, n_asked = Player(name), 0
        for position in turns_of_games(name, 3, OFFICIAL, range(3)):
            if ladder.Position(position.twin).share_gone() < 0.5:
                assert (player(position.table) % 64 < 3) == (kind == "pile")
                n_asked += 1
        assert n_asked > 20


def test_collector_concentrates_and_variety_spreads() -> None:
    def most_of_one(name: str) -> float:
        return float(np.mean([max(own.values()) for own in final_counts(name, n_players=4, n_games=12)]))

    assert most_of_one("collector(kinds=1)") > most_of_one("greedy") + 0.3 > most_of_one("variety") + 1


def test_specialist_chooses_what_the_market_first_offers_most_of_and_keeps_to_it() -> None:
    player = Player("specialist")
    chosen = set()
    for number in range(12):
        player.own.memory[:] = 0
        first = None
        for position in play_beside_twin(Table(2), SEED, mixed(number), number):
            if position.twin.over:
                break
            move = player(position.table)
            veg = VEGETABLES[player.own.memory[0] - 1]
            if first is None:
                first = veg
                assert veg in ladder.offered_most(position.twin)
            assert veg == first
            assert move in {code(turn) for turn in ladder.specialist(position.twin, veg)}
        chosen.add(first)
    assert len(chosen) >= 4


@pytest.mark.parametrize("vegetable", VEGETABLES)
def test_specialist_gets_more_of_its_vegetable_than_greedy(vegetable: str) -> None:
    mine = sum(own[vegetable] for own in final_counts(f"specialist(vegetable={vegetable})"))
    assert mine > sum(own[vegetable] for own in final_counts("greedy"))


def test_no_negatives_ends_without_a_minus_that_it_could_avoid() -> None:
    player, n_shunned = Player("no-negatives"), 0
    for position in turns_of_games("no-negatives", 2, OFFICIAL, range(4)):
        at = ladder.Position(position.twin)
        draft = {draft_code(each): each for each in at.drafts}[player(position.table) % 64]
        card = at.card(draft)
        fine = [each for each in at.drafts if (top := at.card(each)) is None or not ladder.has_minus(at, top)]
        if card is not None and ladder.has_minus(at, card):
            assert not fine
        n_shunned += len(fine) < len(at.drafts)
    assert n_shunned > 20


def test_denial_keeps_the_next_player_lower_than_greedy_does() -> None:
    results = [simulate(games=1000, strategies=[name, "greedy"], seed=11, workers=1) for name in ("denial", "greedy")]
    scores: list[Any] = [result.seats["mean_score"].iloc[1] for result in results]
    assert scores[0] < scores[1] - 2  # the intervals are within half a point


# ------------------------------------------------------------------------------------------ everywhere


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_rule_profile_is_played(name: str) -> None:
    for number, profile in enumerate(profiles().values()):
        n_players = 2 + number % 5
        assert simulate(games=20, players=n_players, strategies=name, rules=profile.rules, workers=1).games == 20


@pytest.fixture
def odd_cards(tmp_path: Path) -> Path:
    """A card file with a minus on all cards of one vegetable, high points and cards of two terms."""
    rows = list(csv.DictReader(io.StringIO("\n".join(card_file_lines(official_set())))))
    for row in rows:
        row["text"] = ""
        if row["back"] == "onion" and row["points"] not in ("", "0"):
            row["points"] = "-7"
        elif row["back"] == "carrot" and row["points"] not in ("", "0"):
            row["points"] = "900"
    path = tmp_path / "odd.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.parametrize("name", STRATEGIES)
def test_odd_cards_are_played(name: str, odd_cards: Path) -> None:
    for n_players in (2, 6):
        result = simulate(games=30, players=n_players, strategies=name, cards=odd_cards, workers=1)
        assert result.games == 30


@pytest.mark.slow
@pytest.mark.parametrize("name", STRATEGIES)
def test_a_large_deck_is_played(name: str, tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    header, *rows = csv.reader(card_file_lines(official_set()))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows([108 * copy + int(row[0]), *row[1:]] for copy in range(2) for row in rows)
    rules = Rules(of_each="30")
    assert simulate(games=5, players=6, strategies=name, cards=path, rules=rules, workers=1).games == 5


PLAY = """
    import sys
    import numpy as np
    from salad_sim.run.executors import Shard
    from salad_sim.run.plan import plan_run
    from salad_sim.game.rules import Rules
    from salad_sim.run.runner import ShardPlayer, prepare

    mixes = [{}, {"vegetables": "up-to-two", "split": "draw", "zero": "even"}, {"flip": "never", "sets": "once"}]
    with np.errstate(over="ignore"):  # unsigned arithmetic wraps, which plain numpy warns of
        for name in sys.argv[2:]:
            for n_players, mix in enumerate(mixes, start=2):
                plan = plan_run(1, n_players, name, seed=3, rules=Rules(**mix))
                player = ShardPlayer(plan, prepare(plan))
                for deal in range(int(sys.argv[1])):
                    player(Shard(deal, 1))
                    view = player.work.table.public
                    print(name, *map(int, [*view.history[: view.turn], *player.work.scores]))
"""


def test_plain_python_plays_the_same_games() -> None:
    compiled = run_python(PLAY, 1, *STRATEGIES)
    assert len(compiled.splitlines()) == 3 * len(STRATEGIES)
    assert run_python(PLAY, 1, *STRATEGIES, NUMBA_DISABLE_JIT="1") == compiled


@pytest.mark.slow
def test_no_index_is_out_of_bounds() -> None:
    assert run_python(PLAY, 50, *STRATEGIES, NUMBA_BOUNDSCHECK="1", timeout=900) == run_python(PLAY, 50, *STRATEGIES)


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_is_documented(name: str) -> None:
    found = load_strategy(name)
    text = found.source.read_text(encoding="utf-8")
    assert text.startswith(f'"""The strategy `{name}`: ')
    words = ["Parameters:", "Simulate it", "Cost:", *(f"``{key}``" for key in found.parameters)]
    assert [word for word in words if word not in text] == []
