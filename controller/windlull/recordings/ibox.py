"""iBoxNet's profiles of networks: a bottleneck, its buffer, a delay, and what others sent through it.

Source: README.md of github.com/microsoft/internet-in-a-box and the profiles there: `config.uplink` and
`config.downlink` have `bottleneck_bandwidth` in kbit/s, `buffer_size_bytes`, `propagation_delay` in milliseconds, and
`cross_traffic_pattern`, a series over 30 s in kbit/s. One direction is learned (`data_flow_direction`), the other has
default values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from windlull.recordings.recording import Path, Recording, merged

if TYPE_CHECKING:
    from windlull.recordings.source import Source

_LENGTH_S = 30.0
"""Of a series of cross traffic."""

_CONSTANT_S = 1.0
"""How long a direction is said to last of which nothing changes."""

_MTU_BYTES = 1500
_WAYS = {"down": "downlink", "up": "uplink"}
_LEARNED = {"upload": "up", "download": "down"}


def is_ibox(source: Source) -> bool:
    """Say whether it is a profile of iBoxNet."""
    if not source.is_json_with("config"):
        return False
    config = source.json["config"]
    return isinstance(config, dict) and any(
        isinstance(config.get(link), dict) and "bottleneck_bandwidth" in config[link] for link in _WAYS.values()
    )


def ibox(source: Source) -> Recording:
    """Read both directions: the rate is what the cross traffic leaves. Raises RecordingError."""
    whole = source.json
    ways = [_way(source, way, whole["config"].get(link), f"config.{link}") for way, link in _WAYS.items()]
    recording = merged(*ways)
    notes = []
    if any(way.length_s == _LENGTH_S for way in ways):
        notes.append(
            f"{source.name}: the rate is the bottleneck's less the cross traffic, which in iBox shares the queue with "
            "the flow"
        )
    learned = _LEARNED.get(str(whole.get("data_flow_direction")))
    if learned is not None:
        other = "down" if learned == "up" else "up"
        notes.append(f"{source.name}: only {learned} was learned from packets; {other} has default values")
    return recording.noted(*notes)


def _way(source: Source, way: str, of: object, place: str) -> Recording:
    if not isinstance(of, dict):
        raise source.wrong(f"{place}: is missing; both uplink and downlink are needed")
    bottleneck = _number(source, of.get("bottleneck_bandwidth"), f"{place}.bottleneck_bandwidth", "kbit/s")
    delay = _number(source, of.get("propagation_delay"), f"{place}.propagation_delay", "ms")
    buffer = _number(source, of.get("buffer_size_bytes"), f"{place}.buffer_size_bytes", "octets")
    if bottleneck == 0:
        raise source.wrong(f"{place}.bottleneck_bandwidth: must be above 0")
    crossing = of.get("cross_traffic_pattern") or []
    if not isinstance(crossing, list):
        raise source.wrong(f"{place}.cross_traffic_pattern: must be a list of numbers")
    others = np.array(
        [
            _number(source, one, f"{place}.cross_traffic_pattern[{index}]", "kbit/s")
            for index, one in enumerate(crossing)
        ]
        or [0.0]
    )
    path = Path(
        rate_bps=np.round(np.maximum(bottleneck - others, 0.0) * 1e3),
        delay_ms=np.full(len(others), delay),
        queue_bytes=max(round(buffer), _MTU_BYTES),
    )
    length = _LENGTH_S if crossing else _CONSTANT_S
    times = np.arange(len(others), dtype=np.float64) * (length / len(others))
    empty = Path()
    return Recording(
        time_s=times, length_s=length, down=path if way == "down" else empty, up=path if way == "up" else empty
    )


def _number(source: Source, value: object, place: str, unit: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e12:
        raise source.wrong(f"{place}: must be a number of {unit}, 0 or more")
    return float(value)
