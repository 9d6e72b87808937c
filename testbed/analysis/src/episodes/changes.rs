//! Changes of the link's settings: what they are called, and whether one is a trouble like a pause.

use schemars::JsonSchema;
use serde::Serialize;
use windlull_units::{BitRate, Direction, Span, Time};

use super::view::View;
use super::words::{counted, seconds, way};

/// A setting of the link that changed: once, or several times in a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SettingChange")]
pub struct Change {
    pub direction: Direction,
    /// When, the first time.
    pub from_ns: Time,
    /// When, the last time.
    pub to_ns: Time,
    /// From what, where that is known.
    pub was: Option<String>,
    /// To what, the last time.
    pub what: String,
    pub times: u64,
}

/// Which setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    Rate,
    Delay,
    /// What changed is told in the profile's words.
    Other,
}

impl Change {
    pub(super) fn once(now: Time, direction: Direction, was: Option<String>, what: String) -> Self {
        Self {
            direction,
            from_ns: now,
            to_ns: now,
            was,
            what,
            times: 1,
        }
    }

    /// The same setting changed again.
    pub(super) fn go_on(&mut self, next: &Self) {
        self.to_ns = next.to_ns;
        self.what.clone_from(&next.what);
        self.times += next.times;
    }

    /// A sentence without its full stop.
    pub(super) fn in_words(&self, setting: Setting) -> String {
        let Self {
            direction,
            from_ns,
            to_ns,
            was,
            what,
            times,
        } = self;
        let (name, way) = match setting {
            Setting::Rate => ("rate", way(*direction)),
            Setting::Delay => ("delay", way(*direction)),
            Setting::Other => return format!("The link changed {}: {what}", way(*direction)),
        };
        match (was, times) {
            (Some(was), 1) => format!("The link's {name} {way} went from {was} to {what}"),
            (None, 1) => format!("The link's {name} {way} became {what}"),
            (was, times) => {
                let was = was.as_ref().map_or(String::new(), |was| format!("from {was} "));
                format!(
                    "The link's {name} {way} changed {} within {}, {was}to {what} at last",
                    counted(*times, "time", "times"),
                    seconds(to_ns.since(*from_ns))
                )
            }
        }
    }
}

/// A rate as stories and causes name it.
pub(super) fn rate_in_words(rate: Option<BitRate>) -> String {
    rate.map_or_else(|| "nothing".to_owned(), |rate| rate.to_string())
}

/// A delay as stories and causes name it.
pub(super) fn delay_in_words(delay: Option<Span>) -> String {
    // To the microsecond: many steps are shorter than a millisecond.
    delay.map_or_else(
        || "what each packet draws".to_owned(),
        |delay| Span::from_us(delay.as_ns() / 1000).to_string(),
    )
}

/// Whether a rate that falls keeps what is outstanding for longer than a round trip, as a pause would.
pub(super) fn falls_like_a_pause(before: Option<BitRate>, after: Option<BitRate>, view: View) -> bool {
    let bits = view.outstanding().octets.saturating_mul(8);
    let at = |rate: BitRate| Span::from_ns(nanoseconds(bits, rate));
    match (before, after) {
        _ if bits == 0 => false,
        (Some(before), Some(after)) => {
            let longer = at(after).as_ns().saturating_sub(at(before).as_ns());
            longer > view.srtt.map_or(0, Span::as_ns)
        }
        // It delivers nothing at all for a while.
        (Some(_), None) => true,
        (None, _) => false,
    }
}

/// How long so many bits take, rounded down; as long as can be written, if longer.
fn nanoseconds(bits: u64, rate: BitRate) -> u64 {
    let ns = u128::from(bits) * 1_000_000_000 / u128::from(rate.as_bps());
    u64::try_from(ns).unwrap_or(u64::MAX)
}

/// Whether a delay that rises makes everything later by more than a round trip, as a pause would.
pub(super) fn rises_like_a_pause(before: Option<Span>, after: Option<Span>, srtt: Option<Span>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => {
            let later = after.as_ns().saturating_sub(before.as_ns());
            later > srtt.map_or(0, Span::as_ns)
        }
        // What packets draw is no one step.
        _ => false,
    }
}
