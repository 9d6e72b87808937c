from __future__ import annotations

import json
import subprocess
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, update

from tests.api import finished
from windlull.api.context import of
from windlull.store.tables import Artefact, Run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.client import Client

EPISODE: dict[str, Any] = {
    "number": 1, "cause": "hold", "onset_ns": 2_000_000_000, "ended_ns": 5_000_000_000, "recovered_ns": 6_000_000_000,
    "causes": [{"kind": "hold", "direction": "down", "name": "s", "from_ns": 2_000_000_000, "to_ns": 5_000_000_000}],
    "outstanding": {"una": 0, "max": 512}, "reaction": {"kind": "timeout", "at_ns": 3_500_000_000},
    "timeouts": [
        {"at_ns": 3_500_000_000, "ordinal": 1, "una": 0, "verdict": "spurious", "rto_ns": None, "backoff": None,
         "inferred": True, "reason": None, "answer": None, "answered_ns": None},
    ], "fast_retransmits": [],
    "retransmissions": {"segments": 2, "necessary": 1, "unnecessary": 1, "unknown": 0}, "detector": [],
    "responses": [], "before": {"cwnd_bytes": 512, "ssthresh_bytes": None}, "after": None,
    "cost": {"packets_lost": 0, "octets_unnecessary": 256, "silence_ns": 9, "duration_ns": 4_000_000_000},
    "story": [{"at_ns": 2_000_000_000, "text": "The link holds."}, {"at_ns": 3_500_000_000, "text": "A timeout."}],
    "untold": 0,
}  # fmt: skip
UNRECOVERED = EPISODE | {"number": 2, "onset_ns": 8_000_000_000, "ended_ns": None, "recovered_ns": None, "story": []}


@pytest.fixture
def run(client: Client) -> int:
    """The number of a run that has ended."""
    batch = finished.store(client.app, finished.figure_2())
    return int(client.get(f"/runs?batch={batch}&order=oldest").json["items"][0]["id"])


def _tell(client: Client, run: int, **changes: Any) -> None:
    """Let the run's run.json say something else."""
    context = of(client.app)
    analysis = client.get(f"/runs/{run}/analysis").json | changes
    octets = json.dumps(analysis).encode()
    with context.database.session() as session:
        result = session.scalar(select(Run.result_id).where(Run.id == run))
        session.execute(
            update(Artefact)
            .where(Artefact.result_id == result, Artefact.name == "run.json")
            .values(sha256=context.blobs.put(octets), size_bytes=len(octets))
        )


DAY_NS = 86_400_000_000_000
"""A simulated run's captures begin on the second day of 1970."""


def _packets(capture: bytes, tmp_path: Path) -> list[int]:
    """When the packets of a capture were stamped, ns after the run's start."""
    file = tmp_path / "clip.pcapng"
    file.write_bytes(capture)
    said = subprocess.run(
        ["tshark", "-r", str(file), "-T", "fields", "-e", "frame.time_epoch"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [int(Decimal(line) * 10**9) - DAY_NS for line in said.split()]


def test_what_was_found_out_is_given_as_it_is(client: Client, run: int) -> None:
    made = finished.figure_2()
    answer = client.get(f"/runs/{run}/analysis")
    assert answer.data == made.files[made.planned.runs[0].directory]["run.json"]
    assert client.get(f"/runs/{run}/analysis", headers={"If-None-Match": answer.headers["ETag"]}).status == 304


def test_what_the_engine_tells_of_episodes_can_be_read(client: Client, run: int) -> None:
    items = client.get(f"/runs/{run}/episodes").json["items"]
    assert "hold" in {item["cause"] for item in items}
    for item in items:
        episode = client.get(f"/runs/{run}/episodes/{item['number']}").json
        assert episode["cause"] == item["cause"]
    assert [item["number"] for item in items] == list(range(1, len(items) + 1))


def test_episodes_are_listed_and_one_is_told_as_a_story(client: Client, run: int) -> None:
    _tell(client, run, episodes=[EPISODE, UNRECOVERED])
    first, second = client.get(f"/runs/{run}/episodes").json["items"]
    assert (first["number"], first["timeouts"], first["headline"]) == (1, 1, "The link holds.")
    assert (second["recovered_ns"], second["headline"]) == (None, "")
    assert client.get(f"/runs/{run}/episodes/1").json == EPISODE
    assert client.get(f"/runs/{run}/episodes/3").status == 404
    assert client.get(f"/runs/{run}/episodes/0").status == 404


def test_the_capture_of_an_episode_has_its_time_and_a_margin(client: Client, run: int, tmp_path: Path) -> None:
    _tell(client, run, episodes=[EPISODE, UNRECOVERED])
    made = finished.figure_2()
    whole = _packets(made.files[made.planned.runs[0].directory]["server.pcapng"], tmp_path)
    for address, start, end in (
        ("1/captures/server?margin_ns=0", 2000, 6000),
        ("1/captures/server?margin_ns=250000000", 1750, 6250),
        ("1/captures/server", 1500, 6500),
        ("2/captures/server?margin_ns=0", 8000, 12000),
    ):
        answer = client.get(f"/runs/{run}/episodes/{address}")
        assert answer.status == 200
        assert len(whole) > 10
        assert _packets(answer.data, tmp_path) == [at for at in whole if start * 10**6 <= at <= end * 10**6]
        same = client.get(f"/runs/{run}/episodes/{address}", headers={"If-None-Match": answer.headers["ETag"]})
        assert same.status == 304
    assert client.get(f"/runs/{run}/episodes/1/captures/server?margin_ns=-1").status == 422
    assert client.get(f"/runs/{run}/episodes/1/captures/router").status == 404


@pytest.mark.parametrize("episodes", [5, [5], [{}], [EPISODE | {"onset_ns": -1}], [EPISODE | {"story": [1]}]])
def test_a_record_that_makes_no_sense_is_told(client: Client, run: int, episodes: object) -> None:
    _tell(client, run, episodes=episodes)
    for address in ("episodes", "episodes/1", "episodes/1/captures/client"):
        answer = client.get(f"/runs/{run}/{address}")
        assert (answer.status, answer.json["error"]["code"]) == (422, "unreadable")


def test_a_capture_that_is_none_is_told(client: Client, run: int) -> None:
    _tell(client, run, episodes=[EPISODE])
    context = of(client.app)
    with context.database.session() as session:
        result = session.scalar(select(Run.result_id).where(Run.id == run))
        session.execute(
            update(Artefact)
            .where(Artefact.result_id == result, Artefact.name == "client.pcapng")
            .values(sha256=context.blobs.put(b"no capture"))
        )
    answer = client.get(f"/runs/{run}/episodes/1/captures/client")
    assert (answer.status, answer.json["error"]["code"]) == (422, "unreadable")


def test_there_is_a_reason_where_there_is_nothing(client: Client, run: int) -> None:
    finished.evict(client.app)
    for address in ("analysis", "episodes", "episodes/1", "episodes/1/captures/client"):
        assert client.get(f"/runs/{run}/{address}").status == 410
        assert client.get(f"/runs/999/{address}").status == 404
