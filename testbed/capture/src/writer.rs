//! The files of a run: `server.pcapng`, `client.pcapng`, `fates.csv`, `events.jsonl`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use serde::{Deserialize, Serialize};
use windlull_transport::Said;
use windlull_units::{Fate, Host, LinkEvent, Network, Outcome, PacketId, Time};
use windlull_wire::packet::{Addresses, EncodeError, Encoder, Payload};
use windlull_wire::{Flags, Segment, SenderEvent, SeqNumber, TransmitCause};

use crate::events::EventWriter;
use crate::fates::FateWriter;
use crate::pcapng::{Comment, Crossing, PacketRecord, PcapngWriter};
use crate::qlog::QlogWriter;
use crate::{Observer, Provenance};

/// The addresses over IPv4, from the range for benchmarks (RFC 2544) and the dynamic ports.
pub const fn address_of(host: Host) -> SocketAddrV4 {
    match host {
        Host::Server => SocketAddrV4::new(Ipv4Addr::new(198, 18, 0, 1), 49_152),
        Host::Client => SocketAddrV4::new(Ipv4Addr::new(198, 18, 0, 2), 49_153),
    }
}

/// The addresses over IPv6, from its range for benchmarks (RFC 5180, section 8) and the same ports.
const fn ipv6_address_of(host: Host) -> SocketAddrV6 {
    let last = match host {
        Host::Server => 1,
        Host::Client => 2,
    };
    let address = Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, last);
    SocketAddrV6::new(address, address_of(host).port(), 0, 0)
}

/// The address of a host in simulated captures.
pub const fn address_in(network: Network, host: Host) -> SocketAddr {
    match network {
        Network::Ipv4 => SocketAddr::V4(address_of(host)),
        Network::Ipv6 => SocketAddr::V6(ipv6_address_of(host)),
    }
}

/// From where to where the packets of a host go in simulated captures.
pub const fn addresses_from(network: Network, host: Host) -> Addresses {
    match network {
        Network::Ipv4 => Addresses::V4 {
            from: address_of(host),
            to: address_of(host.peer()),
        },
        Network::Ipv6 => Addresses::V6 {
            from: ipv6_address_of(host),
            to: ipv6_address_of(host.peer()),
        },
    }
}

/// Where the files of a run go.
#[derive(Debug)]
pub struct Sinks<W> {
    /// `server.pcapng`.
    pub server: W,
    /// `client.pcapng`.
    pub client: W,
    /// `fates.csv`.
    pub fates: W,
    /// `events.jsonl`.
    pub events: W,
    /// `server.sqlog` and `client.sqlog`, of transports that say what qlog has.
    pub qlogs: Option<[W; 2]>,
}

/// How much of each packet a capture keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Snaplen {
    /// Every header whole, and no payload: a simulated transfer's is a function of the stream offset and tells nothing.
    #[default]
    Headers,
    Full,
    /// So many octets of the Ethernet frame.
    Octets(u32),
}

impl Snaplen {
    /// Octets of this segment's frame that are kept at most, of which so many stand before its TCP header. A corrupted one is
    /// kept whole: without its payload its checksum would not show it.
    const fn of(self, segment: &Segment, lower_len: usize, corrupted: bool) -> usize {
        match self {
            Self::Headers if !corrupted => lower_len + segment.header_len() as usize,
            Self::Headers | Self::Full => AS_IT_IS,
            Self::Octets(octets) => octets as usize,
        }
    }

    /// Octets of any frame that are kept at most, as a capture's interface says it; zero: no one limit for all.
    pub(crate) const fn of_interface(self) -> u32 {
        match self {
            Self::Headers | Self::Full => 0,
            Self::Octets(octets) => octets,
        }
    }
}

/// A limit beyond every frame: whoever captured it has cut it already.
const AS_IT_IS: usize = usize::MAX >> 1;

/// Fates that are sealed stay known for so many packets more, for copies that the link makes of them.
const KEPT: usize = 64;
/// More packets than any link holds; only a driver that breaks the order of [`Observer`] leaves more.
const MOST_IN_FLIGHT: usize = 1 << 20;

pub(crate) const CORRUPTED: &str = "windlull: corrupted by the link; the receiving host discards it for its checksum";

/// A packet between its sending and its arrival.
#[derive(Clone, Copy, Debug)]
struct InFlight {
    /// None: a packet that is told of by its octets alone.
    segment: Option<Segment>,
    ip_id: u16,
    done: bool,
}

impl InFlight {
    const PACKET: Self = Self {
        segment: None,
        ip_id: 0,
        done: false,
    };
}

/// What is known of a retransmission's comment, and who still needs it.
#[derive(Debug, Default)]
struct Retransmission {
    comment: Option<Option<Box<str>>>,
    arrived: bool,
}

