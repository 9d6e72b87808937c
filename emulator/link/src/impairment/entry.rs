//! What impairments do to packets as they arrive, before the queue.

use windlull_units::{Bytes, DropCause, Time};

use super::policer::Policer;

/// One impairment at work on the packets of one direction that come to the queue.
#[derive(Clone, Debug)]
pub(crate) enum EntryMechanism {
    Policer(Policer),
}

impl EntryMechanism {
    /// Why a packet that arrives does not come to the queue; `None` if it does.
    pub(crate) fn stops(&mut self, now: Time, size: Bytes) -> Option<DropCause> {
        match self {
            Self::Policer(policer) => (!policer.passes(now, size)).then_some(DropCause::Policer),
        }
    }
}
