from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.test_kernels import built
from windlull.api import testbeds
from windlull.runner import engine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

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
    answer = client.get("/testbeds").json
    assert {one["name"]: one["works"] for one in answer["testbeds"]}["sim"] is True
    assert client.get("/testbeds").json == answer
    assert len(looks) == 1
    again = client.get("/testbeds?refresh=true").json
    assert len(looks) == 2
    assert again["looked_at"] > answer["looked_at"]
    assert client.get("/testbeds?refresh=yes").status == 422


def test_kernels_are_told_as_the_command_lists_them(
    client: Client, looks: list[Sequence[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINDLULL_KERNELS", str(tmp_path))
    answer = client.get("/testbeds").json
    assert answer["kernels"] == []
    [kernel] = [one for one in answer["testbeds"] if one["name"] == "kernel"]
    assert kernel["works"] is False
    assert kernel["why"] == f"there is no kernel in {tmp_path}"
    assert "windlull kernel build" in kernel["remedy"]
    built(tmp_path, "mine", "source tree /home/me/linux\npatch one.patch 12\nrelease 6.13.0-rc1\n")
    # What was built since the last look is told without another.
    assert client.get("/testbeds").json["kernels"] == [
        {"name": "mine", "release": "6.13.0-rc1", "source": "tree /home/me/linux", "patches": ["one.patch"]}
    ]
    assert len(looks) == 1
