from __future__ import annotations

import platform
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from tests.test_kernels import built
from windlull.api.context import of
from windlull.runner.limits import Limits
from windlull.scheduler import status
from windlull.store import runs
from windlull.store.tables import Batch, State

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.client import Client

FIRST_LOOK = {"experiment": "first-look"}


def finish(client: Client, chosen: list[int], state: State = State.DONE) -> None:
    """Let runs end, as the scheduler would."""
    now = datetime.now(UTC)
    with of(client.app).database.session() as session:
        held = runs.claim(session, chosen, "a worker", now=now)
        ended = [runs.Ended(one, state, metrics={"elapsed_s": 1.5} if state == State.DONE else None) for one in held]
        runs.record(session, ended, now=now)


def test_a_batch_has_the_runs_of_its_plan(client: Client) -> None:
    made = client.post("/batches", json=FIRST_LOOK)
    assert made.status == 201
    batch = made.json
    assert batch["total"] == 10
    assert batch["state"] == "queued"
    assert batch["runs"] == {"queued": 10}
    assert client.get(f"/batches/{batch['id']}").json == batch
    assert client.get("/batches").json["items"] == [batch]
    assert client.get(f"/batches/{batch['id']}/experiment").json["name"] == "first-look"
    found = client.get(f"/runs?batch={batch['id']}&order=oldest").json["items"]
    assert [run["place"] for run in found] == list(range(10))
    assert {run["experiment"] for run in found} == {"first-look"}


def test_what_is_asked_for_is_in_force(client: Client) -> None:
    asked = FIRST_LOOK | {"repetitions": 2, "seed": "18446744073709551615", "captures": False, "priority": 5}
    batch = client.post("/batches", json=asked).json
    assert batch["total"] == 4
    assert batch["seed"] == "18446744073709551615"
    assert batch["repetitions"] == 2
    assert not batch["captures"]
    assert batch["priority"] == 5


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"experiment": "nothing"}, 404),
        (FIRST_LOOK | {"seed": 2**53}, 422),
        (FIRST_LOOK | {"seed": -1}, 422),
        (FIRST_LOOK | {"seed": 1.5}, 422),
        (FIRST_LOOK | {"seed": True}, 422),
        (FIRST_LOOK | {"seed": "18446744073709551616"}, 422),
        (FIRST_LOOK | {"repetitions": "3"}, 422),
        (FIRST_LOOK | {"repetitions": 100_000}, 422),
        (FIRST_LOOK | {"plane": "model"}, 422),
        (FIRST_LOOK | {"priorty": 1}, 422),
        ({}, 422),
        ([], 422),
        ("experiment", 422),
    ],
)
def test_what_cannot_be_run_is_refused(client: Client, body: object, status: int) -> None:
    assert client.post("/batches", json=body).status == status
    assert client.get("/batches").json["items"] == []


def test_a_seed_may_be_a_number_if_every_program_reads_it_as_written(client: Client) -> None:
    asked = FIRST_LOOK | {"repetitions": 1}
    assert client.post("/batches", json=asked | {"seed": 2**53 - 1}).json["seed"] == "9007199254740991"
    refused = client.post("/batches", json=asked | {"seed": 2**53}).json["error"]["message"]
    assert 'write it as text, "9007199254740992"' in refused
    refused = client.post("/batches", json=asked | {"seed": -1}).json["error"]["message"]
    assert refused == "seed: has the wrong form; it takes a whole number from 0 to 18446744073709551615"


def test_the_same_key_creates_once(client: Client) -> None:
    headers = {"Idempotency-Key": "a-key"}
    first = client.post("/batches", json=FIRST_LOOK, headers=headers)
    again = client.post("/batches", json=FIRST_LOOK, headers=headers)
    assert again.json == first.json
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(client.get("/batches").json["items"]) == 1
    other = client.post("/batches", json=FIRST_LOOK | {"repetitions": 1}, headers=headers)
    assert other.status == 422
    assert other.json["error"]["code"] == "key-reused"


def test_a_refused_creation_may_be_mended_under_its_key(client: Client) -> None:
    headers = {"Idempotency-Key": "a-key"}
    assert client.post("/batches", json={"experiment": "nothing"}, headers=headers).status == 404
    assert client.post("/batches", json=FIRST_LOOK, headers=headers).status == 201


