//! Which addresses and ports a connection of a run has.

use std::net::SocketAddr;

use windlull_capture::{address_in, addresses_from};
use windlull_units::{Host, Network};
use windlull_wire::packet::Addresses;

/// A host's socket address of the connection with this number, from 0: the first has that of captures, each other the port
/// above the one before.
pub(crate) const fn address_on(network: Network, number: u16, host: Host) -> SocketAddr {
    let first = address_in(network, host);
    SocketAddr::new(first.ip(), first.port().wrapping_add(number))
}

/// From where to where the packets of a host go on the connection with this number.
pub(crate) fn addresses_on(network: Network, number: u16, host: Host) -> Addresses {
    let mut addresses = addresses_from(network, host);
    match &mut addresses {
        Addresses::V4 { from, to } => {
            from.set_port(from.port().wrapping_add(number));
            to.set_port(to.port().wrapping_add(number));
        }
        Addresses::V6 { from, to } => {
            from.set_port(from.port().wrapping_add(number));
            to.set_port(to.port().wrapping_add(number));
        }
    }
    addresses
}

/// The number of the connection from this host's address to the other's, if it is one of so many.
pub(crate) fn number_of(
    network: Network,
    from: Host,
    source: SocketAddr,
    destination: SocketAddr,
    connections: usize,
) -> Option<u16> {
    let number = source.port().checked_sub(address_in(network, from).port())?;
    let ends = [from, from.peer()].map(|host| address_on(network, number, host));
    Some(number).filter(|&number| usize::from(number) < connections && ends == [source, destination])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_known_by_the_addresses_of_both_ends() {
        for network in Network::ALL {
            let number_of =
                |from, source, destination, connections| number_of(network, from, source, destination, connections);
            let [server, client] = Host::ALL.map(|host| address_on(network, 2, host));
            assert_eq!(number_of(Host::Server, server, client, 3), Some(2));
            assert_eq!(number_of(Host::Client, client, server, 3), Some(2));
            assert_eq!(number_of(Host::Server, server, client, 2), None);
            assert_eq!(number_of(Host::Client, server, client, 3), None);
            let another = address_on(network, 3, Host::Client);
            assert_eq!(number_of(Host::Server, server, another, 9), None);
            assert_eq!(
                number_of(Host::Server, SocketAddr::new(server.ip(), 80), client, 9),
                None
            );
        }
    }

    #[test]
    fn addresses_are_those_of_captures_and_of_the_lab() {
        for network in Network::ALL {
            for host in Host::ALL {
                let first = address_on(network, 0, host);
                assert_eq!(first, address_in(network, host));
                assert_eq!(first.ip(), windlull_netns::address_in(network, host));
                let (from, to) = match addresses_on(network, 5, host) {
                    Addresses::V4 { from, to } => (from.into(), to.into()),
                    Addresses::V6 { from, to } => (SocketAddr::V6(from), SocketAddr::V6(to)),
                };
                assert_eq!(from, address_on(network, 5, host));
                assert_eq!(to, address_on(network, 5, host.peer()));
            }
        }
        // Who sends over one network is nobody over the other.
        let [server, client] = Host::ALL.map(|host| address_on(Network::Ipv6, 0, host));
        assert_eq!(number_of(Network::Ipv4, Host::Server, server, client, 9), None);
    }
}
