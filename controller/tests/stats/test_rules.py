from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlull.metrics import METRICS
from windlull.stats.rules import RuleError, parse


@pytest.mark.parametrize(
    ("text", "name", "relation", "factor", "constant"),
    [
        ("elapsed.median > 1.05 * baseline", "elapsed_s.median", ">", 1.05, 0),
        ("elapsed_s.median>1.05*baseline", "elapsed_s.median", ">", 1.05, 0),
        ("  elapsed.mean >= baseline ", "elapsed_s.mean", ">=", 1, 0),
        ("goodput.q1 < 0.95 * baseline", "goodput_bps.q1", "<", 0.95, 0),
        ("elapsed.p90 > baseline + 200 ms", "elapsed_s.p90", ">", 1, 0.2),
        ("elapsed.median > 2 * baseline - 1 min", "elapsed_s.median", ">", 2, -60),
        ("elapsed.median > 30 s", "elapsed_s.median", ">", None, 30),
        ("goodput.median <= 1.5 Mbit/s", "goodput_bps.median", "<=", None, 1.5e6),
        ("spurious_timeouts.mean > 0", "spurious_timeouts.mean", ">", None, 0),
        ("retransmissions.q3 > baseline + 5 segments", "retransmissions.q3", ">", 1, 5),
        ("detection_delay.median > 0.5 s", "detection_delay_s.median", ">", None, 0.5),
    ],
)
def test_rules_are_read(text: str, name: str, relation: str, factor: float | None, constant: float) -> None:
    rule = parse(text)
    assert (rule.name, rule.relation, rule.factor) == (name, relation, factor)
    assert rule.constant == pytest.approx(constant)
    assert rule.text == text.strip()


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("", "at its end", "a rule starts with a metric"),
        ("baseline > elapsed.median", "at 'baseline', character 1", "a rule starts with a metric"),
        ("elapsd.median > 1 s", "at 'elapsd', character 1", "there is no metric elapsd; do you mean elapsed?"),
        ("cows.median > 1", "at 'cows', character 1", "there is no metric cows; there are elapsed_s, throughput_bps"),
        ("elapsed > baseline", "at '>', character 9", "say which statistic of it is meant, as elapsed_s.median"),
        ("elapsed.mode > baseline", "at 'mode', character 9", "there is no statistic 'mode': it is median, mean"),
        ("elapsed.max > baseline", "at 'max', character 9", "max is no statistic to decide by"),
        ("elapsed.median = baseline", "at '=', character 16", "after the statistic stands one of > >= < <="),
        ("elapsed.median", "at its end", "after the statistic stands one of"),
        ("elapsed.median >", "at its end", "a limit is baseline, 1.05 * baseline, baseline + 2 s, or 30 s"),
        ("elapsed.median > 30", "at its end", "30 of what? write 30 s"),
        (
            "elapsed.median > 30 kbit/s",
            "at 'kbit/s', character 21",
            "elapsed_s is not in kbit/s, but in ns or us or ms",
        ),
        ("packets_lost.mean > 3 s", "at 's', character 23", "packets_lost is not in s, but in packets"),
        ("elapsed.median > 105 %", "at '%', character 22", "a factor: 1.05 * baseline"),
        (
            "elapsed.median > baseline + 5 %",
            "at '%', character 31",
            "write a share of the baseline as a factor: 1.05 *",
        ),
        ("elapsed.median > 1.05 * old", "at 'old', character 25", "a factor stands before baseline"),
        ("elapsed.median > 0 * baseline", "at '0', character 18", "compare with 0 itself"),
        ("elapsed.median > baseline * 1.05", "at '*', character 27", "here the rule should end"),
        ("elapsed.median > baseline +", "at its end", "here a number is missing"),
        ("elapsed.median > -3 s", "at '-', character 18", "a limit is baseline"),
        ("elapsed.median > 1 s and goodput.mean < 5 bit/s", "at 'and', character 22", "it has one comparison"),
        ("elapsed.median > (1 s)", "at '(', character 18", "a limit is baseline"),
        ("__import__('os').system > 1", "at '__import__', character 1", "there is no metric __import__"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, where: str, what: str) -> None:
    with pytest.raises(RuleError) as wrong:
        parse(text)
    assert f"{where}: " in str(wrong.value)
    assert what in str(wrong.value)


@given(st.text(max_size=60))
def test_any_text_is_a_rule_or_an_error_of_ours(text: str) -> None:
    try:
        parse(text)
    except RuleError:
        return


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_can_be_in_a_rule(metric: str) -> None:
    assert parse(f"{metric}.median > baseline").metric.name == metric
