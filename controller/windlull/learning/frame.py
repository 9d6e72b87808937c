"""What the report of a learned link has in it.

`schema/learned.json` is made of these types, and the page's types of that.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, json

Direction = Literal["down", "up"]


class Curve(Struct, frozen=True, forbid_unknown_fields=True):
    """Points of a figure."""

    x: tuple[float, ...]
    y: tuple[float, ...]


class LearnedValue(Struct, frozen=True, forbid_unknown_fields=True):
    """A row of the table of what was learned."""

    on: Literal["down", "up", "both"]
    name: str
    value: str
    interval: Annotated[str | None, Meta(description="At 95 %.")]
    basis: Annotated[str, Meta(description="What it was learned from.")]


class Unknown(Struct, frozen=True, forbid_unknown_fields=True):
    """What the captures do not tell."""

    on: Literal["down", "up", "both"]
    text: str


class LearnedSpell(Struct, frozen=True, forbid_unknown_fields=True):
    """A hold or an outage, when it was seen; seconds."""

    kind: Literal["hold", "outage"]
    from_s: float
    until_s: float


class Losses(Struct, frozen=True, forbid_unknown_fields=True):
    """How many packets were lost in each window, by what they were taken for."""

    queue: tuple[int, ...]
    outage: tuple[int, ...]
    channel: tuple[int, ...]
    expected: Annotated[
        tuple[float, ...], Meta(description="How many the learned share loses on the channel in the mean.")
    ]


class Distribution(Struct, frozen=True, forbid_unknown_fields=True):
    """Transit times: quantiles, evenly spaced from 0 to 1; seconds."""

    what: Literal["captured", "nothing waits", "full queue", "played"]
    seconds: tuple[float, ...]


class LearnedWay(Struct, frozen=True, forbid_unknown_fields=True):
    """A direction: the capture and what was learned of it."""

    packets: int
    lost: int
    arrivals_bps: Annotated[tuple[float, ...], Meta(description="Of what arrived in each window.")]
    rate: Annotated[Curve | None, Meta(description="The learned rate over time, bit/s: each holds until the next.")]
    transits: Annotated[
        Curve,
        Meta(description="When packets were sent and how long they took, seconds: thinned, with all extremes."),
    ]
    delay_s: float
    full: Annotated[Curve | None, Meta(description="What a packet takes at most where the queue is full, over time.")]
    distributions: tuple[Distribution, ...]
    losses: Losses
    spells: tuple[LearnedSpell, ...]


class LearnedPage(Struct, frozen=True, forbid_unknown_fields=True):
    """All that the page shows."""

    version: Literal[1]
    kind: Literal["learned"]
    engine: Annotated[Any, Meta(extra_json_schema={"$ref": "#/$defs/Version"})]
    captures: tuple[str, ...]
    length_s: float
    window_s: float
    clocks_s: Annotated[
        float, Meta(description="By how much transit times down were moved as the clocks disagree; up by as much less.")
    ]
    data: Annotated[Direction, Meta(description="The direction with the data.")]
    down: Annotated[LearnedWay | None, Meta(description="Absent where only the other end's capture would show it.")]
    up: LearnedWay | None
    played: Annotated[str | None, Meta(description="The variant that was played over the learned link.")]
    values: tuple[LearnedValue, ...]
    unknown: tuple[Unknown, ...]
    notes: tuple[str, ...]
    link: Annotated[str, Meta(description="The link file.")]


def definitions() -> dict[str, Any]:
    """Return the JSON Schemas of all of these types by name."""
    return json.schema_components((LearnedPage,), ref_template="#/$defs/{name}")[1]
