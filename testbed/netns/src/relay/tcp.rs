//! TCP connections: two, and copies between them.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use nix::sys::socket::sockopt::Linger;
use nix::sys::socket::{Backlog, SockType, listen as start_listening, setsockopt};

use super::destinations::Destinations;
use super::transparent::{RELAY_PORT, transparent};

/// How long the destination has to answer: as long as Linux tries by itself (`tcp_syn_retries`, 6) is longer than people wait.
const CONNECT: Duration = Duration::from_secs(30);
/// What is copied at a time: what a kernel of default settings lets wait in a receive buffer at first.
const CHUNK: usize = 128 << 10;
/// After an error of `accept` that is not the connection's own, as `EMFILE` (accept(2)).
const REST: Duration = Duration::from_millis(10);

/// Listens in the calling thread's namespace.
pub(super) fn listen() -> io::Result<TcpListener> {
    let fd = transparent(SockType::Stream, SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, RELAY_PORT))?;
    start_listening(&fd, Backlog::MAXCONN)?;
    Ok(TcpListener::from(fd))
}

/// Carries connections on, each by threads of its own. In the network of this process.
pub(super) fn accept(listener: &TcpListener, destinations: Destinations) {
    loop {
        let Ok((inner, _)) = listener.accept() else {
            thread::sleep(REST);
            continue;
        };
        // Where there is no thread to be had, the connection is closed: its socket goes with the closure.
        let _ = thread::Builder::new()
            .name("relay".to_owned())
            .spawn(move || carry(inner, destinations));
    }
}

fn carry(inner: TcpStream, destinations: Destinations) {
    // The address that a transparent socket has for its own is the one that was asked for.
    let Ok(SocketAddr::V4(asked)) = inner.local_addr() else {
        return;
    };
    let Ok(outer) = TcpStream::connect_timeout(&destinations.of(asked), CONNECT) else {
        reset(&inner);
        return;
    };
    for stream in [&inner, &outer] {
        // What one end sends at once the other is to have at once.
        let _ = stream.set_nodelay(true);
    }
    let (inner, outer) = (Arc::new(inner), Arc::new(outer));
    let (from, to) = (Arc::clone(&outer), Arc::clone(&inner));
    let back = thread::Builder::new()
        .name("relay".to_owned())
        .spawn(move || copy(&from, &to));
    match back {
        Ok(back) => {
            copy(&inner, &outer);
            let _ = back.join();
        }
        Err(_) => reset(&inner),
    }
}

/// Copies until the end or an error, which the other side learns of.
fn copy(mut from: &TcpStream, mut to: &TcpStream) {
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = match from.read(&mut chunk) {
            Ok(0) => {
                let _ = to.shutdown(Shutdown::Write);
                return;
            }
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        if to.write_all(chunk.get(..read).unwrap_or_default()).is_err() {
            break;
        }
    }
    // One connection was reset: so is the other.
    for stream in [from, to] {
        reset(stream);
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// When the connection is closed, its other end sees a reset (socket(7), `SO_LINGER`).
fn reset(stream: &TcpStream) {
    let at_once = libc::linger {
        l_onoff: 1,
        l_linger: 0,
    };
    let _ = setsockopt(stream, Linger, &at_once);
}
