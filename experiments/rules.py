"""What does each disputed ruling move? Every ruling against the official one, on the same deals."""

from collections.abc import Iterator
from statistics import NormalDist

from salad_sim import OFFICIAL, Comparison, Report, Section, read_rules
from salad_sim.experiment import (
    Session,
    StudyOptions,
    compare_plans,
    differences,
    ended_early,
    experiment,
    plan_run,
    signed,
    study_record,
)

RULINGS = (
    "vegetables=up-to-two",
    "flip=never",
    "zero=even",
    "zero=odd",
    "sets=once",
    "sets=complete-once",
    "split=down",
    "split=draw",
    "split_tie=random",
    "tie_break=earlier",
    "tie_break=last-turn",
    "tie_break=fewer-cards",
    "tie_break=shared",
)
"""The questions that the rule book leaves open or that people play differently, one switch each."""

PROFILES = ("bga", "classroom", "friendly", "halves-down")
PLAYERS = ("2", "3", "4", "6")
GAMES = "40000"


def compared(options: StudyOptions, session: Session) -> Iterator[tuple[str, Comparison]]:
    """Play every ruling at every number of players, until Ctrl-C."""
    who = list(options.strategies) or "greedy"
    for players in options.players or PLAYERS:
        for ruling in RULINGS + PROFILES:
            rules = read_rules(switches=[ruling]) if "=" in ruling else read_rules(ruling)
            if rules == options.rules:
                continue
            a, b = (
                plan_run(options.games or GAMES, players, who, options.seed, **options.setup | {"rules": each})
                for each in (options.rules, rules)
            )
            found = compare_plans(a, b, session)
            if found is not None:
                yield ruling, found


def simultaneous(value: float, low: float, high: float, n_intervals: int) -> tuple[float, float]:
    """Widen a 95 % interval so that ``n_intervals`` such ones hold at once with 95 % (Bonferroni)."""
    normal = NormalDist()
    wider = normal.inv_cdf(1 - 0.025 / n_intervals) / normal.inv_cdf(1 - 0.025)
    return value - wider * (value - low), value + wider * (high - value)


def row_of(ruling: str, found: Comparison) -> dict[str, object]:
    """Return what a ruling moves as one tidy row."""
    first = found.seat_rows[0]
    share = [first[f"win_share_difference{end}"] for end in ("", "_low", "_high")]
    low, high = simultaneous(*share, n_intervals=len(RULINGS + PROFILES))
    scores = [row["mean_score_difference"] for row in found.seat_rows]
    turns, ties = found.game_rows
    cards = [row for row in found.card_rows if row["rank_a"] is not None]
    most = max(cards, key=lambda row: abs(row["difference"]), default=None)
    return {
        "ruling": ruling,
        "players": found.a.n_players,
        "deals": found.deals,
        "differ": found.differ.value,
        "first_seat_a": first["win_share_a"],
        "first_seat_b": first["win_share_b"],
        "first_seat_difference": share[0],
        "first_seat_difference_low": low,
        "first_seat_difference_high": high,
        "score_difference": sum(scores) / len(scores),
        "turns_difference": turns["difference"],
        "turns_difference_low": turns["difference_low"],
        "turns_difference_high": turns["difference_high"],
        "tie_rate_difference": ties["difference"],
        "card_rank_correlation": found.rank_correlation,
        "cards_moved": sum(row["difference_low"] > 0 or row["difference_high"] < 0 for row in cards),
        "most_moved_card": most["card"] if most else "",
        "most_moved_card_difference": most["difference"] if most else float("nan"),
    }


def shown(rows: list[dict]) -> list[list[str]]:
    """Return rows as they look in the report."""
    table = [
        [
            "ruling",
            "first seat, points of win share",
            "mean score",
            "turns",
            "games that differ",
            "card ranks agree",
            "cards moved",
            "card moved most",
        ]
    ]
    for row in rows:
        share = [row[f"first_seat_difference{end}"] for end in ("", "_low", "_high")]
        turns = [row[f"turns_difference{end}"] for end in ("", "_low", "_high")]
        table.append(
            [
                str(row["ruling"]),
                signed(*share, scale=100),
                f"{row['score_difference']:+.2f}",
                signed(*turns),
                f"{100 * row['differ']:.1f} %",
                f"{row['card_rank_correlation']:.3f}",
                str(row["cards_moved"]),
                f"{row['most_moved_card']} ({row['most_moved_card_difference']:+.2f})" if row["cards_moved"] else "-",
            ]
        )
    return table


def headline(rows: list[dict], who: str) -> str:
    """Say which ruling moves the first seat most, with the fewest players."""
    players = min(row["players"] for row in rows)
    few = [row for row in rows if row["players"] == players and "=" in row["ruling"]]
    widest = max(few, key=lambda row: abs(row["first_seat_difference"]))
    share = [widest[f"first_seat_difference{end}"] for end in ("", "_low", "_high")]
    return (
        f"Of the disputed rulings, `{widest['ruling']}` moves the first seat most: with {players} players by "
        f"{signed(*share, scale=100)} percentage points of win share (simultaneous 95 % interval, "
        f"{widest['deals']:,} deals, {who} in every seat)."
    )


def how_to_read(options: StudyOptions) -> Section:
    """Say what the numbers are."""
    base = "the official rules" if options.rules == OFFICIAL else f"{options.rules.changed()}"
    return Section(
        "How to read it",
        f"Every ruling is played on the same deals as {base}, with the same random streams; differences are ruling "
        "minus base, paired by deal. Intervals of the first seat's share hold for all rulings of a table at once "
        "(Bonferroni, 95 %); those of turns are 95 % each. *Games that differ* are those in which play differed at "
        "all. *Card ranks agree* is Spearman's correlation between the cards' ranks by mean points when kept; "
        "*cards moved* counts cards whose mean changes beyond intervals for all cards at once. What a kept card "
        "scored is an observation of who keeps it, not what the card causes.",
    )


@experiment("rules", question="What does each disputed ruling move: the first seat's share, scores, length, cards?")
def rules(options: StudyOptions) -> Report:
    """Compare every disputed ruling with the rules in force on the same deals."""
    session = Session(options.workers, options.progress)
    found = list(compared(options, session))
    if not found:
        raise KeyboardInterrupt
    rows = [row_of(ruling, each) for ruling, each in found]
    seats = [{"ruling": ruling, "players": each.a.n_players, **row} for ruling, each in found for row in each.seat_rows]
    cards = [{"ruling": ruling, "players": each.a.n_players, **row} for ruling, each in found for row in each.card_rows]
    sections, pictures = [how_to_read(options)], {}
    for players in sorted({row["players"] for row in rows}):
        here = [row for row in rows if row["players"] == players]
        name = f"first_seat_{players}"
        pictures[name] = differences(
            [str(row["ruling"]) for row in here],
            [[100 * row[f"first_seat_difference{end}"] for end in ("", "_low", "_high")] for row in here],
            "first seat, percentage points of win share against the base",
            f"What a ruling moves, {players} players",
        )
        sections.append(Section(f"{players} players", table=shown(here), picture=name))
    who = ", ".join(dict.fromkeys(each.label for each in found[0][1].a.lineup))
    return Report(
        title="What does each disputed ruling move?",
        answer=headline(rows, who) + ended_early("The study", session.interrupted),
        sections=sections,
        tables={"rulings": rows, "seats": seats, "cards": cards},
        pictures=pictures,
        run=study_record("rules", options.as_dict(), [each.a for _, each in found]),
        interrupted=session.interrupted,
    )
