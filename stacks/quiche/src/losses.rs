//! Which packets quiche declares lost.
//!
//! quiche's qlog tells how many packets it has counted as lost, and not which. Yet they follow: in both of its loss detections
//! (`detect_lost_packets` and `detect_and_remove_lost_packets` in quiche 0.30.0) it goes through the packets of a space that are
//! neither acknowledged nor lost, from the lowest number, and stops at the first that it does not take for lost. So the lost ones
//! are the lowest, as many as it counts. Packets that hold acknowledgements alone it counts, though nothing is sent again for
//! them, and these are not told (RFC 9002, section 2: only packets in flight are declared lost).
//!
//! Lost probes of the path's MTU it does not count. One was lost if a packet after it was, or if another probe is sent while it is
//! out: quiche sends one at a time.
//!
//! The reason is told where only one is possible. A timer declares losses by the time threshold alone (RFC 9002, section 6.1.2).
//! At an acknowledgement it is the packet threshold if the packet is younger than the least time threshold, and the time
//! threshold if fewer packets than the least packet threshold were sent after it; quiche raises both after spurious losses, so
//! that in between it may have been either.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use windlull_transport::{AckRange, Frame, LossTrigger, PacketLost, PacketSent, Role, Space};

/// The least packet threshold (quiche's `INITIAL_PACKET_THRESHOLD`).
const LEAST_PACKETS: u64 = 3;

/// The least time threshold, as a factor of the round trip (quiche's `INITIAL_TIME_THRESHOLD`).
const LEAST_ROUND_TRIPS: f64 = 9.0 / 8.0;

/// So much may be missing of a round trip that went through qlog, as milliseconds in a 32-bit float.
const ROUNDING: f64 = 1e-6;

/// What made quiche look for losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    Timer,
    /// A packet that acknowledged packets of this space.
    Acknowledgement(Space),
}

/// quiche counts more lost packets than there can be: this adapter does not understand it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

/// The packets of one end, as far as they may be lost.
#[derive(Debug)]
pub(crate) struct Losses {
    role: Role,
    spaces: [Sent; Space::ALL.len()],
    counted: u64,
}

/// The packets of a space.
#[derive(Debug, Default)]
struct Sent {
    /// Those that are neither acknowledged nor lost, by number.
    out: BTreeMap<u64, Packet>,
    largest_acknowledged: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Packet {
    at: Instant,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    InFlight,
    AcknowledgementAlone,
    MtuProbe,
}

impl Losses {
    pub(crate) fn new(role: Role) -> Self {
        Self {
            role,
            spaces: Default::default(),
            counted: 0,
        }
    }

    /// A packet was sent. If it is a probe of the path's MTU, the one before it may prove lost.
    pub(crate) fn on_sent(&mut self, packet: &PacketSent, at: Instant) -> Option<PacketLost> {
        let kind = match packet.frames[..] {
            // As quiche writes a probe, and nothing else: what pads a ping stands behind it.
            [Frame::Padding, Frame::Ping] => Kind::MtuProbe,
            _ if packet.frames.iter().all(|frame| matches!(frame, Frame::Ack { .. })) => Kind::AcknowledgementAlone,
            _ => Kind::InFlight,
        };
        let out = &mut self.spaces[packet.space as usize].out;
        let mut lost = None;
        if kind == Kind::MtuProbe {
            let before = out.iter().find(|(_, before)| before.kind == Kind::MtuProbe);
            lost = before.map(|(&number, _)| PacketLost {
                space: packet.space,
                number,
                trigger: None,
                is_mtu_probe: true,
            });
            out.retain(|_, before| before.kind != Kind::MtuProbe);
        }
        out.insert(packet.number, Packet { at, kind });
        match self.role {
            // RFC 9001, section 4.9.1.
            Role::Client if packet.space == Space::Handshake => self.discard(Space::Initial),
            // Section 4.9.2: at the server the handshake is confirmed when it is complete, and then it says so.
            Role::Server if packet.frames.contains(&HANDSHAKE_DONE) => self.discard(Space::Handshake),
            _ => {}
        }
        lost
    }

