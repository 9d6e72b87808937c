from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import pytest

from tests.api import finished
from tests.api.client import Client
from windlull.api.app import create_app
from windlull.api.context import of
from windlull.api.settings import Settings
from windlull.bounds import Bounds
from windlull.store.tables import Artefact, Run

if TYPE_CHECKING:
    from tests.api.client import Reply
    from windlull.store.database import Database
    from windlull.store.home import Home


@pytest.fixture
def run(client: Client) -> int:
    """The number of a run that has ended."""
    batch = finished.store(client.app, finished.first_look())
    return int(client.get(f"/runs?batch={batch}&order=oldest").json["items"][0]["id"])


def _fates() -> str:
    made = finished.first_look()
    return made.files[made.planned.runs[0].directory]["fates.csv"].decode()


def _text_of(client: Client, run: int, by: str) -> tuple[str, str]:
    view = client.get(f"/runs/{run}/replay?by={by}").json
    return view["name"], view["toml"]


@pytest.mark.parametrize("by", ["packet", "time"])
def test_the_link_carries_the_rows_of_the_run(client: Client, run: int, by: str) -> None:
    view = client.get(f"/runs/{run}/replay?by={by}").json
    link = tomllib.loads(view["toml"])
    assert link["replay"] == {"by": by, "csv": _fates()}
    assert link["title"] == view["title"] == f"What the packets of run {run} met, by {by}"
    assert view["name"] == f"replay-of-run-{run}-by-{by}"
    assert "repetition 1" in link["description"]


def test_by_octets_the_rows_say_what_packets_carried(client: Client, run: int) -> None:
    _, text = _text_of(client, run, "octets")
    heading, first, *_ = tomllib.loads(text)["replay"]["csv"].splitlines()
    assert heading.endswith(",first_octet,end_octet")
    assert heading.startswith(_fates().splitlines()[0])
    assert first.startswith(_fates().splitlines()[1])


def test_it_says_what_the_run_was_of(client: Client, run: int) -> None:
    view = client.get(f"/runs/{run}/replay").json
    made = finished.first_look()
    assert view["by"] == "packet"
    assert view["experiment"] == made.planned.files[made.planned.experiment_file]
    assert view["workload"] == made.planned.experiment["workload"]["name"]
    assert (view["variant"], view["testbed"]) == (made.planned.runs[0].variant, "sim")
    assert view["seed"] == made.planned.experiment["seed"]


@pytest.mark.parametrize("by", ["packet", "time", "octets"])
def test_the_link_can_be_kept_and_an_experiment_planned_on_it(client: Client, run: int, by: str) -> None:
    name, text = _text_of(client, run, by)
    assert client.post("/links", json={"name": name, "toml": text}).status == 201
    view = client.get(f"/runs/{run}/replay").json
    toml = (
        f'title = "Again"\nlink = "{name}"\nvariants = ["{view["variant"]}"]\nworkload = "{view["workload"]}"\n'
        f"repetitions = 1\nseed = {view['seed']}\n"
    )
    assert client.post("/experiments", json={"name": "again", "toml": toml}).status == 201
    # The run's files may go: what it met stands in the link, and goes to workers with the other files of the batch.
    finished.evict(client.app)
    batch = client.post("/batches", json={"experiment": "again"})
    assert batch.status == 201, batch.text
    files = {one["path"] for one in client.get(f"/batches/{batch.json['id']}/files").json["files"]}
    assert f"links/{name}.toml" in files


def test_an_unchanged_replay_is_not_sent_again(client: Client, run: int) -> None:
    tag = client.get(f"/runs/{run}/replay").headers["ETag"]
    assert client.get(f"/runs/{run}/replay", headers={"If-None-Match": tag}).status == 304
    assert client.get(f"/runs/{run}/replay?by=time", headers={"If-None-Match": tag}).status == 200


def test_a_run_without_its_files_cannot_be_replayed(client: Client, run: int) -> None:
    finished.evict(client.app)
    assert client.get(f"/runs/{run}/replay").status == 410
    assert client.get("/runs/999/replay").status == 404
    waiting = finished.store(client.app, finished.figure_2(), done=0)
    number = client.get(f"/runs?batch={waiting}").json["items"][0]["id"]
    assert client.get(f"/runs/{number}/replay").status == 409


def test_what_is_no_way_to_replay_is_refused(client: Client, run: int) -> None:
    assert _refused(client.get(f"/runs/{run}/replay?by=luck")) == 422
    assert _refused(client.get(f"/runs/{run}/replay?link=x")) == 422


def test_fates_that_cannot_be_played_are_told_with_their_line(client: Client, run: int) -> None:
    rows = _fates().splitlines()
    broken = "\n".join([rows[0], rows[1].replace(",", ";", 1)]) + "\n"
    context = of(client.app)
    with context.database.session() as session:
        result = session.get_one(Run, run).result_id
        session.get_one(Artefact, (result, "fates.csv")).sha256 = context.blobs.put(broken.encode())
    answer = client.get(f"/runs/{run}/replay")
    assert (answer.status, answer.json["error"]["code"]) == (422, "unreadable")
    message = answer.json["error"]["message"]
    assert message.startswith(f"what run {run} met cannot be replayed by packet: ")
    assert "(line: 2, " in message
    assert "missing" not in message
    assert str(context.home.path) not in message


def test_a_link_larger_than_a_document_is_refused_with_another_way(database: Database, home: Home) -> None:
    client = Client(create_app(Settings(home.path, bounds=Bounds(document_bytes=1000)), database))
    batch = finished.store(client.app, finished.first_look())
    number = client.get(f"/runs?batch={batch}").json["items"][0]["id"]
    answer = client.get(f"/runs/{number}/replay?by=time")
    assert answer.status == 413
    assert f'fates = "run-{number}.capsule.zip", by = "time"' in answer.json["error"]["message"]


def _refused(answer: Reply) -> int:
    assert "message" in json.dumps(answer.json)
    return answer.status
