//! QUIC, told as the stream of a TCP, so that one judgement, one set of metrics and one diagram serve both.
//!
//! A QUIC connection has no sequence numbers of octets. Here each octet of any stream gets a *position* in the order in which
//! octets are sent for the first time: a transfer over one stream has those of its stream. A packet with stream frames is a
//! segment with their positions; where they do not adjoin, it is several. An acknowledgement of packet numbers becomes one of
//! positions. What only QUIC has, a declaration of loss by packet number, is judged by itself ([`losses`]).

mod acknowledged;
mod losses;
mod positions;
mod state;
mod window;

use std::collections::VecDeque;

use windlull_transport::{AckRange, Frame, PacketSent, Said, Space};
use windlull_units::{Fate, Host, Outcome, PacketId, Time};
use windlull_wire::{Flags, Segment, SenderEvent, SeqNumber};

pub(crate) use self::acknowledged::Acknowledged;
use self::losses::{Begins, Losses};
pub(crate) use self::positions::Positions;
use self::state::State;
use self::window::Window;
use crate::analyzer::Analyzer;
use crate::follower::Follower;
use crate::result::RunAnalysis;

/// So many packets stay known after their way has ended, for copies that the link makes of them.
const KEPT: usize = 64;

/// Said of a stack whose acknowledgements are nowhere to be seen.
const NO_ACKNOWLEDGEMENTS: &str = "The data receiver's stack told of no acknowledgement that it sent (no `ack` frame in its \
                                   `packet_sent`): verdicts on timeouts and declared losses, the round trips and what is \
                                   outstanding are of no use.";

/// Follows one connection.
#[derive(Debug)]
pub(crate) struct Quic {
    data_sender: Host,
    positions: Positions,
    acknowledged: Acknowledged,
    losses: Losses,
    state: State,
    /// What the data sender said that it sent, until the datagram is sent that holds it.
    announced: Vec<DataPacket>,
    /// What the data receiver said that it acknowledges, the same.
    acknowledgements: Vec<(Space, Vec<AckRange>)>,
    /// What each datagram is as segments, by its number.
    datagrams: Window<Datagram>,
    /// Datagrams whose way has ended, the last of them.
    ended: VecDeque<PacketId>,
    /// The number of the next segment.
    next: PacketId,
    has_begun: bool,
    /// Whether the data sender tells what it receives: then an acknowledgement counts when it is read, else when it arrives.
    tells_received: bool,
    data_datagrams: u64,
    /// Whether the data receiver told of an acknowledgement that it sends.
    tells_acknowledgements: bool,
    /// When the data sender learnt of the highest position that it knows to have arrived.
    last_acknowledged: Option<(u64, Time)>,
    notes: Vec<String>,
}

/// A packet of the data sender.
#[derive(Clone, Debug)]
struct DataPacket {
    number: (Space, u64),
    is_eliciting: bool,
    /// The positions of its stream frames.
    ranges: Vec<(u64, u64)>,
}

/// A datagram as segments.
#[derive(Clone, Debug)]
struct Datagram {
    first: PacketId,
    segments: Vec<Segment>,
    /// Of the data sender: the packets in it.
    packets: Vec<(Space, u64)>,
    /// Of the data receiver: what it acknowledges.
    acknowledges: Vec<(Space, Vec<AckRange>)>,
}

impl Quic {
    pub(crate) fn new(data_sender: Host) -> Self {
        Self {
            data_sender,
            positions: Positions::default(),
            acknowledged: Acknowledged::default(),
            losses: Losses::default(),
            state: State::default(),
            announced: Vec::new(),
            acknowledgements: Vec::new(),
            datagrams: Window::default(),
            ended: VecDeque::new(),
            next: PacketId(0),
            has_begun: false,
            tells_received: false,
            data_datagrams: 0,
            tells_acknowledgements: false,
            last_acknowledged: None,
            notes: Vec::new(),
        }
    }

