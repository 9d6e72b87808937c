//! A stub network (RFC 1983): a namespace whose only way out is a link that a program plays.
//!
//! ```text
//!     outside ns              router ns                inside ns
//!     wlPID ====veth==== to-server  to-client ====veth==== link0
//!     100.64.0.1                                      100.64.0.2, default route
//! ```
//!
//! Outside is the network that this process is in, where that is its own ([`crate::owns_network`]): the stub of a program in
//! another stub. Packets then pass unchanged, and their kernel carries them on; as nobody beyond knows the inner address, it
//! takes its own for it (RFC 3022). Elsewhere outside is a namespace that a relay joins to the network of
//! this process: an ordinary user cannot add a device to that, and nothing that root added would go with a killed process.

use std::convert::identity;
use std::io;
use std::net::Ipv4Addr;
use std::process;

use nix::ifaddrs::getifaddrs;
use nix::sys::socket::SockaddrIn;
use thiserror::Error;

use crate::lab::{LabError, MTU, colons, ip, prepare, raise, wait_for_carrier};
use crate::namespace::{Namespace, SysctlError};
use crate::ownership::owns_network;
use crate::privilege::enter_as_same_user;
use crate::relay::{RELAY_PORT, Relay};

/// The addresses of stub networks: shared address space (RFC 6598), as Mahimahi takes it, so that no private network that
/// the machine is in has them.
const ADDRESSES: Ipv4Addr = Ipv4Addr::new(100, 64, 0, 0);
const ADDRESSES_LEN: u32 = 10;

/// The devices in the router; their numbers are none that a peer's namespace gives out by itself (see `lab.rs`).
const TO_OUTSIDE: &str = "to-server";
const TO_INSIDE: &str = "to-client";
const ROUTER_INDEX: u32 = 10_001;
/// The device inside.
const INSIDE: &str = "link0";

/// What the relay's rules have to do with routes: packets with the mark are this host's own, whatever their address.
const MARK: u32 = 1;
const TABLE: u32 = 100;

/// Why there is no stub network.
#[derive(Debug, Error)]
pub enum StubError {
    /// A namespace, a device, an address or a setting could not be made.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// Every pair of addresses is in use.
    #[error("no two addresses of 100.64.0.0/10 are free here")]
    Addresses,
    /// The addresses that are in use could not be found.
    #[error("cannot list the addresses of this network: {0}")]
    List(io::Error),
    /// What carries connections on could not be started.
    #[error("cannot carry connections on into the network of this process: {0}")]
    Relay(io::Error),
}

/// The namespaces of a stub network. They go when this does, and the last process in them.
#[derive(Debug)]
pub struct Stub {
    outside: Namespace,
    router: Namespace,
    inside: Namespace,
    /// The device outside.
    device: String,
    addresses: Pair,
    /// There where outside is a namespace of its own.
    relay: Option<Relay>,
}

/// The two ends' addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pair {
    outer: Ipv4Addr,
    inner: Ipv4Addr,
}

impl Stub {
    /// Builds it at the network that the process is in. Must come before any second thread; see [`crate::enter`].
    ///
    /// # Errors
    /// If the machine would not; nothing is left behind.
    pub fn build() -> Result<Self, StubError> {
        if owns_network() { Self::here() } else { Self::apart() }
    }

    /// Outside is the namespace of this process.
    fn here() -> Result<Self, StubError> {
        let stub = Self::joined(Namespace::own("outside"))?;
        let forward = stub.outside.set_sysctl("net.ipv4.ip_forward", "1");
        forward.map_err(LabError::from)?;
        stub.rules(&stub.masquerade())?;
        Ok(stub)
    }

    /// Outside is a namespace of its own, with a relay.
    fn apart() -> Result<Self, StubError> {
        enter_as_same_user().map_err(LabError::from)?;
        let outside = namespace("outside")?;
        prepare(&outside, false)?;
        // The relay answers for every address and port.
        match outside.set_sysctl("net.ipv4.ip_unprivileged_port_start", "0") {
            Ok(()) | Err(SysctlError::Unknown { .. }) => {}
            Err(error) => return Err(LabError::from(error).into()),
        }
        let mut stub = Self::joined(outside)?;
        ip(
            &stub.outside,
            &format!(
                "rule add fwmark {MARK} lookup {TABLE}\n\
                 route add local default dev lo table {TABLE}\n"
            ),
        )?;
        stub.rules(&stub.divert())?;
        stub.relay = Some(Relay::start(&stub.outside, stub.addresses.outer).map_err(StubError::Relay)?);
        Ok(stub)
    }

