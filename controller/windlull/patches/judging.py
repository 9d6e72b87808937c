"""Whether a kernel keeps a rule that is held against another one: built, run, and run more often until that shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from windlull.errors import BadInputError, ExitCode
from windlull.patches.scenarios import Kernels, play
from windlull.progress import meter
from windlull.reports.verdicts import measured
from windlull.stats.gate import gate
from windlull.stats.looks import looks

if TYPE_CHECKING:
    from pathlib import Path

    from windlull.patches.bisection import Answer
    from windlull.patches.scenarios import Scenario
    from windlull.patches.trees import Source, Tree
    from windlull.stats.gate import Gate, Status
    from windlull.stats.matches import Match
    from windlull.stats.rules import Rule


_ANSWERS: dict[Status, Answer] = {"fail": "bad", "pass": "good", "inconclusive": "untold"}


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer, and the reason for it in a sentence."""

    answer: Answer
    why: str


@dataclass(frozen=True, slots=True)
class Judge:
    """Holds kernels of `tree` against the kernel `base` by a rule, in scenarios, with `first` to `most` repetitions.

    `alpha` is the chance that a kernel which keeps the rule is called bad, and that one which breaks it is called good.
    Results go to `place`, into a directory for each kernel.
    """

    tree: Tree
    base: Source
    rule: Rule
    scenarios: tuple[Scenario, ...]
    first: int
    most: int
    alpha: float
    place: Path
    jobs: int | None = None

    def judge(self, of: Source) -> Judged:
        """Build a kernel, and the base unless it is `built`, and judge it.

        Most trees that cannot be judged do not compile: that costs no kernel of the base. Raises BadInputError if the
        base does not build, FailureError if something else than the kernels is at fault.
        """
        if self.tree.build(of) != ExitCode.OK:
            return Judged("untold", "it does not build")
        if self.tree.build(self.base) != ExitCode.OK:
            raise BadInputError(f"--good {self.base.words}: it does not build")
        gated = None
        for look in looks(self.first, self.most, self.alpha):
            gated = self._gate(of, look.runs, look.alpha)
            if gated is None:
                return Judged("untold", "runs in it fail")
            if gated.status != "inconclusive":
                break
        assert gated is not None  # noqa: S101 - there is a first look
        return Judged(_ANSWERS[gated.status], _reason(gated))

    def _gate(self, of: Source, repetitions: int, alpha: float) -> Gate | None:
        """Run all scenarios so often; None if runs of the kernel come to nothing."""
        found: list[Match] = []
        with meter() as progress:
            for one in self.scenarios:
                played = play(
                    replace(one, repetitions=repetitions), Kernels(self.base.name, of.name),
                    self.place / of.name / one.name, progress, jobs=self.jobs,
                )  # fmt: skip
                if played.failed:
                    return None
                found += played.matches
        return gate(found, [self.rule], alpha=alpha)


def _reason(of: Gate) -> str:
    """Say what decided: the check that failed, or the one that is closest to it."""
    order = {"fail": 0, "inconclusive": 1, "pass": 2}
    one = min(of.checks, key=lambda check: (order[check.status], check.p_adjusted or 0))
    return f"{one.link}, {one.runs} {'pairs' if one.paired else 'runs'}: {measured(one) or one.why}"
