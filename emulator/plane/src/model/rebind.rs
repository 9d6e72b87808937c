//! A NAT that gives the client's UDP flows other ports now and then, as when it has forgotten them or was restarted: NAT rebinding
//! (RFC 9000, section 9.3.3). The QUIC network simulator's scenario `rebind` does the same.
//!
//! It stands where packets enter the link. From a rebinding on, the server sees another source port, and what it still
//! sends to the one before is lost. Addresses stay; so do ports of TCP, and of flows that the server began.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;

use windlull_link::model::Rebinding;
use windlull_units::{Direction, Span, Time};

use super::frame::Frame;
use super::parse::{self, PortOf};

/// Flows that are given other ports; packets of further ones pass as they are.
const MOST_FLOWS: usize = 4_096;
/// Ports that are remembered as used up; then all are forgotten, and a late packet to one of them passes.
const MOST_STALE: usize = 1 << 20;
/// Ports that a NAT gives (RFC 4787, section 4.2.2: not well-known ones), one after another in steps that meet all.
const FIRST_PORT: u32 = 1_024;
const PORTS: u32 = 0x1_0000 - FIRST_PORT;
const STEP: u32 = 25_771;

/// A port of a host of the client's side.
type Place = (IpAddr, u16);

/// The NAT's mappings.
pub(super) struct Rebinder {
    next: Time,
    every: Option<Span>,
    /// The port that the server sees, by the client's own; and back.
    seen: HashMap<Place, u16>,
    own: HashMap<Place, u16>,
    /// Ports that the server once saw.
    stale: HashSet<Place>,
    given: u32,
}

impl Rebinder {
    pub(super) fn new(rebinding: Rebinding) -> Self {
        Self {
            next: rebinding.at,
            every: rebinding.every,
            seen: HashMap::new(),
            own: HashMap::new(),
            stale: HashSet::new(),
            given: 0,
        }
    }

    /// A packet enters the link. `None` if nobody has the port any more that it is sent to.
    pub(super) fn pass(&mut self, now: Time, direction: Direction, frame: Frame) -> Option<Frame> {
        if self.next <= now {
            // Of several since the last packet, nobody has seen but the last.
            self.rebind();
            self.next = self.after(now);
        }
        let of = PortOf::client(direction);
        let Some(place) = parse::udp_place(frame.packet(), of) else {
            return Some(frame);
        };
        let other = match direction {
            Direction::Up => self.seen_for(place),
            Direction::Down => match self.own.get(&place) {
                Some(own) => Some(*own),
                None if self.stale.contains(&place) => return None,
                None => None,
            },
        };
        match other.filter(|other| *other != place.1) {
            // Without a buffer it is lost.
            Some(other) => frame.with_port(of, other),
            None => Some(frame),
        }
    }

    /// The port that the server sees of this one: at first its own.
    fn seen_for(&mut self, place: Place) -> Option<u16> {
        if let Some(seen) = self.seen.get(&place) {
            return Some(*seen);
        }
        if self.seen.len() >= MOST_FLOWS {
            return None;
        }
        let (address, port) = place;
        let is_free = !self.own.contains_key(&place) && !self.stale.contains(&place);
        let seen = if is_free { port } else { self.free(address)? };
        self.map(place, seen);
        Some(seen)
    }

    /// When it happens next.
    fn after(&self, now: Time) -> Time {
        let Some(every) = self.every else {
            return Time::NEVER;
        };
        let period = every.as_ns().max(1);
        let rounds = now.since(self.next).as_ns() / period + 1;
        self.next + Span::from_ns(rounds.saturating_mul(period))
    }

    /// Every flow gets another port.
    fn rebind(&mut self) {
        let mut before: Vec<Place> = self.seen.drain().map(|(place, _)| place).collect();
        // The same at each start, whatever the order in which a map has them.
        before.sort_unstable();
        if self.stale.len() >= MOST_STALE {
            self.stale.clear();
        }
        self.stale.extend(self.own.drain().map(|(place, _)| place));
        for place in before {
            if let Some(other) = self.free(place.0) {
                self.map(place, other);
            }
        }
    }

    fn map(&mut self, place: Place, seen: u16) {
        self.seen.insert(place, seen);
        self.own.insert((place.0, seen), place.1);
    }

    /// A port of this address that is in nobody's use and was not before.
    fn free(&mut self, address: IpAddr) -> Option<u16> {
        for _ in 0..PORTS {
            self.given = self.given.wrapping_add(STEP) % PORTS;
            let port = u16::try_from(FIRST_PORT + self.given).ok()?;
            let place = (address, port);
            if !self.own.contains_key(&place) && !self.stale.contains(&place) && !self.seen.contains_key(&place) {
                return Some(port);
            }
        }
        None
    }
}

