"""Kernels that were built, and what the builder says of what it cannot build."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.testing import CliRunner

from tests.patches.linux import TCP, commit, git, made
from windlull import kernels, locate
from windlull.commands.kernel import command
from windlull.errors import ExitCode

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def built(directory: Path, name: str, record: str) -> None:
    (directory / name).mkdir(parents=True)
    (directory / name / "linux").touch()
    (directory / name / "record").write_text(record, encoding="utf-8")


def test_what_was_built_is_found_with_its_record(tmp_path: Path) -> None:
    built(tmp_path, "stock", "recipe 1\nsource Debian 6.12.107-1 abc\nrelease 6.12.107\n")
    built(tmp_path, "mine", "source tree /home/me/linux\npatch one.patch 12\npatch two.patch 34\nrelease 6.13.0-rc1\n")
    (tmp_path / "apt").mkdir()
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "linux").touch()
    assert kernels.found(tmp_path) == [
        kernels.Kernel("mine", "6.13.0-rc1", "tree /home/me/linux", ("one.patch", "two.patch")),
        kernels.Kernel("stock", "6.12.107", "Debian 6.12.107-1", ()),
    ]
    assert kernels.found(tmp_path / "nowhere") == []


def test_what_is_missing_is_told_with_what_makes_it(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    assert kernels.lacking(nowhere, ["stock"]) == [
        f'there is no kernel "stock" in {nowhere}; there is none; `windlull kernel build` makes it in some minutes'
    ]
    built(tmp_path, "stock", "release 6.12.107\n")
    assert kernels.lacking(tmp_path, ["stock"]) == []
    [mine] = kernels.lacking(tmp_path, ["mine", "stock", "mine"])
    assert mine.startswith(f'there is no kernel "mine" in {tmp_path}; there is stock; ')
    assert mine.endswith("`windlull kernel build --name mine` with its patch or source makes it")


def test_none_says_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDLULL_KERNELS", str(tmp_path))
    assert "windlull kernel build" in CliRunner().invoke(command, ["list"]).output
    built(tmp_path, "stock", "release 6.12.107\nsource Debian 6.12.107-1 abc\n")
    assert "6.12.107-1" in CliRunner().invoke(command, ["list"]).output


def test_the_builder_refuses_what_it_cannot_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WINDLULL_KERNELS", str(tmp_path / "kernels"))
    assert locate.kernel_builder().exists()
    (tmp_path / "tree").mkdir()
    for arguments, complaint in (
        (["--name", "Upper"], "lower-case letters"),
        (["--name", "tree"], "take another name"),
        (["--source", str(tmp_path / "tree")], "no tree of Linux; it has no Makefile"),
        (["--source", str(tmp_path / "tree"), "--version", "6.12"], "give one"),
    ):
        code = command.main(["build", *arguments], standalone_mode=False)
        assert code == ExitCode.BAD_INPUT
        assert complaint in capfd.readouterr().err


def test_the_builder_takes_a_commit_and_leaves_the_tree_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WINDLULL_KERNELS", str(tmp_path / "kernels"))
    tree = made(tmp_path / "linux")
    arguments = ["build", "--name", "mine", "--source", str(tree), "--ref"]
    assert command.main([*arguments, "HEAD"], standalone_mode=False) == ExitCode.BAD_INPUT
    assert "--source names no tree that git keeps" in capfd.readouterr().err
    commit(tree, "as it was")
    assert command.main([*arguments, "nothing"], standalone_mode=False) == ExitCode.BAD_INPUT
    assert "--ref nothing: there is no such commit" in capfd.readouterr().err

    # What is no Linux is refused when our own patches do not apply, before anything is built.
    (tree / TCP).write_text("work in progress\n", encoding="utf-8")
    (tree / "new.c").write_text("new\n", encoding="utf-8")
    before = (git(tree, "status", "--porcelain"), git(tree, "count-objects"))
    assert command.main(arguments[:-1], standalone_mode=False) == ExitCode.BAD_INPUT
    assert f"does not apply to this source (git {tree})" in capfd.readouterr().err
    assert before == (git(tree, "status", "--porcelain"), git(tree, "count-objects"))
    assert not (tmp_path / "kernels" / "mine").exists()
