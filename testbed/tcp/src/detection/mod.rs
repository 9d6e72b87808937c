//! Detection of spurious timeouts: was the original lost, or only late?

pub(crate) mod dsack;
pub(crate) mod ecn_nonce;
pub(crate) mod eifel;
pub(crate) mod eifel_or_dsack;
pub(crate) mod frto;
pub(crate) mod frto_eifel;
pub(crate) mod frto_sack;
pub(crate) mod min_rtt;
pub(crate) mod none;
pub(crate) mod snr;
pub(crate) mod stoder;

use windlull_units::Time;
use windlull_wire::DetectorAnswer;

use crate::ranges::Range;
use crate::registry::{FrtoTimeouts, mechanisms};
use crate::sender::{Ack, View};

mechanisms! {
    $
    /// How a sender finds out that a timeout was spurious.
    Detection as DetectionMechanism(timeouts: FrtoTimeouts), dispatch_detection {
        /// It never asks: every timeout counts as a loss.
        None = "none" => none::NoDetection, none::NoDetection;
        /// Forward RTO-recovery, basic (sarolahti2003, section 3; RFC 5682, section 2).
        Frto = "frto" => frto::Frto, frto::Frto::new(timeouts);
        /// Forward RTO-recovery that gives up unless both new segments can be sent (wen2010, II.E).
        FrtoBoth = "frto-both" => frto::Frto, frto::Frto::with_both(timeouts);
        /// Forward RTO-recovery that sends the last segment again where nothing new can be sent (sarolahti2003, section 6).
        FrtoTail = "frto-tail" => frto::Frto, frto::Frto::with(Substitute::Tail, timeouts);
        /// Forward RTO-recovery that sends an octet beyond the peer's window where that is full (sarolahti2003, section 6).
        FrtoBeyond = "frto-beyond"
            => frto::Frto, frto::Frto::with(Substitute::BeyondWindow, timeouts);
        /// Forward RTO-recovery, and Eifel must find it too (sarolahti2003, section 5.2).
        FrtoEifel = "frto-eifel" => frto_eifel::FrtoEifel, frto_eifel::FrtoEifel::new(timeouts);
        /// Forward RTO-recovery with selective acknowledgements (RFC 5682, section 3).
        FrtoSack = "frto-sack" => frto_sack::FrtoSack, frto_sack::FrtoSack::new();
        /// Eifel: by the echoed timestamp (RFC 3522).
        Eifel = "eifel" => eifel::Eifel, eifel::Eifel::new();
        /// An acknowledgement comes sooner than the shortest round trip (gurtov2003, II.C).
        MinRtt = "min-rtt" => min_rtt::MinRtt, min_rtt::MinRtt::new();
        /// All that was sent again is reported as a duplicate (RFC 3708, section 3).
        Dsack = "dsack" => dsack::Dsack, dsack::Dsack::new();
        /// Eifel, or all that was sent again is reported as a duplicate (Linux, `tcp_may_undo`).
        EifelOrDsack = "eifel-or-dsack" => eifel_or_dsack::EifelOrDsack, eifel_or_dsack::EifelOrDsack::new();
        /// The retransmission is shorter than the original (wen2010, II.C).
        Stoder = "stoder" => stoder::Stoder, stoder::Stoder::new();
        /// The retransmission goes in two halves (wen2010, III).
        Snr = "snr" => snr::Snr, snr::Snr::new();
        /// The receiver's sum of nonces tells whether the original arrived (wen2010, II.B).
        EcnNonce = "ecn-nonce" => ecn_nonce::EcnNonce, ecn_nonce::EcnNonce::new();
    }
}

/// The retransmission timer fired. `View::mode` is still what it was before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expiry {
    /// When, which is when the retransmission leaves.
    pub(crate) now: Time,
    /// Whether the same segment had timed out before.
    pub(crate) repeated: bool,
}

/// What a detector wants of the sender at a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stance {
    /// Go back N at once; the detector may listen on.
    GoBack,
    /// Retransmit the first segment, leave the window as it is, and wait.
    Hold,
}

