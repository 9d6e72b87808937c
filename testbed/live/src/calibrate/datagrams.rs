//! UDP from the server to the client, at a steady pace, stamped by the client's kernel.

use std::io::{self, IoSliceMut};
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use nix::cmsg_space;
use nix::errno::Errno;
use nix::sys::prctl::set_timerslack;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use nix::sys::time::TimeSpec;
use windlull_netns::address;
use windlull_plane::WallClock;
use windlull_units::{Bytes, Host, Span, Time};

use super::bed::{Bed, at};

/// IPv4's and UDP's headers.
const HEADERS: u64 = 28;
/// The receiver looks so often whether all is over.
const LOOK: Duration = Duration::from_millis(20);
/// Room for what arrives while the receiver does not run, as far as the system allows.
const RECEIVE_BUFFER: usize = 4 << 20;

/// A flow of packets alike.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    /// Octets of each IP packet.
    pub(super) size: Bytes,
    /// From one to the next.
    pub(super) spacing: Span,
    /// So many at once before the first.
    pub(super) burst: u64,
    pub(super) lasts: Span,
}

/// A packet at the client.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    /// Which of the flow, from zero.
    pub(super) serial: u64,
    /// By the stamp of the client's kernel.
    pub(super) at: Time,
}

/// Sends the flow, waits until the link is empty, and returns what arrived, in order.
pub(super) fn play(bed: &Bed, flow: Flow) -> io::Result<Vec<Arrival>> {
    let sender = at(bed.lab(), Host::Server, |own| UdpSocket::bind((own, 0)))?;
    let receiver = at(bed.lab(), Host::Client, |own| UdpSocket::bind((own, 9)))?;
    receiver.set_read_timeout(Some(LOOK))?;
    setsockopt(&receiver, sockopt::ReceiveTimestampns, &true)?;
    setsockopt(&receiver, sockopt::RcvBuf, &RECEIVE_BUFFER)?;
    sender.connect((address(Host::Client), 9))?;
    let over = AtomicBool::new(false);
    let wall = bed.wall_clock();
    thread::scope(|scope| {
        let arrivals = scope.spawn(|| receive(&receiver, wall, &over));
        let sent = send(bed, &sender, flow);
        // The last packets may not have been looked at yet; from then on the plane says when all is through.
        thread::sleep(LOOK);
        while bed.inside() > 0 {
            thread::sleep(LOOK);
        }
        over.store(true, Ordering::Relaxed);
        sent?;
        arrivals.join().expect("the receiver does not panic")
    })
}

fn send(bed: &Bed, socket: &UdpSocket, flow: Flow) -> io::Result<()> {
    let mut payload = vec![
        0;
        usize::try_from(flow.size.get().saturating_sub(HEADERS))
            .unwrap_or(0)
            .max(8)
    ];
    // Without it, the sender wakes 50 microseconds late by design.
    let _ = set_timerslack(1);
    let begin = bed.epoch().now();
    let end = begin + flow.lasts;
    let (mut serial, mut due) = (0_u64, begin);
    while due < end {
        let now = bed.epoch().now();
        if serial >= flow.burst && due > now {
            thread::sleep(Duration::from_nanos(due.since(now).as_ns()));
            continue;
        }
        payload[..8].copy_from_slice(&serial.to_le_bytes());
        socket.send(&payload)?;
        serial += 1;
        if serial > flow.burst {
            due += flow.spacing;
        }
    }
    Ok(())
}

fn receive(socket: &UdpSocket, wall: WallClock, over: &AtomicBool) -> io::Result<Vec<Arrival>> {
    let mut arrivals = Vec::new();
    let mut octets = [0; 2_048];
    let mut control = cmsg_space!(TimeSpec);
    loop {
        let mut buffers = [IoSliceMut::new(&mut octets)];
        let message = recvmsg::<()>(socket.as_raw_fd(), &mut buffers, Some(&mut control), MsgFlags::empty());
        let stamp = match message {
            Ok(message) => message.cmsgs()?.find_map(|message| match message {
                ControlMessageOwned::ScmTimestampns(stamp) => Some(stamp),
                _ => None,
            }),
            // Nothing has come for a while; what is to come has come.
            Err(Errno::EAGAIN) if over.load(Ordering::Relaxed) => return Ok(arrivals),
            Err(Errno::EAGAIN | Errno::EINTR) => continue,
            Err(error) => return Err(error.into()),
        };
        let mut serial = [0; 8];
        serial.copy_from_slice(&octets[..8]);
        if let Some(stamp) = stamp {
            let wall_ns = stamp.tv_sec().unsigned_abs() * 1_000_000_000 + stamp.tv_nsec().unsigned_abs();
            arrivals.push(Arrival {
                serial: u64::from_le_bytes(serial),
                at: wall.to_run(wall_ns),
            });
        }
    }
}
