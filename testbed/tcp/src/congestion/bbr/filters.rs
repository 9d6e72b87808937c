//! What BBR remembers of the path, and for how long.

use windlull_units::{Span, Time};

use crate::bandwidth::Bandwidth;

/// Section 2.16.1, `MinRTTFilterLen`.
const MIN_RTT_LASTS: Span = Span::from_secs(10);
/// Section 2.16.2, `ProbeRTTInterval`.
const PROBE_RTT_INTERVAL: Span = Span::from_secs(5);
/// Section 2.12, `ExtraAckedFilterLen`, in round trips.
const EXTRA_ACKED_ROUNDS: usize = 10;

/// `BBR.max_bw_filter`: the most of the current probing cycle and the one before (sections 2.11, 5.5.6).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaxBandwidth {
    current: Bandwidth,
    previous: Bandwidth,
}

impl MaxBandwidth {
    pub(super) const NONE: Self = Self {
        current: Bandwidth::NONE,
        previous: Bandwidth::NONE,
    };

    /// `BBR.max_bw`.
    pub(super) fn get(self) -> Bandwidth {
        self.current.max(self.previous)
    }

    pub(super) fn update(&mut self, sample: Bandwidth) {
        self.current = self.current.max(sample);
    }

    /// `AdvanceMaxBwFilter`. A cycle without samples leaves what was known: a windowed filter forgets when a sample comes.
    pub(super) fn advance(&mut self) {
        if self.current > Bandwidth::NONE {
            self.previous = self.current;
            self.current = Bandwidth::NONE;
        }
    }
}

/// `BBR.min_rtt`, and when it is to be probed (section 5.3.4.3).
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    /// `BBR.min_rtt` and `BBR.min_rtt_stamp`.
    least: Option<Span>,
    least_at: Time,
    /// `BBR.probe_rtt_min_delay` and `BBR.probe_rtt_min_stamp`.
    probed: Option<Span>,
    probed_at: Time,
    /// `BBR.probe_rtt_expired`.
    expired: bool,
}

impl MinRtt {
    pub(super) const fn begin(now: Time) -> Self {
        Self {
            least: None,
            least_at: now,
            probed: None,
            probed_at: now,
            expired: false,
        }
    }

    pub(super) const fn get(&self) -> Option<Span> {
        self.least
    }

    /// Whether a probe of the round trip is due.
    pub(super) const fn is_expired(&self) -> bool {
        self.expired
    }

    /// `UpdateMinRTT`.
    pub(super) fn update(&mut self, now: Time, rtt: Option<Span>) {
        self.expired = now > self.probed_at + PROBE_RTT_INTERVAL;
        if let Some(rtt) = rtt {
            if self.expired || self.probed.is_none_or(|probed| rtt < probed) {
                self.probed = Some(rtt);
                self.probed_at = now;
            }
        }
        let least_expired = now > self.least_at + MIN_RTT_LASTS;
        if let Some(probed) = self.probed {
            if least_expired || self.least.is_none_or(|least| probed < least) {
                self.least = Some(probed);
                self.least_at = self.probed_at;
            }
        }
    }

    /// A probe of the round trip is over: the next one comes an interval later.
    pub(super) fn on_probed(&mut self, now: Time) {
        self.probed_at = now;
    }
}

/// `BBR.extra_acked_filter`: the most of the last round trips.
#[derive(Clone, Copy, Debug, Default)]
struct MostOfRounds {
    /// By round, the newest at `round` modulo their number.
    most: [u64; EXTRA_ACKED_ROUNDS],
    round: u64,
}

impl MostOfRounds {
    const fn place(round: u64) -> usize {
        (round % EXTRA_ACKED_ROUNDS as u64) as usize
    }

    fn update(&mut self, round: u64, sample: u64) {
        let passed = round.saturating_sub(self.round).min(EXTRA_ACKED_ROUNDS as u64);
        for step in 1..=passed {
            self.most[Self::place(self.round + step)] = 0;
        }
        if passed == EXTRA_ACKED_ROUNDS as u64 {
            self.most = [0; EXTRA_ACKED_ROUNDS];
        }
        self.round = round;
        let newest = &mut self.most[Self::place(round)];
        *newest = sample.max(*newest);
    }

    fn get(&self, rounds: usize) -> u64 {
        (0..rounds as u64)
            .filter_map(|back| self.round.checked_sub(back))
            .map(|round| self.most[Self::place(round)])
            .max()
            .unwrap_or(0)
    }
}

/// `BBR.extra_acked`: what is acknowledged beyond what the bandwidth would bring, where the path aggregates (section 5.5.9).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExtraAcked {
    /// `BBR.extra_acked_interval_start`.
    since: Time,
    /// `BBR.extra_acked_delivered`.
    delivered: u64,
    filter: MostOfRounds,
    extra: u64,
}

