"""What a reproduction found, on the terminal: a line a claim that does not hold, and the counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

from windlull.papers.document import STATUSES, counts

if TYPE_CHECKING:
    from rich.console import Console


def print_reproduction(out: Console, told: list[dict[str, Any]], *, experiments: int) -> None:
    """Print how many claims of each paper hold, then each that does not, with what was measured and published."""
    table = Table(box=None, pad_edge=False, show_edge=False)
    table.add_column("paper")
    for status in STATUSES:
        table.add_column(status, justify="right")
    papers = list(dict.fromkeys(claim["paper"] for claim in told))
    for paper in papers:
        of_it = counts([claim for claim in told if claim["paper"] == paper])
        table.add_row(paper, *(str(of_it[status]) for status in STATUSES))
    if len(papers) > 1:
        table.add_row("all", *(str(counts(told)[status]) for status in STATUSES))
    out.print(table)
    for claim in told:
        if claim["status"] != "reproduced":
            _print_claim(out, claim)
    out.print(
        f"\n{counts(told)['reproduced']} of {len(told)} claims reproduced, in {experiments} "
        f"{'experiment' if experiments == 1 else 'experiments'}"
    )


def _print_claim(out: Console, claim: dict[str, Any]) -> None:
    name = claim["experiment"].removeprefix("papers/")
    out.print(f"\n{claim['status']}  {name} {claim['id']}: {claim['text']}", soft_wrap=True, markup=False)
    for what in ("criterion", "measured", "published", "note"):
        if claim[what]:
            out.print(f"  {what + ':':11}{claim[what]}", soft_wrap=True, markup=False)
