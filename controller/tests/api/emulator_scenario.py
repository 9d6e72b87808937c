"""What a client of the API does with an emulator. Runs in the emulator's own network namespace."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from tests.api.client import UNHURRIED, Client
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
    scenario = {"name": "simple-p2p --delay=15ms --bandwidth=10Mbps --queue=25"}
    link = client.put("/emulator/link", json=scenario)
    assert (link.status, link.json["link"]["name"]) == (200, "simple-p2p-15ms-10mbps-25")
    assert client.put("/emulator/link", json={"name": "simple-p2p --delay=15ms"}).status == 422
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
    history(client, made.json["id"])
    for wrong, key in (
        ({"kind": "hold", "for": "ever"}, "for"),
        ({"kind": "set"}, "set"),
        ({"kind": "set", "set": {"loss": "200 %"}}, "set.loss"),
    ):
        refused = client.post("/emulator/changes", json=wrong)
        assert (refused.status, refused.json["error"]["problems"][0]["key"]) == (422, key), refused.text
    refused = client.put("/emulator/link", json={"name": "gprs", "plane": "netem"})
    works = {plane["name"]: plane["works"] for plane in link["planes"]}
    assert works["model"]
    key = refused.json["error"]["problems"][0]["key"]
    assert (refused.status, key) == (422, "[both] arq" if works["netem"] else "plane"), refused.text
    assert client.put("/emulator/link", json={"name": "gprs", "plane": "model"}).json["plane"] == "model"
    refused = client.put("/emulator/link", json={"name": "gprss"})
    assert (refused.status, refused.json["error"]["problems"][0]["suggestion"]) == (422, "gprs")
    refused = client.put("/emulator/link", json={"profile": 'title = "x"\n[both]\ndelayy = "1 s"\n'})
    assert refused.json["error"]["problems"][0]["line"] == 3


def history(client: Client, change: int) -> None:
    """The last minutes, once the link as it stands is in them."""
    answer = client.get("/emulator/history").json
    while not answer["samples"] or answer["samples"][-1]["down"]["rate_bps"] != 77_000:
        time.sleep(0.05)
        answer = client.get("/emulator/history").json
    assert [mark["link"] for mark in answer["links"]] == ["gprs", "simple-p2p-15ms-10mbps-25", "mine", "profile"]
    mark = next(mark for mark in answer["changes"] if mark["id"] == change)
    assert (mark["kind"], mark["set"]["rate"]) == ("set", "64 kbit/s")
    assert mark["to_ms"] >= mark["from_ms"]
    last = answer["samples"][-1]["at_ms"]
    later = client.get(f"/emulator/history?after={last}").json
    assert all(sample["at_ms"] > last for sample in later["samples"])
    assert later["changes"] == answer["changes"]
    assert client.get("/emulator/history?after=-1").status == 422


def captures(client: Client) -> None:
    """A capture from its beginning to its deletion."""
    answer = client.get("/emulator/captures").json
    assert (answer["unavailable"], answer["captures"]) == (None, [])
    assert answer["limits"]["default_bytes"] <= answer["limits"]["most_bytes"] <= answer["limits"]["most_total_bytes"]
    headers = {"Idempotency-Key": "a-capture"}
    made = client.post("/emulator/captures", json={"limit": "1 MB", "snaplen": "96 B"}, headers=headers)
    again = client.post("/emulator/captures", json={"limit": "1 MB", "snaplen": "96 B"}, headers=headers)
    assert (made.status, made.json["state"], again.json) == (201, "running", made.json)
    address = f"/emulator/captures/{made.json['id']}"
    for method, where, body in (("POST", "/emulator/captures", {}), ("GET", f"{address}/file", None)):
        refused = client.ask(method, where, **({} if body is None else {"json": body}))
        assert (refused.status, refused.json["error"]["code"]) == (409, "capture"), refused.text
    ended = client.post(f"{address}/stop").json
    assert (ended["state"], ended["limit_bytes"], ended["snaplen"]) == ("stopped", 1_000_000, 96)
    file = client.get(f"{address}/file")
    assert (file.status, len(file.data), file.data[:4]) == (200, ended["bytes"], bytes.fromhex("0a0d0d0a"))
    assert int(file.headers["Content-Length"]) == ended["bytes"]
    assert client.post(f"{address}/stop").status == 409
    assert client.delete(address).json["captures"] == []
    assert client.get(f"{address}/file").status == 404
    for wrong, key in (({"limit": "1 B"}, "limit"), ({"limit": "9 GB"}, "limit"), ({"snaplen": "x"}, "snaplen")):
        refused = client.post("/emulator/captures", json=wrong)
        assert (refused.status, refused.json["error"]["problems"][0]["key"]) == (422, key), refused.text


def main() -> None:
    """Run it on a data directory of its own."""
    with tempfile.TemporaryDirectory() as directory:
        home = Home(Path(directory))
        migrate(home.database_url)
        app = create_app(Settings(home.path, bounds=UNHURRIED, emulator=URL))
        try:
            scenario(Client(app))
            captures(Client(app))
        finally:
            of(app).watch.close()


if __name__ == "__main__":
    main()
