"""Load on the service: clients that watch a live run, and requests on run lists at a fixed rate. `make bench` calls it.

    bench/load.py [--database sqlite|postgresql] [--rate 500] [--watchers 50] [--seconds 30] [--runs 10000]

Starts `windlull serve` over a database of so many runs, submits an experiment in network namespaces (where they work;
else one that is simulated), lets the watchers follow all events, and asks for run lists meanwhile. The requests are an
open loop: each has the moment at which it must go out, drawn beforehand (a Poisson process with a fixed seed), whatever
became of those before. Its latency counts from that moment to the last octet of the answer, so that waiting for a free
connection, or for a server that stood still, is counted for every request that it delayed. The first seconds of
processes that have just been started do not count; they are told apart. Exit code 1 if the 99th
percentile is not below the bar, or if anything was answered with an error.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import deque
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from sqlalchemy import insert

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "controller"))  # for the tests' PostgreSQL

from row import Row  # noqa: E402
from tests.store.postgres import running as postgres_running  # noqa: E402 - by the path above
from windlull.store import events  # noqa: E402
from windlull.store.database import Database  # noqa: E402
from windlull.store.migrate import migrate  # noqa: E402
from windlull.store.tables import Batch, Run, State  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

BAR_MS = 100.0
"""What the 99th percentile must stay below."""

CONNECTIONS = 64
WARM_S = 2.0
"""How long the load is on before it counts: web processes that have just started make each answer for the first time,
over connections and threads that are new. What that cost is told apart."""
VARIANTS = ("sack", "frto+sack", "newreno", "eifel+sack", "frto+newreno")
STATES = (State.DONE,) * 17 + (State.FAILED, State.CANCELLED, State.INVALID)
BATCH_RUNS = 500


def main() -> int:
    """Measure on the databases that are asked for, and print what was found."""
    given = options().parse_args()
    found = rows(given)
    for row in found:
        print(json.dumps(asdict(row)))
    if given.json:
        given.json.write_text(json.dumps([asdict(row) for row in found]) + "\n")
    return 0 if all(row.holds for row in found) else 1


def options() -> argparse.ArgumentParser:
    """What can be chosen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], action="append")
    parser.add_argument("--rate", type=float, default=500.0, help="requests a second")
    parser.add_argument("--watchers", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--json", type=Path, help="write the rows here as well")
    return parser


def rows(given: argparse.Namespace | None = None) -> list[Row]:
    """Measure on each kind of database, as chosen or as `make bench` has it."""
    given = given or options().parse_args([])
    return [measure(kind, given) for kind in given.database or ["sqlite", "postgresql"]]


def measure(kind: str, given: argparse.Namespace) -> Row:
    """Serve on one kind of database, and load it."""
    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="windlull-load-")))
        url = f"sqlite:///{work / 'data' / 'windlull.sqlite'}"
        if kind == "postgresql":
            server = stack.enter_context(postgres_running())
            url = server.url(stack.enter_context(server.fresh()))
        (work / "data").mkdir()
        fill(url, given.runs)
        address, process = stack.enter_context(serving(work, url, given.watchers))
        live = submit_live(address)
        used = Used(process)
        load = asyncio.run(Load(address, given).go())
        print(f"{kind}: {given.runs} runs, {live}; {load.summary()}; {used.summary()}")
    p99 = quantile(load.latencies_ms, 0.99)
    holds = p99 < BAR_MS and not load.errors and load.watching == given.watchers
    return Row(f"run lists at {given.rate:g}/s, {kind}: p99", round(p99, 2), None, "ms", None, BAR_MS, holds)


def fill(url: str, count: int) -> None:
    """Make a database of finished runs, as a scheduler would have left it."""
    migrate(url)
    database = Database(url)
    now = datetime.now(UTC)
    with database.session() as session:
        for start in range(0, count, BATCH_RUNS):
            batch = Batch(
                experiment="papers/sarolahti2003/table-1", title="Table 1", testbed="sim", plane=None, repetitions=100,
                seed="1", captures=False, priority=0, bundle="0" * 64, plan="0" * 64, engine_version="0",
                engine_commit="0", imported=False, pinned=False, created_at=now,
            )  # fmt: skip
            session.add(batch)
            session.flush()
            session.execute(
                insert(Run),
                [
                    {
                        "batch_id": batch.id, "place": place, "testbed": "sim",
                        "variant": VARIANTS[place % len(VARIANTS)], "link": "sarolahti2003-sudden-delays",
                        "repetition": place // len(VARIANTS) + 1, "seed": str(place), "directory": f"runs/{place}",
                        "key": f"{start + place:064x}", "priority": 0, "state": STATES[place % len(STATES)],
                        "attempt": 1, "worker": "tcp://127.0.0.1:40000", "cached": False, "queued_at": now,
                        "started_at": now, "ended_at": now,
                    }
                    for place in range(min(BATCH_RUNS, count - start))
                ],
            )  # fmt: skip
            events.append(session, "batch", {"change": "ended"}, batch_id=batch.id)
    database.dispose()


