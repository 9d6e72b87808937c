from __future__ import annotations

from typing import TYPE_CHECKING

from tests.api import finished

if TYPE_CHECKING:
    from tests.api.client import Client


def test_what_an_experiment_took_is_told_once_it_was_run(client: Client) -> None:
    unknown = client.get("/costs?experiment=first-look").json
    assert unknown["measured"] is None
    assert unknown["free_bytes"] > 0
    expected = unknown["expected"]
    assert (expected["repetitions"], expected["runs"]) == (5, 10)
    assert expected["seconds"] > 0
    without = client.get("/costs?experiment=first-look&captures=false").json["expected"]
    assert 0 < without["size_bytes"] < expected["size_bytes"]
    assert client.get("/costs?experiment=not-there").json["expected"] is None
    batch = finished.store(client.app, finished.first_look())
    known = client.get("/costs?experiment=first-look").json
    assert known["expected"] is None
    measured = known["measured"]
    view = client.get(f"/batches/{batch}").json
    assert (measured["batch"], measured["total"], measured["repetitions"]) == (batch, view["total"], 2)
    assert measured["size_bytes"] > 10_000
    assert measured["elapsed_s"] >= 0
    assert client.get("/costs?experiment=first-look&captures=false").json["measured"] is None
    assert client.get("/costs").status == 422
