//! Detection of spurious timeouts: was the original lost, or only late?

pub(crate) mod dsack;
pub(crate) mod ecn_nonce;
pub(crate) mod eifel;
pub(crate) mod eifel_or_dsack;
pub(crate) mod frto;
pub(crate) mod frto_eifel;
pub(crate) mod frto_or_eifel;
pub(crate) mod frto_sack;
mod interface;
pub(crate) mod min_rtt;
pub(crate) mod none;
pub(crate) mod snr;
pub(crate) mod stoder;

use crate::ranges::Range;
use crate::registry::{FrtoTimeouts, mechanisms};
use crate::sender::{Ack, View};
pub(crate) use interface::*;

mechanisms! {
    /// How a sender finds out that a timeout was spurious.
    Detection as DetectionMechanism: Detector(timeouts: FrtoTimeouts) {
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
        /// Forward RTO-recovery with selective acknowledgements, or Eifel: whichever finds it first (Linux, `tcp_process_loss`).
        FrtoOrEifel = "frto-or-eifel" => frto_or_eifel::FrtoOrEifel, frto_or_eifel::FrtoOrEifel::new();
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
