//! A made-up run, told.

use std::slice;

use windlull_capture::{Crossing, Observer, address_of};
use windlull_plane::fingerprint;
use windlull_transport::{PacketSent, Said, Space};
use windlull_units::{Bytes, Direction, DropCause, Ecn, Fate, Host, LinkEvent, Network, Outcome, PacketId, Span, Time};
use windlull_wire::packet::{DatagramEncoder, ETHERNET_LEN, Encoder, Payload};
use windlull_wire::{Flags, Segment, SenderEvent, SeqNumber, TransmitCause};

use super::{Capture, ConnectionPieces, Entered, LinkLog, Pieces, Reason, tell};
use crate::ports::addresses_on;
use crate::transports::{Told, What};

/// What the observer was told, a line each.
#[derive(Default)]
struct Lines(Vec<String>, Vec<usize>);

impl Observer for Lines {
    fn octets(&mut self, frame: &[u8], _: u32) {
        self.1.push(frame.len());
    }
    fn sent(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment, cause: Option<TransmitCause>) {
        let (at, seq) = (now.as_ns(), segment.seq);
        self.0.push(format!(
            "{at} {host:?} sent {} seq {seq} {}",
            id.0,
            cause.map_or("-", TransmitCause::name)
        ));
    }
    fn arrived(&mut self, now: Time, host: Host, id: PacketId, _: &Segment) {
        self.0.push(format!("{} {host:?} got {}", now.as_ns(), id.0));
    }
    fn fate(&mut self, fate: &Fate) {
        let copy = fate
            .duplicate_of
            .map_or(String::new(), |id| format!(" copy of {}", id.0));
        let end = match fate.outcome {
            Outcome::Delivered { .. } if fate.corrupted => "corrupted",
            Outcome::Delivered { .. } => "delivered",
            Outcome::Dropped { .. } => "dropped",
        };
        self.0.push(format!("fate {}{copy} {end}", fate.id.0));
    }
    fn link(&mut self, now: Time, _: &LinkEvent) {
        self.0.push(format!("{} link", now.as_ns()));
    }
    fn sender(&mut self, now: Time, _: Host, _: &SenderEvent) {
        self.0.push(format!("{} sender", now.as_ns()));
    }
    fn packet_sent(&mut self, now: Time, host: Host, id: PacketId) {
        self.0.push(format!("{} {host:?} sent {}", now.as_ns(), id.0));
    }
    fn packet_arrived(&mut self, now: Time, host: Host, id: PacketId) {
        self.0.push(format!("{} {host:?} got {}", now.as_ns(), id.0));
    }
    fn said(&mut self, now: Time, host: Host, said: &Said) {
        let what = match said {
            Said::PacketSent(packet) => format!("packet {}", packet.number),
            Said::SpuriousLoss => "spurious loss".to_owned(),
            other => unreachable!("{other:?} is not in these tests"),
        };
        self.0.push(format!("{} {host:?} says {what}", now.as_ns()));
    }
    fn closed(&mut self, now: Time, host: Host, error: Option<&str>) {
        self.0.push(format!("{} {host:?} closed {error:?}", now.as_ns()));
    }
}

struct Scene {
    pieces: Pieces,
    encoders: [Encoder; 2],
}

impl Scene {
    fn new() -> Self {
        let encoder = |host: Host| Encoder::new(address_of(host), address_of(host.peer()));
        Self {
            pieces: Pieces {
                captures: Host::ALL.map(|host| Capture::of_segments(host, Network::Ipv4, 2)),
                link: LinkLog::default(),
                connections: vec![ConnectionPieces::of_programs(), ConnectionPieces::of_programs()],
            },
            encoders: [encoder(Host::Server), encoder(Host::Client)],
        }
    }

