"""Workers through Dask: processes of this machine that are made for the purpose, or those of a running Dask cluster.

Dask carries work and results and knows who is there. It decides nothing else here: it repeats no work of a lost worker,
moves none from one to another, keeps nothing on disk. Who gave the work out decides what becomes of it.

Whoever can speak to a Dask scheduler can have it run anything. The one that is made here listens on the loopback alone,
which every user of the machine reaches, and speaks to those who have its key. That is made anew each time, stays in
memory, and reaches the workers through a pipe.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
import warnings
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dask
from distributed import Client, Nanny, Scheduler, Worker
from distributed.comm.addressing import parse_host_port
from distributed.comm.core import CommClosedError
from distributed.deploy.spec import SpecCluster
from distributed.security import Security

from windlull import kernels, locate
from windlull.errors import FailureError
from windlull.runner import engine, limits
from windlull.runner.messages import KERNEL, SIMULATED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

LIVE = ("netns", KERNEL, "compose")
"""The resources of workers that may make live runs: those of their machine, of kernels of its, of containers beside."""
ORDERS = "/run/windlull"
"""Where the processes of live runs between containers take orders, unless WINDLULL_ORDERS says otherwise."""
LEFT = "WINDLULL_LEFT"
"""Tells workers of this machine where they leave the files of their runs; without it, files are the answer."""
LOOPBACK = "127.0.0.1"
CONNECT_S = 15
TEND_S = 10.0
PAUSE_S = 5
"""How long a worker waits before it looks for its scheduler again."""

SETTINGS: dict[str, Any] = {
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    # A worker that says nothing for so long is lost; the engine is a process of its own and keeps none from speaking.
    "distributed.scheduler.worker-ttl": "60 s",
    # How long a dead worker of our own may take to come back before it is let go, and `Tender` makes another.
    "distributed.deploy.lost-worker-timeout": "60 s",
    # Results are files in memory on their way; a worker that has too much of them is a fault, not a reason to spill.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.profile.enabled": False,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.comm.timeouts.connect": f"{CONNECT_S} s",
    "distributed.comm.timeouts.tcp": "30 s",
    "distributed.comm.retry.count": 0,
    "distributed.diagnostics.nvml": False,
    # Every part of Dask looks at its own clock fifty times a second: a twelfth of a core while nothing is done.
    "distributed.admin.tick.interval": "1 s",
    "distributed.admin.tick.cycle": "5 s",
    "distributed.admin.system-monitor.interval": "5 s",
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.system-monitor.disk": False,
}
"""What of Dask's configuration is ours, whatever its files and variables say."""


def live_here(*, kernels_may_come: bool = False) -> tuple[str, ...]:
    """Return those of LIVE that can be made here.

    In namespaces only where the engine can make some, as it cannot in most containers; between containers only where
    there is a place for their orders, whose processes may come later. In a kernel only where one was built, unless
    `kernels_may_come`: what a worker takes is settled when it begins, and whoever orders runs from workers of the same
    machine looks for the kernel then.
    """
    there = {
        "netns": engine.lacking("netns") is None,
        KERNEL: kernels_may_come or bool(kernels.found(locate.kernels())),
        "compose": Path(os.environ.get("WINDLULL_ORDERS", ORDERS)).is_dir(),
    }
    return tuple(name for name in LIVE if there[name])


@contextmanager
def connect(
    address: str | None,
    workers: int | None,
    *,
    testbeds: Iterable[str] = (SIMULATED,),
    scratch: Path | None = None,
) -> Iterator[Client]:
    """Connect to the Dask scheduler at `address`, or make a cluster on this machine if that is None.

    Such a cluster has so many `workers` (one a core if None), each a process with one thread. It ends with the context;
    its processes also end when this process is killed. `testbeds` are the resources that a worker has one of each;
    `scratch` is the directory for what its workers write meanwhile, and leave in its `left_in`. Raises FailureError if
    there is no scheduler at `address` or no certificate to speak to it with, or if the workers cannot be started.
    """
    _settle()
    if address is not None:
        _require_certificate(address, "client")
    with ExitStack() as stack:
        try:
            if address is None:
                target: Any = stack.enter_context(_local(workers or os.cpu_count() or 1, tuple(testbeds), scratch))
            else:
                target = address
            client = Client(target, timeout=CONNECT_S, set_as_default=False, direct_to_workers=address is None)  # type: ignore[no-untyped-call]
            stack.enter_context(client)
        except (OSError, RuntimeError) as error:
            where = f"the Dask scheduler at {address}" if address else "workers on this machine"
            raise FailureError(f"cannot reach {where}: {error}") from error
        yield client


def left_in(scratch: Path) -> Path:
    """Return where workers with this directory leave the files of their runs."""
    return scratch / "left"


