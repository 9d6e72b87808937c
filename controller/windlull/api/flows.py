"""What one flow gets through each link: the shipped experiment `one-flow` on it, simulated once.

A measurement is an ordinary run of an ordinary batch, so that it has a page and a diagram, and counts for all that it
depends on: a link that was changed, or another engine, has another key, and nothing is known of it yet.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from flask import Response
from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from windlull import locate
from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.errors import not_found
from windlull.api.runs import StateName
from windlull.api.schemas import Given, Id, Name, Seed, View, example
from windlull.batches import orders
from windlull.runner import engine, plans
from windlull.runner.messages import SIMULATED
from windlull.runner.options import RunOptions
from windlull.runner.plans import Planned
from windlull.runner.problems import InvalidFilesError
from windlull.store import documents
from windlull.store import runs as store
from windlull.store.tables import Result, Run, State

blueprint = Blueprint("flows", __name__, tag="flows", about="What one flow gets through each link.")

EXPERIMENT = "one-flow"
"""The shipped experiment that says which transfer by which variant, and with which seed."""
_ON_LINKS = f"{EXPERIMENT}/on-links"
"""The same on links that are asked for: one name, for the name of an experiment is a part of the keys of its runs."""
MOST_LINKS = 500
_OPTIONS = RunOptions(captures=False)
_NOT_AGAIN = (State.DONE, State.RUNNING, State.QUEUED)
"""Runs in these states are not asked for again; of several of a link the first of them is told."""
_PIECE = 500
"""How many keys one statement names."""


class FlowMeasured(View):
    """What the flow measured; docs/results.md defines each."""

    elapsed_s: float | None
    goodput_bps: float | None
    queue_delay_s: float | None
    packets_lost: float | None
    retransmissions: float | None
    unnecessary_retransmissions: float | None


class FlowView(View):
    """The run of one flow through a link, as the link is now."""

    link: str
    batch: Id
    run: Id
    state: StateName
    reason: str | None = Field(description="Why it failed, or waits.")
    measured: FlowMeasured | None = Field(description="Null unless it is done.")


class FlowsView(View):
    """What was measured, of which flow."""

    experiment: str = Field(description="The shipped experiment that says so.")
    variant: str
    workload: str = Field(description="The title of what is transferred.")
    seed: Seed
    items: list[FlowView] = Field(description="By link; one that was not measured as it is now is left out.")


class FlowsGiven(Given):
    """Through which links."""

    model_config = example(links=["gprs", "lte-good"])

    links: list[Name] = Field(min_length=1, max_length=MOST_LINKS)


@blueprint.get("/flows", responses={200: FlowsView})
def list_() -> Response:
    """List what one flow gets through each link.

    One simulated run for a link, with the seed of the experiment `one-flow`. Only what was asked for is measured.
    """
    with current().database.reader() as session:
        return answer(_view(session))


@blueprint.post("/flows", responses={200: FlowsView, 404: None, 507: None})
def measure(body: FlowsGiven) -> Response:
    """Measure what one flow gets through links.

    In one batch, for those of the links whose result is not known and not under way; one that failed is tried again.
    404 if there is no such link, or if it is not valid. 429 (`queue-full`) while as many runs wait as may.
    """
    context = current()
    with context.database.reader() as session:
        keys = _keys(session)
        for link in body.links:
            if link not in keys:
                raise not_found(f"valid link called {link}")
        known = {run.link for run, _ in _runs(session, keys) if run.state in _NOT_AGAIN}
        wanted = sorted(set(body.links) - known)
        planned = _plan(session, wanted) if wanted else None
    order = None
    if planned is not None:
        order = orders.order(
            context.blobs, _ON_LINKS, planned, testbed=SIMULATED, plane=None, captures=_OPTIONS.captures, priority=0
        )  # fmt: skip
    with context.database.session() as session:
        if order is not None:
            most = context.settings.bounds.queued_runs
            store.submit(session, order, now=datetime.now(UTC), most_queued=most)
        view = _view(session)
    return answer(view)


def _view(session: Session) -> dict[str, Any]:
    items = [
        {
            "link": run.link, "batch": run.batch_id, "run": run.id, "state": run.state, "reason": run.reason,
            "measured": {name: metrics.get(name) for name in FlowMeasured.model_fields} if metrics else None,
        }
        for run, metrics in _runs(session, _keys(session))
    ]  # fmt: skip
    return _about(locate.profiles()) | {"items": items}


def _runs(session: Session, keys: Mapping[str, str]) -> list[tuple[Run, Mapping[str, Any] | None]]:
    """Return the run of each link that has one, by link, and what it measured if it is done.

    Of several the one that is done, else one under way, else the newest.
    """
    best: dict[str, tuple[Run, Mapping[str, Any] | None]] = {}
    every = sorted(keys.values())
    for first in range(0, len(every), _PIECE):
        asked = (
            select(Run, Result.metrics)
            .outerjoin(Result, Run.result_id == Result.id)
            .where(Run.key.in_(every[first : first + _PIECE]))
            .order_by(Run.id.desc())
        )
        for run, metrics in session.execute(asked):
            if run.link not in best or _rank(run) < _rank(best[run.link][0]):
                best[run.link] = (run, metrics if run.state == State.DONE else None)
    return [best[link] for link in sorted(best)]


def _rank(run: Run) -> int:
    return _NOT_AGAIN.index(run.state) if run.state in _NOT_AGAIN else len(_NOT_AGAIN)


def _keys(session: Session) -> Mapping[str, str]:
    """Return the key of the run of each valid link, as the link is now."""
    return _keys_in(*current().profiles(session))


@lru_cache(maxsize=4)
def _keys_in(shipped: Path, own: Path) -> Mapping[str, str]:
    """Return the keys. The directory of the user's own files has another name when one of them has changed."""
    profiles = (shipped, own)
    lines = engine.ask(["list", documents.FOLDERS["link"]], profiles=profiles, confined=True)
    links = [line["name"] for line in lines]
    try:
        planned = [_laid_out(links, profiles)]
    except InvalidFilesError:
        # One of the user's own is not valid any more; which, its plan says.
        planned = [plan for link in links if (plan := _if_valid(link, profiles)) is not None]
    return {run.link: run.key for plan in planned for run in plan.runs if run.key is not None}


