"""Recordings, made links over the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.api.client import Client

DRIVE = "Time;DL [kbit/s];UL [kbit/s];RTT [ms]\n" + "".join(
    f"2026-05-04T10:00:{second:02};{0 if second == 7 else 12_000};3000;48\n" for second in range(20)
)


def made(client: Client, text: str = DRIVE, name: str = "drive.csv", **more: Any) -> Any:
    reply = client.post("/recordings", json={"files": [{"name": name, "text": text}], **more})
    assert reply.status == 200, reply.text
    return reply.json


def test_a_drive_test_becomes_a_link_that_can_be_kept(client: Client) -> None:
    answer = made(client, zeros="outage")
    assert answer["questions"] == []
    assert answer["figures"]["length_s"] == 20
    assert answer["figures"]["down"]["without_rate"] == 0.05
    columns = answer["files"][0]["columns"]
    assert [(one["quantity"], one["unit"]) for one in columns] == [
        ("time", "clock"), ("down", "kbit/s"), ("up", "kbit/s"), ("rtt", "ms")
    ]  # fmt: skip
    kept = client.post("/links", json={"name": "drive", "toml": answer["toml"]})
    assert kept.status == 201, kept.text
    assert kept.json["problems"] == []


def test_what_no_file_tells_is_asked(client: Client) -> None:
    answer = made(client)
    assert answer["toml"] is None
    assert [(one["what"], one["choices"]) for one in answer["questions"]] == [("zeros", ["outage", "hold"])]
    assert answer["figures"] is not None
    unknown = made(client, "a;b\n0;1\n1;2\n")
    assert {one["what"] for one in unknown["questions"]} == {"column"}
    assert unknown["figures"] is None
    assert unknown["files"][0]["columns"][1] == {
        "name": "b", "examples": ["1", "2"], "quantity": None, "unit": None
    }  # fmt: skip


def test_what_is_wrong_in_a_file_is_told_with_line_and_column(client: Client) -> None:
    reply = client.post("/recordings", json={"files": [{"name": "d.csv", "text": "time_s;DL kbit/s\n0;1\n1;x\n"}]})
    assert reply.status == 422
    assert reply.json["error"]["problems"] == [
        {"message": "'x' is not a number", "file": "d.csv", "line": 3, "key": "DL kbit/s"}
    ]


def test_choices_that_cannot_be_are_refused(client: Client) -> None:
    for more in ({"rate_times": 0.0}, {"format": "pcap"}, {"units": {"down": "ms"}}, {"from_s": 5.0, "to_s": 2.0}):
        reply = client.post("/recordings", json={"files": [{"name": "d.csv", "text": DRIVE}], **more})
        assert reply.status == 422, more
