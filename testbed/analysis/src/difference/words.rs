//! Packets, decisions and rules in words.

use windlull_transport::LossTrigger;
use windlull_units::Span;
use windlull_wire::{Flags, Phase, SenderEvent, SenderState, TransmitCause};

use super::answer::OtherFate;
use super::decisions::{Decided, Kind, What};
use super::packets::Packet;
use crate::episodes::went;

/// The control bits that are told, as Wireshark names them.
const FLAGS: [(Flags, &str); 7] = [
    (Flags::SYN, "SYN"),
    (Flags::FIN, "FIN"),
    (Flags::RST, "RST"),
    (Flags::PSH, "PSH"),
    (Flags::ACK, "ACK"),
    (Flags::ECE, "ECE"),
    (Flags::CWR, "CWR"),
];

/// `SYN ACK`.
pub(super) fn flags_in_words(flags: Flags) -> String {
    let set = FLAGS.iter().filter(|(flag, _)| flags.has(*flag)).map(|(_, name)| *name);
    set.collect::<Vec<_>>().join(" ")
}

/// What a sent packet holds: `octets 41216 to 41471 again`.
pub(super) fn sent_in_words(packet: &Packet) -> String {
    let again = if packet.is_again { " again" } else { "" };
    let end = packet.start.map(|start| start + u64::from(packet.len));
    let what = match (packet.start.zip(end), packet.len) {
        (None, _) if packet.flags.has(Flags::SYN) => "the SYN".to_owned(),
        (Some((start, _)), 0) if packet.flags.has(Flags::FIN) => format!("the FIN after octet {start}"),
        (_, 0) if packet.flags.has(Flags::RST) => "a reset".to_owned(),
        (_, 0) => "an acknowledgement".to_owned(),
        (Some((start, end)), _) => format!("octets {start} to {}", end.saturating_sub(1)),
        (None, len) => format!("{len} octets"),
    };
    let mark = match (packet.flags.has(Flags::SYN), packet.flags.has(Flags::CWR)) {
        (false, true) => ", with CWR",
        _ => "",
    };
    format!("{what}{again}{mark}")
}

/// What a packet says that was heard: `the acknowledgement of all before octet 41216, SACK 41472 to 41727`.
pub(super) fn heard_in_words(packet: &Packet) -> String {
    let data = if packet.len > 0 {
        format!("{} octets and ", packet.len)
    } else {
        String::new()
    };
    let acked = packet
        .acked
        .map_or("a packet without acknowledgement".to_owned(), |acked| {
            format!("the acknowledgement of all before octet {acked}")
        });
    let blocks = packet
        .sack
        .iter()
        .map(|[left, right]| format!("{left} to {}", right.saturating_sub(1)));
    let blocks = blocks.collect::<Vec<_>>().join(", ");
    let blocks = if blocks.is_empty() {
        blocks
    } else {
        format!(", SACK {blocks}")
    };
    let echo = match (packet.flags.has(Flags::SYN), packet.flags.has(Flags::ECE)) {
        (false, true) => ", with ECE",
        _ => "",
    };
    format!("{data}{acked}{blocks}{echo}")
}

/// What the link did to a packet in both runs.
pub(super) fn fate_in_words(fate: &OtherFate) -> String {
    let [a, b] = [&fate.a, &fate.b].map(|end| {
        let how = match end.end {
            "delivered" => "delivered".to_owned(),
            by => format!("lost ({by})"),
        };
        let marked = if end.marked { ", marked" } else { "" };
        let corrupted = if end.corrupted { ", corrupted" } else { "" };
        format!("{how} at {:.6} s{marked}{corrupted}", end.at_ns.as_secs_f64())
    });
    format!(
        "The link did not do the same to packet {} {}-link: {a} in A, {b} in B.",
        fate.number,
        fate.direction.name()
    )
}