    /// The server sends a segment; the link calls it `id`.
    fn sends(&mut self, at: u64, id: u64, seq: u32, cause: TransmitCause) -> Vec<u8> {
        let segment = Segment {
            seq: SeqNumber(seq),
            flags: Flags::ACK,
            payload_len: 100,
            ..Segment::default()
        };
        let mut frame = Vec::new();
        let ip_id = self.encoders[0].take_id();
        self.encoders[0]
            .encode(ip_id, &segment, Payload::Stream(0), 10_000, &mut frame)
            .expect("a small segment");
        self.pieces.captures[0].push(Time::from_ns(at), Crossing::Outbound, 154, &frame);
        let look = fingerprint(&frame[ETHERNET_LEN..]);
        self.pieces.link.entered.push(Entered {
            id: PacketId(id),
            direction: Direction::Down,
            fingerprint: look,
            at: Time::from_ns(at),
        });
        // It decided a little before the capture saw it, by a clock that is a little ahead.
        self.pieces.connections[0].reasons[0].push(Reason {
            at: Time::from_ns(at + 1),
            fingerprint: look,
            cause,
        });
        frame
    }

    fn ends(&mut self, id: u64, outcome: Outcome) -> &mut Fate {
        let fate = Fate::plain(PacketId(id), Direction::Down, Bytes::new(140), Time::ZERO, outcome);
        self.pieces.link.fates.push(fate);
        self.pieces.link.fates.last_mut().expect("it was pushed")
    }

    fn delivered(&mut self, id: u64, at: u64) -> &mut Fate {
        self.ends(id, Outcome::Delivered { at: Time::from_ns(at) })
    }

    fn arrives(&mut self, at: u64, frame: &[u8]) {
        self.pieces.captures[1].push(Time::from_ns(at), Crossing::Inbound, 154, frame);
    }

    fn reported(&self) -> Vec<String> {
        let mut lines = Lines::default();
        tell(&self.pieces, slice::from_mut(&mut lines));
        assert!(lines.1.iter().all(|&len| len == 154), "octets are whole frames");
        lines.0
    }
}

#[test]
fn packets_are_numbered_anew_in_the_order_of_telling() {
    let mut scene = Scene::new();
    let first = scene.sends(100, 7, 1, TransmitCause::NewData);
    scene.sends(200, 9, 101, TransmitCause::NewData);
    scene.delivered(7, 300);
    // The copy of the first.
    scene.delivered(8, 310).duplicate_of = Some(PacketId(7));
    scene.ends(
        9,
        Outcome::Dropped {
            at: Time::from_ns(250),
            by: DropCause::RandomLoss,
        },
    );
    scene.arrives(305, &first);
    scene.arrives(316, &first);
    scene.pieces.connections[0]
        .sender
        .push((Time::from_ns(150), SenderEvent::RttSample { rtt: Span::ZERO }));
    assert_eq!(
        scene.reported(),
        [
            "101 Server sent 0 seq 1 new-data",
            "150 sender",
            "201 Server sent 1 seq 101 new-data",
            "fate 1 dropped",
            "fate 0 delivered",
            "305 Client got 0",
            "fate 2 copy of 0 delivered",
            "316 Client got 2",
        ]
    );
}

#[test]
fn each_connection_is_told_to_the_observer_of_its_place() {
    let mut scene = Scene::new();
    let first = scene.sends(100, 0, 1, TransmitCause::NewData);
    scene.delivered(0, 300);
    scene.arrives(301, &first);
    let mut encoder = Encoder::between(&addresses_on(Network::Ipv4, 1, Host::Server));
    let segment = Segment {
        seq: SeqNumber(1),
        flags: Flags::ACK,
        payload_len: 100,
        ..Segment::default()
    };
    let mut other = Vec::new();
    let id = encoder.take_id();
    encoder
        .encode(id, &segment, Payload::Stream(0), 10_000, &mut other)
        .expect("a small segment");
    scene.pieces.captures[0].push(Time::from_ns(200), Crossing::Outbound, 154, &other);
    scene.pieces.link.entered.push(Entered {
        id: PacketId(1),
        direction: Direction::Down,
        fingerprint: fingerprint(&other[ETHERNET_LEN..]),
        at: Time::from_ns(200),
    });
    scene.delivered(1, 400);
    scene.arrives(401, &other);
    scene.pieces.connections[1].elapsed = Some(Time::from_ns(400));
    let change = LinkEvent::HoldEnded {
        direction: Direction::Down,
        name: "pause".to_owned(),
    };
    scene.pieces.link.events.push((Time::from_ns(250), change));
    let mut observers = [Lines::default(), Lines::default()];
    let findings = tell(&scene.pieces, &mut observers);
    assert_eq!((findings.unmatched, findings.packets), (0, 2));
    let [shown, beside] = observers.map(|lines| lines.0);
    assert_eq!(
        shown,
        [
            "101 Server sent 0 seq 1 new-data",
            "250 link",
            "fate 0 delivered",
            "301 Client got 0"
        ]
    );
    // What comes once its time is up is not told.
    assert_eq!(beside, ["200 Server sent 0 seq 1 -", "250 link"]);
}

