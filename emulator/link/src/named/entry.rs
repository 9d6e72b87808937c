//! What is known of a link that Windlull ships, and what the written models are made of.

use std::num::NonZeroU32;

use windlull_units::BitRate;

use crate::model::LinkModel;

/// A link that Windlull ships.
#[derive(Clone, Copy, Debug)]
pub struct NamedLink {
    name: &'static str,
    title: &'static str,
    model: fn() -> LinkModel,
}

impl NamedLink {
    pub(super) const fn new(name: &'static str, title: &'static str, model: fn() -> LinkModel) -> Self {
        Self { name, title, model }
    }

    /// What it is called, as in `lte-cell-edge`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// What it is, in a line.
    pub const fn title(&self) -> &'static str {
        self.title
    }

    /// The link, as a model.
    pub fn model(&self) -> LinkModel {
        (self.model)()
    }
}

/// A rate of a model that is written here.
pub(super) fn rate(bps: u64) -> BitRate {
    BitRate::from_bps(bps).expect("a rate that was written is above zero")
}

/// A count of a model that is written here.
pub(super) fn count(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).expect("a count that was written is above zero")
}
