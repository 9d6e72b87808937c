"""What probes have measured: round trips, one way or both, and which were lost.

Sources: iputils' `ping` and `ping -D` (`[1700182800.410606] 64 bytes from ADDRESS: icmp_seq=1 ttl=63 time=60.6 ms`);
irtt's JSON (irtt-client(1): `round_trips`, times in nanoseconds, `lost` is false, true, true_up or true_down); the CSV
of LENS (its README: `timestamp` in ns and `rtt`, `uplink`, `downlink` in ms; -1 is lost there, 0 unknown).
"""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from windlull.recordings.recording import Path, Recording, filled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windlull.recordings.recording import Column
    from windlull.recordings.source import Source

_PER_WINDOW = 10
"""So many probes, at least, are in the usual window in which losses are counted."""

_WINDOWS_S = (1.0, 10.0, 60.0, 600.0)

_MOST_MS = 1_200_000

_ANSWER = re.compile(
    r"(?:\[(?P<at>\d+(?:\.\d+)?)\] )?\d+ bytes from .*icmp_seq=(?P<seq>\d+) .*time[=<](?P<ms>\d+(?:\.\d+)?) ms"
    r"(?P<dup> \(DUP!\))?"
)
_UNANSWERED = re.compile(r"(?:\[(?P<at>\d+(?:\.\d+)?)\] )?(?:no answer yet for|From .*) icmp_seq=(?P<seq>\d+)")
_PING = re.compile(r"^(\[\d+(\.\d+)?\] )?(PING |\d+ bytes from .*icmp_seq=)")
_WRAP = 65_536
"""Numbers of `ping` are of 16 bits."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A probe: when it was sent, and what is known of it. Times in s and ms; NaN: not known."""

    at_s: float
    rtt_ms: float = math.nan
    up_ms: float = math.nan
    down_ms: float = math.nan
    lost: str | None = None
    """`up`, `down`, or `somewhere`."""


def is_ping(source: Source) -> bool:
    """Say whether it is the output of ping."""
    return any(_PING.match(line) for line in source.head[:5])


def is_irtt(source: Source) -> bool:
    """Say whether it is irtt's JSON."""
    return source.is_json_with("round_trips")


def is_lens(source: Source) -> bool:
    """Say whether it has the heading of LENS."""
    return bool(source.head) and source.head[0].replace(" ", "").startswith("timestamp,rtt,uplink,downlink")


def ping(source: Source, every_s: float | None) -> Recording:
    """Read what `ping` prints; probes without an answer are lost. Raises RecordingError."""
    answers, unanswered = _answers(source)
    if not answers:
        raise source.wrong("there is no answer in it, as `64 bytes from 192.0.2.1: icmp_seq=1 ttl=63 time=60.6 ms`")
    first, last = min(answers), max([*answers, *unanswered])
    notes = []
    stamped = {seq: at - ms / 1e3 for seq, (at, ms) in answers.items() if at is not None}
    if len(stamped) == len(answers) and len(stamped) > 1:
        step = (stamped[max(stamped)] - stamped[first]) / (max(stamped) - first)
    else:
        stamped = {}
        step = every_s or 1.0
        if every_s is None:
            notes.append(f"{source.name} has no times (ping -D): probes are taken to be 1 s apart")
    origin = stamped.get(first, 0.0)
    probes = []
    for seq in range(min([first, *unanswered]), last + 1):
        at = stamped.get(seq, origin + (seq - first) * step)
        probes.append(Probe(at, rtt_ms=answers[seq][1]) if seq in answers else Probe(at, lost="somewhere"))
    return _recording(source, probes, notes)


def _answers(source: Source) -> tuple[dict[int, tuple[float | None, float]], set[int]]:
    """Return by the probe's number when an answer came and after how many ms, and which probes ping gave up."""
    answers: dict[int, tuple[float | None, float]] = {}
    unanswered: set[int] = set()
    turns, before = 0, -1
    for number, line in enumerate(source.lines, 1):
        answer, other = _ANSWER.match(line.strip()), _UNANSWERED.match(line.strip())
        match = answer or other
        if match is None:
            if "bytes from" in line and "icmp_seq" in line:
                raise source.wrong("an answer needs icmp_seq=N and time=X ms, as iputils prints them", line=number)
            continue
        seq = int(match["seq"])
        # Answers may come late, by some; a fall by half the numbers is a new turn of them.
        if before >= 0 and before - seq > _WRAP // 2:
            turns += 1
        before = seq
        seq += turns * _WRAP
        if answer is None:
            unanswered.add(seq)
        elif not answer["dup"]:
            answers[seq] = (float(answer["at"]) if answer["at"] else None, float(answer["ms"]))
    return answers, unanswered


def irtt(source: Source) -> Recording:
    """Read irtt's JSON. Raises RecordingError."""
    trips = source.json["round_trips"]
    if not isinstance(trips, list) or not trips:
        raise source.wrong("round_trips: is empty; run irtt client with -o FILE, and without -Q")
    probes = []
    for index, trip in enumerate(trips):
        place = f"round_trips[{index}]"
        sent = _get(source, trip, place, "timestamps", "client", "send")
        at = sent.get("wall", sent.get("monotonic")) if isinstance(sent, dict) else None
        lost = trip.get("lost")
        if not isinstance(at, int) or lost not in {"false", "true", "true_up", "true_down"}:
            raise source.wrong(f"{place}: needs timestamps.client.send.wall in ns, and lost")
        if lost != "false":
            probes.append(Probe(at / 1e9, lost={"true_up": "up", "true_down": "down"}.get(lost, "somewhere")))
            continue
        delay = _get(source, trip, place, "delay")
        ms = {key: delay[key] / 1e6 for key in ("rtt", "send", "receive") if isinstance(delay.get(key), int)}
        if not 0 <= ms.get("rtt", -1) <= _MOST_MS:
            raise source.wrong(f"{place}.delay.rtt: is a number of nanoseconds, at least 0")
        one_way = {"up_ms": ms.get("send", math.nan), "down_ms": ms.get("receive", math.nan)}
        probes.append(Probe(at / 1e9, rtt_ms=ms["rtt"], **one_way))
    return _recording(source, probes, [])


