//! RACK-TLP: RFC 8985. A segment is lost once another one, sent later, was delivered and a reordering window has passed since;
//! duplicates are not counted. If the end of a flight is lost, nothing is delivered after it: a tail loss probe makes the
//! receiver speak.
//!
//! The RFC leaves congestion control to others (section 9.3). Here proportional rate reduction (RFC 6937) spreads what is
//! sent in a recovery, because a whole window may prove lost in one moment. After a timeout the sender goes back to what
//! counts as lost alone (section 6.3); what was sent shortly before stays outstanding.
//!
//! - `log`: what is known of each segment (section 5.2);
//! - `rack`: which of them are lost (section 6);
//! - `tlp`: the probe (section 7);
//! - `prr`: how much an acknowledgement releases in recovery.

mod log;
mod prr;
mod rack;
mod tlp;

use windlull_units::{Span, Time};
use windlull_wire::TransmitCause;

use crate::ranges::Range;
use crate::registry::RateReduction;
use crate::sender::{Ack, Mode, View};

use self::log::Log;
use self::prr::Prr;
use self::rack::Rack;
use self::tlp::{Repaired, Tlp};
use super::barrier::Barrier;
use super::{Decision, Expired, LossRecovery, Next, Transmission, Trips};

/// What the acknowledgement at hand brought.
#[derive(Clone, Copy, Debug, Default)]
struct News {
    /// Octets that it newly told to have arrived, cumulatively or selectively.
    delivered: u64,
    /// Octets newly found lost.
    lost: u64,
    /// Whether it acknowledged anything cumulatively.
    advanced: bool,
    trips: Trips,
    /// A probe that has repaired a loss.
    repaired: Option<Repaired>,
}

/// RFC 8985's state; whether it recovers, `View::mode` says.
#[derive(Clone, Debug)]
pub(crate) struct RackTlp {
    log: Log,
    rack: Rack,
    tlp: Tlp,
    prr: Prr,
    /// Where the recovery ends; of meaning in recovery alone.
    point: u64,
    barrier: Barrier,
    /// Section 6.2, step 5: the reordering timer.
    reordering_due: Option<Time>,
    news: News,
}

impl RackTlp {
    pub(crate) const fn new(reduction: RateReduction) -> Self {
        Self {
            log: Log::new(),
            rack: Rack::new(),
            tlp: Tlp::new(),
            prr: Prr::new(reduction),
            point: 0,
            barrier: Barrier::new(),
            reordering_due: None,
            news: News {
                delivered: 0,
                lost: 0,
                advanced: false,
                trips: Trips {
                    acknowledged: None,
                    selected: None,
                    ambiguous: false,
                },
                repaired: None,
            },
        }
    }

    /// Section 6.2, steps 4 and 5: octets newly lost; the timer waits for what is not yet.
    fn detect(&mut self, view: &View, now: Time) -> u64 {
        let srtt = view.timer.measured().map(|measured| measured.srtt);
        let window = self.rack.window(view.mode, self.log.selected_segments(), srtt);
        let before = self.log.lost();
        self.reordering_due = self.rack.detect(&mut self.log, now, window).map(|wait| now + wait);
        self.log.lost() - before
    }

    /// Whether a segment is lost and nothing stands in the way of a recovery.
    fn may_enter(&self, view: &View) -> bool {
        self.log.lost() > 0 && self.barrier.is_open_once_reached(view)
    }

    /// A recovery begins, in which so many octets were delivered already.
    fn enter(&mut self, view: &View, delivered: u64) -> Decision {
        let stream = &view.stream;
        let ssthresh = view.threshold_at_loss(self.log.first_lost());
        self.point = stream.max;
        self.tlp.reset();
        self.prr.begin(stream.flight(), view.congestion.cwnd);
        let pipe = self.log.pipe();
        let allowed = self
            .prr
            .on_delivered(delivered, self.is_safe(), pipe, ssthresh, stream.smss);
        Decision::Enter {
            point: stream.max,
            ssthresh,
            // The fast retransmit goes out whatever the window says (RFC 6675, section 5, step 4.3).
            cwnd: pipe + allowed.max(stream.smss),
        }
    }

