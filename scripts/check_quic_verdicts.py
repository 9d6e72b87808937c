"""Judge runs of QUIC stacks again, by their qlogs and both captures alone, and compare with what their run.json says.

    .venv/bin/python scripts/check_quic_verdicts.py [--runs 500] [--variants aioquic,quinn] [--seed 2026] [--keep DIR]
    .venv/bin/python scripts/check_quic_verdicts.py --of DIRECTORY

The first draws links from the seed, each with some of the troubles in `drawn`, and makes a run of each variant over
each, so many in all. `aioquic` is the adapter in stacks/, started by this Python; other variants are shipped ones or
files, whose stacks are built. The second judges the runs that are somewhere below a directory.

Nothing of the engine's analysis is used here: packets are what tshark decrypts, and the rules are those of
docs/verdicts.md. Prints every disagreement, and ends with 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[1]
SERVER, CLIENT = "198.18.0.1", "198.18.0.2"
ADDRESS = {"server": SERVER, "client": CLIENT}
START_OF_CAPTURES_NS = 86_400 * 10**9
"""Captures of virtual time begin on the second day of 1970."""
PACKET_THRESHOLD = 3
"""RFC 9002, section 6.1.1."""
SIZE_BYTES = 300_000
COMMENT = re.compile(r"^windlull: retransmission, (\w+(?: \([\w-]+\))?)")
LONG_TYPES = {"0": "initial", "1": "0RTT", "2": "handshake"}

Packet = tuple[str, int]
"""Type and number."""

Instant = tuple[float, int]
"""In nanoseconds, and by the place in a capture what came first of what it has at one time."""

NEVER: Instant = (math.inf, 0)

Verdicts = dict[Any, Any] | list[Any]


@dataclass
class Segment:
    """Adjoining octets of the stream that one datagram holds."""

    packet: Packet
    at_ns: int
    start: int
    end: int


@dataclass
class Acknowledgement:
    """A packet of the data receiver, and what is acknowledged with it."""

    packet: Packet
    at: Instant
    whole: int
    """All octets below it."""
    had: bytes
    """1 for each octet that was acknowledged by now."""


@dataclass
class Judged:
    """All verdicts of a run."""

    retransmissions: Counter[str] = field(default_factory=Counter)
    by_packet: dict[Packet, str] = field(default_factory=dict)
    losses: Counter[str] = field(default_factory=Counter)
    timeouts: list[tuple[int, str, str]] = field(default_factory=list)
    fast_retransmits: list[tuple[int, str, str]] = field(default_factory=list)


class Run:
    """What the qlogs and the captures of a run say."""

    def __init__(self, directory: Path) -> None:
        told = json.loads((directory / "run.json").read_bytes())
        self.sender = told["data_sender"]
        self.receiver = "client" if self.sender == "server" else "server"
        self.said = {end: list(events(directory / f"{end}.sqlog")) for end in ADDRESS}
        # What of an end's packets arrived at the other, and when.
        self.arrived: dict[str, dict[Packet, Instant]] = {}
        self.left: dict[str, dict[Packet, Instant]] = {}
        """When an end sent its packets, by its own capture."""
        for end, other in (("server", "client"), ("client", "server")):
            # By the octets of its datagram: what arrives after the end of a connection nobody can decrypt any more.
            there = payloads(directory / f"{other}.pcapng", ADDRESS[end])
            packets = list(captured(directory / f"{end}.pcapng", ADDRESS[end]))
            self.arrived[end] = {packet: there[payload] for packet, _, payload, _ in packets if payload in there}
            self.left[end] = {packet: at for packet, at, _, _ in packets}
        self.segments: list[Segment] = []
        self.of_packet: dict[int, list[tuple[int, int]]] = {}
        for at_ns, name, data in self.said[self.sender]:
            if name == "quic:packet_sent":
                self._sends(at_ns, data)
        # How many segments each packet is.
        self.segment_counts = Counter(segment.packet for segment in self.segments)
        self.size = max((segment.end for segment in self.segments), default=0)
        self.acknowledgements = list(self._acknowledgements())

    def _sends(self, at_ns: int, data: dict[str, Any]) -> None:
        kind, number = packet_of(data)
        frames = [frame for frame in data.get("frames", []) if frame["frame_type"] == "stream"]
        ranges: list[tuple[int, int]] = []
        for frame in frames:
            start, end = frame["offset"], frame["offset"] + length_of(frame)
            if ranges and ranges[-1][1] == start:
                ranges[-1] = (ranges[-1][0], end)
            elif start < end:
                ranges.append((start, end))
        self.segments += [Segment((kind, number), at_ns, start, end) for start, end in ranges]
        if kind in {"0RTT", "1RTT"}:
            self.of_packet[number] = ranges

    def _acknowledgements(self) -> Iterator[Acknowledgement]:
        had, whole = bytearray(self.size), 0
        new = False
        for at_ns, name, data in self.said[self.receiver]:
            if name != "quic:packet_sent":
                continue
            kind, number = packet_of(data)
            for of_data in acknowledged(data) if kind in {"0RTT", "1RTT"} else ():
                for start, end in self.of_packet.pop(of_data, []):
                    had[start:end] = b"\1" * (end - start)
                    new = True
            if any(closes_in_order(frame) for frame in data.get("frames", [])):
                had[:] = b"\1" * self.size
                new = True
            if new:
                missing = had.find(0)
                whole = self.size if missing < 0 else missing
            left = self.left[self.receiver].get((kind, number), (at_ns, 0))
            yield Acknowledgement((kind, number), left, whole, bytes(had) if new else b"")
            new = False


def main() -> int:
    """Make the runs, judge them, and say where it is judged otherwise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--variants", default="aioquic")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--keep", type=Path, help="where the runs are kept")
    parser.add_argument("--of", type=Path, help="judge the runs below this directory, and make none")
    options = parser.parse_args()
    if options.of:
        return compared(options.of)
    with tempfile.TemporaryDirectory(prefix="windlull-quic-") as temporary:
        place = options.keep or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        made(place, options.variants.split(","), options.runs, options.seed)
        return compared(place / "out")


