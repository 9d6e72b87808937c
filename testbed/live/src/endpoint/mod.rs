//! Our TCP on a real device: the same endpoint that the simulator drives, in the same order of calls, driven by frames
//! and by the clock.
//!
//! The device has no IP address, so that the kernel answers nothing. What arrives is a frame in the ring of a packet
//! socket; its checksums are verified, its octets go to an application that compares every one. What is sent gets its
//! octets by stream offset.

mod application;
mod driver;
mod socket;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use nix::sys::eventfd::EventFd;
use serde::{Deserialize, Serialize};
use windlull_netns::Site;
use windlull_plane::Epoch;
use windlull_tcp::{CloseReason, Variant};
use windlull_units::{Bytes, Host, Time};
use windlull_wire::{SenderEvent, SeqNumber};

use crate::assembly::Reason;
use crate::{ReadingPause, Received};
use driver::Driver;
use socket::FrameSocket;

/// What an end does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Role {
    /// Opens, writes so many octets, closes.
    Sends(Bytes),
    /// Listens, reads all, closes when it has seen the end.
    Receives(Option<ReadingPause>),
}

/// An end of ours.
#[derive(Clone, Debug)]
pub(crate) struct EndpointSetup {
    pub(crate) host: Host,
    pub(crate) variant: Variant,
    pub(crate) isn: SeqNumber,
    pub(crate) role: Role,
}

/// What an end of ours knows when it is over.
#[derive(Debug)]
pub(crate) struct Report {
    /// What the sending half said.
    pub(crate) events: Vec<(Time, SenderEvent)>,
    /// What was sent, in order, and why.
    pub(crate) sent: Vec<Reason>,
    /// What the application read.
    pub(crate) received: Received,
    /// Packets with wrong checksums, which its TCP never saw.
    pub(crate) bad_checksums: u64,
    /// Frames that found the socket's ring full.
    pub(crate) missed: u64,
    /// Frames that the device did not take.
    pub(crate) send_failures: u64,
    /// Why the connection is closed, if it is.
    pub(crate) close_reason: Option<CloseReason>,
}

/// How far an end is; anybody may look while it runs.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    fin_acknowledged: AtomicBool,
    closed: AtomicBool,
    idle: AtomicBool,
    received: AtomicU64,
}

impl Progress {
    /// Whether the peer has acknowledged its FIN.
    pub(crate) fn fin_acknowledged(&self) -> bool {
        self.fin_acknowledged.load(Ordering::Acquire)
    }

    /// Whether there is no connection any more.
    pub(crate) fn closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Octets that the application has read.
    pub(crate) fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// Whether it waits for nothing but packets.
    pub(crate) fn idle(&self) -> bool {
        self.idle.load(Ordering::Acquire)
    }
}

/// An end whose socket is open: frames that arrive are kept until it starts.
#[derive(Debug)]
pub(crate) struct Opened {
    setup: EndpointSetup,
    socket: FrameSocket,
    stop: Arc<EventFd>,
}

/// An end at work on a thread of its own.
#[derive(Debug)]
pub(crate) struct Running {
    thread: JoinHandle<io::Result<Report>>,
    stop: Arc<EventFd>,
    progress: Arc<Progress>,
}

/// Opens an end's socket on the device of its host's namespace.
pub(crate) fn open(site: &Site, setup: EndpointSetup) -> io::Result<Opened> {
    Ok(Opened {
        setup,
        socket: site.namespace.run(|| FrameSocket::open(&site.device))??,
        stop: Arc::new(EventFd::new()?),
    })
}

impl Opened {
    /// Begins: the sender opens the connection at once.
    pub(crate) fn start(self, epoch: Epoch) -> io::Result<Running> {
        let progress = Arc::new(Progress::default());
        let driver = Driver::new(self.setup, self.socket, epoch, Arc::clone(&progress));
        let stop = Arc::clone(&self.stop);
        let thread = std::thread::Builder::new()
            .name("endpoint".to_owned())
            .spawn(move || driver.drive(&stop))?;
        Ok(Running {
            thread,
            stop: self.stop,
            progress,
        })
    }
}

impl Running {
    /// How far it is.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Ends it, whatever it is doing.
    pub(crate) fn stop(self) -> io::Result<Report> {
        self.stop.write(1)?;
        self.thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}