    /// A packet was received.
    pub(crate) fn on_received(&mut self, space: Space, frames: &[Frame]) {
        for frame in frames {
            if let Frame::Ack { ranges, .. } = frame {
                self.spaces[space as usize].acknowledge(ranges);
            }
        }
        match self.role {
            Role::Server if space == Space::Handshake => self.discard(Space::Initial),
            Role::Client if frames.contains(&HANDSHAKE_DONE) => self.discard(Space::Handshake),
            _ => {}
        }
    }

    fn discard(&mut self, space: Space) {
        self.spaces[space as usize] = Sent::default();
    }

    /// Which packets are lost, when quiche has counted so many in all; it was made to look by this, and takes this for a round
    /// trip.
    ///
    /// # Errors
    /// If there are not so many that could be.
    pub(crate) fn on_counted(
        &mut self,
        total: u64,
        cause: Cause,
        now: Instant,
        round_trip: Duration,
    ) -> Result<Vec<PacketLost>, TooMany> {
        let mut left = total.saturating_sub(self.counted);
        self.counted = total;
        if left == 0 {
            return Ok(Vec::new());
        }
        let space = match cause {
            Cause::Acknowledgement(space) => space,
            // quiche handles the space whose timer is the earliest.
            Cause::Timer => {
                Space::ALL
                    .into_iter()
                    .filter_map(|space| Some((self.spaces[space as usize].lowest()?.1.at, space)))
                    .min()
                    .ok_or(TooMany)?
                    .1
            }
        };
        let sent = &mut self.spaces[space as usize];
        let mut lost = Vec::new();
        while left > 0 {
            let (number, packet) = sent.lowest().ok_or(TooMany)?;
            sent.out.remove(&number);
            if packet.kind != Kind::MtuProbe {
                left -= 1;
            }
            if packet.kind != Kind::AcknowledgementAlone {
                let later = sent.largest_acknowledged.unwrap_or(number) - number;
                lost.push(PacketLost {
                    space,
                    number,
                    trigger: trigger(cause, later, now - packet.at, round_trip),
                    is_mtu_probe: packet.kind == Kind::MtuProbe,
                });
            }
        }
        Ok(lost)
    }
}

/// The frame that ends a handshake (RFC 9000, section 19.20).
const HANDSHAKE_DONE: Frame = Frame::Other("handshake_done");

impl Sent {
    fn acknowledge(&mut self, ranges: &[AckRange]) {
        for range in ranges {
            while let Some((&number, _)) = self.out.range(range.first..=range.last).next() {
                self.out.remove(&number);
            }
            self.largest_acknowledged = self.largest_acknowledged.max(Some(range.last));
        }
    }

