//! What segments mean when they are sent and when they arrive.

use windlull_units::{PacketId, Time};
use windlull_wire::{Flags, Segment, TransmitCause};

use super::Analyzer;
use crate::acks::{Ack, ArrivedAck, Blocks};
use crate::cases::{Decision, Subject};
use crate::episodes::Resent;
use crate::inference::Inferred;
use crate::ledger::{Copy, Coverage, EndOfWay, Slot};
use crate::metrics::Meter;
use crate::result::{Ends, FastRetransmitRecord, TimeoutRecord};
use crate::sent::Novelty;
use crate::verdict::Truth;
use crate::withheld::Case;

impl Analyzer {
    #[inline]
    pub(super) fn data_sent(
        &mut self,
        now: Time,
        id: PacketId,
        segment: &Segment,
        cause: Option<TransmitCause>,
    ) -> bool {
        if self.origin.is_none() && segment.flags.has(Flags::SYN) {
            self.origin = Some(segment.seq);
        }
        let range = self.range(segment);
        let (Some((start, end)), false) = (range, segment.flags.has(Flags::RST)) else {
            self.ledger.set_slot(id, Slot::Plain);
            return false;
        };
        let data = segment.payload_len > 0;
        if data {
            self.meters.sent(now, segment);
        }
        self.totals.segments_sent += u64::from(data);
        self.totals.payload_sent += u64::from(segment.payload_len);
        if let Some(course) = &mut self.course {
            course.sent(now, u64::from(segment.payload_len));
        }
        if segment.flags.has(Flags::FIN) {
            self.fin_end = Some(end);
        }
        self.reach = self.reach.max(end);
        if self.shut {
            // Into a shut window only probes are sent: neither new data nor retransmissions (tcptrace agrees).
            self.totals.window_probes += 1;
            let slot = self.ledger.add_other(self.copy(start, end, now));
            self.ledger.set_slot(id, slot);
            return false;
        }
        let max_before = self.sent.max;
        let last_sent = if start < max_before && !self.reported {
            self.ledger.last_sent(self.acknowledged)
        } else {
            None
        };
        let novelty = self.sent.add(start, end);
        let copy = self.copy(start, end, now);
        if novelty == Novelty::Next {
            let slot = self.ledger.add_original(copy);
            self.ledger.set_slot(id, slot);
            if !self.reported {
                self.inference.sent(now, end);
            }
            return false;
        }
        let slot = self.ledger.add_other(copy);
        self.ledger.set_slot(id, slot);
        if novelty == Novelty::FillsGap {
            return false;
        }
        // The payload's positions; SYN and FIN are not data.
        let first = start + u64::from(segment.flags.has(Flags::SYN));
        let last = end - u64::from(segment.flags.has(Flags::FIN));
        let data_again = data && first < last.min(max_before);
        if let Some(meter) = &mut self.round_trips {
            meter.resent(end.min(max_before));
        }
        self.totals.retransmissions += 1;
        self.totals.control_retransmissions += u64::from(!data_again);
        if !self.reported {
            self.infer(now, (start, end), last_sent);
        }
        if let Some((tracker, view)) = self.tracker() {
            let payload = segment.payload_len;
            tracker.resent(
                now,
                Resent {
                    id,
                    start,
                    end,
                    payload,
                },
                view,
            );
        }
        let holds_first = start <= self.acknowledged && self.acknowledged < end;
        let subject = Subject::Resend {
            id,
            cause,
            fast_retransmit: if holds_first {
                self.next_fast_retransmit.take()
            } else {
                None
            },
            timeout: if holds_first { self.next_timeout.take() } else { None },
            stamp: segment.options.timestamps.map(|stamps| stamps.value),
        };
        if data_again && last > max_before {
            // It carries new octets too: no earlier copy makes it unnecessary.
            self.cases.decided.push(Decision::carries_new_data(subject));
        } else {
            let range = (start, end.min(max_before));
            self.cases.open(subject, range, self.order, &self.ledger, &self.acks);
        }
        self.settle();
        true
    }

