//! One end of a connection: a sender, a receiver, and the state machine around them. It reads no clock and moves no bytes:
//! its driver hands in segments and the time, and takes segments and the next wake-up out.

mod arriving;
mod handshake;
mod state;

use windlull_units::{Ecn, Span, Time};
use windlull_wire::{Flags, Options, Segment, SenderState, SeqNumber, Timestamps, TransmitCause};

use crate::observer::EndpointObserver;
use crate::receiver::{Earlier, Owed, Received, Receiver};
use crate::registry::{CongestionMarks, TimestampEcho};
use crate::sender::{Fin, Plan, Sender};
use crate::timer::StampClock;
use crate::variant::Variant;

pub use state::{CloseReason, ConnectionState};
use state::{Handshake, Negotiated, Offer, State};

/// Twice the maximum segment lifetime of two minutes (RFC 9293, section 3.4.2). Linux waits one minute, less than its
/// largest timeout: a peer that backed off so far finds nobody to acknowledge its last FIN.
const TIME_WAIT: Span = Span::from_secs(240);
/// Timeouts or probes in a row that nothing answers before the connection is given up (RFC 9293, section 3.8.3: R2, at
/// least 100 s; with back-off to 60 s these take more than ten minutes).
pub const GIVE_UP_AFTER: u32 = 15;

/// What this end brings to the handshake.
#[derive(Clone, Copy, Debug)]
struct Local {
    mss: u16,
    timestamps: bool,
    sack: bool,
    window_scale: bool,
    ecn: CongestionMarks,
    /// The largest window that is ever offered.
    receive_window: u64,
    timestamp_echo: TimestampEcho,
}

/// One end of a connection, sender and receiver both.
///
/// After every call that may make it send (`connect`, `write`, `close`, `read`, `on_segment`, `on_timer`) the driver calls
/// [`poll_transmit`](Self::poll_transmit) until it returns `None`.
#[derive(Clone, Debug)]
pub struct Endpoint {
    state: State,
    isn: SeqNumber,
    local: Local,
    offer: Option<Offer>,
    negotiated: Negotiated,
    sender: Sender,
    receiver: Receiver,
    /// Sequence and acknowledgement number of the segment that last told the window (SND.WL1, SND.WL2).
    last_window: (SeqNumber, SeqNumber),
    reset: Option<Segment>,
}

impl Endpoint {
    /// A closed endpoint of this variant, which must be [valid](Variant::validate). `isn` is its initial sequence number,
    /// and the origin of its timestamps.
    pub fn new(variant: &Variant, isn: SeqNumber) -> Self {
        debug_assert_eq!(variant.validate(), Ok(()), "the variant contradicts itself");
        let clock = StampClock::new(variant.timer.granularity, isn.0);
        Self {
            state: State::Closed(CloseReason::Unused),
            isn,
            local: Local {
                mss: variant.mss,
                timestamps: variant.timestamps,
                sack: variant.sack,
                window_scale: variant.window_scale,
                ecn: variant.ecn,
                receive_window: variant.most_window().get(),
                timestamp_echo: variant.timestamp_echo,
            },
            offer: None,
            negotiated: Negotiated::default(),
            sender: Sender::new(variant, isn, clock),
            receiver: Receiver::new(variant),
            last_window: (SeqNumber(0), SeqNumber(0)),
            reset: None,
        }
    }

    /// Opens actively: a SYN goes out.
    pub fn connect(&mut self, _now: Time) {
        self.state = State::SynSent(Handshake::START);
    }

    /// Opens passively: waits for a SYN.
    pub fn listen(&mut self) {
        self.state = State::Listen;
    }

    /// The application hands over `octets` to send. Ignored after [`close`](Self::close).
    pub fn write(&mut self, _now: Time, octets: u64) {
        if self.sender.view.stream.fin == Fin::Open {
            self.sender.check_application();
            self.sender.view.stream.written += octets;
        }
    }

    /// Nothing more will be written: FIN goes out with the last octet, or after it.
    pub fn close(&mut self, _now: Time) {
        if self.sender.view.stream.fin == Fin::Open {
            self.sender.view.stream.fin = Fin::Wanted;
        }
        if matches!(self.state, State::Listen) {
            self.shut(CloseReason::Aborted);
        }
    }

    /// Octets in order that the application can read.
    pub fn readable(&self) -> u64 {
        self.receiver.readable()
    }

