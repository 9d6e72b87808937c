from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console
from rich.table import Table

from tests.examples import INVALID, experiment, live, run, simulated
from windlull.reports import terminal
from windlull.reports.library import print_list
from windlull.reports.summary import IN_VIRTUAL_TIME, NOT_SEEDED, print_left_out, print_summary
from windlull.reports.terminal import WIDTH
from windlull.runner.messages import KERNEL
from windlull.runner.setting import Setting
from windlull.stats.claims import judge
from windlull.stats.differences import differences
from windlull.stats.summary import cells, copied

if TYPE_CHECKING:
    from windlull.runner.messages import Run

METRICS = {
    "elapsed_s": 94.13,
    "packets_lost": 9,
    "retransmissions": 57,
    "unnecessary_retransmissions": 48,
    "spurious_timeouts": 5,
    "genuine_timeouts": 1,
}
PUBLISHED: dict[str, Any] = {
    "source": "Sarolahti et al. 2003, Table 1",
    "columns": [
        {"metric": "elapsed_s", "label": "Time (s)"},
        {"metric": "packets_lost", "label": "Packets lost"},
        {"metric": "retransmissions", "label": "Retransmissions"},
    ],
    "rows": [{"variant": "sack", "label": "Regular SACK", "values": [90.5, 8, 60]}],
}


def printed(runs: list[Run], *, terminal: bool = False, **changes: Any) -> str:
    text = io.StringIO()
    about = experiment(**changes)
    summed = cells(about, runs)
    console = Console(file=text, width=WIDTH, highlight=False, markup=False, force_terminal=terminal)
    print_summary(console, about, summed, differences(summed), judge(about, summed))
    print_left_out(console, runs, [])
    return text.getvalue()


def both() -> list[Run]:
    return [run(variant, n, metrics=METRICS) for variant in ("sack", "frto+sack") for n in (1, 2)]


def test_of_copies_it_says_that_they_are_one_run() -> None:
    about, text = experiment(), io.StringIO()
    summed = cells(about, both())
    link = summed[0].link
    assert copied(summed, Setting(settled=frozenset({link}))) == [link]
    assert copied(summed, Setting()) == []
    print_summary(Console(file=text, width=WIDTH), about, summed, [], [], copied=[link])
    assert ", one run: nothing here is random, and its 2 repetitions are copies\n" in text.getvalue()
    assert "medians of 2 runs" in printed(both())
    assert (summed[0].first.runs, summed[0].first.metrics["elapsed_s"].values) == (1, (94.13,))


def test_the_papers_numbers_stand_beside_ours() -> None:
    out = printed(both(), published=PUBLISHED)
    (row,) = [line for line in out.splitlines() if line.startswith("sack")]
    assert row.split() == ["sack", "94.13", "90.50", "9", "8", "57", "60", "48", "5", "1"]
    (other,) = [line for line in out.splitlines() if line.startswith("frto+sack")]
    assert other.split() == ["frto+sack", "94.13", "-", "9", "-", "57", "-", "48", "5", "1"]
    assert "paper: Sarolahti et al. 2003, Table 1" in out


def test_where_the_paper_printed_means_ours_are_means() -> None:
    published = {
        "source": "a table",
        "statistic": "mean",
        "columns": [{"metric": "spurious_timeouts", "label": "Spurious RTOs"}],
        "rows": [{"variant": "sack", "label": "SACK", "values": [4.68]}],
    }
    counts = (0, 1, 1, 7)
    runs = [run("sack", n + 1, metrics=METRICS | {"spurious_timeouts": count}) for n, count in enumerate(counts)]
    out = printed(runs, variants=[{"name": "sack"}], published=published)
    assert "means of 4 runs" in out
    (row,) = [line for line in out.splitlines() if line.startswith("sack")]
    assert row.split() == ["sack", "94.13", "9", "57", "48", "2.25", "4.68", "1"]


def test_without_a_paper_there_is_no_word_of_one() -> None:
    assert "paper" not in printed(both())


def test_it_fits_a_hundred_columns() -> None:
    name = "frto+newreno-sack"
    out = printed(
        [run(name, 1, metrics=METRICS | {"elapsed_s": 123456.78, "retransmissions": 123456})],
        variants=[{"name": name}],
        published=PUBLISHED | {"rows": [{"variant": name, "label": "x", "values": [1000.25, 1000, 1000]}]},
    )
    assert "123,456.78" in out
    assert max(len(line) for line in out.splitlines()) <= WIDTH


def test_simulated_and_live_stand_below_each_other() -> None:
    runs = [made("sack", n) for made in (simulated, live) for n in range(1, 8)]
    runs += [live("sack", 8, metrics={"elapsed_s": 9999.0}, certificate=INVALID)]
    out = printed(runs, repetitions=8)
    lines = out.splitlines()
    sim, apart = [line for line in lines if line.startswith("sack")]
    assert sim.split()[:3] == ["sack", "sim", "7"]
    assert lines[lines.index(sim) + 1].split()[:3] == ["netns", "7", "74.00"]
    assert "medians of 7 runs" in out
    assert "1 run not valid by certificate, excluded above:" in out
    assert "netns/sack/008: the captures dropped 3 packets" in out
    assert apart.split(maxsplit=3) == ["sack", "+0.0", "%", "every one of 7 pairs is equal"]
    assert " ".join(NOT_SEEDED.split()) in " ".join(out.split())
    assert IN_VIRTUAL_TIME[:20] not in out
    assert max(len(line) for line in lines) <= WIDTH


def test_what_is_simulated_alone_has_no_word_of_testbeds() -> None:
    out = printed(both())
    for word in ("testbed", "sim", "live", "valid"):
        assert word not in out


