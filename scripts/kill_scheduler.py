"""Kill every kind of process of the service at random moments; every run ends once, as if nobody had been killed.

    scripts/kill_scheduler.py [--kills 50] [--runs 200] [--database sqlite|postgresql] [--seed N]

Queues the runs of an experiment, starts `windlull serve`, and kills, again and again, one process of a kind that is
drawn: the supervisor, a web process, the scheduler, a worker, an engine. A supervisor that was killed is started again;
whatever else was killed, the service must see to itself. Then it compares with `windlull run` of the same experiment
that nobody disturbed: states, numbers, every file to the byte. The database must agree with itself and with the blobs,
each run must have ended once, and no process may be left. Ends with code 1 at the first difference.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from sqlalchemy import select

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "controller"))

from windlull import locate  # noqa: E402
from windlull.runner.bundle import Bundle  # noqa: E402
from windlull.runner.plans import plan  # noqa: E402
from windlull.store import events, runs  # noqa: E402
from windlull.store.consistency import faults  # noqa: E402
from windlull.store.database import Database, UnavailableError  # noqa: E402
from windlull.store.home import Home  # noqa: E402
from windlull.store.migrate import migrate  # noqa: E402
from windlull.store.tables import Artefact, Event, Result, Run, State  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MARK = "WINDLULL_KILL_SCHEDULER"
"""A variable of the environment that all processes of the service inherit."""
KINDS = ("supervisor", "web", "scheduler", "worker", "engine")
PATIENCE_S = 300.0
"""How long whatever must happen by itself may take."""

EXPERIMENT = """\
title       = "What is killed"
link        = "sarolahti2003-losses-2pct"
variants    = ["sack", "newreno", "frto+sack", "frto+newreno"]
workload    = "killed"
repetitions = {repetitions}
seed        = 7
time_limit  = "100 h"
"""
WORKLOAD = """\
title     = "So much that a run takes a moment"
kind      = "bulk"
size      = "{size} MB"
direction = "down"
"""


class DifferenceError(Exception):
    """Something is not as it must be."""


def expect(holds: bool, otherwise: str) -> None:  # noqa: FBT001 - reads like a sentence
    """Raise DifferenceError with these words unless it holds."""
    if not holds:
        raise DifferenceError(otherwise)


def main() -> int:
    """Run the test and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50, help="how many processes are killed (50)")
    parser.add_argument("--runs", type=int, default=200, help="how many runs are queued, a multiple of 4 (200)")
    parser.add_argument("--size", type=int, default=12, help="how many MB a run transfers (12, some tens of ms)")
    parser.add_argument("--within", type=float, default=1.5, help="the longest time between work and a kill, s (1.5)")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), help="what is killed (all)")
    parser.add_argument("--in-turn", action="store_true", help="kill the kinds one after the other, not by lot")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--keep", action="store_true", help="leave the directory, and say where it is")
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.database}", flush=True)
    room = Path(tempfile.mkdtemp(prefix="kill-scheduler-"))
    room.chmod(0o755)
    try:
        with database_of(options.database, room) as url:
            Killing(options, room, url).run()
    except DifferenceError as error:
        print(f"seed {options.seed}: {error}", file=sys.stderr)
        return 1
    finally:
        end_all(room.name)
        if options.keep:
            print(room)
        else:
            shutil.rmtree(room, ignore_errors=True)
    return 0


@contextmanager
def database_of(kind: str, room: Path) -> Iterator[str]:
    """The URL of a database of that kind, empty."""
    if kind == "sqlite":
        yield Home(room / "data").database_url
        return
    from tests.store import postgres  # noqa: PLC0415 - only here is a server needed

    with postgres.running() as server, server.fresh() as name:
        yield server.url(name)


