//! The packets at the data sender's end of a run, with positions in the stream instead of sequence numbers, so that those of
//! two runs can be held side by side.

use std::io::Read;

use windlull_capture::{Seen, SeenError, seen};
use windlull_units::Time;
use windlull_wire::{Flags, Segment, SeqNumber, TransmitCause};

/// A packet that the data sender sent or heard. Positions are octets of the data stream, 0 being the first after SYN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    pub(super) at: Time,
    /// Its number in the run.
    pub(super) id: Option<u64>,
    /// Whether the data sender sent it.
    pub(super) is_sent: bool,
    /// Its first octet in the stream of whoever sent it; none of a SYN.
    pub(super) start: Option<u64>,
    /// Octets of payload.
    pub(super) len: u32,
    pub(super) flags: Flags,
    /// Of what was heard: all before this octet of the data was acknowledged.
    pub(super) acked: Option<u64>,
    /// Of what was heard: the blocks of the SACK option.
    pub(super) sack: Vec<[u64; 2]>,
    /// Whether some of it had been sent before, SYN and FIN counted.
    pub(super) is_again: bool,
    /// The rule that made the sender send it, where the capture says so: of retransmissions of our TCPs.
    pub(super) cause: Option<TransmitCause>,
    /// The verdict on a retransmission, as the capture's comment has it.
    pub(super) verdict: Option<String>,
}

impl Packet {
    /// Whether it says the same as one of another run. Windows and timestamps do not count: they show what a host is, and
    /// what it decides by them shows in what it sends.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.start == other.start
            && self.len == other.len
            && self.marks() == other.marks()
            && self.acked == other.acked
            && self.sack == other.sack
    }

    /// Whether it only acknowledges: it holds no octet and no mark of the connection.
    pub(super) fn is_bare(&self) -> bool {
        self.len == 0
            && ![Flags::SYN, Flags::FIN, Flags::RST]
                .into_iter()
                .any(|flag| self.flags.has(flag))
    }

    /// The control bits that count. Those of ECN on a SYN only offer it (RFC 3168, section 6.1.1).
    fn marks(&self) -> u16 {
        let connection = Flags::SYN.with(Flags::FIN).with(Flags::RST);
        let congestion = Flags::ECE.with(Flags::CWR).with(Flags::NS);
        let counted = if self.flags.has(Flags::SYN) {
            connection
        } else {
            connection.with(congestion)
        };
        self.flags.0 & counted.0
    }
}

/// The packets of the connection with the most payload in the capture of the data sender's end, in its order.
pub(super) fn read(capture: &mut dyn Read) -> Result<Vec<Packet>, SeenError> {
    let mut places = Places::default();
    let placed = seen(capture)?.into_iter().map(|seen| places.place(seen));
    Ok(placed.collect())
}

/// Where both streams stand.
#[derive(Default)]
struct Places {
    ours: Stream,
    theirs: Stream,
}

/// How far a stream has come.
#[derive(Default)]
struct Stream {
    /// The number of its first octet.
    origin: Option<SeqNumber>,
    has_syn: bool,
    /// The position after the highest octet, FIN counted.
    end: u64,
    /// All before this position was acknowledged.
    acked: u64,
}

impl Stream {
    /// Counts a segment of it. Returns the position of its first octet, none of a SYN, and whether it was sent before.
    fn count(&mut self, segment: &Segment) -> (Option<u64>, bool) {
        let is_syn = segment.flags.has(Flags::SYN);
        let first = if is_syn { segment.seq.add(1) } else { segment.seq };
        let origin = *self.origin.get_or_insert(first);
        if is_syn {
            let is_again = self.has_syn;
            self.has_syn = true;
            return (None, is_again);
        }
        let start = segment.seq.unwrap_near(origin, self.end);
        let len = u64::from(segment.sequence_len());
        let is_again = len > 0 && start.is_none_or(|start| start < self.end);
        self.end = self.end.max(start.unwrap_or(0).saturating_add(len));
        (start, is_again)
    }

    /// The position that a number of its acknowledgements stands for.
    fn acknowledged(&self, number: SeqNumber) -> Option<u64> {
        number.unwrap_near(self.origin?, self.acked)
    }
}

impl Places {
    fn place(&mut self, seen: Seen) -> Packet {
        let Seen {
            at,
            id,
            is_outbound: is_sent,
            segment,
            comment,
            ..
        } = seen;
        let stream = if is_sent { &mut self.ours } else { &mut self.theirs };
        let (start, is_again) = stream.count(&segment);
        let (mut acked, mut sack) = (None, Vec::new());
        if !is_sent && segment.flags.has(Flags::ACK) {
            acked = self.ours.acknowledged(segment.ack);
            self.ours.acked = self.ours.acked.max(acked.unwrap_or(0));
            sack = segment
                .options
                .sack
                .as_slice()
                .iter()
                .filter_map(|block| {
                    Some([
                        self.ours.acknowledged(block.left)?,
                        self.ours.acknowledged(block.right)?,
                    ])
                })
                .collect();
        }
        let (verdict, cause) = comment.as_deref().map_or((None, None), said);
        Packet {
            at,
            id,
            is_sent,
            start,
            len: segment.payload_len,
            flags: segment.flags,
            acked,
            sack,
            is_again,
            cause: cause.filter(|_| is_sent),
            verdict: verdict.filter(|_| is_sent),
        }
    }
}

