from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import update

from tests.api import finished
from windlull.api import differences
from windlull.api.context import of
from windlull.runner import captures
from windlull.store.tables import Batch

if TYPE_CHECKING:
    from tests.api.client import Client


@pytest.fixture
def batch(client: Client) -> int:
    """A batch of two variants, two repetitions each, with a pause that times out."""
    return finished.store(client.app, finished.first_look())


def _runs(client: Client, batch: int) -> list[dict[str, Any]]:
    """The runs of a batch in the order of its plan."""
    items: list[dict[str, Any]] = client.get(f"/runs?batch={batch}&order=oldest").json["items"]
    return items


def _pair(client: Client, batch: int) -> tuple[int, int]:
    """The first repetition of both variants."""
    first = [run for run in _runs(client, batch) if run["repetition"] == 1]
    return first[0]["id"], first[1]["id"]


def test_two_variants_part_by_decisions_with_a_rule(client: Client, batch: int) -> None:
    a, b = _pair(client, batch)
    page = client.get(f"/differences?a={a}&b={b}").json
    difference = page["difference"]
    assert (page["kind"], difference["parting"]["origin"]) == ("difference", "sender")
    assert [difference[run]["directory"] for run in "ab"] == [f"run {a}", f"run {b}"]
    assert difference["parting"]["kind"]["a"] != difference["parting"]["kind"]["b"]
    assert page["lead"][0].startswith("They part at ")
    assert page["about"][0].startswith("On the same fates: ")
    assert "repetition 1" in page["titles"][0]
    # The experiment lies beside both: what differs in their settings is known, and so is that they did the same work.
    assert difference["settings"]
    assert not any("workload" in note for note in difference["notes"])
    assert {cost["metric"] for cost in difference["costs"]} == set(page["labels"])


def test_the_other_way_round_both_change_places(client: Client, batch: int) -> None:
    a, b = _pair(client, batch)
    one = client.get(f"/differences?a={a}&b={b}").json["difference"]["parting"]
    other = client.get(f"/differences?a={b}&b={a}").json["difference"]["parting"]
    assert (one["at_ns"], one["kind"]["a"]) == (other["at_ns"], other["kind"]["b"])


def test_runs_that_sent_the_same_do_not_part(client: Client, batch: int) -> None:
    other = finished.store(client.app, finished.first_look())
    a, b = _runs(client, batch)[0]["id"], _runs(client, other)[0]["id"]
    page = client.get(f"/differences?a={a}&b={b}").json
    assert page["difference"]["parting"] is None
    assert page["lead"][0].startswith("They do not part")


def test_how_much_is_told_around_it_can_be_said(client: Client, batch: int) -> None:
    a, b = _pair(client, batch)
    spans = []
    for around in (1_000_000, 5_000_000_000):
        window = client.get(f"/differences?a={a}&b={b}&around_ns={around}").json["difference"]["parting"]["window"]
        spans.append(window["to_ns"] - window["from_ns"])
    assert 0 < spans[0] <= 2_000_000 < spans[1]
    tolerant = client.get(f"/differences?a={a}&b={b}&tolerance_ns=1000000").json["difference"]
    assert tolerant["tolerance_ns"] == 1_000_000


def test_an_unchanged_difference_is_not_asked_again(
    client: Client, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = _pair(client, batch)
    tag = client.get(f"/differences?a={a}&b={b}").headers["ETag"]

    def refuse(*_: object) -> None:
        raise AssertionError("the engine was asked")

    monkeypatch.setattr(captures, "difference", refuse)
    assert client.get(f"/differences?a={a}&b={b}", headers={"If-None-Match": tag}).status == 304


def test_what_cannot_be_compared_is_refused_in_words(client: Client, batch: int) -> None:
    a, _ = _pair(client, batch)
    assert client.get(f"/differences?a={a}&b={a}").status == 422
    assert client.get(f"/differences?a={a}").status == 422
    assert client.get(f"/differences?a={a}&b=999").status == 404
    other = _runs(client, finished.store(client.app, finished.figure_2()))[0]["id"]
    answer = client.get(f"/differences?a={a}&b={other}")
    assert (answer.status, answer.json["error"]["code"]) == (422, "not-comparable")
    message = answer.json["error"]["message"]
    assert message.startswith(f"run {other}: its workload is ")
    assert f"that of run {a} is " in message
    assert tempfile.gettempdir() not in message


def test_runs_whose_files_are_gone_have_no_difference(client: Client, batch: int) -> None:
    a, b = _pair(client, batch)
    finished.evict(client.app)
    assert client.get(f"/differences?a={a}&b={b}").status == 410
    waiting = _runs(client, finished.store(client.app, finished.figure_2(), done=0))[0]["id"]
    assert client.get(f"/differences?a={a}&b={waiting}").status == 409


def _variants() -> tuple[str, str]:
    a, b, *_ = (variant["name"] for variant in finished.first_look().planned.experiment["variants"])
    return a, b


def _of(client: Client, batch: int, a: str, b: str, more: str = "") -> Any:
    names = f"a={a}&b={b}".replace("+", "%2B")
    return client.get(f"/batches/{batch}/differences?{names}{more}")


def test_the_kinds_of_partings_are_counted_over_a_batch(client: Client, batch: int) -> None:
    a, b = _variants()
    counted = _of(client, batch, a, b).json
    assert (counted["variants"], counted["pairs"], counted["left_out"]) == ([a, b], 2, 0)
    assert counted["alike"] + sum(kind["count"] for kind in counted["kinds"]) == 2
    first = counted["kinds"][0]
    example = first["example"]
    parting = client.get(f"/differences?a={example['a']}&b={example['b']}").json["difference"]["parting"]
    assert (parting["kind"], parting["at_ns"]) == ({"a": first["a"], "b": first["b"]}, example["at_ns"])


def test_pairs_beyond_the_most_are_left_out_and_told(
    client: Client, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(differences, "MOST_PAIRS", 1)
    counted = _of(client, batch, *_variants()).json
    assert (counted["pairs"], counted["left_out"]) == (1, 1)


def test_variants_without_a_pair_are_refused(client: Client, batch: int) -> None:
    a, b = _variants()
    assert _of(client, batch, a, a).status == 422
    assert _of(client, batch, a, "nothing").status == 404
    assert _of(client, batch, a, b, "&testbed=netns").status == 404
    assert _of(client, 999, a, b).status == 404
    # One run of one variant alone has no partner.
    alone = finished.store(client.app, finished.figure_2(), done=1)
    names = [variant["name"] for variant in finished.figure_2().planned.experiment["variants"]][:2]
    answer = _of(client, alone, *names)
    assert (answer.status, answer.json["error"]["code"]) == (409, "no-pairs")


def test_a_plan_that_no_longer_lies_there_is_told(client: Client, batch: int) -> None:
    a, b = _pair(client, batch)
    context = of(client.app)
    missing = "0" * 64
    with context.database.session() as session:
        session.execute(update(Batch).where(Batch.id == batch).values(plan=missing))
    assert client.get(f"/differences?a={a}&b={b}").status == 410
