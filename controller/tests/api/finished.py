"""A batch whose runs the engine has made, in the store as the scheduler would have put it there."""

from __future__ import annotations

import subprocess
import tempfile
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from windlull import locate
from windlull.api.context import of
from windlull.runner import plans
from windlull.runner.bundle import Bundle
from windlull.runner.messages import Run
from windlull.runner.options import RunOptions
from windlull.store import retention, runs
from windlull.store.runs import Ended, Order, Stored
from windlull.store.tables import State

if TYPE_CHECKING:
    from flask import Flask


class Made:
    """Runs of an experiment that the engine made once, for many tests."""

    def __init__(self, directory: Path, experiment: str = "first-look", reps: int = 2, *options: str) -> None:
        profiles = [locate.profiles()]
        self.experiment = experiment
        self.planned = plans.plan(experiment, RunOptions(repetitions=reps), profiles=profiles)
        said = subprocess.run(
            [
                str(locate.engine()), "run", experiment, "--reps", str(reps), "--out", str(directory),
                "--profiles", str(profiles[0]), *options,
            ],
            check=True, capture_output=True,
        ).stdout  # fmt: skip
        lines = [msgspec.json.decode(line) for line in said.splitlines()]
        reported = [msgspec.convert(line, Run) for line in lines if line["event"] == "run"]
        self.runs = {run.directory: run for run in reported}
        self.files = {
            run.directory: {file.name: file.read_bytes() for file in (directory / run.directory).iterdir()}
            for run in reported
        }


@cache
def table_1() -> Made:
    """A table of a paper, two repetitions of it."""
    with tempfile.TemporaryDirectory() as directory:
        return Made(Path(directory) / "out", "papers/sarolahti2003/table-1", 2)


@cache
def first_look() -> Made:
    """A small experiment: two variants, two repetitions, a pause each."""
    with tempfile.TemporaryDirectory() as directory:
        return Made(Path(directory) / "out")


@cache
def figure_2() -> Made:
    """An experiment of a paper, with a spurious timeout in each run."""
    with tempfile.TemporaryDirectory() as directory:
        return Made(Path(directory) / "out", "papers/sarolahti2003/figure-2", 1)


def evict(app: Flask) -> None:
    """Let the files of all results make room."""
    context = of(app)
    rules = retention.Rules(age=timedelta())
    retention.prune(context.database, context.blobs, rules, now=datetime.now(UTC) + timedelta(hours=1))


def store(app: Flask, made: Made, *, done: int | None = None, priority: int = 0) -> int:
    """Keep a batch, with the first `done` runs of its plan ended (None: all); return its number."""
    context, planned = of(app), made.planned
    resolved: dict[str, Any] = planned.experiment
    order = Order(
        experiment=made.experiment, title=resolved["title"], testbed="sim", plane=None,
        repetitions=resolved["repetitions"], seed=resolved["seed"], captures=True, priority=priority,
        bundle=context.blobs.put(Bundle.of(planned).json()), plan=context.blobs.put(msgspec.json.encode(resolved)),
        engine_version=resolved["version"], engine_commit=resolved["commit"], runs=planned.runs,
    )  # fmt: skip
    now = datetime.now(UTC)
    with context.database.session() as session:
        batch = runs.submit(session, order, now=now)
    with context.database.session() as session:
        engine = (resolved["version"], resolved["commit"])
        waiting = runs.waiting(session, "sim", engines=[engine], limit=10_000)
        of_batch = sorted((run for run in waiting if run.batch_id == batch.id), key=lambda run: run.place)[:done]
        by_id = {run.id: planned.runs[run.place].directory for run in of_batch}
        held = runs.claim(session, list(by_id), "a worker", now=now)
        ended = []
        for one in held:
            directory = by_id[one.id]
            files = {
                name: Stored(context.blobs.put(content), len(content))
                for name, content in made.files[directory].items()
            }
            metrics = made.runs[directory].metrics
            ended.append(Ended(one, State.DONE, metrics=metrics, files=files))
        assert len(runs.record(session, ended, now=now)) == len(held)
    return batch.id
