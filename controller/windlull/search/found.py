"""What was found, as files: an experiment that anybody can run, one of its runs, its capsule, and a script for kernels.

OUT/found/1/
  experiments/worst.toml        the experiment, on the seeds that confirmed it
  experiments/worst-link.toml   its link
  run/                          the first of these runs that failed, as `windlull run` would write it
  run.capsule.zip               all of that run in one file
  episode.pkt                   its longest episode as a script for packetdrill, if it can be one
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from windlull import locate
from windlull.capsule.capsule import Content, Packing
from windlull.capsule.manifest import Ending, Engine, Plan, RunOfPlan
from windlull.errors import EngineError, FailureError
from windlull.reports import files, stories
from windlull.reports.indented import readable
from windlull.runner import engine, plans
from windlull.runner.bundle import unpacked
from windlull.runner.messages import Failed
from windlull.runner.options import RunOptions
from windlull.runner.work import Chunk, Unfinished, octets_of, perform
from windlull.search.layout import CAPSULE, EXPERIMENT, FOUND, RUN, SCRIPT
from windlull.search.template import own_files

if TYPE_CHECKING:
    from pathlib import Path

    from windlull.contract.engine import PlannedRun
    from windlull.runner.bundle import Bundle
    from windlull.runner.plans import Planned
    from windlull.runner.work import Outcome
    from windlull.search.findings import Finding
    from windlull.search.plan import Search


@dataclass(frozen=True, slots=True)
class Written:
    """Where a finding lies, relative to OUT, and what its run tells.

    `story` are the sentences of the run's longest episode; where there is no `script`, `no_script` says why.
    """

    experiment: str
    run: str
    capsule: str
    script: str | None
    no_script: str | None
    story: tuple[str, ...]


def write(search: Search, finding: Finding, place: int, out: Path, title: str) -> Written:
    """Write the finding at a place, counted from 1, anew. Raises FailureError, and what the engine says."""
    directory = out / FOUND / str(place)
    shutil.rmtree(directory, ignore_errors=True)
    confirmed = finding.confirmed
    repetitions = len(confirmed.fails)
    bundle = search.template.bundle(finding.candidate, seed=confirmed.seed, repetitions=repetitions, title=title)
    for path, text in own_files(bundle, locate.profiles()).items():
        _write(directory / path, text.encode())
    with unpacked(bundle) as root:
        options = RunOptions(testbed=search.testbed, repetitions=repetitions, seed=confirmed.seed)
        planned = plans.plan(bundle.experiment, options, profiles=[root], confined=not search.own)
    # What is exported of a run is read beside its experiment, as `windlull run` writes it.
    _write(directory / "experiment.json", readable({"experiment": planned.experiment, "runs": planned.count}, depth=3))
    first = next((number for number, failed in enumerate(confirmed.fails, 1) if failed), 1)
    run = next(
        one for one in planned.runs
        if (one.variant, one.repetition, one.testbed) == (search.aim.variant, first, search.testbed)
    )  # fmt: skip
    outcome = _made(search, bundle, run.place, confirmed.seed, repetitions)
    contents = {name: octets_of(file) for name, file in outcome.files.items()}
    for name, octets in contents.items():
        _write(directory / RUN / name, octets)
    with files.writing(directory / CAPSULE) as target:
        _packing(search, bundle, planned, run, outcome, contents).write(target)
    episode = longest(stories.read(contents["run.json"]))
    script, why = _script(directory, episode)
    return Written(
        experiment=f"{FOUND}/{place}/{EXPERIMENT}",
        run=f"{FOUND}/{place}/{RUN}",
        capsule=f"{FOUND}/{place}/{CAPSULE}",
        script=f"{FOUND}/{place}/{SCRIPT}" if script else None,
        no_script=why,
        story=tuple(one["text"] for one in episode["story"]) if episode is not None else (),
    )


def longest(story: stories.RunStory) -> dict[str, Any] | None:
    """Return the episode that lasted longest, the first of equals; None if the run has none.

    What a link of a search makes worst is seldom the first trouble: queues overflow before, on every link.
    """
    return max(story.episodes, key=lambda episode: episode["cost"]["duration_ns"], default=None)


def _made(search: Search, bundle: Bundle, place: int, seed: int, repetitions: int) -> Outcome:
    """Make one run with all its files. Raises FailureError if it comes to nothing."""
    (outcome,) = perform(
        Chunk(
            bundle=bundle,
            seed=str(seed),
            repetitions=repetitions,
            places=(place,),
            engine=search.engine,
            testbed=search.testbed,
            programs=search.own,
        )
    )
    if isinstance(outcome.run, Failed):
        raise FailureError(f"the run of a finding came to nothing: {outcome.run.reason}")
    return outcome


def _packing(
    search: Search, bundle: Bundle, planned: Planned, run: PlannedRun, outcome: Outcome, contents: dict[str, bytes]
) -> Packing:
    ending = Ending("failed", 1, outcome.run.reason) if isinstance(outcome.run, Unfinished) else Ending("done")
    experiment = planned.read()
    return Packing.of(
        Engine(search.engine.version, search.engine.commit),
        Plan(run.testbed, experiment.seed, experiment.repetitions),
        RunOfPlan(run.place, run.testbed, run.variant, run.link, run.repetition, run.seed, run.directory),
        ending,
        Content.of(bundle.json()),
        Content.of(msgspec.json.encode(planned.experiment)),
        {name: Content.of(octets) for name, octets in contents.items()},
    )


def _script(directory: Path, episode: dict[str, Any] | None) -> tuple[bool, str | None]:
    """Write an episode of the run as a script, and return whether there is one, else why not."""
    if episode is None:
        return False, "the run has no episode"
    number = str(episode["number"])
    asked = ["export", str(directory / RUN), "--format", "packetdrill", "--episode", number]
    try:
        script = engine.text(asked)
    except EngineError as error:
        return False, str(error).removeprefix("error: ").strip()
    _write(directory / SCRIPT, script)
    return True, None


def _write(path: Path, octets: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FailureError(f"cannot make the directory {path.parent}: {error.strerror}") from error
    files.write(path, octets)
