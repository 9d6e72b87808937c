from __future__ import annotations

import contextlib
import io
import zipfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windlull.capsule import archive
from windlull.capsule.archive import Archive, ArchiveError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = st.from_regex(r"[a-z][a-z0-9.-]{0,8}[a-z0-9](/[a-z0-9]{1,8})?", fullmatch=True)


def written(members: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    archive.write(target, ((name, io.BytesIO(content)) for name, content in sorted(members.items())))
    return target.getvalue()


@settings(deadline=None, max_examples=50)
@given(st.dictionaries(NAMES, st.binary(max_size=300), min_size=1, max_size=6))
def test_what_was_written_is_read_also_by_others(members: dict[str, bytes]) -> None:
    text = written(members)
    assert text == written(members)
    one = Archive(io.BytesIO(text))
    assert {name: one.read(name) for name in one.names} == members
    assert {name: one.size(name) for name in one.names} == {name: len(content) for name, content in members.items()}
    with zipfile.ZipFile(io.BytesIO(text)) as other:
        assert other.testzip() is None
        assert {name: other.read(name) for name in other.namelist()} == members


def test_a_large_member_comes_in_pieces() -> None:
    content = bytes(1000) * 5000
    pieces = list(Archive(io.BytesIO(written({"a": content}))).pieces("a"))
    assert b"".join(pieces) == content
    assert max(map(len, pieces)) <= 1 << 20


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_a_changed_bit_is_noticed_or_changes_nothing(data: st.DataObject) -> None:
    members = {"a": b"first" * 9, "b/c": b"second"}
    text = bytearray(written(members))
    text[data.draw(st.integers(0, len(text) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    # Deflate fills its last octet with bits that mean nothing.
    with contextlib.suppress(ArchiveError):
        one = Archive(io.BytesIO(bytes(text)))
        assert {name: one.read(name) for name in one.names} == members


SMALL = written({"a": b"x"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "too short"),
        (b"PK\x05\x06" + bytes(18), "0 files"),
        (SMALL + b"x", "not a complete zip file"),
        (b"x" + SMALL, "not a complete zip file"),
        (SMALL[:-1], "not a complete zip file"),
        (written({f"f{place}": b"" for place in range(65)}), "65 files; a capsule has 1 to 64"),
    ],
)
def test_what_is_no_archive_of_ours_is_refused(text: bytes, message: str) -> None:
    with pytest.raises(ArchiveError, match=message):
        Archive(io.BytesIO(text))


def _zip(names: list[str], **options: int) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as out:
        for name in names:
            out.writestr(zipfile.ZipInfo(name), b"x", **options)
    return target.getvalue()


@pytest.mark.parametrize("make", [lambda: _zip(["a"]), lambda: _zip(["../a"]), lambda: _zip(["/etc/passwd"])])
def test_zip_files_of_others_are_refused(make: Callable[[], bytes]) -> None:
    with pytest.raises(ArchiveError, match="entry 1"):
        Archive(io.BytesIO(make()))


@pytest.mark.parametrize("name", ["../a", "/a", "a//b", "A", "a\\b", "a.", "", "a/", "x" * 101, "."])
def test_names_that_lead_elsewhere_are_refused(name: str) -> None:
    with pytest.raises(ArchiveError, match="entry 1"):
        Archive(io.BytesIO(written({name: b"x"})))


def test_a_name_that_comes_twice_is_refused() -> None:
    text = written({"a": b"x", "b": b"x"}).replace(b"b", b"a")
    with pytest.raises(ArchiveError, match="comes twice"):
        Archive(io.BytesIO(text))
    with pytest.raises(ValueError, match="a after a"):
        archive.write(io.BytesIO(), [("a", io.BytesIO()), ("a", io.BytesIO())])


def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    text = written({"a": bytes(600_000), "b": bytes(600_000)})
    assert len(text) < 2000
    monkeypatch.setattr(archive, "UNPACKED_LIMIT_BYTES", 1_000_000)
    with pytest.raises(ArchiveError, match="more than 1000000 octets unpacked"):
        Archive(io.BytesIO(text))
    with pytest.raises(ArchiveError, match="more than 1000000 octets together"):
        written({"a": bytes(600_000), "b": bytes(600_000)})
    monkeypatch.undo()
    with pytest.raises(ArchiveError, match="a: 600000 octets; the limit is 10"):
        Archive(io.BytesIO(text)).read("a", 10)


def test_a_file_that_is_too_large_is_refused_before_anything_of_it_is_read(tmp_path: Path) -> None:
    huge = tmp_path / "huge.zip"
    with huge.open("wb") as stream:
        stream.truncate(archive.PACKED_LIMIT_BYTES + 1)
    with huge.open("rb") as source, pytest.raises(ArchiveError, match="a capsule has at most"):
        Archive(source)


def test_more_members_than_the_directory_may_have_are_refused_before_they_are_read() -> None:
    with pytest.raises(ArchiveError, match="65 files; a capsule has 1 to 64"):
        Archive(io.BytesIO(written({f"a{number}": b"x" for number in range(archive.MOST_MEMBERS + 1)})))


def test_a_member_that_claims_more_than_deflate_can_give_is_refused_before_it_is_unpacked() -> None:
    text = written({"a": bytes(1000)})
    claimed = text.replace((1000).to_bytes(4, "little"), (900 << 20).to_bytes(4, "little"))
    with pytest.raises(ArchiveError, match=r"a: [0-9]+ octets cannot be unpacked to 943718400"):
        Archive(io.BytesIO(claimed))
    # The most that deflate gives is let through.
    assert Archive(io.BytesIO(written({"a": bytes(50 << 20)}))).size("a") == 50 << 20


def test_a_directory_larger_than_its_files_need_is_not_read() -> None:
    text = written({"a": b"x"})
    directory = (46 + len("a")).to_bytes(4, "little")
    at = text.rindex(directory)
    start = int.from_bytes(text[at + 4 : at + 8], "little")
    size = len(text) - 22 - start + (1 << 20)
    end = text[-22:].replace(directory, size.to_bytes(4, "little"))
    with pytest.raises(ArchiveError, match="its directory has 1048623 octets, too many for 1 files"):
        Archive(io.BytesIO(text[:-22] + bytes(1 << 20) + end))
