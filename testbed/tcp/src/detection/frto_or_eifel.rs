//! F-RTO with SACK, or Eifel, whichever finds it first: Linux, net/ipv4/tcp_input.c, `tcp_process_loss`. F-RTO holds the
//! sender after the timeout and probes; an acknowledgement that echoes a segment older than the retransmission ends that at once.
//!
//! RFC 3522's exceptions where acknowledgements alone may have been lost (step 5) are not Linux's.
//!
//! F-RTO does not examine a timeout in the recovery from another one; there conventional recovery runs while Eifel listens.

use crate::sender::{Ack, View};

use super::eifel::{Eifel, judge_as_linux};
use super::frto_sack::FrtoSack;
use super::{Detector, Expiry, Finding, Stance, Step};

/// Both detectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrtoOrEifel {
    frto: FrtoSack,
    eifel: Eifel,
}

impl FrtoOrEifel {
    pub(crate) const fn new() -> Self {
        Self {
            frto: FrtoSack::new(),
            eifel: Eifel::new(),
        }
    }
}

impl Detector for FrtoOrEifel {
    fn on_timeout(&mut self, view: &View, expiry: &Expiry) -> Step<Stance> {
        self.eifel.on_timeout(view, expiry);
        self.frto.on_timeout(view, expiry)
    }

    fn on_ack(&mut self, view: &View, ack: &Ack) -> Step<Finding> {
        let echoed = match self.eifel {
            Eifel::Listening { stamp } if ack.advanced > 0 => {
                self.eifel = Eifel::Idle;
                judge_as_linux(stamp, ack)
            }
            Eifel::Listening { .. } | Eifel::Idle => Step::silent(Finding::Nothing),
        };
        if echoed.outcome == Finding::Spurious {
            self.frto.decide(view);
            return echoed;
        }
        if self.frto.is_asking() {
            return self.frto.on_ack(view, ack);
        }
        echoed
    }

    fn is_asking(&self) -> bool {
        self.frto.is_asking() || self.eifel.is_asking()
    }

    fn reads_sack(&self) -> bool {
        true
    }
}
