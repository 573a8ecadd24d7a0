"""Point Salad behind PettingZoo's interface, on the program's own engine.

`env`, `raw_env` and `parallel_env` need the extra ``rl``. A turn is two steps, a draft and then a flip or none; an
agent sees what its seat may see, as one array, with the mask of its legal actions. docs/learners.md says what each
number of the array is.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

try:
    import gymnasium
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel
except ImportError as error:
    raise ImportError(f"salad_sim.env needs PettingZoo ({error}): pip install 'salad-sim[rl]'") from None

from salad_sim.game.cards import CardSet
from salad_sim.play.stepping import is_legal, observe, settle, step, write_mask
from salad_sim.run.setup import MOST_GAMES, MOST_SEED, DealOptions, whole_number
from salad_sim.vector import VectorGames, reward_code

__all__ = ["env", "parallel_env", "raw_env"]

ID = "point_salad_v0"


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801 (PettingZoo's own name)
    """One table of Point Salad for 2 to 6 agents, ``seat_1`` to ``seat_6`` in turn order.

    Parameters
    ----------
    players : int
        2..6.
    reward : {"win", "margin", "score"}
        What the end of a game rewards: the share of the win (0..1), points above the best other seat, or points.
    max_cycles : int, optional
        Steps of each agent after which the game is cut off.
    render_mode : {None, "ansi", "human"}
        Text, returned or printed.
    **options
        ``rules``, ``cards``: as in `salad_sim.simulate`.

    Raises
    ------
    InputError
        If an option is not allowed.
    """

    metadata = {"render_modes": ["ansi", "human"], "name": ID, "is_parallelizable": False, "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        players: int = 2,
        reward: str = "win",
        max_cycles: int | None = None,
        render_mode: str | None = None,
        **options: Unpack[DealOptions],
    ) -> None:
        super().__init__()
        self.kind = reward_code(reward)
        self.max_cycles = None if max_cycles is None else whole_number("max_cycles", max_cycles, 1, 10**9)
        self.render_mode = render_mode
        self._tables = VectorGames(1, players, reward=reward, **options)
        self._game = self._tables.games[0]
        n_players = self._tables.plan.n_players
        self.possible_agents = [f"seat_{seat + 1}" for seat in range(n_players)]
        self.agents: list[str] = []
        low, high = np.iinfo(np.int16).min, np.iinfo(np.int16).max
        seen = {
            "observation": spaces.Box(low, high, (self._tables.n_observed,), np.int16),
            "action_mask": spaces.Box(0, 1, (self._tables.n_actions,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(seen) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self._tables.n_actions) for agent in self.possible_agents}
        self._next_deal = 0

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the space of what an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    @property
    def cards(self) -> CardSet:
        """The cards in play."""
        return self._tables.plan.cards

    @property
    def _view(self) -> np.record:
        view: np.record = self._game.table.public
        return view

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.

        Parameters
        ----------
        seed : int, optional
            Begins the series of games anew: the deals of ``salad-sim run --seed``, one after the other. Without,
            the next deal.
        options : dict, optional
            ``deal``: the number of the deal, where it shall be another one.
        """
        if seed is not None:
            self._game["seed"], self._next_deal = whole_number("seed", seed, 0, MOST_SEED), 0
        deal = whole_number("deal", (options or {}).get("deal", self._next_deal), 0, MOST_GAMES)
        self._next_deal = deal + 1
        self._tables.reset(deal)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._n_steps = dict.fromkeys(self.agents, 0)
        self.agent_selection = self.possible_agents[int(self._view.seat)]

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """Return what an agent sees now; only the agent to move may do anything."""
        seen = np.zeros(self._tables.n_observed, dtype=np.int16)
        mask = np.zeros(self._tables.n_actions, dtype=np.int8)
        observe(self._game, self.possible_agents.index(agent), seen)
        if agent == self.agent_selection and not self._is_over(agent):
            write_mask(self._game, mask)
        return {"observation": seen, "action_mask": mask}

    def _is_over(self, agent: str) -> bool:
        return self.terminations.get(agent, True) or self.truncations.get(agent, True)

    def step(self, action: int | None) -> None:
        """Do an action for the agent to move.

        Raises
        ------
        ValueError
            If it is not legal; nothing has then changed. `env` ends the game instead, as PettingZoo's own games do.
        """
        agent = self.agent_selection
        if self._is_over(agent):
            self._was_dead_step(action)
            return
        if action is None or not is_legal(self._game, int(action)):
            raise ValueError(f"{agent}: action {action} is not legal now")
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._n_steps[agent] += 1
        if step(self._game, int(action)):
            won = np.zeros(len(self.possible_agents), dtype=np.float32)
            settle(self._game, self.kind, won)
            self.rewards = dict(zip(self.agents, won.tolist(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.possible_agents[int(self._view.seat)]
            if self.max_cycles is not None and min(self._n_steps.values()) >= self.max_cycles:
                self.truncations = dict.fromkeys(self.agents, True)
        if self._is_over(agent):
            self.agent_selection = self.agents[0]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Return the table as text, or print it."""
        view, labels = self._view, self.cards.labels
        tops = [self.cards[card].text if card >= 0 else "-" for card in view.top]
        market = [labels[veg] if veg >= 0 else "-" for veg in view.market]
        lines = [f"piles: {' | '.join(tops)}", f"market: {' | '.join(market)}"]
        for seat, agent in enumerate(self.possible_agents):
            tableau = view.tableau[seat]
            owned = ", ".join(f"{n} {label}" for n, label in zip(tableau.counts, labels, strict=True) if n)
            held = "; ".join(self.cards[card].text for card in tableau.held[: tableau.n_held])
            lines.append(f"{agent}: {owned or 'no vegetables'}; point cards: {held or 'none'}")
        text = "\n".join(lines)
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def env(**options: Any) -> AECEnv:
    """Return the environment as PettingZoo's own are wrapped: an illegal action ends the game with a reward of -1."""
    made: AECEnv = raw_env(**options)
    made = wrappers.TerminateIllegalWrapper(made, illegal_reward=-1)
    made = wrappers.AssertOutOfBoundsWrapper(made)
    return wrappers.OrderEnforcingWrapper(made)


def parallel_env(**options: Any) -> ParallelEnv:
    """Return the environment behind the parallel interface: of all actions given only the mover's counts."""
    return turn_based_aec_to_parallel(env(**options))


def register() -> None:
    """Make the environment known to ``pettingzoo.make("aec", "point_salad_v0")``."""
    import pettingzoo

    if ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", ID, "salad_sim.env:env")
    if ID not in pettingzoo.parallel_registry:
        pettingzoo.register("parallel", ID, "salad_sim.env:parallel_env")


register()
