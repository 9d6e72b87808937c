"""A real Prometheus: started with the appliance's own configuration, or there already; asked as Grafana asks it."""

from __future__ import annotations

import json
import math
import re
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import yaml

from tests.appliance.queries import ROOT, RULES
from tests.store.postgres import end_with_the_tests

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONFIGURATION = ROOT / "controller" / "prometheus" / "prometheus.yml"
STEP_S = 1


class Prometheus:
    """One that answers at `url`."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.since_s = time.time()

    def series(self, expression: str) -> list[dict[str, Any]]:
        """Return what the expression gave since we began, series that have a number at some time. Raises ValueError.

        The message of ValueError is Prometheus' own, for an expression that it does not take.
        """
        asked = {"query": expression, "start": self.since_s, "end": time.time(), "step": STEP_S}
        found = self._get("query_range", asked)["result"]
        return [one for one in found if any(math.isfinite(float(value)) for _, value in one["values"])]

    def now(self, expression: str) -> dict[tuple[str, ...], float]:
        """Return the values at this moment by their labels' values."""
        found = self._get("query", {"query": expression})["result"]
        return {tuple(one["metric"].values()): float(one["value"][1]) for one in found}

    def targets(self) -> dict[str, str]:
        """Return how each job's target is: `up`, `down`, or why not."""
        found = self._get("targets", {})["activeTargets"]
        return {one["labels"]["job"]: one["health"] if one["health"] == "up" else one["lastError"] for one in found}

    def _get(self, what: str, asked: dict[str, Any]) -> Any:
        address = f"{self.url}/api/v1/{what}?{urllib.parse.urlencode(asked)}"
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:  # noqa: S310 - of our own
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise ValueError(json.load(error).get("error", str(error))) from error


def configuration(controller: str, token: Path) -> dict[str, Any]:
    """Return the appliance's configuration, for a service on this machine and nothing else, every second."""
    settings: dict[str, Any] = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))
    settings["global"] |= {"scrape_interval": "1s", "evaluation_interval": "1s"}
    settings["rule_files"] = [str(RULES)]
    jobs = {job["job_name"]: job for job in settings["scrape_configs"]}
    jobs["controller"]["static_configs"] = [{"targets": [controller]}]
    jobs["controller"]["authorization"]["credentials_file"] = str(token)
    settings["scrape_configs"] = [jobs["controller"]]
    return settings


@contextmanager
def running(directory: Path, settings: dict[str, Any]) -> Iterator[Prometheus]:
    """A Prometheus of our own on a port of this machine's loopback."""
    file = directory / "prometheus.yml"
    file.write_text(yaml.safe_dump(settings), encoding="utf-8")
    process = subprocess.Popen(
        ["prometheus", f"--config.file={file}", f"--storage.tsdb.path={directory / 'data'}",
         "--web.listen-address=127.0.0.1:0"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        preexec_fn=end_with_the_tests,  # noqa: PLW1509 - one system call, no lock
    )  # fmt: skip
    assert process.stderr is not None
    try:
        yield Prometheus(f"http://{_address(process.stderr)}")
    finally:
        process.terminate()
        process.wait(60)
        process.stderr.close()


def _address(log: IO[str]) -> str:
    said = []
    address = ""
    for line in log:
        said.append(line)
        if found := re.search(r'msg="Listening on" address=(\S+)', line):
            address = found[1]
        if "Server is ready" in line:
            # What it says later is read and forgotten, so that it never waits for a reader.
            threading.Thread(target=lambda: list(log), daemon=True).start()
            return address
    raise AssertionError(f"Prometheus did not start:\n{''.join(said)}")
