"""`windlull explain NUMBER`: a run of the service, told from its kept record."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from tests.examples import episode
from tests.store import rows
from windlull.commands.explain import command
from windlull.errors import BadInputError

if TYPE_CHECKING:
    from windlull.store.database import Database
    from windlull.store.home import Home

RECORD = {
    "provenance": {
        "testbed": "sim", "experiment": "mine", "variant": "sack", "link": "gprs", "repetition": 4, "seed": "7",
        "version": "0.1.0", "commit": "0123456789ab",
    },
    "episodes": [
        episode(onset_ns=10**9, recovered_ns=None, story=[{"at_ns": 10**9, "text": "The link holds."}])
    ],
}  # fmt: skip


def explained(home: Home, database_url: str, number: int, *options: str) -> str:
    arguments = [str(number), "--data", str(home.path), "--database", database_url, *options]
    done = CliRunner().invoke(command, arguments, standalone_mode=False)
    if done.exception:
        raise done.exception
    return done.output


def test_a_run_by_its_number(database: Database, home: Home, database_url: str) -> None:
    with database.session() as session:
        batch = rows.batch(session, home.blobs)
        run = rows.done(session, home.blobs, batch, 0, {"run.json": json.dumps(RECORD).encode()})
        number = run.id
    text = explained(home, database_url, number)
    assert "sack over gprs, repetition 4" in text
    assert "Episode 1: hold, 1.000 s to the end of the run" in text
    assert "The link holds." in text
    with pytest.raises(BadInputError, match="is one run"):
        explained(home, database_url, number, "--variant", "sack")


def test_what_is_not_there_is_said(database: Database, home: Home, database_url: str) -> None:
    with database.session() as session:
        batch = rows.batch(session, home.blobs)
        number = rows.done(session, home.blobs, batch, 0, {"fates.csv": b"fates"}).id
    with pytest.raises(BadInputError, match=f"run {number} has no run.json"):
        explained(home, database_url, number)
    with pytest.raises(BadInputError, match="no such run"):
        explained(home, database_url, number + 1)
