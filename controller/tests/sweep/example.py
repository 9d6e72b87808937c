"""Small sweeps for tests of what comes after the plan: no engine, no cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tests.examples import run_dict
from windlull.metrics import METRICS
from windlull.runner.messages import Run
from windlull.runner.work import EngineId
from windlull.sweep import columns, work
from windlull.sweep.edit import Editor
from windlull.sweep.grid import Grid, axis
from windlull.sweep.parts import Point
from windlull.sweep.plan import Request, Sweep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windlull.sweep.parts import Part

EXPERIMENT = 'title = "x"\nlink = "gprs"\nvariants = ["sack", "frto+sack"]\nworkload = "load"\n'
FILES = {
    "experiments/x.toml": EXPERIMENT,
    "links/gprs.toml": 'title = "gprs"\n[both]\nrate = "1 Mbit/s"\n',
    "workloads/load.toml": 'title = "load"\n',
}
VARIANTS = ("sack", "frto+sack")


def sweep(
    *options: str, repetitions: int = 3, segments: int = 400, files: dict[str, str] = FILES, **changes: Any
) -> Sweep:
    """A sweep of two variants: so many repetitions at each point, each run of so many segments."""
    grid = Grid(tuple(axis(option) for option in options))
    points = tuple(Point(index, len(VARIANTS) * repetitions, repetitions, "7", segments) for index in range(grid.count))
    made: dict[str, Any] = {
        "request": Request("x", grid),
        "experiment": "x",
        "seed": "7",
        "engine": EngineId("0.1.0", "0123456789ab"),
        "points": points,
        "editor": Editor("x", "experiments/x.toml", files),
    }
    return Sweep(**(made | changes))


def runs(point: int, places: Sequence[int], **changes: Any) -> list[Run]:
    """What the engine would say of these places: numbers that are each run's own."""
    made = []
    for place in places:
        repetition, variant = divmod(place, len(VARIANTS))
        metrics = {name: float(place) if name.endswith(("_s", "_bps")) else 10 * point + place for name in METRICS}
        if place % 3 == 0:
            del metrics["detection_delay_s"]
        made.append(
            msgspec.convert(run_dict(VARIANTS[variant], repetition + 1, **({"metrics": metrics} | changes)), Run)
        )
    return made


def part_octets(part: Part, plan: str) -> bytes:
    """The part as a worker would return it."""
    return work.file(
        plan,
        part.index,
        [columns.rows(one.point.index, runs(one.point.index, range(one.first, one.end))) for one in part.stretches],
    )
