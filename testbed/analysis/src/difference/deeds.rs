//! What a sender did when the two parted, and the decision by which it did so.

use windlull_units::{Span, Time};
use windlull_wire::{Flags, Phase, SenderEvent, SenderState};

use super::answer::{Decision, Deed, Did};
use super::decisions::{Decided, Kind};
use super::instants::are_close;
use super::packets::Packet;
use super::window::Teller;
use super::words::{capital, cause_in_words, in_words, name, rule, span};
use crate::episodes::Sentence;

/// Of each kind of decision so many are told from the first on, and so many up to the last.
const TOLD: usize = 2;

/// The instant at which two runs part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Then {
    pub(super) at: Time,
    pub(super) tolerance: Span,
    /// Whether the senders speak QUIC, whose timeouts and recoveries have rules of their own.
    pub(super) is_quic: bool,
}

impl Then {
    fn is(self, at: Time) -> bool {
        are_close(at, self.at, self.tolerance)
    }

    fn rule(self, decided: &Decided) -> Option<String> {
        match (self.is_quic, decided.kind) {
            (true, Kind::Timeout) => Some("RFC 9002, section 6.2".to_owned()),
            (true, Kind::FastRetransmit) => Some("RFC 9002, section 7.3.2".to_owned()),
            _ => rule(decided),
        }
    }
}

/// What a sender did then: `packet` is the one at which it parts from the other, `own` what it alone had decided.
pub(super) fn deed(
    teller: &Teller<'_>,
    events: &[(Time, SenderEvent)],
    packet: Option<&Packet>,
    own: &[Decided],
    then: Then,
) -> Deed {
    let did = match packet {
        None => Did::SentNoMore,
        Some(packet) if then.is(packet.at) => Did::Sent,
        Some(_) => Did::SentLater,
    };
    let state = state_at(events, then.at + then.tolerance);
    let (decided, untold) = told(own);
    Deed {
        did,
        packet: packet.map(|packet| teller.tell(packet)),
        decision: decision(own, packet.filter(|_| did == Did::Sent), state, then),
        decided,
        untold,
        state: state.copied(),
    }
}

/// The sender's variables, as it told them last by an instant.
fn state_at(events: &[(Time, SenderEvent)], until: Time) -> Option<&SenderState> {
    let mut told = events.iter().rev().filter(|(at, _)| *at <= until);
    told.find_map(|(_, event)| match event {
        SenderEvent::State(state) => Some(state),
        _ => None,
    })
}

/// The decision by which a sender sent `packet` then, or sent nothing.
fn decision(own: &[Decided], packet: Option<&Packet>, state: Option<&SenderState>, then: Then) -> Decision {
    let cause = packet
        .and_then(|packet| packet.cause)
        .map(|cause| (cause, cause_in_words(cause)));
    let first = [Kind::Timeout, Kind::Lost, Kind::FastRetransmit, Kind::LossProbe];
    if let Some(one) = first_of(own, &first, then) {
        // A recovery may begin by duplicate acknowledgements, by SACK blocks or by time: the segment says which.
        let by_segment = cause.filter(|_| one.kind == Kind::FastRetransmit);
        let clause = by_segment.and_then(|(_, (_, clause))| clause.map(str::to_owned));
        return Decision {
            name: name(one),
            text: in_words(one),
            rule: clause.or_else(|| then.rule(one)),
        };
    }
    if let Some((cause, (what, clause))) = cause {
        let place = clause.map_or(String::new(), |clause| format!(" ({clause})"));
        return Decision {
            name: cause.name().to_owned(),
            text: format!("{}{place}.", capital(what)),
            rule: clause.map(str::to_owned),
        };
    }
    let others = [
        Kind::Detector,
        Kind::Undone,
        Kind::Response,
        Kind::RecoveryEnded,
        Kind::LossProbeRepaired,
    ];
    if let Some(one) = first_of(own, &others, then) {
        return Decision {
            name: name(one),
            text: in_words(one),
            rule: rule(one),
        };
    }
    by_packet(own, packet, state)
}

