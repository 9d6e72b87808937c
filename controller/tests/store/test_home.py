"""The data directory: its owner's alone, and one scheduler's."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from windlull.errors import FailureError
from windlull.store.home import Home

if TYPE_CHECKING:
    from pathlib import Path

    from windlull.store.database import Database


def test_it_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    home = Home(tmp_path / "a" / "data")
    assert home.path.stat().st_mode & 0o777 == 0o700
    assert home.cache.is_dir()
    assert home.database_url == f"sqlite:///{tmp_path}/a/data/windlull.sqlite"
    assert home.free_bytes() > 0


def test_a_file_is_no_data_directory(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("", encoding="utf-8")
    with pytest.raises(FailureError, match=r"cannot use .*data as data directory"):
        Home(tmp_path / "data")


def test_there_is_one_scheduler(home: Home) -> None:
    def take() -> None:
        with Home(home.path).lock():
            pass

    with home.lock(), pytest.raises(FailureError, match=f"process {os.getpid()} runs its scheduler"):
        take()
    take()


def test_the_lock_of_a_killed_process_is_free(home: Home) -> None:
    program = (
        "import sys, time; from pathlib import Path; from windlull.store.home import Home\n"
        "with Home(Path(sys.argv[1])).lock():\n    print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, home.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(FailureError, match=f"process {other.pid}"), home.lock():
            pass
        other.kill()
        other.wait()
    with home.lock():
        pass


def test_a_database_elsewhere_is_one_directorys(database: Database, tmp_path: Path) -> None:
    first, second = Home(tmp_path / "first"), Home(tmp_path / "second")
    for _ in range(2):
        with database.session() as session:
            first.claim(session)
    with pytest.raises(FailureError, match="belongs to another data directory"), database.session() as session:
        second.claim(session)
    (second.path / "id").write_bytes((first.path / "id").read_bytes())  # as a backup that is brought back
    with database.session() as session:
        second.claim(session)