    /// RFC 6937: the window is what is outstanding and what may be sent now.
    fn resize(&mut self, view: &View, delivered: u64) -> Decision {
        let pipe = self.log.pipe();
        let (ssthresh, smss) = (view.congestion.ssthresh, view.stream.smss);
        let allowed = self.prr.on_delivered(delivered, self.is_safe(), pipe, ssthresh, smss);
        Decision::Resize { cwnd: pipe + allowed }
    }

    /// Whether the acknowledgement at hand advances and tells of no further loss.
    const fn is_safe(&self) -> bool {
        self.news.advanced && self.news.lost == 0
    }

    fn on_ack_recovering(&mut self, view: &View) -> Decision {
        if view.stream.una >= self.point {
            return Decision::Leave {
                cwnd: view.congestion.ssthresh,
            };
        }
        if self.news.delivered > 0 || self.news.lost > 0 {
            self.resize(view, self.news.delivered)
        } else {
            Decision::Nothing
        }
    }
}

impl LossRecovery for RackTlp {
    fn trips(&self) -> Option<Trips> {
        Some(self.news.trips)
    }

    fn first_sent(&self) -> Option<Time> {
        self.log.first_sent()
    }

    /// Linux, `tcp_enter_loss`: within a window of data the threshold is reduced once.
    fn has_reduced_for_timeouts(&self) -> bool {
        self.prr.is_linux()
    }

    fn on_handshake(&mut self, trip: Span) {
        self.rack.on_round_trip(trip);
    }

    fn on_reordered(&mut self) {
        self.rack.on_reordered();
    }

    fn has_resent_outstanding(&self) -> bool {
        self.log.has_resent_outstanding()
    }

    /// Section 6.1.
    fn on_sent(&mut self, sent: &Transmission) {
        self.log.record(sent);
        self.tlp.on_sent(sent, &self.log);
        self.prr.on_sent(sent.octets.len());
    }

    /// Sections 6.2 and 7.4.
    fn on_news(&mut self, view: &View, ack: &Ack) {
        let stream = &view.stream;
        let exits = match view.mode {
            Mode::FastRecovery => stream.una >= self.point,
            Mode::GoingBack { point, .. } => stream.una >= point,
            Mode::Open | Mode::Detecting { .. } => false,
        };
        let Self { log, rack, .. } = self;
        let mut delivered = 0;
        let mut trips = Trips::default();
        let mut on_delivered = |segment: &log::Segment, echo: Option<u32>| {
            delivered += segment.octets.len();
            rack.on_delivered(segment, ack.now, echo, &view.clock);
        };
        log.acknowledge(stream.una, &mut |segment: &log::Segment, is_news: bool| {
            trips.ambiguous |= segment.repeated;
            if is_news {
                if !segment.repeated {
                    let trip = ack.now.since(segment.sent);
                    trips.acknowledged = Some((trips.acknowledged.map_or(trip, |(first, _)| first), trip));
                }
                on_delivered(segment, ack.echo);
            }
        });
        if ack.sacked > 0 {
            log.select(
                view.scoreboard.sacked_above(stream.una),
                &mut |segment: &log::Segment| {
                    if !segment.repeated {
                        let trip = ack.now.since(segment.sent);
                        trips.selected = Some((trips.selected.map_or(trip, |(first, _)| first), trip));
                    }
                    on_delivered(segment, None);
                },
            );
        }
        rack.adapt(stream.una, stream.max, ack.dsack, exits);
        let repaired = self.tlp.on_ack(stream.una, ack);
        let lost = self.detect(view, ack.now);
        if self.prr.is_linux() {
            delivered += ack.reported.map_or(0, Range::len);
        }
        self.news = News {
            delivered,
            lost,
            advanced: ack.advanced > 0,
            trips,
            repaired,
        };
    }