def _if_valid(link: str, profiles: Sequence[Path]) -> Planned | None:
    try:
        return _laid_out([link], profiles)
    except InvalidFilesError:
        return None


def _plan(session: Session, links: Sequence[str]) -> Planned:
    """Return the plan of a batch that measures these links."""
    return _laid_out(links, current().profiles(session))


def _laid_out(links: Sequence[str], profiles: Sequence[Path]) -> Planned:
    """Return the plan of `one-flow` on these links. Raises InvalidFilesError."""
    which = links[0] if len(links) == 1 else f"{len(links)} links"
    # A name of a document means the same in TOML as in JSON.
    text = f'title = "What one flow gets through {which}"\nextends = "{EXPERIMENT}"\nlinks = {json.dumps(links)}\n'
    with documents.laid_out(
        {("experiment", _ON_LINKS): text}, [("experiment", _ON_LINKS)], current().home.cache
    ) as own:
        file = own / documents.FOLDERS["experiment"] / f"{_ON_LINKS}.toml"
        return plans.plan(str(file), _OPTIONS, profiles=[*profiles, own], confined=True)


@lru_cache(maxsize=4)
def _about(shipped: Path) -> dict[str, str]:
    """Return what the shipped experiment says of the flow."""
    about = plans.plan(EXPERIMENT, _OPTIONS, profiles=[shipped], brief=True).read()
    return {
        "experiment": EXPERIMENT,
        "variant": about.variants[0].name,
        "workload": about.workload.title,
        "seed": about.seed,
    }
