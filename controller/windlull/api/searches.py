"""Searches for the links on which a variant is worst: asked for, watched, stopped, gone on with; what they found."""

import hashlib
import shutil
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path as Directory
from typing import Annotated, Any, Literal

import msgspec
from flask import Response, request
from pydantic import Field
from sqlalchemy.orm import Session

from windlull.api import idempotency, pagination, series
from windlull.api.answers import answer, digest, file, no_content
from windlull.api.batches import experiment_there
from windlull.api.blueprint import NOT_MODIFIED, Blueprint, created, file_response
from windlull.api.context import current
from windlull.api.errors import ApiError, conflict, not_found, wrong
from windlull.api.idempotency import Created
from windlull.api.schemas import Creating, Given, Id, IdPath, Moment, Name, Page, Paging, SeedGiven, View, example
from windlull.api.series import SeriesQuery, SeriesView
from windlull.errors import nearest
from windlull.metrics import BY_ANY_NAME, METRICS, metric
from windlull.runner import plans
from windlull.runner.bundle import Bundle
from windlull.runner.options import REPETITIONS, RunOptions
from windlull.search import best, job
from windlull.search.journal import Trial
from windlull.search.layout import CAPSULE, EXPERIMENT, FOUND, LINK, OUT, PICTURE, PLAN, RESULT, RUN, SCRIPT, TRIALS
from windlull.search.options import CONFIRM, KINDS, LINKS, SHRINK, Number
from windlull.search.outcome import Aim
from windlull.series.columns import SeriesError
from windlull.stats import rules
from windlull.store import searches as store
from windlull.store.tables import Search, SearchState

blueprint = Blueprint("searches", __name__, tag="searches", about="The links on which a variant is worst.")

MOST_SPACE = 100_000
MOST_TRIALS_TOLD = 100_000
TOML, ZIP, PKT, SVG = "application/toml", "application/zip", "text/plain", "image/svg+xml"

VariantName = Annotated[str, Field(min_length=1, max_length=200)]
StateName = Literal["waiting", "running", "stopping", "stopped", "done", "failed"]


def _number(one: Number) -> Any:  # noqa: ANN401 - a field
    return Field(one.usual, ge=one.of.least, le=one.of.most, description=one.help)


class SearchGiven(Given):
    """What is searched: docs/searches.md has what each means."""

    model_config = example(experiment="first-look", worst="elapsed_s", variant="frto+sack", against="sack", budget=200)

    experiment: Name
    worst: str = Field(min_length=1, max_length=100, description="The metric that is to be as bad as possible.")
    budget: int = Field(ge=LINKS.least, le=LINKS.most, description="How many links are tried, beside the base link.")
    variant: VariantName | None = Field(None, description="Whose metric; needed where there are several.")
    against: VariantName | None = Field(None, description="Another variant of the experiment, as the baseline.")
    by: Literal["difference", "ratio"] | None = None
    worse: Literal["high", "low"] | None = Field(None, description="Left out: as the metric says.")
    link: Name | None = Field(None, description="Of several links of the experiment, the one that is varied.")
    space: str | None = Field(None, max_length=MOST_SPACE, description="What may vary, as TOML; docs/searches.md.")
    fail_if: str | None = Field(None, min_length=1, max_length=500, description="What counts as a failure.")
    kinds: int = _number(KINDS)
    shrink: int = _number(SHRINK)
    confirm: int = _number(CONFIRM)
    repetitions: int | None = Field(None, ge=REPETITIONS.least, le=1_000)
    seed: SeedGiven | None = None

    def asked(self, name: str) -> job.Asked:
        """Return what the search is told; `name` is the metric's."""
        return job.Asked(
            metric=name, budget=self.budget, variant=self.variant, baseline=self.against, by=self.by, worse=self.worse,
            link=self.link, fail_if=self.fail_if, repetitions=self.repetitions, seed=self.seed, kinds=self.kinds,
            confirm=self.confirm, shrink=self.shrink,
        )  # fmt: skip


class SearchLine(View):
    """A search in a list."""

    id: Id
    experiment: str
    title: str
    worst: str
    variant: str | None
    against: str | None
    budget: int
    state: StateName = Field(description="`waiting`: for another search, or for room. `stopping`: told to stop.")
    tried: int = Field(description="How many links were run, those that shrank what was found among them.")
    reason: str | None = Field(description="Why it failed.")
    asked_at: Moment
    started_at: Moment | None
    ended_at: Moment | None


class BestView(View):
    """The worst link so far."""

    trial: int
    value: float
    words: str = Field(description="What the link does beside what the base link does.")
    variants: list[str] = Field(description="Those that have a diagram, by their place.")