def lens(source: Source) -> Recording:
    """Read a CSV of LENS. Raises RecordingError."""
    probes = []
    for number, row in enumerate(csv.reader(source.lines), 1):
        if number == 1 or not row:
            continue
        if len(row) < 4:
            raise source.wrong(f"has {len(row)} cells; timestamp, rtt, uplink, downlink are 4", line=number)
        names = ("timestamp", "rtt", "uplink", "downlink")
        values = []
        for name, cell in zip(names, row, strict=False):
            try:
                value = float(cell)
            except ValueError:
                value = math.nan
            if not math.isfinite(value) or abs(value) > (1e19 if name == "timestamp" else _MOST_MS):
                raise source.wrong(f"{cell!r} is not a number", line=number, column=name)
            values.append(value)
        at, rtt, up, down = values
        lost = next((way for way, ms in (("somewhere", rtt), ("up", up), ("down", down)) if ms == -1), None)
        if lost is None and rtt < 0:
            raise source.wrong(f"{rtt:g} ms is no round-trip time; -1 is a lost probe", line=number, column="rtt")
        told = (math.nan, math.nan, math.nan) if lost or rtt == 0 else (rtt, up, down)
        probes.append(Probe(int(row[0]) / 1e9 if row[0].isdigit() else at / 1e9, *told, lost=lost))
    if not probes:
        raise source.wrong("has no rows under its heading")
    return _recording(source, probes, [])


def _get(source: Source, value: Any, place: str, *keys: str) -> Any:  # noqa: ANN401 - JSON
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            raise source.wrong(f"{place}: has no {'.'.join(keys)}")
        value = value[key]
    return value


def _recording(source: Source, probes: Sequence[Probe], notes: list[str]) -> Recording:
    """Return delays by the probe, and the shares of losses by the window."""
    probes = sorted(probes, key=lambda probe: probe.at_s)
    if all(math.isnan(probe.rtt_ms) for probe in probes):
        raise source.wrong("no probe was answered")
    at = np.array([probe.at_s for probe in probes])
    at -= at[0]
    step = float(np.median(np.diff(at))) if len(at) > 1 else 1.0
    length = float(at[-1]) + max(step, 1e-3)
    rtt = np.array([probe.rtt_ms for probe in probes])
    up, down = (np.array([getattr(probe, way) for probe in probes]) for way in ("up_ms", "down_ms"))
    answered = ~np.isnan(rtt)
    if bool((up[answered] > 0).all() and (down[answered] > 0).all()):
        notes.append("delays are those of each way, as exact as the two clocks agreed")
    else:
        if bool((~np.isnan(up[answered])).any()):
            notes.append("the two clocks did not agree (a delay of one way is not above 0)")
        notes.append("half of each round-trip time is taken as the delay of each way")
        up = down = rtt / 2
    # A row for each new delay; a probe that says nothing leaves the delay as it was.
    keep = np.concatenate(([True], np.diff(at) > 0)) & (answered | (np.arange(len(at)) == 0))
    delays = Recording(
        time_s=at[keep], length_s=length,
        down=Path(delay_ms=filled(down)[keep]), up=Path(delay_ms=filled(up)[keep]),
    )  # fmt: skip
    lost = [probe.lost for probe in probes]
    if not any(lost):
        return delays.noted(*notes)
    return _with_losses(delays, at, lost, step, notes)


def _with_losses(delays: Recording, at: Column, lost: list[str | None], step: float, notes: list[str]) -> Recording:
    window = next((window for window in _WINDOWS_S if window >= step * _PER_WINDOW), _WINDOWS_S[-1])
    window = min(window, delays.length_s)
    places = (at / window).astype(np.int64)
    count = np.bincount(places)
    somewhere, up, down = (
        np.bincount(places, weights=np.array([way == one for one in lost], dtype=np.float64))
        for way in ("somewhere", "up", "down")
    )
    sent = np.maximum(count, 1)
    # What was lost somewhere was lost in either way alike: 1 - (1-p)² of the round trips.
    either = 1 - np.sqrt(1 - np.minimum(somewhere / sent, 1))
    share = {way: np.minimum(either + of / sent, 1) for way, of in (("up", up), ("down", down))}
    total = sum(way is not None for way in lost)
    notes.append(f"{total} of {len(lost)} probes were lost; their share is counted over {window:g} s")
    starts = np.arange(len(count)) * window
    times = np.union1d(delays.time_s, starts)
    of_delay = np.searchsorted(delays.time_s, times, side="right") - 1
    of_loss = np.searchsorted(starts, times, side="right") - 1

    return Recording(
        time_s=times, length_s=delays.length_s, notes=tuple(notes),
        down=replace(delays.down.at(of_delay), loss=share["down"][of_loss]),
        up=replace(delays.up.at(of_delay), loss=share["up"][of_loss]),
    )  # fmt: skip
