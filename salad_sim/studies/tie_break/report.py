"""A tie-break study -> its report: the answer first, then a table and a picture of each question."""

from __future__ import annotations

from typing import Any

from salad_sim.game.notation import listed
from salad_sim.game.rules import WHO_WINS
from salad_sim.jit.typing import Row
from salad_sim.play.tie_breaks import RULES
from salad_sim.report.figures import by_seat
from salad_sim.report.format import LOOKS, POINTS, ended_early, in_points, percent, points
from salad_sim.report.markdown import Report, Section
from salad_sim.report.table import Column, Table, changes, estimate_of, means, shares, texts
from salad_sim.stats.intervals import columns
from salad_sim.stats.shares import from_fair
from salad_sim.studies.tie_break.play import NEUTRAL, OVER, UNDER, TieFindings
from salad_sim.studies.tie_break.tables import TieStudy, tables_of

TITLE = "What is the tie-break worth?"


def tie_report(study: TieStudy, run: dict[str, Any], interrupted: bool = False) -> Report:
    """Put what a tie-break study found into a report; it must have found something."""
    headline = _headline(study)
    tables = tables_of(study)
    pictures = {
        f"rules_{found.n_players}": by_seat(
            {rule: [in_points(off) for off in from_fair(found.shares(rule))] for rule in RULES},
            "win share less a fair share, percentage points",
            f"Every tie-break on the same games, {found.n_players} players, {found.condition.name}",
        )
        for found in headline
    }
    sections = [
        Section("How to read it", _how(study)),
        Section("How often totals tie", TIES, _tie_table(tables["ties"])),
        Section("Who ties with whom", PAIRS, Table(PAIR_COLUMNS, _of(headline, tables["tied_seats"]))),
        Section("The first-player effect", CORRECTION, _correction_table(study)),
        Section("Which rule leaves the seats most equal", EVENNESS, _evenness_table(study)),
    ]
    sections += [
        Section(
            f"Every rule, {found.n_players} players, {found.condition.name}",
            table=Table(RULE_COLUMNS, _of([found], tables["rules"])),
            picture=f"rules_{found.n_players}",
        )
        for found in headline
    ]
    if study.replays:
        first = [row for row in tables["replays"] if row["seat"] == 1]
        sections.append(Section("Replayed under each rule", REPLAYS, Table(REPLAY_COLUMNS, first)))
    answer = _answer(study) + ended_early("The study", interrupted)
    return Report(TITLE, answer, sections, tables, pictures, run, interrupted)


def _headline(study: TieStudy) -> list[TieFindings]:
    """Return the findings of the line-up named last of those with many games, one for each number of players."""
    most = max(each.sums.n_games for each in study.ties)
    enough = most / 2 if study.precision is None else 0
    name = [each.condition.name for each in study.ties if each.sums.n_games >= enough][-1]
    return [each for each in study.ties if each.condition.name == name]


