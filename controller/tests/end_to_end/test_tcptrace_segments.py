"""What the diagram draws is what `tcptrace -S` draws of the same capture: segment for segment, step for step.

tcptrace (`-n`: no names are looked up, `-S`: the time-sequence graph) writes for each direction what xplot draws. Of
the data's direction: a bar for each segment, white, or red with an `R` if it was sent again; the acknowledgements as a
green line that is level until one arrives, with a tick where it does not rise, and the window's right edge as a yellow
one; and a purple bar for each SACK block. All of them are held against the rows of a window at full zoom, which is what
the API gives the page, by the capture of the data sender's end.

What tcptrace does differently, and what is tolerated for it, no more:

- Its sequence numbers are those on the wire, modulo 2**32; ours are offsets in the stream. The SYN, which it draws as
  a diamond, says where the stream begins.
- Its times are of the clock on the wall, in microseconds, what is below a microsecond cut off; ours are nanoseconds
  since the run began. Captures of simulated runs count from a fixed day.
- It draws SYN, FIN and the sender's own acknowledgements, too; ours are data segments.
- Of data with a FIN behind them it draws the FIN's octet apart, with a box, orange, or red if the segment was sent
  again; the bar of the data is white in either case.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.end_to_end.command import windlull
from windlull.series import columns, window

if TYPE_CHECKING:
    from pathlib import Path

EXPERIMENTS = ("table-1", "table-2-5pct", "table-2-10pct", "table-3", "figure-2")
DAY_US = 86_400_000_000
"""Captures of simulated runs begin on the second day of 1970."""
WRAP = 1 << 32
COMMAND = re.compile(r"[a-z]+(?: \d+\.\d{6} \d+){1,2}")
COLORS = {"white", "red", "green", "yellow", "purple", "orange", "blue"}


class Bar(NamedTuple):
    """A segment: when it was sent, its octets, whether some of them had been sent before."""

    t_us: int
    left: int
    right: int
    again: bool


class Step(NamedTuple):
    """A line's value from a time on."""

    t_us: int
    value: int


class Block(NamedTuple):
    """A SACK block as it arrives."""

    t_us: int
    left: int
    right: int


@dataclass
class Drawn:
    """What is drawn of one direction, in offsets of its stream."""

    bars: list[Bar] = field(default_factory=list)
    acks: list[Step] = field(default_factory=list)
    edges: list[Step] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)


@pytest.fixture(scope="module", params=EXPERIMENTS)
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    out = tmp_path_factory.mktemp("segments") / "out"
    done = windlull("run", f"papers/sarolahti2003/{request.param}", "--reps", "1", "--out", out)
    assert done.returncode == 0, done.stderr
    directories = sorted(path.parent for path in (out / "runs").rglob("run.json"))
    assert directories
    return directories


def graph(capture: Path, directory: Path) -> str:
    """Return what tcptrace draws of the direction of the data: the one with more bars."""
    directory.mkdir(parents=True)
    subprocess.run(["tcptrace", "-n", "-S", str(capture)], check=True, capture_output=True, cwd=directory)
    graphs = [path.read_text(encoding="ascii") for path in directory.glob("*_tsg.xpl")]
    assert len(graphs) == 2, "the capture has one connection, and that has two directions"
    return max(graphs, key=lambda text: len(tcptrace(text).bars))


def tcptrace(text: str) -> Drawn:
    """Read an xplot file of tcptrace: commands with one or two points, in the colour named last."""
    drawn = Drawn()
    color, begin = "", 0
    for line in text.splitlines():
        if line in COLORS:
            color = line
        if not COMMAND.fullmatch(line):
            continue
        word, *numbers = line.split()
        points = [(micros(t), (int(seq) - begin) % WRAP) for t, seq in zip(numbers[::2], numbers[1::2], strict=True)]
        (t_us, low), (_, high) = points[0], points[-1]
        match word, color:
            case "diamond", _:
                # The SYN takes one number of its own.
                begin = int(numbers[1]) + 1
            case "line", "white" | "red":
                drawn.bars.append(Bar(t_us, low, high, color == "red"))
            case "box", "red":
                fin = drawn.bars.pop()
                for data in drawn.bars[-1:]:
                    if (data.t_us, data.right) == (fin.t_us, fin.left):
                        drawn.bars[-1] = data._replace(again=True)
            case "line", "purple":
                drawn.blocks.append(Block(t_us, low, high))
            case "line" | "dtick", "green":
                step(drawn.acks, word, points)
            case "line" | "utick", "yellow":
                step(drawn.edges, word, points)
    return drawn


def step(line: list[Step], word: str, points: list[tuple[int, int]]) -> None:
    """Note a step of a line: an upright piece or a tick is one, a level piece only leads there."""
    (_, low), (t_us, high) = points[0], points[-1]
    if not line:
        line.append(Step(*points[0]))
    elif word != "line" or low != high:
        line.append(Step(t_us, high))


def micros(seconds: str) -> int:
    """Return the microseconds of a run at a time that tcptrace prints."""
    whole, _, decimals = seconds.partition(".")
    return int(whole) * 1_000_000 + int(decimals) - DAY_US


def ours(packed: bytes) -> Drawn:
    """Return what the diagram draws, from a window as the API gives it."""
    series = columns.read(packed)
    cut = window.cut(series, window.asked(series, pixels=window.PIXELS_LIMIT))
    data, acks, sacks = (table(cut[name]) for name in ("data", "acks", "sacks"))
    rows = zip(data["t"], data["seq"], data["len"], data["verdict"], strict=True)
    original = cut["names"]["verdict"].index("original")
    return Drawn(
        bars=[Bar(t // 1000, seq, seq + length, verdict != original) for t, seq, length, verdict in rows],
        acks=[Step(t // 1000, ack) for t, ack in zip(acks["t"], acks["ack"], strict=True)],
        edges=[Step(t // 1000, edge) for t, edge in zip(acks["t"], acks["edge"], strict=True)],
        blocks=[
            Block(t // 1000, left, right)
            for t, left, right in zip(sacks["t"], sacks["left"], sacks["right"], strict=True)
        ],
    )


def table(coded: dict[str, Any]) -> dict[str, list[int]]:
    """Undo the delta coding of a table that nothing was left out of."""
    assert not coded["decimated"]
    summed: dict[str, list[int]] = {}
    for name, steps in coded.items():
        if isinstance(steps, list):
            value = 0
            summed[name] = [value := value + step for step in steps]
    return summed


def test_the_diagram_draws_what_tcptrace_draws(runs: list[Path], tmp_path: Path) -> None:
    for run in runs:
        theirs = tcptrace(graph(run / "server.pcapng", tmp_path / run.parent.name))
        mine = ours((run / "series.json.gz").read_bytes())
        assert mine.bars == theirs.bars, run
        assert mine.acks == theirs.acks, run
        assert mine.edges == theirs.edges, run
        assert Counter(mine.blocks) == Counter(theirs.blocks), run
        assert any(bar.again for bar in mine.bars), f"{run} shows nothing of what is sent again"


def test_a_segment_less_would_be_noticed(runs: list[Path], tmp_path: Path) -> None:
    text = graph(runs[0] / "server.pcapng", tmp_path / "whole")
    bars = re.findall(r"^(?:white|red)\ndarrow .*\nuarrow .*\nline .*\n", text, re.MULTILINE)
    one_less = tcptrace(text.replace(bars[len(bars) // 2], "", 1))
    assert ours((runs[0] / "series.json.gz").read_bytes()).bars != one_less.bars