    fn on_ack(&mut self, view: &View, ack: &Ack) -> Decision {
        if view.mode == Mode::FastRecovery {
            return self.on_ack_recovering(view);
        }
        if self.may_enter(view) {
            return self.enter(view, self.news.delivered);
        }
        if let Some(probe) = self.news.repaired.filter(|probe| !view.marks.answered(probe.end)) {
            // Section 7.4.2: the probe has repaired a loss; that is one to congestion control, too.
            return Decision::Reduce {
                ssthresh: view.congestion.reduced(probe.flight, view.stream.smss),
            };
        }
        if ack.advanced > 0 {
            Decision::Grow
        } else {
            Decision::Nothing
        }
    }

    /// Section 6.3.
    fn on_timeout(&mut self, view: &View, now: Time) {
        if view.scoreboard.first().is_none() {
            self.log.unselect();
        }
        self.rack.on_timeout(&mut self.log, now);
        self.reordering_due = None;
        self.tlp.reset();
        self.barrier.on_going_back(view);
    }

    /// What the timer declared lost is not; acknowledgements will tell if any of it is.
    fn on_spurious(&mut self, view: &View) {
        self.log.forgive();
        self.barrier.on_spurious(view);
    }

    /// What was sent in the recovery, and is lost, makes one of its own.
    fn on_open(&mut self, view: &View) -> Decision {
        if self.may_enter(view) {
            self.enter(view, 0)
        } else {
            Decision::Nothing
        }
    }

    /// What is lost, then new data, as far as the window has room.
    fn next(&mut self, view: &View) -> Option<Next> {
        if self.log.pipe() + view.stream.smss > view.congestion.cwnd {
            return None;
        }
        Some(self.log.first_lost().map_or(Next::New, |range| Next::Again {
            range,
            cause: TransmitCause::LostByTime,
        }))
    }

    fn first_lost(&self, _: &View) -> Option<Range> {
        self.log.first_lost()
    }

    fn each_lost(&self, tell: &mut dyn FnMut(Range)) {
        self.log.each_lost(tell);
    }

    fn next_going_back(&self, _: &View) -> Option<Range> {
        self.log.first_lost()
    }

    /// Limited transmit governed by what is outstanding, as RFC 6675, section 5, step 3 has it.
    fn may_exceed(&self, view: &View, octets: u64) -> bool {
        self.log.selected_segments() > 0 && self.log.pipe() + octets <= view.congestion.cwnd
    }

    /// RFC 6937, section 3: at its end the threshold. Until then the window is what is outstanding and what may be sent now,
    /// which may be far less.
    fn window_left(&self, view: &View) -> u64 {
        view.congestion.ssthresh
    }

    fn outstanding(&self, _: &View) -> u64 {
        self.log.pipe()
    }

    fn outstanding_going_back(&self, _: &View) -> u64 {
        self.log.pipe()
    }

    fn reads_sack(&self) -> bool {
        true
    }

    fn due(&self) -> Option<Time> {
        [self.reordering_due, self.tlp.due()].into_iter().flatten().min()
    }

    fn on_timer(&mut self, view: &View, now: Time) -> Expired {
        if self.tlp.expires(now, &view.timer) {
            return self.log.tail().map_or(Expired::Nothing, |tail| Expired::Probe { tail });
        }
        if self.reordering_due.is_none_or(|due| due > now) {
            return Expired::Nothing;
        }
        let lost = self.detect(view, now);
        if view.mode == Mode::FastRecovery && lost > 0 {
            Expired::Decided(self.resize(view, 0))
        } else if self.may_enter(view) {
            Expired::Decided(self.enter(view, 0))
        } else {
            Expired::Nothing
        }
    }

    fn settle(&mut self, view: &View, now: Time) {
        let may_probe = view.mode == Mode::Open && self.log.selected_segments() == 0;
        self.tlp.settle(&self.log, &view.timer, now, may_probe);
    }
}
