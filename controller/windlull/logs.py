"""What the processes of a service say on standard error: a JSON object a line, or, at a terminal, lines to read.

Every line has `at` (RFC 3339, UTC), `level`, `process` (which of the service's), `pid` and `event` (what happened, in
words that stay the same); whatever else belongs to it has a name of its own. Python's own `logging` comes out the same.
"""

from __future__ import annotations

import logging
import os
import sys
from typing import TYPE_CHECKING, Any

import structlog

if TYPE_CHECKING:
    from structlog.typing import EventDict, Processor, WrappedLogger

_QUIET = ("distributed", "alembic", "sqlalchemy", "asyncio", "tornado")
"""Libraries that tell more than a service's owner wants to know: of them, warnings."""


def configure(process: str) -> None:
    """Make all that this process logs come out in our form. Call it first.

    The environment's WINDLULL_LOG_LEVEL says from which level on: `debug`, `info` (also for what is no level) ...
    """
    level = logging.getLevelNamesMapping().get(os.environ.get("WINDLULL_LOG_LEVEL", "").upper(), logging.INFO)

    def of_this_process(_logger: WrappedLogger, _method: str, said: EventDict) -> EventDict:
        # The number is asked for each time: a worker is a fork.
        said["process"], said["pid"] = process, os.getpid()
        return said

    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        of_this_process,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.ExtraAdder()],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_last(sys.stderr.isatty())],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))
    logging.captureWarnings(True)  # noqa: FBT003 - logging's own


def _last(at_terminal: bool) -> list[Processor]:  # noqa: FBT001 - one caller
    if at_terminal:
        # Not the traceback with the values of variables: one may be a password.
        plain = structlog.dev.plain_traceback
        return [
            _for_people,
            structlog.dev.ConsoleRenderer(timestamp_key="at", pad_event_to=0, exception_formatter=plain),
        ]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(ensure_ascii=False, default=str)]


def _for_people(_logger: Any, _method: str, said: EventDict) -> EventDict:  # noqa: ANN401 - structlog's own
    """Leave out what only machines want."""
    said["at"] = str(said["at"])[11:19]
    said.pop("pid", None)
    return said
