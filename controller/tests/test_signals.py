"""Signals are heard where Python hands them over, and nowhere else is it an error to want them."""

from __future__ import annotations

import os
import signal
import threading
from signal import Signals

from windlull import signals


def test_the_main_thread_hears_them_and_has_its_own_again() -> None:
    came: list[Signals] = []
    before = signal.getsignal(signal.SIGTERM)
    with signals.heard(came.append):
        os.kill(os.getpid(), signal.SIGTERM)
    assert came == [Signals.SIGTERM]
    assert signal.getsignal(signal.SIGTERM) is before


def test_another_thread_hears_nothing_and_changes_nothing() -> None:
    seen: list[object] = []
    came: list[Signals] = []

    def within() -> None:
        with signals.heard(came.append):
            seen.append(signal.getsignal(signal.SIGTERM))

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=within)
    thread.start()
    thread.join()
    assert seen == [before]
