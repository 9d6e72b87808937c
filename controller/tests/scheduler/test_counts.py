from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from prometheus_client import REGISTRY

from windlull.metrics import METRICS
from windlull.scheduler import counts
from windlull.store.runs import Ended, Held
from windlull.store.tables import State

if TYPE_CHECKING:
    from collections.abc import Mapping


def seen(
    variant: str,
    state: State = State.DONE,
    metrics: Mapping[str, float] | None = None,
    waited_s: float | None = 2.0,
    took_s: float | None = 5.0,
) -> counts.Seen:
    ended = Ended(Held(1, 1), state, metrics=metrics, attempts=2)
    return counts.Seen(ended, ("netns", "gprs", variant), waited_s, took_s)


def value(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(name, labels)


def test_a_run_is_counted_by_how_it_ended() -> None:
    counts.add([seen("ended-1"), seen("ended-1"), seen("ended-1", State.INVALID)])
    assert value("windlull_runs_ended_total", testbed="netns", variant="ended-1", state="done") == 2
    assert value("windlull_runs_ended_total", testbed="netns", variant="ended-1", state="invalid") == 1


def test_times_and_attempts_are_summed_up() -> None:
    names = ("windlull_queue_wait_seconds_sum", "windlull_run_seconds_sum", "windlull_run_attempts_total")
    before = [value(name, testbed="netns") or 0 for name in names]
    counts.add([seen("timed"), seen("timed", waited_s=-1.0)])
    after = [value(name, testbed="netns") or 0 for name in names]
    assert [now - then for now, then in zip(after, before, strict=True)] == pytest.approx([2, 10, 4])


def test_scores_are_of_runs_that_count() -> None:
    cell = {"testbed": "netns", "link": "gprs", "variant": "scored"}
    metrics = {"elapsed_s": 8.0, "goodput_bps": 1000.0, "spurious_timeouts": 3, "detection_delay_s": 0.1}
    counts.add([seen("scored", metrics=metrics), seen("scored", State.INVALID, metrics=metrics)])
    counts.add([seen("scored", State.FAILED, metrics=metrics), seen("scored", State.FAILED)])
    assert value("windlull_variant_elapsed_seconds_sum", **cell) == 8
    assert value("windlull_variant_elapsed_seconds_count", **cell) == 1
    assert value("windlull_variant_goodput_bits_per_second_sum", **cell) == 1000
    assert value("windlull_variant_score_total", **cell, metric="spurious_timeouts") == 3
    assert value("windlull_variant_score_total", **cell, metric="detection_delay_s") is None


def test_names_make_no_end_of_series(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "_cells", set())
    monkeypatch.setattr(counts, "MOST_CELLS", 2)
    counts.add([seen(f"many-{number}") for number in range(5)])
    values = [value("windlull_runs_ended_total", testbed="netns", variant=f"many-{n}", state="done") for n in range(5)]
    assert values == [1, 1, None, None, None]
    assert value("windlull_runs_ended_total", testbed="netns", variant=counts.OTHER, state="done") == 3


@pytest.mark.parametrize("name", counts.SCORES)
def test_what_is_summed_up_is_a_count(name: str) -> None:
    assert METRICS[name].unit in {"segments", "packets", "timeouts", "retransmits", "B", "times"}
