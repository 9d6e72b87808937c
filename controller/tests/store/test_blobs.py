"""A blob is whole or not there, and leaves only when it is old and told to."""

from __future__ import annotations

import errno
import hashlib
import os
import resource
import time
from typing import TYPE_CHECKING

import pytest

from windlull.errors import FailureError
from windlull.store.blobs import Blobs, DiskFullError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONTENT = b"what a run leaves"
NAME = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(tmp_path / "blobs")


@pytest.fixture
def _small_files() -> Iterator[None]:
    """No file may grow beyond 4 KiB, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def age(blobs: Blobs, name: str, by_s: float) -> None:
    then = time.time() - by_s
    os.utime(blobs.path(name), (then, then))


def files(blobs: Blobs) -> list[str]:
    return [name for name, _ in blobs.names()]


def test_what_is_put_can_be_read(blobs: Blobs, tmp_path: Path) -> None:
    assert blobs.put(CONTENT) == NAME
    assert blobs.path(NAME) == tmp_path / "blobs" / NAME[:2] / NAME
    with blobs.open(NAME) as stream:
        assert stream.read() == CONTENT
    assert blobs.size(NAME) == len(CONTENT)
    assert files(blobs) == [NAME]


def test_the_same_content_is_kept_once_and_made_young(blobs: Blobs) -> None:
    blobs.put(CONTENT)
    age(blobs, NAME, 1000)
    assert blobs.put(CONTENT) == NAME
    assert files(blobs) == [NAME]
    assert blobs.remove(NAME, older_than_s=500) is None
    assert files(blobs) == [NAME]


def test_only_the_old_is_removed(blobs: Blobs) -> None:
    blobs.put(CONTENT)
    age(blobs, NAME, 1000)
    assert blobs.remove(NAME, older_than_s=2000) is None
    assert blobs.remove(NAME, older_than_s=500) == len(CONTENT)
    assert blobs.remove(NAME) is None
    assert files(blobs) == []
    with pytest.raises(FileNotFoundError):
        blobs.open(NAME)


def test_a_file_is_kept_as_its_content_is(blobs: Blobs, tmp_path: Path) -> None:
    (tmp_path / "made").write_bytes(CONTENT)
    assert blobs.put(tmp_path / "made") == NAME == blobs.put(CONTENT)
    assert blobs.path(NAME).read_bytes() == CONTENT
    assert (tmp_path / "made").exists()
    with pytest.raises(FailureError, match=r"cannot read .*gone: No such file"):
        blobs.put(tmp_path / "gone")


@pytest.mark.parametrize("name", ["", "..", "../../etc/passwd", NAME.upper(), NAME[:-1], NAME + "0"])
def test_a_name_is_a_hash(blobs: Blobs, name: str) -> None:
    with pytest.raises(ValueError, match="no SHA-256"):
        blobs.path(name)


@pytest.mark.usefixtures("_small_files")
def test_a_full_disk_is_told_and_leaves_nothing(blobs: Blobs, tmp_path: Path) -> None:
    with pytest.raises(DiskFullError, match="is full"):
        blobs.put(b"x" * 5000)
    assert [file for file in (tmp_path / "blobs").rglob("*") if file.is_file() and file.name != "lock"] == []
    assert blobs.put(CONTENT) == NAME


def test_another_refusal_is_told(blobs: Blobs, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(FailureError, match="Input/output error"):
        blobs.put(CONTENT)
    assert files(blobs) == []


def test_what_a_killed_writer_left_is_removed_when_it_is_old(blobs: Blobs) -> None:
    blobs.put(CONTENT)
    left = blobs.path(NAME).with_name(".half")
    left.write_bytes(b"ha")
    blobs.remove_leftovers(older_than_s=500)
    assert left.exists()
    then = time.time() - 1000
    os.utime(left, (then, then))
    blobs.remove_leftovers(older_than_s=500)
    assert not left.exists()
    assert files(blobs) == [NAME]
