"""Every experiment of the papers run, one after the other; the engine uses all cores for each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from windlull import locate
from windlull.errors import EngineError, ExitCode, WindlullError
from windlull.papers import by_statement
from windlull.papers.by_statement import Ran
from windlull.papers.shipped import papers as shipped_papers
from windlull.papers.statements import claims_of, statements
from windlull.run import Request as RunRequest
from windlull.run import run
from windlull.runner import plans
from windlull.runner.options import RunOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from windlull.papers.by_statement import Graded, OwnAddition
    from windlull.papers.statements import Statements
    from windlull.progress import Meter
    from windlull.run import Outcome
    from windlull.runner.messages import Experiment, Failed, Progress, Run
    from windlull.runner.plans import Planned


@dataclass(frozen=True, slots=True)
class Request:
    """What the person asked for: experiments by paper, and where everything goes; None is left to the experiments.

    `seeds` is how many master seeds each experiment is run with: its own first, then the numbers that follow it.
    """

    papers: Mapping[str, Sequence[str]]
    out: Path
    reps: int | None = None
    jobs: int | None = None
    seeds: int = 1


@dataclass(frozen=True, slots=True)
class Reproduced:
    """What came of one experiment. `directory` is relative to the output directory."""

    paper: str
    name: str
    directory: str
    experiment: Experiment
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What came of all of them, as far as it went; `exit_code` is the first that is not OK.

    `stated` is what each paper states. `further` has the same experiments with each further master seed, as far as they
    are finished; `error` is what stopped one of them.
    """

    done: tuple[Reproduced, ...]
    exit_code: ExitCode
    stated: Mapping[str, Statements]
    further: tuple[tuple[Reproduced, ...], ...] = ()
    error: WindlullError | None = None

    def graded(self) -> list[Graded]:
        """Return every statement with its grade by the experiments' own seeds, and with those by each master seed."""
        own, *_ = every = self.graded_by_seed()
        by_seed = [{(one.paper, one.id): one.grade for one in graded} for graded in every]
        return [replace(one, by_seed=tuple(grades.get((one.paper, one.id)) for grades in by_seed)) for one in own]

    def graded_by_seed(self) -> list[list[Graded]]:
        """Return the statements with their grades by each master seed, the experiments' own first."""
        return [self._graded(done) for done in (self.done, *self.further)]

    def own_additions(self) -> list[OwnAddition]:
        """Return the checks that no paper states."""
        return [
            addition
            for paper, ran in self._by_paper(self.done).items()
            for addition in by_statement.own_additions(paper, self.stated[paper], ran)
        ]

    def _graded(self, done: Sequence[Reproduced]) -> list[Graded]:
        return [
            graded
            for paper, ran in self._by_paper(done).items()
            for graded in by_statement.grade(paper, self.stated[paper], ran)
        ]

    def _by_paper(self, done: Sequence[Reproduced]) -> dict[str, list[Ran]]:
        found: dict[str, list[Ran]] = {}
        for one in done:
            found.setdefault(one.paper, []).append(
                Ran(one.name, one.experiment, one.outcome.judgements, one.outcome.cells)
            )
        return found


def reproduce(request: Request, meter: Meter) -> Reproduction:
    """Run the experiments; an interrupt ends it with those that are finished.

    Raises WindlullError if one fails with its own master seed. With a further one that ends it, too, and the seeds that
    are finished count.
    """
    planned = {name: _plan(name, request.reps) for names in request.papers.values() for name in names}
    experiments = {name: plan.read() for name, plan in planned.items()}
    stated = {paper: _stated(paper, experiments) for paper in request.papers}
    meter.start("papers", request.seeds * sum(plan.count for plan in planned.values()), live=False)
    done: list[tuple[Reproduced, ...]] = []
    exit_code, error = ExitCode.OK, None
    for further in range(request.seeds):
        try:
            finished, exit_code = _once(request, experiments, further, meter)
        except WindlullError as raised:
            if not further:
                raise
            exit_code, error = raised.exit_code, raised
            break
        if exit_code == ExitCode.OK or further == 0:
            done.append(finished)
        if exit_code != ExitCode.OK:
            break
    return Reproduction(done[0], exit_code, stated, tuple(done[1:]), error)


def _plan(name: str, reps: int | None = None) -> Planned:
    return plans.plan(name, RunOptions(repetitions=reps), profiles=[locate.profiles()], brief=True)


def _stated(paper: str, planned: Mapping[str, Experiment]) -> Statements:
    """Return what a paper states; the file speaks of all its experiments, so those that are not run are planned too."""
    names = shipped_papers(locate.profiles()).get(paper, [])
    known = {name: planned[name] if name in planned else _plan(name).read() for name in names}
    return statements(locate.profiles(), paper, claims_of(known))


def _once(
    request: Request, experiments: Mapping[str, Experiment], further: int, meter: Meter
) -> tuple[tuple[Reproduced, ...], ExitCode]:
    """Run every experiment with its own master seed, or with the `further`-th that follows it."""
    done: list[Reproduced] = []
    for paper, names in request.papers.items():
        for name in names:
            experiment = experiments[name]
            directory = "/".join(name.split("/")[1:])
            seed = (int(experiment.seed) + further) % (1 << 64)
            if further:
                directory = f"seeds/{further}/{directory}"
            outcome = run(
                RunRequest(
                    name,
                    request.out / directory,
                    options=RunOptions(
                        # One run tells as much as many where a figure shows one.
                        repetitions=request.reps,
                        seed=seed if further else None,
                        jobs=request.jobs,
                        captures=False,
                        series=not further and experiment.draws_diagrams,
                    ),
                ),
                _Part(meter),
            )
            if outcome.error is not None:
                where = f"{name} with seed {seed}"
                raise EngineError(f"{where}: {outcome.error}", outcome.error.exit_code) from outcome.error
            done.append(Reproduced(paper, name, directory, outcome.experiment or experiment, outcome))
            if outcome.exit_code != ExitCode.OK:
                return tuple(done), outcome.exit_code
    return tuple(done), ExitCode.OK


class _Part:
    """The meter of one experiment: it moves that of all."""

    def __init__(self, whole: Meter) -> None:
        self._whole = whole

    def start(self, name: str, total: int, *, live: bool, needs: Sequence[str] = ()) -> None:
        """Say nothing: the whole has begun."""

    def advance(self, run: Run | Failed) -> None:
        self._whole.advance(run)

    def move(self, progress: Progress) -> None:
        self._whole.move(progress)
