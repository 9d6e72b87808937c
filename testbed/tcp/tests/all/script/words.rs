//! How segments and events read in scripts and histories.

use windlull_units::{Span, Time};
use windlull_wire::{Flags, Segment, SenderEvent, SenderState, SeqNumber};

use super::settings::UNIT;

const SIGNED_UNIT: i64 = UNIT as i64;

/// Numbers of one direction: `origin` is the first octet's.
#[derive(Clone, Copy)]
pub(crate) struct Numbers {
    pub(crate) origin: SeqNumber,
}

impl Numbers {
    /// An offset in units, `3`, or in octets where it is no whole unit, `@3500`.
    pub(crate) fn word(self, number: SeqNumber) -> String {
        offset_word(i64::from(number.offset_from(self.origin)))
    }

    /// The number of such a word.
    pub(crate) fn number(self, word: &str) -> Result<SeqNumber, String> {
        let wrong = |_| format!("`{word}` is no offset");
        let offset = match word.strip_prefix('@') {
            Some(octets) => octets.parse::<i64>().map_err(wrong)?,
            None => word.parse::<i64>().map_err(wrong)? * SIGNED_UNIT,
        };
        let wrapped = u32::try_from(offset.rem_euclid(1 << 32)).expect("reduced to 32 bits");
        Ok(self.origin.add(wrapped))
    }
}

pub(crate) fn offset_word(octets: i64) -> String {
    if octets % SIGNED_UNIT == 0 {
        (octets / SIGNED_UNIT).to_string()
    } else {
        format!("@{octets}")
    }
}

pub(crate) fn octets_word(octets: u64) -> String {
    offset_word(i64::try_from(octets).expect("scripts send little"))
}

/// A segment as scripts write it: kind, place, options that matter.
pub(crate) fn segment(segment: &Segment, own: Numbers, peer: Numbers) -> String {
    let mut words = Vec::new();
    let flags = segment.flags;
    let start = own.word(segment.seq);
    if flags.has(Flags::RST) {
        words.push(format!("rst {start}"));
    } else if flags.has(Flags::SYN) {
        words.push("syn".to_owned());
    } else if segment.payload_len > 0 {
        let len = u64::from(segment.payload_len);
        let end = own.word(segment.seq.add(segment.payload_len));
        words.push(if len == UNIT && !start.starts_with('@') {
            start
        } else {
            format!("{start}..{end}")
        });
        if flags.has(Flags::FIN) {
            words.push("fin".to_owned());
        }
    } else if flags.has(Flags::FIN) {
        words.push(format!("fin {start}"));
    } else {
        words.push(format!("ack {}", peer.word(segment.ack)));
    }
    if flags.has(Flags::SYN) && flags.has(Flags::ACK) {
        words.push("ack".to_owned());
    }
    let blocks: Vec<String> = segment
        .options
        .sack
        .as_slice()
        .iter()
        .map(|block| format!("{}-{}", peer.word(block.left), peer.word(block.right)))
        .collect();
    if !blocks.is_empty() {
        words.push(format!("sack {}", blocks.join(",")));
    }
    words.join(" ")
}

pub(crate) fn event(event: &SenderEvent) -> String {
    match event {
        SenderEvent::State(state) => format!("state {}", state_words(state)),
        SenderEvent::RttSample { rtt } => format!("rtt {rtt}"),
        SenderEvent::Timeout {
            ordinal,
            una,
            rto,
            backoff,
            rule,
            ..
        } => {
            let rule = rule.as_ref().map_or(String::new(), |rule| format!(" rule {rule}"));
            format!(
                "timeout {ordinal} of {} rto {rto} backoff {backoff}{rule}",
                octets_word(*una)
            )
        }
        SenderEvent::FastRetransmit { una, recovery_point } => {
            format!(
                "fast-retransmit of {} until {}",
                octets_word(*una),
                octets_word(*recovery_point)
            )
        }
        SenderEvent::RecoveryEnded { una } => format!("recovery-ended at {}", octets_word(*una)),
        SenderEvent::Detector { rule, answer, .. } => {
            let answer = answer.map_or(String::new(), |answer| format!(" [{answer:?}]"));
            format!("detector {rule}{}", answer.to_lowercase())
        }
        SenderEvent::Response {
            name,
            cwnd_before,
            cwnd_after,
            ssthresh_after,
            ..
        } => format!(
            "response {name} cwnd {} -> {} ssthresh {}",
            octets_word(*cwnd_before),
            octets_word(*cwnd_after),
            if *ssthresh_after == u64::MAX {
                "none".to_owned()
            } else {
                octets_word(*ssthresh_after)
            },
        ),
        SenderEvent::Limited { by } => format!("limited by {}", by.name()),
        // Only kernels count.
        SenderEvent::LimitedFor { .. } => "limited-for".to_owned(),
        SenderEvent::RecoveryUndone { .. } => "recovery-undone".to_owned(),
        SenderEvent::LossProbe => "loss-probe".to_owned(),
        SenderEvent::LossProbeRepaired => "loss-probe-repaired".to_owned(),
    }
}

fn state_words(state: &SenderState) -> String {
    format!(
        "cwnd {} ssthresh {} flight {} rto {} phase {}",
        octets_word(state.cwnd_bytes),
        state.ssthresh_bytes.map_or_else(|| "none".to_owned(), octets_word),
        octets_word(state.flight_bytes),
        state.rto,
        state.phase.name(),
    )
}

/// A time of the script, which may lie before its zero.
pub(crate) fn time(now: Time, zero: Time) -> String {
    if now >= zero {
        (now - zero).to_string()
    } else {
        format!("-{}", zero - now)
    }
}

pub(crate) fn span(span: Option<Span>) -> String {
    span.map_or_else(|| "none".to_owned(), |span| span.to_string())
}
