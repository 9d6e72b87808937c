"""Notices on their way: to the address that was given, once, in bounded time, and nowhere else."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import pytest

from tests.schedules.receiver import Receiver, receiving
from windlull.errors import BadInputError
from windlull.schedules import messages, posting

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = "0123456789abcdef"  # noqa: S105 - a test's


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver on loopback."""
    with receiving() as made:
        yield made


def test_it_arrives_with_a_signature_that_checks(receiver: Receiver) -> None:
    octets = b'{"text":"it failed"}'
    sent = messages.headers(SECRET, "key", "gate-failed", octets)
    assert posting.post(f"{receiver.url}/hook/a?b=c", octets, sent) == posting.Answer(taken=True, words="200 OK")
    got = receiver.next()
    assert (got.path, got.octets) == ("/hook/a?b=c", octets)
    assert got.headers["Content-Type"] == "application/json"
    assert messages.is_signature(got.headers[messages.SIGNATURE], SECRET, got.octets)
    assert not messages.is_signature(got.headers[messages.SIGNATURE], SECRET, got.octets + b" ")
    assert not messages.is_signature(got.headers[messages.SIGNATURE], SECRET + "x", got.octets)
    assert not messages.is_signature("é", SECRET, got.octets)


def test_the_signature_is_that_of_forges() -> None:
    # The example of GitHub's documentation, "Validating webhook deliveries".
    wanted = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert messages.signature("It's a Secret to Everybody", b"Hello, World!") == wanted


def test_without_a_secret_it_is_not_signed() -> None:
    assert messages.SIGNATURE not in messages.headers(None, "key", "gate-failed", b"{}")


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(receiver: Receiver, status: int) -> None:
    receiver.status, receiver.location = status, f"{receiver.url}/elsewhere"
    answer = posting.post(receiver.url, b"{}", {})
    assert (answer.taken, answer.words) == (False, f"{status}: redirects are not followed")
    assert receiver.next().path == "/"
    assert receiver.inbox.empty()


@pytest.mark.parametrize(("status", "words"), [(404, "404 Not Found"), (500, "500 Internal Server Error")])
def test_what_is_refused_was_not_taken(receiver: Receiver, status: int, words: str) -> None:
    receiver.status = status
    assert posting.post(receiver.url, b"{}", {}) == posting.Answer(taken=False, words=words)


def test_who_does_not_listen_has_not_taken_it() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/secret"
    answer = posting.post(url, b"{}", {})
    assert not answer.taken
    assert "refused" in answer.words
    assert "secret" not in answer.words


@pytest.mark.parametrize(("said", "word"), [(b"", "no answer"), (b"SSH-2.0-x\r\n", "HTTP")])
def test_who_says_nothing_or_nonsense_has_not_taken_it(said: bytes, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "WAIT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[socket.socket] = []

        def take() -> None:
            one, _ = server.accept()
            held.append(one)
            one.sendall(said)

        thread = threading.Thread(target=take, daemon=True)
        thread.start()
        answer = posting.post(f"http://127.0.0.1:{server.getsockname()[1]}", b"{}", {})
        thread.join()
        held[0].close()
    assert not answer.taken
    assert word in answer.words


def test_who_answers_drop_by_drop_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "IN_ALL_S", 0.3)
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            one, _ = server.accept()
            with one:
                try:
                    one.sendall(b"HTTP/1.1 100 Continue\r\n")
                    while not over.wait(0.02):
                        one.sendall(b"X")
                except OSError:
                    return

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        answer = posting.post(f"http://127.0.0.1:{server.getsockname()[1]}", b"{}", {})
        over.set()
        thread.join()
    assert answer == posting.Answer(taken=False, words="no answer within 0.3 s")


def test_a_link_local_address_is_told_nothing(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    # As if the name had led there: what counts is who was reached, not what a name server said before.
    monkeypatch.setattr(posting, "ip_of", lambda _: "169.254.169.254")
    answer = posting.post(receiver.url, b"{}", {})
    assert (answer.taken, answer.words) == (False, "169.254.169.254 is a link-local address; nothing is sent there")
    assert receiver.inbox.empty()


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/x",
        "file:///etc/passwd",
        "example.org",
        "http://",
        "https://user:pass@example.org/",
        "http://example.org:0/",
        "http://example.org:99999/",
        "http://example.org/a b",
        "http://example.org/\r\nX: y",
        "http://[::1/",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(BadInputError, match="is no address"):
        posting.place(url)
