//! PIE, Proportional Integral controller Enhanced (RFC 8033): a probability that follows the wait and its trend.
//!
//! The wait is measured by time stamps, as section 4.3 allows: that of the packet that left last, or none while nothing
//! waits. The probability takes no account of a packet's size (RFC 7141, section 2.2).

use windlull_units::{Bytes, Rng, Span, Time};

use super::drop_tail::DropTail;
use super::{Arrival, Departure, Verdict};
use crate::draw;
use crate::model::PieModel;

/// `T_UPDATE` (section 4.2).
const UPDATE: Span = Span::from_ms(15);
/// `alpha` and `beta`, in Hz (section 4.2).
const ALPHA: f64 = 0.125;
const BETA: f64 = 1.25;
/// The probability fades by this in each update without a wait (section 4.2).
const FADE: f64 = 0.98;
/// Below this probability, a wait of less than half the target is left alone (section 4.1).
const LOW: f64 = 0.2;
/// From this probability on, it rises by no more than [`STEEPEST`] in an update (section 5.5).
const HIGH: f64 = 0.1;
const STEEPEST: f64 = 0.02;
/// From this probability on, packets are dropped that could be marked: `mark_ecnth` (section 5.1).
const MARKS_BELOW: f64 = 0.1;
/// No drop before the probabilities since the last have summed up to this, and a sure one beyond that (section 5.4).
const SOONEST: f64 = 0.85;
const LATEST: f64 = 8.5;

#[derive(Clone, Debug)]
pub(super) struct Pie {
    target: Span,
    burst: Span,
    mean_packet: Bytes,
    marks: bool,
    /// `drop_prob_`.
    probability: f64,
    /// `accu_prob_`.
    accumulated: f64,
    /// `current_qdelay`.
    wait: Span,
    /// `qdelay_old_`.
    wait_before: Span,
    /// `burst_allowance_`.
    allowance: Span,
    updates_at: Time,
    stream: Rng,
}

impl Pie {
    pub(super) const fn new(model: &PieModel, stream: Rng) -> Self {
        Self {
            target: model.target,
            burst: model.burst,
            mean_packet: model.mean_packet,
            marks: model.ecn,
            probability: 0.0,
            accumulated: 0.0,
            wait: Span::ZERO,
            wait_before: Span::ZERO,
            allowance: model.burst,
            updates_at: Time::from_ns(UPDATE.as_ns()),
            stream,
        }
    }

    pub(super) fn arrives(&mut self, arrival: &Arrival, account: &DropTail) -> Verdict {
        self.catch_up(arrival.now);
        if !arrival.fits || !self.allowance.is_zero() || !self.drops_early(account.octets()) {
            return Verdict::Pass;
        }
        Verdict::notify(self.marks && self.probability < MARKS_BELOW, arrival.ecn)
    }

    /// A packet left: how long it waited is the wait now.
    pub(super) fn leaves(&mut self, departure: &Departure, account: &DropTail) {
        self.catch_up(departure.now);
        self.wait = if account.packets() == 0 {
            Span::ZERO
        } else {
            departure.waited
        };
    }

    /// `drop_early` (sections 4.1 and 5.4).
    fn drops_early(&mut self, queued: Bytes) -> bool {
        let calm = self.wait_before < self.target.div(2) && self.probability < LOW;
        if calm || queued <= self.mean_packet + self.mean_packet {
            return false;
        }
        if self.probability <= 0.0 {
            self.accumulated = 0.0;
        }
        self.accumulated += self.probability;
        if self.accumulated < SOONEST {
            return false;
        }
        let drops = self.accumulated >= LATEST || draw::happens(&mut self.stream, self.probability);
        if drops {
            self.accumulated = 0.0;
        }
        drops
    }

    /// Updates as often as it was due: the wait changes by departures alone.
    fn catch_up(&mut self, now: Time) {
        while self.updates_at <= now {
            self.update();
            let settled = self.probability <= 0.0
                && self.wait.is_zero()
                && self.wait_before.is_zero()
                && self.allowance == self.burst;
            let periods = if settled {
                // Nothing would change.
                now.since(self.updates_at).as_ns() / UPDATE.as_ns() + 1
            } else {
                1
            };
            self.updates_at += UPDATE.saturating_mul(periods);
        }
    }

