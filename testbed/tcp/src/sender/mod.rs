//! The sending half of an endpoint: it holds the state, asks the mechanisms, and does what they decide.
//!
//! - `stream`: what there is to send and what the peer's window allows;
//! - `incoming`: what an acknowledgement changes;
//! - `overtaken`: what one that came too late still tells;
//! - `expiry`: what the timer changes;
//! - `fast_undo`, `undoable`: what follows once the retransmissions of a recovery proved unnecessary;
//! - `undo`: what follows once a timeout proved spurious;
//! - `measuring`: round trips;
//! - `marks`: what congestion marks ask for;
//! - `output`: what is sent next;
//! - `model`, `modelling`, `repairs`: what a congestion control that models the path is told;
//! - `pace`: sending at intervals, or at a rate;
//! - `limits`: what holds it from sending more.

mod echoes;
mod expiry;
mod fast_undo;
mod incoming;
mod limits;
mod marks;
mod measuring;
mod model;
mod modelling;
mod output;
mod overtaken;
mod pace;
mod repairs;
mod stream;
mod undo;
mod undoable;
mod view;

use windlull_units::Time;
use windlull_wire::{LimitedBy, Phase, SenderEvent, SenderState, SeqNumber, TransmitCause};

use crate::accurate::Known;
use crate::congestion::{Congestion, InitialWindow};
use crate::detection::{DetectionMechanism, Detector, Shape};
use crate::minimum::Train;
use crate::observer::EndpointObserver;
use crate::ranges::Range;
use crate::recovery::{LossRecovery, RecoveryMechanism};
use crate::registry::{AfterIdle, FastUndo, Pacing, RepeatedTimeout, RoundTrips};
use crate::response::{FollowUp, ResponseMechanism, Windows};
use crate::scoreboard::Scoreboard;
use crate::timer::{RttMeter, SendTimer, StampClock};
use crate::variant::Variant;

pub(crate) use incoming::Incoming;
use marks::{Answer, Marks, Scale};
use modelling::Modelling;
pub(crate) use output::Plan;
pub(crate) use overtaken::Overtaken;
use pace::Pace;
pub(crate) use stream::{Fin, Stream};
use undoable::Undoable;
pub(crate) use view::{Ack, Mode, Setback, View};

/// The sender's own choices, apart from its mechanisms.
#[derive(Clone, Copy, Debug)]
struct Policy {
    limited_transmit: bool,
    burst_limit: Option<u32>,
    initial_window: InitialWindow,
    initial_threshold: Option<u32>,
    after_idle: AfterIdle,
    repeated_timeout: RepeatedTimeout,
    pacing: Pacing,
    fast_undo: FastUndo,
    round_trips: RoundTrips,
    /// Without it the peer's window is all that limits the sender, and `cwnd` follows it.
    congestion_window: bool,
}

/// What stopped the last attempt to send. Only a congestion window that was the limit may grow (RFC 7661, section 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    Window,
    /// One of the applications, as RFC 9438, section 5.8 has it: there was nothing to send, or the peer's window had no room.
    Application {
        since: Time,
    },
}

/// A segment that no window holds back.
#[derive(Clone, Copy, Debug)]
struct Forced {
    cause: TransmitCause,
    part: ForcedRange,
}

/// Which part of the stream it is.
#[derive(Clone, Copy, Debug)]
enum ForcedRange {
    /// The first unacknowledged segment, in this shape.
    First(Shape),
    /// These octets.
    Octets(Range),
    /// New data, or, when nothing new may be sent, these octets.
    NewOr(Range),
    /// An octet of new data that the peer's window has no room for.
    BeyondWindow,
}

impl Forced {
    /// The first unacknowledged segment as it is.
    const fn whole(cause: TransmitCause) -> Self {
        Self {
            cause,
            part: ForcedRange::First(Shape::Whole),
        }
    }
}

/// The congestion state at the first timeout of a segment.
#[derive(Clone, Copy, Debug)]
struct BeforeTimeout {
    una: u64,
    windows: Windows,
    /// Octets outstanding (RFC 5681's FlightSize).
    flight: u64,
    /// The threshold that further timeouts of the same segment have left, where they halve it.
    halved_again: Option<u64>,
    /// Which marks had been answered; `None` without them.
    answer: Option<Answer>,
    /// Whether a mark was echoed since that had not.
    echoed: bool,
    /// Whether it left the threshold as it was, for a mark had lowered it already.
    spared: bool,
}

/// What a response has left in place, to be taken back if a report of a duplicate comes.
#[derive(Clone, Copy, Debug)]
struct Reduced {
    before: BeforeTimeout,
    /// The threshold that the response has left: another one tells of a loss or a mark since.
    ssthresh: u64,
}

