"""What the engine says while it runs an experiment, line by line, parsed into types.

A run of the engine says one `plan`, then a `run` for each finished run in order of completion, then `done`;
of live runs also their `progress`, until they are finished.
Conversation is that order as a state machine, without a process: bytes in, messages out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from windlull.errors import FailureError
from windlull.runner.needs import Estimate

if TYPE_CHECKING:
    from collections.abc import Iterable

Number = int | float
Relation = Literal["<", "<=", ">", ">=", "within", "~"]
Average = Literal["median", "mean"]
Statistic = Literal["median", "mean", "q1", "q3", "min", "max"]

SIMULATED = "sim"
"""The testbed without kernels; every other one is live: real kernels, and a certificate for each run."""
KERNEL = "kernel"
"""The live testbed in virtual time, in Linux kernels of its own."""
VIRTUAL = frozenset({SIMULATED, KERNEL})
"""The testbeds in virtual time: whatever else their machine does, a run is the same, so that many go side by side."""
Testbed = Literal["sim", "netns", "kernel", "compose"]

MOST_REPETITIONS = 100_000
"""More repetitions than that no experiment has."""


class ProtocolError(FailureError):
    """The engine said something that this version of the command does not understand."""


class Named(msgspec.Struct, frozen=True):
    """A link or a variant of the experiment; the engine says more of it, which only the report shows.

    `testbeds` are those that a variant runs in; empty if the engine does not say, which is all of the plan's.
    """

    name: str
    title: str = ""
    testbeds: tuple[str, ...] = ()


class Column(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A column of published numbers: one of our metrics, and what the source calls it."""

    metric: str
    label: str


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of published numbers: what the source says of one variant on one link, one value for each column.

    A record of an earlier engine names no link: the row is of any.
    """

    variant: str
    label: str
    values: tuple[Number | None, ...]
    link: str | None = None


class Published(msgspec.Struct, frozen=True):
    """The numbers that the experiment's source published."""

    source: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    statistic: Average = "median"

    def value(self, variant: str, metric: str, link: str | None = None) -> Number | None:
        """Return the published value of `metric` for `variant` on `link` (None: any), None if the source has none."""
        for row in self.rows:
            if row.variant == variant and (link is None or row.link in (None, link)):
                for column, value in zip(self.columns, row.values, strict=True):
                    if column.metric == metric:
                        return value
        return None

    def __post_init__(self) -> None:
        """Refuse a row that is longer or shorter than the columns."""
        for row in self.rows:
            if len(row.values) != len(self.columns):
                raise ValueError(
                    f"published row {row.label!r} has {len(row.values)} values for {len(self.columns)} columns"
                )


class Claim(msgspec.Struct, frozen=True):
    """A sentence that the measurements can bear out: `left RELATION factor * right`, or `left RELATION value`.

    With `within`: `|left - right| <= tolerance * right`. With `~`: the 95 % interval of their ratio includes 1. `per`
    divides the metric run by run; `link` and `right_link` say where each side is from, None: each link for itself.
    """

    id: str
    text: str
    metric: str
    left: str
    relation: Relation
    right: str | None = None
    value: Number | None = None
    per: str | None = None
    link: str | None = None
    right_link: str | None = None
    statistic: Statistic = "median"
    factor: Number | None = None
    tolerance: Number | None = None
    note: str | None = None

    def __post_init__(self) -> None:
        """Refuse a claim that compares with nothing, or with two things."""
        if (self.right is None) == (self.value is None):
            raise ValueError(f"claim {self.id!r} has not one of right and value")


class Figure(msgspec.Struct, frozen=True):
    """A figure that the experiment repeats; what else the engine says of it depends on its kind."""

    kind: str
    metric: str | None = None

    @property
    def is_trace(self) -> bool:
        """Whether it shows single runs over time, and no distribution."""
        return self.kind in {"time-sequence", "conversations", "timer", "round-trips", "bandwidth"}

    @property
    def is_diagram(self) -> bool:
        """Whether it is drawn from the columns of a run's diagram."""
        return self.is_trace and self.kind != "bandwidth"