/// Writes all files of a run. It cannot fail while it observes; the first error is told by
/// [`CaptureWriter::finish`].
///
/// A retransmission carries its verdict as a comment. Who knows verdicts announces the packet before it is sent
/// ([`CaptureWriter::expect_verdict`]) and gives the verdict later; until then the packets of that file from there
/// on wait in memory.
#[derive(Debug)]
pub struct CaptureWriter<W> {
    ends: [End<W>; 2],
    fates: FateWriter<W>,
    events: EventWriter<W>,
    qlogs: Option<[QlogWriter<W>; 2]>,
    /// Lines of TLS key logs; both ends may tell the same.
    secrets: BTreeSet<String>,
    /// Frames of simulated datagrams under way: of one that is corrupted there is no other.
    frames: BTreeMap<PacketId, Vec<u8>>,
    snaplen: Snaplen,
    /// By packet number; the first one's is `first_id`.
    in_flight: VecDeque<Option<InFlight>>,
    first_id: u64,
    retransmissions: BTreeMap<PacketId, Retransmission>,
    real: Real,
}

/// The frame of the packet that is told of next, if it was captured and not made.
#[derive(Debug, Default)]
struct Real {
    octets: Vec<u8>,
    /// Its length on the wire, once there is one.
    len: Option<u32>,
}

impl Real {
    /// Appends the frame, cut after `limit` octets, or else what `make` makes.
    fn or_made(
        &mut self,
        limit: usize,
        out: &mut Vec<u8>,
        make: impl FnOnce(&mut Vec<u8>) -> Result<u32, EncodeError>,
    ) -> Result<u32, EncodeError> {
        match self.len.take() {
            Some(len) => {
                out.extend_from_slice(&self.octets[..self.octets.len().min(limit)]);
                Ok(len)
            }
            None => make(out),
        }
    }
}

/// One host: its file and how its packets look.
#[derive(Debug)]
struct End<W> {
    file: PcapngWriter<W>,
    encoder: Encoder,
    isn: SeqNumber,
}

impl<W: Write> CaptureWriter<W> {
    /// Begins the files.
    pub fn new(sinks: Sinks<W>, provenance: &Provenance, snaplen: Snaplen) -> Self {
        let is_encrypted = sinks.qlogs.is_some();
        let file = |name: &str, out: W| {
            let mut file = PcapngWriter::new(out, provenance, name, snaplen.of_interface());
            if is_encrypted {
                file.await_secrets();
            }
            file
        };
        let end = |host: Host, name: &str, out: W| End {
            file: file(name, out),
            encoder: Encoder::new(address_of(host), address_of(host.peer())),
            isn: SeqNumber::default(),
        };
        Self {
            ends: [
                end(Host::Server, "server", sinks.server),
                end(Host::Client, "client", sinks.client),
            ],
            fates: FateWriter::new(sinks.fates),
            events: EventWriter::new(sinks.events),
            qlogs: sinks.qlogs.map(|[server, client]| {
                let writer = |out, host| QlogWriter::new(out, host, provenance);
                [writer(server, Host::Server), writer(client, Host::Client)]
            }),
            secrets: BTreeSet::new(),
            frames: BTreeMap::new(),
            snaplen,
            in_flight: VecDeque::new(),
            first_id: 0,
            retransmissions: BTreeMap::new(),
            real: Real::default(),
        }
    }

    /// The same, of packets over this version of IP; before the first is sent.
    #[must_use]
    pub fn over(mut self, network: Network) -> Self {
        for (end, host) in self.ends.iter_mut().zip([Host::Server, Host::Client]) {
            end.encoder = Encoder::between(&addresses_from(network, host));
        }
        self
    }

    /// The packet that is about to be `sent` is a retransmission whose verdict will follow: exactly one call of
    /// [`CaptureWriter::verdict`] or [`CaptureWriter::no_verdict`].
    pub fn expect_verdict(&mut self, id: PacketId) {
        self.retransmissions.insert(id, Retransmission::default());
    }

    /// The verdict on a retransmission, as the comment its packets get at both ends.
    pub fn verdict(&mut self, id: PacketId, comment: &str) {
        self.settle(id, Some(comment));
    }

    /// There will be no verdict on this retransmission.
    pub fn no_verdict(&mut self, id: PacketId) {
        self.settle(id, None);
    }

