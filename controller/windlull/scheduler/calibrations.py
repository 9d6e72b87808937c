"""Calibrations of the live testbed, on the machine of the scheduler: made one at a time, with nothing beside them.

    waits --nothing else is under way--> measured, in a thread --written down--> gone

Who asks for one leaves a row in the database (`store/calibrations.py`). As long as there is one, the loop gives nothing
out, so that what the workers have comes to its end, and neither a live run nor a simulation disturbs the measurement.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec
import structlog

from windlull.errors import FailureError, WindlullError
from windlull.runner.process import EngineProcess
from windlull.store import calibrations as store
from windlull.store.tables import CalibrationState

if TYPE_CHECKING:
    from collections.abc import Callable

    from windlull.store.database import Database

    Measure = Callable[[list[str], threading.Event], dict[str, Any]]

LONGEST_S = 15 * 60
"""When a measurement is given up: a thorough one takes a few minutes."""
CUT_SHORT = "the service ended while it measured"
LEFT = "the service that measured it was killed"

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Measurement:
    """One under way, and what came of it once `ended` is set."""

    number: int
    stop: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    result: dict[str, Any] | None = None
    reason: str | None = None


class Calibrations:
    """The calibrations that were asked for in a database. All but the measuring is done in the caller's thread."""

    def __init__(self, database: Database, measure: Measure | None = None) -> None:
        """`measure` takes the engine's arguments and a wish to stop; it returns the result or raises WindlullError."""
        self._database = database
        self._measure = measure or _by_engine
        self._under_way: _Measurement | None = None

    def step(self, *, alone: bool) -> bool:
        """Go on; return whether nothing may be given out. `alone` says that the workers have nothing.

        Raises UnavailableError; what was to be written then is written the next time.
        """
        if self._under_way is not None:
            if not self._under_way.ended.is_set():
                return True
            self._write(self._under_way)
        with self._database.reader() as session:
            found = store.under_way(session)
        if found is None:
            return False
        if found.state == CalibrationState.RUNNING:
            # By a scheduler that is gone: there is one at a time, and this one measures nothing.
            with self._database.session() as session:
                store.forget_running(session, LEFT, now=datetime.now(UTC))
        elif alone:
            self._begin(found.id, ["--pace", found.pace, *(["--thorough"] if found.thorough else [])])
        return True

    def end(self) -> None:
        """Cut short what is under way, and write it down. Raises UnavailableError."""
        if self._under_way is not None:
            self._under_way.stop.set()
            self._under_way.ended.wait()
            self._write(self._under_way)

    def _begin(self, number: int, options: list[str]) -> None:
        with self._database.session() as session:
            if not store.begin(session, number, now=datetime.now(UTC)):
                return
        _log.info("calibration begins", calibration=number)
        begun = self._under_way = _Measurement(number)

        def work() -> None:
            try:
                begun.result = self._measure(options, begun.stop)
            except WindlullError as error:
                begun.reason = str(error).removeprefix("error: ") or type(error).__name__
            except Exception as error:  # noqa: BLE001 - who asked must hear of it, whatever it is
                begun.reason = f"an internal error: {error!r}"
                _log.exception("a calibration broke down", calibration=number)
            finally:
                begun.ended.set()

        threading.Thread(target=work, name="calibration", daemon=True).start()

    def _write(self, ended: _Measurement) -> None:
        with self._database.session() as session:
            store.end(session, ended.number, now=datetime.now(UTC), result=ended.result, reason=ended.reason)
        _log.info("calibration ended", calibration=ended.number, reason=ended.reason)
        self._under_way = None


def _by_engine(options: list[str], stop: threading.Event) -> dict[str, Any]:
    """Have the engine measure. It ends when this process does, and when `stop` is set. Raises WindlullError."""
    until_s = time.monotonic() + LONGEST_S

    def look() -> None:
        if stop.is_set():
            raise FailureError(CUT_SHORT)
        if time.monotonic() > until_s:
            raise FailureError(f"it took more than {LONGEST_S // 60} min")

    with EngineProcess(["calibrate", *options, "--lifeline"], lifeline=True) as engine:
        said = b"".join(engine.lines(look))
        if engine.wait() != 0:
            raise engine.error()
    try:
        return msgspec.json.decode(said, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise FailureError(f"what the engine measured cannot be understood: {error}") from error
