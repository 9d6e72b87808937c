//! The link between the shared one and a flow's client.

use windlull_capture::Observer;
use windlull_link::Link;
use windlull_link::model::LinkModel;
use windlull_units::{Direction, Network, Seed, Time};

use crate::carried::Carried;
use crate::conversation::Unit;
use crate::names::Names;
use crate::taps::{AccessTap, Audience};

/// An access link and the packets in it.
#[derive(Clone, Debug)]
pub(crate) struct Access<U> {
    pub(crate) link: Link<Carried<U>>,
    pub(crate) names: Names,
    network: Network,
}

impl<U: Unit> Access<U> {
    pub(crate) fn new(model: &LinkModel, network: Network, seed: Seed) -> Self {
        Self {
            link: Link::new(model, seed),
            names: Names::new(false),
            network,
        }
    }

    /// Hands a unit, which has its name, to the link of this flow.
    pub(crate) fn send<O: Observer>(
        &mut self,
        now: Time,
        direction: Direction,
        unit: U,
        flow: usize,
        audience: &mut Audience<'_, O>,
    ) {
        let names = &mut self.names;
        let mut tap = AccessTap { names, audience, flow };
        self.link
            .send(now, direction, Carried::of(unit, flow, self.network), &mut tap);
    }

    /// Does what is due on the link of this flow.
    pub(crate) fn advance<O: Observer>(&mut self, now: Time, flow: usize, audience: &mut Audience<'_, O>) {
        let names = &mut self.names;
        let mut tap = AccessTap { names, audience, flow };
        self.link.advance(now, &mut tap);
    }
}
