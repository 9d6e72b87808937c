"""The runs of finished results, one by one: what each measured, its story, its diagram."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa

from windlull.contract.engine import Provenance
from windlull.diagram.time_sequence import Diagram, draw
from windlull.errors import BadInputError, FailureError, nearest
from windlull.metrics import BY_ANY_NAME, METRICS, in_order
from windlull.reports import stories, terminal
from windlull.reports.columns import BEFORE_METRICS, OF_METRICS, UNFINISHED
from windlull.runner.directory import RESULTS, RUNS
from windlull.runner.messages import Number
from windlull.series import columns as columns_

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from windlull.experiments.place import Place
    from windlull.reports.finished import Finished

RECORD = "run.json"
SERIES = "series.json.gz"

_TESTBED: pa.Field[Any] = pa.field("testbed", pa.string(), nullable=False)
_INVALID: pa.Field[Any] = pa.field("invalid", pa.string())


class Metrics(dict[str, Number]):
    """What a run measured, by name; of a name that it does not have it says which are near."""

    def __missing__(self, name: str) -> Number:
        """Raise KeyError: there is no such metric."""
        near = BY_ANY_NAME[name].name if name in BY_ANY_NAME else nearest(name, [*self, *METRICS])
        if near is None or near == name:
            raise KeyError(f"the run has no {name}; it has {', '.join(self)}")
        raise KeyError(f"there is no metric {name}; do you mean {near}?")


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run.

    `seed` is None where only the results are there, and not the run's own files. `unfinished` says how its transfer
    ended, if not in order; `invalid` why a live run does not follow the plan, if it does not. Neither kind is in any
    statistic. `directory` has its files: captures, fates, the columns of its diagram.
    """

    variant: str
    link: str
    testbed: str
    repetition: int
    seed: int | None
    metrics: Mapping[str, Number] = field(repr=False)
    unfinished: str | None
    invalid: tuple[str, ...] | None
    directory: Path | None = field(repr=False)
    _place: Place = field(repr=False, compare=False)

    @property
    def counts(self) -> bool:
        """Whether it is in the statistics."""
        return self.unfinished is None and self.invalid is None

    def diagram(
        self, start_s: float | None = None, end_s: float | None = None, *, width: int = 900, flow: int = 1
    ) -> Diagram:
        """Return the time-sequence diagram of the run, or of the time from `start_s` to `end_s`, seconds.

        `width` is in CSS pixels; `flow` chooses among several. Raises BadInputError if the run has no such columns or
        the times are no stretch of it.
        """
        if start_s is not None and end_s is not None and start_s >= end_s:
            raise BadInputError(f"{self}: a diagram from {start_s:g} s to {end_s:g} s; it must end after it begins")
        name = SERIES if flow == 1 else f"flow-{flow}.{SERIES}"
        try:
            columns = columns_.read(self._file(name).read_bytes())
        except OSError as error:
            raise BadInputError(
                f"{self}: has no {name}, of which its diagram is drawn ({error.strerror}); "
                "run it with series=True, and for another flow than the first with a figure that draws all of them"
            ) from error
        except columns_.SeriesError as error:
            raise FailureError(f"{self.directory}/{name}: {error}") from error
        try:
            return draw(columns, _ns(start_s), _ns(end_s), width=width, title=str(self))
        except ValueError as error:
            raise BadInputError(f"{self}: {error}") from error

    def explain(self, episode: int | None = None) -> str:
        """Say what went wrong in the run, episode by episode or of one alone, as `windlull explain` does."""
        file = self._file(RECORD)
        try:
            story = stories.read(file.read_bytes())
        except OSError as error:
            raise FailureError(f"cannot read {file}: {error.strerror}") from error
        except msgspec.MsgspecError as error:
            raise BadInputError(f"{file} is not a record of a run: {error}") from error
        return terminal.text_of(lambda out: stories.print_stories(out, story, story.chosen(episode)), terminal.WIDTH)

    def _file(self, name: str) -> Path:
        if self.directory is None:
            raise BadInputError(f"{self}: only its results are there, and none of its files")
        return self.directory / name

    def __str__(self) -> str:
        return f"{self.variant} over {self.link}, {self.testbed}, repetition {self.repetition}"


def runs_of(finished: Finished, place: Place) -> tuple[Run, ...]:
    """Return the runs of finished results in the experiment's order: by link, variant, testbed and repetition.

    Raises FailureError if the record of one cannot be read.
    """
    beside = finished.path.parent / RUNS
    # A results.json that was copied to elsewhere under another name has no runs, whatever lies beside it.
    if finished.path.name == RESULTS and beside.is_dir():
        found = list(_recorded(finished, beside, place))
    else:
        found = list(_summed_up(finished, place))
    order = {(cell.link, cell.variant, cell.testbed): number for number, cell in enumerate(finished.cells)}
    last = len(order)
    return tuple(sorted(found, key=lambda run: (order.get((run.link, run.variant, run.testbed), last), run.repetition)))


def table_of(runs: Sequence[Run]) -> pa.Table:
    """Return a row a run: variant, link, testbed, repetition, seed, every metric, `unfinished`, `invalid`.

    Metrics that several flows have, one by one, come behind the others where there are any.
    """
    more = [name for name in in_order({name for run in runs for name in run.metrics}) if name not in METRICS]
    schema = pa.schema(
        [
            *BEFORE_METRICS[:2], _TESTBED, BEFORE_METRICS[2], BEFORE_METRICS[3].with_nullable(nullable=True),
            *OF_METRICS, *(pa.field(name, pa.float64()) for name in more), UNFINISHED, _INVALID,
        ]
    )  # fmt: skip
    columns: list[list[Any]] = [
        [run.variant for run in runs],
        [run.link for run in runs],
        [run.testbed for run in runs],
        [run.repetition for run in runs],
        [run.seed for run in runs],
        *([run.metrics.get(name) for run in runs] for name in (*METRICS, *more)),
        [run.unfinished for run in runs],
        [None if run.invalid is None else "; ".join(run.invalid) for run in runs],
    ]
    return pa.table([pa.array(column, of.type) for column, of in zip(columns, schema, strict=True)], schema=schema)


class _Record(msgspec.Struct, frozen=True):
    provenance: Provenance
    metrics: dict[str, Number]


def _recorded(finished: Finished, beside: Path, place: Place) -> Iterator[Run]:
    """Yield the runs by the records in their directories."""
    endings = {one.run: one.ending for one in finished.unfinished}
    reasons = {one.run: one.reasons for one in finished.invalid}
    for file in beside.rglob(RECORD):
        try:
            record = msgspec.json.decode(file.read_bytes(), type=_Record)
        except OSError as error:
            raise FailureError(f"cannot read {file}: {error.strerror}") from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise FailureError(f"{file} is not a record of a run: {error}") from error
        of, key = record.provenance, file.parent.relative_to(beside).as_posix()
        yield Run(
            of.variant, of.link, of.testbed, of.repetition, int(of.seed), Metrics(record.metrics), endings.get(key),
            reasons.get(key), file.parent, place,
        )  # fmt: skip


def _summed_up(finished: Finished, place: Place) -> Iterator[Run]:
    """Yield the runs by the values that their cells have of them: those that count."""
    for cell in finished.cells:
        of: dict[int, dict[str, Number]] = {}
        for name, values in cell.metrics.items():
            for repetition, value in values.by_repetition().items():
                of.setdefault(repetition, {})[name] = value
        for repetition, metrics in of.items():
            yield Run(
                cell.variant, cell.link, cell.testbed, repetition, None, Metrics(metrics), None, None, None, place
            )


def _ns(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1e9)
