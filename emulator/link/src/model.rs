//! What a link is: valid values, as the profile's parser makes them. Names are those of the profile files.

use std::collections::HashMap;
use std::fmt;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use windlull_units::{BitRate, Bytes, Direction, Fate, Outcome, PacketId, Span, Time};

/// A link between two hosts.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct LinkModel {
    /// From server to client.
    pub down: PathModel,
    /// From client to server.
    pub up: PathModel,
    /// Random processes. Streams are named `down/NAME`, `up/NAME`, or `both/NAME` where one draw serves both.
    pub impairments: Vec<Impairment>,
    /// What happens once, in order of the file.
    pub script: Vec<ScriptEntry>,
    /// What was recorded of a path and is played on this one: above what the paths say, under script and hands.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub recording: Option<Recording>,
    /// What the packets of a run met, instead of all else.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub replay: Option<ReplayModel>,
    /// A NAT where packets enter, which gives UDP flows other ports. Only who carries real packets has it; nothing here does.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub rebinding: Option<Rebinding>,
    /// Where in its period that begins which repeats: stepped rates with a period, traces, the recording.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Start::is_beginning"))]
    pub start: Start,
}

/// When a NAT gives UDP flows of the client's other ports (NAT rebinding, RFC 9000, section 9.3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct Rebinding {
    /// The first time.
    pub at: Time,
    /// How long from one time to the next; `None`: there is no next one.
    pub every: Option<Span>,
}

impl LinkModel {
    /// Both directions alike, and nothing ever happens to them.
    pub fn symmetric(path: PathModel) -> Self {
        Self {
            down: path.clone(),
            up: path,
            impairments: Vec::new(),
            script: Vec::new(),
            recording: None,
            replay: None,
            rebinding: None,
            start: Start::Beginning,
        }
    }

    /// The kind of a queue that a kernel alone has, if a direction has one: no packets may then be sent to a
    /// [`Link`](crate::Link) of this model.
    pub fn queue_of_a_kernel(&self) -> Option<&'static str> {
        [&self.down, &self.up]
            .into_iter()
            .find_map(|path| path.queue.of_a_kernel())
    }

    /// The script's entries that wait for a condition of the transport: their places, from 0, and the condition.
    pub fn transport_conditions(&self) -> impl Iterator<Item = (usize, TransportCondition)> + '_ {
        let numbered = self.script.iter().enumerate();
        numbered.filter_map(|(entry, written)| match written.trigger {
            Trigger::Transport { when, .. } => Some((entry, when)),
            Trigger::At { .. } | Trigger::Packets { .. } => None,
        })
    }

    /// Those of them that a sender's state alone tells: somebody who knows it must call
    /// [`Link::trigger`](crate::Link::trigger).
    pub fn conditions_of_state(&self) -> impl Iterator<Item = (usize, TransportCondition)> + '_ {
        self.transport_conditions()
            .filter(|(_, when)| !when.is_told_by_packets())
    }

    /// What packets of this direction take.
    pub const fn path(&self, direction: Direction) -> &PathModel {
        match direction {
            Direction::Down => &self.down,
            Direction::Up => &self.up,
        }
    }

    /// The same, to be changed.
    pub const fn path_mut(&mut self, direction: Direction) -> &mut PathModel {
        match direction {
            Direction::Down => &mut self.down,
            Direction::Up => &mut self.up,
        }
    }
}

/// Where in its period something begins that repeats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum Start {
    /// At its beginning.
    #[default]
    Beginning,
    /// At a place drawn from the seed, the same share of every period of the link.
    Random,
    /// So far into each period.
    At(Span),
}

impl Start {
    /// Whether it is the beginning.
    pub const fn is_beginning(&self) -> bool {
        matches!(self, Self::Beginning)
    }
}

/// What the packets of a run met, to be played to those of another.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct ReplayModel {
    pub by: ReplayBy,
    /// In order of entry.
    pub down: Vec<RecordedFate>,
    /// The same.
    pub up: Vec<RecordedFate>,
}

impl ReplayModel {
    /// The packets of this direction.
    pub fn path(&self, direction: Direction) -> &[RecordedFate] {
        match direction {
            Direction::Down => &self.down,
            Direction::Up => &self.up,
        }
    }

