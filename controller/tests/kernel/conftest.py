"""Tests that make runs in a kernel of their own. `make test-kernel-runs` builds it first."""

from __future__ import annotations

import os

collect_ignore = (
    []
    if os.environ.get("WINDLULL_KERNEL_RUNS")
    else [
        "test_beside.py",
        "test_check.py",
        "test_queues.py",
        "test_replay.py",
        "test_runs.py",
        "test_scripts.py",
        "test_search.py",
        "test_series.py",
        "test_service.py",
    ]
)
