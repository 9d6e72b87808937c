"""A plugin of pytest: tests that fail where runs show that something got worse, with the gate's verdict as their text.

    def test_no_slower(windlull):
        windlull.no_slower("my-experiment.toml", than="baseline.json")

`baseline.json` is what `windlull run my-experiment.toml --json baseline.json` wrote before the change.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    from windlull.experiments.experiment import RunAndGate
    from windlull.experiments.judging import GateVerdict


@pytest.fixture
def windlull(request: pytest.FixtureRequest) -> Gates:
    """Gates of Windlull: a test that uses them fails with the verdict of one that fails, and is skipped if undecided.

    Files are looked for beside the test first, then where pytest was started.
    """
    return Gates(request.path.parent)


@dataclass(frozen=True, slots=True)
class Gates:
    """What the fixture gives; `beside` is the directory of the test."""

    beside: Path

    def no_slower(
        self,
        experiment: str | Path,
        *,
        than: str | Path,
        by: float = 0.05,
        strict: bool = False,
        **options: Unpack[RunAndGate],
    ) -> GateVerdict:
        """Fail if runs of the experiment take longer than those of the baseline, by more than a share of the median.

        Else as `gate`.
        """
        # The test's line is what is shown, not one of these.
        __tracebackhide__ = True
        rule = f"elapsed.median > {1 + by:.12g} * baseline"
        return self.gate(experiment, rule, than=than, strict=strict, **options)

    def gate(
        self,
        experiment: str | Path,
        fail_if: str | Iterable[str],
        *variants: str,
        than: str | Path | None = None,
        strict: bool = False,
        **options: Unpack[RunAndGate],
    ) -> GateVerdict:
        """Run the experiment, and fail if the runs show that a rule is broken; return the verdict if it passed.

        With `than`, which is finished results, the experiment is run with their seed and as often, and compared with
        them variant by variant. Without it its own variants are compared, or these; the first is the baseline. The test
        is skipped if the runs do not decide, or fails with `strict`. The options are those of `Experiment.gate`.
        """
        __tracebackhide__ = True
        # pytest loads this file for whatever tests there are, and most need none of these.
        from windlull.errors import WindlullError  # noqa: PLC0415
        from windlull.experiments.experiment import load  # noqa: PLC0415

        verdict, wrong = None, ""
        try:
            baseline = None if than is None else self._found(than)
            loaded = load(self._found(experiment))
            verdict = loaded.gate(fail_if, *variants, than=baseline, **options)
        except WindlullError as error:
            wrong = str(error)
        # Not where it was caught: what the engine says is all that there is to say.
        if verdict is None:
            pytest.fail(wrong, pytrace=False)
        said = f"{verdict.headline}\n\n{verdict.text}"
        if verdict.failed or (strict and not verdict.passed):
            pytest.fail(said, pytrace=False)
        if not verdict.passed:
            pytest.skip(said)
        return verdict

    def _found(self, name: str | Path) -> Path | str:
        """Return a file beside the test, if there is one; else what was given. A variant may stand behind results."""
        here = self.beside / name
        file, colon, _ = str(here).rpartition(":")
        return here if here.exists() or (colon and Path(file).exists()) else name