    /// The lowest packet that may be lost: only those before one that was acknowledged may be.
    fn lowest(&self) -> Option<(u64, Packet)> {
        let (&number, &packet) = self.out.first_key_value()?;
        (Some(number) < self.largest_acknowledged).then_some((number, packet))
    }
}

/// Why a packet was declared lost, if only one reason is possible.
fn trigger(cause: Cause, later: u64, age: Duration, round_trip: Duration) -> Option<LossTrigger> {
    if cause == Cause::Timer || later < LEAST_PACKETS {
        Some(LossTrigger::TimeThreshold)
    } else if age < round_trip.mul_f64(LEAST_ROUND_TRIPS - ROUNDING) {
        Some(LossTrigger::PacketThreshold)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUND_TRIP: Duration = Duration::from_millis(80);

    fn stream() -> Vec<Frame> {
        vec![Frame::Stream {
            id: 3,
            offset: 0,
            length: 1_000,
            ends: false,
        }]
    }

    fn ack(first: u64, last: u64) -> Frame {
        Frame::Ack {
            ranges: vec![AckRange { first, last }],
            delay_encoded: 0,
        }
    }

    /// Packets 0, 1, ... of application data, with these frames, 1 ms apart.
    fn sent(begin: Instant, packets: &[Vec<Frame>]) -> Losses {
        let mut losses = Losses::new(Role::Server);
        for (number, frames) in (0..).zip(packets) {
            let packet = PacketSent {
                space: Space::Data,
                number,
                length: None,
                frames: frames.clone(),
            };
            assert_eq!(losses.on_sent(&packet, begin + Duration::from_millis(number)), None);
        }
        losses
    }

    fn lost(number: u64, trigger: Option<LossTrigger>) -> PacketLost {
        PacketLost {
            space: Space::Data,
            number,
            trigger,
            is_mtu_probe: false,
        }
    }

    #[test]
    fn the_lowest_that_are_neither_acknowledged_nor_lost_are_lost() {
        let begin = Instant::now();
        let mut losses = sent(begin, &vec![stream(); 10]);
        losses.on_received(Space::Data, &[ack(0, 1), ack(3, 3), ack(6, 8)]);
        let now = begin + ROUND_TRIP;
        let by_packets = Some(LossTrigger::PacketThreshold);
        let acknowledgement = Cause::Acknowledgement(Space::Data);
        assert_eq!(
            losses.on_counted(2, acknowledgement, now, ROUND_TRIP),
            Ok(vec![lost(2, by_packets), lost(4, by_packets)])
        );
        // The count is of all that were ever lost.
        let by_time = Some(LossTrigger::TimeThreshold);
        assert_eq!(
            losses.on_counted(3, Cause::Timer, now, ROUND_TRIP),
            Ok(vec![lost(5, by_time)])
        );
        // Packet 9 was sent after all that were acknowledged.
        assert_eq!(losses.on_counted(4, acknowledgement, now, ROUND_TRIP), Err(TooMany));
    }

    #[test]
    fn a_reason_is_told_only_if_there_is_no_other() {
        let acknowledgement = Cause::Acknowledgement(Space::Data);
        for (later, age_ms, expected) in [
            (3, 89, Some(LossTrigger::PacketThreshold)),
            (3, 90, None),
            (20, 200, None),
            (2, 90, Some(LossTrigger::TimeThreshold)),
        ] {
            let age = Duration::from_millis(age_ms);
            assert_eq!(
                trigger(acknowledgement, later, age, ROUND_TRIP),
                expected,
                "{later} {age_ms}"
            );
        }
    }

    #[test]
    fn acknowledgements_are_counted_and_not_told_and_probes_the_other_way_round() {
        let begin = Instant::now();
        let probe = vec![Frame::Padding, Frame::Ping];
        let mut losses = sent(begin, &[vec![ack(0, 0)], probe, stream(), stream(), stream()]);
        losses.on_received(Space::Data, &[ack(4, 4)]);
        let told = losses.on_counted(2, Cause::Timer, begin + ROUND_TRIP, ROUND_TRIP);
        let by_time = Some(LossTrigger::TimeThreshold);
        let lost_probe = PacketLost {
            is_mtu_probe: true,
            ..lost(1, by_time)
        };
        assert_eq!(told, Ok(vec![lost_probe, lost(2, by_time)]));
    }

    #[test]
    fn a_probe_is_lost_if_another_is_sent_while_it_is_out() {
        let begin = Instant::now();
        let probe = |number| PacketSent {
            space: Space::Data,
            number,
            length: None,
            frames: vec![Frame::Padding, Frame::Ping],
        };
        let mut losses = sent(begin, &vec![stream(); 4]);
        assert_eq!(losses.on_sent(&probe(4), begin), None);
        let lost_probe = PacketLost {
            is_mtu_probe: true,
            ..lost(4, None)
        };
        assert_eq!(losses.on_sent(&probe(5), begin), Some(lost_probe));
        losses.on_received(Space::Data, &[ack(5, 5)]);
        assert_eq!(losses.on_sent(&probe(6), begin), None);
    }

    #[test]
    fn a_space_that_is_discarded_loses_nothing() {
        let begin = Instant::now();
        let mut losses = Losses::new(Role::Server);
        for (space, number) in [
            (Space::Initial, 0),
            (Space::Initial, 1),
            (Space::Data, 2),
            (Space::Data, 3),
        ] {
            let packet = PacketSent {
                space,
                number,
                length: None,
                frames: vec![Frame::Ping],
            };
            assert_eq!(losses.on_sent(&packet, begin + Duration::from_millis(number)), None);
        }
        losses.on_received(Space::Initial, &[ack(1, 1)]);
        losses.on_received(Space::Handshake, &[]);
        losses.on_received(Space::Data, &[ack(3, 3)]);
        let told = losses.on_counted(1, Cause::Timer, begin + ROUND_TRIP, ROUND_TRIP);
        assert_eq!(told, Ok(vec![lost(2, Some(LossTrigger::TimeThreshold))]));
    }
}
