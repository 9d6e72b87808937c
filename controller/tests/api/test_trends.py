from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from tests.api import finished
from windlull.api.context import of
from windlull.stats import trend
from windlull.store import tags
from windlull.store.tables import Batch, Result, Run

if TYPE_CHECKING:
    from tests.api.client import Client

NIGHTS = datetime(2026, 11, 1, 3, tzinfo=UTC)


def nights(client: Client, elapsed: list[float], *, tag: str = "nightly") -> list[int]:
    """Keep a batch a night, in which every run of `sack` took so long; return their numbers."""
    made = finished.first_look()
    found = []
    for night, seconds in enumerate(elapsed):
        batch = finished.store(client.app, made)
        found.append(batch)
        with of(client.app).database.session() as session:
            row = session.get(Batch, batch)
            assert row is not None
            row.created_at = NIGHTS + timedelta(days=night)
            tags.put(session, batch, [tag, f"commit:{night:03}abc"])
            for run in session.scalars(select(Run).where(Run.batch_id == batch, Run.variant == "sack")):
                measured = session.get(Result, run.result_id)
                assert measured is not None
                # Equal runs share a result; a night has one of its own.
                own = Result(
                    key=None, metrics=measured.metrics | {"elapsed_s": seconds}, certificate=None, attempts=1,
                    size_bytes=0, created_at=row.created_at,
                )  # fmt: skip
                session.add(own)
                session.flush()
                run.result_id = own.id
    return found


def series_of(answer: Any, variant: str) -> Any:
    return next(one for one in answer["series"] if one["variant"] == variant)


def test_a_change_is_found_told_in_words_and_nothing_is_said_of_what_stayed(client: Client) -> None:
    batches = nights(client, [10.0, 10.1, 9.9, 10.0, 10.1, 11.2, 11.3, 11.1, 11.2, 11.2])
    answer = client.get("/trends?tag=nightly&metric=elapsed_s").json
    assert [one["id"] for one in answer["batches"]] == batches
    assert answer["batches"][3]["commit"] == "003abc"
    sack, frto = (series_of(answer, variant) for variant in ("sack", "frto+sack"))
    assert [point["median"]["value"] for point in sack["points"]][5:7] == [11.2, 11.3]
    assert (frto["changes"], frto["note"]) == ([], "the same in all batches")
    (change,) = sack["changes"]
    assert (change["last_before"], change["batch"]) == (batches[4], batches[5])
    assert (change["before"], change["after"]) == (pytest.approx(10.02), pytest.approx(11.2))
    assert change["text"].startswith(
        f"since 2026-11-06 (batch {batches[5]}, commit 005abc) elapsed time of sack is 11.8 % higher (95 % interval "
    )
    assert change["ratio"]["low"] < 11.2 / 10.02 < change["ratio"]["high"]
    assert change["apart"] == []
    assert answer["false_alarms"] == trend.FALSE_ALARMS


def test_what_differs_between_the_batches_of_a_change_is_told(client: Client) -> None:
    batches = nights(client, [10.0] * 5 + [9.0] * 5)
    with of(client.app).database.session() as session:
        for number in batches[5:]:
            row = session.get(Batch, number)
            assert row is not None
            row.seed = "7"
    (change,) = series_of(client.get("/trends?experiment=first-look").json, "sack")["changes"]
    assert change["apart"] == [{"what": "seed", "key": None, "baseline": "1", "candidate": "7"}]
    assert change["text"].endswith("is 10 % lower (all batches before it agree, and so do all since)")


def test_the_commit_is_that_of_a_tag_else_of_the_round_else_of_the_engine(client: Client) -> None:
    tagged, of_round, of_engine = nights(client, [10.0] * 3)
    with of(client.app).database.session() as session:
        for number in (tagged, of_round):
            session.get_one(Batch, number).commit = "aaaa1111"
        for number in (of_round, of_engine):
            tags.put(session, number, ["nightly"])
    batches = client.get("/trends?tag=nightly").json["batches"]
    assert [one["commit"] for one in batches] == ["000abc", "aaaa1111", batches[2]["engine"]["commit"]]


def with_another(client: Client, batch: int, what: str) -> None:
    """Let a batch have been given another workload, or other settings of its variants."""
    context = of(client.app)
    with context.database.session() as session:
        row = session.get_one(Batch, batch)
        with context.blobs.open(row.plan) as source:
            plan = json.loads(source.read())
        if what == "workload":
            plan["workload"]["sets"][0]["size_bytes"] = 7_000_000
        else:
            for variant in plan["variants"]:
                variant["resolved"]["mss"] = "500 B"
        row.plan = context.blobs.put(json.dumps(plan).encode())


def test_no_change_is_looked_for_across_another_workload(client: Client) -> None:
    batches = nights(client, [10.0, 10.1, 9.9, 10.0, 10.1, 20.2, 20.3, 20.1, 20.2, 20.2])
    for number in batches[5:]:
        with_another(client, number, "workload")
    sack = series_of(client.get("/trends?tag=nightly").json, "sack")
    assert [point["comparable"] for point in sack["points"]] == [True] * 5 + [False] + [True] * 4
    (apart,) = sack["points"][5]["apart"]
    assert (apart["what"], apart["baseline"], apart["candidate"]) == ("workload", "5000000", "7000000")
    assert all(point["apart"] == [] for number, point in enumerate(sack["points"]) if number != 5)
    assert (sack["changes"], sack["p"]) == ([], None)
    assert sack["note"].startswith("5 of the 8 batches")
    assert sack["note"].endswith(f"since link or workload changed with batch {batches[5]}")


def test_a_change_is_found_on_one_side_of_another_workload(client: Client) -> None:
    batches = nights(client, [3.0, 3.1, 10.0, 10.1, 9.9, 10.0, 10.1, 11.2, 11.3, 11.1, 11.2, 11.2])
    for number in batches[:2]:
        with_another(client, number, "workload")
    sack = series_of(client.get("/trends?tag=nightly").json, "sack")
    (change,) = sack["changes"]
    assert (change["last_before"], change["batch"]) == (batches[6], batches[7])
    assert change["before"] == pytest.approx(10.02)
    assert (sack["p"] < 0.05, sack["note"]) == (True, None)


def test_other_settings_of_a_variant_are_told_and_stay_comparable(client: Client) -> None:
    batches = nights(client, [10.0, 11.0])
    with_another(client, batches[1], "settings")
    point = series_of(client.get("/trends?tag=nightly").json, "sack")["points"][1]
    assert point["comparable"]
    assert point["apart"] == [{"what": "variant", "key": "mss", "baseline": "1460 B", "candidate": "500 B"}]


def test_few_batches_say_how_many_it_takes(client: Client) -> None:
    nights(client, [10.0, 11.0])
    answer = client.get("/trends?tag=nightly&variant=sack&limit=2").json
    (sack,) = answer["series"]
    assert sack["note"] == f"2 of the {trend.fewest()} batches that it takes to tell a change from chance"
    assert (sack["p"], sack["changes"]) == (None, [])
    assert client.get("/trends?tag=other").json["series"] == []


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("", "give tag or experiment"),
        ("?tag=nightly&metric=elapsed", "elapsed_s"),
        ("?tag=nightly&limit=1", "limit"),
        ("?tag=nightly&colour=red", "colour"),
    ],
)
def test_what_has_no_trend_is_refused(client: Client, query: str, word: str) -> None:
    answer = client.get(f"/trends{query}")
    assert answer.status == 422
    assert word in json.dumps(answer.json)
