"""What ping, irtt and LENS have measured."""

from __future__ import annotations

import json
from typing import Any

import pytest

from windlull.recordings.choices import Choices
from windlull.recordings.probes import irtt, lens, ping
from windlull.recordings.reading import Given, format_of
from windlull.recordings.source import RecordingError, Source

PING = """\
PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.
64 bytes from 192.0.2.1: icmp_seq=1 ttl=63 time=60.6 ms
64 bytes from 192.0.2.1: icmp_seq=2 ttl=63 time=40 ms
64 bytes from 192.0.2.1: icmp_seq=2 ttl=63 time=41 ms (DUP!)
no answer yet for icmp_seq=3
64 bytes from 192.0.2.1: icmp_seq=4 ttl=63 time=50.0 ms

--- 192.0.2.1 ping statistics ---
4 packets transmitted, 3 received, +1 duplicates, 25% packet loss, time 3005ms
rtt min/avg/max/mdev = 40.000/50.200/60.600/8.400 ms
"""

STAMPED = """\
PING 2605:59c8:1000:962f::1(2605:59c8:1000:962f::1) 56 data bytes
[1700182800.410606] 64 bytes from 2605:59c8:1000:962f::1: icmp_seq=1 ttl=63 time=60.6 ms
[1700182800.445290] 64 bytes from 2605:59c8:1000:962f::1: icmp_seq=2 ttl=63 time=56.9 ms
[1700182800.530474] 64 bytes from 2605:59c8:1000:962f::1: icmp_seq=5 ttl=63 time=62.0 ms
"""

LENS = """\
timestamp,rtt,uplink,downlink
1705744800616897349,0,0,-1
1705744800626565141,120.126123,72.439368,47.68675
1705744800636737402,109.976237,62.295097,47.681199
1705744800666731717,-1,0,0
1705744800686681812,97.297734,49.362602,47.935125
"""


def source(text: str) -> Source:
    return Source("probes.txt", text.encode())


def trip(at_ns: int, rtt: int = 20_000_000, send: int = 12_000_000, receive: int = 8_000_000) -> dict[str, Any]:
    return {
        "seqno": 0,
        "lost": "false",
        "timestamps": {"client": {"send": {"wall": at_ns, "monotonic": 1}, "receive": {"wall": at_ns + rtt}}},
        "delay": {"rtt": rtt, "send": send, "receive": receive},
    }


def lost(at_ns: int, how: str) -> dict[str, Any]:
    return {"seqno": 0, "lost": how, "timestamps": {"client": {"send": {"wall": at_ns}}}, "delay": {}}


def told(trips: list[Any]) -> Source:
    return source(json.dumps({"version": {}, "round_trips": trips}))


@pytest.mark.parametrize(
    ("given", "form"),
    [(source(PING), "ping"), (source(STAMPED), "ping"), (source(LENS), "lens"), (told([trip(1)]), "irtt")],
)
def test_each_is_known_by_its_form(given: Source, form: str) -> None:
    assert format_of(Given(given), Choices()).name == form


def test_ping_tells_delays_and_by_its_numbers_what_was_lost() -> None:
    read = ping(source(PING), None)
    assert read.down.delay_ms is not None
    assert read.down.loss is not None
    assert read.time_s.tolist() == [0, 1, 3]
    assert read.down.delay_ms.tolist() == pytest.approx([30.3, 20, 25])
    # One of four, in either way alike: 1 - (1-p)² is 1/4.
    assert read.down.loss.tolist() == pytest.approx([1 - 0.75**0.5] * 3)
    assert read.length_s == 4
    assert any("1 s apart" in note for note in read.notes)
    faster = ping(source(PING), 0.2)
    assert faster.time_s.tolist() == pytest.approx([0, 0.2, 0.6])
    assert not any("1 s apart" in note for note in faster.notes)


def test_ping_with_times_needs_no_interval() -> None:
    read = ping(source(STAMPED), None)
    # What was sent, not what came: the stamp less the round trip.
    assert read.time_s[1] == pytest.approx(0.038384, abs=1e-6)
    assert any("2 of 5 probes were lost" in note for note in read.notes)


def test_numbers_of_ping_begin_again_after_65535() -> None:
    lines = [f"64 bytes from 192.0.2.1: icmp_seq={seq} ttl=63 time=10 ms" for seq in (65534, 65535, 0, 1)]
    read = ping(source("\n".join(lines)), 1.0)
    assert read.length_s == 4
    assert read.down.loss is None


def test_ping_without_an_answer_is_refused() -> None:
    with pytest.raises(RecordingError, match="there is no answer in it"):
        ping(source("PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.\n"), None)
    with pytest.raises(RecordingError, match=r"probes.txt, line 2: an answer needs icmp_seq=N and time=X ms"):
        ping(source("PING x\n64 bytes from 192.0.2.1: icmp_seq=1 ttl=63\n"), None)


def test_irtt_tells_each_way_where_the_clocks_agree() -> None:
    read = irtt(told([trip(0), lost(10**9, "true_up"), trip(2 * 10**9, 30_000_000, 20_000_000, 10_000_000)]))
    assert read.up.delay_ms is not None
    assert read.down.delay_ms is not None
    assert read.up.loss is not None
    assert read.down.loss is not None
    assert read.up.delay_ms.tolist() == [12, 20]
    assert read.down.delay_ms.tolist() == [8, 10]
    assert read.up.loss.tolist() == pytest.approx([1 / 3, 1 / 3])
    assert read.down.loss.tolist() == [0, 0]


def test_irtt_of_clocks_that_differ_has_half_the_round_trip() -> None:
    read = irtt(told([trip(0, 17_000_000, 10_487_000_000, -10_470_000_000), trip(10**9)]))
    assert read.up.delay_ms is not None
    assert read.up.delay_ms.tolist() == [8.5, 10]
    assert any("clocks did not agree" in note for note in read.notes)


@pytest.mark.parametrize(
    ("trips", "why"),
    [
        ([], "round_trips: is empty"),
        ([5], r"round_trips\[0\]: has no timestamps.client.send"),
        ([{**trip(0), "lost": "maybe"}], r"round_trips\[0\]: needs timestamps.client.send.wall in ns, and lost"),
        ([{**trip(0), "delay": {}}], r"round_trips\[0\].delay.rtt: is a number"),
        ([lost(0, "true")], "no probe was answered"),
    ],
)
def test_wrong_irtt_is_told_with_its_place(trips: list[Any], why: str) -> None:
    with pytest.raises(RecordingError, match=why):
        irtt(told(trips))


def test_lens_has_minus_one_for_what_was_lost() -> None:
    read = lens(source(LENS))
    assert read.up.delay_ms is not None
    assert read.up.loss is not None
    assert read.down.loss is not None
    assert read.up.delay_ms[1] == pytest.approx(72.439368)
    somewhere = 1 - (1 - 1 / 5) ** 0.5
    assert read.up.loss[0] == pytest.approx(somewhere)
    assert read.down.loss[0] == pytest.approx(somewhere + 1 / 5)
    assert any("2 of 5 probes were lost" in note for note in read.notes)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("1705744800616897349,x,0,0", "line 2, column rtt: 'x' is not a number"),
        ("1705744800616897349,5,0", "line 2: has 3 cells"),
        ("1705744800616897349,-7,5,5", "line 2, column rtt: -7 ms is no round-trip time"),
        ("", "has no rows"),
    ],
)
def test_wrong_lens_is_told_with_line_and_column(row: str, why: str) -> None:
    with pytest.raises(RecordingError, match=why):
        lens(source(f"timestamp,rtt,uplink,downlink\n{row}\n"))
