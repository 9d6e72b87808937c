"""What a reproduction found, on the terminal: every statement with its grade and its numbers, and the counts last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from windlull.papers import by_statement, document
from windlull.papers.grades import GRADES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from windlull.papers.by_statement import Check, Graded, NumberBeside
    from windlull.papers.reproduce import Reproduction

_HOLDS = frozenset({"supported", "shown by one run"})
_WIDTH = max(len(grade) for grade in GRADES)


def print_reproduction(out: Console, reproduction: Reproduction) -> None:
    """Print each statement with its published numbers and ours and what does not hold of it, then the counts."""
    graded = reproduction.graded()
    for paper in dict.fromkeys(one.paper for one in graded):
        out.print(f"\n{paper}", markup=False)
        for one in graded:
            if one.paper == paper:
                _print_statement(out, one)
    _print_own(out, reproduction)
    out.print()
    out.print(_table(graded))
    _print_seeds(out, reproduction)
    experiments = len(reproduction.done)
    out.print(
        f"\n{by_statement.headline(by_statement.counts(graded))}; {len(document.claims(reproduction))} checks in "
        f"{experiments} {'experiment' if experiments == 1 else 'experiments'}",
        soft_wrap=True,
        markup=False,
    )
    out.print(
        "This depends on the seeds (--seeds N shows how grades move), on the number of repetitions, and on what was "
        "assumed where a paper is silent; the report lists the assumptions.",
        soft_wrap=True,
        markup=False,
    )


def _print_statement(out: Console, one: Graded) -> None:
    out.print(f"{one.grade:{_WIDTH}}  {one.text} ({one.place})", soft_wrap=True, markup=False)
    if one.why:
        _print_below(out, f"why: {one.why}")
    for number in one.numbers:
        _print_below(out, _beside(number))
    for check in one.checks:
        if check.grade not in _HOLDS:
            _print_check(out, check)


def _beside(number: NumberBeside) -> str:
    if number.ours is None:
        return f"published {number.printed}; ours: none"
    least = "at least " if number.at_least else ""
    sure = f" ({least}95 % interval {number.interval[0]:.3g} to {number.interval[1]:.3g})" if number.interval else ""
    apart = f", {100 * number.distance:+.0f} %" if number.distance is not None else ""
    return f"published {number.printed}: {number.published:.3g}; ours {number.ours:.3g}{sure}{apart}"


def _print_check(out: Console, check: Check) -> None:
    name = check.experiment.removeprefix("papers/")
    _print_below(out, f"{check.grade or 'not run'}: {name} {check.id}: {check.text}")
    for what, said in (("criterion", check.criterion), ("measured", check.measured), ("note", check.note)):
        if said:
            _print_below(out, f"  {what + ':':11}{said}")


def _print_below(out: Console, text: str) -> None:
    out.print(f"{'':{_WIDTH}}  {text}", soft_wrap=True, markup=False)


def _print_own(out: Console, reproduction: Reproduction) -> None:
    additions = reproduction.own_additions()
    if additions:
        out.print("\nOur own additions, which no paper states and the grades leave out", markup=False)
    for one in additions:
        name = one.check.experiment.removeprefix("papers/")
        out.print(
            f"{one.check.grade or 'not run':{_WIDTH}}  {name} {one.check.id}: {one.check.text}",
            soft_wrap=True,
            markup=False,
        )


def _table(graded: Sequence[Graded]) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False)
    table.add_column("paper")
    for grade in GRADES:
        table.add_column(grade, justify="right")
    papers = list(dict.fromkeys(one.paper for one in graded))
    for paper in papers:
        counted = by_statement.counts(one for one in graded if one.paper == paper)
        table.add_row(paper, *(str(counted[grade]) for grade in GRADES))
    if len(papers) > 1:
        counted = by_statement.counts(graded)
        table.add_row("all", *(str(counted[grade]) for grade in GRADES))
    return table


def _print_seeds(out: Console, reproduction: Reproduction) -> None:
    """Print the counts by master seed, and the statements whose grade moves, if there was more than one."""
    if not reproduction.further:
        return
    table = Table(box=None, pad_edge=False, show_edge=False)
    table.add_column("master seed")
    for grade in GRADES:
        table.add_column(grade, justify="right")
    for further, graded in enumerate(reproduction.graded_by_seed()):
        counted = by_statement.counts(graded)
        table.add_row(f"own + {further}" if further else "own", *(str(counted[grade]) for grade in GRADES))
    out.print()
    out.print(table)
    graded = reproduction.graded()
    moving = [one for one in graded if len(set(one.by_seed)) > 1]
    out.print(f"\nThe grade of {len(moving)} of {len(graded)} statements moves with the seed", markup=False)
    for one in moving:
        grades = ", ".join(grade or "none" for grade in one.by_seed)
        out.print(f"{one.paper} {one.id}: {grades}", soft_wrap=True, markup=False)