class FoundView(View):
    """A kind of failure: the worst link of it, made as simple as it can be."""

    number: int = Field(ge=1)
    sentence: str
    value: float
    trial: int = Field(description="Which trial it was shrunk from.")
    fails_if: str
    failed: int = Field(description="On how many of the fresh seeds it failed again.")
    runs: int
    interval: list[float] | None = Field(description="95 % of that share; null where nothing is random.")
    story: list[str] = Field(description="The longest episode of the run that shows it, in sentences.")
    packetdrill: bool = Field(description="Whether there is a script for packetdrill.")
    no_packetdrill: str | None = Field(description="Why there is none.")


class SearchView(SearchLine):
    """A search, what it tried, and what it found."""

    by: Literal["value", "difference", "ratio"] | None = Field(description="Null until it has begun.")
    higher_is_worse: bool | None
    base: float | None = Field(description="The value on the base link, in the experiment's own form.")
    trials: list[int] = Field(description="The numbers of the links that were tried and have a value, in order.")
    values: list[float] = Field(
        description="The value of each: the metric, or its difference or ratio to the baseline."
    )
    best: BestView | None
    found: list[FoundView] = Field(description="The worst first; empty until the search is done.")
    picture: bool = Field(description="Whether there is a picture of what was tried.")


class SearchStateView(View):
    """How far it is now."""

    state: StateName


class FoundPath(IdPath):
    """A search, and the number of what it found."""

    number: int = Field(ge=1, le=100)


class BestPath(IdPath):
    """A search, and the place of a variant among those of its worst link."""

    place: int = Field(ge=0, le=1)


class BestQuery(SeriesQuery):
    """Which window of the diagram, and of which link."""

    trial: int | None = Field(
        None, ge=0, description="The link that it is to be of: 404 if another one is the worst by now."
    )


@blueprint.get("/searches", responses={200: Page[SearchLine]})
def list_(query: Paging) -> Response:
    """List searches.

    Newest first.
    """
    start = pagination.number(query.cursor)
    with current().database.reader() as session:
        rows = store.newest(session, before=start, limit=query.limit + 1)
    return answer(pagination.page(rows, query.limit, lambda row: row.id, _line))


@blueprint.post(
    "/searches", responses={201: created(SearchLine, "searches_read", id="$response.body#/id"), 404: None, 507: None}
)
def create(header: Creating, body: SearchGiven) -> Response:
    """Search for the worst link.

    The engine resolves the experiment now, and all its files are kept with the search. It runs beside the queue, one
    search at a time, in virtual time. What is wrong with the space shows when it begins: the search then fails, with
    the reason. 507 (`too-many-searches`) at the limit of searches.
    """
    if (response := idempotency.answered(header.key)) is not None:
        return response
    name = _metric(body.worst)
    if body.fail_if is not None:
        try:
            rules.parse(body.fail_if)
        except rules.RuleError as error:
            raise wrong("fail_if", str(error)) from error
    context = current()
    with context.database.reader() as session:
        roots = context.profiles(session)
    experiment_there(body.experiment, roots)
    options = RunOptions(seed=None if body.seed is None else int(body.seed))
    planned = plans.plan(body.experiment, options, profiles=roots, brief=True, confined=True)
    resolved = planned.read()
    variants, links = [one.name for one in resolved.variants], [one.name for one in resolved.links]
    _require_one("variant", body.variant, variants, besides=body.against)
    _require("against", body.against, variants)
    _require_one("link", body.link, links)
    bundle = Bundle.of(planned)
    asked = body.asked(name)

    def make(session: Session) -> Created:
        try:
            made = store.ask(
                session, experiment=body.experiment, title=resolved.title, asked=msgspec.to_builtins(asked),
                now=datetime.now(UTC),
            )  # fmt: skip
        except store.TooManySearchesError as error:
            raise ApiError(HTTPStatus.INSUFFICIENT_STORAGE, str(error), code="too-many-searches") from error
        # Before the row is kept: a search that begins finds its files.
        job.lay_out(_directory(made.id), asked, bundle, body.space)
        return Created(_line(made), f"{request.path}/{made.id}")

    return idempotency.once(header.key, make)


@blueprint.get("/searches/<int:id>", responses={200: SearchView})
def read(path: IdPath) -> Response:
    """Read a search.

    How far it is, the value of every link that was tried, the worst so far, and what was found.
    """
    with current().database.reader() as session:
        row = _row(session, path.id)
    return answer(_view(row))


@blueprint.post("/searches/<int:id>/stop", responses={200: SearchStateView, 409: None})
def stop(path: IdPath) -> Response:
    """Stop a search.

    It ends when the runs that it has are done; what was tried stays. 409 (`has-ended`) if it does not run.
    """
    with current().database.session() as session:
        row = _row(session, path.id)
        if not store.stop(session, path.id, now=datetime.now(UTC)):
            raise conflict(f"search {path.id} is {row.state}; only one that waits or runs can be stopped", "has-ended")
        return _state(session, path.id)