def compared(root: Path) -> int:
    """Judge all runs below a directory; return the exit code."""
    directories = sorted(file.parent for file in root.rglob("run.json") if (file.parent / "server.sqlog").exists())
    total: Counter[str] = Counter()
    disagreements = 0
    for directory in directories:
        run, theirs = Run(directory), told(directory)
        ours = judged(run)
        # Of a packet with several segments one verdict stands in the comment, and not always that of all.
        theirs.by_packet = {
            packet: verdict for packet, verdict in theirs.by_packet.items() if run.segment_counts[packet] == 1
        }
        total["retransmissions"] += sum(ours.retransmissions.values())
        total["declared losses"] += ours.losses["declared"]
        total["spurious losses"] += ours.losses["spurious"]
        total["timeouts"] += len(ours.timeouts)
        total["fast retransmits"] += len(ours.fast_retransmits)
        for what in ("retransmissions", "by_packet", "losses", "timeouts", "fast_retransmits"):
            mine, said = getattr(ours, what), getattr(theirs, what)
            if mine != said:
                disagreements += 1
                print(f"{directory}: {what}: run.json says {difference(said, mine)}; it is {difference(mine, said)}")
    if not directories:
        print(f"error: no run of a stack is below {root}", file=sys.stderr)
        return 1
    counts = ", ".join(f"{count} {what}" for what, count in total.items())
    print(f"{len(directories)} runs with {counts}: {disagreements or 'no'} disagreements")
    return 1 if disagreements else 0


