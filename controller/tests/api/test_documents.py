from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from windlull import locate
from windlull.runner import plans
from windlull.store import documents as store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.client import Client

pytestmark = pytest.mark.long

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
        answer = client.get(f"/{kind}/{item['name']}").json
        assert answer["problems"] == []
        assert answer["title"] == item["title"]


def test_pages_join_to_the_whole(client: Client) -> None:
    whole = client.get("/links?limit=500").json["items"]
    page = client.get("/links?limit=3").json
    found = page["items"]
    while page["next"]:
        page = client.get(f"/links?limit=3&cursor={page['next']}").json
        found += page["items"]
    assert found == whole
    assert len(found) > 3


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
    answer = client.post("/validations", json={"kind": "link", "toml": LINK}).json
    assert answer["valid"]
    assert answer["resolved"]
    answer = client.post("/validations", json={"kind": "link", "toml": LINK + "evry = 1\n", "name": "mine"}).json
    assert not answer["valid"]
    assert answer["problems"][0]["line"] == 6
    assert client.get("/links?origin=own").json["items"] == []


def test_a_validation_of_an_experiment_counts_its_runs(client: Client) -> None:
    toml = client.get("/experiments/first-look").json["toml"]
    answer = client.post("/validations", json={"kind": "experiment", "toml": toml}).json
    assert answer["runs"] == 10
    assert answer["estimate"]["packets"] > 10 * answer["estimate"]["largest"]["packets"] * 0.5
    assert answer["estimate"]["limits"]["disk_bytes"] > answer["estimate"]["largest"]["disk_bytes"]
    assert answer["estimate"]["beyond"] == []
    # Those of a worker's engine, which carries a run's files in memory, not those of the command.
    assert answer["estimate"]["limits"]["disk_bytes"] == 1 << 30
    assert 0 < answer["estimate"]["limits"]["memory_bytes"] <= 4 << 30


def test_a_link_is_exported(client: Client) -> None:
    assert client.get("/exports/tc?link=bench-s1&seed=7&seconds=60").text.startswith("#!/bin/sh")
    gprs = client.get("/exports/tc?link=gprs").text
    assert "# Approximated, as tc and nft have no equal:\n# - [down] arq: " in gprs, "GPRS retransmits below IP"
    assert client.get("/exports/tc?link=nothing").status == 404
    assert client.get("/exports/tc?link=gprs&seed=18446744073709551616").status == 422
    assert client.get("/exports/tc").status == 422


def test_a_cursor_that_was_never_given_is_refused(client: Client) -> None:
    for cursor in ("zzz", "after:", "after:..", "gprs"):
        reply = client.get(f"/links?cursor={cursor}")
        assert reply.status == 422
        assert reply.json["error"]["problems"][0]["key"] == "cursor"
    # Of one that is gone meanwhile the page goes on all the same.
    items = client.get("/links?limit=500").json["items"]
    behind = [item["name"] for item in items if item["name"] > "f"]
    assert [item["name"] for item in client.get("/links?limit=500&cursor=after:f").json["items"]] == behind


def test_who_uses_a_document_is_told(client: Client) -> None:
    client.post("/links", json={"name": "mine", "toml": LINK})
    assert client.get("/links/mine").json["used_by"] == []
    client.post("/links", json={"name": "based", "toml": 'title = "On it"\nextends = "mine"\n'})
    client.post("/experiments", json={"name": "mine", "toml": EXPERIMENT})
    # A text that has the name, and means no document by it.
    client.post("/links", json={"name": "other", "toml": LINK.replace('"Mine"', '"mine"')})
    assert client.get("/links/mine").json["used_by"] == [
        {"kind": "experiment", "name": "mine"},
        {"kind": "link", "name": "based"},
    ]
    sack = client.get("/variants/sack").json["used_by"]
    assert {"kind": "experiment", "name": "mine"} in sack
    assert {"kind": "experiment", "name": "first-look"} in sack
    assert {"kind": "experiment", "name": "mine"} in client.get("/workloads/bulk-20-kib-down").json["used_by"]
    assert client.get("/experiments/mine").json["used_by"] == []


