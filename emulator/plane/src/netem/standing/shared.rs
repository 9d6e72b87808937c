//! What the thread of a standing link and the others share.

use std::io;
use std::sync::RwLock;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::SyncSender;

use thiserror::Error;
use windlull_link::{ChangeId, LiveChange};
use windlull_units::Time;

use super::super::path::PathPlan;
use super::super::statistics::Counts;
use super::super::{PlayError, ToolError, Unsupported};
use crate::Epoch;
use crate::model::Cause;

pub(super) const NAME: &str = "link-netem";

/// What the thread and the others know.
pub(super) struct Shared {
    pub(super) paths: [PathPlan; 2],
    pub(super) alive: AtomicBool,
    /// When the kernel was last asked for its counts.
    pub(super) asked: RwLock<Option<Time>>,
    pub(super) epoch: Epoch,
}

/// What the thread is told.
pub(super) enum Command {
    Change {
        id: ChangeId,
        change: LiveChange,
        reply: SyncSender<()>,
    },
    TakeBack {
        id: ChangeId,
        reply: SyncSender<bool>,
    },
    Count {
        reply: SyncSender<()>,
    },
    Stop,
}

/// Why a link is not set up, or no longer.
#[derive(Debug, Error)]
pub enum StandingError {
    /// It has parts that the plane cannot express.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// A device has no address, or the kernel forwards.
    #[error("cannot be a gateway on {device}: {source}")]
    Gateway {
        device: String,
        /// What is the matter.
        source: io::Error,
    },
    /// A command failed.
    #[error("{step}: {why}", step = .0, why = .0.source)]
    Step(#[from] PlayError<ToolError>),
    /// The tools cannot be had, or do not tell what they should.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// There is no thread, or no directory for its tables.
    #[error("{0}")]
    Machine(#[from] io::Error),
    /// The thread ended in disorder.
    #[error("the thread {NAME} panicked")]
    Panicked,
}

/// One of the kernel's counts.
type CountOf = fn(&Counts) -> u64;

/// What becomes of packets that do not arrive, as far as the kernel tells.
pub(super) const CAUSES: [(Cause, CountOf); 4] = [
    (Cause::Queue, |it| it.overflow),
    (Cause::Loss, |it| it.loss),
    (Cause::Outage, |it| it.outage),
    (Cause::Chosen, |it| it.chosen),
];