def difference(one: Verdicts, other: Verdicts) -> Verdicts:
    """Return what is in one and not in the other."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {key: value for key, value in one.items() if other.get(key) != value}
    return [verdict for verdict in one if verdict not in other]


# --- the verdicts -----------------------------------------------------------------------------------------------------


def judged(run: Run) -> Judged:
    """Judge a run by its qlogs and captures."""
    result = Judged()
    before = bytearray(run.size)
    """1 for each octet that was sent."""
    had = Had()
    for place, segment in enumerate(run.segments):
        if before.find(1, segment.start, segment.end) >= 0:
            # What carries new octets too, no earlier copy makes unnecessary.
            is_partly_new = before.find(0, segment.start, segment.end) >= 0
            verdict, reason = ("necessary", "") if is_partly_new else of_retransmission(run, had, place)
            result.retransmissions[f"{verdict} {reason}" if verdict == "unnecessary" else verdict] += 1
            if run.segment_counts[segment.packet] == 1:
                result.by_packet[segment.packet] = f"{verdict} ({reason})" if reason else verdict
        before[segment.start : segment.end] = b"\1" * (segment.end - segment.start)
        had.add(segment, run.arrived[run.sender].get(segment.packet))
    declared(run, result)
    return result


class Had:
    """When the receiver had octets, by the copies that were sent so far."""

    def __init__(self) -> None:
        self._copies: list[tuple[int, int, Instant]] = []

    def add(self, segment: Segment, arrived: Instant | None) -> None:
        """A copy is sent that arrives then, or never."""
        if arrived is not None:
            self._copies.append((segment.start, segment.end, arrived))

    def since(self, start: int, end: int) -> Instant:
        """Return when it had all of them, or never."""
        copies = [copy for copy in self._copies if copy[0] < end and start < copy[1]]
        bounds = sorted({start, end, *(min(max(bound, start), end) for copy in copies for bound in copy[:2])})
        return max(
            min((at for left, right, at in copies if left <= one and other <= right), default=NEVER)
            for one, other in pairwise(bounds)
        )


def of_retransmission(run: Run, had: Had, place: int) -> tuple[str, str]:
    """Return the verdict and its reason of a segment whose octets were sent before."""
    segment = run.segments[place]
    since = had.since(segment.start, segment.end)
    if since == NEVER:
        return "necessary", "data-lost"
    is_lost = all_lost(run, segment.start, segment.end, since, first_arrival(run, place))
    return "unnecessary", "ack-lost" if is_lost else "delayed"


def first_arrival(run: Run, place: int) -> Instant:
    """Return when the first segment arrived that was sent from this place on."""
    return min((run.arrived[run.sender].get(later.packet, NEVER) for later in run.segments[place:]), default=NEVER)


def all_lost(run: Run, start: int, end: int, since: Instant, until: Instant) -> bool:
    """Whether the receiver acknowledged these octets in that time, and none of these acknowledgements arrived."""
    had = bytes(run.size)
    answers = []
    for one in run.acknowledgements:
        had = one.had or had
        if since <= one.at < until and had.find(0, start, end) < 0:
            answers.append(one.packet)
    return bool(answers) and not any(packet in run.arrived[run.receiver] for packet in answers)


def declared(run: Run, result: Judged) -> None:
    """Judge declarations of loss, and what begins with them."""
    sent: dict[Packet, tuple[int, bool]] = {}
    largest: dict[str, int] = {}
    lost: set[Packet] = set()
    recovery_began = -1
    una = place = 0
    whole = {one.packet: one.whole for one in run.acknowledgements}
    begun = next((at_ns for at_ns, name, _ in run.said[run.sender] if name == "quic:packet_sent"), math.inf)
    # Whether or not the sender can read it already.
    answered = min((at_ns for at_ns, _ in run.arrived[run.receiver].values() if at_ns > begun), default=math.inf)
    timed_out: list[tuple[int, int, int]] = []
    for at_ns, name, data in run.said[run.sender]:
        if name == "quic:packet_sent":
            sent[space_of(data)] = (at_ns, any(is_eliciting(frame) for frame in data.get("frames", [])))
            place += run.segment_counts[packet_of(data)]
        elif name == "quic:packet_received":
            space, _ = space_of(data)
            largest[space] = max([largest.get(space, 0), *acknowledged(data)])
            una = max(una, whole.get(packet_of(data), 0))
        elif name == "quic:timer_updated" and data.get("timer_type") == "pto" and data["event_type"] == "expired":
            timed_out.append((at_ns, una, place))
        elif name == "quic:packet_lost" and not data.get("is_mtu_probe_packet") and space_of(data) not in lost:
            packet = space_of(data)
            lost.add(packet)
            trigger = data.get("trigger") or rule(largest.get(packet[0]), packet[1])
            result.losses["declared"] += 1
            if packet_of(data) in run.arrived[run.sender]:
                result.losses["spurious"] += 1
                result.losses[f"spurious by {trigger}"] += 1
            if trigger == "pto_expired":
                # A stack that does not tell its probe timeouts shows them so.
                is_told = any(at == at_ns for at, *_ in timed_out[-1:])
                timed_out += [] if is_told else [(at_ns, una, place)]
            elif sent[packet][1] and sent[packet][0] > recovery_began:
                recovery_began = at_ns
                has_arrived = packet_of(data) in run.arrived[run.sender]
                verdict = ("spurious", "unknown") if has_arrived else ("genuine", "data-lost")
                result.fast_retransmits.append((at_ns, *verdict))
    result.timeouts = [
        (at_ns, *(of_timeout(run, una, place) if answered <= at_ns else of_opening(run, place)))
        for at_ns, una, place in timed_out
    ]


def acknowledged(data: dict[str, Any]) -> Iterator[int]:
    """Yield the number of every packet that an event's packet acknowledges."""
    for frame in data.get("frames", []):
        if frame["frame_type"] == "ack":
            for first, *last in frame["acked_ranges"]:
                yield from range(first, (last or [first])[0] + 1)