    /// An end said something of itself.
    pub(crate) fn said(&mut self, now: Time, host: Host, said: &Said, follower: &mut impl Follower) {
        if let Said::PacketSent(sent) = said {
            if host == self.data_sender {
                self.announce(sent);
            } else {
                self.acknowledge(sent);
            }
            return;
        }
        if host != self.data_sender {
            return;
        }
        match said {
            Said::PacketLost(lost) => {
                let (una, max) = self.outstanding();
                let Some((declared, begins)) = self.losses.declared(now, lost, self.state.cwnd()) else {
                    return;
                };
                follower.declared_lost(now, declared);
                match begins {
                    Begins::Nothing => {}
                    Begins::Recovery => {
                        let first = (lost.space == Space::Data)
                            .then(|| self.acknowledged.first_of(lost.number))
                            .flatten();
                        let event = SenderEvent::FastRetransmit {
                            una: first.map_or(una, |position| position - 1),
                            recovery_point: max,
                        };
                        follower.sender(now, host, &event);
                    }
                    Begins::ProbeTimeout => {
                        // A stack that does not tell its probe timeouts shows them so.
                        let event = self.state.timed_out_untold(now, una, max);
                        if let Some(event) = event {
                            follower.sender(now, host, &event);
                        }
                    }
                }
            }
            Said::ProbeTimeout { .. } => {
                let (una, max) = self.outstanding();
                let event = self.state.timed_out(now, una, max);
                follower.sender(now, host, &event);
            }
            Said::Metrics(metrics) => {
                let before = self.state.cwnd();
                for event in self.state.changed(now, metrics) {
                    follower.sender(now, host, &event);
                }
                self.losses.window(before, self.state.cwnd());
            }
            Said::CongestionState(congestion) => {
                for event in self.state.congestion(*congestion, self.outstanding().0) {
                    follower.sender(now, host, &event);
                }
            }
            Said::SpuriousLoss => self.losses.found_spurious(),
            // What arrives may be of no use yet, or never: the keys for it may be missing.
            Said::PacketReceived(received) => {
                self.tells_received = true;
                for frame in &received.frames {
                    if let Frame::Ack { ranges, .. } = frame {
                        if self.losses.acknowledged(now, received.space, ranges) {
                            self.state.acknowledged();
                        }
                    }
                }
            }
            Said::PacketSent(_) | Said::Other { .. } => {}
        }
    }

    /// Offsets of the first octet that the data sender does not know to have arrived, and behind the last one sent.
    fn outstanding(&self) -> (u64, u64) {
        let una = self
            .last_acknowledged
            .map_or(0, |(position, _)| position.saturating_sub(1));
        (una, self.positions.next().saturating_sub(1))
    }

    /// The data sender sends a packet: what is new in it gets its positions.
    fn announce(&mut self, sent: &PacketSent) {
        let mut ranges = Vec::new();
        let mut is_eliciting = false;
        for frame in &sent.frames {
            is_eliciting |= frame.is_ack_eliciting();
            if let Frame::Stream { id, offset, length, .. } = *frame {
                self.positions.of(id, offset, length, &mut ranges);
            }
        }
        self.announced.push(DataPacket {
            number: (sent.space, sent.number),
            is_eliciting,
            ranges,
        });
    }

    /// The data receiver sends a packet.
    fn acknowledge(&mut self, sent: &PacketSent) {
        for frame in &sent.frames {
            match frame {
                Frame::Ack { ranges, .. } => {
                    self.tells_acknowledgements = true;
                    if sent.space == Space::Data {
                        self.acknowledged.acknowledge(ranges);
                    }
                    self.acknowledgements.push((sent.space, ranges.clone()));
                }
                // It closes once it has read all (RFC 9000, section 10.2: nothing else answers any more).
                Frame::ConnectionClose {
                    is_application: true,
                    code: 0,
                } => {
                    self.acknowledged.acknowledge_below(self.positions.next());
                }
                _ => {}
            }
        }
    }

