//! What the packets of a run met, from its `fates.csv`.

use windlull_fates::{FateRow, HEADER, HEADER_WITH_OCTETS, push_row, push_row_with_octets, read_rows};
use windlull_link::model::{Distribution, LinkModel, PathModel, RecordedFate, ReplayBy, ReplayModel};
use windlull_units::{Direction, Span, Time};

use crate::convert::Converter;
use crate::file::{ReplayByFile, ReplayFile};
use crate::library::Columns;

/// No stream has more octets.
const MOST_OCTETS: u64 = 1 << 60;

/// Nothing is recorded later: a hundred hours.
const LATEST: Time = Time::from_ns(360_000 * 1_000_000_000);

impl Converter<'_> {
    pub(crate) fn replay(&mut self, key: &str, file: &ReplayFile) -> Option<ReplayModel> {
        let by = match file.by {
            Some(ReplayByFile::Time) => ReplayBy::Time,
            Some(ReplayByFile::Octets) => ReplayBy::Octets,
            Some(ReplayByFile::Packet) | None => ReplayBy::Packet,
        };
        match (&file.fates, &file.csv) {
            (Some(name), None) => {
                let (key, wanted) = (format!("{key}.fates"), wanted(by));
                let (library, path, places) = (self.library, self.path, self.places);
                let text = library.fates(name, Some(path), wanted, &|defect| places.problem(&key, defect));
                self.parsed(&key, name, text, |text| replay(by, text))
            }
            (None, Some(text)) => match replay(by, text) {
                Ok(replay) => Some(replay),
                Err(why) => {
                    self.unfit(&format!("{key}.csv"), why);
                    None
                }
            },
            _ => {
                self.unfit(
                    key,
                    "needs either `fates`, the path of a run's fates.csv, or `csv`, the rows of one; one of the two",
                );
                None
            }
        }
    }
}

/// What must be known of the packets.
const fn wanted(by: ReplayBy) -> Columns {
    match by {
        ReplayBy::Packet | ReplayBy::Time => Columns::Fates,
        ReplayBy::Octets => Columns::Octets,
    }
}

fn replay(by: ReplayBy, text: &str) -> Result<ReplayModel, String> {
    refuse_other_files(text)?;
    let mut fates = Vec::new();
    for row in read_rows(text.as_bytes()) {
        let row = row.map_err(|error| error.to_string())?;
        let FateRow { line, fate, .. } = row;
        let wrong = |why: &str| Err(format!("line {line}: packet {} {why}", fate.id.0));
        if fate.outcome.at() < fate.entered {
            return wrong("ends before it came to the link");
        }
        if fate.outcome.at() > LATEST || fate.held > LATEST.since(Time::ZERO) {
            return wrong("ends, or is held, later than 360000 s");
        }
        if [fate.started, fate.sent]
            .into_iter()
            .flatten()
            .any(|at| at < fate.entered)
        {
            return wrong("is sent before it came to the link");
        }
        if row
            .octets
            .is_some_and(|(first, end)| end > MOST_OCTETS || end - first > fate.size.get())
        {
            return wrong("carries more octets than it has");
        }
        fates.push(row);
    }
    if fates.is_empty() {
        return Err("has no rows under its heading".to_owned());
    }
    if by == ReplayBy::Octets && fates.iter().all(|row| row.octets.is_none()) {
        return Err(
            "says of no packet which octets it carried, in the columns first_octet and end_octet; name a run's own \
             fates.csv, with its server.pcapng and client.pcapng beside it, or replay it by packet or by time"
                .to_owned(),
        );
    }
    let mut by_number: Vec<_> = fates.iter().filter(|row| row.fate.duplicate_of.is_none()).collect();
    by_number.sort_by_key(|row| row.fate.id);
    for way in Direction::ALL {
        let path = by_number.iter().filter(|row| row.fate.direction == way);
        let mut last = Time::ZERO;
        for FateRow { line, fate, .. } in path {
            if fate.entered < last {
                return Err(format!(
                    "line {line}: packet {} came to the link before one {} with a lower number",
                    fate.id.0,
                    way.name()
                ));
            }
            last = fate.entered;
        }
    }
    // What is not asked for is not kept, so that the same rows make the same link.
    let kept = |row: FateRow| (row.fate, row.octets.filter(|_| by == ReplayBy::Octets));
    Ok(ReplayModel::carrying(by, fates.into_iter().map(kept)))
}