/// The first decision then of the first of these kinds of which there is one: several acknowledgements may come at once, and it
/// is the first that the packet follows.
fn first_of<'a>(own: &'a [Decided], kinds: &[Kind], then: Then) -> Option<&'a Decided> {
    let of = |kind: &Kind| own.iter().find(|one| one.kind == *kind && then.is(one.at));
    kinds.iter().find_map(of)
}

/// A decision that the sender does not tell: what it sent shows it, and what it had decided before.
fn by_packet(own: &[Decided], packet: Option<&Packet>, state: Option<&SenderState>) -> Decision {
    let what = match packet {
        None => "nothing",
        Some(packet) if packet.flags.has(Flags::SYN) => "handshake",
        Some(packet) if packet.flags.has(Flags::RST) => "reset",
        Some(packet) if packet.is_again => "retransmission",
        Some(packet) if packet.len > 0 && state.is_some_and(|state| state.phase == Phase::Detecting) => {
            "detector-probe"
        }
        Some(packet) if packet.len > 0 => "new-data",
        Some(packet) if packet.flags.has(Flags::FIN) => "fin",
        Some(_) => "acknowledgement",
    };
    // Estimates of the timeout differ soon after anything does, and send nothing by themselves.
    let before = own.iter().rev().find(|one| one.kind != Kind::Timer);
    Decision {
        name: before.map_or(what.to_owned(), |before| format!("{what} after {}", name(before))),
        text: state.map_or(String::new(), |state| {
            let SenderState {
                cwnd_bytes,
                flight_bytes,
                rto,
                ..
            } = state;
            format!(
                "Its congestion window was {cwnd_bytes} octets, {flight_bytes} were under way, and its timeout was {}.",
                span(*rto)
            )
        }),
        rule: None,
    }
}

/// The first and the last decisions of each kind in sentences, in their order, and how many are left out.
fn told(own: &[Decided]) -> (Vec<Sentence>, u64) {
    let mut kept: Vec<&Decided> = own.iter().collect();
    for kind in Kind::ALL {
        let last = kept.iter().filter(|one| one.kind == kind).count().saturating_sub(TOLD);
        let mut passed = 0;
        kept.retain(|one| {
            let place = passed;
            passed += usize::from(one.kind == kind);
            one.kind != kind || place < TOLD || place >= last
        });
    }
    let untold = (own.len() - kept.len()) as u64;
    let sentence = |one: &Decided| Sentence {
        at_ns: one.at,
        text: in_words(one),
    };
    (kept.into_iter().map(sentence).collect(), untold)
}

#[cfg(test)]
mod tests {
    use windlull_transport::{LossTrigger, PacketLost, Space};
    use windlull_wire::TransmitCause;

    use super::super::decisions::What;
    use super::*;

    const THEN: Then = Then {
        at: Time::from_ns(50),
        tolerance: Span::ZERO,
        is_quic: false,
    };

    fn packet(cause: Option<TransmitCause>, is_again: bool) -> Packet {
        Packet {
            at: THEN.at,
            id: None,
            is_sent: true,
            start: Some(0),
            len: 10,
            flags: Flags::ACK,
            acked: None,
            sack: Vec::new(),
            is_again,
            cause,
            verdict: None,
        }
    }

    fn decided(at_ns: u64, kind: Kind, event: SenderEvent) -> Decided {
        Decided {
            at: Time::from_ns(at_ns),
            kind,
            what: What::Event(event),
        }
    }

    fn recovery(at_ns: u64) -> Decided {
        let event = SenderEvent::FastRetransmit {
            una: 0,
            recovery_point: 90,
        };
        decided(at_ns, Kind::FastRetransmit, event)
    }

