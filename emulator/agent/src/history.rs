//! The last minutes of the link: a sample a second of both directions, and what was done to it, for charts over time.
//!
//! It is bounded, and lives as long as the process: whoever draws across a restart sees a gap.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::Serialize;
use windlull_plane::model::Reading;

use crate::changes::{ChangeAnswer, Kind, Set, Which};

/// Time between two samples.
pub(crate) const EVERY: Duration = Duration::from_secs(1);
/// Samples kept: the last ten minutes.
const MOST_SAMPLES: usize = 600;
/// Changes kept, and links; the oldest go first.
const MOST_MARKS: usize = 1_000;

/// Samples and marks, in order of time.
#[derive(Debug, Default)]
pub(crate) struct History(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    samples: VecDeque<Sample>,
    changes: VecDeque<ChangeMark>,
    links: VecDeque<LinkMark>,
}

/// `GET /link/history`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkHistory")]
pub(crate) struct HistoryAnswer {
    /// When the process began: counts of samples begin at zero with it.
    pub(crate) started: String,
    pub(crate) every_ms: u64,
    samples: Vec<Sample>,
    changes: Vec<ChangeMark>,
    links: Vec<LinkMark>,
}

/// Both directions at an instant.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkSample")]
struct Sample {
    at_ms: u64,
    down: WaySample,
    up: WaySample,
}

/// One direction: counts since the process began, and how it is.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "DirectionSample")]
struct WaySample {
    packets: u64,
    octets: u64,
    dropped: u64,
    queued_packets: u64,
    queued_octets: u64,
    rate_bps: Option<u64>,
    delay_ms: Option<f64>,
    held: bool,
    dropping: bool,
}

/// A change by hand, from when to when it was in force.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ChangeMark {
    id: u64,
    kind: Kind,
    direction: Which,
    #[serde(skip_serializing_if = "Option::is_none")]
    set: Option<Set>,
    from_ms: u64,
    /// When it ended, or will end by itself; `None`: when it is taken back.
    to_ms: Option<u64>,
}

/// Another link began to stand, or a run got the devices.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct LinkMark {
    at_ms: u64,
    link: String,
    run: Option<String>,
}

impl History {
    pub(crate) fn sample(&self, at: SystemTime, [down, up]: &[Reading; 2]) {
        let sample = Sample {
            at_ms: ms(at),
            down: WaySample::of(down),
            up: WaySample::of(up),
        };
        push(&mut self.kept().samples, sample, MOST_SAMPLES);
    }

    pub(crate) fn changed(&self, change: &ChangeAnswer, since: SystemTime, until: Option<SystemTime>) {
        let mark = ChangeMark {
            id: change.id,
            kind: change.kind,
            direction: change.direction,
            set: change.set.clone(),
            from_ms: ms(since),
            to_ms: until.map(ms),
        };
        push(&mut self.kept().changes, mark, MOST_MARKS);
    }

    pub(crate) fn taken_back(&self, id: u64, at: SystemTime) {
        for change in self.kept().changes.iter_mut().filter(|change| change.id == id) {
            change.end(ms(at));
        }
    }

    /// Another link stands, or a run has the devices: all changes are over.
    pub(crate) fn link(&self, at: SystemTime, link: &str, run: Option<&str>) {
        let mut kept = self.kept();
        let at_ms = ms(at);
        for change in &mut kept.changes {
            change.end(at_ms);
        }
        let mark = LinkMark {
            at_ms,
            link: link.to_owned(),
            run: run.map(str::to_owned),
        };
        push(&mut kept.links, mark, MOST_MARKS);
    }

