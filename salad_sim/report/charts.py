"""Small pictures for a page, drawn from rows: intervals under each other, lines over steps.

They are SVG in the colours of the page (classes, no colours of their own), as wide as a phone, with their numbers in
words for who cannot see them. The same rows always give the same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from salad_sim.report.format import interval
from salad_sim.stats.intervals import Estimate

WIDTH = 360
LEFT, RIGHT = 8, 8
ROW = 34
MOST_SIGNS = 44
"""Of a label above its interval."""
FEWEST_TICKS = 3


@dataclass(frozen=True)
class Mark:
    """A row of a picture of intervals."""

    label: str
    value: Estimate
    series: int = 0


@dataclass(frozen=True)
class Series:
    """A line: its name, and by step what it shows there."""

    label: str
    points: Sequence[tuple[float, Estimate]]


@dataclass(frozen=True)
class Scale:
    """How numbers are shown: decimals, a factor, the sign of positive ones, the unit."""

    digits: int = 2
    factor: float = 1
    sign: str = ""
    unit: str = ""

    def __call__(self, value: Estimate) -> str:
        """Return a number with its interval."""
        return interval(*value, self.digits, self.factor, self.sign, self.unit) or "not known"


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers from ``low`` to ``high``, at least two and at most about ``most``."""
    if not high > low:
        high = low + 1
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * each for each in (1, 2, 2.5, 5, 10) if power * each >= raw * 0.999)
    first = math.floor(low / step + 1e-9)
    last = math.ceil(high / step - 1e-9)
    return [round(step * number, 10) for number in range(first, last + 1)]


def _bounds(values: Sequence[Estimate], factor: float, reference: float | None) -> list[float]:
    """Return the ticks of an axis for some estimates."""
    numbers = [factor * each for value in values for each in value if not math.isnan(each)]
    numbers += [] if reference is None else [factor * reference]
    return ticks(min(numbers), max(numbers)) if numbers else [0.0, 1.0]


def _plain(number: float) -> str:
    return f"{number:.10g}".replace("-", "\N{MINUS SIGN}")


def intervals(
    title: str, marks: Sequence[Mark], scale: Scale, reference: float | None = None, said: str = ""
) -> Markup:
    """Draw numbers with their intervals under each other.

    Parameters
    ----------
    title : str
        What is shown, for who cannot see it.
    marks : sequence of Mark
        From top to bottom.
    scale : Scale
    reference : float, optional
        Where a line stands, such as a fair share; ``said`` is what it is called.
    """
    at = _bounds([mark.value for mark in marks], scale.factor, reference)
    width = WIDTH - LEFT - RIGHT
    top, bottom = 18, 18 + ROW * len(marks)

    def x(value: float, factor: float = scale.factor) -> str:
        return f"{LEFT + width * (factor * value - at[0]) / (at[-1] - at[0]):.1f}"

    parts = [_grid(at, top, bottom, lambda number: x(number, 1))]
    if reference is not None:
        parts.append(f'<path class="ref" d="M{x(reference)} {top}V{bottom}"/>')
        parts.append(_label(float(x(reference)), 11, said))
    for number, mark in enumerate(marks):
        y = top + ROW * number
        parts.append(f'<text x="{LEFT}" y="{y + 13}">{escape(_cut(mark.label))}</text>')
        parts.append(f'<text class="num" x="{WIDTH - RIGHT}" y="{y + 13}">{escape(scale(mark.value))}</text>')
        if not math.isnan(mark.value.value):
            parts.append(_dot(mark, x, y + 23))
    said_all = "; ".join(f"{mark.label}: {scale(mark.value)}" for mark in marks[:40])
    return _picture(f"{title}. {said_all}", bottom + 18, parts)


def _dot(mark: Mark, x: object, y: float) -> str:
    assert callable(x)
    value, low, high = mark.value
    bar = (
        ""
        if math.isnan(low)
        else f'<path class="bar" d="M{x(low)} {y}H{x(high)}M{x(low)} {y - 3}v6M{x(high)} {y - 3}v6"/>'
    )
    return f'<g class="s{mark.series % 6}">{bar}<circle cx="{x(value)}" cy="{y}" r="3.6"/></g>'


