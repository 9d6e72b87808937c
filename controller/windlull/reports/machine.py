"""What `windlull doctor` and `windlull calibrate` print of the engine's answers about this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from windlull.contract.engine import Calibration, Doctor
from windlull.metrics import number
from windlull.runner.messages import SIMULATED, understood

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from windlull.contract.engine import RateCheck

IN_REAL_TIME = ("netns", "compose")
"""One of these and `sim` are what `windlull doctor` wants to work; every other thing has a substitute.

Namespaces cannot be made inside most containers; in those of the appliance live runs go between its containers.
"""


class Health(Doctor, frozen=True):
    """What works on this machine, and what earlier runs left on it."""

    @property
    def works(self) -> bool:
        """Whether simulated and live runs can be made; a testbed that the engine does not name does not work."""
        working = {testbed.name for testbed in self.testbeds if testbed.works}
        return SIMULATED in working and not working.isdisjoint(IN_REAL_TIME)


def read_health(answer: Any) -> Health:  # noqa: ANN401 - JSON, parsed here
    """Return the engine's answer to `doctor` as a type. Raises ProtocolError if it is none."""
    return understood(answer, Health, "answer to doctor")


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
    if health.removed:
        out.print(Text("removed, left behind by runs that were killed:"))
        for gone in health.removed:
            out.print(Text(f"  {gone}"), soft_wrap=True)
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
    found = understood(answer, Calibration, "answer to calibrate")
    out.print(_errors(found))
    stalls = found.delays.stalls
    if stalls.count:
        text = f"the machine itself stalled {stalls.count} times, at longest for {_time(stalls.longest_us)}"
        out.print(Text(f"{text}; that is measured separately", style="dim"))
    out.print()
    out.print(_rates(found.rates))
    out.print()
    loss, (low, high) = found.loss, found.loss.interval
    met = "within" if low <= loss.probability <= high else "outside of"
    out.print(
        Text(
            f"loss: {100 * loss.probability:g} % planned, {loss.lost:,} of {loss.packets:,} packets lost; {met} "
            f"the 99 % interval, {100 * low:.2f} to {100 * high:.2f} %"
        )
    )
    if loss.unaccounted:
        out.print(Text(f"{loss.unaccounted} packets more were lost, and not by the link", style="bold red"))
    highest = found.highest_rate_bps
    out.print(
        Text("not even at the slowest rate would a certificate be valid", style="bold red")
        if highest is None
        else Text(f"certificates are valid up to {_rate(highest)}, at every rate tried from the slowest on")
    )
    out.print(Text(f"a TCP connection of the kernels through a link without limits: {_rate(found.throughput_bps)}"))


def _errors(found: Calibration) -> Table:
    table = _table("how late", "p50", "p99", "max", "of")
    rows = [("release of packets by the link", found.delays.release)]
    if found.delays.release_in_stalls.count:
        rows.append(("the same, while the machine stalled", found.delays.release_in_stalls))
    rows += [("arrival at the far host", found.delays.wire), ("events of the script", found.script_error_us)]
    for name, spread in rows:
        values = (_time(spread.p50), _time(spread.p99), _time(spread.max), number(spread.count, 0))
        table.add_row(*(Text(text) for text in (name, *values)))
    return table


def _rates(rates: Sequence[RateCheck]) -> Table:
    table = _table("rate planned", "achieved", "error", "over", "release p99", "plane's drops", "valid")
    for rate in rates:
        values = (
            _rate(rate.planned_bps), _rate(rate.achieved_bps), f"{100 * rate.error:+.3f} %", f"{rate.over_s:.1f} s",
            _time(rate.release.p99), number(rate.plane_drops, 0), "yes" if rate.valid else "no",
        )  # fmt: skip
        table.add_row(*(Text(text) for text in values))
    return table


def _table(first: str, *others: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(Text(first), no_wrap=True)
    for heading in others:
        table.add_column(Text(heading), justify="right", no_wrap=True)
    return table


def _time(microseconds: float) -> str:
    return f"{microseconds / 1000:.1f} ms" if microseconds >= 1000 else f"{microseconds:.0f} us"


def _rate(bps: float) -> str:
    for unit, size in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if bps >= size:
            return f"{bps / size:.4g} {unit}"
    return f"{bps:.4g} bit/s"
