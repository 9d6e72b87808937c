//! The recording of a link: a CSV of rates, delays and losses over time.

use std::fmt::Write as _;

use windlull_link::model::{RecordedPath, RecordedRow, Recording, Zeros};
use windlull_units::{BitRate, Direction, Span, Time};

use crate::convert::Converter;
use crate::file::{RecordingFile, ZerosFile};
use crate::text::Text;

/// More rows are not read: a week in seconds.
const MOST_ROWS: usize = 604_800;

const LATEST_S: f64 = 360_000.0;
const FASTEST_BPS: u64 = 1_000_000_000_000;
const LONGEST_DELAY_MS: f64 = 600_000.0;

/// What a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    Time,
    Rate,
    Delay,
    Loss,
}

/// A column: its name, the directions that it tells of, and what it tells.
type Column = (&'static str, &'static [Direction], Quantity);

/// Every column. The file's reference has the same in words.
const COLUMNS: [Column; 9] = [
    ("time_s", &[], Quantity::Time),
    ("down_bps", &[Direction::Down], Quantity::Rate),
    ("up_bps", &[Direction::Up], Quantity::Rate),
    ("delay_ms", &Direction::ALL, Quantity::Delay),
    ("down_delay_ms", &[Direction::Down], Quantity::Delay),
    ("up_delay_ms", &[Direction::Up], Quantity::Delay),
    ("loss", &Direction::ALL, Quantity::Loss),
    ("down_loss", &[Direction::Down], Quantity::Loss),
    ("up_loss", &[Direction::Up], Quantity::Loss),
];

impl Converter<'_> {
    pub(crate) fn recording(&mut self, key: &str, file: &RecordingFile) -> Option<Recording> {
        let rows = match (&file.file, &file.csv) {
            (Some(name), None) => self.read(&format!("{key}.file"), name, rows)?,
            (None, Some(text)) => match rows(text) {
                Ok(rows) => rows,
                Err(why) => {
                    self.unfit(&format!("{key}.csv"), why);
                    return None;
                }
            },
            _ => {
                self.unfit(key, "needs either a `file` or `csv`, one of the two");
                return None;
            }
        };
        let silent = rows
            .iter()
            .find(|row| Direction::ALL.iter().any(|&way| row.path(way).rate_bps == Some(0)));
        if let (Some(row), None) = (silent, file.zeros) {
            let why = format!(
                "the rate is 0 at {}: say what that is, `zeros = \"hold\"` (packets wait in the queue) or \
                 `zeros = \"outage\"` (packets are lost)",
                row.at.since(Time::ZERO)
            );
            self.unfit(&format!("{key}.zeros"), why);
            return None;
        }
        let period = file.period.map(|period| period.0);
        let last = rows.last()?.at;
        if period.is_some_and(|period| Time::ZERO + period <= last) {
            self.unfit(
                &format!("{key}.period"),
                format!("must be longer than {}, where the last row is", last.since(Time::ZERO)),
            );
            return None;
        }
        let zeros = match file.zeros {
            Some(ZerosFile::Outage) => Zeros::Outage,
            Some(ZerosFile::Hold) | None => Zeros::Hold,
        };
        Some(Recording { rows, period, zeros })
    }
}

/// The rows of a CSV.
fn rows(text: &str) -> Result<Vec<RecordedRow>, String> {
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let (number, heading) = lines
        .next()
        .ok_or("is empty; give a heading, as `time_s,down_bps`, and rows")?;
    let columns = columns(heading).map_err(|why| format!("line {number}: {why}"))?;
    let mut rows: Vec<RecordedRow> = Vec::new();
    for (number, line) in lines {
        if rows.len() == MOST_ROWS {
            return Err(format!("line {number}: has more than {MOST_ROWS} rows"));
        }
        let row = row(line, &columns, rows.last()).map_err(|why| format!("line {number}: {why}"))?;
        rows.push(row);
    }
    if rows.is_empty() {
        return Err("has no rows under its heading".to_owned());
    }
    for way in Direction::ALL {
        if rows.iter().all(|row| row.path(way).rate_bps == Some(0)) {
            return Err(format!("the rate {} is 0 from beginning to end", way.name()));
        }
    }
    Ok(rows)
}

