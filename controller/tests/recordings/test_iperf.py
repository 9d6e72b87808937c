"""What `iperf3 -J` says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from windlull.recordings.choices import Choices
from windlull.recordings.iperf import iperf
from windlull.recordings.reading import Given, format_of
from windlull.recordings.source import RecordingError, Source


def interval(
    start: float, bps: float, rtt: int | None = 69_398, *, omitted: bool = False, **more: Any
) -> dict[str, Any]:
    stream = {"socket": 5, "start": start, "end": start + 1, "bits_per_second": bps, "omitted": omitted}
    if rtt is not None:
        stream["rtt"] = rtt
    total = {"start": start, "end": start + 1, "seconds": 1, "bytes": 1, "bits_per_second": bps, "omitted": omitted}
    return {"streams": [stream], "sum": total, **more}


def said(intervals: list[Any], **start: Any) -> Source:
    test = {"protocol": "TCP", "num_streams": 1, "reverse": 0, **start}
    whole = {"start": {"version": "iperf 3.12", "test_start": test}, "intervals": intervals, "end": {}}
    return Source("iperf.json", json.dumps(whole).encode())


def test_a_client_that_sends_tells_of_the_way_up() -> None:
    given = said([interval(0, 9e6, omitted=True), interval(0, 2e6), interval(1, 3e6, 50_000)])
    assert format_of(Given(given), Choices()).name == "iperf3"
    read = iperf(given)
    assert read.up.rate_bps is not None
    assert read.up.delay_ms is not None
    assert read.up.rate_bps.tolist() == [2e6, 3e6]
    assert read.down.rate_bps is None
    assert read.up.delay_ms.tolist() == [25, 25]
    assert read.length_s == 2


def test_reverse_is_down_and_bidir_is_both() -> None:
    down = iperf(said([interval(0, 2e6, None)], reverse=1))
    assert down.down.rate_bps is not None
    assert down.up.rate_bps is None
    assert down.down.delay_ms is None
    back: dict[str, Any] = {"sum_bidir_reverse": {"start": 0, "end": 1, "bits_per_second": 7e6, "omitted": False}}
    both = iperf(said([interval(0, 2e6, **back)]))
    assert both.up.rate_bps is not None
    assert both.down.rate_bps is not None
    assert (both.up.rate_bps.tolist(), both.down.rate_bps.tolist()) == ([2e6], [7e6])


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (said([]), "intervals: is empty"),
        (said([{"streams": []}]), r"intervals\[0\]: has no sum"),
        (said([{"streams": [], "sum": {"start": 0, "end": 0, "bits_per_second": 1}}]), "ends at 0 s, not after"),
        (said([{"streams": [], "sum": {"start": 0, "end": 1}}]), r"intervals\[0\].sum: needs start, end"),
        (
            Source("i", b'{"start": {}, "intervals": [], "error": "unable to connect to server"}'),
            "iperf3 failed: unable to connect",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(given: Source, why: str) -> None:
    with pytest.raises(RecordingError, match=why):
        iperf(given)


def test_json_that_is_cut_off_is_told_with_its_line() -> None:
    with pytest.raises(RecordingError, match=r"iperf.json, line 2: this is not JSON"):
        iperf(Source("iperf.json", b'{"start": {},\n"intervals": ['))