    /// A host hands a datagram to the link: its segments, each with its number.
    pub(crate) fn sent(
        &mut self,
        now: Time,
        host: Host,
        id: PacketId,
    ) -> impl Iterator<Item = (PacketId, Segment)> + use<> {
        let mut datagram = Datagram {
            first: self.next,
            segments: Vec::new(),
            packets: Vec::new(),
            acknowledges: Vec::new(),
        };
        if host == self.data_sender {
            datagram.packets = self.announced.iter().map(|packet| packet.number).collect();
            datagram.segments = self.data_segments(now);
        } else {
            datagram.acknowledges = std::mem::take(&mut self.acknowledgements);
            datagram.segments = vec![self.acknowledgement()];
        }
        let segments = datagram.segments.clone();
        self.next.0 += segments.len() as u64;
        let first = datagram.first;
        self.datagrams.insert(id, datagram);
        (first.0..).map(PacketId).zip(segments)
    }

    fn data_segments(&mut self, now: Time) -> Vec<Segment> {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for packet in self.announced.drain(..) {
            let (space, number) = packet.number;
            self.losses.sent(now, packet.number, packet.is_eliciting);
            ranges.extend_from_slice(&packet.ranges);
            if space == Space::Data && packet.is_eliciting {
                self.acknowledged.sent(number, packet.ranges);
            }
        }
        join(&mut ranges);
        self.data_datagrams += u64::from(!ranges.is_empty());
        let segment = |seq, flags, payload_len| Segment {
            seq: number(seq),
            flags,
            window: u16::MAX,
            payload_len,
            ..Segment::default()
        };
        let mut segments = Vec::with_capacity(ranges.len() + 1);
        if !self.has_begun {
            // What stands for SYN: the positions of data begin behind it.
            segments.push(segment(0, Flags::SYN, 0));
        } else if ranges.is_empty() {
            segments.push(segment(self.positions.next(), Flags::ACK, 0));
        }
        segments.extend(ranges.into_iter().map(|(start, end)| {
            let length = u32::try_from(end - start).unwrap_or(u32::MAX);
            segment(start, Flags::ACK, length)
        }));
        self.has_begun = true;
        segments
    }

    fn acknowledgement(&self) -> Segment {
        let mut segment = Segment {
            seq: number(1),
            ack: number(self.acknowledged.position()),
            flags: Flags::ACK,
            window: u16::MAX,
            ..Segment::default()
        };
        for (left, right) in self.acknowledged.above() {
            segment.options.sack.push(windlull_wire::SackBlock {
                left: number(left),
                right: number(right),
            });
        }
        segment
    }

    /// A datagram reaches a host.
    pub(crate) fn arrived(&mut self, now: Time, host: Host, id: PacketId, follower: &mut impl Follower) {
        let Some(datagram) = self.datagrams.get(id) else {
            return;
        };
        if host == self.data_sender {
            if !self.tells_received {
                for (space, ranges) in &datagram.acknowledges {
                    if self.losses.acknowledged(now, *space, ranges) {
                        self.state.acknowledged();
                    }
                }
            }
            for segment in &datagram.segments {
                let position = segment.ack.unwrap_near(number(0), self.positions.next()).unwrap_or(0);
                if self.last_acknowledged.is_none_or(|(before, _)| before < position) {
                    self.last_acknowledged = Some((position, now));
                }
            }
        }
        for (number, segment) in (datagram.first.0..).map(PacketId).zip(&datagram.segments) {
            follower.arrived(now, host, number, segment);
        }
        self.end(id);
    }

