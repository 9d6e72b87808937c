//! Ledgers of dead processes, worked off.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use nix::fcntl::{Flock, FlockArg};
use serde::Serialize;

use super::{Entry, Line, Started};

/// How often, and how far apart, a lock is tried whose process has ended.
const LOOKS: u32 = 50;
const LOOK: Duration = Duration::from_millis(10);

/// Something that a dead process has left behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Leftover {
    /// What, for people.
    pub what: String,
    /// Why it is still there, if it could not be removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cleaned {
    pub removed: Vec<Leftover>,
    /// What could not be.
    pub left: Vec<Leftover>,
}

/// The ledger of a dead process, locked so that nobody else works it off.
struct Dead {
    path: PathBuf,
    _file: Flock<File>,
    entries: Vec<Entry>,
    /// A line that nobody can read, other than a last one without an end.
    odd: Option<String>,
}

pub(super) fn clean(directory: &Path) -> io::Result<Cleaned> {
    let mut cleaned = Cleaned::default();
    let Ledgers { dead, in_use } = read(directory)?;
    for ledger in dead {
        let mut all = true;
        // The last that was made is the first to go.
        for entry in ledger.entries.iter().rev() {
            if let Some(user) = in_use.iter().find(|there| shares(entry, there)) {
                all = false;
                cleaned.left.push(Leftover {
                    what: entry.to_string(),
                    failure: Some(format!("another run is at work below {}", user.display())),
                });
                continue;
            }
            let was_there = entry.is_there();
            let failure = entry.remove().err().map(|error| error.to_string());
            let what = entry.to_string();
            match failure {
                None if was_there => cleaned.removed.push(Leftover { what, failure }),
                None => {}
                Some(_) => {
                    all = false;
                    cleaned.left.push(Leftover { what, failure });
                }
            }
        }
        if let Some(odd) = ledger.odd {
            all = false;
            cleaned.left.push(Leftover {
                what: format!("the ledger {}", ledger.path.display()),
                failure: Some(odd),
            });
        }
        if all {
            fs::remove_file(&ledger.path)?;
        }
    }
    Ok(cleaned)
}

pub(super) fn leftovers(directory: &Path) -> io::Result<Vec<Leftover>> {
    let ledgers = read(directory)?.dead;
    let entries = ledgers.iter().flat_map(|ledger| &ledger.entries);
    let there = entries.filter(|entry| entry.is_there()).map(|entry| Leftover {
        what: entry.to_string(),
        failure: None,
    });
    let odd = ledgers.iter().filter_map(|ledger| {
        Some(Leftover {
            what: format!("the ledger {}", ledger.path.display()),
            failure: Some(ledger.odd.clone()?),
        })
    });
    Ok(there.chain(odd).collect())
}

struct Ledgers {
    dead: Vec<Dead>,
    /// Where living processes have their drafts.
    in_use: Vec<PathBuf>,
}

/// Whether a living process' drafts may be among this entry's.
fn shares(entry: &Entry, in_use: &Path) -> bool {
    match entry {
        Entry::Drafts { under } => under.starts_with(in_use) || in_use.starts_with(under),
        _ => false,
    }
}

fn read(directory: &Path) -> io::Result<Ledgers> {
    let mut ledgers = Ledgers {
        dead: Vec::new(),
        in_use: Vec::new(),
    };
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ledgers),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let file = match File::options().read(true).write(true).open(&path) {
            // Somebody else was quicker.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            file => file?,
        };
        let lock = lock(file, &path);
        // Read by its name: it may be gone since.
        let text = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            text => String::from_utf8_lossy(&text?).into_owned(),
        };
        let (entries, odd) = entries_of(&text);
        match lock {
            Some(lock) => ledgers.dead.push(Dead {
                path,
                _file: lock,
                entries,
                odd,
            }),
            None => ledgers
                .in_use
                .extend(entries.into_iter().filter_map(|entry| match entry {
                    Entry::Drafts { under } => Some(under),
                    _ => None,
                })),
        }
    }
    ledgers.dead.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(ledgers)
}

/// Locks a ledger, if nobody else does. A child that a process was just starting when it was killed has the lock for a
/// moment longer.
fn lock(mut file: File, path: &Path) -> Option<Flock<File>> {
    for _ in 0..LOOKS {
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(locked) => return Some(locked),
            Err((unlocked, _)) => file = unlocked,
        }
        if process_of(path).is_none_or(Started::lives) {
            return None;
        }
        thread::sleep(LOOK);
    }
    // It lives where we do not see it: in another container.
    None
}

/// The process that a ledger's name tells of.
fn process_of(path: &Path) -> Option<Started> {
    let (pid, started) = path.file_stem()?.to_str()?.split_once('-')?;
    Some(Started {
        pid: pid.parse().ok()?,
        started: started.parse().ok()?,
    })
}