/// The verdict and the sender's rule in the comment of a retransmission ([`Judgement::comment`](crate::Judgement::comment)).
fn said(comment: &str) -> (Option<String>, Option<TransmitCause>) {
    let Some(text) = comment.strip_prefix("windlull: retransmission, ") else {
        return (None, None);
    };
    let (verdict, cause) = match text.split_once("; cause: ") {
        Some((verdict, cause)) => (verdict, Some(cause)),
        None => (text, None),
    };
    let cause = cause.and_then(|name| TransmitCause::ALL.into_iter().find(|cause| cause.name() == name));
    (Some(verdict.to_owned()), cause)
}

#[cfg(test)]
mod tests {
    use windlull_units::{Network, PacketId};
    use windlull_wire::SackBlock;

    use super::*;
    use crate::verdict::{Before, Judgement, Reason, Verdict};

    fn captured(is_outbound: bool, seq: u32, ack: u32, flags: Flags, payload_len: u32) -> Seen {
        Seen {
            at: Time::from_ns(600),
            id: None,
            is_outbound,
            network: Network::Ipv4,
            segment: Segment {
                seq: SeqNumber(seq),
                ack: SeqNumber(ack),
                flags,
                payload_len,
                ..Segment::default()
            },
            comment: None,
        }
    }

    #[test]
    fn numbers_become_positions_whatever_the_connection_began_with() {
        for [ours, theirs] in [[7, 900], [u32::MAX - 2, u32::MAX]] {
            let mut places = Places::default();
            let mut place = |captured| places.place(captured);
            let syn_ack = Flags::SYN.with(Flags::ACK);
            let syn = place(captured(false, theirs, 0, Flags::SYN, 0));
            assert_eq!((syn.at, syn.start, syn.acked), (Time::from_ns(600), None, None));
            let again = |packet: &Packet| (packet.start, packet.is_again);
            let one = ours.wrapping_add(1);
            assert_eq!(again(&place(captured(true, ours, 0, syn_ack, 0))), (None, false));
            assert_eq!(again(&place(captured(true, ours, 0, syn_ack, 0))), (None, true));
            assert_eq!(again(&place(captured(true, one, 0, Flags::ACK, 10))), (Some(0), false));
            let next = one.wrapping_add(10);
            let fin = Flags::ACK.with(Flags::FIN);
            assert_eq!(again(&place(captured(true, next, 0, fin, 10))), (Some(10), false));
            assert_eq!(
                again(&place(captured(true, next.wrapping_add(10), 0, fin, 0))),
                (Some(20), true)
            );
            assert_eq!(again(&place(captured(true, one, 0, Flags::ACK, 10))), (Some(0), true));
            let mut heard = captured(false, theirs.wrapping_add(1), one, Flags::ACK, 0);
            heard.segment.options.sack.push(SackBlock {
                left: SeqNumber(next),
                right: SeqNumber(next.wrapping_add(10)),
            });
            let heard = place(heard);
            assert_eq!(
                (heard.start, heard.acked, heard.sack),
                (Some(0), Some(0), vec![[10, 20]])
            );
        }
    }

    #[test]
    fn a_comment_says_the_verdict_and_the_rule() {
        let judged = |cause| Judgement {
            id: PacketId(1),
            verdict: Verdict::Unnecessary,
            reason: Some(Reason::Delayed),
            before: Before::Unknown,
            cause,
        };
        for cause in TransmitCause::ALL {
            let comment = judged(Some(cause)).comment();
            assert_eq!(said(&comment), (Some("unnecessary (delayed)".to_owned()), Some(cause)));
        }
        assert_eq!(said(&judged(None).comment()).1, None);
        assert_eq!(said("something else"), (None, None));
    }

    #[test]
    fn ecn_on_a_syn_is_an_offer_and_later_an_answer() {
        let of = |flags| Places::default().place(captured(true, 0, 0, flags, 0));
        let offering = Flags::SYN.with(Flags::ECE).with(Flags::CWR);
        assert!(of(Flags::SYN).is_like(&of(offering)));
        assert!(!of(Flags::ACK).is_like(&of(Flags::ACK.with(Flags::CWR))));
        assert!(of(Flags::ACK).is_like(&of(Flags::ACK.with(Flags::PSH))));
    }
}
