//! What was sent and what was delivered, second by second.

use schemars::JsonSchema;
use serde::Serialize;
use windlull_units::Time;

const SECOND_NS: u64 = 1_000_000_000;

/// Octets of payload in each second of a run, from its start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Course {
    /// That the data sender sent, retransmissions included.
    pub sent: Vec<u64>,
    /// That arrived at the data receiver for the first time.
    pub delivered: Vec<u64>,
}

impl Course {
    pub(crate) fn sent(&mut self, now: Time, octets: u64) {
        count(&mut self.sent, now, octets);
    }

    pub(crate) fn delivered(&mut self, now: Time, octets: u64) {
        count(&mut self.delivered, now, octets);
    }

    /// Adds another flow's.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in [(&mut self.sent, &other.sent), (&mut self.delivered, &other.delivered)] {
            mine.resize(mine.len().max(theirs.len()), 0);
            for (sum, octets) in mine.iter_mut().zip(theirs) {
                *sum += octets;
            }
        }
    }
}

fn count(seconds: &mut Vec<u64>, now: Time, octets: u64) {
    let Ok(second) = usize::try_from(now.as_ns() / SECOND_NS) else {
        return;
    };
    if seconds.len() <= second {
        seconds.resize(second + 1, 0);
    }
    seconds[second] += octets;
}
