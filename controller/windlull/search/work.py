"""What a worker does: the runs of some candidates, simulated or in kernels, and their metrics as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from windlull.errors import EngineDiedError, EngineError
from windlull.runner.messages import ProtocolError
from windlull.runner.work import metrics_only

if TYPE_CHECKING:
    from windlull.runner.work import Chunk
    from windlull.sweep.work import Task


class MeasuredRun(msgspec.Struct, frozen=True):
    """What a run measured."""

    variant: str
    repetition: int
    metrics: dict[str, float]
    unfinished: bool


class Answer(msgspec.Struct, frozen=True):
    """The runs of a candidate, or why there are none.

    A limit ended one, the engine refuses the link, or a kernel's run failed or is not valid by its certificate.
    """

    runs: tuple[MeasuredRun, ...] = ()
    problem: str | None = None


_ANSWER: msgspec.json.Decoder[Answer] = msgspec.json.Decoder(Answer)


def perform(task: Task) -> bytes:
    """Make the runs of the task's only chunk.

    Raises EngineDiedError and EngineMismatchError; another error of the engine is an answer, since another try would
    meet it again and the search goes on without this candidate.
    """
    ((_, chunk),) = task.chunks
    return msgspec.json.encode(_measured(chunk))


def read(octets: bytes) -> Answer:
    """Return what a worker answered. Raises ProtocolError if it is nothing of the kind."""
    try:
        return _ANSWER.decode(octets)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProtocolError(f"a worker's answer cannot be understood: {error}; is it of the same version?") from error


def _measured(chunk: Chunk) -> Answer:
    try:
        runs = metrics_only(chunk)
    except EngineDiedError:
        raise
    except EngineError as error:
        return Answer(problem=str(error))
    for run in runs:
        if run.invalid is not None:
            return Answer(problem=f"the run {run.key} is not valid by its certificate: {'; '.join(run.invalid)}")
    return Answer(
        tuple(
            MeasuredRun(
                run.variant,
                run.repetition,
                {name: float(value) for name, value in run.metrics.items()},
                run.unfinished is not None,
            )
            for run in runs
        )
    )
