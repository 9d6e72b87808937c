//! From the links' and the endpoints' own observers to the one stream of events of each flow.

use std::ops::Range;

use windlull_capture::Observer;
use windlull_link::LinkObserver;
use windlull_tcp::EndpointObserver;
use windlull_units::{Direction, Fate, Host, LinkEvent, Outcome, Time};
use windlull_wire::SenderEvent;

use crate::names::{Counters, Names};

/// Whether a link is the last on a packet's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Last {
    /// On every way.
    Always,
    /// In this direction alone.
    Only(Direction),
}

/// What a link tells, to those whom it concerns: a fate to its flow once it is final, a change of the link to all flows on it.
pub(crate) struct LinkTap<'a, O> {
    pub(crate) names: &'a mut Names,
    pub(crate) counters: &'a mut Counters,
    pub(crate) last: Last,
    /// Packets inside that belong to no flow.
    pub(crate) crossing: &'a mut usize,
    pub(crate) observers: &'a mut [O],
    /// The flows that are told of the link's own changes.
    pub(crate) concerned: Range<usize>,
}

impl<O: Observer> LinkObserver for LinkTap<'_, O> {
    #[inline]
    fn fate(&mut self, fate: &Fate) {
        if self.names.are_alike() {
            self.observers[0].fate(fate);
            return;
        }
        let Some((flow, final_fate)) = self.names.seal(fate, self.counters) else {
            if fate.duplicate_of.is_none() {
                *self.crossing -= 1;
            }
            return;
        };
        let goes_on = match self.last {
            Last::Always => false,
            Last::Only(direction) => direction != fate.direction,
        };
        // What arrives corrupted at a router goes no further.
        let delivered = matches!(fate.outcome, Outcome::Delivered { .. }) && !fate.corrupted;
        if !(goes_on && delivered) {
            self.observers[flow].fate(&final_fate);
        }
    }

    fn link(&mut self, now: Time, event: &LinkEvent) {
        for observer in &mut self.observers[self.concerned.clone()] {
            observer.link(now, event);
        }
    }
}

/// What an endpoint tells. Only the data sender is listened to: the receiver's own congestion window moves nothing.
pub(crate) struct EndpointTap<'a, O> {
    pub(crate) host: Host,
    pub(crate) data_sender: Host,
    pub(crate) observer: &'a mut O,
}

impl<O: Observer> EndpointObserver for EndpointTap<'_, O> {
    fn is_heard(&self) -> bool {
        self.host == self.data_sender
    }

    fn sender(&mut self, now: Time, event: &SenderEvent) {
        if self.is_heard() {
            self.observer.sender(now, self.host, event);
        }
    }
}
