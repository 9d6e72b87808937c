//! The kernel asked for a connection's state by an absolute timer.

use std::io;
use std::net::SocketAddrV4;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use windlull_netns::Namespace;
use windlull_plane::Epoch;
use windlull_units::{Span, Time};
use windlull_wire::SenderEvent;

use super::diag::Diag;
use super::netstat::Netstat;
use super::tcp_info::ConnectionState;
use super::waiting::Progress;
use super::watcher::{Seen, Watcher};

/// Time between two samples.
pub const SAMPLING_PERIOD: Span = Span::from_ms(5);
/// A sample that comes so long after the one before is late: states in between may have gone unseen.
const LATE: Span = Span::from_ms(10);

/// What the samples told.
#[derive(Clone, Debug, Default)]
pub struct Sampled {
    /// The sender's states as they changed, and what the kernel's counters say besides; dated by their samples.
    pub events: Vec<(Time, SenderEvent)>,
    /// What a capture can date better: give it to [`super::date`].
    pub seen: Vec<Seen>,
    /// How many samples were taken while there was a connection.
    pub samples: u64,
    /// How many came more than 10 ms after the one before.
    pub late: u64,
    /// The longest time between two.
    pub longest_gap: Span,
    /// How long a sample took at most.
    pub longest_sample: Span,
}

/// A thread that samples.
#[derive(Debug)]
pub(super) struct Sampler {
    stop: Arc<EventFd>,
    thread: JoinHandle<io::Result<io::Result<Sampled>>>,
}

impl Sampler {
    /// Samples the connection between these two, as the namespace of the first has it, until it is stopped.
    pub(super) fn start(
        namespace: &Namespace,
        local: SocketAddrV4,
        remote: SocketAddrV4,
        epoch: Epoch,
        progress: Arc<Progress>,
    ) -> io::Result<Self> {
        let stop = Arc::new(EventFd::from_flags(EfdFlags::EFD_CLOEXEC)?);
        let stopped = Arc::clone(&stop);
        let thread = namespace.spawn("sampler", move || {
            let mut sampling = Sampling {
                diag: Diag::open(local, remote)?,
                netstat: Netstat::open()?,
                epoch,
                progress,
                watcher: Watcher::default(),
                sampled: Sampled::default(),
                last: None,
            };
            sampling.go_on_until(&stopped)?;
            Ok(sampling.finish())
        })?;
        Ok(Self { stop, thread })
    }

    /// Takes a last sample and ends.
    pub(super) fn stop(self) -> io::Result<Sampled> {
        self.stop.write(1)?;
        self.thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?
    }
}

struct Sampling {
    diag: Diag,
    netstat: Netstat,
    epoch: Epoch,
    progress: Arc<Progress>,
    watcher: Watcher,
    sampled: Sampled,
    last: Option<Time>,
}

impl Sampling {
    fn go_on_until(&mut self, stop: &EventFd) -> io::Result<()> {
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_CLOEXEC)?;
        let period = Duration::from_nanos(SAMPLING_PERIOD.as_ns()).into();
        timer.set(Expiration::Interval(period), TimerSetTimeFlags::empty())?;
        loop {
            self.sample()?;
            let mut ready = [
                PollFd::new(timer.as_fd(), PollFlags::POLLIN),
                PollFd::new(stop.as_fd(), PollFlags::POLLIN),
            ];
            match poll(&mut ready, PollTimeout::NONE) {
                Ok(_) => {}
                Err(Errno::EINTR) => continue,
                Err(error) => return Err(error.into()),
            }
            if ready[1].any().unwrap_or(false) {
                return self.sample();
            }
            timer.wait()?;
        }
    }

    fn sample(&mut self) -> io::Result<()> {
        let begun = self.epoch.now();
        let Some(info) = self.diag.ask()? else { return Ok(()) };
        let counters = self.netstat.read()?;
        let now = self.epoch.now();
        if info.state == ConnectionState::Closed {
            // Its FIN is acknowledged. What it says from now on is of no sender.
            self.progress.fin_is_acknowledged();
            self.last = None;
            return Ok(());
        }
        self.sampled.samples += 1;
        self.sampled.longest_sample = self.sampled.longest_sample.max(now.since(begun));
        if let Some(gap) = self.last.map(|last| now.since(last)) {
            self.sampled.late += u64::from(gap > LATE);
            self.sampled.longest_gap = self.sampled.longest_gap.max(gap);
        }
        self.last = Some(now);
        self.watcher.note(now, info, counters);
        Ok(())
    }

    fn finish(mut self) -> Sampled {
        (self.sampled.events, self.sampled.seen) = self.watcher.finish();
        self.sampled
    }
}
