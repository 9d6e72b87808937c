from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.api.client import Client

LINK = (
    'title = "Mine"\n[both]\nrate = "1 Mbit/s"\ndelay = "10 ms"\nqueue = { kind = "droptail", limit = "10 packets" }\n'
)
EXPERIMENT = (
    'title = "Mine too"\nlink = "mine"\nvariants = ["sack"]\nworkload = "bulk-20-kib-down"\n[tcp]\nmss = "536 B"\n'
)


@pytest.mark.parametrize("kind", ["links", "variants", "workloads", "experiments"])
def test_shipped_documents_are_listed_and_read(client: Client, kind: str) -> None:
    items = client.get(f"/{kind}?limit=500").json["items"]
    assert items
    assert all(item["origin"] == "shipped" for item in items)
    for item in items:
        told = client.get(f"/{kind}/{item['name']}").json
        assert told["problems"] == []
        assert told["title"] == item["title"]


def test_pages_join_to_the_whole(client: Client) -> None:
    whole = client.get("/links?limit=500").json["items"]
    page = client.get("/links?limit=3").json
    found = page["items"]
    while page["next"]:
        page = client.get(f"/links?limit=3&cursor={page['next']}").json
        found += page["items"]
    assert found == whole


def test_a_document_lives(client: Client) -> None:
    made = client.post("/links", json={"name": "mine", "toml": LINK})
    assert made.status == 201
    assert made.headers["Location"] == "/api/v1/links/mine"
    read = client.get("/links/mine")
    assert read.headers["ETag"] == made.headers["ETag"]
    assert read.json["origin"] == "own"
    assert read.json["resolved"]
    assert client.get("/links/mine", headers={"If-None-Match": read.headers["ETag"]}).status == 304

    changed = client.put(
        "/links/mine", json={"toml": LINK.replace("Mine", "Ours")}, headers={"If-Match": read.headers["ETag"]}
    )
    assert changed.json["title"] == "Ours"
    assert changed.json["revision"] == 2

    late = client.put("/links/mine", json={"toml": LINK}, headers={"If-Match": read.headers["ETag"]})
    assert late.status == 412
    assert client.put("/links/mine", json={"toml": LINK}).status == 428
    assert client.delete("/links/mine").status == 428
    assert client.delete("/links/mine", headers={"If-Match": changed.headers["ETag"]}).status == 204
    assert client.get("/links/mine").status == 404


def test_a_copy_is_ones_own(client: Client) -> None:
    made = client.post("/links", json={"name": "my/gprs", "copy_of": "gprs"})
    assert made.status == 201
    assert made.json["toml"] == client.get("/links/gprs").json["toml"]
    assert made.json["origin"] == "own"


def test_what_is_wrong_is_told_with_its_place(client: Client) -> None:
    error = client.post("/links", json={"name": "mine", "toml": LINK + "evry = 1\n"}).json["error"]
    assert error["problems"][0]["file"] == "links/mine.toml"
    assert error["problems"][0]["line"] == 6
    assert "evry" in error["problems"][0]["key"]
    assert client.get("/links/mine").status == 404


def test_shipped_documents_stay(client: Client) -> None:
    etag = client.get("/links/gprs").headers["ETag"]
    assert client.put("/links/gprs", json={"toml": LINK}, headers={"If-Match": etag}).status == 403
    assert client.delete("/links/gprs", headers={"If-Match": etag}).status == 403
    assert client.post("/links", json={"name": "gprs", "toml": LINK}).status == 409


def test_a_document_that_another_names_stays_and_stays_right(client: Client) -> None:
    client.post("/links", json={"name": "mine", "toml": LINK})
    assert client.post("/experiments", json={"name": "papers/mine", "toml": EXPERIMENT}).status == 201

    refused = client.delete("/links/mine", headers={"If-Match": "*"})
    assert refused.status == 409
    assert "experiment papers/mine" in refused.json["error"]["message"]

    before = client.get("/experiments/papers/mine")
    client.put("/links/mine", json={"toml": LINK.replace("10 ms", "20 ms")}, headers={"If-Match": "*"})
    after = client.get("/experiments/papers/mine")
    assert after.headers["ETag"] != before.headers["ETag"]
    kept = client.put(
        "/experiments/papers/mine", json={"toml": EXPERIMENT + "# ours\n"}, headers={"If-Match": before.headers["ETag"]}
    )
    assert kept.status == 200, "a change of the link is no change of the experiment"

    assert client.delete("/experiments/papers/mine", headers={"If-Match": "*"}).status == 204
    assert client.delete("/links/mine", headers={"If-Match": "*"}).status == 204


def test_files_elsewhere_are_out_of_reach(client: Client) -> None:
    toml = EXPERIMENT.replace('"mine"', '"/etc/hostname.toml"')
    assert client.post("/experiments", json={"name": "e", "toml": toml}).status == 422
    toml = EXPERIMENT.replace('"mine"', '"../../../../etc/passwd.toml"')
    assert client.post("/experiments", json={"name": "e", "toml": toml}).status == 422


@pytest.mark.parametrize("name", ["../x", "a//b", "/a", "a/", "a.toml", "A", "", "a\x00", "x" * 201, "..", "a/../b"])
def test_a_name_is_no_path(client: Client, name: str) -> None:
    assert client.post("/links", json={"name": name, "toml": LINK}).status == 422


def test_a_validation_keeps_nothing(client: Client) -> None:
    told = client.post("/validations", json={"kind": "link", "toml": LINK}).json
    assert told["valid"]
    assert told["resolved"]
    told = client.post("/validations", json={"kind": "link", "toml": LINK + "evry = 1\n", "name": "mine"}).json
    assert not told["valid"]
    assert told["problems"][0]["line"] == 6
    assert client.get("/links?origin=own").json["items"] == []


def test_a_validation_of_an_experiment_counts_its_runs(client: Client) -> None:
    toml = client.get("/experiments/first-look").json["toml"]
    assert client.post("/validations", json={"kind": "experiment", "toml": toml}).json["runs"] == 10


def test_a_link_is_exported(client: Client) -> None:
    assert client.get("/exports/tc?link=bench-s1&seed=7&seconds=60").text.startswith("#!/bin/sh")
    assert client.get("/exports/tc?link=gprs").status == 422, "tc has no link layer that retransmits"
    assert client.get("/exports/tc?link=nothing").status == 404
    assert client.get("/exports/tc?link=gprs&seed=18446744073709551616").status == 422
    assert client.get("/exports/tc").status == 422
