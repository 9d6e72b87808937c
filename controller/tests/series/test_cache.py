from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import pytest

from tests.series import made
from windlull.series import cache as caches
from windlull.series.cache import Cache
from windlull.series.columns import SeriesError

if TYPE_CHECKING:
    from pathlib import Path


def _packed(rows: int) -> bytes:
    return made.packed(made.document({"acks": {name: [0] * rows for name in ("t", "ack", "edge", "dup")}}))


def _never() -> bytes:
    raise AssertionError("read though it is in the cache")


def test_a_series_is_read_once(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "series")
    assert len(cache.get("a", lambda: _packed(3)).integers["acks.t"]) == 3
    assert len(cache.get("a", _never).integers["acks.t"]) == 3


def test_a_file_that_is_not_ours_is_made_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.path("a").write_bytes(b"ARROW1\0\0 half of it")
    assert len(cache.get("a", lambda: _packed(3)).integers["acks.t"]) == 3
    assert len(cache.get("a", _never).integers["acks.t"]) == 3


def test_the_least_recently_used_goes_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for place, name in enumerate(("a", "b", "c")):
        cache.get(name, lambda: _packed(100))
        os.utime(cache.path(name), ns=(place, place))
    cache.get("a", _never)
    Cache(tmp_path, 2 * cache.path("a").stat().st_size).evict()
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["a", "c"]


def test_what_was_just_made_stays(tmp_path: Path) -> None:
    cache = Cache(tmp_path, limit_bytes=1)
    cache.get("a", lambda: _packed(1))
    cache.get("b", lambda: _packed(1))
    assert [path.stem for path in tmp_path.iterdir()] == ["b"]


def test_a_disk_that_takes_nothing_costs_time_alone(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = Cache(tmp_path / "file" / "below")
    assert len(cache.get("a", lambda: _packed(2)).integers["acks.t"]) == 2


def test_only_large_series_are_made_before_they_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path)
    packed = _packed(2)
    name = hashlib.sha256(packed).hexdigest()
    cache.prepare(name, packed)
    assert not cache.path(name).exists()
    monkeypatch.setattr(caches, "LARGE_BYTES", len(packed))
    cache.prepare(name, packed)
    assert cache.path(name).exists()
    with pytest.raises(SeriesError):
        cache.prepare("other", b"x" * len(packed))
