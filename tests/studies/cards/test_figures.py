"""Pictures of cards: they are drawn whatever is known, show what they were given, and are the same when drawn again."""

import itertools
from functools import cache

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text
from scipy.stats import rankdata

from salad_sim.game.card_families import families
from salad_sim.game.cards import official_set
from salad_sim.report.figures import as_svg
from salad_sim.studies.cards import figures as plots_cards
from salad_sim.studies.cards.family_figures import families_by_value, name_points, short, spread, style
from salad_sim.studies.cards.figures import MARKED
from salad_sim.studies.cards.trials import PHASES

NAMES = [family.name for family in families(official_set())]
FAMILY_OF = {card: family.name for family in families(official_set()) for card in family.members}
FAMILIES = [FAMILY_OF[card] for card in range(108)]
LABELS = [card.text for card in official_set()]


def made_up(n_cards, unknown=()):
    """Values of cards with their intervals, NaN for the cards not known."""
    values = np.random.default_rng(7).normal(1, 2, n_cards)
    values[list(unknown)] = np.nan
    return values, values - 0.3, values + 0.3


def ranked(n_cards, unknown=(), **more):
    return plots_cards.ranked_values(
        FAMILIES[:n_cards], LABELS[:n_cards], *made_up(n_cards, unknown), "points", "Ranking", **more
    )


def picked(n_cards, unknown=(), **more):
    values, _, _ = made_up(n_cards, unknown)
    rates = 1 / (1 + np.exp(-np.random.default_rng(8).normal(values, 1)))
    return plots_cards.against_take(rates, values, FAMILIES[:n_cards], LABELS[:n_cards], "taken", "Picks", **more)


def by_phase(n_cards, unknown=()):
    steps = np.linspace(1, 0, len(PHASES))
    values = [np.outer(steps, row) for row in np.transpose(made_up(min(n_cards, 6), [card % 6 for card in unknown]))]
    series = dict(zip(LABELS, values, strict=False))
    return plots_cards.value_by_phase(PHASES, series, "Phases", {name: each / 9 for name, each in series.items()})


def pair_map(n_cards, unknown=()):
    matrix = np.random.default_rng(9).normal(0, 1, (n_cards, n_cards))
    matrix += matrix.T
    np.fill_diagonal(matrix, np.nan)
    matrix[list(unknown)] = matrix[:, list(unknown)] = np.nan
    groups, _ = families_by_value(FAMILIES[:n_cards], np.arange(n_cards, dtype=float))
    order = [card for members in groups.values() for card in members]
    bounds = [0, *itertools.accumulate(len(members) for members in groups.values())]
    return plots_cards.synergy_map(matrix, order, bounds, list(groups), "points", "Pairs")


def stable(n_cards, unknown=()):
    names = NAMES[:n_cards]
    values = np.random.default_rng(10).normal(0, 1, (len(names), 3))
    values[[card % len(names) for card in unknown], 1:] = np.nan
    return plots_cards.stability(values, ["2 players", "3 players", "4 players"], names, "Stability", "points")


ALL = [ranked, picked, by_phase, pair_map, stable]


@cache
def svg_of_all(draw):
    return as_svg(draw(108))


def words(drawn):
    """The texts of a picture, which an SVG file repeats in its comments."""
    lines = (drawn if isinstance(drawn, bytes) else as_svg(drawn)).decode().splitlines()
    return {line.strip()[5:-4] for line in lines if line.strip().startswith("<!-- ")}


@pytest.mark.parametrize("draw", ALL)
def test_a_picture_is_the_same_when_drawn_again(draw):
    assert as_svg(draw(108)) == svg_of_all(draw)


@pytest.mark.parametrize("draw", ALL)
@pytest.mark.parametrize(("n_cards", "unknown"), [(1, []), (12, range(12)), (108, [0, 5, 107])])
def test_every_picture_is_drawn_whatever_is_known(draw, n_cards, unknown):
    figure = draw(n_cards, unknown)
    figure.draw_without_rendering()
    assert all(axes.get_window_extent().width > 0.3 * figure.bbox.width for axes in figure.axes if axes.get_title())


@pytest.mark.parametrize("draw", [ranked, picked, pair_map, stable])
def test_every_family_is_named(draw):
    alone = {LABELS[FAMILIES.index(name)] for name in NAMES if FAMILIES.count(name) == 1} if draw is ranked else set()
    assert set(NAMES) <= words(svg_of_all(draw)) | alone


