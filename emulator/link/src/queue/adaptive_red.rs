//! Adaptive RED (Floyd, Gummadi and Shenker 2001, "Adaptive RED: An Algorithm for Increasing the Robustness of RED's Active
//! Queue Management"): RED, gentle, whose largest probability follows the average queue.

use windlull_units::{BitRate, Rng, Span, Time};

use super::drop_tail::DropTail;
use super::red::{Average, Lottery, Slope, Unit};
use super::{Arrival, Verdict};
use crate::model::{AdaptiveRedModel, RedAim};

/// `interval` (section 3.2, figure 1).
const INTERVAL: Span = Span::from_ms(500);
/// What `max_p` may be (section 3.2).
const LEAST: f64 = 0.01;
const MOST: f64 = 0.5;
/// Where `max_p` begins: the paper does not say; ns-2's default, `linterm` 10.
const FIRST: f64 = 0.1;
/// `beta`, the factor of a decrease.
const DECREASE: f64 = 0.9;
/// The lower threshold is never less than so many packets (section 4.1).
const FEWEST_PACKETS: f64 = 5.0;

#[derive(Clone, Debug)]
pub(super) struct AdaptiveRed {
    average: Average,
    slope: Slope,
    lottery: Lottery,
    marks: bool,
    adapts_at: Time,
}

impl AdaptiveRed {
    /// `rate` must be given where the model needs it.
    pub(super) fn new(model: &AdaptiveRedModel, rate: Option<BitRate>, stream: Rng) -> Self {
        let packets_per_second = rate.map_or(f64::INFINITY, |rate| {
            real_bps(rate) / (8.0 * super::red::real(model.mean_packet))
        });
        // Section 4.2: w_q = 1 - exp(-1/C).
        let weight = model.weight.unwrap_or_else(|| -(-1.0 / packets_per_second).exp_m1());
        let (minimum, maximum, unit) = match model.aim {
            RedAim::Thresholds { minimum, maximum } => (minimum.number(), maximum.number(), Unit::of(minimum)),
            RedAim::Delay(target) => {
                // Section 4.1: min_th = max(5, delay_target C / 2), max_th = 3 min_th.
                let minimum = (target.as_secs_f64() * packets_per_second / 2.0).max(FEWEST_PACKETS);
                (minimum, 3.0 * minimum, Unit::Packets)
            }
        };
        Self {
            average: Average::new(weight, model.mean_packet),
            slope: Slope {
                minimum,
                maximum,
                probability: FIRST,
                gentle: true,
                unit,
                spare: model.spare,
            },
            lottery: Lottery::new(stream),
            marks: model.ecn,
            adapts_at: Time::ZERO + INTERVAL,
        }
    }

    pub(super) fn arrives(&mut self, arrival: &Arrival, account: &DropTail) -> Verdict {
        self.catch_up(arrival.now, self.average.packet_time(arrival));
        let average = self.average.arrives(arrival, self.slope.unit.measure(account));
        let pressure = self.slope.pressure(average, account);
        self.lottery.judge(pressure, arrival, self.marks)
    }

    pub(super) const fn rests(&mut self, now: Time) {
        self.average.rests(now);
    }

    /// Adapts as often as it was due. The average changes by arrivals alone, and fades in an idle time as it is known to.
    fn catch_up(&mut self, now: Time, packet_time: Span) {
        while self.adapts_at <= now {
            self.adapt(self.average.at(self.adapts_at, packet_time));
            self.adapts_at += INTERVAL;
        }
    }

    /// Figure 1: additive increase above the target range, multiplicative decrease below it.
    fn adapt(&mut self, average: f64) {
        let span = self.slope.maximum - self.slope.minimum;
        let now = self.slope.probability;
        let next = if average > self.slope.minimum + 0.6 * span {
            // alpha = min(0.01, max_p / 4)
            now + (now / 4.0).min(0.01)
        } else if average < self.slope.minimum + 0.4 * span {
            now * DECREASE
        } else {
            now
        };
        self.slope.probability = next.clamp(LEAST, MOST);
    }
}

