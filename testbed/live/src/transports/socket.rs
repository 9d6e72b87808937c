//! A UDP socket between the hosts' addresses, with marks of congestion both ways and datagrams that are never fragmented.

use std::fs;
use std::io::{self, ErrorKind, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};

use quinn_udp::{EcnCodepoint, RecvMeta, Transmit, UdpSockRef, UdpSocketState};
use windlull_capture::address_in;
use windlull_netns::Namespace;
use windlull_units::{Ecn, Host, Network};

/// Octets that a socket asks to have for datagrams that were not taken yet; the kernel may give less.
const BUFFER: usize = 1 << 22;

/// A socket bound to its host's address, for datagrams to and from the other host.
#[derive(Debug)]
pub(super) struct DatagramSocket {
    socket: UdpSocket,
    state: UdpSocketState,
    peer: SocketAddr,
}

impl DatagramSocket {
    /// In the calling thread's network namespace.
    pub(super) fn open(network: Network, host: Host) -> io::Result<Self> {
        let (own, peer) = (address_in(network, host), address_in(network, host.peer()));
        let socket = UdpSocket::bind(own)?;
        socket.connect(peer)?;
        let state = UdpSocketState::new(UdpSockRef::from(&socket))?;
        state.set_recv_buffer_size(UdpSockRef::from(&socket), BUFFER)?;
        Ok(Self { socket, state, peer })
    }

    /// Octets that the kernel keeps of datagrams that were not taken yet.
    pub(super) fn receive_buffer(&self) -> io::Result<usize> {
        self.state.recv_buffer_size(UdpSockRef::from(&self.socket))
    }

    /// Takes the next datagram, if there is one: how many octets of `into` it fills, and its mark.
    pub(super) fn take(&self, into: &mut [u8]) -> io::Result<Option<(usize, Ecn)>> {
        let mut meta = [RecvMeta::default()];
        match self
            .state
            .recv(UdpSockRef::from(&self.socket), &mut [IoSliceMut::new(into)], &mut meta)
        {
            Ok(_) => {
                let ecn = match meta[0].ecn {
                    None => Ecn::NotEct,
                    Some(EcnCodepoint::Ect0) => Ecn::Ect0,
                    Some(EcnCodepoint::Ect1) => Ecn::Ect1,
                    Some(EcnCodepoint::Ce) => Ecn::Ce,
                };
                Ok(Some((meta[0].len, ecn)))
            }
            // Refused: by a host whose socket is closed already. Nobody has to know.
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::ConnectionRefused) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Sends a datagram.
    ///
    /// # Errors
    /// What the system call says; the datagram is then lost.
    pub(super) fn send(&self, octets: &[u8], ecn: Ecn) -> io::Result<()> {
        let transmit = Transmit {
            destination: self.peer,
            ecn: match ecn {
                Ecn::NotEct => None,
                Ecn::Ect0 => Some(EcnCodepoint::Ect0),
                Ecn::Ect1 => Some(EcnCodepoint::Ect1),
                Ecn::Ce => Some(EcnCodepoint::Ce),
            },
            contents: octets,
            segment_size: None,
            src_ip: None,
        };
        self.state.try_send(UdpSockRef::from(&self.socket), &transmit)
    }
}

impl AsFd for DatagramSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Datagrams that found the buffers of sockets in this namespace full.
pub(super) fn dropped(namespace: &Namespace) -> io::Result<u64> {
    let tables = namespace.run(|| -> io::Result<[String; 2]> {
        let of_ipv4 = fs::read_to_string("/proc/thread-self/net/udp")?;
        // A kernel without IPv6 has no table of it.
        let of_ipv6 = fs::read_to_string("/proc/thread-self/net/udp6").unwrap_or_default();
        Ok([of_ipv4, of_ipv6])
    })??;
    // A line of headings, then one for each socket; the last column counts what was dropped.
    let sockets = tables.iter().flat_map(|table| table.lines().skip(1));
    let drops = sockets.filter_map(|line| line.split_whitespace().last());
    Ok(drops.filter_map(|drops| drops.parse::<u64>().ok()).sum())
}
