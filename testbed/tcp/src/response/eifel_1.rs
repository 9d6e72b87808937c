//! Complete restoration: gurtov2003, III.B, option 1.

use crate::sender::View;

use super::{Moment, SpuriousResponse, Windows};

/// Window and threshold are what they were before the timeout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Eifel1;

impl SpuriousResponse for Eifel1 {
    fn respond(&self, _: &View, moment: &Moment) -> Windows {
        moment.before
    }

    fn restores(&self, _: &Moment) -> bool {
        true
    }
}
