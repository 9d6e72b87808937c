from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.api import finished
from windlull.api import searches
from windlull.api.context import of
from windlull.search import best, job, layout
from windlull.search.candidate import Candidate, Event
from windlull.search.journal import Trial
from windlull.search.outcome import Outcome
from windlull.store import searches as store
from windlull.store.tables import SearchState

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.client import Client

GIVEN: dict[str, Any] = {
    "experiment": "first-look", "worst": "elapsed", "variant": "frto+sack", "against": "sack", "budget": 3,
}  # fmt: skip


def _directory(client: Client, number: int) -> Path:
    return of(client.app).home.searches / str(number)


@pytest.fixture
def search(client: Client) -> int:
    """The number of a search that waits."""
    answer = client.post("/searches", json=GIVEN)
    assert answer.status == 201, answer.text
    return int(answer.json["id"])


def _outcome(ours: float, theirs: float) -> Outcome:
    return Outcome({"frto+sack": {"elapsed_s": (ours,)}, "sack": {"elapsed_s": (theirs,)}})


def _tried(client: Client, number: int) -> Path:
    """Write what a search that runs has in its directory: a base link, three trials, one of which failed, one cut."""
    out = _directory(client, number) / layout.OUT
    out.mkdir()
    plan = {
        "worst": "elapsed_s", "variant": "frto+sack", "against": "sack", "by": "ratio", "higher_is_worse": True,
        "budget": 3, "kinds": 5,
    }  # fmt: skip
    (out / "search-plan.json").write_bytes(msgspec.json.encode(plan))
    hold = Candidate((Event(1_000_000, 500_000, "hold", "down"),))
    trials = [
        Trial(0, Candidate(), _outcome(10, 10)),
        Trial(2, hold, _outcome(30, 10)),
        Trial(1, hold, _outcome(5, 10)),
        Trial(3, hold, Outcome(problem="the engine refuses it")),
        Trial(4, hold, _outcome(90, 10)),
    ]
    lines = b"".join(msgspec.json.encode(trial) + b"\n" for trial in trials)
    (out / "trials.jsonl").write_bytes(lines + b'{"number":5')
    return out


def _found(out: Path) -> None:
    """Write what a search has found, and one of its runs."""
    files: dict[str, Any] = {"experiment": "found/1/experiments/worst.toml", "packetdrill": None, "no_packetdrill": "n"}
    one = {
        "sentence": "The link delivers nothing.", "fails_if": "elapsed_s >= 2", "value": 3.0, "found": {"trial": 2},
        "confirmed": {"runs": 20, "failed": 19, "interval": [0.75, 0.99]}, "story": ["It stops."], "files": files,
    }  # fmt: skip
    (out / "search.json").write_bytes(msgspec.json.encode({"found": [one]}))
    (out / "tried.svg").write_text("<svg/>", encoding="utf-8")
    place = out / "found" / "1"
    (place / "experiments").mkdir(parents=True)
    (place / "experiments" / "worst.toml").write_text('title = "x"\n', encoding="utf-8")
    (place / "experiments" / "worst-link.toml").write_text('title = "y"\n', encoding="utf-8")
    (place / "run.capsule.zip").write_bytes(b"PK")
    (place / "run").mkdir()
    (place / "run" / "series.json.gz").write_bytes(_columns())


def _columns() -> bytes:
    made = finished.first_look()
    return made.files[made.planned.runs[0].directory]["series.json.gz"]


def test_a_search_is_kept_with_all_its_files_and_waits(client: Client, search: int) -> None:
    line = client.get("/searches").json["items"][0]
    assert (line["id"], line["state"], line["worst"], line["tried"]) == (search, "waiting", "elapsed_s", 0)
    assert (line["variant"], line["against"], line["budget"]) == ("frto+sack", "sack", 3)
    asked, bundle = job.read(_directory(client, search))
    assert (asked.metric, asked.baseline, bundle.experiment) == ("elapsed_s", "sack", "first-look")
    assert "links/mobile-with-holds.toml" in bundle.files
    view = client.get(f"/searches/{search}").json
    assert (view["trials"], view["found"], view["best"], view["by"]) == ([], [], None, None)


def test_what_may_vary_is_kept_beside_it(client: Client) -> None:
    space = "[events]\nmost = 1\n"
    number = client.post("/searches", json=GIVEN | {"space": space}).json["id"]
    assert (_directory(client, number) / layout.SPACE).read_text(encoding="utf-8") == space