    /// A recording of stories, in the order in which they ended. Packets are numbered anew, in order of entry.
    pub fn of(by: ReplayBy, fates: impl IntoIterator<Item = Fate>) -> Self {
        Self::carrying(by, fates.into_iter().map(|fate| (fate, None)))
    }

    /// The same, each with the octets that the packet carried.
    pub fn carrying(by: ReplayBy, fates: impl IntoIterator<Item = (Fate, Option<(u64, u64)>)>) -> Self {
        let mut fates: Vec<_> = (0..).zip(fates).collect();
        fates.sort_by_key(|(_, (fate, _))| fate.id);
        let mut originals: Vec<RecordedFate> = Vec::new();
        let mut places = HashMap::new();
        for (ended, (fate, octets)) in fates {
            let original = fate.duplicate_of.and_then(|original| places.get(&original));
            let original = original.and_then(|&place: &usize| originals.get_mut(place));
            if let Some(original) = original.filter(|original| original.fate.direction == fate.direction) {
                original.copies += 1;
                continue;
            }
            places.insert(fate.id, originals.len());
            originals.push(RecordedFate {
                ended,
                fate: Fate {
                    id: PacketId(originals.len() as u64),
                    duplicate_of: None,
                    ..fate
                },
                copies: 0,
                octets,
            });
        }
        // Copies do not count.
        originals.sort_by_key(|original| original.ended);
        (0..)
            .zip(&mut originals)
            .for_each(|(ended, original)| original.ended = ended);
        originals.sort_by_key(|original| original.fate.id);
        let (down, up) = originals
            .into_iter()
            .partition(|original| original.fate.direction == Direction::Down);
        Self { by, down, up }
    }

    /// The stories, in the order in which they ended, copies behind what they are copies of, each with the octets that the
    /// packet carried: of these the same recording can be made. Those of a copy are not told again.
    pub fn rows(&self) -> impl Iterator<Item = (Fate, Option<(u64, u64)>)> {
        let mut recorded: Vec<&RecordedFate> = self.down.iter().chain(&self.up).collect();
        recorded.sort_by_key(|recorded| recorded.ended);
        let mut next_copy = recorded.len() as u64;
        recorded.into_iter().flat_map(move |recorded| {
            let first = next_copy;
            next_copy += u64::from(recorded.copies);
            let copy = |number| Fate {
                id: PacketId(number),
                duplicate_of: Some(recorded.fate.id),
                ..recorded.fate
            };
            let copies = (first..next_copy).map(move |number| (copy(number), None));
            std::iter::once((recorded.fate, recorded.octets)).chain(copies)
        })
    }
}

/// By what a packet is given the fate of a recorded one of its direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum ReplayBy {
    /// The n-th packet that of the n-th one.
    #[default]
    Packet,
    /// That of the packet that was sent last by this instant.
    Time,
    /// That of the packet that carried its first octet, the n-th to do so as it is the n-th one; of those without octets, the n-th
    /// that of the n-th one.
    Octets,
}

/// What became of a packet of a recorded run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct RecordedFate {
    /// How many stories ended before this one, of both directions and without copies: at one instant, what ended first.
    pub ended: u64,
    pub fate: Fate,
    /// How many copies the link made.
    pub copies: u32,
    /// Of its connection's octets in this direction, the first that it carried and the one behind the last.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub octets: Option<(u64, u64)>,
}

impl RecordedFate {
    /// When it was delivered, if it was.
    pub const fn delivered(&self) -> Option<Time> {
        match self.fate.outcome {
            Outcome::Delivered { at } => Some(at),
            Outcome::Dropped { .. } => None,
        }
    }

    /// How long it was on its way, if it was delivered.
    pub fn transit(&self) -> Option<Span> {
        self.delivered().map(|at| at.since(self.fate.entered))
    }
}

/// What was recorded of a path.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct Recording {
    /// In order of time, the first at zero. What one row says of a direction, every row says.
    pub rows: Vec<RecordedRow>,
    /// When it begins again, after its last row; `None`: the last row stays.
    pub period: Option<Span>,
    /// What a rate of zero does.
    pub zeros: Zeros,
}

impl Recording {
    /// Whether it has this of a direction.
    pub fn has<T>(&self, direction: Direction, what: fn(&RecordedPath) -> Option<T>) -> bool {
        self.rows.first().is_some_and(|row| what(row.path(direction)).is_some())
    }
}