def _grid(at: Sequence[float], top: float, bottom: float, x: object) -> str:
    assert callable(x)
    lines = "".join(f"M{x(each)} {top}V{bottom}" for each in at)
    parts = [f'<path class="grid" d="{lines}"/>']
    every = 1 if len(at) <= 7 else 2
    named = at.index(0) % every if 0 in at else 0  # zero has its number
    for number, each in enumerate(at):
        if number % every == named:
            parts.append(_label(float(x(each)), bottom + 13, _plain(each)))
    return "".join(parts)


def _label(x: float, y: float, text: str) -> str:
    """Place a text around ``x``, within the picture."""
    anchor = "start" if x < 30 else "end" if x > WIDTH - 30 else "middle"
    return f'<text class="tick" x="{x:.1f}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def _cut(text: str, most: int = MOST_SIGNS) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _picture(said: str, height: float, parts: Sequence[str]) -> Markup:
    return Markup(
        f'<svg class="chart" viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(said)}">'
        f"{''.join(parts)}</svg>"
    )


def lines(
    title: str, drawn: Sequence[Series], scale: Scale, across: str, reference: float | None = None, height: int = 190
) -> Markup:
    """Draw lines over steps, such as turns, each point with its interval.

    Parameters
    ----------
    title : str
        What is shown, for who cannot see it.
    drawn : sequence of Line
        Up to six; told apart by colour, dashes and their names.
    scale : Scale
    across : str
        What the steps are.
    reference : float, optional
        Where a level line stands.
    """
    steps = [step for line in drawn for step, _ in line.points] or [0, 1]
    up = _bounds([value for line in drawn for _, value in line.points], scale.factor, reference)
    along = ticks(min(steps), max(steps), 8)
    left, top, bottom = 34, 8, height
    width = WIDTH - left - RIGHT

    def x(step: float) -> str:
        return f"{left + width * (step - along[0]) / (along[-1] - along[0]):.1f}"

    def y(value: float, factor: float = scale.factor) -> str:
        return f"{bottom - (bottom - top) * (factor * value - up[0]) / (up[-1] - up[0]):.1f}"

    level = "".join(f"M{left} {y(each, 1)}H{WIDTH - RIGHT}" for each in up)
    parts = [f'<path class="grid" d="{level}"/>']
    parts += [
        f'<text class="tick" x="{left - 4}" y="{float(y(each, 1)) + 3.5:.1f}" text-anchor="end">{_plain(each)}</text>'
        for each in up
    ]
    parts += [_label(float(x(each)), bottom + 13, _plain(each)) for each in along]
    parts.append(f'<text class="tick" x="{WIDTH - RIGHT}" y="{bottom + 26}" text-anchor="end">{escape(across)}</text>')
    if reference is not None:
        parts.append(f'<path class="ref" d="M{left} {y(reference)}H{WIDTH - RIGHT}"/>')
    for number, line in enumerate(drawn):
        parts.append(_drawn(number, line, x, y))
    names, below = _names(drawn, left, bottom + 30)
    ends = "; ".join(
        f"{line.label}: {scale(line.points[-1][1])} at {line.points[-1][0]:g}" for line in drawn if line.points
    )
    return _picture(f"{title}. At the end {ends}", below + 4, [*parts, *names])


def _names(drawn: Sequence[Series], left: float, below: float) -> tuple[list[str], float]:
    """Draw the names of lines under each other, if there are several; return where they end too."""
    parts = []
    for number, line in enumerate(drawn if len(drawn) > 1 else ()):
        parts.append(
            f'<g class="s{number % 6}"><path class="line" d="M{left} {below + 8}h18"/></g>'
            f'<text x="{left + 24}" y="{below + 12}">{escape(_cut(line.label, 50))}</text>'
        )
        below += 17
    return parts, below


def _drawn(number: int, line: Series, x: object, y: object) -> str:
    assert callable(x) and callable(y)
    known = [(step, value) for step, value in line.points if not math.isnan(value.value)]
    if not known:
        return ""
    way = " ".join(f"{x(step)} {y(value.value)}" for step, value in known)
    there = [(step, value) for step, value in known if not math.isnan(value.low)]
    upper = " ".join(f"{x(step)} {y(value.high)}" for step, value in there)
    lower = " ".join(f"{x(step)} {y(value.low)}" for step, value in reversed(there))
    band = f'<path class="band" d="M{upper} {lower}Z"/>' if len(there) > 1 else ""
    return f'<g class="s{number % 6}">{band}<path class="line" d="M{way}"/></g>'
