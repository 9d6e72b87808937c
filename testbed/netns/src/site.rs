//! Where a host of a run is.

use std::net::Ipv4Addr;

use windlull_units::Host;

use crate::borrowed::BorrowError;
use crate::namespace::Namespace;

pub const fn address(host: Host) -> Ipv4Addr {
    match host {
        Host::Server => Ipv4Addr::new(198, 18, 0, 1),
        Host::Client => Ipv4Addr::new(198, 18, 0, 2),
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
    /// The lab's, which are the same in every run.
    Lab,
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
    /// The host's address during a run.
    pub fn address(&self) -> Ipv4Addr {
        match self.addresses {
            Addresses::Lab => address(self.host),
            Addresses::Own { address, .. } => address,
        }
    }

    /// The route to the other host, as `ip route change` takes it.
    pub fn route_to_peer(&self) -> String {
        let device = &self.device;
        match self.addresses {
            Addresses::Lab => {
                let (own, peer) = (address(self.host), address(self.host.peer()));
                format!("{peer}/32 dev {device} src {own}")
            }
            Addresses::Own { gateway, .. } => format!("default via {gateway} dev {device}"),
        }
    }
}

fn word_after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut words = text.split_whitespace();
    words.find(|word| *word == key)?;
    words.next()
}