def test_all_cards_are_ranked_within_families_and_those_not_measured_come_last():
    figure = ranked(108, unknown=[3, 70])
    (axes,) = figure.axes
    shown = [text.get_text() for text in axes.get_yticklabels()]
    values, _, _ = made_up(108, [3, 70])
    means = {name: np.nanmean([v for v, f in zip(values, FAMILIES, strict=True) if f == name]) for name in NAMES}
    unknown = np.isnan(values)
    expected = sorted(range(108), key=lambda card: (unknown[card], -means[FAMILIES[card]], -values[card]))
    assert shown[:-2] == [LABELS[card] for card in expected[:-2]]
    assert shown[-2:] == [LABELS[3], LABELS[70]]
    assert {"not measured", "card", "mean of the family"} <= words(figure)
    assert list(axes.get_yticks()) == sorted(axes.get_yticks())
    assert axes.yaxis_inverted()


def test_points_and_intervals_stand_in_the_row_of_their_card():
    (axes,) = ranked(108).axes
    row_of = dict(zip([text.get_text() for text in axes.get_yticklabels()], axes.get_yticks(), strict=True))
    points = {row: x for line in axes.lines if line.get_marker() == "o" for x, row in line.get_xydata()}
    ends = {path[0, 1]: path[:, 0] for bars in axes.collections for path in bars.get_segments()}
    for label, value, low, high in zip(LABELS, *made_up(108), strict=True):
        assert points[row_of[label]] == value
        assert ends[row_of[label]].tolist() == [low, high]


def test_rows_of_a_tall_ranking_keep_their_height():
    heights = [ranked(n_cards).get_figheight() for n_cards in (20, 108)]
    assert heights[1] - heights[0] > 0.16 * 88
    many = [str(card) for card in range(400)]
    huge = plots_cards.ranked_values(many, many, *made_up(400), "points", "400 families")
    assert huge.get_figheight() > 64
    assert sorted(text.get_text() for text in huge.axes[0].get_yticklabels()) == sorted(many)


def test_marked_cards_have_a_colour_of_their_own():
    figure = ranked(108, mark=[4, 50], mark_label="new card")
    assert MARKED not in svg_of_all(ranked).decode()
    assert MARKED in as_svg(figure).decode()
    coloured = [text.get_text() for text in figure.axes[0].get_yticklabels() if text.get_color() == MARKED]
    assert sorted(coloured) == sorted([LABELS[4], LABELS[50]])
    points = [line for line in figure.axes[0].lines if line.get_label() == "new card"]
    assert [line.get_color() for line in points] == [MARKED]
    assert points[0].get_xdata().tolist() == made_up(108)[0][[4, 50]].tolist()


def test_a_value_without_an_interval_is_a_hollow_point():
    values, low, high = made_up(2)
    low[1], high[1] = np.nan, np.inf
    figure = plots_cards.ranked_values(["a", "b"], ["a", "b"], values, low, high, "points", "")
    assert "card, interval not known" in words(figure)
    hollow = [line for line in figure.axes[0].lines if line.get_markerfacecolor() == "white"]
    assert [list(line.get_xdata()) for line in hollow] == [[values[1]]]


def test_the_line_at_zero_is_drawn_only_in_range():
    dashed = []
    for shift in (0, 100):
        figure = plots_cards.ranked_values(["a"], ["a"], [shift], [shift - 1], [shift + 1], "points", "")
        dashed.append(sum(line.get_linestyle() == "--" for line in figure.axes[0].lines))
    assert dashed == [1, 0]


def test_the_text_of_a_card_is_no_formula():
    figure = plots_cards.ranked_values(["f"], ["5$ or $\\frac"], [1], [0], [2], "$", "$\\x$")
    assert {"5$ or $\\frac", "$\\x$"} <= words(figure)
    assert short("x" * 60) == "x" * 43 + "…"


def test_cards_taken_too_often_or_too_seldom_are_named():
    values = np.arange(40.0)
    rates = values / 50
    rates[5], rates[35] = 0.75, 0.01  # too often; too seldom
    names = [f"card {number}" for number in range(40)]
    figure = plots_cards.against_take(rates, values, ["f"] * 40, names, "taken", "Picks", shares=True)
    named = {text.get_text(): text.xy for text in figure.axes[0].texts}
    assert named["card 5"] == (5, 0.75)
    assert named["card 35"] == (35, 0.01)
    assert len(named) <= 8
    alike = plots_cards.against_take(values / 50, values, ["f"] * 40, names, "taken", "Picks")
    assert not alike.axes[0].texts