    /// The first error, after which the file it concerns is written no more.
    pub fn error(&self) -> Option<&io::Error> {
        let [server, client] = &self.ends;
        let files = [
            server.file.error(),
            client.file.error(),
            self.fates.0.error(),
            self.events.0.error(),
        ];
        let qlogs = self.qlogs.iter().flatten().filter_map(|qlog| qlog.0.error());
        files.into_iter().flatten().chain(qlogs).next()
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// The first error of any of the underlying writers.
    pub fn finish(self) -> io::Result<Sinks<W>> {
        let [server, client] = self.ends;
        Ok(Sinks {
            server: server.file.finish()?,
            client: client.file.finish()?,
            fates: self.fates.finish()?,
            events: self.events.finish()?,
            qlogs: match self.qlogs {
                None => None,
                Some([server, client]) => Some([server.finish()?, client.finish()?]),
            },
        })
    }

    fn settle(&mut self, id: PacketId, comment: Option<&str>) {
        let Some(retransmission) = self.retransmissions.get_mut(&id) else {
            return;
        };
        for end in &mut self.ends {
            end.file.settle(id, comment);
        }
        if retransmission.arrived {
            self.retransmissions.remove(&id);
        } else {
            retransmission.comment = Some(comment.map(Into::into));
        }
    }

    /// Writes a packet into the file of the host that it reaches.
    fn write_arrival(
        &mut self,
        at: Time,
        host: Host,
        id: PacketId,
        segment: Option<&Segment>,
        ip_id: u16,
        corrupted: bool,
    ) {
        let [server, client] = &mut self.ends;
        let (from, to) = match host {
            Host::Server => (&*client, server),
            Host::Client => (&*server, client),
        };
        let offset = segment.map_or(0, |segment| stream_offset(from.isn, segment));
        let encoder = &from.encoder;
        let limit = segment.map_or(AS_IT_IS, |segment| {
            self.snaplen.of(segment, encoder.lower_len(), corrupted)
        });
        let comment = match self.retransmissions.get(&id) {
            _ if corrupted => Comment::Text(CORRUPTED),
            None => Comment::Absent,
            Some(Retransmission { comment: None, .. }) => Comment::Awaited,
            Some(Retransmission {
                comment: Some(None), ..
            }) => Comment::Absent,
            Some(Retransmission {
                comment: Some(Some(text)),
                ..
            }) => Comment::Text(text),
        };
        let damaged = if corrupted { self.frames.get(&id).cloned() } else { None };
        let way = Crossing::Inbound;
        let real = &mut self.real;
        to.file.packet(&PacketRecord { at, way, id, comment }, |out| {
            real.or_made(limit, out, |out| {
                let Some(segment) = segment else {
                    return Ok(damaged.map_or(0, |frame| append_damaged(&frame, out)));
                };
                let start = out.len();
                let len = encoder.encode(ip_id, segment, Payload::Stream(offset), limit, out)?;
                if corrupted {
                    flip_a_bit(&mut out[start..], encoder.lower_len(), segment.header_len() as usize);
                }
                Ok(len)
            })
        });
        self.forget(id);
    }

    /// The packet's way is over: what it waited for is settled or no longer needed.
    fn forget(&mut self, id: PacketId) {
        self.frames.remove(&id);
        if let Some(retransmission) = self.retransmissions.get_mut(&id) {
            retransmission.arrived = true;
            if retransmission.comment.is_some() {
                self.retransmissions.remove(&id);
            }
        }
        if let Some(packet) = self.slot(id).and_then(Option::as_mut) {
            packet.done = true;
        }
        while self.in_flight.len() > KEPT
            && (self.in_flight.len() > MOST_IN_FLIGHT || self.in_flight[0].is_some_and(|packet| packet.done))
        {
            self.in_flight.pop_front();
            self.first_id += 1;
        }
    }

    fn slot(&mut self, id: PacketId) -> Option<&mut Option<InFlight>> {
        let place = usize::try_from(id.0.checked_sub(self.first_id)?).ok()?;
        self.in_flight.get_mut(place)
    }

    /// Remembers a packet; numbers that were left out belong to copies that the link made and has not told of yet.
    fn remember(&mut self, id: PacketId, packet: InFlight) {
        if self.in_flight.is_empty() {
            self.first_id = id.0;
        }
        while self.first_id + (self.in_flight.len() as u64) < id.0 && self.in_flight.len() < MOST_IN_FLIGHT {
            self.in_flight.push_back(None);
        }
        if let Some(slot) = self.slot(id) {
            *slot = Some(packet);
        } else if self.in_flight.len() < MOST_IN_FLIGHT && self.first_id <= id.0 {
            self.in_flight.push_back(Some(packet));
        }
    }
}

impl<W: Write> Observer for CaptureWriter<W> {
    fn octets(&mut self, frame: &[u8], original_len: u32) {
        self.real.octets.clear();
        self.real.octets.extend_from_slice(frame);
        self.real.len = Some(original_len);
    }

