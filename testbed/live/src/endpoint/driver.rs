//! The loop of an end: what has arrived, what is due, what is to be sent, then sleep.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::eventfd::EventFd;
use nix::sys::time::TimeSpec;
use windlull_capture::address_of;
use windlull_netns::ethernet_address;
use windlull_plane::{Epoch, fingerprint};
use windlull_tcp::Endpoint;
use windlull_units::{Host, Span, Time};
use windlull_wire::packet::{Checksum, ETHERNET_LEN, Encoder, LinkType, Payload, decode};
use windlull_wire::{Flags, Segment, SenderEvent, SeqNumber};

use super::reader::Reader;
use super::socket::FrameSocket;
use super::{EndpointSetup, Report};
use crate::application::{Application, Step};
use crate::assembly::Reason;
use crate::part;
use crate::running::Progress;

/// Frames that are taken before the timers are looked at again: one that has arrived comes before a timer, but a flood must
/// not hold them off.
const FRAMES_AT_A_TIME: u32 = 64;
/// Longer than any frame that a packet socket takes: nothing is cut.
const UNCUT: usize = 1 << 20;

pub(super) struct Driver {
    host: Host,
    is_data_sender: bool,
    endpoint: Endpoint,
    isn: SeqNumber,
    application: Application,
    reader: Reader,
    /// When the application's responses were complete, and how long each took.
    tasks: Vec<(Time, Span)>,
    encoder: Encoder,
    socket: FrameSocket,
    epoch: Epoch,
    progress: Arc<Progress>,
    events: Vec<(Time, SenderEvent)>,
    sent: Vec<Reason>,
    frame: Vec<u8>,
    arrived: Vec<u8>,
    bad_checksums: u64,
    send_failures: u64,
}

impl Driver {
    pub(super) fn new(setup: &EndpointSetup, socket: FrameSocket, epoch: Epoch, progress: Arc<Progress>) -> Self {
        let (host, isn) = (setup.host, setup.isn);
        Self {
            host,
            is_data_sender: setup.task.is_data_sender,
            endpoint: Endpoint::new(&setup.variant, isn),
            isn,
            application: Application::new(setup.task),
            reader: Reader::new(setup.task.pause),
            tasks: Vec::new(),
            encoder: Encoder::new(address_of(host), address_of(host.peer())),
            socket,
            epoch,
            progress,
            events: Vec::new(),
            sent: Vec::new(),
            frame: Vec::new(),
            arrived: Vec::new(),
            bad_checksums: 0,
            send_failures: 0,
        }
    }

    /// Runs until it is told to stop.
    pub(super) fn drive(mut self, stop: &EventFd) -> io::Result<Report> {
        thread::sleep(Duration::from_nanos(self.epoch.until_start().as_ns()));
        self.begin();
        loop {
            for _ in 0..FRAMES_AT_A_TIME {
                if !self.take_frame() {
                    break;
                }
            }
            self.fire();
            self.tell_progress();
            if self.wait(stop)? {
                break;
            }
        }
        Ok(Report {
            missed: self.socket.missed()?,
            events: self.events,
            sent: self.sent,
            received: self.reader.finish(),
            tasks: self.tasks,
            bad_checksums: self.bad_checksums,
            send_failures: self.send_failures,
            close_reason: self.endpoint.close_reason(),
        })
    }

    fn begin(&mut self) {
        let now = self.epoch.now();
        if self.is_data_sender {
            self.endpoint.connect(now);
        } else {
            self.endpoint.listen();
        }
        let first = self.application.begin();
        self.take_step(now, first);
        self.transmit();
    }

    /// The application does what follows.
    fn take_step(&mut self, now: Time, step: Step) {
        if step.writes > 0 {
            self.endpoint.write(now, step.writes);
        }
        if step.closes {
            self.endpoint.close(now);
        }
        self.tasks.extend(step.tasks.into_iter().map(|took| (now, took)));
    }

