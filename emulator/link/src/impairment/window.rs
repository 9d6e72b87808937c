//! Spells: times in which a direction holds, or loses, what it meets.

use windlull_units::Time;

use super::Source;

/// The spells of one kind that are on in one direction. Spells may overlap; the latest end counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Windows {
    open: Vec<(Source, Time)>,
    latest: Time,
}

impl Windows {
    /// A spell of `source` begins and lasts until `until`. Whether that changes anything: a spell that ends before
    /// another of the same source does not.
    pub(crate) fn begin(&mut self, source: Source, until: Time) -> bool {
        let changes = match self.open.iter_mut().find(|(other, _)| *other == source) {
            Some((_, end)) if *end >= until => false,
            Some((_, end)) => {
                *end = until;
                true
            }
            None => {
                self.open.push((source, until));
                true
            }
        };
        self.latest = self.latest.max(until);
        changes
    }

    /// Whose spell ends at or before `now`, if any does; to be asked until none is left.
    pub(crate) fn take_ended(&mut self, now: Time) -> Option<Source> {
        let index = self.open.iter().position(|&(_, until)| until <= now)?;
        Some(self.open.remove(index).0)
    }

    /// A spell of `source` that is on ends now. Whether there was one.
    pub(crate) fn end(&mut self, source: Source, now: Time) -> bool {
        let on = self.open.len();
        self.open.retain(|&(other, _)| other != source);
        let others = self.open.iter().map(|&(_, until)| until).max();
        self.latest = others.unwrap_or(now).min(self.latest);
        self.open.len() < on
    }

    /// When the next spell ends.
    pub(crate) fn next_end(&self) -> Time {
        self.open.iter().map(|&(_, until)| until).min().unwrap_or(Time::NEVER)
    }

    /// When all that began is over; in the past if nothing is on.
    pub(crate) const fn until(&self) -> Time {
        self.latest
    }

    /// Whether a spell is on. Its first instant belongs to it, its end does not.
    pub(crate) fn is_open(&self, now: Time) -> bool {
        self.latest > now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: u64) -> Time {
        Time::from_ns(ns)
    }

    #[test]
    fn the_latest_end_counts() {
        let mut windows = Windows::default();
        assert!(windows.begin(Source(0), at(100)));
        assert!(
            !windows.begin(Source(0), at(90)),
            "a shorter spell of the same source changes nothing"
        );
        assert!(windows.begin(Source(1), at(150)));
        assert!(windows.begin(Source(0), at(120)));
        assert_eq!(windows.next_end(), at(120));
        assert_eq!(windows.take_ended(at(119)), None);
        assert_eq!(windows.take_ended(at(120)), Some(Source(0)));
        assert_eq!(windows.take_ended(at(120)), None);
        assert!(windows.is_open(at(149)));
        assert!(!windows.is_open(at(150)));
        assert_eq!(windows.take_ended(at(150)), Some(Source(1)));
        assert_eq!(windows.next_end(), Time::NEVER);
    }

    #[test]
    fn what_ends_early_leaves_the_others() {
        let mut windows = Windows::default();
        windows.begin(Source(0), at(100));
        windows.begin(Source(1), Time::NEVER);
        assert!(windows.end(Source(1), at(50)));
        assert!(!windows.end(Source(1), at(50)));
        assert_eq!((windows.until(), windows.next_end()), (at(100), at(100)));
        assert!(windows.end(Source(0), at(60)));
        assert!(!windows.is_open(at(60)));
        assert_eq!(windows.next_end(), Time::NEVER);
    }
}