/// What a rate of zero in a recording does, until there is a rate again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum Zeros {
    /// Nothing is sent: what arrives waits in the queue, as long as that has room.
    Hold,
    /// Everything is lost.
    Outage,
}

/// What a recording says from an instant on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct RecordedRow {
    /// From when on it holds, since the beginning of the recording.
    pub at: Time,
    pub down: RecordedPath,
    pub up: RecordedPath,
}

impl RecordedRow {
    /// What it says of this direction.
    pub const fn path(&self, direction: Direction) -> &RecordedPath {
        match direction {
            Direction::Down => &self.down,
            Direction::Up => &self.up,
        }
    }
}

/// What a row of a recording says of one direction; `None`: nothing, the path's own is in force.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct RecordedPath {
    /// Bits a second; zero where nothing was delivered.
    pub rate_bps: Option<u64>,
    /// Propagation, one way.
    pub delay: Option<Span>,
    /// The probability that a packet is lost, on top of the impairments'.
    pub loss: Option<f64>,
}

/// One direction of the link. A packet passes, in this order: queue, (allocation or service,) ARQ send buffer,
/// serialisation at the rate, impairments, propagation, ARQ receive buffer with in-order release.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct PathModel {
    /// The rate; `None` is infinitely fast.
    pub rate: Option<RateModel>,
    /// Propagation delay, one way; drawn for each packet unless constant. Packets stay in order all the same,
    /// unless a `Reorder` impairment says otherwise.
    pub delay: Distribution<Span>,
    /// Octets added to each packet when it is serialised, not when it is queued.
    pub framing: Bytes,
    /// The queue before the bottleneck. The packet in service does not count.
    pub queue: QueueModel,
    /// Link-layer buffers and retransmission; `None`: what the channel loses is lost.
    pub arq: Option<ArqModel>,
    /// Re-acquisition of an idle channel.
    pub allocation: Option<AllocationModel>,
    /// What the first packets after an idle time are served by, instead of the rate.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub light: Option<LightModel>,
    /// How the bottleneck serves; `None`: one packet after another. It goes before `allocation`.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub service: Option<ServiceModel>,
    /// How long packets wait at the far end for an earlier one that the link layer sends again. `Always` where there is
    /// neither `arq` nor a service that sends again.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "InOrder::is_always"))]
    pub in_order: InOrder,
}

impl PathModel {
    /// So fast and so long, without a limit to the queue; nothing else is on the way.
    pub const fn plain(rate: Option<RateModel>, delay: Span) -> Self {
        Self {
            rate,
            delay: Distribution::Constant(delay),
            framing: Bytes::ZERO,
            queue: QueueModel::DropTail(QueueLimit::Unlimited),
            arq: None,
            allocation: None,
            light: None,
            service: None,
            in_order: InOrder::Always,
        }
    }
}

/// How fast the link serialises.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum RateModel {
    /// Always the same.
    Constant(BitRate),
    /// From each instant on, that rate; the first step is at zero; repeats after `period` if given.
    Stepped {
        /// The steps, in order of time.
        steps: Vec<(Time, BitRate)>,
        /// When the steps begin again.
        period: Option<Span>,
    },
    /// Mahimahi's format: at each instant one opportunity to send 1504 octets (unused ones are lost); repeats.
    Trace {
        /// The instants within one period, in order.
        opportunities: Vec<Time>,
        /// The length of a period: the last instant of the file.
        period: Span,
    },
}

/// The queue before the bottleneck: who may wait there, who is dropped, and who is marked instead of dropped.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum QueueModel {
    /// Queues what fits, drops the rest.
    DropTail(QueueLimit),
    /// Random Early Detection (Floyd and Jacobson 1993).
    Red(RedModel),
    /// RED that adapts its own largest probability (Floyd, Gummadi and Shenker 2001).
    AdaptiveRed(AdaptiveRedModel),
    /// Controlled Delay (RFC 8289).
    Codel(CodelModel),
    /// Proportional Integral controller Enhanced (RFC 8033).
    Pie(PieModel),
    /// A queue for each flow, served by Deficit Round Robin (Shreedhar and Varghese 1996).
    Drr(DrrModel),
    /// A queue with `CoDel` for each flow, sparse flows first (RFC 8290).
    FqCodel(FqCodelModel),
    /// A queue for senders that keep waits short and one for all others, coupled (RFC 9332).
    DualPi2(DualPi2Model),
    /// CAKE, Common Applications Kept Enhanced (Høiland-Jørgensen, Täht and Morton 2018), which Linux alone has: a link
    /// here can be played without packets, as what plays it by commands does, but no packet may be sent to it.
    Cake(CakeModel),
}

