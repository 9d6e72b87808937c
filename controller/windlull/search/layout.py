"""What the files of a search are called, in its directory.

Here and not beside what writes them: who only reads them needs neither the optimiser nor what makes runs.
"""

from __future__ import annotations

REQUEST, BUNDLE, SPACE, OUT = "request.json", "bundle.json", "space.toml", "out"
"""What a service lays out for a search; `OUT` is the search's own directory, which has what follows."""

PLAN, TRIALS, RESULT, PICTURE = "search-plan.json", "trials.jsonl", "search.json", "tried.svg"

FOUND, RUN, CAPSULE, SCRIPT = "found", "run", "run.capsule.zip", "episode.pkt"

NAME = "worst"
EXPERIMENT = f"experiments/{NAME}.toml"
"""The file of the experiment in a bundle. Its link lies beside it, so that the two can be copied together."""

LINK_FILE = f"{NAME}-link.toml"
LINK = f"experiments/{LINK_FILE}"
