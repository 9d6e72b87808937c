"""The page of the papers' claims: each with the criterion that decides it, as the experiments' files say."""

from __future__ import annotations

import msgspec
from tables import plain, table
from windlull import locate
from windlull.papers.shipped import papers
from windlull.papers.statements import Statement, claims_of, statements
from windlull.runner import plans
from windlull.runner.messages import Experiment
from windlull.stats.claims import criterion

HEAD = """# The papers' statements and checks

What the papers state, and the checks of each statement with the criterion that decides it. The criteria stand in the
experiments' files, and were written before the experiments were run. `windlull papers` runs and grades all of them
([reproduce a paper](../reproduce-a-paper.md)).

"""


def page() -> str:
    """The page."""
    parts, count, stated = [], 0, 0
    for paper, names in papers(locate.profiles()).items():
        planned = {name: plans.plan(name, profiles=[locate.profiles()], brief=True) for name in names}
        experiments = {name: msgspec.convert(one.experiment, Experiment) for name, one in planned.items()}
        of_it = statements(locate.profiles(), paper, claims_of(experiments))
        stated += len(of_it.statement)
        parts.append(f"## {paper}\n\n")
        parts.append(table(("place", "statement", "checks"), [_row(one) for one in of_it.statement]))
        for name, experiment in experiments.items():
            count += len(experiment.claims)
            rows = [(f"`{one.id}`", plain(one.text), plain(criterion(one))) for one in experiment.claims]
            if rows:
                parts.append(f"### {plain(experiment.title)}\n\n{plain(experiment.source)}: `{name}`\n\n")
                parts.append(table(("claim", "in words", "criterion"), rows))
    return f"{HEAD}There are {stated} statements and {count} checks.\n\n" + "".join(parts)


def _row(one: Statement) -> tuple[str, str, str]:
    checks = ", ".join(f"`{check}`" for check in one.checks)
    return plain(one.place), plain(one.text), checks or f"not checked: {plain(one.unchecked or '')}"
