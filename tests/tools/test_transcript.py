"""Transcripts: the game of the run, and nothing told that did not happen."""

import re
from collections import Counter

import numpy as np
import pytest

from salad_sim import IllegalMoveError, InputError, Rules, StrategyError, replay, simulate
from salad_sim.game.card_kinds import VEGETABLES
from salad_sim.game.cards import official_cards
from salad_sim.game.moves import NO_FLIP, make_move
from salad_sim.run.plan import plan_run
from salad_sim.strategy.registry import strategy
from salad_sim.tools.transcript import transcript

VEG = "|".join(VEGETABLES)
ROWS = ("upper", "lower")


@strategy("cheats-on-turn-5")
def cheats(view, own, rng):
    """Take point cards, and flip a card of nobody on turn 5."""
    return make_move(0, view.top[1] if view.turn == 4 else NO_FLIP)


@strategy("stumbles-on-turn-3")
def stumbles(view, own, rng):
    """Raise an error on turn 3."""
    if view.turn == 2:
        raise ValueError("stumbled")
    return make_move(0, NO_FLIP)


def totals(text):
    """The total of each seat, as told."""
    return [int(number) for number in re.findall(r"^ +(-?\d+)  in total$", text, re.MULTILINE)]


def turns(text):
    """The lines of each turn, as (label, text)."""
    for block in re.split(r"^Turn ", text, flags=re.MULTILINE)[1:]:
        lines = block.split("\n\n")[0].splitlines()
        yield lines[0], [(line[2:10].strip(), line[10:]) for line in lines[1:]]


