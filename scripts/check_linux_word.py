"""Hold Linux's own word on its timeouts against the fates, over random links, in kernels of their own.

    .venv/bin/python scripts/check_linux_word.py [--links 200] [--seed 2026] [--variants linux,linux-no-timestamps,...]
        [--out target/linux-word] [--jobs N] [--finished] [--page docs/linux-word.md]

Draws the links as scripts/confusion.py does, makes a run of each variant over each on the testbed `kernel`, and counts
what the kernel said of each timeout (that it took the recovery back, and by which rule, or nothing) against the verdict
by the fates. OUT/disagreements.csv lists each timeout of which they differ, with its captures and why the kernel could
not know better, as its packets show. The captures of other runs are removed.

Nothing of the engine's detection is used for the why: it comes from the data sender's capture, read here, and the rules
of Linux 6.12, net/ipv4/tcp_input.c. Ends with 1 if a disagreement is not explained.

--finished plays nothing and takes the runs that are in OUT. With --page the tables of that page are replaced.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import random
import shutil
import struct
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import measured
from confusion import Link, drawn, share
from windlull import kernels, locate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[1]
VARIANTS = "linux"
EXPERIMENT = """
title       = "Linux's word over random links"
links       = [{links}]
variants    = ["sack"]
workload    = "bulk-5-mb-down"
repetitions = 1
seed        = {seed}
assumptions = ["The links are drawn at random; scripts/confusion.py says by which distribution."]

[live]
variants   = [{variants}]
time_limit = "2 h"
"""

RULES = {
    "F-RTO": "spurious, by F-RTO",
    "timestamps (RFC 3522) or D-SACK": "spurious, by timestamps or D-SACK",
    "timestamps": "spurious, by timestamps",
    "D-SACK (RFC 3708), by the kernel's counter TCPDSACKUndo": "spurious, by D-SACK after the recovery",
    "D-SACK": "spurious, by D-SACK",
}
"""What the kernel said, by how the rule of its answer begins; the first that fits."""
RECOVERIES = {"fast-recovery": "a fast recovery", "timeout-recovery": "the recovery from an earlier timeout"}
"""Phases in which a timeout may find the sender, and that it goes on with (tcp_enter_loss, retrans_stamp)."""
NOTHING = "nothing"
TRUTHS = ("spurious", "genuine, data-lost", "genuine, ack-lost", "unknown")
NOT_EXPLAINED = "not explained"
START_OF_CAPTURES_NS = 86_400 * 10**9
"""Captures begin on the second day of 1970."""


# --- what the kernel said, and what was so ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """A timeout of a run."""

    link: str
    variant: str
    ordinal: int
    at_ns: int
    said: str
    truth: str
    is_of_syn: bool
    why: str
    """Why the kernel's word differs from the truth; empty if it does not."""
    directory: Path

    @property
    def agrees(self) -> bool:
        """Whether the kernel said "spurious" of a spurious timeout, or nothing of a genuine one."""
        return (self.said != NOTHING) == (self.truth == "spurious")


def timeouts_of(directory: Path) -> Iterator[Judged]:
    """Yield the timeouts of a run, without those that another one of the same segment followed before any answer."""
    run = json.loads((directory / "run.json").read_bytes())
    timeouts = run["timeouts"]
    if not timeouts:
        return
    said = Sender(directory)
    packets: list[Packet] | None = None
    for place, timeout in enumerate(timeouts):
        following = timeouts[place + 1] if place + 1 < len(timeouts) else None
        if timeout["answer"] is None and following is not None and following["una"] == timeout["una"]:
            continue
        ordinal = timeout["ordinal"]
        truth = ", ".join(filter(None, (timeout["verdict"], timeout["reason"])))
        truth = "spurious" if timeout["verdict"] == "spurious" else truth
        word = word_of(said.rules.get(ordinal)) if timeout["answer"] == "spurious" else NOTHING
        is_of_syn = said.max_of.get(ordinal) == 0
        why = ""
        if (word != NOTHING) != (truth == "spurious") and not is_of_syn:
            packets = in_order(directory / "server.pcapng") if packets is None else packets
            until = following["at_ns"] if following else None
            why = (
                why_missed(Question(said, packets, timeout, until))
                if truth == "spurious"
                else why_mistaken(Question(said, packets, timeout, until), truth, word)
            )
        yield Judged(
            run["provenance"]["link"],
            run["provenance"]["variant"],
            ordinal,
            timeout["at_ns"],
            word,
            truth,
            is_of_syn,
            why,
            directory,
        )


