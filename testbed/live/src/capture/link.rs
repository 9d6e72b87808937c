//! What passes both devices of a link, that of a run or one that stands, into one pcapng file as it comes: up to a size, or
//! until it is stopped.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{SystemTime, UNIX_EPOCH};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::eventfd::{EfdFlags, EventFd};
use windlull_capture::{Crossing, InterfacePacket, InterfacesWriter, RUN_START_NS, Snaplen, Stamps};
use windlull_netns::join;
use windlull_plane::{Epoch, WallClock};
use windlull_units::{LinkCaptureCounts, Time};

use super::ring::{Frame, Ring};

/// Packets of both devices wait so long for one another: a ring hands over what is older than 50 ms, on a machine that
/// stands still somewhat later.
const PATIENCE_NS: u64 = 300_000_000;
/// How often the thread looks, ms.
const LOOK_MS: u16 = 100;

#[derive(Clone, Copy, Debug)]
pub struct LinkCaptureSpec<'a> {
    /// The devices of the calling thread's network namespace, in the order of the file's interfaces.
    pub devices: [&'a str; 2],
    /// How much is kept of each frame.
    pub snaplen: Snaplen,
    /// Octets that the file may have.
    pub limit_bytes: u64,
    /// Says in the file where it comes from.
    pub comment: &'a str,
    /// The version of who writes it.
    pub version: &'a str,
    /// The run whose time its stamps are of; without one they are of the wall clock.
    pub epoch: Option<Epoch>,
    pub path: &'a Path,
}

/// A capture of a link at work. Dropped, it ends too.
#[derive(Debug)]
pub struct LinkCapture {
    stop: Arc<EventFd>,
    shared: Arc<Shared>,
    /// There until it is stopped.
    thread: Option<JoinHandle<io::Result<()>>>,
}

#[derive(Debug, Default)]
struct Shared {
    bytes: AtomicU64,
    packets: AtomicU64,
    dropped: AtomicU64,
    full: AtomicBool,
}

impl LinkCapture {
    /// Begins. When this returns, nothing is missed any more.
    ///
    /// # Errors
    /// If a device is not there, no packet socket is to be had, or the file cannot be made.
    pub fn start(spec: &LinkCaptureSpec<'_>) -> io::Result<Self> {
        let file = BufWriter::with_capacity(1 << 18, File::create_new(spec.path)?);
        let clock = spec.epoch.map(Epoch::wall_clock);
        let stamps = if clock.is_some() { Stamps::Run } else { Stamps::Wall };
        let writer = InterfacesWriter::begin(file, stamps, spec.comment, spec.version, &spec.devices, spec.snaplen)?;
        let [first, second] = spec.devices;
        let rings = [Ring::open(first)?, Ring::open(second)?];
        let stop = Arc::new(EventFd::from_flags(EfdFlags::EFD_CLOEXEC)?);
        let shared = Arc::new(Shared::default());
        shared.bytes.store(writer.written(), Ordering::Relaxed);
        let taker = Taker {
            rings,
            writer,
            waiting: BinaryHeap::new(),
            taken: 0,
            clock,
            snaplen: spec.snaplen,
            limit: spec.limit_bytes,
            shared: Arc::clone(&shared),
        };
        let stopped = Arc::clone(&stop);
        let thread = thread::Builder::new()
            .name("link-capture".to_owned())
            .spawn(move || taker.take(&stopped))?;
        Ok(Self {
            stop,
            shared,
            thread: Some(thread),
        })
    }

    /// How far it is.
    pub fn counts(&self) -> LinkCaptureCounts {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        LinkCaptureCounts {
            bytes: get(&self.shared.bytes),
            packets: get(&self.shared.packets),
            dropped: get(&self.shared.dropped),
            full: self.shared.full.load(Ordering::Relaxed),
        }
    }

    /// Whether it has ended by itself: the file is full, or something failed.
    pub fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// From now on nothing more gets into the file.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn end(&self) -> io::Result<()> {
        self.stop.write(1)?;
        Ok(())
    }

    /// Ends it, if [`LinkCapture::end`] has not: what had passed by then is in the file, and the file is whole.
    ///
    /// # Errors
    /// If the file could not be written, or a device had gone.
    pub fn stop(mut self) -> io::Result<LinkCaptureCounts> {
        self.end()?;
        if let Some(thread) = self.thread.take() {
            join(thread)?;
        }
        Ok(self.counts())
    }
}

