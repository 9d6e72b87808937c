"""Processes count in memory, beginning with the service, and nothing of it stays."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from windlull.serve.counts import VARIABLE, counting

if TYPE_CHECKING:
    from windlull.store.home import Home

MEMORY = Path("/dev/shm")  # noqa: S108 - looked at


def _noted(home: Home) -> Path:
    return home.cache / "counts"


def test_the_directory_is_empty_in_memory_and_gone_afterwards(home: Home) -> None:
    with counting(home) as variables:
        directory = Path(variables[VARIABLE])
        assert list(directory.iterdir()) == []
        assert directory.stat().st_dev == MEMORY.stat().st_dev != home.path.stat().st_dev
        assert _noted(home).resolve() == directory
        (directory / "counter_1.db").write_bytes(b"counts")
    assert not directory.exists()
    assert not _noted(home).is_symlink()


def test_what_a_killed_service_left_is_removed_by_the_next(home: Home) -> None:
    killed = counting(home)
    left = Path(killed.__enter__()[VARIABLE])
    (left / "counter_1.db").write_bytes(b"counts")
    with counting(home) as variables:
        assert not left.exists()
        assert Path(variables[VARIABLE]) != left


def test_nothing_else_is_removed(home: Home, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    _noted(home).symlink_to(tmp_path / "mine")
    with counting(home):
        pass
    assert (tmp_path / "mine").is_dir()