def test_a_batch_is_cancelled_and_tried_again(client: Client) -> None:
    batch = client.post("/batches", json=FIRST_LOOK).json["id"]
    assert client.post(f"/batches/{batch}/cancel").json == {"cancelled": 10}
    assert client.get(f"/batches/{batch}").json["state"] == "ended"
    assert client.post(f"/batches/{batch}/retry").json == {"queued": 10}
    assert client.get(f"/batches/{batch}").json["runs"] == {"queued": 10}


def test_priorities(client: Client) -> None:
    batch = client.post("/batches", json=FIRST_LOOK).json["id"]
    assert client.patch(f"/batches/{batch}", json={"priority": 9}).json["priority"] == 9
    assert client.patch(f"/batches/{batch}", json={"priority": 1.5}).status == 422
    assert client.patch("/batches/77", json={"priority": 9}).status == 404
    assert client.patch(f"/batches/{batch}", json={}).status == 422
    pinned = client.patch(f"/batches/{batch}", json={"pinned": True}).json
    assert (pinned["pinned"], pinned["priority"]) == (True, 9)
    assert client.get("/batches").json["items"] == [pinned]


def test_tags_and_notes(client: Client) -> None:
    first, second = (client.post("/batches", json=FIRST_LOOK).json["id"] for _ in range(2))
    made = client.get(f"/batches/{first}").json
    assert (made["tags"], made["note"]) == ([], "")
    said = client.patch(f"/batches/{first}", json={"tags": ["thesis", "chapter 3", "thesis"], "note": "50 % less"}).json
    assert (said["tags"], said["note"]) == (["chapter 3", "thesis"], "50 % less")
    # What is left out stays; tags that are given are all of them.
    assert client.patch(f"/batches/{first}", json={"tags": ["thesis"]}).json["note"] == "50 % less"
    client.patch(f"/batches/{second}", json={"tags": ["thesis", "draft"]})
    assert client.get("/tags").json == {
        "tags": [{"name": "draft", "batches": 1}, {"name": "thesis", "batches": 2}],
    }
    client.delete(f"/batches/{second}")
    assert client.get("/tags").json == {"tags": [{"name": "thesis", "batches": 1}]}


def test_a_batch_is_made_with_tags_and_a_note(client: Client) -> None:
    made = client.post("/batches", json=FIRST_LOOK | {"tags": ["thesis", "draft"], "note": "as in chapter 3"}).json
    assert (made["tags"], made["note"]) == (["draft", "thesis"], "as in chapter 3")
    assert client.get("/batches?tag=draft").json["items"] == [made]
    assert client.post("/batches", json=FIRST_LOOK | {"tags": ["a,b"]}).status == 422


@pytest.mark.parametrize(
    "wrong",
    [
        {"tags": [""]},
        {"tags": ["a,b"]},
        {"tags": [" a"]},
        {"tags": ["a" * 41]},
        {"tags": [f"tag {number}" for number in range(21)]},
        {"tags": "thesis"},
        {"note": "a" * 10_001},
        {"note": "a\x00b"},
        {"note": None},
    ],
)
def test_what_is_no_tag_or_note_is_refused(client: Client, wrong: dict[str, object]) -> None:
    batch = client.post("/batches", json=FIRST_LOOK).json
    assert client.patch(f"/batches/{batch['id']}", json=wrong).status == 422
    assert client.get(f"/batches/{batch['id']}").json == batch


