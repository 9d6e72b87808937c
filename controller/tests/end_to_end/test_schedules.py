"""A nightly schedule as a user has it: a variant gets worse, and whoever is to know of it is told the next morning."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.serving import Service, serving
from tests.schedules.receiver import receiving
from windlull.schedules import messages
from windlull.store import schedules as store
from windlull.store.database import Database
from windlull.store.home import Home

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.long

SECRET = "0123456789abcdef"  # noqa: S105 - a test's
GOOD = 'title = "Mine"\nrecovery = "sack"\nsack = true\n'
WORSE = f"{GOOD}initial_window = 1\n"
EXPERIMENT = """
title = "What is run every night"
link = "mobile-with-holds"
variants = ["mine"]
workload = "bulk-30-kb-down"
repetitions = 12
seed = 1
"""
RULE = "elapsed.median > 1.05 * baseline"


def night(data: Path) -> None:
    """Let the time of the schedule come while no service runs."""
    home = Home(data)
    database = Database(home.database_url)
    with database.session() as session:
        (schedule,) = store.newest(session, before=None, limit=2)
        schedule.next_at = datetime.now(UTC) - timedelta(hours=1)
    database.dispose()


def ended(service: Service, number: int, cause: str) -> dict[str, object]:
    """Wait until the newest round, which there is for this reason, has ended; return it."""
    view = service.until(
        lambda last: last["cause"] == cause and last["state"] == "ended",
        lambda: service.get(f"schedules/{number}")["last"],
    )
    return dict(view)


def test_a_nightly_schedule_with_a_planted_regression_sends_its_notice(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with receiving() as receiver:
        with serving(data) as service:
            assert service.ask("POST", "variants", {"name": "mine", "toml": GOOD})[0] == 201
            assert service.ask("POST", "experiments", {"name": "nightly", "toml": EXPERIMENT})[0] == 201
            status, made = service.ask(
                "POST",
                "schedules",
                {
                    "name": "nightly", "experiment": "nightly", "cron": "30 2 * * *", "zone": "Europe/Berlin",
                    "gate": {"fail_if": [RULE]}, "notice": {"url": f"{receiver.url}/hook", "secret": SECRET},
                },
            )  # fmt: skip
            assert status == 201, made
            number = made["id"]
            assert service.ask("POST", f"schedules/{number}/trigger", {"commit": "good123"})[0] == 201
            first = ended(service, number, "trigger")
            assert first["gate"] is not None
            # Somebody makes it worse.
            assert service.ask("PUT", "variants/mine", {"toml": WORSE}, {"If-Match": "*"})[0] == 200

        night(data)
        with serving(data) as service:
            last = ended(service, number, "time")
            got = receiver.next()
            notice = service.until(
                lambda sent: sent["state"] == "delivered",
                lambda: service.get(f"rounds/{last['id']}")["notices"][0],
            )
            batch = service.get(f"batches/{last['batch']}")

    assert got.path == "/hook"
    assert messages.is_signature(got.headers[messages.SIGNATURE], SECRET, got.octets)
    said = got.json
    assert (said["event"], said["gate"]["verdict"]) == ("gate-failed", "fail")
    assert said["gate"]["baseline"] == first["batch"]
    (check,) = said["gate"]["checks"]
    assert (check["status"], check["rule"]) == ("fail", RULE)
    assert said["text"].startswith("nightly: The gate failed: elapsed.median &gt; 1.05 * baseline. mine of batch")
    assert said["batch"]["id"] == last["batch"]
    assert said["batch"]["address"].startswith("http://127.0.0.1:")
    assert (notice["attempts"], notice["answer"]) == (1, "200 OK")
    assert batch["tags"] == ["nightly"]
    assert last["gate"] == said["gate"]