/// What each column of a heading is.
fn columns(heading: &str) -> Result<Vec<Column>, String> {
    let mut columns: Vec<Column> = Vec::new();
    for name in heading.split(',').map(str::trim) {
        let Some(&column) = COLUMNS.iter().find(|(known, ..)| *known == name) else {
            let known: Vec<_> = COLUMNS.iter().map(|(name, ..)| *name).collect();
            return Err(format!(
                "there is no column `{name}`; the columns are {}",
                known.join(", ")
            ));
        };
        let twice = |other: &&Column| {
            other.2 == column.2 && (column.1.is_empty() || other.1.iter().any(|way| column.1.contains(way)))
        };
        if let Some((other, ..)) = columns.iter().find(twice) {
            return Err(format!("`{other}` and `{name}` say the same; give one of them"));
        }
        columns.push(column);
    }
    if !columns.iter().any(|column| column.2 == Quantity::Time) || columns.len() < 2 {
        return Err("needs `time_s` and one column more, as `time_s,down_bps`".to_owned());
    }
    Ok(columns)
}

fn row(line: &str, columns: &[Column], before: Option<&RecordedRow>) -> Result<RecordedRow, String> {
    let cells: Vec<_> = line.split(',').map(str::trim).collect();
    if cells.len() != columns.len() {
        return Err(format!("has {} cells, the heading {}", cells.len(), columns.len()));
    }
    let mut row = before.copied().unwrap_or(RecordedRow {
        at: Time::ZERO,
        down: RecordedPath::default(),
        up: RecordedPath::default(),
    });
    for (cell, &(name, ways, quantity)) in cells.iter().zip(columns) {
        if cell.is_empty() && (before.is_none() || quantity == Quantity::Time) {
            return Err(format!("`{name}` is empty; an empty cell repeats the row before"));
        }
        if cell.is_empty() {
            continue;
        }
        let wrong = |what: &str| format!("`{name}` is {what}, not \"{cell}\"");
        let number = |most: f64, what: &str| {
            let number: f64 = cell.parse().map_err(|_| wrong(what))?;
            (0.0..=most)
                .contains(&number)
                .then_some(number)
                .ok_or_else(|| wrong(what))
        };
        let mut path = RecordedPath::default();
        match quantity {
            Quantity::Time => {
                let seconds = number(LATEST_S, "a number of seconds from 0 to 360000")?;
                row.at = Time::ZERO + Span::from_secs_f64(seconds);
            }
            Quantity::Rate => {
                let bps: Option<u64> = cell.parse().ok().filter(|bps| *bps <= FASTEST_BPS);
                path.rate_bps = Some(bps.ok_or_else(|| wrong("a whole number of bits per second up to 10^12"))?);
            }
            Quantity::Delay => {
                let ms = number(LONGEST_DELAY_MS, "a number of milliseconds from 0 to 600000")?;
                path.delay = Some(Span::from_secs_f64(ms / 1e3));
            }
            Quantity::Loss => path.loss = Some(number(1.0, "a share from 0 to 1")?),
        }
        for way in ways {
            let own = match way {
                Direction::Down => &mut row.down,
                Direction::Up => &mut row.up,
            };
            own.rate_bps = path.rate_bps.or(own.rate_bps);
            own.delay = path.delay.or(own.delay);
            own.loss = path.loss.or(own.loss);
        }
    }
    match before {
        None if row.at != Time::ZERO => Err("the first row must be at 0 seconds".to_owned()),
        Some(before) if row.at <= before.at => Err(format!(
            "{} is not after the row before it, {}",
            row.at.since(Time::ZERO),
            before.at.since(Time::ZERO)
        )),
        _ => Ok(row),
    }
}

