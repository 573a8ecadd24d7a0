"""Games that are worth looking at: against every game looked at one by one, and where there are none."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from salad_sim.page.notable import notable_games
from salad_sim.page.saved import read_saved
from salad_sim.run.one_game import play_one
from salad_sim.run.plan import plan_run
from support.places import ROOT

RUN = ROOT / "reports" / "first-run"


def test_the_closest_and_the_highest_are_those_of_all_games_looked_at_one_by_one() -> None:
    plan = plan_run(40, 2, "greedy", 1)
    scores = [sorted(play_one(plan, game)[0].scores[:2].tolist()) for game in range(40)]
    closest, highest, strangest = notable_games(read_saved(str(RUN)), 40)
    least, most = min(high - low for low, high in scores), max(high for _, high in scores)
    numbers = [int(each.game.title.split()[1]) for each in (closest, highest, strangest)]
    assert scores[numbers[0]][1] - scores[numbers[0]][0] == least
    assert numbers[1] == next(game for game, (_, high) in enumerate(scores) if high == most)
    assert numbers[2] not in numbers[:2]
    for number, each in zip(numbers, (closest, highest, strangest), strict=True):
        assert sorted(seat.score for seat in each.game.steps[-1].seats) == scores[number]
        assert f"--game {number} " in f"{each.game.again} " and each.why.endswith("of the first 40 games")


@pytest.mark.parametrize("change", ["strategies", "options", "games_counted"])
def test_a_run_that_cannot_be_played_again_shows_none(change: str, tmp_path: Path) -> None:
    shutil.copytree(RUN, tmp_path / "run")
    record = json.loads((RUN / "run.json").read_text(encoding="utf-8"))
    other = {
        "strategies": [record["strategies"][0] | {"sha256": "0"}],
        "options": record["options"] | {"strategies": ["nobody.py", "greedy"]},
        "games_counted": 0,
    }
    (tmp_path / "run" / "run.json").write_text(json.dumps(record | {change: other[change]}), encoding="utf-8")
    assert notable_games(read_saved(str(tmp_path / "run"))) == []
    assert notable_games(read_saved(str(RUN)), 0) == []
