"""What lets clients in: the token of a data directory, and codes of one login."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from windlull.errors import BadInputError
from windlull.store import access
from windlull.store.access import LOGIN_S, Logins

if TYPE_CHECKING:
    from pathlib import Path


def test_a_token_is_read_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("0123456789abcdef\n", encoding="ascii")
    assert access.read_token(tmp_path / "token") == "0123456789abcdef"


@pytest.mark.parametrize("text", ["", "short\n", "0123456789 abcdef", "0123456789abcdef\nmore than a line", "é" * 20])
def test_what_is_no_token_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "token").write_text(text, encoding="utf-8")
    with pytest.raises(BadInputError, match="token"):
        access.read_token(tmp_path / "token")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="No such file"):
        access.read_token(tmp_path / "token")


def test_a_data_directory_has_one_token_that_only_its_owner_reads(tmp_path: Path) -> None:
    token = access.own_token(tmp_path)
    assert len(token) == 64
    assert (tmp_path / "token").stat().st_mode & 0o777 == 0o600
    assert access.own_token(tmp_path) == token
    (tmp_path / "other").mkdir()
    assert access.own_token(tmp_path / "other") != token
    assert sorted(file.name for file in tmp_path.iterdir()) == ["other", "token"]


def test_a_code_is_good_once_and_for_a_short_time(tmp_path: Path) -> None:
    logins = Logins(tmp_path)
    code = logins.issue(1000.0)
    assert not logins.spend("x", 1000.0)
    assert not logins.spend("../token", 1000.0)
    assert Logins(tmp_path).spend(code, 1000.0 + LOGIN_S - 1), "whichever process it comes to"
    assert not logins.spend(code, 1000.0)
    assert not logins.spend(logins.issue(1000.0), 1000.0 + LOGIN_S)


def test_a_code_does_not_lie_in_the_directory(tmp_path: Path) -> None:
    code = Logins(tmp_path).issue(1000.0)
    (file,) = (tmp_path / "login").iterdir()
    assert code not in file.name + file.read_text(encoding="ascii")


def test_a_new_code_ends_the_one_before(tmp_path: Path) -> None:
    logins = Logins(tmp_path)
    first, second = logins.issue(1000.0), logins.issue(1000.0)
    assert not logins.spend(first, 1001.0)
    assert logins.spend(second, 1001.0)


def test_of_many_who_come_at_once_one_gets_in(tmp_path: Path) -> None:
    logins = Logins(tmp_path)
    with ThreadPoolExecutor(8) as threads:
        for _ in range(50):
            code = logins.issue(1000.0)
            assert sum(threads.map(lambda _, code=code: logins.spend(code, 1001.0), range(8))) == 1
