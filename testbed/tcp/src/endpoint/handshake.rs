//! Opening: which options both ends speak (RFC 9293, section 3.10.7.2 and 3; RFC 7323; RFC 2018).

use windlull_units::Time;
use windlull_wire::{Flags, Options, Segment, Timestamps, TransmitCause};

use crate::accurate::{self, Agreed};
use crate::observer::EndpointObserver;
use crate::receiver::{Echo, shift_for};

use crate::registry::CongestionMarks;

use super::Endpoint;
use super::state::{CloseReason, Handshake, Negotiated, Offer, State};

/// Octets of the timestamps option with its padding (RFC 7323, appendix A).
pub(super) const TIMESTAMPS_LEN: u64 = 12;
/// RFC 7323, section 2.3: a larger shift is taken for this one.
const LARGEST_SHIFT: u8 = 14;

impl Endpoint {
    pub(super) fn on_segment_in_listen(&mut self, segment: &Segment) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        if segment.flags.has(Flags::ACK) {
            self.refuse(segment);
        } else if segment.flags.has(Flags::SYN) {
            self.take_syn(segment);
            self.state = State::SynReceived(Handshake::START);
        }
    }

    pub(super) fn on_segment_in_syn_sent(
        &mut self,
        now: Time,
        segment: &Segment,
        handshake: Handshake,
        o: &mut impl EndpointObserver,
    ) {
        let acknowledges = segment.flags.has(Flags::ACK);
        if acknowledges && segment.ack != self.sender.view.stream.number(0) {
            if !segment.flags.has(Flags::RST) {
                self.refuse(segment);
            }
            return;
        }
        if segment.flags.has(Flags::RST) {
            // RFC 5961, section 3.2: a reset counts if it acknowledges our SYN.
            if acknowledges {
                self.shut(CloseReason::Reset);
            }
            return;
        }
        if !segment.flags.has(Flags::SYN) {
            return;
        }
        self.take_syn(segment);
        if acknowledges {
            self.establish(now, segment, handshake, o);
            self.receiver.owed_mut().at_once();
        } else {
            // Simultaneous open.
            self.state = State::SynReceived(Handshake { due: true, ..handshake });
            self.sender.view.timer.stop();
        }
    }

    fn take_syn(&mut self, syn: &Segment) {
        self.receiver.on_syn(syn.seq);
        self.offer = Some(Offer::of(syn, self.local.ecn == CongestionMarks::Accurate));
    }

    /// Our SYN is acknowledged by `segment`, and the peer's is known.
    pub(super) fn establish(
        &mut self,
        now: Time,
        segment: &Segment,
        handshake: Handshake,
        o: &mut impl EndpointObserver,
    ) {
        let offer = self.offer.expect("a SYN is taken in before any state that leads here");
        self.negotiated = Negotiated {
            timestamps: self.local.timestamps && offer.stamp.is_some(),
            sack: self.local.sack && offer.sack,
            peer_shift: match offer.window_scale {
                Some(shift) if self.local.window_scale => shift.min(LARGEST_SHIFT),
                _ => 0,
            },
        };
        let scaled = self.local.window_scale && offer.window_scale.is_some();
        let stamps = self.negotiated.timestamps;
        // RFC 6691: the MSS option speaks of segments without options.
        let smss = u64::from(self.local.mss.min(offer.mss)).saturating_sub(if stamps { TIMESTAMPS_LEN } else { 0 });
        let shift = if scaled {
            shift_for(self.local.receive_window)
        } else {
            0
        };
        let echo = offer
            .stamp
            .filter(|_| stamps)
            .map(|stamp| Echo::new(self.local.timestamp_echo, stamp, now));
        self.receiver
            .establish(now, self.negotiated.sack, shift, smss.max(1), echo);
        // What completes the handshake may carry data, which the next acknowledgement answers.
        if let Some(timestamps) = segment.options.timestamps {
            let at = self.receiver.place(segment.seq, segment.sequence_len());
            self.receiver.on_stamp(now, timestamps.value, at);
        }
        match Agreed::between(self.local.ecn, offer.ecn) {
            Agreed::Nothing => {}
            Agreed::Marks { nonces } => {
                self.receiver.expect_marks(nonces);
                self.sender.expect_marks(nonces);
            }
            Agreed::Counts => {
                let answered = segment.flags.has(Flags::SYN).then_some(segment.ecn);
                let bare = answered.is_none() && segment.sequence_len() == 0;
                self.receiver.expect_counts(answered);
                self.sender
                    .expect_counts(bare.then(|| accurate::field_of(segment.flags)));
            }
        }
        let echo = segment.options.timestamps.map(|timestamps| timestamps.echo);
        self.sender
            .establish(now, smss.max(1), echo.filter(|_| stamps), handshake.repeated, o);
        // The window of a SYN is never scaled (RFC 7323, section 2.2); one on a later segment is.
        let window = if segment.flags.has(Flags::SYN) {
            u64::from(offer.window)
        } else {
            u64::from(segment.window) << self.negotiated.peer_shift
        };
        self.sender.offer(window);
        self.last_window = (segment.seq, segment.ack);
        self.state = State::Established;
    }

    /// The SYN or SYN-ACK, if it is due.
    pub(super) fn next_handshake_segment(&mut self, now: Time) -> Option<(Segment, TransmitCause)> {
        let answers = matches!(self.state, State::SynReceived(_));
        let (State::SynSent(handshake) | State::SynReceived(handshake)) = &mut self.state else {
            return None;
        };
        if !handshake.due {
            return None;
        }
        handshake.due = false;
        let repeated = handshake.repeated;
        self.sender.on_handshake_sent(now, repeated);
        let offer = self.offer.filter(|_| answers);
        // A SYN-ACK repeats only what the SYN offered (RFC 7323, sections 2.2, 3.2; RFC 2018, section 2).
        let both = |ours: bool, theirs: fn(&Offer) -> bool| ours && offer.as_ref().is_none_or(theirs);
        let timestamps = both(self.local.timestamps, |offer| offer.stamp.is_some());
        let options = Options {
            mss: Some(self.local.mss),
            window_scale: both(self.local.window_scale, |offer| offer.window_scale.is_some())
                .then(|| shift_for(self.local.receive_window)),
            sack_permitted: both(self.local.sack, |offer| offer.sack),
            timestamps: timestamps.then(|| Timestamps {
                value: self.sender.clock().stamp(now),
                echo: offer.and_then(|offer| offer.stamp).unwrap_or(0),
            }),
            ..Options::default()
        };
        let (flags, marks) = match (offer, self.local.ecn) {
            (None, CongestionMarks::Off) => (Flags::SYN, Flags::default()),
            (None, CongestionMarks::On | CongestionMarks::Nonce) => (Flags::SYN, Flags::ECE.with(Flags::CWR)),
            (None, CongestionMarks::Accurate) => (Flags::SYN, accurate::ASKS),
            (Some(offer), local) => {
                let marks = match Agreed::between(local, offer.ecn) {
                    Agreed::Nothing => Flags::default(),
                    Agreed::Marks { .. } => Flags::ECE,
                    Agreed::Counts => accurate::answer_to(offer.codepoint),
                };
                (Flags::SYN.with(Flags::ACK), marks)
            }
        };
        let segment = Segment {
            seq: self.isn,
            ack: if answers {
                self.receiver.ack_number()
            } else {
                windlull_wire::SeqNumber(0)
            },
            flags: flags.with(marks),
            window: self.receiver.window_field(true),
            options,
            // RFC 3168, section 6.1.1: a SYN is never ECN-capable.
            ..Segment::default()
        };
        if answers {
            self.receiver.on_acknowledged();
        }
        Some((segment, TransmitCause::Handshake))
    }
}
