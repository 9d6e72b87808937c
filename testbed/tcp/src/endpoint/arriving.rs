//! What an arriving segment does once the handshake is under way (RFC 9293, section 3.10.7.4; RFC 5961; RFC 7323).

use windlull_units::Time;
use windlull_wire::{Flags, Segment};

use crate::accurate;
use crate::observer::EndpointObserver;
use crate::receiver::{Received, Span64};
use crate::sender::{Incoming, Overtaken};
use crate::serial::signed;

use super::state::{CloseReason, Handshake, State};
use super::{Endpoint, TIME_WAIT};

/// What becomes of a segment's acknowledgement field.
enum AckField {
    /// Processed; the segment's text follows.
    Taken,
    /// The segment ends here.
    Refused,
}

impl Endpoint {
    #[inline]
    pub(super) fn on_segment_synchronised(
        &mut self,
        now: Time,
        segment: &Segment,
        o: &mut impl EndpointObserver,
    ) -> Received {
        let at = self.receiver.place(segment.seq, segment.sequence_len());
        if !self.passes_stamps(now, segment, at) {
            return Received::default();
        }
        if let (State::SynReceived(handshake), true) = (self.state, segment.flags.has(Flags::SYN)) {
            self.on_syn_again(now, segment, handshake, o);
            return Received::default();
        }
        // First: is it acceptable?
        if !self.receiver.is_acceptable(at) {
            self.on_unacceptable(now, segment, at);
            return Received::default();
        }
        // Second: RST (RFC 5961, section 3.2).
        if segment.flags.has(Flags::RST) {
            if segment.seq == self.receiver.ack_number() {
                self.shut(CloseReason::Reset);
            } else {
                self.receiver.owed_mut().at_once();
            }
            return Received::default();
        }
        // Fourth: SYN (RFC 5961, section 4.2): a challenge, whatever its number.
        if segment.flags.has(Flags::SYN) {
            self.receiver.owed_mut().at_once();
            return Received::default();
        }
        // Fifth: ACK; without it the segment says nothing.
        if !segment.flags.has(Flags::ACK) {
            return Received::default();
        }
        if let Some(timestamps) = segment.options.timestamps {
            self.receiver.on_stamp(now, timestamps.value, at);
        }
        match self.on_ack_field(now, segment, o) {
            AckField::Taken => {
                self.receiver.on_codepoint(segment);
                self.on_text(now, segment, at)
            }
            AckField::Refused => Received::default(),
        }
    }

    /// PAWS, and the rule that timestamps once agreed on are never missing (RFC 7323, sections 3.2 and 5.3).
    #[inline]
    fn passes_stamps(&mut self, now: Time, segment: &Segment, at: Span64) -> bool {
        if !self.negotiated.timestamps || segment.flags.has(Flags::RST) {
            return true;
        }
        let Some(timestamps) = segment.options.timestamps else {
            return false;
        };
        let old = self
            .receiver
            .echo_mut()
            .is_some_and(|echo| echo.is_old(now, timestamps.value));
        if old {
            self.receiver.on_duplicate(at);
        }
        !old
    }

