//! Where two runs part: the first instant at which what their data senders sent differs, and what each had decided.
//!
//! ```text
//!   packets sent, the n-th of A with the n-th of B --> the first that differs: where they part
//!   what the senders heard until then, the fates of packets until then --> who did otherwise first: sender, receiver, link
//!   the events of both until then, kind by kind --> what each had decided and the other had not
//! ```

mod answer;
mod datagrams;
mod decisions;
mod deeds;
mod error;
mod fates;
mod instants;
mod packets;
mod parting;
mod recorded;
mod story;
mod window;
mod words;

use windlull_units::{Span, Time};

pub use self::answer::Difference;
use self::answer::{FatesCompared, HeardOtherwise, Origin, Parting, PartingKind};
use self::deeds::{Then, deed};
pub use self::error::RecordedError;
pub use self::recorded::Recorded;
use self::story::Heard;
use self::window::Teller;

/// How two runs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparing {
    /// Instants that are no farther apart count as the same: none where both runs are in virtual time.
    pub tolerance: Span,
    /// How much of both runs is told before and after the instant at which they part.
    pub around: Span,
}

/// Finds where two runs of the same workload part.
pub fn difference(a: &Recorded, b: &Recorded, comparing: Comparing) -> Difference {
    let Comparing { tolerance, around } = comparing;
    let tellers = [Teller::of(a), Teller::of(b)];
    let [tell_a, tell_b] = &tellers;
    let (sent_a, sent_b) = (a.packets(true), b.packets(true));
    let first = parting::first(&sent_a, &sent_b, tolerance);
    let sent_alike = first.map_or(sent_a.len(), |first| first.place) as u64;
    let at = first.map_or(Time::NEVER, |first| first.at);

    let fates = compare_fates(a, b, at, tolerance);
    let (heard_a, heard_b) = (a.packets(false), b.packets(false));
    // What comes later is of no effect on the packet in which they part.
    let otherwise = parting::first(&heard_a, &heard_b, tolerance).filter(|heard| heard.at <= at);
    let heard = otherwise.map(|heard| Heard {
        at: heard.at,
        a: heard_a.get(heard.place).copied(),
        b: heard_b.get(heard.place).copied(),
    });
    let mut story = story::told_of_others(fates.first.as_ref(), heard.as_ref());

    let parting = first.map(|first| {
        let then = Then {
            at,
            tolerance,
            is_quic: a.is_quic() || b.is_quic(),
        };
        let packets = [sent_a.get(first.place).copied(), sent_b.get(first.place).copied()];
        let [own_a, own_b] = decisions::apart(
            &decisions::decisions(&a.events, a.losses.as_deref()),
            &decisions::decisions(&b.events, b.losses.as_deref()),
            at + tolerance,
            tolerance,
        );
        let [packet_a, packet_b] = packets;
        let did_a = deed(tell_a, &a.events, packet_a, &own_a, then);
        let did_b = deed(tell_b, &b.events, packet_b, &own_b, then);
        let parting = Parting {
            at_ns: at,
            how: first.how,
            origin: origin(heard.is_some(), &fates),
            kind: PartingKind {
                a: did_a.decision.name.clone(),
                b: did_b.decision.name.clone(),
            },
            a: did_a,
            b: did_b,
            window: window::window([tell_a, tell_b], at, around),
        };
        story.extend(story::told_of_parting(&parting, packets, sent_alike));
        parting
    });
    // Of one instant they stand in the order of cause and effect, as they were told: what was heard, decided, sent. What is
    // told after the instant at which they part is of that instant, within the tolerance.
    story.sort_by_key(|sentence| sentence.at_ns.min(at));
    Difference {
        tolerance_ns: tolerance,
        sent_alike,
        parting,
        fates,
        heard: otherwise.zip(heard).map(|(first, heard)| HeardOtherwise {
            at_ns: first.at,
            how: first.how,
            a: heard.a.map(|packet| tell_a.tell(packet)),
            b: heard.b.map(|packet| tell_b.tell(packet)),
        }),
        story,
    }
}

fn compare_fates(a: &Recorded, b: &Recorded, until: Time, tolerance: Span) -> FatesCompared {
    match (&a.fates, &b.fates) {
        (Some(a), Some(b)) => fates::compare(a, b, until, tolerance),
        _ => FatesCompared {
            compared: None,
            first: None,
        },
    }
}

/// Who did otherwise first. A fate of which the sender had heard nothing was not why it did otherwise.
fn origin(heard_otherwise: bool, fates: &FatesCompared) -> Origin {
    match (heard_otherwise, fates.compared, &fates.first) {
        (false, ..) => Origin::Sender,
        (true, Some(_), Some(_)) => Origin::Link,
        (true, Some(_), None) => Origin::Receiver,
        (true, None, _) => Origin::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_did_otherwise_first_is_named() {
        let same = |compared| FatesCompared { compared, first: None };
        assert_eq!(origin(false, &same(None)), Origin::Sender);
        assert_eq!(origin(true, &same(Some(3))), Origin::Receiver);
        assert_eq!(origin(true, &same(None)), Origin::Unknown);
    }
}
