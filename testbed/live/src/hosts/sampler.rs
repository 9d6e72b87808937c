//! The kernel asked for a connection's state, by an absolute timer or whenever a packet passes.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::socket::{MsgFlags, recv};
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use windlull_netns::{Namespace, join};
use windlull_plane::Epoch;
use windlull_plane::packet_socket::{PacketSocket, Protocol};
use windlull_units::{Span, Time};
use windlull_wire::SenderEvent;

use super::diag::Diag;
use super::netstat::{Counters, Netstat};
use super::tcp_info::{ConnectionState, TcpInfo};
use super::triggers::SharedTriggers;
use super::waiting::Progress;
use super::watcher::{Seen, Watcher};

/// Time between two samples.
pub const SAMPLING_PERIOD: Span = Span::from_ms(5);
/// The same where a packet is what is waited for: a timer that fires in vain sends none, but doubles itself.
const WITHOUT_PACKETS: Span = Span::from_ms(250);
/// A sample that comes so long after the one before is late: states in between may have gone unseen.
const LATE: Span = Span::from_ms(10);

/// When the state is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occasion {
    /// Every [`SAMPLING_PERIOD`].
    Period,
    /// Whenever a packet has passed the device: a sender's state seldom changes without one. Where time stands still
    /// while anything computes, such a sample is as exact as the packet, and idle time costs nothing.
    Packet,
}

/// Who asks, where, and when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asking<'a> {
    pub(super) namespace: &'a Namespace,
    pub(super) device: &'a str,
    pub(super) occasion: Occasion,
    /// Whether the kernel's counters are of this connection alone.
    pub(super) is_alone: bool,
    /// The number of the connection, from 0.
    pub(super) number: u16,
    /// Who tells the link the state of the sender, if its script waits for that.
    pub(super) triggers: Option<&'a Arc<SharedTriggers>>,
    pub(super) epoch: Epoch,
}

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

#[derive(Debug)]
pub(super) struct Sampler {
    stop: Arc<EventFd>,
    thread: JoinHandle<io::Result<io::Result<Sampled>>>,
}

impl Sampler {
    /// Samples the connection between these two, as the namespace of the first has it, until it is stopped.
    pub(super) fn start(
        asking: Asking<'_>,
        local: SocketAddr,
        remote: SocketAddr,
        progress: Arc<Progress>,
    ) -> io::Result<Self> {
        let Asking {
            namespace,
            epoch,
            is_alone,
            number,
            ..
        } = asking;
        let triggers = asking.triggers.cloned();
        let passing = match asking.occasion {
            Occasion::Period => None,
            Occasion::Packet => Some(namespace.run(|| passing(asking.device))??),
        };
        let stop = Arc::new(EventFd::from_flags(EfdFlags::EFD_CLOEXEC)?);
        let stopped = Arc::clone(&stop);
        let thread = namespace.spawn("sampler", move || {
            let mut netstat = is_alone.then(Netstat::open).transpose()?;
            let mut sampling = Sampling {
                diag: Diag::open(local, remote)?,
                // A namespace that was there before has counted others' timeouts.
                timeouts_before: read(netstat.as_mut())?.timeouts,
                netstat,
                epoch,
                progress,
                watcher: if is_alone {
                    Watcher::default()
                } else {
                    Watcher::among_others()
                },
                sampled: Sampled::default(),
                last: None,
                passing,
                flow: usize::from(number),
                triggers,
            };
            sampling.go_on_until(&stopped)?;
            Ok(sampling.finish())
        })?;
        Ok(Self { stop, thread })
    }

    /// Takes a last sample and ends.
    pub(super) fn stop(self) -> io::Result<Sampled> {
        self.stop.write(1)?;
        join(self.thread)?
    }
}

struct Sampling {
    diag: Diag,
    /// None where the counters are of several connections.
    netstat: Option<Netstat>,
    timeouts_before: u64,
    epoch: Epoch,
    progress: Arc<Progress>,
    watcher: Watcher,
    sampled: Sampled,
    last: Option<Time>,
    /// Sees every packet, if that is the occasion.
    passing: Option<PacketSocket>,
    /// The connection's number, for who tells the link of it.
    flow: usize,
    triggers: Option<Arc<SharedTriggers>>,
}

