//! The queue of one flow, and what can wait in it.

use std::collections::VecDeque;

use windlull_units::{Bytes, Ecn, Time};

use super::drop_tail::DropTail;

/// What can wait in the queue of a flow.
pub(crate) trait Waits {
    fn size(&self) -> Bytes;
    /// The number of its flow.
    fn flow(&self) -> u64;
    fn ecn(&self) -> Ecn;
    /// When it came into the queue.
    fn queued(&self) -> Time;
}

/// One flow's queue, or that of several whose hashes agree.
#[derive(Clone, Debug)]
pub(super) struct FlowQueue<T> {
    waiting: VecDeque<T>,
    pub(super) account: DropTail,
}

impl<T: Waits> FlowQueue<T> {
    pub(super) fn new() -> Self {
        Self {
            waiting: VecDeque::new(),
            account: DropTail::default(),
        }
    }

    pub(super) fn push(&mut self, item: T) {
        self.account.push(item.size());
        self.waiting.push_back(item);
    }

    pub(super) fn pop_front(&mut self) -> Option<T> {
        let item = self.waiting.pop_front()?;
        self.account.pop(item.size());
        Some(item)
    }

    pub(super) fn pop_back(&mut self) -> Option<T> {
        let item = self.waiting.pop_back()?;
        self.account.pop(item.size());
        Some(item)
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn head(&self) -> Option<&T> {
        self.waiting.front()
    }

    pub(super) fn tail(&self) -> Option<&T> {
        self.waiting.back()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

/// Which end of the longest queue loses, and how much at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stolen {
    /// The packet that came last.
    Last,
    /// So many from the head.
    First(usize),
}