def rule(largest: int | None, number: int) -> str:
    """Return the rule of loss detection that held, where the stack says none."""
    later = 0 if largest is None else max(0, largest - number)
    if later == 0:
        return "pto_expired"
    return "reordering_threshold" if later >= PACKET_THRESHOLD else "time_threshold"


def of_event(run: Run, una: int, place: int) -> tuple[str, str]:
    """Return the verdict of a timeout, and its reason. So many segments were sent before.

    Its segment is from the first octet that the sender does not know to have arrived to the end of its first copy.
    """
    had, end = Had(), None
    for segment in run.segments[:place]:
        had.add(segment, run.arrived[run.sender].get(segment.packet))
        if end is None and segment.start <= una < segment.end:
            end = segment.end
    if end is None:
        return "unknown", "unknown"
    since = had.since(una, end)
    if since == NEVER:
        return "genuine", "data-lost"
    is_lost = all_lost(run, una, end, since, first_arrival(run, place))
    return "spurious", "ack-lost" if is_lost else "delayed"


def of_timeout(run: Run, una: int, place: int) -> tuple[str, str]:
    """Return the verdict of a timeout: by waiting the sender could not have learnt what no acknowledgement told it."""
    verdict, reason = of_event(run, una, place)
    return ("genuine" if reason == "ack-lost" else verdict), reason


def of_opening(run: Run, place: int) -> tuple[str, str]:
    """Return the verdict of a timeout before anything answered the sender's first packet, as a SYN's is judged."""
    first = next(packet_of(data) for _, name, data in run.said[run.sender] if name == "quic:packet_sent")
    since = run.arrived[run.sender].get(first, NEVER)
    if since == NEVER:
        return "genuine", "data-lost"
    until = first_arrival(run, place)
    answers = [one.packet for one in run.acknowledgements if since <= one.at < until]
    if answers and not any(packet in run.arrived[run.receiver] for packet in answers):
        return "genuine", "ack-lost"
    return "spurious", "delayed"


# --- what the files say -----------------------------------------------------------------------------------------------


def events(file: Path) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield time in nanoseconds, name and data of a qlog's events."""
    for text in file.read_text(encoding="utf-8").split("\x1e")[1:]:
        event = json.loads(text)
        if "name" in event:
            yield round(event["time"] * 1e6), event["name"], event["data"]