/// What an acknowledgement brings to the estimate of aggregation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aggregated {
    pub(super) now: Time,
    pub(super) bandwidth: Bandwidth,
    pub(super) newly_acked: u64,
    pub(super) cwnd: u64,
    pub(super) round: u64,
    pub(super) full_bandwidth_reached: bool,
}

impl ExtraAcked {
    pub(super) const NONE: Self = Self {
        since: Time::ZERO,
        delivered: 0,
        filter: MostOfRounds {
            most: [0; EXTRA_ACKED_ROUNDS],
            round: 0,
        },
        extra: 0,
    };

    pub(super) const fn get(&self) -> u64 {
        self.extra
    }

    /// The path was idle: what is expected counts from now.
    pub(super) const fn restart(&mut self, now: Time) {
        self.since = now;
    }

    /// `UpdateACKAggregation`.
    pub(super) fn update(&mut self, news: &Aggregated) {
        let mut expected = news.bandwidth.octets_in(news.now.since(self.since));
        if self.delivered <= expected {
            self.delivered = 0;
            self.since = news.now;
            expected = 0;
        }
        self.delivered += news.newly_acked;
        let extra = self.delivered.saturating_sub(expected).min(news.cwnd);
        self.filter.update(news.round, extra);
        let rounds = if news.full_bandwidth_reached {
            EXTRA_ACKED_ROUNDS
        } else {
            1
        };
        self.extra = self.filter.get(rounds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mbit(n: u64) -> Bandwidth {
        Bandwidth::of(n * 125_000, Span::from_secs(1))
    }

    #[test]
    fn bandwidth_is_remembered_for_two_cycles_with_samples() {
        let mut filter = MaxBandwidth::NONE;
        filter.update(mbit(10));
        filter.advance();
        filter.update(mbit(3));
        assert_eq!(filter.get(), mbit(10));
        filter.advance();
        assert_eq!(filter.get(), mbit(3));
        // Cycles without samples.
        filter.advance();
        filter.advance();
        assert_eq!(filter.get(), mbit(3));
    }

    #[test]
    fn a_longer_round_trip_counts_after_ten_seconds() {
        let (short, long) = (Span::from_ms(40), Span::from_ms(90));
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let mut filter = MinRtt::begin(Time::ZERO);
        assert_eq!(filter.get(), None);
        filter.update(at(0), Some(short));
        filter.update(at(5_000), Some(long));
        assert_eq!((filter.get(), filter.is_expired()), (Some(short), false));
        filter.update(at(5_001), Some(long));
        assert_eq!((filter.get(), filter.is_expired()), (Some(short), true));
        filter.update(at(10_000), Some(long));
        assert_eq!(filter.get(), Some(short));
        filter.update(at(10_001), Some(long));
        assert_eq!(filter.get(), Some(long));
        filter.update(at(10_002), Some(short));
        assert_eq!(filter.get(), Some(short));
    }

    #[test]
    fn aggregation_is_remembered_for_ten_round_trips_and_one_in_startup() {
        let mut filter = MostOfRounds::default();
        filter.update(3, 5_000);
        filter.update(4, 1_000);
        assert_eq!((filter.get(1), filter.get(EXTRA_ACKED_ROUNDS)), (1_000, 5_000));
        filter.update(12, 10);
        assert_eq!(filter.get(EXTRA_ACKED_ROUNDS), 5_000);
        filter.update(13, 10);
        assert_eq!(filter.get(EXTRA_ACKED_ROUNDS), 1_000);
        filter.update(40, 7);
        assert_eq!(filter.get(EXTRA_ACKED_ROUNDS), 7);
    }

    #[test]
    fn extra_is_what_comes_beyond_the_bandwidth_and_the_window_at_most() {
        let mut extra = ExtraAcked::NONE;
        let news = |ms, newly_acked| Aggregated {
            now: Time::ZERO + Span::from_ms(ms),
            bandwidth: mbit(8),
            newly_acked,
            cwnd: 30_000,
            round: 1,
            full_bandwidth_reached: true,
        };
        // Nothing is expected before the first: the interval begins with it.
        extra.update(&news(100, 20_000));
        assert_eq!(extra.get(), 20_000);
        // 10 ms at 8 Mbit/s are 10,000 octets: 20,000 + 5,000 - 10,000.
        extra.update(&news(110, 5_000));
        assert_eq!(extra.get(), 20_000);
        extra.update(&news(111, 12_000));
        assert_eq!(extra.get(), 26_000);
        extra.update(&news(112, 90_000));
        assert_eq!(extra.get(), 30_000);
    }
}
