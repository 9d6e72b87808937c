//! The receiver's nonce sum: RFC 3540, section 3. One bit, the sum of the nonces of all data in order; a mark erases a nonce.

use windlull_units::Ecn;

use crate::ranges::Range;

/// The sum, and the nonces of what waits out of order.
#[derive(Clone, Debug)]
pub(crate) struct NonceSum {
    sum: bool,
    /// Where segments that wait begin, of those with a nonce of one.
    waiting: Vec<u64>,
}

impl NonceSum {
    /// Section 3.1: the sum begins with one.
    pub(crate) const fn new() -> Self {
        Self {
            sum: true,
            waiting: Vec::new(),
        }
    }

    /// Whether the sum of what is acknowledged is odd.
    pub(crate) const fn is_odd(&self) -> bool {
        self.sum
    }

    /// A segment brought octets that had not arrived before.
    pub(crate) fn on_kept(&mut self, kept: Range, ecn: Ecn) {
        if ecn == Ecn::Ect1 {
            self.waiting.push(kept.left);
        }
    }

    /// All below `next` is in order now.
    pub(crate) fn on_advance(&mut self, next: u64) {
        let before = self.waiting.len();
        self.waiting.retain(|left| *left >= next);
        self.sum ^= (before - self.waiting.len()) % 2 == 1;
    }
}
