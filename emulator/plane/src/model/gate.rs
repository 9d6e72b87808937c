//! What makes a port a gateway's: which frames it takes, and to whom they go on.
//!
//! Hosts that have the gateway for their router send to its Ethernet address what is for a host on its other side. It
//! takes that, and sends it on there from its address there. Who has which Ethernet address it learns from all that it
//! sees, and asks for by ARP (RFC 826). All else is left to the kernel.

use std::collections::HashMap;
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use nix::sys::socket::{MsgFlags, send};
use windlull_units::{Span, Time};

use super::parse::{self, ETHERNET_LEN};
use crate::gateway::{Ethernet, Network, Side};
use crate::packet_socket::{PacketSocket, Protocol};

/// How often a neighbour is asked for that does not answer: once a second (RFC 1122, section 2.3.2.1).
const ASK_EVERY: Span = Span::from_secs(1);
/// Neighbours that are remembered at most: a network of a few thousand hosts.
const MOST_NEIGHBOURS: usize = 4_096;
const ETHERTYPE_ARP: [u8; 2] = [0x08, 0x06];
/// RFC 826: Ethernet, IPv4, and the lengths of their addresses.
const ARP_HEAD: [u8; 6] = [0, 1, 8, 0, 6, 4];
const ARP_REQUEST: [u8; 2] = [0, 1];
const ARP_LEN: usize = 28;
const BROADCAST: Ethernet = [0xFF; 6];

/// One side of a gateway.
pub(super) struct Gate {
    ethernet: Ethernet,
    networks: Vec<Network>,
    neighbours: HashMap<Ipv4Addr, Neighbour>,
    /// Sends; the port's own socket only receives.
    out: PacketSocket,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Neighbour {
    At(Ethernet),
    Asked(Time),
}

impl Gate {
    /// The gateway's side at a device of the calling thread's network namespace.
    pub(super) fn open(device: &str) -> io::Result<Self> {
        let Side { ethernet, networks } = Side::of(device)?;
        let out = PacketSocket::open(device)?;
        out.set(libc::PACKET_QDISC_BYPASS, &1_i32)?;
        out.bind(Protocol::Nothing)?;
        Ok(Self {
            ethernet,
            networks,
            neighbours: HashMap::new(),
            out,
        })
    }

    pub(super) const fn out(&self) -> &PacketSocket {
        &self.out
    }

    /// Learns who sent this frame. True if that was not known.
    pub(super) fn learn(&mut self, frame: &[u8]) -> bool {
        let Some((address, ethernet)) = sender(frame) else {
            return false;
        };
        let at = Neighbour::At(ethernet);
        if self.neighbours.get(&address) == Some(&at) {
            return false;
        }
        let is_host = ethernet[0] & 1 == 0 && ethernet != [0; 6] && ethernet != self.ethernet;
        is_host && self.reaches(address) && self.remember(address, at)
    }

    /// Where this frame is to go, if it is for the gateway to carry: an IPv4 packet sent to its Ethernet address.
    pub(super) fn takes(&self, frame: &[u8]) -> Option<Ipv4Addr> {
        let packet = parse::ipv4(frame)?;
        let mine = frame[..6] == self.ethernet;
        let target = destination(packet)?;
        (mine && !self.is_own(target)).then_some(target)
    }

    /// Whether a host of this address would be on this side.
    pub(super) fn reaches(&self, address: Ipv4Addr) -> bool {
        !self.is_own(address) && self.networks.iter().any(|network| network.has_host(address))
    }

    /// The beginning of a frame to this address; `None` if its owner is not known yet.
    pub(super) fn heading(&self, to: Ipv4Addr) -> Option<[u8; 12]> {
        let Some(Neighbour::At(ethernet)) = self.neighbours.get(&to) else {
            return None;
        };
        let mut heading = [0; 12];
        heading[..6].copy_from_slice(ethernet);
        heading[6..].copy_from_slice(&self.ethernet);
        Some(heading)
    }