    /// `calculate_drop_prob` (sections 4.2, 4.4 and 5.5).
    fn update(&mut self) {
        let (wait, before) = (self.wait.as_secs_f64(), self.wait_before.as_secs_f64());
        let mut change = ALPHA * (wait - self.target.as_secs_f64()) + BETA * (wait - before);
        change /= scale(self.probability);
        if self.probability >= HIGH {
            change = change.min(STEEPEST);
        }
        self.probability += change;
        if self.wait.is_zero() && self.wait_before.is_zero() {
            self.probability *= FADE;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        let half = self.target.div(2);
        self.allowance = self.allowance.saturating_sub(UPDATE);
        if self.probability <= 0.0 && self.wait < half && self.wait_before < half {
            self.allowance = self.burst;
        }
        self.wait_before = self.wait;
    }
}

/// By how much smaller steps are while the probability is small (section 4.2).
const fn scale(probability: f64) -> f64 {
    match probability {
        p if p < 0.000_001 => 2048.0,
        p if p < 0.000_01 => 512.0,
        p if p < 0.000_1 => 128.0,
        p if p < 0.001 => 32.0,
        p if p < 0.01 => 8.0,
        p if p < 0.1 => 2.0,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::QueueLimit;
    use windlull_units::{Ecn, Seed};

    fn pie(ecn: bool) -> Pie {
        let model = PieModel {
            limit: QueueLimit::Unlimited,
            target: Span::from_ms(15),
            burst: Span::from_ms(150),
            mean_packet: Bytes::new(1000),
            ecn,
        };
        Pie::new(&model, Seed::new(1).stream("down/queue"))
    }

    fn holding(packets: u32) -> DropTail {
        let mut account = DropTail::default();
        for _ in 0..packets {
            account.push(Bytes::new(1000));
        }
        account
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn arrives(pie: &mut Pie, at: u64, queued: u32, ecn: Ecn) -> Verdict {
        let arrival = Arrival {
            now: ms(at),
            size: Bytes::new(1000),
            ecn,
            fits: true,
            rate: None,
        };
        pie.arrives(&arrival, &holding(queued))
    }

    fn leaves(pie: &mut Pie, at: u64, waited: u64, left: u32) {
        let departure = Departure {
            now: ms(at),
            waited: Span::from_ms(waited),
            ecn: Ecn::NotEct,
        };
        pie.leaves(&departure, &holding(left));
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    /// Section 4.2 by hand, from a probability of zero and a wait that leaps to 40 ms.
    #[test]
    fn the_probability_follows_the_wait_and_its_trend() {
        let mut pie = pie(false);
        leaves(&mut pie, 10, 40, 9);
        assert!(near(pie.probability, 0.0));
        arrives(&mut pie, 15, 9, Ecn::NotEct);
        // (0.125 * 0.025 + 1.25 * 0.04) / 2048
        let first = 0.053_125 / 2048.0;
        assert!(near(pie.probability, first), "{}", pie.probability);
        arrives(&mut pie, 30, 9, Ecn::NotEct);
        // The wait stays: 0.125 * 0.025, over 128 as 2.59e-5 is below 1e-4.
        let second = first + 0.003_125 / 128.0;
        assert!(near(pie.probability, second), "{}", pie.probability);
        leaves(&mut pie, 31, 10, 9);
        arrives(&mut pie, 45, 9, Ecn::NotEct);
        // 0.125 * -0.005 + 1.25 * -0.03 is more than there was.
        assert!(near(pie.probability, 0.0));
    }

    #[test]
    fn a_high_probability_rises_by_two_percent_at_most_and_fades_without_a_wait() {
        let mut pie = pie(false);
        pie.probability = 0.1;
        leaves(&mut pie, 1, 500, 9);
        arrives(&mut pie, 15, 9, Ecn::NotEct);
        assert!(near(pie.probability, 0.12));
        // Nothing waits: 0.125 * -0.015 + 1.25 * -0.5 is all of it and more.
        leaves(&mut pie, 16, 500, 0);
        arrives(&mut pie, 30, 0, Ecn::NotEct);
        assert!(near(pie.probability, 0.0));
        pie.probability = 0.5;
        arrives(&mut pie, 45, 0, Ecn::NotEct);
        assert!(
            near(pie.probability, (0.5 - 0.125 * 0.015) * 0.98),
            "{}",
            pie.probability
        );
    }

    #[test]
    fn updates_that_were_due_in_a_quiet_time_are_all_made() {
        let (mut often, mut late) = (pie(false), pie(false));
        for pie in [&mut often, &mut late] {
            pie.probability = 0.3;
            leaves(pie, 0, 100, 9);
        }
        for at in 1..4000 {
            arrives(&mut often, at, 9, Ecn::NotEct);
        }
        arrives(&mut late, 3999, 9, Ecn::NotEct);
        assert!(near(often.probability, late.probability) && often.probability > 0.3);
        assert_eq!(often.updates_at, late.updates_at);
        // An hour of nothing at all ends on the same grid.
        leaves(&mut late, 4000, 1, 0);
        arrives(&mut late, 3_600_007, 0, Ecn::NotEct);
        assert_eq!(late.updates_at, ms(3_600_015));
        assert!(near(late.probability, 0.0));
        assert_eq!(late.allowance, late.burst);
    }

    /// Section 4.4: 150 ms are ten updates.
    #[test]
    fn a_burst_after_quiet_is_let_through() {
        let mut pie = pie(false);
        leaves(&mut pie, 1, 100, 50);
        for at in 2..150 {
            assert_eq!(arrives(&mut pie, at, 50, Ecn::NotEct), Verdict::Pass, "{at}");
        }
        assert!(!pie.allowance.is_zero());
        arrives(&mut pie, 150, 50, Ecn::NotEct);
        assert!(pie.allowance.is_zero());
        pie.probability = 1.0;
        pie.accumulated = SOONEST;
        assert_eq!(arrives(&mut pie, 151, 50, Ecn::NotEct), Verdict::Drop);
    }

    fn busy(probability: f64, ecn: bool) -> Pie {
        let mut pie = pie(ecn);
        pie.allowance = Span::ZERO;
        pie.wait_before = Span::from_ms(15);
        pie.probability = probability;
        pie
    }

    #[test]
    fn short_waits_and_short_queues_are_left_alone() {
        let mut pie = busy(1.0, false);
        assert_eq!(arrives(&mut pie, 0, 2, Ecn::NotEct), Verdict::Pass);
        assert_eq!(arrives(&mut pie, 0, 3, Ecn::NotEct), Verdict::Drop);
        let mut pie = busy(0.199, false);
        pie.accumulated = LATEST;
        pie.wait_before = Span::from_us(7_499);
        assert_eq!(arrives(&mut pie, 0, 3, Ecn::NotEct), Verdict::Pass);
        pie.wait_before = Span::from_us(7_500);
        assert_eq!(arrives(&mut pie, 0, 3, Ecn::NotEct), Verdict::Drop);
    }

    /// Section 5.4: with a probability of 5 % no two drops are within 17 packets or beyond 170.
    #[test]
    fn drops_are_neither_too_close_nor_too_far_apart() {
        let mut pie = busy(0.05, false);
        let (mut gap, mut gaps) = (0, Vec::new());
        while gaps.len() < 500 {
            gap += 1;
            if arrives(&mut pie, 0, 50, Ecn::NotEct) == Verdict::Drop {
                gaps.push(gap);
                gap = 0;
            }
        }
        assert!(gaps.iter().all(|gap| (17..=171).contains(gap)), "{gaps:?}");
        let mean = gaps.iter().sum::<i32>() / 500;
        // 16 packets without a chance, then 20 on average; the deviation of the mean is 0.9.
        assert!((32..=40).contains(&mean), "{mean}");
    }

    /// Section 5.1.
    #[test]
    fn capable_packets_are_marked_below_a_tenth() {
        for (probability, expected) in [(0.0999, Verdict::Mark), (0.1, Verdict::Drop)] {
            let mut pie = busy(probability, true);
            pie.accumulated = LATEST;
            assert_eq!(arrives(&mut pie, 0, 50, Ecn::Ect1), expected);
            pie.accumulated = LATEST;
            assert_eq!(arrives(&mut pie, 0, 50, Ecn::NotEct), Verdict::Drop);
        }
        let mut pie = busy(0.05, false);
        pie.accumulated = LATEST;
        assert_eq!(arrives(&mut pie, 0, 50, Ecn::Ect0), Verdict::Drop);
    }
}
