"""What `windlull doctor` and `windlull calibrate` print of the engine's answers about this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from rich import box
from rich.table import Table
from rich.text import Text

from windlull.metrics import number
from windlull.runner.messages import ProtocolError

if TYPE_CHECKING:
    from rich.console import Console

NEEDED = ("sim", "netns")
"""The testbeds without which `windlull doctor` ends with code 1; every other thing has a substitute."""


class Part(msgspec.Struct, frozen=True):
    """A testbed, a link plane or a tool: whether it works here, why or why not, and how to get it."""

    name: str
    works: bool
    why: str = ""
    remedy: str | None = None


class Health(msgspec.Struct, frozen=True):
    """What works on this machine, and what earlier runs left on it."""

    testbeds: tuple[Part, ...]
    planes: tuple[Part, ...] = ()
    tools: tuple[Part, ...] = ()
    leftovers: tuple[str, ...] = ()

    @property
    def works(self) -> bool:
        """Whether all NEEDED testbeds work; one that the engine does not name does not."""
        working = {testbed.name for testbed in self.testbeds if testbed.works}
        return working.issuperset(NEEDED)


def read_health(answer: Any) -> Health:  # noqa: ANN401 - JSON, parsed here
    """Return the engine's answer to `doctor` as a type. Raises ProtocolError if it is none."""
    try:
        return msgspec.convert(answer, Health)
    except msgspec.ValidationError as error:
        raise ProtocolError(f"the engine's answer to doctor cannot be understood: {error}") from error


def print_health(out: Console, health: Health, *, cleaned: bool) -> None:
    """Print what works, what does not and how to get it, then the leftovers of runs that were killed."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("", "name", "works"):
        table.add_column(Text(heading), no_wrap=True)
    table.add_column(Text("why, and how to get it"))
    for kind, parts in (("testbed", health.testbeds), ("plane", health.planes), ("tool", health.tools)):
        for place, part in enumerate(parts):
            said = Text(part.why)
            if part.remedy and not part.works:
                said.append(f"\nto get it: {part.remedy}", style="bold")
            works = Text("yes", style="green") if part.works else Text("no", style="bold red")
            table.add_row(
                Text(kind if place == 0 else "", style="dim"), Text(part.name), works, said, end_section=False
            )
    out.print(table)
    out.print()
    if not health.leftovers:
        out.print(Text("nothing was left behind" if not cleaned else "nothing is left behind"))
        return
    out.print(Text("left behind by runs that were killed:", style="yellow"))
    for leftover in health.leftovers:
        out.print(Text(f"  {leftover}"), soft_wrap=True)
    if cleaned:
        out.print(Text("these could not be removed", style="bold red"))
    else:
        out.print(Text("windlull doctor --clean removes them, and so does the next run", style="dim"))


def print_calibration(out: Console, answer: Any) -> None:  # noqa: ANN401 - JSON, parsed here
    """Print what the live testbed is good for on this machine.

    Raises ProtocolError if `answer` is not a calibration.
    """
    if not isinstance(answer, dict):
        raise ProtocolError("the engine's answer to calibrate cannot be understood: it is no object")
    out.print(Text(readable_number(answer)))


def readable_number(value: object) -> str:
    """Write a number with the digits that a person needs."""
    return number(float(value), 1) if isinstance(value, int | float) else str(value)