    /// The namespaces, devices, addresses and routes.
    fn joined(outside: Namespace) -> Result<Self, StubError> {
        let addresses = outside
            .run(addresses_in_use)
            .and_then(identity)
            .map_err(StubError::List)?;
        let stub = Self {
            addresses: Pair::above(&addresses).ok_or(StubError::Addresses)?,
            device: format!("wl{}", process::id()),
            outside,
            router: namespace("router")?,
            inside: namespace("inside")?,
            relay: None,
        };
        for namespace in [&stub.router, &stub.inside] {
            prepare(namespace, false)?;
        }
        ip(&stub.router, &stub.devices())?;
        let ends = [
            (&stub.outside, stub.device.as_str()),
            (&stub.router, TO_OUTSIDE),
            (&stub.router, TO_INSIDE),
            (&stub.inside, INSIDE),
        ];
        for (namespace, device) in ends {
            raise(namespace, device, false)?;
        }
        for (namespace, device) in ends {
            wait_for_carrier(namespace, device)?;
        }
        let Pair { outer, inner } = stub.addresses;
        ip(&stub.outside, &speaking(outer, inner, &stub.device))?;
        let default = format!("route add default via {outer} dev {INSIDE} src {inner}\n");
        ip(&stub.inside, &(speaking(inner, outer, INSIDE) + &default))?;
        Ok(stub)
    }

    /// Where a program plays the link.
    pub const fn router(&self) -> &Namespace {
        &self.router
    }

    /// Where programs are behind it.
    pub const fn inside(&self) -> &Namespace {
        &self.inside
    }

    /// The router's devices, the one that leads outside first.
    pub const fn devices_of_link(&self) -> [&'static str; 2] {
        [TO_OUTSIDE, TO_INSIDE]
    }

    /// The address of the link's outer end. Where a relay carries on, services on the loopback address of the network of
    /// this process are there.
    pub const fn outer(&self) -> Ipv4Addr {
        self.addresses.outer
    }

    /// The nameserver that programs inside are to ask, if those of the file (resolv.conf(5)) are none that they reach: it
    /// listens on a loopback address, or has none of IPv4.
    pub fn nameserver(&self) -> Option<Ipv4Addr> {
        let relay = self.relay.as_ref()?;
        relay.stands_for_nameserver().then_some(self.addresses.outer)
    }

    /// What `ip` is told in the router to make all devices.
    fn devices(&self) -> String {
        let Pair { outer, inner } = self.addresses;
        let pair = |number: u32, near: &str, far: &str, address: Ipv4Addr, namespace: &Namespace| {
            format!(
                "link add {near} index {} address {} mtu {MTU} type veth peer name {far} address {} mtu {MTU} netns {}\n",
                ROUTER_INDEX + number,
                colons(ethernet(address, NEAR)),
                colons(ethernet(address, FAR)),
                namespace.path(),
            )
        };
        pair(0, TO_OUTSIDE, &self.device, outer, &self.outside) + &pair(1, TO_INSIDE, INSIDE, inner, &self.inside)
    }

    /// What comes from inside leaves with the address of this host.
    fn masquerade(&self) -> String {
        let (table, device, inner) = (self.table(), &self.device, self.addresses.inner);
        format!(
            "add table ip {table}\n\
             delete table ip {table}\n\
             table ip {table} {{\n\
               chain out {{\n\
                 type nat hook postrouting priority 100; policy accept;\n\
                 ip saddr {inner} oifname != \"{device}\" masquerade\n\
               }}\n\
             }}\n"
        )
    }

    /// What comes from inside is the relay's.
    fn divert(&self) -> String {
        let (table, device) = (self.table(), &self.device);
        let to_relay = format!("tproxy to :{RELAY_PORT} meta mark set {MARK} accept");
        format!(
            "table ip {table} {{\n\
               chain divert {{\n\
                 type filter hook prerouting priority -150; policy accept;\n\
                 iifname \"{device}\" meta l4proto tcp {to_relay}\n\
                 iifname \"{device}\" meta l4proto udp {to_relay}\n\
               }}\n\
             }}\n"
        )
    }

