//! What is written can be read again.

use proptest::prelude::*;
use windlull_capture::{
    CaptureWriter, Comment, Crossing, Event, EventWriter, FateWriter, Observer, PacketRecord, PcapngWriter, Provenance,
    RUN_START_NS, Sinks, Snaplen, address_in, read_events, read_pcap,
};
use windlull_fates::read_fates;
use windlull_units::{
    BitRate, Bytes, Direction, DropCause, Ecn, Fate, Host, LinkEvent, Network, Outcome, PacketId, Seed, Span, Time,
};
use windlull_wire::packet::{Checksum, LinkType, decode};
use windlull_wire::{
    DetectorAnswer, Flags, Options, Phase, Segment, SenderEvent, SenderState, SeqNumber, Timestamps, TransmitCause,
};

fn provenance() -> Provenance {
    Provenance {
        version: "0.1.0".into(),
        commit: "abc".into(),
        testbed: "sim".to_owned(),
        kernel: None,
        experiment: "papers/sarolahti2003/table-1".into(),
        variant: "frto+sack".into(),
        link: "gprs".into(),
        repetition: 1,
        seed: Seed::new(u64::MAX),
    }
}

fn sinks() -> Sinks<Vec<u8>> {
    Sinks {
        server: Vec::new(),
        client: Vec::new(),
        fates: Vec::new(),
        events: Vec::new(),
        qlogs: None,
    }
}

/// Time in nanoseconds, number, comment of each packet.
type Commented = Vec<(u64, u64, Option<String>)>;

fn commented(file: &[u8]) -> Commented {
    let mut reader = read_pcap(file).expect("our own file");
    let mut packets = Vec::new();
    while let Some(packet) = reader.next_packet().expect("our own file") {
        let at = packet.at_ns.expect("we stamp every packet") - RUN_START_NS;
        let id = packet.packet_id.expect("we number every packet");
        packets.push((at, id, packet.comment.map(str::to_owned)));
    }
    packets
}

fn data(seq: u32) -> Segment {
    Segment {
        seq: SeqNumber(seq),
        flags: Flags::ACK,
        payload_len: 256,
        options: Options {
            timestamps: Some(Timestamps { value: seq, echo: 1 }),
            ..Options::default()
        },
        ..Segment::default()
    }
}

fn delivered(id: u64, at: Time) -> Fate {
    let outcome = Outcome::Delivered { at };
    Fate {
        started: Some(Time::ZERO),
        sent: Some(at),
        ..Fate::plain(PacketId(id), Direction::Down, Bytes::new(308), Time::ZERO, outcome)
    }
}

#[test]
fn packets_wait_for_the_verdict_before_them_and_keep_their_order() {
    let mut writer = CaptureWriter::new(sinks(), &provenance(), Snaplen::Full);
    for id in 0..5 {
        if id == 1 || id == 3 {
            writer.expect_verdict(PacketId(id));
        }
        writer.sent(Time::from_ns(id), Host::Server, PacketId(id), &data(0), None);
    }
    writer.verdict(PacketId(3), "the second");
    for id in 0..4 {
        writer.fate(&delivered(id, Time::from_ns(10 + id)));
        writer.arrived(Time::from_ns(10 + id), Host::Client, PacketId(id), &data(0));
    }
    writer.verdict(PacketId(1), "the first");
    let files = writer.finish().expect("memory");
    let comments = |from: u64, to: u64, at: u64| -> Commented {
        let text = |id| match id {
            1 => Some("the first".to_owned()),
            3 => Some("the second".to_owned()),
            _ => None,
        };
        (from..to).map(|id| (at + id, id, text(id))).collect()
    };
    assert_eq!(commented(&files.server), comments(0, 5, 0));
    assert_eq!(commented(&files.client), comments(0, 4, 10));
}

#[test]
fn no_verdict_is_no_comment_and_a_lost_retransmission_waits_for_nobody() {
    let mut writer = CaptureWriter::new(sinks(), &provenance(), Snaplen::Full);
    for id in 0..2 {
        writer.expect_verdict(PacketId(id));
        writer.sent(Time::ZERO, Host::Server, PacketId(id), &data(0), None);
    }
    writer.fate(&Fate {
        outcome: Outcome::Dropped {
            at: Time::ZERO,
            by: DropCause::Outage,
        },
        ..delivered(0, Time::ZERO)
    });
    writer.verdict(PacketId(0), "lost");
    writer.no_verdict(PacketId(1));
    let files = writer.finish().expect("memory");
    assert_eq!(
        commented(&files.server),
        [(0, 0, Some("lost".to_owned())), (0, 1, None)]
    );
    assert_eq!(commented(&files.client), []);
}

