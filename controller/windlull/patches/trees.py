"""What of a person's tree of Linux is built: its files as they stand, or a commit; or a kernel that is there already.

Nothing in the tree and in its repository changes: git is only asked.
"""

from __future__ import annotations

import hashlib
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windlull import kernels, locate
from windlull.errors import BadInputError, ExitCode, FailureError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


_AS_IT_IS = "surrogateescape"
"""How octets that are no text pass through git's answers."""


@dataclass(frozen=True, slots=True)
class Source:
    """A kernel to be: its name as in `linux@NAME`, what it is in words, and the commit of the tree.

    `built`: it has been built under that name. Without `commit` it is the tree as it stands.
    """

    name: str
    words: str
    commit: str | None = None
    built: bool = False


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree of Linux at `path`; `head` is its commit, and None if git does not keep it."""

    path: Path
    head: str | None

    @classmethod
    def at(cls, path: Path) -> Tree:
        """Look at a tree. Raises BadInputError if it is none of Linux."""
        path = path.resolve()
        for part in ("Makefile", "arch/um/Makefile", "net/ipv4/tcp_input.c"):
            if not (path / part).is_file():
                raise BadInputError(f"{path}: no tree of Linux; it has no {part}")
        top = _git(path, "rev-parse", "--show-toplevel")
        return cls(path, _git(path, "rev-parse", "--verify", "HEAD^{commit}") if top == str(path) else None)

    def standing(self) -> Source:
        """Return the tree as it stands, with what is in no commit yet; new files count unless git ignores them."""
        if self.head is None:
            digest = hashlib.sha256(str(self.path).encode()).hexdigest()[:12]
            return Source(f"tree-{digest}", f"{self.path} as it stands")
        if (change := self._change()) is None:
            return self.at_commit(self.head)
        return Source(f"{_short(self.head)}-{change}", f"{self.words(self.head)}, and what is changed since")

    def base(self, said: str | None, directory: Path) -> Source:
        """Return what the tree is compared with.

        `said` is a kernel in `directory` or a commit of the tree, in this order. By default it is HEAD if the tree has
        changes that are in no commit, else the kernel `stock`. Raises BadInputError if there is no such thing.
        """
        if said is None:
            if self.head is not None and self._change() is not None:
                return self.at_commit(self.head)
            said = kernels.STOCK
        if (directory / said / "linux").is_file():
            return Source(said, f"the kernel {said}", built=True)
        if said == kernels.STOCK:
            raise BadInputError(kernels.lacking(directory, [said])[0])
        return self.commit(said, "--base")

    def commit(self, ref: str, option: str) -> Source:
        """Return the commit that an option names. Raises BadInputError."""
        found = (
            None
            if self.head is None
            else _git(self.path, "rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}")
        )
        if found is None:
            what = "no kernel and no commit" if option == "--base" else "no commit"
            raise BadInputError(f"{option} {ref}: {what} of {self.path} is called so")
        return self.at_commit(found)

    def at_commit(self, commit: str) -> Source:
        """Return a commit, by its whole name."""
        return Source(_short(commit), self.words(commit), commit)

    def build(self, source: Source) -> ExitCode:
        """Build a kernel unless it has been; what the builder says goes to standard error.

        Returns OK or FAILURE. Raises BadInputError where the builder refuses it.
        """
        if source.built:
            return ExitCode.OK
        options = ["--source", str(self.path), *(["--ref", source.commit] if source.commit else [])]
        code = kernels.build(locate.kernel_builder(), locate.kernels(), source.name, options, says_to=kernels.STDERR)
        if code == ExitCode.BAD_INPUT:
            raise BadInputError(f"{source.words} cannot be built")
        return code

    def words(self, commit: str) -> str:
        """Return a commit's abbreviated name and its subject."""
        return _git(self.path, "show", "--no-patch", "--format=%h (%s)", commit) or commit

    def between(self, good: Sequence[str], bad: str) -> list[str]:
        """Return `bad` and its ancestors that no commit of `good` has, those first that halve them best, `bad` last."""
        listed = _git(self.path, "rev-list", "--bisect-all", bad, "--not", *good)
        if listed is None:
            raise FailureError(f"git cannot list the commits between {good[0]} and {bad}")
        return [line.split()[0] for line in listed.splitlines()]

    def _change(self) -> str | None:
        """Return a name for what is in no commit yet; None if nothing is."""
        changed = _git(self.path, "diff", "HEAD", "--binary", "--no-ext-diff") or ""
        new = [*filter(None, (_git(self.path, "ls-files", "--others", "--exclude-standard", "-z") or "").split("\0"))]
        digest = hashlib.sha256(changed.encode(errors=_AS_IT_IS))
        for name in new:
            file = self.path / name
            digest.update(name.encode(errors=_AS_IT_IS) + b"\0" + (file.read_bytes() if file.is_file() else b""))
        return digest.hexdigest()[:12] if changed or new else None


def _short(commit: str) -> str:
    return f"g{commit[:12]}"


def _git(path: Path, *arguments: str) -> str | None:
    """Return what git answers, without white space at its ends; None if it has no answer."""
    command = ["git", "-C", str(path), *arguments]
    # A list of arguments, no shell; and git is where the person's PATH has it.
    process = subprocess.run(command, capture_output=True, text=True, errors=_AS_IT_IS, check=False)  # noqa: S603
    return process.stdout.strip() if process.returncode == 0 else None
