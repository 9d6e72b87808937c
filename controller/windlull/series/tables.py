"""What tables a series has, in the order of series.json, and how each is drawn: what decimation must not lose.

docs/capture-format.md says where the file is; web/src/series/types.ts says what the columns mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Drawing(Enum):
    """How the rows of a table become marks."""

    SEGMENTS = "segments"
    """A bar over time and sequence number when it was sent, a mark when it arrived, a cross if it was lost."""
    STEPS = "steps"
    """Lines: each value holds until the next row."""
    BARS = "bars"
    """A bar between two sequence numbers at one time."""
    EVENTS = "events"
    """A mark at one time."""
    SPELLS = "spells"
    """A band from one time to another."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its path in series.json, its columns, the first of which is the time.

    `values` are the columns that are drawn as heights, `classes` those that choose colour, lane or mark; `codes` are
    places in the lists of `names` (by the list's name), or numbers below a bound, or -1.
    """

    path: str
    columns: tuple[str, ...]
    drawing: Drawing
    values: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    codes: Mapping[str, str | int] = field(default_factory=dict)
    strings: tuple[str, ...] = ()
    optional: bool = False
    """Whether it may be absent, and the names of its codes with it: a sender does not tell, or the engine was older."""

    @property
    def time(self) -> str:
        """The column of times, ns."""
        return self.columns[0]

    def key(self, column: str) -> str:
        """Return the name of a column of this table among all columns."""
        return f"{self.path}.{column}"


def _spells(path: str) -> Table:
    return Table(
        path,
        ("from", "to", "direction", "name"),
        Drawing.SPELLS,
        classes=("direction", "name"),
        codes={"direction": 2, "name": "impairment"},
    )


def _queue(path: str) -> Table:
    return Table(path, ("t", "packets"), Drawing.STEPS, values=("packets",))


TABLES: tuple[Table, ...] = (
    Table(
        "data",
        ("t", "id", "seq", "len", "cause", "verdict", "reason", "arrived", "drop", "held"),
        Drawing.SEGMENTS,
        values=("seq",),
        classes=("verdict", "cause", "drop"),
        codes={"cause": "cause", "verdict": "verdict", "reason": "reason", "drop": "drop"},
    ),
    Table("acks", ("t", "ack", "edge", "dup"), Drawing.STEPS, ("ack", "edge"), ("dup",), {"dup": 2}),
    Table("sacks", ("t", "left", "right", "dsack"), Drawing.BARS, ("left", "right"), ("dsack",), {"dsack": 2}),
    Table(
        "timeouts",
        ("t", "ordinal", "una", "rto", "backoff", "rule", "verdict", "reason", "answer", "answered"),
        Drawing.EVENTS,
        classes=("verdict", "answer"),
        codes={"rule": "rule", "verdict": 3, "reason": "reason", "answer": "answer"},
    ),
    Table("fast_retransmits", ("t", "una", "verdict"), Drawing.EVENTS, (), ("verdict",), {"verdict": 3}),
    Table(
        "detector",
        ("t", "ordinal", "rule", "answer"),
        Drawing.EVENTS,
        classes=("rule", "answer"),
        codes={"rule": "rule", "answer": "answer"},
    ),
    Table("responses", ("t", "ordinal", "cwnd_before", "cwnd_after"), Drawing.EVENTS, strings=("name",)),
    Table(
        "state",
        ("t", "cwnd", "ssthresh", "flight", "srtt", "rttvar", "rto", "estimated_rto", "phase"),
        Drawing.STEPS,
        values=("cwnd", "ssthresh", "flight", "srtt", "rttvar", "rto", "estimated_rto", "phase"),
        codes={"phase": "phase"},
    ),
    Table("limits", ("t", "by"), Drawing.STEPS, values=("by",), codes={"by": "limit"}, optional=True),
    _spells("link.holds"),
    _spells("link.outages"),
    _spells("link.bad"),
    Table(
        "link.drops",
        ("t", "direction", "by", "id"),
        Drawing.EVENTS,
        classes=("direction", "by"),
        codes={"direction": 2, "by": "drop"},
    ),
    Table("link.marks", ("t", "direction", "id"), Drawing.EVENTS, classes=("direction",), codes={"direction": 2}),
    _queue("link.queue.down"),
    _queue("link.queue.up"),
    Table("link.rates", ("t", "direction", "bps"), Drawing.STEPS, ("bps",), ("direction",), {"direction": 2}),
    Table(
        "link.delays",
        ("t", "direction", "delay", "delay_before"),
        Drawing.STEPS,
        values=("delay",),
        classes=("direction",),
        codes={"direction": 2},
    ),
)

NAMES = ("cause", "verdict", "drop", "phase", "rule", "answer", "impairment", "reason")
OPTIONAL_NAMES = ("limit",)
"""The lists of words that codes are places in."""
