"""Answers that are asked for again and again, kept until something happens.

Every change of a batch or run appends an event of that kind in the transaction that makes it, so an answer of event N
is exact as long as N is the last such event. An answer that is made is read from one picture of the database with its
N; for one that is there already a glance at the last event is enough. When something has happened, one of those who ask
the same makes the answer, and the others wait for it.
"""

import contextlib
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable

import msgspec
from sqlalchemy.orm import Session

from windlull.api.answers import digest
from windlull.store.database import Database, UnavailableError

MOST_ANSWERS = 256
MOST_BYTES = 32 << 20

# What runs tell of their progress, every second, and what becomes of documents changes no list of batches or runs. From
# the last event backwards there are few of those in a row.
_LAST = "SELECT id FROM events WHERE kind IN ('run', 'batch') ORDER BY id DESC LIMIT 1"
_UNKNOWN = sys.maxsize
"""The last event of who could not ask for it: no answer that is there is known to be of so late a one."""
_ENCODER = msgspec.json.Encoder()


class Remembered:
    """Bodies by what was asked, of the last event alone. For all threads of a process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._making = [threading.Lock() for _ in range(MOST_ANSWERS)]
        self._event = -1
        self._bytes = 0
        self._answers: OrderedDict[str, tuple[bytes, str]] = OrderedDict()

    def body(self, database: Database, asked: str, make: Callable[[Session], object]) -> tuple[bytes, str]:
        """Return what `make` makes of the database, as JSON, and its digest. Raises UnavailableError."""
        event = _UNKNOWN
        # A connection may be one of before a restart of the server; the reader tries its own first.
        with contextlib.suppress(UnavailableError):
            event = database.glance(_LAST) or 0
            if known := self._known(event, asked):
                return known
        with self._making[hash(asked) % len(self._making)]:
            if known := self._known(event, asked):
                return known
            with database.reader() as session:
                return self._made(session, asked, make)

    def _known(self, event: int, asked: str) -> tuple[bytes, str] | None:
        """Return the answer if it is of `event` or, since others may have made it meanwhile, of a later one."""
        with self._lock:
            if event > self._event or asked not in self._answers:
                return None
            self._answers.move_to_end(asked)
            return self._answers[asked]

    def _made(self, session: Session, asked: str, make: Callable[[Session], object]) -> tuple[bytes, str]:
        event: int = session.connection().exec_driver_sql(_LAST).scalar() or 0
        body = _ENCODER.encode(make(session))
        made = body, digest(body)
        with self._lock:
            if event > self._event:
                self._answers.clear()
                self._event, self._bytes = event, 0
            if event == self._event and asked not in self._answers:
                self._answers[asked] = made
                self._bytes += len(body)
                while self._bytes > MOST_BYTES or len(self._answers) > MOST_ANSWERS:
                    self._bytes -= len(self._answers.popitem(last=False)[1][0])
        return made