impl QueueModel {
    /// How much it holds; what arrives beyond is dropped, whatever the discipline.
    pub const fn limit(&self) -> QueueLimit {
        match self {
            Self::DropTail(limit) => *limit,
            Self::Red(model) => model.limit,
            Self::AdaptiveRed(model) => model.limit,
            Self::Codel(model) => model.limit,
            Self::Pie(model) => model.limit,
            Self::Drr(model) => model.limit,
            Self::FqCodel(model) => model.limit,
            Self::DualPi2(model) => model.limit,
            Self::Cake(model) => model.limit,
        }
    }

    /// Whether it does more than to keep to its limit.
    pub const fn is_managed(&self) -> bool {
        !matches!(self, Self::DropTail(_))
    }

    /// Its kind, if a kernel alone has it.
    const fn of_a_kernel(&self) -> Option<&'static str> {
        match self {
            Self::Cake(_) => Some("cake"),
            _ => None,
        }
    }
}

/// Parameters of RED, under their names in the paper (Floyd and Jacobson 1993, section 4).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct RedModel {
    /// How much the queue holds.
    pub limit: QueueLimit,
    /// `min_th`: below this average nothing is dropped.
    pub minimum: QueueSize,
    /// `max_th`, above `minimum` and in its unit: from this average on everything is dropped, or, if `gentle`, more and
    /// more.
    pub maximum: QueueSize,
    /// `max_p`: the probability as the average reaches `maximum`.
    pub probability: f64,
    /// `w_q`: the weight of the newest sample in the average.
    pub weight: f64,
    /// Whether the probability rises to one between `maximum` and twice that, instead of jumping there.
    pub gentle: bool,
    /// The size by which an idle time is counted in packets that could have been sent.
    pub mean_packet: Bytes,
    /// While no more than this waits nothing is dropped early, whatever the average; `None`: no such mercy.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub spare: Option<QueueSize>,
    /// Whether packets that are capable of it are marked instead of dropped (RFC 3168).
    pub ecn: bool,
}

/// Parameters of Adaptive RED. It is always gentle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct AdaptiveRedModel {
    /// How much the queue holds.
    pub limit: QueueLimit,
    /// The thresholds, or what to choose them by.
    pub aim: RedAim,
    /// `w_q`; `None` chooses it by the rate.
    pub weight: Option<f64>,
    /// The size by which the rate and an idle time are counted in packets.
    pub mean_packet: Bytes,
    /// While no more than this waits nothing is dropped early, whatever the average; `None`: no such mercy.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub spare: Option<QueueSize>,
    /// Whether packets that are capable of it are marked instead of dropped.
    pub ecn: bool,
}

impl AdaptiveRedModel {
    /// Whether it can be worked out only where the rate is constant.
    pub const fn needs_rate(&self) -> bool {
        matches!(self.aim, RedAim::Delay(_)) || self.weight.is_none()
    }
}

/// Where Adaptive RED keeps its average queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum RedAim {
    /// So long a wait; the thresholds follow from it and the rate.
    Delay(Span),
    /// Between these.
    Thresholds {
        /// `min_th`.
        minimum: QueueSize,
        /// `max_th`, above `minimum` and in its unit.
        maximum: QueueSize,
    },
}

/// Parameters of `CoDel` (RFC 8289, section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct CodelModel {
    /// How much the queue holds.
    pub limit: QueueLimit,
    /// The acceptable standing queueing delay.
    pub target: Span,
    /// How long the wait must have been above `target` before anything is done.
    pub interval: Span,
    /// Whether packets that are capable of it are marked instead of dropped.
    pub ecn: bool,
}

