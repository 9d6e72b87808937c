//! After a run: both captures, the link's log and what the sender said become the one stream of an `Observer`, as the
//! simulator tells it.
//!
//! A packet is known again by its fingerprint; of packets that are alike the first to leave is the first to arrive. The
//! link's numbers give way to those of the order of telling, so that the observers need not know of threads.

mod fates;
mod findings;
mod matching;
mod pieces;
mod seen;
mod story;
#[cfg(test)]
mod tests;
mod told;

use windlull_capture::Observer;

pub(crate) use findings::{Findings, spread};
pub(crate) use pieces::{Entered, LinkLog, Pieces, Reason};
pub(crate) use seen::Capture;

/// Tells the run to the observer; what was found on the way is for the certificate.
pub(crate) fn tell(pieces: &Pieces, observer: &mut impl Observer) -> Findings {
    let matches = matching::Matches::find(&pieces.captures, &pieces.link);
    let findings = findings::find(pieces, &matches);
    story::tell(pieces, &matches, observer);
    findings
}
