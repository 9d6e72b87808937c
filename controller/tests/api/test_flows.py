from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from windlull.api.context import of
from windlull.runner import engine
from windlull.runner.bundle import Bundle, unpacked
from windlull.store import documents, runs
from windlull.store.tables import State

if TYPE_CHECKING:
    from tests.api.client import Client

SLOW = """\
title = "Slow"
[both]
rate = "100 kbit/s"
delay = "20 ms"
queue = { kind = "droptail", limit = "10 packets" }
"""


def listed(client: Client) -> dict[str, Any]:
    return {one["link"]: one for one in client.get("/flows").json["items"]}


def measure(client: Client, *links: str) -> dict[str, Any]:
    reply = client.post("/flows", json={"links": list(links)})
    assert reply.status == 200, reply.text
    return {one["link"]: one for one in reply.json["items"]}


def end(client: Client, run: int, state: State, **ended: Any) -> None:
    """Let a run end, as the scheduler would."""
    now = datetime.now(UTC)
    with of(client.app).database.session() as session:
        held = runs.claim(session, [run], "a worker", now=now)
        runs.record(session, [runs.Ended(one, state, **ended) for one in held], now=now)


def test_nothing_is_measured_that_nobody_asked_for(client: Client) -> None:
    flows = client.get("/flows").json
    assert flows["items"] == []
    assert (flows["experiment"], flows["variant"], flows["seed"]) == ("one-flow", "modern", "1")
    assert "60 s" in flows["workload"]
    assert client.get("/batches").json["items"] == []


def test_links_are_measured_once_in_one_batch(client: Client) -> None:
    flows = measure(client, "gprs", "fibre", "gprs")
    assert list(flows) == ["fibre", "gprs"]
    assert {one["state"] for one in flows.values()} == {"queued"}
    (batch,) = client.get("/batches").json["items"]
    assert batch["title"] == "What one flow gets through 2 links"
    assert (batch["total"], batch["testbed"], batch["captures"], batch["seed"]) == (2, "sim", False, "1")
    assert {one["batch"] for one in flows.values()} == {batch["id"]}
    assert measure(client, "gprs") == flows
    assert len(client.get("/batches").json["items"]) == 1
    assert set(measure(client, "gprs", "dsl")) == {"dsl", "fibre", "gprs"}
    newest = client.get("/batches").json["items"][0]
    assert (newest["title"], newest["total"]) == ("What one flow gets through dsl", 1)


def metrics_of(client: Client, batch: int) -> dict[str, float]:
    """Make the one run of a batch, as a worker would, and return what it measured."""
    files = client.get(f"/batches/{batch}/files").json
    bundle = Bundle(files["experiment"], {file["path"]: file["text"] for file in files["files"]})
    with unpacked(bundle) as root:
        said = engine.text(["run", bundle.experiment], profiles=[root])
    (run,) = [line for line in map(msgspec.json.decode, said.splitlines()) if line["event"] == "run"]
    measured: dict[str, float] = run["metrics"]
    return measured


def test_what_the_run_measured_is_told_and_no_more_than_the_link_carries(client: Client) -> None:
    assert client.post("/links", json={"name": "slow", "toml": SLOW}).status == 201
    flow = measure(client, "slow")["slow"]
    assert flow["measured"] is None
    metrics = metrics_of(client, flow["batch"])
    end(client, flow["run"], State.DONE, metrics=metrics)
    told = listed(client)["slow"]
    assert told["state"] == "done"
    assert told["measured"] == {
        name: metrics[name]
        for name in (
            "elapsed_s", "goodput_bps", "queue_delay_s", "packets_lost", "retransmissions",
            "unnecessary_retransmissions",
        )
    }  # fmt: skip
    assert 0.8 * 100e3 < told["measured"]["goodput_bps"] < 100e3
    assert measure(client, "slow")["slow"] == told


def test_a_link_that_was_changed_is_not_measured_yet(client: Client) -> None:
    made = client.post("/links", json={"name": "slow", "toml": SLOW})
    flow = measure(client, "slow", "gprs")["slow"]
    end(client, flow["run"], State.DONE, metrics={"goodput_bps": 95e3})
    assert listed(client)["slow"]["measured"] == {
        "elapsed_s": None, "goodput_bps": 95e3, "queue_delay_s": None, "packets_lost": None, "retransmissions": None,
        "unnecessary_retransmissions": None,
    }  # fmt: skip
    faster = {"toml": SLOW.replace("100 kbit/s", "200 kbit/s")}
    assert client.put("/links/slow", json=faster, headers={"If-Match": made.headers["ETag"]}).status == 200
    assert set(listed(client)) == {"gprs"}
    again = measure(client, "slow")["slow"]
    assert again["run"] != flow["run"]
    # Its words are no part of what it does.
    words = {"toml": SLOW.replace('"Slow"', '"Slow, but well described"')}
    assert client.put("/links/slow", json=words, headers={"If-Match": "*"}).status == 200
    assert listed(client)["slow"]["run"] == flow["run"]


def test_what_failed_is_tried_again(client: Client) -> None:
    flow = measure(client, "gprs")["gprs"]
    end(client, flow["run"], State.FAILED, reason="a limit")
    told = listed(client)["gprs"]
    assert (told["state"], told["reason"], told["measured"]) == ("failed", "a limit", None)
    again = measure(client, "gprs")["gprs"]
    assert (again["state"], again["run"] > flow["run"]) == ("queued", True)


def test_a_link_that_is_not_valid_any_more_leaves_the_others(client: Client) -> None:
    with of(client.app).database.session() as session:
        documents.create(session, "link", "broken", 'title = "x"\nextends = "nowhere"\n')
    reply = client.post("/flows", json={"links": ["broken"]})
    assert (reply.status, "valid link called broken" in reply.text) == (404, True)
    assert set(measure(client, "gprs")) == {"gprs"}


def test_a_link_that_there_is_not(client: Client) -> None:
    assert client.post("/flows", json={"links": ["gprs", "nobody"]}).status == 404
    assert client.get("/batches").json["items"] == []
    assert client.post("/flows", json={"links": []}).status == 422