/// Parameters of PIE (RFC 8033, section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct PieModel {
    /// How much the queue holds.
    pub limit: QueueLimit,
    /// `QDELAY_REF`: the wait it steers to.
    pub target: Span,
    /// `MAX_BURST`: how long a burst after quiet is let through.
    pub burst: Span,
    /// `MEAN_PKTSIZE`: up to twice this, the queue is left alone.
    pub mean_packet: Bytes,
    /// Whether packets that are capable of it are marked instead of dropped, below a probability of one in ten.
    pub ecn: bool,
}

/// Parameters of CAKE, as tc-cake(8) has them. It shapes to the link's own rate, and marks where it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct CakeModel {
    /// `memlimit`: how much memory the packets of all flows take that wait, octets. Never in packets.
    pub limit: QueueLimit,
    /// `rtt`: the time in which senders answer; the acceptable standing queueing delay is a twentieth of it, and no less than
    /// one and a half full packets take.
    pub round_trip: Span,
}

/// Parameters of Deficit Round Robin (Shreedhar and Varghese 1996, section III).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct DrrModel {
    /// How much all its queues hold together.
    pub limit: QueueLimit,
    /// `Quantum`: how much more a flow may send in each round, at least one octet.
    pub quantum: Bytes,
    /// How many queues flows are hashed into, at least one.
    pub flows: u32,
}

/// Parameters of FQ-CoDel (RFC 8290, section 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct FqCodelModel {
    /// How much all its queues hold together.
    pub limit: QueueLimit,
    /// How much a flow may send in each round, at least one octet.
    pub quantum: Bytes,
    /// How many queues flows are hashed into, at least one.
    pub flows: u32,
    /// The acceptable standing queueing delay of a flow.
    pub target: Span,
    /// How long the wait must have been above `target` before anything is done.
    pub interval: Span,
    /// Whether packets that are capable of it are marked instead of dropped.
    pub ecn: bool,
}

impl FqCodelModel {
    /// What manages each of its queues.
    pub const fn codel(&self) -> CodelModel {
        CodelModel {
            limit: self.limit,
            target: self.target,
            interval: self.interval,
            ecn: self.ecn,
        }
    }
}

/// Parameters of DualPI2 (RFC 9332, appendix A.1). It marks whatever is capable of it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct DualPi2Model {
    /// How much both its queues hold together.
    pub limit: QueueLimit,
    /// The wait of classic packets that it steers to.
    pub target: Span,
    /// `RTT_max`: the longest round trip that it is set up for; its gains follow from it.
    pub round_trip: Span,
    /// `minTh`: up to this wait, a packet of the low-latency queue is not marked for it.
    pub threshold: Span,
    /// By how much longer a wait must be until every packet is marked for it; zero makes the threshold a step.
    pub range: Span,
    /// `k`: the likelihood of a mark in the low-latency queue over the square root of that of a classic drop. At least one.
    pub coupling: u32,
    /// The part of the rate that classic packets have at least while both kinds wait: above 0, at most 1.
    pub classic_share: f64,
}

/// So much of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum QueueSize {
    /// So many packets.
    Packets(u32),
    /// So many octets of packets.
    Bytes(Bytes),
}

/// How much a queue holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum QueueLimit {
    /// Any amount.
    Unlimited,
    /// So many packets.
    Packets(u32),
    /// So many octets of packets.
    Bytes(Bytes),
}

/// Seawind's link buffers (sarolahti2003, section 5.1). Both count packets without framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct ArqModel {
    /// Octets that may be sent and not yet acknowledged by the link's receiver. The link-layer acknowledgement
    /// leaves when a packet is received (not when it is released in order) and takes the reverse path's propagation
    /// delay; nothing delays or loses it. A packet larger than the buffer goes alone.
    pub send_buffer: Bytes,
    /// Octets that may wait for an earlier packet. What does not fit is sent again as if lost.
    pub receive_buffer: Bytes,
    /// What happens to a packet that the channel loses or delays.
    pub persistence: Persistence,
    /// After which time without a link-layer acknowledgement a lost packet is sent again.
    pub retry_after: Span,
}

/// How long the link layer tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum Persistence {
    /// The link layer does not retransmit: a channel loss is a loss.
    None,
    /// Until it succeeds.
    Unlimited,
    /// At most so many retransmissions.
    Retries(u32),
    /// For at most so long.
    For(Span),
}

/// A channel that an idle sender loses and must request again. At the start of a run it has none.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct AllocationModel {
    /// The channel is released after so long without a packet to send.
    pub idle_after: Span,
    /// How long it takes to get the channel again.
    pub delay: Distribution<Span>,
}

