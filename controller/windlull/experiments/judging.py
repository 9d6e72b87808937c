"""What runs say of a question: verdicts of a comparison, and of a gate, as text, table and page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

import pyarrow as pa

from windlull.errors import BadInputError, nearest
from windlull.experiments.frames import frame_of
from windlull.metrics import BY_ANY_NAME, METRICS, in_order
from windlull.reports import terminal, verdict_files, verdicts
from windlull.stats.compare import CONFIDENCE, MARGIN, POWER, compare
from windlull.stats.gate import gate
from windlull.stats.looks import Look, looks
from windlull.stats.quantities import ALPHA
from windlull.stats.rules import Rule, RuleError, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pandas as pd
    from rich.console import Console

    from windlull.experiments.sides import Contest, Contests
    from windlull.reports.verdicts import About
    from windlull.stats.compare import Comparison, Finding
    from windlull.stats.gate import Check, Gate, Status


class Comparing(TypedDict, total=False):
    """How sides are compared; `windlull compare` has the same options, and says what is meant if one is left out.

    `metrics` are names, all of them for `all`. `margin` is the difference that counts as none, `confidence` that of the
    intervals and of all verdicts together, `power` the probability with which suggested numbers of runs decide: shares,
    as 0.01, 0.95 and 0.9.
    """

    metrics: str | Iterable[str] | None
    margin: float
    confidence: float
    power: float


class Gating(TypedDict, total=False):
    """How rules are held; `windlull gate` has the same options.

    `alpha` is the chance that a candidate which keeps all rules fails, `resolution` the distance from a limit that the
    suggested number of runs shows, `power` with which probability.
    """

    alpha: float
    resolution: float | None
    power: float


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Whether each candidate did better than the baseline, metric by metric, with how sure that is.

    `contest` is who met whom. Its `error` is what stopped the runs before all were made, if something did.
    """

    contest: Contest
    comparison: Comparison

    @property
    def about(self) -> About:
        """What is compared, and what somebody who trusts the verdicts should know."""
        return self.contest.about

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Each metric on each link: the verdict, why, the ratio and the difference with their intervals."""
        return self.comparison.findings

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    @property
    def text(self) -> str:
        """What `windlull compare` prints."""
        return terminal.text_of(self.print)

    def print(self, out: Console) -> None:
        """Print them to a console of rich."""
        verdicts.print_comparison(out, self.about, self.comparison)

    def table(self) -> pa.Table:
        """Return a row a finding; ratio and difference are the candidate's to the baseline, with their intervals."""
        rows = [_row(finding) for finding in self.findings]
        return pa.table(
            [pa.array([row[field.name] for row in rows], field.type) for field in _FINDINGS], schema=_FINDINGS
        )

    def frame(self) -> pd.DataFrame:
        """Return the same as a data frame of pandas. Raises FailureError without pandas."""
        return frame_of(self.table())

    def markdown(self) -> str:
        """Return what `--markdown` writes."""
        return verdict_files.comparison_markdown(self.about, self.comparison).decode()

    def json(self) -> bytes:
        """Return what `--json` writes."""
        return verdict_files.comparison_json(self.about, self.comparison)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        counts = Counter(finding.verdict for finding in self.findings)
        said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        return (
            f"<Verdicts on {self.about.candidate} against {self.about.baseline}: {said or 'none'}; print() shows them>"
        )

    def _repr_markdown_(self) -> str:
        return self.markdown()


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """Whether a candidate may pass. `contest` is who met whom, as far as it came."""

    contest: Contest
    gate: Gate

    @property
    def about(self) -> About:
        """What is compared, and what somebody who trusts the verdict should know."""
        return self.contest.about

    @property
    def status(self) -> Status:
        """`pass`, `fail`, or `inconclusive`: the runs show neither."""
        return self.gate.status

    @property
    def passed(self) -> bool:
        """Whether the runs show that no rule is broken."""
        return self.status == "pass"

    @property
    def failed(self) -> bool:
        """Whether the runs show that a rule is broken."""
        return self.status == "fail"

    @property
    def checks(self) -> tuple[Check, ...]:
        """Each rule for each candidate on each link."""
        return self.gate.checks

    @property
    def headline(self) -> str:
        """The verdict in a sentence: the rules that it is of, and what decided."""
        return verdicts.in_a_sentence(self.gate)

    @property
    def text(self) -> str:
        """What `windlull gate` prints."""
        return terminal.text_of(self.print, terminal.WIDTH)

    def print(self, out: Console) -> None:
        """Print it to a console of rich."""
        verdicts.print_gate(out, self.about, self.gate)

    def markdown(self) -> str:
        """Return what `--markdown` writes."""
        return verdict_files.gate_markdown(self.about, self.gate).decode()

    def json(self) -> bytes:
        """Return what `--json` writes."""
        return verdict_files.gate_json(self.about, self.gate)

    def junit(self, *, strict: bool = False) -> bytes:
        """Return what `--junit` writes; with `strict`, what is inconclusive is a failure."""
        return verdict_files.gate_junit(self.about, self.gate, strict=strict)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<GateVerdict {self.status}: {self.headline} print() shows all>"

    def _repr_markdown_(self) -> str:
        return self.markdown()


