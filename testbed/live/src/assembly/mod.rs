//! After a run: both captures, the link's log and what the senders said become one stream for the `Observer` of each
//! connection, as the simulator tells it.
//!
//! A packet is known again by its fingerprint; of packets that are alike the first to leave is the first to arrive, and the link
//! tells which of them were lost, or else their delays do. The link's numbers give way to those of the order of telling, so that
//! the observers need not know of threads.

mod alike;
mod causes;
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

pub(crate) use causes::causes;
pub(crate) use findings::{Findings, spread};
pub(crate) use pieces::{ConnectionPieces, Entered, LinkLog, Pieces, Reason};
pub(crate) use seen::Capture;

/// Tells each connection to the observer of its place, packets numbered for each by itself; what was found on the way is for
/// the certificate.
pub(crate) fn tell<O: Observer>(pieces: &Pieces, observers: &mut [O]) -> Findings {
    let matches = matching::Matches::find(&pieces.captures, &pieces.link);
    let findings = findings::find(pieces, &matches);
    for (number, observer) in observers.iter_mut().enumerate() {
        story::tell(pieces, number, &matches, observer);
    }
    findings
}
