//! The minimum is every segment's (RFC 6298, 2.4).

use super::{MinimumRto, Train};

/// Makes no difference between segments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixed;

impl MinimumRto for Fixed {
    fn on_train(&mut self, _: &Train, _: bool) {}

    fn on_acknowledged(&mut self, _: u64) {}

    fn on_slow_start(&mut self) {}

    fn applies(&self, _: u64) -> bool {
        true
    }
}
