"""The scheduler's process: what it holds while it runs, and how it ends."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from typing import TYPE_CHECKING

import structlog

from windlull import bounds, logs
from windlull import lifeline as parent
from windlull.errors import ExitCode, WindlullError
from windlull.runner.cluster import LIVE, connect, left_in, live_here
from windlull.runner.messages import SIMULATED
from windlull.scheduler import counts
from windlull.scheduler.loop import Loop
from windlull.scheduler.schedules import Schedules
from windlull.scheduler.searches import Searches, command_of
from windlull.scheduler.worker_pool import WorkerPool
from windlull.store.database import Database, UnavailableError
from windlull.store.home import Home

if TYPE_CHECKING:
    from pathlib import Path

PAUSE_S = 1.0
"""How long to wait before a database that does not answer is asked again."""

_log = structlog.get_logger(__name__)


def serve(data: Path, url: str | None, address: str | None, workers: int | None, *, lifeline: bool) -> ExitCode:
    """Be the scheduler until SIGTERM, SIGINT or, with `lifeline`, the end of standard input; return the exit code."""
    logs.configure("scheduler")
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ending.set())
    if lifeline:
        parent.watch(ending.set)
    try:
        home = Home(data)
        with home.lock():
            database = Database(url or home.database_url)
            # A database that lies in the directory goes where the directory goes.
            if url not in {None, home.database_url} and not _claimed(database, home, ending):
                return ExitCode.OK
            counts.begin((SIMULATED, *LIVE))
            scratch = _empty(home.cache / "work")
            testbeds = (SIMULATED, *live_here(kernels_may_come=True))
            with connect(address, workers, testbeds=testbeds, scratch=scratch) as client:
                _log.info("scheduler started", data=str(home.path), cluster=address or "of its own")
                searches = Searches(database, home, command_of(address))
                schedules = Schedules(database, home, bounds=bounds.read(os.environ))
                pool = WorkerPool(client, None if address else left_in(scratch))
                Loop(database, home, pool, searches=searches, schedules=schedules).run(ending)
                database.dispose()
    except WindlullError as error:
        _log.error("scheduler failed", why=str(error))
        return error.exit_code
    return ExitCode.OK


def _claimed(database: Database, home: Home, ending: threading.Event) -> bool:
    """Claim the database for the data directory, as soon as it answers; False if this process is to end before."""
    while not ending.is_set():
        try:
            with database.session() as session:
                home.claim(session)
        except UnavailableError as error:
            _log.warning("waiting for the database", why=str(error))
            ending.wait(PAUSE_S)
        else:
            return True
    return False


def _empty(directory: Path) -> Path:
    """Return the directory without what workers of a killed scheduler have left in it."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True, exist_ok=True)
    return directory
