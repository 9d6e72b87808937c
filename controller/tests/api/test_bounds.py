"""Every bound on what a service takes has an error of its own, a row in the documentation, and a variable."""

from __future__ import annotations

import re
import subprocess
import threading
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import windlull
from tests.api import finished
from tests.api.client import Client
from tests.api.test_batches import FIRST_LOOK, finish
from tests.api.test_documents import LINK
from tests.api.test_events import Stream
from windlull import bounds
from windlull.api.app import create_app
from windlull.api.context import of
from windlull.api.errors import SlowError
from windlull.api.settings import Settings
from windlull.bounds import Bounds
from windlull.errors import BadInputError
from windlull.runner import engine
from windlull.store.tables import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from windlull.store.database import Database
    from windlull.store.home import Home

SERVE = Path(windlull.__file__).parent.parent.parent / "docs" / "serve.md"


@contextmanager
def bounded(database: Database, home: Home, **most: int) -> Iterator[Client]:
    """A client of an application with these bounds."""
    app = create_app(Settings(home.path, bounds=Bounds(**most)), database)
    yield Client(app)
    of(app).watch.close()


def refused(reply: Any) -> tuple[int, str]:
    error = reply.json["error"]
    # A sentence for people, without a full stop: pages add it.
    assert re.fullmatch(r"[a-zA-Z0-9].*[^.]", error["message"]), error
    return reply.status, error["code"]


# --- the queue --------------------------------------------------------------------------------------------------------


def test_no_more_runs_wait_than_may(database: Database, home: Home) -> None:
    with bounded(database, home, queued_runs=5) as client:
        two = FIRST_LOOK | {"repetitions": 2}
        batch = client.post("/batches", json=two).json
        assert batch["runs"] == {"queued": 4}
        too_many = client.post("/batches", json=two, headers={"Idempotency-Key": "k"})
        assert refused(too_many) == (429, "queue-full")
        assert too_many.json["error"]["message"].startswith("8 runs would wait then, at most 5 may")
        assert too_many.headers["Retry-After"] == "60"
        assert len(client.get("/batches").json["items"]) == 1, "nothing of it is kept"
        # Room for one: a run has ended.
        chosen = [run["id"] for run in client.get("/runs").json["items"]]
        finish(client, chosen)
        assert client.post("/batches", json=two, headers={"Idempotency-Key": "k"}).status == 201


