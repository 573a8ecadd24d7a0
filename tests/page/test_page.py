"""Pages of saved results: their answer, their numbers, their size, and what hostile names do to them."""

from __future__ import annotations

import csv
import html
import json
import re
import shutil
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from salad_sim.cli import main
from salad_sim.errors import InputError
from salad_sim.page.render import page
from salad_sim.page.saved import read_saved, read_table
from salad_sim.report.format import interval
from support.places import ROOT

REPORTS = ROOT / "reports"
FOLDERS = [
    *("first-run", "card-value", "seat-order", "tie-break", "rules"),
    *("league/4-players", "tuning/first", "learning/crowd"),
]
HOSTILE = '<script>alert("1")</script>\u202e"\'&' + "W" * 200


@cache
def page_of(folder: str) -> str:
    """The page of a report that comes with the program."""
    return page([str(REPORTS / folder)])


def text_of(markup: str) -> str:
    """What a reader sees of some markup."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", markup)))


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_kind_of_result_has_a_page(folder: str) -> None:
    text = page_of(folder)
    assert len(text.encode()) < 400_000
    assert not re.search(r'(src|href)="?https?:|url\(|@import|\bfetch\(|XMLHttp', text)
    for heading in ("What it does not say", "How to read it", "How to repeat it"):
        assert heading in text
    assert sum(len(each.encode()) for each in re.findall("<script>(.*?)</script>", text, re.S)) <= 30_000
    assert len(re.findall("<h1>(?:<bdi>)?(.*?)<", text)[0]) <= 30  # a line of a phone
    assert text == page([str(REPORTS / folder)])  # the same bytes


def test_the_answer_of_a_run_is_a_sentence() -> None:
    text = page_of("first-run")
    found = re.findall('<p class="answer">(.*?)</p>', text)
    assert found == ["Seat 1 wins 58.33 % [58.24, 58.43] of the games, more often than a fair share of 50 %."]
    assert "salad-sim run --games 1000000 --players 2 --strategy greedy --seed 1" in text


def test_all_numbers_of_the_card_table_are_those_of_the_csv() -> None:
    text = page_of("card-value")
    with (REPORTS / "card-value" / "ranking.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    panels = dict(re.findall(r'<section class="panel" data-tab="(.*?)">.*?<tbody>(.*?)</tbody>', text, re.S))
    value = "take_margin" if "take_margin" in rows[0] else "gift_margin"
    sign = "+" if value == "take_margin" else ""
    for row in rows:
        if not row["card_id"]:
            continue
        panel = panels[f"{row['players']} players, {row['strategy']}"]
        line = next(each for each in panel.split("<tr>") if f"#k{row['card_id']}>" in each)
        shown = interval(*(float(row[name]) for name in (value, f"{value}_low", f"{value}_high")), 2, sign=sign)
        assert "[" in shown and shown in line
        assert html.escape(row["card"]) in line


def test_numbers_of_the_other_tables_are_those_of_their_csv() -> None:
    seen = text_of(page_of("seat-order"))
    with (REPORTS / "seat-order" / "seats.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            share, over = (
                interval(*(float(row[f"{name}{end}"]) for end in ("", "_low", "_high")), 2, 100, sign)
                for name, sign in (("win_share", ""), ("difference", "+"))
            )
            assert f"{row['players']} {row['strategy']} {row['seat']} {share} {over} " in seen


def test_a_study_of_taking_cards_shows_what_it_has(tmp_path: Path) -> None:
    """Columns are found by their names; a blank card, which is none, has no row."""
    (tmp_path / "run.json").write_text('{"experiment": "card-value", "again": "", "options": {}}', encoding="utf-8")
    ends = [
        f"{name}{end}" for name in ("take_margin", "own_margin", "observed_margin") for end in ("", "_low", "_high")
    ]
    head = [
        "players",
        "strategy",
        "card_id",
        "card",
        "back",
        "family",
        "rank",
        "rank_low",
        "rank_high",
        *ends,
        "observed_rank",
    ]
    lines = [
        [2, "greedy", 4, "2/carrot", "cabbage", "2/A", 1, 1, 2, 1.5, 1.0, 2.0, 8.5, 8.0, 9.0, -3.5, -4.0, -3.0, 2],
        [2, "greedy", 70, "cabbage + lettuce + tomato = 8", "onion", "A + B + C = 8", 2, 1, 2, *[0.5, 0.0, 1.0] * 3, 1],
        [2, "greedy", "", "blank card", "", "", "", "", "", *[""] * 10],
    ]
    phases = [
        [2, "greedy", 4, when, value, value - 0.5, value + 0.5]
        for when, value in (("1 to 3", 1.0), ("4 to 9", 2.0), ("10 and later", -1.0))
    ]
    players = [["card_id", "least_take", "most_take", "best_rank", "worst_rank"], [4, -0.5, 1.5, 1, 9]]
    told = ["players", "strategy", "card_id", "own_turns", "take_margin", "take_margin_low", "take_margin_high"]
    for name, rows in {"ranking": [head, *lines], "phases": [told, *phases], "players": players}.items():
        with (tmp_path / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
    text = page([str(tmp_path)])
    for heading in ("to take it now", "to own it", "as logs would say"):
        assert f">{heading}</th>" in text
    assert "blank card" not in text
    assert f"“2/carrot”: taking it brings {interval(1.5, 1.0, 2.0)} points more" in text
    views = [text_of(each) for each in re.findall("<article class=view id=k4 .*?</article>", text, re.S)]
    assert "; take it on turns 1 to 9; leave it on turns 10 and later" in views[0] and "logs: place 2" in views[0]
    assert "All: -0.5 to +1.5, places 1 to 9" in views[0]
    assert text.count("class=turns") == 1 and "turn 1 to 3" in text


def test_several_results_stand_on_one_page(tmp_path: Path) -> None:
    file = tmp_path / "all.html"
    folders = [str(REPORTS / name) for name in ("first-run", "rules")]
    result = CliRunner().invoke(main, ["report", *folders, "--out", str(file)])
    assert result.exit_code == 0, result.output
    assert file.read_text(encoding="utf-8") == page(folders)
    assert len(re.findall('class="chapter"', file.read_text(encoding="utf-8"))) == 2


def test_html_of_a_command_is_the_page_of_its_folder(tmp_path: Path) -> None:
    words = ["run", "--games", "200", "--strategy", "random", "--quiet", "--html"]
    kept, alone = tmp_path / "kept.html", tmp_path / "alone.html"
    for more in ([str(kept), "--out", str(tmp_path / "run")], [str(alone)]):
        result = CliRunner().invoke(main, [*words, *more])
        assert result.exit_code == 0, result.output
    assert kept.read_text(encoding="utf-8") == page([str(tmp_path / "run")])
    body = alone.read_text(encoding="utf-8")
    assert "--out DIR" in body and "run/seats.csv" not in body
    assert {each.name for each in tmp_path.iterdir()} == {"kept.html", "alone.html", "run"}


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    shutil.copytree(REPORTS / "first-run", tmp_path / "run")
    for name in ("seats.csv", "strategies.csv"):
        rows = list(csv.reader((REPORTS / "first-run" / name).read_text(encoding="utf-8").splitlines()))
        place = rows[0].index("strategy")
        with (tmp_path / "run" / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([rows[0], *([*row[:place], HOSTILE, *row[place + 1 :]] for row in rows[1:])])
    record = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    (tmp_path / "run" / "run.json").write_text(json.dumps(record | {"again": f"salad-sim run {HOSTILE}"}))
    text = page([str(tmp_path / "run")], games=0)
    assert text.count("<script>") == 1
    assert html.escape(HOSTILE, quote=False).replace('"', "&#34;").replace("'", "&#39;") in text


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, "holds no saved result"),
        ({"run.json": "{"}, "is no JSON"),
        ({"run.json": "[]"}, "an object is needed"),
        ({"run.json": '{"again": ""}'}, "holds no tables yet"),
        ({"run.json": '{"again": ""}', "x.csv": "a,b\n1\n"}, "2 fields are needed, not 1"),
    ],
)
def test_what_is_no_result_gets_one_line(files: dict[str, str], expected: str, tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(expected)):
        read_saved(str(tmp_path))


@pytest.mark.parametrize("out", ["page.txt", "."])
def test_a_page_needs_a_name(out: str, tmp_path: Path) -> None:
    target = str(tmp_path / out)
    result = CliRunner().invoke(main, ["report", str(REPORTS / "first-run"), "--out", target])
    assert result.exit_code == 2 and "html" in result.output


def test_numbers_are_read_as_numbers_and_names_as_names() -> None:
    rows = read_table("strategy,games,share,share_low\n7,12,0.5,\n8,,1e-3,0.1\n", "x.csv")
    assert rows[0]["strategy"] == "7" and rows[0]["games"] == 12 and rows[1]["games"] is None
    assert rows[0]["share_low"] != rows[0]["share_low"] and rows[1]["share"] == 0.001


def test_a_study_of_ones_own_is_told_by_its_tables(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"experiment": "mine", "again": "salad-sim experiment mine.py"}')
    (tmp_path / "report.md").write_text("# My question?\n\nIt is so.\n\n## More\n", encoding="utf-8")
    (tmp_path / "found.csv").write_text("who,share,share_low,share_high\na,0.5,0.4,0.6\n", encoding="utf-8")
    text = page([str(tmp_path)])
    assert "My question?" in text and '<p class="answer">It is so.</p>' in text
    assert f"{interval(0.5, 0.4, 0.6, 3)} " in text_of(text)
