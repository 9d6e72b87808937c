from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlull import locate
from windlull.errors import BadInputError
from windlull.runner import bundle, plans
from windlull.runner.bundle import Bundle, unpacked
from windlull.runner.workplace import workplace

if TYPE_CHECKING:
    from pathlib import Path


def test_a_bundle_makes_the_same_plan_elsewhere() -> None:
    planned = plans.plan("first-look", profiles=[locate.profiles()])
    made = Bundle.of(planned)
    with unpacked(made) as root:
        assert plans.plan(made.experiment, profiles=[root], confined=True) == planned
    assert not root.exists()


def test_a_bundle_is_written_in_one_way() -> None:
    one = Bundle("x", {"b": "2", "a": "é\r\n"})
    other = Bundle("x", {"a": "é\r\n", "b": "2"})
    assert one.json() == other.json()
    assert one.sha256 == other.sha256
    assert Bundle.read(one.json()) == one


@given(st.text(), st.dictionaries(st.text(min_size=1), st.text()))
def test_what_is_read_was_written(experiment: str, files: dict[str, str]) -> None:
    try:
        octets = json.dumps({"experiment": experiment, "files": files}).encode()
        made = Bundle.read(octets)
    except BadInputError:
        return
    assert Bundle.read(made.json()) == made
    with unpacked(made) as root:
        assert {file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file()} == set(files)


@pytest.mark.parametrize(
    "path",
    ["", ".", "..", "/etc/passwd", "../x", "a/../b", "a//b", "a/", "./a", "a/./b", "a\\b", "a\nb", "a\0b", "~\ud800"],
)
def test_a_path_stays_inside(path: str) -> None:
    with pytest.raises(BadInputError):
        Bundle("x", {path: ""})


@pytest.mark.parametrize("files", [{"a": "", "a/b": ""}, {"x" * 300: ""}])
def test_files_that_no_directory_can_have(files: dict[str, str]) -> None:
    with pytest.raises(BadInputError):
        Bundle("x", files)


def test_a_bundle_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInputError, match="files"):
        Bundle("x", {f"f{nth}": "" for nth in range(10_001)})
    monkeypatch.setattr(bundle, "LIMIT_BYTES", 10)
    assert Bundle("x", {"a": "123456789"}).files
    with pytest.raises(BadInputError, match="11 octets"):
        Bundle("x", {"a": "1234567890"})


@pytest.mark.parametrize(
    "octets", [b"", b"[]", b"{}", b'{"experiment":"x"}', b'{"experiment":"x","files":[]}', b"\xff"]
)
def test_what_is_no_bundle(octets: bytes) -> None:
    with pytest.raises(BadInputError, match="not a bundle"):
        Bundle.read(octets)


def test_an_abandoned_workplace_goes_and_one_in_use_stays(tmp_path: Path) -> None:
    abandoned = tmp_path / "windlull-work-of-one-that-was-killed"
    abandoned.mkdir()
    (abandoned / "file").touch()
    with workplace(tmp_path) as first:
        assert not abandoned.exists()
        (first / "file").touch()
        with workplace(tmp_path) as second:
            assert first != second
            assert (first / "file").exists()
        assert not second.exists()
    assert list(tmp_path.iterdir()) == []
