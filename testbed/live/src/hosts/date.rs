//! When exactly the sender did what its counters prove.

use windlull_units::{Span, Time};
use windlull_wire::SenderEvent;

use super::watcher::Seen;

/// How far the captures' clock and the samples' may be apart.
const CLOCKS: Span = Span::from_ms(1);
/// A sender acts, then sends: the event stands just before its packet.
const JUST_BEFORE: u64 = 1;

/// Gives what was seen between two samples the time of the packet that it sent. `resent` are the retransmissions in the
/// capture of the sender's own end, in order of time, each with the stream offset of its first octet. What has none is
/// dated by the sample that showed it.
pub fn date(seen: &[Seen], resent: &[(Time, u64)]) -> Vec<(Time, SenderEvent)> {
    let mut used = 0;
    seen.iter()
        .map(|seen| {
            let (after, by) = (seen.after, seen.by + CLOCKS);
            let found = resent[used..]
                .iter()
                .position(|(at, offset)| (after..=by).contains(at) && seen.una.contains(offset));
            let Some(place) = found.map(|place| used + place) else {
                return (seen.by, seen.event.clone());
            };
            used = place + 1;
            let (at, offset) = resent[place];
            (
                Time::from_ns(at.as_ns().saturating_sub(JUST_BEFORE)),
                at_octet(&seen.event, offset),
            )
        })
        .collect()
}

/// The event, of the octet that was then the first unacknowledged one.
fn at_octet(event: &SenderEvent, octet: u64) -> SenderEvent {
    let mut event = event.clone();
    if let SenderEvent::Timeout { una, .. } | SenderEvent::FastRetransmit { una, .. } = &mut event {
        *una = octet;
    }
    event
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn timeout(ordinal: u32, una: u64) -> SenderEvent {
        SenderEvent::Timeout {
            ordinal,
            una,
            max: 99_000,
            rto: Span::from_ms(300),
            backoff: 0,
            rule: None,
        }
    }

    fn seen(ordinal: u32, after_ms: u64, una: std::ops::RangeInclusive<u64>) -> Seen {
        Seen {
            after: Time::from_ns(after_ms * MS),
            by: Time::from_ns((after_ms + 5) * MS),
            event: timeout(ordinal, *una.start()),
            una,
        }
    }

    #[test]
    fn a_timeout_stands_just_before_its_retransmission() {
        let at = |ns| Time::from_ns(ns);
        let resent = [
            (at(90 * MS), 500),
            (at(103 * MS), 700),
            (at(103 * MS + 7), 500),
            (at(104 * MS), 500),
        ];
        assert_eq!(
            date(&[seen(1, 100, 500..=500)], &resent),
            [(at(103 * MS + 6), timeout(1, 500))]
        );
    }

    #[test]
    fn the_packet_tells_which_octet_was_the_first() {
        let resent = [(Time::from_ns(102 * MS), 800)];
        let dated = date(&[seen(1, 100, 500..=900)], &resent);
        assert_eq!(dated, [(Time::from_ns(102 * MS - 1), timeout(1, 800))]);
    }

    #[test]
    fn each_packet_is_of_one_event() {
        let resent = [(Time::from_ns(101 * MS), 500), (Time::from_ns(103 * MS), 500)];
        let times: Vec<_> = date(&[seen(1, 100, 500..=500), seen(2, 100, 500..=500)], &resent)
            .into_iter()
            .map(|(at, _)| at.as_ns())
            .collect();
        assert_eq!(times, [101 * MS - 1, 103 * MS - 1]);
    }

    #[test]
    fn what_sent_nothing_is_dated_by_its_sample() {
        assert_eq!(
            date(&[seen(1, 100, 500..=500)], &[]),
            [(Time::from_ns(105 * MS), timeout(1, 500))]
        );
    }
}
