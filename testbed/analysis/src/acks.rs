//! Acknowledgements between their sending and the time when they can no longer matter.

use std::collections::VecDeque;

use windlull_units::Time;
use windlull_wire::{SackBlock, SackBlocks, Segment, SeqNumber};

/// An acknowledgement that the data receiver sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ack {
    pub(crate) order: u64,
    pub(crate) sent_at: Time,
    /// The position after the last one in order.
    pub(crate) ack: u64,
    pub(crate) blocks: Blocks,
    pub(crate) lost: Option<bool>,
}

/// The positions of SACK blocks, left and right.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Blocks {
    len: u8,
    blocks: [(u64, u64); windlull_wire::MAX_SACK_BLOCKS],
}

impl Blocks {
    /// The positions of a segment's blocks, as they lie around `near`. Blocks that are none are left out.
    pub(crate) fn of(sack: &SackBlocks, origin: SeqNumber, near: u64) -> Self {
        let mut positions = Self::default();
        for &SackBlock { left, right } in sack.as_slice() {
            let (Some(left), Some(right)) = (left.unwrap_near(origin, near), right.unwrap_near(origin, near)) else {
                continue;
            };
            if left < right {
                positions.blocks[usize::from(positions.len)] = (left, right);
                positions.len += 1;
            }
        }
        positions
    }

    pub(crate) fn as_slice(&self) -> &[(u64, u64)] {
        &self.blocks[..usize::from(self.len)]
    }

    /// The duplicate that the first block reports (RFC 2883, section 4), if it does: it lies below the cumulative
    /// acknowledgement or within the second block.
    pub(crate) fn duplicate(&self, ack: u64) -> Option<(u64, u64)> {
        let &(left, right) = self.as_slice().first()?;
        let within_second = self
            .as_slice()
            .get(1)
            .is_some_and(|second| second.0 <= left && right <= second.1);
        (right <= ack || within_second).then_some((left, right))
    }
}

impl Ack {
    /// Whether it tells the sender that all of these octets have arrived.
    pub(crate) fn covers(&self, start: u64, end: u64) -> bool {
        end <= self.ack
            || self
                .blocks
                .as_slice()
                .iter()
                .any(|&(left, right)| left <= start && end <= right)
    }

    /// The position behind all that it speaks of.
    fn top(&self) -> u64 {
        self.blocks
            .as_slice()
            .iter()
            .fold(self.ack, |top, block| top.max(block.1))
    }
}

/// The acknowledgements that may still decide something.
#[derive(Debug, Default)]
pub(crate) struct AckLog {
    acks: VecDeque<Ack>,
    gone: u64,
    /// All below it was acknowledged to the data sender, by acknowledgements that may be forgotten.
    arrived: u64,
}

impl AckLog {
    /// Adds one and returns its place, counted from the run's start.
    pub(crate) fn push(&mut self, ack: Ack) -> u64 {
        self.acks.push_back(ack);
        self.gone + self.acks.len() as u64 - 1
    }

    pub(crate) fn get_mut(&mut self, place: u64) -> Option<&mut Ack> {
        self.acks.get_mut(usize::try_from(place.checked_sub(self.gone)?).ok()?)
    }

    /// Those sent from this order on.
    pub(crate) fn since(&self, order: u64) -> impl Iterator<Item = &Ack> {
        let from = self.acks.partition_point(|ack| ack.order < order);
        self.acks.range(from..)
    }

    /// Whether the data sender has heard that everything below this position has arrived.
    pub(crate) const fn has_told(&self, end: u64) -> bool {
        end <= self.arrived
    }

    /// Forgets those at the front that are sealed and speak of nothing above the acknowledged position.
    #[inline]
    pub(crate) fn release(&mut self, acknowledged: u64, ends_are_known: bool) {
        if ends_are_known {
            self.arrived = acknowledged.max(self.arrived);
        }
        while self
            .acks
            .front()
            .is_some_and(|ack| (!ends_are_known || ack.lost.is_some()) && ack.top() <= acknowledged)
        {
            self.acks.pop_front();
            self.gone += 1;
        }
    }
}

/// An acknowledgement as it reaches the data sender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrivedAck<'a> {
    /// The position acknowledged before.
    pub(crate) before: u64,
    pub(crate) ack: u64,
    pub(crate) blocks: Blocks,
    pub(crate) segment: &'a Segment,
}
