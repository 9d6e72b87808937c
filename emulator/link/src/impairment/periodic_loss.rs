//! Loss at even intervals: with it the square root of the loss alone decides how fast a long transfer is (Mathis and others 1997,
//! section 2).

use std::num::NonZeroU32;

/// Loses one packet in so many.
#[derive(Clone, Debug)]
pub(crate) struct PeriodicLoss {
    one_in: NonZeroU32,
    passed: u32,
}

impl PeriodicLoss {
    pub(crate) const fn new(one_in: NonZeroU32) -> Self {
        Self { one_in, passed: 0 }
    }

    /// Whether the next packet is lost. One that the link layer sends again is not counted again, and passes.
    pub(crate) const fn loses(&mut self, again: bool) -> bool {
        if again {
            return false;
        }
        self.passed += 1;
        if self.passed < self.one_in.get() {
            return false;
        }
        self.passed = 0;
        true
    }

    /// The share of packets that is lost.
    pub(crate) fn share(&self) -> f64 {
        share(self.one_in)
    }
}

/// The share of packets that is lost, of one in so many.
pub(crate) fn share(one_in: NonZeroU32) -> f64 {
    1.0 / f64::from(one_in.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_so_many_is_lost_and_what_is_sent_again_is_not() {
        let mut loss = PeriodicLoss::new(NonZeroU32::new(3).expect("not zero"));
        let again = [false, false, true, false, false, false, true, false];
        let lost = [false, false, false, true, false, false, false, true];
        assert_eq!(again.map(|again| loss.loses(again)), lost);
    }

    #[test]
    fn one_in_one_is_all() {
        let mut loss = PeriodicLoss::new(NonZeroU32::MIN);
        assert!(loss.loses(false) && loss.loses(false));
    }
}
