"""What a link would do over time, before anybody keeps it or runs anything on it."""

from flask import Response
from pydantic import Field

from windlull.api.answers import encoded
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.documents import MOST_CHARACTERS
from windlull.api.errors import of_files
from windlull.api.openapi import said
from windlull.api.proposals import free_name, proposed
from windlull.api.schemas import Given, Name, Seed, example
from windlull.contract.engine import Preview
from windlull.runner import engine
from windlull.runner.problems import InvalidFilesError

blueprint = Blueprint("previews", __name__, tag="previews", about="What a link does over time.")

LONGEST_S = 3600


class PreviewGiven(Given):
    """The text of a link, and for which of its random histories."""

    model_config = example(
        toml='title = "A pause"\n[both]\nrate = "28.8 kbit/s"\ndelay = "200 ms"\n'
        'queue = { kind = "droptail", limit = "7 packets" }\n[[script]]\nat = "10 s"\nfor = "3 s"\ndo = "hold"\n',
        seconds=60,
    )

    toml: str = Field(max_length=MOST_CHARACTERS)
    seconds: int = Field(ge=1, le=LONGEST_S, description="How long, from the start of a run.")
    seed: Seed | None = Field(None, description="Of an experiment on this link. Default: 1.")
    repetition: int = Field(
        1, ge=1, le=100_000, description="Each repetition of an experiment has a history of its own."
    )
    name: Name | None = Field(None, description="What it is called, if it has a name already.")


@blueprint.post("/previews", responses={200: said("Preview")})
def preview(body: PreviewGiven) -> Response:
    """Preview a link over time.

    The engine's own link says what it does without traffic: what goes by the clock draws from streams of its own, so
    that runs with this seed and repetition meet the same, to the nanosecond. Nothing is kept. 422 if the text is not a
    link; problems are listed as for validations.
    """
    name = body.name or free_name("link")
    with current().database.reader() as session, proposed(session, {("link", name): body.toml}) as proposal:
        asked = ["--for", f"{body.seconds} s", "--seed", body.seed or "1", "--repetition", str(body.repetition)]
        file = str(proposal.path("link", name))
        try:
            previewed = engine.said(Preview, ["preview", *asked, "--", file], profiles=proposal.profiles, confined=True)
        except InvalidFilesError as error:
            raise of_files(InvalidFilesError([proposal.for_client(problem) for problem in error.problems])) from error
    return encoded(previewed)
