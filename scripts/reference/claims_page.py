"""The page of the papers' claims: each with the criterion that decides it, as the experiments' files say."""

from __future__ import annotations

import msgspec
from tables import plain, table
from windlull import locate
from windlull.papers.shipped import papers
from windlull.runner import plans
from windlull.runner.messages import Experiment
from windlull.stats.claims import criterion

HEAD = """# The papers' claims

What the papers say that a run can bear out, each with the criterion that decides it. The criteria stand in the
experiments' files, and were written before the experiments were run. `windlull papers` runs and judges all of them
([reproduce a paper](../reproduce-a-paper.md)).

"""


def page() -> str:
    """The page."""
    parts, count = [], 0
    for paper, names in papers(locate.profiles()).items():
        parts.append(f"## {paper}\n\n")
        for name in names:
            planned = plans.plan(name, profiles=[locate.profiles()], brief=True)
            experiment = msgspec.convert(planned.experiment, Experiment)
            count += len(experiment.claims)
            rows = [(f"`{one.id}`", plain(one.text), plain(criterion(one))) for one in experiment.claims]
            if rows:
                parts.append(f"### {plain(experiment.title)}\n\n{plain(experiment.source)}: `{name}`\n\n")
                parts.append(table(("claim", "in words", "criterion"), rows))
    return f"{HEAD}There are {count} of them.\n\n" + "".join(parts)
