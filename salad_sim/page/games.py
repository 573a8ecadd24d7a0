"""Chapters of runs, matches, leagues and profiles: who wins, who is better, how a strategy plays."""

from __future__ import annotations

from salad_sim.game.notation import listed
from salad_sim.jit.typing import Row
from salad_sim.page.chapter import Chapter, Picture, Shown, percent, short
from salad_sim.page.saved import Saved
from salad_sim.report.charts import Mark, Scale, Series, intervals, lines
from salad_sim.report.format import POINTS, interval
from salad_sim.report.table import Column, Measure, Table, estimate_of, means, numbers, shares, texts

SHARE = Scale(2, POINTS)
WIN = {"win_share": "win share"}
ENOUGH = "Numbers say what these strategies do with each other; people may play otherwise."


def run_chapter(saved: Saved) -> Chapter:
    """Return what a run found: who wins, and what a seat is worth."""
    seats, strategies = saved.rows("seats", "seat", "win_share"), saved.rows("strategies", "strategy", "win_share")
    fair = 1 / max(len(seats), 1)
    mixed = len(strategies) > 1
    rows, name = (strategies, "strategy") if mixed else (seats, "seat")
    pictures = [_shares(f"How often each {name} wins", rows, name, fair)]
    if mixed:
        pictures.append(_shares("How often each seat wins", seats, "seat", fair))
    columns = [*shares(win_share="wins %"), *means(2, POINTS, "+", difference="over fair")]
    columns += [*numbers(mean_score="points"), *means(cards_kept="cards kept", flips="flips", turns="turns")]
    terms = WIN | {"difference": "fair share"}
    by_seat = Shown(
        "Seat by seat", Table([*texts(seat="seat", strategy="who"), *columns], seats), terms, "win_share", fair
    )
    by_who = Shown("Who is who", Table([*texts(strategy="strategy"), *columns], strategies), terms, "win_share", fair)
    limits = [ENOUGH]
    if mixed and not saved.options.get("rotate"):
        limits.append("Each strategy kept its seats: part of its result is theirs. With --rotate the two come apart.")
    return Chapter(
        "Who wins?",
        "Who wins most often, and what is it worth to move first?",
        _most_wins(rows, name, fair),
        pictures,
        [*([by_who] if mixed else []), by_seat],
        limits,
        ("win share", "fair share", "interval", "seat"),
    )


def _who(row: Row, name: str) -> str:
    return f"Seat {row['seat']}" if name == "seat" else str(row[name])


def _most_wins(rows: list[Row], name: str, fair: float) -> str:
    if not rows:
        return "No game was played yet."
    best = max(rows, key=lambda row: row["win_share"])
    share = estimate_of(best, "win_share")
    sure = "more often than" if share.low > fair else "about as often as"
    return (
        f"{short(_who(best, name))} wins {percent(share)} of the games, {sure} a fair share of {POINTS * fair:.4g} %."
    )


def _shares(heading: str, rows: list[Row], name: str, fair: float) -> Picture:
    marks = [Mark(_who(row, name), estimate_of(row, "win_share"), number) for number, row in enumerate(rows)]
    return Picture(
        heading,
        intervals(f"{heading}, %", marks, SHARE, fair, "fair"),
        "Dot: share of the games won, in %. Bar: where the true share lies. Dashed: a fair share.",
    )


def match_chapter(saved: Saved) -> Chapter:
    """Return what a match found: which of two strategies is better."""
    rows = saved.rows("match", "a", "b", "win_share", "players")
    seats = saved.rows("by_seat", "seat", "win_share")
    if not rows:
        return Chapter("Which is better?", "Which of two strategies is better?", "No pair of games was played yet.")
    found = rows[0]
    share, fair = estimate_of(found, "win_share"), 0.5
    a, b = short(found["a"]), short(found["b"])
    better = (
        "and is the better one"
        if share.low > fair
        else "and is the weaker one"
        if share.high < fair
        else "too close to tell"
    )
    answer = f"{a} wins {percent(share)} of the games against {b}, {better}."
    marks = [Mark("all games", share)]
    marks += [Mark(f"moving as seat {row['seat']}", estimate_of(row, "win_share"), 1) for row in seats]
    picture = Picture(
        f"How often {a} wins",
        intervals(f"How often {a} wins, %", marks, SHARE, fair, "half"),
        "Dot: share of the games won, in %. Bar: where the true share lies. Dashed: both equally good.",
    )
    return Chapter(
        "Which is better?",
        f"Which is better, {found['a']} or {found['b']}, and is that certain?",
        answer,
        [picture],
        _match_tables(rows, seats),
        [ENOUGH, "It holds for this number of players; with another one it may be different."],
        ("win share", "interval", "rating", "margin", "seat", "tie"),
    )


def _match_tables(rows: list[Row], seats: list[Row]) -> list[Shown]:
    summary = [
        *shares(win_share="wins %"),
        *numbers(1, "+", elo="rating ahead"),
        *numbers(2, "+", margin="points ahead"),
        *shares(tie_rate="equal totals %"),
        *texts(games="games"),
    ]
    by_seat = [
        *texts(seat="seat"),
        *shares(win_share="wins %"),
        *numbers(mean_score="points", mean_score_b="other's points"),
    ]
    return [
        Shown("All games", Table(summary, rows), WIN | {"elo": "rating", "margin": "margin", "tie_rate": "tie"}),
        Shown("Seat by seat", Table(by_seat, seats), WIN, "win_share", 0.5),
    ]


