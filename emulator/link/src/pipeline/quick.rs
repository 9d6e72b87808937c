//! A packet on the quick way.

use windlull_units::{Bytes, DropCause, Fate, Outcome, PacketId, Time};

use super::Pipeline;
use super::express::Passing;
use crate::lane::Lane;
use crate::rate::Work;
use crate::slot::Outbox;
use crate::{LinkObserver, Packet};

impl<P: Packet> Pipeline<P> {
    /// A packet arrives at the link and takes the quick way.
    #[inline]
    pub(super) fn send_express(
        &mut self,
        now: Time,
        packet: P,
        id: PacketId,
        lane: &Lane,
        observer: &mut impl LinkObserver,
    ) {
        let Some(express) = &mut self.express else { return };
        while let Some(next) = express.passing.get(express.started).filter(|next| next.started <= now) {
            self.queue.pop(next.size);
            express.started += 1;
        }
        let (size, queue_packets) = (packet.size(), self.queue.packets());
        if express.free_from <= now {
            express.free_from = now;
            express.started += 1;
        } else if self.queue.admits(&lane.queue, size) {
            self.queue.push(size);
        } else {
            let outcome = Outcome::Dropped {
                at: now,
                by: DropCause::QueueOverflow,
            };
            observer.fate(&self.quick_fate(id, size, now, queue_packets, outcome));
            return;
        }
        let started = express.free_from;
        if let Some(rate) = &mut express.rate {
            express.free_from += rate.time_for(Work::of(size + self.framing));
        }
        express.passing.push_back(Passing {
            packet,
            id,
            size,
            entered: now,
            started,
            sent: express.free_from,
            due: express.free_from + express.delay,
            queue_packets,
        });
        if express.packets() == 1 {
            self.next = express.next().max(lane.delivery());
        }
    }

    /// The next packet of the quick way arrives.
    #[inline]
    pub(super) fn arrive_express(
        &mut self,
        now: Time,
        lane: &Lane,
        out: &mut Outbox<P>,
        observer: &mut impl LinkObserver,
    ) {
        let Some(express) = &mut self.express else { return };
        let Some(packet) = express.passing.pop_front() else {
            return;
        };
        match express.started.checked_sub(1) {
            Some(started) => express.started = started,
            None => self.queue.pop(packet.size),
        }
        self.next = express.next().max(lane.delivery());
        let outcome = Outcome::Delivered { at: now };
        let fate = Fate {
            started: Some(packet.started),
            sent: Some(packet.sent),
            held: now.since(packet.due),
            ..self.quick_fate(packet.id, packet.size, packet.entered, packet.queue_packets, outcome)
        };
        observer.fate(&fate);
        out.hand_over(&fate, now, packet.packet);
    }

    /// What happened to a packet that was not sent: here nothing marks, corrupts, copies or overtakes one.
    #[inline]
    fn quick_fate(&self, id: PacketId, size: Bytes, entered: Time, queue_packets: u32, outcome: Outcome) -> Fate {
        Fate {
            queue_packets,
            ..Fate::plain(id, self.direction, size, entered, outcome)
        }
    }
}
