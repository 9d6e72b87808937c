//! The quick way: where nothing can happen to a packet but waiting, its whole way is known as it arrives.
//!
//! This holds for a constant rate, a constant delay and a drop-tail queue, with no link layer, no allocation, no trains after idle
//! times, no service in batches, and neither script nor recording nor impairment in this direction but holds that come by themselves. It is the general way in one
//! step instead of three, and nobody can tell them apart by what they deliver.

use std::collections::VecDeque;

use windlull_units::{Bytes, Direction, PacketId, Span, Time};

use crate::impairment::Mechanism;
use crate::model::{Distribution, ImpairmentKind, LinkModel, PathModel, RateModel};
use crate::rate::Constant;

/// The serialiser of the quick way, and the packets on it.
#[derive(Clone, Debug)]
pub(super) struct Express<P> {
    /// `None` is infinitely fast.
    pub(super) rate: Option<Constant>,
    pub(super) delay: Span,
    /// When all that has arrived is serialised.
    pub(super) free_from: Time,
    /// In order.
    pub(super) passing: VecDeque<Passing<P>>,
    /// How many of them, from the first on, have left the queue.
    pub(super) started: usize,
}

/// A packet on the quick way.
#[derive(Clone, Debug)]
pub(super) struct Passing<P> {
    pub(super) packet: P,
    pub(super) id: PacketId,
    pub(super) size: Bytes,
    pub(super) entered: Time,
    pub(super) started: Time,
    pub(super) sent: Time,
    /// When it arrives, if nothing is held then.
    pub(super) due: Time,
    pub(super) queue_packets: u32,
}

impl<P> Express<P> {
    /// The quick way for this direction, if it has one.
    pub(super) fn new(
        model: &LinkModel,
        direction: Direction,
        path: &PathModel,
        mechanisms: &[Mechanism],
    ) -> Option<Self> {
        let rate = match path.rate {
            None => None,
            Some(RateModel::Constant(rate)) => Some(Constant::new(rate)),
            Some(RateModel::Stepped { .. } | RateModel::Trace { .. }) => return None,
        };
        let Distribution::Constant(delay) = path.delay else {
            return None;
        };
        let scripted = model.script.iter().any(|entry| entry.scope.covers(direction));
        let lossy = model.impairments.iter().any(|impairment| {
            impairment.scope.covers(direction) && !matches!(impairment.kind, ImpairmentKind::Hold { .. })
        });
        let plain = !path.queue.is_managed()
            && path.arq.is_none()
            && path.allocation.is_none()
            && path.light.is_none()
            && path.service.is_none()
            && mechanisms.is_empty();
        (plain && !scripted && !lossy && model.recording.is_none() && model.replay.is_none()).then_some(Self {
            rate,
            delay,
            free_from: Time::ZERO,
            passing: VecDeque::new(),
            started: 0,
        })
    }

    /// When the next packet arrives.
    #[inline]
    pub(super) fn next(&self) -> Time {
        self.passing.front().map_or(Time::NEVER, |packet| packet.due)
    }

    /// How many packets are on it.
    pub(super) fn packets(&self) -> usize {
        self.passing.len()
    }
}
