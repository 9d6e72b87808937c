//! What is read back from captures is what was seen live; what cannot be known from them is said to be unknown.

use std::io::BufReader;

use crate::scene::recording::{Written, in_memory, provenance};
use crate::scene::{MSS, Scene};
use windlull_analysis::{
    AnalyzeError, Analyzer, CaptureAnalysis, Ends, Evidence, Files, Recorder, Recording, Selection, SeriesBuilder,
    Truth, analyze, connections, transits,
};
use windlull_capture::{CaptureWriter, PcapngWriter, Snaplen, address_in, address_of, addresses_from, read_pcap};
use windlull_units::{DropCause, Host, Network, Span};
use windlull_wire::packet::{Checksum, Encoder, LinkType, Payload, decode};
use windlull_wire::{DetectorAnswer, Segment, SenderEvent, Timestamps, TransmitCause};

fn recorder(data_sender: Host, snaplen: Snaplen) -> Recorder<Vec<u8>> {
    let capture = CaptureWriter::new(in_memory(), &provenance(), snaplen);
    Recorder::new(
        Analyzer::new(data_sender),
        Some(capture),
        Some(SeriesBuilder::new(data_sender, &provenance())),
    )
}

fn recorded(scene: Scene<Recorder<Vec<u8>>>) -> (Recording<()>, Written) {
    let Recording {
        analysis,
        series,
        capture,
    } = scene.observer.finish();
    let files = capture.expect("files were asked for").expect("memory does not fail");
    (
        Recording {
            analysis,
            series,
            capture: None,
        },
        files,
    )
}

/// Delays, losses of both kinds, a fast retransmit, a copy by the link, a corrupted packet.
fn eventful(sender_reports: bool, timestamps: bool, snaplen: Snaplen) -> (Recording<()>, Written) {
    let mut scene = Scene::new(recorder(Host::Server, snaplen));
    scene.timestamps = timestamps;
    scene.handshake();
    if sender_reports {
        scene.say(&SenderEvent::RttSample {
            rtt: Span::from_ms(100),
        });
    }
    scene.at(110);
    let originals: Vec<u64> = (0..10).map(|number| scene.data(number)).collect();
    scene.drop_by(originals[1], DropCause::QueueOverflow);
    for number in [0, 2, 3, 4] {
        scene.later(10).deliver(originals[number]);
        let blocks = if number == 0 {
            vec![]
        } else {
            vec![(2, number as u64 + 1)]
        };
        let ack = scene.ack(1, &blocks);
        scene.later(5).deliver(ack);
    }
    if sender_reports {
        scene.say(&SenderEvent::FastRetransmit {
            una: MSS,
            recovery_point: 10 * MSS,
        });
    }
    let again = scene.data_for(1, TransmitCause::FastRetransmit);
    scene.later(10).deliver(again);
    let lost = scene.ack(5, &[]);
    scene.drop_by(lost, DropCause::Outage);
    scene.corrupt(originals[9]);
    if sender_reports {
        scene.at(1500).timeout(1, 10);
    }
    let first = scene.at(1500).data_for(1, TransmitCause::Timeout);
    scene.at(2000);
    for &original in &originals[5..9] {
        scene.later(10).deliver(original);
    }
    scene.deliver_copy(originals[8]);
    let ack = scene.ack(9, &[]);
    scene.at(2100).deliver(ack);
    if sender_reports {
        scene.answer(1, Some(DetectorAnswer::Spurious));
    }
    let last = scene.data_for(9, TransmitCause::AfterTimeout);
    scene.at(2200).deliver(first);
    let duplicate = scene.ack(9, &[(1, 2)]);
    scene.at(2250).deliver(duplicate);
    scene.deliver(last);
    let ack = scene.ack(10, &[]);
    scene.at(2300).deliver(ack);
    scene.finish(10);
    recorded(scene)
}

