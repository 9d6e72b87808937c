"""The emulator through the API: without one, with one that is gone, and the process itself."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.api.client import UNHURRIED, Client
from tests.emulated import emulated
from windlull.api.app import create_app
from windlull.api.context import of
from windlull.api.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from windlull.store.database import Database
    from windlull.store.home import Home

QUESTIONS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("GET", "/emulator", {}),
    ("GET", "/emulator/history", {}),
    ("GET", "/emulator/captures", {}),
    ("POST", "/emulator/captures", {"json": {}}),
    ("POST", "/emulator/captures/1/stop", {}),
    ("GET", "/emulator/captures/1/file", {}),
    ("DELETE", "/emulator/captures/1", {}),
    ("PUT", "/emulator/link", {"json": {"name": "gprs"}}),
    ("POST", "/emulator/changes", {"json": {"kind": "hold"}}),
    ("DELETE", "/emulator/changes", {}),
    ("DELETE", "/emulator/changes/1", {}),
)


@pytest.mark.parametrize(("method", "address", "options"), QUESTIONS)
def test_without_an_emulator_there_is_none(client: Client, method: str, address: str, options: dict[str, Any]) -> None:
    reply = client.ask(method, address, **options)
    assert (reply.status, reply.json["error"]["code"]) == (404, "no-emulator")


@pytest.mark.parametrize(("method", "address", "options"), QUESTIONS)
def test_one_that_does_not_answer_is_for_later(
    database: Database, home: Home, method: str, address: str, options: dict[str, Any]
) -> None:
    settings = replace(Settings(home.path, bounds=UNHURRIED), emulator="http://127.0.0.1:1")
    app = create_app(settings, database)
    reply = Client(app).ask(method, address, **options)
    of(app).watch.close()
    assert (reply.status, reply.json["error"]["code"]) == (503, "unavailable")
    assert "Retry-After" in reply.headers


def test_the_link_is_seen_and_changed_through_the_api(tmp_path: Path) -> None:
    with emulated(state=tmp_path) as there:
        done = there.run([sys.executable, "-m", "tests.api.emulator_scenario"])
    assert done.returncode == 0, done.stdout + done.stderr