def test_it_fits_a_hundred_columns_with_testbeds_too() -> None:
    name = "linux-no-timestamps"
    out = printed(
        [made(name, 1, metrics=METRICS | {"elapsed_s": 1234.56}) for made in (simulated, live)],
        variants=[{"name": name}],
        published=PUBLISHED | {"rows": [{"variant": name, "label": "x", "values": [1000.25, 1000, 1000]}]},
    )
    lines = out.splitlines()
    (sim, _) = [place for place, line in enumerate(lines) if line.startswith(name)]
    assert lines[sim].split() == [name, "sim", "1", "1,234.56", "9", "57", "48", "5", "1"]
    assert lines[sim + 1].split()[:3] == ["netns", "1", "1,234.56"]
    assert lines[sim + 2].split() == ["paper", "1,000.25", "1,000", "1,000", "-", "-", "-"]
    assert max(len(line) for line in lines) <= WIDTH


def test_too_few_runs_to_tell_are_called_that() -> None:
    out = printed([simulated("sack", 1), live("sack", 1, metrics={"elapsed_s": 142.0})])
    assert "+100.0 %" in out
    assert "1 pair of runs: too few to tell a difference from chance (it takes 6)" in out


def test_no_colour_without_a_terminal() -> None:
    assert "\x1b" not in printed(both(), published=PUBLISHED)
    assert "\x1b" in printed(both(), published=PUBLISHED, terminal=True)


def test_claims_stand_with_their_status_and_numbers() -> None:
    claim = {
        "id": "c", "text": "F-RTO is not slower", "metric": "elapsed_s",
        "left": "frto+sack", "relation": "<=", "right": "sack",
    }  # fmt: skip
    out = " ".join(printed(both(), claims=[claim]).split())
    assert "reproduced F-RTO is not slower" in out
    assert "frto+sack 94.13 s against sack 94.13 s" in out
    assert "it takes" not in out
    missed = printed(both(), claims=[claim | {"relation": "<"}])
    assert "it takes: median elapsed time of frto+sack less than that of sack" in " ".join(missed.split())


def test_text_of_the_experiment_is_not_markup() -> None:
    assert "[bold]x[/bold]" in printed(both(), title="[bold]x[/bold]")


def test_each_link_has_a_table() -> None:
    links = [{"name": "gprs", "title": "GPRS"}, {"name": "edge", "title": "EDGE"}]
    out = printed([*both(), run("sack", 1, link="edge", directory="runs/edge/sack/001", metrics=METRICS)], links=links)
    assert "GPRS, medians of 2 runs" in out
    assert "EDGE, medians of 1 run" in out


@pytest.mark.parametrize(("of", "on_edge"), [(("gprs",), "-"), (("gprs", "edge"), "90.50")])
def test_the_papers_numbers_stand_at_their_link(of: tuple[str, ...], on_edge: str) -> None:
    links = [{"name": "gprs", "title": "GPRS"}, {"name": "edge", "title": "EDGE"}]
    published = PUBLISHED | {"rows": [{**row, "link": link} for row in PUBLISHED["rows"] for link in of]}
    runs = [*both(), run("sack", 1, link="edge", directory="runs/edge/sack/001", metrics=METRICS)]
    out = printed(runs, links=links, published=published)
    rows = [line.split() for line in out.splitlines() if line.startswith("sack ")]
    assert [row[2] for row in rows] == ["90.50", on_edge]


def test_lists_are_lines_of_tabs_for_a_program() -> None:
    text = io.StringIO()
    print_list(
        Console(file=text, width=20), [{"name": "gprs", "title": "A long title of a link", "source": "somewhere"}]
    )
    assert text.getvalue() == "gprs\tA long title of a link\tsomewhere\n"


def test_what_a_program_reads_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    piped = io.StringIO()
    monkeypatch.setattr("sys.stdout", piped)
    name = "a-variant-with-a-name-that-is-far-longer-than-any-terminal-is-wide-" * 3
    print_summary(
        terminal.console(),
        experiment(variants=[{"name": name}]),
        cells(experiment(variants=[{"name": name}]), [run(name, 1, metrics=METRICS)]),
        [],
        [],
    )
    assert name in piped.getvalue()


def test_of_runs_in_virtual_time_the_clock_repeats() -> None:
    runs = [live("sack", n, testbed=KERNEL) for n in range(1, 8)]
    out = " ".join(printed(runs, repetitions=7).split())
    assert IN_VIRTUAL_TIME in out
    assert NOT_SEEDED not in out


def test_off_a_terminal_no_line_is_filled_with_blanks(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(box=None, show_header=False)
    table.add_row("one", "and its words")
    table.add_row("two", "-")
    terminal.console().print(table)
    assert capsys.readouterr().out == " one  and its words\n two  -\n"


def test_below_a_table_it_is_said_that_the_receive_window_limited_the_sender() -> None:
    limited = METRICS | {"limited_by_receive_window": 0.93}
    runs = [run(variant, n, metrics=limited) for variant in ("sack", "frto+sack") for n in (1, 2)]
    text = printed(runs)
    assert "sack, frto+sack: limited by the receive window for 93 % of the time" in text
    assert "limited by" not in printed(both())


def test_of_transfers_for_a_set_time_it_is_said_how_much_arrived() -> None:
    for_a_time = METRICS | {"elapsed_s": 60.0, "goodput_bps": 16_082_646}
    runs = [run(variant, n, metrics=for_a_time) for variant in ("sack", "frto+sack") for n in (1, 2)]
    text = printed(runs)
    assert "goodput" in text
    assert "16,082,646" in text
    runs.append(run("sack", 3, metrics=for_a_time | {"elapsed_s": 59.0}))
    assert "goodput" not in printed(runs)
