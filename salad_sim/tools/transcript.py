"""One game of a run, replayed in words.

The engine plays the game; then its moves are made once more, turn by turn, to tell what happened on the table.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from salad_sim.game.card_file import CardSource
from salad_sim.game.engine import apply_move, deal_next_round, draft_and_flip
from salad_sim.game.market import N_FILLS, N_STEPS, refill_step
from salad_sim.game.moves import N_PILES, draft_of, first_slot, flip_of, second_slot
from salad_sim.game.notation import (
    N_COLUMNS,
    ROWS,
    card_name,
    draft_in_words,
    entry,
    listed,
    plural,
    slot_name,
    vegetables,
)
from salad_sim.game.rules import OFFICIAL, Rules
from salad_sim.game.scoring import values_of_all
from salad_sim.game.state import NONE
from salad_sim.play.shard import begin_game
from salad_sim.run.one_game import moves_of, play_one
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.runner import new_workspace
from salad_sim.run.setup import MOST_GAMES, Lineup, whole_number
from salad_sim.strategy.variants import POINT_SALAD


def replay(
    game: int | str,
    players: int | str = 2,
    strategies: Lineup = "greedy",
    seed: int | str = 1,
    tie_break: str | None = None,
    rules: Rules = OFFICIAL,
    rotate: bool = False,
    cards: CardSource | None = None,
) -> str:
    """Tell one game of a run in words, turn by turn, with the final scoring card by card.

    Parameters
    ----------
    game : int or str
        The number of the game in the run, from 0. With ``rotate`` the rotations of a deal have successive numbers.
    players, strategies, seed, tie_break, rules, rotate, cards
        As in `simulate`; the same options tell the very game that the run played.

    Raises
    ------
    InputError
        If an option is not allowed.
    IllegalMoveError, StrategyError
        If the game cannot be played to its end.
    """
    plan = plan_run(1, players, strategies, seed, rotate, tie_break=tie_break, rules=rules, cards=cards)
    return "\n".join(transcript(plan, check_game(game))) + "\n"


def check_game(given: int | str) -> int:
    """Return the number of a game.

    Raises
    ------
    InputError
        If it is not a whole number from 0 to 1e15 - 1.
    """
    return whole_number("game", given, 0, MOST_GAMES - 1)


def transcript(plan: Plan, game: int) -> Iterator[str]:
    """Yield the lines of a game's transcript; raises only after the turns that could be played.

    Raises
    ------
    IllegalMoveError, StrategyError
        As `replay`.
    """
    deal, rotation = plan.locate(game)
    work, failure = play_one(plan, game)
    yield from _heading(plan, game, deal, rotation)
    yield from _turns(plan, work) if plan.game is POINT_SALAD else _hand_draft_turns(plan, work)
    if failure is not None:
        raise failure
    yield from _ending(plan, work)


def _heading(plan: Plan, game: int, deal: int, rotation: int) -> Iterator[str]:
    turned = f" (deal {deal}, rotation {rotation})" if plan.rotate else ""
    changed = [f"{name} {value}" for name, value in plan.rules.changed().items()]
    seats = [f"seat {seat + 1} plays {plan.label_at(seat, rotation)}" for seat in range(plan.n_players)]
    yield f"Game {game} of seed {plan.seed}{turned}: {plan.n_players} players"
    yield f"{listed(seats).capitalize()}."
    changed = [f"the {plan.game.name} game", *changed] if plan.game is not POINT_SALAD else changed
    changed = changed if plan.cards.is_official else [*changed, f"cards of {plan.cards.source}"]
    yield f"{'Rules: ' + ', '.join(changed) if changed else 'Official rules'}; {plan.rules.in_words('tie_break')}."
    yield ""


def _turns(plan: Plan, played: np.record) -> Iterator[str]:
    """Make the moves of a game once more and tell each."""
    work = new_workspace(plan)
    work.deal = played.deal
    work.rotation = played.rotation
    begin_game(work)
    table = work.table
    yield from _round_heading(plan, table.public)
    for move in moves_of(played):
        if table.public.n_left == 0:
            yield f"Round {int(table.public.round_number) + 1} is over after {plural(int(table.public.turn), 'turn')}:"
            yield ""
            yield from _scoring(plan, table.public, int(played.rotation))
            deal_next_round(table)
            yield from _round_heading(plan, table.public)
        seat, turn = int(table.public.seat), int(table.public.turn)
        yield f"Turn {turn + 1}, seat {seat + 1} ({plan.label_at(seat, int(played.rotation))})"
        yield from _piles(plan, table)
        yield entry("Market", _market(plan, table.public))
        yield entry("Draft", draft_in_words(table.public, plan.cards, int(draft_of(move))))
        card = int(flip_of(move))
        if card >= 0:
            yield entry("Flip", f"turn {card_name(plan.cards, card)} to its {plan.cards.labels[plan.cards[card].back]}")
        yield from (entry(*event) for event in _refill(plan, table.copy(), move))
        apply_move(table, move)
        yield from _owns(plan, table.public, seat)
        yield ""


def _hand_draft_turns(plan: Plan, played: np.record) -> Iterator[str]:
    from salad_sim.hand_draft.transcript import turns

    work = new_workspace(plan)
    work.deal = played.deal
    work.rotation = played.rotation
    names = [plan.label_at(seat, int(played.rotation)) for seat in range(plan.n_players)]
    return turns(work, plan.cards, played.table.turns[: played.table.public.turn].tolist(), names)


def _round_heading(plan: Plan, view: np.record) -> Iterator[str]:
    """Announce a round of a match."""
    if plan.rules.rounds > 1:
        yield f"Round {int(view.round_number) + 1} of {plan.rules.rounds}: seat {int(view.start) + 1} starts"
        yield ""


def _piles(plan: Plan, table: np.record) -> Iterator[str]:
    view = table.public
    for pile in range(N_PILES):
        card = int(view.top[pile])
        if card == NONE:
            yield entry(f"Pile {pile + 1}", "empty")
        else:
            back = plan.cards.labels[plan.cards[card].back]
            size = plural(int(view.pile_size[pile]), "card")
            yield entry(f"Pile {pile + 1}", f"{card_name(plan.cards, card)}, {back} on its back; {size}")


def _market(plan: Plan, view: np.record) -> str:
    rows = []
    for row, name in enumerate(ROWS):
        slots = view.market[row * N_COLUMNS : (row + 1) * N_COLUMNS]
        rows.append(f"{name} row " + ", ".join("-" if veg == NONE else plan.cards.labels[veg] for veg in slots))
    return "; ".join(rows)


def _refill(plan: Plan, table: np.record, move: int) -> Iterator[tuple[str, str]]:
    """Make a move on ``table``, the end of the turn step by step; yield what happens there, as (label, text)."""
    draft = int(draft_of(move))
    slot, other = int(first_slot(draft)), int(second_slot(draft))
    draft_and_flip(table, move)
    for step in range(0 if draft >= N_PILES else N_FILLS, N_STEPS):
        before = table.copy()
        refill_step(table, slot, other, step)
        yield from _told(plan, before, table)


def _told(plan: Plan, before: np.record, after: np.record) -> Iterator[tuple[str, str]]:
    """Tell what one step at the end of a turn has changed: a pile that was replaced, a slot that was filled."""
    filled = np.flatnonzero(before.public.market_card != after.public.market_card)
    moved = [pile for pile in range(N_PILES) if before.low[pile] != after.low[pile]]
    split = next((pile for pile in moved if before.high[pile] != after.high[pile]), None)
    if split is not None:
        donor = next(pile for pile in moved if pile != split)
        cards = plural(int(after.low[donor] - before.low[donor]), "card")
        yield "Split", f"pile {split + 1} is empty and gets the bottom {cards} of pile {donor + 1}"
    for slot in filled.tolist():
        pile = slot % N_COLUMNS
        source = f"pile {pile + 1}" if split is not None or not moved else f"the bottom of pile {moved[0] + 1}"
        yield "Refill", f"{plan.cards.labels[after.public.market[slot]]} from {source} to {slot_name(slot)}"


def _owns(plan: Plan, view: np.record, seat: int) -> Iterator[str]:
    values = _values(view, seat)
    held = view.tableau[seat].held[: view.tableau[seat].n_held].tolist()
    kept = ", ".join(f'"{plan.cards[card].text}"' for card in held) or "none"
    laid = vegetables(view.tableau[seat].counts.tolist(), plan.cards.labels)
    yield entry("Has", f"vegetables: {laid}; point cards: {kept}")
    yield entry("", f"worth {plural(sum(values[card] for card in held), 'point')} now")


def _values(view: np.record, seat: int) -> list[int]:
    """Return what each card is worth to a seat, by id."""
    values = np.zeros(int(view.cards.n_cards), dtype=np.int64)
    values_of_all(view, seat, values)
    return values.tolist()


def _ending(plan: Plan, work: np.record) -> Iterator[str]:
    view = work.table.public
    what = "game" if plan.rules.rounds == 1 else "last round"
    yield f"The {what} is over after {plural(int(view.turn), 'turn')}. Final scoring:"
    yield ""
    yield from _scoring(plan, view, int(work.rotation))
    yield _verdict(plan, work)


def _scoring(plan: Plan, view: np.record, rotation: int) -> Iterator[str]:
    """Score every seat, card by card, at the end of a round."""
    for seat in range(plan.n_players):
        tableau, values = view.tableau[seat], _values(view, seat)
        held = tableau.held[: tableau.n_held].tolist()
        laid = vegetables(tableau.counts.tolist(), plan.cards.labels)
        yield f"Seat {seat + 1} ({plan.label_at(seat, rotation)}): {laid}"
        for card in sorted(held, key=lambda card: (-values[card], card)):
            yield f"  {values[card]:5d}  {card_name(plan.cards, card)}"
        if view.bonus[seat]:
            yield f"  {view.bonus[seat]:5d}  from earlier rounds or a head start"
        yield f"  {sum(values[card] for card in held) + int(view.bonus[seat]):5d}  in total"
    yield ""


def _verdict(plan: Plan, work: np.record) -> str:
    """Say who wins, and by what tie-break."""
    scores, wins = work.scores[: plan.n_players].tolist(), work.wins[: plan.n_players].tolist()
    best = max(scores)
    top = [f"{seat + 1}" for seat in range(plan.n_players) if scores[seat] == best]
    winners = [f"{seat + 1}" for seat in range(plan.n_players) if wins[seat]]
    if len(top) == 1:
        return f"Seat {top[0]} wins with {plural(best, 'point')}."
    equal = f"Seats {listed(top)} have {plural(best, 'point')} each; {plan.rules.in_words('tie_break')}"
    if len(winners) == 1:
        return f"{equal}: seat {winners[0]}."
    return f"{equal}: 1/{len(winners)} of it for each of seats {listed(winners)}."
