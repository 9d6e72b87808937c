"""The web processes: gunicorn with threads, on a socket that the service holds.

The service keeps the socket, so that clients wait and are not refused while these processes are started again.
`python -m windlull.serve.web` reads a `WebSettings` as JSON from WINDLULL_WEB.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec
from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger
from sqlalchemy import select

from windlull import lifeline, logs
from windlull.api import context
from windlull.api.app import create_app
from windlull.api.settings import LOOPBACK, Settings
from windlull.contract import prepared
from windlull.runner import engine
from windlull.serve.web_settings import VARIABLE, WebSettings
from windlull.serve.worker import bounded
from windlull.store.database import UnavailableError
from windlull.store.tables import Run

if TYPE_CHECKING:
    from collections.abc import MutableMapping
    from datetime import timedelta

    from flask import Flask
    from gunicorn.config import Config
    from gunicorn.workers.base import Worker

GRACE_S = 10
"""How long a request may still take when the service stops."""

SLOW_S = 1.0
"""What takes longer is told."""

_log = logging.getLogger(__name__)


class Application(BaseApplication):
    """Gunicorn with our settings, and none from files or the environment."""

    def __init__(self, web: WebSettings) -> None:
        self._web = web
        super().__init__()

    def load_config(self) -> None:
        """Tell gunicorn how we want it."""
        bounds = self._web.bounds
        memory = Path("/dev/shm")  # noqa: S108 - the heartbeats of processes: a disk that is slow must not end them
        for name, value in {
            "bind": f"fd://{self._web.socket}",
            "workers": self._web.processes,
            "worker_class": bounded(bounds),
            # Each client that watches has a thread for as long; the rest answer.
            "threads": bounds.watchers + bounds.open_requests,
            "worker_connections": bounds.connections,
            "keepalive": 75,
            "graceful_timeout": GRACE_S,
            "timeout": 60,
            "logger_class": Log,
            "post_worker_init": _end_streams_with_the_worker,
            "control_socket_disable": True,
            "worker_tmp_dir": str(memory) if memory.is_dir() else None,
            "preload_app": False,  # connections to the database are not for two processes
        }.items():
            self.cfg.set(name, value)

    def load(self) -> Any:  # noqa: ANN401 - what gunicorn takes; a Flask application is one
        """Make the application, in each process its own."""
        web = self._web
        # A token that was given makes other names safe: those of a proxy, or of this machine in a network.
        given = web.token is not None and not web.logins
        hosts = None if given else LOOPBACK | {f"[{web.host}]" if ":" in web.host else web.host}
        app = create_app(
            Settings(
                data=Path(web.data),
                database=web.database,
                hosts=hosts,
                token=web.token,
                logins=web.logins,
                secure_cookie=web.secure_cookie,
                page=Path(web.page) if web.page else None,
                emulator=web.emulator,
                bounds=web.bounds,
            )
        )
        prepared.prepare()
        engine.ask_at_once(web.bounds.questions)
        _read_once(app)
        return app


class Log(Logger):
    """What gunicorn says, in the form of our logs; of requests, those that change, fail or are slow."""

    def setup(self, cfg: Config) -> None:  # noqa: ARG002 - gunicorn's
        """Leave handlers and levels to `logs`."""
        for each in (self.error_log, self.access_log):
            each.propagate = True

    def access(self, resp: Any, req: Any, environ: MutableMapping[str, Any], request_time: timedelta) -> None:  # noqa: ANN401, ARG002
        """Tell of a request: reads at level debug, since clients ask all the time and metrics count them."""
        seconds = request_time.total_seconds()
        status = int(str(resp.status_code))
        watching = any(name.lower() == "content-type" and "event-stream" in value for name, value in resp.headers)
        if status >= 500 or (seconds >= SLOW_S and not watching):
            level = logging.WARNING
        elif environ["REQUEST_METHOD"] in {"GET", "HEAD", "OPTIONS"}:
            level = logging.DEBUG
        else:
            level = logging.INFO
        if _log.isEnabledFor(level):
            fields = {
                "method": environ["REQUEST_METHOD"],
                "path": environ["PATH_INFO"],
                "status": status,
                "ms": round(1000 * seconds, 1),
                "bytes": resp.sent,
                "client": environ.get("REMOTE_ADDR"),
            }
            _log.log(level, "request", extra=fields)


def _read_once(app: Flask) -> None:
    """Have the tables mapped and a connection made, for which somebody's first page would wait otherwise."""
    with suppress(UnavailableError), context.of(app).database.reader() as session:
        session.scalar(select(Run.id).limit(1))


def _end_streams_with_the_worker(worker: Worker) -> None:
    """Streams of events never end by themselves; a worker that stops waits for all of its requests."""
    context.of(cast("Flask", worker.wsgi)).watch.stopping = lambda: not worker.alive


def _end() -> None:
    """Nobody will wait for us: gunicorn ends its workers at once."""
    os.kill(os.getpid(), signal.SIGQUIT)


def main() -> None:
    """Serve until told to stop, or until the parent is gone."""
    # What is loaded stays for good: the collector need not look through it, least of all when the process ends.
    gc.freeze()
    logs.configure("web")
    lifeline.watch(_end)
    # Not for what we start: it may hold a password.
    Application(msgspec.json.decode(os.environ.pop(VARIABLE), type=WebSettings)).run()


if __name__ == "__main__":
    main()
