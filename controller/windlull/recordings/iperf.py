"""The JSON of `iperf3 -J`: the rate of each interval.

Source: iperf3's iperf_api.c and iperf_tcp.c: `start.test_start.reverse` and `.bidirectional`, `intervals[].sum` and
`.sum_bidir_reverse` with `start`, `end`, `bits_per_second` and `omitted`, `streams[].rtt` in microseconds of a TCP
sender.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from windlull.recordings.recording import Path, Recording

if TYPE_CHECKING:
    from windlull.recordings.source import Source


def is_iperf(source: Source) -> bool:
    """Say whether it is iperf3's JSON."""
    return source.is_json_with("start", "intervals")


def iperf(source: Source) -> Recording:
    """Read the rates of one direction, or of both with `--bidir`. Raises RecordingError."""
    whole = source.json
    if whole.get("error") and not whole["intervals"]:
        raise source.wrong(f"iperf3 failed: {whole['error']}")
    start = whole["start"].get("test_start", {}) if isinstance(whole["start"], dict) else {}
    reverse = bool(start.get("reverse"))
    ways: dict[str, list[tuple[float, float, float]]] = {"up": [], "down": []}
    trips: list[float] = []
    intervals = whole["intervals"] if isinstance(whole["intervals"], list) else []
    for index, interval in enumerate(intervals):
        for key, way in (("sum", "down" if reverse else "up"), ("sum_bidir_reverse", "up" if reverse else "down")):
            total = interval.get(key) if isinstance(interval, dict) else None
            if total is None and key == "sum":
                raise source.wrong(f"intervals[{index}]: has no sum")
            if total is None or total.get("omitted"):
                continue
            ways[way].append(_row(source, f"intervals[{index}].{key}", total))
        streams = interval.get("streams", [])
        trips += [one["rtt"] for one in streams if isinstance(one.get("rtt"), (int, float)) and one["rtt"] > 0]
    if not any(ways.values()):
        raise source.wrong("intervals: is empty, so there is no rate over time")
    told = " and ".join(way for way, rows in ways.items() if rows)
    notes = [
        f"the rate {told} is what {start.get('protocol', 'the test')} carried, which is at most what the path could"
    ]
    delay = None
    if trips:
        delay = min(trips) / 2e3
        notes.append(f"half of the least round-trip time, {delay:g} ms, is taken as the delay of each way")
    rows = ways["down"] or ways["up"]
    origin = rows[0][0]
    paths = {}
    for way, of in ways.items():
        count = len(of)
        paths[way] = Path(
            rate_bps=np.array([rate for _, _, rate in of[: len(rows)]]) if count else None,
            delay_ms=None if delay is None else np.full(len(rows), delay),
        )
        if count not in {0, len(rows)}:
            raise source.wrong(f"intervals: {len(rows)} of one direction and {count} of the other")
    times = np.array([at for at, _, _ in rows]) - origin
    return Recording(
        time_s=times, length_s=rows[-1][1] - origin, down=paths["down"], up=paths["up"], notes=tuple(notes)
    )


def _row(source: Source, place: str, total: dict[str, Any]) -> tuple[float, float, float]:
    values = [total.get(key) for key in ("start", "end", "bits_per_second")]
    if not all(isinstance(value, (int, float)) and 0 <= value < 1e13 for value in values):
        raise source.wrong(f"{place}: needs start, end and bits_per_second as numbers")
    at, end, rate = (float(value) for value in values if value is not None)
    if end <= at:
        raise source.wrong(f"{place}: ends at {end:g} s, not after its start at {at:g} s")
    return at, end, rate
