//! A link that stands for days: it can be changed by hand while it runs, and keeps counts, not the story of each packet.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use windlull_link::{ChangeId, LiveChange};
use windlull_units::Time;

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
        let (told, answer) = sync_channel(1);
        self.give(Order::Change { id, change, told }, &answer)
    }

    /// Takes a change back now. Whether it was still in force; `None` if the link no longer runs.
    pub fn take_back(&self, id: ChangeId) -> Option<bool> {
        let (told, answer) = sync_channel(1);
        self.give(Order::TakeBack { id, told }, &answer)
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

/// What the link's thread is told.
pub(super) enum Order {
    Change {
        id: ChangeId,
        change: LiveChange,
        told: SyncSender<Time>,
    },
    TakeBack {
        id: ChangeId,
        told: SyncSender<bool>,
    },
}

/// Orders that wait. The thread looks at a flag; a lock is taken only if there are some.
#[derive(Default)]
pub(super) struct Orders {
    any: AtomicBool,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    orders: VecDeque<Order>,
    closed: bool,
}

impl Orders {
    fn push(&self, order: Order) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if !waiting.closed {
            waiting.orders.push_back(order);
            self.any.store(true, Ordering::Release);
        }
    }

    /// The next one, if there is one.
    pub(super) fn take(&self) -> Option<Order> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let order = waiting.orders.pop_front();
        self.any.store(!waiting.orders.is_empty(), Ordering::Release);
        order
    }

    /// Nobody will take any more: who waits for an answer, and who comes later, learns that there is none.
    pub(super) fn close(&self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.closed = true;
        waiting.orders.clear();
    }
}
