//! A link that stands for days: it can be changed by hand while it runs, and keeps counts, not the story of each packet.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

use windlull_link::{ChangeId, LiveChange};
use windlull_units::Time;

use super::orders::Order;
use super::{Keeps, Monitor, PlaneError, Port, Running, Setup};

/// A standing link at work. It stops when it is dropped.
pub struct Standing {
    running: Running,
}

/// Starts it; `monitor` counts on from where it is.
///
/// # Errors
/// If there are no threads to be had.
pub fn stand(
    setup: Setup<'_>,
    to_server: Port,
    to_client: Port,
    monitor: &Arc<Monitor>,
) -> Result<Standing, PlaneError> {
    let keeps = Keeps::Counts(Arc::clone(monitor));
    let running = super::begin(setup, to_server, to_client, &keeps)?;
    Ok(Standing { running })
}

impl Standing {
    /// Changes the link now, and says when that was; `None` if it no longer runs. The number must not be in use.
    pub fn change(&self, id: ChangeId, change: LiveChange) -> Option<Time> {
        let (reply, answer) = sync_channel(1);
        self.give(Order::Change { id, change, reply }, &answer)
    }

    /// Takes a change back now. Whether it was still in force; `None` if the link no longer runs.
    pub fn take_back(&self, id: ChangeId) -> Option<bool> {
        let (reply, answer) = sync_channel(1);
        self.give(Order::TakeBack { id, reply }, &answer)
    }

    /// Whether it still works; if not, [`Standing::stop`] says why.
    pub fn is_alive(&self) -> bool {
        self.running.is_alive()
    }

    /// Stops it where it is. What is inside is lost.
    ///
    /// # Errors
    /// If it had ended before, because a device no longer worked.
    pub fn stop(self) -> Result<(), PlaneError> {
        self.running.stop().map(drop)
    }

    fn give<T>(&self, order: Order, answer: &Receiver<T>) -> Option<T> {
        let shared = &self.running.shared;
        shared.orders.push(order);
        shared.wake();
        // The thread answers, or drops the order with the link when it ends.
        answer.recv().ok()
    }
}
