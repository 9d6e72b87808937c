"""How the batch of a round is judged: by the rules of `windlull gate`, against what the schedule says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from windlull.batches import outcomes
from windlull.batches.contests import alike, between, what_is_missing
from windlull.batches.outcomes import Outcomes, UnreadableError
from windlull.errors import BadInputError
from windlull.reports.verdicts import allowed, in_a_sentence, measured, subject, wants
from windlull.runner.setting import differing, setting
from windlull.stats.gate import gate
from windlull.stats.matches import Match, matches, on_copies
from windlull.stats.rules import parse
from windlull.store.tables import Batch

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from windlull.schedules.asked import GateAsked
    from windlull.stats.gate import Check
    from windlull.store.blobs import Blobs

Verdict = Literal["pass", "fail", "inconclusive", "unjudged"]


class CheckLine(msgspec.Struct, frozen=True):
    """A check of a gate in words, as `windlull gate` prints it."""

    status: Literal["pass", "fail", "inconclusive"]
    rule: str
    subject: str
    measured: str
    why: str


class Judged(msgspec.Struct, frozen=True):
    """What a gate says of a batch.

    `verdict` is None where there is nothing to compare it with yet; `unjudged` where it cannot be compared, as `words`
    says. `baseline` is the batch that it was compared with; None for its own variants.
    """

    verdict: Verdict | None
    words: str
    baseline: int | None = None
    checks: tuple[CheckLine, ...] = ()
    notes: tuple[str, ...] = ()


class _CannotBeJudgedError(BadInputError):
    """Why a batch cannot be judged."""


def judge(session: Session, blobs: Blobs, asked: GateAsked, batch_id: int, before: int | None) -> Judged:
    """Judge a batch that has ended; `before` is the schedule's batch before it that did not fail."""
    baseline = {"variants": None, "previous": before, "batch": asked.batch}[asked.against]
    if asked.against == "previous" and before is None:
        return Judged(None, "No batch before it to compare it with: the next one is compared with this one.")
    try:
        of = [_read(session, blobs, number) for number in (baseline, batch_id) if number is not None]
        against = _within(of[-1]) if baseline is None else _of_two(of[0], of[-1])
        rules = [parse(rule) for rule in asked.fail_if]
        whole = all(one.counted == one.plan.runs for one in of)
        found = gate(against, rules, alpha=asked.alpha, whole=whole)
    except (UnreadableError, _CannotBeJudgedError, ValueError) as error:
        return Judged("unjudged", f"The gate cannot be judged: {error}.", baseline)
    notes = [*(note for one in of for note in what_is_missing(one)), *on_copies(against)]
    return Judged(found.status, in_a_sentence(found), baseline, tuple(map(_line, found.checks)), tuple(notes))


def _read(session: Session, blobs: Blobs, number: int) -> Outcomes:
    batch = session.get(Batch, number)
    if batch is None:
        raise _CannotBeJudgedError(f"batch {number} was deleted")
    try:
        with blobs.open(batch.plan) as source:
            resolved = source.read()
    except FileNotFoundError as error:
        raise _CannotBeJudgedError(f"a file of batch {number} is no longer on the disk") from error
    return outcomes.of(session, batch, resolved)


def _within(one: Outcomes) -> list[Match]:
    variants = [variant.name for variant in one.experiment.variants]
    if len(variants) < 2:
        raise _CannotBeJudgedError(f"batch {one.batch.id} has one variant; a comparison needs two")
    found = matches(one.cells(), variants, setting(one.plan.experiment))
    if not found:
        raise _CannotBeJudgedError(f"no link has finished runs of {variants[0]} and of another variant")
    return found


def _of_two(old: Outcomes, new: Outcomes) -> list[Match]:
    if (what := differing(old.conditions, new.conditions)) is not None:
        raise _CannotBeJudgedError(f"{what} is not the same in batches {old.batch.id} and {new.batch.id}")
    found: list[Match] = []
    for variant in old.experiment.variants:
        left, right = ([cell for cell in one.cells() if cell.variant == variant.name] for one in (old, new))
        names = (f"{variant.name} of batch {old.batch.id}", f"{variant.name} of batch {new.batch.id}")
        found += between(old, new, alike(left, right), names)[0]
    if not found:
        raise _CannotBeJudgedError(f"batches {old.batch.id} and {new.batch.id} have no variant with runs on one link")
    return found


def _line(check: Check) -> CheckLine:
    why = "; ".join(part for part in (check.why, allowed(check), wants(check)) if part)
    return CheckLine(check.status, check.rule, subject(check), measured(check), why)
