"""How far a search is, in lines where standard error is no terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.search.fakes import AIM
from windlull.search.archive import FailureKind
from windlull.search.findings import Step
from windlull.search.progress import meter

if TYPE_CHECKING:
    import pytest

KIND = FailureKind(("hold down",), ("spurious timeouts",))
OTHER = FailureKind(("drop up",), ())


def test_what_is_shrunk_and_confirmed_is_told_as_it_goes(capsys: pytest.CaptureFixture[str]) -> None:
    with meter("holds", 20) as progress:
        progress.tried(16, [3.0], AIM)
        progress.tried(4, [2.0], AIM)
        progress.step(Step(KIND, "chosen"))
        progress.step(Step(KIND, "chosen"))
        for tried in (0, 40, 99, 101, 150):
            progress.step(Step(KIND, "shrunk", tried))
        progress.step(Step(KIND, "confirmed"))
        progress.found(1, "The link pauses.")
        progress.step(Step(OTHER, "shrunk"))
    assert capsys.readouterr().err.splitlines() == [
        "holds: 20 links to try",
        "16 of 20 links tried, worst 3",
        "20 of 20 links tried, worst 3",
        "checking on fresh seeds that it fails: hold down: spurious timeouts",
        "shrinking: hold down: spurious timeouts",
        "shrinking: hold down: spurious timeouts; 101 links tried for it",
        "confirming: hold down: spurious timeouts",
        "1: The link pauses.",
        "shrinking: drop up: no wrong decision counted",
    ]