impl Drop for LinkCapture {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // Who drops it does not ask what became of it.
            let _ = self.stop.write(1);
            let _ = thread.join();
        }
    }
}

/// The thread between the rings and the file.
struct Taker {
    rings: [Ring; 2],
    writer: InterfacesWriter<BufWriter<File>>,
    /// Taken from a ring; the other one may yet hand over an earlier one. By stamp, then as they came.
    waiting: BinaryHeap<Reverse<Waiting>>,
    taken: u64,
    /// The run's, if it is one's capture.
    clock: Option<WallClock>,
    snaplen: Snaplen,
    limit: u64,
    shared: Arc<Shared>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    wall_ns: u64,
    nth: u64,
    interface: u32,
    outbound: bool,
    len: u32,
    octets: Vec<u8>,
}

impl Taker {
    fn take(mut self, stop: &EventFd) -> io::Result<()> {
        let mut room = true;
        // What passed after the end is not part of it.
        let mut end_ns = None;
        while room && end_ns.is_none() {
            end_ns = self.wait(stop)?.then(wall_ns);
            self.empty()?;
            room = self.write_until(wall_ns().saturating_sub(PATIENCE_NS))?;
        }
        if let (true, Some(end_ns)) = (room, end_ns) {
            // A packet that has passed is handed over when its block is old.
            thread::sleep(std::time::Duration::from_millis(LOOK_MS.into()));
            self.empty()?;
            room = self.write_until(end_ns)?;
        }
        self.shared.full.store(!room, Ordering::Relaxed);
        self.writer
            .finish()?
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?
            .sync_all()
    }

    /// Waits for packets or the end; whether it is the end.
    fn wait(&self, stop: &EventFd) -> io::Result<bool> {
        let mut ready = [PollFd::new(stop.as_fd(), PollFlags::POLLIN)];
        match poll(&mut ready, PollTimeout::from(LOOK_MS)) {
            Ok(0) | Err(Errno::EINTR) => Ok(false),
            Ok(_) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    fn empty(&mut self) -> io::Result<()> {
        let mut dropped = 0;
        for (interface, ring) in (0..).zip(&mut self.rings) {
            let (waiting, taken, snaplen) = (&mut self.waiting, &mut self.taken, self.snaplen);
            ring.empty(|frame| {
                *taken += 1;
                waiting.push(Reverse(Waiting::of(frame, interface, *taken, snaplen)));
                Ok(())
            })?;
            dropped += ring.counts()?.dropped;
        }
        self.shared.dropped.store(dropped, Ordering::Relaxed);
        Ok(())
    }

    /// Writes what was stamped until then; false if the file is full.
    fn write_until(&mut self, until_ns: u64) -> io::Result<bool> {
        while self
            .waiting
            .peek()
            .is_some_and(|Reverse(first)| first.wall_ns <= until_ns)
        {
            let Some(Reverse(packet)) = self.waiting.pop() else {
                break;
            };
            if !self.writer.packet(&packet.interface_packet(self.clock), self.limit)? {
                return Ok(false);
            }
            self.shared.bytes.store(self.writer.written(), Ordering::Relaxed);
            self.shared.packets.fetch_add(1, Ordering::Relaxed);
        }
        Ok(true)
    }
}

impl Waiting {
    fn of(frame: &Frame<'_>, interface: u32, nth: u64, snaplen: Snaplen) -> Self {
        Self {
            wall_ns: frame.wall_ns,
            nth,
            interface,
            outbound: frame.way == Crossing::Outbound,
            len: frame.len,
            octets: frame.octets[..frame.kept(snaplen)].to_vec(),
        }
    }

    fn interface_packet(&self, run: Option<WallClock>) -> InterfacePacket<'_> {
        InterfacePacket {
            interface: self.interface,
            stamp_ns: run.map_or(self.wall_ns, |clock| {
                RUN_START_NS + clock.to_run(self.wall_ns).since(Time::ZERO).as_ns()
            }),
            way: if self.outbound {
                Crossing::Outbound
            } else {
                Crossing::Inbound
            },
            len: self.len,
            octets: &self.octets,
        }
    }
}

fn wall_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