/// The file's table of this recording, with the CSV in it.
pub(crate) fn file_of(recording: &Recording) -> RecordingFile {
    let silent = |row: &RecordedRow| Direction::ALL.iter().any(|&way| row.path(way).rate_bps == Some(0));
    RecordingFile {
        file: None,
        csv: Some(csv(recording)),
        period: recording.period.map(Text),
        zeros: recording.rows.iter().any(silent).then_some(match recording.zeros {
            Zeros::Hold => ZerosFile::Hold,
            Zeros::Outage => ZerosFile::Outage,
        }),
    }
}

fn csv(recording: &Recording) -> String {
    let cell = |row: &RecordedRow, ways: &[Direction], quantity| {
        let path = ways.first().map(|&way| *row.path(way)).unwrap_or_default();
        match quantity {
            Quantity::Time => Some(decimal(row.at.as_ns(), 9)),
            Quantity::Rate => path.rate_bps.map(|bps| bps.to_string()),
            Quantity::Delay => path.delay.map(|delay| decimal(delay.as_ns(), 6)),
            Quantity::Loss => path.loss.map(|loss| loss.to_string()),
        }
    };
    // One column for both directions where they say the same all through.
    let alike = |quantity| {
        let same = |row: &RecordedRow| cell(row, &[Direction::Down], quantity) == cell(row, &[Direction::Up], quantity);
        recording.rows.iter().all(same)
    };
    let columns: Vec<_> = COLUMNS
        .iter()
        .filter(|(_, ways, quantity)| match (quantity, ways.len()) {
            (Quantity::Time | Quantity::Rate, _) => true,
            (_, ways) => (ways == 2) == alike(*quantity),
        })
        .filter(|(_, ways, quantity)| recording.rows.iter().any(|row| cell(row, ways, *quantity).is_some()))
        .collect();
    let names: Vec<_> = columns.iter().map(|(name, ..)| *name).collect();
    let mut text = names.join(",");
    text.push('\n');
    let mut before: Vec<Option<String>> = vec![None; columns.len()];
    for row in &recording.rows {
        for (place, (_, ways, quantity)) in columns.iter().enumerate() {
            let cell = cell(row, ways, *quantity);
            let comma = if place == 0 { "" } else { "," };
            // What did not change is left out; the time always does.
            let _ = match &cell {
                Some(cell) if before[place].as_ref() != Some(cell) => write!(text, "{comma}{cell}"),
                _ => write!(text, "{comma}"),
            };
            before[place] = cell;
        }
        text.push('\n');
    }
    text
}

/// A number of `10^-places`, as a decimal without needless zeros.
fn decimal(number: u64, places: u32) -> String {
    let one = 10_u64.pow(places);
    let rest = format!("{:0width$}", number % one, width = places as usize);
    let rest = rest.trim_end_matches('0');
    if rest.is_empty() {
        (number / one).to_string()
    } else {
        format!("{}.{rest}", number / one)
    }
}

/// What is played, in a line for people.
pub(crate) fn in_words(recording: &Recording) -> String {
    let end = recording.rows.last().map_or(Span::ZERO, |row| row.at.since(Time::ZERO));
    let mut parts = vec![match recording.period {
        Some(period) => format!("{} rows, again every {period}", recording.rows.len()),
        None => format!("{} rows over {end}, once", recording.rows.len()),
    }];
    for way in Direction::ALL {
        parts.extend(mean_rate(recording, way).map(|mean| format!("{} {mean} on average", way.name())));
        let silent = recording.rows.iter().any(|row| row.path(way).rate_bps == Some(0));
        parts.extend(silent.then(|| {
            let what = match recording.zeros {
                Zeros::Hold => "a hold",
                Zeros::Outage => "an outage",
            };
            format!("no rate {} is {what}", way.name())
        }));
    }
    let any = |what: fn(&RecordedPath) -> bool| recording.rows.iter().any(|row| what(&row.down) || what(&row.up));
    parts.extend(any(|path| path.delay.is_some()).then(|| "delays".to_owned()));
    parts.extend(any(|path| path.loss.is_some()).then(|| "losses".to_owned()));
    format!("recording: {}", parts.join(", "))
}

