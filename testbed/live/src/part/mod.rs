//! The parts of a run: two hosts and a link between them.
//!
//! Each is told what to do and answers how far it is. Whether it is in this process, in a namespace of its own
//! ([`HostHere`], [`LinkHere`]), or in another one makes no difference to the run.
//!
//! ```text
//!     host    prepare -> capture -> start -> progress ... -> fall_silent -> stop_capture -> finish
//!     link    prepare ------------> start -> state ... ----> stop
//! ```

mod host;
mod link;

use rand_chacha::rand_core::Rng as _;
use serde::{Deserialize, Serialize};
use windlull_capture::Snaplen;
use windlull_link::model::{ImpairmentKind, LinkModel};
use windlull_plane::Epoch;
use windlull_plane::model::Pace;
use windlull_stack::Stack;
use windlull_units::{Host, Seed, Span};
use windlull_wire::SeqNumber;

use crate::capture::Spool;
use crate::endpoint::Role;
use crate::ends::Ended;
use crate::plane::Played;
use crate::{LiveError, PlaneKind, Setup};

pub(crate) use host::HostHere;
pub(crate) use link::LinkHere;

/// A host's part of a run whose settings are made and whose sockets are open.
pub(crate) trait HostPart {
    /// Begins to capture; the run's time is the epoch's.
    fn capture(&mut self, epoch: Epoch) -> Result<(), LiveError>;

    /// Begins. A receiver listens at once, a sender of ours connects when the epoch has come, one of the kernel's now.
    fn start(&mut self) -> Result<(), LiveError>;

    /// How far its end is, as of a moment ago.
    fn progress(&mut self) -> Result<Progress, LiveError>;

    /// An end of ours sends nothing any more. A kernel's goes on: made to leave a connection, it would reset it.
    fn fall_silent(&mut self) -> Result<(), LiveError>;

    /// Ends the capture.
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

    /// Ends it.
    fn stop(&mut self) -> Result<Played, LiveError>;
}

/// What a host is to do in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostTask {
    /// Its TCP.
    pub(crate) stack: Stack,
    /// What its end does.
    pub(crate) role: Role,
    /// The initial sequence number, if the TCP is ours.
    pub(crate) isn: SeqNumber,
    /// How much of each packet is spooled.
    pub(crate) snaplen: Snaplen,
    /// How it waits.
    pub(crate) pace: Pace,
}

/// What the link is to do in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkTask {
    pub(crate) link: LinkModel,
    pub(crate) seed: Seed,
    /// What carries the packets.
    pub(crate) plane: PlaneKind,
    /// How it waits.
    pub(crate) pace: Pace,
    /// Beyond that nothing of it is asked.
    pub(crate) horizon: Span,
}

/// How far an end is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Progress {
    /// Whether all that it sent, its FIN too, was acknowledged.
    pub(crate) closed_in_order: bool,
    /// Whether there is no connection any more.
    pub(crate) closed: bool,
    /// Whether it waits for nothing but packets.
    pub(crate) idle: bool,
    /// Octets that its application has read.
    pub(crate) received: u64,
}

/// How a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkState {
    /// Whether it still carries packets as it should.
    pub(crate) alive: bool,
    /// Whether no packet is in it, if it tells.
    pub(crate) empty: Option<bool>,
}

/// What a host leaves.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostLeft {
    pub(crate) ended: Ended,
    pub(crate) spool: Spool,
}

impl HostTask {
    /// What a run asks of a host.
    pub(crate) fn of(setup: &Setup<'_>, host: Host) -> Self {
        let stream = match host {
            Host::Server => "server/isn",
            Host::Client => "client/isn",
        };
        let role = if host == setup.transfer.data_sender {
            Role::Sends(setup.transfer.size)
        } else {
            Role::Receives(setup.pause)
        };
        Self {
            stack: setup.ends[host as usize].clone(),
            role,
            isn: SeqNumber(setup.isn.unwrap_or_else(|| setup.seed.stream(stream).next_u32())),
            // All of it where the link corrupts some, since their checksums are to show it.
            snaplen: if corrupts(setup.link) {
                Snaplen::Full
            } else {
                setup.snaplen
            },
            pace: setup.pace,
        }
    }
}

impl LinkTask {
    /// What a run asks of the link.
    pub(crate) fn of(setup: &Setup<'_>) -> Self {
        Self {
            link: setup.link.clone(),
            seed: setup.seed,
            plane: setup.plane,
            pace: setup.pace,
            horizon: setup.time_limit,
        }
    }
}

fn corrupts(link: &LinkModel) -> bool {
    link.impairments
        .iter()
        .any(|impairment| matches!(impairment.kind, ImpairmentKind::Corrupt { .. }))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use windlull_experiment::{Disk, Kind, Library, Link, list};

    use super::*;

    /// Another process must play the very same link: every shipped one, each float to the last bit.
    #[test]
    fn every_shipped_link_is_read_as_it_was_written() {
        let profiles = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../profiles");
        let library = Library::of(vec![profiles], Disk);
        let names: Vec<String> = list(&library, Kind::Link)
            .into_iter()
            .map(|listed| listed.name)
            .collect();
        assert!(names.len() > 10, "{names:?}");
        for name in names {
            let task = LinkTask {
                link: Link::load(&library, &name).expect("what is shipped is valid").model,
                seed: Seed::new(u64::MAX),
                plane: PlaneKind::Model,
                pace: Pace::Precise,
                horizon: Span::from_secs(60),
            };
            let text = serde_json::to_string(&task).expect("tasks have string keys and finite numbers");
            assert_eq!(
                serde_json::from_str::<LinkTask>(&text).expect("it is one"),
                task,
                "{name}"
            );
        }
    }
}