    /// The application reads up to `octets`; returns how many. The window opens accordingly.
    #[inline]
    pub fn read(&mut self, now: Time, octets: u64) -> u64 {
        self.receiver.read(now, octets)
    }

    /// A segment arrived intact. Tells which of its octets were kept, for a driver that stores bytes.
    #[inline]
    pub fn on_segment(&mut self, now: Time, segment: &Segment, o: &mut impl EndpointObserver) -> Received {
        match self.state {
            State::Closed(_) => {
                self.refuse(segment);
                Received::default()
            }
            State::Listen => {
                self.on_segment_in_listen(segment);
                Received::default()
            }
            State::SynSent(handshake) => {
                self.on_segment_in_syn_sent(now, segment, handshake, o);
                Received::default()
            }
            _ => self.on_segment_synchronised(now, segment, o),
        }
    }

    /// Does what is due at `now`.
    pub fn on_timer(&mut self, now: Time, o: &mut impl EndpointObserver) {
        self.receiver.on_timer(now);
        match &mut self.state {
            State::TimeWait { until } if *until <= now => self.shut(CloseReason::Finished),
            State::SynSent(handshake) | State::SynReceived(handshake)
                if self.sender.view.timer.due().is_some_and(|due| due <= now) =>
            {
                handshake.due = true;
                handshake.repeated = true;
                self.sender.on_handshake_timeout(now, o);
            }
            state if state.sends() => self.sender.on_timer(now, o),
            _ => {}
        }
        if self.sender.unanswered() > GIVE_UP_AFTER {
            self.shut(CloseReason::TimedOut);
        }
    }

    /// When `on_timer` wants to be called next.
    #[inline]
    pub fn poll_at(&self) -> Option<Time> {
        let wait = match self.state {
            State::Closed(_) | State::Listen => return None,
            State::TimeWait { until } => Some(until),
            _ => None,
        };
        // Asked at every event, hence no array of options, which would be stored and read again.
        Time::NEVER
            .or_earlier(wait)
            .or_earlier(self.sender.due())
            .or_earlier(self.receiver.owed().due())
            .unless_never()
    }

    /// The next segment to send at `now` and why, or `None` when there is none for now.
    #[inline]
    pub fn poll_transmit(&mut self, now: Time, o: &mut impl EndpointObserver) -> Option<(Segment, TransmitCause)> {
        if let Some(reset) = self.reset.take() {
            return Some((reset, TransmitCause::Reset));
        }
        let sends = self.state.sends();
        match self.state {
            _ if sends => {}
            State::Closed(_) | State::Listen => return None,
            State::SynSent(_) => return self.next_handshake_segment(now),
            State::SynReceived(_) => {
                if let Some(segment) = self.next_handshake_segment(now) {
                    return Some(segment);
                }
            }
            _ => {}
        }
        if matches!(self.receiver.owed(), Owed::Bare) {
            return Some(self.bare_ack(now));
        }
        if sends && !self.sender.is_silent() {
            if let Some(plan) = self.next_plan(now) {
                return Some(self.realise(now, plan));
            }
        }
        if matches!(self.receiver.owed(), Owed::Now) {
            return Some(self.bare_ack(now));
        }
        self.sender.settle(now, o);
        None
    }

    /// Where the connection stands.
    pub fn state(&self) -> ConnectionState {
        self.state.public()
    }

    /// The variables of the sending half, for who acts on them from outside.
    pub fn sender_state(&self) -> SenderState {
        self.sender.state()
    }

    /// Payload octets of a full segment that it sends (RFC 5681's SMSS).
    pub fn segment_size(&self) -> u64 {
        self.sender.view.stream.smss
    }

    /// Of the octets that it sends, FIN included, the first that is not acknowledged and the one behind the highest sent.
    pub fn outstanding(&self) -> (u64, u64) {
        (self.sender.view.stream.una, self.sender.view.stream.max)
    }

    /// Why the connection is closed, if it is.
    pub fn close_reason(&self) -> Option<CloseReason> {
        match self.state {
            State::Closed(reason) => Some(reason),
            _ => None,
        }
    }

    /// Whether the peer has acknowledged our FIN.
    pub fn fin_acknowledged(&self) -> bool {
        self.sender.view.stream.fin_acknowledged()
    }

