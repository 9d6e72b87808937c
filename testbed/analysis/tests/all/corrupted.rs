//! Packets that the link corrupted, in captures with headers only: what the link said of them outranks the checksums, and
//! without its word they are not known.

use crate::scene::Scene;
use crate::scene::recording::{Written, finished, recorder};
use windlull_analysis::{CaptureAnalysis, Files, Recorder, RunAnalysis, Selection, analyze};
use windlull_capture::{Snaplen, read_pcap};
use windlull_wire::TransmitCause;

const SEGMENTS: u64 = 12;

/// A segment arrives; every third one only once it was sent again, for it arrived corrupted. Whether it is one of these.
fn arrive(scene: &mut Scene<Recorder<Vec<u8>>>, number: u64) -> bool {
    let corrupted = number % 3 == 1;
    let mut data = scene.later(100).data(number);
    if corrupted {
        scene.later(50).corrupt(data);
        data = scene.later(1_000).data_for(number, TransmitCause::Timeout);
    }
    scene.later(50).deliver(data);
    corrupted
}

/// A transfer in which every third segment arrives corrupted and is sent again, and each of them once more in vain: more
/// wrong checksums than right ones among the whole packets of the data's direction.
fn transfer() -> (RunAnalysis, Written) {
    let mut scene = Scene::new(recorder(Snaplen::Headers));
    scene.handshake();
    for number in 0..SEGMENTS {
        if arrive(&mut scene, number) {
            let in_vain = scene.later(10).data_for(number, TransmitCause::AfterTimeout);
            scene.later(50).deliver(in_vain);
        }
        let ack = scene.ack(number + 1, &[]);
        scene.later(50).deliver(ack);
    }
    // Whole packets of the data's direction: SYN, FIN and two acknowledgements are right, four are wrong.
    for number in [3, 6] {
        let data = scene.later(10).data_for(number, TransmitCause::AfterTimeout);
        scene.later(50).corrupt(data);
    }
    scene.finish(SEGMENTS);
    finished(scene)
}

fn read(first: &[u8], second: Option<&[u8]>, fates: Option<&[u8]>) -> CaptureAnalysis {
    let (mut first, mut second, mut fates) = (first, second, fates);
    let files = Files {
        first: &mut first,
        second: second.as_mut().map(|file| file as &mut dyn std::io::Read),
        fates: fates.as_mut().map(|file| file as &mut dyn std::io::Read),
        events: None,
    };
    analyze(files, Selection::MostData).expect("a capture")
}

/// As another program writes it: without our comments, numbers and directions.
fn foreign(file: &[u8]) -> Vec<u8> {
    let words = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|word| word.to_le_bytes()).collect() };
    let mut out = words(&[0xa1b2_3c4d, 0x0004_0002, 0, 0, 65_535, 1]);
    let mut reader = read_pcap(file).expect("ours");
    while let Some(packet) = reader.next_packet().expect("ours") {
        let at = packet.at_ns.expect("stamped");
        let [secs, ns] = [at / 1_000_000_000, at % 1_000_000_000].map(|it| u32::try_from(it).expect("small"));
        let len = u32::try_from(packet.octets.len()).expect("short");
        out.extend(words(&[secs, ns, len, packet.original_len]));
        out.extend(packet.octets);
    }
    out
}

#[test]
fn the_links_word_outranks_the_checksums() {
    let (live, files) = transfer();
    assert_eq!(live.retransmissions.necessary, 4, "{:?}", live.retransmissions);
    assert_eq!(live.retransmissions.unnecessary_delayed, 6);
    // The comments of the captures, and the fates beside captures that have lost theirs: either is the link's word.
    for fates in [None, Some(files.fates.as_slice())] {
        let found = read(&files.server, Some(&files.client), fates).analysis;
        assert_eq!(found.retransmissions, live.retransmissions, "{:?}", found.notes);
        assert_eq!(found.metrics.elapsed_s, live.metrics.elapsed_s);
    }
    let one = read(&files.client, None, None).analysis;
    let note = "6 packets arrived with wrong checksums and count as lost.";
    assert!(one.notes.iter().any(|it| it == note), "{:?}", one.notes);
}

#[test]
fn without_the_links_word_corrupted_packets_among_cut_ones_are_unknown() {
    let (live, files) = transfer();
    let (server, client) = (foreign(&files.server), foreign(&files.client));
    let found = read(&server, Some(&client), None).analysis;
    let counts = &found.retransmissions;
    // What was necessary was so because of a corrupted packet; what was in vain had an intact copy before.
    assert_eq!(
        (counts.necessary, counts.unnecessary_delayed),
        (0, 6),
        "{:?}",
        found.notes
    );
    assert_eq!(counts.unknown, live.retransmissions.necessary);
    let note = "6 packets arrived with wrong checksums in a capture that has most packets cut";
    assert!(found.notes.iter().any(|it| it.starts_with(note)), "{:?}", found.notes);
}

/// A foreign capture with every data packet cut after its headers.
fn headers_only(file: &[u8]) -> Vec<u8> {
    const HEADERS: usize = 66;
    let whole = foreign(file);
    let (head, mut rest) = whole.split_at(24);
    let mut out = head.to_vec();
    while let Some((header, after)) = rest.split_at_checked(16) {
        let len = u32::from_le_bytes(header[8..12].try_into().expect("four octets")) as usize;
        let (packet, after) = after.split_at(len);
        let kept = packet.len().min(HEADERS);
        out.extend(&header[..8]);
        out.extend(u32::try_from(kept).expect("short").to_le_bytes());
        out.extend(&header[12..]);
        out.extend(&packet[..kept]);
        rest = after;
    }
    out
}

#[test]
fn what_was_cut_is_unknown_where_others_were_corrupted() {
    let mut scene = Scene::new(recorder(Snaplen::Full));
    scene.handshake();
    for number in 0..SEGMENTS {
        arrive(&mut scene, number);
        let ack = scene.ack(number + 1, &[]);
        if number % 4 == 3 {
            scene.later(50).corrupt(ack);
            let again = scene.ack(number + 1, &[]);
            scene.later(10).deliver(again);
        } else {
            scene.later(50).deliver(ack);
        }
    }
    scene.finish(SEGMENTS);
    let (live, files) = finished(scene);
    assert_eq!(live.retransmissions.necessary, 4, "{:?}", live.retransmissions);
    let (server, client) = (headers_only(&files.server), headers_only(&files.client));
    let found = read(&server, Some(&client), None).analysis;
    let counts = &found.retransmissions;
    // All of them were necessary; that none was can no longer be claimed of what nobody can verify.
    assert_eq!(
        (counts.unnecessary_delayed, counts.unknown),
        (0, 4),
        "{:?}",
        found.notes
    );
    let note = "were cut when they were captured, and others were corrupted on the way";
    assert!(found.notes.iter().any(|it| it.contains(note)), "{:?}", found.notes);
}