def test_batches_are_found_by_what_they_are_like(client: Client) -> None:
    first, second, third = (client.post("/batches", json=FIRST_LOOK).json["id"] for _ in range(3))
    client.patch(f"/batches/{first}", json={"tags": ["thesis"], "note": "before the 100 % change"})
    client.patch(f"/batches/{second}", json={"tags": ["thesis", "draft"]})
    client.post(f"/batches/{second}/cancel")
    finish(client, [client.get(f"/runs?batch={third}&order=oldest").json["items"][0]["id"]])

    def found(asked: str) -> list[int]:
        return [batch["id"] for batch in client.get(f"/batches?{asked}").json["items"]]

    assert found("tag=thesis") == [second, first]
    assert found("tag=thesis&tag=draft") == [second]
    assert found("tag=none") == []
    assert found("words=BEFORE+change") == [first]
    assert found("words=draf") == [second]
    # A sign of SQL is a letter like others.
    assert found("words=%25") == [first]
    assert found("words=first-look") == [third, second, first]
    assert found("state=ended") == [second]
    assert found("state=queued") == [first]
    assert found("state=running") == [third]
    assert found("testbed=sim&order=oldest") == [first, second, third]
    assert found("testbed=netns") == []
    page = client.get("/batches?order=oldest&limit=2").json
    assert found(f"order=oldest&limit=2&cursor={page['next']}") == [third]


def test_a_deleted_batch_is_gone_with_its_runs(client: Client) -> None:
    batch = client.post("/batches", json=FIRST_LOOK).json["id"]
    assert client.delete(f"/batches/{batch}").status == 204
    assert client.get(f"/batches/{batch}").status == 404
    assert client.get("/runs").json["items"] == []
    assert client.delete(f"/batches/{batch}").status == 404


def test_a_finished_run_has_its_numbers(client: Client) -> None:
    client.post("/batches", json=FIRST_LOOK)
    run = client.get("/runs").json["items"][0]["id"]
    finish(client, [run])
    answer = client.get(f"/runs/{run}").json
    assert answer["state"] == "done"
    assert answer["result"]["metrics"] == {"elapsed_s": 1.5}
    codes = [client.post(f"/runs/{run}/{what}").json["error"]["code"] for what in ("cancel", "retry")]
    assert codes == ["has-ended", "nothing-to-retry"]


def test_a_known_result_answers_at_once(client: Client) -> None:
    asked = FIRST_LOOK | {"captures": False}
    client.post("/batches", json=asked)
    finish(client, [run["id"] for run in client.get("/runs").json["items"]])
    again = client.post("/batches", json=asked).json
    assert again["runs"] == {"done": 10}
    assert all(run["cached"] for run in client.get(f"/runs?batch={again['id']}").json["items"])


def test_one_run_is_cancelled_tried_again_and_deleted(client: Client) -> None:
    client.post("/batches", json=FIRST_LOOK)
    run = client.get("/runs").json["items"][0]["id"]
    assert client.post(f"/runs/{run}/cancel").json == {"cancelled": 1}
    assert client.get(f"/runs/{run}").json["state"] == "cancelled"
    assert client.post(f"/runs/{run}/retry").json == {"queued": 1}
    assert client.delete(f"/runs/{run}").status == 204
    assert client.get(f"/runs/{run}").status == 404
    assert client.post(f"/runs/{run}/cancel").status == 404


def test_runs_are_filtered(client: Client) -> None:
    client.post("/batches", json=FIRST_LOOK)
    every = [run["id"] for run in client.get("/runs").json["items"]]
    finish(client, every[:2])
    finish(client, every[2:3], State.FAILED)

    def count(query: str) -> int:
        return len(client.get(f"/runs?{query}").json["items"])

    assert count("state=done") == 2
    assert count("state=done&state=failed") == 3
    assert count("variant=sack") == 5
    assert count("variant=sack&state=queued&testbed=sim&experiment=first-look") + count("variant=sack&state=done") >= 3
    assert count("link=gprs") == 0
    assert count("testbed=netns") == 0


def test_pages_join_to_the_whole_while_runs_come(client: Client) -> None:
    client.post("/batches", json=FIRST_LOOK)
    whole = [run["id"] for run in client.get("/runs").json["items"]]
    first = client.get("/runs?limit=4").json
    client.post("/batches", json=FIRST_LOOK | {"seed": "2"})
    second = client.get(f"/runs?limit=400&cursor={first['next']}").json
    assert [run["id"] for run in first["items"] + second["items"]] == whole
    assert second["next"] is None


