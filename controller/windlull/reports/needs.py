"""What runs are likely to need, and what they may use, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlull.runner.needs import AllLimits, Estimate


def lines(runs: int, estimate: Estimate | None) -> list[str]:
    """Return all that there is to say of so many runs."""
    if estimate is None:
        return [f"runs                {runs:,}", "What the commands of the workload send is not known in advance."]
    largest, most = estimate.largest, estimate.limits
    return [
        f"runs                {runs:,}",
        "an estimate for all of them, mostly within a factor of two:",
        f"  packets           about {_rounded(estimate.packets)}",
        f"  disk              about {_octets(estimate.disk_bytes)}",
        f"    without captures  about {_octets(estimate.disk_bytes_without_captures)}",
        f"  time              about {_duration(estimate.seconds)}, one run at a time",
        "the largest run, and what each run may use:",
        f"  packets           about {_rounded(largest.packets)}; at most {most.events:,} events",
        f"  disk              about {_octets(largest.disk_bytes)} while it is made; at most {_octets(most.disk_bytes)}",
        f"  virtual time      about {_duration(largest.virtual_s)}; at most {_duration(most.virtual_s)}",
        *([] if most.memory_bytes is None else [f"  memory            at most {_octets(most.memory_bytes)} in all"]),
        *_beyond(estimate),
    ]


def before_the_start(estimate: Estimate | None, *, captures: bool) -> list[str]:
    """Return what is said as runs begin: what they are likely to need, the limits, and whether one is in the way."""
    if estimate is None:
        return ["what the commands send is not known in advance; windlull plan estimates other workloads"]
    disk = estimate.disk_bytes if captures else estimate.disk_bytes_without_captures
    return [
        f"estimate: {_octets(disk)} of disk, {_duration(estimate.seconds)} one run at a time",
        f"limits: a run may use {_most(estimate.limits)}",
        *_beyond(estimate),
    ]


def _most(limits: AllLimits) -> str:
    disk, time = _octets(limits.disk_bytes), _duration(limits.virtual_s)
    said = f"{disk} of disk, {limits.events:,} events, {time} of virtual time"
    return said if limits.memory_bytes is None else f"{said}; all together {_octets(limits.memory_bytes)} of memory"


def _beyond(estimate: Estimate) -> list[str]:
    beyond = estimate.exceeded()
    return (
        [f"The largest run is likely to need more than {' and '.join(beyond)}: it would be ended there."]
        if beyond
        else []
    )


def _rounded(number: float) -> str:
    """Return a number with two digits that count."""
    return f"{float(f'{number:.2g}'):,.0f}"


def _octets(number: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{_rounded(number)} {unit}"
        number /= 1000
    return f"{_rounded(number)} TB"


def _duration(seconds: float) -> str:
    for unit, length in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{_rounded(seconds / length)} {unit}"
    return f"{float(f'{seconds:.2g}'):g} s"
