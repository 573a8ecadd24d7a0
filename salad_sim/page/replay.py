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
from salad_sim.page.render import render
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
    """A place of the market: its vegetable, whether it is taken."""

    drawing: Markup
    is_taken: bool


@dataclass(frozen=True)
class SeatView:
    """A seat: its vegetables, its point cards, what they are worth now."""

    name: str
    vegetables: Sequence[tuple[Markup, int]]
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
    said: str = ""
    best: str = ""
    cost: str = ""
    win: Estimate = UNKNOWN


def replay_page(plan: Plan, game: int, budget: Budget | None, session: Session | None = None) -> str:
    """Return the page of a game of a run.

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
    steps = [
        _step(plan, table, move, names, _advice(plan, table, move, names, budget, session))
        for table, move in tables_of(plan, deal, rotation, moves)
    ]
    steps.append(_board(plan, work.table, len(moves), names))
    scores, wins = work.scores[: plan.n_players].tolist(), work.wins[: plan.n_players].tolist()
    return render(
        "replay.html",
        title=f"Game {game} of seed {plan.seed}",
        answer=_answer(names, scores, wins),
        steps=steps,
        names=names,
        labels=plan.cards.labels,
        faces=Markup("").join(
            card_symbol(card, plan.cards.labels) for card in plan.cards if _is_in(work, card.card_id)
        ),
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
    return again("replay", [], {"game": str(game)} | said | setup_options(plan) | {"rotate": plan.rotate})


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


def _step(plan: Plan, table: np.record, move: int, names: Sequence[str], advice: Advice | None) -> Step:
    view = table.public
    board = _board(plan, table, int(view.turn), names, move)
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
        return "as good, as far as that can be told"
    return f"costs {interval(*lost, 1, POINTS, unit=' %')} of win chance, {interval(*points, 1)} points"


def _board(plan: Plan, table: np.record, turn: int, names: Sequence[str], move: int | None = None) -> Step:
    """Return the table as it is now, with what a move takes marked."""
    view, cards = table.public, plan.cards
    draft = -1 if move is None else int(draft_of(move))
    slots = {int(first_slot(draft)), int(second_slot(draft))} if draft >= N_PILES else set()
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
        Slot(Markup("") if veg == NONE else vegetable(veg, cards.labels), slot in slots)
        for slot, veg in enumerate(view.market.tolist())
    ]
    seats = [_seat(plan, view, seat, names[seat], flipped, move is not None) for seat in range(plan.n_players)]
    return Step(turn, int(view.seat), piles, market, seats)


def _face(cards: CardSet, card: int, is_taken: bool) -> Markup:
    return Markup("") if card == NONE else placed_card(cards[card], cards.labels, is_taken)


def _under(cards: CardSet, table: np.record, pile: int) -> list[str]:
    """Return what the next cards of a pile say, from the top."""
    low, high = int(table.low[pile]), int(table.high[pile])
    below = table.deck[max(low, high - 1 - UNDER) : max(low, high - 1)].tolist()
    return [f"{cards[card].text} ({cards.labels[cards[card].back]})" for card in reversed(below)]


def _seat(plan: Plan, view: np.record, seat: int, name: str, flipped: int, is_on: bool) -> SeatView:
    cards, tableau = plan.cards, view.tableau[seat]
    worth = np.zeros(int(view.cards.n_cards), dtype=np.int64)
    values_of_all(view, seat, worth)
    held = tableau.held[: tableau.n_held].tolist()
    return SeatView(
        name,
        [(vegetable(veg, cards.labels), count) for veg, count in enumerate(tableau.counts.tolist()) if count],
        [placed_card(cards[card], cards.labels, card == flipped, int(worth[card])) for card in held],
        int(sum(worth[card] for card in held)) + int(view.bonus[seat]),
        is_on and int(view.seat) == seat,
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
