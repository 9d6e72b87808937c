from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from tests.api import finished
from windlull.api.context import of

if TYPE_CHECKING:
    from tests.api.client import Client

FILES = (
    ("captures/server", "server.pcapng"),
    ("captures/client", "client.pcapng"),
    ("fates", "fates.csv"),
    ("events", "events.jsonl"),
)


@pytest.fixture
def run(client: Client) -> int:
    """The number of a run that has ended."""
    batch = finished.store(client.app, finished.first_look())
    return int(client.get(f"/runs?batch={batch}&order=oldest").json["items"][0]["id"])


def _content(name: str) -> bytes:
    made = finished.first_look()
    return made.files[made.planned.runs[0].directory][name]


@pytest.mark.parametrize(("address", "name"), FILES)
def test_a_file_is_given_as_it_is_with_the_hash_of_its_content(
    client: Client, run: int, address: str, name: str
) -> None:
    answer = client.get(f"/runs/{run}/{address}")
    assert answer.data == _content(name)
    digest = hashlib.sha256(answer.data).hexdigest()
    assert answer.headers["ETag"] == f'"{digest}"'
    assert answer.headers["Content-Disposition"].startswith("attachment")
    again = client.get(f"/runs/{run}/{address}", headers={"If-None-Match": f'"{digest}"'})
    assert (again.status, again.data) == (304, b"")


def test_a_run_of_a_tcp_has_no_qlog(client: Client, run: int) -> None:
    answer = client.get(f"/runs/{run}/qlogs/server")
    assert answer.status == 404


def test_the_head_of_a_file_says_its_size(client: Client, run: int) -> None:
    answer = client.bare("HEAD", f"/api/v1/runs/{run}/captures/server")
    assert (answer.status, answer.data) == (200, b"")
    assert int(answer.headers["Content-Length"]) == len(_content("server.pcapng"))


def test_a_part_can_be_asked_for(client: Client, run: int) -> None:
    whole = _content("server.pcapng")
    part = client.get(f"/runs/{run}/captures/server", headers={"Range": "bytes=100-199"})
    assert (part.status, part.data) == (206, whole[100:200])
    assert part.headers["Content-Range"] == f"bytes 100-199/{len(whole)}"
    last = client.get(f"/runs/{run}/captures/server", headers={"Range": "bytes=-7"})
    assert (last.status, last.data) == (206, whole[-7:])
    beyond = client.get(f"/runs/{run}/captures/server", headers={"Range": f"bytes={len(whole)}-"})
    assert beyond.status == 416
    assert beyond.json["error"]["code"]


def test_a_part_of_what_has_changed_is_the_whole(client: Client, run: int) -> None:
    headers = {"Range": "bytes=0-9", "If-Range": '"another"'}
    answer = client.get(f"/runs/{run}/captures/server", headers=headers)
    assert (answer.status, answer.data) == (200, _content("server.pcapng"))


def test_there_is_a_reason_where_there_is_no_file(client: Client, run: int) -> None:
    assert client.get(f"/runs/{run}/captures/router").status == 404
    assert client.get("/runs/999/captures/server").status == 404
    finished.evict(client.app)
    gone = client.get(f"/runs/{run}/captures/server")
    assert (gone.status, gone.json["error"]["code"]) == (410, "gone")


def test_a_blob_that_vanishes_is_gone(client: Client, run: int) -> None:
    of(client.app).blobs.remove(hashlib.sha256(_content("fates.csv")).hexdigest())
    assert client.get(f"/runs/{run}/fates").status == 410


def test_only_runs_of_commands_are_captured_at_the_emulator(client: Client, run: int) -> None:
    answer = client.get(f"/runs/{run}/captures/emulator")
    assert answer.status == 404
    assert "only runs of commands" in answer.json["error"]["message"]


def test_the_capture_at_the_emulator_is_given(client: Client) -> None:
    made = finished.first_look()
    more = object.__new__(finished.Made)
    kept = {name: files | {"emulator.pcapng": b"both devices"} for name, files in made.files.items()}
    more.__dict__.update(made.__dict__, files=kept)
    batch = finished.store(client.app, more)
    run = client.get(f"/runs?batch={batch}").json["items"][0]["id"]
    files = client.get(f"/runs/{run}").json["result"]["files"]
    assert "emulator.pcapng" in {file["name"] for file in files}
    answer = client.get(f"/runs/{run}/captures/emulator")
    assert (answer.status, answer.data) == (200, b"both devices")
    assert answer.headers["Content-Disposition"].endswith("-emulator.pcapng")


def test_a_run_without_captures_says_so(client: Client) -> None:
    made = finished.first_look()
    kept = {name: {"run.json": files["run.json"]} for name, files in made.files.items()}
    bare = object.__new__(finished.Made)
    bare.__dict__.update(made.__dict__, files=kept)
    batch = finished.store(client.app, bare)
    run = client.get(f"/runs?batch={batch}").json["items"][0]["id"]
    answer = client.get(f"/runs/{run}/captures/server")
    assert answer.status == 404
    assert "server.pcapng" in answer.json["error"]["message"]
