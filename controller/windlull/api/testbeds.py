"""Testbeds: what works on the machine that serves, as the engine's doctor finds, and the kernels that it has."""

import platform
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from flask import Response
from pydantic import Field
from sqlalchemy.orm import Session

from windlull import kernels, locate
from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint
from windlull.api.openapi import of_engine
from windlull.api.schemas import Moment, Query, View
from windlull.runner import engine
from windlull.runner.limits import Limits
from windlull.runner.messages import KERNEL
from windlull.runner.plans import Planned
from windlull.scheduler import status

blueprint = Blueprint("testbeds", __name__, tag="testbeds", about="Where runs can be made.")

FRESH_S = 300
"""For how long a check of the machine is valid."""


class KernelView(View):
    """A kernel that was built for the testbed `kernel`."""

    name: str = Field(description="As NAME in the variant `linux@NAME`; variants that name none run on `stock`.")
    release: str
    source: str
    patches: list[str]


Check = Annotated[Any, of_engine("HealthCheck")]


class TestbedsView(View):
    """What works on the machine that serves. Workers elsewhere are listed by `queue`."""

    __test__ = False

    testbeds: list[Check]
    planes: list[Check] = Field(description="Link planes of live runs.")
    tools: list[Check]
    kernel: list[Check] = Field(description="What the kernel's TCP can be asked for.")
    kernels: list[KernelView] = Field(description="The kernels of the testbed `kernel`, by name.")
    leftovers: list[str] = Field(description="What killed runs left on the machine.")
    looked_at: Moment


class TestbedsQuery(Query):
    """Whether to check again."""

    __test__ = False

    refresh: Literal["true", "false"] = Field("false", description="`true`: check now, whatever is known.")


@dataclass(frozen=True, slots=True)
class _Look:
    at: datetime
    found: dict[str, Any]


class _Doctor:
    """The last look at the machine; one at a time, as it takes a moment and starts programs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: _Look | None = None

    def look(self, now: datetime, *, refresh: bool) -> _Look:
        asked = now
        with self._lock:
            last = self._last
            # Who waited for another's look takes that one.
            young = last is not None and (asked - last.at).total_seconds() < (0 if refresh else FRESH_S)
            if last is None or not young:
                last = self._last = _Look(now, engine.doctor())
            return last


_DOCTOR = _Doctor()


@blueprint.get("/testbeds", responses={200: TestbedsView})
def list_(query: TestbedsQuery) -> Response:
    """Say which testbeds work.

    The engine checks the machine that serves: testbeds, link planes, tools, the kernel. What it found is valid for five
    minutes. It also lists the kernels that were built for runs.
    """
    look = _DOCTOR.look(datetime.now(UTC), refresh=query.refresh == "true")
    parts = ("testbeds", "planes", "tools", "kernel")
    view: dict[str, Any] = {part: look.found.get(part, []) for part in parts}
    built = [KernelView.of(one) for one in kernels.found(locate.kernels())]
    return answer(view | {"kernels": built, "leftovers": look.found.get("leftovers", []), "looked_at": look.at})


def limits_there(session: Session, testbed: str) -> Limits | None:
    """Return the limits of those workers for a testbed that have least memory; None if they are not known now."""
    known = [worker.limits for worker in _workers(session) if testbed in worker.testbeds and worker.limits is not None]
    return min(known, key=lambda limits: limits.memory_bytes, default=None)


def lacking(session: Session, planned: Planned, testbed: str) -> list[str]:
    """Return what is missing for an experiment's runs on a testbed, a sentence each: they would wait for ever.

    That is a worker that takes such runs, where there are workers that do not; and of the kernels that the variants run
    on those that are not here, unless a worker on another machine makes such runs: which that one has, it says itself.
    """
    workers = _workers(session)
    if workers and not any(testbed in worker.testbeds for worker in workers):
        taken = sorted({name for worker in workers for name in worker.testbeds})
        they = " and ".join(taken)
        return [f"no worker takes runs of the testbed {testbed}, but of {they}; Testbeds in the page says why"]
    if testbed != KERNEL:
        return []
    elsewhere = any(
        KERNEL in worker.testbeds and worker.host != platform.node() and worker.refused is None for worker in workers
    )
    carried = [variant for variant in planned.read().variants if KERNEL in variant.testbeds]
    wanted = {variant.kernel or kernels.STOCK for variant in carried}
    return [] if elsewhere else kernels.lacking(locate.kernels(), wanted)


def _workers(session: Session) -> tuple[status.WorkerStatus, ...]:
    """Return the workers that there are now, as the scheduler says."""
    seen = status.read(session)
    return seen.status.workers if seen is not None and seen.alive(datetime.now(UTC)) else ()