#[test]
fn the_same_segment_again_is_another_packet() {
    let mut scene = Scene::new();
    scene.sends(100, 0, 1, TransmitCause::NewData);
    let again = scene.sends(200, 1, 1, TransmitCause::Timeout);
    scene.ends(
        0,
        Outcome::Dropped {
            at: Time::from_ns(110),
            by: DropCause::Outage,
        },
    );
    scene.delivered(1, 300);
    scene.arrives(301, &again);
    assert_eq!(
        scene.reported(),
        [
            "101 Server sent 0 seq 1 new-data",
            "fate 0 dropped",
            "201 Server sent 1 seq 1 timeout",
            "fate 1 delivered",
            "301 Client got 1",
        ]
    );
}

#[test]
fn a_corrupted_packet_is_known_by_its_place_if_not_by_its_look() {
    let mut scene = Scene::new();
    let mut frame = scene.sends(100, 0, 1, TransmitCause::NewData);
    scene.delivered(0, 200).corrupted = true;
    frame[ETHERNET_LEN + 20 + 5] ^= 1;
    scene.arrives(201, &frame);
    assert_eq!(
        scene.reported(),
        ["101 Server sent 0 seq 1 new-data", "fate 0 corrupted"]
    );
    let mut lines = Lines::default();
    let findings = tell(&scene.pieces, slice::from_mut(&mut lines));
    assert_eq!((findings.unmatched, findings.corrupted_arrivals), (0, 1));
}

#[test]
fn what_cannot_be_followed_is_counted() {
    let mut scene = Scene::new();
    let frame = scene.sends(100, 0, 1, TransmitCause::NewData);
    // The link never saw it, and yet it arrives.
    scene.pieces.link.entered.clear();
    scene.arrives(201, &frame);
    assert_eq!(scene.reported(), ["101 Server sent 0 seq 1 new-data"]);
    let findings = tell(&scene.pieces, &mut [Lines::default()]);
    assert_eq!((findings.unmatched, findings.packets), (2, 1));
}

#[test]
fn nothing_arrives_before_it_was_sent() {
    let mut scene = Scene::new();
    let frame = scene.sends(500, 0, 1, TransmitCause::NewData);
    scene.delivered(0, 480);
    scene.arrives(490, &frame);
    assert_eq!(
        scene.reported(),
        [
            "501 Server sent 0 seq 1 new-data",
            "fate 0 delivered",
            "501 Client got 0"
        ]
    );
}

#[test]
fn a_link_that_tells_no_fates_is_read_from_the_captures() {
    let mut scene = Scene::new();
    let first = scene.sends(100, 0, 1, TransmitCause::NewData);
    scene.sends(200, 1, 101, TransmitCause::NewData);
    scene.arrives(305, &first);
    scene.arrives(316, &first);
    scene.pieces.link = LinkLog::of_captures(&scene.pieces.captures, [DropCause::QueueEarly, DropCause::Unknown]);
    assert_eq!(
        scene.reported(),
        [
            "101 Server sent 0 seq 1 new-data",
            "201 Server sent 1 seq 101 new-data",
            "fate 1 dropped",
            "fate 0 delivered",
            "305 Client got 0",
            "fate 2 copy of 0 delivered",
            "316 Client got 2",
        ]
    );
    let findings = tell(&scene.pieces, &mut [Lines::default()]);
    assert_eq!(findings.unmatched, 0);
    let lost = scene.pieces.link.fates.iter().find(|fate| fate.id == PacketId(1));
    let lost = lost.expect("it was sent").outcome;
    let at = Time::from_ns(200);
    let by = DropCause::QueueEarly;
    assert_eq!(lost, Outcome::Dropped { at, by });
}