    fn take_frame(&mut self) -> bool {
        let arrived = &mut self.arrived;
        let taken = self.socket.next_frame(|frame, len| {
            arrived.clear();
            arrived.extend_from_slice(frame);
            len
        });
        let Some(len) = taken else { return false };
        let (own, peer) = (address_of(self.host), address_of(self.host.peer()));
        let packet = match decode(LinkType::Ethernet, &self.arrived, len) {
            Ok(packet) if packet.source == peer.into() && packet.destination == own.into() => packet,
            // Nothing of the connection.
            _ => return true,
        };
        if packet.checksum != Checksum::Right {
            self.bad_checksums += 1;
            return true;
        }
        let now = self.epoch.now();
        let received = self.endpoint.on_segment(now, &packet.segment, &mut self.events);
        if let (true, Ok(skipped), Ok(kept)) = (
            received.len > 0,
            usize::try_from(received.skipped),
            usize::try_from(received.len),
        ) {
            let payload = &self.arrived[packet.payload];
            self.reader.store(received.offset, &payload[skipped..skipped + kept]);
        }
        self.read(now);
        if self.endpoint.peer_closed() && self.endpoint.readable() == 0 {
            self.endpoint.close(now);
        }
        self.transmit();
        true
    }

    /// The application reads what it wants.
    fn read(&mut self, now: Time) {
        let readable = self.endpoint.readable();
        if readable > 0 {
            let wanted = self.reader.wants(now, readable);
            let taken = self.endpoint.read(now, wanted);
            self.reader.take(taken);
            let next = self.application.read(now, taken);
            self.take_step(now, next);
        }
    }

    /// Does what is due.
    fn fire(&mut self) {
        let now = self.epoch.now();
        if self.application.acts_at().is_some_and(|at| at <= now) {
            let next = self.application.act(now);
            self.take_step(now, next);
            self.transmit();
        }
        if self.reader.wakes_at().is_some_and(|at| at <= now) {
            self.read(now);
            if self.endpoint.peer_closed() && self.endpoint.readable() == 0 {
                self.endpoint.close(now);
            }
            self.transmit();
        }
        if self.endpoint.poll_at().is_some_and(|at| at <= now) {
            self.endpoint.on_timer(now, &mut self.events);
            self.transmit();
        }
    }

    /// Sends all that the endpoint has to send.
    fn transmit(&mut self) {
        loop {
            let now = self.epoch.now();
            let Some((segment, cause)) = self.endpoint.poll_transmit(now, &mut self.events) else {
                return;
            };
            let id = self.encoder.take_id();
            self.frame.clear();
            let payload = Payload::Stream(stream_offset(self.isn, &segment));
            if self
                .encoder
                .encode(id, &segment, payload, UNCUT, &mut self.frame)
                .is_err()
            {
                self.send_failures += 1;
                continue;
            }
            self.frame[..6].copy_from_slice(&ethernet_address(self.host.peer()));
            self.frame[6..12].copy_from_slice(&ethernet_address(self.host));
            self.sent.push(Reason {
                at: now,
                fingerprint: fingerprint(&self.frame[ETHERNET_LEN..]),
                cause,
            });
            self.send_failures += u64::from(self.socket.send(&self.frame).is_err());
        }
    }

    fn tell_progress(&self) {
        self.progress.tell(part::Progress {
            closed_in_order: self.endpoint.fin_acknowledged(),
            closed: self.endpoint.is_closed(),
            idle: self.wakes_at().is_none(),
            received: self.reader.received(),
        });
    }

    fn wakes_at(&self) -> Option<Time> {
        let own = [self.reader.wakes_at(), self.application.acts_at()];
        own.into_iter().chain([self.endpoint.poll_at()]).flatten().min()
    }

    /// Sleeps until a frame arrives or something is due; true if it is to stop.
    fn wait(&self, stop: &EventFd) -> io::Result<bool> {
        let timeout = self.wakes_at().map(|at| {
            let span = Duration::from_nanos(at.since(self.epoch.now()).as_ns());
            TimeSpec::from_duration(span)
        });
        let mut watched = [
            PollFd::new(self.socket.as_fd(), PollFlags::POLLIN),
            PollFd::new(stop.as_fd(), PollFlags::POLLIN),
        ];
        match ppoll(&mut watched, timeout, None) {
            Ok(_) => Ok(watched[1].any().unwrap_or(false)),
            Err(Errno::EINTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Where in the content the payload begins; its low 32 bits are enough.
fn stream_offset(isn: SeqNumber, segment: &Segment) -> u64 {
    // SYN takes the number before the first octet.
    let first = segment.seq.add(u32::from(segment.flags.has(Flags::SYN)));
    u64::from(first.0.wrapping_sub(isn.0).wrapping_sub(1))
}
