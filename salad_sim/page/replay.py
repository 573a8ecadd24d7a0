"""The page of one game: the table before every move, what was moved, what would have been better, and how it went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from salad_sim.errors import InputError
from salad_sim.game.cards import CardSet
from salad_sim.game.moves import N_PILES, draft_of, first_slot, flip_of, second_slot
from salad_sim.game.notation import listed, move_in_words, plural
from salad_sim.game.scoring import values_of_all
from salad_sim.game.state import NONE
from salad_sim.page.chapter import Picture
from salad_sim.report.card_drawing import card_symbol, placed_card, vegetable
from salad_sim.report.charts import Scale, Series, lines
from salad_sim.report.format import POINTS, interval
from salad_sim.run.driver import Session
from salad_sim.run.one_game import moves_of, play_one, tables_of
from salad_sim.run.plan import Plan
from salad_sim.stats.intervals import UNKNOWN, Estimate
from salad_sim.strategy.variants import POINT_SALAD
from salad_sim.studies.advice.estimate import Advice, Budget, advise
from salad_sim.studies.advice.position import position_of

UNDER = 3
"""Cards below the top of a pile that are shown where all cards are open."""


@dataclass(frozen=True)
class Pile:
    """A pile as it is drawn: its top, its size, the words of the next cards, whether its top is taken."""

    face: Markup
    size: int
    under: Sequence[str]
    is_taken: bool


@dataclass(frozen=True)
class Slot:
    """A place of the market: its vegetable, whether it is taken, whether it came with the last move."""

    drawing: Markup
    is_taken: bool
    is_new: bool


@dataclass(frozen=True)
class SeatView:
    """A seat: its vegetables, each with its number and whether it is new; its point cards, what they are worth now."""

    name: str
    vegetables: Sequence[tuple[Markup, int, bool]]
    cards: Sequence[Markup]
    score: int
    is_moving: bool


@dataclass(frozen=True)
class Step:
    """A turn: the table before it, the move, and what is thought of it; without a move the end of the game."""

    turn: int
    seat: int
    piles: Sequence[Pile]
    market: Sequence[Slot]
    seats: Sequence[SeatView]
    last: str = ""
    said: str = ""
    best: str = ""
    cost: str = ""
    win: Estimate = UNKNOWN


@dataclass(frozen=True)
class Last:
    """The move before: in words, and what lay there then.

    Attributes
    ----------
    said : str
    seat : int
        Who moved; -1 if nobody did.
    held : frozenset of int
        Cards of that seat before it moved.
    counts : tuple of int
        Its vegetables before it moved.
    slots : frozenset of int
        Places of the market that were emptied.
    """

    said: str = ""
    seat: int = -1
    held: frozenset[int] = frozenset()
    counts: Sequence[int] = ()
    slots: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Replay:
    """A game as it is shown: its table before every move and at the end.

    Attributes
    ----------
    title, answer : str
    steps : sequence of Step
    names, labels : sequence of str
        Of the seats, and of the vegetables.
    faces : sequence of str
        Markup: the drawings of its cards, each needed once on a page.
    pictures : sequence of Picture
    policy : str
        Who plays on in mind; empty if nothing is said of the moves.
    again : str
        The command that shows it.
    """

    title: str
    answer: str
    steps: Sequence[Step]
    names: Sequence[str]
    labels: Sequence[str]
    faces: Sequence[Markup]
    pictures: Sequence[Picture]
    policy: str
    again: str


def replay_of(plan: Plan, game: int, budget: Budget | None, session: Session | None = None) -> Replay:
    """Return a game of a run as it is shown.

    Parameters
    ----------
    plan : Plan
    game : int
        Its number in the run, from 0.
    budget : Budget, optional
        How much is played to say what moves are worth; without, nothing is said.
    session : Session, optional

    Raises
    ------
    InputError
        If it is another game than Point Salad.
    IllegalMoveError, StrategyError
        If the game could not be played to its end.
    KeyboardInterrupt
        On Ctrl-C.
    """
    if plan.game is not POINT_SALAD:
        raise InputError(f"pages show games of point-salad, not {plan.game.name}; without --html it is told in words")
    work, failure = play_one(plan, game)
    if failure is not None:
        raise failure
    deal, rotation = plan.locate(game)
    names = [f"Seat {seat + 1}, {plan.label_at(seat, rotation)}" for seat in range(plan.n_players)]
    moves = moves_of(work)
    steps, last = [], Last()
    for table, move in tables_of(plan, deal, rotation, moves):
        board = _board(plan, table, int(table.public.turn), names, last, move)
        steps.append(_step(plan, table, move, board, _advice(plan, table, move, names, budget, session)))
        last = _last(table.public, plan.cards, names, move)
    steps.append(_board(plan, work.table, len(moves), names, last))
    scores, wins = work.scores[: plan.n_players].tolist(), work.wins[: plan.n_players].tolist()
    return Replay(
        title=f"Game {game} of seed {plan.seed}",
        answer=_answer(names, scores, wins),
        steps=steps,
        names=names,
        labels=plan.cards.labels,
        faces=[card_symbol(card, plan.cards.labels) for card in plan.cards if _is_in(work, card.card_id)],
        pictures=_pictures(steps, names),
        policy=budget.policy.label if budget is not None else "",
        again=_command(plan, game),
    )


def _is_in(work: np.record, card: int) -> bool:
    """Return whether a card was in the game."""
    return bool((work.table.deck[: int(work.table.public.n_cards)] == card).any())


def _command(plan: Plan, game: int) -> str:
    from salad_sim.storage.command import again, setup_options

    specs = plan.options()["strategies"]
    said = {"players": plan.n_players, "strategy": specs[:1] if len(set(specs)) == 1 else specs, "seed": str(plan.seed)}
    return again("replay", [], said | setup_options(plan) | {"game": str(game), "rotate": plan.rotate})


def _answer(names: Sequence[str], scores: Sequence[int], wins: Sequence[int]) -> str:
    order = sorted(range(len(names)), key=lambda seat: (-bool(wins[seat]), -scores[seat]))
    winners = [names[seat] for seat in order if wins[seat]]
    others = [f"{scores[seat]}" for seat in order if not wins[seat]]
    against = f" against {listed(others)}" if others else ""
    tie = ", by the tie-break" if len(winners) == 1 and scores.count(scores[order[0]]) > 1 else ""
    return f"{listed(winners)} won{tie}: {plural(scores[order[0]], 'point')}{against}."


def _advice(
    plan: Plan, table: np.record, move: int, names: Sequence[str], budget: Budget | None, session: Session | None
) -> Advice | None:
    if budget is None:
        return None
    return advise(position_of(table.public, plan.rules, plan.cards, names), budget, move, session)


def _last(view: np.record, cards: CardSet, names: Sequence[str], move: int) -> Last:
    """Return what is to be known of a move at the table after it."""
    seat = int(view.seat)
    tableau = view.tableau[seat]
    return Last(
        f"{names[seat]}, {move_in_words(view, cards, move)}",
        seat,
        frozenset(tableau.held[: tableau.n_held].tolist()),
        tableau.counts.tolist(),
        _slots(move),
    )


def _slots(move: int) -> frozenset[int]:
    """Return the places of the market that a move empties."""
    draft = int(draft_of(move))
    return frozenset((int(first_slot(draft)), int(second_slot(draft))) if draft >= N_PILES else ())


def _step(plan: Plan, table: np.record, move: int, board: Step, advice: Advice | None) -> Step:
    view = table.public
    said = move_in_words(view, plan.cards, move)
    if advice is None:
        return Step(**vars(board) | {"said": said})
    place = advice.moves.index(move)
    lost, points = advice.cost(move)
    better = move_in_words(view, plan.cards, advice.best)
    return Step(
        **vars(board)
        | {"said": said, "best": better, "win": advice.wins[place], "cost": _cost(advice, place, lost, points)}
    )


def _cost(advice: Advice, place: int, lost: Estimate, points: Estimate) -> str:
    if place == 0:
        return "no move looks better"
    if advice.as_good[place]:
        return "is just as good" if advice.exact else "is as good, as far as that can be told"
    return f"costs {interval(*lost, 1, POINTS, unit=' %')} of win chance, {interval(*points, 1)} points"


def _board(plan: Plan, table: np.record, turn: int, names: Sequence[str], last: Last, move: int | None = None) -> Step:
    """Return the table as it is now, with what the last move brought and what a move takes marked."""
    view, cards = table.public, plan.cards
    draft = -1 if move is None else int(draft_of(move))
    slots = frozenset() if move is None else _slots(move)
    flipped = -1 if move is None else int(flip_of(move))
    piles = [
        Pile(
            _face(cards, int(view.top[pile]), pile == draft),
            int(view.pile_size[pile]),
            _under(cards, table, pile),
            pile == draft,
        )
        for pile in range(N_PILES)
    ]
    market = [
        Slot(Markup("") if veg == NONE else vegetable(veg, cards.labels), slot in slots, slot in last.slots)
        for slot, veg in enumerate(view.market.tolist())
    ]
    moving = int(view.seat) if move is not None else -1
    seats = [_seat(plan, view, seat, names[seat], flipped, last, moving) for seat in range(plan.n_players)]
    return Step(turn, int(view.seat), piles, market, seats, last.said)


def _face(cards: CardSet, card: int, is_taken: bool) -> Markup:
    return Markup("") if card == NONE else placed_card(cards[card], is_taken)


def _under(cards: CardSet, table: np.record, pile: int) -> list[str]:
    """Return what the next cards of a pile say, from the top."""
    low, high = int(table.low[pile]), int(table.high[pile])
    below = table.deck[max(low, high - 1 - UNDER) : max(low, high - 1)].tolist()
    return [f"{cards[card].text} ({cards.labels[cards[card].back]})" for card in reversed(below)]


def _seat(plan: Plan, view: np.record, seat: int, name: str, flipped: int, last: Last, moving: int) -> SeatView:
    cards, tableau = plan.cards, view.tableau[seat]
    worth = np.zeros(int(view.cards.n_cards), dtype=np.int64)
    values_of_all(view, seat, worth)
    held, counts = tableau.held[: tableau.n_held].tolist(), tableau.counts.tolist()
    before = last.counts if seat == last.seat else counts
    new = set(held) - last.held if seat == last.seat else set()
    return SeatView(
        name,
        [(vegetable(veg, cards.labels), n, n > before[veg]) for veg, n in enumerate(counts) if n],
        [placed_card(cards[card], card == flipped, int(worth[card]), card in new) for card in held],
        int(sum(worth[card] for card in held)) + int(view.bonus[seat]),
        seat == moving,
    )


def _pictures(steps: Sequence[Step], names: Sequence[str]) -> list[Picture]:
    scores = [
        Series(name, [(step.turn, Estimate(step.seats[seat].score, np.nan, np.nan)) for step in steps])
        for seat, name in enumerate(names)
    ]
    found = [
        Picture("Points on the table", lines("Points", scores, Scale(0), "turn"), "What the cards are worth so far.")
    ]
    chances = [
        Series(name, [(step.turn + 1, step.win) for step in steps if step.said and step.seat == seat and step.best])
        for seat, name in enumerate(names)
    ]
    if any(line.points for line in chances):
        drawing = lines("Win chance, %", chances, Scale(1, POINTS, unit=" %"), "turn", 1 / len(names))
        found.append(
            Picture("Win chance", drawing, "After each of a seat's moves, in %, if strong players go on. Band: 95 %.")
        )
    return found
