//! A TCP connection of the kernels, as fast as it goes.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use nix::sys::socket::{setsockopt, sockopt};
use windlull_netns::{Lab, address};
use windlull_plane::Epoch;
use windlull_units::{Host, Span, Time};

use super::bed::at;

/// Octets handed to the kernel at a time.
const CHUNK: usize = 256 << 10;
/// The first part of the connection, which does not count: it has to find its rate.
const RUN_UP: Span = Span::from_ms(500);

/// Sends from the server to the client for so long; returns octets a second that arrived after a run-up.
pub(super) fn octets_per_second(lab: &Lab, lasts: Span) -> io::Result<f64> {
    let epoch = Epoch::begin();
    let listener = at(lab, Host::Client, |own| TcpListener::bind((own, 7)))?;
    let end = epoch.now() + lasts;
    thread::scope(|scope| {
        let received = scope.spawn(move || receive(epoch, listener.accept()?.0));
        let mut stream = at(lab, Host::Server, |_| TcpStream::connect((address(Host::Client), 7)))?;
        // Paced congestion controls measure the link; this is to measure the machine.
        setsockopt(&stream, sockopt::TcpCongestion, &OsString::from("reno"))?;
        let chunk = vec![0x5A; CHUNK];
        while epoch.now() < end {
            stream.write_all(&chunk)?;
        }
        drop(stream);
        received.join().expect("the receiver does not panic")
    })
}

fn receive(epoch: Epoch, mut stream: TcpStream) -> io::Result<f64> {
    let mut buffer = vec![0; CHUNK];
    let begin = epoch.now();
    let (mut since, mut octets) = (None::<Time>, 0_u64);
    loop {
        let count = stream.read(&mut buffer)?;
        let now = epoch.now();
        match since {
            _ if count == 0 => {
                let took = now.since(since.unwrap_or(begin)).as_secs_f64();
                #[expect(clippy::cast_precision_loss, reason = "no rate needs more digits")]
                return Ok(octets as f64 / took);
            }
            Some(_) => octets += count as u64,
            None if now.since(begin) >= RUN_UP => since = Some(now),
            None => {}
        }
    }
}
