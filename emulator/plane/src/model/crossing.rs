//! Packets at a constant rate that cross the link beside those of the hosts: they come from no device and leave by none.

use std::ops::RangeInclusive;
use std::rc::Rc;

use windlull_units::{Bytes, ConstantRate, Network, Time};

use super::frame::{CAPACITY, Frame, Pool};
use super::parse::ETHERNET_LEN;

/// The sizes that these packets may have: headers of IPv4 and UDP at least, and what a frame holds at most.
pub const CROSSING_PACKETS: RangeInclusive<Bytes> = Bytes::new(28)..=Bytes::new((CAPACITY - ETHERNET_LEN) as u64);

/// A source of such packets.
pub(super) struct Source {
    stream: ConstantRate,
    /// Each is a copy of this one, and shares its octets.
    frame: Frame,
    sent: u64,
}

impl Source {
    /// The source of a stream, by the stream's place among all: each is a flow of its own.
    pub(super) fn new(stream: ConstantRate, place: usize, pool: &Rc<Pool>) -> Option<Self> {
        Some(Self {
            stream,
            // It meets no host, and has the size that it says: IPv4 beside hosts of either version.
            frame: pool.frame_of(Network::Ipv4, &octets(stream.packet, place)?).ok()?,
            sent: 0,
        })
    }

    /// When the next packet goes.
    pub(super) fn next(&self) -> Time {
        self.stream.sends(self.sent)
    }

    /// It goes.
    pub(super) fn send(&mut self) -> (ConstantRate, Frame) {
        self.sent += 1;
        (self.stream, self.frame.clone())
    }
}

/// A frame with a UDP datagram to the port `discard` (RFC 863) from a port of the stream's own, without ECN.
fn octets(packet: Bytes, place: usize) -> Option<Vec<u8>> {
    const DISCARD: u16 = 9;
    const FIRST_PORT: u16 = 40_000;
    if !CROSSING_PACKETS.contains(&packet) {
        return None;
    }
    let len = u16::try_from(packet.get()).ok()?;
    let port = FIRST_PORT.wrapping_add(u16::try_from(place).unwrap_or(u16::MAX));
    let mut frame = vec![0; ETHERNET_LEN + usize::from(len)];
    let words: [(usize, u16); 6] = [
        (12, 0x0800),
        // RFC 791, section 3.1: version 4, five words of header.
        (ETHERNET_LEN, 0x4500),
        (ETHERNET_LEN + 2, len),
        // A time to live, and UDP.
        (ETHERNET_LEN + 8, 0x4011),
        (ETHERNET_LEN + 20, port),
        (ETHERNET_LEN + 22, DISCARD),
    ];
    for (at, word) in words {
        frame.get_mut(at..at + 2)?.copy_from_slice(&word.to_be_bytes());
    }
    Some(frame)
}

#[cfg(test)]
mod tests {
    use windlull_link::Packet as _;
    use windlull_units::{BitRate, Direction, Ecn, Span};

    use super::*;

    fn stream(packet: u64) -> ConstantRate {
        ConstantRate {
            rate: BitRate::from_bps(1_000_000).expect("not zero"),
            packet: Bytes::new(packet),
            direction: Direction::Down,
            start: Span::from_secs(1),
        }
    }

    #[test]
    fn packets_have_their_size_their_time_and_a_flow_of_their_own() {
        let pool = Pool::new(1_000, Network::Ipv4);
        let source = |place| Source::new(stream(1_000), place, &pool).expect("it fits");
        let (mut first, mut second) = (source(0), source(1));
        assert_eq!(first.next(), Time::ZERO + Span::from_secs(1));
        let (_, packet) = first.send();
        assert_eq!(first.next(), Time::ZERO + Span::from_ms(1_008));
        assert_eq!(packet.size(), Bytes::new(1_000));
        assert_eq!((packet.ecn(), packet.tcp()), (Ecn::NotEct, None));
        assert_eq!(packet.flow(), first.send().1.flow());
        assert_ne!(packet.flow(), second.send().1.flow());
    }

    #[test]
    fn what_no_frame_holds_is_refused() {
        let pool = Pool::new(1_000, Network::Ipv4);
        for (packet, fits) in [(27, false), (28, true), (1_970, true), (1_971, false)] {
            assert_eq!(Source::new(stream(packet), 0, &pool).is_some(), fits, "{packet}");
        }
    }
}