#[test]
fn both_ends_see_the_same_packet() {
    let mut writer = CaptureWriter::new(sinks(), &provenance(), Snaplen::Full);
    let syn = Segment {
        seq: SeqNumber(u32::MAX - 100),
        flags: Flags::SYN,
        ..Segment::default()
    };
    writer.sent(Time::ZERO, Host::Server, PacketId(0), &syn, None);
    let segment = data(u32::MAX - 99);
    writer.sent(Time::ZERO, Host::Server, PacketId(1), &segment, None);
    writer.fate(&delivered(1, Time::from_ns(5)));
    writer.arrived(Time::from_ns(5), Host::Client, PacketId(1), &segment);
    // A copy that the link made has a number of its own and is the same packet.
    let copy = Fate {
        duplicate_of: Some(PacketId(1)),
        ..delivered(2, Time::from_ns(6))
    };
    writer.fate(&copy);
    writer.arrived(Time::from_ns(6), Host::Client, PacketId(2), &segment);
    let files = writer.finish().expect("memory");
    let frames = |file: &[u8]| {
        let mut reader = read_pcap(file).expect("ours");
        let mut frames = Vec::new();
        while let Some(packet) = reader.next_packet().expect("ours") {
            frames.push((packet.way, packet.octets.to_vec()));
        }
        frames
    };
    let (server, client) = (frames(&files.server), frames(&files.client));
    assert_eq!(server[1].0, Some(Crossing::Outbound));
    assert_eq!(client[0].0, Some(Crossing::Inbound));
    assert_eq!(server[1].1, client[0].1);
    assert_eq!(client[0].1, client[1].1);
    let packet = decode(LinkType::Ethernet, &client[0].1, client[0].1.len()).expect("ours");
    assert_eq!(packet.checksum, Checksum::Right);
    assert_eq!(packet.segment, segment);
    let mut content = Vec::new();
    windlull_wire::content::Content::shared().copy_to(0, 256, &mut content);
    assert_eq!(client[0].1[packet.payload], content[..], "the stream begins behind SYN");
}

#[test]
fn a_packet_that_was_marked_on_the_way_arrives_marked_with_right_checksums() {
    let mut writer = CaptureWriter::new(sinks(), &provenance(), Snaplen::Full);
    let sent = Segment {
        ecn: Ecn::Ect0,
        ..data(1)
    };
    let marked = Segment { ecn: Ecn::Ce, ..sent };
    writer.sent(Time::ZERO, Host::Server, PacketId(0), &sent, None);
    writer.fate(&delivered(0, Time::from_ns(5)));
    writer.arrived(Time::from_ns(5), Host::Client, PacketId(0), &marked);
    let files = writer.finish().expect("memory");
    for (file, expected) in [(files.server, sent), (files.client, marked)] {
        let mut reader = read_pcap(&file[..]).expect("ours");
        let packet = reader.next_packet().expect("ours").expect("a packet");
        let read = decode(LinkType::Ethernet, packet.octets, packet.octets.len()).expect("ours");
        assert_eq!(read.segment, expected);
        assert_eq!(read.checksum, Checksum::Right);
    }
}

#[test]
fn a_corrupted_packet_arrives_with_a_wrong_checksum_and_says_so() {
    for payload_len in [256, 0] {
        let mut writer = CaptureWriter::new(sinks(), &provenance(), Snaplen::Full);
        let segment = Segment { payload_len, ..data(1) };
        writer.sent(Time::ZERO, Host::Server, PacketId(0), &segment, None);
        let fate = Fate {
            corrupted: true,
            ..delivered(0, Time::from_ns(9))
        };
        writer.fate(&fate);
        let files = writer.finish().expect("memory");
        let mut reader = read_pcap(files.client.as_slice()).expect("ours");
        let packet = reader.next_packet().expect("ours").expect("one packet");
        assert_eq!(packet.at_ns, Some(RUN_START_NS + 9));
        assert!(
            packet
                .comment
                .is_some_and(|comment| comment.contains("corrupted by the link"))
        );
        let decoded = decode(LinkType::Ethernet, packet.octets, packet.octets.len()).expect("headers read well");
        assert_eq!(decoded.segment, segment);
        assert_eq!(decoded.checksum, Checksum::Wrong);
    }
}

