"""What somebody chooses for an import, and what has to be asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from windlull.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

Zeros = Literal["hold", "outage"]
ZEROS: tuple[Zeros, ...] = ("hold", "outage")

QUANTITIES = {
    "time": "time",
    "down": "rate from server to client",
    "up": "rate from client to server",
    "delay": "delay, one way",
    "rtt": "round-trip time",
    "loss": "share of packets lost, in each direction",
}
"""What a column may be, in words."""

RATE_UNITS = {
    "bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9, "B/s": 8.0, "kB/s": 8e3, "MB/s": 8e6,
}  # fmt: skip
TIME_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
LOSS_UNITS = {"%": 0.01, "share": 1.0}
UNITS = {
    "time": TIME_UNITS, "down": RATE_UNITS, "up": RATE_UNITS, "delay": TIME_UNITS, "rtt": TIME_UNITS,
    "loss": LOSS_UNITS,
}  # fmt: skip
"""Of each quantity: its units, and what one of them is in bits per second, seconds or as a share."""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What is chosen. Rates, delays, losses and queues are texts as in link files; the engine checks them."""

    format: str | None = None
    """`None`: by the content."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Quantity to the name of its column, or its number from 1; an empty name: none."""
    units: Mapping[str, str] = field(default_factory=dict)
    row: str | None = None
    """Of a table of profiles: the row's number from 1, or words that only it has."""
    zeros: Zeros | None = None
    from_s: float = 0.0
    to_s: float | None = None
    rate_times: float = 1.0
    delay_times: float = 1.0
    loop: bool = True
    random_start: bool = False
    every_s: float | None = None
    """How far apart probes were sent, where their file does not tell."""
    down_rate: str | None = None
    """Where no file tells it; as the next three."""
    up_rate: str | None = None
    delay: str | None = None
    loss: str | None = None
    queue: str | None = None
    """The limit in each direction. `None`: 300 ms of the mean rate of each."""
    title: str | None = None

    def __post_init__(self) -> None:
        for quantity in (*self.columns, *self.units):
            if quantity not in QUANTITIES:
                raise BadInputError(f"there is no quantity {quantity!r}; choose of {', '.join(QUANTITIES)}")
        for quantity, unit in self.units.items():
            if unit not in UNITS[quantity]:
                raise BadInputError(f"{unit!r} is no unit of {quantity}; choose of {', '.join(UNITS[quantity])}")
        for name, factor in (("rate", self.rate_times), ("delay", self.delay_times)):
            if not 1e-6 <= factor <= 1e6:
                raise BadInputError(f"the {name} times {factor:g} is no scale; give a factor from 0.000001 to 1000000")
        if self.every_s is not None and not 1e-3 <= self.every_s <= 3600:
            raise BadInputError("probes are sent every 0.001 to 3600 s")
        if not 0 <= self.from_s < float("inf") or (self.to_s is not None and not self.from_s < self.to_s):
            raise BadInputError("the cut must begin at 0 s or later and end after its beginning")


@dataclass(frozen=True, kw_only=True)
class SeenColumn:
    """A column of a table: its name, some of its cells, and what it was taken for."""

    name: str
    examples: tuple[str, ...]
    quantity: str | None
    unit: str | None


@dataclass(frozen=True, kw_only=True)
class Question:
    """Something that no file tells and somebody has to say."""

    what: Literal["zeros", "column", "unit", "row", "rate", "delay"]
    message: str
    quantity: str | None = None
    choices: tuple[str, ...] = ()


class AskedError(BadInputError):
    """The import needs answers first; each question says how to give one."""

    def __init__(self, questions: list[Question]) -> None:
        self.questions = questions
        super().__init__("\n".join(question.message for question in questions))
