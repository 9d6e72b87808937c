//! Where a host of a run is.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use windlull_units::{Host, Network};

use crate::borrowed::BorrowError;
use crate::namespace::Namespace;

/// A host's address in a lab over IPv4, from the range for benchmarks (RFC 2544, appendix C.2.2).
pub const fn address(host: Host) -> Ipv4Addr {
    match host {
        Host::Server => Ipv4Addr::new(198, 18, 0, 1),
        Host::Client => Ipv4Addr::new(198, 18, 0, 2),
    }
}

/// The same over IPv6 (RFC 5180, section 8).
const fn ipv6_address(host: Host) -> Ipv6Addr {
    let last = match host {
        Host::Server => 1,
        Host::Client => 2,
    };
    Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, last)
}

/// A host's address in a lab whose hosts speak this version of IP.
pub const fn address_in(network: Network, host: Host) -> IpAddr {
    match network {
        Network::Ipv4 => IpAddr::V4(address(host)),
        Network::Ipv6 => IpAddr::V6(ipv6_address(host)),
    }
}

/// A host's place on the machine: the network namespace it lives in, and its device towards the link.
#[derive(Clone, Debug)]
pub struct Site {
    pub host: Host,
    /// Where its devices, its kernel's settings and its sockets are.
    pub namespace: Namespace,
    pub device: String,
    /// Whose addresses the device has during a run.
    pub addresses: Addresses,
}

/// The addresses of a host in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// Those of a lab over this version of IP, which are the same in every run.
    Lab(Network),
    /// Those that it has already, as programs of its own listen there.
    Own {
        /// Its IPv4 address towards the link.
        address: Ipv4Addr,
        /// The router by which it reaches the other host.
        gateway: Ipv4Addr,
    },
}

impl Addresses {
    /// Those that the device has, by which its default route must go.
    ///
    /// # Errors
    /// If it has no IPv4 address, or the default route does not go by it.
    pub fn of_device(namespace: &Namespace, device: &str) -> Result<Self, BorrowError> {
        let unfit = |why: &str| BorrowError::Unfit {
            device: device.to_owned(),
            why: why.to_owned(),
        };
        let shown = namespace.command("ip", &["-4", "-oneline", "address", "show", "dev", device])?;
        let address = word_after(&shown, "inet").and_then(|word| word.split('/').next()?.parse().ok());
        let route = namespace.command("ip", &["-4", "-oneline", "route", "show", "default", "dev", device])?;
        let gateway = word_after(&route, "via").and_then(|word| word.parse().ok());
        Ok(Self::Own {
            address: address.ok_or_else(|| unfit("has no IPv4 address; the link needs one to carry packets to"))?,
            gateway: gateway
                .ok_or_else(|| unfit("is not that of the default route; the link must be the host's router"))?,
        })
    }
}

impl Site {
    /// The version of IP that the host speaks during a run.
    pub const fn network(&self) -> Network {
        match self.addresses {
            Addresses::Lab(network) => network,
            Addresses::Own { .. } => Network::Ipv4,
        }
    }

    /// The host's address during a run.
    pub const fn address(&self) -> IpAddr {
        match self.addresses {
            Addresses::Lab(network) => address_in(network, self.host),
            Addresses::Own { address, .. } => IpAddr::V4(address),
        }
    }

    /// The route to the other host, as `ip route change` takes it.
    pub fn route_to_peer(&self) -> String {
        let device = &self.device;
        match self.addresses {
            Addresses::Lab(network) => lab_route(network, self.host, device),
            Addresses::Own { gateway, .. } => format!("default via {gateway} dev {device}"),
        }
    }
}

/// The route to the other host of a lab.
pub(crate) fn lab_route(network: Network, host: Host, device: &str) -> String {
    let (own, peer) = (address_in(network, host), address_in(network, host.peer()));
    format!("{peer}/{} dev {device} src {own}", whole(network))
}

/// How many bits of an address are all of it.
pub(crate) const fn whole(network: Network) -> u8 {
    match network {
        Network::Ipv4 => 32,
        Network::Ipv6 => 128,
    }
}

/// The option by which `ip` is told which version of IP it is about.
pub const fn ip_option(network: Network) -> &'static str {
    match network {
        Network::Ipv4 => "-4",
        Network::Ipv6 => "-6",
    }
}

fn word_after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut words = text.split_whitespace();
    words.find(|word| *word == key)?;
    words.next()
}
