//! What a link is told while it runs.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Mutex, PoisonError};

use windlull_link::{ChangeId, LiveChange};
use windlull_units::Time;

/// What the link's thread is told.
pub(super) enum Order {
    Change {
        id: ChangeId,
        change: LiveChange,
        reply: SyncSender<Time>,
    },
    TakeBack {
        id: ChangeId,
        reply: SyncSender<bool>,
    },
    /// What an entry of the script waits for will have come at `at`, unless something else is said before.
    Trigger {
        entry: usize,
        at: Time,
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
    pub(super) fn push(&self, order: Order) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if !waiting.closed {
            waiting.orders.push_back(order);
            self.any.store(true, Ordering::Release);
        }
    }

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
