from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from windlull.store import calibrations

if TYPE_CHECKING:
    from tests.api.client import Client
    from windlull.store.database import Database

SPREAD = {"p50": 1.0, "p99": 2.0, "max": 3.0, "count": 10}
RESULT: dict[str, Any] = {
    "precise": True,
    "delays": {
        "release": SPREAD, "release_in_stalls": SPREAD, "wire": SPREAD,
        "stalls": {"count": 1, "longest_us": 900, "total_us": 900}, "plane_drops": 0,
    },
    "script_error_us": SPREAD,
    "rates": [
        {
            "planned_bps": 10000, "achieved_bps": 10000.1, "error": 0.00001, "over_s": 3.0, "release": SPREAD,
            "plane_drops": 0, "valid": True,
        }
    ],
    "loss": {"probability": 0.01, "packets": 1000, "lost": 10, "unaccounted": 0, "interval": [0.0045, 0.0219]},
    "highest_rate_bps": None, "throughput_bps": 1e9, "throughput_sending": 0.5, "forwarding_throughput_bps": 2e9,
}  # fmt: skip


def now() -> datetime:
    return datetime.now(UTC)


def test_one_is_asked_for_measured_and_listed(client: Client, database: Database) -> None:
    assert client.get("/calibrations").json == {"items": [], "next": None}
    made = client.post("/calibrations", json={"pace": "frugal"})
    assert made.status == 201
    assert made.headers["Location"] == f"/api/v1/calibrations/{made.json['id']}"
    assert (made.json["state"], made.json["pace"], made.json["thorough"]) == ("waiting", "frugal", False)
    with database.session() as session:
        calibrations.begin(session, made.json["id"], now=now())
    assert client.get(f"/calibrations/{made.json['id']}").json["state"] == "running"
    with database.session() as session:
        calibrations.end(session, made.json["id"], now=now(), result=RESULT)
    items = client.get("/calibrations").json["items"]
    assert [one["state"] for one in items] == ["done"]
    assert items[0]["result"] == RESULT
    assert items[0]["started_at"] <= items[0]["ended_at"]


def test_a_second_one_is_refused_while_one_is_under_way(client: Client, database: Database) -> None:
    first = client.post("/calibrations", json={}, headers={"Idempotency-Key": "a"})
    again = client.post("/calibrations", json={}, headers={"Idempotency-Key": "a"})
    assert (again.status, again.json["id"]) == (201, first.json["id"])
    second = client.post("/calibrations", json={})
    assert (second.status, second.json["error"]["code"]) == (409, "busy")
    with database.session() as session:
        calibrations.end(session, first.json["id"], now=now(), reason="no namespaces here")
    answer = client.get(f"/calibrations/{first.json['id']}").json
    assert (answer["state"], answer["reason"], answer["result"]) == ("failed", "no namespaces here", None)
    third = client.post("/calibrations", json={"thorough": True}).json["id"]
    page = client.get("/calibrations?limit=1").json
    assert [one["id"] for one in page["items"]] == [third]
    assert [one["id"] for one in client.get(f"/calibrations?cursor={page['next']}").json["items"]] == [first.json["id"]]


def test_what_cannot_be_is_refused(client: Client) -> None:
    assert client.post("/calibrations", json={"pace": "quick"}).status == 422
    assert client.post("/calibrations", json={"plane": "netem"}).status == 422
    assert client.get("/calibrations/1").status == 404
    assert client.get("/calibrations?cursor=zzz").status == 422


def test_who_watches_hears_of_it(client: Client) -> None:
    number = client.post("/calibrations", json={}).json["id"]
    text = client.get("/events?follow=false&after=0&kind=calibration").text
    assert f'"data":{{"id":{number},"state":"waiting"}}' in text