    /// The samples later than `after_ms`, and every mark within the time of those kept.
    pub(crate) fn since(&self, after_ms: u64, started: SystemTime) -> HistoryAnswer {
        let kept = self.kept();
        let first = kept.samples.front().map_or(0, |sample| sample.at_ms);
        let later = kept.samples.partition_point(|sample| sample.at_ms <= after_ms);
        HistoryAnswer {
            started: crate::logs::rfc3339(started),
            every_ms: u64::try_from(EVERY.as_millis()).unwrap_or(u64::MAX),
            samples: kept.samples.range(later..).copied().collect(),
            changes: kept
                .changes
                .iter()
                .filter(|change| change.to_ms.is_none_or(|to| to >= first))
                .cloned()
                .collect(),
            links: kept.links.iter().filter(|link| link.at_ms >= first).cloned().collect(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChangeMark {
    /// Ends it at this time, unless it has ended before.
    fn end(&mut self, at_ms: u64) {
        self.to_ms = Some(self.to_ms.map_or(at_ms, |to| to.min(at_ms)));
    }
}

impl WaySample {
    fn of(reading: &Reading) -> Self {
        Self {
            packets: reading.packets,
            octets: reading.octets,
            dropped: reading.drops.iter().sum(),
            queued_packets: reading.queued_packets,
            queued_octets: reading.queued_octets,
            rate_bps: reading.rate_bps,
            delay_ms: reading.delay.map(|delay| delay.as_secs_f64() * 1_000.0),
            held: reading.held,
            dropping: reading.dropping,
        }
    }
}

fn push<T>(kept: &mut VecDeque<T>, one: T, most: usize) {
    if kept.len() == most {
        kept.pop_front();
    }
    kept.push_back(one);
}

/// Milliseconds since 1970.
pub(crate) fn ms(at: SystemTime) -> u64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::changes::Asked;

    fn at(ms: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(ms)
    }

    fn answer(history: &History, after_ms: u64) -> Value {
        serde_json::to_value(history.since(after_ms, at(0))).expect("our own types have text keys")
    }

    fn hold(id: u64) -> ChangeAnswer {
        let asked: Asked = serde_json::from_value(json!({"kind": "hold"})).expect("the right keys");
        ChangeAnswer::new(id, &asked.understood().expect("right"), at(0), None)
    }

    fn with_drops(drops: u64) -> [Reading; 2] {
        let mut reading = Reading::default();
        reading.drops[0] = drops;
        reading.drops[1] = 1;
        [reading, Reading::default()]
    }

    #[test]
    fn the_last_ten_minutes_are_kept_and_no_more() {
        let history = History::default();
        for second in 0..700 {
            history.sample(at(second * 1_000), &with_drops(second));
        }
        let all = answer(&history, 0);
        let samples = all["samples"].as_array().expect("a list");
        assert_eq!(samples.len(), 600);
        assert_eq!(
            (&samples[0]["at_ms"], &samples[599]["at_ms"]),
            (&json!(100_000), &json!(699_000))
        );
        assert_eq!(samples[599]["down"]["dropped"], 700);
        assert_eq!(answer(&history, 697_000)["samples"].as_array().map(Vec::len), Some(2));
        assert_eq!(answer(&history, 699_000)["samples"], json!([]));
    }

    #[test]
    fn changes_end_when_they_are_taken_back_or_over_or_the_link_goes() {
        let history = History::default();
        history.sample(at(1_000), &with_drops(0));
        history.changed(&hold(1), at(2_000), None);
        history.changed(&hold(2), at(3_000), Some(at(4_000)));
        history.changed(&hold(3), at(3_000), Some(at(9_000)));
        history.changed(&hold(4), at(3_500), None);
        history.taken_back(1, at(5_000));
        assert_eq!(answer(&history, 0)["changes"][3]["to_ms"], Value::Null);
        history.link(at(6_000), "gprs", None);
        let all = answer(&history, 0);
        let ends: Vec<_> = (0..4).map(|place| all["changes"][place]["to_ms"].clone()).collect();
        assert_eq!(ends, [5_000, 4_000, 6_000, 6_000]);
        assert_eq!(all["links"], json!([{"at_ms": 6_000, "link": "gprs", "run": null}]));
    }

    #[test]
    fn marks_from_before_the_samples_are_left_out() {
        let history = History::default();
        history.changed(&hold(1), at(1_000), Some(at(2_000)));
        history.link(at(1_500), "gprs", None);
        history.sample(at(3_000), &with_drops(0));
        let all = answer(&history, 0);
        assert_eq!((&all["changes"], &all["links"]), (&json!([]), &json!([])));
    }
}