def test_a_list_is_as_new_as_the_last_change(client: Client) -> None:
    client.post("/batches", json=FIRST_LOOK)
    first = client.get("/runs")
    assert client.get("/runs", headers={"If-None-Match": first.headers["ETag"]}).status == 304
    run = first.json["items"][0]["id"]
    client.post(f"/runs/{run}/cancel")
    after = client.get("/runs", headers={"If-None-Match": first.headers["ETag"]})
    assert after.status == 200
    assert after.json["items"][0]["state"] == "cancelled"
    client.patch(f"/batches/{first.json['items'][0]['batch']}", json={"priority": 3})
    assert client.get("/batches").json["items"][0]["priority"] == 3


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=501", "limit=x", "limit=1.0", "limit=", "limit=5&limit=6", "cursor=x", "cursor=0", "state=gone",
     "batch=0", "batch=9223372036854775808", "variant=%00", "order=best", "bacth=1", "limit=%D9%A3"],
)  # fmt: skip
def test_a_query_that_cannot_be_meant_is_refused(client: Client, query: str) -> None:
    reply = client.get(f"/runs?{query}")
    assert reply.status == 422
    assert reply.json["error"]["problems"][0]["key"].startswith(query.partition("=")[0])


def test_the_queue(client: Client) -> None:
    assert client.get("/queue").json["testbeds"] == []
    client.post("/batches", json=FIRST_LOOK)
    assert client.get("/queue").json["testbeds"] == [{"testbed": "sim", "queued": 10, "running": 0, "missing": None}]


def test_metrics_count_runs(client: Client) -> None:
    client.post("/batches", json=FIRST_LOOK)
    assert 'windlull_runs{state="queued"} 10.0' in client.get("/metrics").text


def test_a_run_under_way_is_not_tried_again(client: Client) -> None:
    client.post("/batches", json=FIRST_LOOK)
    run = client.get("/runs").json["items"][0]["id"]
    reply = client.post(f"/runs/{run}/retry")
    assert (reply.status, reply.json["error"]["code"]) == (409, "not-ended")


def test_an_experiment_that_is_none_gets_the_nearest(client: Client) -> None:
    reply = client.post("/batches", json={"experiment": "frist-look"})
    assert (reply.status, reply.json["error"]["code"]) == (404, "not-found")
    assert reply.json["error"]["message"] == 'there is no experiment called frist-look; did you mean "first-look"?'
    assert reply.json["error"]["problems"][0]["suggestion"] == "first-look"
    far = client.post("/batches", json={"experiment": "zzz"})
    assert (far.status, far.json["error"]["message"]) == (404, "there is no experiment called zzz")


def test_the_files_of_a_batch_are_as_they_were(client: Client) -> None:
    batch = client.post("/batches", json=FIRST_LOOK).json["id"]
    answer = client.get(f"/batches/{batch}/files").json
    assert answer["experiment"] == "first-look"
    assert answer["files"][0]["path"] == "experiments/first-look.toml"
    assert answer["files"][0]["text"] == client.get("/experiments/first-look").json["toml"]
    assert {file["path"].partition("/")[0] for file in answer["files"]} == {
        "experiments", "links", "variants", "workloads"
    }  # fmt: skip
    assert client.get("/batches/999/files").status == 404


def test_what_a_batch_was_made_of_and_is_not_there_any_more_is_told_as_gone(client: Client) -> None:
    batch = client.post("/batches", json=FIRST_LOOK).json
    context = of(client.app)
    with context.database.reader() as session:
        made = session.get_one(Batch, batch["id"])
    for name in (made.plan, made.bundle):
        context.blobs.path(name).unlink()
    for what in ("experiment", "files", "results", "report", "results.parquet", "results.csv"):
        answer = client.get(f"/batches/{batch['id']}/{what}")
        assert answer.status == 410, what
        assert answer.json["error"]["code"] == "gone"
        assert f"a file of batch {batch['id']} is no longer on the disk" in answer.json["error"]["message"]
    asked = {"batch": batch["id"], "variants": ["newreno", "sack"]}
    assert client.post("/comparisons", json=asked).status == 410
    # The batch itself can still be read, and deleted.
    assert client.get(f"/batches/{batch['id']}").status == 200


LIVE = '[live]\nvariants = ["linux", "linux@patched"]\n'


