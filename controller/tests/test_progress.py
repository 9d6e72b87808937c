"""What a person is told while runs are made."""

from __future__ import annotations

import io

import msgspec
from rich.console import Console
from rich.progress import Progress as ProgressBar

from tests.examples import live, run
from windlull import progress
from windlull.runner.messages import Progress

FAR = msgspec.convert(
    {
        "event": "progress", "testbed": "netns", "variant": "sack", "link": "gprs", "repetition": 2, "seed": "1",
        "directory": "runs/netns/sack/002", "place": 1, "at_s": 12.3, "octets": 300, "of": 1200,
    },
    Progress,
)  # fmt: skip


def test_a_bar_moves_with_a_live_run() -> None:
    bar = ProgressBar(console=Console(file=io.StringIO(), force_terminal=True), auto_refresh=False)
    meter = progress._Bar(bar)
    meter.start("x", 4, live=True)
    meter.advance(live())
    meter.move(FAR)
    [task] = bar.tasks
    assert task.description == "x, sack 2: 25% after 12 s"
    assert 1.2 < task.completed < 1.3
    meter.advance(live(repetition=2))
    assert (task.description, task.completed) == ("x", 2)


def test_a_log_is_told_of_what_has_ended_alone() -> None:
    out = io.StringIO()
    meter = progress._Lines(Console(file=out))
    meter.start("x", 2, live=True)
    meter.move(FAR)
    meter.advance(live())
    meter.advance(run())
    assert out.getvalue().splitlines() == [
        "x: 2 runs, those on kernels told one by one",
        "1 of 2: netns/sack/001",
        "2 of 2 runs finished",
    ]


def test_each_experiment_is_counted_from_its_first_run() -> None:
    out = io.StringIO()
    meters = (
        progress._Lines(Console(file=out)),
        progress._Bar(bar := ProgressBar(console=Console(file=io.StringIO()), auto_refresh=False)),
    )
    for meter in meters:
        for name in ("x", "y"):
            meter.start(name, 1, live=True)
            meter.advance(live())
    assert out.getvalue().splitlines()[1::2] == ["1 of 1: netns/sack/001", "1 of 1: netns/sack/001"]
    assert [(task.completed, task.total) for task in bar.tasks] == [(1, 1)]
