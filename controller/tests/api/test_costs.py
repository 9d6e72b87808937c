from __future__ import annotations

from typing import TYPE_CHECKING

from tests.api import finished

if TYPE_CHECKING:
    from tests.api.client import Client


def test_what_an_experiment_took_is_told_once_it_was_run(client: Client) -> None:
    unknown = client.get("/costs?experiment=first-look").json
    assert unknown["measured"] is None
    assert unknown["free_bytes"] > 0
    batch = finished.store(client.app, finished.first_look())
    measured = client.get("/costs?experiment=first-look").json["measured"]
    view = client.get(f"/batches/{batch}").json
    assert (measured["batch"], measured["total"], measured["repetitions"]) == (batch, view["total"], 2)
    assert measured["size_bytes"] > 10_000
    assert measured["elapsed_s"] >= 0
    assert client.get("/costs?experiment=first-look&captures=false").json["measured"] is None
    assert client.get("/costs").status == 422
