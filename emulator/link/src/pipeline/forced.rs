//! What the script sets in one direction, and gives back.

use windlull_units::{BitRate, LinkEvent, Span, Time};

use super::Pipeline;
use crate::model::QueueLimit;
use crate::rate::rate_event;
use crate::script::limit_in_words;
use crate::{LinkObserver, Packet};

impl<P: Packet> Pipeline<P> {
    /// Whether nothing limits the rate now.
    pub(crate) const fn is_unlimited(&self) -> bool {
        self.serialiser.is_unlimited()
    }

    /// The delay of packets yet to be sent, if it is the same for all of them.
    pub(crate) fn delay(&self) -> Option<Span> {
        self.propagation.in_force()
    }

    /// The queue's limit now.
    pub(crate) const fn queue_limit(&self) -> QueueLimit {
        self.queue.limit()
    }

    /// The script sets the rate (`Some`) or gives it back to the model (`None`), also in mid-packet.
    pub(crate) fn force_rate(&mut self, now: Time, rate: Option<BitRate>, observer: &mut impl LinkObserver) {
        self.serialiser.force(now, rate);
        if !self.serialiser.is_idle() {
            // A packet that was to wait for an opportunity no longer waits.
            let index = self.index(self.serving);
            let slot = &mut self.ring[index];
            slot.started = slot.started.min(now);
        }
        let direction = self.direction;
        if self.serialiser.is_unlimited() {
            let what = "rate = unlimited".to_owned();
            observer.link(now, &LinkEvent::Changed { direction, what });
        } else {
            observer.link(now, &rate_event(direction, self.serialiser.rate(now)));
        }
    }

    /// The script sets the delay of packets yet to be sent, or gives it back to the model.
    pub(crate) fn force_delay(&mut self, now: Time, delay: Option<Span>, observer: &mut impl LinkObserver) {
        let before = self.propagation.in_force();
        self.propagation.force(delay);
        let event = LinkEvent::Delay {
            direction: self.direction,
            delay: self.propagation.in_force(),
            before,
        };
        observer.link(now, &event);
    }

    /// The same for the link-layer acknowledgements of this direction, which travel the other way.
    pub(crate) const fn force_way_back(&mut self, delay: Option<Span>) {
        if let Some(arq) = &mut self.arq {
            arq.force_way_back(delay);
        }
    }

    /// The script sets the queue's limit (`Some`) or gives it back to the model (`None`).
    pub(crate) fn force_queue(&mut self, now: Time, limit: Option<QueueLimit>, observer: &mut impl LinkObserver) {
        let limit = limit.unwrap_or(self.queue_limit);
        self.queue.set_limit(limit);
        let (direction, what) = (self.direction, limit_in_words(limit));
        observer.link(now, &LinkEvent::Changed { direction, what });
    }
}
