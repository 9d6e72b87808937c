"""A capsule's run, made again by this machine's engine, and held against what the capsule has."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windlull.errors import BadInputError, FailureError
from windlull.runner import engine, plans, work
from windlull.runner.bundle import unpacked
from windlull.runner.messages import Failed
from windlull.runner.options import RunOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from windlull.capsule.capsule import Capsule
    from windlull.capsule.manifest import Plan, RunOfPlan
    from windlull.contract.engine import PlannedRun
    from windlull.runner.bundle import Bundle

MOST_RUNS = 100_000
"""The largest plan in which a run of a capsule is looked for."""


@dataclass(frozen=True, slots=True)
class Again:
    """What came of it: for each file whether it has the same octets; None where only one side has it."""

    same_engine: bool
    files: Mapping[str, bool | None]

    @property
    def same(self) -> bool:
        """Whether all files are the same to the byte."""
        return all(self.files.values())


def find(bundle: Bundle, plan: Plan, place: RunOfPlan) -> tuple[plans.Planned, PlannedRun]:
    """Return what this machine's engine makes of the experiment, and the run in it.

    Raises InvalidFilesError if the engine refuses the files, BadInputError if the run is not in the plan.
    """
    with unpacked(bundle) as root:

        def ask(*, brief: bool) -> plans.Planned:
            options = RunOptions(
                repetitions=plan.repetitions, seed=int(plan.seed), testbed=plan.testbed, plane=plan.plane
            )
            return plans.plan(bundle.experiment, options, profiles=[root], brief=brief, confined=True)

        count = ask(brief=True).count
        if count > MOST_RUNS:
            raise BadInputError(f"the experiment has {count} runs; one of at most {MOST_RUNS} is made again")
        planned = ask(brief=False)
    wanted = (place.testbed, place.variant, place.link, place.repetition)
    for run in planned.runs:
        if (run.testbed, run.variant, run.link, run.repetition) == wanted:
            return planned, run
    raise BadInputError("the experiment of the capsule has no such run")


def make(capsule: Capsule) -> Again:
    """Make the run again. Raises BadInputError as `find` does, FailureError if the run came to nothing."""
    manifest = capsule.manifest
    _, run = find(capsule.bundle, manifest.plan, manifest.run)
    here = engine.version()
    had = capsule.files()
    outcomes = work.perform(
        work.Chunk(
            bundle=capsule.bundle,
            seed=manifest.plan.seed,
            repetitions=manifest.plan.repetitions,
            places=(run.place,),
            engine=work.EngineId(here["version"], here["commit"]),
            testbed=manifest.plan.testbed,
            plane=manifest.plan.plane,
            captures="server.pcapng" in had,
            series="series.json.gz" in had,
        )
    )
    if not outcomes:
        raise FailureError("the engine made no run")
    if isinstance(failed := outcomes[0].run, Failed):
        raise FailureError(failed.reason)
    made = {name: hashlib.sha256(work.octets_of(file)).hexdigest() for name, file in outcomes[0].files.items()}
    files = {
        name: made[name] == had[name].sha256 if name in made and name in had else None
        for name in sorted(made.keys() | had.keys())
    }
    return Again((here["version"], here["commit"]) == (manifest.engine.version, manifest.engine.commit), files)