class Experiment(msgspec.Struct, frozen=True):
    """The part of a resolved experiment that this package reads."""

    name: str
    seed: str
    repetitions: int
    links: tuple[Named, ...]
    variants: tuple[Named, ...]
    version: str
    commit: str
    title: str = ""
    source: str = ""
    published: Published | None = None
    figures: tuple[Figure, ...] = ()
    claims: tuple[Claim, ...] = ()

    @property
    def draws_traces(self) -> bool:
        """Whether a figure shows single runs over time, so that its claims are decided by one run."""
        return any(figure.is_trace for figure in self.figures)

    @property
    def draws_diagrams(self) -> bool:
        """Whether a figure is drawn from the columns of a run's diagram, so that they must be there."""
        return any(figure.is_diagram for figure in self.figures)

    def draws(self, kind: str) -> bool:
        """Whether there is a figure of this kind."""
        return any(figure.kind == kind for figure in self.figures)

    @property
    def average(self) -> Average:
        """What stands for all repetitions: what the source printed, or the median."""
        return self.published.statistic if self.published else "median"

    def __post_init__(self) -> None:
        """Refuse a seed that is not an unsigned 64-bit number in decimal."""
        if not re.fullmatch(r"[0-9]{1,20}", self.seed) or int(self.seed) >= 1 << 64:
            raise ValueError(f"seed {self.seed!r} is not an unsigned 64-bit number")


class Plan(msgspec.Struct, frozen=True, tag_field="event", tag="plan", forbid_unknown_fields=True):
    """The first message: the experiment as the engine resolved it, how many runs there will be, and what they need.

    `estimate` is None where nobody knows what a command will send.
    """

    experiment: dict[str, Any]
    runs: int
    testbeds: tuple[str, ...] = (SIMULATED,)
    estimate: Estimate | None = None

    @property
    def live(self) -> bool:
        """Whether some of the runs take real time."""
        return any(testbed != SIMULATED for testbed in self.testbeds)

    def read(self) -> Experiment:
        """Return the experiment as a type. Raises msgspec.ValidationError if it is not one."""
        return msgspec.convert(self.experiment, Experiment)


class Certificate(msgspec.Struct, frozen=True):
    """How true to its plan a live run was; the report shows all that the engine says of it.

    An invalid run was beyond a tolerance; `reasons` say which. It is kept and shown, and counts in no statistic.
    """

    valid: bool
    reasons: tuple[str, ...] = ()


class Run(msgspec.Struct, frozen=True, tag_field="event", tag="run", forbid_unknown_fields=True):
    """One run is finished, and its directory (relative to the output directory) is whole.

    `certificate` is the engine's own document, for live runs; `attempts` says which attempt this is. `unfinished` says
    how the transfer ended if it did not end in order; `place` is that in the plan, from 0.
    """

    variant: str
    link: str
    repetition: int
    seed: str
    directory: str
    metrics: dict[str, Number]
    testbed: str = SIMULATED
    certificate: dict[str, Any] | None = None
    attempts: int = 1
    unfinished: str | None = None
    place: int | None = None

    def __post_init__(self) -> None:
        """Refuse a live run without a certificate, or with one that says nothing."""
        if self.certificate is not None:
            msgspec.convert(self.certificate, Certificate)
        elif self.testbed != SIMULATED:
            raise ValueError(f"a run on {self.testbed} without a certificate")

    @property
    def invalid(self) -> tuple[str, ...] | None:
        """Why the run counts in no statistic; None if it counts."""
        if self.certificate is None:
            return None
        certificate = msgspec.convert(self.certificate, Certificate)
        return None if certificate.valid else certificate.reasons

    @property
    def key(self) -> str:
        """The run's directory without the leading `runs/`: its name in the report."""
        return self.directory.removeprefix("runs/")


class Failed(msgspec.Struct, frozen=True, tag_field="event", tag="failed", forbid_unknown_fields=True):
    """One run came to nothing: a live one as often as it was tried, a simulated one by a limit. It has no directory.

    `missing` says that it is not at fault: a process that makes runs is not there, or went away.
    """

    testbed: str
    variant: str
    link: str
    repetition: int
    seed: str
    directory: str
    attempts: int
    reason: str
    missing: bool = False
    place: int | None = None

    @property
    def key(self) -> str:
        """The name that the run would have in the report."""
        return self.directory.removeprefix("runs/")


class Progress(msgspec.Struct, frozen=True, tag_field="event", tag="progress", forbid_unknown_fields=True):
    """How far a live run is: so many of its octets are there, so many seconds of its own time after its start."""

    testbed: str
    variant: str
    link: str
    repetition: int
    seed: str
    directory: str
    at_s: Number
    octets: int
    of: int
    place: int | None = None