/// The sending half.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    pub(crate) view: View,
    meter: RttMeter,
    recovery: RecoveryMechanism,
    detector: DetectionMechanism,
    response: ResponseMechanism,
    policy: Policy,
    /// A segment that no window holds back.
    forced: Option<Forced>,
    /// Whether a window probe is due.
    probe_due: bool,
    /// The window the peer last offered, in octets: an acknowledgement that changes it is no duplicate.
    offered: u64,
    before: Option<BeforeTimeout>,
    /// What the last response wants of acknowledgements that follow.
    follow_up: FollowUp,
    /// What it may take back.
    reduced: Option<Reduced>,
    /// The last recovery that may still prove unnecessary.
    undoable: Option<Undoable>,
    /// Where the last recovery ends.
    recovery_point: u64,
    /// Timeouts so far.
    timeouts: u32,
    /// Timeouts and probes in a row that nothing came back to.
    unanswered: u32,
    limit: Limit,
    /// Segments this acknowledgement may still release in fast recovery.
    quota: u32,
    last_sent: Time,
    /// When the handshake's segment was sent, if it was sent once.
    handshake_sent: Option<Time>,
    /// When the next segment may leave, where segments are spread over time.
    pace: Option<Pace>,
    /// What congestion control by a model of the path wants kept.
    modelling: Option<Box<Modelling>>,
    /// The segments that left since the last call from outside.
    train: Option<Train>,
    /// Whether anything in `state` may have changed since it was reported.
    changed: bool,
    reported: Option<SenderState>,
    /// What the last attempt to send outside of recoveries found to hold the sender; `None` before the first.
    limited_by: Option<LimitedBy>,
    limit_told: Option<LimitedBy>,
}

impl Sender {
    pub(crate) fn new(variant: &Variant, isn: SeqNumber, clock: StampClock) -> Self {
        let smss = u64::from(variant.mss);
        let recovery = RecoveryMechanism::new(variant.recovery, variant.rate_reduction);
        let congestion_window = recovery.has_congestion_window();
        Self {
            view: View {
                stream: Stream::new(isn, smss),
                congestion: Congestion::new(
                    variant.congestion,
                    variant.slow_start,
                    InitialWindow::new(variant.initial_window).octets(smss),
                ),
                scoreboard: Scoreboard::default(),
                timer: SendTimer::new(&variant.timer),
                clock,
                mode: Mode::Open,
                limited: 0,
                marks: Marks::Off,
                dsack_seen: false,
                below_point: variant.below_recovery_point,
            },
            meter: RttMeter::one_at_a_time(variant.timer.granularity),
            recovery,
            detector: DetectionMechanism::new(variant.detection, variant.frto_timeouts),
            response: ResponseMechanism::new(variant.response),
            policy: Policy {
                limited_transmit: variant.limited_transmit,
                burst_limit: variant.burst_limit,
                initial_window: InitialWindow::new(variant.initial_window),
                initial_threshold: variant.initial_threshold,
                after_idle: variant.after_idle,
                repeated_timeout: variant.repeated_timeout,
                pacing: variant.pacing,
                fast_undo: variant.undo,
                round_trips: variant.timer.round_trips,
                congestion_window,
            },
            forced: None,
            probe_due: false,
            offered: 0,
            before: None,
            follow_up: FollowUp::None,
            reduced: None,
            undoable: None,
            recovery_point: 0,
            timeouts: 0,
            unanswered: 0,
            limit: Limit::Application { since: Time::ZERO },
            quota: u32::MAX,
            last_sent: Time::ZERO,
            handshake_sent: None,
            pace: None,
            modelling: None,
            train: None,
            changed: false,
            reported: None,
            limited_by: None,
            limit_told: None,
        }
    }

    /// The handshake's own segment goes out; its round trip is measured if it goes out once alone.
    pub(crate) fn on_handshake_sent(&mut self, now: Time, repeated: bool) {
        if repeated {
            self.meter.on_handshake_repeated();
        } else {
            self.meter.on_sent(now, 0, 0);
        }
        self.handshake_sent = (!repeated).then_some(now);
        self.view.timer.start(now);
    }

    /// The handshake is over: the segment size is known, and what the peer echoes if timestamps are on.
    pub(crate) fn establish(
        &mut self,
        now: Time,
        smss: u64,
        echo: Option<u32>,
        syn_lost: bool,
        o: &mut impl EndpointObserver,
    ) {
        self.view.stream.smss = smss;
        if echo.is_some() {
            self.meter = RttMeter::Echoes(self.view.clock);
        }
        self.measure(now, echo, o);
        if let Some(sent) = self.handshake_sent {
            self.recovery.on_handshake(now.since(sent));
        }
        // RFC 5681, section 3.1: one segment if the SYN had to be sent again.
        if syn_lost {
            self.policy.initial_window = InitialWindow::Segments(1);
        }
        self.view.congestion.begin(self.initial_window());
        self.begin_model(now);
        if let Some(segments) = self.policy.initial_threshold {
            self.view.congestion.ssthresh = u64::from(segments) * smss;
        }
        self.start_pace();
        self.view.timer.end_handshake();
        self.unanswered = 0;
        self.changed = true;
    }

    /// Both ends speak explicit congestion notification, and perhaps originals carry a nonce.
    pub(crate) fn expect_marks(&mut self, nonces: bool) {
        self.view.marks = Marks::negotiated(nonces, self.scale(false));
    }

