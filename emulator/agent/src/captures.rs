//! Captures of the link on demand: begun and stopped by hand, bounded in size and number, kept until somebody deletes them.
//!
//! ```text
//!     running --stop, limit, end of the process--> kept      capture-N.pcapng and capture-N.json
//!        |
//!        +---- the process is killed, the file fails ----> gone      capture-N.part is removed
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use thiserror::Error;
use windlull_plane::model::{Shown, Visible};
use windlull_plane::netem::Devices;
use windlull_profile::Complaint;
use windlull_profile::text::Written;
use windlull_units::Bytes;

use crate::capture::{CaptureOrder, Capturer, Capturing};
use crate::logs::{self, rfc3339};

/// The directory below that of `--state`.
const DIRECTORY: &str = "captures";

/// Octets that a capture of the link may have, where nobody says how many: one on demand, and that of a run.
pub const DEFAULT_CAPTURE_BYTES: u64 = 100_000_000;

/// How much there may be; `GET /captures` tells it.
pub(crate) const LIMITS: Limits = Limits {
    default_bytes: DEFAULT_CAPTURE_BYTES,
    least_bytes: 10_000,
    most_bytes: 1_000_000_000,
    most_captures: 20,
    most_total_bytes: 4_000_000_000,
};

/// The longest snap length: more than any frame has.
const LONGEST_SNAPLEN: u64 = 65_535;
/// The shortest: Ethernet, IPv4 and TCP without options.
const SHORTEST_SNAPLEN: u64 = 54;

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkCaptureLimits")]
pub(crate) struct Limits {
    /// Of a capture for which no limit is given.
    pub(crate) default_bytes: u64,
    least_bytes: u64,
    most_bytes: u64,
    most_captures: usize,
    most_total_bytes: u64,
}

/// The body of `POST /captures`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// As in `100 MB`.
    limit: Option<String>,
    /// As in `96 B`; nothing: each packet whole.
    snaplen: Option<String>,
}

/// What was asked for, understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    limit_bytes: u64,
    snaplen: Option<u32>,
}

/// `GET /captures`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkCaptures")]
pub(crate) struct CapturesAnswer {
    /// Why none can be taken here; `None` if they can.
    unavailable: Option<&'static str>,
    limits: Limits,
    captures: Vec<CaptureAnswer>,
}

/// A capture as it is told, and as it is written beside its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LinkCapture")]
pub(crate) struct CaptureAnswer {
    pub(crate) id: u64,
    state: CaptureState,
    #[schemars(extend("format" = "date-time"))]
    started: String,
    ended: Option<String>,
    /// The link that stood when it began.
    link: String,
    bytes: u64,
    packets: u64,
    /// Packets that passed and are not in it.
    dropped: u64,
    limit_bytes: u64,
    snaplen: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "LinkCaptureState")]
enum CaptureState {
    Running,
    /// By hand, or with the process.
    Stopped,
    /// It has as much as it may.
    Full,
}

/// Why a capture cannot be begun, read or deleted.
#[derive(Debug, Error)]
pub(crate) enum CaptureError {
    #[error("{0}")]
    Unavailable(&'static str),
    #[error("there is no capture {id}")]
    None { id: u64 },
    #[error("capture {id} is under way; stop it first")]
    Running { id: u64 },
    #[error("capture {id} is not under way: it has ended")]
    Ended { id: u64 },
    #[error("there are {most} captures, which is as many as there may be; delete some first")]
    TooMany { most: usize },
    #[error(
        "all captures together may have {most} octets, and with this one's limit they might have {with}; delete some, or give a lower limit"
    )]
    TooMuch { most: u64, with: u64 },
    #[error("the capture failed, and its file is gone: {source}")]
    Failed { source: io::Error },
}

const WITHOUT_STATE: &str = "captures need a place: start the emulator with --state DIR";
const WITHOUT_CAPTURER: &str = "this emulator was built without captures";

/// Where captures are kept, and the one that is under way.
pub(crate) struct CaptureStore {
    directory: Option<PathBuf>,
    capturer: Option<Box<dyn Capturer>>,
    visible: Arc<Visible>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: Option<Running>,
    /// Those that ended, by their numbers.
    kept: Vec<CaptureAnswer>,
    made: u64,
}

struct Running {
    answer: CaptureAnswer,
    capturing: Box<dyn Capturing>,
    /// What the link sends is seen until the capture has ended.
    _shown: Shown,
}

