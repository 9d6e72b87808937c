//! What was sent and what became of it: every copy of every octet that may still matter.
//!
//! Octets are counted by *position*: the sequence number relative to SYN, 64 bits. SYN is at 0, the first octet of
//! the stream at 1, FIN behind the last one. *Order* counts everything that happens in the run.

use std::collections::VecDeque;

use windlull_units::{DropCause, Fate, Outcome, PacketId, Time};

/// One transmission of a range of octets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// When it was sent.
    pub(crate) order: u64,
    pub(crate) sent_at: Time,
    pub(crate) end_of_way: EndOfWay,
}

/// How a packet's way ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndOfWay {
    Flying,
    Delivered {
        order: u64,
        at: Time,
    },
    /// It was dropped, or arrived corrupted.
    Lost {
        at: Option<Time>,
        by: Option<DropCause>,
    },
}

impl EndOfWay {
    /// How the link ended it; the order of an arrival is set when it is sealed.
    #[inline]
    pub(crate) const fn of(fate: &Fate) -> Self {
        match fate.outcome {
            Outcome::Delivered { at } if !fate.corrupted => Self::Delivered { order: 0, at },
            Outcome::Delivered { at } => Self::Lost { at: Some(at), by: None },
            Outcome::Dropped { at, by } => Self::Lost {
                at: Some(at),
                by: Some(by),
            },
        }
    }

    pub(crate) const fn arrives(self) -> bool {
        matches!(self, Self::Delivered { .. })
    }
}

/// Where the copies of a range of octets stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// The receiver has had all of it since then; the time is absent if nothing of it is kept any more.
    Delivered { order: u64, at: Option<Time> },
    /// Some octet was lost in every copy.
    Lost { at: Option<Time>, by: Option<DropCause> },
    /// A copy that matters is still under way.
    Flying,
}

/// What a packet number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// Not sent yet, or a copy that the link has made and not told of.
    Unseen,
    /// The first transmission of its octets: its place in [`Ledger::originals`], counted from the run's start.
    Original(u64),
    /// A later one, or one that filled a gap: its place in [`Ledger::others`].
    Other(u64),
    /// From the data receiver: its place in the log of acknowledgements.
    Ack(u64),
    /// Nothing that is judged.
    Plain,
    /// Its story is over.
    Done,
}

/// All copies that may still matter, and what each packet number stands for.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// First transmissions, in order of position.
    originals: VecDeque<Copy>,
    originals_gone: u64,
    /// How many of them, counted from the run's start, are wholly below the position last asked about.
    originals_below: u64,
    /// All other transmissions, in order of sending.
    others: VecDeque<Copy>,
    others_gone: u64,
    /// All below it was acknowledged, and copies of it may be gone.
    released: u64,
    slots: VecDeque<Slot>,
    first_id: u64,
}

impl Ledger {
    pub(crate) fn add_original(&mut self, copy: Copy) -> Slot {
        self.originals.push_back(copy);
        Slot::Original(self.originals_gone + self.originals.len() as u64 - 1)
    }

    pub(crate) fn add_other(&mut self, copy: Copy) -> Slot {
        self.others.push_back(copy);
        Slot::Other(self.others_gone + self.others.len() as u64 - 1)
    }

    /// Sets what a packet number stands for.
    #[inline]
    pub(crate) fn set_slot(&mut self, id: PacketId, slot: Slot) {
        if self.slots.is_empty() {
            self.first_id = id.0;
        }
        if id.0 == self.first_id + self.slots.len() as u64 {
            self.slots.push_back(slot);
        } else {
            self.set_slot_out_of_order(id, slot);
        }
    }

    #[inline(never)]
    fn set_slot_out_of_order(&mut self, id: PacketId, slot: Slot) {
        let Some(place) = id.0.checked_sub(self.first_id) else {
            return;
        };
        if let Some(known) = usize::try_from(place).ok().and_then(|place| self.slots.get_mut(place)) {
            *known = slot;
            return;
        }
        // Copies that the link makes take numbers between those that are sent.
        while (self.slots.len() as u64) < place {
            self.slots.push_back(Slot::Unseen);
        }
        self.slots.push_back(slot);
    }

    #[inline]
    pub(crate) fn slot(&self, id: PacketId) -> Slot {
        id.0.checked_sub(self.first_id)
            .and_then(|place| self.slots.get(usize::try_from(place).ok()?))
            .copied()
            .unwrap_or(Slot::Unseen)
    }

    /// The packet's story is over; numbers at the front that are done are forgotten. Returns what it stood for.
    pub(crate) fn close_slot(&mut self, id: PacketId) -> Slot {
        let place = id.0.checked_sub(self.first_id);
        let slot = place.and_then(|place| self.slots.get_mut(usize::try_from(place).ok()?));
        let Some(slot) = slot else {
            return Slot::Unseen;
        };
        let stood_for = std::mem::replace(slot, Slot::Done);
        while self.slots.front() == Some(&Slot::Done) {
            self.slots.pop_front();
            self.first_id += 1;
        }
        stood_for
    }

    /// The copy that a slot names, while it is kept.
    pub(crate) fn copy(&mut self, slot: Slot) -> Option<&mut Copy> {
        let (copies, place) = match slot {
            Slot::Original(place) => (&mut self.originals, place.checked_sub(self.originals_gone)?),
            Slot::Other(place) => (&mut self.others, place.checked_sub(self.others_gone)?),
            Slot::Unseen | Slot::Ack(_) | Slot::Plain | Slot::Done => return None,
        };
        copies.get_mut(usize::try_from(place).ok()?)
    }

