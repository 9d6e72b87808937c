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
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from windlull.progress import Meter
    from windlull.run import Outcome
    from windlull.stats.matches import Match

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


def play(of: Scenario, on: Kernels, out: Path, meter: Meter, *, jobs: int | None = None) -> Played:
    """Run a scenario on both kernels, and write its results and report to `out`.

    Raises FailureError if something else than the candidate is at fault, InterruptedRunsError if it was interrupted.
    """
    names = [f"{variant}@{kernel}" for variant in of.variants for kernel in (on.base, on.candidate)]
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
    failed = [one for one in outcome.failed if one.variant.endswith(f"@{on.candidate}")]
    if len(failed) < len(outcome.failed):
        one = next(one for one in outcome.failed if one not in failed)
        raise FailureError(f"{of.name}: a run on the kernel {on.base} failed: {one.reason}")
    if outcome.error and not failed:
        raise outcome.error
    said = tuple(f"{one.variant}, repetition {one.repetition}: {one.reason}" for one in failed)
    return Played(of, tuple(_matches(of, on, outcome)), said)


def _matches(of: Scenario, on: Kernels, outcome: Outcome) -> Iterable[Match]:
    """Set each variant on the candidate against the same one on the base, in the scenario's metrics alone."""
    assert outcome.experiment is not None  # noqa: S101 - it has been run
    for variant in of.variants:
        pair = (f"{variant}@{on.base}", f"{variant}@{on.candidate}")
        for match in matches(outcome.cells, pair):
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
