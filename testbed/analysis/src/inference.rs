//! Timeouts and fast retransmits of a sender that does not tell: from its packets as its own end sees them.

use windlull_units::{Span, Time};

/// Why a sender that says nothing of itself seems to have retransmitted its first unacknowledged octet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inferred {
    /// After silence: its timer. (A tail loss probe of a single outstanding segment looks the same.)
    Timeout,
    /// On evidence of a loss, outside a recovery.
    FastRetransmit,
}

/// The shortest silence that counts: the least timeout of common senders (Linux; RFC 6298 asks for one second). What
/// comes sooner is a probe or the timer of a loss detection (RFC 8985).
const LEAST_TIMEOUT: Span = Span::from_ms(200);
/// RFC 5681, section 3.2.
const DUPLICATE_ACKS: u32 = 3;

/// What the sender's end has seen.
#[derive(Debug, Default)]
pub(crate) struct Inference {
    last_ack_at: Option<Time>,
    duplicates: u32,
    sacked: bool,
    /// Recovery lasts until this position is acknowledged.
    recovery: Option<u64>,
    /// The segment whose round trip is timed: its end and when it was sent (Karn's rule: never retransmitted).
    timed: Option<(u64, Time)>,
    srtt: Option<Span>,
}

impl Inference {
    /// New octets up to `end` were sent.
    pub(crate) fn sent(&mut self, now: Time, end: u64) {
        self.timed.get_or_insert((end, now));
    }

    /// An acknowledgement arrived; `sacked` tells whether it has blocks above it.
    pub(crate) fn acknowledged(&mut self, now: Time, ack: u64, advanced: bool, duplicate: bool, sacked: bool) {
        self.last_ack_at = Some(now);
        if advanced {
            self.duplicates = 0;
            self.sacked = sacked;
            if self.recovery.is_some_and(|point| ack >= point) {
                self.recovery = None;
            }
            if let Some((_, sent)) = self.timed.filter(|timed| ack >= timed.0) {
                let sample = now.since(sent);
                self.srtt = Some(Span::smoothed(self.srtt, sample));
                self.timed = None;
            }
        } else {
            self.duplicates += u32::from(duplicate);
            self.sacked |= sacked;
        }
    }

    /// The first unacknowledged octet, last sent at `last_sent`, was sent again; `max` is the highest position sent.
    pub(crate) fn resent_first(&mut self, now: Time, last_sent: Option<Time>, max: u64) -> Option<Inferred> {
        self.timed = None;
        let since = self.last_ack_at.max(last_sent).unwrap_or(Time::ZERO);
        if now.since(since) >= self.srtt.unwrap_or(LEAST_TIMEOUT).max(LEAST_TIMEOUT) {
            self.recovery = Some(max);
            self.duplicates = 0;
            return Some(Inferred::Timeout);
        }
        let evident = self.duplicates >= DUPLICATE_ACKS || self.sacked;
        if evident && self.recovery.is_none() {
            self.recovery = Some(max);
            return Some(Inferred::FastRetransmit);
        }
        None
    }

    /// Some other octets were sent again.
    pub(crate) fn resent(&mut self) {
        self.timed = None;
    }
}