    /// Both ends speak accurate ECN, and the bare answer to our SYN-ACK, if there was one, had this field.
    pub(crate) fn expect_counts(&mut self, answer: Option<u8>) {
        self.view.marks = Marks::counted(Known::new(answer), self.scale(true));
    }

    /// By how much marks will reduce the window, counted or not.
    fn scale(&self, counted: bool) -> Scale {
        let congestion = &self.view.congestion;
        match (congestion.is_prague(), counted) {
            (true, true) => Scale::LowLatency,
            // An echo until it is answered says nothing of a share.
            (true, false) => Scale::AsLoss,
            (false, _) if congestion.counts_marks() => Scale::ByShare,
            (false, _) => Scale::AsLoss,
        }
    }

    /// A segment sent again gives no round trip without timestamps: then the first timeout takes its place.
    fn start_pace(&mut self) {
        let rtt = self
            .view
            .timer
            .measured()
            .map_or(self.view.timer.rto(), |measured| measured.srtt);
        self.view.congestion.on_established(rtt);
        self.pace = Pace::new(self.policy.pacing, &self.view.congestion);
        self.update_pace();
    }

    /// The window or the round trip may have changed.
    #[inline]
    pub(super) fn update_pace(&mut self) {
        if let Some(pace) = &mut self.pace {
            let srtt = self.view.timer.measured().map(|measured| measured.srtt);
            let stream = &self.view.stream;
            pace.update(&self.view.congestion, stream.flight(), srtt, stream.smss);
        }
    }

    /// When `on_timer` wants to be called next.
    pub(crate) fn due(&self) -> Option<Time> {
        Time::NEVER
            .or_earlier(self.view.timer.due())
            .or_earlier(self.recovery.due())
            .or_earlier(self.pace_due())
            .unless_never()
    }

    /// Once the last octet is acknowledged nothing waits any more.
    #[inline]
    fn pace_due(&self) -> Option<Time> {
        let pace = self.pace?;
        if self.view.stream.fin_acknowledged() {
            None
        } else {
            pace.due()
        }
    }

    pub(crate) const fn clock(&self) -> &StampClock {
        &self.view.clock
    }

    /// Timeouts and probes in a row that nothing came back to.
    pub(crate) const fn unanswered(&self) -> u32 {
        self.unanswered
    }

    /// The peer offers a window: at the handshake, and whenever a segment may update it (RFC 9293, section 3.10.7.4).
    pub(crate) fn offer(&mut self, octets: u64) {
        self.offered = octets;
        self.view.stream.offer(octets);
        if !self.policy.congestion_window {
            self.view.congestion.set_cwnd(octets);
        }
    }

    fn initial_window(&self) -> u64 {
        self.policy.initial_window.octets(self.view.stream.smss)
    }

    /// Octets outstanding as the mode counts them.
    fn outstanding(&self) -> u64 {
        match self.view.mode {
            Mode::Open | Mode::Detecting { .. } => self.view.stream.flight(),
            Mode::FastRecovery => self.recovery.outstanding(&self.view),
            Mode::GoingBack { .. } => self.recovery.outstanding_going_back(&self.view),
        }
    }

    fn phase(&self) -> Phase {
        match self.view.mode {
            Mode::FastRecovery => Phase::FastRecovery,
            Mode::Detecting { .. } => Phase::Detecting,
            Mode::GoingBack { .. } if self.detector.is_asking() => Phase::Detecting,
            Mode::GoingBack {
                after: Setback::FastRetransmit,
                ..
            } => Phase::FastRecovery,
            Mode::GoingBack { .. } => Phase::TimeoutRecovery,
            Mode::Open if !self.policy.congestion_window => Phase::FixedWindow,
            Mode::Open if self.view.congestion.in_slow_start() => Phase::SlowStart,
            Mode::Open => Phase::CongestionAvoidance,
        }
    }

    pub(crate) fn state(&self) -> SenderState {
        let measured = self.view.timer.measured();
        SenderState {
            cwnd_bytes: self.view.congestion.cwnd,
            ssthresh_bytes: self.view.congestion.threshold(),
            flight_bytes: self.outstanding(),
            srtt: measured.map(|measured| measured.srtt),
            rttvar: measured.and_then(|measured| measured.rttvar),
            rto: self.view.timer.rto(),
            estimated_rto: self.view.timer.estimated(),
            minimum_rto: Some(self.view.timer.lower()),
            backoff: self.view.timer.backoff(),
            phase: self.phase(),
        }
    }

    /// Nothing more can be sent at `now`: looks after the persist timer and reports what changed.
    #[inline]
    pub(crate) fn settle(&mut self, now: Time, o: &mut impl EndpointObserver) {
        if let Some(train) = self.train.take() {
            let recovering = self.view.mode == Mode::FastRecovery;
            self.view.timer.on_train(now, &train, recovering, self.view.stream.una);
        }
        if !self.view.stream.is_outstanding() {
            self.look_after_persist(now);
        }
        self.recovery.settle(&self.view, now);
        if self.changed && o.is_heard() {
            self.changed = false;
            let state = self.state();
            if self.reported != Some(state) {
                self.reported = Some(state);
                o.sender(now, &SenderEvent::State(state));
            }
        }
        self.settle_limit(now, o);
    }
}
