"""Whether a text would do as a document, before anybody keeps it."""

from typing import Annotated, Any

from flask import Response
from pydantic import Field

from windlull.api import testbeds, usage
from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.documents import MOST_CHARACTERS, PartView
from windlull.api.openapi import of_engine
from windlull.api.proposals import Proposal, free_name, proposed
from windlull.api.schemas import Given, Kind, Name, ProblemView, View, example
from windlull.contract.engine import PlaneKind, Problem, Testbed
from windlull.runner import engine, plans
from windlull.runner.limits import limits_of_a_worker
from windlull.runner.needs import Needs
from windlull.runner.options import RunOptions
from windlull.runner.problems import InvalidFilesError

blueprint = Blueprint("validations", __name__, tag="validations", about="What the engine thinks of a text.")


MOST_BESIDE = 16


class BesideGiven(Given):
    """A document that is to be kept with another, as it would be."""

    kind: Kind
    name: Name
    toml: str = Field(max_length=MOST_CHARACTERS)


class ValidationGiven(Given):
    """A text that may become a document."""

    model_config = example(kind="workload", toml='title = "Little"\nkind = "bulk"\nsize = "9 KiB"\ndirection = "up"\n')

    kind: Kind
    toml: str = Field(max_length=MOST_CHARACTERS)
    name: Name | None = Field(
        None, description="What it is or would be called; then others that name it are asked too."
    )
    beside: list[BesideGiven] = Field(
        [], max_length=MOST_BESIDE, description="Documents that are to be kept with it, and that it may name."
    )
    testbed: Testbed = Field("sim", description="Of an experiment: where it is to run, which may not carry all of it.")
    plane: PlaneKind | None = Field(None, description="Of an experiment: the link plane of live runs.")


class ValidationView(View):
    """What the engine thinks of it."""

    valid: bool
    problems: list[ProblemView]
    resolved: Annotated[Any, of_engine("Resolved")] | None = Field(
        description="Its content with all defaults resolved, if it is valid; null for a base of others."
    )
    runs: int | None = Field(
        description="Of an experiment: how many runs it has on that testbed, simulated ones beside live ones included; "
        "null for a base of others."
    )
    estimate: Annotated[Any, of_engine("Needs")] | None = Field(
        description="Of an experiment: what its runs are likely to need; absent where commands are the workload."
    )
    builds_on: list[PartView] = Field(
        description="Which documents it names, and which those name in their turn, by kind and name, valid or not. "
        "Those given `beside` it are followed, but not listed."
    )


@blueprint.post("/validations", responses={200: ValidationView})
def validate(body: ValidationGiven) -> Response:
    """Check a text.

    The engine reads it as a document of that kind, with the shipped documents and the user's own beside it. Nothing is
    kept. Each problem names file, line, column and key, and what would be right, where that is known.
    """
    name = body.name or free_name(body.kind)
    resolved: dict[str, Any] | None = None
    runs: int | None = None
    estimate: Needs | None = None
    beside: dict[tuple[str, str], str] = {(one.kind, one.name): one.toml for one in body.beside}
    changes: dict[tuple[str, str], str | None] = {**beside, (body.kind, name): body.toml}
    with current().database.reader() as session, proposed(session, changes) as proposal:
        problems = list(proposal.problems(body.kind, name))
        if not problems:
            problems = [problem for others in proposal.broken_by(body.kind, name).values() for problem in others]
        if not problems:
            resolved = _resolved(proposal, body.kind, name)
        if resolved is not None and body.kind == "experiment":
            try:
                options = RunOptions(testbed=body.testbed, plane=body.plane)
                planned = plans.plan(name, options, profiles=proposal.profiles, brief=True, confined=True)
                runs = planned.count
                if planned.estimate is not None:
                    process = testbeds.limits_there(session, body.testbed) or limits_of_a_worker()
                    estimate = Needs.of(planned.estimate.within(process))
                problems = [Problem(message=one) for one in testbeds.lacking(session, planned, body.testbed)]
            except InvalidFilesError as error:
                problems = [proposal.for_client(problem) for problem in error.problems]
        view = {"valid": not problems, "problems": problems, "resolved": None if problems else resolved, "runs": runs}
        return answer(view | {"estimate": estimate, "builds_on": usage.built_on(session, body.kind, body.toml, beside)})


def _resolved(proposal: Proposal, kind: str, name: str) -> dict[str, Any] | None:
    """Return the content of a valid document; None of an experiment that is only a base of others."""
    asked = ["show", "--", str(proposal.path(kind, name))]
    try:
        resolved: dict[str, Any] = engine.ask(asked, profiles=proposal.profiles, confined=True)["resolved"]
    except InvalidFilesError:
        return None
    return resolved
