//! One connection's end: an endpoint of ours, the application above it, and the frames of its segments.

use windlull_netns::ethernet_address;
use windlull_plane::fingerprint;
use windlull_tcp::Endpoint;
use windlull_units::{Host, Network, Span, Time};
use windlull_wire::packet::{ETHERNET_LEN, Encoder, Packet, Payload};
use windlull_wire::{Flags, Segment, SenderEvent, SeqNumber};

use super::end::{ConnectionReport, EndpointSetup};
use super::reader::Reader;
use crate::application::{Application, Step, Task};
use crate::assembly::Reason;
use crate::part;
use crate::ports::addresses_on;

/// Longer than any frame that a packet socket takes: nothing is cut.
const UNCUT: usize = 1 << 20;

/// Where a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// It has not begun; its receiver listens.
    Waiting,
    Begun,
    /// Its time was up, whatever was under way.
    Stopped,
}

pub(super) struct Connection {
    host: Host,
    number: u16,
    task: Task,
    stage: Stage,
    endpoint: Endpoint,
    isn: SeqNumber,
    application: Application,
    reader: Reader,
    /// When the application's responses were complete, and how long each took.
    tasks: Vec<(Time, Span)>,
    encoder: Encoder,
    events: Vec<(Time, SenderEvent)>,
    sent: Vec<Reason>,
}

impl Connection {
    /// The end at this host.
    pub(super) fn new(host: Host, network: Network, setup: &EndpointSetup) -> Self {
        let number = setup.number;
        let mut endpoint = Endpoint::new(&setup.variant, setup.isn);
        if !setup.task.is_data_sender {
            endpoint.listen();
        }
        Self {
            host,
            number,
            task: setup.task,
            stage: Stage::Waiting,
            endpoint,
            isn: setup.isn,
            application: Application::new(setup.task),
            reader: Reader::new(setup.task.pause),
            tasks: Vec::new(),
            encoder: Encoder::between(&addresses_on(network, number, host)),
            events: Vec::new(),
            sent: Vec::new(),
        }
    }

    /// Begins if its time has come, as of `now`. Whether it did.
    pub(super) fn begin(&mut self, now: Time) -> bool {
        if self.stage != Stage::Waiting || self.task.begins_at() > now {
            return false;
        }
        self.stage = Stage::Begun;
        if self.task.is_data_sender {
            self.endpoint.connect(now);
        }
        let first = self.application.begin();
        self.take_step(now, first);
        true
    }

    /// When it begins, if it has not.
    pub(super) fn begins_at(&self) -> Option<Time> {
        (self.stage == Stage::Waiting).then(|| self.task.begins_at())
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

    /// A segment of the connection has arrived, in this frame.
    pub(super) fn take(&mut self, now: Time, packet: &Packet, frame: &[u8]) {
        if self.stage == Stage::Stopped {
            return;
        }
        let received = self.endpoint.on_segment(now, &packet.segment, &mut self.events);
        if let (true, Ok(skipped), Ok(kept)) = (
            received.len > 0,
            usize::try_from(received.skipped),
            usize::try_from(received.len),
        ) {
            let payload = &frame[packet.payload.clone()];
            self.reader.store(received.offset, &payload[skipped..skipped + kept]);
        }
        self.read(now);
        self.close_after_peer(now);
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

    fn close_after_peer(&mut self, now: Time) {
        if self.endpoint.peer_closed() && self.endpoint.readable() == 0 {
            self.endpoint.close(now);
        }
    }

    /// Does what the application has to do. Whether it did anything.
    pub(super) fn act(&mut self, now: Time) -> bool {
        if self.task.stops_at().is_some_and(|at| at <= now) {
            self.stage = Stage::Stopped;
        }
        if self.stage != Stage::Begun || self.application.acts_at().is_none_or(|at| at > now) {
            return false;
        }
        let next = self.application.act(now);
        self.take_step(now, next);
        true
    }

    /// Goes on to read after a pause. Whether it did.
    pub(super) fn resume(&mut self, now: Time) -> bool {
        if self.stage == Stage::Stopped || self.reader.wakes_at().is_none_or(|at| at > now) {
            return false;
        }
        self.read(now);
        self.close_after_peer(now);
        true
    }

    /// Does what its timers are set for. Whether they were due.
    pub(super) fn fire(&mut self, now: Time) -> bool {
        if self.stage == Stage::Stopped || self.endpoint.poll_at().is_none_or(|at| at > now) {
            return false;
        }
        self.endpoint.on_timer(now, &mut self.events);
        true
    }

    /// Makes the frame of the next segment that it has to send; false if there is none. One that cannot be made is an error.
    pub(super) fn poll_frame(&mut self, now: Time, frame: &mut Vec<u8>) -> Result<bool, NoFrame> {
        if self.stage == Stage::Stopped {
            return Ok(false);
        }
        let Some((segment, cause)) = self.endpoint.poll_transmit(now, &mut self.events) else {
            return Ok(false);
        };
        let id = self.encoder.take_id();
        frame.clear();
        let payload = Payload::Stream(stream_offset(self.isn, &segment));
        self.encoder
            .encode(id, &segment, payload, UNCUT, frame)
            .map_err(|_| NoFrame)?;
        frame[..6].copy_from_slice(&ethernet_address(self.host.peer()));
        frame[6..12].copy_from_slice(&ethernet_address(self.host));
        self.sent.push(Reason {
            at: now,
            fingerprint: fingerprint(&frame[ETHERNET_LEN..]),
            cause,
        });
        Ok(true)
    }

    /// How far it is.
    pub(super) fn progress(&self) -> part::Progress {
        let is_stopped = self.stage == Stage::Stopped;
        part::Progress {
            closed_in_order: is_stopped || self.endpoint.fin_acknowledged(),
            closed: is_stopped || self.endpoint.is_closed(),
            idle: self.wakes_at().is_none(),
            received: if self.task.is_data_sender {
                0
            } else {
                self.reader.received()
            },
        }
    }

    /// When something of it is due by itself.
    pub(super) fn wakes_at(&self) -> Option<Time> {
        match self.stage {
            Stage::Waiting => Some(self.task.begins_at()),
            Stage::Begun => [
                self.reader.wakes_at(),
                self.application.acts_at(),
                self.task.stops_at(),
                self.endpoint.poll_at(),
            ]
            .into_iter()
            .flatten()
            .min(),
            Stage::Stopped => None,
        }
    }

    /// What it knows now that it is over.
    pub(super) fn finish(self) -> ConnectionReport {
        ConnectionReport {
            number: self.number,
            close_reason: self.endpoint.close_reason(),
            events: self.events,
            sent: self.sent,
            received: self.reader.finish(),
            tasks: self.tasks,
        }
    }
}

/// A segment of which no frame can be made.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoFrame;

/// Where in the content the payload begins; its low 32 bits are enough.
fn stream_offset(isn: SeqNumber, segment: &Segment) -> u64 {
    // SYN takes the number before the first octet.
    let first = segment.seq.add(u32::from(segment.flags.has(Flags::SYN)));
    u64::from(first.0.wrapping_sub(isn.0).wrapping_sub(1))
}
