from __future__ import annotations

import hashlib
import io
from typing import TYPE_CHECKING

import pytest

from tests.api import finished
from tests.api.client import Client
from tests.capsule import made as drawn
from tests.capsule.mutations import mutated
from windlull.api.app import create_app
from windlull.api.context import of
from windlull.api.settings import Settings
from windlull.bounds import Bounds
from windlull.capsule import capsule
from windlull.runner import work
from windlull.runner.bundle import Bundle
from windlull.store import consistency
from windlull.store.tables import Batch, Run

if TYPE_CHECKING:
    from tests.api.client import Reply
    from windlull.store.database import Database
    from windlull.store.home import Home

ZIP = "application/zip"


@pytest.fixture
def run(client: Client) -> int:
    """The number of a run that has ended."""
    batch = finished.store(client.app, finished.first_look())
    return int(client.get(f"/runs?batch={batch}&order=oldest").json["items"][0]["id"])


def _send(client: Client, octets: bytes, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post("/capsules", data=octets, content_type=ZIP, headers=named)


def test_a_capsule_is_the_same_each_time_and_whole(client: Client, run: int) -> None:
    answer = client.get(f"/runs/{run}/capsule")
    assert client.get(f"/runs/{run}/capsule").data == answer.data
    headers = {"If-None-Match": answer.headers["ETag"]}
    assert client.get(f"/runs/{run}/capsule", headers=headers).status == 304
    one = capsule.read(io.BytesIO(answer.data))
    made = finished.first_look()
    for name, content in made.files[made.planned.runs[0].directory].items():
        assert one.read(name) == content
    finished.evict(client.app)
    assert client.get(f"/runs/{run}/capsule").status == 410


def test_a_run_that_is_brought_is_as_it_was_and_marked(client: Client, run: int) -> None:
    octets = client.get(f"/runs/{run}/capsule").data
    answer = _send(client, octets)
    assert answer.status == 201
    batch = answer.json
    assert (batch["imported"], batch["state"], batch["total"]) == (True, "ended", 1)
    (line,) = client.get(f"/runs?batch={batch['id']}").json["items"]
    brought, was = client.get(f"/runs/{line['id']}").json, client.get(f"/runs/{run}").json
    for key in ("experiment", "testbed", "variant", "link", "repetition", "seed", "place", "state"):
        assert brought[key] == was[key]
    assert brought["key"] is None
    assert brought["result"]["metrics"] == was["result"]["metrics"]
    assert brought["result"]["files"] == was["result"]["files"]
    assert client.get(f"/runs/{line['id']}/series").json == client.get(f"/runs/{run}/series").json
    assert client.get(f"/batches/{batch['id']}/report").status == 200
    assert client.get(f"/batches/{batch['id']}/results").json["cells"][0]["runs"] == 1
    # What was brought can be taken on, the same to the byte.
    assert client.get(f"/runs/{line['id']}/capsule").data == octets
    context = of(client.app)
    assert consistency.faults(context.database, context.blobs) == []


def test_a_run_that_is_brought_answers_for_no_other(client: Client, run: int) -> None:
    octets = client.get(f"/runs/{run}/capsule").data
    client.delete(f"/runs/{run}")
    _send(client, octets)
    again = client.post("/batches", json={"experiment": "first-look", "repetitions": 2}).json
    assert again["runs"] == {"done": 3, "queued": 1}


def test_what_is_sent_twice_with_one_key_is_brought_once(client: Client, run: int) -> None:
    octets = client.get(f"/runs/{run}/capsule").data
    first, again = (_send(client, octets, Idempotency_Key="k") for _ in range(2))
    assert first.json == again.json
    assert again.headers["Idempotency-Replayed"] == "true"
    other = _send(client, drawn.packed(), Idempotency_Key="k")
    assert (other.status, other.json["error"]["code"]) == (422, "key-reused")
    assert _send(client, octets).json["id"] != first.json["id"]


def test_what_is_no_capsule_is_refused_with_a_reason(client: Client) -> None:
    assert _send(client, b"").json["error"]["message"].startswith("not a complete capsule: too short")
    octets = drawn.packed()
    assert _send(client, octets[:-1]).status == 422
    for media in ("multipart/form-data; boundary=x", "application/octet-stream", "application/json", "text/plain"):
        assert client.post("/capsules", data=octets, content_type=media).status == 415
    assert client.get("/batches").json["items"] == []


def test_a_capsule_that_is_too_large_is_refused(database: Database, home: Home) -> None:
    app = create_app(Settings(home.path, bounds=Bounds(capsule_bytes=1000)), database)
    client = Client(app)
    assert _send(client, bytes(1001)).status == 413
    assert _send(client, bytes(1000)).status == 422


def test_no_mutation_of_a_capsule_breaks_the_service(client: Client) -> None:
    taken = 0
    for seed in range(10_000, 10_150):
        answer = _send(client, mutated(seed))
        assert answer.status in {201, 422}, seed
        taken += answer.status == 201
    assert len(client.get("/batches?limit=500").json["items"]) == taken
    for batch in client.get("/batches?limit=500").json["items"]:
        assert client.get(f"/batches/{batch['id']}/results").status == 200
        (line,) = client.get(f"/runs?batch={batch['id']}").json["items"]
        for part in ("series", "analysis", "episodes", "capsule", "captures/server"):
            assert client.get(f"/runs/{line['id']}/{part}").status < 500
        assert client.post(f"/runs/{line['id']}/rerun").status == 422
    context = of(client.app)
    assert consistency.faults(context.database, context.blobs) == []


def test_a_rerun_is_made_and_gives_the_same_files(client: Client, run: int) -> None:
    answer = client.post(f"/runs/{run}/rerun")
    assert answer.status == 201
    batch = answer.json
    # Its result is known, and still it is made.
    assert (batch["runs"], batch["imported"]) == ({"queued": 1}, False)
    context = of(client.app)
    with context.database.reader() as session:
        (waiting,) = client.get(f"/runs?batch={batch['id']}").json["items"]
        kept, one = session.get_one(Batch, batch["id"]), session.get_one(Run, waiting["id"])
    with context.blobs.open(kept.bundle) as source:
        bundle = Bundle.read(source.read())
    engine = work.EngineId(kept.engine_version, kept.engine_commit)
    (outcome,) = work.perform(work.Chunk(bundle, kept.seed, kept.repetitions, (one.place,), engine))
    was = {file["name"]: file["sha256"] for file in client.get(f"/runs/{run}").json["result"]["files"]}
    assert {name: hashlib.sha256(work.octets_of(file)).hexdigest() for name, file in outcome.files.items()} == was


def test_a_rerun_asked_for_twice_with_one_key_is_made_once(client: Client, run: int) -> None:
    first, again = (client.post(f"/runs/{run}/rerun", headers={"Idempotency-Key": "k"}) for _ in range(2))
    assert first.json == again.json
    assert client.post("/runs/999/rerun").status == 404


def test_a_run_that_has_not_ended_has_no_capsule(client: Client) -> None:
    batch = finished.store(client.app, finished.first_look(), done=0)
    run = client.get(f"/runs?batch={batch}").json["items"][0]["id"]
    assert client.get(f"/runs/{run}/capsule").status == 409
