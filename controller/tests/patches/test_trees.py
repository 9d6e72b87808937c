"""What of a tree of Linux is built, and against what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.patches.linux import TCP, commit, git, made
from windlull.errors import BadInputError
from windlull.patches.trees import Tree

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    path = made(tmp_path / "linux")
    commit(path, "first")
    return path


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """A directory with the kernel `stock`."""
    directory = tmp_path / "kernels"
    (directory / "stock").mkdir(parents=True)
    (directory / "stock" / "linux").touch()
    return directory


def test_a_tree_without_a_change_is_its_commit_and_meets_stock(tree: Path, kernels: Path) -> None:
    head = git(tree, "rev-parse", "HEAD")
    found = Tree.at(tree)
    assert found.standing().commit == head
    assert found.standing().name == f"g{head[:12]}"
    assert "first" in found.standing().words
    assert found.base(None, kernels).name == "stock"
    assert found.base(None, kernels).built


def test_a_changed_tree_meets_its_own_head(tree: Path, kernels: Path) -> None:
    (tree / TCP).write_text("changed\n", encoding="utf-8")
    found = Tree.at(tree)
    standing, base = found.standing(), found.base(None, kernels)
    assert standing.commit is None
    assert base.commit == git(tree, "rev-parse", "HEAD")
    assert standing.name.startswith(base.name)
    assert standing.name != base.name


def test_every_change_is_another_kernel(tree: Path) -> None:
    names = [Tree.at(tree).standing().name]
    for file, text in ((TCP, "one\n"), (TCP, "two\n"), ("net/ipv4/new.c", "three\n"), ("net/ipv4/new.c", "four\n")):
        (tree / file).write_text(text, encoding="utf-8")
        names.append(Tree.at(tree).standing().name)
    assert len(set(names)) == len(names)
    assert names[-1] == Tree.at(tree).standing().name
    # What git ignores is no change: what was built in the tree lies there.
    (tree / ".git" / "info" / "exclude").write_text("*.o\n", encoding="utf-8")
    (tree / "net" / "tcp.o").write_text("built\n", encoding="utf-8")
    assert names[-1] == Tree.at(tree).standing().name


def test_a_base_is_a_kernel_or_a_commit(tree: Path, kernels: Path) -> None:
    first = git(tree, "rev-parse", "HEAD")
    commit(tree, "second")
    found = Tree.at(tree)
    assert found.base("HEAD~1", kernels).commit == first
    assert found.base("stock", kernels).built
    with pytest.raises(BadInputError, match="--base nothing: no kernel and no commit"):
        found.base("nothing", kernels)
    # Not an option of git's.
    with pytest.raises(BadInputError, match="--base --all"):
        found.base("--all", kernels)


def test_what_is_no_tree_is_refused(tmp_path: Path, kernels: Path) -> None:
    with pytest.raises(BadInputError, match="no tree of Linux; it has no Makefile"):
        Tree.at(tmp_path)
    without_git = Tree.at(made(tmp_path / "plain"))
    assert without_git.standing().commit is None
    assert without_git.base(None, kernels).name == "stock"
    with pytest.raises(BadInputError, match="no kernel and no commit"):
        without_git.base("HEAD", kernels)


def test_without_stock_the_default_says_what_makes_it(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="windlull kernel build"):
        Tree.at(tree).base(None, tmp_path / "nowhere")