/// The column that a `fates.csv` may lack, as those of earlier versions do.
const YOUNGEST_COLUMN: &str = "marked";

/// Refuses what does not begin with the heading of a `fates.csv`.
fn refuse_other_files(text: &str) -> Result<(), String> {
    const SHOWN: usize = 60;
    let first = text.lines().next().unwrap_or_default();
    let has = |column: &str| first.split(',').any(|name| name.trim_matches('"') == column);
    let mut wanted = HEADER.trim_end().split(',');
    if wanted.all(|column| column == YOUNGEST_COLUMN || has(column)) {
        return Ok(());
    }
    let shown: String = first.chars().take(SHOWN).collect();
    Err(format!(
        "is no fates.csv: its first line is {shown:?}, and not the heading {:?}; name a run's fates.csv, its directory or its \
         capsule",
        HEADER.trim_end()
    ))
}

/// A link that plays this. Its paths play no part in what happens: they only say how long a packet usually takes, to whoever
/// estimates runs.
pub(crate) fn link_of(replay: ReplayModel) -> LinkModel {
    let path = |way| PathModel {
        delay: Distribution::Constant(usual_transit(replay.path(way))),
        ..PathModel::plain(None, Span::ZERO)
    };
    let (down, up) = (path(Direction::Down), path(Direction::Up));
    LinkModel {
        up,
        replay: Some(replay),
        ..LinkModel::symmetric(down)
    }
}

/// The median of those that were delivered; zero if none was.
fn usual_transit(recorded: &[RecordedFate]) -> Span {
    let mut transits: Vec<Span> = recorded.iter().filter_map(RecordedFate::transit).collect();
    transits.sort_unstable();
    transits.get(transits.len() / 2).copied().unwrap_or(Span::ZERO)
}

/// The file's table of this replay, with the rows in it: whoever reads it plays the same.
pub(crate) fn file_of(replay: &ReplayModel) -> ReplayFile {
    let mut csv = match replay.by {
        ReplayBy::Packet | ReplayBy::Time => HEADER,
        ReplayBy::Octets => HEADER_WITH_OCTETS,
    }
    .as_bytes()
    .to_vec();
    for (fate, octets) in replay.rows() {
        match replay.by {
            ReplayBy::Packet | ReplayBy::Time => push_row(&mut csv, &fate),
            ReplayBy::Octets => push_row_with_octets(&mut csv, &fate, octets),
        }
    }
    ReplayFile {
        fates: None,
        csv: Some(String::from_utf8(csv).expect("numbers and words are ASCII")),
        by: Some(match replay.by {
            ReplayBy::Packet => ReplayByFile::Packet,
            ReplayBy::Time => ReplayByFile::Time,
            ReplayBy::Octets => ReplayByFile::Octets,
        }),
    }
}

