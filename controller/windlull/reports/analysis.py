"""What `windlull analyze` prints of the engine's analysis of captures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.columns import Columns
from rich.table import Table
from rich.text import Text

from windlull.contract.engine import CaptureAnalysis, ConnectionList
from windlull.metrics import METRICS, in_order, metric, number
from windlull.reports.terminal import WIDTH
from windlull.runner.messages import understood

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from windlull.contract.engine import Episode, FastRetransmitRecord, ListedConnection, Metrics, TimeoutRecord

LISTED_TIMEOUTS = 40
"""How many timeouts, and how many fast retransmits, the summary lists; `--json` has all."""

LISTED_EPISODES = 20
"""How many episodes the summary lists."""

_ENDS = {
    "both": "captured at both ends",
    "sender": "captured at the data sender alone",
    "receiver": "captured at the data receiver alone",
}

_UNSAID = "0.0.0.0:0"
"""An address that a qlog file does not say."""


def print_analysis(out: Console, answer: Any) -> None:  # noqa: ANN401 - JSON, parsed here
    """Print the metrics, what cannot be known, every timeout with its verdict, and what went wrong in episodes.

    Raises ProtocolError if `answer` is not an analysis.
    """
    analysis = understood(answer, CaptureAnalysis, "analysis")
    whole = "" if analysis.complete else ", the transfer's end is missing"
    out.print(Text(f"data from the {analysis.data_sender}, {_ENDS[analysis.ends]}{whole}"))
    out.print()
    out.print(_metrics(analysis.metrics))
    unknown = [about.label for about in METRICS.values() if about.name not in analysis.metrics]
    if unknown:
        out.print()
        out.print(Text("not known, or not of this connection:", style="dim"))
        # However wide a pipe is, nobody reads a table of ten columns.
        names = Columns([Text(f"  {label}", style="dim") for label in unknown], padding=(0, 2, 0, 0), column_first=True)
        out.print(names, width=min(out.width, WIDTH))
    if analysis.timeouts:
        out.print()
        out.print(_timeouts(analysis.timeouts[:LISTED_TIMEOUTS]))
        if len(analysis.timeouts) > LISTED_TIMEOUTS:
            out.print(Text(f"and {len(analysis.timeouts) - LISTED_TIMEOUTS} more; --json has them all", style="dim"))
    if analysis.fast_retransmits:
        out.print()
        out.print(_fast_retransmits(analysis.fast_retransmits[:LISTED_TIMEOUTS]))
        if len(analysis.fast_retransmits) > LISTED_TIMEOUTS:
            more = len(analysis.fast_retransmits) - LISTED_TIMEOUTS
            out.print(Text(f"and {more} more; --json has them all", style="dim"))
    if analysis.episodes:
        out.print()
        out.print(_episodes(analysis.episodes[:LISTED_EPISODES]))
        if len(analysis.episodes) > LISTED_EPISODES:
            out.print(
                Text(f"and {len(analysis.episodes) - LISTED_EPISODES} more; --json has their stories", style="dim")
            )
    if analysis.notes:
        out.print()
    for note in analysis.notes:
        out.print(Text.assemble(("note: ", "bold"), note))


def _ends(one: ListedConnection) -> str:
    if one.data_sender == _UNSAID:
        return "addresses not logged"
    return f"{one.data_sender} - {one.data_receiver}"


def _metrics(metrics: Metrics) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(style="dim")
    for name in in_order(set(metrics)):
        about = metric(name)
        table.add_row(Text(about.label), Text(number(metrics[name], about.digits)), Text(about.unit))
    return table


def _timeouts(timeouts: Sequence[TimeoutRecord]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("timeout", "at, s", "first unacknowledged octet"):
        table.add_column(Text(heading), justify="right", no_wrap=True)
    for heading in ("verdict", "why", "detector's answer"):
        table.add_column(Text(heading), no_wrap=True)
    for timeout in timeouts:
        inferred = f"inferred from {timeout.evidence}" if timeout.evidence else ""
        table.add_row(
            Text(str(timeout.ordinal)),
            Text(number(timeout.at_ns / 1e9, 3)),
            Text(number(timeout.una, 0)),
            _truth(timeout.verdict),
            Text(timeout.reason or inferred),
            Text(timeout.answer or "-"),
        )
    return table


def _fast_retransmits(retransmits: Sequence[FastRetransmitRecord]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("fast retransmit of octet", "at, s"):
        table.add_column(Text(heading), justify="right", no_wrap=True)
    for heading in ("verdict", "why"):
        table.add_column(Text(heading), no_wrap=True)
    for one in retransmits:
        table.add_row(
            Text(number(one.una, 0)),
            Text(number(one.at_ns / 1e9, 3)),
            _truth(one.verdict),
            Text(one.reason or ""),
        )
    return table


def _truth(verdict: str) -> Text:
    return Text(verdict, style={"spurious": "red", "genuine": "green"}.get(verdict, ""))


def _episodes(episodes: Sequence[Episode]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("episode", "at, s", "until, s"):
        table.add_column(Text(heading), justify="right", no_wrap=True)
    for heading in ("cause", "first reaction"):
        table.add_column(Text(heading), no_wrap=True)
    for heading in ("lost", "octets sent unnecessarily", "silence, s"):
        table.add_column(Text(heading), justify="right", no_wrap=True)
    for episode in episodes:
        recovered = episode.recovered_ns
        table.add_row(
            Text(str(episode.number)),
            Text(number(episode.onset_ns / 1e9, 3)),
            Text("-" if recovered is None else number(recovered / 1e9, 3)),
            Text("not known" if episode.cause == "unknown" else episode.cause),
            Text(episode.reaction.kind if episode.reaction else "none"),
            Text(_known(episode.cost.packets_lost)),
            Text(_known(episode.cost.octets_unnecessary)),
            Text(number(episode.cost.silence_ns / 1e9, 3)),
        )
    return table


def _known(count: int | None) -> str:
    return "not known" if count is None else number(count, 0)


def connection_lines(answer: Any) -> list[str]:  # noqa: ANN401 - JSON, parsed here
    """Return the list of a capture's connections in lines. Raises ProtocolError if `answer` is none."""
    listed = understood(answer, ConnectionList, "list of connections")
    lines = [
        f"{one.number}: {_ends(one)}, {one.sent_bytes:,} B sent, "
        f"{one.received_bytes:,} B received, {one.packets:,} packets, from {one.began_ns / 1e9:.3f} s "
        f"for {one.duration_ns / 1e9:.3f} s" + (", not in the other file" if one.in_second is False else "")
        for one in listed.connections
    ]
    if listed.total > len(lines):
        lines.append(f"and {listed.total - len(lines):,} more with less data")
    return lines or ["no TCP connection with data"]
