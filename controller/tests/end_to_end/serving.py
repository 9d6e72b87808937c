"""`windlull serve` as a person starts it, and a client that asks it."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.end_to_end.command import WINDLULL
from tests.store.postgres import end_with_the_tests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

PATIENCE_S = 120
"""How long something may take that takes a moment on an idle machine."""

JSON = {"Content-Type": "application/json"}


class Service:
    """A service that runs, and what it has logged so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.logged: list[dict[str, Any]] = []
        self.strange: list[str] = []
        assert process.stdout is not None
        assert process.stderr is not None
        self._reader = threading.Thread(target=self._read, args=[process.stderr], daemon=True)
        self._reader.start()
        self.url = ""
        self.authorization: str | None = None

    def wait_for_address(self) -> None:
        """Wait until it says where it is, which it does when it answers."""
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        found = re.fullmatch(r"Windlull is at (http://\S+/)\n", said)
        assert found, (said, self.logged, "".join(self.strange))
        self.url = found[1]

    def until_logged(self, event: str) -> None:
        """Wait until it has logged that something happened."""
        self.until(lambda events: event in events, lambda: [said["event"] for said in list(self.logged)])

    def _read(self, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                try:
                    self.logged.append(json.loads(line))
                except ValueError:
                    self.strange.append(line)

    def close(self) -> None:
        """Read the log to its end."""
        self._reader.join(PATIENCE_S)

    def ask(
        self, method: str, path: str, body: object = None, more: Mapping[str, str] | None = None
    ) -> tuple[int, Any]:
        """Return status and JSON of an answer under /api/v1; `more` are headers."""
        place = urlsplit(self.url)
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=PATIENCE_S)
        try:
            given = None if body is None else json.dumps(body)
            headers = {**(JSON if body is not None else {}), **(more or {})}
            if self.authorization is not None:
                headers = {**headers, "Authorization": self.authorization}
            connection.request(method, f"/api/v1/{path}", given, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"null")
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        """Return the JSON of what is there."""
        status, answer = self.ask("GET", path)
        assert status == 200, answer
        return answer

    def submit(self, experiment: str = "first-look", repetitions: int = 1, **more: object) -> int:
        """Queue an experiment; return the number of its batch."""
        asked = {"experiment": experiment, "repetitions": repetitions, "captures": False, **more}
        status, answer = self.ask("POST", "batches", asked)
        assert status == 201, answer
        return int(answer["id"])

    def health(self) -> Any:
        """How the service says it is; None while its web processes are being started again."""
        try:
            return self.get("health")
        except (OSError, http.client.HTTPException):
            return None

    def until(self, good: Callable[[Any], object], ask: Callable[[], Any] | None = None) -> Any:
        """Ask, for the health unless for something else, until the answer is good; return it."""
        until_s = time.monotonic() + PATIENCE_S
        while True:
            answer = (ask or self.health)()
            if answer is not None and good(answer):
                return answer
            assert time.monotonic() < until_s, (answer, self.logged[-20:], self.strange)
            assert self.process.poll() is None, (self.logged[-20:], self.strange)
            # Each question takes time from what is waited for.
            threading.Event().wait(0.1)

    def until_ended(self, batch: int) -> Any:
        """Wait until a batch has ended; return it."""
        return self.until(lambda answer: answer["state"] == "ended", lambda: self.get(f"batches/{batch}"))

    def child(self, name: str) -> int:
        """The process of a child as it was started last."""
        return int(
            [said for said in self.logged if said.get("event") == "started" and said.get("child") == name][-1][
                "child_pid"
            ]
        )

    def starts(self, name: str) -> int:
        """How often a child was started."""
        return sum(said.get("event") == "started" and said.get("child") == name for said in list(self.logged))

    def stop(self) -> int:
        """Ask it to end as a person or a machine would; return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        return code


@contextmanager
def serving(
    data: Path,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    wrapper: Sequence[str] = (),
    program: Sequence[str] = WINDLULL,
    meanwhile: Callable[[Service], None] = lambda _: None,
    with_token: bool = False,
) -> Iterator[Service]:
    """A service on a data directory, with one worker, until the end of the body; whatever happens, nothing of it stays.

    `meanwhile` is done before it is waited for. It asks for no token unless `with_token`.
    """
    command = [
        *wrapper,
        *program,
        "serve",
        "--data",
        str(data),
        "--port",
        "0",
        "--workers",
        "1",
        "--web",
        "1",
        *([] if with_token else ["--no-token"]),
        *arguments,
    ]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environment or {})},
        preexec_fn=end_with_the_tests,  # noqa: PLW1509 - one system call, no lock
    )
    assert process.stdout is not None
    service = Service(process)
    try:
        meanwhile(service)
        service.wait_for_address()
        yield service
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        service.close()


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not yet noticed does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in {"Z", "X"}


def descendants(pid: int) -> set[int]:
    """All processes below one."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                parent = int((entry / "stat").read_text(encoding="ascii").rpartition(")")[2].split()[1])
                parents.setdefault(parent, []).append(int(entry.name))
    found: set[int] = set()
    ahead = [pid]
    while ahead:
        below = parents.get(ahead.pop(), [])
        found.update(below)
        ahead += below
    return found