#[test]
fn an_answer_in_the_same_instant_comes_after_what_it_answers() {
    let mut scene = Scene::new();
    let question = scene.sends(100, 0, 1, TransmitCause::NewData);
    scene.delivered(0, 200);
    scene.arrives(200, &question);
    let segment = Segment {
        seq: SeqNumber(1),
        flags: Flags::ACK,
        ..Segment::default()
    };
    let mut answer = Vec::new();
    let ip_id = scene.encoders[1].take_id();
    scene.encoders[1]
        .encode(ip_id, &segment, Payload::Stream(0), 10_000, &mut answer)
        .expect("a small segment");
    scene.pieces.captures[1].push(Time::from_ns(200), Crossing::Outbound, 54, &answer);
    scene.pieces.link.entered.push(Entered {
        id: PacketId(1),
        direction: Direction::Up,
        fingerprint: fingerprint(&answer[ETHERNET_LEN..]),
        at: Time::from_ns(200),
    });
    let mut lines = Lines::default();
    tell(&scene.pieces, slice::from_mut(&mut lines));
    let lines = lines.0;
    let place = |what: &str| lines.iter().position(|line| line.contains(what)).expect(what);
    assert!(place("200 Client got 0") < place("200 Client sent 1"), "{lines:#?}");
}

#[test]
fn what_left_without_a_mark_and_arrived_with_one_was_marked() {
    let mut scene = Scene::new();
    let marked = [Ecn::Ect0, Ecn::Ect0].map(|codepoint| {
        let mut frame = scene.sends(100, 0, 1, TransmitCause::NewData);
        frame[ETHERNET_LEN + 1] = codepoint.bits();
        frame
    });
    let mut captures = [Host::Server, Host::Client].map(|host| Capture::of_segments(host, Network::Ipv4, 1));
    for (at, frame) in [100, 200].into_iter().zip(&marked) {
        captures[0].push(Time::from_ns(at), Crossing::Outbound, 154, frame);
    }
    for (frame, codepoint) in marked.into_iter().zip([Ecn::Ect0, Ecn::Ce]) {
        let mut frame = frame;
        frame[ETHERNET_LEN + 1] = codepoint.bits();
        captures[1].push(Time::from_ns(300), Crossing::Inbound, 154, &frame);
    }
    let log = LinkLog::of_captures(&captures, [DropCause::Unknown; 2]);
    let marks: Vec<(u64, bool)> = log.fates.iter().map(|fate| (fate.id.0, fate.marked)).collect();
    assert_eq!(marks, [(0, false), (1, true)]);
}

#[test]
fn over_ipv6_a_retransmission_is_known_by_its_delay_and_a_mark_by_the_traffic_class() {
    let encoder = Encoder::between(&addresses_on(Network::Ipv6, 0, Host::Server));
    let frame = |seq| {
        let segment = Segment {
            seq: SeqNumber(seq),
            flags: Flags::ACK,
            ecn: Ecn::Ect0,
            payload_len: 100,
            ..Segment::default()
        };
        let mut frame = Vec::new();
        encoder
            .encode(1, &segment, Payload::Stream(0), 10_000, &mut frame)
            .expect("a small segment");
        frame
    };
    let (segment, other) = (frame(1), frame(101));
    let mut marked = segment.clone();
    marked[ETHERNET_LEN + 1] |= Ecn::Ce.bits() << 4;
    let mut captures = Host::ALL.map(|host| Capture::of_segments(host, Network::Ipv6, 1));
    for (at, frame) in [(100, &segment), (110, &other), (1_100, &segment)] {
        captures[0].push(Time::from_ns(at), Crossing::Outbound, 174, frame);
    }
    for (at, frame) in [(190, &other), (1_180, &marked)] {
        captures[1].push(Time::from_ns(at), Crossing::Inbound, 174, frame);
    }
    assert_eq!(captures.each_ref().map(|capture| capture.foreign), [0, 0]);
    let log = LinkLog::of_captures(&captures, [DropCause::Unknown; 2]);
    let fates = log.fates.iter().map(|fate| match fate.outcome {
        Outcome::Delivered { .. } => (fate.id.0, "delivered", fate.marked),
        Outcome::Dropped { .. } => (fate.id.0, "dropped", fate.marked),
    });
    assert_eq!(
        fates.collect::<Vec<_>>(),
        [(1, "delivered", false), (2, "delivered", true), (0, "dropped", false)]
    );
    assert_eq!(log.fates[0].size, Bytes::new(160));
    // Over IPv4 these are nobody's.
    let mut other_network = Capture::of_segments(Host::Server, Network::Ipv4, 1);
    other_network.push(Time::from_ns(100), Crossing::Outbound, 174, &segment);
    assert_eq!((other_network.packets.len(), other_network.foreign), (0, 1));
}

