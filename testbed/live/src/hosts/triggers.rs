//! The states of kernels' senders, told to the run's link where its script waits for that.

use std::sync::{Mutex, OnceLock, PoisonError};

use windlull_link::Triggers;
use windlull_link::model::LinkModel;
use windlull_plane::model::TriggerSender;
use windlull_units::Time;

use super::tcp_info::TcpInfo;

/// Of one run, whose samplers share it.
#[derive(Debug)]
pub(crate) struct SharedTriggers {
    triggers: Mutex<Triggers>,
    /// Once the link runs.
    link: OnceLock<TriggerSender>,
}

impl SharedTriggers {
    /// `None` if no entry of the script waits for the states of senders.
    pub(crate) fn of(link: &LinkModel, flows: usize) -> Option<Self> {
        Some(Self {
            triggers: Mutex::new(*Triggers::new(link, flows)?),
            link: OnceLock::new(),
        })
    }

    /// The link runs, and is told from now on.
    pub(crate) fn tell(&self, link: TriggerSender) {
        let _ = self.link.set(link);
    }

    /// The sender of a flow, from 0, was asked at `now`, and said this; nothing, if its connection is over.
    pub(super) fn look(&self, now: Time, flow: usize, info: Option<&TcpInfo>) {
        let sender = info.and_then(TcpInfo::sender_view);
        let Some(link) = self.link.get().filter(|_| info.is_none() || sender.is_some()) else {
            return;
        };
        let mut triggers = self.triggers.lock().unwrap_or_else(PoisonError::into_inner);
        for (entry, at) in triggers.look(now, flow, sender.as_ref()) {
            link.send(entry, at);
        }
    }
}
