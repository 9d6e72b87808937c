from __future__ import annotations

import os
import resource
import signal
from typing import TYPE_CHECKING

import pytest

from windlull.errors import FailureError
from windlull.reports.files import write, writing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def small_files() -> Iterator[None]:
    """Files of more than 1000 octets cannot be written, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


def test_a_file_replaces_the_old_one_whole(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_bytes(b"old")
    with writing(file) as stream:
        stream.write(b"new")
        assert file.read_bytes() == b"old"
    assert file.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [file]


def test_what_fails_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_bytes(b"old")
    with pytest.raises(TypeError), writing(file) as stream:
        stream.writelines([b"half", "text"])  # type: ignore[list-item]
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.usefixtures("small_files")
def test_a_full_disk_is_a_failure_that_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_bytes(b"old")
    with pytest.raises(FailureError, match=r"cannot write .*results\.json: File too large"):
        write(file, b"x" * 2000)
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_directory_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(FailureError, match="No such file or directory"):
        write(tmp_path / "none" / "results.json", b"")


def test_permissions_are_those_of_any_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write(tmp_path / "file", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


def test_a_link_stays_one_and_what_it_names_is_written(tmp_path: Path) -> None:
    file, link = tmp_path / "results.json", tmp_path / "link.json"
    link.symlink_to(file)
    write(link, b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write(pipe, b"new")
    assert os.read(reader, 100) == b"new"
    os.close(reader)
    assert pipe.is_fifo()


def test_a_full_device_is_a_failure_and_stays_a_device(tmp_path: Path) -> None:
    device = tmp_path / "full"
    device.symlink_to("/dev/full")
    with pytest.raises(FailureError, match=r"cannot write .*full: No space left"):
        write(device, b"new")
    assert device.is_char_device()