#[expect(clippy::cast_precision_loss, reason = "no rate has 2^53 bit/s")]
const fn real_bps(rate: BitRate) -> f64 {
    rate.as_bps() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{QueueLimit, QueueSize};
    use windlull_units::{Bytes, Ecn, Seed};

    fn of(aim: RedAim, weight: Option<f64>, bps: u64) -> AdaptiveRed {
        let model = AdaptiveRedModel {
            limit: QueueLimit::Packets(1000),
            aim,
            weight,
            mean_packet: Bytes::new(1000),
            spare: None,
            ecn: false,
        };
        AdaptiveRed::new(&model, BitRate::from_bps(bps), Seed::new(1).stream("down/queue"))
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    /// Section 4 by hand: 80 Mbit/s are C = 10000 packets of 1000 octets in a second; 5 ms are 50, so `min_th` is 25.
    #[test]
    fn parameters_follow_from_the_rate_and_the_target() {
        let red = of(RedAim::Delay(Span::from_ms(5)), None, 80_000_000);
        assert!(near(red.slope.minimum, 25.0) && near(red.slope.maximum, 75.0));
        let mut average = red.average.clone();
        let first = average.arrives(&arrival(0, 80_000_000), 1.0);
        assert!((first - 9.999_500_016e-5).abs() < 1e-12, "{first}");
        // 1 Mbit/s: 0.3125 packets would be too few.
        let red = of(RedAim::Delay(Span::from_ms(5)), None, 1_000_000);
        assert!(near(red.slope.minimum, 5.0) && near(red.slope.maximum, 15.0));
    }

    fn arrival(ms: u64, bps: u64) -> Arrival {
        Arrival {
            now: Time::ZERO + Span::from_ms(ms),
            size: Bytes::new(1000),
            ecn: Ecn::NotEct,
            fits: true,
            rate: BitRate::from_bps(bps),
        }
    }

    fn thresholds() -> RedAim {
        RedAim::Thresholds {
            minimum: QueueSize::Packets(10),
            maximum: QueueSize::Packets(20),
        }
    }

    fn filled(packets: u32) -> DropTail {
        let mut account = DropTail::default();
        for _ in 0..packets {
            account.push(Bytes::new(1000));
        }
        account
    }

    #[test]
    fn the_largest_probability_adapts_each_half_second() {
        // With a weight of one the average is the queue. Above 16 it is too long, below 14 too short.
        let mut red = of(thresholds(), Some(1.0), 800_000);
        red.arrives(&arrival(499, 800_000), &filled(17));
        assert!(near(red.slope.probability, 0.1));
        red.arrives(&arrival(500, 800_000), &filled(15));
        assert!(near(red.slope.probability, 0.11));
        // What was in between counts at each half second: twice in the target range, which changes nothing.
        red.arrives(&arrival(1600, 800_000), &filled(13));
        assert!(near(red.slope.probability, 0.11));
        red.arrives(&arrival(2600, 800_000), &filled(13));
        assert!(near(red.slope.probability, 0.11 * 0.9 * 0.9));
    }

    #[test]
    fn the_largest_probability_keeps_to_its_bounds() {
        let mut red = of(thresholds(), Some(1.0), 800_000);
        for _ in 0..100 {
            red.adapt(13.9);
        }
        assert!(near(red.slope.probability, 0.01));
        // alpha is a quarter of max_p as long as that is less than 0.01.
        red.adapt(16.1);
        assert!(near(red.slope.probability, 0.0125));
        for _ in 0..100 {
            red.adapt(16.1);
        }
        assert!(near(red.slope.probability, 0.5));
        red.adapt(15.0);
        assert!(near(red.slope.probability, 0.5));
    }

    #[test]
    fn in_an_idle_time_the_average_that_is_adapted_to_fades() {
        // A packet takes 10 ms; with a weight of 0.1 the average of 17 is below 14 after two packets' time.
        let mut red = of(thresholds(), Some(0.1), 800_000);
        for _ in 0..200 {
            red.arrives(&arrival(490, 800_000), &filled(17));
        }
        red.rests(Time::ZERO + Span::from_ms(490));
        red.arrives(&arrival(1490, 800_000), &filled(0));
        // At 500 ms one packet's time has passed: 15.3, in the range; at 1000 ms it is next to nothing.
        assert!(near(red.slope.probability, 0.09), "{}", red.slope.probability);
    }
}