    fn on_unacceptable(&mut self, now: Time, segment: &Segment, at: Span64) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        if let Some(timestamps) = segment.options.timestamps {
            self.receiver.on_stamp(now, timestamps.value, at);
        }
        if let State::TimeWait { until } = &mut self.state {
            // RFC 9293, section 3.10.7.4, eighth: the peer's FIN again restarts the wait.
            *until = now + TIME_WAIT;
        }
        self.receiver.on_duplicate(at);
    }

    /// A SYN while our SYN-ACK is unanswered. With an acknowledgement it is the other half of a simultaneous open (RFC 9293,
    /// section 3.5, figure 7), which the acceptance test alone would refuse; without, the peer did not get our SYN-ACK.
    fn on_syn_again(&mut self, now: Time, segment: &Segment, handshake: Handshake, o: &mut impl EndpointObserver) {
        let acknowledges = segment.flags.has(Flags::ACK) && self.sender.view.stream.distance_from_una(segment.ack) == 0;
        if acknowledges && !segment.flags.has(Flags::RST) {
            self.establish(now, segment, handshake, o);
            self.receiver.owed_mut().at_once();
        } else if !segment.flags.has(Flags::RST) {
            self.state = State::SynReceived(Handshake {
                due: true,
                repeated: true,
            });
        }
    }

    #[inline]
    fn on_ack_field(&mut self, now: Time, segment: &Segment, o: &mut impl EndpointObserver) -> AckField {
        if let State::SynReceived(handshake) = self.state {
            // Only the acknowledgement of our SYN leads on, perhaps with more after it.
            if self.sender.view.stream.distance_from_una(segment.ack) != 0 {
                self.refuse(segment);
                return AckField::Refused;
            }
            self.establish(now, segment, handshake, o);
        }
        let distance = self.sender.view.stream.distance_from_una(segment.ack);
        let flight = signed(self.sender.view.stream.flight());
        if distance > flight {
            // It acknowledges what was never sent.
            self.receiver.owed_mut().at_once();
            return AckField::Refused;
        }
        if distance < 0 {
            // An old one. RFC 5961, section 5.2: one that is older than any window is suspect.
            let suspect = distance < -signed(self.sender.view.stream.largest_window());
            if suspect {
                self.receiver.owed_mut().at_once();
                return AckField::Refused;
            }
            self.on_overtaken(now, segment, distance, o);
            return AckField::Taken;
        }
        let incoming = Incoming {
            ack: self.sender.view.stream.una.saturating_add_signed(distance),
            window: self.window_of(segment),
            pure: segment.sequence_len() == 0,
            marked: segment.flags.has(Flags::ECE),
            field: accurate::field_of(segment.flags),
            nonce_sum: segment.flags.has(Flags::NS),
            blocks: segment.options.sack.as_slice(),
            echo: segment.options.timestamps.map(|timestamps| timestamps.echo),
        };
        self.sender.on_ack(now, &incoming, o);
        if self.sender.view.stream.fin_acknowledged() {
            self.on_fin_acknowledged(now);
        }
        AckField::Taken
    }

    /// An acknowledgement that a later one has overtaken, below the latter by `-distance`.
    fn on_overtaken(&mut self, now: Time, segment: &Segment, distance: i64, o: &mut impl EndpointObserver) {
        let blocks = segment.options.sack.as_slice();
        if blocks.is_empty() {
            return;
        }
        if let Some(ack) = self.sender.view.stream.una.checked_add_signed(distance) {
            let echo = segment.options.timestamps.map(|timestamps| timestamps.echo);
            self.sender.on_overtaken_ack(now, &Overtaken { ack, blocks, echo }, o);
        }
    }

    /// The window that a segment offers, unless an earlier one knew better (SND.WL1, SND.WL2).
    #[inline]
    fn window_of(&mut self, segment: &Segment) -> Option<u64> {
        let (seq, ack) = self.last_window;
        let newer = segment.seq.offset_from(seq);
        if newer > 0 || (newer == 0 && segment.ack.offset_from(ack) >= 0) {
            self.last_window = (segment.seq, segment.ack);
            Some(u64::from(segment.window) << self.negotiated.peer_shift)
        } else {
            None
        }
    }

    fn on_fin_acknowledged(&mut self, now: Time) {
        match self.state {
            State::FinWait1 => self.state = State::FinWait2,
            State::Closing => self.state = State::TimeWait { until: now + TIME_WAIT },
            State::LastAck => self.shut(CloseReason::Finished),
            _ => {}
        }
    }

    /// Seventh and eighth: text and FIN.
    #[inline]
    fn on_text(&mut self, now: Time, segment: &Segment, at: Span64) -> Received {
        if segment.sequence_len() == 0 {
            return Received::default();
        }
        let fin = segment.flags.has(Flags::FIN);
        if !self.state.receives() {
            // After the peer's FIN there is nothing more to take; an acceptable segment here is its FIN again.
            self.receiver.owed_mut().at_once();
            return Received::default();
        }
        let at_once = self.receiver.on_marks(segment);
        if let (Some(sizing), Some(stamps)) = (self.receiver.sizing_mut(), segment.options.timestamps) {
            let trip = self.sender.clock().since(now, stamps.echo);
            sizing.on_echo(segment.payload_len.into(), stamps.echo, trip);
        }
        if let Some(acks) = self.receiver.linux_mut() {
            let timer = &self.sender.view.timer;
            acks.on_measured(timer.measured().map(|measured| measured.srtt), timer.rto());
        }
        let payload = Span64 {
            start: at.start,
            end: at.end - i64::from(fin),
        };
        let received = self.receiver.on_payload(now, payload, segment);
        if at_once {
            self.receiver.owe_bare();
        }
        if self.receiver.has_ended() {
            self.on_end_of_stream(now);
        }
        received
    }

    fn on_end_of_stream(&mut self, now: Time) {
        match self.state {
            State::Established => self.state = State::CloseWait,
            State::FinWait1 => self.state = State::Closing,
            State::FinWait2 => self.state = State::TimeWait { until: now + TIME_WAIT },
            _ => {}
        }
    }
}
