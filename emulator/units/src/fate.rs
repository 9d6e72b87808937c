//! What the link did to one packet: every packet has exactly one fate.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use crate::{Bytes, Span, Time};

crate::named! {
    /// One of the two ends of the link. The server stands on the fixed side, the client on the far side of the link.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "lowercase"))]
    #[cfg_attr(feature = "schema", derive(JsonSchema))]
    #[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
    pub enum Host {
        /// The fixed end.
        Server = "server",
        /// The mobile end.
        Client = "client",
    }
}

crate::named! {
    /// The way a packet takes over the link.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "lowercase"))]
    #[cfg_attr(feature = "schema", derive(JsonSchema))]
    pub enum Direction {
        /// From server to client.
        Down = "down",
        /// From client to server.
        Up = "up",
    }
}

impl Host {
    /// The other end.
    pub const fn peer(self) -> Self {
        match self {
            Self::Server => Self::Client,
            Self::Client => Self::Server,
        }
    }

    /// The direction in which this host sends.
    pub const fn sends(self) -> Direction {
        match self {
            Self::Server => Direction::Down,
            Self::Client => Direction::Up,
        }
    }
}

impl Direction {
    /// The other way.
    pub const fn reverse(self) -> Self {
        match self {
            Self::Down => Self::Up,
            Self::Up => Self::Down,
        }
    }

    /// The host that packets of this direction reach.
    pub const fn reaches(self) -> Host {
        match self {
            Self::Down => Host::Client,
            Self::Up => Host::Server,
        }
    }
}

/// The number of a packet within its run, in order of arrival at the link over both directions. Duplicates that
/// the link makes get numbers of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(transparent))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(inline))]
pub struct PacketId(pub u64);

crate::named! {
    /// Why the link lost a packet.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
    #[cfg_attr(feature = "schema", derive(JsonSchema))]
    pub enum DropCause {
        /// The queue was full: congestion.
        QueueOverflow = "queue-overflow",
        /// The queue's management dropped it before the queue was full: congestion.
        QueueEarly = "queue-early",
        /// An independent, Gilbert-Elliott or two-state loss process.
        RandomLoss = "random-loss",
        /// A bit error that the link layer detects and does not repair.
        BitError = "bit-error",
        /// An outage: a renewal or scripted `drop`.
        Outage = "outage",
        /// A selector named this very packet.
        Chosen = "chosen",
        /// The link layer's retransmission gave up (bounded persistence).
        ArqGaveUp = "arq-gave-up",
        /// A policer found it to exceed its rate and burst.
        Policer = "policer",
        /// A later acknowledgement of its connection says all that it did, and took its place in the queue.
        AckThinned = "ack-thinned",
        /// Whoever carried it does not say: the kernel's own link. It was sent and never arrived.
        Unknown = "unknown",
    }
}

impl DropCause {
    /// Whether something is lost by it: an acknowledgement that was thinned out is in the later one.
    pub const fn is_loss(self) -> bool {
        !matches!(self, Self::AckThinned)
    }

    /// Whether a queue lost it that held too much.
    pub const fn is_congestion(self) -> bool {
        matches!(self, Self::QueueOverflow | Self::QueueEarly)
    }
}

/// How a packet's passage over the link ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(Serialize, Deserialize),
    serde(tag = "end", rename_all = "kebab-case")
)]
pub enum Outcome {
    /// It reached the other end.
    Delivered {
        /// When its last bit arrived and it was released in order.
        at: Time,
    },
    /// It was lost on the way.
    Dropped {
        /// When.
        at: Time,
        /// By what.
        by: DropCause,
    },
}

impl Outcome {
    /// When the passage ended.
    pub const fn at(self) -> Time {
        match self {
            Self::Delivered { at } | Self::Dropped { at, .. } => at,
        }
    }

    /// How it ended, as `fates.csv` has it: `delivered`, or the cause by which the packet was dropped.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Delivered { .. } => "delivered",
            Self::Dropped { by, .. } => by.name(),
        }
    }
}

/// The whole story of one packet on the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Fate {
    /// Its number.
    pub id: PacketId,
    /// Which way it went.
    pub direction: Direction,
    /// Its size as the link counts it for queues: the IP packet, without framing.
    pub size: Bytes,
    /// When it arrived at the link.
    pub entered: Time,
    /// When its first bit left the queue; `None` if it never did.
    pub started: Option<Time>,
    /// When its last bit was sent; `None` if it never was.
    pub sent: Option<Time>,
    /// How long impairments (holds, chosen delays, in-order waiting) kept it beyond queueing, serialisation and propagation.
    pub held: Span,
    /// Packets of this direction in the queue when it arrived, itself not counted.
    pub queue_packets: u32,
    /// Whether the queue marked it, instead of a drop, as having experienced congestion.
    pub marked: bool,
    /// Whether the link flipped bits in it that its own checks do not see.
    pub corrupted: bool,
    /// Whether it overtook an earlier packet of its direction or was overtaken on purpose.
    pub reordered: bool,
    /// The packet this one is a copy of, if the link duplicated it.
    pub duplicate_of: Option<PacketId>,
    /// The end of the story.
    pub outcome: Outcome,
}

impl Fate {
    /// Of a packet of which nothing is known, or happened, but how it ended.
    #[inline]
    pub const fn plain(id: PacketId, direction: Direction, size: Bytes, entered: Time, outcome: Outcome) -> Self {
        Self {
            id,
            direction,
            size,
            entered,
            started: None,
            sent: None,
            held: Span::ZERO,
            queue_packets: 0,
            marked: false,
            corrupted: false,
            reordered: false,
            duplicate_of: None,
            outcome,
        }
    }

    /// Whether it reached the other end with its bits as they were sent.
    pub const fn arrived_intact(&self) -> bool {
        matches!(self.outcome, Outcome::Delivered { .. }) && !self.corrupted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_face_each_other() {
        for (host, sends) in [(Host::Server, Direction::Down), (Host::Client, Direction::Up)] {
            assert_eq!(host.sends(), sends);
            assert_eq!(host.peer().peer(), host);
            assert_eq!(sends.reaches(), host.peer());
            assert_eq!(sends.reverse(), host.peer().sends());
        }
        assert_eq!([Direction::Down.name(), Direction::Up.name()], ["down", "up"]);
    }

    #[test]
    fn only_what_is_delivered_unchanged_arrives_intact() {
        let at = Time::from_ns(5);
        let delivered = Fate {
            id: PacketId(1),
            direction: Direction::Down,
            size: Bytes::new(296),
            entered: Time::ZERO,
            started: Some(Time::ZERO),
            sent: Some(Time::from_ns(1)),
            held: Span::ZERO,
            queue_packets: 0,
            marked: false,
            corrupted: false,
            reordered: false,
            duplicate_of: None,
            outcome: Outcome::Delivered { at },
        };
        assert!(delivered.arrived_intact());
        assert!(
            !Fate {
                corrupted: true,
                ..delivered
            }
            .arrived_intact()
        );
        let by = DropCause::RandomLoss;
        assert!(
            !Fate {
                outcome: Outcome::Dropped { at, by },
                ..delivered
            }
            .arrived_intact()
        );
    }
}
