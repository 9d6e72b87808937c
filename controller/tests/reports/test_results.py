from __future__ import annotations

import json
from pathlib import Path

from tests.examples import INVALID, experiment, live, plan, run, simulated
from windlull.reports.indented import readable
from windlull.reports.results import experiment_json, results_json
from windlull.stats.summary import cells

GOLDEN = Path(__file__).parent / "golden" / "results.json"


def document(retransmissions: int = 12, planned: int = 4) -> bytes:
    runs = [
        run("frto+sack", 2, metrics={"elapsed_s": 76.5, "retransmissions": retransmissions}),
        run("sack", 1, metrics={"elapsed_s": 94.125, "retransmissions": 57, "detection_delay_s": 0.25}),
        run("sack", 2, metrics={"retransmissions": 60, "elapsed_s": 90.0}),
        run("frto+sack", 1, metrics={"elapsed_s": 75.25, "retransmissions": 13}),
    ]
    seed = "18446744073709551615"
    about = experiment(seed=seed)
    return results_json(plan(planned, seed=seed), about, cells(about, runs), runs)


def test_the_results_are_these_bytes() -> None:
    assert document().decode() == GOLDEN.read_text(encoding="utf-8")


def test_the_golden_file_notices_a_change() -> None:
    assert document(retransmissions=11).decode() != GOLDEN.read_text(encoding="utf-8")


def test_the_golden_file_is_possible() -> None:
    """What no summary can break: order of the quantiles, the mean between the extremes, a value for each run."""
    for cell in json.loads(GOLDEN.read_text(encoding="utf-8"))["cells"]:
        for summary in cell["metrics"].values():
            assert summary["min"] <= summary["q1"] <= summary["median"] <= summary["q3"] <= summary["max"]
            assert summary["min"] <= summary["mean"] <= summary["max"]
            assert len(summary["values"]) <= cell["runs"]


def test_what_was_simulated_alone_has_no_word_of_validity() -> None:
    written = json.loads(document())
    assert "invalid" not in written
    assert [list(cell)[:4] for cell in written["cells"]] == [["variant", "link", "testbed", "runs"]] * 2
    assert all("invalid" not in cell for cell in written["cells"])


def test_invalid_runs_are_named_and_in_no_number() -> None:
    bad = live("sack", 2, metrics={"elapsed_s": 9999.0}, certificate=INVALID)
    runs = [simulated("sack", 1), live("sack", 1), bad]
    about = experiment()
    written = json.loads(results_json(plan(4), about, cells(about, runs), runs))
    assert written["invalid"] == [{"run": "netns/sack/002", "reasons": ["the captures dropped 3 packets"]}]
    assert written["incomplete"] == {"finished": 3, "planned": 4}
    sim, netns = written["cells"]
    assert (sim["testbed"], sim["runs"]) == ("sim", 1)
    assert "invalid" not in sim
    assert (netns["testbed"], netns["runs"], netns["invalid"]) == ("netns", 1, 1)
    assert netns["metrics"]["elapsed_s"]["values"] == [71.0]


def test_runs_that_did_not_end_in_order_are_named_and_in_no_number() -> None:
    """A command that failed at once was in the medians of `windlull run`, and in none of the service's."""
    bad = run("sack", 2, metrics={"elapsed_s": 0.1}, unfinished="the command ended with exit code 7")
    runs = [run("sack", 1), bad]
    about = experiment()
    written = json.loads(results_json(plan(2), about, cells(about, runs), runs))
    assert written["unfinished"] == [{"run": "sack/002", "ending": "the command ended with exit code 7"}]
    # As in the service: what hung is missing, and a gate passes nothing without it.
    assert written["incomplete"] == {"finished": 1, "planned": 2}
    (cell,) = written["cells"]
    assert (cell["runs"], cell["unfinished"]) == (1, 1)
    assert 0.1 not in cell["metrics"]["elapsed_s"]["values"]


def test_values_say_which_repetitions_they_are_of_unless_it_is_the_first_ones() -> None:
    about = experiment()
    runs = [run("sack", 1), run("sack", 2, metrics={"elapsed_s": 90.0, "detection_delay_s": 0.25})]
    metrics = json.loads(results_json(plan(2), about, cells(about, runs), runs))["cells"][0]["metrics"]
    assert "repetitions" not in metrics["elapsed_s"]
    assert metrics["detection_delay_s"]["repetitions"] == [2]


def test_unfinished_results_say_so() -> None:
    assert "incomplete" not in json.loads(document())
    assert json.loads(document(planned=6))["incomplete"] == {"finished": 4, "planned": 6}


def test_experiment_json_holds_what_the_engine_resolved() -> None:
    planned = plan()
    written = json.loads(experiment_json(planned))
    assert written == {"experiment": planned.experiment, "runs": 6}
    assert written["experiment"]["commit"] == "0123456789ab"


def test_readable_json_is_the_same_json() -> None:
    value: dict[str, object] = {
        "a": [1, {"b": "\N{LATIN SMALL LETTER E WITH ACUTE}\n"}],
        "c": {},
        "d": [],
        "e": None,
        "f": 0.1,
    }
    for depth in range(4):
        assert json.loads(readable(value, depth)) == value
    assert readable({"a": {"b": [1, 2]}}, 1) == b'{\n  "a": {"b": [1, 2]}\n}\n'
