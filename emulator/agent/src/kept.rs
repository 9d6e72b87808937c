//! What stands is kept in a file, so that it stands again after a restart, however the process ended.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use windlull_units::{PlaneKind, Seed};

use crate::changes::{Asked, Kind, Set, Which};
use crate::history::ms;
use crate::profile::Source;

const FILE: &str = "link.json";
/// The shape of the file.
const FORMAT: u32 = 1;

/// Where what stands is kept; nowhere, if nobody gave a directory.
#[derive(Clone, Debug)]
pub(crate) struct Keeper(pub(crate) Option<PathBuf>);

/// The link that stands, and what is changed by hand.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kept {
    format: u32,
    pub(crate) link: Source,
    pub(crate) seed: Seed,
    #[serde(default)]
    pub(crate) plane: PlaneKind,
    pub(crate) changes: Vec<KeptChange>,
}

/// A change by hand, with its end on the clock of the wall: it goes on while nobody plays the link.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeptChange {
    pub(crate) kind: Kind,
    pub(crate) direction: Which,
    pub(crate) set: Option<Set>,
    /// Milliseconds since 1970; `None`: until it is taken back.
    pub(crate) until_ms: Option<u64>,
}

impl Kept {
    pub(crate) fn new(link: Source, seed: Seed, plane: PlaneKind, changes: Vec<KeptChange>) -> Self {
        Self {
            format: FORMAT,
            link,
            seed,
            plane,
            changes,
        }
    }
}

impl KeptChange {
    pub(crate) fn new(kind: Kind, direction: Which, set: Option<Set>, until: Option<SystemTime>) -> Self {
        Self {
            kind,
            direction,
            set,
            until_ms: until.map(ms),
        }
    }

    /// It, for what remains of its time at `now`; `None` if it is over.
    pub(crate) fn at(&self, now: SystemTime) -> Option<Asked> {
        let lasts = match self.until_ms {
            None => None,
            Some(until_ms) => {
                let until = UNIX_EPOCH + Duration::from_millis(until_ms);
                let left = until.duration_since(now).ok().filter(|left| !left.is_zero())?;
                Some(format!("{} us", left.as_micros()))
            }
        };
        Some(Asked::new(self.kind, self.direction, lasts, self.set.clone()))
    }
}

impl Keeper {
    /// What was kept last; `None` if nothing was.
    ///
    /// # Errors
    /// Why the file cannot be read, in words.
    pub(crate) fn last(&self) -> Result<Option<Kept>, String> {
        let Some(path) = self.path() else { return Ok(None) };
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("{}: {error}", path.display())),
        };
        let kept: Kept = serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        if kept.format != FORMAT {
            return Err(format!(
                "{}: it has format {}, and this emulator reads {FORMAT}",
                path.display(),
                kept.format
            ));
        }
        Ok(Some(kept))
    }

    /// Keeps it, whole or not at all. It is on the disk when this returns.
    pub(crate) fn keep(&self, kept: &Kept) -> io::Result<()> {
        let Some(path) = self.path() else { return Ok(()) };
        let draft = path.with_extension("new");
        let mut file = File::create(&draft)?;
        file.write_all(&serde_json::to_vec(kept)?)?;
        file.sync_all()?;
        fs::rename(&draft, &path)?;
        File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()
    }

    fn path(&self) -> Option<PathBuf> {
        self.0.as_ref().map(|directory| directory.join(FILE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The directory goes when it is dropped.
    fn keeper() -> (tempfile::TempDir, Keeper) {
        let directory = tempfile::tempdir().expect("a directory");
        let keeper = Keeper(Some(directory.path().to_owned()));
        (directory, keeper)
    }

    fn hold(until: Option<SystemTime>) -> KeptChange {
        KeptChange::new(Kind::Hold, Which::Down, None, until)
    }

    #[test]
    fn what_is_kept_is_there_again() {
        let (_directory, keeper) = keeper();
        assert!(keeper.last().expect("nothing is wrong").is_none());
        let kept = Kept::new(
            Source::named("gprs", std::collections::BTreeMap::new()),
            Seed::new(u64::MAX),
            PlaneKind::Netem,
            vec![hold(None)],
        );
        keeper.keep(&kept).expect("room");
        let last = keeper.last().expect("it can be read").expect("it is there");
        assert_eq!(serde_json::to_value(last).ok(), serde_json::to_value(kept).ok());
    }

    #[test]
    fn a_file_from_before_there_were_planes_is_the_models() {
        let (_directory, keeper) = keeper();
        let text = r#"{"format":1,"link":{"kind":"transparent"},"seed":"1","changes":[]}"#;
        fs::write(keeper.path().expect("a place"), text).expect("room");
        let last = keeper.last().expect("it can be read").expect("it is there");
        assert_eq!(last.plane, PlaneKind::Model);
    }

    #[test]
    fn a_change_goes_on_for_what_is_left_of_it() {
        let end = UNIX_EPOCH + Duration::from_secs(1_000);
        let before = |seconds| end.checked_sub(Duration::from_secs(seconds)).expect("after 1970");
        let asked = hold(Some(end)).at(before(3)).expect("it is in force");
        assert_eq!(
            asked.understood().expect("right").lasts,
            Some(windlull_units::Span::from_secs(3))
        );
        assert!(hold(Some(end)).at(end).is_none());
        let forever = hold(None).at(end).expect("it is in force").understood().expect("right");
        assert_eq!(forever.lasts, None);
    }

    #[test]
    fn a_damaged_file_and_one_of_another_format_are_told() {
        let (_directory, keeper) = keeper();
        let path = keeper.path().expect("a place");
        for (text, words) in [
            ("{\"format\":1,", "EOF"),
            (
                r#"{"format":9,"link":{"kind":"transparent"},"seed":"1","changes":[]}"#,
                "format 9",
            ),
        ] {
            fs::write(&path, text).expect("room");
            let why = keeper.last().expect_err("it is wrong");
            assert!(why.contains(words) && why.contains("link.json"), "{why}");
        }
    }
}
