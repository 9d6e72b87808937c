"""What happens, handed to those who watch: one thread of a web process reads new events and gives them to its clients.

The thread runs while somebody watches. A client that does not take what is there for it loses its stream and asks again
from the last event it has seen: nothing is lost, and nobody waits for it.
"""

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import Empty, Full, SimpleQueue

import msgspec

from windlull.store import events
from windlull.store.database import Database, UnavailableError
from windlull.store.tables import Event

log = logging.getLogger(__name__)

EVERY_S = 0.15
"""How often new events are looked for."""

AGAIN_S = 1.0
"""How often while the database is not available."""

MOST_AT_ONCE = 2000
"""How many events are read at once; the rest comes with the next look."""

MOST_WAITING = 64
"""How many handfuls of events may wait for one client: some ten seconds of a busy service."""


@dataclass(frozen=True, slots=True)
class Interest:
    """What a client wants to hear of; None means everything."""

    batch_id: int | None = None
    run_id: int | None = None
    kinds: frozenset[str] | None = None

    def wants(self, event: Event) -> bool:
        """Whether the event is of interest."""
        return (
            (self.batch_id is None or event.batch_id == self.batch_id)
            and (self.run_id is None or event.run_id == self.run_id)
            and (self.kinds is None or event.kind in self.kinds)
        )


@dataclass(frozen=True, slots=True)
class Handful:
    """Events of one look, as they go out. `last` is the number of the last event looked at, of interest or not."""

    last: int
    texts: tuple[tuple[int, bytes], ...]


@dataclass(eq=False, slots=True)
class Client:
    """One watching client, and its address: what waits for it, and whether its stream must end."""

    interest: Interest
    address: str = ""
    _waiting: SimpleQueue[Handful | None] = field(default_factory=SimpleQueue)
    ended: bool = False

    def give(self, handful: Handful) -> None:
        """Put events before the client. Raises Full if it does not take them."""
        if self._waiting.qsize() >= MOST_WAITING:
            raise Full
        self._waiting.put(handful)

    def end(self) -> None:
        """Make `take` return at once, now and for ever."""
        self.ended = True
        self._waiting.put(None)

    def take(self, timeout_s: float) -> Handful | None:
        """Return the next events; None if there are none within `timeout_s` or the stream has ended."""
        if self.ended:
            return None
        try:
            return self._waiting.get(timeout=timeout_s)
        except Empty:
            return None


class TooManyError(Exception):
    """As many clients watch in this process as may; `of_client`: from that address alone."""

    def __init__(self, *, of_client: bool) -> None:
        super().__init__()
        self.of_client = of_client


class Watch:
    """Those who watch in this process, at most `most`, and at most `most_of_client` from one address."""

    def __init__(self, database: Database, most: int, most_of_client: int) -> None:
        self._database = database
        self._most = most
        self._most_of_client = most_of_client
        self._clients: set[Client] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()
        self.stopping: Callable[[], bool] = lambda: False
        """Asked at every look: whether the process is about to end, so that streams must."""

    @property
    def clients(self) -> int:
        """How many watch."""
        return len(self._clients)

    def join(self, interest: Interest, last: int, address: str = "") -> Client:
        """Hear of everything of `interest` that is kept from now on, until `leave`. Raises TooManyError.

        `last` is the number of the last event there was when the caller looked, before it joined. The thread begins
        there: were it to look for itself, what happens until it has started would be told by nobody.
        """
        client = Client(interest, address)
        with self._lock:
            if len(self._clients) >= self._most:
                raise TooManyError(of_client=False)
            if sum(other.address == address for other in self._clients) >= self._most_of_client:
                raise TooManyError(of_client=True)
            self._clients.add(client)
            if self._closed.is_set():
                client.end()
            elif self._thread is None:
                self._start(last)
        return client

    def leave(self, client: Client) -> None:
        """Hear no more; once is enough, more does not harm."""
        with self._lock:
            self._clients.discard(client)

    def close(self) -> None:
        """End all streams, and refuse new ones by ending them at once."""
        self._closed.set()
        with self._lock:
            for client in self._clients:
                client.end()

    def _start(self, last: int) -> None:
        self._thread = threading.Thread(target=self._look, args=(last,), name="watch", daemon=True)
        self._thread.start()

    def _look(self, last: int) -> None:
        """Read events after `last` until nobody watches. What was there before, clients read for themselves."""
        wait_s = 0.0
        while not self._closed.wait(wait_s):
            if self.stopping():
                self.close()
                return
            with self._lock:
                if not self._clients:
                    self._thread = None
                    return
            try:
                with self._database.reader() as session:
                    found = events.after(session, last, limit=MOST_AT_ONCE)
            except UnavailableError as error:
                log.warning("watching clients wait: %s", error)
                wait_s = AGAIN_S
                continue
            except Exception:
                # The thread must not end while clients wait: they would wait for ever.
                log.exception("reading events failed")
                wait_s = AGAIN_S
                continue
            wait_s = 0 if len(found) == MOST_AT_ONCE else EVERY_S
            if found:
                last = found[-1].id
                self._hand_out(found, last)

    def _hand_out(self, found: Sequence[Event], last: int) -> None:
        texts = [(event, text(event)) for event in found]
        by_interest: dict[Interest, list[Client]] = defaultdict(list)
        with self._lock:
            for client in self._clients:
                by_interest[client.interest].append(client)
        for interest, clients in by_interest.items():
            wanted = tuple((event.id, encoded) for event, encoded in texts if interest.wants(event))
            if not wanted:
                continue
            handful = Handful(last, wanted)
            for client in clients:
                try:
                    client.give(handful)
                except Full:
                    client.end()


def text(event: Event) -> bytes:
    """Return an event as a stream of events has it (HTML Living Standard, section 9.2)."""
    head = {"id": event.id, "at": event.at, "kind": event.kind, "batch": event.batch_id, "run": event.run_id}
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (
        event.id,
        event.kind.encode(),
        msgspec.json.encode(head | {"data": event.data}),
    )
