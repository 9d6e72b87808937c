"""Finished results: the runs of an experiment, as tables, compared, gated, and drawn one by one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from windlull.errors import BadInputError
from windlull.experiments.frames import frame_of
from windlull.experiments.judging import compared, gated, rules_of
from windlull.experiments.place import Place
from windlull.experiments.runs import runs_of, table_of
from windlull.experiments.sides import Known, of_results, of_two
from windlull.reports.finished import read as read_results
from windlull.runner.directory import REPORT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Unpack

    import pandas as pd
    import pyarrow as pa

    from windlull.experiments.judging import Comparing, GateVerdict, Gating, Verdicts
    from windlull.experiments.runs import Run
    from windlull.reports.finished import Finished


class Batch:
    """The finished results of an experiment, as `windlull run` leaves them in a directory.

    A temporary directory is removed when neither this object nor a run of it is in use any more.
    """

    def __init__(self, finished: Finished, place: Place) -> None:
        self._finished = finished
        self._place = place
        self._runs = runs_of(finished, place)

    @property
    def experiment(self) -> str:
        """The experiment's name."""
        return self._finished.experiment

    @property
    def results(self) -> Path:
        """The file of the results, `results.json`."""
        return self._finished.path

    @property
    def directory(self) -> Path:
        """Where the results and the files of the runs lie."""
        return self.results.parent

    @property
    def report(self) -> Path | None:
        """The report's page; None if there is none, as in a temporary directory."""
        page = self.directory / REPORT
        return page if page.exists() else None

    @property
    def seed(self) -> int:
        """The master seed."""
        return self._finished.seed

    @property
    def engine(self) -> str:
        """Version and commit of the engine that made the runs, as far as known."""
        return self._finished.engine

    @property
    def whole(self) -> bool:
        """Whether every run that was planned has ended in order."""
        return self._finished.whole

    @property
    def runs(self) -> tuple[Run, ...]:
        """The finished runs in the experiment's order: by link, variant, testbed and repetition."""
        return self._runs

    @property
    def variants(self) -> tuple[str, ...]:
        """The variants that have finished runs, in the experiment's order."""
        return tuple(dict.fromkeys(cell.variant for cell in self._finished.cells))

    @property
    def links(self) -> tuple[str, ...]:
        """The links, likewise."""
        return tuple(dict.fromkeys(cell.link for cell in self._finished.cells))

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self._runs)

    def run(
        self, variant: str | None = None, *, repetition: int = 1, link: str | None = None, testbed: str | None = None
    ) -> Run:
        """Return the first run of that description. Raises BadInputError if there is none."""
        for one in self._runs:
            if one.repetition == repetition and all(
                wish in (None, it) for wish, it in ((variant, one.variant), (link, one.link), (testbed, one.testbed))
            ):
                return one
        wanted = {"variant": variant, "link": link, "testbed": testbed, "repetition": repetition}
        said = ", ".join(f"{name} {value}" for name, value in wanted.items() if value is not None)
        raise BadInputError(f"{self.directory}: none of its {len(self._runs)} runs is of {said}")

    def table(self) -> pa.Table:
        """Return a row a run: variant, link, testbed, repetition, seed, every metric, `unfinished`, `invalid`.

        A metric that a run does not have is null. Runs with a word under `unfinished` or `invalid` are in no statistic.
        """
        return table_of(self._runs)

    def frame(self) -> pd.DataFrame:
        """Return the same as a data frame of pandas. Raises FailureError without pandas."""
        return frame_of(self.table())

    def compare(self, baseline: str | None = None, *candidates: str, **how: Unpack[Comparing]) -> Verdicts:
        """Compare variants with one of them, the first if none is named; all others if no candidate is.

        Raises BadInputError if there is no such variant or metric, or nothing to compare.
        """
        return compared(Known(of_results(self.results, self._sides(baseline, candidates))), **how)

    def gate(
        self,
        fail_if: str | Iterable[str],
        *,
        baseline: str | None = None,
        candidates: Iterable[str] = (),
        **how: Unpack[Gating],
    ) -> GateVerdict:
        """Hold variants against rules as `elapsed.median > 1.05 * baseline`, with the baseline as of `compare`.

        Raises BadInputError for a rule that cannot be read, and as `compare` does.
        """
        rules = rules_of(fail_if)
        return gated(Known(of_results(self.results, self._sides(baseline, tuple(candidates)))), rules, **how)

    def _sides(self, baseline: str | None, candidates: tuple[str, ...]) -> tuple[str, ...]:
        """Return which variants meet: the baseline, then the others."""
        if baseline is None and candidates:
            baseline = next((name for name in self.variants if name not in candidates), None)
        if baseline is None:
            return ()
        return (baseline, *(candidates or (name for name in self.variants if name != baseline)))

    def __repr__(self) -> str:
        return f"<Batch of {len(self._runs)} runs of {self.experiment}: {', '.join(self.variants)}>"


def read(results: str | Path) -> Batch:
    """Read finished results: results.json, or a directory that `windlull run --out` wrote.

    Raises BadInputError if they are none, FailureError if the record of a run cannot be read.
    """
    finished = read_results(Path(results))
    return Batch(finished, Place(finished.path.parent))


def compare(baseline: str | Path | Batch, candidate: str | Path | Batch, **how: Unpack[Comparing]) -> Verdicts:
    """Compare the results of two builds, variant by variant, or those variants that `RESULTS:VARIANT` names.

    Raises BadInputError if the two are not of the same links and workload.
    """
    return compared(Known(of_two(named(baseline), named(candidate))), **how)


def gate(
    baseline: str | Path | Batch, candidate: str | Path | Batch, fail_if: str | Iterable[str], **how: Unpack[Gating]
) -> GateVerdict:
    """Hold the results of a build against rules and those of another. Raises BadInputError as `compare` does."""
    rules = rules_of(fail_if)
    return gated(Known(of_two(named(baseline), named(candidate))), rules, **how)


def named(results: str | Path | Batch) -> str:
    """Return where results lie, with the variant that may stand behind a colon."""
    return str(results.results if isinstance(results, Batch) else results)
