"""The history of documents over the API: restored by the checks of a save."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlull.api import revisions

if TYPE_CHECKING:
    import pytest

    from tests.api.client import Client

ANY = {"If-Match": "*"}


def link(delay: str, more: str = "") -> str:
    queue = '{ kind = "droptail", limit = "10 packets" }'
    return f'title = "Mine"\n[both]\nrate = "1 Mbit/s"\ndelay = "{delay}"\nqueue = {queue}\n{more}'


def saved(client: Client, *texts: str, name: str = "mine") -> None:
    assert client.post("/links", json={"name": name, "toml": texts[0]}).status == 201
    for toml in texts[1:]:
        assert client.put(f"/links/{name}", json={"toml": toml}, headers=ANY).status == 200


def history(client: Client, name: str = "mine", kind: str = "link") -> list[tuple[int, str]]:
    return [(line["revision"], line["change"]) for line in client.get(f"/history/{kind}/{name}").json["items"]]


def test_every_save_is_kept_and_restored(client: Client) -> None:
    saved(client, link("10 ms"), link("20 ms"))
    one = client.get("/revisions/link/1/mine").json
    assert (one["toml"], one["hunks"], one["since"]) == (link("10 ms"), None, None)
    read = client.get("/links/mine")
    restored = client.put("/links/mine", json={"restore": 1}, headers={"If-Match": read.headers["ETag"]})
    assert (restored.json["toml"], restored.json["revision"]) == (link("10 ms"), 3)
    assert history(client) == [(3, "restored"), (2, "changed"), (1, "created")]
    lines = client.get("/history/link/mine?limit=2").json
    assert [line["restored"] for line in lines["items"]] == [1, None]
    assert (lines["items"][0]["lines_added"], lines["items"][0]["lines_removed"]) == (1, 1)
    rest = client.get(f"/history/link/mine?cursor={lines['next']}").json
    assert ([line["revision"] for line in rest["items"]], rest["next"]) == ([1], None)

    late = client.put("/links/mine", json={"restore": 2}, headers={"If-Match": read.headers["ETag"]})
    assert late.status == 412
    assert client.put("/links/mine", json={"restore": 2}).status == 428
    assert client.put("/links/mine", json={"restore": 9}, headers=ANY).status == 404
    assert client.put("/links/mine", json={"restore": 1, "toml": ""}, headers=ANY).status == 422
    assert client.put("/links/mine", json={}, headers=ANY).status == 422


def test_what_changed_is_told(client: Client) -> None:
    saved(client, link("10 ms"), link("20 ms", "# Measured.\n"))
    (hunk,) = client.get("/revisions/link/2/mine?since=1").json["hunks"]
    changed = [(line["change"], line["text"]) for line in hunk["lines"] if line["change"] != "same"]
    assert changed == [
        ("removed", 'delay = "10 ms"'),
        ("added", 'delay = "20 ms"'),
        ("added", "# Measured."),
    ]
    assert (hunk["before"], hunk["after"]) == (1, 1)
    (back,) = client.get("/revisions/link/1/mine?since=2").json["hunks"]
    assert {line["change"] for line in back["lines"]} == {"same", "added", "removed"}
    assert client.get("/revisions/link/1/mine?since=1").json["hunks"] == []
    for address in ("/revisions/link/3/mine", "/revisions/link/1/mine?since=3", "/history/link/other"):
        assert client.get(address).status == 404


def test_not_more_of_it_than_can_be_shown(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revisions, "MOST_LINES", 3)
    saved(client, link("10 ms"), "# 1\n# 2\n# 3\n# 4\n" + link("10 ms") + "# 5\n# 6\n# 7\n# 8\n")
    read = client.get("/revisions/link/2/mine?since=1").json
    assert sum(len(hunk["lines"]) for hunk in read["hunks"]) == 3
    assert read["left_out"] > 0


def test_a_deleted_document_is_listed_and_restored(client: Client) -> None:
    saved(client, link("10 ms"), link("20 ms"))
    assert client.get("/deleted-documents?kind=link").json["items"] == []
    assert client.post("/links", json={"name": "mine", "restore": 1}).status == 409
    assert client.delete("/links/mine", headers=ANY).status == 204
    (gone,) = client.get("/deleted-documents?kind=link").json["items"]
    assert (gone["name"], gone["title"], gone["revision"]) == ("mine", "Mine", 2)
    assert client.get("/deleted-documents?kind=variant").json["items"] == []
    assert history(client) == [(3, "deleted"), (2, "changed"), (1, "created")]
    assert client.get("/revisions/link/3/mine").status == 404, "a deletion has no text"

    assert client.post("/links", json={"name": "mine", "restore": 3}).status == 404
    assert client.post("/links", json={"name": "other", "restore": 1}).status == 404
    made = client.post("/links", json={"name": "mine", "restore": 2}, headers={"Idempotency-Key": "again"})
    assert (made.status, made.json["revision"], made.json["toml"]) == (201, 4, link("20 ms"))
    again = client.post("/links", json={"name": "mine", "restore": 2}, headers={"Idempotency-Key": "again"})
    assert again.headers["Idempotency-Replayed"] == "true"
    assert client.get("/deleted-documents?kind=link").json["items"] == []
    assert history(client)[0] == (4, "restored")


def test_what_is_restored_must_still_be_right(client: Client) -> None:
    saved(client, link("10 ms"), name="base")
    saved(client, 'title = "On it"\nextends = "base"\n', link("20 ms"))
    assert client.delete("/links/base", headers=ANY).status == 204
    refused = client.put("/links/mine", json={"restore": 1}, headers=ANY)
    assert refused.status == 422
    assert refused.json["error"]["problems"][0]["file"] == "links/mine.toml"
    assert client.delete("/links/mine", headers=ANY).status == 204
    assert client.post("/links", json={"name": "mine", "restore": 1}).status == 422
    assert history(client)[0] == (3, "deleted")
    assert client.post("/links", json={"name": "base", "restore": 1}).status == 201
    assert client.post("/links", json={"name": "mine", "restore": 1}).status == 201


def test_others_that_name_it_stay_right(client: Client) -> None:
    saved(client, link("10 ms"), link("20 ms"))
    experiment = 'title = "E"\nlink = "mine"\nvariants = ["sack"]\nworkload = "bulk-20-kib-down"\n'
    for kind, toml in (("experiments", experiment), ("variants", 'title = "V"\nextends = "sack"\n')):
        assert client.post(f"/{kind}", json={"name": "mine", "toml": toml}).status == 201
    assert history(client, kind="experiment") == [(1, "created")]
    assert history(client, kind="variant") == [(1, "created")]
    assert client.put("/links/mine", json={"restore": 1}, headers=ANY).status == 200
    assert client.get("/experiments/mine").json["problems"] == []


def test_the_history_can_be_forgotten(client: Client) -> None:
    saved(client, link("10 ms"), link("20 ms"))
    assert client.delete("/history/link/mine").status == 204
    assert history(client) == [(2, "changed")]
    assert client.delete("/history/link/mine").status == 404
    assert client.delete("/links/mine", headers=ANY).status == 204
    assert client.delete("/history/link/mine").status == 204
    assert client.get("/history/link/mine").status == 404
    assert client.get("/deleted-documents?kind=link").json["items"] == []


def test_no_more_is_kept_than_may_be(client: Client) -> None:
    saved(client, *(link(f"{i} ms") for i in range(1, 55)))
    assert [revision for revision, _ in history(client)][:1] == [54]
    lines = client.get("/history/link/mine?limit=500").json["items"]
    assert [line["revision"] for line in lines] == list(range(54, 3, -1)), "what is in force, and 50 before it"
