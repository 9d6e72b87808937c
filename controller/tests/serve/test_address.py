"""Nobody from outside comes in without a token."""

from __future__ import annotations

import socket

import pytest

from windlull.errors import BadInputError, FailureError
from windlull.serve import address


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.10", "::1", "localhost"])
def test_this_machine_needs_no_token(host: str) -> None:
    address.refuse_open_door(host, None)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])  # noqa: S104 - refused
def test_others_need_a_token(host: str) -> None:
    with pytest.raises(BadInputError, match="--token-file"):
        address.refuse_open_door(host, None)
    address.refuse_open_door(host, "0123456789abcdef")


def test_the_kernel_chooses_a_port_for_0() -> None:
    with address.listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        assert address.url(listening) == f"http://127.0.0.1:{port}/"
        with socket.create_connection(("127.0.0.1", port)):
            pass


def test_every_address_is_reached_by_this_machines() -> None:
    with address.listen("0.0.0.0", 0) as listening:  # noqa: S104 - for a moment, and nobody is let in
        assert address.url(listening).startswith("http://127.0.0.1:")


def test_ipv6_is_written_in_brackets() -> None:
    with address.listen("::1", 0) as listening:
        assert address.url(listening).startswith("http://[::1]:")


def test_a_port_that_is_taken_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "_TAKEN_S", 0.0)
    with address.listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(FailureError, match=f"port {port} of 127.0.0.1 is taken"):
            address.listen("127.0.0.1", port)


def test_an_address_of_others_is_told() -> None:
    with pytest.raises(FailureError, match=r"cannot listen on 192\.0\.2\.1"):
        address.listen("192.0.2.1", 0)
    with pytest.raises(BadInputError, match="there is no such address"):
        address.listen("no such name", 0)