fn analyze_both(first: &[u8], second: &[u8]) -> CaptureAnalysis {
    let (mut first, mut second) = (first, second);
    let files = Files {
        first: &mut first,
        second: Some(&mut second),
        fates: None,
        events: None,
    };
    analyze(files, Selection::MostData).expect("our own captures")
}

fn analyze_one(mut file: &[u8]) -> Result<CaptureAnalysis, AnalyzeError> {
    let files = Files {
        first: &mut file,
        second: None,
        fates: None,
        events: None,
    };
    analyze(files, Selection::MostData)
}

fn note(analysis: &CaptureAnalysis, part: &str) -> bool {
    analysis.analysis.notes.iter().any(|note| note.contains(part))
}

#[test]
fn both_captures_tell_the_same_as_the_run() {
    for timestamps in [false, true] {
        for snaplen in [Snaplen::Headers, Snaplen::Full, Snaplen::Octets(96)] {
            let (live, files) = eventful(true, timestamps, snaplen);
            let (mut client, mut server) = (files.client.as_slice(), files.server.as_slice());
            let (mut fates, mut events) = (files.fates.as_slice(), BufReader::new(files.events.as_slice()));
            let read = Files {
                first: &mut client,
                second: Some(&mut server),
                fates: Some(&mut fates),
                events: Some(&mut events),
            };
            let mut read = analyze(read, Selection::MostData).expect("our own captures").analysis;
            let mut expected = live.analysis.clone();
            read.notes.clear();
            expected.notes.clear();
            // What is sent in the very instant of a loss comes before it or after, as far as captures tell.
            for analysis in [&mut read, &mut expected] {
                for episode in analysis.episodes.iter_mut().flatten() {
                    episode.outstanding.max = 0;
                }
            }
            // The link's copies carry no number of their own in a capture.
            assert_eq!(read, expected);
            assert_eq!(expected.metrics.packets_lost, Some(2));
            assert_eq!(expected.metrics.congestion_losses, Some(1));
            assert_eq!(expected.metrics.retransmissions, 3);
            assert_eq!(expected.metrics.unnecessary_retransmissions, Some(1));
            assert_eq!(expected.metrics.spurious_timeouts, Some(1));
            assert_eq!(expected.metrics.detector_true_positives, Some(1));
            assert_eq!(expected.metrics.fast_retransmits, 1);
        }
    }
}

#[test]
fn without_events_and_fates_verdicts_are_the_same_and_causes_unknown() {
    let (live, files) = eventful(false, false, Snaplen::Full);
    let read = analyze_both(&files.server, &files.client);
    assert_eq!(read.analysis.retransmissions, live.analysis.retransmissions);
    assert_eq!(
        read.analysis.metrics.congestion_losses,
        Some(0),
        "nobody says why packets were lost"
    );
    assert_eq!(read.analysis.metrics.packets_lost, live.analysis.metrics.packets_lost);
    assert_eq!(read.analysis.metrics.elapsed_s, live.analysis.metrics.elapsed_s);
    assert_eq!(read.analysis.metrics.goodput_bps, live.analysis.metrics.goodput_bps);
    assert_eq!(read.analysis.timeouts, live.analysis.timeouts);
    assert!(read.analysis.timeouts[0].inferred);
    assert!(note(&read, "clocks of both captures"));
    assert!(note(&read, "1 packets arrived with wrong checksums"));
}