impl Asked {
    /// Reads the texts in it.
    pub(crate) fn understood(&self) -> Result<Wanted, Vec<Complaint>> {
        let mut wrong = Vec::new();
        let mut read = |key: &str, text: &Option<String>, least: u64, most: u64| {
            let bytes = match Bytes::read(text.as_deref()?) {
                Ok(bytes) => bytes.get(),
                Err(error) => {
                    wrong.push(Complaint::of_key(key, &error.to_string()));
                    return None;
                }
            };
            if !(least..=most).contains(&bytes) {
                let message = format!("must be from {least} to {most} B");
                wrong.push(Complaint::of_key(key, &message));
            }
            Some(bytes)
        };
        let limit = read("limit", &self.limit, LIMITS.least_bytes, LIMITS.most_bytes);
        let snaplen = read("snaplen", &self.snaplen, SHORTEST_SNAPLEN, LONGEST_SNAPLEN);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        Ok(Wanted {
            limit_bytes: limit.unwrap_or(LIMITS.default_bytes),
            snaplen: snaplen.and_then(|snaplen| u32::try_from(snaplen).ok()),
        })
    }
}

impl CaptureStore {
    /// What an earlier process has kept below `state`. Files that it had not finished are removed.
    pub(crate) fn open(
        state: Option<&Path>,
        capturer: Option<Box<dyn Capturer>>,
        visible: Arc<Visible>,
    ) -> io::Result<Self> {
        let directory = state.map(|state| state.join(DIRECTORY));
        let mut found = State::default();
        if let Some(directory) = &directory {
            fs::create_dir_all(directory)?;
            for entry in fs::read_dir(directory)? {
                let path = entry?.path();
                if path.extension().is_some_and(|extension| extension == "part") {
                    fs::remove_file(&path)?;
                } else if let Some(answer) = read_answer(&path) {
                    found.kept.push(answer);
                }
            }
            found.kept.sort_by_key(|answer| answer.id);
            found.made = found.kept.last().map_or(0, |answer| answer.id);
        }
        Ok(Self {
            directory,
            capturer,
            visible,
            state: Mutex::new(found),
        })
    }

    pub(crate) fn list(&self) -> CapturesAnswer {
        let mut state = self.state();
        self.settle(&mut state);
        let running = state.running.as_ref().map(Running::answer);
        CapturesAnswer {
            unavailable: self.place().err(),
            limits: LIMITS,
            captures: state.kept.iter().cloned().chain(running).rev().collect(),
        }
    }

    pub(crate) fn start(&self, devices: &Devices, link: &str, wanted: Wanted) -> Result<CaptureAnswer, CaptureError> {
        let (directory, capturer) = self.place().map_err(CaptureError::Unavailable)?;
        let mut state = self.state();
        self.settle(&mut state);
        if let Some(running) = &state.running {
            return Err(CaptureError::Running { id: running.answer.id });
        }
        if state.kept.len() >= LIMITS.most_captures {
            let most = LIMITS.most_captures;
            return Err(CaptureError::TooMany { most });
        }
        let with = state.kept.iter().map(|answer| answer.bytes).sum::<u64>() + wanted.limit_bytes;
        if with > LIMITS.most_total_bytes {
            let most = LIMITS.most_total_bytes;
            return Err(CaptureError::TooMuch { most, with });
        }
        let id = state.made + 1;
        let started = rfc3339(SystemTime::now());
        let begun = self.visible.show().and_then(|shown| {
            let capturing = capturer.start(&CaptureOrder {
                devices,
                snaplen: wanted.snaplen,
                limit_bytes: wanted.limit_bytes,
                comment: &format!("capture {id} of the emulator's link, {link} when it began at {started}"),
                path: &part(directory, id),
            })?;
            Ok((capturing, shown))
        });
        let (capturing, shown) = begun.map_err(|source| {
            let _ = fs::remove_file(part(directory, id));
            CaptureError::Failed { source }
        })?;
        state.made = id;
        let running = Running {
            answer: CaptureAnswer {
                id,
                state: CaptureState::Running,
                started,
                ended: None,
                link: link.to_owned(),
                bytes: 0,
                packets: 0,
                dropped: 0,
                limit_bytes: wanted.limit_bytes,
                snaplen: wanted.snaplen,
            },
            capturing,
            _shown: shown,
        };
        let answer = running.answer();
        logs::info("capture-began", json!({ "capture": answer }));
        state.running = Some(running);
        Ok(answer)
    }

    pub(crate) fn stop(&self, id: u64) -> Result<CaptureAnswer, CaptureError> {
        let mut state = self.state();
        match &state.running {
            Some(running) if running.answer.id == id => self.finish(&mut state),
            _ if state.kept.iter().any(|answer| answer.id == id) => Err(CaptureError::Ended { id }),
            _ => Err(CaptureError::None { id }),
        }
    }

