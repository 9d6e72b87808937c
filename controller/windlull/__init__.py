"""Windlull: a link emulator and a TCP recovery laboratory.

For programs and notebooks:

    import windlull

    batch = windlull.load("first-look").run(repetitions=20)
    batch.frame()                                   # a row a run, as pandas has it
    print(batch.compare("sack"))                    # better, worse, equal or inconclusive, and how sure that is
    batch.run("frto+sack").diagram()                # what happened, as a picture

The command `windlull` is made of the same. It calls the engine (a Rust binary), sums up what the runs measured, judges
the claims of an experiment, and writes results and reports. This package computes no protocol result: those come from
the engine.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from windlull.diagram.time_sequence import Diagram
    from windlull.errors import BadInputError, EngineError, FailureError, WindlullError
    from windlull.experiments.batch import Batch, compare, gate, read
    from windlull.experiments.experiment import Experiment, load
    from windlull.experiments.judging import GateVerdict, Verdicts
    from windlull.experiments.runs import Run
    from windlull.experiments.swept import Swept

_FROM = {
    "Diagram": "diagram.time_sequence",
    **dict.fromkeys(("BadInputError", "EngineError", "FailureError", "WindlullError"), "errors"),
    **dict.fromkeys(("Batch", "compare", "gate", "read"), "experiments.batch"),
    **dict.fromkeys(("Experiment", "load"), "experiments.experiment"),
    **dict.fromkeys(("GateVerdict", "Verdicts"), "experiments.judging"),
    "Run": "experiments.runs",
    "Swept": "experiments.swept",
}
"""Where each name of the interface is. It is loaded when it is first asked for: statistics take a while."""

__all__ = [
    "BadInputError",
    "Batch",
    "Diagram",
    "EngineError",
    "Experiment",
    "FailureError",
    "GateVerdict",
    "Run",
    "Swept",
    "Verdicts",
    "WindlullError",
    "__version__",
    "compare",
    "gate",
    "load",
    "read",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - of each name its own
    """Load a name of the interface."""
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_FROM[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_FROM})