class Tender:
    """Sees to it that a cluster of our own has all its workers.

    A nanny starts its worker again, but not one that dies while it starts; and Dask lets a worker go that takes long to
    come back, as on a busy machine, and puts none in its place. Call `look` now and then; it does nothing to a cluster
    that others made.
    """

    def __init__(self, client: Client) -> None:
        self._cluster: Any = client.cluster
        self._dead: set[Any] = set()
        """Nannies that had no process at the last look."""
        self._due = time.monotonic() + TEND_S

    def look(self) -> None:
        """Replace what has had no process for two looks, and what Dask let go."""
        if self._cluster is not None and time.monotonic() >= self._due:
            self._due = time.monotonic() + TEND_S
            self._cluster.loop.add_callback(self._tend)

    async def _tend(self) -> None:
        dead = {nanny for nanny in self._cluster.workers.values() if not nanny.is_alive()}
        hopeless, self._dead = dead & self._dead, dead - self._dead
        for name in [name for name, nanny in self._cluster.workers.items() if nanny in hopeless]:
            nanny = self._cluster.workers.pop(name)
            with suppress(Exception):  # it is gone, in whatever way
                await nanny.close(timeout=TEND_S)
        self._cluster.scale(len(self._cluster.worker_spec))


class QuietScheduler(Scheduler):
    """A scheduler without a web server."""

    def start_http_server(self, *_: object, **__: object) -> None:
        """Open no port for it."""


class QuietWorker(Worker):
    """A worker without a web server."""

    def start_http_server(self, *_: object, **__: object) -> None:
        """Open no port for it."""


class LocalWorker(QuietWorker):
    """A worker that ends when its maker says so: Ctrl-C at a terminal reaches it too, and is the maker's."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - Dask's own
        """Be made in the main thread of the worker's process."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for handler in logging.getLogger("distributed").handlers:
            handler.addFilter(_no_closed_connection)
        _settle()
        super().__init__(*arguments, **options)


def _settle() -> None:
    """Make Dask of this process ours. How long its directories take is no fault on a busy machine, and not told."""
    dask.config.set(SETTINGS)
    warnings.filterwarnings("ignore", message="Creating scratch directories")


def _no_closed_connection(record: logging.LogRecord) -> bool:
    """Leave out that the maker, who has gone, cannot be reached: a worker may be saying that it lives just then."""
    return not (record.exc_info and isinstance(record.exc_info[1], CommClosedError))


def _require_certificate(address: str, role: str) -> None:
    """Raise FailureError if `address` wants TLS and Dask's configuration names no certificate for that."""
    if not address.startswith("tls:"):
        return
    try:
        context = Security().get_connection_args(role)["ssl_context"]  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise FailureError(
            f"{address}: the certificates that Dask's configuration names cannot be used: {error}"
        ) from error
    if context is None:
        raise FailureError(
            f"{address}: TLS needs certificates, and Dask's configuration names none; set ca-file, {role}.cert and "
            f"{role}.key of distributed.comm.tls there, or DASK_DISTRIBUTED__COMM__TLS__CA_FILE, "
            f"..._TLS__{role.upper()}__CERT and ..._TLS__{role.upper()}__KEY"
        )


def _local(workers: int, testbeds: tuple[str, ...], scratch: Path | None) -> SpecCluster:
    secret = {"protocol": "tls://", "security": Security.temporary()}  # type: ignore[no-untyped-call]
    nanny = {
        **secret,
        "host": LOOPBACK,
        "nthreads": 1,
        "memory_limit": 0,
        "resources": dict.fromkeys(testbeds, 1),
        "worker_class": LocalWorker,
        "local_directory": None if scratch is None else str(scratch),
        "env": {limits.ENGINES: str(workers)}
        | ({} if scratch is None else {"TMPDIR": str(scratch), LEFT: str(left_in(scratch))}),
        "silence_logs": logging.ERROR,
    }
    return SpecCluster(  # type: ignore[no-untyped-call]
        scheduler={"cls": QuietScheduler, "options": {**secret, "host": LOOPBACK, "port": 0, "dashboard": False}},
        workers={number: {"cls": Nanny, "options": nanny} for number in range(workers)},
        security=secret["security"],
        silence_logs=logging.ERROR,
    )


def serve(address: str, testbeds: Iterable[str], *, say: Callable[[str], None]) -> None:
    """Be a worker of the Dask scheduler at `address` until this process is ended; while there is none, wait for one.

    It does one thing at a time. `say` is told what it is at. Raises FailureError if `address` is none, or wants a
    certificate that is not there.
    """
    _settle()
    _require_certificate(address, "worker")
    try:
        parse_host_port(address)
    except ValueError as error:
        raise FailureError(f"{address}: is not the address of a Dask scheduler, such as tls://HOST:8786") from error
    resources = dict.fromkeys(testbeds, 1.0)

    async def work() -> None:
        async with QuietWorker(
            address, nthreads=1, memory_limit=0, resources=resources, death_timeout=CONNECT_S
        ) as worker:  # fmt: skip
            say(f"working for {address} as {worker.address}")
            await worker.finished()

    while True:
        try:
            asyncio.run(work())
            say(f"{address} has let this worker go, or is gone")
        except (OSError, RuntimeError, TimeoutError) as error:
            say(f"cannot reach {address}: {error}")
        time.sleep(PAUSE_S)