class Done(msgspec.Struct, frozen=True, tag_field="event", tag="done", forbid_unknown_fields=True):
    """The last message: all runs are finished."""

    runs: int


Message = Plan | Run | Failed | Progress | Done

_MESSAGE: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)


def in_order(testbeds: Iterable[str]) -> list[str]:
    """Return the testbeds as tables have them: the simulated one first, it is what the others are held against."""
    return sorted(testbeds, key=lambda testbed: testbed != SIMULATED)


class Conversation:
    """What the engine has said so far. `hear` takes the next line and returns it parsed.

    Every error is a ProtocolError that names the line.
    """

    def __init__(self) -> None:
        self.plan: Plan | None = None
        self.experiment: Experiment | None = None
        self.runs: dict[tuple[str, str, str, int], Run] = {}
        self.failed: dict[tuple[str, str, str, int], Failed] = {}
        self.done = False
        self._line = 0
        self._links: frozenset[str] = frozenset()
        self._variants: frozenset[str] = frozenset()

    def hear(self, line: bytes) -> Message:
        """Take in one line of the engine's."""
        self._line += 1
        try:
            message = _MESSAGE.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._wrong(str(error)) from error
        if self.done:
            raise self._wrong("a message after the last one")
        match message:
            case Plan():
                self._hear_plan(message)
            case Run():
                self.runs[self._place(message)] = message
            case Failed():
                self.failed[self._place(message)] = message
            case Progress():
                self._check(message)
            case Done(runs):
                ended = len(self.runs) + len(self.failed)
                if self.plan is None or runs != ended:
                    raise self._wrong(f"done after {ended} runs, but it counts {runs}")
                self.done = True
        return message

    def finished(self) -> list[Run]:
        """Return the finished runs in the experiment's order: by link, variant, testbed and repetition."""
        if self.experiment is None or self.plan is None:
            return []
        links = {link.name: place for place, link in enumerate(self.experiment.links)}
        variants = {variant.name: place for place, variant in enumerate(self.experiment.variants)}
        testbeds = {testbed: place for place, testbed in enumerate(in_order(self.plan.testbeds))}
        return sorted(
            self.runs.values(),
            key=lambda run: (links[run.link], variants[run.variant], testbeds[run.testbed], run.repetition),
        )

    def _hear_plan(self, plan: Plan) -> None:
        if self.plan is not None:
            raise self._wrong("a second plan")
        try:
            self.experiment = plan.read()
        except msgspec.ValidationError as error:
            raise self._wrong(str(error)) from error
        self.plan = plan
        self._links = frozenset(link.name for link in self.experiment.links)
        self._variants = frozenset(variant.name for variant in self.experiment.variants)

    def _place(self, run: Run | Failed) -> tuple[str, str, str, int]:
        """Return which run of the plan this is. Raises ProtocolError if it is none, or has been told of before."""
        self._check(run)
        key = (run.testbed, run.link, run.variant, run.repetition)
        if key in self.runs or key in self.failed:
            raise self._wrong(f"the run {run.key} a second time")
        return key

    def _check(self, run: Run | Failed | Progress) -> None:
        """Raise ProtocolError if this is no run of the plan."""
        if self.experiment is None or self.plan is None:
            raise self._wrong("a run before the plan")
        if run.testbed not in self.plan.testbeds:
            raise self._wrong(f"a run on testbed {run.testbed!r}, which is not in the plan")
        if run.variant not in self._variants:
            raise self._wrong(f"a run of variant {run.variant!r}, which is not in the plan")
        if run.link not in self._links:
            raise self._wrong(f"a run of link {run.link!r}, which is not in the plan")
        if not 1 <= run.repetition <= self.experiment.repetitions:
            raise self._wrong(f"repetition {run.repetition} of {self.experiment.repetitions}")
        parts = run.directory.split("/")
        if len(parts) < 3 or parts[0] != "runs" or not {"", ".", ".."}.isdisjoint(parts):
            raise self._wrong(f"a run's directory {run.directory!r} that is not under runs/")

    def _wrong(self, what: str) -> ProtocolError:
        return ProtocolError(
            f"the engine's message {self._line} cannot be understood: {what}; "
            "are the engine and the command of the same version?"
        )
