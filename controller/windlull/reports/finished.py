"""Finished results, read back: results.json, and experiment.json beside it where there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from windlull.errors import BadInputError
from windlull.reports.frame import Incomplete, InvalidRun, UnfinishedRun
from windlull.runner.directory import EXPERIMENT, RESULTS
from windlull.runner.engine import made_of
from windlull.runner.messages import Number
from windlull.runner.setting import Conditions, conditions

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")


class Values(msgspec.Struct, frozen=True):
    """A metric's values; `repetitions` says whose they are, where they are not of the first ones."""

    values: tuple[Number, ...]
    repetitions: tuple[int, ...] | None = None

    def by_repetition(self) -> dict[int, Number]:
        """Return each repetition's value."""
        return dict(zip(self.repetitions or range(1, len(self.values) + 1), self.values, strict=True))


class Cell(msgspec.Struct, frozen=True):
    """One variant on one link in one testbed."""

    variant: str
    link: str
    testbed: str
    runs: int
    metrics: dict[str, Values]
    invalid: int = 0


class _Document(msgspec.Struct, frozen=True):
    experiment: str
    seed: str
    version: str
    cells: tuple[Cell, ...]
    conditions: Conditions | None = None
    incomplete: Incomplete | None = None
    invalid: tuple[InvalidRun, ...] = ()
    unfinished: tuple[UnfinishedRun, ...] = ()


class Named(msgspec.Struct, frozen=True):
    """A link as the engine resolved it."""

    name: str
    resolved: Any = None
    workload: dict[str, Any] | None = None
    """What its runs transfer, where the experiment has several workloads."""


class Resolved(msgspec.Struct, frozen=True):
    """The part of experiment.json that says what the runs were given."""

    commit: str
    repetitions: int
    links: tuple[Named, ...]
    workload: dict[str, Any]
    variants: tuple[dict[str, Any], ...] = ()
    time_limit_s: float | None = None
    access: Any = None

    def comparable(self) -> dict[str, Any]:
        """Return what of it says whether runs may differ, and what they were given, as the engine told it."""
        links = [{"name": link.name, "resolved": link.resolved, "workload": link.workload} for link in self.links]
        return {"links": links, "variants": self.variants, "workload": self.workload, "access": self.access}


class _Experiment(msgspec.Struct, frozen=True):
    experiment: Resolved


@dataclass(frozen=True, slots=True)
class Finished:
    """What a run of the command left; `resolved` is None where there is no experiment.json beside.

    `conditions` is None where neither that nor the results say what the runs were given, as older versions wrote.
    """

    path: Path
    experiment: str
    seed: int
    version: str
    incomplete: Incomplete | None
    cells: tuple[Cell, ...]
    resolved: Resolved | None
    conditions: Conditions | None
    invalid: tuple[InvalidRun, ...] = ()
    unfinished: tuple[UnfinishedRun, ...] = ()

    @property
    def repetitions(self) -> int:
        """How many repetitions there were: those planned, or those that the results have if no more is known."""
        if self.resolved is not None:
            return self.resolved.repetitions
        return max((cell.runs + cell.invalid for cell in self.cells), default=0)

    @property
    def engine(self) -> str:
        """Version and commit of the engine, as far as known."""
        return self.version if self.resolved is None else f"{self.version}, {made_of(self.resolved.commit)}"

    @property
    def whole(self) -> bool:
        """Whether every run that was planned has ended."""
        return self.incomplete is None


def read(path: Path) -> Finished:
    """Read results.json, or that of an output directory. Raises BadInputError that says what is wrong with it."""
    file = path / RESULTS if path.is_dir() else path
    document = _decoded(file, _Document)
    for cell in document.cells:
        for name, of in cell.metrics.items():
            if of.repetitions is not None and len(of.repetitions) != len(of.values):
                raise BadInputError(
                    f"{file}: {cell.variant} on {cell.link} has {len(of.values)} values of {name} for "
                    f"{len(of.repetitions)} repetitions"
                )
    if not document.seed.isdecimal() or int(document.seed) >= 1 << 64:
        raise BadInputError(f"{file}: the seed {document.seed!r} is not an unsigned 64-bit number")
    beside = file.with_name(EXPERIMENT)
    resolved = _decoded(beside, _Experiment).experiment if beside.exists() else None
    if resolved and document.incomplete is None:
        planned = {cell.runs + cell.invalid for cell in document.cells}
        if planned and max(planned) > resolved.repetitions:
            raise BadInputError(f"{beside} is not of the same run as {file}: it has {resolved.repetitions} repetitions")
    given = document.conditions or (conditions(resolved.comparable()) if resolved else None)
    return Finished(
        file, document.experiment, int(document.seed), document.version, document.incomplete, document.cells, resolved,
        given, document.invalid, document.unfinished,
    )  # fmt: skip


def _decoded(file: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except OSError as error:
        raise BadInputError(f"cannot read {file}: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInputError(f"{file} is not what `windlull run` writes: {error}") from error
