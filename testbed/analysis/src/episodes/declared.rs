//! Packets that a sender of QUIC declared lost, in the terms of RFC 9002.

use windlull_transport::{LossTrigger, Space};
use windlull_units::Time;

use super::words::seconds;
use crate::follower::Declared;
use crate::verdict::Truth;

/// Packets that were declared lost one after the other by one rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declarations {
    from: Time,
    to: Time,
    space: Space,
    trigger: LossTrigger,
    /// The lowest packet number, and the highest.
    first: u64,
    last: u64,
    /// The place of the first among all that the connection declared, and how many there are.
    place: usize,
    count: usize,
}

impl Declarations {
    pub(super) const fn begin(at: Time, lost: Declared) -> Self {
        Self {
            from: at,
            to: at,
            space: lost.space,
            trigger: lost.trigger,
            first: lost.number,
            last: lost.number,
            place: lost.place,
            count: 1,
        }
    }

    /// Whether it is the next by the same rule; then it is one of them.
    pub(super) fn joined(&mut self, at: Time, lost: Declared) -> bool {
        let is_next = lost.place == self.place + self.count;
        let joins = is_next && (self.space, self.trigger) == (lost.space, lost.trigger);
        if joins {
            self.to = at;
            self.first = self.first.min(lost.number);
            self.last = self.last.max(lost.number);
            self.count += 1;
        }
        joins
    }

    /// `losses` says of each packet that the connection declared lost whether it was.
    pub(super) fn in_words(&self, losses: &[Truth]) -> String {
        let Self {
            first,
            last,
            place,
            count,
            ..
        } = *self;
        let space = match self.space {
            Space::Initial => " (Initial)",
            Space::Handshake => " (Handshake)",
            Space::Data => "",
        };
        let what = match count {
            1 => format!("Packet {first}{space} was"),
            _ if last - first + 1 == count as u64 => format!("Packets {first} to {last}{space} were"),
            _ => format!("{count} packets from {first} to {last}{space} were"),
        };
        let rule = match self.trigger {
            LossTrigger::PacketThreshold => "by the packet threshold (RFC 9002, section 6.1.1)",
            LossTrigger::TimeThreshold => "by the time threshold (RFC 9002, section 6.1.2)",
            LossTrigger::ProbeTimeout => "at a probe timeout, for which RFC 9002 declares none (section 6.2)",
        };
        let within = match self.to.since(self.from) {
            span if span.is_zero() => String::new(),
            span => format!(" within {}", seconds(span)),
        };
        let own = losses.get(place..place + count).unwrap_or_default();
        let of = |truth: Truth| own.iter().filter(|&&it| it == truth).count();
        let (spurious, unknown) = (
            of(Truth::Spurious),
            own.len() - of(Truth::Spurious) - of(Truth::Genuine),
        );
        let verdict = match (spurious, unknown, count) {
            (0, 0, 1) => ", and it was".to_owned(),
            (1, 0, 1) => ", but it arrived".to_owned(),
            (0, 0, _) => ", and all were".to_owned(),
            (_, 0, _) if spurious == count => ", but all arrived".to_owned(),
            (_, 0, _) => format!("; {spurious} of them arrived"),
            _ => "; what became of some is not known".to_owned(),
        };
        format!("{what} declared lost{within} {rule}{verdict}.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(place: usize, number: u64, trigger: LossTrigger) -> Declared {
        Declared {
            place,
            space: Space::Data,
            number,
            trigger,
        }
    }

    #[test]
    fn packets_declared_by_one_rule_are_told_together() {
        let now = Time::from_ns(5);
        let mut declared = Declarations::begin(now, lost(3, 12, LossTrigger::PacketThreshold));
        assert!(declared.joined(now, lost(4, 13, LossTrigger::PacketThreshold)));
        assert!(!declared.joined(now, lost(5, 14, LossTrigger::TimeThreshold)));
        // One between them is not known.
        assert!(!declared.joined(now, lost(6, 15, LossTrigger::PacketThreshold)));
        let truths = |one, other| [Truth::Unknown, Truth::Genuine, Truth::Genuine, one, other];
        let begins = "Packets 12 to 13 were declared lost by the packet threshold (RFC 9002, section 6.1.1)";
        for (one, other, ends) in [
            (Truth::Genuine, Truth::Genuine, ", and all were."),
            (Truth::Spurious, Truth::Spurious, ", but all arrived."),
            (Truth::Genuine, Truth::Spurious, "; 1 of them arrived."),
            (Truth::Genuine, Truth::Unknown, "; what became of some is not known."),
        ] {
            assert_eq!(declared.in_words(&truths(one, other)), format!("{begins}{ends}"));
        }
        let later = Time::from_ns(2_000_005);
        assert!(declared.joined(later, lost(5, 19, LossTrigger::PacketThreshold)));
        let words = declared.in_words(&[Truth::Genuine; 6]);
        let begins = "3 packets from 12 to 19 were declared lost within 0.002 s by";
        assert!(words.starts_with(begins), "{words}");
    }
}