@contextmanager
def serving(work: Path, url: str, watchers: int) -> Iterator[tuple[str, psutil.Process]]:
    """Start a service that so many may watch from one address; give its address and its process."""
    command = [
        sys.executable,
        "-m",
        "windlull",
        "serve",
        "--data",
        str(work / "data"),
        "--database",
        url,
        "--port",
        "0",
        "--no-token",
    ]
    bounds = os.environ | {"WINDLULL_MOST_WATCHERS_OF_CLIENT": str(watchers)}
    with (
        (work / "log").open("wb") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, env=bounds) as process,
    ):
        try:
            assert process.stdout is not None  # noqa: S101 - because of PIPE
            words = process.stdout.readline().decode().split()
            if not words:
                raise SystemExit(f"the service did not start:\n{(work / 'log').read_text()}")
            yield words[-1].rstrip("/"), psutil.Process(process.pid)
        finally:
            process.terminate()
            process.wait(60)


def submit_live(address: str) -> str:
    """Submit what is watched, and say what it is: live runs where they work, else simulated ones."""
    for testbed, what in (("netns", "live runs in namespaces"), ("sim", "simulated runs")):
        body = {"experiment": "first-look-live", "testbed": testbed, "repetitions": 20 if testbed == "netns" else 500}
        request = urllib.request.Request(  # noqa: S310 - the service that we have started
            f"{address}/api/v1/batches",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60):  # noqa: S310
                return what
        except urllib.error.HTTPError as error:
            print(f"no {what}: {error.read().decode()[:300]}")
    return "nothing under way"


