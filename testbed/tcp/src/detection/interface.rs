//! What a detector of spurious timeouts is told, and what it says.

use ambassador::delegatable_trait;
use windlull_units::Time;
use windlull_wire::DetectorAnswer;

use crate::ranges::Range;
use crate::sender::{Ack, View};

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
#[delegatable_trait]
pub(crate) trait Detector {
    /// The timer fired; the first segment is about to be sent again.
    fn on_timeout(&mut self, view: &View, expiry: &Expiry) -> Step<Stance>;

    /// A segment with payload goes out, for the first time or again, with this nonce (RFC 3540).
    fn on_sent(&mut self, _octets: Range, _again: bool, _nonce: bool) {}

    /// An acknowledgement arrived, whether the detector is asking or not.
    fn on_news(&mut self, _view: &View, _ack: &Ack) {}

    /// Octets are sent again; `whole` is the segment that they are the beginning of, or all of.
    fn on_resent(&mut self, _sent: Range, _whole: Range) {}

    /// An acknowledgement arrived while the detector was asking.
    fn on_ack(&mut self, view: &View, ack: &Ack) -> Step<Finding>;

    /// Whether it waits for an answer.
    fn is_asking(&self) -> bool;

    /// Whether SACK blocks are of use to it.
    fn reads_sack(&self) -> bool;

    /// How it wants the segment that timed out.
    fn shape(&self) -> Shape {
        Shape::Whole
    }
}
