"""What the engine thinks of documents as they would be: the user's files with one changed, added or gone.

The engine sees a temporary profiles directory beside the shipped one, and no file outside the two. A name becomes a
path there only if it has the form of a document's name.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
from sqlalchemy import select
from sqlalchemy.orm import Session

from windlull import locate
from windlull.api import usage
from windlull.api.context import current
from windlull.contract.engine import Problem
from windlull.runner import plans
from windlull.runner.problems import InvalidFilesError
from windlull.store import documents
from windlull.store.tables import Document


@dataclass(frozen=True, slots=True)
class Proposal:
    """Documents as they would be, in a directory of their own."""

    root: Path
    texts: dict[tuple[str, str], str]

    @property
    def profiles(self) -> tuple[Path, Path]:
        """The directories in which the engine is to look."""
        return locate.profiles(), self.root

    def path(self, kind: str, name: str) -> Path:
        """Return the file of a document."""
        return self.root / documents.FOLDERS[kind] / f"{name}.toml"

    def problems(self, kind: str, name: str) -> Sequence[Problem]:
        """Return what is wrong with a document and all it names; nothing, if nothing is."""
        try:
            plans.check(self.path(kind, name), profiles=self.profiles, confined=True)
        except InvalidFilesError as error:
            return [self.for_client(problem) for problem in error.problems]
        return []

    def for_client(self, problem: Problem) -> Problem:
        """Return the problem with its file as a client knows it: `links/mine.toml`."""
        file = problem.file
        for root in self.profiles:
            if file is not None and file.startswith(f"{root}/"):
                file = file.removeprefix(f"{root}/")
        message = problem.message.replace(f"{self.root}/", "").replace(f"{locate.profiles()}/", "")
        return msgspec.structs.replace(problem, message=message, file=file)

    def broken_by(self, kind: str, name: str) -> dict[tuple[str, str], Sequence[Problem]]:
        """Return the other documents that build on this one and would be wrong, each with what would be wrong with it.

        As an experiment whose workload names a variant: of that the engine asks when it reads the experiment.
        """
        # Who names it has its name in the text, be it as a path; whether that is what it means, the engine says.
        direct = {other for other, text in self.texts.items() if other != (kind, name) and name in text}
        names = {other: usage.named(other[0], text) for other, text in self.texts.items()}
        above, reached = direct, set(direct)
        while above:
            above = {other for other, of in names.items() if of & above} - reached - {(kind, name)}
            reached |= above
        # Those that name it go first: what is wrong for its sake, they say best.
        asked = sorted(reached, key=lambda other: (other not in direct, other))
        return {other: problems for other in asked if (problems := self.problems(*other))}


@contextmanager
def proposed(session: Session, changes: dict[tuple[str, str], str | None]) -> Iterator[Proposal]:
    """Lay the user's documents out with these changes, by kind and name; None takes one away.

    Raises DiskFullError or FailureError if they cannot be written.
    """
    texts = {(row.kind, row.name): row.toml for row in session.scalars(select(Document))}
    for which, text in changes.items():
        if text is None:
            texts.pop(which, None)
        else:
            texts[which] = text
    with documents.laid_out(texts, changes, current().home.cache) as directory:
        yield Proposal(directory, texts)


_UNNAMED = "untitled"


def free_name(kind: str) -> str:
    """Return a name that no document has, in the folder of its kind: for a text that nobody has named yet."""
    context = current()
    with context.database.reader() as session:
        roots = context.profiles(session)
    folder = documents.FOLDERS[kind]
    name = _UNNAMED
    while any((root / folder / f"{name}.toml").exists() for root in roots):
        name += "-"
    return name