    /// The name of the rules, which others of this network have not.
    fn table(&self) -> String {
        format!("windlull_{}", self.device)
    }

    fn rules(&self, text: &str) -> Result<(), LabError> {
        self.outside.command_with_input("nft", &["-f", "-"], text)?;
        Ok(())
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        if self.relay.is_none() {
            // In a network that stays; a rule for an address that has gone does no harm.
            let _ = self.rules(&format!("delete table ip {}\n", self.table()));
        }
    }
}

impl Pair {
    /// The first pair above all of these addresses: on the way from a stub in a stub, each is then there once.
    fn above(taken: &[Ipv4Addr]) -> Option<Self> {
        let hosts = 1_u32 << (32 - ADDRESSES_LEN);
        let first = ADDRESSES.to_bits();
        let place = |address: &Ipv4Addr| address.to_bits().checked_sub(first).filter(|place| *place < hosts);
        // 1 and 2 are the first pair, 3 and 4 the second.
        let next = taken
            .iter()
            .filter_map(place)
            .max()
            .map_or(0, |highest| highest.div_ceil(2));
        let (outer, inner) = (2 * next + 1, 2 * next + 2);
        (inner < hosts - 1).then(|| Self {
            outer: Ipv4Addr::from_bits(first + outer),
            inner: Ipv4Addr::from_bits(first + inner),
        })
    }
}

/// The last octet of the Ethernet address of a router's device, and of its peer.
const NEAR: u8 = 0xFE;
const FAR: u8 = 0;

/// Of the device of an end of the link, and of its peer in the router.
const fn ethernet(address: Ipv4Addr, last: u8) -> [u8; 6] {
    let [a, b, c, d] = address.octets();
    [0x02, a, b, c, d, last]
}

/// What `ip` is told so that an end's kernel has its address and knows where the other end is.
fn speaking(own: Ipv4Addr, peer: Ipv4Addr, device: &str) -> String {
    let peer_ethernet = colons(ethernet(peer, FAR));
    format!(
        "address add {own}/32 dev {device}\n\
         neighbour add {peer} lladdr {peer_ethernet} dev {device} nud permanent\n\
         route add {peer}/32 dev {device} src {own}\n"
    )
}

fn namespace(label: &'static str) -> Result<Namespace, LabError> {
    Namespace::create(label).map_err(|source| LabError::Namespace { place: label, source })
}

/// The IPv4 addresses of the calling thread's network.
fn addresses_in_use() -> io::Result<Vec<Ipv4Addr>> {
    let addresses = getifaddrs()?.filter_map(|interface| {
        let address = interface.address?;
        address.as_sockaddr_in().map(SockaddrIn::ip)
    });
    Ok(addresses.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(taken: &[[u8; 4]]) -> Option<[u8; 4]> {
        let taken: Vec<Ipv4Addr> = taken.iter().copied().map(Ipv4Addr::from).collect();
        Pair::above(&taken).map(|pair| {
            assert_eq!(pair.inner.to_bits(), pair.outer.to_bits() + 1);
            pair.outer.octets()
        })
    }

    #[test]
    fn the_next_pair_is_above_all_that_are_in_use() {
        assert_eq!(pair(&[]), Some([100, 64, 0, 1]));
        assert_eq!(pair(&[[127, 0, 0, 1], [192, 168, 1, 5]]), Some([100, 64, 0, 1]));
        assert_eq!(pair(&[[100, 64, 0, 2]]), Some([100, 64, 0, 3]), "inside the first");
        assert_eq!(
            pair(&[[100, 64, 0, 2], [100, 64, 0, 3]]),
            Some([100, 64, 0, 5]),
            "beside another in the first"
        );
        assert_eq!(pair(&[[100, 64, 0, 255]]), Some([100, 64, 1, 1]));
        assert_eq!(pair(&[[100, 127, 255, 254]]), None);
        assert_eq!(pair(&[[100, 128, 0, 9]]), Some([100, 64, 0, 1]), "not of the network");
    }

    #[test]
    fn the_ends_have_different_ethernet_addresses_of_their_own() {
        let address = Ipv4Addr::new(100, 64, 0, 1);
        assert_eq!(colons(ethernet(address, FAR)), "02:64:40:00:01:00");
        assert_ne!(ethernet(address, FAR), ethernet(address, NEAR));
    }
}
