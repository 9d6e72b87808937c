//! A rate that is what it is until something changes it.

use windlull_units::{BitRate, Span};

use super::Work;

/// Serialises at one rate. Packets of one direction are mostly of one size, so the last answer is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constant {
    rate: BitRate,
    last: (Work, Span),
}

impl Constant {
    pub(crate) const fn new(rate: BitRate) -> Self {
        Self {
            rate,
            last: (Work::NONE, Span::ZERO),
        }
    }

    pub(crate) const fn rate(&self) -> BitRate {
        self.rate
    }

    /// How long `work` takes, rounded up, so that the rate is never exceeded.
    pub(crate) fn time_for(&mut self, work: Work) -> Span {
        if self.last.0 != work {
            self.last = (work, work.at(self.rate));
        }
        self.last.1
    }
}
