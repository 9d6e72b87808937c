//! What `tc` and `nft` cannot express, by name.

use std::fmt;

use thiserror::Error;
use windlull_units::{BitRate, Bytes, Direction, Span};

/// Parts of a link that the netem plane cannot express.
#[derive(Clone, Debug, PartialEq, Error)]
pub struct Unsupported {
    pub parts: Vec<Refusal>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Where in the profile it stands.
    pub place: ProfileItem,
    pub key: &'static str,
    pub reason: Reason,
}

impl Refusal {
    pub(crate) const fn of(place: ProfileItem, key: &'static str, reason: Reason) -> Self {
        Self { place, key, reason }
    }
}

/// A place in a link profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProfileItem {
    /// `[both]`, if both directions say the same.
    Both,
    /// `[down]` or `[up]`.
    Path(Direction),
    Impairment(String),
    /// The script entry of this number, from 1.
    Script(usize),
    Link,
}

/// Why something cannot be expressed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Reason {
    /// Seawind's link buffers.
    #[error("tc has no link layer with buffers and retransmission")]
    LinkLayer,
    /// Re-acquisition of an idle channel.
    #[error("tc does not know when a channel was idle")]
    Allocation,
    /// Trains after idle times.
    #[error("tc does not know when a link was idle, and has rates, not opportunities")]
    Light,
    /// Units after a request and a grant.
    #[error("tc serves packet after packet, not units that a base station grants")]
    Grants,
    /// Contention of Wi-Fi.
    #[error("tc knows no other stations and sends no aggregates")]
    Contention,
    /// A trace of delivery opportunities.
    #[error("tc has rates, not opportunities to deliver")]
    Trace,
    /// HTB forgets what it has lent after a minute.
    #[error("HTB is exact from {LEAST_RATE} on, and {0} is less")]
    SlowRate(BitRate),
    /// The kernel's fifo drops a packet that does not fit even if the link is idle.
    #[error("the kernel's fifo must hold at least one packet of 1500 octets")]
    SmallQueue,
    /// The kernel has a `drr` that is told of every flow by a filter.
    #[error(
        "the kernel's drr has a class for each flow, and this plane makes none; `fq-codel` is done by the kernel's"
    )]
    NoDrr,
    /// The kernel has a `dualpi2` from 6.17 on.
    #[error("kernels before 6.17 have no dualpi2, and this plane makes none; `pie` is done by the kernel's")]
    NoDualPi2,
    /// `overhead` of the kernel's `cake`.
    #[error("the kernel's cake counts at most 256 octets more for each packet, and the framing here is {0}")]
    LongFraming(Bytes),
    /// The limits of the kernel's `codel`, `fq_codel` and `pie`.
    #[error("the kernel's {0} counts packets, not octets; give the limit in packets")]
    CountsPackets(&'static str),
    /// ns-2's rule.
    #[error("the kernel's red has no `spare`; leave it out")]
    Spare,
    /// The average's weight is worked out by `tc`.
    #[error("tc finds no weight for so low a `minimum`; from two of `mean_packet` on it does")]
    LowThreshold,
    /// `pie` has no parameter for it.
    #[error("the kernel's pie lets a burst of 150 ms pass, and no other; leave `burst` out")]
    PieBurst,
    /// `red` makes its fifo anew.
    #[error("the limit of the kernel's red cannot change without losing the packets that wait")]
    FixedQueue,
    /// `change` cannot make a `pfifo` of a `bfifo`.
    #[error("a queue counted in packets cannot change into one counted in octets, or back, without losing its packets")]
    QueueUnit,
    /// netem's jitter is a signed 32-bit number.
    #[error("netem's delays spread over at most {longest}, these over {0}", longest = WIDEST)]
    WideDelay(Span),
    /// Ticks of 64 ns in 32 bits.
    #[error("tc takes delays up to {longest}, and {0} is more", longest = LONGEST)]
    LongDelay(Span),
    /// A spell that a packet begins.
    #[error("nothing in the kernel begins a pause or an outage at a packet")]
    SpellAtPacket,
    /// What arrives waits before the queue, not what is delivered.
    #[error("the kernel pauses deliveries (`hold`), not what arrives")]
    HeldArrivals,
    /// A recording's stretches without a rate, in which packets wait in the queue.
    #[error("the kernel pauses deliveries, not what is sent; `zeros = \"outage\"` could be expressed")]
    HeldRate,
    /// The fates of recorded packets.
    #[error("nothing in the kernel gives each packet a fate of its own; the model's plane plays it")]
    Replay,
    /// A NAT on the link.
    #[error("this plane translates no ports; the model's plane does")]
    Rebinding,
    /// A kind of which there is no equal.
    #[error("{0}")]
    NoEqual(&'static str),
    /// One chain of states for both directions.
    #[error("netem's loss states belong to one device; on = \"each\" could be expressed")]
    SharedStates,
    /// netem has one loss model an instance.
    #[error("netem has one Gilbert-Elliott process in each direction, and {0:?} is it")]
    SecondChain(String),
    /// A lost packet would leave a copy.
    #[error("netem draws the copy's loss apart from the packet's when it has loss states ({0:?})")]
    DuplicateWithStates(String),
    /// netem either sorts or keeps order.
    #[error("netem lets packets overtake each other only where the others' delay is always the same")]
    OvertakingRandomDelay,
    /// Handovers add to a delay that is drawn in the kernel.
    #[error("the kernel draws this path's delay, and nothing can be added to it; with a constant delay it could")]
    HandoverOfRandomDelay,
    /// The mixture of delays is one table.
    #[error("netem has one delay distribution in each direction, and {0:?} has it already")]
    SecondReorder(String),
    /// A packet chosen by what is in it.
    #[error("nftables does not know a connection's sequence; only `packet N` can be counted")]
    Selector,
    /// A beginning that the packets of a connection tell.
    #[error("nftables does not follow a connection's octets; only `packet N` can be counted")]
    Transport,
    /// A beginning that the state of a sender tells.
    #[error("this plane is told of no sender's state")]
    SenderState,
    /// A loss that lasts, from a chosen packet on.
    #[error("a chosen packet can be lost, but nothing that lasts can begin with it")]
    ChosenBeginning,
    /// Something else than the loss of a chosen packet.
    #[error("a chosen packet can only be lost")]
    ChosenAction,
    /// Counters end somewhere.
    #[error("nftables counts to {most}", most = u32::MAX - 1)]
    LatePacket,
    /// Every change is a command.
    #[error("more than {most} changes until the end", most = MOST_CHANGES)]
    TooManyChanges,
}

/// HTB keeps account of at most 60 s of lent rate; a packet of 1500 octets takes 12 s at this rate.
pub(crate) const LEAST_RATE: &str = "1 kbit/s";
/// The same as a number, bit/s.
pub(crate) const LEAST_RATE_BPS: u64 = 1_000;
/// `tc` hands delays to the kernel as 32-bit numbers of 64 ns, up to 274 s; a script may add as much again.
pub(crate) const LONGEST: Span = Span::from_secs(137);
/// In the words of a refusal.
pub(crate) const WIDEST: &str = "17.1 s";
/// More instants at which something changes are no timeline for commands.
pub(crate) const MOST_CHANGES: usize = 10_000;

impl Unsupported {
    /// One refusal for what both directions say alike.
    pub(crate) fn new(parts: Vec<Refusal>) -> Self {
        let mut merged: Vec<Refusal> = Vec::new();
        for part in parts {
            let twin = merged.iter_mut().find(|other| {
                let paths =
                    matches!((&other.place, &part.place), (ProfileItem::Path(a), ProfileItem::Path(b)) if a != b);
                (paths || other.place == part.place) && other.key == part.key && other.reason == part.reason
            });
            match twin {
                Some(twin) if twin.place != part.place => twin.place = ProfileItem::Both,
                Some(_) => {}
                None => merged.push(part),
            }
        }
        Self { parts: merged }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the netem plane cannot express this link (the model plane can):")?;
        self.parts.iter().try_for_each(|part| write!(f, "\n  {part}"))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, key, reason } = self;
        match place {
            ProfileItem::Link => write!(f, "{key}: {reason}"),
            _ => write!(f, "{place} {key}: {reason}"),
        }
    }
}

impl fmt::Display for ProfileItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Both => write!(f, "[both]"),
            Self::Path(direction) => write!(f, "[{}]", direction.name()),
            Self::Impairment(name) => write!(f, "[[impairment]] {name:?}"),
            Self::Script(number) => write!(f, "[[script]] {number}"),
            Self::Link => write!(f, "the link"),
        }
    }
}
