"""The time-sequence diagram: what was sent when, what was acknowledged, what the link did, and what was unnecessary.

The pages draw the same with lanes below it and with hands on it (`web/src/diagram`). This one is a picture: the same
columns, decimated by the same rules for as many pixels as it is wide, in the same colours and with the same marks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from windlull.diagram import axes, palette
from windlull.diagram.svg import Box, Svg
from windlull.errors import BadInputError, FailureError
from windlull.series.tables import TABLES
from windlull.series.window import Window, asked, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from windlull.diagram.svg import Line, Point
    from windlull.series.columns import Columns, Integers

    Floats = NDArray[np.float64]

LEAST_WIDTH, MOST_WIDTH = 240, 4000
"""Of a diagram, CSS pixels."""

_LEFT, _RIGHT, _EVENTS, _AXIS, _LEGEND = 72, 14, 22, 40, 18
_LEAST_BAR = 1.6
"""The least height of a bar, so that a segment never vanishes."""
_PIXEL = 0.7
"""Marks that are nearer to each other are one, pixels."""
_BY_PATH: Final = {table.path: table for table in TABLES}

_ORIGINAL, _NECESSARY, _UNNECESSARY, _UNKNOWN = range(4)
"""What the link's truth says of a segment."""
_TRUTHS = {0: ("spurious", palette.UNNECESSARY), 1: ("genuine", palette.NECESSARY), 2: ("unknown", palette.UNKNOWN)}
"""What it says of a timeout or a fast retransmit."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """A drawn diagram, which a notebook shows."""

    svg: str
    title: str

    def save(self, file: str | Path) -> None:
        """Write it to a file, `NAME.svg`.

        Raises BadInputError for another suffix, FailureError if it cannot be written.
        """
        if Path(file).suffix.lower() != ".svg":
            raise BadInputError(f"{file}: a diagram is written as SVG; name the file {Path(file).with_suffix('.svg')}")
        try:
            Path(file).write_text(self.svg, encoding="utf-8")
        except OSError as error:
            raise FailureError(f"cannot write {file}: {error.strerror}") from error

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Diagram of {self.title}>"


def draw(columns: Columns, start: int | None = None, end: int | None = None, *, width: int, title: str) -> Diagram:
    """Draw a run, or the time from `start` to `end` (ns), `width` CSS pixels wide.

    Raises ValueError if the times are no stretch of time, or it would be too narrow or too wide.
    """
    if not LEAST_WIDTH <= width <= MOST_WIDTH:
        raise ValueError(f"width {width}: from {LEAST_WIDTH} to {MOST_WIDTH} pixels")
    inner = width - _LEFT - _RIGHT
    window = asked(columns, start, end, pixels=inner)
    plot = Box(_LEFT, _EVENTS, inner, round(min(430, max(220, inner * 0.5))))
    return Diagram(_Drawing(columns, window, plot, width, title).document(), title)


class _Mark(NamedTuple):
    """An entry of the legend: what, how it is drawn, and its colour."""

    label: str
    shape: str
    color: str


class _Drawing:
    """One diagram while it is made. `_rows` are those that it needs of the tables that it has asked for."""

    def __init__(self, columns: Columns, window: Window, plot: Box, width: int, title: str) -> None:
        self._columns = columns
        self._window = window
        self._plot = plot
        self._width = width
        self._title = title
        self._svg = Svg()
        self._legend: list[_Mark] = []
        self._rows: dict[str, dict[str, Integers]] = {}
        self._low, self._high = self._heights()

    def document(self) -> str:
        """Draw everything, what is behind first, and return the document."""
        with self._svg.group("grid"):
            self._grid()
        with self._svg.clip(self._plot):
            with self._svg.group("link-state"):
                self._link()
            with self._svg.group("timeout-lines"):
                self._timeout_lines()
            with self._svg.group("window"):
                self._line("edge", palette.WINDOW, "receive window")
            with self._svg.group("acks"):
                self._line("ack", palette.ACK, "acknowledged")
            with self._svg.group("sacks"):
                self._sacks()
            with self._svg.group("arrivals"):
                self._arrivals()
            self._segments()
            with self._svg.group("drops"):
                self._drops()
        with self._svg.group("events"):
            self._letters()
        with self._svg.group("axis"):
            self._axis()
        with self._svg.group("legend"):
            foot = self._legend_below(self._plot.foot + _AXIS)
        head = self._columns.head
        run = head.run or {}
        about = ", ".join(f"{key} {value}" for key, value in run.items())
        description = f"Time-sequence diagram of {self._title}. {about}" if about else f"Of {self._title}."
        return self._svg.document(self._width, foot, self._title, description, palette.BACKGROUND)

    # --- scales ---

    def _heights(self) -> tuple[float, float]:
        """Return the octets that the window is about: what is sent in it, and what is acknowledged in it."""
        data, acks = self._of("data"), self._of("acks")
        sent = _within(data["t"], self._window)
        heard = _within(acks["t"], self._window)
        ends = [data["seq"][sent], data["seq"][sent] + data["len"][sent], acks["ack"][heard]]
        heights = np.concatenate(ends)
        if not len(heights):
            return 0.0, 1.0
        low, high = float(heights.min()), float(heights.max())
        room = max(1.0, high - low) * 0.04
        return low - room, high + room

    def _of(self, path: str) -> dict[str, Integers]:
        """Return the columns of a table, those rows of it that are drawn."""
        if path not in self._rows:
            table = _BY_PATH[path]
            rows = rows_of(self._columns, table, self._window)
            self._rows[path] = {name: self._columns.column(table, name)[rows] for name in table.columns}
        return self._rows[path]

    def _x(self, times: Integers | Floats | float) -> Any:  # noqa: ANN401 - as the argument
        """Return where an instant is, or each of several, pixels."""
        span = self._window.end - self._window.start
        return self._plot.x + (times - self._window.start) * (self._plot.w / span)

    def _y(self, octets: Integers | Floats | float) -> Any:  # noqa: ANN401 - as the argument
        """Return where a sequence number is, or each of several, pixels."""
        return self._plot.foot - (octets - self._low) * (self._plot.h / (self._high - self._low))

    # --- what is drawn ---

    def _grid(self) -> None:
        plot = self._plot
        self._svg.lines(((self._x(at), plot.y, self._x(at), plot.foot) for at, _ in self._times().marks),
                        palette.GRID, 1)  # fmt: skip
        heights = axes.octets(self._low, self._high, max(3, round(plot.h / 62)))
        marks = [(self._y(at), label) for at, label in heights.marks if at >= 0]
        self._svg.lines(((plot.x, y, plot.right, y) for y, _ in marks), palette.GRID, 1)
        for y, label in marks:
            self._svg.text(plot.x - 7, y, label, palette.MUTED, 11, anchor="end")
        middle = plot.y + plot.h / 2
        self._svg.text(12, middle, f"Sequence number ({heights.unit})", palette.TEXT, 11.5, anchor="middle",
                       upright=True)  # fmt: skip

    def _times(self) -> axes.Marks:
        return axes.times(self._window.start, self._window.end, max(3, round(self._plot.w / 96)))

    def _link(self) -> None:
        """Tint the stretches in which the link held or lost packets; fainter where it was the acknowledgements' way."""
        forward = 0 if self._columns.head.data_sender == "server" else 1
        for path, color, alpha, label in (
            ("link.bad", palette.BAD, 0.12, "bad state of the link"),
            ("link.holds", palette.HOLD, 0.17, "hold"),
            ("link.outages", palette.OUTAGE, 0.2, "outage"),
        ):
            bands = self._of(path)
            for direction, strength in ((forward, 1.0), (1 - forward, 0.45)):
                here = bands["direction"] == direction
                boxes = [
                    Box(left, self._plot.y, max(0.75, right - left), self._plot.h)
                    for left, right in zip(self._x(bands["from"][here]), self._x(bands["to"][here]), strict=True)
                ]
                self._svg.rectangles(boxes, color, alpha * strength)
            if len(bands["from"]):
                self._explain(label, "band", color)

    def _timeout_lines(self) -> None:
        timeouts = self._of("timeouts")
        for code, (_, color) in _TRUTHS.items():
            at = self._x(timeouts["t"][timeouts["verdict"] == code])
            dash = "" if code == 1 else "4 3"
            self._svg.lines(((x, self._plot.y, x, self._plot.foot) for x in at), color, 1.2, alpha=0.75, dash=dash)

    def _line(self, column: str, color: str, label: str) -> None:
        """Draw a height that the acknowledgements have, until the next of them."""
        acks = self._of("acks")
        known = acks[column] >= 0
        points: list[Point] = list(zip(self._x(acks["t"][known]), self._y(acks[column][known]), strict=True))
        if points:
            # The last one holds until the run ends, if no other comes before the window does.
            last = self._x(min(self._window.end, self._columns.head.duration_ns))
            self._svg.steps([*points, (max(last, points[-1][0]), points[-1][1])], color, 1.4)
            self._explain(label, "line", color)

    def _sacks(self) -> None:
        sacks = self._of("sacks")
        for code, color, label in ((0, palette.SACK, "SACK block"), (1, palette.DSACK, "D-SACK block")):
            here = sacks["dsack"] == code
            at = self._x(sacks["t"][here])
            bars = _bars(at, self._y(sacks["left"][here]), self._y(sacks["right"][here]))
            self._svg.lines(bars, color, 1.2, alpha=0.75)
            if len(at):
                self._explain(label, "bar", color)

    def _arrivals(self) -> None:
        data = self._of("data")
        there = data["arrived"] >= 0
        middle = self._y(data["seq"][there] + data["len"][there] / 2)
        points = _apart(zip(self._x(data["arrived"][there]), middle, strict=True), _PIXEL)
        marks = [(x - 1.5, y, x + 1.5, y) for x, y in points]
        self._svg.lines(marks, palette.ARRIVAL, 2)
        if marks:
            self._explain("arrived", "dash", palette.ARRIVAL)

    def _segments(self) -> None:
        """Draw a bar for each segment when it was sent; those sent again have a mark besides, open if unnecessary."""
        data = self._of("data")
        for name, code, color, label in (
            ("segments", _ORIGINAL, palette.SEGMENT, "sent"),
            ("unknown", _UNKNOWN, palette.UNKNOWN, "retransmission, unknown"),
            ("necessary", _NECESSARY, palette.NECESSARY, "necessary retransmission"),
            ("unnecessary", _UNNECESSARY, palette.UNNECESSARY, "unnecessary retransmission"),
        ):
            here = data["verdict"] == code
            if not here.any():
                continue
            again = code != _ORIGINAL
            at, low, length = self._x(data["t"][here]), data["seq"][here], data["len"][here]
            with self._svg.group(name):
                bars = _bars(at, self._y(low), self._y(low + length))
                self._svg.lines(bars, color, 2 if again else 1.3)
                if again:
                    fill, rim = (palette.BACKGROUND, color) if code == _UNNECESSARY else (color, None)
                    centres = _apart(zip(at, self._y(low + length / 2), strict=True), _PIXEL)
                    self._svg.circles(centres, 2.6, fill, rim)
            self._explain(label, "open" if code == _UNNECESSARY else "disc" if again else "bar", color)

    def _drops(self) -> None:
        """Draw a cross through each segment that the link lost."""
        data = self._of("data")
        lost = data["drop"] >= 0
        middle = self._y(data["seq"][lost] + data["len"][lost] / 2)
        # In a burst the crosses stand apart far enough to be read.
        crosses = list(_crosses(_apart(zip(self._x(data["t"][lost]), middle, strict=True), 5), 3.4))
        self._svg.lines(crosses, palette.BACKGROUND, 3.4)
        self._svg.lines(crosses, palette.DROP, 1.6)
        if crosses:
            self._explain("lost", "cross", palette.DROP)

    def _letters(self) -> None:
        """Write R above each timeout and F above each fast retransmit, where there is room for it."""
        for path, letter, label in (
            ("timeouts", "R", "timeout"),
            ("fast_retransmits", "F", "fast retransmit"),
        ):
            events = self._of(path)
            free = -1.0
            for at, verdict in zip(self._x(events["t"]), events["verdict"], strict=True):
                truth = _TRUTHS.get(int(verdict))
                if truth is None or at < free:
                    continue
                free = at + 8
                self._svg.text(at, self._plot.y - 10, letter, truth[1], 12, anchor="middle", bold=True)
            for code in sorted({int(code) for code in events["verdict"]} & set(_TRUTHS)):
                word, color = _TRUTHS[code]
                self._explain(f"{word} {label}" if word != "unknown" else label, letter, color)

    def _axis(self) -> None:
        plot, times = self._plot, self._times()
        edges: list[Line] = [(plot.x, plot.foot, plot.right, plot.foot), (plot.x, plot.y, plot.x, plot.foot)]
        self._svg.lines([*edges, *((self._x(at), plot.foot, self._x(at), plot.foot + 4) for at, _ in times.marks)],
                        palette.AXIS, 1)  # fmt: skip
        for at, label in times.marks:
            self._svg.text(self._x(at), plot.foot + 13, label, palette.MUTED, 11, anchor="middle")
        self._svg.text(plot.x + plot.w / 2, plot.foot + 29, f"Time ({times.unit})", palette.TEXT, 11.5,
                       anchor="middle")  # fmt: skip

    # --- the legend ---

    def _explain(self, label: str, shape: str, color: str) -> None:
        """Add an entry to the legend, once."""
        mark = _Mark(label, shape, color)
        if mark not in self._legend:
            self._legend.append(mark)

    def _legend_below(self, top: float) -> float:
        """Draw what there is in the diagram, line by line, and return where that ends."""
        x, y = self._plot.x, top + _LEGEND / 2
        for mark in self._legend:
            # About as wide as letters of this size are.
            wide = 20 + 6.1 * len(mark.label) + 16
            if x > self._plot.x and x + wide > self._width:
                x, y = self._plot.x, y + _LEGEND
            self._swatch(mark, x + 7, y)
            self._svg.text(x + 18, y, mark.label, palette.TEXT, 11)
            x += wide
        return y + _LEGEND / 2 + 4

    def _swatch(self, mark: _Mark, x: float, y: float) -> None:
        match mark.shape:
            case "band":
                self._svg.rectangles([Box(x - 6, y - 5, 12, 10)], mark.color, 0.35)
            case "line" | "dash":
                self._svg.lines([(x - 6, y, x + 6, y)], mark.color, 1.6)
            case "bar":
                self._svg.lines([(x, y - 5, x, y + 5)], mark.color, 1.6)
            case "disc":
                self._svg.circles([(x, y)], 2.6, mark.color)
            case "open":
                self._svg.circles([(x, y)], 2.6, palette.BACKGROUND, mark.color)
            case "cross":
                self._svg.lines(_crosses([(x, y)], 3.4), mark.color, 1.6)
            case letter:
                self._svg.text(x, y, letter, mark.color, 12, anchor="middle", bold=True)


def _within(times: Integers, window: Window) -> Any:  # noqa: ANN401 - a mask
    return (times >= window.start) & (times < window.end)


def _bars(at: Iterable[float], bottom: Iterable[float], top: Iterable[float]) -> Iterator[Line]:
    for x, low, high in zip(at, bottom, top, strict=True):
        yield x, low, x, min(high, low - _LEAST_BAR)


def _apart(points: Iterable[Point], least: float) -> Iterator[Point]:
    """Leave out what is nearer than so many pixels to the last one that is drawn."""
    last = (-math.inf, -math.inf)
    for x, y in points:
        if math.hypot(x - last[0], y - last[1]) >= least:
            last = x, y
            yield last


def _crosses(centres: Iterable[Point], size: float) -> Iterator[Line]:
    for x, y in centres:
        yield x - size, y - size, x + size, y + size
        yield x - size, y + size, x + size, y - size