/// Short trains of opportunities, each recorded after an idle time (CellReplay, NSDI 2025). A packet that comes after one
/// begins the train of that time; those that follow are served by it as long as they fit into it whole, and then by the
/// path's rate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct LightModel {
    /// A train begins at a packet before which nothing was served for longer than this.
    pub idle_after: Span,
    /// In order of time, the first at zero; not empty.
    pub trains: std::sync::Arc<[Train]>,
    /// After so long they come again; `None`: the last one stays.
    pub period: Option<Span>,
}

/// A train of opportunities to send 1504 octets each.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct Train {
    /// From when on it is the one that begins.
    pub at: Time,
    /// How long after its first packet each is, in order.
    pub opportunities: Vec<Span>,
}

/// How long a packet waits at the far end for an earlier one that the link layer sends again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum InOrder {
    /// Until that has come, or the sender has given it up.
    #[default]
    Always,
    /// Not at all: packets are delivered as they come.
    Never,
    /// For at most so long: `t-Reordering` of the radio link control (3GPP TS 36.322, section 5.1.2.2). What comes after
    /// its time is dropped.
    For(Span),
}

impl InOrder {
    /// Whether it is [`InOrder::Always`].
    pub const fn is_always(&self) -> bool {
        matches!(self, Self::Always)
    }
}

/// How a bottleneck serves that does not take one packet after another.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum ServiceModel {
    /// In units of a cellular link, after a request and a grant.
    Grants(GrantsModel),
    /// In aggregates of Wi-Fi, after contention for the channel.
    Contention(ContentionModel),
}

/// Service in units, of which each begins at a multiple of `cycle` (3GPP TS 36.321, sections 5.3 and 5.4).
///
/// A unit carries as many octets as the rate gives in a cycle; a packet may be in several. What arrives after a unit has
/// begun waits for the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct GrantsModel {
    /// The length of a unit, and the time from one to the next; above zero.
    pub cycle: Span,
    /// A queue that was empty asks at the next multiple of this; zero: at once.
    pub sr_period: Span,
    /// From the request to the grant: no unit begins before.
    pub grant_delay: Span,
    /// With which probability one transmission of a unit fails.
    pub error: f64,
    /// From the beginning of a transmission that fails to that of the next, rounded up to whole cycles; above zero.
    pub round_trip: Span,
    /// How often a unit is sent, in all, before it is lost; at least once.
    pub attempts: u32,
}

/// Access to a channel that stations share, by the distributed coordination function of IEEE 802.11 as Bianchi models it
/// ("Performance Analysis of the IEEE 802.11 Distributed Coordination Function", 2000, section II), and packets that are
/// sent together.
///
/// A station waits for `spacing` after the channel became idle and then for as many slots as it drew from 0 to its
/// window; a slot in which another sends counts as one. Stations whose slots coincide collide and double their windows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct ContentionModel {
    /// How many other stations always have something to send.
    pub contenders: u32,
    /// How long each of their transmissions occupies the channel.
    pub contender_airtime: Span,
    pub slot: Span,
    /// How long the channel must be idle before slots are counted.
    pub spacing: Span,
    /// The largest draw of a first attempt.
    pub cw_min: u32,
    /// The largest draw of any.
    pub cw_max: u32,
    /// How many packets are sent together at most; at least one.
    pub aggregate: u32,
    /// How long their octets may take at the rate; one packet goes in any case.
    pub airtime: Span,
    /// What each transmission takes besides: preamble and acknowledgement.
    pub overhead: Span,
    /// With which probability a packet of a transmission without collision is lost.
    pub error: f64,
    /// How often a packet is sent, in all, before it is lost; at least once. Collisions do not count.
    pub attempts: u32,
}

impl ServiceModel {
    /// Whether it sends again what it loses.
    pub fn sends_again(&self) -> bool {
        match self {
            Self::Grants(model) => model.error > 0.0,
            Self::Contention(model) => model.error > 0.0,
        }
    }
}