#[test]
fn a_snaplen_cuts_packets_and_not_their_lengths() {
    let mut writer = CaptureWriter::new(sinks(), &provenance(), Snaplen::Octets(96));
    writer.sent(Time::ZERO, Host::Server, PacketId(0), &data(1), None);
    let files = writer.finish().expect("memory");
    let mut reader = read_pcap(files.server.as_slice()).expect("ours");
    let packet = reader.next_packet().expect("ours").expect("one packet");
    assert_eq!((packet.octets.len(), packet.original_len), (96, 14 + 20 + 32 + 256));
}

#[test]
fn by_default_every_header_is_whole_and_no_payload_is_kept() {
    let mut writer = CaptureWriter::new(sinks(), &provenance(), Snaplen::default());
    let segment = data(1);
    writer.sent(Time::ZERO, Host::Server, PacketId(0), &segment, None);
    let files = writer.finish().expect("memory");
    let mut reader = read_pcap(files.server.as_slice()).expect("ours");
    let packet = reader.next_packet().expect("ours").expect("one packet");
    assert_eq!(
        (packet.octets.len(), packet.original_len),
        (14 + 20 + 32, 14 + 20 + 32 + 256)
    );
    let read = decode(LinkType::Ethernet, packet.octets, packet.original_len as usize).expect("whole headers");
    assert_eq!((read.segment, read.checksum), (segment, Checksum::Unknown));
}

#[test]
fn the_queue_of_waiting_packets_is_bounded() {
    let mut writer = PcapngWriter::new(Vec::new(), &provenance(), "server", 0);
    for id in 0..40 {
        let comment = if id == 0 { Comment::Awaited } else { Comment::Absent };
        let record = PacketRecord {
            at: Time::from_ns(id),
            way: Crossing::Outbound,
            id: PacketId(id),
            comment,
        };
        writer.packet(&record, |out| {
            out.resize(out.len() + (1 << 20), 0);
            Ok(1 << 20)
        });
    }
    let file = writer.finish().expect("memory");
    let packets = commented(&file);
    assert_eq!(packets.len(), 40);
    assert!(
        packets[0]
            .2
            .as_deref()
            .is_some_and(|comment| comment.contains("verdict not known"))
    );
}

#[test]
fn the_first_error_is_told_at_the_end() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::from(std::io::ErrorKind::StorageFull))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let sinks = Sinks {
        server: Full,
        client: Full,
        fates: Full,
        events: Full,
        qlogs: None,
    };
    let mut writer = CaptureWriter::new(sinks, &provenance(), Snaplen::Full);
    for id in 0..1000 {
        writer.sent(
            Time::ZERO,
            Host::Server,
            PacketId(id),
            &data(0),
            Some(TransmitCause::NewData),
        );
    }
    assert!(writer.error().is_some());
    let error = writer.finish().err().expect("the disk is full");
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
}

#[test]
fn a_segment_that_cannot_be_encoded_is_an_error() {
    let mut writer = CaptureWriter::new(sinks(), &provenance(), Snaplen::Full);
    let segment = Segment {
        payload_len: 70_000,
        ..data(0)
    };
    writer.sent(Time::ZERO, Host::Server, PacketId(0), &segment, None);
    let error = writer.finish().expect_err("too long");
    assert!(error.to_string().contains("65535"), "{error}");
}

fn cause() -> impl Strategy<Value = DropCause> {
    proptest::sample::select(DropCause::ALL.to_vec())
}

prop_compose! {
    fn any_fate()(
        id: u64, down: bool, size: u32, entered: u64, started: Option<u64>, sent: Option<u64>, held: u64,
        queue_packets: u32, marks: (bool, bool, bool), duplicate_of: Option<u64>, at: u64,
        by in proptest::option::of(cause()),
    ) -> Fate {
        let at = Time::from_ns(at);
        Fate {
            id: PacketId(id),
            direction: if down { Direction::Down } else { Direction::Up },
            size: Bytes::new(u64::from(size)),
            entered: Time::from_ns(entered),
            started: started.map(Time::from_ns),
            sent: sent.map(Time::from_ns),
            held: Span::from_ns(held),
            queue_packets,
            corrupted: marks.0,
            reordered: marks.1,
            marked: marks.2,
            duplicate_of: duplicate_of.map(PacketId),
            outcome: by.map_or(Outcome::Delivered { at }, |by| Outcome::Dropped { at, by }),
        }
    }
}

