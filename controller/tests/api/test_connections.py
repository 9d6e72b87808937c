"""The connections of a run's captures, and of captures that were brought."""

from __future__ import annotations

import gzip
import hashlib
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.api import finished
from tests.api.client import Client
from windlull.api import dissections, uploads
from windlull.api.app import create_app
from windlull.api.context import of
from windlull.api.settings import Settings
from windlull.bounds import Bounds
from windlull.runner import captures

if TYPE_CHECKING:
    from windlull.store.database import Database
    from windlull.store.home import Home

SYN, FIN, ACK = 2, 1, 16

LOG = Path(__file__).parents[1] / "qlog" / "one-loss.sqlog"


def capture(connections: int = 3) -> bytes:
    """A pcap file of raw IPv4: so many connections to 10.0.0.2:80, each with 200 octets more than the last, to 1400."""
    packets = bytearray(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 101))
    at_us = 0
    for number in range(1, connections + 1):
        sequence = 1_000
        for flags, payload in ((SYN, 0), (ACK, min(200 * number, 1_400)), (ACK | FIN, 0)):
            tcp = struct.pack(">HHIIBBHHH", 40_000 + number, 80, sequence, 0, 0x50, flags, 65_535, 0, 0)
            length = 40 + payload
            ip = struct.pack(">BBHHHBBH8B", 0x45, 0, length, 0, 0, 64, 6, 0, 10, 0, 0, 1, 10, 0, 0, 2)
            packets += struct.pack("<IIII", at_us // 1_000_000, at_us % 1_000_000, length, length)
            packets += ip + tcp + b"x" * payload
            sequence += payload + (flags & SYN != 0)
            at_us += 10_000
    return bytes(packets)


def bring(client: Client, content: bytes, content_type: str = uploads.MEDIA) -> Any:
    reply = client.post("/captures", data=content, content_type=content_type)
    assert reply.status == 200, reply.text
    return reply.json


@pytest.fixture
def run(client: Client) -> int:
    """The number of a run that has ended."""
    batch = finished.store(client.app, finished.first_look())
    return int(client.get(f"/runs?batch={batch}&order=oldest").json["items"][0]["id"])


def test_a_brought_capture_is_listed_and_each_connection_analysed(client: Client) -> None:
    content = capture()
    brought = bring(client, content)
    assert brought["sha256"] == hashlib.sha256(content).hexdigest()
    assert (brought["format"], brought["size_bytes"]) == ("pcap", len(content))
    assert client.get(f"/captures/{brought['sha256']}").json == brought
    address = f"/captures/{brought['sha256']}/connections"
    listed = client.get(address).json
    assert listed["total"] == 3
    assert [one["sent_bytes"] for one in listed["connections"]] == [200, 400, 600]
    assert listed["connections"][1] == {
        "number": 2, "data_sender": "10.0.0.1:40002", "data_receiver": "10.0.0.2:80", "packets": 3, "sent_bytes": 400,
        "received_bytes": 0, "began_ns": 30_000_000, "duration_ns": 20_000_000, "in_second": None,
    }  # fmt: skip
    analysis = client.get(f"{address}/2").json
    assert analysis["connection"]["payload_bytes"] == 400
    assert analysis["metrics"]["retransmissions"] == 0
    assert any("2 other TCP connections" in note for note in analysis["notes"])
    series = client.get(f"{address}/2/series?pixels=500").json
    assert (series["data"]["rows"], series.get("run")) == (1, None)
    assert client.get(f"{address}/4").status == 404
    assert client.get(f"{address}/4/series").status == 404
    assert client.get(f"{address}/2/series?from=9&to=3").status == 422


def test_a_compressed_capture_is_read_as_the_capture_is(client: Client) -> None:
    content = capture()
    plain, packed = (bring(client, one)["sha256"] for one in (content, gzip.compress(content)))
    assert client.get(f"/captures/{packed}").json["format"] == "pcap"
    for what in ("connections", "connections/2"):
        assert client.get(f"/captures/{packed}/{what}").json == client.get(f"/captures/{plain}/{what}").json
    damaged = bytearray(gzip.compress(content * 100))
    damaged[-400:-300] = bytes(100)
    refused = client.get(f"/captures/{bring(client, bytes(damaged))['sha256']}/connections")
    assert (refused.status, refused.json["error"]["code"]) == (422, "unreadable")


def test_a_log_of_quic_is_listed_and_analysed_as_a_capture_is(client: Client) -> None:
    brought = bring(client, LOG.read_bytes(), "application/octet-stream")
    assert brought["format"] == "qlog"
    address = f"/captures/{brought['sha256']}/connections"
    listed = client.get(address).json
    assert (listed["protocol"], listed["total"]) == ("quic", 1)
    assert listed["connections"][0]["data_receiver"] == "192.0.2.7:51200"
    analysis = client.get(f"{address}/1").json
    assert analysis["metrics"]["packets_declared_lost"] == 1
    assert [episode["cause"] for episode in analysis["episodes"]] != []
    assert client.get(f"{address}/1/series?pixels=500").json["data"]["rows"] == 7
    assert "written by the server" in client.get(f"{address}/1?end=client").json["error"]["message"]
    both = client.get(f"{address}/1?other={bring(client, capture())['sha256']}")
    assert (both.status, both.json["error"]["code"]) == (422, "unreadable")


def test_the_end_at_which_it_was_made_is_guessed_or_told(client: Client) -> None:
    address = f"/captures/{bring(client, capture(1))['sha256']}/connections/1"
    unsaid = client.get(address).json["notes"]
    assert any("Nothing tells at which end" in note for note in unsaid)
    for end in ("server", "client"):
        notes = client.get(f"{address}?end={end}").json["notes"]
        assert not any("at which end" in note for note in notes), notes
        assert client.get(f"{address}/series?end={end}&pixels=500").status == 200
    assert client.get(f"{address}?end=middle").status == 422


def test_the_other_ends_capture_is_looked_at_too(client: Client) -> None:
    both, fewer = bring(client, capture())["sha256"], bring(client, capture(2))["sha256"]
    listed = client.get(f"/captures/{both}/connections?other={fewer}").json["connections"]
    assert [one["in_second"] for one in listed] == [True, True, False]
    analysis = client.get(f"/captures/{both}/connections/1?other={fewer}").json
    assert analysis["metrics"]["packets_lost"] == 0
    assert client.get(f"/captures/{both}/connections/3?other={fewer}").status == 422
    twice = client.get(f"/captures/{both}/connections?other={both}")
    assert (twice.status, twice.json["error"]["message"]) == (
        422, "Both are the same capture. Choose that of the other end, or none.",
    )  # fmt: skip
    assert client.get(f"/captures/{both}/connections?other={'0' * 64}").status == 404


def test_what_is_no_capture_is_refused_before_it_is_kept(client: Client) -> None:
    root = of(client.app).home.cache / "captures"
    for content in (b"", b"PK\x03\x04zip", b"\xa1\xb2"):
        refused = client.post("/captures", data=content, content_type=uploads.MEDIA)
        assert (refused.status, refused.json["error"]["code"]) == (422, "invalid"), refused.text
    assert client.post("/captures", data=capture(), content_type="text/plain").status == 415
    assert list(root.iterdir()) == []


def test_one_that_is_damaged_says_where_and_names_no_path(client: Client) -> None:
    address = f"/captures/{bring(client, capture()[:30])['sha256']}/connections"
    refused = client.get(address)
    assert (refused.status, refused.json["error"]["code"]) == (422, "unreadable")
    assert "first capture" in refused.json["error"]["message"]
    assert "/" not in refused.json["error"]["message"], refused.text
    assert client.get(f"{address}/1").status == 422


def test_of_one_that_was_cut_what_is_whole_is_analysed(client: Client) -> None:
    address = f"/captures/{bring(client, capture()[:-10])['sha256']}/connections"
    assert client.get(address).json["total"] == 3
    assert any("ends in the middle of a packet" in note for note in client.get(f"{address}/1").json["notes"])


def test_a_capture_that_is_too_large_is_refused(database: Database, home: Home) -> None:
    client = Client(create_app(Settings(home.path, bounds=Bounds(capture_bytes=300)), database))
    refused = client.post("/captures", data=capture(), content_type=uploads.MEDIA)
    assert (refused.status, refused.json["error"]["code"]) == (413, "too-large")
    assert list((of(client.app).home.cache / "captures").iterdir()) == []


def test_one_that_needs_too_much_memory_is_told(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    # Room for what the engine's program brings with it, a MiB where it is built for tests, and not for the packets.
    monkeypatch.setattr(captures, "memory_for", lambda _engines: 4 << 20)
    refused = client.get(f"/captures/{bring(client, capture(20_000))['sha256']}/connections")
    assert (refused.status, refused.json["error"]["code"]) == (422, "unreadable")
    assert "memory" in refused.json["error"]["message"]


def test_captures_make_room_and_are_deleted(database: Database, home: Home) -> None:
    most = Bounds(captures_bytes=2 * len(capture()) + 10)
    client = Client(create_app(Settings(home.path, bounds=most), database))
    first, second = bring(client, capture())["sha256"], bring(client, capture(2))["sha256"]
    client.get(f"/captures/{first}")  # used later than the second
    third = bring(client, capture(2) + capture(1)[24:])["sha256"]
    assert [client.get(f"/captures/{one}").status for one in (first, second, third)] == [200, 404, 200]
    assert client.delete(f"/captures/{first}").status == 204
    assert client.get(f"/captures/{first}/connections").status == 404
    assert client.delete(f"/captures/{first}").status == 404


def test_analyses_make_room_too(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dissections, "LIMIT_BYTES", 1)
    one, other = bring(client, capture(1))["sha256"], bring(client, capture(2))["sha256"]
    assert client.get(f"/captures/{one}/connections").status == 200
    assert client.get(f"/captures/{other}/connections").status == 200
    assert len(list((of(client.app).home.cache / "connections").iterdir())) == 1
    assert client.get(f"/captures/{one}/connections/1").status == 200


def test_the_connections_of_a_run_are_listed_and_analysed(client: Client, run: int) -> None:
    listed = client.get(f"/runs/{run}/connections")
    (one,) = listed.json["connections"]
    assert (one["number"], one["in_second"], one["data_sender"]) == (1, True, "198.18.0.1:49152")
    again = client.get(f"/runs/{run}/connections", headers={"If-None-Match": listed.headers["ETag"]})
    assert again.status == 304
    analysis = client.get(f"/runs/{run}/connections/1").json
    made = client.get(f"/runs/{run}/analysis").json
    assert analysis["metrics"]["retransmissions"] == made["metrics"]["retransmissions"]
    assert [episode["cause"] for episode in analysis["episodes"]] == [one["cause"] for one in made["episodes"]]
    series = client.get(f"/runs/{run}/connections/1/series").json
    whole = client.get(f"/runs/{run}/series").json
    assert series["duration_ns"] > 0
    assert [series[table]["rows"] for table in ("data", "timeouts")] == [
        whole[table]["rows"] for table in ("data", "timeouts")
    ]
    assert client.get(f"/runs/{run}/connections/2").status == 404
    assert client.get("/runs/999/connections").status == 404
    finished.evict(client.app)
    assert client.get(f"/runs/{run}/connections").status == 410


def test_the_answers_survive_the_loss_of_the_cache(client: Client, run: int) -> None:
    series = client.get(f"/runs/{run}/connections/1/series").json
    _empty(of(client.app).home.cache / "connections")
    _empty(of(client.app).home.cache / "series")
    assert client.get(f"/runs/{run}/connections/1/series").json == series


def _empty(directory: Path) -> None:
    for path in sorted(directory.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
