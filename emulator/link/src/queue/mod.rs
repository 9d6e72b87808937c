//! The queue before the bottleneck: who may wait, and who is dropped.
//!
//! A queue keeps account; the packets themselves stand in the pipeline's ring.

mod drop_tail;

use windlull_units::Bytes;

use crate::model::{QueueLimit, QueueModel};
use drop_tail::DropTail;

/// A queue of one discipline.
#[derive(Clone, Debug)]
pub(crate) enum Queue {
    DropTail(DropTail),
}

impl Queue {
    pub(crate) const fn new(model: &QueueModel) -> Self {
        match model {
            QueueModel::DropTail(limit) => Self::DropTail(DropTail::new(*limit)),
        }
    }

    /// Whether a packet of `size` that arrives now may wait.
    pub(crate) fn admits(&self, size: Bytes) -> bool {
        match self {
            Self::DropTail(queue) => queue.admits(size),
        }
    }

    /// A packet waits.
    pub(crate) fn push(&mut self, size: Bytes) {
        match self {
            Self::DropTail(queue) => queue.push(size),
        }
    }

    /// A packet that waited goes on.
    pub(crate) fn pop(&mut self, size: Bytes) {
        match self {
            Self::DropTail(queue) => queue.pop(size),
        }
    }

    /// How many packets wait.
    pub(crate) const fn packets(&self) -> u32 {
        match self {
            Self::DropTail(queue) => queue.packets(),
        }
    }

    /// How many octets wait.
    pub(crate) const fn octets(&self) -> Bytes {
        match self {
            Self::DropTail(queue) => queue.octets(),
        }
    }

    /// How much it holds.
    pub(crate) const fn limit(&self) -> QueueLimit {
        match self {
            Self::DropTail(queue) => queue.limit(),
        }
    }

    /// Changes the limit; what waits stays.
    pub(crate) const fn set_limit(&mut self, limit: QueueLimit) {
        match self {
            Self::DropTail(queue) => queue.set_limit(limit),
        }
    }
}
