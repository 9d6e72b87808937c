//! HyStart: Ha and Rhee, Taming the elephants, 2011, with Linux's numbers. The first slow start ends when acknowledgements
//! that follow each other closely have come for half of the shortest round trip, so that about half of what the path holds is
//! outstanding; or when a round's first round trips are longer than the shortest of all.

use windlull_units::{Span, Time};

use crate::timer::Sample;

/// Section 3.2: delays are not told apart in less time, and a path has queued by more than the most.
const LEAST_THRESHOLD: Span = Span::from_ms(4);
const MOST_THRESHOLD: Span = Span::from_ms(16);
const THRESHOLD_DIVISOR: u64 = 8;
/// Round trips of a round that are looked at.
const SAMPLES: u32 = 8;
/// Segments of the window below which a train says nothing.
const LOW_WINDOW: u64 = 16;
/// Linux: acknowledgements so close to each other belong to one train.
const CLOSE: Span = Span::from_ms(2);
/// Linux: by how much aggregation at the sender may lengthen a train.
const AGGREGATION: Span = Span::from_ms(1);

/// The round that is under way, and the shortest round trip of all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HyStart {
    /// The round ends once more than this is acknowledged.
    end: u64,
    began: Time,
    /// The last acknowledgement of the train that began with the round.
    last: Time,
    /// The shortest round trip of the first ones of the round.
    current: Option<Span>,
    samples: u32,
    shortest: Option<Span>,
}

impl HyStart {
    /// A round trip was measured in slow start, with a window of so many segments; whether congestion avoidance begins.
    pub(crate) fn on_sample(&mut self, sample: &Sample, window: u64) -> bool {
        let shortest = self.shortest.map_or(sample.rtt, |least| least.min(sample.rtt));
        self.shortest = Some(shortest);
        if window < LOW_WINDOW {
            return false;
        }
        self.begin_round(sample);
        self.ends_train(sample.now, shortest) || self.is_delayed(sample.rtt, shortest)
    }

    /// The same with rounds that are counted from the first one on, as Linux does, not from a window that is large enough.
    pub(crate) fn on_sample_of_rounds(&mut self, sample: &Sample, window: u64) -> bool {
        let shortest = self.shortest.map_or(sample.rtt, |least| least.min(sample.rtt));
        self.shortest = Some(shortest);
        // Its clock counts microseconds, and cuts what is less.
        let clock = Time::ZERO + Span::from_us(sample.now.as_ns() / 1000);
        self.begin_round(&Sample { now: clock, ..*sample });
        window >= LOW_WINDOW && (self.ends_train(clock, shortest) | self.is_delayed(sample.rtt, shortest))
    }

    fn begin_round(&mut self, sample: &Sample) {
        if sample.una > self.end {
            *self = Self {
                end: sample.max,
                began: sample.now,
                last: sample.now,
                current: None,
                samples: 0,
                shortest: self.shortest,
            };
        }
    }

    fn ends_train(&mut self, now: Time, shortest: Span) -> bool {
        if now.since(self.last) > CLOSE {
            return false;
        }
        self.last = now;
        now.since(self.began) > shortest.saturating_add(AGGREGATION).div(2)
    }

    fn is_delayed(&mut self, rtt: Span, shortest: Span) -> bool {
        let current = self.current.map_or(rtt, |least| least.min(rtt));
        self.current = Some(current);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        let threshold = shortest.div(THRESHOLD_DIVISOR).clamp(LEAST_THRESHOLD, MOST_THRESHOLD);
        current > shortest.saturating_add(threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Acknowledgements of a segment each, `apart` from each other, in a round; the place of that which ends slow start.
    fn round(hystart: &mut HyStart, at: Time, apart: Span, rtts: &[Span]) -> Option<usize> {
        let una = hystart.end + 1;
        rtts.iter().enumerate().position(|(place, rtt)| {
            let sample = Sample {
                now: at + apart.saturating_mul(place as u64),
                rtt: *rtt,
                una: una + place as u64,
                max: una + 1000,
            };
            hystart.on_sample(&sample, LOW_WINDOW)
        })
    }

    /// Half of 100 ms and 1 ms is 50.5 ms: 50 acknowledgements that are 1 ms apart are not more, and the next one is.
    #[test]
    fn a_train_of_half_a_round_trip_ends_slow_start() {
        let mut hystart = HyStart::default();
        let rtt = [Span::from_ms(100); 60];
        assert_eq!(round(&mut hystart, Time::from_ns(0), Span::from_ms(1), &rtt), Some(51));
    }

    #[test]
    fn a_pause_of_more_than_2_ms_ends_the_train() {
        let mut hystart = HyStart::default();
        let rtt = [Span::from_ms(100); 60];
        assert_eq!(round(&mut hystart, Time::from_ns(0), Span::from_us(2001), &rtt), None);
    }

    /// An eighth of 100 ms is 12.5 ms.
    #[test]
    fn eight_round_trips_that_are_longer_end_slow_start() {
        let mut hystart = HyStart::default();
        let apart = Span::from_ms(3);
        let first = [Span::from_ms(100); 20];
        assert_eq!(round(&mut hystart, Time::from_ns(0), apart, &first), None);
        let later = [Span::from_us(112_500); 20];
        hystart.end = 1;
        assert_eq!(
            round(&mut hystart, Time::ZERO + Span::from_ms(200), apart, &later),
            None
        );
        let longer = [Span::from_us(112_501); 20];
        hystart.end = 2;
        assert_eq!(
            round(&mut hystart, Time::ZERO + Span::from_ms(400), apart, &longer),
            Some(8)
        );
    }

    #[test]
    fn a_small_window_says_nothing() {
        let mut hystart = HyStart::default();
        for place in 0..100 {
            let sample = Sample {
                now: Time::ZERO + Span::from_ms(place),
                rtt: Span::from_ms(20),
                una: place + 1,
                max: 1000,
            };
            assert!(!hystart.on_sample(&sample, LOW_WINDOW - 1));
        }
    }
}