    /// Asks who has this address, unless that is known or was asked a moment ago.
    pub(super) fn ask(&mut self, address: Ipv4Addr, now: Time) {
        match self.neighbours.get(&address) {
            Some(Neighbour::At(_)) => return,
            Some(Neighbour::Asked(at)) if now.since(*at) < ASK_EVERY => return,
            _ => {}
        }
        if self.remember(address, Neighbour::Asked(now)) {
            let mine = self.networks.iter().find(|network| network.has_host(address));
            let own = mine.map_or(Ipv4Addr::UNSPECIFIED, |network| network.address);
            let question = request(self.ethernet, own, address);
            // What the device does not take now is asked again.
            let _ = send(self.out.as_fd().as_raw_fd(), &question, MsgFlags::MSG_DONTWAIT);
        }
    }

    fn is_own(&self, address: Ipv4Addr) -> bool {
        self.networks.iter().any(|network| network.address == address)
    }

    fn remember(&mut self, address: Ipv4Addr, neighbour: Neighbour) -> bool {
        if self.neighbours.len() >= MOST_NEIGHBOURS && !self.neighbours.contains_key(&address) {
            // Who asks for address after address does not push out those who are there.
            self.neighbours.retain(|_, other| matches!(other, Neighbour::At(_)));
            if self.neighbours.len() >= MOST_NEIGHBOURS {
                return false;
            }
        }
        self.neighbours.insert(address, neighbour);
        true
    }
}

impl AsFd for Gate {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.out.as_fd()
    }
}

pub(super) fn destination(packet: &[u8]) -> Option<Ipv4Addr> {
    // RFC 791, section 3.1.
    Some(Ipv4Addr::from(<[u8; 4]>::try_from(packet.get(16..20)?).ok()?))
}

/// Who sent a frame, as IPv4 and ARP say.
fn sender(frame: &[u8]) -> Option<(Ipv4Addr, Ethernet)> {
    let (address, ethernet) = match parse::ipv4(frame) {
        Some(packet) => (packet.get(12..16)?, frame.get(6..12)?),
        None => {
            let arp = frame.get(ETHERNET_LEN..ETHERNET_LEN + ARP_LEN)?;
            if frame[12..14] != ETHERTYPE_ARP || arp[..6] != ARP_HEAD {
                return None;
            }
            (&arp[14..18], &arp[8..14])
        }
    };
    let address = <[u8; 4]>::try_from(address).ok()?;
    Some((Ipv4Addr::from(address), ethernet.try_into().ok()?))
}

/// The frame that asks everybody who has an address (RFC 826).
fn request(own_ethernet: Ethernet, own: Ipv4Addr, wanted: Ipv4Addr) -> [u8; ETHERNET_LEN + ARP_LEN] {
    let mut frame = [0; ETHERNET_LEN + ARP_LEN];
    frame[..6].copy_from_slice(&BROADCAST);
    frame[6..12].copy_from_slice(&own_ethernet);
    frame[12..14].copy_from_slice(&ETHERTYPE_ARP);
    let arp = &mut frame[ETHERNET_LEN..];
    arp[..6].copy_from_slice(&ARP_HEAD);
    arp[6..8].copy_from_slice(&ARP_REQUEST);
    arp[8..14].copy_from_slice(&own_ethernet);
    arp[14..18].copy_from_slice(&own.octets());
    arp[24..28].copy_from_slice(&wanted.octets());
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senders_are_known_by_ip_and_by_arp() {
        let (ethernet, own, wanted) = (
            [2, 0, 0, 0, 0, 9],
            Ipv4Addr::new(10, 0, 0, 9),
            Ipv4Addr::new(10, 0, 0, 1),
        );
        let question = request(ethernet, own, wanted);
        assert_eq!(sender(&question), Some((own, ethernet)));
        assert_eq!(question[38..42], [10, 0, 0, 1]);
        assert_eq!(sender(&question[..41]), None, "cut short");
        let mut packet = [0; 34];
        packet[6..12].copy_from_slice(&ethernet);
        packet[12..14].copy_from_slice(&[8, 0]);
        packet[26..30].copy_from_slice(&own.octets());
        assert_eq!(sender(&packet), Some((own, ethernet)));
        packet[12] = 0x86;
        assert_eq!(sender(&packet), None, "IPv6");
    }
}
