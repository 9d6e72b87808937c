//! Parts of captures: what is kept stands there as before, what is outside does not.

use proptest::prelude::*;
use windlull_capture::{
    ClipError, Comment, Crossing, PacketRecord, PcapngWriter, Provenance, RUN_START_NS, ReadError, clip, read_pcap,
};
use windlull_units::{PacketId, Seed, Time};

/// A packet: its stamp, octets, number and comment.
type ReadPacket = (u64, Vec<u8>, Option<u64>, Option<String>);

fn read_all(file: &[u8]) -> Vec<ReadPacket> {
    let mut reader = read_pcap(file).expect("a capture");
    let mut packets = Vec::new();
    while let Some(packet) = reader.next_packet().expect("whole packets") {
        packets.push((
            packet.at_ns.expect("stamped"),
            packet.octets.to_vec(),
            packet.packet_id,
            packet.comment.map(str::to_owned),
        ));
    }
    packets
}

fn part(file: &[u8], from: u64, to: u64) -> Vec<u8> {
    let mut out = Vec::new();
    let clipped = clip(file, &(Time::from_ns(from)..=Time::from_ns(to)), &mut out).expect("it can be clipped");
    assert_eq!(clipped.kept + clipped.left_out, read_all(file).len() as u64);
    out
}

fn ours(times: &[u64]) -> Vec<u8> {
    let provenance = Provenance {
        version: "1".to_owned(),
        commit: "c".to_owned(),
        testbed: "sim".to_owned(),
        kernel: None,
        experiment: "e".to_owned(),
        variant: "v".to_owned(),
        link: "l".to_owned(),
        repetition: 1,
        seed: Seed::new(1),
    };
    let mut writer = PcapngWriter::new(Vec::new(), &provenance, "server", 0);
    for (id, &at) in (0..).zip(times) {
        let comment = if id % 3 == 0 {
            Comment::Text("windlull: said")
        } else {
            Comment::Absent
        };
        let record = PacketRecord {
            at: Time::from_ns(at),
            way: Crossing::Outbound,
            id: PacketId(id),
            comment,
        };
        writer.packet(&record, |out| {
            out.extend_from_slice(&[7; 5]);
            Ok(5)
        });
    }
    writer.finish().expect("memory takes all")
}

/// Nanosecond pcap in big endian.
fn foreign(times: &[u64]) -> Vec<u8> {
    let mut file = vec![
        0xA1, 0xB2, 0x3C, 0x4D, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 1,
    ];
    for (length, &at) in (1_u8..).zip(times) {
        let (secs, ns) = (at / 1_000_000_000, at % 1_000_000_000);
        for word in [secs, ns, u64::from(length), 1500] {
            file.extend_from_slice(&u32::try_from(word).expect("small").to_be_bytes());
        }
        file.resize(file.len() + usize::from(length), length);
    }
    file
}

proptest! {
    #[test]
    fn the_packets_of_the_span_stay_as_they_are(
        mut times in proptest::collection::vec(0_u64..1000, 0..40),
        from in 0_u64..1000,
        len in 0_u64..1000,
    ) {
        times.sort_unstable();
        let file = ours(&times);
        let expected: Vec<ReadPacket> = read_all(&file)
            .into_iter()
            .filter(|packet| (RUN_START_NS + from..=RUN_START_NS + from + len).contains(&packet.0))
            .collect();
        let clipped = part(&file, from, from + len);
        prop_assert_eq!(read_all(&clipped), expected);
        // What stands before the first packet is untouched: provenance and interface.
        let head = ours(&[]).len();
        prop_assert_eq!(&clipped[..head], &file[..head]);
        prop_assert_eq!(part(&file, 0, u64::MAX), file);
    }

    #[test]
    fn of_other_captures_the_span_counts_from_the_first_packet(
        mut times in proptest::collection::vec(5_000_000_000_u64..5_000_001_000, 1..40),
        from in 0_u64..1000,
        len in 0_u64..1000,
    ) {
        times.sort_unstable();
        let file = foreign(&times);
        let first = times[0];
        let expected: Vec<ReadPacket> =
            read_all(&file).into_iter().filter(|packet| (from..=from + len).contains(&(packet.0 - first))).collect();
        prop_assert_eq!(read_all(&part(&file, from, from + len)), expected);
        prop_assert_eq!(part(&file, 0, u64::MAX), file);
    }
}

#[test]
fn a_section_that_gives_its_length_gives_none_afterwards() {
    let mut file = ours(&[1, 2, 3]);
    let length = (file.len() as u64).to_le_bytes();
    file[16..24].copy_from_slice(&length);
    let clipped = part(&file, 2, 2);
    assert_eq!(clipped[16..24], u64::MAX.to_ne_bytes());
    assert_eq!(read_all(&clipped).len(), 1);
}

#[test]
fn what_is_no_capture_is_refused_before_anything_is_written() {
    let mut out = Vec::new();
    let span = Time::ZERO..=Time::NEVER;
    let refused = clip(b"not a capture".as_slice(), &span, &mut out);
    assert!(matches!(refused, Err(ClipError::Read(ReadError::NotACapture { .. }))));
    assert!(out.is_empty());
    let file = ours(&[1, 2]);
    let cut = clip(&file[..file.len() - 3], &span, &mut out);
    assert!(matches!(cut, Err(ClipError::Read(ReadError::Truncated { .. }))));
}

#[test]
fn a_full_disk_is_told_apart_from_a_bad_file() {
    let full = clip(
        ours(&[1]).as_slice(),
        &(Time::ZERO..=Time::NEVER),
        [0_u8; 40].as_mut_slice(),
    );
    assert!(matches!(full, Err(ClipError::Write(_))));
}