def test_many_families_share_a_grey():
    for n_families, n_named in ((20, 20), (21, 19), (200, 19)):
        names = [f"family {number}" for number in range(n_families)]
        (axes,) = plots_cards.against_take(range(n_families), range(n_families), names, names, "logs", "").axes
        legend = [text.get_text() for text in axes.get_legend().get_texts()]
        assert sum(text in names for text in legend) == n_named
        assert ("other families" in legend) == (n_families > n_named)
        assert sum(len(points.get_offsets()) for points in axes.collections) == n_families
    assert len({style(number) for number in range(20)}) == 20


def test_values_by_phase_are_drawn_with_their_bands_and_the_share_that_came_out_better():
    above, below = by_phase(108).axes
    for axes in (above, below):
        assert [line.get_label() for line in axes.lines[1:]] == LABELS[:6] and len(axes.collections) == 6
    assert below.lines[1].get_color() == above.lines[1].get_color()
    assert [text.get_text() for text in below.get_xticklabels()] == list(PHASES)


def test_colours_of_pairs_are_symmetric_around_zero_and_end_at_the_99th_percentile():
    figure = pair_map(108, unknown=[4])
    image = figure.axes[0].images[0]
    shown = np.abs(np.ma.compressed(image.get_array()))
    assert image.get_clim() == (-np.percentile(shown, 99), np.percentile(shown, 99))
    assert to_hex(image.cmap(np.ma.masked)) == plots_cards.MISSING
    assert "worth of a pair beyond the sum of both, points (grey: not known)" in words(figure)
    assert len(figure.axes[0].lines) == 2 * (len(NAMES) - 1)


def test_pairs_stand_in_the_order_given():
    matrix = np.arange(9.0).reshape(3, 3)
    figure = plots_cards.synergy_map(matrix + matrix.T, [2, 0, 1], [0, 1, 3], ["one", "two"], "points", "")
    assert figure.axes[0].images[0].get_array().tolist() == [[16, 8, 12], [8, 0, 4], [12, 4, 8]]
    assert {text.get_text() for text in figure.axes[0].texts} == {"one", "two"}


def test_of_too_many_families_the_largest_are_named():
    names = [str(number) for number in range(100)]
    figure = plots_cards.synergy_map(np.zeros((101, 101)), range(101), [*range(100), 101], names, "points", "")
    named = [text.get_text() for text in figure.axes[0].texts]
    assert "99" in named  # the one of two cards
    assert 50 < len(named) <= 2 * plots_cards.NAMES_THAT_FIT
    at = sorted(int(name) for name in named[::2])
    assert min(np.diff(at)) == 2  # every second one, so that no name stands far from its family


def test_names_of_lines_do_not_overlap():
    ranks = np.arange(1, 21)
    figure = plots_cards.stability(np.stack([ranks, 5 + ranks / 100], axis=1), ["a", "b"], NAMES, "", "points")
    figure.draw_without_rendering()
    texts = figure.axes[0].texts
    middles = sorted(figure.axes[0].transData.transform((0, text.xyann[1]))[1] for text in texts)
    assert min(np.diff(middles)) >= 8 / 72 * figure.dpi * 1.1  # a text of 8 points, and some room


def test_a_line_that_ends_early_is_named_at_its_end():
    values = [[1, 2, np.nan], [2, 1, 1], [np.nan] * 3]
    figure = plots_cards.stability(values, ["a", "b", "c"], ["early", "whole", "never"], "", "points")
    assert {text.get_text(): text.xy for text in figure.axes[0].texts} == {"early": (1, 2), "whole": (2, 1)}


def crowded(n_points, n_named, seed):
    """A scatter of points in heaps, some of them named; the figure, the names, and where the points are."""
    generator = np.random.default_rng(seed)
    x, y = (generator.normal(generator.integers(0, 3, n_points) * 4, 1) for _ in range(2))
    figure = Figure(figsize=(8, 6))
    axes = figure.add_subplot()
    axes.scatter(x, y, s=16)
    chosen = [int(number) for number in generator.choice(n_points, n_named, replace=False)]
    name_points(axes, chosen, x, y, [LABELS[number % 108] for number in range(n_points)])
    figure.draw_without_rendering()
    return figure, chosen, axes.transData.transform(np.column_stack([x, y]))


