"""Every metric: its name, label, unit and definition. The one place that knows them.

The engine measures them; tables, results and reports take their labels from here; docs/results.md repeats this list and
a test keeps the two equal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

Better = Literal["lower", "higher"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One number of a run.

    `digits` is how many decimals a person needs; `better` says which way is an improvement, where one way is.
    """

    name: str
    label: str
    unit: str
    digits: int
    better: Better | None
    definition: str


_ALL = (
    Metric(
        "elapsed_s", "elapsed time", "s", 2, "lower",
        "From the first SYN sent to the acknowledgement of the last FIN arriving at the data sender; "
        "to the last packet, if it does not come to that. Of a command at the client: from its start to its end.",
    ),
    Metric(
        "throughput_bps", "throughput", "bit/s", 0, "higher",
        "Payload that arrived intact at the data receiver, duplicates included, over the elapsed time.",
    ),
    Metric(
        "goodput_bps", "goodput", "bit/s", 0, "higher",
        "Payload that arrived intact at the data receiver, each octet counted once, over the elapsed time.",
    ),
    Metric(
        "sent_bps", "sending rate", "bit/s", 0, None,
        "Payload that the data sender sent, retransmissions included, over the elapsed time.",
    ),
    Metric(
        "segments_sent", "segments sent", "segments", 0, "lower",
        "Data segments the data sender sent, retransmissions included.",
    ),
    Metric(
        "packets_lost", "packets lost", "packets", 0, "lower",
        "Packets of both directions that the link dropped, whatever the cause.",
    ),
    Metric(
        "congestion_losses", "lost to congestion", "packets", 0, "lower",
        "Of the packets lost, those that found a queue full, or that its management dropped.",
    ),
    Metric(
        "packets_marked", "packets marked", "packets", 0, None,
        "Packets of both directions that a queue marked instead of dropping them (ECN).",
    ),
    Metric(
        "queue_delay_s", "wait in the queue", "s", 4, "lower",
        "From a packet's arrival at the link to its first bit's departure: the mean over packets of the data's "
        "direction.",
    ),
    Metric(
        "retransmissions", "retransmissions", "segments", 0, "lower",
        "Segments sent of which an octet had been sent before, SYN and FIN counted as octets: what tcptrace counts.",
    ),
    Metric(
        "unnecessary_retransmissions", "unnecessary retransmissions", "segments", 0, "lower",
        "Retransmissions of which every octet was in an earlier copy that the link delivered intact.",
    ),
    Metric(
        "spurious_timeouts", "spurious timeouts", "timeouts", 0, "lower",
        "Retransmission timeouts that would not have happened, had the sender waited longer.",
    ),
    Metric(
        "genuine_timeouts", "genuine timeouts", "timeouts", 0, "lower",
        "Retransmission timeouts that had to happen: data, or all acknowledgements that would have told, were lost.",
    ),
    Metric(
        "fast_retransmits", "fast retransmits", "retransmits", 0, None,
        "Entries into fast retransmit.",
    ),
    Metric(
        "spurious_fast_retransmits", "spurious fast retransmits", "retransmits", 0, "lower",
        "Fast retransmits whose segment was retransmitted unnecessarily.",
    ),
    Metric(
        "detector_true_positives", "detector: true positives", "timeouts", 0, "higher",
        "Spurious timeouts that the variant's detector called spurious.",
    ),
    Metric(
        "detector_false_positives", "detector: false positives", "timeouts", 0, "lower",
        "Genuine timeouts that the variant's detector called spurious.",
    ),
    Metric(
        # Fewer may only mean that fewer timeouts were genuine; what a detector gets wrong, false positives say.
        "detector_true_negatives", "detector: true negatives", "timeouts", 0, None,
        "Genuine timeouts not called spurious; one that is repeated before any answer counts once.",
    ),
    Metric(
        "detector_false_negatives", "detector: false negatives", "timeouts", 0, "lower",
        "Spurious timeouts not called spurious; one that is repeated before any answer counts once.",
    ),
    Metric(
        "detector_undecided", "detector: undecided", "timeouts", 0, "lower",
        "Timeouts of which the variant's detector said that it cannot tell; they count as not called spurious, too.",
    ),
    Metric(
        "detection_delay_s", "detection delay", "s", 3, "lower",
        "From a timeout to the detector's answer, the median over a run; a run without an answer has none.",
    ),
    Metric(
        "task_completion_s", "task completion", "s", 3, "lower",
        "From a request to the last octet of its response: the mean over a flow's requests, and then over the flows.",
    ),
    Metric(
        "estimated_rto_s", "estimated timeout", "s", 3, None,
        "The retransmission timeout as it is estimated, before its minimum and back-off: the mean over time.",
    ),
    Metric(
        "minimum_rto_cost", "cost of the minimum timeout", "", 2, "lower",
        "The minimum of the timeout over the estimated one, the mean over time: C(f) in psaras2007, equation 2. "
        "Above 1, the minimum alone makes a loss wait.",
    ),
    Metric(
        "rto_at_spurious_s", "timeout that was spurious", "s", 3, None,
        "The timeout that ran out when the timer first fired spuriously.",
    ),
    Metric(
        "rto_after_spurious_s", "timeout after a spurious one", "s", 3, None,
        "The timeout in force once a round trip was measured after the first spurious timeout.",
    ),
    Metric(
        "rto_peak_after_spurious_s", "longest timeout after a spurious one", "s", 3, None,
        "The longest timeout in force from then on, until 30 s after the spurious one.",
    ),
    Metric(
        "rto_mean_after_spurious_s", "mean timeout after a spurious one", "s", 3, None,
        "The timeout in force from then on, until 30 s after the spurious one: the mean over time.",
    ),
    Metric(
        "rto_settling_s", "settling time of the timeout", "s", 2, None,
        "From the first spurious timeout until the timeout in force was lowest after its longest, within 30 s.",
    ),
    Metric(
        "flight_at_first_loss_bytes", "outstanding at the first loss", "B", 0, None,
        "Octets outstanding at the sender's first timeout or fast retransmit.",
    ),
    Metric(
        "flight_at_loss_bytes", "outstanding at losses", "B", 1, None,
        "Octets outstanding at a timeout or fast retransmit: the mean over a flow's; a timeout that is repeated "
        "counts once.",
    ),
    Metric(
        "flow_fairness", "fairness", "", 3, "higher",
        "Of several flows, Jain's index of their goodputs: 1 if all have the same, 1/n if one of n has all.",
    ),
    Metric(
        "flow_elapsed_mean_s", "elapsed time of a flow", "s", 2, "lower",
        "Of several flows, the mean of their elapsed times.",
    ),
    Metric(
        "flow_goodput_mean_bps", "goodput of a flow", "bit/s", 0, "higher",
        "Of several flows, the mean of their goodputs, each over the flow's own time.",
    ),
    Metric(
        "exit_code", "exit code", "", 0, None,
        "Of a command at the client: the exit code that it ended with; a run with another than 0 counts as failed.",
    ),
    Metric(
        "packets_down", "packets to the client", "packets", 0, None,
        "Of commands: packets of any protocol that the server sent over the link.",
    ),
    Metric(
        "packets_up", "packets to the server", "packets", 0, None,
        "Of commands: packets of any protocol that the client sent over the link.",
    ),
    Metric(
        "arrived_down_bps", "rate to the client", "bit/s", 0, "higher",
        "Of commands: octets of IP packets that arrived at the client, over the elapsed time.",
    ),
    Metric(
        "arrived_up_bps", "rate to the server", "bit/s", 0, "higher",
        "Of commands: octets of IP packets that arrived at the server, over the elapsed time.",
    ),
    Metric(
        "delay_down_s", "delay to the client", "s", 4, "lower",
        "Of commands: from a packet's arrival at the link to its delivery at the client, the mean.",
    ),
    Metric(
        "delay_up_s", "delay to the server", "s", 4, "lower",
        "Of commands: from a packet's arrival at the link to its delivery at the server, the mean.",
    ),
    Metric(
        "delay_down_p95_s", "delay to the client, 95 %", "s", 4, "lower",
        "Of commands: what the delay of 95 of 100 packets to the client did not exceed.",
    ),
    Metric(
        "delay_up_p95_s", "delay to the server, 95 %", "s", 4, "lower",
        "Of commands: what the delay of 95 of 100 packets to the server did not exceed.",
    ),
)  # fmt: skip