#[test]
fn the_senders_capture_alone_knows_no_verdict_but_infers() {
    for (timestamps, evidence) in [(false, Evidence::DSack), (true, Evidence::Timestamps)] {
        let (live, files) = eventful(false, timestamps, Snaplen::Full);
        let read = analyze_one(&files.server).expect("our own capture");
        let analysis = &read.analysis;
        assert_eq!(analysis.ends, Ends::Sender);
        assert_eq!(analysis.metrics.segments_sent, live.analysis.metrics.segments_sent);
        assert_eq!(analysis.metrics.retransmissions, live.analysis.metrics.retransmissions);
        assert_eq!(analysis.metrics.elapsed_s, live.analysis.metrics.elapsed_s);
        assert_eq!(analysis.metrics.packets_lost, None);
        assert_eq!(analysis.metrics.spurious_timeouts, None);
        let costs = analysis.episodes.iter().flatten().map(|episode| episode.cost);
        let costs: Vec<_> = costs.map(|cost| (cost.packets_lost, cost.octets_unnecessary)).collect();
        assert_eq!(costs, [(None, None)]);
        assert_eq!(analysis.metrics.goodput_bps, None);
        assert_eq!(analysis.timeouts.len(), 1);
        assert_eq!(analysis.timeouts[0].verdict, Truth::Unknown);
        assert_eq!(analysis.timeouts[0].evidence, Some(evidence));
        assert_eq!(
            (
                analysis.retransmissions.unknown,
                analysis.retransmissions.inferred_unnecessary
            ),
            (3, 1)
        );
        assert!(note(&read, "With the data sender's end alone"));
    }
}

#[test]
fn the_receivers_capture_alone_knows_what_arrived() {
    let (live, files) = eventful(false, false, Snaplen::Full);
    let read = analyze_one(&files.client).expect("our own capture");
    let analysis = &read.analysis;
    assert_eq!(analysis.ends, Ends::Receiver);
    // Of three retransmissions one arrived for the second time; and so did the copy that the link had made.
    assert_eq!(analysis.metrics.retransmissions, 2);
    assert_eq!(analysis.metrics.unnecessary_retransmissions, Some(2));
    assert_eq!(analysis.metrics.packets_lost, None);
    assert_eq!(analysis.timeouts, []);
    let (ours, theirs) = (analysis.metrics.throughput_bps, live.analysis.metrics.throughput_bps);
    assert!(ours.is_some() && theirs.is_some());
    assert!(note(&read, "Without the data sender's capture"));
    assert!(note(&read, "1 packets arrived with wrong checksums"));
}

#[test]
fn the_order_of_the_files_does_not_matter() {
    let (_, files) = eventful(false, true, Snaplen::Full);
    let one = analyze_both(&files.server, &files.client);
    let other = analyze_both(&files.client, &files.server);
    assert_eq!(one.analysis, other.analysis);
    let columns = |it: &CaptureAnalysis| serde_json::to_string(&it.series).expect("JSON");
    assert_eq!(columns(&one), columns(&other));
}

/// The same packets, with stamps moved, without the words by which our own captures tell their end.
fn rewritten(file: &[u8], later_ns: i64, keep: impl Fn(usize) -> bool) -> Vec<u8> {
    let mut out = vec![
        0x4D, 0x3C, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0,
    ];
    let mut reader = read_pcap(file).expect("ours");
    let mut number = 0;
    while let Some(packet) = reader.next_packet().expect("ours") {
        number += 1;
        if !keep(number - 1) {
            continue;
        }
        let at = packet
            .at_ns
            .expect("stamped")
            .checked_add_signed(later_ns)
            .expect("after 1970");
        for word in [
            at / 1_000_000_000,
            at % 1_000_000_000,
            packet.octets.len() as u64,
            u64::from(packet.original_len),
        ] {
            out.extend_from_slice(&u32::try_from(word).expect("small").to_le_bytes());
        }
        out.extend_from_slice(packet.octets);
    }
    out
}

#[test]
fn foreign_captures_tell_their_end_by_the_handshake() {
    let (live, files) = eventful(false, false, Snaplen::Full);
    let server = rewritten(&files.server, 1_700_000_000_000_000_000, |_| true);
    let client = rewritten(&files.client, 1_700_000_000_000_000_000, |_| true);
    assert_eq!(analyze_one(&server).expect("a pcap").analysis.ends, Ends::Sender);
    assert_eq!(analyze_one(&client).expect("a pcap").analysis.ends, Ends::Receiver);
    let read = analyze_both(&client, &server);
    assert_eq!(read.analysis.retransmissions, live.analysis.retransmissions);
    assert_eq!(read.analysis.metrics.elapsed_s, live.analysis.metrics.elapsed_s);
}

