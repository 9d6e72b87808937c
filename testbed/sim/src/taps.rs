//! From the links' and the endpoints' own observers to the one stream of events of each flow.

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

/// What the shared link tells, to those whom it concerns: a fate to its flow once it is final, a change of the link to all
/// flows.
pub(crate) struct Audience<'a, O> {
    pub(crate) names: Names,
    pub(crate) counters: Counters,
    pub(crate) last: Last,
    /// Packets inside that belong to no flow.
    pub(crate) crossing: usize,
    /// Of the flows, in their order.
    pub(crate) observers: &'a mut [O],
}

impl<O: Observer> LinkObserver for Audience<'_, O> {
    #[inline(always)]
    fn fate(&mut self, fate: &Fate) {
        if self.names.are_alike() {
            self.observers[0].fate(fate);
        } else if !tell_flow(fate, &mut self.names, &mut self.counters, self.last, self.observers) {
            self.crossing -= usize::from(fate.duplicate_of.is_none());
        }
    }

    fn link(&mut self, now: Time, event: &LinkEvent) {
        for observer in &mut *self.observers {
            observer.link(now, event);
        }
    }
}

/// What a flow's access link tells: all of it concerns this flow alone.
pub(crate) struct AccessTap<'a, 'b, O> {
    pub(crate) names: &'a mut Names,
    pub(crate) audience: &'a mut Audience<'b, O>,
    pub(crate) flow: usize,
}

impl<O: Observer> LinkObserver for AccessTap<'_, '_, O> {
    fn fate(&mut self, fate: &Fate) {
        let Audience {
            counters, observers, ..
        } = &mut *self.audience;
        tell_flow(fate, self.names, counters, Last::Only(Direction::Down), observers);
    }

    fn link(&mut self, now: Time, event: &LinkEvent) {
        self.audience.observers[self.flow].link(now, event);
    }
}

/// Tells a fate to the flow whose packet has met it, unless the packet goes on behind the link. Whether it is a flow's at all.
#[inline(never)]
fn tell_flow<O: Observer>(
    fate: &Fate,
    names: &mut Names,
    counters: &mut Counters,
    last: Last,
    observers: &mut [O],
) -> bool {
    let Some((flow, final_fate)) = names.seal(fate, counters) else {
        return false;
    };
    let goes_on = match last {
        Last::Always => false,
        Last::Only(direction) => direction != fate.direction,
    };
    // What arrives corrupted at a router goes no further.
    let delivered = matches!(fate.outcome, Outcome::Delivered { .. }) && !fate.corrupted;
    if !(goes_on && delivered) {
        observers[flow].fate(&final_fate);
    }
    true
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
