"""A taste of the fuzzer; `python -m tests.api.fuzz` in controller/ goes on for as long as one likes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.api import fuzz

if TYPE_CHECKING:
    from tests.api.client import Client


def test_no_document_breaks_the_service(client: Client) -> None:
    taken = sum(fuzz.attempt(client, seed) for seed in range(60))
    assert 0 < taken < 30