/// What a ledger says was made and is not gone, and its first line that nobody can read.
fn entries_of(text: &str) -> (Vec<Entry>, Option<String>) {
    let (mut open, mut odd) = (BTreeMap::new(), None);
    // What follows the last end of line was never wholly written: it was not made.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    for line in whole.lines().filter(|line| !line.is_empty()) {
        match serde_json::from_str(line) {
            Ok(Line::Make { nth, entry }) => {
                open.insert(nth, entry);
            }
            Ok(Line::Gone(nth)) => {
                open.remove(&nth);
            }
            Err(error) => odd = odd.or_else(|| Some(format!("a line that cannot be read: {error}"))),
        }
    }
    (open.into_values().collect(), odd)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Ledger;

    fn draft(directory: &Path, name: &str) -> Entry {
        let path = directory.join(name);
        fs::create_dir_all(&path).expect("a directory");
        fs::write(path.join("client.pcapng"), "half").expect("a file");
        Entry::Draft { path }
    }

    /// A ledger as a killed process leaves it: not locked, nothing forgotten.
    fn abandoned(directory: &Path, entries: Vec<Entry>) -> PathBuf {
        let ledger = Ledger::open_in(directory).expect("a ledger");
        for entry in entries {
            let _ = ledger.record(entry).expect("it is written");
        }
        let text = fs::read(&ledger.path).expect("it is there");
        drop(ledger);
        let path = directory.join("1-1.jsonl");
        fs::write(&path, text).expect("a file");
        for entry in fs::read_dir(directory).expect("a directory").flatten() {
            if entry.path() != path {
                let _ = fs::remove_file(entry.path());
            }
        }
        path
    }

    #[test]
    fn what_a_dead_process_left_is_removed() {
        let there = tempfile::tempdir().expect("a directory");
        let (ledgers, runs) = (there.path().join("ledger"), there.path().join("runs"));
        let entry = draft(&runs, ".001.part");
        draft(&runs.join("sim/newreno"), ".007.part");
        fs::create_dir(runs.join("002")).expect("a directory");
        let path = abandoned(&ledgers, vec![entry, Entry::Drafts { under: runs.clone() }]);
        assert_eq!(Ledger::leftovers_in(&ledgers).expect("it is read").len(), 2);
        let cleaned = Ledger::clean_in(&ledgers).expect("it is read");
        assert!(!cleaned.removed.is_empty() && cleaned.left.is_empty(), "{cleaned:?}");
        assert!(!runs.join(".001.part").exists() && !runs.join("sim/newreno/.007.part").exists());
        assert!(runs.join("002").exists(), "a finished run stays");
        assert!(!path.exists());
        assert_eq!(Ledger::clean_in(&ledgers).expect("it is read"), Cleaned::default());
    }

    #[test]
    fn the_ledger_of_a_living_process_is_not_touched() {
        let there = tempfile::tempdir().expect("a directory");
        let entry = draft(there.path(), ".001.part");
        let ledger = Ledger::open_in(&there.path().join("ledger")).expect("a ledger");
        let ticket = ledger.record(entry).expect("it is written");
        let cleaned = Ledger::clean_in(&there.path().join("ledger")).expect("it is read");
        assert_eq!(cleaned, Cleaned::default());
        assert!(there.path().join(".001.part").exists() && ledger.path.exists());
        ledger.forget(ticket).expect("it is written");
        let path = ledger.path.clone();
        drop(ledger);
        assert!(!path.exists(), "a ledger without entries goes with its process");
    }

    #[test]
    fn drafts_are_not_removed_where_another_process_is_at_work() {
        let there = tempfile::tempdir().expect("a directory");
        let (ledgers, runs) = (there.path().join("ledger"), there.path().join("out"));
        draft(&runs.join("runs"), ".001.part");
        let path = abandoned(&ledgers, vec![Entry::Drafts { under: runs.clone() }]);
        let living = Ledger::open_in(&ledgers).expect("a ledger");
        let entry = Entry::Drafts {
            under: runs.join("runs"),
        };
        let ticket = living.record(entry).expect("it is written");
        let cleaned = Ledger::clean_in(&ledgers).expect("it is read");
        assert_eq!((cleaned.removed.len(), cleaned.left.len()), (0, 1));
        assert!(runs.join("runs/.001.part").exists() && path.exists());
        living.forget(ticket).expect("it is written");
        let cleaned = Ledger::clean_in(&ledgers).expect("it is read");
        assert_eq!((cleaned.removed.len(), cleaned.left.len()), (1, 0));
        assert!(!runs.join("runs/.001.part").exists() && !path.exists());
    }

    #[test]
    fn nothing_is_removed_that_no_run_makes() {
        let there = tempfile::tempdir().expect("a directory");
        let ledgers = there.path().join("ledger");
        let precious = there.path().join("precious");
        fs::create_dir(&precious).expect("a directory");
        std::os::unix::fs::symlink(&precious, there.path().join(".001.part")).expect("a link");
        let entries = vec![
            Entry::Draft { path: precious.clone() },
            Entry::Draft {
                path: there.path().join(".001.part"),
            },
        ];
        let path = abandoned(&ledgers, entries);
        let cleaned = Ledger::clean_in(&ledgers).expect("it is read");
        assert_eq!((cleaned.removed.len(), cleaned.left.len()), (0, 2), "{cleaned:?}");
        assert!(precious.exists() && path.exists(), "the ledger stays, and says why");
    }

    proptest! {
        #[test]
        fn a_ledger_that_was_cut_anywhere_is_understood(made in 1_usize..6, gone in 0_usize..6, cut in 0_usize..400) {
            let lines: Vec<String> = (0..made as u64)
                .map(|nth| Line::Make { nth, entry: Entry::Draft { path: format!("/x/.{nth}.part").into() } })
                .chain((0..gone.min(made) as u64).map(Line::Gone))
                .map(|line| serde_json::to_string(&line).expect("it has text keys"))
                .collect();
            let text = lines.join("\n") + "\n";
            let cut = cut.min(text.len());
            let whole = text[..cut].matches('\n').count();
            let (entries, odd) = entries_of(&text[..cut]);
            prop_assert_eq!(odd, None);
            let expected = whole.min(made) - whole.saturating_sub(made);
            prop_assert_eq!(entries.len(), expected);
        }

        #[test]
        fn no_text_at_all_makes_it_panic(text: String) {
            let _ = entries_of(&text);
        }
    }
}