    const fn copy(&self, start: u64, end: u64, sent_at: Time) -> Copy {
        Copy {
            start,
            end,
            order: self.order,
            sent_at,
            end_of_way: EndOfWay::Flying,
        }
    }

    fn infer(&mut self, now: Time, range: (u64, u64), last_sent: Option<Time>) {
        if self.ends == Ends::Receiver {
            return;
        }
        if !(range.0 <= self.acknowledged && self.acknowledged < range.1) {
            self.inference.resent();
            return;
        }
        let una = self.acknowledged.saturating_sub(1);
        match self.inference.resent_first(now, last_sent, self.sent.max) {
            Some(Inferred::Timeout) => self.timeout(TimeoutRecord {
                at_ns: now,
                ordinal: u32::try_from(self.totals.timeouts.len() + 1).unwrap_or(u32::MAX),
                una,
                rto_ns: None,
                backoff: None,
                rule: None,
                estimate: None,
                inferred: true,
                verdict: Truth::Unknown,
                reason: None,
                evidence: None,
                withheld_ns: None,
                answer: None,
                answered_ns: None,
            }),
            Some(Inferred::FastRetransmit) => self.fast_retransmit(now, una, true),
            None => {}
        }
    }

    pub(super) fn timeout(&mut self, record: TimeoutRecord) {
        let place = self.totals.timeouts.len();
        let (now, reported) = (record.at_ns, !record.inferred);
        self.totals.timeouts.push(record);
        self.meters.timed_out(&self.totals.timeouts);
        if let Some((tracker, view)) = self.tracker() {
            tracker.timeout(now, place, reported, view);
        }
        self.next_timeout = Some(place);
        self.next_fast_retransmit = None;
        // The segment that the timer ran for: from the first unacknowledged octet to the end of its first copy.
        let first = self.acknowledged;
        if let Some(end) = self.ledger.original_at(first).map(|copy| copy.end) {
            if let Coverage::Delivered { order, at: Some(at) } = self.ledger.coverage(first, end, self.order) {
                let answer = self.acks.since(order).find(|ack| ack.covers(first, end));
                self.withheld.begin(Case {
                    place,
                    arrived: at,
                    until: answer.map_or(now, |ack| ack.sent_at),
                    timed_out: now,
                    end,
                });
            }
            let subject = Subject::Timeout(place);
            // A retransmission that an inferred timeout is read from has this order too: it does not count.
            self.cases
                .open(subject, (first, end), self.order, &self.ledger, &self.acks);
        }
        self.settle();
    }

    pub(super) fn fast_retransmit(&mut self, now: Time, una: u64, inferred: bool) {
        let place = self.totals.fast_retransmits.len();
        self.next_fast_retransmit = Some(place);
        self.meters.fast_retransmitted();
        if let Some((tracker, view)) = self.tracker() {
            tracker.fast_retransmit(now, place, !inferred, view);
        }
        self.totals.fast_retransmits.push(FastRetransmitRecord {
            at_ns: now,
            una,
            inferred,
            verdict: Truth::Unknown,
            reason: None,
        });
    }

    #[inline]
    pub(super) fn ack_sent(&mut self, now: Time, id: PacketId, segment: &Segment) {
        let ack = self.position_of_ack(segment);
        let (Some(origin), Some(ack)) = (self.origin, ack) else {
            self.ledger.set_slot(id, Slot::Plain);
            return;
        };
        let ack = Ack {
            order: self.order,
            sent_at: now,
            ack,
            blocks: Blocks::of(&segment.options.sack, origin, ack),
            lost: None,
        };
        let place = self.acks.push(ack);
        self.ledger.set_slot(id, Slot::Ack(place));
        self.cases.ack_sent(&ack);
    }

