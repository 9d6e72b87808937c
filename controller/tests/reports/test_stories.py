"""What is printed of a run beside its episodes."""

from __future__ import annotations

import io
import json

from rich.console import Console

from windlull.reports.stories import print_stories, read

RUN = {
    "testbed": "sim", "experiment": "mine", "variant": "sack", "link": "gprs", "repetition": 4, "seed": "7",
    "version": "0.1.0", "commit": "0123456789ab",
}  # fmt: skip


def printed(metrics: dict[str, float]) -> str:
    text = io.StringIO()
    story = read(json.dumps({"provenance": RUN, "episodes": [], "metrics": metrics}).encode())
    print_stories(Console(file=text, width=100), story, ())
    return text.getvalue()


def test_it_is_told_for_which_share_of_the_time_what_limited_the_sender() -> None:
    shares = {"limited_by_pacing": 0.84, "limited_by_congestion_window": 0.152, "limited_by_recovery": 0.004}
    said = "The sender was limited by pacing for 84 %, by the congestion window for 15 % of the time.\n"
    assert said in printed(shares | {"elapsed_s": 25.5})
    assert "limited" not in printed({"elapsed_s": 25.5})
