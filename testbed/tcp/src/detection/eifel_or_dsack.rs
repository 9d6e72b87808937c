//! Eifel or reports of duplicates, whichever finds it: Linux, net/ipv4/tcp_input.c, `tcp_may_undo`, which undoes a timeout if an
//! acknowledgement echoes a segment older than the retransmission, or once all that was sent again is reported as received
//! twice.
//!
//! Eifel answers first, with the first acceptable acknowledgement. Where it does not find the timeout spurious, the reports
//! decide: the retransmission may have overtaken the original, and peers without timestamps echo nothing.

use crate::ranges::Range;
use crate::sender::{Ack, View};

use super::dsack::Dsack;
use super::eifel::Eifel;
use super::{Detector, Expiry, Finding, Stance, Step};

/// Both detectors.
#[derive(Clone, Debug)]
pub(crate) struct EifelOrDsack {
    eifel: Eifel,
    dsack: Dsack,
}

impl EifelOrDsack {
    pub(crate) const fn new() -> Self {
        Self {
            eifel: Eifel::new(),
            dsack: Dsack::new(),
        }
    }
}

impl Detector for EifelOrDsack {
    fn on_timeout(&mut self, view: &View, expiry: &Expiry) -> Step<Stance> {
        self.eifel.on_timeout(view, expiry);
        self.dsack.on_timeout(view, expiry)
    }

    fn on_resent(&mut self, sent: Range, whole: Range) {
        self.dsack.on_resent(sent, whole);
    }

    fn on_ack(&mut self, view: &View, ack: &Ack) -> Step<Finding> {
        let echoed = self.eifel.on_ack(view, ack);
        if echoed.outcome == Finding::Spurious {
            *self = Self::new();
            return echoed;
        }
        self.dsack.on_ack(view, ack)
    }

    fn is_asking(&self) -> bool {
        self.dsack.is_asking()
    }

    fn reads_sack(&self) -> bool {
        false
    }
}
