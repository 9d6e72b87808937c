"""Profiles of iBoxNet."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from windlull.recordings.choices import AskedError, Choices
from windlull.recordings.link import link_text
from windlull.recordings.reading import Given, format_of, read
from windlull.recordings.source import RecordingError, Source

LEARNED = {
    "bottleneck_bandwidth": 6000,
    "buffer_size_bytes": 12000,
    "buffer_size_packets": 8,
    "propagation_delay": 24,
    "cross_traffic_pattern": [1000, 1000, 2500] + [0] * 27,
}
DEFAULTS = {
    "bottleneck_bandwidth": 100000,
    "buffer_size_bytes": 15000000,
    "buffer_size_packets": 10000,
    "propagation_delay": 0,
    "cross_traffic_pattern": [],
}


def profile(uplink: Any = LEARNED, downlink: Any = DEFAULTS, **more: Any) -> Source:
    about = {"measurement_node": "brazil", "data_flow_direction": "upload", "link_type": "cellular", **more}
    return Source("profile.json", json.dumps(about | {"config": {"uplink": uplink, "downlink": downlink}}).encode())


def made(source: Source, **choices: Any) -> dict[str, Any]:
    of = Choices(**choices)
    return tomllib.loads(link_text(read([Given(source)], of), of, [source.name]))


def test_the_cross_traffic_is_taken_off_the_rate() -> None:
    assert format_of(Given(profile()), Choices()).name == "ibox"
    link = made(profile())
    # 6 Mbit/s less 4.5 Mbit in 30 s.
    assert link["up"] == {
        "rate": "5.85 Mbit/s", "delay": "24 ms", "queue": {"kind": "droptail", "limit": "12000 B"}
    }  # fmt: skip
    assert link["down"] == {
        "rate": "100 Mbit/s", "delay": "0 ms", "queue": {"kind": "droptail", "limit": "15000000 B"}
    }  # fmt: skip
    lines = link["recording"]["csv"].splitlines()
    assert link["recording"]["period"] == "30 s"
    assert lines[0] == "time_s,down_bps,up_bps,down_delay_ms,up_delay_ms"
    assert lines[1:] == ["0,100000000,5000000,0,24", "2,,3500000,,", "3,,6000000,,"]
    assert "only up was learned from packets; down has default values" in link["source"]


def test_a_download_and_a_queue_of_ones_own() -> None:
    link = made(profile(uplink=DEFAULTS, downlink=LEARNED, data_flow_direction="download"), queue="30 kB")
    assert link["down"]["rate"] == "5.85 Mbit/s"
    assert link["up"]["queue"]["limit"] == "30 kB"
    assert "only down was learned" in link["source"]


def test_a_buffer_has_room_for_a_packet_at_least() -> None:
    assert made(profile(LEARNED | {"buffer_size_bytes": 800}))["up"]["queue"]["limit"] == "1500 B"


def test_cross_traffic_that_leaves_nothing_is_asked_about() -> None:
    full = profile(LEARNED | {"cross_traffic_pattern": [7000] + [0] * 29})
    with pytest.raises(AskedError, match="the rate is 0 at times"):
        made(full)
    assert made(full, zeros="hold")["recording"]["zeros"] == "hold"


@pytest.mark.parametrize(
    ("uplink", "why"),
    [
        (None, "config.uplink: is missing; both uplink and downlink are needed"),
        (LEARNED | {"bottleneck_bandwidth": "fast"}, "config.uplink.bottleneck_bandwidth: must be a number of kbit/s"),
        (LEARNED | {"bottleneck_bandwidth": 0}, "config.uplink.bottleneck_bandwidth: must be above 0"),
        (LEARNED | {"propagation_delay": -1}, "config.uplink.propagation_delay: must be a number of ms"),
        (LEARNED | {"buffer_size_bytes": True}, "config.uplink.buffer_size_bytes: must be a number of octets"),
        (LEARNED | {"cross_traffic_pattern": {"0": 1}}, "config.uplink.cross_traffic_pattern: must be a list"),
        (LEARNED | {"cross_traffic_pattern": [1, None]}, r"config.uplink.cross_traffic_pattern\[1\]: must be a number"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(uplink: Any, why: str) -> None:
    with pytest.raises(RecordingError, match=f"profile.json: {why}"):
        made(profile(uplink))


def test_other_json_is_not_one() -> None:
    for text in ('{"config": []}', '{"config": {"uplink": 3}}', '{"start": 1}'):
        assert format_of(Given(Source("x.json", text.encode())), Choices()).name != "ibox"