    /// Whether the peer's stream has ended: all its data and FIN have arrived.
    pub fn peer_closed(&self) -> bool {
        self.receiver.has_ended()
    }

    /// Whether there is no connection (any more).
    pub fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed(_))
    }

    /// Gives the connection up: a reset goes out if the peer knows of it (RFC 9293, section 3.10.5).
    pub fn abort(&mut self, _now: Time) {
        if !matches!(
            self.state,
            State::Closed(_) | State::Listen | State::SynSent(_) | State::TimeWait { .. }
        ) {
            self.reset = Some(Segment {
                seq: self.sender.view.stream.number(self.sender.view.stream.max),
                ack: self.receiver.ack_number(),
                flags: Flags::RST.with(Flags::ACK),
                ..Segment::default()
            });
        }
        self.shut(CloseReason::Aborted);
    }

    fn shut(&mut self, reason: CloseReason) {
        self.state = State::Closed(reason);
        self.sender.view.timer.stop();
    }

    /// A reset for a segment that belongs to no connection (RFC 9293, section 3.10.7.1).
    fn refuse(&mut self, segment: &Segment) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        self.reset = Some(if segment.flags.has(Flags::ACK) {
            Segment {
                seq: segment.ack,
                flags: Flags::RST,
                ..Segment::default()
            }
        } else {
            Segment {
                ack: segment.end(),
                flags: Flags::RST.with(Flags::ACK),
                ..Segment::default()
            }
        });
    }

    #[inline]
    fn next_plan(&mut self, now: Time) -> Option<Plan> {
        // SACK blocks beside data take room from it.
        let blocks = self.receiver.sack_len(self.negotiated.timestamps);
        let room = self.sender.view.stream.smss.saturating_sub(blocks).max(1);
        self.sender.next(now, room)
    }

    fn bare_ack(&mut self, now: Time) -> (Segment, TransmitCause) {
        if let Some(earlier) = self.receiver.take_earlier() {
            return (self.earlier_ack(now, &earlier), TransmitCause::Ack);
        }
        let segment = self.segment(
            now,
            self.sender.view.stream.number(self.sender.view.stream.max),
            Flags::ACK,
            0,
            Ecn::NotEct,
        );
        (segment, TransmitCause::Ack)
    }

    /// Of what had arrived before; what is owed stays owed.
    fn earlier_ack(&self, now: Time, earlier: &Earlier) -> Segment {
        Segment {
            seq: self.sender.view.stream.number(self.sender.view.stream.max),
            ack: earlier.ack,
            flags: Flags::ACK.with(earlier.flags),
            window: earlier.window,
            options: Options {
                timestamps: self.stamps(now),
                ..Options::default()
            },
            ..Segment::default()
        }
    }

    fn stamps(&self, now: Time) -> Option<Timestamps> {
        self.negotiated.timestamps.then(|| Timestamps {
            value: self.sender.clock().stamp(now),
            echo: self.receiver.recent_stamp().unwrap_or(0),
        })
    }

    #[inline]
    fn realise(&mut self, now: Time, plan: Plan) -> (Segment, TransmitCause) {
        let mut flags = Flags::ACK;
        if plan.push {
            flags = flags.with(Flags::PSH);
        }
        if plan.fin {
            flags = flags.with(Flags::FIN);
            self.state = match self.state {
                State::Established => State::FinWait1,
                State::CloseWait => State::LastAck,
                state => state,
            };
        }
        if plan.reduced {
            flags = flags.with(Flags::CWR);
        }
        let segment = self.segment(now, plan.number, flags, plan.payload_len, plan.ecn);
        (segment, plan.cause)
    }

    /// Any segment of a synchronised connection: it acknowledges, and settles what was owed.
    #[inline]
    fn segment(&mut self, now: Time, seq: SeqNumber, flags: Flags, payload_len: u32, ecn: Ecn) -> Segment {
        let timestamps = self.stamps(now);
        let mut segment = Segment {
            seq,
            ack: self.receiver.ack_number(),
            flags: flags.with(self.receiver.mark_flags(payload_len == 0 && !flags.has(Flags::FIN))),
            ecn,
            window: self.receiver.window_field(false),
            options: Options {
                timestamps,
                ..Options::default()
            },
            payload_len,
        };
        self.receiver
            .take_sack(self.negotiated.timestamps, &mut segment.options.sack);
        self.receiver.on_acknowledged();
        segment
    }
}
