from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from windlull import locate
from windlull.errors import ExitCode, FailureError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize(
    ("find", "variable", "remedy"),
    [
        (locate.engine, "WINDLULL_ENGINE", "cargo build --release"),
        (locate.profiles, "WINDLULL_PROFILES", "WINDLULL_PROFILES"),
        (locate.report_page, "WINDLULL_REPORT_PAGE", "npm --prefix web"),
        (locate.two_runs_page, "WINDLULL_TWO_RUNS_PAGE", "npm --prefix web"),
    ],
)
def test_a_variable_goes_first_and_what_is_missing_is_named(
    find: Callable[[], Path], variable: str, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(tmp_path))
    assert find() == tmp_path
    monkeypatch.setenv(variable, str(tmp_path / "none"))
    with pytest.raises(FailureError, match=variable):
        find()
    monkeypatch.delenv(variable)
    monkeypatch.setattr(locate, "_REPOSITORY", tmp_path)
    monkeypatch.setattr(locate, "_PACKAGED", tmp_path)
    with pytest.raises(FailureError, match=remedy) as error:
        find()
    assert error.value.exit_code == ExitCode.FAILURE


def test_what_is_packaged_goes_before_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WINDLULL_ENGINE", raising=False)
    packaged, repository = tmp_path / "packaged", tmp_path / "repository"
    (repository / "target" / "release").mkdir(parents=True)
    (repository / "target" / "release" / "windlull-engine").touch()
    monkeypatch.setattr(locate, "_REPOSITORY", repository)
    monkeypatch.setattr(locate, "_PACKAGED", packaged)
    assert locate.engine() == repository / "target" / "release" / "windlull-engine"
    packaged.mkdir()
    (packaged / "windlull-engine").touch()
    assert locate.engine() == packaged / "windlull-engine"
