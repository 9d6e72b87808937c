from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

from windlull.api import watch
from windlull.api.context import of
from windlull.store import events

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest
    from flask import Flask

    from tests.api.client import Client
    from windlull.store.database import Database


def tell(database: Database, *texts: str, batch: int | None = None, run: int | None = None) -> None:
    for text in texts:
        with database.session() as session:
            events.append(session, "run" if run else "batch", {"change": text}, batch_id=batch, run_id=run)


def read(text: str) -> list[tuple[str, dict[str, Any]]]:
    """The events of a stream, without comments."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "data" in fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def changes(client: Client, query: str = "", **headers: str) -> list[str]:
    text = client.get(f"/events?follow=false{query}", headers={k.replace("_", "-"): v for k, v in headers.items()}).text
    return [data["data"]["change"] for kind, data in read(text) if kind not in {"hello", "missed"}]


def test_what_was_missed_is_told(client: Client, database: Database) -> None:
    tell(database, "a", "b", "c")
    assert changes(client) == []
    assert changes(client, "&after=0") == ["a", "b", "c"]
    assert changes(client, "&after=0", Last_Event_ID="2") == ["c"]


def test_only_what_is_of_interest_is_told(client: Client, database: Database) -> None:
    tell(database, "a", batch=1)
    tell(database, "b", batch=2)
    tell(database, "c", batch=2, run=5)
    assert changes(client, "&after=0&batch=2") == ["b", "c"]
    assert changes(client, "&after=0&run=5") == ["c"]
    assert changes(client, "&after=0&kind=batch") == ["a", "b"]
    assert changes(client, "&after=0&kind=batch&kind=run&batch=1") == ["a"]


def test_the_stream_says_where_it_begins(client: Client, database: Database) -> None:
    tell(database, "a", "b")
    assert read(client.get("/events?follow=false").text) == [("hello", {"id": 2})]


def test_who_comes_from_the_future_or_too_late_has_missed_something(client: Client, database: Database) -> None:
    tell(database, "a")
    kinds = [kind for kind, _ in read(client.get("/events?follow=false&after=99").text)]
    assert kinds == ["hello", "missed"]


def test_long_absences_are_told_in_full(client: Client, database: Database) -> None:
    with database.session() as session:
        for number in range(1234):
            events.append(session, "batch", {"change": str(number)})
    assert changes(client, "&after=0") == [str(number) for number in range(1234)]


class Stream:
    """A stream that is followed in a thread of its own."""

    def __init__(self, app: Flask, address: str = "/api/v1/events", **options: Any) -> None:
        self.text = ""
        self.came = threading.Condition()
        self.ended = False
        response = app.test_client().get(address, buffered=False, **options)
        assert response.status_code == 200
        self._pieces: Iterator[bytes] = response.iter_encoded()
        self._close = response.close
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        for piece in self._pieces:
            with self.came:
                self.text += piece.decode()
                self.came.notify_all()
        self._close()
        with self.came:
            self.ended = True
            self.came.notify_all()

    def await_changes(self, count: int) -> list[str]:
        """Wait until that many changes have come, and return all."""

        def there() -> list[str]:
            return [data["data"]["change"] for kind, data in read(self.text) if kind not in {"hello", "missed"}]

        with self.came:
            assert self.came.wait_for(lambda: len(there()) >= count, timeout=30)
        return there()

    def await_hello(self) -> None:
        with self.came:
            assert self.came.wait_for(lambda: "hello" in self.text, timeout=30)

    def join(self) -> None:
        self._thread.join(timeout=30)
        assert self.ended


def test_what_happens_is_told_to_all(app: Flask, database: Database) -> None:
    streams = [Stream(app) for _ in range(5)]
    for stream in streams:
        stream.await_hello()
    tell(database, "a", "b", "c")
    assert [stream.await_changes(3) for stream in streams] == [["a", "b", "c"]] * 5
    of(app).watch.close()
    for stream in streams:
        stream.join()


def test_nothing_is_told_twice_or_left_out_at_the_seam(app: Flask, database: Database) -> None:
    """Between what is read from the database and what the thread hands out."""
    stop = threading.Event()
    appended: list[str] = []

    def happen() -> None:
        while not stop.is_set():
            appended.append(str(len(appended)))
            tell(database, appended[-1])

    writer = threading.Thread(target=happen)
    writer.start()
    streams = [Stream(app, "/api/v1/events?after=0") for _ in range(4)]
    for stream in streams:
        stream.await_changes(40)
    stop.set()
    writer.join()
    for stream in streams:
        assert stream.await_changes(len(appended)) == appended
    of(app).watch.close()
    for stream in streams:
        stream.join()


def test_what_happens_before_the_thread_has_started_is_told(
    app: Flask, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = watch.Watch._start
    held: list[int] = []
    monkeypatch.setattr(watch.Watch, "_start", lambda _, last: held.append(last))
    tell(database, "before")
    stream = Stream(app, "/api/v1/events?after=0")
    assert stream.await_changes(1) == ["before"]
    tell(database, "between")
    start(of(app).watch, *held)
    assert stream.await_changes(2) == ["before", "between"]
    of(app).watch.close()
    stream.join()


def test_more_clients_than_there_are_threads_are_refused(
    app: Flask, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of(app).watch, "_most", 1)
    first = Stream(app)
    first.await_hello()
    refused = client.get("/events")
    assert refused.status == 503
    assert refused.json["error"]["code"] == "too-many-watchers"
    assert refused.headers["Retry-After"]
    of(app).watch.close()
    first.join()
    assert of(app).watch.clients == 0


def test_a_client_that_takes_nothing_loses_its_stream(app: Flask, database: Database) -> None:
    watching = of(app).watch
    client = watching.join(watch.Interest(), 0)
    handful = watch.Handful(1, ((1, b"id: 1\n\n"),))
    for _ in range(watch.MOST_WAITING):
        client.give(handful)
    tell(database, "one more")
    while not client.ended:
        watching.clients  # noqa: B018 - the thread finds out at its next look
    assert client.take(0) is None
    watching.leave(client)


def test_streams_end_when_the_process_is_about_to(app: Flask) -> None:
    stream = Stream(app)
    stream.await_hello()
    of(app).watch.stopping = lambda: True
    stream.join()