/// A random amount. For `Span` the numbers are nanoseconds; draws below zero count as zero.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum Distribution<T> {
    /// Always this.
    Constant(T),
    /// Anything between, alike.
    Uniform {
        min: T,
        max: T,
    },
    Exponential {
        mean: T,
    },
    Normal {
        mean: T,
        deviation: T,
    },
    /// Log-normal, by the mean and deviation of the amount itself, not of its logarithm.
    LogNormal {
        mean: T,
        deviation: T,
    },
    Pareto {
        min: T,
        /// Shape, above zero.
        shape: f64,
    },
    Weibull {
        scale: T,
        /// Shape, above zero.
        shape: f64,
    },
    /// Drawn alike from a list of samples (a CSV).
    Empirical(std::sync::Arc<[T]>),
}

impl Distribution<Span> {
    /// The mean where it is given, else something near it, in seconds.
    pub fn typical_secs(&self) -> f64 {
        match self {
            Self::Constant(span)
            | Self::Exponential { mean: span }
            | Self::Normal { mean: span, .. }
            | Self::LogNormal { mean: span, .. }
            | Self::Pareto { min: span, .. }
            | Self::Weibull { scale: span, .. } => span.as_secs_f64(),
            Self::Uniform { min, max } => f64::midpoint(min.as_secs_f64(), max.as_secs_f64()),
            Self::Empirical(samples) => {
                let total: f64 = samples.iter().map(|sample| sample.as_secs_f64()).sum();
                total / f64::from(u32::try_from(samples.len().max(1)).unwrap_or(u32::MAX))
            }
        }
    }
}

/// Which way an impairment acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum Scope {
    /// This direction alone.
    One(Direction),
    /// Both, each with draws of its own.
    Each,
    /// Both, by one and the same draw: what happens to one direction happens to the other at the same time.
    Shared,
}

impl Scope {
    /// The directions in which it acts, down first.
    pub fn directions(self) -> impl Iterator<Item = Direction> {
        Direction::ALL
            .into_iter()
            .filter(move |&direction| self.covers(direction))
    }

    /// Whether it acts in `direction`.
    pub fn covers(self, direction: Direction) -> bool {
        match self {
            Self::One(only) => only == direction,
            Self::Each | Self::Shared => true,
        }
    }
}

/// Names that no impairment may have: the random streams of the paths themselves are called so.
pub const RESERVED_NAMES: [&str; 7] = [
    "delay",
    "allocation",
    "ack",
    "script-loss",
    "queue",
    "service",
    "contenders",
];

/// A named random process on the link.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct Impairment {
    /// Its name in the profile, unique.
    pub name: String,
    /// Which way it acts.
    pub scope: Scope,
    /// What it does, with its numbers.
    pub kind: ImpairmentKind,
}

