//! HyStart++: RFC 9406. The first slow start ends before it overruns the queue, once round trips grow longer from round to
//! round.
//!
//! ```text
//!               longer by RttThresh                  5 rounds
//!   Slow start ---------------------> Conservative ------------> congestion avoidance
//!        ^                                 |
//!        +---------------------------------+ shorter again: it was no queue
//! ```

use windlull_units::Span;

use crate::timer::Sample;

/// Section 4.3.
const MIN_RTT_THRESH: Span = Span::from_ms(4);
const MAX_RTT_THRESH: Span = Span::from_ms(16);
const MIN_RTT_DIVISOR: u64 = 8;
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: u64 = 4;
const CSS_ROUNDS: u32 = 5;
/// Segments by which an acknowledgement may grow the window of a sender that does not pace.
const L: u64 = 8;

/// Conservative slow start.
#[derive(Clone, Copy, Debug)]
struct Conservative {
    /// `cssBaselineMinRtt`.
    baseline: Span,
    rounds: u32,
}

/// The rounds of the first slow start and their round trips.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HyStartPlusPlus {
    /// `windowEnd`: the round ends once this is acknowledged.
    window_end: u64,
    /// `currentRoundMinRTT`, if anything was measured in it.
    current: Option<Span>,
    /// `lastRoundMinRTT`.
    last: Option<Span>,
    /// `rttSampleCount`.
    samples: u32,
    conservative: Option<Conservative>,
}

impl HyStartPlusPlus {
    /// Section 4.2: what the window grows by when so many octets were acknowledged.
    pub(crate) fn growth(&self, octets: u64, smss: u64) -> u64 {
        let growth = octets.min(L * smss);
        match self.conservative {
            Some(_) => growth / CSS_GROWTH_DIVISOR,
            None => growth,
        }
    }

    /// A round trip was measured in slow start; whether congestion avoidance begins.
    pub(crate) fn on_sample(&mut self, sample: &Sample) -> bool {
        let current = self.current.map_or(sample.rtt, |least| least.min(sample.rtt));
        self.current = Some(current);
        self.samples += 1;
        if self.samples >= N_RTT_SAMPLE {
            self.compare(current);
        }
        sample.una >= self.window_end && self.end_round(sample.max)
    }

    /// Whether this round's trips are longer than the last one's; later, whether they are shorter than at that time.
    fn compare(&mut self, current: Span) {
        match (self.conservative, self.last) {
            (Some(state), _) if current < state.baseline => self.conservative = None,
            (None, Some(last)) => {
                let threshold = last.div(MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH, MAX_RTT_THRESH);
                if current >= last.saturating_add(threshold) {
                    self.conservative = Some(Conservative {
                        baseline: current,
                        rounds: 0,
                    });
                }
            }
            _ => {}
        }
    }

    /// All of the round is acknowledged, and the next one ends with what was sent by now. Whether there is none in slow start.
    fn end_round(&mut self, sent: u64) -> bool {
        self.window_end = sent;
        self.last = self.current.take();
        self.samples = 0;
        self.conservative.as_mut().is_some_and(|state| {
            state.rounds += 1;
            state.rounds == CSS_ROUNDS
        })
    }
}

#[cfg(test)]
mod tests {
    use windlull_units::Time;

    use super::*;

    /// So many acknowledgements, of a segment each, in a round that begins with `una` acknowledged; whether slow start ended.
    fn round(hystart: &mut HyStartPlusPlus, una: &mut u64, segments: u64, rtt_ms: u64) -> bool {
        let end = *una + segments;
        let mut over = false;
        while *una < end {
            *una += 1;
            over |= hystart.on_sample(&Sample {
                now: Time::ZERO,
                rtt: Span::from_ms(rtt_ms),
                una: *una,
                // The round ends with what was sent at its beginning: twice as much by its end.
                max: end + 2 * segments,
            });
        }
        over
    }

    fn started() -> (HyStartPlusPlus, u64) {
        let mut hystart = HyStartPlusPlus {
            window_end: 10,
            ..HyStartPlusPlus::default()
        };
        let mut una = 0;
        assert!(!round(&mut hystart, &mut una, 10, 100));
        (hystart, una)
    }

    /// RttThresh is an eighth of 100 ms, 12.5 ms, and then of 112 ms, 14 ms.
    #[test]
    fn trips_that_are_longer_by_the_threshold_slow_the_growth_to_a_quarter() {
        let (mut hystart, mut una) = started();
        hystart.window_end = 30;
        round(&mut hystart, &mut una, 20, 112);
        assert_eq!(hystart.growth(1000, 1000), 1000);
        hystart.window_end = 70;
        round(&mut hystart, &mut una, 7, 126);
        assert_eq!(hystart.growth(1000, 1000), 1000, "eight samples are wanted");
        round(&mut hystart, &mut una, 1, 126);
        assert_eq!(hystart.growth(1000, 1000), 250);
    }

    #[test]
    fn one_acknowledgement_grows_the_window_by_eight_segments_at_most() {
        let (hystart, _) = started();
        assert_eq!(hystart.growth(20_000, 1000), 8000);
    }

    #[test]
    fn five_conservative_rounds_end_slow_start() {
        let (mut hystart, mut una) = started();
        let mut rounds = 0;
        loop {
            hystart.window_end = una + 10;
            rounds += 1;
            if round(&mut hystart, &mut una, 10, 120) {
                break;
            }
            assert!(rounds < 6, "it goes on");
        }
        assert_eq!(rounds, 5, "the round in which it begins counts");
    }

    #[test]
    fn trips_that_are_shorter_again_were_no_queue() {
        let (mut hystart, mut una) = started();
        hystart.window_end = una + 10;
        round(&mut hystart, &mut una, 10, 120);
        assert_eq!(hystart.growth(1000, 1000), 250);
        hystart.window_end = una + 10;
        round(&mut hystart, &mut una, 10, 119);
        assert_eq!(hystart.growth(1000, 1000), 1000);
    }
}
