"""Several files together, cut and scaled; ERRANT's rows; the link that is made."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from windlull.errors import BadInputError
from windlull.recordings.choices import AskedError, Choices
from windlull.recordings.link import figures, link_text
from windlull.recordings.reading import Direction, Given, columns_of, format_of, read
from windlull.recordings.source import RecordingError, Source

if TYPE_CHECKING:
    from windlull.recordings.recording import Recording

DRIVE = "time_s;DL kbit/s;UL kbit/s;RTT ms\n0;1000;500;40\n1;2000;500;40\n2;0;500;60\n3;3000;500;40\n"

ERRANT = """\
operator,country,rat,signal_quality,download_kbps,upload_kbps,latency_ms_avg,latency_ms_stdev
3,sweden,3G,bad,3075.1625206571275,908.556253720688,145.32302383897778,90.8346100265561
telia,sweden,4G,medium,28648.29771023976,4224.282864079301,104.5041425140391,56.76313884877055
"""


def given(text: str, name: str = "drive.csv", direction: Direction = "both") -> Given:
    return Given(Source(name, text.encode()), direction)


def reading(*files: Given, **choices: Any) -> Recording:
    return read(files, Choices(**choices))


def link(*files: Given, **choices: Any) -> dict[str, Any]:
    of = Choices(**choices)
    return tomllib.loads(link_text(read(files, of), of, [one.source.name for one in files]))


def asked(*files: Given, **choices: Any) -> list[tuple[str, str | None]]:
    with pytest.raises(AskedError) as caught:
        link(*files, **choices)
    return [(question.what, question.quantity) for question in caught.value.questions]


def test_a_drive_becomes_a_link_with_a_recording() -> None:
    made = link(given(DRIVE), zeros="outage", random_start=True)
    assert made["title"] == "Recorded: drive.csv"
    assert made["start"] == "random"
    # 6 Mbit in 4 s, and 300 ms of that.
    assert made["down"] == {
        "rate": "1.5 Mbit/s", "delay": "20 ms", "queue": {"kind": "droptail", "limit": "57 kB"}
    }  # fmt: skip
    assert made["recording"] == {
        "period": "4 s",
        "zeros": "outage",
        "csv": "time_s,down_bps,up_bps,delay_ms\n0,1000000,500000,20\n1,2000000,,\n2,0,,30\n3,3000000,,20\n",
    }


def test_zeros_and_what_no_file_tells_are_asked() -> None:
    assert asked(given(DRIVE)) == [("zeros", None)]
    assert asked(given("0\n5\n", "a.down")) == [("rate", "up"), ("delay", "delay")]
    made = link(given("0\n5\n", "a.down"), up_rate="2 Mbit/s", delay="25 ms", loss="1 %", queue="50 kB")
    assert made["down"]["rate"] == {"kind": "trace", "milliseconds": [0, 5]}
    assert made["up"] == {"rate": "2 Mbit/s", "delay": "25 ms", "queue": {"kind": "droptail", "limit": "50 kB"}}
    assert made["impairment"][0]["probability"] == "1 %"
    assert "recording" not in made


def test_several_files_tell_of_one_link() -> None:
    ping = "\n".join(f"64 bytes from 192.0.2.1: icmp_seq={seq} ttl=63 time={40 + seq} ms" for seq in (1, 2, 3))
    whole = reading(given("0\n1500\n", "a.down"), given("10\n", "a.up"), given(ping, "ping.txt"))
    assert whole.down.opportunities_ms is not None
    assert whole.up.opportunities_ms is not None
    assert whole.down.delay_ms is not None
    assert whole.down.delay_ms.tolist() == [20.5, 21, 21.5]
    assert whole.length_s == 3
    assert not any("one file lasts" in note for note in whole.notes)


def test_of_files_of_different_lengths_what_all_tell_is_taken() -> None:
    rates = "time_s,down_mbps,up_mbps\n" + "".join(f"{second},{second + 1},1\n" for second in range(3))
    ping = "\n".join(f"64 bytes from 192.0.2.1: icmp_seq={seq} ttl=63 time={40 + seq} ms" for seq in range(1, 9))
    for files in ((given(rates), given(ping, "ping.txt")), (given(ping, "ping.txt"), given(rates))):
        whole = reading(*files)
        assert (whole.length_s, len(whole.time_s)) == (3, 3)
        assert figures(whole).down.mean_bps == 2e6
        assert "one file lasts 8 s: of it, the first 3 s are taken, as another one lasts" in whole.notes


def test_who_gives_a_file_says_of_which_direction_it_tells() -> None:
    up = reading(given("0\n5\n", "bw_1.txt", "up"))
    assert up.down.is_empty
    assert up.up.opportunities_ms is not None
    alone = reading(given(DRIVE, direction="up"))
    assert alone.down.is_empty
    assert alone.up.rate_bps is not None


def test_a_recording_is_cut() -> None:
    middle = reading(given(DRIVE), from_s=0.5, to_s=2.5)
    assert middle.down.rate_bps is not None
    assert middle.time_s.tolist() == [0, 0.5, 1.5]
    assert middle.down.rate_bps.tolist() == [1e6, 2e6, 0]
    assert middle.length_s == 2
    trace = reading(given("0\n5\n1500\n1510\n3000\n", "a.down"), from_s=1.0, to_s=2.0)
    assert trace.down.opportunities_ms is not None
    assert trace.down.opportunities_ms.tolist() == [500, 510]
    with pytest.raises(BadInputError, match="the recording is 4 s long"):
        reading(given(DRIVE), from_s=4.0)
    with pytest.raises(BadInputError, match="the cut must begin at 0 s or later"):
        Choices(from_s=3.0, to_s=2.0)


def test_a_recording_is_scaled() -> None:
    twice = reading(given(DRIVE), rate_times=2.0, delay_times=0.5)
    assert twice.down.rate_bps is not None
    assert twice.down.delay_ms is not None
    assert twice.down.rate_bps.tolist() == [2e6, 4e6, 0, 6e6]
    assert twice.down.delay_ms.tolist() == [10, 10, 15, 10]
    trace = reading(given("1\n2\n3\n4\n", "a.down"), rate_times=1.5)
    assert trace.down.opportunities_ms is not None
    assert trace.down.opportunities_ms.tolist() == [1, 2, 2, 3, 4, 4]
    with pytest.raises(BadInputError, match="is no scale"):
        Choices(rate_times=0.0)


def test_a_long_trace_becomes_rates() -> None:
    instants = "\n".join(str(1 + at // 200) for at in range(120_000))
    read_ = reading(given(instants, "a.down"))
    assert read_.down.opportunities_ms is None
    assert read_.down.rate_bps is not None
    # 200 opportunities of 1504 octets a millisecond.
    assert set(read_.down.rate_bps.tolist()) == {200 * 1504 * 8 * 1000.0}
    assert any("120000 opportunities" in note for note in read_.notes)


def test_figures_are_those_of_the_rows() -> None:
    told = figures(reading(given(DRIVE)))
    assert (told.length_s, told.rows) == (4, 4)
    assert told.down.mean_bps == 1.5e6
    assert told.down.without_rate == 0.25
    assert told.down.delay_ms == 20
    assert told.down.greatest_delay_ms == 30


def test_a_row_of_errant_is_chosen_by_number_or_words() -> None:
    table = given(ERRANT, "profiles.csv")
    assert format_of(table, Choices()).name == "errant"
    assert asked(table) == [("row", None)]
    made = link(table, row="telia medium")
    assert made["down"]["rate"] == "28.65 Mbit/s"
    assert made["up"]["delay"] == "52.2521 ms"
    assert "recording" not in made
    assert link(table, row="1")["up"]["rate"] == "908.6 kbit/s"
    with pytest.raises(RecordingError, match="2 rows fit 'sweden'"):
        reading(table, row="sweden")
    with pytest.raises(RecordingError, match="line 2, column upload_kbps: '' is not a number above 0"):
        reading(given(ERRANT.splitlines()[0] + "\na,b,c,d,5\n", "profiles.csv"), row="1")


def test_columns_are_told_of_tables_alone() -> None:
    assert [one.quantity for one in columns_of(given(DRIVE), Choices())] == ["time", "down", "up", "rtt"]
    assert columns_of(given("0\n5\n", "a.down"), Choices()) == ()


def test_choices_that_cannot_be_are_refused() -> None:
    for wrong, why in (
        ({"columns": {"speed": "a"}}, "there is no quantity 'speed'"),
        ({"units": {"down": "ms"}}, "'ms' is no unit of down"),
        ({"every_s": 0.0}, "probes are sent every"),
        ({"format": "pcap"}, "there is no format 'pcap'"),
    ):
        with pytest.raises(BadInputError, match=why):
            reading(given(DRIVE), **wrong)
    with pytest.raises(BadInputError, match="give a file"):
        reading()


def test_empty_cells_are_told_and_zeros_throughout_are_refused() -> None:
    gaps = "sep=;\ntime_s;down_mbps;up_mbps;rtt_ms\n0;10;1;40\n1;;1;40\n2;n/a;1;40\n3;10;1;40\n"
    notes = reading(given(gaps)).notes
    assert any("2 of 4 rows have nothing in 'down_mbps': the value before is taken" in note for note in notes)
    with pytest.raises(BadInputError, match="the rate up is 0 from the beginning to the end"):
        link(given("time_s;down_mbps;up_mbps;rtt_ms\n0;10;0;40\n1;9;0;40\n"), zeros="outage")


def test_what_a_file_tells_is_not_chosen_as_well() -> None:
    with pytest.raises(BadInputError, match="--delay 20 ms: a file tells that; leave out the option, or the file"):
        link(given("time_s;down_mbps;up_mbps;rtt_ms\n0;10;1;40\n"), delay="20 ms")


def test_each_file_may_have_a_format_of_its_own() -> None:
    whole = reading(
        Given(Source("a.txt", b"0\n5\n"), "down", "mahimahi"),
        Given(Source("b.txt", b"20.5\n21\n"), "both", "leoreplayer-delay"),
    )
    assert whole.down.opportunities_ms is not None
    assert whole.down.delay_ms is not None
    assert whole.down.delay_ms.tolist() == [20.5, 21]
