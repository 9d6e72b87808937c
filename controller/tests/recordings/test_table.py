"""Tables as drive-test software writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from windlull.recordings.choices import AskedError, Choices
from windlull.recordings.source import RecordingError, Source
from windlull.recordings.table import recording, seen, table

if TYPE_CHECKING:
    from windlull.recordings.recording import Recording

DRIVE = """\
Time;Latitude;RSRP [dBm];DL throughput [kbit/s];UL throughput [kbit/s];RTT [ms];Packet loss [%]
2026-05-04T10:00:00;60,17;-91,5;12000,5;3000;48;0
2026-05-04T10:00:01;60,17;-92,0;0;400;60;1,5
2026-05-04T10:00:02.500;60,17;-92,0;;500;-;0
"""


def read(text: str, **choices: object) -> Recording:
    return recording(Source("drive.csv", text.encode()), Choices(**choices))  # type: ignore[arg-type]


def values(column: object) -> list[float]:
    return [round(float(value), 9) for value in column]  # type: ignore[attr-defined]


def wrong(text: str, **choices: object) -> str:
    with pytest.raises(RecordingError) as caught:
        read(text, **choices)
    return str(caught.value)


def asked(text: str, **choices: object) -> list[tuple[str, str | None]]:
    with pytest.raises(AskedError) as caught:
        read(text, **choices)
    return [(question.what, question.quantity) for question in caught.value.questions]


def test_a_drive_test_has_semicolons_decimal_commas_iso_times_and_kbits() -> None:
    drive = read(DRIVE)
    assert values(drive.time_s) == [0, 1, 2.5]
    assert values(drive.down.rate_bps) == [12_000_500, 0, 0]
    assert values(drive.up.rate_bps) == [3e6, 4e5, 5e5]
    assert values(drive.down.delay_ms) == values(drive.up.delay_ms) == [24, 30, 30]
    assert values(drive.down.loss) == [0, 0.015, 0]
    assert drive.length_s == 2.5 + 1.25
    assert any("half of each round-trip time" in note for note in drive.notes)


@pytest.mark.parametrize("separator", [",", "\t", "|", " "])
def test_any_usual_separator_will_do(separator: str) -> None:
    text = "time_s;download_mbps;upload_kbps\n0;1.5;200\n1;2;100\n".replace(";", separator)
    assert values(read(text).down.rate_bps) == [1.5e6, 2e6]
    assert values(read(text).up.rate_bps) == [2e5, 1e5]


@pytest.mark.parametrize(
    ("time", "next_one", "seconds"),
    [
        ("2026-05-04 10:00:00", "2026-05-04 10:00:03", 3),
        ("2026-05-04T10:00:00.250+02:00", "2026-05-04T08:00:01Z", 0.75),
        ("04.05.2026 10:00:00", "04.05.2026 10:00:02,5", 2.5),
        ("05/04/2026 10:00:00", "05/04/2026 10:01:00", 60),
        ("23:59:59.5", "00:00:01", 1.5),
        ("1700182800.41", "1700182800.91", 0.5),
        ("1705744800616897349", "1705744801616897349", 1),
    ],
)
def test_times_are_written_in_many_ways(time: str, next_one: str, seconds: float) -> None:
    text = f"Timestamp;DL Mbit/s\n{time};1\n{next_one};2\n"
    assert values(read(text).time_s) == pytest.approx([0, seconds], abs=1e-3)


@pytest.mark.parametrize(
    ("heading", "bps"),
    [("DL [bit/s]", 8), ("DL [kB/s]", 64_000), ("DL (MB/s)", 64e6), ("downlink_mbps", 8e6), ("Rx Gbps", 8e9)],
)
def test_headings_tell_units(heading: str, bps: float) -> None:
    assert values(read(f"time_s,{heading}\n0,8\n1,8\n").down.rate_bps) == [bps, bps]


def test_what_no_heading_tells_is_asked() -> None:
    assert asked("a;b\n2026-05-04T10:00:00;1\n") == [("column", "down")]
    assert asked("when;DL throughput\n5;1\n6;1\n") == [("column", "time"), ("unit", "down")]
    assert asked("t [s];DL PDCP [kbit/s];DL RLC [kbit/s]\n5;1;2\n6;1;2\n") == [("column", "down")]
    assert asked("time_s;ping\n0;5\n1;6\n") == [("unit", "rtt")]


def test_columns_and_units_are_chosen_by_name_or_number() -> None:
    text = "a;b;c\n0;5;7\n1;6;8\n"
    by_name = read(text, columns={"time": "A", "down": "c"}, units={"time": "ms", "down": "Mbit/s"})
    by_number = read(text, columns={"time": "1", "down": "3"}, units={"time": "ms", "down": "Mbit/s"})
    assert values(by_name.down.rate_bps) == values(by_number.down.rate_bps) == [7e6, 8e6]
    assert values(by_name.time_s) == [0, 0.001]
    without = read(DRIVE, columns={"loss": "", "rtt": "", "up": ""})
    assert without.up.rate_bps is None
    assert without.down.loss is None
    assert without.down.delay_ms is None


def test_what_each_column_is_taken_for_is_told() -> None:
    columns = seen(table(Source("drive.csv", DRIVE.encode())), Choices())
    assert [(one.quantity, one.unit) for one in columns] == [
        ("time", "clock"), (None, None), (None, None), ("down", "kbit/s"), ("up", "kbit/s"), ("rtt", "ms"),
        ("loss", "%"),
    ]  # fmt: skip
    assert columns[3].examples == ("12000,5", "0", "")


def test_rows_of_one_time_and_gaps_are_told() -> None:
    rows = "".join(f"{at};{at + 1}\n" for at in (0, 1, 1, 2, 3, 4, 30))
    drive = read(f"time_s;DL kbit/s\n{rows}")
    assert values(drive.time_s) == [0, 1, 2, 3, 4, 30]
    assert any(note.startswith("1 rows have the time of the row after them") for note in drive.notes)
    assert any("first after line 7" in note for note in drive.notes)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "drive.csv: the file is empty"),
        ("time_s;DL kbit/s\n", "drive.csv: has a heading and no rows"),
        ("time_s\n0\n1\n", "drive.csv, line 1: has one column"),
        ("time_s;DL kbit/s\n0;1\n1;x\n", "drive.csv, line 3, column DL kbit/s: 'x' is not a number"),
        ("time_s;DL kbit/s\n0;1\n1;-5\n", "drive.csv, line 3, column DL kbit/s: -5 kbit/s is not a rate"),
        ("time_s;DL kbit/s\n5;1\n\n4;5\n", "drive.csv, line 4, column time_s: 4 is earlier than the row before it"),
        ("time_s;DL kbit/s\n5;1\n;5\n", "drive.csv, line 3, column time_s: the time is missing"),
        ("time_s;DL kbit/s\n0;1\n1;2;3\n", "drive.csv, line 3: has 3 cells, the heading 2"),
        ("time_s;loss %\n0;1\n1;101\n", "drive.csv, line 3, column loss %: 101 % is not a share"),
        ("time_s;DL kbit/s\n0;\n1;-\n", "drive.csv, column DL kbit/s: has no number in any row"),
        ("Time;DL kbit/s\n2026-05-04T10:00:00;1\n2026-13-04;1\n", "drive.csv, line 3, column Time: '2026-13-04' is no"),
        ("a\0b", "drive.csv: this is not a text file"),
    ],
)
def test_what_is_wrong_is_told_with_line_and_column(text: str, why: str) -> None:
    assert wrong(text).startswith(why)


def test_a_column_that_is_not_there_is_refused() -> None:
    assert "has no column 'speed'; it has 'Time'" in wrong(DRIVE, columns={"down": "speed"})
