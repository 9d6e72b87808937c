"""The whole service: a socket, a database brought up to date, the web processes, the scheduler, the keeper."""

from __future__ import annotations

import http.client
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec
import structlog

import windlull
from windlull import lifeline, locate
from windlull.bounds import Bounds
from windlull.errors import FailureError
from windlull.serve import address
from windlull.serve.child import Child
from windlull.serve.counts import counting
from windlull.serve.keeper import Keeper
from windlull.serve.supervisor import Supervisor, how
from windlull.serve.web_settings import VARIABLE, WebSettings
from windlull.store import access
from windlull.store.database import UnavailableError, read_url
from windlull.store.home import Home
from windlull.store.migrate import migrate
from windlull.store.retention import Rules

if TYPE_CHECKING:
    from collections.abc import Callable
    from socket import socket

    from windlull.serve.child import Ended

LOOK_AGAIN_S = 2.0
"""How often a database that is not there yet is looked for."""

_ENDING_S = 0.5
"""How often a directory is tried that is another's."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Ready:
    """Where the service answers: its page, the address of one login, and the file with the token it made, if it did."""

    url: str
    login: str | None = None
    token_file: Path | None = None


@dataclass(frozen=True, slots=True)
class Service:
    """What `windlull serve` was asked for.

    `token` is what clients must show; None makes the data directory's own, or asks for none if `no_token`.
    `workers` are the processes that simulate, None for one a core; `web` those that answer. `https` says that browsers
    come by way of a proxy that speaks HTTPS. `emulator` is the address of one that clients may change. `bounds` is what
    they may have at most. `copied`: a copy of the database was made before an update of its tables.
    """

    data: Path
    database: str | None = None
    host: str = "127.0.0.1"
    port: int = 8642
    token: str | None = None
    no_token: bool = False
    https: bool = False
    workers: int | None = None
    cluster: str | None = None
    emulator: str | None = None
    web: int = 2
    copied: bool = False
    rules: Rules = field(default_factory=Rules)
    bounds: Bounds = field(default_factory=Bounds)


def serve(service: Service, on_ready: Callable[[Ready], None]) -> None:
    """Run the service until SIGTERM or SIGINT; `on_ready` is told where it is when it answers.

    Raises BadInputError and FailureError for what does not let it begin; what goes wrong later is told in the log and
    tried again.
    """
    address.refuse_open_door(service.host, service.token)
    home = Home(service.data)
    database = service.database or home.database_url
    read_url(database)
    locate.engine()
    supervisor = Supervisor()
    with supervisor.signals(), address.listen(service.host, service.port) as listening:
        if _alone(home, supervisor) and _migrated(database, supervisor, copied=service.copied):
            with counting(home) as counts:
                _run(service, home, database, listening, supervisor, counts, on_ready)


def _alone(home: Home, supervisor: Supervisor) -> bool:
    """Make sure that no other service has the directory; False if told to stop before.

    The scheduler of a service that was killed may still be ending. Raises FailureError.
    """
    until_s = time.monotonic() + lifeline.GRACE_S + 5
    while True:
        try:
            with home.lock():
                return True
        except FailureError:
            if time.monotonic() >= until_s:
                raise
        if supervisor.asked_to_stop(_ENDING_S):
            return False


def _migrated(database: str, supervisor: Supervisor, *, copied: bool) -> bool:
    """Bring the database up to date, however long it takes to be there; False if told to stop before."""
    while True:
        try:
            migrate(database, copied=copied)
        except UnavailableError as error:
            _log.warning("waiting for the database", why=str(error))
            if supervisor.asked_to_stop(LOOK_AGAIN_S):
                return False
        else:
            return True


def _run(
    service: Service,
    home: Home,
    database: str,
    listening: socket,
    supervisor: Supervisor,
    counts: dict[str, str],
    on_ready: Callable[[Ready], None],
) -> None:
    own_token = None if service.token or service.no_token else access.own_token(home.path)
    logins = access.Logins(home.path)
    web = _web(service, home, database, listening, counts, own_token)
    answered = threading.Event()

    def on_end(ended: Ended) -> None:
        if ended.child is web and ended.code > 0 and not answered.is_set():
            raise FailureError(f"the web processes do not start: they ended {how(ended.code)}, and have said why")

    def wait_for_answer() -> None:
        url = address.url(listening)
        _wait_for_answer(url)
        answered.set()
        if own_token is None:
            on_ready(Ready(url))
        else:
            login = f"{url}session#login={logins.issue(time.time())}"
            on_ready(Ready(url, login, access.token_file(home.path)))

    threading.Thread(target=wait_for_answer, name="ready", daemon=True).start()
    keeper = Keeper(home, database, service.rules)
    keeper.start()
    try:
        supervisor.run([web, _scheduler(service, home, database, counts)], on_end=on_end)
    finally:
        keeper.stop()
        logins.forget()


def _wait_for_answer(url: str) -> None:
    """Return when the service answers. It is asked at once: the socket is there, and the question waits in it."""
    place = urlsplit(url)
    while True:
        connection = http.client.HTTPConnection(place.hostname or "", place.port)
        try:
            connection.request("GET", "/api/v1/health/live")
            if connection.getresponse().status == http.HTTPStatus.OK:
                return
        except (OSError, http.client.HTTPException):
            pass  # the processes ended before they answered; others will come
        finally:
            connection.close()


def _web(
    service: Service, home: Home, database: str, listening: socket, counts: dict[str, str], own_token: str | None
) -> Child:
    page = _built_page()
    web = WebSettings(
        socket=listening.fileno(),
        data=str(home.path),
        database=database,
        host=service.host,
        token=service.token or own_token,
        logins=own_token is not None,
        secure_cookie=service.https,
        page=str(page) if page else None,
        emulator=service.emulator,
        processes=service.web,
        bounds=service.bounds,
    )
    return Child(
        "web",
        [sys.executable, "-m", "windlull.serve.web"],
        environment={VARIABLE: msgspec.json.encode(web).decode(), **counts},
        pass_fds=[listening.fileno()],
    )


def _built_page() -> Path | None:
    """Return the directory of the web page if it is packaged with us, or built in the repository."""
    package = Path(windlull.__file__).parent
    places = (package / "_packaged" / "app", package.parent.parent / "web" / "dist" / "app")
    return next((place for place in places if place.is_dir()), None)


def _scheduler(service: Service, home: Home, database: str, counts: dict[str, str]) -> Child:
    command = [sys.executable, "-m", "windlull.scheduler", "--data", str(home.path), "--lifeline"]
    if service.cluster is not None:
        command += ["--cluster", service.cluster]
    if service.workers is not None:
        command += ["--workers", str(service.workers)]
    # In the environment, which others cannot read: it may hold a password.
    return Child("scheduler", command, environment={"WINDLULL_DATABASE": database, **counts})
