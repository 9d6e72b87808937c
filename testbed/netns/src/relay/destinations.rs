//! What addresses stand for, on their way from a namespace into the network of this process.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4};

/// RFC 1035, section 4.2.
const DNS_PORT: u16 = 53;
/// Where the machine says whom to ask for names (resolv.conf(5)).
const RESOLVER: &str = "/etc/resolv.conf";

/// What destinations stand for in the network of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Destinations {
    /// It stands for the loopback address, and for the nameserver.
    base: Ipv4Addr,
    nameserver: Option<IpAddr>,
}

impl Destinations {
    /// With this base address, and the nameserver of the machine.
    pub(super) fn of_machine(base: Ipv4Addr) -> Self {
        let text = fs::read_to_string(RESOLVER).ok();
        Self {
            base,
            nameserver: text.and_then(|text| first_nameserver(&text)),
        }
    }

    /// Where a packet to `destination` is to go.
    pub(super) fn of(&self, destination: SocketAddrV4) -> SocketAddr {
        let (address, port) = (*destination.ip(), destination.port());
        let address = match (address == self.base, self.nameserver) {
            (true, Some(nameserver)) if port == DNS_PORT => nameserver,
            (true, _) => Ipv4Addr::LOCALHOST.into(),
            (false, _) => address.into(),
        };
        (address, port).into()
    }

    /// Whether programs cannot ask the nameserver at its own address.
    pub(super) fn stand_for_nameserver(&self) -> bool {
        match self.nameserver {
            Some(IpAddr::V4(address)) => address.is_loopback(),
            Some(IpAddr::V6(_)) => true,
            None => false,
        }
    }
}

/// The first nameserver of a file's text that is an address.
fn first_nameserver(text: &str) -> Option<IpAddr> {
    text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        match words.next()? {
            // `fe80::1%eth0` has a zone, which only the machine itself understands.
            "nameserver" => words.next()?.parse().ok(),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destinations(nameserver: Option<&str>) -> Destinations {
        Destinations {
            base: Ipv4Addr::new(100, 64, 0, 1),
            nameserver: nameserver.map(|address| address.parse().expect("an address")),
        }
    }

    fn of(nameserver: Option<&str>, destination: &str) -> String {
        let destination = destination.parse().expect("an address and a port");
        destinations(nameserver).of(destination).to_string()
    }

    #[test]
    fn the_base_address_is_the_loopback_and_the_nameserver() {
        assert_eq!(of(Some("127.0.0.53"), "100.64.0.1:8080"), "127.0.0.1:8080");
        assert_eq!(of(Some("127.0.0.53"), "100.64.0.1:53"), "127.0.0.53:53");
        assert_eq!(of(Some("fd00::1"), "100.64.0.1:53"), "[fd00::1]:53");
        assert_eq!(of(None, "100.64.0.1:53"), "127.0.0.1:53");
    }

    #[test]
    fn every_other_destination_is_itself() {
        assert_eq!(of(Some("127.0.0.53"), "192.0.2.7:443"), "192.0.2.7:443");
        assert_eq!(of(Some("127.0.0.53"), "192.0.2.7:53"), "192.0.2.7:53");
    }

    #[test]
    fn programs_ask_a_nameserver_that_they_reach() {
        let stand = |nameserver| destinations(nameserver).stand_for_nameserver();
        assert!(stand(Some("127.0.0.53")) && stand(Some("fd00::1")));
        assert!(!stand(Some("192.0.2.53")) && !stand(None));
    }

    #[test]
    fn the_first_nameserver_is_found_among_other_lines() {
        let text = "# nameserver 192.0.2.1\nsearch example\nnameserver fe80::1%eth0\nnameserver\t192.0.2.53 # it\n";
        assert_eq!(first_nameserver(text), "192.0.2.53".parse().ok());
        assert_eq!(first_nameserver("options rotate\n"), None);
    }
}