class Killing:
    """One experiment, whose service is killed."""

    def __init__(self, options: argparse.Namespace, room: Path, url: str) -> None:
        self.options = options
        self.room = room
        self.url = url
        self.home = Home(room / "data")
        self.random = random.Random(options.seed)  # noqa: S311 - no secret
        self.profiles = room / "profiles"
        self.environment = {**os.environ, MARK: room.name, "TMPDIR": str(room), "WINDLULL_DATABASE": url}
        self.service: subprocess.Popen[bytes] | None = None
        self.killed: Counter[str] = Counter()

    def run(self) -> None:
        """Queue, kill, compare."""
        self.write_profiles()
        began = time.monotonic()
        undisturbed = self.undisturbed()
        print(f"undisturbed: {len(undisturbed)} runs in {time.monotonic() - began:.1f} s", flush=True)
        migrate(self.url)
        self.database = Database(self.url)
        self.batch_id = self.submit()
        began = time.monotonic()
        self.kill_and_wait()
        took = time.monotonic() - began
        self.compare(undisturbed)
        self.say(took)
        self.database.dispose()

    def write_profiles(self) -> None:
        """Write the experiment beside copies of the shipped files."""
        shutil.copytree(locate.profiles(), self.profiles)
        text = EXPERIMENT.format(repetitions=self.options.runs // 4)
        (self.profiles / "experiments" / "killed.toml").write_text(text, encoding="utf-8")
        workload = WORKLOAD.format(size=self.options.size)
        (self.profiles / "workloads" / "killed.toml").write_text(workload, encoding="utf-8")

    def undisturbed(self) -> dict[str, tuple[dict[str, Any], dict[str, str]]]:
        """Return the metrics and the digests of the files of every run, by its directory, of an undisturbed run."""
        out = self.room / "out"
        environment = {**self.environment, "WINDLULL_PROFILES": str(self.profiles)}
        command = [sys.executable, "-m", "windlull", "run", "killed", "--out", str(out)]
        ran = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
        expect(ran.returncode == 0, f"windlull run ended with code {ran.returncode}: {ran.stderr}")
        found = {}
        for file in sorted(out.glob("runs/**/run.json")):
            directory = file.parent
            digests = {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in directory.iterdir()}
            metrics = json.loads(file.read_bytes())["metrics"]
            found[directory.relative_to(out).as_posix()] = (metrics, digests)
        expect(len(found) == self.options.runs, f"the undisturbed experiment has {len(found)} runs")
        shutil.rmtree(out)
        return found

    def submit(self) -> int:
        """Queue all runs as one batch, and return its number."""
        planned = plan("killed", profiles=[self.profiles])
        experiment = planned.experiment
        order = runs.Order(
            experiment="killed", title=experiment["title"], testbed="sim", plane=None,
            repetitions=experiment["repetitions"], seed=experiment["seed"], captures=True, priority=0,
            bundle=self.home.blobs.put(Bundle.of(planned).json()),
            plan=self.home.blobs.put(json.dumps(experiment).encode()),
            engine_version=experiment["version"], engine_commit=experiment["commit"], runs=planned.runs,
        )  # fmt: skip
        with self.database.session() as session:
            return runs.submit(session, order, now=datetime.now(UTC)).id

    # --- killing ------------------------------------------------------------------------------------------------------

    def kill_and_wait(self) -> None:
        """Kill so many times, then wait until all runs have ended, and end the service in order."""
        for nth in range(self.options.kills):
            self.see_to_service()
            # Mostly while it works; now and then also while it starts.
            if self.random.random() < 0.8:
                self.wait(self.works_or_is_done, "the service works")
            time.sleep(self.random.uniform(0, self.options.within))
            kind = self.kill_one()
            self.killed[kind] += 1
            print(f"{nth + 1:3}: killed {kind:10} {dict(self.counts())}", flush=True)
        self.left_at_last_kill = sum(self.counts().get(state, 0) for state in (State.QUEUED, State.RUNNING))
        self.wait(self.done, "all runs have ended")
        assert self.service is not None  # noqa: S101 - it was started above
        self.service.send_signal(signal.SIGTERM)
        self.wait(lambda: self.service is not None and self.service.poll() is not None, "the service ends", start=False)
        self.wait(lambda: not marked(self.room.name), "its processes end", start=False)

    def kill_one(self) -> str:
        """Kill one process of a kind whose turn it is, as soon as there is one; return the kind."""
        kinds: list[str] = self.options.kinds
        in_turn = kinds[sum(self.killed.values()) % len(kinds)] if self.options.in_turn else None
        while True:
            there: dict[str, list[psutil.Process]] = {}
            for process in marked(self.room.name):
                if (kind := kind_of(process)) is not None:
                    there.setdefault(kind, []).append(process)
            kind = in_turn or self.random.choice(kinds)
            if kind in there:
                try:
                    self.random.choice(sorted(there[kind], key=lambda one: one.pid)).kill()
                except psutil.NoSuchProcess:
                    continue
                return kind
            if kind == "engine" and self.done():
                return "nobody"
            time.sleep(0.01)
            self.see_to_service()

    def see_to_service(self) -> None:
        """Start the supervisor if there is none."""
        if self.service is None or self.service.poll() is not None:
            command = [sys.executable, "-m", "windlull", "serve", "--data", str(self.home.path), "--port", "0",
                       "--workers", "2", "--web", "1", "--no-token"]  # fmt: skip
            with (self.room / "log").open("ab") as log:
                self.service = subprocess.Popen(
                    command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
                )

    def wait(self, holds: Callable[[], bool], what: str, *, start: bool = True) -> None:
        """Wait until it holds, and keep the service running meanwhile."""
        until = time.monotonic() + PATIENCE_S
        while not holds():
            if time.monotonic() > until:
                said = (self.room / "log").read_text(encoding="utf-8", errors="replace")[-4000:]
                there = "\n".join(described(process) for process in marked(self.room.name))
                raise DifferenceError(
                    f"in {PATIENCE_S:g} s it did not come to this: {what}\n{said}\nThere are:\n{there}"
                )
            if start:
                self.see_to_service()
            time.sleep(0.02)

    def counts(self) -> dict[State, int]:
        """Return how many runs are in which state."""
        while True:
            try:
                with self.database.reader() as session:
                    return runs.counts(session, [self.batch_id])[self.batch_id]
            except UnavailableError:
                time.sleep(0.05)

    def works_or_is_done(self) -> bool:
        """Whether an engine is at work, or nothing is left to do."""
        return any(kind_of(process) == "engine" for process in marked(self.room.name)) or self.done()

    def done(self) -> bool:
        """Whether all runs have ended."""
        counts = self.counts()
        return not counts.get(State.QUEUED) and not counts.get(State.RUNNING)

    # --- comparing ----------------------------------------------------------------------------------------------------

    def compare(self, undisturbed: dict[str, tuple[dict[str, Any], dict[str, str]]]) -> None:
        """Hold what is in the database and in the blobs against the undisturbed runs."""
        with self.database.reader() as session:
            rows = list(session.scalars(select(Run).where(Run.batch_id == self.batch_id)))
            results = {result.id: result for result in session.scalars(select(Result))}
            files: dict[int, dict[str, str]] = {}
            for artefact in session.scalars(select(Artefact)):
                files.setdefault(artefact.result_id, {})[artefact.name] = artefact.sha256
            ends = Counter(
                event.run_id
                for event in session.scalars(select(Event).where(Event.kind == "run"))
                if event.data["state"] not in {State.QUEUED, State.RUNNING}
            )
            last = events.last(session)
        expect(len(rows) == self.options.runs, f"{len(rows)} runs of {self.options.runs}")
        bad = [(run.directory, run.state, run.reason) for run in rows if run.state != State.DONE]
        expect(not bad, f"not done: {bad}")
        twice = [run for run, count in ends.items() if count != 1]
        expect(not twice and len(ends) == len(rows), f"told more than once, or never, that it has ended: {twice}")
        expect(len({run.result_id for run in rows}) == len(rows), "two runs have one result")
        expect(len(results) == len(rows), f"{len(results)} results of {len(rows)} runs")
        for run in rows:
            metrics, digests = undisturbed[run.directory]
            assert run.result_id is not None  # noqa: S101 - it is done, and consistent
            expect(results[run.result_id].metrics == metrics, f"{run.directory}: other numbers than undisturbed")
            expect(files[run.result_id] == digests, f"{run.directory}: other files than undisturbed")
        found = faults(self.database, self.home.blobs, thorough=True)
        expect(not found, f"not consistent: {found}")
        self.attempts = sum(run.attempt for run in rows)
        self.events = last

    def say(self, took: float) -> None:
        """Say what was done."""
        killed = ", ".join(f"{count} {kind}" for kind, count in sorted(self.killed.items()))
        print(
            f"{sum(self.killed.values())} kills ({killed}) in {took:.0f} s; at the last one "
            f"{self.left_at_last_kill} of {self.options.runs} runs were left\n"
            f"{self.options.runs} runs done once each, in {self.attempts} attempts; metrics and files as undisturbed; "
            "database and blobs agree; no process is left"
        )


def kind_of(process: psutil.Process) -> str | None:
    """Return which of the service's processes it is, None for one that only helps."""
    try:
        words = process.cmdline()
    except psutil.Error:
        return None
    line = " ".join(words)
    if words and Path(words[0]).name == "windlull-engine":
        return "engine"
    for kind, sign in (
        ("worker", "multiprocessing.spawn"), ("scheduler", "-m windlull.scheduler"), ("web", "windlull.serve.web"),
        ("supervisor", "-m windlull serve"),
    ):  # fmt: skip
        if sign in line:
            return kind
    return None


def marked(mark: str) -> list[psutil.Process]:
    """All processes of the service that still run."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


def described(process: psutil.Process) -> str:
    """Say which process it is, and what it is at."""
    try:
        return f"{process.pid} of {process.ppid()}, {process.status()}: {' '.join(process.cmdline())}"
    except psutil.Error as error:
        return str(error)


def end_all(mark: str) -> None:
    """End what is left after a failure."""
    for process in marked(mark):
        try:
            process.kill()
        except psutil.Error:
            continue


if __name__ == "__main__":
    sys.exit(main())