class Told:
    """Follows a transcript as a reader would: pile sizes, market, what each seat has."""

    def __init__(self):
        self.sizes = None
        self.market = None
        self.vegetables = {}
        self.cards = {}

    def see_table(self, lines):
        sizes = [0, 0, 0]
        for label, text in lines:
            if label.startswith("Pile"):
                number = re.search(r"(\d+) cards?$", text)
                sizes[int(label[-1]) - 1] = int(number[1]) if number else 0
                assert number or text == "empty"
        market = {}
        for row, text in re.findall(r"(upper|lower) row ([^;]+)", dict(lines)["Market"]):
            for column, name in enumerate(text.split(", "), start=1):
                market[column, row] = None if name == "-" else name
        return sizes, market

    def turn(self, seat, lines):
        sizes, market = self.see_table(lines)
        if self.sizes is not None:
            assert (sizes, market) == (self.sizes, self.market)
        own = self.vegetables.setdefault(seat, Counter())
        held = self.cards.setdefault(seat, [])
        for label, text in lines:
            if label == "Draft":
                self.draft(text, sizes, market, own, held)
            elif label == "Flip":
                card, veg = re.search(rf"\(card (\d+)\) to its ({VEG})$", text).groups()
                held.remove(int(card))
                assert official_cards()[int(card)].back == VEGETABLES.index(veg)
                own[veg] += 1
            elif label == "Refill":
                where = r"to column (\d), (upper|lower) row"
                veg, bottom, pile, column, row = re.search(
                    rf"^({VEG}) from (the bottom of )?pile (\d) {where}$", text
                ).groups()
                assert market[int(column), row] is None
                assert bottom or pile == column
                market[int(column), row] = veg
                sizes[int(pile) - 1] -= 1
            elif label == "Split":
                told = re.search(r"^pile (\d) is empty and gets the bottom (\d+) cards? of pile (\d)$", text)
                pile, moved, donor = map(int, told.groups())
                assert sizes[pile - 1] == 0
                assert sizes[donor - 1] == max(sizes) >= 2
                assert moved in (sizes[donor - 1] // 2, (sizes[donor - 1] + 1) // 2)
                sizes[donor - 1] -= moved
                sizes[pile - 1] += moved
        assert min(sizes) >= 0
        self.sizes, self.market = sizes, market
        told = re.search(r"vegetables: (.*); point cards: (.*)$", dict(lines)["Has"])
        assert Counter({veg: int(count) for count, veg in re.findall(rf"(\d+) ({VEG})", told[1])}) == own
        assert sorted(re.findall(r'"([^"]*)"', told[2])) == sorted(official_cards()[card].text for card in held)

    def draft(self, text, sizes, market, own, held):
        if found := re.search(r"\(card (\d+)\) from pile (\d)$", text):
            held.append(int(found[1]))
            sizes[int(found[2]) - 1] -= 1
            return
        taken = re.findall(rf"the ({VEG}) \(column (\d), (upper|lower) row\)", text)
        assert 1 <= len(taken) <= 2
        for veg, column, row in taken:
            assert market[int(column), row] == veg
            market[int(column), row] = None
            own[veg] += 1


@pytest.mark.parametrize("n_players", [2, 3, 4, 5, 6])
def test_transcripts_are_the_games_of_the_run(n_players):
    options = {"players": n_players, "strategies": "random", "seed": 77}
    result = simulate(12, **options)
    texts = [replay(game, **options) for game in range(12)]
    scores = np.array([totals(text) for text in texts])
    assert scores.sum(axis=0).tolist() == result.tally.score[0, :n_players].tolist()
    assert (scores**2).sum(axis=0).tolist() == result.tally.score_squared[0, :n_players].tolist()
    assert sum(len(list(turns(text))) for text in texts) == int(result.tally.turns)
    winners = Counter(int(re.findall(r"[Ss]eat (\d)(?: wins with|\.$)", text.splitlines()[-1])[-1]) for text in texts)
    assert {seat: 60 * n_won for seat, n_won in winners.items()} == {
        seat + 1: won for seat, won in enumerate(result.tally.wins[0].tolist()) if won
    }


@pytest.mark.parametrize("n_players", [2, 3, 6])
@pytest.mark.parametrize("rules", [Rules(), Rules(split="draw"), Rules(split="down", split_tie="random")])
def test_a_reader_can_follow_every_card(n_players, rules):
    n_splits = 0
    for game in range(4):
        told = Told()
        text = replay(game, n_players, ["random"] + ["greedy"] * (n_players - 1), seed=5, rules=rules)
        for heading, lines in turns(text):
            told.turn(re.search(r"seat (\d)", heading)[1], lines)
        assert told.sizes == [0, 0, 0]
        assert set(told.market.values()) == {None}
        in_front = sum(sum(own.values()) for own in told.vegetables.values())
        assert in_front + sum(map(len, told.cards.values())) == 18 * n_players
        n_splits += text.count("  Split ")
    assert (n_splits > 0) == (rules.split != "draw")


def test_final_scoring_adds_up_card_by_card():
    text = replay(3, 4, "greedy", seed=9)
    final = text.split("Final scoring:")[1]
    blocks = re.split(r"^Seat \d \(greedy\): ", final, flags=re.MULTILINE)[1:]
    assert len(blocks) == 4
    for block in blocks:
        worth = [int(number) for number in re.findall(r'^ +(-?\d+)  "', block, re.MULTILINE)]
        assert worth == sorted(worth, reverse=True)
        assert totals(block) == [sum(worth)]


def test_rotations_have_successive_numbers():
    options = {"players": 2, "strategies": ["greedy", "random"], "seed": 6, "rotate": True}
    first, second = replay(8, **options), replay(9, **options)
    assert "Game 8 of seed 6 (deal 4, rotation 0)" in first
    assert "Game 9 of seed 6 (deal 4, rotation 1)" in second
    assert "Seat 1 plays greedy and seat 2 plays random." in first
    assert "Seat 1 plays random and seat 2 plays greedy." in second
    # the same deal lies on the table
    assert next(turns(first))[1][:4] == next(turns(second))[1][:4]
    result = simulate(10, **options)
    scores = np.array([totals(replay(game, **options)) for game in range(10)])
    assert scores.sum(axis=0).tolist() == result.tally.score[:2, :2].sum(axis=0).tolist()


def test_equal_totals_are_explained():
    game = next(game for game in range(200) if len(set(totals(replay(game, strategies="random")))) == 1)
    said = {rule: replay(game, strategies="random", tie_break=rule).splitlines()[-1] for rule in ("later", "earlier")}
    assert re.fullmatch(r"Seats 1 and 2 have .* each; of equal totals the later seat wins: seat 2\.", said["later"])
    assert re.fullmatch(r"Seats 1 and 2 have .* each; of equal totals the earlier seat wins: seat 1\.", said["earlier"])
    shared = replay(game, strategies="random", tie_break="shared").splitlines()[-1]
    assert shared.endswith("equal totals share the win: 1/2 of it for each of seats 1 and 2.")


def test_flips_and_rules_are_told():
    text = replay(0, strategies="random")
    assert "Flip" in text and "Official rules; of equal totals the later seat wins." in text
    text = replay(0, strategies="random", rules=Rules(flip="never", zero="even"))
    assert "Flip" not in text and "Rules: flip never, zero even;" in text


@pytest.mark.parametrize(("bad", "error", "turn"), [(cheats, IllegalMoveError, 5), (stumbles, StrategyError, 3)])
def test_what_was_played_before_a_failure_is_told(bad, error, turn):
    lines = []
    with pytest.raises(error, match=f"turn {turn} of game 1 of seed 1"):
        for line in transcript(plan_run(1, 2, bad), 1):
            lines.append(line)
    assert len(list(turns("\n".join(lines)))) == turn - 1
    assert "Final scoring" not in "\n".join(lines)


@pytest.mark.parametrize("game", [-1, "x", 1.5, 10**15])
def test_bad_game_numbers_are_refused(game):
    with pytest.raises(InputError, match="game must be a whole number from 0 to 999999999999999"):
        replay(game)