#[test]
fn clocks_that_differ_are_noticed_and_do_no_harm() {
    let (live, files) = eventful(false, false, Snaplen::Full);
    let year = 1_700_000_000_000_000_000;
    let server = rewritten(&files.server, year, |_| true);
    let client = rewritten(&files.client, year - 700_000_000, |_| true);
    let read = analyze_both(&server, &client);
    assert_eq!(read.analysis.retransmissions, live.analysis.retransmissions);
    assert!(note(&read, "arrive before they were sent"), "{:?}", read.analysis.notes);
    assert_eq!(read.analysis.metrics.elapsed_s, live.analysis.metrics.elapsed_s);
}

#[test]
fn a_capture_that_begins_late_says_so() {
    let (_, files) = eventful(false, false, Snaplen::Full);
    // Without the handshake and the first two data segments.
    let server = rewritten(&files.server, 1_700_000_000_000_000_000, |number| number > 4);
    let read = analyze_one(&server).expect("a pcap");
    assert!(note(&read, "began before the capture"), "{:?}", read.analysis.notes);
    assert!(note(&read, "Nothing tells at which end"), "{:?}", read.analysis.notes);
    // The first copy of segment 1 was not captured: what is sent after is no retransmission but the second time.
    assert_eq!(read.analysis.metrics.retransmissions, 2);
}

#[test]
fn a_capture_that_ends_early_leaves_fates_unknown() {
    let (_, files) = eventful(false, false, Snaplen::Full);
    let client = rewritten(&files.client, 0, |number| number < 6);
    let server = rewritten(&files.server, 0, |_| true);
    let read = analyze_both(&server, &client);
    assert!(
        note(&read, "after the other end's capture had ended"),
        "{:?}",
        read.analysis.notes
    );
    assert!(read.analysis.retransmissions.unknown > 0);
}

#[test]
fn joined_segments_are_told_and_the_senders_capture_is_taken() {
    let (_, files) = eventful(false, false, Snaplen::Full);
    let mut joined = PcapngWriter::new(Vec::new(), &provenance(), "server", 0);
    let mut reader = read_pcap(files.server.as_slice()).expect("ours");
    let from = Encoder::new(address_of(Host::Server), address_of(Host::Client));
    while let Some(packet) = reader.next_packet().expect("ours") {
        let decoded = decode(LinkType::Ethernet, packet.octets, packet.octets.len());
        let decoded = decoded.expect("ours");
        let joins = decoded.segment.payload_len > 0;
        let record = windlull_capture::PacketRecord {
            at: windlull_units::Time::from_ns(packet.at_ns.expect("stamped")),
            way: packet.way.expect("told"),
            id: windlull_units::PacketId(packet.packet_id.expect("numbered")),
            comment: windlull_capture::Comment::Absent,
        };
        joined.packet(&record, |out| {
            if joins {
                let segment = Segment {
                    payload_len: decoded.segment.payload_len * 3,
                    ..decoded.segment
                };
                return from.encode(1, &segment, Payload::Stream(0), 10_000, out);
            }
            out.extend_from_slice(packet.octets);
            Ok(packet.original_len)
        });
    }
    let joined = joined.finish().expect("memory");
    let read = analyze_both(&joined, &files.client);
    assert!(note(&read, "segmentation offload"), "{:?}", read.analysis.notes);
    assert_eq!(read.analysis.ends, Ends::Sender);
}

