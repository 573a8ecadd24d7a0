"""Every value of every rule switch is known to the game: it changes some game, and has its words."""

from __future__ import annotations

import pytest

from salad_sim import Rules, simulate
from salad_sim.game.rules import CHOICES, OFFICIAL, SWITCHES, WHO_WINS, allowed_values, switches_of
from support.playing import SEED

WITH = {"split_tie": {"split": "draw"}, "next_start": {"rounds": 2}}
"""What else is needed for a switch to matter at once."""

CHANGES = [
    (game, name, value)
    for name, switch in SWITCHES.items()
    for game in switch.games
    for value in list(switch.values)[1:]
    if (game, name) != ("hand-draft", "sets")  # a rare hand has two sets of a kind
]


@pytest.mark.parametrize(("game", "name", "value"), CHANGES)
def test_a_value_that_no_kernel_knows_would_change_nothing(game: str, name: str, value: str) -> None:
    # many games of all seats alike: what differs is the kernels' own doing, or what strategies make of it
    more = WITH.get(name, {})
    official, changed = (
        simulate(400, 3, "greedy", seed=SEED, rules=Rules(**more, **switch), game=game)  # type: ignore[arg-type]
        for switch in ({}, {name: value})
    )
    columns = ["win_share", "mean_score", "turns", "flips"]
    assert not official.seats[columns].equals(changed.seats[columns])


def test_every_switch_says_what_its_values_mean() -> None:
    for name, switch in SWITCHES.items():
        assert len(set(switch.values.values())) == len(switch.values), name
        assert OFFICIAL.in_words(name) == next(iter(switch.values.values()))
    assert list(WHO_WINS) == list(CHOICES["tie_break"])


def test_games_name_the_switches_that_mean_something() -> None:
    known = {name for game in ("point-salad", "hand-draft") for name in switches_of(game)}
    assert known == set(OFFICIAL.as_dict()) == set(allowed_values())
