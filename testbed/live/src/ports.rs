//! Which ports a connection of a run has.

use std::net::{SocketAddr, SocketAddrV4};

use windlull_capture::address_of;
use windlull_units::Host;

/// A host's socket address of the connection with this number, from 0: the first has that of captures, each other the port
/// above the one before.
pub(crate) const fn address_on(number: u16, host: Host) -> SocketAddrV4 {
    let first = address_of(host);
    SocketAddrV4::new(*first.ip(), first.port().wrapping_add(number))
}

/// The number of the connection from this host's address to the other's, if it is one of so many.
pub(crate) fn number_of(from: Host, source: SocketAddr, destination: SocketAddr, connections: usize) -> Option<u16> {
    let number = source.port().checked_sub(address_of(from).port())?;
    let ends = [address_on(number, from), address_on(number, from.peer())].map(SocketAddr::from);
    Some(number).filter(|&number| usize::from(number) < connections && ends == [source, destination])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_known_by_the_addresses_of_both_ends() {
        let [server, client] = Host::ALL.map(|host| SocketAddr::from(address_on(2, host)));
        assert_eq!(number_of(Host::Server, server, client, 3), Some(2));
        assert_eq!(number_of(Host::Client, client, server, 3), Some(2));
        assert_eq!(number_of(Host::Server, server, client, 2), None);
        assert_eq!(number_of(Host::Client, server, client, 3), None);
        let [another, web] =
            [(3, Host::Client), (0, Host::Server)].map(|(number, host)| address_on(number, host).into());
        assert_eq!(number_of(Host::Server, server, another, 9), None);
        assert_eq!(
            number_of(Host::Server, SocketAddr::new(server.ip(), 80), client, 9),
            None
        );
        assert_eq!(web, SocketAddr::from(address_of(Host::Server)));
    }
}