/// A rule that sends a segment: what it does, and where it stands.
pub(super) fn cause_in_words(cause: TransmitCause) -> (&'static str, Option<&'static str>) {
    match cause {
        TransmitCause::Handshake => ("the connection was being opened", Some("RFC 9293, section 3.5")),
        TransmitCause::NewData => ("new data that the windows allow", Some("RFC 5681, section 3.1")),
        TransmitCause::LimitedTransmit => ("new data on a duplicate acknowledgement", Some("RFC 3042, section 2")),
        TransmitCause::DetectorProbe => (
            "new data, while the detector waits for the next acknowledgement",
            Some("RFC 5682, section 2.1, step 2"),
        ),
        TransmitCause::FastRetransmit => (
            "the first retransmission of a fast recovery",
            Some("RFC 5681, section 3.2"),
        ),
        TransmitCause::PartialAck => (
            "a retransmission on a partial acknowledgement",
            Some("RFC 6582, section 3.2, step 3"),
        ),
        TransmitCause::SackHole => (
            "a hole that SACK blocks show, by NextSeg rule 1 or 3",
            Some("RFC 6675, section 4"),
        ),
        TransmitCause::Rescue => (
            "the rescue retransmission, by NextSeg rule 4",
            Some("RFC 6675, section 4"),
        ),
        TransmitCause::Timeout => (
            "the segment that the timer fired for",
            Some("RFC 6298, section 5, rule 5.4"),
        ),
        TransmitCause::AfterTimeout => (
            "going back after the timeout, in slow start",
            Some("RFC 5681, section 3.1"),
        ),
        TransmitCause::WindowProbe => ("a probe of the shut window", Some("RFC 9293, section 3.8.6.1")),
        TransmitCause::Fin => ("the stream was over", Some("RFC 9293, section 3.6")),
        TransmitCause::Ack => ("an acknowledgement", Some("RFC 9293, section 3.8.6.3")),
        TransmitCause::Reset => ("a reset", Some("RFC 9293, section 3.5.2")),
        TransmitCause::GoBack => ("going back after a fast retransmit, as Tahoe does", None),
        TransmitCause::LostByTime => (
            "a segment deemed lost by the time since it was sent",
            Some("RFC 8985, section 6.2, step 5"),
        ),
        TransmitCause::LossProbe => ("a tail loss probe", Some("RFC 8985, section 7.3")),
    }
}

/// A decision in few words, the same wherever the same is decided.
pub(super) fn name(decided: &Decided) -> String {
    match &decided.what {
        What::Event(SenderEvent::Detector { rule, .. }) => format!("detector {}", head(rule)),
        What::Event(SenderEvent::RecoveryUndone { rule, .. }) => format!("recovery-undone {}", head(rule)),
        What::Event(SenderEvent::Response { name, .. }) => format!("response {name}"),
        What::Event(_) | What::Lost(_) | What::State { .. } => decided.kind.name().to_owned(),
    }
}

/// Where the rule of a detector stands; nothing of one that begins with that itself, as `RFC 3522 step 4`.
fn place_of(rule: &str) -> Option<&'static str> {
    // The longer names first: one begins as another does.
    let places = [
        ("F-RTO-SACK ", "RFC 5682, section 3.1"),
        ("F-RTO with Eifel:", "sarolahti2003, section 5.2"),
        ("F-RTO (section 6):", "sarolahti2003, section 6"),
        ("F-RTO (wen2010):", "wen2010, section II.E"),
        ("F-RTO ", "sarolahti2003, section 3; RFC 5682, section 2.1"),
        ("STODER:", "wen2010, section II.C"),
        ("SnR:", "wen2010, section III"),
        ("ECN nonce:", "wen2010, section II.B"),
    ];
    let mut found = places.into_iter().filter(|(name, _)| rule.starts_with(name));
    found.next().map(|(_, place)| place)
}

/// What stands before a rule's colon: `F-RTO 2a`.
fn head(rule: &str) -> &str {
    rule.split_once(':').map_or(rule, |(head, _)| head)
}

/// The rule of a decision, as the sender says it or as its RFC has it.
pub(super) fn rule(decided: &Decided) -> Option<String> {
    match &decided.what {
        What::Event(SenderEvent::Timeout { rule, .. }) => {
            let clause = "RFC 6298, section 5";
            Some(
                rule.as_ref()
                    .map_or(clause.to_owned(), |rule| format!("{clause}; {rule}")),
            )
        }
        What::Event(SenderEvent::Detector { rule, .. } | SenderEvent::RecoveryUndone { rule, .. }) => {
            Some(place_of(rule).map_or_else(|| rule.clone().into_owned(), |place| format!("{rule} ({place})")))
        }
        What::Event(SenderEvent::FastRetransmit { .. }) => Some("RFC 5681, section 3.2".to_owned()),
        What::Event(SenderEvent::LossProbe) => Some("RFC 8985, section 7.3".to_owned()),
        What::Event(SenderEvent::LossProbeRepaired) => Some("RFC 8985, section 7.4.2".to_owned()),
        What::Lost(lost) => Some(clause_of_loss(lost.trigger).to_owned()),
        What::Event(_) | What::State { .. } => None,
    }
}

