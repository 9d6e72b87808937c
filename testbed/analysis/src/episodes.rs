//! Episodes: from the onset of a trouble to the recovery from it, with what happened between, in words.
//!
//! ```text
//!   calm -- a data segment is lost, a long pause begins, rate or delay get much --> trouble
//!     ^     worse, the sender resends                                             |
//!     +-- all is acknowledged that was outstanding at the last trouble, no pause, --+
//!         no recovery and no detection is under way
//! ```
//!
//! What else the link does in calm waits as a possible cause until what was outstanding then is acknowledged.

mod causes;
mod changes;
mod declared;
mod draft;
mod record;
mod repeats;
mod story;
mod tracker;
mod view;
mod words;

pub use causes::Cause;
pub use changes::Change;
pub use record::{
    Cost, DetectorStep, Episode, Outstanding, Reaction, ReactionKind, ResentCounts, ResponseRecord, Windows,
};
pub(crate) use story::Verdicts;
pub(crate) use tracker::{Loss, Resent, Tracker};
pub(crate) use view::View;
pub use words::Sentence;
pub(crate) use words::{counted, went};
