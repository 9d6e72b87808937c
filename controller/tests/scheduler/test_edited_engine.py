"""A mechanism is edited and built, and not committed: what the engine before the edit measured answers for nothing.

The engine is built three times from a copy of its sources, in a repository of its own. The edited one has a directory
to itself, so that without the edit Cargo finds what it had built before.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from tests import mechanism
from tests.scheduler.test_service import ended, states, submit, until
from windlull.runner import engine
from windlull.runner.cluster import connect
from windlull.scheduler.loop import Loop
from windlull.scheduler.worker_pool import WorkerPool
from windlull.store import runs
from windlull.store.tables import Batch, Result, Run, State

if TYPE_CHECKING:
    from windlull.store.database import Database
    from windlull.store.home import Home

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[3]
PARTS = ("Cargo.toml", "Cargo.lock", "emulator", "testbed", "docs/emulator.md")
TARGETS = ROOT / "target" / "edited"


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A repository of the engine's sources, all committed."""
    copy = tmp_path / "sources"
    for part in PARTS:
        (copy / part).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, copy / part)
        else:
            shutil.copy2(ROOT / part, copy / part)
    git(copy, "init", "--quiet")
    git(copy, "add", ".")
    git(copy, "commit", "--quiet", "--message", "all")
    return copy


def git(repository: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=x", "-c", "user.email=x@x.invalid", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(repository), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def build(sources: Path, target: Path) -> Path:
    """Build the engine of these sources; what the Rust tests have built of the same is not built again.

    Cargo knows a crate by its place in the workspace, and a change by the times of files, which a copy keeps.
    """
    built_before = ROOT / "target" / "debug"
    if built_before.exists() and not target.exists():
        for part in ("deps", "build", ".fingerprint"):
            shutil.copytree(built_before / part, target / "debug" / part, copy_function=take, ignore=programs_among)
    built = subprocess.run(
        ["cargo", "build", "--locked", "--quiet", "--bin", "windlull-engine"],
        cwd=sources, env=os.environ | {"CARGO_TARGET_DIR": str(target)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    return target / "debug" / "windlull-engine"


def take(source: str, target: str) -> None:
    # What Cargo writes again it writes into the same file: those of our crates are copied.
    if "windlull" in source:
        shutil.copy2(source, target)
    else:
        os.link(source, target)


def programs_among(directory: str, names: list[str]) -> set[str]:
    # Programs are large, and Cargo links those anew that it needs.
    return {name for name in names if Path(directory).name == "deps" and not Path(name).suffix}


def known_before(database: Database, batch_id: int) -> int:
    with database.reader() as session:
        return runs.counts_known(session, [batch_id])[batch_id]


def measured(database: Database, batch_id: int) -> list[object]:
    chosen = select(Result.metrics).join(Run, Run.result_id == Result.id).where(Run.batch_id == batch_id)
    with database.reader() as session:
        return list(session.scalars(chosen.order_by(Run.place)))


def test_an_edited_mechanism_is_run_and_not_looked_up(
    sqlite: Database, home: Home, sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(target: str) -> tuple[int, str]:
        """Build the sources as they are, make a batch, and return its number and the engine's commit."""
        monkeypatch.setenv("WINDLULL_ENGINE", str(build(sources, TARGETS / target)))
        with connect(None, 2, scratch=tmp_path) as client:
            loop = Loop(sqlite, home, WorkerPool(client))
            batch_id = submit(sqlite, home, "first-look", captures=False)
            until(loop, ended(sqlite, batch_id))
        assert states(sqlite, batch_id) == {State.DONE: 10}
        with sqlite.reader() as session:
            batch = session.get_one(Batch, batch_id)
            assert batch.engine_commit == engine.version()["commit"]
            return batch_id, batch.engine_commit

    commit = git(sources, "rev-parse", "--short=12", "HEAD")
    first, made_of = run("committed")
    assert made_of == commit
    times = (sources / mechanism.FILE).stat()
    mechanism.edit(sources)
    edited, made_of = run("edited")
    assert made_of == f"{commit}+{engine.version()['sources'][:12]}"
    mechanism.restore(sources)
    os.utime(sources / mechanism.FILE, ns=(times.st_atime_ns, times.st_mtime_ns))
    again, made_of = run("committed")
    assert made_of == commit

    assert [known_before(sqlite, batch) for batch in (first, edited, again)] == [0, 0, 10]
    assert measured(sqlite, edited) != measured(sqlite, first)
    assert measured(sqlite, again) == measured(sqlite, first)
