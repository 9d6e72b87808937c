//! The timer of the standard Eifel response: RFC 4015, section 3.2.

use super::{Adaptation, TimerAdaptation};

/// Begins the estimate anew, at no less than it was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rfc4015;

impl TimerAdaptation for Rfc4015 {
    fn adapt(&self) -> Adaptation {
        Adaptation::Conserve
    }
}
