//! Whether a program listens already.

use std::fs;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use windlull_netns::Namespace;
use windlull_units::Network;

/// A server that does not listen after this time will not.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(5);
/// What a program that has ended left behind to serve, listens by then.
const GRACE: Duration = Duration::from_secs(1);

/// The kernel's tables of sockets, and the state in which one listens there (Linux, `include/net/tcp_states.h`).
const TABLES: [(&str, &str); 4] = [("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")];

/// Waits until a socket of the namespace listens at this port of TCP or UDP, over this version of IP. Says whether one does: if
/// the program that is to serve `is_over`, and none listens a second later, none will.
///
/// # Errors
/// If none does within ten seconds, or nobody knows what became of the program.
pub(crate) fn wait_for(
    namespace: &Namespace,
    network: Network,
    port: u16,
    mut is_over: impl FnMut() -> io::Result<bool>,
) -> io::Result<bool> {
    let begun = Instant::now();
    let mut over_since: Option<Instant> = None;
    while !namespace.run(|| is_listened_at(network, port))? {
        if over_since.is_some_and(|since| since.elapsed() > GRACE) {
            return Ok(false);
        }
        if over_since.is_none() && is_over()? {
            over_since = Some(Instant::now());
        }
        if begun.elapsed() > PATIENCE {
            let seconds = PATIENCE.as_secs();
            return Err(io::Error::other(format!(
                "nothing listens at port {port} of {} after {seconds} s",
                transports_over(network)
            )));
        }
        thread::sleep(LOOK);
    }
    Ok(true)
}

/// What a server may speak, in words.
pub(crate) const fn transports_over(network: Network) -> &'static str {
    match network {
        Network::Ipv4 => "TCP or UDP",
        Network::Ipv6 => "TCP or UDP over IPv6",
    }
}

/// A socket of IPv6 may hear IPv4 too, and none of IPv4 hears IPv6.
fn is_listened_at(network: Network, port: u16) -> bool {
    let hears = |table: &str| network == Network::Ipv4 || table.ends_with('6');
    let mut tables = TABLES.iter().filter(|(table, _)| hears(table));
    // A kernel without IPv6 has no table of it.
    tables.any(|(table, state)| {
        fs::read_to_string(format!("/proc/thread-self/net/{table}")).is_ok_and(|text| lists(&text, port, state))
    })
}

/// Lines are `N: ADDRESS:PORT ADDRESS:PORT STATE ...`, in hexadecimal.
fn lists(table: &str, port: u16, state: &str) -> bool {
    let ending = format!(":{port:04X}");
    table.lines().skip(1).any(|line| {
        let mut words = line.split_whitespace().skip(1);
        words.next().is_some_and(|local| local.ends_with(&ending)) && words.nth(1) == Some(state)
    })
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener, UdpSocket};

    use super::*;

    #[test]
    fn what_listens_is_seen() {
        let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let udp = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let ports = [tcp.local_addr(), udp.local_addr()].map(|address| address.expect("it is bound").port());
        for port in ports {
            assert!(wait_for(&Namespace::own("test"), Network::Ipv4, port, || Ok(true)).expect("it can be seen"));
            assert!(!is_listened_at(Network::Ipv6, port), "it hears IPv4 alone");
        }
    }

    #[test]
    fn a_program_that_has_ended_listens_no_more() {
        let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = tcp.local_addr().expect("it is bound").port();
        drop(tcp);
        let begun = Instant::now();
        assert!(!wait_for(&Namespace::own("test"), Network::Ipv4, port, || Ok(true)).expect("it can be seen"));
        assert!(begun.elapsed() < PATIENCE);
    }

    #[test]
    fn a_connection_is_no_listener() {
        let table = "  sl  local_address rem_address   st\n   0: 0100007F:1F90 0200007F:0016 01 0\n";
        assert!(!lists(table, 8080, "0A"));
        assert!(lists(&table.replace(" 01 ", " 0A "), 8080, "0A"));
        assert!(!lists(&table.replace(" 01 ", " 0A "), 22, "0A"));
    }
}
