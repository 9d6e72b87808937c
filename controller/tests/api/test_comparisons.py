from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.api import finished
from windlull.api.context import of
from windlull.store.tables import Batch

if TYPE_CHECKING:
    from tests.api.client import Client


def test_the_variants_of_a_batch_are_compared(client: Client) -> None:
    made = finished.first_look()
    batch = finished.store(client.app, made)
    variants = [variant["name"] for variant in made.planned.experiment["variants"]]
    answer = client.post("/comparisons", json={"batch": batch, "variants": variants[::-1]})
    assert answer.status == 200
    findings = answer.json["findings"]
    assert {(one["baseline"], one["candidate"]) for one in findings} == {(variants[1], variants[0])}
    assert all(one["paired"] and one["runs"] == 2 for one in findings)
    assert client.post("/comparisons", json={"batch": batch, "metrics": ["elapsed_s"]}).json["findings"][0]["why"]


def test_what_is_missing_is_said(client: Client) -> None:
    batch = client.post("/batches", json={"experiment": "first-look", "repetitions": 3}).json["id"]
    answer = client.post("/comparisons", json={"batch": batch}).json
    assert answer["notes"] == [f"batch {batch} has 0 of 6 runs; only those are compared"]


def test_two_batches_are_compared_in_pairs_if_the_links_were_the_same(client: Client) -> None:
    made = finished.first_look()
    one, two = finished.store(client.app, made), finished.store(client.app, made)
    variant = made.planned.experiment["variants"][0]["name"]
    sides = {"baseline": {"batch": one, "variant": variant}, "candidate": {"batch": two, "variant": variant}}
    findings = client.post("/comparisons", json=sides).json["findings"]
    assert findings
    assert {one["paired"] for one in findings} == {True}
    assert {tuple(one["medians"]) for one in findings if one["metric"] == "segments_sent"} <= {
        (0, 0),
        *_equal(findings),
    }
    other = finished.store(client.app, finished.figure_2())
    variants = finished.figure_2().planned.experiment["variants"]
    sides["candidate"] = {"batch": other, "variant": variants[0]["name"]}
    answer = client.post("/comparisons", json=sides).json
    assert answer["findings"]
    assert not any(one["paired"] for one in answer["findings"])
    assert answer["notes"][0].startswith("the links differ and the seeds differ")
    link = made.planned.experiment["links"][0]["name"]
    told = [(one["what"], one["baseline"]) for one in answer["apart"] if one["key"] is None]
    assert ("link", link) in told
    assert "link" in {one["what"] for one in answer["apart"] if one["key"] == "down.rate"}


def test_runs_of_other_seeds_are_not_paired_and_this_is_said(client: Client) -> None:
    made = finished.first_look()
    one, two = finished.store(client.app, made), finished.store(client.app, made)
    variant = made.planned.experiment["variants"][0]["name"]
    with of(client.app).database.session() as session:
        batch = session.get(Batch, two)
        assert batch is not None
        batch.seed = "7"
    link = made.planned.experiment["links"][0]["name"]
    sides = {
        "baseline": {"batch": one, "variant": variant, "link": link},
        "candidate": {"batch": two, "variant": variant},
    }
    answer = client.post("/comparisons", json=sides).json
    assert {finding["paired"] for finding in answer["findings"]} == {False}
    assert answer["notes"][0].startswith("the seeds differ (1, 7): runs are compared as they are")
    assert answer["apart"] == [{"what": "seed", "key": None, "baseline": "1", "candidate": "7"}]
    sides["candidate"]["link"] = "nowhere"
    refused = client.post("/comparisons", json=sides)
    assert (refused.status, refused.json["error"]["problems"][0]["key"]) == (422, "candidate.link")


def _equal(findings: list[dict[str, Any]]) -> set[tuple[float, float]]:
    return {tuple(one["medians"]) for one in findings if one["medians"][0] == one["medians"][1]}


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        ({}, 422, "batch"),
        ({"batch": 999}, 404, "batch 999"),
        ({"batch": 1, "variants": ["nothing", "sack"]}, 422, "nothing"),
        ({"batch": 1, "variants": ["sack"]}, 422, "variants"),
        ({"batch": 1, "metrics": ["speed"]}, 422, "there are: elapsed_s"),
        ({"batch": 1, "metrics": ["elapsed"]}, 422, '"suggestion": "elapsed_s"'),
        ({"batch": 1, "margin": 1}, 422, "margin"),
        ({"batch": 1, "confidence": 0.5}, 422, "confidence"),
        ({"batch": 1, "baseline": {"batch": 1, "variant": "sack"}}, 422, "not both"),
        ({"baseline": {"batch": 1, "variant": "sack"}}, 422, "baseline and candidate"),
        ({"baseline": {"batch": 1, "variant": "x"}, "candidate": {"batch": 1, "variant": "x"}}, 422, "no variant"),
        ({"batch": 0}, 422, "batch"),
    ],
)
def test_what_cannot_be_compared_is_refused(client: Client, body: dict[str, Any], status: int, word: str) -> None:
    finished.store(client.app, finished.first_look())
    answer = client.post("/comparisons", json=body)
    assert answer.status == status
    assert word in json.dumps(answer.json)


def test_a_variant_is_not_compared_with_itself(client: Client) -> None:
    made = finished.first_look()
    batch = finished.store(client.app, made)
    side = {"batch": batch, "variant": made.planned.experiment["variants"][0]["name"]}
    answer = client.post("/comparisons", json={"baseline": side, "candidate": side})
    assert (answer.status, answer.json["error"]["message"]) == (422, "candidate: is the baseline")
