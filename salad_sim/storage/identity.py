"""What makes a run the run that it is: options, strategies and versions, and the plan that they are of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from salad_sim.errors import InputError
from salad_sim.game.card_file import parse_card_file
from salad_sim.game.rule_profiles import read_rules
from salad_sim.jit.sources import code_fingerprint
from salad_sim.run.plan import Plan, plan_run, with_deals
from salad_sim.storage.folder import differences, strategy_records, versions
from salad_sim.strategy.variants import POINT_SALAD

SIZE = ("games", "deals")
"""Options that say how many deals are played, and not what is played."""


def record_of(plan: Plan) -> dict[str, Any]:
    """Return what identifies a run, as plain data: its options, strategies, versions and the code of the game."""
    return {
        "options": plan.options(),
        "strategies": strategy_records([plan]),
        "versions": versions() | {"code": code_fingerprint()},
    }


def same_study(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record without its size: equal for runs whose deals can be counted together."""
    options = {name: value for name, value in record["options"].items() if name not in SIZE}
    return {**record, "options": options}


def plan_of(record: Mapping[str, Any]) -> Plan:
    """Return the plan of a record.

    Raises
    ------
    InputError
        If the record is not one, or the strategies or versions here are not those of the record, with what differs.
    """
    plan = plan_of_options(record.get("options"))
    different = differences(dict(record), record_of(plan))
    if different:
        raise InputError(
            f"the run was played by other code than is here: {'; '.join(different)}, and only the same can go on "
            "with it or play it again"
        )
    return plan


def plan_of_options(given: Any) -> Plan:
    """Return the plan that a record's options describe, by the strategies that are here.

    Raises
    ------
    InputError
        If they are no options of a run, or a strategy is not here.
    """
    try:
        options = dict(given)
        cards = options.get("cards")
        plan = plan_run(
            options["games"],
            options["players"],
            list(options["strategies"]),
            options["seed"],
            rules=read_rules(None, [f"{name}={value}" for name, value in options["rules"].items()]),
            rotate=options["rotate"],
            game=options.get("game", POINT_SALAD.name),
            cards=None if cards is None else parse_card_file("\n".join(cards["file"]), cards["source"]),
            head_start=options.get("head_start", ()),
        )
        return with_deals(plan, options["deals"]) if "deals" in options else plan
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError("the saved run does not say what was played") from None
