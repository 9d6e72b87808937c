//! Independent loss with a bound: a burst of losses has an end, so that a test of few packets comes to its own. The QUIC network
//! simulator's scenario `drop-rate` has it (`burst_to_client`, `burst_to_server`).

use std::num::NonZeroU32;

use super::loss::Loss;

/// Loses each packet with one probability, unless so many before it were lost in a row.
#[derive(Clone, Debug)]
pub(crate) struct BoundedLoss {
    loss: Loss,
    most: NonZeroU32,
    in_a_row: u32,
}

impl BoundedLoss {
    pub(crate) const fn new(loss: Loss, most: NonZeroU32) -> Self {
        Self {
            loss,
            most,
            in_a_row: 0,
        }
    }

    /// Whether the next packet is lost. The draw is taken even where it does not decide, so that one packet's draw does not
    /// depend on those before.
    pub(crate) fn loses(&mut self, again: bool) -> bool {
        let lost = self.loss.loses(again) && self.may_lose();
        self.in_a_row = if lost { self.in_a_row + 1 } else { 0 };
        lost
    }

    /// With which probability the next packet is lost.
    pub(crate) const fn probability(&self) -> f64 {
        if self.may_lose() { self.loss.probability } else { 0.0 }
    }

    const fn may_lose(&self) -> bool {
        self.in_a_row < self.most.get()
    }
}

#[cfg(test)]
mod tests {
    use windlull_units::Seed;

    use super::*;
    use crate::draw::PacketDraws;

    fn loss(probability: f64, most: u32) -> BoundedLoss {
        let draws = PacketDraws::new(Seed::new(1), "down/it");
        let most = NonZeroU32::new(most).expect("not zero");
        BoundedLoss::new(Loss { probability, draws }, most)
    }

    #[test]
    fn where_all_would_be_lost_one_passes_after_so_many() {
        let mut loss = loss(1.0, 2);
        let lost: Vec<bool> = (0..7).map(|_| loss.loses(false)).collect();
        assert_eq!(lost, [true, true, false, true, true, false, true]);
        assert!((loss.probability() - 1.0).abs() < f64::EPSILON);
        assert!(loss.loses(false));
        assert!(loss.probability().abs() < f64::EPSILON);
    }

    #[test]
    fn no_burst_is_longer_and_without_bursts_it_is_the_same_loss() {
        const PACKETS: usize = 100_000;
        let mut bounded = loss(0.3, 4);
        let mut plain = loss(0.3, u32::MAX);
        let lost: Vec<[bool; 2]> = (0..PACKETS)
            .map(|_| [bounded.loses(false), plain.loses(false)])
            .collect();
        let longest = |which: usize| {
            let mut row = 0_u32;
            let rows = lost.iter().map(|lost| {
                row = if lost[which] { row + 1 } else { 0 };
                row
            });
            rows.max().unwrap_or(0)
        };
        assert_eq!(longest(0), 4);
        assert!(longest(1) > 4);
        // A packet that passes by the bound stands between two bursts; all others meet the same draw.
        assert!(lost.iter().all(|[bounded, plain]| !bounded || *plain));
        assert!(lost.iter().filter(|[bounded, plain]| bounded != plain).count() < PACKETS / 100);
    }
}
