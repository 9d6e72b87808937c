"""Every experiment of the papers run, one after the other; the engine uses all cores for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from windlull import locate
from windlull.errors import ExitCode
from windlull.run import Request as RunRequest
from windlull.run import run
from windlull.runner import plans
from windlull.runner.messages import Experiment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from windlull.progress import Meter
    from windlull.run import Outcome
    from windlull.runner.messages import Failed, Progress, Run


@dataclass(frozen=True, slots=True)
class Request:
    """What the person asked for: experiments by paper, and where everything goes; None is left to the experiments."""

    papers: Mapping[str, Sequence[str]]
    out: Path
    reps: int | None = None
    jobs: int | None = None


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
    """What came of all of them, as far as it went; `exit_code` is the first that is not OK."""

    done: tuple[Reproduced, ...]
    exit_code: ExitCode


def reproduce(request: Request, meter: Meter) -> Reproduction:
    """Run the experiments; an interrupt ends it with those that are finished. Raises WindlullError if one fails."""
    profiles = [locate.profiles()]
    planned = {
        name: plans.plan(name, profiles=profiles, reps=request.reps, brief=True)
        for names in request.papers.values()
        for name in names
    }
    meter.start("papers", sum(plan.count for plan in planned.values()), live=False)
    done: list[Reproduced] = []
    for paper, names in request.papers.items():
        for name in names:
            experiment = msgspec.convert(planned[name].experiment, Experiment)
            directory = "/".join(name.split("/")[1:])
            outcome = run(
                RunRequest(
                    name,
                    request.out / directory,
                    # One run tells as much as many where a figure shows one.
                    reps=request.reps,
                    jobs=request.jobs,
                    pcap=False,
                    series=experiment.figure is not None and experiment.figure.is_trace,
                ),
                _Part(meter),
            )
            if outcome.error is not None:
                raise outcome.error
            done.append(Reproduced(paper, name, directory, outcome.experiment or experiment, outcome))
            if outcome.exit_code != ExitCode.OK:
                return Reproduction(tuple(done), outcome.exit_code)
    return Reproduction(tuple(done), ExitCode.OK)


class _Part:
    """The meter of one experiment: it moves that of all."""

    def __init__(self, whole: Meter) -> None:
        self._whole = whole

    def start(self, name: str, total: int, *, live: bool) -> None:
        """Say nothing: the whole has begun."""

    def advance(self, run: Run | Failed) -> None:
        self._whole.advance(run)

    def move(self, progress: Progress) -> None:
        self._whole.move(progress)
