//! What the packets of a recorded run met, played to other packets: each of them meets what one of the recorded ones met.
//!
//! Nothing else happens to it: no queue, no rate, no impairment has a part in it.

mod stream;

use std::collections::BTreeMap;
use std::sync::Arc;

use windlull_units::{Bytes, Direction, DropCause, Fate, Outcome, PacketId, ReplayedWay, Span, Time};

use crate::model::{RecordedFate, ReplayBy, ReplayModel};
use crate::slot::Outbox;
use crate::{LinkObserver, Packet};

use stream::Stream;

/// A packet and the end of its story, which is yet to come.
#[derive(Clone, Debug)]
struct Waiting<P> {
    packet: P,
    fate: Fate,
    copies: u32,
}

/// How recorded packets are chosen.
#[derive(Clone, Debug)]
enum By {
    /// In their order.
    Packet,
    /// By the instant.
    Time,
    /// By what they carry.
    Octets(Stream),
}

/// One direction of a recording that is played.
#[derive(Clone, Debug)]
pub(crate) struct Replay<P> {
    by: By,
    recorded: Arc<[RecordedFate]>,
    /// Whether one of the recorded packets overtook another.
    overtakes: bool,
    /// What a packet takes for which there is no recorded one.
    least: Span,
    /// The recorded packet behind the one that was played last.
    next: usize,
    /// When the last packet that was sent will be delivered.
    last_due: Time,
    /// What came, beside what was recorded.
    replayed: ReplayedWay,
    /// By the end of their stories, then in the order in which the recorded ones ended, then in order of entry.
    waiting: BTreeMap<(Time, u64, PacketId), Waiting<P>>,
}

impl<P: Packet> Replay<P> {
    /// The player of this direction.
    pub(crate) fn new(model: &ReplayModel, direction: Direction) -> Self {
        let recorded = model.path(direction);
        let delivered = || recorded.iter().filter_map(RecordedFate::delivered);
        let transits = recorded.iter().filter_map(RecordedFate::transit);
        Self {
            by: match model.by {
                ReplayBy::Packet => By::Packet,
                ReplayBy::Time => By::Time,
                ReplayBy::Octets => By::Octets(Stream::new(recorded)),
            },
            overtakes: delivered()
                .zip(delivered().skip(1))
                .any(|(first, second)| second < first),
            least: transits.min().unwrap_or(Span::ZERO),
            recorded: recorded.into(),
            next: 0,
            last_due: Time::ZERO,
            replayed: ReplayedWay::default(),
            waiting: BTreeMap::new(),
        }
    }

    /// When the next story ends.
    #[inline]
    pub(crate) fn next(&self) -> Time {
        self.waiting.first_key_value().map_or(Time::NEVER, |((at, ..), _)| *at)
    }

    /// How many packets are inside.
    pub(crate) fn packets(&self) -> usize {
        self.waiting.len()
    }

    /// What came so far, beside what was recorded.
    pub(crate) const fn replayed(&self) -> ReplayedWay {
        self.replayed
    }

    /// Counts a packet that comes now, which is given the fate of this recorded one.
    fn count(&mut self, now: Time, size: Bytes, recorded: Option<&RecordedFate>) {
        let counts = &mut self.replayed;
        counts.packets += 1;
        // By time, all meet what the last one met for ever after.
        let is_over = match self.by {
            By::Time => self.recorded.last().is_some_and(|last| last.fate.entered < now),
            By::Packet | By::Octets(_) => false,
        };
        match recorded {
            Some(recorded) if !is_over => counts.resized += u64::from(recorded.fate.size != size),
            _ => {
                counts.unrecorded += 1;
                counts.unrecorded_from_ns.get_or_insert(now);
            }
        }
    }

    /// The recorded packet whose fate one has that is sent at `now`.
    fn choose(&mut self, now: Time, packet: &P) -> Option<RecordedFate> {
        let place = match &mut self.by {
            By::Packet => self.next,
            By::Time => {
                let behind = self.recorded.partition_point(|recorded| recorded.fate.entered <= now);
                let last = self.recorded.get(behind.checked_sub(1)?)?.fate.entered;
                let first = self.recorded.partition_point(|recorded| recorded.fate.entered < last);
                // Of several that were sent at one instant, one after another, and then the last of them.
                self.next.clamp(first, behind - 1)
            }
            By::Octets(stream) => stream.choose(packet.tcp())?,
        };
        self.next = place + 1;
        self.recorded.get(place).copied()
    }

    /// A packet arrives at the link.
    pub(crate) fn send(
        &mut self,
        now: Time,
        direction: Direction,
        mut packet: P,
        id: PacketId,
        observer: &mut impl LinkObserver,
    ) {
        let size = packet.size();
        let recorded = self.choose(now, &packet);
        self.count(now, size, recorded.as_ref());
        let Some(recorded) = recorded else {
            let at = self.in_order(now + self.least);
            let fate = Fate {
                started: Some(now),
                sent: Some(now),
                ..Fate::plain(id, direction, size, now, Outcome::Delivered { at })
            };
            self.waiting.insert(
                (at, u64::MAX, id),
                Waiting {
                    packet,
                    fate,
                    copies: 0,
                },
            );
            return;
        };
        let RecordedFate {
            fate: met,
            ended,
            copies,
            ..
        } = recorded;
        let later = |at: Time| now + at.since(met.entered);
        let mut marked = false;
        let mut outcome = match met.outcome {
            Outcome::Delivered { at } => Outcome::Delivered { at: later(at) },
            Outcome::Dropped { at, by } => Outcome::Dropped { at: later(at), by },
        };
        if met.marked {
            if packet.ecn().is_capable() {
                packet.mark();
                marked = true;
            } else {
                // What a queue cannot mark it drops (RFC 3168, section 5).
                let at = later(met.started.unwrap_or(met.entered));
                let by = DropCause::QueueEarly;
                outcome = Outcome::Dropped { at, by };
            }
        }
        let mut held = met.held;
        if let Outcome::Delivered { at } = &mut outcome {
            let alone = std::mem::replace(at, self.in_order(*at));
            held = held + at.since(alone);
        }
        let fate = Fate {
            id,
            size,
            entered: now,
            started: met.started.map(later),
            sent: met.sent.map(later),
            held,
            marked,
            duplicate_of: None,
            outcome,
            ..met
        };
        match outcome {
            Outcome::Dropped { at, .. } if at <= now => observer.fate(&fate),
            _ => {
                let waiting = Waiting { packet, fate, copies };
                self.waiting.insert((outcome.at(), ended, id), waiting);
            }
        }
    }

    /// Where no recorded packet overtook another, none does now.
    fn in_order(&mut self, at: Time) -> Time {
        if self.overtakes {
            return at;
        }
        self.last_due = self.last_due.max(at);
        self.last_due
    }

    /// The story that ends first ends, as it is due.
    pub(crate) fn end(&mut self, out: &mut Outbox<P>, observer: &mut impl LinkObserver) {
        let Some(((at, ..), Waiting { packet, fate, copies })) = self.waiting.pop_first() else {
            return;
        };
        observer.fate(&fate);
        if let Outcome::Dropped { .. } = fate.outcome {
            return;
        }
        out.hand_over(&fate, at, packet.clone());
        for _ in 0..copies {
            out.deliver_copy(fate, at, packet.clone(), observer);
        }
    }
}
