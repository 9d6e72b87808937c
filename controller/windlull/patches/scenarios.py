"""An experiment on two kernels: the same variants, the same links, the same seeds, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from windlull import locate
from windlull.errors import BadInputError, ExitCode, FailureError
from windlull.run import Request, run
from windlull.runner import plans
from windlull.runner.messages import KERNEL
from windlull.runner.options import RunOptions
from windlull.stats.matches import Side, matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from windlull.patches.suites import Suite
    from windlull.progress import Meter
    from windlull.stats.matches import Match
    from windlull.stats.summary import Cell

_LINUX = "linux"
"""The stack of variants that are the kernel's own TCP."""


@dataclass(frozen=True, slots=True)
class Kernels:
    """The two that are compared, by their names."""

    base: str
    candidate: str


@dataclass(frozen=True, slots=True)
class Scenario:
    """An experiment of a suite as it is run: its own variants of Linux, each on both kernels.

    `repetitions` and `seed`: the experiment's own if None.
    """

    experiment: str
    title: str
    variants: tuple[str, ...]
    links: tuple[str, ...]
    metrics: tuple[str, ...]
    repetitions: int | None
    seed: int | None

    @property
    def name(self) -> str:
        """What the experiment is called within its folder."""
        return self.experiment.removesuffix(".toml").rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Played:
    """What a scenario's runs came to: a match for each link and variant, under the scenario's name.

    `failed` has a sentence for each run of the candidate that came to nothing.
    """

    scenario: Scenario
    matches: tuple[Match, ...]
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """A scenario's runs on several kernels, by link and variant.

    `failed` has for each kernel a sentence for each run that came to nothing.
    """

    scenario: Scenario
    cells: tuple[Cell, ...]
    failed: Mapping[str, tuple[str, ...]]

    def between(self, on: Kernels) -> Played:
        """Set two of the kernels against each other."""
        return Played(self.scenario, tuple(_matches(self.scenario, on, self.cells)), self.failed[on.candidate])

    def medians(self, metric: str, kernels: Sequence[str]) -> Mapping[str, tuple[float | None, ...]]:
        """Return a metric's median on each of the kernels, None where no run counts, by what matches are called."""
        of = {(cell.link, cell.variant): cell.metrics.get(metric) for cell in self.cells}
        found = {}
        for link in dict.fromkeys(cell.link for cell in self.cells):
            for variant in self.scenario.variants:
                summaries = [of.get((link, f"{variant}@{kernel}")) for kernel in kernels]
                medians = tuple(None if summary is None else summary.median for summary in summaries)
                found[_called(self.scenario, link, variant)] = medians
        return found


class InterruptedRunsError(FailureError):
    """The person has ended the runs."""

    exit_code = ExitCode.INTERRUPTED


def scenario(
    experiment: str, metrics: Sequence[str], repetitions: int | None = None, seed: int | None = None
) -> Scenario:
    """Ask the engine what an experiment is. Raises BadInputError if it has no variant of Linux."""
    plan = plans.plan(experiment, RunOptions(testbed=KERNEL), profiles=[locate.profiles()], brief=True).read()
    variants = tuple(variant.name for variant in plan.variants if variant.stack == _LINUX)
    if not variants:
        raise BadInputError(f"{experiment}: it has no variant of Linux; give it one as `variants` under [live]")
    links = tuple(link.name for link in plan.links)
    return Scenario(experiment, plan.title or plan.name, variants, links, tuple(metrics), repetitions, seed)


def planned(suite: Suite, repetitions: int | None, seed: int | None) -> list[Scenario]:
    """Ask the engine what the experiments of a suite are; `repetitions` replaces the suite's own number."""
    return [
        scenario(entry.experiment, entry.metrics, repetitions or suite.repetitions, seed) for entry in suite.scenario
    ]


def play(of: Scenario, on: Kernels, out: Path, meter: Meter, *, jobs: int | None = None) -> Played:
    """Run a scenario on both kernels, and write its results and report to `out`.

    Raises FailureError if something else than the candidate is at fault, InterruptedRunsError if it was interrupted.
    """
    measured = measure(of, (on.base, on.candidate), out, meter, jobs=jobs)
    for reason in measured.failed[on.base]:
        raise FailureError(f"{of.name}: a run on the kernel {on.base} failed: {reason}")
    return measured.between(on)


def measure(of: Scenario, kernels: Sequence[str], out: Path, meter: Meter, *, jobs: int | None = None) -> Measured:
    """Run a scenario on each of the kernels, and write its results and report to `out`.

    Raises FailureError if something else than a kernel is at fault, InterruptedRunsError if it was interrupted.
    """
    names = [f"{variant}@{kernel}" for variant in of.variants for kernel in kernels]
    options = RunOptions(
        testbed=KERNEL,
        variants=tuple(names),
        repetitions=of.repetitions,
        seed=of.seed,
        jobs=jobs,
        captures=False,
        # A kernel that fails once has failed.
        attempts=1,
    )
    outcome = run(Request(of.experiment, out, options=options), meter)
    if outcome.exit_code == ExitCode.INTERRUPTED:
        raise InterruptedRunsError(f"interrupted; the finished runs can be read in {out}")
    if outcome.experiment is None:
        raise outcome.error or FailureError(f"{of.experiment}: the engine ended before its first run")
    if outcome.error and not outcome.failed:
        raise outcome.error
    failed = {
        kernel: tuple(
            f"{one.variant}, repetition {one.repetition}: {one.reason}"
            for one in outcome.failed
            if one.variant.endswith(f"@{kernel}")
        )
        for kernel in kernels
    }
    return Measured(of, tuple(outcome.cells), failed)


def _matches(of: Scenario, on: Kernels, cells: Sequence[Cell]) -> Iterable[Match]:
    """Set each variant on the candidate against the same one on the base, in the scenario's metrics alone."""
    for variant in of.variants:
        pair = (f"{variant}@{on.base}", f"{variant}@{on.candidate}")
        for match in matches(cells, pair):
            yield replace(
                match,
                link=_called(of, match.link, variant),
                baseline=_only(match.baseline, of.metrics),
                candidate=_only(match.candidate, of.metrics),
            )


def _called(of: Scenario, link: str, variant: str) -> str:
    """Return the scenario's name, with link and variant where it has several of them."""
    parts = [of.name, *([link] if len(of.links) > 1 else []), *([variant] if len(of.variants) > 1 else [])]
    return ", ".join(parts)


def _only(side: Side, metrics: Sequence[str]) -> Side:
    return Side(side.name, {name: side.values[name] for name in metrics if name in side.values})