/// The packets of a capture of ours as they are over IPv6.
fn over_ipv6(capture: &[u8], host: Host) -> Vec<u8> {
    let mut file = PcapngWriter::new(Vec::new(), &provenance(), host.name(), 0);
    let mut reader = read_pcap(capture).expect("ours");
    while let Some(packet) = reader.next_packet().expect("ours") {
        let decoded = decode(LinkType::Ethernet, packet.octets, packet.octets.len()).expect("ours");
        let from_server = decoded.source == address_of(Host::Server).into();
        let from = if from_server { Host::Server } else { Host::Client };
        let encoder = Encoder::between(&addresses_from(Network::Ipv6, from));
        let record = windlull_capture::PacketRecord {
            at: windlull_units::Time::from_ns(packet.at_ns.expect("stamped")),
            way: packet.way.expect("told"),
            id: windlull_units::PacketId(packet.packet_id.expect("numbered")),
            comment: packet
                .comment
                .map_or(windlull_capture::Comment::Absent, windlull_capture::Comment::Text),
        };
        let payload = Payload::Octets(&packet.octets[decoded.payload.clone()]);
        file.packet(&record, |out| {
            let len = encoder.encode(0, &decoded.segment, payload, 10_000, out)?;
            if let (Checksum::Wrong, Some(last)) = (decoded.checksum, out.last_mut()) {
                *last ^= 1;
            }
            Ok(len)
        });
    }
    file.finish().expect("memory")
}

#[test]
fn captures_of_ipv6_tell_what_those_of_ipv4_tell() {
    let (_, files) = eventful(false, true, Snaplen::Full);
    let (server, client) = (
        over_ipv6(&files.server, Host::Server),
        over_ipv6(&files.client, Host::Client),
    );
    let read = analyze_both(&server, &client);
    let over_ipv4 = analyze_both(&files.server, &files.client);
    assert_eq!(read.connection.data_sender, address_in(Network::Ipv6, Host::Server));
    assert!(
        read.analysis.retransmissions.necessary > 0,
        "there is something to tell"
    );
    let text = |read: &CaptureAnalysis| serde_json::to_string(&read.analysis).expect("it has string keys");
    assert_eq!(text(&read), text(&over_ipv4));
}

#[test]
fn packets_of_ipv6_have_twenty_octets_more() {
    let (_, files) = eventful(false, false, Snaplen::Full);
    let sizes = |server: &[u8], client: &[u8]| {
        let (mut server, mut client) = (server, client);
        let found = transits(&mut server, &mut client, Selection::MostData).expect("our own captures");
        [found.down.size_bytes, found.up.size_bytes].concat()
    };
    let before = sizes(&files.server, &files.client);
    let server = over_ipv6(&files.server, Host::Server);
    let client = over_ipv6(&files.client, Host::Client);
    let grown: Vec<u32> = before.iter().map(|size| size + 20).collect();
    assert!(!before.is_empty());
    assert_eq!(sizes(&server, &client), grown);
}

#[test]
fn a_capture_may_hold_both_versions_of_ip() {
    let (_, files) = eventful(false, false, Snaplen::Full);
    // Sections follow each other in a file of this format.
    let mixed = [files.server.clone(), over_ipv6(&files.server, Host::Server)].concat();
    let listed = connections(Files {
        first: &mut mixed.as_slice(),
        second: None,
        fates: None,
        events: None,
    });
    let listed = listed.expect("our own captures");
    let senders: Vec<_> = listed.connections.iter().map(|one| one.data_sender).collect();
    let expected = Network::ALL.map(|network| address_in(network, Host::Server));
    assert_eq!(senders, expected);
}

#[test]
fn of_a_capture_that_was_cut_what_is_whole_is_analysed() {
    let (_, files) = eventful(false, false, Snaplen::Full);
    let packets = 20;
    let whole = rewritten(&files.server, 0, |number| number < packets);
    let longer = rewritten(&files.server, 0, |number| number <= packets);
    let read = analyze_one(&longer[..longer.len() - 1]).expect("what is there of it");
    let expected = analyze_one(&whole).expect("a capture");
    assert_eq!(read.analysis.metrics, expected.analysis.metrics);
    let note = format!(
        "The first capture ends in the middle of a packet at byte {}; what is before it is analysed.",
        whole.len()
    );
    assert!(read.analysis.notes.contains(&note), "{:?}", read.analysis.notes);
    assert!(!expected.analysis.notes.contains(&note));
}