@pytest.mark.parametrize(
    ("changes", "status", "word"),
    [
        ({"experiment": "nothing"}, 404, "nothing"),
        ({"worst": "speed"}, 422, "speed"),
        ({"variant": "newreno"}, 422, "sack, frto+sack"),
        ({"against": "newreno"}, 422, "against"),
        ({"link": "gprs"}, 422, "mobile-with-holds"),
        ({"fail_if": "elapsed is bad"}, 422, "fail_if"),
        ({"budget": 0}, 422, "budget"),
        ({"seed": "-1"}, 422, "seed"),
    ],
)
def test_what_cannot_be_searched_is_refused(client: Client, changes: dict[str, Any], status: int, word: str) -> None:
    answer = client.post("/searches", json=GIVEN | changes)
    assert answer.status == status
    assert word in answer.text
    assert client.get("/searches").json["items"] == []


def test_a_search_asked_for_twice_with_one_key_is_made_once(client: Client) -> None:
    first, again = (client.post("/searches", json=GIVEN, headers={"Idempotency-Key": "k"}) for _ in range(2))
    assert first.json == again.json
    assert len(client.get("/searches").json["items"]) == 1


def test_it_is_stopped_gone_on_with_and_deleted(client: Client, search: int) -> None:
    assert client.post(f"/searches/{search}/stop").json == {"state": "stopped"}
    assert client.post(f"/searches/{search}/stop").status == 409
    assert client.post(f"/searches/{search}/resume").json == {"state": "waiting"}
    assert client.post(f"/searches/{search}/resume").json["error"]["code"] == "not-ended"
    context = of(client.app)
    with context.database.session() as session:
        assert store.begin(session, search, now=datetime.now(UTC))
    assert client.delete(f"/searches/{search}").status == 409
    assert client.post(f"/searches/{search}/stop").json == {"state": "stopping"}
    with context.database.session() as session:
        store.end(session, search, SearchState.DONE, now=datetime.now(UTC))
    assert client.post(f"/searches/{search}/resume").json["error"]["code"] == "nothing-to-retry"
    assert client.delete(f"/searches/{search}").status == 204
    assert client.get(f"/searches/{search}").status == 404
    assert not _directory(client, search).exists()


def test_what_was_tried_so_far_is_told_while_it_runs(client: Client, search: int) -> None:
    _tried(client, search)
    view = client.get(f"/searches/{search}").json
    assert (view["by"], view["higher_is_worse"], view["base"]) == ("ratio", True, 1.0)
    # In their order; without the one that has no value, and what only shrank another.
    assert (view["trials"], view["values"]) == ([1, 2], [0.5, 3.0])
    assert view["found"] == []


def test_the_worst_so_far_has_a_diagram(client: Client, search: int) -> None:
    out = _tried(client, search)
    assert client.get(f"/searches/{search}/best/0/series").status == 404
    (out / best.BEST).mkdir()
    shown = best.Shown(2, 3.0, "The link delivers nothing.", ("frto+sack", "sack"))
    (out / best.BEST / best.SHOWN).write_bytes(msgspec.json.encode(shown))
    (out / best.BEST / "0.series.json.gz").write_bytes(_columns())
    view = client.get(f"/searches/{search}").json["best"]
    assert (view["trial"], view["value"], view["variants"]) == (2, 3.0, ["frto+sack", "sack"])
    assert client.get(f"/searches/{search}/best/0/series?pixels=500").json["data"]["rows"] > 0
    assert client.get(f"/searches/{search}/best/0/series?pixels=500&trial=2").status == 200
    assert client.get(f"/searches/{search}/best/0/series?pixels=500&trial=1").status == 404
    assert client.get(f"/searches/{search}/best/2/series").status == 404


def test_what_was_found_can_be_read_and_taken_away(client: Client, search: int) -> None:
    _found(_tried(client, search))
    view = client.get(f"/searches/{search}").json
    (one,) = view["found"]
    assert (one["number"], one["failed"], one["runs"], one["trial"]) == (1, 19, 20, 2)
    assert (one["packetdrill"], one["no_packetdrill"], view["picture"]) == (False, "n", True)
    place = f"/searches/{search}/found/1"
    assert client.get(f"{place}/experiment").text == 'title = "x"\n'
    assert client.get(f"{place}/link").text == 'title = "y"\n'
    assert client.get(f"{place}/capsule").data == b"PK"
    assert client.get(f"{place}/packetdrill").status == 404
    assert client.get(f"{place}/series?pixels=500").json["data"]["rows"] > 0
    assert client.get(f"/searches/{search}/picture").text == "<svg/>"
    assert client.get(f"/searches/{search}/found/2/link").status == 404


def test_no_more_are_kept_than_may_be(client: Client, search: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "KEPT", 1)
    answer = client.post("/searches", json=GIVEN)
    assert (answer.status, answer.json["error"]["code"]) == (507, "too-many-searches")
    assert client.get(f"/searches/{search}").status == 200


def test_a_metric_may_be_named_without_its_unit() -> None:
    assert searches._metric("goodput") == "goodput_bps"