    pub(crate) fn delete(&self, id: u64) -> Result<(), CaptureError> {
        let mut state = self.state();
        self.settle(&mut state);
        let path = self.path_of(&state, id)?;
        let gone = |path: &Path| match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
        gone(&path)
            .and_then(|()| gone(&path.with_extension("json")))
            .map_err(|source| CaptureError::Failed { source })?;
        state.kept.retain(|answer| answer.id != id);
        logs::info("capture-deleted", json!({ "id": id }));
        Ok(())
    }

    /// The file of one that has ended.
    pub(crate) fn file(&self, id: u64) -> Result<PathBuf, CaptureError> {
        let mut state = self.state();
        self.settle(&mut state);
        self.path_of(&state, id)
    }

    /// Finishes one that has ended by itself.
    pub(crate) fn look(&self) {
        self.settle(&mut self.state());
    }

    /// Stops what is under way: the process ends.
    pub(crate) fn end(&self) {
        let mut state = self.state();
        if state.running.is_some() {
            let _ = self.finish(&mut state);
        }
    }

    fn place(&self) -> Result<(&Path, &dyn Capturer), &'static str> {
        match (&self.directory, &self.capturer) {
            (Some(directory), Some(capturer)) => Ok((directory, capturer.as_ref())),
            (None, _) => Err(WITHOUT_STATE),
            (_, None) => Err(WITHOUT_CAPTURER),
        }
    }

    fn path_of(&self, state: &State, id: u64) -> Result<PathBuf, CaptureError> {
        if state.running.as_ref().is_some_and(|running| running.answer.id == id) {
            return Err(CaptureError::Running { id });
        }
        match &self.directory {
            Some(directory) if state.kept.iter().any(|answer| answer.id == id) => Ok(whole(directory, id)),
            _ => Err(CaptureError::None { id }),
        }
    }

    fn settle(&self, state: &mut State) {
        if state
            .running
            .as_ref()
            .is_some_and(|running| running.capturing.is_over())
        {
            let _ = self.finish(state);
        }
    }

    /// Ends what is under way: it is whole and in the store, or gone.
    fn finish(&self, state: &mut State) -> Result<CaptureAnswer, CaptureError> {
        let (Some(running), Some(directory)) = (state.running.take(), &self.directory) else {
            return Err(CaptureError::Unavailable(WITHOUT_STATE));
        };
        let Running {
            mut answer,
            capturing,
            _shown: shown,
        } = running;
        let stopped = capturing.stop();
        drop(shown);
        let ended = stopped.and_then(|counts| {
            (answer.bytes, answer.packets, answer.dropped) = (counts.bytes, counts.packets, counts.dropped);
            answer.state = if counts.full {
                CaptureState::Full
            } else {
                CaptureState::Stopped
            };
            answer.ended = Some(rfc3339(SystemTime::now()));
            let path = whole(directory, answer.id);
            fs::write(path.with_extension("json"), serde_json::to_vec(&answer)?)?;
            fs::rename(part(directory, answer.id), path)
        });
        match ended {
            Ok(()) => {
                logs::info("capture-ended", json!({ "capture": answer }));
                state.kept.push(answer.clone());
                Ok(answer)
            }
            Err(source) => {
                let _ = fs::remove_file(part(directory, answer.id));
                let _ = fs::remove_file(whole(directory, answer.id).with_extension("json"));
                logs::say(
                    "error",
                    "capture-failed",
                    json!({ "id": answer.id, "why": source.to_string() }),
                );
                Err(CaptureError::Failed { source })
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    fn answer(&self) -> CaptureAnswer {
        let counts = self.capturing.counts();
        CaptureAnswer {
            bytes: counts.bytes,
            packets: counts.packets,
            dropped: counts.dropped,
            ..self.answer.clone()
        }
    }
}

/// What stands beside a whole capture; `None` for other files, and where the capture is not there.
fn read_answer(path: &Path) -> Option<CaptureAnswer> {
    if path.extension()? != "json" {
        return None;
    }
    let answer: CaptureAnswer = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    whole(path.parent()?, answer.id).is_file().then_some(answer)
}

fn part(directory: &Path, id: u64) -> PathBuf {
    directory.join(format!("capture-{id}.part"))
}

fn whole(directory: &Path, id: u64) -> PathBuf {
    directory.join(format!("capture-{id}.pcapng"))
}
