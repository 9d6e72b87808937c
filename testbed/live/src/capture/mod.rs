//! What passes a host's device, stamped by the kernel: one thread takes it from a ring and spools it to a file.
//!
//! Stamps are of the wall clock. It is compared with the run's clock at the start and at the end; what it drifted in
//! between is told, not corrected.

mod link;
mod ring;
mod spool;

use std::fs::File;
use std::io::{self, BufWriter};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::eventfd::{EfdFlags, EventFd};
use serde::{Deserialize, Serialize};
use windlull_capture::{Crossing, Snaplen};
use windlull_netns::{Namespace, join};
use windlull_plane::{Epoch, WallClock};
use windlull_wire::packet::{self, Checksum, ETHERNET_LEN, LinkType};

pub use link::{LinkCapture, LinkCaptureSpec};
use ring::{Frame, Ring};
pub use spool::{Packets, RawPacket};

/// Octets of the largest frame that a device whose MTU is 1500 can carry; a longer one was never on a wire.
const LARGEST_FRAME: usize = 1500 + ETHERNET_LEN;

/// Far longer than the kernel keeps a block that is not full, ms.
const HAND_OVER_LIMIT: u16 = 10_000;

/// A capture at work.
#[derive(Debug)]
pub struct Tap {
    epoch: Epoch,
    begun: WallClock,
    stop: Arc<EventFd>,
    path: PathBuf,
    thread: JoinHandle<io::Result<io::Result<Counts>>>,
}

/// A capture that is over: what it holds and what it lacks.
#[derive(Debug, Serialize, Deserialize)]
pub struct Spool {
    path: PathBuf,
    begun: WallClock,
    /// What was counted on the way.
    pub counts: Counts,
    /// By how much the kernel's stamps went ahead of the run's clock from start to end, ns; below zero if they fell
    /// behind.
    pub clock_drift_ns: i64,
}

/// What a capture counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Packets captured.
    pub packets: u64,
    /// Packets that found the ring full: they passed the device, but nobody knows when.
    pub drops: u64,
    /// Packets longer than the device's MTU allows: an offload joined them.
    pub super_packets: u64,
    /// TCP packets with a wrong checksum at the host that sent them, where it is the sender's offload and not the link.
    pub bad_checksums_out: u64,
    /// TCP packets with a wrong checksum at the host that got them.
    pub bad_checksums_in: u64,
    /// Frames that are no TCP packets.
    pub foreign: u64,
}

impl Tap {
    /// Begins to capture on a device of the namespace, into a new file. When this returns, nothing is missed any more.
    ///
    /// # Errors
    /// If there is no such device, no packet socket to be had, or the file cannot be made.
    pub fn start(
        namespace: &Namespace,
        device: &str,
        epoch: Epoch,
        snaplen: Snaplen,
        spool: &Path,
    ) -> io::Result<Self> {
        let file = BufWriter::with_capacity(1 << 18, File::create_new(spool)?);
        let ring = namespace.run(|| Ring::open(device))??;
        let stop = Arc::new(EventFd::from_flags(EfdFlags::EFD_CLOEXEC)?);
        let stopped = Arc::clone(&stop);
        let thread = namespace.spawn(&format!("tap {device}"), move || {
            Taker {
                ring,
                file,
                snaplen,
                counts: Counts::default(),
            }
            .take(&stopped)
        })?;
        Ok(Self {
            epoch,
            begun: epoch.wall_clock(),
            stop,
            path: spool.to_owned(),
            thread,
        })
    }

    /// Ends the capture. All that had passed the device when this was called is in it, or counted as a drop.
    ///
    /// # Errors
    /// If the file could not be written.
    pub fn stop(self) -> io::Result<Spool> {
        self.stop.write(1)?;
        let counts = join(self.thread)??;
        Ok(Spool {
            path: self.path,
            begun: self.begun,
            counts,
            clock_drift_ns: self.epoch.wall_clock().drift_since_ns(self.begun),
        })
    }
}

