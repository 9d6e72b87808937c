"""A search goes on with a larger budget: with what it had tried, where nothing else differs.

What it tries first is the same, whatever the budget: links are proposed sixteen at a time, and how many of them are
drawn at random follows from the budget with which it began, which its plan keeps. What had shrunk and confirmed the
findings of the smaller budget is tried anew, as other links may be worse now.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from windlull.errors import FailureError
from windlull.reports import files
from windlull.search.journal import lines_up_to
from windlull.search.layout import FOUND, PICTURE, RESULT, TRIALS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

BUDGET, FIRST = "budget", "first_budget"


def extension(out: Path, plan: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Mapping[str, Any] | None]:
    """Return what makes of an earlier plan in a directory this one with its beginning; None where more differs.

    What the directory has of the smaller budget's findings goes.
    """

    def extended(earlier: Mapping[str, Any]) -> Mapping[str, Any] | None:
        before = earlier.get(BUDGET)
        if _but_budgets(earlier) != _but_budgets(plan) or not isinstance(before, int) or before > plan[BUDGET]:
            return None
        if before < plan[BUDGET]:
            _forget_findings(out, before)
        return {**plan, FIRST: earlier.get(FIRST, before)}

    return extended


def first_budget(plan: Mapping[str, Any]) -> int:
    """Return the budget with which a search began."""
    return int(plan.get(FIRST, plan[BUDGET]))


def _but_budgets(plan: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in plan.items() if key not in {BUDGET, FIRST}}


def _forget_findings(out: Path, budget: int) -> None:
    """Keep of the trials those of the budget, and remove the results. Raises FailureError."""
    try:
        for name in (RESULT, PICTURE):
            (out / name).unlink(missing_ok=True)
        shutil.rmtree(out / FOUND, ignore_errors=True)
        trials = out / TRIALS
        if trials.exists():
            files.write(trials, lines_up_to(trials.read_bytes(), budget, trials))
    except OSError as error:
        raise FailureError(f"cannot write {out}: {error.strerror}") from error