def test_runs_in_kernels_are_refused_where_there_is_none(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINDLULL_KERNELS", str(tmp_path))
    asked = FIRST_LOOK | {"repetitions": 1, "testbed": "kernel"}
    refused = client.post("/batches", json=asked)
    assert refused.status == 422
    [problem] = refused.json["error"]["problems"]
    assert problem["key"] == "testbed"
    assert problem["message"] == (
        f'there is no kernel "stock" in {tmp_path}; there is none; `windlull kernel build` makes it in some minutes'
    )
    assert client.get("/batches").json["items"] == []

    built(tmp_path, "stock", "release 6.12.107\n")
    batch = client.post("/batches", json=asked | {"plane": "model"}).json
    assert (batch["testbed"], batch["plane"]) == ("kernel", "model")
    found = client.get(f"/runs?batch={batch['id']}&testbed=kernel").json["items"]
    assert {run["testbed"] for run in found} == {"kernel"}
    assert batch["total"] == 2 * len(found), "the same runs are simulated beside them"


def test_each_kernel_that_a_variant_names_must_be_there(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINDLULL_KERNELS", str(tmp_path))
    built(tmp_path, "stock", "release 6.12.107\n")
    toml = client.get("/experiments/first-look").json["toml"] + LIVE
    assert client.post("/experiments", json={"name": "mine", "toml": toml}).status == 201
    asked = {"experiment": "mine", "repetitions": 1, "testbed": "kernel"}
    refused = client.post("/batches", json=asked).json["error"]
    assert 'no kernel "patched"' in refused["message"]
    assert "windlull kernel build --name patched" in refused["message"]
    built(tmp_path, "patched", "release 6.12.107\n")
    batch = client.post("/batches", json=asked).json
    found = client.get(f"/runs?batch={batch['id']}&testbed=kernel").json["items"]
    assert {run["variant"] for run in found} >= {"linux", "linux@patched"}
    # Nobody but that testbed has kernels to choose from.
    netns = client.post("/batches", json=asked | {"testbed": "netns"})
    assert netns.status == 422
    assert "--testbed kernel can choose one" in netns.text


def test_a_kernel_may_be_on_another_machine(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDLULL_KERNELS", str(tmp_path))
    asked = FIRST_LOOK | {"repetitions": 1, "testbed": "kernel"}

    def workers(host: str, testbeds: tuple[str, ...]) -> None:
        worker = status.WorkerStatus("tcp://1", host, testbeds, "engine")
        with of(client.app).database.session() as session:
            status.say(session, status.Status("idle", workers=(worker,)), now=datetime.now(UTC), changed=True)

    for host, testbeds in ((platform.node(), ("sim", "kernel")), ("elsewhere", ("sim", "netns"))):
        workers(host, testbeds)
        assert client.post("/batches", json=asked).status == 422
    workers("elsewhere", ("sim", "kernel"))
    assert client.post("/batches", json=asked).status == 201


def test_what_no_worker_takes_is_refused_and_does_not_wait_for_ever(client: Client) -> None:
    asked = FIRST_LOOK | {"repetitions": 1, "testbed": "netns"}
    # Nobody has said who works: workers may come.
    assert client.post("/batches", json=asked).status == 201
    least, more = (Limits(memory, 1, 60, 7) for memory in (1000, 2000))
    workers = tuple(
        status.WorkerStatus(f"tcp://{number}", "here", ("sim", "compose"), "engine", limits=limits)
        for number, limits in enumerate((more, least))
    )
    with of(client.app).database.session() as session:
        status.say(session, status.Status("idle", workers=workers), now=datetime.now(UTC), changed=True)
    refused = client.post("/batches", json=asked)
    assert refused.status == 422
    assert "no worker takes runs of the testbed netns, but of compose and sim" in refused.text
    assert client.post("/batches", json=asked | {"testbed": "sim"}).status == 201
    assert client.get("/queue").json["workers"][0]["limits"]["memory_bytes"] == 2000
    toml = client.get("/experiments/first-look").json["toml"]
    estimated = client.post("/validations", json={"kind": "experiment", "toml": toml}).json["estimate"]["limits"]
    assert (estimated["memory_bytes"], estimated["processor_s"], estimated["disk_bytes"]) == (1000, 60, 7)