def packet_of(data: dict[str, Any]) -> Packet:
    """Return type and number of an event's packet; what has no number has -1."""
    return data["header"]["packet_type"], data["header"].get("packet_number", -1)


def space_of(data: dict[str, Any]) -> Packet:
    """Return the space of its number, and the number."""
    kind, number = packet_of(data)
    return ("1RTT" if kind == "0RTT" else kind), number


def length_of(frame: dict[str, Any]) -> int:
    """Return how many octets a frame of a stream holds."""
    raw = frame["raw"]
    return int(raw["payload_length"] if "payload_length" in raw else raw["length"])


def is_eliciting(frame: dict[str, Any]) -> bool:
    """Whether a packet with this frame asks for an acknowledgement."""
    return frame["frame_type"] not in {"padding", "ack", "connection_close"}


def closes_in_order(frame: dict[str, Any]) -> bool:
    """Whether the application says that it has read all."""
    return (
        frame["frame_type"] == "connection_close"
        and frame.get("error_space") == "application"
        and frame.get("error_code", 0) == 0
    )


def fields(file: Path, only: str, *names: str) -> Iterator[list[str]]:
    """Yield what tshark says of each packet."""
    asked = [word for name in names for word in ("-e", name)]
    command: list[str | Path] = ["tshark", "-n", "-r", file, "-Y", only, "-T", "fields", *asked]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    yield from (line.split("\t") for line in done.stdout.splitlines())


def payloads(file: Path, source: str) -> dict[str, Instant]:
    """Return the payloads of the datagrams from an address, and when each was captured first."""
    first: dict[str, Instant] = {}
    names = ("frame.time_epoch", "frame.number", "udp.payload")
    for at, number, payload in fields(file, f"udp && ip.src == {source}", *names):
        first.setdefault(payload, instant(at, number))
    return first


def instant(at: str, number: str) -> Instant:
    """Return when a packet was captured, by tshark's time and number of it."""
    return int(at.replace(".", "")) - START_OF_CAPTURES_NS, int(number)


def captured(file: Path, source: str) -> Iterator[tuple[Packet, Instant, str, str]]:
    """Yield the QUIC packets from an address as tshark decrypts them, when, the payload of each, and its comment."""
    names = ("quic.long.packet_type", "quic.packet_number")
    of_frame = ("frame.time_epoch", "frame.number", "udp.payload", "frame.comment")
    for long, numbers, at, frame, payload, comment in fields(file, f"quic && ip.src == {source}", *names, *of_frame):
        # Packets with long headers come first in a datagram; what is left is of application data.
        kinds = [LONG_TYPES[kind] for kind in long.split(",") if kind in LONG_TYPES]
        of_packets = [int(number) for number in numbers.split(",") if number]
        kinds += ["1RTT"] * (len(of_packets) - len(kinds))
        for packet in zip(kinds, of_packets, strict=True):
            yield packet, instant(at, frame), payload, comment


def told(directory: Path) -> Judged:
    """Return what the engine says of a run: run.json, and the comments in the capture of the data sender."""
    run = json.loads((directory / "run.json").read_bytes())
    result = Judged()
    counted = run["retransmissions"]
    for key, name in (
        ("necessary", "necessary"), ("unnecessary_delayed", "unnecessary delayed"),
        ("unnecessary_ack_lost", "unnecessary ack-lost"), ("unnecessary_other", "unnecessary other"),
        ("unknown", "unknown"),
    ):  # fmt: skip
        if counted[key]:
            result.retransmissions[name] = counted[key]
    metrics = run["metrics"]
    for key, name in (
        ("packets_declared_lost", "declared"), ("spurious_losses", "spurious"),
        ("spurious_losses_by_packets", "spurious by reordering_threshold"),
        ("spurious_losses_by_time", "spurious by time_threshold"),
        ("spurious_losses_by_timeout", "spurious by pto_expired"),
    ):  # fmt: skip
        if metrics[key]:
            result.losses[name] = metrics[key]
    for kind in ("timeouts", "fast_retransmits"):
        said = [(one["at_ns"], one["verdict"], one["reason"] or "unknown") for one in run[kind]]
        setattr(result, kind, said)
    sender = run["data_sender"]
    for packet, _, _, comment in captured(directory / f"{sender}.pcapng", ADDRESS[sender]):
        if found := COMMENT.search(comment):
            result.by_packet[packet] = found[1]
    return result