/// Declares the kinds of impairments from their rows.
macro_rules! declare {
    ({ $(
        $(#[$doc:meta])+ $kind:ident = $name:literal $(titled $title:literal)?, $sharing:ident, $words:literal
        $(, refused by netem: $why:literal)? {
            $($(#[$value_doc:meta])+ $value:ident: $type:ty $(= $default:literal)? $(, to $most:literal)?;)+
        }
    )+ }) => {
        /// What an impairment does.
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
        #[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
        pub enum ImpairmentKind {
            $($(#[$doc])+ $kind { $($(#[$value_doc])+ $value: $type,)+ },)+
        }
    };
}
crate::impairments!(declare!);

/// When a hold or a drop begins.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum Onset {
    /// At a packet, with this probability for each; that packet is the first one hit.
    PacketWithProbability(f64),
    /// A renewal process in time: from the end of one (and from the start of the run) to the onset of the next.
    Renewal(Distribution<Span>),
    /// Intervals in time from the onset of one to that of the next, of a process that has gone on for long when the run
    /// begins.
    Intervals(Distribution<Span>),
    /// As `Intervals`, of a process whose first onset is at this instant of the run.
    IntervalsFrom(Distribution<Span>, Span),
}

/// Something that happens once.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct ScriptEntry {
    /// Which way it acts.
    pub scope: Scope,
    /// When, at which packets, or under which condition of the transport.
    pub trigger: Trigger,
    /// What it does.
    pub action: Action,
}

/// When a script entry acts.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum Trigger {
    /// At an instant, for a while (`None`: until the end, where the action allows).
    At { at: Time, lasts: Option<Span> },
    /// At the packets that the selector names; a hold begins there and lasts.
    Packets {
        which: Selector,
        /// How long, for a hold or a drop in time; `None` for what concerns the packets alone.
        lasts: Option<Span>,
    },
    /// When a connection over the link first meets this condition, for a while, as with `At`. Of several connections, the
    /// first that meets it counts.
    Transport {
        when: TransportCondition,
        lasts: Option<Span>,
    },
}

impl Trigger {
    /// How long the entry lasts; `None`: until the end of the run, or no time at all, as the action has it.
    pub const fn lasts(&self) -> Option<Span> {
        match self {
            Self::At { lasts, .. } | Self::Packets { lasts, .. } | Self::Transport { lasts, .. } => *lasts,
        }
    }
}

/// A condition of the transport. `Display` writes it as link files do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum TransportCondition {
    /// All octets of a TCP connection's stream up to this one, from 0, have come to the link: `after byte 200000`.
    AfterByte(u64),
    /// A TCP connection's n-th segment, from 1, that carries an octet which was sent before has come to the link:
    /// `retransmission 3`.
    Retransmission(u64),
    /// Data is unacknowledged, and nothing new was sent for so many thousandths of the retransmission timeout that was in
    /// force when the last of it was: `1.5 RTO after the last transmission`. What is sent again does not count.
    AfterLastTransmission { rto_thousandths: u32 },
    /// The congestion window is above so many segments of full size: `when the window first exceeds 20 segments`.
    WindowExceeds { segments: u32 },
    /// The sender is in fast recovery (RFC 5681, section 3.2): `on entering recovery`.
    Recovery,
}

impl TransportCondition {
    /// Whether the packets that pass the link tell it; otherwise the sender's state does, which the link does not see.
    pub const fn is_told_by_packets(self) -> bool {
        match self {
            Self::AfterByte(_) | Self::Retransmission(_) => true,
            Self::AfterLastTransmission { .. } | Self::WindowExceeds { .. } | Self::Recovery => false,
        }
    }
}

impl fmt::Display for TransportCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::AfterByte(octet) => write!(f, "after byte {octet}"),
            Self::Retransmission(nth) => write!(f, "retransmission {nth}"),
            Self::AfterLastTransmission { rto_thousandths } => {
                let decimal = format!("{}.{:03}", rto_thousandths / 1000, rto_thousandths % 1000);
                let factor = decimal.trim_end_matches('0').trim_end_matches('.');
                write!(f, "{factor} RTO after the last transmission")
            }
            Self::WindowExceeds { segments: 1 } => write!(f, "when the window first exceeds 1 segment"),
            Self::WindowExceeds { segments } => write!(f, "when the window first exceeds {segments} segments"),
            Self::Recovery => write!(f, "on entering recovery"),
        }
    }
}

/// Names packets of a TCP connection, as the sender hands them to the link, also those that the queue then drops.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum Selector {
    /// Original transmissions of data segments by number, from 1: `data segments 9..15` (both included).
    DataSegments { first: u64, last: u64 },
    /// The n-th packet of this direction, from 1, of any kind: `packet 12`.
    Packet(u64),
    /// Original transmission of the segment that carries this octet of the stream, from 0: `byte 200000`.
    Byte(u64),
    /// The n-th retransmission (from 1) of the segment that carries this octet: `first retransmission of byte 200000`.
    RetransmissionOfByte {
        /// The octet.
        byte: u64,
        /// Which retransmission.
        nth: u32,
    },
    /// The n-th retransmission (from 1) of data segment `segment`: `first retransmission of segment 12`.
    RetransmissionOfSegment {
        /// The data segment.
        segment: u64,
        /// Which retransmission.
        nth: u32,
    },
}

/// What a script entry does. What it sets goes back to the model's value when its time is over.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum Action {
    /// Deliver nothing, keep everything, release in order.
    Hold,
    /// Keep what arrives in front of the queue, then let it in at once.
    HoldArrivals,
    /// Lose everything met. Chosen packets (without a length of time) are lost for good, whatever the link layer does.
    Drop,
    /// Keep the chosen packets back by so much (they may be overtaken).
    Delay(Span),
    /// The new rate.
    SetRate(BitRate),
    /// The new propagation delay.
    SetDelay(Span),
    /// The new independent loss, in addition to the impairments.
    SetLoss(f64),
    /// The new limit of the queue; packets already in it stay.
    SetQueue(QueueLimit),
}