/// Where RFC 9002 has the rule by which a packet is declared lost.
const fn clause_of_loss(trigger: Option<LossTrigger>) -> &'static str {
    match trigger {
        Some(LossTrigger::PacketThreshold) => "RFC 9002, section 6.1.1",
        Some(LossTrigger::TimeThreshold) => "RFC 9002, section 6.1.2",
        Some(LossTrigger::ProbeTimeout) => "RFC 9002, section 6.2",
        None => "RFC 9002, section 6",
    }
}

/// A decision in a sentence.
pub(super) fn in_words(decided: &Decided) -> String {
    match &decided.what {
        What::Event(event) => event_in_words(event),
        What::Lost(lost) => {
            let why = match lost.trigger {
                Some(LossTrigger::PacketThreshold) => ": enough later ones were acknowledged",
                Some(LossTrigger::TimeThreshold) => ": a later one was acknowledged, and it was sent long enough ago",
                Some(LossTrigger::ProbeTimeout) => " after a probe timeout",
                None => "",
            };
            format!("It declared packet {} lost{why}.", lost.number)
        }
        What::State { before, now } if decided.kind == Kind::Timer => {
            let was = before.map_or(String::new(), |before| format!(" from {}", span(before.rto)));
            let backed_off = match now.backoff {
                0 => String::new(),
                backoff => format!(", backed off {}", times(backoff)),
            };
            format!("Its timeout went{was} to {}{backed_off}.", span(now.rto))
        }
        What::State { before, now } => window_in_words(before.as_ref(), now),
    }
}

fn window_in_words(before: Option<&SenderState>, now: &SenderState) -> String {
    let threshold = |state: &SenderState| {
        state
            .ssthresh_bytes
            .map_or("none".to_owned(), |octets| octets.to_string())
    };
    let phase = phase_in_words(now.phase);
    match before {
        None => format!(
            "Its congestion window is {} octets, the threshold {}, {phase}.",
            now.cwnd_bytes,
            threshold(now)
        ),
        Some(before) => {
            let mut parts = Vec::new();
            if before.cwnd_bytes != now.cwnd_bytes {
                parts.push(format!(
                    "its congestion window {}",
                    went(before.cwnd_bytes, now.cwnd_bytes)
                ));
            }
            if before.ssthresh_bytes != now.ssthresh_bytes {
                parts.push(format!(
                    "its slow start threshold went from {} to {} octets",
                    threshold(before),
                    threshold(now)
                ));
            }
            if before.phase != now.phase {
                parts.push(format!("it is {phase}"));
            }
            let text = parts.join(", ");
            format!("{}.", capital(&text))
        }
    }
}

fn phase_in_words(phase: Phase) -> &'static str {
    match phase {
        Phase::SlowStart => "in slow start",
        Phase::CongestionAvoidance => "in congestion avoidance",
        Phase::FastRecovery => "in fast recovery",
        Phase::Detecting => "asking whether the timeout was spurious",
        Phase::TimeoutRecovery => "in recovery from a timeout",
        Phase::FixedWindow => "without a congestion window",
    }
}

