//! A run told by hand: packets are sent, delivered and lost as the test says.
#![allow(dead_code, reason = "every test file uses a part of it")]

pub(crate) mod recording;

use windlull_capture::Observer;
use windlull_units::{Bytes, Direction, DropCause, Fate, Host, Network, Outcome, PacketId, Span, Time};
use windlull_wire::{
    DetectorAnswer, Flags, Options, SackBlock, SackBlocks, Segment, SenderEvent, SeqNumber, Timestamps, TransmitCause,
};

/// Octets of a data segment.
pub(crate) const MSS: u64 = 100;

/// A run between a server that sends data and a client. Times are milliseconds, positions octets of the stream.
pub(crate) struct Scene<O> {
    pub(crate) observer: O,
    pub(crate) isn: SeqNumber,
    pub(crate) timestamps: bool,
    now: Time,
    packets: Vec<Packet>,
    timeouts: u32,
    /// The stamps that the hosts echo.
    recent: [u32; 2],
}

struct Packet {
    from: Host,
    sent: Time,
    segment: Segment,
}

impl<O: Observer> Scene<O> {
    pub(crate) fn new(observer: O) -> Self {
        // The numbers wrap within the first segments.
        Self::beginning_at(observer, SeqNumber(u32::MAX - 150))
    }

    pub(crate) fn beginning_at(observer: O, isn: SeqNumber) -> Self {
        Self {
            observer,
            isn,
            timestamps: false,
            now: Time::ZERO,
            packets: Vec::new(),
            timeouts: 0,
            recent: [0; 2],
        }
    }

    /// The clock goes on to this millisecond.
    pub(crate) fn at(&mut self, ms: u64) -> &mut Self {
        let now = Time::ZERO + Span::from_ms(ms);
        assert!(now >= self.now, "time goes on");
        self.now = now;
        self
    }

    /// SYN, SYN-ACK and ACK, each taking 50 ms, from the run's start on.
    pub(crate) fn handshake(&mut self) -> &mut Self {
        self.handshake_from(0)
    }

    /// The same from this millisecond on.
    pub(crate) fn handshake_from(&mut self, ms: u64) -> &mut Self {
        let client = SeqNumber(900);
        let options = Options {
            mss: Some(1460),
            window_scale: Some(2),
            sack_permitted: true,
            ..Options::default()
        };
        let syn = self.send(
            Host::Server,
            Segment {
                seq: self.isn,
                flags: Flags::SYN,
                options,
                window: 8000,
                ..Segment::default()
            },
        );
        self.at(ms + 50).deliver(syn);
        let syn_ack = Segment {
            seq: client,
            ack: self.isn.add(1),
            flags: Flags::SYN.with(Flags::ACK),
            options,
            window: 8000,
            ..Segment::default()
        };
        let syn_ack = self.send(Host::Client, syn_ack);
        self.at(ms + 100).deliver(syn_ack);
        let ack = Segment {
            seq: self.isn.add(1),
            ack: client.add(1),
            flags: Flags::ACK,
            window: 8000,
            ..Segment::default()
        };
        let ack = self.send(Host::Server, ack);
        self.deliver(ack);
        self
    }

    /// The server sends the segment of this number (from 0).
    pub(crate) fn data(&mut self, number: u64) -> u64 {
        self.data_for(number, TransmitCause::NewData)
    }

    pub(crate) fn data_for(&mut self, number: u64, cause: TransmitCause) -> u64 {
        let segment = self.octets(number * MSS, MSS);
        self.send_for(Host::Server, segment, Some(cause))
    }

    /// A data segment of so many octets from an offset of the stream on.
    pub(crate) fn octets(&self, offset: u64, len: u64) -> Segment {
        Segment {
            seq: self.number(offset),
            ack: SeqNumber(901),
            flags: Flags::ACK,
            window: 8000,
            payload_len: u32::try_from(len).expect("short"),
            ..Segment::default()
        }
    }

    /// The client acknowledges the first so many data segments, with SACK blocks of segments `[left, right)`.
    pub(crate) fn ack(&mut self, segments: u64, blocks: &[(u64, u64)]) -> u64 {
        let mut sack = SackBlocks::NONE;
        for &(left, right) in blocks {
            sack.push(SackBlock {
                left: self.number(left * MSS),
                right: self.number(right * MSS),
            });
        }
        let segment = Segment {
            seq: SeqNumber(901),
            ack: self.number(segments * MSS),
            flags: Flags::ACK,
            window: 8000,
            options: Options {
                sack,
                ..Options::default()
            },
            ..Segment::default()
        };
        self.send(Host::Client, segment)
    }

    pub(crate) fn send(&mut self, from: Host, segment: Segment) -> u64 {
        self.send_for(from, segment, None)
    }

    pub(crate) fn send_for(&mut self, from: Host, mut segment: Segment, cause: Option<TransmitCause>) -> u64 {
        if self.timestamps && segment.options.timestamps.is_none() {
            let value = u32::try_from(self.now.as_ns() / 1_000_000).expect("a short run");
            let echo = self.recent[from as usize];
            segment.options.timestamps = Some(Timestamps { value, echo });
        }
        let id = self.packets.len() as u64;
        self.observer.sent(self.now, from, PacketId(id), &segment, cause);
        self.packets.push(Packet {
            from,
            sent: self.now,
            segment,
        });
        id
    }