/// The counters as they are now; none have counted anything where there is nothing to read.
fn read(netstat: Option<&mut Netstat>) -> io::Result<Counters> {
    netstat.map_or(Ok(Counters::default()), Netstat::read)
}

/// A socket that every packet of a device wakes.
fn passing(device: &str) -> io::Result<PacketSocket> {
    let socket = PacketSocket::open(device)?;
    socket.bind(Protocol::All)?;
    Ok(socket)
}

impl Sampling {
    fn go_on_until(&mut self, stop: &EventFd) -> io::Result<()> {
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_CLOEXEC)?;
        let period = match self.passing {
            None => SAMPLING_PERIOD,
            Some(_) => WITHOUT_PACKETS,
        };
        let period = Duration::from_nanos(period.as_ns()).into();
        timer.set(Expiration::Interval(period), TimerSetTimeFlags::empty())?;
        loop {
            self.sample()?;
            let mut ready = vec![
                PollFd::new(timer.as_fd(), PollFlags::POLLIN),
                PollFd::new(stop.as_fd(), PollFlags::POLLIN),
            ];
            ready.extend((self.passing.iter()).map(|socket| PollFd::new(socket.as_fd(), PollFlags::POLLIN)));
            match poll(&mut ready, PollTimeout::NONE) {
                Ok(_) => {}
                Err(Errno::EINTR) => continue,
                Err(error) => return Err(error.into()),
            }
            if ready[1].any().unwrap_or(false) {
                return self.sample();
            }
            if ready[0].any().unwrap_or(false) {
                timer.wait()?;
            }
            self.let_pass();
        }
    }

    /// Forgets the packets that have woken it: the capture has them.
    fn let_pass(&self) {
        let Some(socket) = &self.passing else { return };
        // Also when the device has gone, which the capture tells.
        while recv(socket.as_fd().as_raw_fd(), &mut [0; 1], MsgFlags::MSG_DONTWAIT).is_ok() {}
    }

    /// Tells the link what the kernel says of the sender, if a script waits for that; `None`: there is no connection any more.
    fn tell_link(&self, now: Time, info: Option<&TcpInfo>) {
        if let Some(triggers) = &self.triggers {
            triggers.look(now, self.flow, info);
        }
    }

    fn sample(&mut self) -> io::Result<()> {
        let begun = self.epoch.now();
        let Some(info) = self.diag.ask()? else {
            // An acknowledgement that comes with the peer's FIN leaves nothing to ask: the connection is in TIME-WAIT.
            if self.last.take().is_some() {
                self.tell_link(begun, None);
                let counters = self.counters()?;
                self.watcher.gone(begun, counters);
            }
            return Ok(());
        };
        let counters = self.counters()?;
        let info = match self.netstat {
            Some(_) => info.or_timeouts_counted(counters.timeouts.saturating_sub(self.timeouts_before)),
            None => info,
        };
        let now = self.epoch.now();
        if info.state == ConnectionState::Closed {
            self.progress.fin_is_acknowledged();
            // What acknowledged its FIN may have ended a recovery, or undone it. What it says later is of no sender.
            if self.last.take().is_some() {
                self.tell_link(now, None);
                self.watcher.note(now, info, counters);
            }
            return Ok(());
        }
        self.sampled.samples += 1;
        self.sampled.longest_sample = self.sampled.longest_sample.max(now.since(begun));
        if let Some(gap) = self.last.map(|last| now.since(last)) {
            self.sampled.late += u64::from(gap > LATE);
            self.sampled.longest_gap = self.sampled.longest_gap.max(gap);
        }
        self.last = Some(now);
        self.tell_link(now, Some(&info));
        self.watcher.note(now, info, counters);
        Ok(())
    }

    fn counters(&mut self) -> io::Result<Counters> {
        read(self.netstat.as_mut())
    }

    fn finish(mut self) -> Sampled {
        (self.sampled.events, self.sampled.seen) = self.watcher.finish();
        self.sampled
    }
}
