"""What a link would do over time, before anybody keeps it or runs anything on it."""

from collections.abc import Sequence
from pathlib import Path

from flask import Response
from pydantic import Field, model_validator

from windlull.api.answers import encoded
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.documents import MOST_CHARACTERS
from windlull.api.errors import not_found, of_files
from windlull.api.openapi import said
from windlull.api.proposals import free_name, proposed
from windlull.api.schemas import Given, Name, SeedGiven, example
from windlull.contract.engine import Preview
from windlull.runner import engine
from windlull.runner.problems import InvalidFilesError
from windlull.store.documents import FOLDERS

blueprint = Blueprint("previews", __name__, tag="previews", about="What a link does over time.")

LONGEST_S = 3600


class PreviewGiven(Given):
    """The text of a link, or its name, and for which of its random histories."""

    model_config = example(
        toml='title = "A pause"\n[both]\nrate = "28.8 kbit/s"\ndelay = "200 ms"\n'
        'queue = { kind = "droptail", limit = "7 packets" }\n[[script]]\nat = "10 s"\nfor = "3 s"\ndo = "hold"\n',
        seconds=60,
    )

    toml: str | None = Field(None, max_length=MOST_CHARACTERS, description="Left out: the text of the link `name`.")
    seconds: int = Field(ge=1, le=LONGEST_S, description="How long, from the start of a run.")
    seed: SeedGiven | None = Field(None, description="Of an experiment on this link. Default: 1.")
    repetition: int = Field(
        1, ge=1, le=100_000, description="Each repetition of an experiment has a history of its own."
    )
    name: Name | None = Field(None, description="What it is called, if it has a name already.")

    @model_validator(mode="after")
    def _one_of_the_two(self) -> "PreviewGiven":
        if self.toml is None and self.name is None:
            raise ValueError("give toml, name or both")
        return self


@blueprint.post("/previews", responses={200: said("Preview"), 404: None})
def preview(body: PreviewGiven) -> Response:
    """Preview a link over time.

    The engine's own link says what it does without traffic: what goes by the clock draws from streams of its own, so
    that runs with this seed and repetition meet the same, to the nanosecond. Nothing is kept. 422 if the text is not a
    link; problems are listed as for validations.
    """
    context = current()
    with context.database.reader() as session:
        if body.toml is None:
            roots = context.profiles(session)
            places = [root / FOLDERS["link"] / f"{body.name}.toml" for root in roots]
            file = next((place for place in places if place.is_file()), None)
            if file is None:
                raise not_found(f"link called {body.name}")
            return encoded(_previewed(body, file, roots))
        name = body.name or free_name("link")
        with proposed(session, {("link", name): body.toml}) as proposal:
            try:
                return encoded(_previewed(body, proposal.path("link", name), proposal.profiles))
            except InvalidFilesError as error:
                problems = [proposal.for_client(problem) for problem in error.problems]
                raise of_files(InvalidFilesError(problems)) from error


def _previewed(body: PreviewGiven, file: Path, profiles: Sequence[Path]) -> bytes:
    """Return what the engine says of a link. Raises InvalidFilesError."""
    asked = ["--for", f"{body.seconds} s", "--seed", body.seed or "1", "--repetition", str(body.repetition)]
    return engine.said(Preview, ["preview", *asked, "--", str(file)], profiles=profiles, confined=True)