/// Over time; the last row lasts until the period ends, else not at all.
fn mean_rate(recording: &Recording, way: Direction) -> Option<BitRate> {
    let rows = &recording.rows;
    let last = rows.last()?.at;
    let end = recording.period.map_or(last, |period| Time::ZERO + period);
    let ends = rows.iter().skip(1).map(|row| row.at).chain([end]);
    let mut bits = 0_u128;
    for (row, until) in rows.iter().zip(ends) {
        bits += u128::from(row.path(way).rate_bps?) * u128::from(until.since(row.at).as_ns());
    }
    let length = u128::from(end.since(Time::ZERO).as_ns());
    let first = u128::from(rows.first()?.path(way).rate_bps?);
    let bps = bits.checked_div(length).unwrap_or(first);
    BitRate::from_bps(u64::try_from(bps).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> String {
        rows(text).expect_err("it is wrong")
    }

    #[test]
    fn an_empty_cell_is_as_the_row_before_and_one_delay_serves_both_ways() {
        let rows = rows("time_s,down_bps,delay_ms\n# a comment\n0,1000,20\n1.5,,30.25\n\n2,0,\n").expect("a recording");
        let told: Vec<_> = rows
            .iter()
            .map(|row| (row.at.as_ns() / 1_000_000, row.down.rate_bps, row.down.delay, row.up))
            .collect();
        let delay = |us| Some(Span::from_us(us));
        let up = |us| RecordedPath {
            delay: delay(us),
            ..RecordedPath::default()
        };
        assert_eq!(
            told,
            [
                (0, Some(1000), delay(20_000), up(20_000)),
                (1500, Some(1000), delay(30_250), up(30_250)),
                (2000, Some(0), delay(30_250), up(30_250)),
            ]
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_line_and_column() {
        assert!(wrong("").starts_with("is empty"));
        assert!(wrong("time_s,down_bps\n").starts_with("has no rows"));
        assert!(
            wrong("time_s,down_kbps\n").starts_with("line 1: there is no column `down_kbps`; the columns are time_s,")
        );
        assert_eq!(
            wrong("time_s\n0\n"),
            "line 1: needs `time_s` and one column more, as `time_s,down_bps`"
        );
        assert!(wrong("time_s,delay_ms,up_delay_ms\n").contains("`delay_ms` and `up_delay_ms` say the same"));
        assert_eq!(wrong("time_s,up_bps\n0\n"), "line 2: has 1 cells, the heading 2");
        assert!(wrong("time_s,up_bps\n0,\n").starts_with("line 2: `up_bps` is empty"));
        assert!(wrong("time_s,up_bps\n1,5\n").contains("first row must be at 0"));
        assert_eq!(
            wrong("time_s,up_bps\n0,5\n0,6\n"),
            "line 3: 0 ns is not after the row before it, 0 ns"
        );
        assert!(wrong("time_s,up_bps\n0,5.5\n").contains("`up_bps` is a whole number of bits per second"));
        assert!(wrong("time_s,loss\n0,1.5\n").contains("`loss` is a share from 0 to 1, not \"1.5\""));
        assert!(wrong("time_s,loss\n0,NaN\n").contains("not \"NaN\""));
        assert!(wrong("time_s,down_bps\n0,0\n1,0\n").contains("the rate down is 0 from beginning to end"));
    }

    #[test]
    fn what_is_written_reads_the_same() {
        let text =
            "time_s,down_bps,up_bps,delay_ms,down_loss,up_loss\n0,1000,5,20,0,0.25\n0.123456789,0,,30.000001,,0\n";
        let recording = Recording {
            rows: rows(text).expect("a recording"),
            period: Some(Span::from_secs(1)),
            zeros: Zeros::Outage,
        };
        assert_eq!(csv(&recording), text);
        assert_eq!(rows(&csv(&recording)).as_ref(), Ok(&recording.rows));
    }
}