fn sender_event() -> impl Strategy<Value = SenderEvent> {
    let phases = vec![
        Phase::SlowStart,
        Phase::CongestionAvoidance,
        Phase::FastRecovery,
        Phase::Detecting,
    ];
    let state = (
        any::<[u64; 3]>(),
        any::<[Option<u64>; 5]>(),
        any::<u32>(),
        proptest::sample::select(phases),
    );
    let answers = vec![
        DetectorAnswer::Spurious,
        DetectorAnswer::Genuine,
        DetectorAnswer::Undecided,
    ];
    prop_oneof![
        state.prop_map(|(numbers, known, backoff, phase)| SenderEvent::State(SenderState {
            cwnd_bytes: numbers[0],
            ssthresh_bytes: known[0],
            flight_bytes: numbers[1],
            srtt: known[1].map(Span::from_ns),
            rttvar: known[2].map(Span::from_ns),
            rto: Span::from_ns(numbers[2]),
            estimated_rto: known[3].map(Span::from_ns),
            minimum_rto: known[4].map(Span::from_ns),
            backoff,
            phase,
        })),
        any::<u64>().prop_map(|rtt| SenderEvent::RttSample {
            rtt: Span::from_ns(rtt)
        }),
        (any::<(u32, u64, u64, u64)>(), proptest::option::of(".*")).prop_map(|((ordinal, una, max, rto), rule)| {
            SenderEvent::Timeout {
                ordinal,
                una,
                max,
                rto: Span::from_ns(rto),
                backoff: ordinal,
                rule: rule.map(Into::into),
            }
        }),
        (
            any::<u32>(),
            ".*",
            proptest::option::of(proptest::sample::select(answers))
        )
            .prop_map(|(ordinal, rule, answer)| SenderEvent::Detector {
                ordinal,
                rule: rule.into(),
                answer
            }),
    ]
}

fn link_event() -> impl Strategy<Value = LinkEvent> {
    let direction = Direction::Up;
    prop_oneof![
        (".*", any::<u64>()).prop_map(move |(name, until)| LinkEvent::HoldBegan {
            direction,
            name,
            until: Time::from_ns(until),
        }),
        ".*".prop_map(move |name| LinkEvent::OutageEnded { direction, name }),
        any::<u64>().prop_map(move |bps| LinkEvent::Rate {
            direction,
            rate: BitRate::from_bps(bps)
        }),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        link_event().prop_map(Event::Link),
        (any::<bool>(), sender_event())
            .prop_map(|(server, event)| { Event::Sender(if server { Host::Server } else { Host::Client }, event) }),
    ]
}

proptest! {
    #[test]
    fn fates_survive_the_file(fates in proptest::collection::vec(any_fate(), 0..20)) {
        let mut writer = FateWriter::new(Vec::new());
        for fate in &fates {
            writer.write(fate);
        }
        let file = writer.finish().expect("memory");
        let read: Result<Vec<Fate>, _> = read_fates(file.as_slice()).collect();
        prop_assert_eq!(read.expect("our own file"), fates);
    }

    #[test]
    fn events_survive_the_file(events in proptest::collection::vec((any::<u64>(), event()), 0..20)) {
        let mut writer = EventWriter::new(Vec::new());
        for (at, event) in &events {
            match event {
                Event::Link(event) => writer.link(Time::from_ns(*at), event),
                Event::Sender(host, event) => writer.sender(Time::from_ns(*at), *host, event),
            }
        }
        let file = writer.finish().expect("memory");
        let read: Result<Vec<_>, _> = read_events(file.as_slice()).collect();
        let expected: Vec<_> = events.into_iter().map(|(at, event)| (Time::from_ns(at), event)).collect();
        prop_assert_eq!(read.expect("our own file"), expected);
    }

    #[test]
    fn packets_survive_the_file_in_any_order_of_verdicts(
        awaited in proptest::collection::vec(any::<bool>(), 1..40), order: u64, text in ".{0,30}",
    ) {
        let mut writer = PcapngWriter::new(Vec::new(), &provenance(), "client", 0);
        for (id, &awaited) in awaited.iter().enumerate() {
            let comment = if awaited { Comment::Awaited } else { Comment::Text(&text) };
            let record = PacketRecord {
                at: Time::from_ns((1 << 60) - id as u64), way: Crossing::Inbound, id: PacketId(id as u64), comment,
            };
            writer.packet(&record, |out| {
                out.resize(out.len() + id, 7);
                Ok(1000)
            });
        }
        let mut ids: Vec<u64> = (0..awaited.len() as u64).filter(|&id| awaited[usize::try_from(id).expect("few")]).collect();
        ids.sort_by_key(|id| id.wrapping_mul(order | 1).rotate_left(13));
        for &id in &ids {
            writer.settle(PacketId(id), Some(&format!("verdict {id}")));
        }
        let packets = commented(&writer.finish().expect("memory"));
        let expected: Commented = (0..awaited.len()).map(|id| {
            let comment = if awaited[id] { format!("verdict {id}") } else { text.clone() };
            ((1 << 60) - id as u64, id as u64, Some(comment))
        }).collect();
        prop_assert_eq!(packets, expected);
    }
}

