//! Rows and values as the numbers of the diagram's columns.

use windlull_units::{Direction, DropCause, Span, Time};

use crate::verdict::{Reason, Truth, Verdict};

pub(super) const MISSING: i64 = -1;
/// The causes that every series names, by their numbers.
const ALWAYS_NAMED: [DropCause; 8] = [
    DropCause::QueueOverflow,
    DropCause::RandomLoss,
    DropCause::BitError,
    DropCause::Outage,
    DropCause::Chosen,
    DropCause::ArqGaveUp,
    DropCause::Unknown,
    DropCause::QueueEarly,
];
/// `names.drop` behind those causes.
pub(super) const DROP_CORRUPTED: usize = ALWAYS_NAMED.len();
pub(super) const DROP_UNKNOWN: usize = DROP_CORRUPTED + 1;

/// `names.drop`. All other causes stand at its end, each in series that have it.
#[derive(Clone, Debug, Default)]
pub(super) struct DropNames {
    others: Vec<DropCause>,
}

impl DropNames {
    /// The number of a cause.
    pub(super) fn number(&mut self, cause: DropCause) -> usize {
        let place = |causes: &[DropCause]| causes.iter().position(|&it| it == cause);
        place(&ALWAYS_NAMED).unwrap_or_else(|| {
            let other = place(&self.others).unwrap_or_else(|| {
                self.others.push(cause);
                self.others.len() - 1
            });
            DROP_UNKNOWN + 1 + other
        })
    }

    pub(super) fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = ALWAYS_NAMED.iter().map(|cause| cause.name()).collect();
        names.extend(["corrupted", "unknown"]);
        names.extend(self.others.iter().map(|cause| cause.name()));
        names
    }
}

pub(super) const VERDICTS: [&str; 4] = ["original", "necessary", "unnecessary", "unknown"];
pub(super) const REASONS: [Reason; 3] = [Reason::Delayed, Reason::AckLost, Reason::DataLost];

/// The place of a name in a list, to which it is added if it is new.
pub(super) fn intern(names: &mut Vec<String>, name: &str) -> i64 {
    let place = names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    });
    index(place)
}

pub(super) fn verdict_index(verdict: Option<Verdict>) -> i64 {
    match verdict {
        None => 0,
        Some(Verdict::Necessary) => 1,
        Some(Verdict::Unnecessary) => 2,
        Some(Verdict::Unknown) => 3,
    }
}

/// Of timeouts and fast retransmits.
pub(super) fn truth_index(truth: Truth) -> i64 {
    match truth {
        Truth::Spurious => 0,
        Truth::Genuine => 1,
        Truth::Unknown => 2,
    }
}

pub(super) fn reason_index(reason: Option<Reason>) -> i64 {
    let place = reason.and_then(|reason| REASONS.iter().position(|&it| it == reason));
    place.map_or(MISSING, index)
}

pub(super) fn direction_index(direction: Direction) -> i64 {
    i64::from(direction == Direction::Up)
}

/// A position as an offset of the stream: SYN is before its first octet.
pub(super) fn offset(position: u64) -> i64 {
    number(position.saturating_sub(1))
}

pub(super) fn ns(time: Time) -> i64 {
    number(time.as_ns())
}

pub(super) fn span(span: Span) -> i64 {
    number(span.as_ns())
}

pub(super) fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn index(place: usize) -> i64 {
    i64::try_from(place).unwrap_or(i64::MAX)
}
