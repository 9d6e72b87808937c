//! What is said of two runs and of where they part.

use schemars::JsonSchema;
use serde::Serialize;
use windlull_units::{Direction, Span, Time};
use windlull_wire::SenderState;

use crate::episodes::Sentence;

windlull_units::named! {
    /// How the packets of two senders differ.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    #[schemars(rename = "PartingHow")]
    pub enum How {
        /// Both sent at that instant, and not the same octets.
        Octets = "octets",
        /// One sent what the other sent later.
        Time = "time",
        /// One sent, and the other sent something else later, or nothing more.
        OneAlone = "one-alone",
    }
}

windlull_units::named! {
    /// Who did otherwise first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    #[schemars(rename = "PartingOrigin")]
    pub enum Origin {
        /// The data senders: both had heard the same until then.
        Sender = "sender",
        /// The data receivers: the senders had heard other acknowledgements, though the link had done the same to both.
        Receiver = "receiver",
        /// The link: a packet had met another fate.
        Link = "link",
        /// The senders had heard otherwise, and what the link did was not kept.
        Unknown = "unknown",
    }
}

windlull_units::named! {
    /// What a sender did when the two parted.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    #[schemars(rename = "PartingDid")]
    pub enum Did {
        /// It sent its packet then.
        Sent = "sent",
        /// It sent its next packet later.
        SentLater = "sent-later",
        /// It sent no packet from then on.
        SentNoMore = "sent-no-more",
    }
}

windlull_units::named! {
    /// Of which of two runs something is said.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    #[schemars(rename = "WhichOfTwo")]
    pub enum Whose {
        Both = "both",
        A = "a",
        B = "b",
    }
}

/// Where two runs part, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Difference {
    /// Instants of the two runs that are no farther apart count as the same.
    pub tolerance_ns: Span,
    /// How many packets both data senders sent alike before they parted.
    pub sent_alike: u64,
    /// Where they part; null if both sent the same packets at the same times.
    pub parting: Option<Parting>,
    /// What the link did to both until then, or in all.
    pub fates: FatesCompared,
    /// The first packet that the data senders heard otherwise until then; null if they heard the same.
    pub heard: Option<HeardOtherwise>,
    /// What happened, in order of time.
    pub story: Vec<StoryOfTwo>,
}

impl Difference {
    /// Whether the link is known to have done the same to both until they parted.
    pub fn is_on_same_fates(&self) -> bool {
        self.fates.compared.is_some_and(|packets| packets > 0) && self.fates.first.is_none()
    }
}

/// The first instant at which two data senders did not send the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Parting {
    pub at_ns: Time,
    pub how: How,
    pub origin: Origin,
    /// What both had decided, in few words: partings of the same kind have the same.
    pub kind: PartingKind,
    pub a: Deed,
    pub b: Deed,
    /// The packets around it, of both.
    pub window: PartingWindow,
}

/// A pair of decisions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PartingKind {
    pub a: String,
    pub b: String,
}

/// What a data sender did when the two parted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PartingDeed")]
pub struct Deed {
    pub did: Did,
    /// The packet that it sent then, or next.
    pub packet: Option<PassedPacket>,
    /// The decision by which it did so.
    pub decision: Decision,
    /// What it had decided until then and the other had not, in order of time.
    pub decided: Vec<Sentence>,
    /// Decisions of that kind that are left out.
    pub untold: u64,
    /// Its variables after that instant, where it tells them.
    pub state: Option<SenderState>,
}

/// A decision of a data sender.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PartingDecision")]
pub struct Decision {
    /// In few words, as `timeout`, `detector F-RTO 2a` or `nothing`.
    pub name: String,
    pub text: String,
    /// The rule that it followed, with the clause of its RFC or paper, where that is known.
    pub rule: Option<String>,
}

/// A packet at the data sender's end. Positions are octets of the stream, 0 being the first after SYN.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PassedPacket {
    pub at_ns: Time,
    /// Its number in the run, as in `fates.csv`.
    pub id: Option<u64>,
    /// Whether the data sender sent it, or heard it.
    pub sent: bool,
    /// Its control bits, as `SYN ACK`.
    pub flags: String,
    /// Its first octet; null of a SYN.
    pub start: Option<u64>,
    /// Octets of payload.
    pub octets: u32,
    /// Whether some of it had been sent before.
    pub again: bool,
    /// Of what was heard: all before this octet is acknowledged.
    pub acked: Option<u64>,
    /// Of what was heard: the blocks of its SACK option, first octet and the one after the last.
    pub sack: Vec<[u64; 2]>,
    /// Of a retransmission: the rule that sent it, if the sender says so.
    pub cause: Option<&'static str>,
    /// Of a retransmission: the verdict.
    pub verdict: Option<String>,
    /// When the link delivered or lost it; null if that was not kept.
    pub ended_ns: Option<Time>,
    /// `delivered`, or by what it was lost, as in `fates.csv`.
    pub end: Option<&'static str>,
}

/// The packets of two runs around an instant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PartingWindow {
    pub from_ns: Time,
    pub to_ns: Time,
    pub a: Vec<PassedPacket>,
    pub b: Vec<PassedPacket>,
    /// Packets of that time that are left out, of both: those farthest from the instant.
    pub left_out: u64,
}

/// How far the link did the same to both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FatesCompared {
    /// Packets of both directions that came to the link at the same time in both runs; null if a run did not keep fates.
    pub compared: Option<u64>,
    /// The first of them to which the link did otherwise.
    pub first: Option<OtherFate>,
}

/// A packet with another fate in each of two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OtherFate {
    pub direction: Direction,
    /// It is the n-th packet of its direction, from 1.
    pub number: u64,
    /// When it came to the link.
    pub entered_ns: Time,
    pub a: EndOfPacket,
    pub b: EndOfPacket,
}

/// How a packet's way over the link ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EndOfPacket {
    pub id: u64,
    /// `delivered`, or by what it was lost.
    pub end: &'static str,
    pub at_ns: Time,
    pub marked: bool,
    pub corrupted: bool,
}

/// The first packet that two data senders heard otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HeardOtherwise {
    pub at_ns: Time,
    pub how: How,
    /// What that of run A heard; null if nothing more.
    pub a: Option<PassedPacket>,
    pub b: Option<PassedPacket>,
}

/// A sentence on one run, or on both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StoryOfTwo {
    pub at_ns: Time,
    pub of: Whose,
    pub text: String,
}
