//! What is judged, and how it can turn out.
//!
//! The truth is in the fates. A **retransmission** is *unnecessary* if every octet of it belongs to an earlier copy
//! that the link delivers intact, before or after; else it is *necessary*. An unnecessary one has the reason
//! *ack-lost* if the receiver had acknowledged its octets before it could be told anything newer, and all those
//! acknowledgements were lost; else *delayed*. A **timeout** is *spurious* if it would not have happened had the
//! sender waited long enough: its segment is delivered and the acknowledgement is only late, or the segment comes
//! after its own retransmission. Else it is *genuine*, because of lost data or lost acknowledgements. A **fast
//! retransmit** is *spurious* if its segment was unnecessary: acknowledgements misled it, as where packets overtake each
//! other; else it is *genuine*.

use schemars::JsonSchema;
use serde::Serialize;
use windlull_units::{DropCause, PacketId, Time};
use windlull_wire::TransmitCause;

/// Whether a retransmission had to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Some octet of it was lost in every earlier copy.
    Necessary,
    /// The receiver gets all of it from earlier copies.
    Unnecessary,
    /// The captures do not tell.
    Unknown,
}

/// Whether a timeout or a fast retransmit had to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Truth {
    /// Nothing was lost that it was for: the sender had not waited long enough, or order had misled it.
    Spurious,
    /// It had to be: waiting would not have helped.
    Genuine,
    /// The captures do not tell.
    Unknown,
}

windlull_units::named! {
    /// Why.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    pub enum Reason {
        /// The segment or its acknowledgement was late.
        Delayed = "delayed",
        /// The segment arrived; every acknowledgement that said so was lost.
        AckLost = "ack-lost",
        /// The segment was lost.
        DataLost = "data-lost",
    }
}

impl Verdict {
    /// What it says of the fast retransmit that sent the segment.
    pub(crate) const fn of_fast_retransmit(self) -> Truth {
        match self {
            Self::Necessary => Truth::Genuine,
            Self::Unnecessary => Truth::Spurious,
            Self::Unknown => Truth::Unknown,
        }
    }
}

/// What the sender could have known itself, where the other end's capture is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// The receiver reported a duplicate (RFC 2883): the retransmission or an earlier copy was unnecessary.
    DSack,
    /// The acknowledgement echoed a timestamp older than the retransmission (RFC 3522).
    Timestamps,
}

/// What became of the octets before they were sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// The receiver had all of them from earlier copies.
    Delivered {
        /// When the last of them arrived; `None` if that is long ago.
        at: Option<Time>,
    },
    /// The first of them that was lost in every copy was first lost so; what is not known is absent.
    Lost {
        at: Option<Time>,
        /// By what; absent too if it arrived corrupted.
        by: Option<DropCause>,
    },
    Unknown,
}

/// The verdict on a retransmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    pub id: PacketId,
    /// How it was judged.
    pub verdict: Verdict,
    /// Why, if that is known.
    pub reason: Option<Reason>,
    /// The facts behind the verdict.
    pub before: Before,
    /// Which rule of the sender sent it, if it said so.
    pub cause: Option<TransmitCause>,
}

impl Judgement {
    /// In words, as the packet's comment in a capture.
    pub fn comment(&self) -> String {
        let reason = self
            .reason
            .map_or(String::new(), |reason| format!(" ({})", reason.name()));
        let verdict = match self.verdict {
            Verdict::Necessary => "necessary",
            Verdict::Unnecessary => "unnecessary",
            Verdict::Unknown => "not known whether necessary",
        };
        let before = match self.before {
            Before::Delivered { at } => format!(": original delivered{}", at_seconds(at)),
            Before::Lost { at, by } => {
                let at = at_seconds(at);
                let by = by.map_or(String::new(), |by| format!(" ({})", by.name()));
                format!(": original lost{at}{by}")
            }
            Before::Unknown => String::new(),
        };
        let cause = self
            .cause
            .map_or(String::new(), |cause| format!("; cause: {}", cause.name()));
        format!("windlull: retransmission, {verdict}{reason}{before}{cause}")
    }
}

/// ` at`, and seconds to the millisecond, as Wireshark's time column shows them.
fn at_seconds(at: Option<Time>) -> String {
    at.map_or(String::new(), |at| format!(" at {:.3} s", at.as_secs_f64()))
}