def _answer(study: TieStudy) -> str:
    found = _headline(study)
    said = []
    for each in found:
        effect = each.correction(each.in_force)
        ties = percent(each.sums.rates("tied", each.single)[0])
        said.append(
            f"- {each.n_players} players: {points(effect.before)} if wins are shared, {points(effect.after)} under the "
            f"rule; totals tie in {ties} % of the games; most equal is {_most_even(each)}."
        )
    verdicts = list(dict.fromkeys(each.correction(each.in_force).verdict for each in found))
    does = verdicts[0] if len(verdicts) == 1 and verdicts[0] in (UNDER, OVER) else "changes"
    games = min(each.sums.n_games for each in found)
    seats = "in all rotations" if found[0].condition.is_mixed else "in every seat"
    said_of_all = "\n".join(said)
    return (
        f"{_capital(WHO_WINS[found[0].in_force])} {does} what moving first is worth, in percentage points of win share "
        f"above or below a fair one (95 % intervals, {found[0].condition.name} {seats}, {games:,} games for each "
        f"number of players):\n\n{said_of_all}"
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _most_even(found: TieFindings) -> str:
    """Say which rule leaves the seats most equal, and against which others that is certain."""
    even = found.evenness
    if not even.surpassed:
        return f"`{even.best}`, but no other rule is less so for certain"
    certain = f"`{even.best}`, for certain more so than {listed(even.surpassed)}"
    return certain + (f", not decided against {listed(even.open)}" if even.open else "")


def _how(study: TieStudy) -> str:
    text = (
        "Every finished game is scored under every tie-break rule, so a difference between two rules is a paired one "
        "on the same games. `later`: of equal totals the later seat in turn order wins (the official rule); "
        "`earlier`: the earlier one; `last-turn`: who took a turn last; `fewer-cards`: who has fewer point cards, "
        f"then the later seat; `{NEUTRAL}`: the win is shared, which favours no seat and is what the others are held "
        "against. Intervals hold with 95 % for all seats of a table's group at once; the unit is the deal. Different "
        "strategies in one line-up (A+B) play every deal in all rotations."
    )
    if study.precision is not None:
        text += (
            f" Every line-up ended when all its intervals were at most {POINTS * study.precision:g} percentage points "
            f"to each side. {LOOKS}."
        )
        if not all(each.look.precise for each in study.ties if each.look is not None):
            text += " Some ended by the number of games instead; the file ties.csv says which."
    return text


TIES = "Share of games in which two or more seats have the highest total, and in which exactly so many have it."


WHO = texts(players="players", strategy="strategy")
"""What a row is about."""


def _of(found: list[TieFindings], rows: list[Row]) -> list[Row]:
    """Return the rows of a table that are about some line-ups."""
    wanted = [each.condition.columns for each in found]
    return [row for row in rows if {"players": row["players"], "strategy": row["strategy"]} in wanted]


def _tie_table(rows: list[Row]) -> Table:
    most = max(row["players"] for row in rows)
    sizes = shares(3, **{f"tied_{size}_seats": f"{size} seats %" for size in range(2, most + 1)})
    return Table([*WHO, *texts(games="games"), *shares(tied="ties %"), *sizes], rows)


PAIRS = (
    "Share of all games in which both seats have the highest total, perhaps with others; of the line-up that the "
    "answer is about. The file tied_seats.csv has all."
)


PAIR_COLUMNS = [
    *texts(players="players"),
    Column("seat", "seats", show=lambda row: f"{row['seat']} and {row['other']}"),
    *shares(3, tied="ties %"),
]

CORRECTION = (
    "The first seat's win share less a fair one in percentage points: with wins shared, so that no tie-break is at "
    "work, and under the rule in force. The rule *under-corrects* if the first seat stays on the side on which it "
    "was, *over-corrects* if it ends on the other side; both intervals hold at once."
)


def _correction_table(study: TieStudy) -> Table:
    effects = [*changes(before="shared", after="under the rule in force"), *changes(3, changed="the rule changes")]
    rows = []
    for each in study.ties:
        effect = each.correction(each.in_force)
        row = columns("before", effect.before) | columns("after", effect.after)
        row |= columns("changed", each.changes(each.in_force)[0])
        rows.append({**each.condition.columns, **row, "verdict": effect.verdict})
    return Table([*WHO, *effects, *texts(verdict="verdict")], rows)


EVENNESS = (
    "How far the seats are from equal under each rule: root mean square of their distances from a fair share, in "
    "percentage points. *Certain against* are the rules that leave the seats less equal than the best one for certain: "
    "intervals of the differences between all pairs of rules, on the same games, hold at once with 95 %."
)


def _evenness_table(study: TieStudy) -> Table:
    rows = []
    for each in study.ties:
        even = each.evenness
        row = {**each.condition.columns, **dict(zip(RULES, even.deviations, strict=True)), "best": even.best}
        rows.append(row | {"less": ", ".join(even.surpassed) or "-", "open": ", ".join(even.open) or "-"})
    verdict = texts(best="most even", less="certain against", open="open")
    return Table([*WHO, *means(3, POINTS, **{rule: rule for rule in RULES}), *verdict], rows)


def _gain(row: Row) -> str:
    return "" if row["rule"] == NEUTRAL else points(estimate_of(row, "against_shared"), 3)


RULE_COLUMNS = [
    *texts(rule="rule", seat="seat"),
    *shares(win_share="win %"),
    *changes(difference="against fair"),
    Column("against_shared", f"gains against {NEUTRAL}", show=_gain),
]

REPLAYS = (
    "Strategies that look ahead know the rule in force, so the same deals are played once under each rule. "
    "*Mechanical* is what the first seat gains, in percentage points of win share, if the games are only scored "
    "otherwise; *adaptation* is what it gains because play is another one; *both* is the whole effect. All against "
    "the rule in force, paired by deal. *Play differs* is the share of deals that were not played alike. The file "
    "replays.csv has all seats."
)


REPLAY_COLUMNS = [
    *WHO,
    *texts(deals="deals", rule="rule"),
    *changes(mechanical="mechanical", adaptation="adaptation", both="both"),
    *shares(play_differs="play differs %"),
]