# --- the runs ---------------------------------------------------------------------------------------------------------


def made(place: Path, variants: list[str], runs: int, seed: int) -> None:
    """Make so many runs, of each variant over links that are drawn."""
    generator = random.Random(seed)  # noqa: S311 # links, not keys
    links = math.ceil(runs / len(variants))
    (place / "links").mkdir(exist_ok=True)
    for number in range(links):
        text = drawn(f"Link {number}", generator.random)
        (place / "links" / f"l{number:03}.toml").write_text(text, encoding="utf-8")
    command = json.dumps([sys.executable, str(ROOT / "stacks/aioquic/aioquic_stack.py")])
    (place / "aioquic.toml").write_text(
        f'title = "aioquic"\nstack = "transport"\n\n[transport]\ncommand = {command}\n', encoding="utf-8"
    )
    named = ["aioquic.toml" if variant == "aioquic" else variant for variant in variants]
    (place / "experiment.toml").write_text(
        f"""title = "Verdicts of QUIC"
links = {json.dumps([f"links/l{number:03}.toml" for number in range(links)])}
variants = {json.dumps(named)}
repetitions = 1
seed = {seed}
time_limit = "10 min"
workload = {{ kind = "bulk", direction = "down", size = "{SIZE_BYTES} B" }}
""",
        encoding="utf-8",
    )
    # Runs that do not end in order are judged like the others.
    subprocess.run(
        [sys.executable, "-m", "windlull", "run", place / "experiment.toml", "--out", place / "out"],
        cwd=ROOT / "controller", check=False, stdout=subprocess.DEVNULL,
    )  # fmt: skip


def drawn(title: str, draw: Callable[[], float]) -> str:
    """Draw a link. All numbers of a link are drawn whatever is used of them, so that none depends on another."""

    def log_uniform(low: float, high: float) -> float:
        return math.exp(math.log(low) + draw() * (math.log(high) - math.log(low)))

    rate, delay, queue = log_uniform(3e5, 1e7), log_uniform(5, 200), log_uniform(8, 200)
    lost, burst, late, by, slow = (log_uniform(*limits) for limits in (
        (0.002, 0.04), (2, 12), (0.002, 0.05), (5, 200), (0.1, 0.5),
    ))  # fmt: skip
    hold, length, at = log_uniform(0.2, 2), log_uniform(0.1, 1.5), log_uniform(0.3, 3)
    blocks = {
        "losses": f'[[impairment]]\nname = "loss"\nkind = "loss"\non = "each"\nprobability = {lost:.5f}',
        "bursts": f'[[impairment]]\nname = "bursts"\nkind = "gilbert-elliott"\non = "each"\n'
        f"to_bad = {lost / burst:.6f}\nto_good = {1 / burst:.5f}\nloss_bad = 0.8",
        "reordering": f'[[impairment]]\nname = "reorder"\nkind = "reorder"\non = "each"\nprobability = {late:.5f}\n'
        f'by = "uniform(1 ms, {by:.0f} ms)"',
        "holds": f'[[script]]\nat = "{hold:.3f} s"\ndo = "hold"\non = "both"\nfor = "{length:.3f} s"',
        "rate": f'[[script]]\nat = "{at:.3f} s"\non = "down"\nrate = "{rate * slow:.0f} bit/s"',
    }
    chosen = [block for block in blocks.values() if draw() < 0.5]
    first = f'title = "{title}"\n\n[both]\nrate = "{rate:.0f} bit/s"\ndelay = "{delay:.3f} ms"\n'
    return first + f'queue = {{ kind = "droptail", limit = "{queue:.0f} packets" }}\n\n' + "\n\n".join(chosen) + "\n"


if __name__ == "__main__":
    sys.exit(main())
