//! Whether the link did the same to the packets of two runs.

use windlull_units::{Direction, Fate, Outcome, Span, Time};

use super::answer::{EndOfPacket, FatesCompared, OtherFate};
use super::instants::are_close;

/// Compares the fates of packets, the n-th of a direction with the n-th, as long as both came to the link at the same time.
/// A fate counts from when it was sealed: before that no host can know of it. Copies that the link made do not count.
pub(super) fn compare(a: &[Fate], b: &[Fate], until: Time, tolerance: Span) -> FatesCompared {
    let mut compared = 0;
    let mut found: Vec<(Time, OtherFate)> = Vec::new();
    for direction in Direction::ALL {
        let (a, b) = (of(a, direction), of(b, direction));
        for (number, (one, other)) in (1..).zip(a.into_iter().zip(b)) {
            let entered = one.entered.min(other.entered);
            if entered > until || !are_close(one.entered, other.entered, tolerance) {
                break;
            }
            compared += 1;
            let known = one.outcome.at().min(other.outcome.at());
            if known <= until && !is_same(one, other, tolerance) {
                let first = OtherFate {
                    direction,
                    number,
                    entered_ns: entered,
                    a: end(one),
                    b: end(other),
                };
                found.push((known, first));
            }
        }
    }
    FatesCompared {
        compared: Some(compared),
        first: found
            .into_iter()
            .min_by_key(|(known, _)| *known)
            .map(|(_, first)| first),
    }
}

/// The packets of a direction in the order in which they came to the link.
fn of(fates: &[Fate], direction: Direction) -> Vec<&Fate> {
    let own = |fate: &&Fate| fate.direction == direction && fate.duplicate_of.is_none();
    let mut all: Vec<&Fate> = fates.iter().filter(own).collect();
    all.sort_by_key(|fate| (fate.entered, fate.id));
    all
}

fn is_same(one: &Fate, other: &Fate, tolerance: Span) -> bool {
    let ended_alike = match (one.outcome, other.outcome) {
        (Outcome::Delivered { at }, Outcome::Delivered { at: then }) => are_close(at, then, tolerance),
        // When a loss was told is of no effect on anybody.
        (Outcome::Dropped { by, .. }, Outcome::Dropped { by: cause, .. }) => by == cause,
        _ => false,
    };
    ended_alike && one.marked == other.marked && one.corrupted == other.corrupted
}

fn end(fate: &Fate) -> EndOfPacket {
    EndOfPacket {
        id: fate.id.0,
        end: fate.outcome.name(),
        at_ns: fate.outcome.at(),
        marked: fate.marked,
        corrupted: fate.corrupted,
    }
}

#[cfg(test)]
mod tests {
    use windlull_units::{Bytes, DropCause, PacketId};

    use super::*;

    fn fate(id: u64, direction: Direction, entered_ns: u64, outcome: Outcome) -> Fate {
        let entered = Time::from_ns(entered_ns);
        Fate::plain(PacketId(id), direction, Bytes::new(100), entered, outcome)
    }

    fn delivered(at_ns: u64) -> Outcome {
        Outcome::Delivered {
            at: Time::from_ns(at_ns),
        }
    }

    fn lost(at_ns: u64) -> Outcome {
        Outcome::Dropped {
            at: Time::from_ns(at_ns),
            by: DropCause::RandomLoss,
        }
    }

    #[test]
    fn the_first_other_fate_that_a_host_could_know_of_is_named() {
        let down = |id, entered, outcome| fate(id, Direction::Down, entered, outcome);
        let a = [down(0, 10, delivered(50)), down(1, 20, delivered(90))];
        let b = [down(0, 10, delivered(50)), down(1, 20, lost(70))];
        let until = |ns| compare(&a, &b, Time::from_ns(ns), Span::ZERO);
        let found = until(70).first.expect("a difference");
        assert_eq!(
            (found.direction, found.number, found.entered_ns.as_ns()),
            (Direction::Down, 2, 20)
        );
        assert_eq!((found.a.end, found.b.end), ("delivered", "random-loss"));
        assert_eq!((until(69).first, until(69).compared), (None, Some(2)));
    }

    #[test]
    fn packets_of_other_times_are_not_compared() {
        let up = |id, entered, outcome| fate(id, Direction::Up, entered, outcome);
        let a = [up(0, 10, delivered(20)), up(1, 30, delivered(40))];
        let b = [up(0, 10, delivered(20)), up(1, 33, lost(36))];
        let compared = |tolerance| compare(&a, &b, Time::NEVER, Span::from_ns(tolerance));
        assert_eq!((compared(2).compared, compared(2).first), (Some(1), None));
        assert_eq!(compared(3).compared, Some(2));
        assert!(compared(3).first.is_some());
    }

    #[test]
    fn the_order_of_sealing_and_copies_do_not_matter() {
        let down = |id, entered, outcome| fate(id, Direction::Down, entered, outcome);
        let a = [down(1, 20, delivered(30)), down(0, 10, delivered(50))];
        let mut copy = down(2, 10, delivered(51));
        copy.duplicate_of = Some(PacketId(0));
        let b = [down(0, 10, delivered(50)), copy, down(1, 20, delivered(30))];
        assert_eq!(compare(&a, &b, Time::NEVER, Span::ZERO).first, None);
        let mut marked = a;
        marked[0].marked = true;
        assert!(compare(&a, &marked, Time::NEVER, Span::ZERO).first.is_some());
    }
}