/// What is played, in a line for people.
pub(crate) fn in_words(replay: &ReplayModel) -> String {
    let lost = |way| {
        let path = replay.path(way);
        let lost = path.iter().filter(|fate| fate.delivered().is_none()).count();
        format!("{} packets {}, {lost} of them lost", path.len(), Direction::name(way))
    };
    let by = match replay.by {
        ReplayBy::Packet => "packet by packet",
        ReplayBy::Time => "by time",
        ReplayBy::Octets => "by what they carry",
    };
    format!(
        "what a run's packets met, {by}: {}; {}",
        lost(Direction::Down),
        lost(Direction::Up)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[&str]) -> String {
        format!("{HEADER}{}\n", rows.join("\n"))
    }

    fn wrong(lines: &[&str]) -> String {
        replay(ReplayBy::Packet, &rows(lines)).expect_err("it is wrong")
    }

    #[test]
    fn what_is_written_reads_the_same() {
        // A copy that arrives last, a loss, and two that end at one instant in another order than they came.
        let text = rows(&[
            "0,down,1500,0,0,1000,0,0,0,0,0,,delivered,5000",
            "2,up,40,2000,2000,2100,7,1,0,0,1,,delivered,6000",
            "1,down,1500,1000,1000,2000,0,1,1,1,0,,delivered,6000",
            "4,down,1500,3000,,,0,9,0,0,0,,queue-overflow,3000",
            "3,down,1500,0,0,1000,0,0,0,0,0,0,delivered,9000",
        ]);
        let first = replay(ReplayBy::Time, &text).expect("fates");
        assert_eq!((first.down.len(), first.up.len(), first.down[0].copies), (3, 1, 1));
        let file = file_of(&first);
        assert_eq!(file.by, Some(ReplayByFile::Time));
        let again = replay(ReplayBy::Time, &file.csv.expect("rows")).expect("fates");
        assert_eq!(again, first);
        assert_eq!(
            in_words(&again),
            "what a run's packets met, by time: 3 packets down, 1 of them lost; 1 packets up, 0 of them lost"
        );
    }

    #[test]
    fn what_packets_carried_is_kept_where_it_is_asked_for() {
        let text = format!(
            "{HEADER_WITH_OCTETS}{}\n",
            [
                "0,down,40,0,0,0,0,0,0,0,0,,delivered,9,,",
                "1,down,1500,1,1,1,0,0,0,0,0,,delivered,10,0,1460",
                "2,down,1500,1,1,1,0,0,0,0,0,1,delivered,11,,",
                "3,up,40,11,11,11,0,0,0,0,0,,delivered,20,,",
            ]
            .join("\n")
        );
        let first = replay(ReplayBy::Octets, &text).expect("fates");
        let carried: Vec<_> = first.down.iter().map(|fate| fate.octets).collect();
        assert_eq!(carried, [None, Some((0, 1460))]);
        let file = file_of(&first);
        assert_eq!(file.by, Some(ReplayByFile::Octets));
        assert_eq!(
            replay(ReplayBy::Octets, &file.csv.expect("rows")).expect("fates"),
            first
        );
        let without = replay(ReplayBy::Time, &text).expect("fates");
        assert!(without.down.iter().all(|fate| fate.octets.is_none()));
        for (octets, end) in [("5,5", "`5`"), ("5,", "``"), (",5", "`5`")] {
            let text = format!("{HEADER_WITH_OCTETS}1,down,1500,1,1,1,0,0,0,0,0,,delivered,10,{octets}\n");
            assert_eq!(
                replay(ReplayBy::Octets, &text).expect_err("it is wrong"),
                format!("line 2: {end} is no end_octet")
            );
        }
        let text = format!("{HEADER_WITH_OCTETS}1,down,40,1,1,1,0,0,0,0,0,,delivered,10,5,46\n");
        assert_eq!(
            replay(ReplayBy::Octets, &text).expect_err("it is wrong"),
            "line 2: packet 1 carries more octets than it has"
        );
        let bare = replay(ReplayBy::Octets, &rows(&["0,down,40,5,5,5,0,0,0,0,0,,delivered,6"]));
        assert!(bare.expect_err("it is not said").contains("server.pcapng"));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let good = "0,down,40,5,5,5,0,0,0,0,0,,delivered,6";
        assert_eq!(
            replay(ReplayBy::Packet, HEADER).expect_err("no rows"),
            "has no rows under its heading"
        );
        assert_eq!(
            wrong(&[good, "1,down,40,5,5,5,0,0,0,0,0,,delivered,4"]),
            "line 3: packet 1 ends before it came to the link"
        );
        assert_eq!(
            wrong(&[good, "1,down,40,5,4,5,0,0,0,0,0,,delivered,9"]),
            "line 3: packet 1 is sent before it came to the link"
        );
        assert_eq!(
            wrong(&[good, "1,down,40,4,,,0,0,0,0,0,,outage,4"]),
            "line 3: packet 1 came to the link before one down with a lower number"
        );
        assert_eq!(
            wrong(&[good, "1,up,40,5,5,5,0,0,0,0,0,,delivered,999999999999999999"]),
            "line 3: packet 1 ends, or is held, later than 360000 s"
        );
        assert_eq!(
            wrong(&[good, "1,up,40,5,5,5,0,0,0,0,0,,eaten,9"]),
            "line 3: `eaten` is no end"
        );
        assert_eq!(
            wrong(&[good, "1,up,40,5,5,5,0,0,2,0,0,,delivered,9"]),
            "line 3: `2` is no marked"
        );
        assert!(wrong(&["1,sideways,40,5,5,5,0,0,0,0,0,,delivered,9"]).contains("line: 2"));
        assert!(wrong(&["1,up,40"]).contains("line: 2"));
    }
}
