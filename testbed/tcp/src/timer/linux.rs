//! The estimator of the Linux kernel (net/ipv4/tcp_input.c, `tcp_rtt_estimator`), as psaras2007, section 5.1 and
//! sarolahti2003, section 5.1 have it for their senders, in nanoseconds.
//!
//! It differs from RFC 6298 in three points. A round trip shorter than the mean counts an eighth as much for the deviation,
//! so that the timeout does not rise when round trips fall. The deviation in force is the largest of a window of data
//! (`mdev_max`): it rises at once, and falls by a quarter of the difference once a window. The minimum is a floor under the
//! variance term, four deviations, and not under the timeout.

use windlull_units::Span;

use super::{Measured, RtoEstimator, Sample};

/// What is known once a round trip was measured.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Eight times the mean, nanoseconds.
    mean_8: u64,
    /// Four times the mean deviation, nanoseconds.
    deviation_4: u64,
    /// The largest of these in the window of data under way; not below the floor.
    largest_4: u64,
    /// The variance term in force.
    term: u64,
    /// Where the window of data under way ends.
    window_end: u64,
}

/// The kernel's estimator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linux {
    floor_ns: u64,
    known: Option<Known>,
}

impl Linux {
    pub(crate) const fn new(floor: Span) -> Self {
        Self {
            floor_ns: floor.as_ns(),
            known: None,
        }
    }

    fn begin(&mut self, srtt: Span, rttvar: Span, window_end: u64) {
        let deviation_4 = rttvar.saturating_mul(4).as_ns();
        let term = deviation_4.max(self.floor_ns);
        self.known = Some(Known {
            mean_8: srtt.saturating_mul(8).as_ns(),
            deviation_4,
            largest_4: term,
            term,
            window_end,
        });
    }
}

/// Four times the deviation after a measurement that is `error` off the mean.
const fn deviated(deviation_4: u64, error: u64, is_shorter: bool) -> u64 {
    let old = deviation_4 / 4;
    if error < old {
        deviation_4 - (old - error)
    } else if is_shorter {
        deviation_4 + (error - old) / 8
    } else {
        deviation_4 + error - old
    }
}

impl RtoEstimator for Linux {
    fn on_sample(&mut self, sample: &Sample) {
        let Some(known) = &mut self.known else {
            return self.begin(sample.rtt, sample.rtt.div(2), sample.max);
        };
        let rtt = sample.rtt.as_ns();
        let mean = known.mean_8 / 8;
        known.mean_8 = known.mean_8 - mean + rtt;
        known.deviation_4 = deviated(known.deviation_4, rtt.abs_diff(mean), rtt < mean);
        known.largest_4 = known.largest_4.max(known.deviation_4);
        known.term = known.term.max(known.largest_4);
        if sample.una > known.window_end {
            known.term -= (known.term - known.largest_4) / 4;
            known.window_end = sample.max;
            known.largest_4 = self.floor_ns;
        }
    }

    fn seed(&mut self, srtt: Span, rttvar: Span) {
        let window_end = self.known.map_or(0, |known| known.window_end);
        self.begin(srtt, rttvar, window_end);
    }

    fn measured(&self) -> Option<Measured> {
        self.known.map(|known| Measured {
            srtt: Span::from_ns(known.mean_8 / 8),
            rttvar: Some(Span::from_ns(known.term / 4)),
        })
    }

    fn timeout(&self) -> Option<Span> {
        self.known
            .map(|known| Span::from_ns((known.mean_8 / 8).saturating_add(known.term)))
    }

    fn rule(&self) -> &'static str {
        "Linux, SRTT and the largest deviation of a window"
    }
}
