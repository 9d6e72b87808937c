//! The parts of a run: two hosts and a link between them.
//!
//! Each is told what to do and answers how far it is. Whether it is in this process, in a namespace of its own
//! ([`HostHere`], [`LinkHere`]), or in another one makes no difference to the run.
//!
//! ```text
//!     host    prepare -> capture -> start -> progress ... -> fall_silent -> stop_capture -> finish
//!     link    prepare ------------> start -> state ... ----> stop ------------------------> finish
//! ```

mod host;
mod link;
mod task;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use windlull_plane::Epoch;
use windlull_units::LinkCaptureCounts;

use crate::LiveError;
use crate::capture::Spool;
use crate::ends::Ended;
use crate::plane::Played;

pub(crate) use host::HostHere;
pub(crate) use link::LinkHere;
pub(crate) use task::{Does, EndTask, HostTask, LinkCaptureTask, LinkState, LinkTask, Progress};

/// A host's part of a run whose settings are made and whose sockets are open.
pub(crate) trait HostPart {
    /// Begins to capture; the run's time is the epoch's.
    fn capture(&mut self, epoch: Epoch) -> Result<(), LiveError>;

    /// Begins. Receivers listen at once, senders connect when their times come.
    fn start(&mut self) -> Result<(), LiveError>;

    /// How far its end is, as of a moment ago.
    fn progress(&mut self) -> Result<Progress, LiveError>;

    /// An end of ours sends nothing any more. A kernel's goes on: made to leave a connection, it would reset it.
    fn fall_silent(&mut self) -> Result<(), LiveError>;

    fn stop_capture(&mut self) -> Result<(), LiveError>;

    /// Ends what is left. What it leaves can be read as long as this lives.
    fn finish(&mut self) -> Result<HostLeft, LiveError>;
}

/// The link's part of a run, whose devices are its own until this is dropped.
pub(crate) trait LinkPart {
    /// Starts the link: its time is the epoch's.
    fn start(&mut self, epoch: Epoch) -> Result<(), LiveError>;

    /// How it is, as of a moment ago.
    fn state(&mut self) -> Result<LinkState, LiveError>;

    /// Ends it: it carries no packet any more.
    fn stop(&mut self) -> Result<(), LiveError>;

    /// Ends what is left. What it leaves can be read as long as this lives.
    fn finish(&mut self) -> Result<LinkLeft, LiveError>;
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkLeft {
    pub(crate) played: Played,
    pub(crate) capture: Option<LinkCaptured>,
}

/// A capture at the link that is over.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkCaptured {
    pub(crate) path: PathBuf,
    pub(crate) counts: LinkCaptureCounts,
}

impl LinkCaptured {
    /// The same file, seen in this directory.
    pub(crate) fn within(self, directory: &Path) -> Self {
        let name = self.path.file_name().unwrap_or_default();
        Self {
            path: directory.join(name),
            ..self
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostLeft {
    pub(crate) ended: Ended,
    pub(crate) spool: Spool,
}