WORKLOAD = (
    'title = "Two"\nkind = "bulk"\nsize = "9 KiB"\ndirection = "down"\n'
    '[[beside]]\nkind = "bulk"\nsize = "9 KiB"\ndirection = "up"\nvariant = "mine"\n'
)
VARIANT = 'title = "Mine"\nextends = "sack"\n'
BEHIND = (
    'title = "All of it"\nlinks = ["gprs", "down/the/line"]\naccess = "mine"\nvariants = ["frto+sack"]\n'
    'workload = "two"\n[live]\nvariants = ["linux@patched"]\n'
)


def behind(client: Client) -> None:
    """An experiment, and documents behind it at every place where one can be named."""
    for kind, name, toml in (
        ("links", "mine", LINK),
        ("links", "down/the/line", 'title = "On it"\nextends = "mine"\n'),
        ("variants", "mine", VARIANT),
        ("workloads", "two", WORKLOAD),
        ("experiments", "all", BEHIND),
    ):
        made = client.post(f"/{kind}", json={"name": name, "toml": toml})
        assert made.status == 201, made.text


def test_what_a_document_builds_on_is_told(client: Client) -> None:
    behind(client)
    builds_on = client.get("/experiments/all").json["builds_on"]
    assert [(one["kind"], one["name"]) for one in builds_on if one["origin"] == "own"] == [
        ("link", "down/the/line"),
        ("link", "mine"),
        ("variant", "mine"),
        ("workload", "two"),
    ]
    shipped = {(one["kind"], one["name"]) for one in builds_on if one["origin"] == "shipped"}
    # What a variant extends is named by it, a kernel of its own by nobody.
    assert {("link", "gprs"), ("variant", "sack"), ("variant", "frto+sack"), ("variant", "linux")} <= shipped
    assert client.post("/validations", json={"kind": "experiment", "toml": BEHIND}).json["builds_on"] == builds_on
    assert client.get("/links/mine").json["builds_on"] == []
    # Also of what is not right yet, as far as it can be read.
    wrong = BEHIND.replace('"gprs"', '"nothing", "../x.toml", 3').replace("workload", "wrkload")
    builds_on = client.post("/validations", json={"kind": "experiment", "toml": wrong}).json
    assert not builds_on["valid"]
    names = [one["name"] for one in builds_on["builds_on"] if one["origin"] == "own"]
    assert names == ["down/the/line", "mine"]
    assert client.post("/validations", json={"kind": "link", "toml": "= ="}).json["builds_on"] == []


def test_what_shipped_experiments_build_on_is_what_the_engine_reads(client: Client) -> None:
    for item in client.get("/experiments?limit=500").json["items"]:
        builds_on = client.get(f"/experiments/{item['name']}").json["builds_on"]
        planned = plans.plan(item["name"], profiles=[locate.profiles()], brief=True, confined=True)
        read = {file for file in planned.files if file.endswith(".toml")} - {planned.experiment_file}
        assert {f"{store.FOLDERS[one['kind']]}/{one['name']}.toml" for one in builds_on} == read, item["name"]


def test_who_names_a_document_at_any_place_is_told(client: Client) -> None:
    behind(client)
    assert client.get("/links/mine").json["used_by"] == [
        {"kind": "experiment", "name": "all"},
        {"kind": "link", "name": "down/the/line"},
    ]
    assert client.get("/variants/mine").json["used_by"] == [{"kind": "workload", "name": "two"}]
    assert {"kind": "experiment", "name": "all"} in client.get("/variants/linux").json["used_by"]