def league_chapter(saved: Saved) -> Chapter:
    """Return what a league found: who is the strongest."""
    rows = saved.rows("ratings", "rank", "strategy", "rating", "rating_low")
    if not rows:
        return Chapter("Who is strongest?", "Who is strongest?", "No game was played yet.")
    best = rows[0]
    players = saved.options.get("players", "")
    near = [short(row["strategy"]) for row in rows[1:] if row.get("rank_low") == 1]
    sure = f"stands first; {listed(near)} may be as good" if near else "is the strongest"
    answer = f"Of {len(rows)} strategies at tables of {players}, {short(best['strategy'])} {sure}."
    marks = [Mark(str(row["strategy"]), estimate_of(row, "rating"), 0) for row in rows]
    rank = Column("rank", "place", show=lambda row: _between(row, "rank"), right=True)
    columns = [
        rank,
        *texts(strategy="strategy"),
        Measure("rating", "rating", digits=0),
        *shares(win_share="wins %"),
        *numbers(mean_score="points"),
        *texts(games="games"),
    ]
    cross = saved.rows("cross", "strategy", "opponent", "share")
    pairs = [*texts(strategy="strategy", opponent="above"), *shares(1, share="ends above %"), *texts(games="games")]
    return Chapter(
        "Who is strongest?",
        f"Which strategy is the strongest with {players} players, and is the order certain?",
        answer,
        [Picture("Strength", intervals("Rating", marks, Scale(0)), "Dot: rating. Bar: where the true one lies.")],
        [
            Shown("The table", Table(columns, rows), WIN | {"rating": "rating", "rank": "rank"}, "rating"),
            Shown("Each against each", Table(pairs, cross), {"share": "finish above"}, "share", 0.5, True),
        ],
        [ENOUGH, "Ratings are about this field of strategies; with others they move."],
        ("rating", "interval", "rank", "finish above", "win share"),
    )


def _between(row: Row, name: str) -> str:
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    alone = low is None or high is None or low == high
    return f"{row[name]}" if alone else f"{row[name]} ({low} to {high})"


def profile_chapter(saved: Saved) -> Chapter:
    """Return how a strategy plays."""
    summary = {row["measure"]: row for row in saved.rows("summary", "measure", "value", "low", "high")}
    words = saved.again.split()
    name = short(words[2] if len(words) > 2 else saved.name)
    turns = saved.rows("turns", "turn", "point_card", "flip")
    families = sorted(saved.rows("families", "family", "preference"), key=lambda row: -(row["preference"] or 0))
    said = [f"{name} takes a point card on {_share(summary, 'takes_point_card')} of its turns"]
    if families:
        said.append(f"likes cards with {_family(families[0])} best")
    if "win_share" in summary:
        said.append(f"wins {_share(summary, 'win_share')} of its games")
    drawn = [Series(told, [(row["turn"], estimate_of(row, key)) for row in turns]) for key, told in HABITS.items()]
    marks = [Mark(_family(row), estimate_of(row, "preference")) for row in families]
    return Chapter(
        "How does it play?",
        f"How does {name} play: what does it take, keep and flip?",
        f"{', and '.join([', '.join(said[:-1]), said[-1]]) if len(said) > 1 else said[0]}.",
        [
            Picture(
                "Turn by turn", lines("Share of turns, %", drawn, Scale(1, POINTS), "own turn"), "In % of its turns."
            ),
            Picture(
                "Cards it likes", intervals("Taken, times chance", marks, Scale(2), 1, "chance"), "1: as by chance."
            ),
        ],
        _profile_tables(saved, turns, families),
        ["A habit is no proof of strength: for that, see match and league.", ENOUGH],
        ("better than chance", "interval", "taken", "ending"),
    )


def _profile_tables(saved: Saved, turns: list[Row], families: list[Row]) -> list[Shown]:
    liked = [
        Column("family", "cards", show=_family),
        *numbers(preference="times chance"),
        *shares(1, pick="taken %"),
        *numbers(kept="kept a game"),
        *numbers(points="points"),
    ]
    endings = [
        *texts(who="who", cards_left="cards left", decisions="moves"),
        *shares(1, perfect="without loss %"),
        *shares(win_loss="chance given away %"),
    ]
    by_turn = [*texts(turn="turn", turns="turns"), *shares(1, **HABITS)]
    return [
        Shown("Cards", Table(liked, families), {"preference": "better than chance", "pick": "taken"}, "preference", 1),
        Shown("Turn by turn", Table(by_turn, turns), is_folded=True),
        Shown(
            "Endings",
            Table(endings, saved.rows("endings", "who", "perfect", "win_loss")),
            {"perfect": "ending"},
            is_folded=True,
        ),
    ]


HABITS = {"point_card": "takes a point card", "two_vegetables": "takes two vegetables", "flip": "flips a card"}


FAMILIES = {
    "per_veg": "points for each",
    "per_veg with a minus": "points for each and a minus",
    "pair": "two alike",
    "triple": "three alike",
    "combo2": "two different",
    "combo3": "three different",
    "complete_set": "all six",
    "even_odd": "even or odd",
    "missing_type": "missing types",
    "most": "the most of one",
    "fewest": "the fewest of one",
    "most_total": "the most in total",
    "fewest_total": "the fewest in total",
}
"""What a kind of card is called in the game."""


def _family(row: Row) -> str:
    name = str(row["family"])
    least = name.removeprefix("type_at_least_")
    return f"types with {least} or more" if least != name else FAMILIES.get(name, name.replace("_", " "))


def _share(summary: dict[str, Row], name: str) -> str:
    row = summary.get(name)
    return "an unknown share" if row is None else interval(row["value"], row["low"], row["high"], 1, POINTS, unit=" %")