def word_of(rule: str | None) -> str:
    """Return what the kernel said, by the rule of its answer."""
    return next(
        (word for begin, word in RULES.items() if rule and rule.startswith(begin)), "spurious, by what is unknown"
    )


class Sender:
    """What the data sender said of itself in a run, from events.jsonl."""

    def __init__(self, directory: Path) -> None:
        self.max_of: dict[int, int] = {}
        self.phase_at: dict[int, str] = {}
        """In which phase a timeout found it, or the first of several of the same segment: they are one recovery."""
        self.began_ns: dict[int, int] = {}
        """When the timer fired, for the first time of several for the same segment."""
        self.recovery_ns: dict[int, int] = {}
        """When the recovery began that a timeout belongs to: with itself, unless it found one under way."""
        self.ends_ns: list[int] = []
        """When a recovery ended."""
        self.fast_ns: list[int] = []
        """When a fast recovery began; one after a timeout had then ended."""
        self.rules: dict[int, str] = {}
        phase = "slow-start"
        last: dict[str, Any] | None = None
        recovery_ns = 0
        with (directory / "events.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                told = json.loads(line)
                event = told.get("sender")
                kind = event and event["event"]
                if kind == "state":
                    phase = event["phase"]
                elif kind == "timeout":
                    self.max_of[event["ordinal"]] = event["max"]
                    goes_on = last is not None and phase == "timeout-recovery" and last["una"] == event["una"]
                    first = last["ordinal"] if goes_on and last else None
                    self.phase_at[event["ordinal"]] = phase if first is None else self.phase_at[first]
                    self.began_ns[event["ordinal"]] = told["t"] if first is None else self.began_ns[first]
                    last = event
                    recovery_ns = recovery_ns if phase in RECOVERIES else told["t"]
                    self.recovery_ns[event["ordinal"]] = recovery_ns
                elif kind == "recovery-ended":
                    self.ends_ns.append(told["t"])
                elif kind == "fast-retransmit":
                    self.fast_ns.append(told["t"])
                    recovery_ns = told["t"]
                elif kind == "detector" and event["answer"] == "spurious":
                    self.rules.setdefault(event["ordinal"], event["rule"])


# --- why they differ --------------------------------------------------------------------------------------------------


@dataclass
class Question:
    """A timeout, and what passed the sender's device between it and the next one."""

    sender: Sender
    packets: Sequence[Packet]
    timeout: dict[str, Any]
    until_ns: int | None

    def __post_init__(self) -> None:
        """Find what came after it, and the first retransmission of its recovery."""
        self.una: int = self.timeout["una"]
        self.max: int = self.sender.max_of[self.timeout["ordinal"]]
        self.after = [
            packet
            for packet in self.packets
            if packet.at_ns >= self.timeout["at_ns"] and (self.until_ns is None or packet.at_ns < self.until_ns)
        ]
        ordinal = self.timeout["ordinal"]
        began = self.sender.began_ns[ordinal]
        self.fired_again = began < self.timeout["at_ns"]
        self.recovery = RECOVERIES.get(self.sender.phase_at[ordinal])
        self.resent = first_resent(self.packets, self.sender.recovery_ns[ordinal])
        arrived = [(place, one) for place, one in enumerate(self.after) if not one.is_sent]
        self.first = next(((place, one) for place, one in arrived if one.ack > self.una), None)
        """The first acknowledgement of something new, and its place."""


def first_resent(packets: Sequence[Packet], since_ns: int) -> Packet | None:
    """Return the first segment from then on that had been sent before: retrans_stamp has its time."""
    highest = 0
    for one in packets:
        if one.is_sent and one.length:
            if one.at_ns >= since_ns and one.start < highest:
                return one
            highest = max(highest, one.end)
    return None


def why_missed(question: Question) -> str:
    """Return why the kernel took nothing back although the timeout was spurious."""
    if question.first is None:
        return "nothing new was acknowledged any more" + (" before the timer fired again" if question.until_ns else "")
    whys = (why_no_eifel(question), why_no_frto(question), why_no_dsack(question))
    return "; ".join(filter(None, whys)) or NOT_EXPLAINED


def why_no_eifel(question: Question) -> str:
    """Return what the timestamps said (tcp_packet_delayed); nothing if there are none."""
    _, first = question.first or (0, None)
    if first is None or first.echo is None or question.resent is None or question.resent.stamp is None:
        return ""
    if is_before(first.echo, question.resent.stamp):
        return f"{NOT_EXPLAINED}: the first acknowledgement echoed an older segment"
    if question.recovery:
        return f"in {question.recovery}; the first acknowledgement echoed nothing older than its first retransmission"
    return "the first acknowledgement echoed the retransmission"


def why_no_frto(question: Question) -> str:
    """Return at which step of tcp_process_loss F-RTO ended without an answer."""
    place, first = question.first or (0, None)
    if first is None:
        return ""
    if question.recovery and not question.fired_again:
        # Step 1 of RFC 5682 with SACK, in tcp_enter_loss.
        return "F-RTO does not ask in a recovery"
    later = question.after[place + 1 :]
    sent = next((one for one in later if one.is_sent and one.length), None)
    answer = next((one for one in later if not one.is_sent), None)
    if first.ack >= question.max:
        why = "it covered all that was outstanding, so that F-RTO had nothing left to ask"
    elif sent is None or sent.start < question.max:
        why = "there was no new data to send, or no window for it, so that F-RTO ended"
    elif answer is None:
        why = "nothing answered the new data before the timer fired again"
    elif answer.ack == first.ack:
        why = "a duplicate acknowledgement came next, which F-RTO takes for a loss"
    elif not any(copies == 1 for copies in copies_of(question, first.ack, answer)):
        why = (
            "what the next acknowledgement covered had been sent again meanwhile (tcp_tsq_write does, while F-RTO asks)"
        )
    else:
        why = f"{NOT_EXPLAINED}: the next acknowledgement covered what was sent once"
    return why


def copies_of(question: Question, start: int, answer: Packet) -> list[int]:
    """Return how often each segment was sent that an acknowledgement covers and that was outstanding at the timeout."""
    sent = [one for one in question.packets if one.is_sent and one.length and one.at_ns <= answer.at_ns]
    starts = Counter(one.start for one in sent if start <= one.start < min(answer.ack, question.max))
    return list(starts.values())


def why_no_dsack(question: Question) -> str:
    """Return nothing if D-SACK blocks reported less than was sent again (tcp_may_undo, tcp_try_undo_dsack)."""
    began, fired = question.sender.recovery_ns[question.timeout["ordinal"]], question.timeout["at_ns"]
    # What is reported in or after another recovery is of that one.
    until = min((at for at in question.sender.fast_ns if at > fired), default=math.inf)
    until = min(until, question.until_ns or math.inf)
    over = min((at for at in question.sender.ends_ns if at > fired), default=math.inf)
    within = [one for one in question.packets if began <= one.at_ns < until]
    resent = sum(one.is_sent and one.length > 0 and one.start < question.max and one.at_ns <= over for one in within)
    marker = max((one.ack for one in question.packets if not one.is_sent and one.at_ns < began), default=0)
    newest: int | None = None
    reported = 0
    for one in within:
        if one.is_sent:
            continue
        if newest is not None and one.stamp is not None and is_before(one.stamp, newest):
            # Overtaken, and discarded by its timestamp (RFC 7323, section 5).
            continue
        newest = one.stamp
        # What was sent again before the recovery does not count (undo_marker).
        reported += one.reports_twice and one.sacked[0][1] > marker
    return "" if reported < resent else f"{NOT_EXPLAINED}: D-SACK reported all that was sent again"


def why_mistaken(question: Question, truth: str, word: str) -> str:
    """Return why the kernel took a recovery back although its timeout was genuine."""
    if truth == "genuine, ack-lost":
        arrived = "the segment had arrived: the kernel asks for that, not whether waiting would have been enough"
        if word != "spurious, by timestamps":
            return arrived
        # A Linux receiver drops what lies below its window (tcp_sequence) before it takes the timestamp (RFC 7323,
        # section 5.3: R2 stands before R3), so that its acknowledgement of the second copy echoes the first.
        _, first = question.first or (0, None)
        stamp = question.resent.stamp if question.resent else None
        if first and first.echo is not None and stamp is not None and is_before(first.echo, stamp):
            return f"{arrived}; the acknowledgement of its second copy echoed what was sent before that copy"
        return f"{NOT_EXPLAINED}: no acknowledgement echoed an older segment"
    if truth == "genuine, data-lost" and word == "spurious, by F-RTO" and first_of_sent_once(question):
        return "the segment was lost, but data sent after it, and once, was acknowledged, which is proof for F-RTO"
    return NOT_EXPLAINED


def first_of_sent_once(question: Question) -> Packet | None:
    """Return the acknowledgement of the answer, if it is the first of data behind the segment that was sent once."""
    answered = question.timeout["answered_ns"]
    known: list[tuple[int, int]] = []
    copies: list[tuple[int, int]] = []
    una = 0
    for one in question.packets:
        if one.at_ns > answered:
            break
        if one.is_sent:
            copies += [(one.start, one.end)] if one.length else []
            continue
        ranges = [*one.sacked, *([(una, one.ack)] if one.ack > una else [])]
        new = [block for block in ranges if not any(left <= block[0] and block[1] <= right for left, right in known)]
        if one.at_ns > question.timeout["at_ns"]:
            for left, right in new:
                once = [start for start, end in copies if left <= start and end <= right and start > question.una]
                if any(once.count(start) == 1 and start < question.max for start in once):
                    return one
        known += new
        una = max(una, one.ack)
    return None


def is_before(one: int, other: int) -> bool:
    """Whether a timestamp is older than another one (RFC 7323, section 5.2)."""
    return 0 < (other - one) % 2**32 < 2**31


# --- the data sender's capture ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Packet:
    """A segment at the data sender's device."""

    at_ns: int
    is_sent: bool
    start: int
    """Offset of its first octet in the data stream."""
    length: int
    ack: int
    """What it acknowledges, as offset; of what the sender sends, 0."""
    stamp: int | None
    echo: int | None
    sacked: tuple[tuple[int, int], ...]

    @property
    def reports_twice(self) -> bool:
        """Whether its first block is a D-SACK (RFC 2883, section 4)."""
        if not self.sacked:
            return False
        (left, right), *others = self.sacked
        return right <= self.ack or any(low <= left and right <= high for low, high in others[:1])

    @property
    def end(self) -> int:
        """Offset behind its last octet."""
        return self.start + self.length


SECTION, INTERFACE, ENHANCED_PACKET = 0x0A0D0D0A, 1, 6
OUTBOUND = 2
"""In the flags of a packet: the host sent it."""
MAC_BYTES = 14


def captured(file: Path) -> Iterator[Packet]:
    """Yield the TCP segments of a capture of ours: one section, one interface, nanoseconds, little endian."""
    octets = memoryview(file.read_bytes())
    origin: int | None = None
    at = 0
    while at + 12 <= len(octets):
        kind, length = struct.unpack_from("<II", octets, at)
        body = octets[at + 8 : at + length - 4]
        at += length
        if kind != ENHANCED_PACKET:
            continue
        high, low, kept, _ = struct.unpack_from("<IIII", body, 4)
        frame = body[20 : 20 + kept]
        is_sent = flags_of(body[20 + (kept + 3) // 4 * 4 :]) & 3 == OUTBOUND
        at_ns = (high << 32 | low) - START_OF_CAPTURES_NS
        ip = frame[MAC_BYTES:]
        tcp = ip[(ip[0] & 15) * 4 :]
        seq, ack = struct.unpack_from(">II", tcp, 4)
        header, flags = (tcp[12] >> 4) * 4, tcp[13]
        if origin is None and is_sent and flags & 2:
            origin = seq + 1
        if origin is None or flags & 2:
            continue
        payload = int.from_bytes(ip[2:4], "big") - (ip[0] & 15) * 4 - header
        own = seq if is_sent else ack
        stamp, echo, sacked = options(tcp[20:header], origin)
        offset = (own - origin) % 2**32
        yield Packet(
            at_ns, is_sent, offset if is_sent else 0, payload if is_sent else 0, 0 if is_sent else offset, stamp, echo,
            sacked,
        )  # fmt: skip


def in_order(file: Path) -> list[Packet]:
    """Return its segments, of one instant what arrived first: in virtual time a sender answers in no time."""
    return sorted(captured(file), key=lambda one: (one.at_ns, one.is_sent))


def flags_of(options_of_block: memoryview) -> int:
    """Return the flags among the options of a packet's block."""
    at = 0
    while at + 4 <= len(options_of_block):
        code, length = struct.unpack_from("<HH", options_of_block, at)
        if code == 2:
            return int(struct.unpack_from("<I", options_of_block, at + 4)[0])
        if code == 0:
            break
        at += 4 + (length + 3) // 4 * 4
    return 0


def options(octets: memoryview, origin: int) -> tuple[int | None, int | None, tuple[tuple[int, int], ...]]:
    """Return the timestamp, the echoed one, and the SACK blocks as offsets, of the options of a TCP header."""
    stamp = echo = None
    sacked: tuple[tuple[int, int], ...] = ()
    at = 0
    while at < len(octets) and octets[at] != 0:
        if octets[at] == 1:
            at += 1
            continue
        kind, length = octets[at], octets[at + 1]
        if kind == 8:
            stamp, echo = struct.unpack_from(">II", octets, at + 2)
        elif kind == 5:
            numbers = struct.unpack_from(f">{(length - 2) // 4}I", octets, at + 2)
            offsets = [(number - origin) % 2**32 for number in numbers]
            sacked = tuple(zip(offsets[::2], offsets[1::2], strict=True))
        at += length
    return stamp, echo, sacked


# --- the runs, and the page -------------------------------------------------------------------------------------------


def play(links: Sequence[Link], variants: Sequence[str], seed: int, out: Path, jobs: int | None) -> None:
    """Write the links and the experiment beside each other, and make its runs."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for link in links:
        (out / f"{link.name}.toml").write_text(link.text, encoding="utf-8")
    text = EXPERIMENT.format(
        links=", ".join(f'"{link.name}.toml"' for link in links),
        variants=", ".join(f'"{variant}"' for variant in variants),
        seed=seed,
    )
    (out / "experiment.toml").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "windlull", "run", str(out / "experiment.toml"), "--testbed", "kernel"]
    command += ["--variants", ",".join(variants), "--out", str(out / "runs"), *(["--jobs", str(jobs)] if jobs else [])]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def report(judged: Sequence[Judged], variants: Sequence[str], links: int, failed: int) -> Iterator[str]:
    """Yield the lines of the tables."""
    kernel = next((one for one in kernels.found(locate.kernels()) if one.name == kernels.STOCK), None)
    release = kernel.release if kernel else "of a release that is not known"
    yield f"Linux {release}; {links} links, a transfer each; runs that failed: {failed}."
    for variant in variants:
        own = [one for one in judged if one.variant == variant and not one.is_of_syn]
        yield from ("", f"### `{variant}`", "", f"| the kernel said | {' | '.join(TRUTHS)} |", "|---" * 5 + "|")
        counts = Counter((one.said, one.truth) for one in own)
        for said in [*dict.fromkeys(RULES.values()), NOTHING]:
            row = [counts[said, truth] for truth in TRUTHS]
            if any(row):
                yield f"| {said} | {' | '.join(f'{count:,}' for count in row)} |"
        caught = sum(one.said != NOTHING and one.truth == "spurious" for one in own)
        said_spurious = sum(one.said != NOTHING for one in own)
        spurious = sum(one.truth == "spurious" for one in own)
        agreeing = sum(one.agrees for one in own)
        yield ""
        yield (
            f"They agree on {agreeing:,} of {len(own):,} timeouts ({share(agreeing / len(own) if own else None)}). "
            f"Precision {share(caught / said_spurious if said_spurious else None)}, "
            f"recall {share(caught / spurious if spurious else None)}."
        )
        whys = Counter((one.said, one.truth, one.why) for one in own if not one.agrees)
        if whys:
            yield from ("", "| timeouts | the kernel said | by the fates | why |", "|---|---|---|---|")
            for (said, truth, why), count in sorted(whys.items(), key=lambda item: (-item[1], item[0])):
                yield f"| {count:,} | {said} | {truth} | {why} |"
    handshakes = sum(one.is_of_syn for one in judged)
    yield from ("", f"Left out: {handshakes:,} timeouts of a SYN, of which Linux counts no undo.")


def listed(judged: Sequence[Judged], out: Path) -> Path:
    """Write each disagreement with its captures, and return the file."""
    file = out / "disagreements.csv"
    with file.open("w", encoding="utf-8", newline="") as text:
        rows = csv.writer(text)
        rows.writerow(["link", "variant", "timeout", "at_s", "kernel", "fates", "why", "captures"])
        for one in judged:
            if not one.agrees and not one.is_of_syn:
                at = f"{one.at_ns / 1e9:.6f}"
                captures = f"{one.directory}/{{server,client}}.pcapng"
                rows.writerow([one.link, one.variant, one.ordinal, at, one.said, one.truth, one.why, captures])
    return file


def main() -> int:
    """Draw, play, judge, list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--links", type=int, default=200)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--variants", default=VARIANTS)
    parser.add_argument("--out", type=Path, default=ROOT / "target" / "linux-word")
    parser.add_argument("--jobs", type=int, help="kernels at the same time")
    parser.add_argument("--finished", action="store_true")
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    variants = arguments.variants.split(",")
    draw = random.Random(arguments.seed)  # noqa: S311 - repeatable on purpose
    links = [drawn(f"random-{number:04}", draw.random) for number in range(1, arguments.links + 1)]
    if not arguments.finished:
        play(links, variants, arguments.seed, arguments.out, arguments.jobs)
    runs = sorted(file.parent for file in (arguments.out / "runs").glob("runs/**/run.json"))
    judged = [timeout for run in runs for timeout in timeouts_of(run)]
    disputed = {one.directory for one in judged if not one.agrees and not one.is_of_syn}
    text = "\n".join(report(judged, variants, len(links), len(links) * len(variants) - len(runs)))
    print(text)
    for run in runs:
        for capture in run.glob("*.pcapng") if run not in disputed else ():
            capture.unlink()
    print(f"\nEach disagreement, with its captures: {listed(judged, arguments.out)} ({len(disputed)} runs)")
    if arguments.page is not None:
        measured.write(arguments.page, text)
    return int(any(NOT_EXPLAINED in one.why for one in judged))


if __name__ == "__main__":
    sys.exit(main())
