"""What the engine says while it runs an experiment, line by line, parsed into types.

A run of the engine says one `plan`, then a `run` for each finished run in order of completion, then `done`;
of live runs also their `progress`, until they are finished.
Conversation is that order as a state machine, without a process: bytes in, messages out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from windlull.contract import engine as contract
from windlull.errors import FailureError
from windlull.runner.needs import Estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Number = int | float

SIMULATED = "sim"
"""The testbed without kernels; every other one is live: real kernels, and a certificate for each run."""
KERNEL = "kernel"
"""The live testbed in virtual time, in Linux kernels of its own."""
VIRTUAL = frozenset({SIMULATED, KERNEL})
"""The testbeds in virtual time: whatever else their machine does, a run is the same, so that many go side by side."""

MOST_REPETITIONS = 100_000
"""More repetitions than that no experiment has."""

_Kind = TypeVar("_Kind")


class ProtocolError(FailureError):
    """The engine said something that this version of the command does not understand."""


def understood(answer: object, kind: type[_Kind], what: str) -> _Kind:
    """Return an answer of the engine as a type of the contract. Raises ProtocolError if it is none."""
    try:
        return msgspec.convert(answer, kind)
    except msgspec.ValidationError as error:
        raise ProtocolError(f"the engine's {what} cannot be understood: {error}") from error


class Published(contract.Published, frozen=True):
    """The numbers that the experiment's source published."""

    def value(self, variant: str, metric: str, link: str | None = None) -> Number | None:
        """Return the published value of `metric` for `variant` on `link` (None: any), None if the source has none."""
        for row in self.rows:
            if row.variant == variant and link in {None, row.link}:
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


_DIAGRAMS = (
    contract.FigureFileTimeSequence,
    contract.FigureFileConversations,
    contract.FigureFileTimer,
    contract.FigureFileRoundTrips,
)
"""Figures that are drawn from the columns of a run's diagram."""


class Experiment(contract.Experiment, frozen=True):
    """The experiment as the engine resolved it."""

    published: Published | None
    figures: tuple[contract.FigureFile, ...] = ()

    @property
    def draws_traces(self) -> bool:
        """Whether a figure shows single runs over time, so that its claims are decided by one run."""
        return self.draws(*_DIAGRAMS, contract.FigureFileBandwidth)

    @property
    def draws_diagrams(self) -> bool:
        """Whether a figure is drawn from the columns of a run's diagram, so that they must be there."""
        return self.draws(*_DIAGRAMS)

    def draws(self, *kinds: type[contract.FigureFile]) -> bool:
        """Whether there is a figure of one of these kinds."""
        return any(isinstance(figure, kinds) for figure in self.figures)

    @property
    def average(self) -> contract.Average:
        """What stands for all repetitions: what the source printed, or the median."""
        return self.published.statistic if self.published else "median"

    def __post_init__(self) -> None:
        """Refuse a seed that has more than 64 bits, and a claim that compares with nothing, or with two things."""
        if not re.fullmatch(r"[0-9]{1,20}", self.seed) or int(self.seed) >= 1 << 64:
            raise ValueError(f"seed {self.seed!r} is not an unsigned 64-bit number")
        for claim in self.claims:
            if (claim.right is None) == (claim.value is None):
                raise ValueError(f"claim {claim.id!r} has not one of right and value")


class Planning:
    """What has an `experiment` as the engine tells it, for files and pages."""

    __slots__ = ()

    experiment: Any

    def read(self) -> Experiment:
        """Return the experiment as a type. Raises ProtocolError if it is none."""
        return understood(self.experiment, Experiment, "plan")


class Plan(contract.MessagePlan, Planning, frozen=True):
    """The first message."""

    experiment: Any
    estimate: Estimate | None

    @property
    def live(self) -> bool:
        """Whether some of the runs take real time."""
        return any(testbed != SIMULATED for testbed in self.testbeds)


class Run(contract.MessageRun, frozen=True):
    """One run is finished, and its directory (relative to the output directory) is whole."""

    attempts: int = 1

    def __post_init__(self) -> None:
        """Refuse a live run without a certificate."""
        if self.certificate is None and self.testbed != SIMULATED:
            raise ValueError(f"a run on {self.testbed} without a certificate")

    @property
    def invalid(self) -> tuple[str, ...] | None:
        """Why the run counts in no statistic; None if it counts."""
        return None if self.certificate is None or self.certificate.valid else self.certificate.reasons

    @property
    def key(self) -> str:
        """The run's directory without the leading `runs/`: its name in the report."""
        return self.directory.removeprefix("runs/")


class Failed(contract.MessageFailed, frozen=True):
    """One run came to nothing: a live one as often as it was tried, a simulated one by a limit. It has no directory."""

    missing: bool = False

    @property
    def key(self) -> str:
        """The name that the run would have in the report."""
        return self.directory.removeprefix("runs/")


Progress = contract.MessageProgress
Done = contract.MessageDone
Message = Plan | Run | Failed | Progress | Done

_MESSAGE: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)


def in_order(testbeds: Iterable[str]) -> list[str]:
    """Return the testbeds as tables have them: the simulated one first, it is what the others are held against."""
    return sorted(testbeds, key=lambda testbed: testbed != SIMULATED)


def order_of(experiment: Experiment, testbeds: Iterable[str]) -> Callable[[Run], tuple[int, ...]]:
    """Return what sorts runs as the experiment has them: by link, variant, testbed and repetition."""
    links = {link.name: place for place, link in enumerate(experiment.links)}
    variants = {variant.name: place for place, variant in enumerate(experiment.variants)}
    first = in_order(testbeds)
    return lambda run: (
        links.get(run.link, len(links)), variants.get(run.variant, len(variants)), first.index(run.testbed),
        run.repetition,
    )  # fmt: skip


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
            case Done(runs=runs):
                ended = len(self.runs) + len(self.failed)
                if self.plan is None or runs != ended:
                    raise self._wrong(f"done after {ended} runs, but it counts {runs}")
                self.done = True
        return message

    def finished(self) -> list[Run]:
        """Return the finished runs in the experiment's order: by link, variant, testbed and repetition."""
        if self.experiment is None or self.plan is None:
            return []
        return sorted(self.runs.values(), key=order_of(self.experiment, self.plan.testbeds))

    def _hear_plan(self, plan: Plan) -> None:
        if self.plan is not None:
            raise self._wrong("a second plan")
        try:
            self.experiment = msgspec.convert(plan.experiment, Experiment)
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