impl Spool {
    /// The same file, seen in this directory.
    pub(crate) fn within(self, directory: &Path) -> Self {
        let name = self.path.file_name().unwrap_or_default();
        Self {
            path: directory.join(name),
            ..self
        }
    }

    /// The packets in the order of their stamps.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn packets(&self) -> io::Result<Packets> {
        Packets::open(&self.path, self.begun)
    }
}

/// The thread between ring and file.
struct Taker {
    ring: Ring,
    file: BufWriter<File>,
    snaplen: Snaplen,
    counts: Counts,
}

impl Taker {
    fn take(mut self, stop: &EventFd) -> io::Result<Counts> {
        while !self.wait(stop)? {
            self.empty()?;
        }
        // What had passed by now is handed over when its block is full or old, so that it may take a moment.
        let passed = self.counts_of_kernel()?;
        self.empty()?;
        while self.counts.packets < passed {
            let mut ready = [PollFd::new(self.ring.as_fd(), PollFlags::POLLIN)];
            match poll(&mut ready, HAND_OVER_LIMIT) {
                Ok(0) => return Err(io::Error::other("the kernel keeps captured packets back")),
                Ok(_) | Err(Errno::EINTR) => self.empty()?,
                Err(error) => return Err(error.into()),
            }
        }
        // Packets that were dropped since the question above had not passed then; they count all the same.
        self.counts_of_kernel()?;
        self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(self.counts)
    }

    /// Waits for packets or the end; whether it is the end.
    fn wait(&self, stop: &EventFd) -> io::Result<bool> {
        let mut ready = [
            PollFd::new(self.ring.as_fd(), PollFlags::POLLIN),
            PollFd::new(stop.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut ready, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        let came = |ready: &PollFd<'_>| ready.revents().is_some_and(|events| !events.is_empty());
        // A device that has gone makes the socket ready for ever.
        if ready[0]
            .revents()
            .is_some_and(|events| events.contains(PollFlags::POLLERR))
        {
            return Err(io::Error::other("the captured device has gone"));
        }
        Ok(came(&ready[1]))
    }

    fn empty(&mut self) -> io::Result<()> {
        self.ring.empty(|frame| {
            let keep = self.counts.note(frame, self.snaplen);
            spool::write(&mut self.file, frame, keep)
        })
    }

    /// Asks the kernel how many packets it has put into the ring from the start, and adds its drops to ours.
    fn counts_of_kernel(&mut self) -> io::Result<u64> {
        let counts = self.ring.counts()?;
        self.counts.drops = counts.dropped;
        Ok(counts.passed - counts.dropped)
    }
}

impl Counts {
    /// Counts a frame and says how many of its octets are kept.
    fn note(&mut self, frame: &Frame<'_>, snaplen: Snaplen) -> usize {
        self.packets += 1;
        if frame.len as usize > LARGEST_FRAME {
            self.super_packets += 1;
        }
        let decoded = frame.decoded();
        match &decoded {
            Some(packet) => match (packet.checksum, frame.way) {
                (Checksum::Wrong, Crossing::Outbound) => self.bad_checksums_out += 1,
                (Checksum::Wrong, Crossing::Inbound) => self.bad_checksums_in += 1,
                (Checksum::Right | Checksum::Unknown, _) => {}
            },
            None => self.foreign += 1,
        }
        match snaplen {
            Snaplen::Headers => decoded.map_or(frame.octets.len(), |packet| packet.payload.start),
            Snaplen::Full | Snaplen::Octets(_) => frame.kept(snaplen),
        }
    }
}

impl Frame<'_> {
    /// The TCP packet in it, if it is one.
    fn decoded(&self) -> Option<packet::Packet> {
        packet::decode(LinkType::Ethernet, self.octets, self.len as usize).ok()
    }

    /// How many of its octets a capture keeps: of what is no TCP packet, the headers are all of it.
    fn kept(&self, snaplen: Snaplen) -> usize {
        match snaplen {
            Snaplen::Headers => self.decoded().map_or(self.octets.len(), |packet| packet.payload.start),
            Snaplen::Full => self.octets.len(),
            Snaplen::Octets(octets) => self.octets.len().min(octets as usize),
        }
    }
}