@pytest.mark.parametrize("seed", range(8))
def test_names_of_points_are_readable(seed):
    figure, chosen, points = crowded(60, 8, seed)
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.texts] == [LABELS[number % 108] for number in chosen]
    boxes = [Text.get_window_extent(text) for text in axes.texts]  # without the lines to the points
    frame = axes.get_window_extent()
    radius = 2 / 72 * figure.dpi  # of a mark
    for text, box, number in zip(axes.texts, boxes, chosen, strict=True):
        assert frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1, text
        near = np.clip(points, [box.x0, box.y0], [box.x1, box.y1])
        assert np.hypot(*(points - near).T).min() > radius, text
        # the line from it ends at its own point, which is not far
        assert np.allclose(axes.transData.transform(text.xy), points[number])
        assert np.hypot(*(points[number] - near[number])) < 100 / 72 * figure.dpi
    for one, other in itertools.combinations(boxes, 2):
        assert not one.overlaps(other), (one, other)


def test_names_stay_inside_the_axes_where_there_is_no_room_for_all():
    figure, _, _ = crowded(400, 40, 1)
    frame = figure.axes[0].get_window_extent()
    for text in figure.axes[0].texts:
        box = Text.get_window_extent(text)
        assert frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1, text


def test_named_are_the_cards_farthest_off_one_of_a_family_on_each_side():
    shown = [LABELS.index(text.get_text()) for text in picked(108).axes[0].texts]
    values, _, _ = made_up(108)
    rates = 1 / (1 + np.exp(-np.random.default_rng(8).normal(values, 1)))
    apart = rankdata(rates) - rankdata(values)
    for side in (apart, -apart):
        farthest = {}
        for card in sorted(range(108), key=lambda card: -side[card]):
            farthest.setdefault(FAMILIES[card], card)
        assert [card for card in shown if side[card] > 0] == list(farthest.values())[: plots_cards.NAMED]


def segments(axes):
    """The ends of all thin lines of intervals, each as (x, y) and (x, y)."""
    drawn = [lines for lines in axes.collections if isinstance(lines, LineCollection)]
    return {tuple(map(tuple, path.tolist())) for lines in drawn for path in lines.get_segments() if len(path)}


def test_intervals_are_drawn_where_they_are_given():
    values = np.stack(made_up(12, [3]), axis=1)
    rates = np.stack([np.linspace(0.1, 0.9, 12), np.linspace(0.05, 0.8, 12), np.linspace(0.2, 0.95, 12)], axis=1)
    names = FAMILIES[:12], LABELS[:12], "taken", ""
    plain, crossed = (
        plots_cards.against_take(*given, *names) for given in ((rates[:, 0], values[:, 0]), (rates, values))
    )
    assert not segments(plain.axes[0]) and "95 %" not in plain.axes[0].get_xlabel()
    assert "thin lines: 95 % intervals" in crossed.axes[0].get_xlabel()
    known = [card for card in range(12) if card != 3]
    assert segments(crossed.axes[0]) == {
        *(((values[card, 1], rates[card, 0]), (values[card, 2], rates[card, 0])) for card in known),
        *(((values[card, 0], rates[card, 1]), (values[card, 0], rates[card, 2])) for card in known),
    }
    plain, barred = (
        plots_cards.stability(given, ["a", "b"], LABELS[:6], "", "points")
        for given in (values[:, 0].reshape(6, 2), values.reshape(6, 2, 3))
    )
    assert not segments(plain.axes[0]) and "95 %" not in plain.axes[0].get_ylabel()
    assert "bars: 95 % intervals" in barred.axes[0].get_ylabel()
    assert segments(barred.axes[0]) == {((card % 2, values[card, 1]), (card % 2, values[card, 2])) for card in known}


def test_spread_moves_as_little_as_needed():
    assert spread([5, 1, 9], 2, 0, 10).tolist() == [5, 1, 9]
    assert spread([5, 5], 2, 0, 10).tolist() == [4, 6]
    assert spread([0, 0, 10], 2, 0, 10).tolist() == [0, 2, 10]
    assert spread([10, 10, 10], 2, 0, 10).tolist() == [6, 8, 10]
    assert spread([], 2, 0, 10).tolist() == []
    generator = np.random.default_rng(3)
    for _ in range(50):
        places = generator.uniform(0, 10, 8)
        moved = spread(places, 1, -10, 20)
        order = np.argsort(places)
        assert np.diff(moved[order]).min() > 1 - 1e-9
        other = moved + generator.normal(0, 0.1, 8)
        if np.diff(other[order]).min() >= 1:
            assert ((other - places) ** 2).sum() >= ((moved - places) ** 2).sum()
