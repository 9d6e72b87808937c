//! Carries connections on from a namespace into the network that this process is in, as an ordinary user can.
//!
//! ```text
//!     program --link-- kernel of the namespace, relay ... network of this process
//!              TCP, UDP to any address        TCP, UDP to the same address
//! ```
//!
//! Rules in the namespace hand every connection and datagram that comes from the link to two sockets, whatever its
//! destination (TPROXY, `Documentation/networking/tproxy.rst`). The relay makes a connection of its own to that destination
//! and copies both ways. So the program's TCP has the link and the namespace's kernel at its other end, and what is beyond
//! the relay is not seen through it: a server that is far away adds its delay, not its losses.

mod destinations;
mod tcp;
mod transparent;
mod udp;

use std::io;
use std::net::Ipv4Addr;
use std::thread;

use crate::namespace::Namespace;
use destinations::Destinations;
pub(crate) use transparent::RELAY_PORT;

/// Threads that carry on, for as long as the process lives.
#[derive(Debug)]
pub(crate) struct Relay {
    destinations: Destinations,
}

impl Relay {
    /// Listens in the namespace, which `base` is an address of.
    pub(crate) fn start(outside: &Namespace, base: Ipv4Addr) -> io::Result<Self> {
        let destinations = Destinations::of_machine(base);
        let listener = outside.run(tcp::listen)??;
        let datagrams = outside.run(udp::listen)??;
        thread::Builder::new()
            .name("relay-tcp".to_owned())
            .spawn(move || tcp::accept(&listener, destinations))?;
        let outside = outside.clone();
        thread::Builder::new()
            .name("relay-udp".to_owned())
            .spawn(move || udp::carry(&datagrams, &outside, destinations))?;
        Ok(Self { destinations })
    }

    /// Whether programs cannot ask the machine's nameserver at its own address.
    pub(crate) fn stands_for_nameserver(&self) -> bool {
        self.destinations.stand_for_nameserver()
    }
}