#[test]
fn what_cannot_be_analysed_says_why() {
    let (_, files) = eventful(false, false, Snaplen::Full);
    let error = analyze_one(&files.server[..40]).expect_err("it ends before its first packet");
    assert!(matches!(error, AnalyzeError::Capture { .. }));
    assert!(
        error
            .to_string()
            .starts_with("first capture: the capture is truncated: a block at byte "),
        "{error}"
    );
    let error = analyze_one(b"GIF89a").expect_err("foreign");
    assert!(error.to_string().contains("not a pcap or pcapng file"), "{error}");
    let empty = rewritten(&files.server, 0, |number| number < 3);
    let error = analyze_one(&empty).expect_err("no data");
    assert!(
        matches!(error, AnalyzeError::NoConnection { packets: 3, .. }),
        "{error}"
    );
    let strange = "192.0.2.1:80".parse().expect("an address");
    let mut file = files.server.as_slice();
    let asked = Files {
        first: &mut file,
        second: None,
        fates: None,
        events: None,
    };
    let error = analyze(asked, Selection::Between(strange, strange)).expect_err("not there");
    assert!(
        error
            .to_string()
            .contains("there are: 198.18.0.1:49152 - 198.18.0.2:49153"),
        "{error}"
    );
}

#[test]
fn the_connection_with_the_most_data_is_taken_and_the_others_are_named() {
    let (_, small) = {
        let mut scene = Scene::new(recorder(Host::Server, Snaplen::Full));
        scene.handshake().data(0);
        recorded(scene)
    };
    let (live, files) = eventful(false, false, Snaplen::Full);
    // The small one on other ports, in the same file.
    let mut moved = rewritten(&small.server, 0, |_| true);
    let mut at = 24;
    while at < moved.len() {
        let len = u32::from_le_bytes(moved[at + 8..at + 12].try_into().expect("four")) as usize;
        for port in [at + 16 + 34, at + 16 + 36] {
            moved[port] ^= 0x11;
        }
        at += 16 + len;
    }
    let both = [moved, rewritten(&files.server, 0, |_| true)[24..].to_vec()].concat();
    let read = analyze_one(&both).expect("a pcap");
    assert_eq!(read.analysis.metrics.segments_sent, live.analysis.metrics.segments_sent);
    assert!(note(&read, "1 other TCP connections"), "{:?}", read.analysis.notes);
    assert_eq!(read.connection.data_sender, address_of(Host::Server).into());
}

#[test]
fn stamps_that_the_sender_never_sent_are_no_evidence() {
    let mut scene = Scene::new(recorder(Host::Server, Snaplen::Full));
    scene.handshake();
    let original = scene.at(200).data(0);
    scene.at(1500);
    let stamped = |value, echo| Some(Timestamps { value, echo });
    let mut again = scene.octets(0, MSS);
    again.options.timestamps = stamped(1500, 1);
    let again = scene.send(Host::Server, again);
    scene.drop(original);
    scene.at(1550).deliver(again);
    let mut ack = scene.octets(0, 0);
    ack.seq = windlull_wire::SeqNumber(901);
    ack.ack = scene.isn.add(1 + 100);
    ack.options.timestamps = stamped(9, 1500);
    let ack = scene.send(Host::Client, ack);
    scene.at(1600).deliver(ack);
    let (_, files) = recorded(scene);
    let read = analyze_one(&files.server).expect("ours");
    assert_eq!(read.analysis.retransmissions.inferred_unnecessary, 0);
}
