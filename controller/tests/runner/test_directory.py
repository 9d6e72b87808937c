from __future__ import annotations

from pathlib import Path

import pytest

from windlull.errors import BadInputError, FailureError
from windlull.runner.directory import OutputDirectory, default_directory


def ours(path: Path) -> Path:
    (path / "runs" / "sack" / "001").mkdir(parents=True)
    (path / "runs" / "sack" / "001" / "run.json").write_text("old", encoding="utf-8")
    for name in ("experiment.json", "results.json", "report.html"):
        (path / name).write_text("old", encoding="utf-8")
    return path


def contents(path: Path) -> dict[str, str]:
    return {
        file.relative_to(path).as_posix(): file.read_text(encoding="utf-8")
        for file in path.rglob("*")
        if file.is_file()
    }


@pytest.mark.parametrize(
    ("experiment", "directory"),
    [
        ("papers/sarolahti2003/table-1", "out/papers-sarolahti2003-table-1"),
        ("mine.toml", "out/mine"),
        ("somewhere/else/mine.toml", "out/mine"),
        ("profiles/experiments/papers/table-1.toml", "out/papers-table-1"),
        ("/", "out/experiment"),
    ],
)
def test_the_default_directory_has_the_name_of_the_experiment(experiment: str, directory: str, tmp_path: Path) -> None:
    assert default_directory(experiment, tmp_path / "profiles", tmp_path) == tmp_path / directory


def test_a_directory_of_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(BadInputError, match=r"has files but no experiment\.json"):
        OutputDirectory(tmp_path)


def test_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInputError, match="is a file; give a directory"):
        OutputDirectory(tmp_path / "file")


def test_a_new_or_empty_directory_is_taken_and_not_touched(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "new"):
        with OutputDirectory(path).replacing():
            pass
    assert list(tmp_path.iterdir()) == []


def test_what_is_refused_leaves_the_old_as_it_was(tmp_path: Path) -> None:
    before = contents(ours(tmp_path))
    with OutputDirectory(tmp_path).replacing():
        assert not (tmp_path / "runs").exists()
    assert contents(tmp_path) == before
    assert not (tmp_path / ".replaced").exists()


def test_an_error_leaves_the_old_as_it_was(tmp_path: Path) -> None:
    before = contents(ours(tmp_path))
    with pytest.raises(ZeroDivisionError), OutputDirectory(tmp_path).replacing():
        raise ZeroDivisionError
    assert contents(tmp_path) == before


def test_once_the_new_is_certain_the_old_is_gone_and_other_files_stay(tmp_path: Path) -> None:
    ours(tmp_path)
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    out = OutputDirectory(tmp_path)
    with out.replacing():
        out.discard_old()
        (tmp_path / "experiment.json").write_text("new", encoding="utf-8")
    assert contents(tmp_path) == {"experiment.json": "new", "notes.txt": "mine"}


def test_a_replacement_that_was_killed_is_undone_first(tmp_path: Path) -> None:
    before = contents(ours(tmp_path))
    killed = OutputDirectory(tmp_path)
    killed._set_aside()
    assert contents(tmp_path) != before
    with OutputDirectory(tmp_path).replacing():
        pass
    assert contents(tmp_path) == before


def test_a_directory_that_cannot_be_looked_into_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(_path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", denied)
    with pytest.raises(FailureError, match="Permission denied"):
        OutputDirectory(tmp_path)