    #[test]
    fn the_sender_s_own_word_goes_before_what_the_packet_shows() {
        let by = |own: &[Decided], packet: Option<&Packet>| {
            let made = decision(own, packet, None, THEN);
            (made.name, made.rule)
        };
        let hole = packet(Some(TransmitCause::SackHole), true);
        let named = |name: &str, rule: Option<&str>| (name.to_owned(), rule.map(str::to_owned));
        assert_eq!(by(&[], Some(&hole)), named("sack-hole", Some("RFC 6675, section 4")));
        let late = packet(Some(TransmitCause::LostByTime), true);
        let expected = named("fast-retransmit", Some("RFC 8985, section 6.2, step 5"));
        assert_eq!(by(&[recovery(50)], Some(&late)), expected);
        // What it decided earlier is not why it sent this.
        assert_eq!(by(&[recovery(49)], Some(&hole)).0, "sack-hole");
        assert_eq!(by(&[], Some(&packet(None, true))), named("retransmission", None));
        assert_eq!(
            by(&[recovery(49)], Some(&packet(None, false))),
            named("new-data after fast-retransmit", None)
        );
        assert_eq!(by(&[], None), named("nothing", None));
        let timer = Decided {
            kind: Kind::Timer,
            ..recovery(49)
        };
        assert_eq!(by(&[timer], Some(&packet(None, false))), named("new-data", None));
    }

    #[test]
    fn quic_declares_losses_and_has_rules_of_its_own() {
        let then = Then { is_quic: true, ..THEN };
        let lost = |trigger| Decided {
            at: THEN.at,
            kind: Kind::Lost,
            what: What::Lost(PacketLost {
                space: Space::Data,
                number: 7,
                trigger,
                is_mtu_probe: false,
            }),
        };
        let by = |own: &[Decided]| {
            let made = decision(own, Some(&packet(None, true)), None, then);
            (made.name, made.rule.unwrap_or_default())
        };
        let named = |name: &str, rule: &str| (name.to_owned(), rule.to_owned());
        let declared = [recovery(50), lost(Some(LossTrigger::TimeThreshold))];
        assert_eq!(by(&declared), named("declared-lost", "RFC 9002, section 6.1.2"));
        assert_eq!(by(&[lost(None)]), named("declared-lost", "RFC 9002, section 6"));
        assert_eq!(by(&[recovery(50)]), named("fast-retransmit", "RFC 9002, section 7.3.2"));
    }

    #[test]
    fn of_several_steps_at_one_instant_the_first_is_what_the_packet_follows() {
        let step = |rule: &'static str| {
            let event = SenderEvent::Detector {
                ordinal: 1,
                rule: rule.into(),
                answer: None,
            };
            decided(50, Kind::Detector, event)
        };
        let own = [step("F-RTO 2a: new data"), step("F-RTO 3a: spurious")];
        let made = decision(&own, Some(&packet(None, false)), None, THEN);
        assert_eq!(made.name, "detector F-RTO 2a");
        assert!(made.rule.is_some_and(|rule| rule.starts_with("F-RTO 2a: new data")));
    }

    #[test]
    fn of_many_decisions_of_a_kind_the_first_and_the_last_are_told() {
        let own: Vec<Decided> = (1..=9).map(recovery).collect();
        let (sentences, untold) = told(&own);
        let times: Vec<u64> = sentences.iter().map(|sentence| sentence.at_ns.as_ns()).collect();
        assert_eq!((times, untold), (vec![1, 2, 8, 9], 5));
        // Kinds of one instant stay in the order in which they were decided.
        let probe = decided(50, Kind::LossProbe, SenderEvent::LossProbe);
        let (sentences, _) = told(&[recovery(50), probe, recovery(50)]);
        let texts: Vec<bool> = sentences.iter().map(|one| one.text.contains("probe")).collect();
        assert_eq!(texts, [false, true, false]);
        assert_eq!(told(&own[..3]).1, 0);
    }
}
