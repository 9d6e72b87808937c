//! Congestion avoidance of RFC 2581, section 3.1, equation 2: a part of a segment for each acknowledgement, however much it
//! acknowledges, so that a receiver that delays acknowledgements halves the growth (jacobson1988, section 3; ns-2).

use super::{Growth, WindowControl, halved};

/// Has nothing to remember.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RenoByAcks;

impl WindowControl for RenoByAcks {
    fn threshold(&self, flight: u64, _: u64, smss: u64) -> u64 {
        halved(flight, smss)
    }

    #[inline]
    fn grow(&mut self, cwnd: u64, growth: &Growth) -> u64 {
        let part = growth.smss * growth.smss / cwnd.max(1);
        // Equation 2 asks for an octet at least.
        cwnd + part.max(1)
    }

    fn on_window_set(&mut self) {}

    fn on_loss(&mut self, _: u64, _: bool) {}

    fn on_spurious(&mut self) {}
}
