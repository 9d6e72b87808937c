"""The engine's verdict on the points of a grid, told in the grid's own words."""

from __future__ import annotations

import hashlib
import math
import os
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from windlull.contract.prepared import prepare
from windlull.contract.problems import line
from windlull.errors import BadInputError
from windlull.runner import plans
from windlull.runner.bundle import unpacked
from windlull.runner.messages import ProtocolError
from windlull.runner.problems import InvalidFilesError
from windlull.sweep.grid import Setting, described
from windlull.sweep.parts import Point

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from windlull.contract.engine import PlannedSet, Problem
    from windlull.runner.messages import Experiment
    from windlull.runner.options import RunOptions
    from windlull.runner.plans import Planned
    from windlull.sweep.edit import Editor, Written
    from windlull.sweep.grid import Grid

_SMALLEST_DATAGRAM = "1200 B"
"""What every path of QUIC must carry (RFC 9000, section 14)."""

USUAL_RATE = 1_000_000
"""What a flow that lasts for a time is taken to carry, bit/s: it weighs work, and nothing is reported of it."""

_AT_A_TIME = 64
"""How many points are judged at a time: enough to keep the cores busy."""


class WrongPointError(BadInputError):
    """What is wrong with a point: for each thing the setting it is about, if it is about one, and what."""

    def __init__(self, problems: Iterable[tuple[Setting | None, str]]) -> None:
        self.problems = tuple(dict.fromkeys(problems))
        super().__init__("\n".join(f"{setting}: {what}" if setting else what for setting, what in self.problems))


class Judge:
    """Asks the engine about points; the options hold for all of them."""

    def __init__(self, grid: Grid, editor: Editor, options: RunOptions) -> None:
        self._grid = grid
        self._editor = editor
        self._options = options

    def points(self) -> tuple[Point, ...]:
        """Return every point, found good.

        Raises BadInputError with all values that cannot be; else for the first point whose values do not go together,
        or that is equal to another.
        """
        prepare()
        judged = self._values()
        points: list[Point] = []
        seen: dict[bytes, int] = {}
        for index, found in self._each(range(self._grid.count), judged):
            if isinstance(found, WrongPointError):
                raise found
            point, fingerprint = found
            other = seen.setdefault(fingerprint, index)
            if other != index:
                raise BadInputError(_without_effect(self._grid.settings(other), self._grid.settings(index)))
            points.append(point)
        return tuple(points)

    def _values(self) -> dict[int, _Good]:
        """Judge points that together have every value. Raises WrongPointError with all that is wrong."""
        problems: dict[tuple[str, str], tuple[Setting | None, str]] = {}
        good: dict[int, _Good] = {}
        for index, found in self._each(self._grid.edges(), {}):
            if not isinstance(found, WrongPointError):
                good[index] = found
                continue
            for setting, what in found.problems:
                # What is wrong with a key is so with all its values.
                problems.setdefault((setting.key if setting else "", what), (setting, what))
        if problems:
            raise WrongPointError(problems.values())
        return good

    def _each(
        self, indices: Iterable[int], known: Mapping[int, _Good]
    ) -> Iterator[tuple[int, _Good | WrongPointError]]:
        """Yield the verdict on each of these points, several of them under way at a time."""
        waiting = iter(indices)
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            while some := list(islice(waiting, _AT_A_TIME)):
                yield from zip(some, pool.map(lambda index: known.get(index) or self._judged(index), some), strict=True)

    def refuse_wrong(self, index: int) -> None:
        """Raise WrongPointError if a point cannot be."""
        found = self._planned(index)
        if isinstance(found, WrongPointError):
            raise found

    def _judged(self, index: int) -> _Good | WrongPointError:
        planned = self._planned(index)
        return planned if isinstance(planned, WrongPointError) else (_point(index, planned), _fingerprint(planned))

    def _planned(self, index: int) -> Planned | WrongPointError:
        settings = self._grid.settings(index)
        bundle, written = self._editor.bundle(settings)
        with unpacked(bundle) as root:
            try:
                return plans.plan(bundle.experiment, self._options, profiles=[root], brief=True)
            except InvalidFilesError as error:
                return WrongPointError(_about(problem, root, written, settings) for problem in error.problems)


_Good = tuple[Point, bytes]
"""A point that can be, and a hash of all that its results depend on."""


def _point(index: int, planned: Planned) -> Point:
    experiment = planned.read()
    return Point(index, planned.count, experiment.repetitions, experiment.seed, _segments(experiment))


def _about(
    problem: Problem, root: Path, written: Sequence[Written], settings: Sequence[Setting]
) -> tuple[Setting | None, str]:
    """Say what is wrong in terms of the grid, if it is about a value of it; else at which point, and where."""
    file = problem.file
    if file is not None and Path(file).is_relative_to(root):
        file = Path(file).relative_to(root).as_posix()
    for one in written:
        if one.is_at(file, problem.key):
            below = (problem.key or "").removeprefix(one.key).lstrip(".")
            return one.setting, ": ".join(part for part in (below, problem.message) if part)
    return None, f"at {described(settings)}: {line(msgspec.structs.replace(problem, file=file))}"


def _without_effect(one: Sequence[Setting], other: Sequence[Setting]) -> str:
    """Say that two points are the same, and which of their values make no difference."""
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
    first, second = described(a for a, _ in pairs), described(b for _, b in pairs)
    keys = " and ".join(a.key for a, _ in pairs)
    return (
        f"{first} and {second} give the same runs: something that overrides {keys} stands in the files "
        "(as [down] does of [both]), or both values mean the same"
    )


def _fingerprint(planned: Planned) -> bytes:
    """Return a hash of what a point's results depend on; texts for readers are none of it."""
    experiment = planned.experiment
    documents = [
        *({**one["resolved"], "name": one["name"]} for kind in ("links", "variants") for one in experiment[kind]),
        experiment["workload"],
        *(one["workload"] for one in experiment["links"] if "workload" in one),
        *(experiment[key] for key in ("seed", "repetitions", "time_limit_s")),
    ]
    for one in documents:
        if isinstance(one, dict):
            for text in ("title", "description", "source"):
                one.pop(text, None)
    return hashlib.sha256(msgspec.json.encode(documents, order="deterministic")).digest()


def _segments(experiment: Experiment) -> int:
    """Return how many data segments a run brings over, or may: the measure of its work."""
    workloads = [experiment.workload, *(one.workload for one in experiment.links if one.workload is not None)]
    octets = max(sum(map(_octets, workload.sets)) for workload in workloads)
    # A stack from elsewhere has no such setting; what carries its data is at least about as large.
    sizes = (one.resolved.mss if one.resolved.transport is None else _SMALLEST_DATAGRAM for one in experiment.variants)
    try:
        return math.ceil(octets / min(int((size or "").split()[0]) for size in sizes))
    except (ValueError, IndexError) as error:
        raise ProtocolError(f"the engine's plan has no sizes of {error}; is it of the same version?") from error


def _octets(flows: PlannedSet) -> int:
    """Return the octets of data of a set of flows. What lasts for a time is taken to go at `USUAL_RATE`."""
    lasting = int((flows.duration_s or 0) * USUAL_RATE / 8)
    return (lasting if flows.size_bytes is None else flows.size_bytes) * flows.flows