    fn sent(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment, _cause: Option<TransmitCause>) {
        let end = &mut self.ends[index(host)];
        if segment.flags.has(Flags::SYN) {
            end.isn = segment.seq;
        }
        let ip_id = end.encoder.take_id();
        let comment = match self.retransmissions.get(&id) {
            None => Comment::Absent,
            Some(_) => Comment::Awaited,
        };
        let offset = stream_offset(end.isn, segment);
        let (encoder, way) = (&end.encoder, Crossing::Outbound);
        let limit = self.snaplen.of(segment, encoder.lower_len(), false);
        let real = &mut self.real;
        end.file.packet(
            &PacketRecord {
                at: now,
                way,
                id,
                comment,
            },
            |out| {
                real.or_made(limit, out, |out| {
                    encoder.encode(ip_id, segment, Payload::Stream(offset), limit, out)
                })
            },
        );
        let packet = InFlight {
            segment: Some(*segment),
            ip_id,
            done: false,
        };
        self.remember(id, packet);
    }

    fn arrived(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment) {
        let known = self.slot(id).and_then(|slot| slot.as_ref());
        let ip_id = known.map_or(0, |packet| packet.ip_id);
        self.write_arrival(now, host, id, Some(segment), ip_id, false);
    }

    fn packet_sent(&mut self, now: Time, host: Host, id: PacketId) {
        let (file, real) = (&mut self.ends[index(host)].file, &mut self.real);
        let comment = match self.retransmissions.get(&id) {
            None => Comment::Absent,
            Some(_) => Comment::Awaited,
        };
        let record = PacketRecord {
            at: now,
            way: Crossing::Outbound,
            id,
            comment,
        };
        if self.qlogs.is_some() {
            self.frames.insert(id, real.octets.clone());
        }
        file.packet(&record, |out| real.or_made(AS_IT_IS, out, |_| Ok(0)));
        self.remember(id, InFlight::PACKET);
    }

    fn packet_arrived(&mut self, now: Time, host: Host, id: PacketId) {
        self.write_arrival(now, host, id, None, 0, false);
    }

    fn fate(&mut self, fate: &Fate) {
        self.fates.write(fate);
        let original = fate.duplicate_of.and_then(|origin| *self.slot(origin)?);
        if let Some(packet) = original {
            self.remember(fate.id, InFlight { done: false, ..packet });
        }
        match fate.outcome {
            // `arrived` follows.
            Outcome::Delivered { .. } if !fate.corrupted => {}
            Outcome::Delivered { at } => match self.slot(fate.id) {
                Some(&mut Some(InFlight { segment, ip_id, .. })) => {
                    self.write_arrival(at, fate.direction.reaches(), fate.id, segment.as_ref(), ip_id, true);
                }
                _ => self.forget(fate.id),
            },
            Outcome::Dropped { .. } => self.forget(fate.id),
        }
    }

    fn said(&mut self, now: Time, host: Host, said: &Said) {
        if let Some(qlogs) = &mut self.qlogs {
            qlogs[index(host)].said(now, said);
        }
    }

    fn secret(&mut self, line: &str) {
        if !self.secrets.insert(line.to_owned()) {
            return;
        }
        let has = |label: &str| self.secrets.iter().any(|line| line.starts_with(label));
        let has_all = has("CLIENT_TRAFFIC_SECRET_0") && has("SERVER_TRAFFIC_SECRET_0");
        for end in &mut self.ends {
            end.file.secret(line);
            if has_all {
                end.file.has_secrets();
            }
        }
    }

    fn link(&mut self, now: Time, event: &LinkEvent) {
        self.events.link(now, event);
    }

    fn sender(&mut self, now: Time, host: Host, event: &SenderEvent) {
        self.events.sender(now, host, event);
    }
}

const fn index(host: Host) -> usize {
    match host {
        Host::Server => 0,
        Host::Client => 1,
    }
}

/// Where in the content the payload begins; only the low 32 bits of the offset, of which the content uses 16.
fn stream_offset(isn: SeqNumber, segment: &Segment) -> u64 {
    // SYN takes the number before the first octet.
    let first = segment.seq.add(u32::from(segment.flags.has(Flags::SYN)));
    u64::from(first.0.wrapping_sub(isn.0).wrapping_sub(1))
}

/// Appends a UDP datagram's frame with a flipped bit in its last octet, which its checksum shows. Its length.
fn append_damaged(frame: &[u8], out: &mut Vec<u8>) -> u32 {
    out.extend_from_slice(frame);
    if let Some(last) = out.last_mut() {
        *last ^= 0x01;
    }
    u32::try_from(frame.len()).unwrap_or(u32::MAX)
}

/// Damages a frame so that its TCP checksum is wrong and every header still reads well: in the payload if there is
/// any, else in the checksum itself.
fn flip_a_bit(frame: &mut [u8], lower_len: usize, tcp_header_len: usize) {
    let payload = lower_len + tcp_header_len;
    let checksum = lower_len + 16;
    let place = if payload < frame.len() { payload } else { checksum };
    if let Some(octet) = frame.get_mut(place) {
        *octet ^= 0x01;
    }
}