def test_a_full_queue_is_said_before_anything_is_planned(
    database: Database, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with bounded(database, home, queued_runs=4) as client:
        assert client.post("/batches", json=FIRST_LOOK | {"repetitions": 2}).status == 201
        monkeypatch.setattr(engine, "text", None)
        assert refused(client.post("/batches", json=FIRST_LOOK)) == (429, "queue-full")


def test_runs_are_not_tried_again_into_a_full_queue(database: Database, home: Home) -> None:
    with bounded(database, home, queued_runs=4) as client:
        batch = client.post("/batches", json=FIRST_LOOK | {"repetitions": 2}).json["id"]
        chosen = [run["id"] for run in client.get(f"/runs?batch={batch}").json["items"]]
        finish(client, chosen, State.FAILED)
        assert client.post("/batches", json=FIRST_LOOK | {"repetitions": 1, "seed": "9"}).status == 201
        assert refused(client.post(f"/batches/{batch}/retry")) == (429, "queue-full")
        assert client.get(f"/batches/{batch}").json["runs"] == {"failed": 4}
        assert [client.post(f"/runs/{one}/retry").status for one in chosen[:3]] == [200, 200, 429]


def test_a_run_is_not_made_again_into_a_full_queue(database: Database, home: Home) -> None:
    with bounded(database, home, queued_runs=1) as client:
        batch = finished.store(client.app, finished.first_look())
        run = client.get(f"/runs?batch={batch}").json["items"][0]["id"]
        assert client.post(f"/runs/{run}/rerun").status == 201
        assert refused(client.post(f"/runs/{run}/rerun")) == (429, "queue-full")


def test_a_batch_has_at_most_so_many_runs(database: Database, home: Home) -> None:
    with bounded(database, home, runs_of_batch=3) as client:
        reply = client.post("/batches", json=FIRST_LOOK | {"repetitions": 2})
        assert refused(reply) == (422, "invalid")
        assert reply.json["error"]["message"].startswith("4 runs; a batch has at most 3")
        assert client.post("/batches", json=FIRST_LOOK | {"repetitions": 1}).status == 201


# --- documents --------------------------------------------------------------------------------------------------------


def test_only_so_many_documents_are_kept(database: Database, home: Home) -> None:
    with bounded(database, home, documents=2) as client:
        one = client.post("/links", json={"name": "one", "toml": LINK})
        assert one.status == 201
        assert client.post("/variants", json={"name": "two", "copy_of": "sack"}).status == 201
        for kind, shipped in (("links", "gprs"), ("workloads", "bulk-20-kib-down"), ("experiments", "first-look")):
            reply = client.post(f"/{kind}", json={"name": "three", "copy_of": shipped})
            assert refused(reply) == (507, "too-many-documents")
        # Those that are kept can be changed.
        changed = client.put("/links/one", json={"toml": LINK + "# more\n"}, headers={"If-Match": one.headers["ETag"]})
        assert changed.status == 200
        assert client.delete("/links/one", headers={"If-Match": changed.headers["ETag"]}).status == 204
        assert client.post("/links", json={"name": "three", "copy_of": "gprs"}).status == 201


def test_only_so_many_bytes_of_documents_are_kept(database: Database, home: Home) -> None:
    # A letter that has two bytes is counted as two.
    comment = "# " + "é" * 1000 + "\n"
    size = len((LINK + comment).encode())
    with bounded(database, home, documents_bytes=2 * size) as client:
        made = [client.post("/links", json={"name": name, "toml": LINK + comment}) for name in ("one", "two", "three")]
        assert [reply.status for reply in made] == [201, 201, 507]
        assert refused(made[2]) == (507, "documents-full")
        larger = client.put("/links/one", json={"toml": LINK + comment + "#"}, headers={"If-Match": "*"})
        assert refused(larger) == (507, "documents-full")
        same = client.put("/links/one", json={"toml": LINK + comment}, headers={"If-Match": "*"})
        assert same.status == 200


def test_a_document_has_only_so_many_bytes(database: Database, home: Home) -> None:
    with bounded(database, home, document_bytes=1024) as client:
        long = LINK + "#" * 1024
        reply = client.post("/links", json={"name": "mine", "toml": long})
        assert refused(reply) == (413, "too-large")
        assert reply.json["error"]["message"].endswith("at most 1 KiB are kept")
        assert client.post("/links", json={"name": "mine", "toml": LINK}).status == 201
        assert refused(client.put("/links/mine", json={"toml": long}, headers={"If-Match": "*"})) == (413, "too-large")


def test_a_body_has_only_so_many_bytes(database: Database, home: Home) -> None:
    with bounded(database, home, body_bytes=2048, capsule_bytes=4096) as client:
        reply = client.post("/validations", json={"kind": "link", "toml": "#" * 2048})
        assert refused(reply) == (413, "too-large")
        assert "more than 2 KiB" in reply.json["error"]["message"]
        capsule = client.post("/capsules", data=bytes(4097), content_type="application/zip")
        assert refused(capsule) == (413, "too-large")
        assert "more than 4 KiB" in capsule.json["error"]["message"]


# --- who watches, who asks --------------------------------------------------------------------------------------------


def test_one_address_watches_only_so_often(database: Database, home: Home) -> None:
    with bounded(database, home, watchers_of_client=1) as client:
        first = Stream(client.app)
        first.await_hello()
        reply = client.get("/events")
        assert refused(reply) == (429, "too-many-watchers")
        assert reply.headers["Retry-After"]
        other = Stream(client.app, environ_base={"REMOTE_ADDR": "127.0.0.9"})
        other.await_hello()
        of(client.app).watch.close()
        first.join()
        other.join()


def test_the_engine_is_asked_only_so_often_at_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_turns", [])
    monkeypatch.setattr(engine, "PATIENCE_S", 0.01)
    engine.ask_at_once(1)
    asked, go_on = threading.Event(), threading.Event()
    run = subprocess.run

    def held(*arguments: Any, **options: Any) -> Any:
        asked.set()
        assert go_on.wait(60)
        return run(*arguments, **options)

    monkeypatch.setattr("windlull.runner.engine.subprocess.run", held)
    versions: list[Any] = []
    thread = threading.Thread(target=lambda: versions.append(engine.version()))
    thread.start()
    assert asked.wait(60)
    reply = client.post("/validations", json={"kind": "link", "toml": LINK})
    assert refused(reply) == (503, "overloaded")
    assert reply.headers["Retry-After"]
    go_on.set()
    thread.join()
    assert versions
    assert client.post("/validations", json={"kind": "link", "toml": LINK}).status == 200


def test_a_body_that_does_not_come_is_too_slow(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object, **__: object) -> bytes:
        raise SlowError("the body of the request did not come within 60 s")

    monkeypatch.setattr("flask.Request.get_data", late)
    assert refused(client.post("/validations", json={"kind": "link", "toml": LINK})) == (408, "too-slow")


# --- the settings -----------------------------------------------------------------------------------------------------


def test_each_is_set_by_its_variable() -> None:
    for one in fields(Bounds):
        assert bounds.read({f"WINDLULL_MOST_{one.name.upper()}": "900"}) == Bounds(**{one.name: 900}), one.name
    assert bounds.read({"WINDLULL_MOST_WATCHERS": ""}) == Bounds()


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "many", "1 000", "٣", "9" * 30, " 3"])
def test_what_is_no_bound_is_refused_by_name(text: str) -> None:
    with pytest.raises(BadInputError, match=r"WINDLULL_MOST_DOCUMENTS=.*: write a whole number from 1 to "):
        bounds.read({"WINDLULL_MOST_DOCUMENTS": text})


def test_there_are_connections_for_all_threads() -> None:
    with pytest.raises(BadInputError, match=r"WINDLULL_MOST_CONNECTIONS=128: must be more than .* together"):
        bounds.read({"WINDLULL_MOST_CONNECTIONS": "128"})
    assert bounds.read({"WINDLULL_MOST_CONNECTIONS": "129"}).connections == 129


def test_the_documentation_has_the_table_of_the_bounds() -> None:
    rows = [line for line in SERVE.read_text(encoding="utf-8").splitlines() if line.startswith("| `WINDLULL_MOST_")]
    assert rows == bounds.table()


def test_the_documentation_of_errors_has_their_codes() -> None:
    text = (SERVE.parent / "api.md").read_text(encoding="utf-8")
    for one in fields(Bounds):
        for code in re.findall(r"`([a-z-]+)`", one.metadata["beyond"]):
            assert f"`{code}`" in text, (one.name, code)