@dataclass
class Load:
    """The load, and what came of it."""

    address: str
    given: argparse.Namespace
    latencies_ms: list[float] = field(default_factory=list)
    late_ms: list[float] = field(default_factory=list)
    cold_ms: list[float] = field(default_factory=list)
    counts_from_s: float = 0.0
    events: int = 0
    event_delays_ms: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    watching: int = 0

    async def go(self) -> Load:
        """Let the watchers begin, then ask for as long as wanted."""
        host, _, port = self.address.removeprefix("http://").partition(":")
        watchers = [asyncio.create_task(self._watch(host, int(port))) for _ in range(self.given.watchers)]
        while self.watching < self.given.watchers:
            await asyncio.sleep(0.05)
        pool = Pool(host, int(port))
        await pool.open(CONNECTIONS)
        loop = asyncio.get_running_loop()
        random_ = random.Random(1)  # noqa: S311 - no secret
        addresses = lists(host, self.given.runs)
        at_s = loop.time() + 0.5
        self.counts_from_s = at_s + WARM_S
        end_s = self.counts_from_s + self.given.seconds
        asked: list[asyncio.Task[None]] = []
        while at_s < end_s:
            wait_s = at_s - loop.time()
            if wait_s > 0:
                await asyncio.sleep(wait_s)
            # All that are due by now: a loop that woke late does not let later ones wait for its next sleep.
            while at_s <= loop.time() and at_s < end_s:
                asked.append(asyncio.create_task(self._ask(pool, random_.choice(addresses), at_s)))
                at_s += random_.expovariate(self.given.rate)
        await asyncio.wait_for(asyncio.gather(*asked), 60)
        for watcher in watchers:
            watcher.cancel()
        return self

    async def _ask(self, pool: Pool, request: bytes, due_s: float) -> None:
        loop = asyncio.get_running_loop()
        connection = await pool.take()
        late_s = loop.time() - due_s
        status = await connection.ask(request)
        latency_ms = 1000 * (loop.time() - due_s)
        if due_s < self.counts_from_s:
            self.cold_ms.append(latency_ms)
        else:
            self.late_ms.append(1000 * late_s)
            self.latencies_ms.append(latency_ms)
        if status != 200:
            self.errors.append(f"status {status}")
        pool.give(connection)

    async def _watch(self, host: str, port: int) -> None:
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(f"GET /api/v1/events HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        status = await reader.readline()
        if b" 200 " not in status:
            self.errors.append(f"a watcher got {status!r}")
        self.watching += 1
        while line := await reader.readline():
            if line.startswith(b"data: ") and b'"at"' in line:
                self.events += 1
                at = datetime.fromisoformat(json.loads(line[6:])["at"])
                self.event_delays_ms.append(1000 * (time.time() - at.timestamp()))
        self.errors.append("a watcher lost its stream")

    def summary(self) -> str:
        """Return what came of it, in a line."""
        latencies, late, delays = self.latencies_ms, self.late_ms, self.event_delays_ms or [0.0]
        return (
            f"{len(latencies)} requests at {self.given.rate:g}/s: p50 {quantile(latencies, 0.5):.1f}, "
            f"p90 {quantile(latencies, 0.9):.1f}, p99 {quantile(latencies, 0.99):.1f}, "
            f"p99.9 {quantile(latencies, 0.999):.1f}, max {max(latencies):.1f} ms "
            f"(of it, before the request went out: p99 {quantile(late, 0.99):.1f} ms; "
            f"in the first {WARM_S:g} s, which do not count: p99 {quantile(self.cold_ms, 0.99):.1f}); "
            f"{self.watching} watchers got {self.events} events, "
            f"{statistics.median(delays):.0f} ms after they happened (p99 {quantile(delays, 0.99):.0f}); "
            f"{len(self.errors)} errors {sorted(set(self.errors))[:3]}"
        )


def lists(host: str, runs: int) -> list[bytes]:
    """Return the requests: what a page shows first, and what people look for then."""
    queries = ["", "", "", "?limit=100", "?state=done", "?state=failed&state=invalid", "?state=running&state=queued"]
    queries += [f"?variant={variant.replace('+', '%2B')}" for variant in VARIANTS]
    queries += [f"?batch={batch}" for batch in range(1, 9)]
    queries += [f"?cursor={runs * place // 10}&limit=50" for place in range(1, 9)]
    return [f"GET /api/v1/runs{query} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode() for query in queries]


class Connection(asyncio.Protocol):
    """One connection that is kept, with one request at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[int] | None = None
        self._got = bytearray()
        self._length: int | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - of TCP
        self._transport = transport

    def ask(self, request: bytes) -> asyncio.Future[int]:
        """Send a request; the future is the status, when the last octet of the answer is there."""
        assert self._transport is not None  # noqa: S101 - made by create_connection
        self._answer = asyncio.get_running_loop().create_future()
        self._got.clear()
        self._length = None
        self._transport.write(request)
        return self._answer

    def data_received(self, data: bytes) -> None:
        """Take in a part of the answer."""
        self._got += data
        if self._length is None:
            end = self._got.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self._got[:end]).lower()
            self._length = end + 4 + int(head.split(b"content-length: ", 1)[1].split(b"\r\n", 1)[0])
        if len(self._got) >= self._length and self._answer is not None and not self._answer.done():
            self._answer.set_result(int(self._got[9:12]))

    def connection_lost(self, _error: Exception | None) -> None:
        """Count it as an error if an answer was awaited."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(0)


class Pool:
    """Connections that are free; who finds none waits for one in turn."""

    def __init__(self, host: str, port: int) -> None:
        self._where = host, port
        self._free: deque[Connection] = deque()
        self._waiting: deque[asyncio.Future[Connection]] = deque()

    async def open(self, count: int) -> None:
        """Connect."""
        for _ in range(count):
            _, connection = await asyncio.get_running_loop().create_connection(Connection, *self._where)
            self._free.append(connection)

    async def take(self) -> Connection:
        """Return a free connection, when there is one."""
        if self._free:
            return self._free.popleft()
        waiting: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        return await waiting

    def give(self, connection: Connection) -> None:
        """Let the next one have it."""
        if self._waiting:
            self._waiting.popleft().set_result(connection)
        else:
            self._free.append(connection)


class Used:
    """The processor time of a service's processes since this was made."""

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self._began_s = time.monotonic()
        self._before = self._seconds()

    def _seconds(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for one in [self._process, *self._process.children(recursive=True)]:
            try:
                words, times = one.cmdline(), one.cpu_times()
            except psutil.Error:
                continue
            known = ("windlull.serve.web", "windlull.scheduler", "windlull-engine")
            name = next((name for name in known if any(name in word for word in words)), "others")
            found[name] = found.get(name, 0.0) + times.user + times.system
        return found

    def summary(self) -> str:
        """Return cores used, by kind of process, since the beginning."""
        over_s = time.monotonic() - self._began_s
        now = self._seconds()
        parts = [f"{name} {(now[name] - self._before.get(name, 0.0)) / over_s:.2f}" for name in sorted(now)]
        return f"cores used: {', '.join(parts)}"


def quantile(values: list[float], q: float) -> float:
    """Return the smallest value that at least this part of all does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))]


if __name__ == "__main__":
    sys.exit(main())