@blueprint.post("/searches/<int:id>/resume", responses={200: SearchStateView, 409: None})
def resume(path: IdPath) -> Response:
    """Go on with a search.

    One that was stopped or has failed: it tries the links that are missing. 409 (`not-ended`, `nothing-to-retry`)
    otherwise.
    """
    with current().database.session() as session:
        row = _row(session, path.id)
        if not store.resume(session, path.id):
            message = f"search {path.id} is {row.state}; only one that was stopped or has failed can go on"
            raise conflict(message, "nothing-to-retry" if row.state is SearchState.DONE else "not-ended")
        return _state(session, path.id)


@blueprint.delete("/searches/<int:id>", responses={204: None, 409: None})
def remove(path: IdPath) -> Response:
    """Delete a search.

    And all that it tried and found. 409 (`not-ended`) while it runs: stop it first.
    """
    with current().database.session() as session:
        row = _row(session, path.id)
        if not store.delete(session, path.id):
            raise conflict(f"search {path.id} is {row.state}; stop it first", "not-ended")
    shutil.rmtree(_directory(path.id), ignore_errors=True)
    return no_content()


@blueprint.get("/searches/<int:id>/best/<int:place>/series", responses={200: SeriesView})
def best_series(path: BestPath, query: BestQuery) -> Response:
    """Read the diagram of the worst link so far.

    Of the first repetition of the variant that is searched for (0) or of the baseline (1); as of a run.
    """
    shown = best.read(_directory(path.id) / OUT)
    if query.trial is not None and (shown is None or shown.trial != query.trial):
        raise not_found(f"diagram of link {query.trial}: it is not the worst of search {path.id} any more")
    return _series(path.id, f"{best.BEST}/{path.place}.{best.SERIES}", query, "diagram of the worst link")


@blueprint.get("/searches/<int:id>/found/<int:number>/series", responses={200: SeriesView})
def found_series(path: FoundPath, query: SeriesQuery) -> Response:
    """Read the diagram of what was found.

    Of the run that shows it, the first that failed on a fresh seed; as of a run.
    """
    return _series(path.id, f"{FOUND}/{path.number}/{RUN}/{best.SERIES}", query, f"finding {path.number}")


@blueprint.get(
    "/searches/<int:id>/found/<int:number>/experiment",
    responses={200: file_response(TOML, "The experiment, TOML."), 304: NOT_MODIFIED},
)
def experiment(path: FoundPath) -> Response:
    """Download the experiment of what was found.

    On the seeds that confirmed it; its link stands beside it, under `link`.
    """
    return _file(path, EXPERIMENT, TOML)


@blueprint.get(
    "/searches/<int:id>/found/<int:number>/link",
    responses={200: file_response(TOML, "The link, TOML."), 304: NOT_MODIFIED},
)
def link(path: FoundPath) -> Response:
    """Download the link of what was found.

    The base link, with its events and values.
    """
    return _file(path, LINK, TOML)


@blueprint.get(
    "/searches/<int:id>/found/<int:number>/capsule",
    responses={200: file_response(ZIP, "The capsule; docs/capsule-format.md."), 304: NOT_MODIFIED},
)
def capsule(path: FoundPath) -> Response:
    """Download the run of what was found as a capsule.

    POST of it to `capsules` makes a batch of it, with its diagram and episodes.
    """
    return _file(path, CAPSULE, ZIP)


@blueprint.get(
    "/searches/<int:id>/found/<int:number>/packetdrill",
    responses={200: file_response(PKT, "The script for packetdrill."), 304: NOT_MODIFIED},
)
def packetdrill(path: FoundPath) -> Response:
    """Download the longest episode of what was found as a script for packetdrill.

    404 if it cannot be one; the search says why.
    """
    return _file(path, SCRIPT, PKT)


@blueprint.get(
    "/searches/<int:id>/picture",
    responses={200: file_response(SVG, "What was tried, SVG."), 304: NOT_MODIFIED},
)
def picture(path: IdPath) -> Response:
    """Download the picture of what was tried.

    There is one when the search is done.
    """
    octets = _octets(path.id, PICTURE, "picture")
    return file(octets, SVG, etag=digest(octets), name=f"search-{path.id}-tried.svg")


# --- what lies on the disk --------------------------------------------------------------------------------------------


class _Plan(msgspec.Struct, frozen=True):
    """What of `search-plan.json` says how trials are valued."""

    worst: str
    variant: str
    against: str | None
    by: Literal["value", "difference", "ratio"]
    higher_is_worse: bool
    budget: int

    def aim(self) -> Aim:
        """Return what is to be as bad as possible."""
        return Aim(metric(self.worst), self.variant, self.against, self.by, self.higher_is_worse)


_TRIAL: msgspec.json.Decoder[Trial] = msgspec.json.Decoder(Trial)


