//! The link between the shared one and a flow's client.

use windlull_link::Link;
use windlull_link::model::LinkModel;
use windlull_units::Seed;

use crate::carried::Carried;
use crate::names::Names;

/// An access link and the packets in it.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) link: Link<Carried>,
    pub(crate) names: Names,
}

impl Access {
    pub(crate) fn new(model: &LinkModel, seed: Seed) -> Self {
        Self {
            link: Link::new(model, seed),
            names: Names::new(false),
        }
    }
}
