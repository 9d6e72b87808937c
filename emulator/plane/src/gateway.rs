//! Which addresses a gateway has on a device, and whether it is the only one that carries packets there.

use std::net::Ipv4Addr;
use std::{fs, io};

use nix::ifaddrs::getifaddrs;

pub(crate) type Ethernet = [u8; 6];

/// An address of the gateway's, and the network that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Network {
    pub(crate) address: Ipv4Addr,
    pub(crate) mask: u32,
}

/// What the gateway is called on one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) ethernet: Ethernet,
    /// At least one.
    pub(crate) networks: Vec<Network>,
}

impl Side {
    /// The addresses of a device of the calling thread's network namespace.
    pub(crate) fn of(device: &str) -> io::Result<Self> {
        refuse_forwarding(device)?;
        let mut ethernet = None;
        let mut networks = Vec::new();
        for interface in getifaddrs()? {
            // An address with a label of its own is the device's all the same.
            if interface.interface_name.split(':').next() != Some(device) {
                continue;
            }
            let Some(address) = interface.address else { continue };
            if let Some(link) = address.as_link_addr() {
                ethernet = link.addr();
            }
            let mask = interface.netmask.as_ref().and_then(|mask| mask.as_sockaddr_in());
            if let (Some(address), Some(mask)) = (address.as_sockaddr_in(), mask) {
                networks.push(Network {
                    address: address.ip(),
                    mask: mask.ip().to_bits(),
                });
            }
        }
        let missing = |what| io::Error::new(io::ErrorKind::AddrNotAvailable, what);
        if networks.is_empty() {
            return Err(missing("it has no IPv4 address"));
        }
        let ethernet = ethernet.ok_or_else(|| missing("it has no Ethernet address"))?;
        Ok(Self { ethernet, networks })
    }
}

impl Network {
    /// Whether the address is one that a host of this network may have: neither the network's own nor its broadcast's.
    pub(crate) fn has_host(self, address: Ipv4Addr) -> bool {
        let (own, other) = (self.address.to_bits(), address.to_bits());
        let host = other & !self.mask;
        own & self.mask == other & self.mask && (self.is_pair() || (host != 0 && host != !self.mask))
    }

    /// RFC 3021: a network of two addresses has no others.
    pub(crate) const fn is_pair(self) -> bool {
        !self.mask <= 1
    }
}

/// A kernel that forwards would carry each packet a second time.
fn refuse_forwarding(device: &str) -> io::Result<()> {
    let setting = format!("/proc/sys/net/ipv4/conf/{device}/forwarding");
    if fs::read_to_string(setting)?.trim() == "0" {
        return Ok(());
    }
    let why = "the kernel forwards packets itself, and each would come twice; set `sysctl net.ipv4.ip_forward=0` \
               (for a container: `sysctls` in compose.yaml)";
    Err(io::Error::other(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(address: [u8; 4], prefix: u32) -> Network {
        Network {
            address: address.into(),
            mask: u32::MAX << (32 - prefix),
        }
    }

    #[test]
    fn a_network_has_hosts_but_not_its_own_address_and_broadcast() {
        let wide = network([198, 18, 1, 254], 24);
        let has = |last| wide.has_host(Ipv4Addr::new(198, 18, 1, last));
        assert_eq!([0, 1, 254, 255].map(has), [false, true, true, false]);
        assert!(!wide.has_host(Ipv4Addr::new(198, 18, 2, 1)));
        let pair = network([198, 18, 1, 2], 31);
        assert!(pair.has_host(Ipv4Addr::new(198, 18, 1, 3)));
        assert!(!pair.has_host(Ipv4Addr::new(198, 18, 1, 4)));
    }
}
