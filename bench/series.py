"""The diagram's part of the benchmark: the first view of a run with a million segments, through a running service.

`python bench/series.py` measures it alone. A link of 1 Gbit/s with losses and pauses; the service simulates the run
itself, as it would anyone's. What is measured is the request of a client on the same machine, from asking to the last
octet of the answer, with a drawing of 2,000 pixels: of the whole run, and of windows into it.
"""

from __future__ import annotations

import http.client
import json
import statistics
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
COMMAND = ROOT / ".venv" / "bin" / "windlull"

FIRST_VIEW_MS = 300.0
PIXELS = 2000
SEGMENTS = 1_000_000
VIEWS = 15
PATIENCE_S = 120

LINK = """
title  = "Benchmark: 1 Gbit/s with losses and pauses"
source = "bench/series.py"
[both]
rate  = "1 Gbit/s"
delay = "10 ms"
queue = { kind = "droptail", limit = "1000 packets" }
[[impairment]]
name        = "losses"
kind        = "loss"
on          = "each"
probability = "0.01 %"
[[impairment]]
name   = "pauses"
kind   = "hold"
on     = "both"
every  = "exponential(mean 3 s)"
length = "uniform(300 ms, 2 s)"
"""
WORKLOAD = """
title     = "Benchmark: a million segments"
kind      = "bulk"
size      = "1540000000 B"
direction = "down"
"""
EXPERIMENT = """
title       = "Benchmark: a million segments"
source      = "bench/README.md"
link        = "bench-series"
variants    = ["frto+sack"]
workload    = "bench-series"
repetitions = 1
seed        = 1
time_limit  = "1200 s"
[tcp]
mss            = "1448 B"
receive_window = "8000000 B"
window_scale   = true
timestamps     = false
"""


class Service:
    """A service to ask, over one connection. `address` ends with a slash."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE_S)

    def ask(self, method: str, path: str, body: object = None) -> bytes:
        """Return the body of the answer. Raises SystemExit if it is an error: a benchmark of an error means nothing."""
        headers = {} if body is None else {"Content-Type": "application/json"}
        encoded = None if body is None else json.dumps(body)
        self._connection.request(method, f"/api/v1{path}", encoded, headers)
        response = self._connection.getresponse()
        answer = response.read()
        if response.status >= 300:
            raise SystemExit(f"error: {method} {path}: {response.status} {answer[:1000].decode()}")
        return answer

    def json(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        """Return the answer as JSON."""
        return json.loads(self.ask(method, path, body))


@contextmanager
def service(data: Path, web: int = 1) -> Iterator[Service]:
    """A service with an empty data directory and so many processes that answer, as long as the context."""
    words: list[str | Path] = [
        COMMAND,
        "serve",
        "--data",
        data,
        "--port",
        "0",
        "--workers",
        "1",
        "--web",
        str(web),
        "--no-token",
    ]
    with (data.parent / "log").open("wb") as log:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert process.stdout is not None  # noqa: S101 - because of PIPE above
        address = next((word for word in process.stdout.readline().split() if word.startswith("http")), None)
        if address is None:
            raise SystemExit("error: the service did not start: " + (data.parent / "log").read_text()[-2000:])
        yield Service(address)
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def simulated(to: Service) -> int:
    """Let the service make the run; return its number."""
    for kind, text in (("links", LINK), ("workloads", WORKLOAD), ("experiments", EXPERIMENT)):
        to.ask("POST", f"/{kind}", {"name": "bench-series", "toml": text})
    batch = to.json("POST", "/batches", {"experiment": "bench-series", "captures": False})
    end = time.monotonic() + PATIENCE_S
    while to.json("GET", f"/batches/{batch['id']}")["state"] != "ended":
        if time.monotonic() > end:
            raise SystemExit("error: the run did not end")
        time.sleep(0.2)
    (run,) = to.json("GET", f"/runs?batch={batch['id']}")["items"]
    return int(run["id"])


def prepared(data: Path) -> None:
    """Wait for the columns, which the scheduler makes within seconds of the run's end, before anyone looks."""
    end = time.monotonic() + PATIENCE_S
    while not list((data / "cache" / "series").glob("*.arrow")):
        if time.monotonic() > end:
            raise SystemExit("error: the columns were not made")
        time.sleep(0.2)


def rows() -> list[Row]:
    """Measure the first view, and the next ones."""
    with tempfile.TemporaryDirectory(prefix="windlull-bench-") as directory, service(Path(directory) / "data") as to:
        run = simulated(to)
        prepared(Path(directory) / "data")
        views = [f"/runs/{run}/series?pixels={PIXELS}"]
        took: list[float] = []
        first: Any = None
        answer = b""
        for _ in range(VIEWS):
            start = time.perf_counter()
            answer = to.ask("GET", views[0])
            took.append(1000 * (time.perf_counter() - start))
            first = first or json.loads(answer)
        if first["data"]["rows"] < SEGMENTS:
            raise SystemExit(f"error: {first['data']['rows']} segments are not {SEGMENTS}")
        span = first["duration_ns"] // VIEWS
        zoomed = []
        for place in range(VIEWS):
            start = time.perf_counter()
            to.ask("GET", f"{views[0]}&from={place * span}&to={(place + 1) * span}")
            zoomed.append(1000 * (time.perf_counter() - start))
    data = first["data"]
    print(f"  series: {data['rows']:,} segments, {data['given']:,} of them given in {len(answer):,} octets")
    return [
        _row("a million segments, first view", took[0]),
        _row("a million segments, the whole again", statistics.median(took[1:])),
        _row(f"a million segments, 1/{VIEWS} of it", statistics.median(zoomed)),
    ]


def _row(name: str, took_ms: float) -> Row:
    return Row(name, took_ms, None, "ms", None, FIRST_VIEW_MS, took_ms < FIRST_VIEW_MS)


if __name__ == "__main__":
    for row in rows():
        print(f"{row.name:48} {row.ours:8.1f} {row.unit}  bar {row.bar:g}  {'holds' if row.holds else 'DOES NOT HOLD'}")