    /// The packet arrives now.
    pub(crate) fn deliver(&mut self, id: u64) {
        let (host, segment) = {
            let packet = self.packet(id);
            (packet.from.peer(), packet.segment)
        };
        if let Some(stamps) = segment.options.timestamps {
            // RFC 7323, section 4.3: never an older one than before.
            let recent = &mut self.recent[host as usize];
            *recent = stamps.value.max(*recent);
        }
        let fate = self.fate(id, Outcome::Delivered { at: self.now });
        self.observer.fate(&fate);
        self.observer.arrived(self.now, host, PacketId(id), &segment);
    }

    /// The link drops the packet now.
    pub(crate) fn drop(&mut self, id: u64) {
        self.drop_by(id, DropCause::RandomLoss);
    }

    pub(crate) fn drop_by(&mut self, id: u64, by: DropCause) {
        let fate = self.fate(id, Outcome::Dropped { at: self.now, by });
        self.observer.fate(&fate);
    }

    /// The packet leaves the queue now, with a mark, and arrives so much later.
    pub(crate) fn mark(&mut self, id: u64, later: Span) {
        let at = self.now + later;
        let fate = Fate {
            marked: true,
            started: Some(self.now),
            ..self.fate(id, Outcome::Delivered { at })
        };
        self.now = at;
        self.observer.fate(&fate);
        let packet = self.packet(id);
        let (to, segment) = (packet.from.peer(), packet.segment);
        self.observer.arrived(at, to, PacketId(id), &segment);
    }

    /// The queue drops the packet now, as it was to leave.
    pub(crate) fn drop_from_the_head(&mut self, id: u64) {
        let by = DropCause::QueueEarly;
        let fate = Fate {
            started: None,
            sent: None,
            ..self.fate(id, Outcome::Dropped { at: self.now, by })
        };
        self.observer.fate(&fate);
    }

    /// The packet arrives now with a flipped bit.
    pub(crate) fn corrupt(&mut self, id: u64) {
        let fate = Fate {
            corrupted: true,
            ..self.fate(id, Outcome::Delivered { at: self.now })
        };
        self.observer.fate(&fate);
    }

    /// A copy that the link has made arrives now.
    pub(crate) fn deliver_copy(&mut self, of: u64) {
        let id = self.packets.len() as u64;
        let (from, segment) = (self.packet(of).from, self.packet(of).segment);
        self.packets.push(Packet {
            from,
            sent: self.now,
            segment,
        });
        let fate = Fate {
            duplicate_of: Some(PacketId(of)),
            ..self.fate(id, Outcome::Delivered { at: self.now })
        };
        self.observer.fate(&fate);
        self.observer.arrived(self.now, from.peer(), PacketId(id), &segment);
    }

    /// The server's timer runs out with this segment unacknowledged.
    pub(crate) fn timeout(&mut self, una: u64, max: u64) {
        self.timeouts += 1;
        self.say(&SenderEvent::Timeout {
            ordinal: self.timeouts,
            una: una * MSS,
            max: max * MSS,
            rto: Span::from_ms(1000),
            backoff: 0,
            rule: Some("RFC 6298 (2.4), the minimum".into()),
        });
    }

    pub(crate) fn answer(&mut self, ordinal: u32, answer: Option<DetectorAnswer>) {
        self.say(&SenderEvent::Detector {
            ordinal,
            rule: "F-RTO 3".into(),
            answer,
        });
    }

    pub(crate) fn say(&mut self, event: &SenderEvent) {
        self.observer.sender(self.now, Host::Server, event);
    }

    /// FIN behind so many segments, acknowledged 100 ms later.
    pub(crate) fn finish(&mut self, segments: u64) {
        let fin = Segment {
            seq: self.number(segments * MSS),
            ack: SeqNumber(901),
            flags: Flags::FIN.with(Flags::ACK),
            window: 8000,
            ..Segment::default()
        };
        let fin = self.send(Host::Server, fin);
        self.later(50).deliver(fin);
        let ack = Segment {
            seq: SeqNumber(901),
            ack: self.number(segments * MSS).add(1),
            flags: Flags::FIN.with(Flags::ACK),
            window: 8000,
            ..Segment::default()
        };
        let ack = self.send(Host::Client, ack);
        self.later(50).deliver(ack);
        let last = Segment {
            seq: self.number(segments * MSS).add(1),
            ack: SeqNumber(902),
            flags: Flags::ACK,
            window: 8000,
            ..Segment::default()
        };
        let last = self.send(Host::Server, last);
        self.later(50).deliver(last);
    }

    pub(crate) fn later(&mut self, ms: u64) -> &mut Self {
        self.now += Span::from_ms(ms);
        self
    }

    fn number(&self, offset: u64) -> SeqNumber {
        self.isn.add(1).add(u32::try_from(offset).expect("a short run"))
    }

    fn packet(&self, id: u64) -> &Packet {
        &self.packets[usize::try_from(id).expect("small")]
    }

    fn fate(&self, id: u64, outcome: Outcome) -> Fate {
        let packet = self.packet(id);
        let direction = match packet.from {
            Host::Server => Direction::Down,
            Host::Client => Direction::Up,
        };
        let size = Bytes::new(u64::from(packet.segment.packet_len(Network::Ipv4)));
        Fate {
            started: Some(packet.sent),
            sent: Some(packet.sent),
            ..Fate::plain(PacketId(id), direction, size, packet.sent, outcome)
        }
    }
}
