"""`windlull store`: says what is wrong, removes what may go, and makes nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from tests.store import rows
from windlull.commands.options import Size
from windlull.commands.store import command
from windlull.errors import FailureError
from windlull.store import copies
from windlull.store.steps import newest
from windlull.store.tables import Batch

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

    from windlull.store.database import Database
    from windlull.store.home import Home


def store(home: Path, *arguments: str, database: str | None = None) -> Result:
    url = [] if database is None else ["--database", database]
    name, *rest = arguments
    return CliRunner().invoke(command, [name, "--data", str(home), *url, *rest], standalone_mode=False)


@pytest.fixture
def old(database: Database, home: Home) -> str:
    """A batch with one result of a month ago; returns the name of its blob."""
    with database.session() as session:
        batch = rows.batch(session, home.blobs)
        then = datetime.now(UTC) - timedelta(days=30)
        rows.done(session, home.blobs, batch, 0, {"fates.csv": b"fates"}, created_at=then)
    return home.blobs.put(b"fates")


@pytest.mark.usefixtures("old")
def test_all_is_well(home: Home, database_url: str) -> None:
    done = store(home.path, "check", "--thorough", database=database_url)
    assert (done.return_value, done.output) == (0, f"{home.path}: all is well\n")


def test_what_is_wrong_is_told(home: Home, database_url: str, old: str) -> None:
    home.blobs.remove(old)
    done = store(home.path, "check", database=database_url)
    assert (done.return_value, done.output) == (1, f"result 1 names blob {old}, which is not there\n")


@pytest.mark.usefixtures("old")
def test_old_files_go(home: Home, database_url: str) -> None:
    done = store(home.path, "prune", "--retain", "31", database=database_url)
    assert done.output.startswith("removed the files of 0 results")
    done = store(home.path, "prune", "--quota", "0", database=database_url)
    assert done.output.startswith("removed the files of 1 results")


def test_what_is_no_data_directory_stays_as_it_is(tmp_path: Path) -> None:
    done = store(tmp_path, "check")
    assert isinstance(done.exception, FailureError)
    assert "is not a data directory" in str(done.exception)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("1024", 1024), ("20G", 20 << 30), ("1 MiB".replace(" ", ""), 1 << 20), ("3kb", 3 << 10)],
)
def test_sizes(text: str, size: int) -> None:
    assert Size().convert(text, None, None) == size


@pytest.mark.parametrize("text", ["", "G", "-1", "1.5G", "20X", "20GG", "1G2"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a size"):
        Size().convert(text, None, None)


def test_a_copy_is_restored_while_no_service_runs(home: Home, database: Database, database_url: str) -> None:
    step = newest()
    assert step is not None
    with database.alone() as connection:
        copies.make(connection, database.url, step)
    with database.session() as session:
        rows.batch(session, home.blobs)
    database.dispose()
    with home.lock():
        refused = store(home.path, "restore", database=database_url)
        assert isinstance(refused.exception, FailureError)
        assert "is in use" in str(refused.exception)
    done = store(home.path, "restore", "--step", step, database=database_url)
    assert done.output == f"the database is as it was at step {step}; the next start of this version updates it again\n"
    with database.reader() as session:
        assert session.query(Batch).all() == []
