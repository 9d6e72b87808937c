"""The appliance, as compose.yaml describes it, in a project of the tests' own, and what can be asked of it."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.appliance.prometheus import Prometheus
from tests.appliance.queries import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

PROJECT = "windlull-test"
PATIENCE_S = 600
"""How long something may take that takes seconds on an idle machine: what is judged is whether it happens."""
EDITED = ("edited", ("controller", "emulator", "server", "client"))
"""The version of images in which a mechanism was edited, and the services that have them."""
OWN = ("-f", "compose.yaml", "-f", "compose.user.yaml")
"""The files with which nginx and curl stand in the places of server and client."""
INTEROP = ("-f", "compose.yaml", "-f", "compose.interop.yaml")
"""The files with which endpoints of the QUIC interop runner stand there."""


def build_images(tree: Path, environment: Mapping[str, str], *services: str) -> None:
    """Build the images of some services, or of all, from the sources in a tree."""
    built = subprocess.run(
        [tree / "images" / "build.sh", *services], env=environment, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr


def background(order: str) -> None:
    """Hold back what scripts/background.sh runs beside these tests, or let it go on."""
    subprocess.run([ROOT / "scripts" / "background.sh", order], check=True)


class Appliance:
    """All containers of a project. `missing` are the services whose image cannot be had here."""

    def __init__(self, variables: Mapping[str, str], missing: frozenset[str]) -> None:
        # Ports that are free: somebody's own appliance may run on this machine, with another engine.
        ports = {f"WINDLULL_{name}PORT": "0" for name in ("", "PROMETHEUS_", "GRAFANA_")}
        self._token = ""
        self._place = ""
        self._environment = os.environ | {"COMPOSE_PROJECT_NAME": PROJECT} | ports | dict(variables)
        self.missing = missing

    def docker(
        self, *arguments: str, check: bool = True, timeout_s: float = PATIENCE_S
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of `docker`; what it says is in the error if it fails and that is checked."""
        done = subprocess.run(
            ["docker", *arguments], cwd=ROOT, env=self._environment, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL, timeout=timeout_s,
        )  # fmt: skip
        assert done.returncode == 0 or not check, f"docker {' '.join(arguments)}:\n{done.stdout}{done.stderr}"
        return done

    def compose(self, *arguments: str, **options: Any) -> str:
        """Run a command of `docker compose`; return what it says."""
        if {"up", "down"} & set(arguments):
            self._place = ""
        return self.docker("compose", *arguments, **options).stdout

    def up(self, *services: str, files: tuple[str, ...] = ()) -> None:
        """Start services, or all of them that can be had, and wait until they are well."""
        # These end when they have done their work, which `--wait` takes for a failure of one that was asked for.
        done = {"keys", "engine", "certificates"}
        every = sorted(set(self.compose(*files, "config", "--services").split()) - self.missing - done)
        self.compose(*files, "up", "--detach", "--wait", "--no-build", *(services or every))

    @contextmanager
    def scaled(self, workers: int) -> Iterator[None]:
        """The same with workers of a cluster, which make the runs instead of the controller's own."""
        before = self._environment
        self._environment = before | {
            "COMPOSE_PROFILES": "scale", "WINDLULL_CLUSTER": "tls://dask-scheduler:8786",
            "WINDLULL_WORKERS": str(workers),
        }  # fmt: skip
        # Workers cannot be asked how they are, and `--wait` refuses such.
        unasked = ("worker", "live-worker")
        try:
            self.up("dask-scheduler", "controller")
            self.compose("up", "--detach", "--no-build", "--no-recreate", *unasked)
            yield
        finally:
            self.compose("rm", "--stop", "--force", *unasked, "dask-scheduler")
            self._environment = before
            self.up()

    @contextmanager
    def of_version(self, version: str, services: tuple[str, ...]) -> Iterator[None]:
        """The same with other images of some services, which are built."""
        before = self._environment
        self._environment = before | {"WINDLULL_VERSION": version}
        try:
            self.compose("up", "--detach", "--wait", "--no-build", "--no-deps", *services)
            yield
        finally:
            self._environment = before
            self.up()

    @contextmanager
    def with_endpoints(self, image: str, logs: Path) -> Iterator[None]:
        """The same with an interop image in the places of server and client, whose keys and qlogs go to `logs`."""
        before = self._environment
        self._environment = before | {
            "COMPOSE_FILE": os.pathsep.join(INTEROP[1::2]),
            "SERVER_IMAGE": image, "CLIENT_IMAGE": image, "WINDLULL_INTEROP_LOGS": str(logs),
        }  # fmt: skip
        try:
            self.up("server", "client", "server-beside", "client-beside", "emulator")
            yield
        finally:
            ours = ("server", "client", "server-beside", "client-beside", "certificates")
            self.compose("rm", "--stop", "--force", *ours)
            self.docker("volume", "rm", f"{PROJECT}_certificates", f"{PROJECT}_www")
            self._environment = before
            self.up()

    def execute(self, service: str, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command in a container of a service, as the container's own user."""
        return self.docker("compose", "exec", "--no-TTY", service, *command, check=check)

    def containers(self) -> dict[str, Any]:
        """Return what Docker knows of each service's container, also of one that has ended."""
        ids = self.compose("ps", "--all", "--quiet").split()
        found = json.loads(self.docker("inspect", *ids).stdout)
        return {one["Config"]["Labels"]["com.docker.compose.service"]: one for one in found}

    def containers_are_gone(self) -> bool:
        """Whether no container of the project is left."""
        return not self.compose("ps", "--all", "--quiet").split()

    def signal_engine(self, service: str, name: str, *, once: str = "true") -> None:
        """Send a signal to the engine's processes in a container, as soon as a command of bash there succeeds."""
        each = f'[ "$(cat "$one/comm")" != windlull-engine ] || kill -{name} "${{one#/proc/}}"'
        script = f"until {once}; do sleep 0.05; done; for one in /proc/[0-9]*; do {each}; done"
        self.execute(service, "bash", "-c", script, check=False)

    def health(self, service: str) -> str:
        """Return how Docker says that a service is."""
        return str(self.containers()[service]["State"]["Health"]["Status"])

    def reaches(self, service: str, host: str, port: int, *, within_s: int = 60) -> bool:
        """Whether a connection from a container to an address comes about. Who expects none gives it less time."""
        attempt = f"exec 3<>/dev/tcp/{host}/{port}"
        return self.execute(service, "timeout", str(within_s), "bash", "-c", attempt, check=False).returncode == 0

    def reached(self, service: str, places: Collection[str], *, within_s: int = 3) -> set[str]:
        """Return those of several places, each a HOST/PORT, that connections from a container come to, all at once."""
        attempt = f'timeout {within_s} bash -c \'exec 3<>/dev/tcp/$0\' "$place" && echo "$place"'
        script = f"for place; do {{ {attempt}; }} & done 2>/dev/null; wait"
        return set(self.execute(service, "bash", "-c", script, "-", *places).stdout.split())

    @property
    def prometheus(self) -> Prometheus:
        """The appliance's own."""
        return Prometheus(f"http://{self.compose('port', 'prometheus', '9090').strip()}")

    def token(self) -> str:
        """Return the token of the API."""
        return self.execute("controller", "cat", "/run/windlull/token/token").stdout.strip()

    def ask(self, method: str, path: str, body: object = None, *, token: str | None = None) -> tuple[int, bytes]:
        """Return status and body of an answer of the API."""
        self._token = self._token or self.token()
        connection = self._connected()
        try:
            headers = {"Authorization": f"Bearer {token or self._token}", "Content-Type": "application/json"}
            connection.request(method, f"/api/v1/{path}", None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def _connected(self) -> http.client.HTTPConnection:
        """Connect to the controller where it was last, else where it is now: to find that out takes a command."""
        if self._place:
            connection = http.client.HTTPConnection(self._place, timeout=PATIENCE_S)
            try:
                connection.connect()
            except OSError:
                connection.close()
            else:
                return connection
        self._place = self.compose("port", "controller", "8642").strip()
        return http.client.HTTPConnection(self._place, timeout=PATIENCE_S)

    def serves(self) -> bool:
        """Whether the API answers, and has its database."""
        try:
            return self.ask("GET", "health/ready")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def get(self, path: str) -> Any:
        """Return the JSON of what is there."""
        status, text = self.ask("GET", path)
        assert status == 200, text
        return json.loads(text)

    def submit(self, experiment: str, **more: object) -> int:
        """Queue an experiment; return the number of its batch."""
        status, text = self.ask("POST", "batches", {"experiment": experiment, **more})
        assert status == 201, text
        return int(json.loads(text)["id"])

    def until(self, good: Callable[[], Any], what: str) -> Any:
        """Ask until the answer is good; return it."""
        until_s = time.monotonic() + PATIENCE_S
        while not (found := good()):
            assert time.monotonic() < until_s, f"{what}: it does not come to it\n{self.compose('logs', '--tail', '30')}"
            threading.Event().wait(0.5)
        return found

    def until_ended(self, batch: int) -> list[Any]:
        """Wait until a batch has ended; return its runs."""
        self.until(lambda: self.get(f"batches/{batch}")["state"] == "ended", f"batch {batch}")
        return [self.get(f"runs/{run['id']}") for run in self.get(f"runs?batch={batch}")["items"]]

    def until_valid(self, batch: int, *, rounds: int = 12, alone_from: int = 3) -> list[Any]:
        """Wait likewise, and have live runs made again that a busy machine has made invalid; say so if it stays so.

        From the round `alone_from` on, the tests that run beside the appliance are held back meanwhile.
        """
        try:
            for made in range(1, rounds + 1):
                runs = self.until_ended(batch)
                if all(run["state"] != "invalid" for run in runs):
                    return runs
                if made + 1 == alone_from:
                    background("hold-back")
                assert self.ask("POST", f"batches/{batch}/retry")[0] == 200
            raise AssertionError([(run["variant"], run["state"], run["reason"]) for run in self.until_ended(batch)])
        finally:
            background("let-go")

    def download(self, path: str, file: Path) -> Path:
        """Keep what is there as a file."""
        status, content = self.ask("GET", path)
        assert status == 200, content
        file.write_bytes(content)
        return file