def _directory(number: int) -> Directory:
    return current().home.searches / str(number)


def _view(row: Search) -> dict[str, Any]:
    out = _directory(row.id) / OUT
    try:
        plan = msgspec.json.decode((out / PLAN).read_bytes(), type=_Plan)
    except (OSError, msgspec.DecodeError):
        plan = None
    valued = {} if plan is None else _values(out, plan)
    base = valued.pop(0, None)
    shown = best.read(out)
    return SearchView.of(
        row,
        **_line(row),
        by=None if plan is None else plan.by,
        higher_is_worse=None if plan is None else plan.higher_is_worse,
        base=base,
        trials=list(valued),
        values=list(valued.values()),
        best=None if shown is None else BestView.of(shown, variants=list(shown.variants)),
        found=_found(out),
        picture=(out / PICTURE).exists(),
    )


def _values(out: Directory, plan: _Plan) -> dict[int, float]:
    """Return the value of each link that was tried by its number; those that only shrank what was found left out."""
    aim = plan.aim()
    valued: dict[int, float] = {}
    try:
        with (out / TRIALS).open("rb") as stream:
            for line in stream:
                if not line.endswith(b"\n") or len(valued) > MOST_TRIALS_TOLD:
                    break  # it is being written, or was cut when its process was killed
                trial = _TRIAL.decode(line)
                badness = aim.badness(trial.outcome)
                if trial.number <= plan.budget and badness is not None:
                    valued[trial.number] = aim.shown(badness)
    except (OSError, msgspec.DecodeError):
        return dict(sorted(valued.items()))
    return dict(sorted(valued.items()))


def _found(out: Directory) -> list[dict[str, Any]]:
    """Return what was found, as `search.json` has it; nothing until that is there."""
    try:
        said = msgspec.json.decode((out / RESULT).read_bytes())
        return [
            {
                "number": number,
                "sentence": one["sentence"],
                "value": float(one["value"]),
                "trial": one["found"]["trial"],
                "fails_if": one["fails_if"],
                "failed": one["confirmed"]["failed"],
                "runs": one["confirmed"]["runs"],
                "interval": one["confirmed"]["interval"],
                "story": one["story"],
                "packetdrill": one["files"]["packetdrill"] is not None,
                "no_packetdrill": one["files"].get("no_packetdrill"),
            }
            for number, one in enumerate(said["found"], 1)
        ]
    except FileNotFoundError:
        return []
    except (OSError, msgspec.DecodeError, KeyError, TypeError) as error:
        raise ApiError(422, f"what was found cannot be read: {error!r}"[:300], code="unreadable") from error


def _line(row: Search) -> dict[str, Any]:
    asked = row.asked
    return SearchLine.of(
        row, worst=asked["metric"], variant=asked["variant"], against=asked["baseline"], budget=asked["budget"]
    )  # fmt: skip


def _row(session: Session, number: int) -> Search:
    row = session.get(Search, number)
    if row is None:
        raise not_found(f"search {number}")
    return row


def _state(session: Session, number: int) -> Response:
    return answer({"state": store.state_of(session, number)})


def _octets(number: int, name: str, what: str) -> bytes:
    with current().database.reader() as session:
        _row(session, number)
    try:
        return (_directory(number) / OUT / name).read_bytes()
    except OSError as error:
        raise not_found(f"{what} of search {number}") from error


def _file(path: FoundPath, name: str, media: str) -> Response:
    octets = _octets(path.id, f"{FOUND}/{path.number}/{name}", f"{name} of finding {path.number}")
    saved = f"search-{path.id}-{path.number}-{Directory(name).name}"
    return file(octets, media, etag=digest(octets), name=saved)


def _series(number: int, name: str, query: SeriesQuery, what: str) -> Response:
    packed = _octets(number, name, what)
    try:
        return series.cut(hashlib.sha256(packed).hexdigest(), lambda: packed, query)
    except SeriesError as error:
        raise ApiError(422, f"its series cannot be read: {error}", code="unreadable") from error


def _metric(name: str) -> str:
    """Return a metric's name, if it is given with or without its unit. Raises ApiError."""
    if (known := BY_ANY_NAME.get(name)) is None:
        raise wrong("worst", f"there is no metric {name}", nearest(name, METRICS))
    return known.name


def _require_one(key: str, name: str | None, known: list[str], besides: str | None = None) -> None:
    """Refuse a name that there is not, and none where several could be meant."""
    if name is None and len([one for one in known if one != besides]) != 1:
        raise wrong(key, f"the experiment has {', '.join(known)}: say which one")
    _require(key, name, known)


def _require(key: str, name: str | None, known: list[str]) -> None:
    if name is not None and name not in known:
        raise wrong(key, f"the experiment has {', '.join(known)}", nearest(name, known))
