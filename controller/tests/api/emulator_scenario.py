"""What a client of the API does with an emulator. Runs in the emulator's own network namespace."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.api.client import Client
from tests.emulated import URL
from windlull.api.app import create_app
from windlull.api.context import of
from windlull.api.settings import Settings
from windlull.store.home import Home
from windlull.store.migrate import migrate

BASE = """title = "Base"
[both]
rate = "77 kbit/s"
delay = "5 ms"
queue = { kind = "droptail", limit = "9 packets" }
"""


def scenario(client: Client) -> None:
    """Every address, each answer held against the document."""
    link = client.get("/emulator")
    assert (link.status, link.json["link"]["name"], link.json["state"]) == (200, "transparent", "standing")
    link = client.put("/emulator/link", json={"name": "gprs", "seed": "18446744073709551615"})
    assert (link.status, link.json["seed"]) == (200, "18446744073709551615")
    mine = 'title = "Mine"\nextends = "base"\n'
    for name, toml in (("base", BASE), ("mine", mine)):
        assert client.post("/links", json={"name": name, "toml": toml}).status == 201
    link = client.put("/emulator/link", json={"name": "mine"})
    assert (link.status, link.json["link"]["name"]) == (200, "mine")
    assert client.put("/emulator/link", json={"profile": mine}).json["link"]["title"] == "Mine"
    asked = {"kind": "set", "direction": "up", "for": "10 min", "set": {"rate": "64 kbit/s"}}
    headers = {"Idempotency-Key": "one"}
    made = client.post("/emulator/changes", json=asked, headers=headers)
    again = client.post("/emulator/changes", json=asked, headers=headers)
    assert (made.status, again.json) == (201, made.json)
    assert made.headers["Location"].endswith(f"/emulator/changes/{made.json['id']}")
    link = client.get("/emulator").json
    assert [change["id"] for change in link["changes"]] == [made.json["id"]]
    assert (link["down"]["rate_bps"], link["up"]["rate_bps"]) == (77_000, 64_000)
    assert client.post("/emulator/changes", json={"kind": "hold"}).status == 201
    assert client.delete(f"/emulator/changes/{made.json['id']}").json["up"]["held"] is True
    assert client.delete(f"/emulator/changes/{made.json['id']}").status == 404
    assert client.delete("/emulator/changes").json["changes"] == []
    for wrong, key in (
        ({"kind": "hold", "for": "ever"}, "for"),
        ({"kind": "set"}, "set"),
        ({"kind": "set", "set": {"loss": "200 %"}}, "set.loss"),
    ):
        refused = client.post("/emulator/changes", json=wrong)
        assert (refused.status, refused.json["error"]["problems"][0]["key"]) == (422, key), refused.text
    refused = client.put("/emulator/link", json={"name": "gprss"})
    assert (refused.status, refused.json["error"]["problems"][0]["suggestion"]) == (422, "gprs")
    refused = client.put("/emulator/link", json={"profile": 'title = "x"\n[both]\ndelayy = "1 s"\n'})
    assert refused.json["error"]["problems"][0]["line"] == 3


def main() -> None:
    """Run it on a data directory of its own."""
    with tempfile.TemporaryDirectory() as directory:
        home = Home(Path(directory))
        migrate(home.database_url)
        app = create_app(Settings(home.path, requests_per_s=None, posts_per_s=None, emulator=URL))
        try:
            scenario(Client(app))
        finally:
            of(app).watch.close()


if __name__ == "__main__":
    main()