fn event_in_words(event: &SenderEvent) -> String {
    match event {
        SenderEvent::Timeout {
            ordinal,
            una,
            rto,
            backoff,
            rule,
            ..
        } => {
            let rule = rule.as_ref().map(|rule| rule.clone().into_owned());
            let backed_off = (*backoff > 0).then(|| format!("backed off {}", times(*backoff)));
            let how = [rule, backed_off].into_iter().flatten().collect::<Vec<_>>().join("; ");
            let how = if how.is_empty() { how } else { format!(" ({how})") };
            format!(
                "Timeout {ordinal}: its timer fired after {}{how}; octet {una} was the first unacknowledged.",
                span(*rto)
            )
        }
        SenderEvent::FastRetransmit { una, recovery_point } => {
            format!(
                "It began a fast retransmit of octet {una}; the recovery lasts until all before octet {recovery_point} is \
                 acknowledged."
            )
        }
        SenderEvent::RecoveryEnded { una } => {
            format!("It ended its recovery: all before octet {una} was acknowledged.")
        }
        SenderEvent::Detector { ordinal, rule, answer } => {
            let answer = answer.map_or(String::new(), |answer| format!(" Its answer: {}.", answer.name()));
            format!("Its detector, on timeout {ordinal}: {rule}.{answer}")
        }
        SenderEvent::Response {
            ordinal,
            name,
            cwnd_before,
            cwnd_after,
            ..
        } => format!(
            "Its response {name} to timeout {ordinal}: the congestion window {}.",
            went(*cwnd_before, *cwnd_after)
        ),
        SenderEvent::RecoveryUndone {
            rule,
            cwnd_before,
            cwnd_after,
        } => format!(
            "It took its fast recovery back: {rule}. The congestion window {}.",
            went(*cwnd_before, *cwnd_after)
        ),
        SenderEvent::LossProbe => "It sent a tail loss probe.".to_owned(),
        SenderEvent::LossProbeRepaired => "It found that a tail loss probe had repaired a loss.".to_owned(),
        // No decisions: they are never asked for.
        SenderEvent::State(_)
        | SenderEvent::RttSample { .. }
        | SenderEvent::Limited { .. }
        | SenderEvent::LimitedFor { .. } => String::new(),
    }
}

fn times(number: u32) -> String {
    format!("{number} {}", if number == 1 { "time" } else { "times" })
}

/// To the microsecond: what two runs differ in may be small.
pub(super) fn span(span: Span) -> String {
    format!("{:.6} s", span.as_secs_f64())
}

/// The text with a capital.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use windlull_units::Time;
    use windlull_wire::DetectorAnswer;

    use super::*;

    fn decided(kind: Kind, event: SenderEvent) -> Decided {
        Decided {
            at: Time::ZERO,
            kind,
            what: What::Event(event),
        }
    }

    #[test]
    fn every_rule_that_is_of_an_rfc_names_its_section() {
        for cause in TransmitCause::ALL {
            let (words, clause) = cause_in_words(cause);
            assert!(!words.is_empty());
            assert_eq!(clause.is_none(), cause == TransmitCause::GoBack, "{}", cause.name());
            assert!(clause.is_none_or(|clause| clause.starts_with("RFC ") && clause.contains("section ")));
        }
    }

    #[test]
    fn a_detector_is_named_by_the_step_and_told_with_its_answer() {
        let step = decided(
            Kind::Detector,
            SenderEvent::Detector {
                ordinal: 2,
                rule: "F-RTO 3a: second ACK advances SND.UNA, the timeout was spurious".into(),
                answer: Some(DetectorAnswer::Spurious),
            },
        );
        assert_eq!(name(&step), "detector F-RTO 3a");
        assert_eq!(
            in_words(&step),
            "Its detector, on timeout 2: F-RTO 3a: second ACK advances SND.UNA, the timeout was spurious. Its answer: \
             spurious."
        );
        let clause = "(sarolahti2003, section 3; RFC 5682, section 2.1)";
        assert!(rule(&step).is_some_and(|rule| rule.starts_with("F-RTO 3a: ") && rule.ends_with(clause)));
    }

    #[test]
    fn a_detector_s_rule_is_told_with_the_place_where_it_stands() {
        for (rule, place) in [
            ("F-RTO-SACK 3b: spurious", Some("RFC 5682, section 3.1")),
            (
                "F-RTO 1: timeout",
                Some("sarolahti2003, section 3; RFC 5682, section 2.1"),
            ),
            ("F-RTO with Eifel: go back N", Some("sarolahti2003, section 5.2")),
            ("RFC 3522 step 4: the ACK echoes the retransmission", None),
            ("Linux, tcp_packet_delayed: undone", None),
        ] {
            assert_eq!(place_of(rule), place, "{rule}");
        }
    }

    #[test]
    fn a_timeout_tells_the_bound_that_its_timer_met() {
        let fired = decided(
            Kind::Timeout,
            SenderEvent::Timeout {
                ordinal: 1,
                una: 5,
                max: 9,
                rto: Span::from_ms(400),
                backoff: 1,
                rule: Some("the minimum of 200 ms".into()),
            },
        );
        assert_eq!(
            in_words(&fired),
            "Timeout 1: its timer fired after 0.400000 s (the minimum of 200 ms; backed off 1 time); octet 5 was the \
             first unacknowledged."
        );
        assert_eq!(
            rule(&fired).as_deref(),
            Some("RFC 6298, section 5; the minimum of 200 ms")
        );
    }
}
