"""What is drawn of a run of a few rows, counted and measured by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from tests.series.made import END, document, packed
from windlull.diagram import palette
from windlull.diagram.time_sequence import Diagram, draw
from windlull.errors import BadInputError, FailureError
from windlull.series.columns import Columns, read

if TYPE_CHECKING:
    from collections.abc import Mapping

SVG = "{http://www.w3.org/2000/svg}"
PALETTE = Path(__file__).resolve().parents[3] / "web" / "src" / "paint" / "palette.ts"

# Three segments of 1000 octets. The second is lost, the third held; both are sent again, the third for nothing.
DATA = {
    "t": [0, 1000, 2000, 6000, 7000],
    "id": [1, 2, 3, 4, 5],
    "seq": [0, 1000, 2000, 1000, 2000],
    "len": [1000] * 5,
    "cause": [0] * 5,
    "verdict": [0, 0, 0, 1, 2],
    "reason": [-1] * 5,
    "arrived": [500, -1, 8000, 6500, 7500],
    "drop": [-1, 1, -1, -1, -1],
    "held": [0] * 5,
}
ACKS = {"t": [600, 6600, 8100], "ack": [1000, 2000, 3000], "edge": [9000, -1, 9000], "dup": [0, 0, 0]}
TIMEOUTS = {
    "t": [6000], "ordinal": [1], "una": [1000], "rto": [5000], "backoff": [1], "rule": [0], "verdict": [0],
    "reason": [-1], "answer": [-1], "answered": [-1],
}  # fmt: skip
TABLES: dict[str, dict[str, list[Any]]] = {
    "data": DATA,
    "acks": ACKS,
    "sacks": {"t": [8050], "left": [2000], "right": [3000], "dsack": [1]},
    "timeouts": TIMEOUTS,
    "fast_retransmits": {"t": [6900], "una": [2000], "verdict": [1]},
    "link.holds": {"from": [1500, 3000], "to": [5000, 4000], "direction": [0, 1], "name": [0, 0]},
}


def columns(tables: Mapping[str, Mapping[str, list[Any]]] = TABLES) -> Columns:
    return read(packed(document(tables)))


def parsed(diagram: Diagram) -> ET.Element:
    return ET.fromstring(diagram.svg)  # noqa: S314 - our own


def drawn(*window: int, width: int = 900) -> ET.Element:
    return parsed(draw(columns(), *window, width=width, title="a run & its link"))


def groups(of: ET.Element) -> dict[str, ET.Element]:
    return {one.attrib["data-name"]: one for one in of.iter(f"{SVG}g")}


def paths(of: ET.Element) -> list[tuple[str, str]]:
    """The strokes or fills of a group, and what they draw."""
    return [(one.get("stroke") or one.get("fill") or "", one.attrib["d"]) for one in of.iter(f"{SVG}path")]


def count(of: ET.Element, command: str = "M") -> int:
    return sum(d.count(command) for _, d in paths(of))


def words(of: ET.Element) -> list[str]:
    return [one.text or "" for one in of.iter(f"{SVG}text")]


def test_each_segment_is_where_its_time_and_its_octets_are() -> None:
    found = groups(drawn())
    ((color, d),) = paths(found["segments"])
    assert color == palette.SEGMENT
    # The plot is 72 to 886 wide and 22 to 429 high; the run takes 10001 ns, and 3000 octets with 4 % of room each way.
    at = [72 + t * 814 / 10_001 for t in (0, 1000, 2000)]
    low = [429 - (seq + 120) * 407 / 3240 for seq in (0, 1000, 2000)]
    height = 1000 * 407 / 3240
    bars = [tuple(map(float, bar)) for bar in re.findall(r"M([\d.]+) ([\d.]+)V([\d.]+)", d)]
    assert bars == [
        pytest.approx((x, y, y - height), abs=0.006) for x, y in zip(at, low, strict=True)
    ]  # fmt: skip


def test_verdicts_have_their_colours_and_marks() -> None:
    found = groups(drawn())
    assert [color for color, _ in paths(found["necessary"])] == [palette.NECESSARY, palette.NECESSARY]
    bar, ring = paths(found["unnecessary"])
    assert (bar[0], ring[0]) == (palette.UNNECESSARY, palette.UNNECESSARY)
    assert count(found["necessary"]) == count(found["unnecessary"]) == 2
    assert [one.get("fill") for one in found["unnecessary"].iter(f"{SVG}path")] == ["none", palette.BACKGROUND]
    # A cross is two lines, with a pale rim.
    assert [d.count("M") for _, d in paths(found["drops"])] == [2, 2]
    assert count(found["arrivals"]) == 4


def test_what_the_link_and_the_timer_did_is_there() -> None:
    found = groups(drawn())
    strong, faint = found["link-state"].iter(f"{SVG}path")
    assert (strong.get("fill"), strong.get("fill-opacity"), faint.get("fill-opacity")) == (palette.HOLD, "0.17", "0.08")
    (line,) = found["timeout-lines"].iter(f"{SVG}path")
    assert (line.get("stroke"), line.get("stroke-dasharray")) == (palette.UNNECESSARY, "4 3")
    letters = list(found["events"].iter(f"{SVG}text"))
    assert [(one.text, one.get("fill")) for one in letters] == [("R", palette.UNNECESSARY), ("F", palette.NECESSARY)]


def test_acknowledgements_hold_until_the_next_and_what_is_none_is_left_out() -> None:
    found = groups(drawn())
    ((_, acks),) = paths(found["acks"])
    assert (acks.count("H"), acks.count("V")) == (3, 2)
    ((_, edge),) = paths(found["window"])
    assert edge.count("V") == 0
    assert [color for color, _ in paths(found["sacks"])] == [palette.DSACK]


def test_the_legend_has_what_is_drawn_and_nothing_else() -> None:
    assert words(groups(drawn())["legend"]) == [
        "hold", "receive window", "acknowledged", "D-SACK block", "arrived", "sent", "necessary retransmission",
        "unnecessary retransmission", "lost", "R", "spurious timeout", "F", "genuine fast retransmit",
    ]  # fmt: skip
    nothing = parsed(draw(columns({}), width=900, title="nothing"))
    assert "legend" not in groups(nothing)
    assert "segments" not in groups(nothing)


def test_a_part_has_what_belongs_to_it() -> None:
    found = groups(drawn(5500, 9000))
    # Of those sent before it the one that was still under way.
    assert count(found["segments"]) == 1
    assert count(found["arrivals"]) == 3
    assert words(found["axis"])[-1] == "Time (µs)"


def test_axes_are_in_units_that_suit() -> None:
    found = groups(drawn())
    assert words(found["axis"]) == ["0.000", "0.002", "0.004", "0.006", "0.008", "0.010", "Time (ms)"]
    assert words(found["grid"])[-1] == "Sequence number (kB)"


def test_it_is_told_to_who_does_not_see_it() -> None:
    root = drawn()
    assert root.findtext(f"{SVG}title") == "a run & its link"
    assert "variant v, link l, repetition 1" in (root.findtext(f"{SVG}desc") or "")
    assert root.get("role") == "img"


def test_the_same_columns_are_the_same_octets_and_names_nothing_twice() -> None:
    one = draw(columns(), width=900, title="x")
    assert one == draw(columns(), width=900, title="x")
    # Several stand in one page of a notebook.
    assert " id=" not in one.svg


def test_many_segments_are_as_many_marks_as_there_are_pixels_for() -> None:
    many = 50_000
    data = {name: [0] * many for name in DATA} | {
        "t": [place * END // many for place in range(many)], "seq": [100 * place for place in range(many)],
        "len": [100] * many, "reason": [-1] * many, "drop": [-1] * many,
        "arrived": [place * END // many for place in range(many)],
    }  # fmt: skip
    found = draw(columns({"data": data}), width=900, title="many")
    assert len(found.svg) < 400_000
    parsed(found)


@pytest.mark.parametrize(
    ("window", "width", "what"),
    [
        ((5, 5), 900, "is no window"),
        ((-1, 5), 900, "is no window"),
        ((0, 5), 100, "width 100: from 240 to 4000 pixels"),
        ((0, 5), 5000, "width 5000"),
    ],
)
def test_what_cannot_be_drawn_is_refused(window: tuple[int, int], width: int, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        draw(columns(), *window, width=width, title="x")


def test_it_is_shown_and_saved(tmp_path: Path) -> None:
    diagram = Diagram("<svg/>", "a run")
    assert diagram._repr_svg_() == "<svg/>"
    assert repr(diagram) == "<Diagram of a run>"
    diagram.save(tmp_path / "a.svg")
    with pytest.raises(BadInputError, match=r"a\.png: a diagram is written as SVG; name the file .*a\.svg"):
        diagram.save(tmp_path / "a.png")
    assert not (tmp_path / "a.png").exists()
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == "<svg/>"
    with pytest.raises(FailureError, match="cannot write"):
        diagram.save(tmp_path / "none" / "a.svg")


def test_colours_are_those_of_the_pages() -> None:
    light = PALETTE.read_text(encoding="utf-8").partition("export const LIGHT")[2].partition("};")[0]
    theirs = dict(re.findall(r"(\w+): '(#[0-9a-f]{6})'", light))
    ours = {name.lower(): value for name, value in vars(palette).items() if name.isupper()}
    assert len(ours) > 10
    assert {name: theirs.get(name) for name in ours} == ours