#[test]
fn a_frame_that_was_captured_is_written_as_it_was() {
    let mut writer = CaptureWriter::new(sinks(), &provenance(), Snaplen::Octets(60));
    let (now, id, segment) = (Time::from_ns(5), PacketId(0), data(1_000));
    let frame: Vec<u8> = (0..200_u8).collect();
    writer.octets(&frame, 322);
    writer.sent(now, Host::Server, id, &segment, None);
    let mut arrived = frame.clone();
    arrived[22] -= 1;
    writer.fate(&delivered(0, now));
    writer.octets(&arrived, 322);
    writer.arrived(now, Host::Client, id, &segment);
    // Nothing captured is left for the next one.
    writer.sent(now, Host::Server, PacketId(1), &segment, None);
    let files = writer.finish().expect("memory");
    for (file, frame) in [(&files.server, &frame), (&files.client, &arrived)] {
        let mut reader = read_pcap(file.as_slice()).expect("our own file");
        let packet = reader.next_packet().expect("our own file").expect("one packet");
        assert_eq!(packet.octets, &frame[..60]);
        assert_eq!(packet.original_len, 322);
    }
    let mut reader = read_pcap(files.server.as_slice()).expect("our own file");
    reader.next_packet().expect("our own file");
    let made = reader.next_packet().expect("our own file").expect("another packet");
    let made = decode(LinkType::Ethernet, made.octets, made.original_len as usize).expect("a segment of ours");
    assert_eq!(made.segment.seq, segment.seq);
}

#[test]
fn over_ipv6_headers_are_kept_whole_and_a_corrupted_packet_shows_it() {
    let mut writer = CaptureWriter::new(sinks(), &provenance(), Snaplen::Headers).over(Network::Ipv6);
    let segment = data(0);
    for id in 0..2 {
        writer.sent(Time::from_ns(id), Host::Server, PacketId(id), &segment, None);
    }
    writer.fate(&Fate {
        corrupted: true,
        ..delivered(0, Time::from_ns(10))
    });
    writer.fate(&delivered(1, Time::from_ns(11)));
    writer.arrived(Time::from_ns(11), Host::Client, PacketId(1), &segment);
    let files = writer.finish().expect("memory");
    let whole = 14 + segment.packet_len(Network::Ipv6);
    let mut found = Vec::new();
    for file in [&files.server, &files.client] {
        let mut reader = read_pcap(file.as_slice()).expect("ours");
        while let Some(packet) = reader.next_packet().expect("ours") {
            let decoded = decode(LinkType::Ethernet, packet.octets, packet.original_len as usize).expect("ours");
            assert_eq!(packet.original_len, whole);
            assert_eq!(decoded.segment, segment);
            assert_eq!(decoded.source, address_in(Network::Ipv6, Host::Server));
            found.push((packet.octets.len() as u32, decoded.checksum));
        }
    }
    let cut = (whole - segment.payload_len, Checksum::Unknown);
    assert_eq!(found, [cut, cut, (whole, Checksum::Wrong), cut]);
}