    /// The first transmission that holds this position.
    pub(crate) fn original_at(&self, position: u64) -> Option<&Copy> {
        let place = self.originals.partition_point(|copy| copy.end <= position);
        self.originals.get(place).filter(|copy| copy.start <= position)
    }

    /// When the last of the first transmissions was made of which all lies below this position. Positions must not fall
    /// from call to call: so nothing is looked at twice, where a search would go through the whole window.
    pub(crate) fn last_sent_below(&mut self, position: u64) -> Option<Time> {
        let mut below = usize::try_from(self.originals_below.saturating_sub(self.originals_gone)).ok()?;
        while self.originals.get(below).is_some_and(|copy| copy.end <= position) {
            below += 1;
        }
        self.originals_below = self.originals_gone + below as u64;
        let last = below.checked_sub(1).and_then(|place| self.originals.get(place));
        last.map(|copy| copy.sent_at)
    }

    /// When an octet was last sent.
    pub(crate) fn last_sent(&self, position: u64) -> Option<Time> {
        let again = self
            .others
            .iter()
            .rev()
            .find(|copy| copy.start <= position && position < copy.end);
        again.or_else(|| self.original_at(position)).map(|copy| copy.sent_at)
    }

    /// Where the copies of these octets stand that were sent before `before`. Octets of which nothing is kept have
    /// been acknowledged long ago.
    pub(crate) fn coverage(&self, start: u64, end: u64, before: u64) -> Coverage {
        let (mut order, mut at) = (0, None);
        let mut flying = false;
        // Of what was acknowledged, a copy that was lost may be kept, and one that arrived be gone.
        let mut position = start.max(self.released);
        while position < end {
            let mut best: Option<(u64, Time, u64)> = None;
            let mut in_the_air: Option<u64> = None;
            let mut lost: Option<(Option<Time>, Option<DropCause>)> = None;
            let holds = |copy: &&Copy| copy.start <= position && position < copy.end && copy.order < before;
            let original = self.original_at(position).filter(holds);
            for copy in original.into_iter().chain(self.others.iter().filter(holds)) {
                match copy.end_of_way {
                    EndOfWay::Delivered { order, at } => {
                        if best.is_none_or(|(earliest, ..)| order < earliest) {
                            best = Some((order, at, copy.end));
                        }
                    }
                    EndOfWay::Flying => in_the_air = Some(in_the_air.map_or(copy.end, |end| end.min(copy.end))),
                    EndOfWay::Lost { at, by } => lost = lost.or(Some((at, by))),
                }
            }
            position = match (best, in_the_air, lost) {
                (Some((arrived, when, to)), ..) => {
                    if arrived > order {
                        (order, at) = (arrived, Some(when));
                    }
                    to
                }
                (None, Some(to), _) => {
                    flying = true;
                    to
                }
                (None, None, Some((at, by))) => return Coverage::Lost { at, by },
                (None, None, None) => self.next_kept(position).unwrap_or(end),
            };
        }
        if flying {
            Coverage::Flying
        } else {
            Coverage::Delivered { order, at }
        }
    }

    /// Forgets copies of acknowledged octets whose ways have ended, or all of them where ends are never told.
    #[inline]
    pub(crate) fn release(&mut self, acknowledged: u64, ends_are_known: bool) {
        if ends_are_known {
            self.released = acknowledged.max(self.released);
        }
        let over = |copy: &Copy| copy.end <= acknowledged && (!ends_are_known || copy.end_of_way != EndOfWay::Flying);
        while self.originals.front().is_some_and(over) {
            self.originals.pop_front();
            self.originals_gone += 1;
        }
        while self.others.front().is_some_and(over) {
            self.others.pop_front();
            self.others_gone += 1;
        }
    }

    /// The first position behind this one that a kept first transmission begins with.
    fn next_kept(&self, position: u64) -> Option<u64> {
        let place = self.originals.partition_point(|copy| copy.start <= position);
        self.originals.get(place).map(|copy| copy.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy((start, end): (u64, u64), order: u64, end_of_way: EndOfWay) -> Copy {
        Copy {
            start,
            end,
            order,
            sent_at: Time::ZERO,
            end_of_way,
        }
    }

    #[test]
    fn what_was_acknowledged_has_arrived_whatever_is_kept_of_it() {
        let lost = EndOfWay::Lost { at: None, by: None };
        let arrived = EndOfWay::Delivered {
            order: 4,
            at: Time::ZERO,
        };
        let mut ledger = Ledger::default();
        ledger.add_original(copy((1, 100), 1, lost));
        ledger.add_other(copy((1, 100), 2, arrived));
        ledger.add_other(copy((200, 300), 3, EndOfWay::Flying));
        ledger.add_other(copy((1, 100), 5, lost));
        assert_eq!(
            ledger.coverage(1, 100, 9),
            Coverage::Delivered {
                order: 4,
                at: Some(Time::ZERO)
            }
        );
        ledger.release(100, true);
        // The copy that arrived is gone; the last one, which was lost, stays behind one that flies.
        assert_eq!(ledger.coverage(1, 100, 9), Coverage::Delivered { order: 0, at: None });
    }
}