    /// The link is done with a datagram, or with a copy that it has made of one.
    pub(crate) fn fate(&mut self, fate: &Fate, follower: &mut impl Follower) {
        let original = fate.duplicate_of.unwrap_or(fate.id);
        let Some(datagram) = self.datagrams.get(original) else {
            return;
        };
        let (count, first) = (datagram.segments.len() as u64, datagram.first);
        let mut own = first;
        if fate.duplicate_of.is_some() {
            own = self.next;
            self.next.0 += count;
            let copy = Datagram {
                first: own,
                ..datagram.clone()
            };
            self.datagrams.insert(fate.id, copy);
        }
        for place in 0..count {
            let segment = Fate {
                id: PacketId(own.0 + place),
                duplicate_of: fate.duplicate_of.map(|_| PacketId(first.0 + place)),
                ..*fate
            };
            if place == 0 {
                follower.fate(&segment);
            } else {
                follower.further_fate(&segment);
            }
        }
        let arrives = matches!(fate.outcome, Outcome::Delivered { .. }) && !fate.corrupted;
        if fate.direction.reaches() != self.data_sender {
            if let Some(datagram) = self.datagrams.get(original) {
                self.losses.sealed(&datagram.packets, fate.outcome.at(), arrives);
            }
        }
        if !arrives {
            self.end(fate.id);
        }
    }

    /// A datagram's way has ended, as its two ends show, or it does not show how (`None`): the numbers of its segments.
    pub(crate) fn way_ended(
        &mut self,
        id: PacketId,
        how: Option<(Time, bool)>,
    ) -> impl Iterator<Item = PacketId> + use<> {
        let mut numbers = 0..0;
        if let Some(datagram) = self.datagrams.get(id) {
            if let Some((at, arrives)) = how {
                self.losses.sealed(&datagram.packets, at, arrives);
            }
            numbers = datagram.first.0..datagram.first.0 + datagram.segments.len() as u64;
        }
        if how.is_none_or(|(_, arrives)| !arrives) {
            self.end(id);
        }
        numbers.map(PacketId)
    }

    fn end(&mut self, id: PacketId) {
        self.ended.push_back(id);
        if self.ended.len() > KEPT {
            if let Some(gone) = self.ended.pop_front() {
                self.datagrams.remove(gone);
            }
        }
    }

    /// The connection is over for a host.
    pub(crate) fn closed(&mut self, host: Host, error: Option<&str>, follower: &mut impl Follower) {
        if let Some(error) = error {
            self.notes
                .push(format!("The connection ended at the {}: {error}.", host.name()));
        }
        let all = self
            .last_acknowledged
            .filter(|&(position, _)| position >= self.positions.next());
        if let Some((_, at)) = all.filter(|_| host == self.data_sender && error.is_none()) {
            follower.closed_in_order(at);
        }
    }

    /// Tells the analyzer what became of all that was declared lost, before it finishes.
    pub(crate) fn judge(&self, analyzer: &mut Analyzer) {
        let verdicts = self.losses.verdicts();
        let of_recoveries = self.losses.recoveries().iter().map(|&place| verdicts[place]);
        analyzer.judge_fast_retransmits(of_recoveries);
        analyzer.losses = Some(verdicts);
    }

    /// Adds what only QUIC has to what was found.
    pub(crate) fn finish(self, analysis: &mut RunAnalysis) {
        let metrics = &mut analysis.metrics;
        metrics.segments_sent = self.data_datagrams;
        if self.data_datagrams > 0 && !self.tells_acknowledgements {
            analysis.notes.push(NO_ACKNOWLEDGEMENTS.to_owned());
        }
        self.losses.tell(metrics, &mut analysis.notes);
        analysis.notes.extend(self.notes);
    }
}

/// A position as a sequence number; that of the first octet is 1.
#[expect(clippy::cast_possible_truncation, reason = "sequence numbers are the low bits")]
const fn number(position: u64) -> SeqNumber {
    SeqNumber(position as u32)
}

/// Joins ranges that adjoin; the order stays.
fn join(ranges: &mut Vec<(u64, u64)>) {
    ranges.retain(|range| range.0 < range.1);
    ranges.dedup_by(|next, range| {
        let adjoins = range.1 == next.0;
        if adjoins {
            range.1 = next.1;
        }
        adjoins
    });
}