def test_an_experiment_extends_one_that_is_shipped_or_the_users_own(client: Client) -> None:
    base = 'title = "Ours"\nbase = true\nextends = "papers/wen2010/base-spikes"\nlink = "mine"\n'
    for kind, name, toml in (
        ("links", "mine", LINK),
        ("experiments", "ours", base),
        ("experiments", "all", 'title = "All"\nextends = "ours"\nrepetitions = 2\n'),
    ):
        made = client.post(f"/{kind}", json={"name": name, "toml": toml})
        assert made.status == 201, made.text
    assert client.get("/experiments/ours").json["used_by"] == [{"kind": "experiment", "name": "all"}]
    builds_on = client.get("/experiments/all").json["builds_on"]
    assert {"kind": "experiment", "name": "ours", "origin": "own"} in builds_on
    assert {"kind": "experiment", "name": "papers/wen2010/base", "origin": "shipped"} in builds_on
    assert {"kind": "link", "name": "mine", "origin": "own"} in builds_on
    shipped = locate.profiles() / "experiments" / "papers/wen2010/base.toml"
    builds_on = client.get("/experiments/papers/wen2010/base").json
    assert (builds_on["toml"], builds_on["resolved"], builds_on["problems"]) == (
        shipped.read_text(encoding="utf-8"),
        None,
        [],
    )
    builds_on = client.post("/validations", json={"kind": "experiment", "toml": base}).json
    assert (builds_on["valid"], builds_on["resolved"], builds_on["runs"]) == (True, None, None)
    wrong = {"kind": "experiment", "toml": base + "repetitions = 0\n"}
    assert not client.post("/validations", json=wrong).json["valid"]
    assert client.delete("/experiments/ours", headers={"If-Match": "*"}).status == 409
    made = client.post("/batches", json={"experiment": "all"})
    assert (made.status, made.json["total"]) == (201, 8), made.text
    refused = client.post("/batches", json={"experiment": "ours"})
    assert refused.status == 422
    assert "a part of other experiments, not one to run" in refused.text
    elsewhere = {"kind": "experiment", "toml": 'title = "x"\nextends = "/etc/passwd.toml"\n'}
    assert not client.post("/validations", json=elsewhere).json["valid"]


@pytest.mark.parametrize(
    "workload", ['workload = { kind = "command", client = ["true"] }', 'workloads = ["bulk-20-kib-down"]']
)
def test_what_an_experiment_replaces_of_its_base_it_does_not_build_on(client: Client, workload: str) -> None:
    behind(client)
    ours = f"""
        title = "Ours"
        extends = "all"
        links = ["gprs"]
        access = "gprs"
        variants = ["linux"]
        {workload}
        live = {{ variants = [] }}
    """
    base = client.get("/experiments/all").json["builds_on"]
    answer = client.post("/validations", json={"kind": "experiment", "toml": ours}).json["builds_on"]
    kept = {"mine", "down/the/line", "two", "frto+sack", "sack"}
    assert kept <= {one["name"] for one in base}
    assert not kept & {one["name"] for one in answer}
    assert {"kind": "experiment", "name": "all", "origin": "own"} in answer
    assert {"kind": "link", "name": "gprs", "origin": "shipped"} in answer


def test_what_an_experiment_builds_on_by_another_stays(client: Client) -> None:
    behind(client)
    # The workload alone would not miss it: which variants there are, an experiment asks.
    refused = client.delete("/variants/mine", headers={"If-Match": "*"})
    assert refused.status == 409
    assert refused.json["error"]["message"] == "it is used by experiment all; change or delete that first"
    assert client.delete("/experiments/all", headers={"If-Match": "*"}).status == 204
    assert client.delete("/variants/mine", headers={"If-Match": "*"}).status == 204


