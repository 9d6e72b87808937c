"""A sweep before it runs: every value and every point judged by the engine, all work cut into parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from windlull.errors import BadInputError
from windlull.runner import plans
from windlull.runner.options import RunOptions
from windlull.runner.problems import InvalidFilesError
from windlull.runner.work import Chunk, EngineId
from windlull.sweep import choice
from windlull.sweep.edit import CHOICES, NOT_SIMULATED, Editor
from windlull.sweep.grid import described
from windlull.sweep.judge import Judge
from windlull.sweep.parts import Part, Point, cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from windlull.runner.plans import Planned
    from windlull.sweep.grid import Axis, Grid


@dataclass(frozen=True, slots=True)
class Request:
    """What the person asked for; None is left to the experiment."""

    experiment: str
    grid: Grid
    repetitions: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Sweep:
    """A sweep that can run."""

    request: Request
    experiment: str
    seed: str
    engine: EngineId
    points: tuple[Point, ...]
    editor: Editor

    @property
    def grid(self) -> Grid:
        """Its grid."""
        return self.request.grid

    @property
    def runs(self) -> int:
        """How many runs it has."""
        return sum(point.runs for point in self.points)

    def parts(self) -> Iterator[Part]:
        """Yield the parts, which together have every run once, in the order of points and of places."""
        return cut(self.points)

    def about(self, part: Part) -> str:
        """Say which part it is, in terms of the grid."""
        first, *more = [described(self.grid.settings(stretch.point.index)) for stretch in part.stretches]
        return f"part {part.index}, {first}" + (f", and {len(more)} points more" if more else "")

    def chunks(self, part: Part) -> tuple[tuple[int, Chunk], ...]:
        """Return what a worker is told of a part: for each stretch its point, and the work."""
        return tuple(
            (
                stretch.point.index,
                Chunk(
                    bundle=self.editor.bundle(self.grid.settings(stretch.point.index))[0],
                    seed=stretch.point.seed,
                    repetitions=stretch.point.repetitions,
                    places=tuple(range(stretch.first, stretch.end)),
                    engine=self.engine,
                    captures=False,
                    series=False,
                    programs=True,
                ),
            )
            for stretch in part.stretches
        )


def prepare(request: Request, profiles: Sequence[Path]) -> Sweep:
    """Return the sweep that was asked for; nothing runs yet, nothing is written.

    Raises BadInputError for an experiment, a key or a value that cannot be: every bad value is named, with what would
    be right; else the first point whose values do not go together, or that is equal to another.
    """
    axes = request.grid.axes
    for key, given in (("repetitions", request.repetitions), ("seed", request.seed)):
        if given is not None and key in {axis.key for axis in axes}:
            raise BadInputError(f"{key}: is a key of the grid, so it cannot be set for all points as well")
    try:
        options = RunOptions(repetitions=request.repetitions, seed=request.seed)
        base = plans.plan(request.experiment, options, profiles=profiles, brief=True)
    except InvalidFilesError as error:
        raise BadInputError(f"{request.experiment}: {error}") from error
    experiment = base.read()
    editor = editor_of(base, axes, profiles)
    points = Judge(request.grid, editor, options).points()
    engine = EngineId(experiment.version, experiment.commit)
    return Sweep(request, experiment.name, experiment.seed, engine, points, editor)


def editor_of(
    base: Planned, axes: Sequence[Axis], profiles: Sequence[Path], *, leave_out: Sequence[str] = NOT_SIMULATED
) -> Editor:
    """Return what sets values of these axes in the files of an experiment, the documents that they choose among them.

    Raises BadInputError if there is no document of a name that they choose.
    """
    files = dict(base.files)
    for axis in axes:
        for value in axis.values if axis.key in CHOICES else ():
            files.update(choice.find(axis.key, value.text, profiles))
    return Editor(base.read().name, base.experiment_file, files, leave_out=leave_out)
