from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from windlull.api import testbeds
from windlull.runner import engine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.api.client import Client


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """What the doctor was asked, by a module that has never asked."""
    asked: list[Sequence[str]] = []
    ask = engine.ask

    def counted(arguments: Sequence[str], **options: Any) -> Any:
        asked.append(arguments)
        return ask(arguments, **options)

    monkeypatch.setattr(testbeds, "_DOCTOR", testbeds._Doctor())
    monkeypatch.setattr(engine, "ask", counted)
    return asked


def test_what_works_is_told_and_looked_at_once(client: Client, looks: list[Sequence[str]]) -> None:
    told = client.get("/testbeds").json
    assert {one["name"]: one["works"] for one in told["testbeds"]}["sim"] is True
    assert client.get("/testbeds").json == told
    assert len(looks) == 1
    again = client.get("/testbeds?refresh=true").json
    assert len(looks) == 2
    assert again["looked_at"] > told["looked_at"]
    assert client.get("/testbeds?refresh=yes").status == 422