impl PortOf {
    /// The end whose port the NAT changes: the client's.
    pub(super) const fn client(direction: Direction) -> Self {
        match direction {
            Direction::Up => Self::Source,
            Direction::Down => Self::Destination,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use windlull_units::Network;

    use super::super::frame::Pool;
    use super::super::parse::ETHERNET_LEN;
    use super::*;

    const CLIENT: [u8; 4] = [10, 0, 0, 2];
    const SERVER: [u8; 4] = [10, 0, 0, 1];

    fn at(secs: u64) -> Time {
        Time::ZERO + Span::from_secs(secs)
    }

    fn rebinder(every: Option<u64>) -> Rebinder {
        Rebinder::new(Rebinding {
            at: at(1),
            every: every.map(Span::from_secs),
        })
    }

    /// A datagram from one place to another, of a protocol, with a checksum that is wrong but not none.
    fn frame(pool: &Rc<Pool>, protocol: u8, from: ([u8; 4], u16), to: ([u8; 4], u16)) -> Frame {
        let mut octets = vec![0; ETHERNET_LEN + 40];
        octets[12] = 8;
        let packet = &mut octets[ETHERNET_LEN..];
        packet[0] = 0x45;
        packet[3] = 40;
        packet[9] = protocol;
        packet[12..16].copy_from_slice(&from.0);
        packet[16..20].copy_from_slice(&to.0);
        packet[20..22].copy_from_slice(&from.1.to_be_bytes());
        packet[22..24].copy_from_slice(&to.1.to_be_bytes());
        packet[26..28].copy_from_slice(&[0x12, 0x34]);
        pool.frame(&octets).expect("an IPv4 packet")
    }

    /// The port that the server sees of one of the client's.
    fn up(nat: &mut Rebinder, pool: &Rc<Pool>, now: u64, port: u16) -> u16 {
        let frame = frame(pool, 17, (CLIENT, port), (SERVER, 443));
        let passed = nat.pass(at(now), Direction::Up, frame).expect("it passes");
        let ports = parse::ports(passed.packet()).expect("it has ports");
        assert_eq!(ports[1], 443);
        ports[0]
    }

    /// The client's port that a datagram to this one comes to.
    fn down(nat: &mut Rebinder, pool: &Rc<Pool>, now: u64, port: u16) -> Option<u16> {
        let frame = frame(pool, 17, (SERVER, 443), (CLIENT, port));
        let passed = nat.pass(at(now), Direction::Down, frame)?;
        parse::ports(passed.packet()).map(|ports| ports[1])
    }

    #[test]
    fn the_server_sees_another_port_from_then_on_and_answers_find_the_way() {
        let (mut nat, pool) = (rebinder(None), Pool::new(1_000, Network::Ipv4));
        assert_eq!(up(&mut nat, &pool, 0, 5_000), 5_000);
        assert_eq!(down(&mut nat, &pool, 0, 5_000), Some(5_000));
        let seen = up(&mut nat, &pool, 1, 5_000);
        assert_ne!(seen, 5_000);
        assert_eq!(down(&mut nat, &pool, 1, seen), Some(5_000));
        assert_eq!(down(&mut nat, &pool, 1, 5_000), None, "the one before is nobody's");
        assert_eq!(up(&mut nat, &pool, 99, 5_000), seen, "once");
    }

    #[test]
    fn flows_are_rebound_again_and_again_apart_from_each_other() {
        let (mut nat, pool) = (rebinder(Some(2)), Pool::new(1_000, Network::Ipv4));
        let mut seen = HashSet::new();
        for now in [0, 1, 3, 5, 7] {
            for port in [5_000, 6_000] {
                let other = up(&mut nat, &pool, now, port);
                assert!(seen.insert(other), "{other} was there before");
                assert_eq!(down(&mut nat, &pool, now, other), Some(port));
            }
        }
    }

    #[test]
    fn tcp_and_flows_of_the_servers_pass_as_they_are() {
        let (mut nat, pool) = (rebinder(None), Pool::new(1_000, Network::Ipv4));
        let tcp = frame(&pool, 6, (CLIENT, 5_000), (SERVER, 443));
        let before = tcp.octets().to_vec();
        let passed = nat.pass(at(9), Direction::Up, tcp).expect("it passes");
        assert_eq!(passed.octets(), before);
        assert_eq!(down(&mut nat, &pool, 9, 7_000), Some(7_000));
    }
}