_OF_SETS = {
    "fastest_bps": Metric("", "goodput of the fastest", "bit/s", 0, "higher", "The largest goodput of a flow."),
    "slowest_bps": Metric("", "goodput of the slowest", "bit/s", 0, "higher", "The smallest goodput of a flow."),
}

METRICS: dict[str, Metric] = {metric.name: metric for metric in _ALL}
"""All metrics by name, in the order in which they are written everywhere."""


def metric(name: str) -> Metric:
    """Return the metric called `name`; one that is unknown here (of a newer engine) is labelled with its own name.

    Those of one flow or of one set of flows, as `flow_2_elapsed_s`, have its number in their names.
    """
    return METRICS.get(name) or _numbered(name) or Metric(name, name.replace("_", " "), "", 2, None, "")


def _numbered(name: str) -> Metric | None:
    parts = re.fullmatch(r"(flow|set)_([1-9][0-9]*)_(.+)", name)
    if parts is None:
        return None
    of, number, rest = parts.groups()
    known = (METRICS if of == "flow" else _OF_SETS).get(rest)
    if known is None:
        return None
    whose = f"{of} {number}"
    return replace(known, name=name, label=f"{known.label}, {whose}", definition=f"Of {whose}: {known.definition}")


def in_order(names: set[str]) -> list[str]:
    """Sort metric names as METRICS has them, unknown ones last by name."""
    position = {name: place for place, name in enumerate(METRICS)}
    return sorted(names, key=lambda name: (position.get(name, len(position)), name))


def number(value: float, digits: int) -> str:
    """Write a number for a person: `digits` decimals, but a count's half (the median of an even number) in full."""
    if digits == 0 and value != int(value) and abs(value) < 1000:
        return f"{value:.1f}"
    return f"{value:,.{digits}f}"