def metrics_of(named: str | Iterable[str] | None) -> list[str] | None:
    """Return the metrics that are named, `elapsed,goodput` or one by one, in the order of METRICS; None: the usual.

    Raises BadInputError if there is no such metric.
    """
    if named is None:
        return None
    names = named.split(",") if isinstance(named, str) else list(named)
    if [name.strip() for name in names] == ["all"]:
        return list(METRICS)
    found = set()
    for name in (part.strip() for part in names):
        if name not in BY_ANY_NAME:
            near = nearest(name, BY_ANY_NAME)
            hint = f"do you mean {near}?" if near else f"there are {', '.join(METRICS)}"
            raise BadInputError(f"there is no metric {name}; {hint}")
        found.add(BY_ANY_NAME[name].name)
    return in_order(found)


def rules_of(texts: str | Iterable[str]) -> list[Rule]:
    """Return rules as `elapsed.median > 1.05 * baseline`, one or several. Raises BadInputError."""
    try:
        rules = [parse(rule) for rule in ([texts] if isinstance(texts, str) else texts)]
    except RuleError as error:
        raise BadInputError(str(error)) from error
    if not rules:
        raise BadInputError("give a rule, as elapsed.median > 1.05 * baseline")
    return rules


def compared(
    contests: Contests,
    *,
    metrics: str | Iterable[str] | None = None,
    margin: float = MARGIN,
    confidence: float = CONFIDENCE,
    power: float = POWER,
) -> Verdicts:
    """Have a contest, and compare its sides.

    Raises KeyboardInterrupt if its runs were interrupted, BadInputError for a metric that there is not, or a share that
    is out of its range.
    """
    chosen = metrics_of(metrics)
    contest = contests.contest()
    try:
        comparison = compare(contest.matches, metrics=chosen, margin=margin, confidence=confidence, power=power)
    except ValueError as error:
        raise BadInputError(str(error)) from error
    return Verdicts(contest, comparison)


def gated(
    contests: Contests,
    rules: Sequence[Rule],
    *,
    alpha: float = ALPHA,
    resolution: float | None = None,
    power: float = POWER,
    most: int | None = None,
) -> GateVerdict:
    """Have contests until one decides, one alone without a `most` of repetitions, and hold it against the rules.

    Raises KeyboardInterrupt if its runs were interrupted, BadInputError if more repetitions cannot be asked for or a
    share is out of its range.
    """
    planned = _planned(contests, alpha, most)
    found: GateVerdict | None = None
    for place, look in enumerate(planned, 1):
        contest = contests.contest(look.runs if look else None)
        try:
            verdict = gate(
                contest.matches, rules, alpha=look.alpha if look else alpha, resolution=resolution,
                power=power, whole=contest.whole,
            )  # fmt: skip
        except ValueError as error:
            raise BadInputError(str(error)) from error
        if look and (verdict.status != "inconclusive" or look is planned[-1]):
            contest = contest.noted(
                f"look {place} of at most {len(planned)}, with {look.runs} of at most {most} repetitions; of the "
                f"{100 * alpha:g} % of error allowed this look may cost {100 * look.alpha:.2g} %"
            )
        found = GateVerdict(contest, verdict)
        if verdict.status != "inconclusive" or contest.error:
            break
    assert found is not None  # noqa: S101 - there is a first look
    return found


def _planned(contests: Contests, alpha: float, most: int | None) -> list[Look] | list[None]:
    """Return the looks that there may be, or one that is no look. Raises BadInputError if there cannot be several."""
    if most is None:
        return [None]
    first = contests.repetitions
    asked = f"up to {most} repetitions until it is decided"
    if first is None:
        raise BadInputError(f"{asked}: these results are finished; nothing is run")
    if contests.live:
        raise BadInputError(f"{asked}: live runs that are made again are other runs; it goes with simulated ones")
    if most < first:
        raise BadInputError(f"{asked}: the first {first} repetitions are more; begin with fewer")
    return [*looks(first, most, alpha)]


_NUMBERS = (
    "baseline_median", "candidate_median", "ratio", "ratio_low", "ratio_high", "difference", "difference_low",
    "difference_high", "effect", "p",
)  # fmt: skip
_COLUMNS: tuple[pa.Field[Any], ...] = (
    *(pa.field(name, pa.string()) for name in ("link", "testbed", "baseline", "candidate", "metric")),
    pa.field("paired", pa.bool_()),
    pa.field("runs", pa.int64()),
    *(pa.field(name, pa.float64()) for name in _NUMBERS),
    *(pa.field(name, pa.string()) for name in ("verdict", "why")),
    pa.field("runs_to_decide", pa.int64()),
)
_FINDINGS = pa.schema(_COLUMNS)


def _row(one: Finding) -> dict[str, Any]:
    """Return a finding as the table has it; `p` is after Holm, `runs_to_decide` if it is as large as it looks."""
    baseline, candidate = one.medians or (None, None)
    row = {name: getattr(one, name) for name in _FINDINGS.names if hasattr(one, name)}
    row |= {"baseline_median": baseline, "candidate_median": candidate, "p": verdicts.deciding_p(one)}
    for name, estimate in (("ratio", one.ratio), ("difference", one.difference)):
        row |= {
            name: estimate and estimate.value,
            f"{name}_low": estimate and estimate.low,
            f"{name}_high": estimate and estimate.high,
        }
    seen = one.needed.seen if one.needed else None
    return row | {"runs_to_decide": seen.runs if seen else None}
