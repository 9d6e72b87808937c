//! F-RTO combined with Eifel: sarolahti2003, section 5.2. The paper does not say how; here both must find it: F-RTO holds the sender
//! and probes, and its second acknowledgement counts only if the first one echoed a segment older than the retransmission.
//!
//! A retransmission that had arrived before, so that acknowledgements alone were lost, looks spurious to Eifel though the
//! segments after it may be lost; F-RTO's probes then bring duplicates.

use crate::registry::FrtoTimeouts;
use crate::sender::{Ack, View};

use super::eifel::Eifel;
use super::frto::Frto;
use super::{Detector, Expiry, Finding, Stance, Step};

/// Both detectors, and what Eifel has said of this timeout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrtoEifel {
    frto: Frto,
    eifel: Eifel,
    said: Option<Finding>,
}

impl FrtoEifel {
    pub(crate) const fn new(timeouts: FrtoTimeouts) -> Self {
        Self {
            frto: Frto::new(timeouts),
            eifel: Eifel::new(),
            said: None,
        }
    }
}

impl Detector for FrtoEifel {
    fn on_timeout(&mut self, view: &View, expiry: &Expiry) -> Step<Stance> {
        self.said = None;
        self.eifel.on_timeout(view, expiry);
        self.frto.on_timeout(view, expiry)
    }

    fn on_ack(&mut self, view: &View, ack: &Ack) -> Step<Finding> {
        match self.eifel.on_ack(view, ack).outcome {
            Finding::Nothing => {}
            said => self.said = Some(said),
        }
        let step = self.frto.on_ack(view, ack);
        match (step.outcome, self.said) {
            (Finding::Spurious, Some(Finding::GoOn { answer })) => Step::by(
                "F-RTO with Eifel: second ACK advances SND.UNA, but the first echoed nothing older, go back N from three segments",
                Finding::GoBack { segments: 3, answer },
            ),
            (Finding::Spurious, Some(Finding::Spurious)) => Step::by(
                "F-RTO with Eifel: second ACK advances SND.UNA and the first echoed an older segment, the timeout was spurious",
                Finding::Spurious,
            ),
            _ => step,
        }
    }

    fn is_asking(&self) -> bool {
        self.frto.is_asking()
    }

    fn reads_sack(&self) -> bool {
        false
    }
}