/// How the segment that timed out is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Whole,
    /// So many octets shorter, if it has more.
    ShorterBy(u64),
    /// In two halves, if it has two octets.
    Halves,
}

/// What a probe sends where nothing new can be sent (sarolahti2003, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Substitute {
    /// The last segment outstanding, again.
    Tail,
    /// An octet of new data beyond the peer's window.
    BeyondWindow,
}

/// What an acknowledgement tells a detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// Nothing; it waits on, or was never asked.
    Nothing,
    /// Send up to this many new segments and wait for the next acknowledgement; the window becomes the threshold.
    Probe { segments: u32 },
    /// Send something else than new segments and wait for the next acknowledgement; the window becomes the threshold.
    ProbeWith(Substitute),
    /// Not spurious, or it cannot tell: conventional recovery from a window of so many segments.
    GoBack { segments: u64, answer: DetectorAnswer },
    /// Not spurious, or it cannot tell, and the conventional recovery it listened to goes on.
    GoOn { answer: DetectorAnswer },
    /// Spurious: the response decides what follows.
    Spurious,
}

/// What a detector did, and by which rule; the rule is for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step<T> {
    pub(crate) rule: Option<&'static str>,
    pub(crate) outcome: T,
}

impl<T> Step<T> {
    pub(crate) const fn by(rule: &'static str, outcome: T) -> Self {
        Self {
            rule: Some(rule),
            outcome,
        }
    }

    pub(crate) const fn silent(outcome: T) -> Self {
        Self { rule: None, outcome }
    }
}

/// One way to find out whether a timeout was spurious.
pub(crate) trait Detector {
    /// The timer fired; the first segment is about to be sent again.
    fn on_timeout(&mut self, view: &View<'_>, expiry: &Expiry) -> Step<Stance>;

    /// A segment with payload goes out, for the first time or again, with this nonce (RFC 3540).
    fn on_sent(&mut self, _octets: Range, _again: bool, _nonce: bool) {}

    /// An acknowledgement arrived, whether the detector is asking or not.
    fn on_news(&mut self, _: &View<'_>, _: &Ack) {}

    /// Octets are sent again; `whole` is the segment that they are the beginning of, or all of.
    fn on_resent(&mut self, _sent: Range, _whole: Range) {}

    /// An acknowledgement arrived while the detector was asking.
    fn on_ack(&mut self, view: &View<'_>, ack: &Ack) -> Step<Finding>;

    /// Whether it waits for an answer.
    fn is_asking(&self) -> bool;

    /// Whether SACK blocks are of use to it.
    fn reads_sack(&self) -> bool;

    /// How it wants the segment that timed out.
    fn shape(&self) -> Shape {
        Shape::Whole
    }
}

impl DetectionMechanism {
    pub(crate) fn on_timeout(&mut self, view: &View<'_>, expiry: &Expiry) -> Step<Stance> {
        dispatch_detection!(self, mechanism => mechanism.on_timeout(view, expiry))
    }

    pub(crate) fn on_ack(&mut self, view: &View<'_>, ack: &Ack) -> Step<Finding> {
        dispatch_detection!(self, mechanism => mechanism.on_ack(view, ack))
    }

    #[inline]
    pub(crate) fn is_asking(&self) -> bool {
        dispatch_detection!(self, mechanism => mechanism.is_asking())
    }

    pub(crate) fn reads_sack(&self) -> bool {
        dispatch_detection!(self, mechanism => mechanism.reads_sack())
    }

    #[inline]
    pub(crate) fn on_sent(&mut self, octets: Range, again: bool, nonce: bool) {
        dispatch_detection!(self, mechanism => mechanism.on_sent(octets, again, nonce));
    }

    #[inline]
    pub(crate) fn on_news(&mut self, view: &View<'_>, ack: &Ack) {
        dispatch_detection!(self, mechanism => mechanism.on_news(view, ack));
    }

    pub(crate) fn on_resent(&mut self, sent: Range, whole: Range) {
        dispatch_detection!(self, mechanism => mechanism.on_resent(sent, whole));
    }

    pub(crate) fn shape(&self) -> Shape {
        dispatch_detection!(self, mechanism => mechanism.shape())
    }
}
