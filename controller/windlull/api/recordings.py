"""What recordings of networks would be as a link, before anybody keeps it."""

from typing import Annotated, Any, Literal

from flask import Response
from pydantic import Field

from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint
from windlull.api.errors import invalid
from windlull.api.schemas import Given, View, example
from windlull.contract.engine import Problem
from windlull.recordings.choices import AskedError, Choices
from windlull.recordings.link import figures, link_text
from windlull.recordings.reading import Given as File
from windlull.recordings.reading import columns_of, format_of, read
from windlull.recordings.source import RecordingError, Source

blueprint = Blueprint("recordings", __name__, tag="recordings", about="Recordings of networks, made links.")

Quantity = Literal["time", "down", "up", "delay", "rtt", "loss"]
Written = Annotated[str, Field(min_length=1, max_length=200)]

MOST_FILES = 8


class RecordingFileGiven(Given):
    """A file's name and text, and of which direction it tells."""

    name: str = Field(min_length=1, max_length=200)
    text: str
    direction: Literal["both", "down", "up"] = Field("both", description="`both`: of what the file itself says.")
    format: Written | None = Field(None, description="Default: that of all files, or what it looks like.")


class RecordingGiven(Given):
    """Files, and what was chosen. What is left out is as the files tell, or asked for."""

    model_config = example(
        files=[{"name": "drive.csv", "text": "time_s;DL kbit/s;RTT ms\n0;1200;40\n1;0;60\n2;800;40\n"}],
        zeros="outage",
        up_rate="1 Mbit/s",
    )

    files: list[RecordingFileGiven] = Field(min_length=1, max_length=MOST_FILES)
    format: Written | None = Field(None, description="Of all files. Default: what each looks like.")
    columns: dict[Quantity, Annotated[str, Field(max_length=200)]] = Field(
        default_factory=dict,
        description="Of a table: the heading or the number of the column that has this; empty: none has.",
    )
    units: dict[Quantity, Written] = Field(default_factory=dict, description="Of a table: the units of these columns.")
    row: Written | None = Field(None, description="Of ERRANT's table: the number or the words of a row.")
    every_s: float | None = Field(None, description="Of ping without times: how far apart its probes were.")
    zeros: Literal["hold", "outage"] | None = Field(
        None, description="What a rate of 0 was: packets waited (`hold`), or were lost (`outage`)."
    )
    from_s: float = Field(0.0, description="Where in the recording to begin.")
    to_s: float | None = Field(None, description="Where in the recording to end.")
    rate_times: float = Field(1.0, description="A factor of all rates.")
    delay_times: float = Field(1.0, description="A factor of all delays.")
    loop: bool = Field(default=True, description="Whether it begins again after its end, or keeps its last values.")
    random_start: bool = Field(default=False, description="Whether it begins at a place drawn from the seed.")
    down_rate: Written | None = Field(None, description="Where no file tells it, as `10 Mbit/s`.")
    up_rate: Written | None = None
    delay: Written | None = Field(None, description="Where no file tells it; one way, as `25 ms`.")
    loss: Written | None = Field(None, description="Where no file tells it.")
    queue: Written | None = Field(None, description="Of each direction. Default: 300 ms of its mean rate.")
    title: Written | None = None


class RecordingColumnView(View):
    """A column of a table: its name, some of its cells, and what it is taken for."""

    name: str
    examples: list[str]
    quantity: Quantity | None
    unit: str | None = Field(description="`clock`: dates and times.")


class RecordingFileView(View):
    """What a file is taken for."""

    name: str
    format: str
    columns: list[RecordingColumnView] = Field(description="Of a table.")


class RecordingQuestionView(View):
    """Something that no file tells and somebody has to say."""

    what: Literal["zeros", "column", "unit", "row", "rate", "delay"]
    quantity: Quantity | None
    choices: list[str] = Field(description="What may be answered, where that is known.")
    message: str


class RecordingWayView(View):
    """One direction in figures; null where the files do not tell it."""

    mean_bps: float | None
    least_bps: float | None
    greatest_bps: float | None
    without_rate: float | None = Field(description="The share of the time in which the rate is 0.")
    delay_ms: float | None = Field(description="The median over time; one way.")
    greatest_delay_ms: float | None
    loss: float | None = Field(description="The share that is lost, as a mean over time.")


class RecordingFiguresView(View):
    """What the files come to."""

    length_s: float
    rows: int
    down: RecordingWayView
    up: RecordingWayView


class RecordingView(View):
    """The link that the files make, or what has to be said first."""

    toml: str | None = Field(description="The link's text; null while there are questions.")
    questions: list[RecordingQuestionView]
    files: list[RecordingFileView]
    figures: RecordingFiguresView | None = Field(description="Null while there are questions on the files.")
    notes: list[str] = Field(description="What was assumed, joined or left out.")


@blueprint.post("/recordings", responses={200: RecordingView})
def import_(body: RecordingGiven) -> Response:
    """Make a link of recordings.

    Drive tests, traces, what ping, irtt or iperf3 said: several files tell of one link together. Nothing is kept:
    create a link of the answer's `toml`. What neither files nor choices tell is asked in `questions`. 422 says which
    file is wrong, at which line and column.
    """
    given = body.model_dump()
    files = [File(Source(one.name, one.text.encode()), one.direction, one.format) for one in body.files]
    choices = Choices(**{key: value for key, value in given.items() if key != "files"})
    try:
        view = _view(files, choices)
    except RecordingError as error:
        problem = Problem(message=error.said, file=error.file, line=error.line, key=error.column)
        raise invalid(str(error), [problem]) from error
    return answer(view)


def _view(files: list[File], choices: Choices) -> dict[str, Any]:
    """Return the answer. Raises RecordingError, and BadInputError for choices that cannot be."""
    kinds = [
        {
            "name": file.source.name,
            "format": format_of(file, choices).name,
            "columns": columns_of(file, choices),
        }
        for file in files
    ]
    view: dict[str, Any] = {"toml": None, "questions": [], "files": kinds, "figures": None, "notes": []}
    try:
        recording = read(files, choices)
        view |= {"figures": figures(recording), "notes": recording.notes}
        view["toml"] = link_text(recording, choices, [file.source.name for file in files])
    except AskedError as error:
        view["questions"] = error.questions
    return view
