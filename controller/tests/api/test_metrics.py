"""What is told to Prometheus, and that the page of it names every number."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from prometheus_client.parser import text_string_to_metric_families

import windlull
from tests.store import rows
from windlull.api import metrics
from windlull.store.tables import Event, State

if TYPE_CHECKING:
    from tests.api.client import Client
    from windlull.store.database import Database
    from windlull.store.home import Home

PACKAGE = Path(windlull.__file__).parent
PAGE = PACKAGE.parent.parent / "docs" / "observability.md"
NAMED = re.compile(r'"(windlull_[a-z_]+)"')


def samples(client: Client, name: str) -> dict[tuple[str, ...], float]:
    families = text_string_to_metric_families(client.get("/metrics").text)
    return {
        tuple(sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
        if sample.name == name
    }


def test_runs_are_told_by_state(client: Client, database: Database, home: Home) -> None:
    with database.session() as session:
        batch = rows.batch(session, home.blobs)
        rows.run(session, batch, 0, State.QUEUED)
        rows.run(session, batch, 1, State.DONE, cached=True)
        rows.run(session, batch, 2, State.DONE)
    values = samples(client, "windlull_runs")
    assert values == {(state.value,): {State.QUEUED: 1, State.DONE: 2}.get(state, 0) for state in State}
    assert samples(client, "windlull_runs_cached") == {(): 1}


def test_a_batch_is_active_while_it_runs_and_a_moment_longer(client: Client, database: Database, home: Home) -> None:
    now = datetime.now(UTC)
    last_event_ago_s = {"ended": metrics.ACTIVE_S - 10, "long-ended": metrics.ACTIVE_S + 10}
    with database.session() as session:
        made = {
            name: rows.batch(session, home.blobs, experiment=name)
            for name in ("running", "queued", "ended", "long-ended")
        }
        rows.run(session, made["running"], 0, State.RUNNING)
        rows.run(session, made["queued"], 0, State.QUEUED)
        for name, ago_s in last_event_ago_s.items():
            run = rows.run(session, made[name], 0, State.DONE)
            at = now - timedelta(seconds=ago_s)
            session.add(Event(at=at, kind="run", batch_id=made[name].id, run_id=run.id, data={"state": "done"}))
        numbers = {name: str(batch.id) for name, batch in made.items()}
    values = samples(client, "windlull_batch_active")
    assert values == {(numbers["running"], "running", "sim"): 1, (numbers["ended"], "ended", "sim"): 1}


def test_a_process_that_has_just_begun_to_count_is_no_fault(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "counter_1.db").touch()
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    assert client.get("/metrics").status == 200


def test_the_disk_is_told(client: Client, home: Home) -> None:
    (size,) = samples(client, "windlull_disk_bytes").values()
    (free,) = samples(client, "windlull_free_bytes").values()
    assert 0 < free <= size == home.disk_bytes()


def names() -> list[str]:
    sources = [PACKAGE / "api" / "metrics.py", PACKAGE / "scheduler" / "counts.py"]
    found = {name for source in sources for name in NAMED.findall(source.read_text(encoding="utf-8"))}
    assert len(found) > 15
    return sorted(found)


@pytest.mark.parametrize("name", names())
def test_every_number_of_the_service_stands_in_the_page(name: str) -> None:
    assert f"`{name}" in PAGE.read_text(encoding="utf-8")