def test_a_validation_reads_what_is_to_be_kept_with_it(client: Client) -> None:
    client.post("/variants", json={"name": "mine", "toml": VARIANT})
    toml = EXPERIMENT.replace("bulk-20-kib-down", "two")
    beside = [{"kind": "link", "name": "mine", "toml": LINK}, {"kind": "workload", "name": "two", "toml": WORKLOAD}]

    def validated(*beside: dict[str, str]) -> Any:
        return client.post("/validations", json={"kind": "experiment", "toml": toml, "beside": beside}).json

    assert {one["key"] for one in validated()["problems"]} == {"link", "workload"}
    assert validated(*beside)["problems"] == []
    assert validated(*beside)["runs"] == 1
    own = [one for one in validated(*beside)["builds_on"] if one["origin"] == "own"]
    assert own == [{"kind": "variant", "name": "mine", "origin": "own"}]
    wrong = beside[1] | {"toml": WORKLOAD.replace('direction = "up"', 'direction = "over"')}
    [problem] = validated(beside[0], wrong)["problems"]
    assert (problem["file"], problem["key"]) == ("workloads/two.toml", "beside[0].direction")
    nobody = beside[1] | {"toml": WORKLOAD.replace('"mine"', '"nobody"')}
    [problem] = validated(beside[0], nobody)["problems"]
    assert 'no variant "nobody"' in problem["message"]
    assert client.get("/links?origin=own").json["items"] == []


def test_a_validation_is_for_a_testbed(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDLULL_KERNELS", str(tmp_path))
    client.post("/links", json={"name": "mine", "toml": LINK})

    def validated(toml: str, **where: str) -> Any:
        return client.post("/validations", json={"kind": "experiment", "toml": toml} | where).json

    assert validated(EXPERIMENT)["runs"] == 1
    assert validated(EXPERIMENT, testbed="netns", plane="model")["runs"] == 2
    [problem] = validated(EXPERIMENT, testbed="kernel")["problems"]
    assert 'there is no kernel "stock"' in problem["message"]
    behind_it = EXPERIMENT.replace('link = "mine"', 'link = "mine"\naccess = "gprs"')
    assert validated(behind_it)["valid"]
    assert validated(behind_it, testbed="netns", plane="model")["valid"]
    problems = validated(behind_it, testbed="netns", plane="netem")["problems"]
    assert any(one["message"].startswith('`access = "gprs"`: the netem plane has one link') for one in problems)


def traced(instants: int) -> str:
    """A link with a trace of so many opportunities, one a millisecond or so."""
    listed = ", ".join(str(place * 11 // 10 + 1) for place in range(instants))
    return LINK.replace('rate = "1 Mbit/s"', f'rate = {{ kind = "trace", milliseconds = [{listed}] }}')


def test_a_trace_of_a_hundred_thousand_lines_is_kept_and_previewed(client: Client) -> None:
    toml = traced(100_000)
    assert len(toml) > 600_000
    answer = client.post("/validations", json={"kind": "link", "name": "traced", "toml": toml}).json
    assert (answer["valid"], answer["problems"]) == (True, [])
    assert client.post("/links", json={"name": "traced", "toml": toml}).status == 201
    assert client.get("/links/traced").json["toml"] == toml
    rate = client.post("/previews", json={"toml": toml, "name": "traced", "seconds": 60}).json["down"]["rate"]
    assert (rate["kind"], rate["window_ns"]) == ("trace", 500_000_000)
    # 1504 octets every 1.1 ms.
    assert all(abs(bps / (1504 * 8 / 0.0011) - 1) < 0.01 for bps in rate["bps"])


def test_a_text_beyond_all_bounds_is_refused(client: Client) -> None:
    reply = client.post("/links", json={"name": "huge", "toml": "#" * ((4 << 20) + 1)})
    assert reply.status == 413
    assert client.post("/links", json={"name": "huge", "toml": "#" * (11 << 20)}).status == 413


def test_problems_of_a_text_have_their_line_and_column(client: Client) -> None:
    wrong = LINK.replace('rate = "1 Mbit/s"', 'rate = "fast"').replace("[both]", "[both]\nspeed = 1")
    answer = client.post("/validations", json={"kind": "link", "name": "mine", "toml": wrong}).json
    assert answer["valid"] is False
    places = {(one["file"], one["line"], one["column"]) for one in answer["problems"]}
    assert {("links/mine.toml", 3, 1), ("links/mine.toml", 4, 1)} <= places
    broken = client.post("/validations", json={"kind": "link", "toml": 'title = "x"\nrate = = 3\n'}).json
    assert [(one["line"], one["column"]) for one in broken["problems"]] == [(2, 8)]
