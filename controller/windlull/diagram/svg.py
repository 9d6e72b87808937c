"""What is drawn, as the text of an SVG document: one element for each batch of lines, groups by name."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Point = tuple[float, float]
Line = tuple[float, float, float, float]
"""From x, y to x, y."""

FONT = "system-ui, sans-serif"


@dataclass(frozen=True, slots=True)
class Box:
    """A part of the drawing, CSS pixels."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        """Where it ends."""
        return self.x + self.w

    @property
    def foot(self) -> float:
        """Its lower edge."""
        return self.y + self.h


@dataclass(slots=True)
class Svg:
    """A drawing that grows; y goes down."""

    _parts: list[str] = field(default_factory=list)

    def document(self, width: float, height: float, title: str, description: str, background: str) -> str:
        """Return all that was drawn as a document; title and description are what is told who does not see it."""
        size = f'width="{_n(width)}" height="{_n(height)}" viewBox="0 0 {_n(width)} {_n(height)}"'
        return "\n".join(
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}" role="img">',
                f"<title>{escape(title)}</title>",
                f"<desc>{escape(description)}</desc>",
                f'<rect width="100%" height="100%" fill="{background}"/>',
                *self._parts,
                "</svg>",
                "",
            )
        )

    @contextmanager
    def group(self, name: str) -> Iterator[None]:
        """Give what is drawn meanwhile a name; there is no group of nothing."""
        yield from self._around(f'<g data-name="{name}">', "</g>")

    @contextmanager
    def clip(self, box: Box) -> Iterator[None]:
        """Show of what is drawn meanwhile what is in the box."""
        # A view of its own: it needs no name, which another drawing in the same page could have, too.
        edges = f"{_n(box.x)} {_n(box.y)} {_n(box.w)} {_n(box.h)}"
        place = f'x="{_n(box.x)}" y="{_n(box.y)}" width="{_n(box.w)}" height="{_n(box.h)}"'
        yield from self._around(f'<svg {place} viewBox="{edges}" overflow="hidden">', "</svg>")

    def lines(self, lines: Iterable[Line], color: str, width: float, *, alpha: float = 1, dash: str = "") -> None:
        """Draw lines of one look."""
        path = "".join(f"M{_n(x)} {_n(y)}{_to(x, y, to_x, to_y)}" for x, y, to_x, to_y in lines)
        self._path(path, _stroke(color, width, alpha, dash))

    def steps(self, points: Iterable[Point], color: str, width: float) -> None:
        """Draw a line that holds each height until the next point."""
        path, last = "", None
        for x, y in points:
            if last is None:
                path = f"M{_n(x)} {_n(y)}"
            else:
                path += f"H{_n(x)}" + (f"V{_n(y)}" if y != last else "")
            last = y
        self._path(path, _stroke(color, width, 1, ""))

    def rectangles(self, boxes: Iterable[Box], color: str, alpha: float) -> None:
        """Fill boxes."""
        path = "".join(f"M{_n(box.x)} {_n(box.y)}h{_n(box.w)}v{_n(box.h)}h{_n(-box.w)}Z" for box in boxes)
        self._path(path, f'fill="{color}" fill-opacity="{_n(alpha)}"')

    def circles(self, centres: Iterable[Point], radius: float, fill: str, stroke: str | None = None) -> None:
        """Draw circles, with a rim if it has a colour."""
        r, d = _n(radius), _n(2 * radius)
        path = "".join(f"M{_n(x - radius)} {_n(y)}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0Z" for x, y in centres)
        rim = f' stroke="{stroke}" stroke-width="1.5"' if stroke else ""
        self._path(path, f'fill="{fill}"{rim}')

    def text(
        self, x: float, y: float, text: str, color: str, size: float, *,
        anchor: str = "start", bold: bool = False, upright: bool = False,
    ) -> None:  # fmt: skip
        """Write a text whose middle is at height y."""
        attributes = [f'x="{_n(x)}" y="{_n(y)}" dy="0.35em" font-size="{_n(size)}" fill="{color}"']
        if anchor != "start":
            attributes.append(f'text-anchor="{anchor}"')
        if bold:
            attributes.append('font-weight="600"')
        if upright:
            attributes.append(f'transform="rotate(-90 {_n(x)} {_n(y)})"')
        self._parts.append(f"<text {' '.join(attributes)}>{escape(text)}</text>")

    def _path(self, path: str, attributes: str) -> None:
        if path:
            self._parts.append(f'<path d="{path}" {attributes}/>')

    def _around(self, begin: str, end: str) -> Iterator[None]:
        place = len(self._parts)
        yield
        if len(self._parts) > place:
            self._parts.insert(place, begin)
            self._parts.append(end)


def _to(x: float, y: float, to_x: float, to_y: float) -> str:
    if x == to_x:
        return f"V{_n(to_y)}"
    return f"H{_n(to_x)}" if y == to_y else f"L{_n(to_x)} {_n(to_y)}"


def _stroke(color: str, width: float, alpha: float, dash: str) -> str:
    faint = f' stroke-opacity="{_n(alpha)}"' if alpha != 1 else ""
    broken = f' stroke-dasharray="{dash}"' if dash else ""
    return f'fill="none" stroke="{color}" stroke-width="{_n(width)}"{faint}{broken}'


def _n(value: float) -> str:
    """Write a number with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