    #[inline]
    pub(super) fn ack_arrived(&mut self, now: Time, segment: &Segment, slot: Slot) {
        let Some(ack) = self.position_of_ack(segment).filter(|&ack| ack <= self.reach) else {
            return;
        };
        let advanced = ack > self.acknowledged;
        if !self.reported || self.ends == Ends::Sender {
            let origin = self.origin.unwrap_or_default();
            let blocks = Blocks::of(&segment.options.sack, origin, ack);
            let sacked = blocks.as_slice().iter().any(|&(left, _)| left >= ack);
            // RFC 5681, section 2: outstanding data, no payload, no SYN or FIN, the same window.
            let duplicate = ack == self.acknowledged
                && ack < self.sent.max
                && segment.sequence_len() == 0
                && self.last_window.is_none_or(|window| window == segment.window);
            self.inference.acknowledged(now, ack, advanced, duplicate, sacked);
            if self.ends == Ends::Sender {
                self.cases.ack_arrived(&ArrivedAck {
                    before: self.acknowledged,
                    ack,
                    blocks,
                    segment,
                });
            }
        }
        self.last_window = if segment.flags.has(Flags::SYN) {
            None
        } else {
            Some(segment.window)
        };
        if advanced {
            if let Some(meter) = self.round_trips.as_mut().filter(|_| self.ends != Ends::Receiver) {
                meter.acknowledged(now, self.acknowledged, self.ledger.last_sent_below(ack));
            }
            self.acknowledged = ack;
            if !self.withheld.is_empty() {
                let sent_at = match slot {
                    Slot::Ack(place) => self.acks.get_mut(place).map(|ack| ack.sent_at),
                    _ => None,
                };
                for (place, span) in self.withheld.acknowledged(ack, sent_at.map(|at| now.since(at))) {
                    self.totals.timeouts[place].withheld_ns = Some(span);
                }
            }
            // Where ends are never told, open cases need no copies.
            let ends_are_known = self.ends != Ends::Sender;
            let needed = if ends_are_known { self.cases.lowest() } else { None };
            self.ledger
                .release(needed.map_or(ack, |lowest| lowest.min(ack)), ends_are_known);
            self.acks.release(ack, self.ends == Ends::Both);
            if self.totals.closed.is_none() && self.fin_end.is_some_and(|end| ack >= end) {
                self.totals.closed = Some(now);
            }
        }
        let at_sender_alone = self.ends == Ends::Sender;
        if let Some((tracker, view)) = self.tracker() {
            if advanced && at_sender_alone {
                tracker.delivered(now);
            }
            let duplicate = !advanced && ack == view.una && ack < view.max && segment.sequence_len() == 0;
            tracker.acknowledged(now, duplicate, view);
        }
    }

    #[inline]
    pub(super) fn data_arrived(&mut self, now: Time, segment: &Segment, slot: Slot) {
        if self.cases.are_open() && segment.sequence_len() > 0 {
            if let Some(sent) = self.ledger.copy(slot).map(|copy| copy.order) {
                self.cases.segment_arrived(sent, self.order);
            }
        }
        if segment.payload_len == 0 {
            return;
        }
        self.totals.payload_arrived += u64::from(segment.payload_len);
        if let Some((start, end)) = self.range(segment) {
            let first = start + u64::from(segment.flags.has(Flags::SYN));
            let last = end - u64::from(segment.flags.has(Flags::FIN));
            let new = self.received.add(first, last);
            self.totals.octets_arrived += new;
            if let Some(course) = &mut self.course {
                course.delivered(now, new);
            }
            if let (1.., Some((tracker, _))) = (new, self.tracker()) {
                tracker.delivered(now);
            }
        }
    }

    /// The positions that a segment of the data sender takes; `None` if it takes none.
    fn range(&self, segment: &Segment) -> Option<(u64, u64)> {
        let len = segment.sequence_len();
        if len == 0 {
            return None;
        }
        let start = segment.seq.unwrap_near(self.origin?, self.sent.max)?;
        Some((start, start + u64::from(len)))
    }

    fn position_of_ack(&self, segment: &Segment) -> Option<u64> {
        if !segment.flags.has(Flags::ACK) || segment.flags.has(Flags::RST) {
            return None;
        }
        segment.ack.unwrap_near(self.origin?, self.sent.max)
    }
}
