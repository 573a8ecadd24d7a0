"""The loop of the strategy `rollout` once more in plain Python: candidates, sequential halving, what an end is worth.

Drawing what is hidden and the moves of the policies are the kernels', which have twins of their own; tables are copied
whole here, candidates and their priors come from the plain planner, and scores and wins are added up in fractions.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2
from typing import Any

import numpy as np

from salad_sim.game.determinization import draw_hidden
from salad_sim.game.moves import NO_FLIP, make_move
from salad_sim.jit.records import new_record
from salad_sim.jit.rng import RNG, next_word, seed_stream
from support.playing import Player, Table, draft_code
from support.reference.game import NaiveGame
from support.reference.planner import NaivePlanner

DIGITS = 9
"""To which priors are compared: some are equal but for rounding."""


@dataclass
class Arm:
    """A candidate, what the planner says of it, and what came of playing it out."""

    move: int
    prior: float
    visits: int = 0
    total: float = 0.0


def to_the_front(arms: list[Arm], n_best: int, what: str) -> list[Arm]:
    """The best so many; each changes places with the one that stood where it goes, of equal ones the first."""
    arms = list(arms)
    n_best = min(n_best, len(arms))
    for place in range(n_best):
        best = max(range(place, len(arms)), key=lambda index: (getattr(arms[index], what), -index))
        arms[place], arms[best] = arms[best], arms[place]
    return arms[:n_best]


class NaiveRollout:
    """A player of a position that plays candidates out."""

    def __init__(self, planner: dict[str, float], **parameters: Any) -> None:
        self.planner = planner
        self.n, self.width, self.mix = parameters["n"], parameters["width"], parameters["mix"]
        self.trust = parameters.get("trust", 0.0)
        self.policy, self.objective = parameters["policy"], parameters["objective"]
        self.seats = [Player(self.policy) for _ in range(6)]

    def candidates(self, game: NaiveGame) -> list[Arm]:
        """Every draft: with no flip, with the two flips that gain most, and with that of the drafted card."""
        planner = NaivePlanner(self.planner, game.n_players * 18)
        planner.appraise(game)
        arms = []
        for draft, worth in planner.worth.items():
            arms.append((draft, NO_FLIP, worth))
            if game.rules.flip == "never":
                continue
            gains = planner.gains_of_flips(draft)
            drafted = [game.piles[draft[1]][-1]] if draft[0] == "pile" else []
            in_hand = sorted((card for card in gains if card not in drafted), key=lambda card: -gains[card])
            arms += [(draft, card, worth + gains[card]) for card in [*in_hand[:2], *drafted]]
        return [Arm(make_move(draft_code(draft), flip), round(prior, DIGITS)) for draft, flip, prior in arms]

    def worth_of_end(self, table: Table, seat: int) -> float:
        """The share of the win, the points ahead of the best other seat, or both."""
        scores = table.scores()
        margin = scores[seat] - max(scores[:seat] + scores[seat + 1 :])
        win = float(table.shares(table.rules.tie_break)[0][seat])
        return {"win": win, "margin": float(margin), "mixture": win + self.mix * margin}[self.objective]

    def play_out(self, table: Table, chance: int) -> None:
        """Play on to the end, everybody by the policy and with nothing remembered."""
        rng = new_record(RNG)
        seed_stream(rng, np.uint64(chance), 0, 0)
        for player in self.seats:
            player.rng = rng
            player.own.memory[:] = 0
        while table.n_left > 0:
            table.move(self.seats[table.seat](table))

    def try_all(self, table: Table, arms: list[Arm], n_worlds: int, rng: np.record) -> None:
        """Play every candidate out at the same tables."""
        for _ in range(n_worlds):
            world = Table(table.n_players, table.rules, table.start)
            world.record["public"] = table.record["public"]
            draw_hidden(table.view, world.record, rng)
            chance = int(next_word(rng))
            start = world.record.copy()
            for arm in arms:
                for part in start.dtype.names or ():
                    world.record[part] = start[part]
                world.move(arm.move)
                self.play_out(world, chance)
                arm.total += self.worth_of_end(world, table.seat)
                arm.visits += 1

    def choose(self, table: Table, game: NaiveGame, rng: np.record) -> list[Arm]:
        """Halve the candidates until one is left; return all of them, that one first."""
        left = arms = to_the_front(self.candidates(game), self.width, "prior")
        for arm in arms:
            arm.total = self.trust * arm.prior
        n_games, n_halvings = self.n * len(arms), ceil(log2(len(arms)))
        while len(left) > 1:
            self.try_all(table, left, max(1, n_games // n_halvings // len(left)), rng)
            left = to_the_front(left, (len(left) + 1) // 2, "total")
        return [*left, *(arm for arm in arms if arm is not left[0])]