/// A server of a transport from elsewhere, which told this, with datagrams of these lengths in its capture, at these times.
fn of_datagrams(told: &[(u64, What)], captured: &[(u64, usize)]) -> Vec<String> {
    let (server, client) = (address_of(Host::Server), address_of(Host::Client));
    let mut scene = Scene::new();
    scene.pieces.captures = [
        Capture::of_datagrams(Host::Server, Network::Ipv4),
        Capture::of_datagrams(Host::Client, Network::Ipv4),
    ];
    scene.pieces.connections[0].told[0] = told
        .iter()
        .map(|(at, what)| Told {
            at: Time::from_ns(*at),
            what: what.clone(),
        })
        .collect();
    let mut encoder = DatagramEncoder::new(server, client);
    for (id, &(at, octets)) in (0..).zip(captured) {
        let mut frame = Vec::new();
        let ip_id = encoder.take_id();
        encoder.encode(ip_id, Ecn::NotEct, &vec![0; octets], &mut frame);
        let len = u32::try_from(frame.len()).expect("a small frame");
        scene.pieces.captures[0].push(Time::from_ns(at), Crossing::Outbound, len, &frame);
        scene.pieces.captures[1].push(Time::from_ns(at + 100), Crossing::Inbound, len, &frame);
        scene.pieces.link.entered.push(Entered {
            id: PacketId(id),
            direction: Direction::Down,
            fingerprint: fingerprint(&frame[ETHERNET_LEN..]),
            at: Time::from_ns(at),
        });
        scene.delivered(id, at + 99);
    }
    let mut lines = Lines::default();
    tell(&scene.pieces, slice::from_mut(&mut lines));
    lines.0
}

fn says_sent(number: u64) -> What {
    What::Said(Said::PacketSent(PacketSent {
        space: Space::Data,
        number,
        length: None,
        frames: Vec::new(),
    }))
}

#[test]
fn what_a_transport_says_stands_around_its_datagrams_in_its_order() {
    let told = [
        (90, says_sent(0)),
        (91, says_sent(1)),
        (92, What::Sent { octets: 30 }),
        // By the clock before the capture saw the datagram.
        (93, What::Said(Said::SpuriousLoss)),
        (94, says_sent(2)),
        (95, What::Sent { octets: 40 }),
        (500, What::Closed { error: None }),
        // It was never sent.
        (501, says_sent(3)),
    ];
    assert_eq!(
        of_datagrams(&told, &[(100, 30), (101, 40)]),
        [
            "100 Server says packet 0",
            "100 Server says packet 1",
            "100 Server sent 0",
            "100 Server says spurious loss",
            "101 Server says packet 2",
            "101 Server sent 1",
            "fate 0 delivered",
            "200 Client got 0",
            "fate 1 delivered",
            "201 Client got 1",
            "500 Server closed None",
        ]
    );
}

#[test]
fn of_a_datagram_that_never_left_nothing_is_told() {
    let told = [
        (90, says_sent(0)),
        (91, What::Sent { octets: 30 }),
        (92, says_sent(1)),
        (93, What::Sent { octets: 40 }),
    ];
    assert_eq!(
        of_datagrams(&told, &[(101, 40)]),
        [
            "101 Server says packet 1",
            "101 Server sent 0",
            "fate 0 delivered",
            "201 Client got 0"
        ]
    );
}
