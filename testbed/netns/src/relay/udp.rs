//! UDP: each pair of addresses has two connected sockets, and one thread copies between all of them.

use std::collections::HashMap;
use std::io::{self, IoSliceMut};
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::os::fd::{AsFd, AsRawFd};
use std::time::{Duration, Instant};

use nix::cmsg_space;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::sockopt::Ipv4OrigDstAddr;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockType, SockaddrIn, recvmsg, setsockopt};

use super::destinations::Destinations;
use super::transparent::{RELAY_PORT, transparent};
use crate::namespace::Namespace;

/// A flow without a datagram for so long is forgotten (RFC 4787, section 4.3: five minutes are recommended).
const FORGET: Duration = Duration::from_secs(300);
/// Flows at once, of two sockets each; datagrams of further ones are lost.
const MOST_FLOWS: usize = 256;
/// A datagram has at most so many octets (RFC 768).
const DATAGRAM: usize = 1 << 16;
/// Datagrams of one socket before the next one has its turn.
const TURN: usize = 32;
/// How often flows are looked for that are to be forgotten.
const LOOK: Duration = Duration::from_secs(30);

/// Whose datagrams: of the program, and to whom.
type Ends = (SocketAddrV4, SocketAddrV4);

/// Both sockets of a flow, connected.
struct Flow {
    /// To the program, from the address that it sends to.
    inner: UdpSocket,
    /// To that address.
    outer: UdpSocket,
    last: Instant,
}

/// Listens in the calling thread's namespace.
pub(super) fn listen() -> io::Result<UdpSocket> {
    let fd = transparent(SockType::Datagram, SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, RELAY_PORT))?;
    setsockopt(&fd, Ipv4OrigDstAddr, &true)?;
    let socket = UdpSocket::from(fd);
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// Carries datagrams on, in the network of this process.
pub(super) fn carry(listener: &UdpSocket, outside: &Namespace, destinations: Destinations) {
    let mut flows: HashMap<Ends, Flow> = HashMap::new();
    let mut datagram = vec![0; DATAGRAM];
    let mut looked = Instant::now();
    let timeout = PollTimeout::try_from(LOOK).unwrap_or(PollTimeout::NONE);
    loop {
        let ready = ready(listener, &flows, timeout);
        let now = Instant::now();
        for flow in flows.values_mut() {
            let moved = |from: &UdpSocket, to: &UdpSocket, datagram: &mut [u8]| {
                ready.contains(&from.as_raw_fd()) && copy(from, to, datagram)
            };
            let out = moved(&flow.inner, &flow.outer, &mut datagram);
            let back = moved(&flow.outer, &flow.inner, &mut datagram);
            if out || back {
                flow.last = now;
            }
        }
        // The first datagram of a flow comes to the listener; its sockets take those that follow.
        for _ in 0..TURN {
            let Some((ends, length)) = receive(listener, &mut datagram) else {
                break;
            };
            if flows.len() >= MOST_FLOWS && !flows.contains_key(&ends) {
                continue;
            }
            let flow = match flows.remove(&ends) {
                Some(flow) => Ok(flow),
                None => Flow::open(ends, outside, destinations),
            };
            if let Ok(flow) = flow {
                // A datagram may be lost.
                let _ = flow.outer.send(datagram.get(..length).unwrap_or_default());
                flows.insert(ends, Flow { last: now, ..flow });
            }
        }
        if now.duration_since(looked) > LOOK {
            looked = now;
            flows.retain(|_, flow| now.duration_since(flow.last) < FORGET);
        }
    }
}

impl Flow {
    fn open((program, asked): Ends, outside: &Namespace, destinations: Destinations) -> io::Result<Self> {
        let inner = outside.run(|| transparent(SockType::Datagram, asked))??;
        let inner = UdpSocket::from(inner);
        inner.connect(program)?;
        let destination = destinations.of(asked);
        let any = if destination.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
        let outer = UdpSocket::bind(any)?;
        outer.connect(destination)?;
        for socket in [&inner, &outer] {
            socket.set_nonblocking(true)?;
        }
        Ok(Self {
            inner,
            outer,
            last: Instant::now(),
        })
    }
}

/// The sockets, by their numbers, at which something has come.
fn ready(listener: &UdpSocket, flows: &HashMap<Ends, Flow>, timeout: PollTimeout) -> Vec<i32> {
    let sockets = flows.values().flat_map(|flow| [&flow.inner, &flow.outer]);
    let mut all: Vec<PollFd<'_>> = std::iter::once(listener)
        .chain(sockets)
        .map(|socket| PollFd::new(socket.as_fd(), PollFlags::POLLIN))
        .collect();
    match poll(&mut all, timeout) {
        Ok(_) | Err(Errno::EINTR) => {}
        // There is no memory for it: as if nothing had come, and not at once again.
        Err(_) => std::thread::sleep(Duration::from_millis(10)),
    }
    let any = |socket: &&PollFd<'_>| socket.any() == Some(true);
    all.iter()
        .filter(any)
        .map(|socket| socket.as_fd().as_raw_fd())
        .collect()
}

/// Copies what has come; whether that was anything.
fn copy(from: &UdpSocket, to: &UdpSocket, datagram: &mut [u8]) -> bool {
    let mut any = false;
    for _ in 0..TURN {
        // An error is that of a datagram sent before (ICMP), and over with being told.
        let Ok(length) = from.recv(datagram) else { break };
        any = true;
        let _ = to.send(datagram.get(..length).unwrap_or_default());
    }
    any
}

/// A datagram of a new flow: whose it is, and its length.
fn receive(listener: &UdpSocket, datagram: &mut [u8]) -> Option<(Ends, usize)> {
    let mut space = cmsg_space!(libc::sockaddr_in);
    let mut parts = [IoSliceMut::new(datagram)];
    let received = recvmsg::<SockaddrIn>(listener.as_raw_fd(), &mut parts, Some(&mut space), MsgFlags::empty());
    let received = received.ok()?;
    let program = received.address?;
    let asked = received.cmsgs().ok()?.find_map(|message| match message {
        ControlMessageOwned::Ipv4OrigDstAddr(address) => Some(SockaddrIn::from(address)),
        _ => None,
    })?;
    let ends = (
        SocketAddrV4::new(program.ip(), program.port()),
        SocketAddrV4::new(asked.ip(), asked.port()),
    );
    Some((ends, received.bytes))
}
