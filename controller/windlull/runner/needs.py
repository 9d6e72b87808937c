"""What the runs of an experiment are likely to need, beside what they may use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from windlull.contract import engine as contract

if TYPE_CHECKING:
    from windlull.runner.limits import Limits


class AllLimits(contract.RunLimits, frozen=True, omit_defaults=False):
    """What each run may use: see docs/serve.md.

    The engine counts what it says. The kernel holds its process to the others; None: no limit, or not known here.
    """

    memory_bytes: int | None = None
    processor_s: int | None = None

    def within(self, process: Limits) -> AllLimits:
        """Return them for an engine whose process has these limits."""
        disk_bytes = self.disk_bytes if process.disk_bytes is None else min(self.disk_bytes, process.disk_bytes)
        return msgspec.structs.replace(
            self, disk_bytes=disk_bytes, memory_bytes=process.memory_bytes, processor_s=process.processor_s
        )


class Estimate(contract.Estimate, frozen=True):
    """What all runs are likely to need. An estimate: mostly within a factor of two, further off where much is lost."""

    limits: AllLimits

    def exceeded(self) -> list[str]:
        """Return in words which limits the largest run is likely to exceed."""
        largest, most = self.largest, self.limits
        # Something happens with each packet, and when it arrives.
        exceeded = (
            (2 * largest.packets > most.events, f"{most.events:,} events"),
            (largest.virtual_s > most.virtual_s, f"{most.virtual_s:,} s of virtual time"),
            (largest.disk_bytes > most.disk_bytes, f"{most.disk_bytes / 1e6:,.0f} MB of disk"),
        )
        return [words for beyond, words in exceeded if beyond]

    def within(self, process: Limits) -> Estimate:
        """Return it beside the limits of an engine whose process has these."""
        return msgspec.structs.replace(self, limits=self.limits.within(process))


class Needs(Estimate, frozen=True):
    """An estimate with the limits that the largest run is likely to exceed, in words."""

    beyond: tuple[str, ...]

    @classmethod
    def of(cls, estimate: Estimate) -> Needs:
        """Return an estimate with them."""
        return cls(**msgspec.structs.asdict(estimate), beyond=tuple(estimate.exceeded()))
