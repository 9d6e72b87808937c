//! Which timestamp goes back (RFC 7323, section 4.3; RFC 1323, section 3.4), and which segments are too old (PAWS,
//! RFC 7323, section 5).

use windlull_units::{Span, Time};

use crate::registry::TimestampEcho;
use crate::serial::stamps_after;

/// RFC 7323, section 5.5: after so long without a segment the cached timestamp may have wrapped.
const OUTDATED_AFTER: Span = Span::from_secs(24 * 24 * 60 * 60);

/// `TS.Recent` and the rule that updates it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Echo {
    rule: TimestampEcho,
    recent: u32,
    updated: Time,
}

/// Where a segment stands in the receiver's sequence space, for the update rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span64 {
    /// First octet; negative before the stream.
    pub(crate) start: i64,
    /// After the last octet.
    pub(crate) end: i64,
}

impl Echo {
    pub(crate) const fn new(rule: TimestampEcho, recent: u32, now: Time) -> Self {
        Self {
            rule,
            recent,
            updated: now,
        }
    }

    pub(crate) const fn recent(&self) -> u32 {
        self.recent
    }

    /// PAWS: the segment is older than one already seen (RFC 7323, section 5.3, R1).
    pub(crate) fn is_old(&self, now: Time, value: u32) -> bool {
        stamps_after(value, self.recent) < 0 && now.since(self.updated) <= OUTDATED_AFTER
    }

    /// Takes over a segment's timestamp if the rule says so. `last_ack` is the last acknowledgement sent, `next` the
    /// octet expected.
    #[inline]
    pub(crate) fn on_segment(&mut self, now: Time, value: u32, at: Span64, last_ack: i64, next: i64) {
        // A segment without data counts as one octet long: it spans the acknowledgement point when it starts there.
        let end = at.end.max(at.start + 1);
        let begins_below = at.start <= last_ack;
        let spans = begins_below && last_ack < end;
        let takes = match self.rule {
            TimestampEcho::Rfc7323 => begins_below,
            TimestampEcho::Rfc1323 => spans,
            TimestampEcho::UpdateOnDuplicate => spans || end <= next,
        };
        if takes && !self.is_old(now, value) {
            self.recent = value;
            self.updated = now;
        }
    }
}
