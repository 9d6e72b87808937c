//! Notes when each probe arrives.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::thread::JoinHandle;
use std::time::Duration;

use nix::sys::socket::{getsockopt, setsockopt, sockopt::RcvBuf};
use windlull_netns::Namespace;
use windlull_plane::Epoch;
use windlull_units::Span;

/// Room for a burst that a long hold releases at one instant.
pub(crate) const RECEIVE_BUFFER: usize = 64 << 20;
pub(crate) const PORT: u16 = 9_999;

/// A thread that receives.
pub(crate) struct Receiver {
    thread: JoinHandle<io::Result<Result<Vec<Option<u64>>, ReceiverError>>>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ReceiverError {
    #[error("cannot receive: {0}")]
    Socket(#[from] io::Error),
    #[error(
        "the kernel gives the receiver {given} octets of buffer, which a burst may overflow; it needs {RECEIVE_BUFFER}"
    )]
    SmallBuffer { given: usize },
    #[error("the receiver's own kernel dropped {0} probes: the losses are not the link's alone")]
    Dropped(u64),
    #[error("probe {0} arrived twice or was never sent")]
    Strange(u32),
}

impl Receiver {
    /// Receives until nothing has come for `settle`.
    pub(crate) fn start(
        namespace: &Namespace,
        epoch: Epoch,
        probes: usize,
        settle: Span,
    ) -> Result<Self, ReceiverError> {
        let socket = namespace.run(|| UdpSocket::bind((Ipv4Addr::UNSPECIFIED, PORT)))??;
        setsockopt(&socket, RcvBuf, &RECEIVE_BUFFER).map_err(io::Error::from)?;
        let given = getsockopt(&socket, RcvBuf).map_err(io::Error::from)?;
        if given < RECEIVE_BUFFER {
            return Err(ReceiverError::SmallBuffer { given });
        }
        socket.set_read_timeout(Some(Duration::from_nanos(settle.as_ns())))?;
        let thread = namespace.spawn("probe-receiver", move || receive(&socket, epoch, probes))?;
        Ok(Self { thread })
    }

    /// When each probe arrived, ns since the start of the run.
    pub(crate) fn finish(self) -> Result<Vec<Option<u64>>, ReceiverError> {
        self.thread.join().expect("receiving does not panic")?
    }
}

fn receive(socket: &UdpSocket, epoch: Epoch, probes: usize) -> Result<Vec<Option<u64>>, ReceiverError> {
    let mut arrived = vec![None; probes];
    let mut buffer = [0; 2048];
    loop {
        let length = match socket.recv(&mut buffer) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) => return Err(error.into()),
        };
        let now = epoch.now().as_ns();
        let Some((number, _)) = buffer[..length].split_first_chunk() else {
            continue;
        };
        let number = u32::from_be_bytes(*number);
        match arrived.get_mut(number as usize) {
            Some(place @ None) => *place = Some(now),
            _ => return Err(ReceiverError::Strange(number)),
        }
    }
    match dropped()? {
        0 => Ok(arrived),
        some => Err(ReceiverError::Dropped(some)),
    }
}

/// Datagrams that arrived in this thread's namespace and did not reach a socket.
fn dropped() -> io::Result<u64> {
    let counters = fs::read_to_string("/proc/thread-self/net/snmp")?;
    let mut lines = counters.lines().filter_map(|line| line.strip_prefix("Udp: "));
    let (names, values) = (lines.next().unwrap_or(""), lines.next().unwrap_or(""));
    let counted = names.split(' ').zip(values.split(' '));
    Ok(counted
        .filter(|(name, _)| matches!(*name, "InErrors" | "NoPorts"))
        .filter_map(|(_, value)| value.parse::<u64>().ok())
        .sum())
}
