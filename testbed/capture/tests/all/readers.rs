//! Captures of other people's tools, octet by octet, and files that are not what they should be.

use proptest::prelude::*;
use windlull_capture::{Crossing, ReadError, read_events, read_pcap};
use windlull_fates::read_fates;

/// What a reader tells of a packet, owned.
#[derive(Debug, PartialEq, Eq)]
struct ReadPacket {
    at_ns: Option<u64>,
    link_type: u32,
    interface: u32,
    original_len: u32,
    octets: Vec<u8>,
    way: Option<Crossing>,
    packet_id: Option<u64>,
    comment: Option<String>,
}

fn read_all(file: &[u8]) -> Result<Vec<ReadPacket>, ReadError> {
    let mut reader = read_pcap(file)?;
    let mut packets = Vec::new();
    while let Some(packet) = reader.next_packet()? {
        packets.push(ReadPacket {
            at_ns: packet.at_ns,
            link_type: packet.link_type,
            interface: packet.interface,
            original_len: packet.original_len,
            octets: packet.octets.to_vec(),
            way: packet.way,
            packet_id: packet.packet_id,
            comment: packet.comment.map(str::to_owned),
        });
    }
    Ok(packets)
}

#[derive(Clone, Copy, Debug)]
enum Order {
    Little,
    Big,
}

impl Order {
    fn u16(self, number: u16) -> Vec<u8> {
        match self {
            Self::Little => number.to_le_bytes().to_vec(),
            Self::Big => number.to_be_bytes().to_vec(),
        }
    }

    fn u32(self, number: u32) -> Vec<u8> {
        match self {
            Self::Little => number.to_le_bytes().to_vec(),
            Self::Big => number.to_be_bytes().to_vec(),
        }
    }

    fn words(self, words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|&word| self.u32(word)).collect()
    }

    fn option(self, code: u16, value: &[u8]) -> Vec<u8> {
        let len = u16::try_from(value.len()).expect("a short option");
        let mut out = [self.u16(code), self.u16(len), value.to_vec()].concat();
        out.resize(out.len().next_multiple_of(4), 0);
        out
    }

    fn block(self, kind: u32, body: &[u8]) -> Vec<u8> {
        let len = u32::try_from(body.len() + 12).expect("a short block");
        [self.u32(kind), self.u32(len), body.to_vec(), self.u32(len)].concat()
    }

    fn section(self) -> Vec<u8> {
        let body = [self.u32(0x1A2B_3C4D), self.u16(1), self.u16(0), vec![0xFF; 8]].concat();
        self.block(0x0A0D_0D0A, &body)
    }

    fn interface(self, link_type: u16, snaplen: u32, options: &[u8]) -> Vec<u8> {
        let body = [self.u16(link_type), self.u16(0), self.u32(snaplen), options.to_vec()].concat();
        self.block(1, &body)
    }

    fn enhanced(self, interface: u32, ticks: u64, data: &[u8], options: &[u8]) -> Vec<u8> {
        let (high, low) = ((ticks >> 32) as u32, (ticks & 0xFFFF_FFFF) as u32);
        let len = u32::try_from(data.len()).expect("a short packet");
        let mut body = [self.words(&[interface, high, low, len, len + 5]), data.to_vec()].concat();
        body.resize(body.len().next_multiple_of(4), 0);
        body.extend_from_slice(options);
        self.block(6, &body)
    }
}

const ORDERS: [Order; 2] = [Order::Little, Order::Big];

fn pcap(order: Order, magic: u32, fraction: u32) -> Vec<u8> {
    [
        order.u32(magic),
        order.u16(2),
        order.u16(4),
        order.words(&[0, 0, 65_535, 101]),
        order.words(&[1_700_000_000, fraction, 3, 60]),
        vec![1, 2, 3],
    ]
    .concat()
}

#[test]
fn pcap_stamps_are_micro_or_nanoseconds_in_either_byte_order() {
    for order in ORDERS {
        for (magic, ns) in [
            (0xA1B2_C3D4, 1_700_000_000_000_007_000),
            (0xA1B2_3C4D, 1_700_000_000_000_000_007),
        ] {
            let packets = read_all(&pcap(order, magic, 7)).expect("a pcap");
            let expected = ReadPacket {
                at_ns: Some(ns),
                link_type: 101,
                interface: 0,
                original_len: 60,
                octets: vec![1, 2, 3],
                way: None,
                packet_id: None,
                comment: None,
            };
            assert_eq!(packets, [expected], "{order:?} {magic:#x}");
        }
    }
}

#[test]
fn pcapng_interfaces_have_resolutions_of_their_own() {
    let resolutions: [(&[u8], u64, u64); 5] = [
        (&[], 5, 5_000),
        (&[9], 5, 5),
        (&[3], 5, 5_000_000),
        (&[12], 5_999, 5),
        (&[0x80 | 10], 512, 500_000_000),
    ];
    for order in ORDERS {
        for (resolution, ticks, ns) in resolutions {
            let mut options = Vec::new();
            if !resolution.is_empty() {
                options.extend(order.option(9, resolution));
            }
            options.extend(order.option(0, &[]));
            let file = [
                order.section(),
                order.interface(113, 0, &[]),
                order.interface(1, 0, &options),
                order.enhanced(1, ticks, &[9; 5], &[]),
            ]
            .concat();
            let packets = read_all(&file).expect("a pcapng");
            assert_eq!(
                (packets[0].at_ns, packets[0].link_type),
                (Some(ns), 1),
                "{order:?} {resolution:?}"
            );
            assert_eq!((packets[0].original_len, packets[0].octets.len()), (10, 5));
        }
    }
}

#[test]
fn an_offset_moves_the_stamps() {
    let order = Order::Little;
    let options = [order.option(14, &3_i64.to_le_bytes()), order.option(0, &[])].concat();
    let file = [
        order.section(),
        order.interface(1, 0, &options),
        order.enhanced(0, 1, &[], &[]),
    ]
    .concat();
    assert_eq!(read_all(&file).expect("a pcapng")[0].at_ns, Some(3_000_001_000));
}

#[test]
fn a_second_section_begins_anew_in_its_own_byte_order() {
    let section = |order: Order| {
        let flags = match order {
            Order::Little => 2_u32.to_le_bytes(),
            Order::Big => 2_u32.to_be_bytes(),
        };
        let options = [
            order.option(1, "grüße".as_bytes()),
            order.option(1, b"the second comment"),
            order.option(2, &flags),
            order.option(0, &[]),
        ]
        .concat();
        [
            order.section(),
            order.block(0x0BAD, &[0; 8]),
            order.interface(1, 4, &[]),
            order.enhanced(0, 1, &[7], &options),
            order.block(3, &[order.u32(6), vec![1, 2, 3, 4]].concat()),
            order.block(
                2,
                &[order.u16(0), order.u16(3), order.words(&[0, 2, 1, 1]), vec![8, 0, 0, 0]].concat(),
            ),
        ]
        .concat()
    };
    let file = [section(Order::Little), section(Order::Big)].concat();
    let packets = read_all(&file).expect("two sections");
    assert_eq!(packets.len(), 6);
    assert_eq!(packets[..3], packets[3..]);
    assert_eq!(packets[0].comment.as_deref(), Some("grüße"));
    assert_eq!(packets[0].way, Some(Crossing::Outbound));
    assert_eq!(
        (packets[1].at_ns, packets[1].octets.as_slice()),
        (None, &[1, 2, 3, 4][..]),
        "a simple packet"
    );
    assert_eq!((packets[1].original_len, packets[2].at_ns), (6, Some(2_000)));
}

#[test]
fn a_truncated_file_says_where() {
    let whole = pcap(Order::Little, 0xA1B2_C3D4, 7);
    let error = read_all(&whole[..whole.len() - 1]).expect_err("cut in the packet");
    assert!(
        matches!(
            error,
            ReadError::Truncated {
                what: "a packet",
                offset: 24,
                needed: 19,
                there: 18
            }
        ),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        "the capture is truncated: a packet at byte 24 needs 19 bytes, the file has 18 of them"
    );
    let error = read_all(&whole[..30]).expect_err("cut in the record's header");
    assert!(
        matches!(
            error,
            ReadError::Truncated {
                offset: 24,
                needed: 16,
                there: 6,
                ..
            }
        ),
        "{error:?}"
    );
    let error = read_all(&whole[..20]).expect_err("cut in the file's header");
    assert!(
        matches!(
            error,
            ReadError::Truncated {
                offset: 0,
                needed: 24,
                there: 20,
                ..
            }
        ),
        "{error:?}"
    );

    let order = Order::Big;
    let start = [order.section(), order.interface(1, 0, &[])].concat();
    let file = [start.clone(), order.enhanced(0, 1, &[1; 40], &[])].concat();
    for cut in start.len() + 1..file.len() {
        let error = read_all(&file[..cut]).expect_err("cut in the block");
        let at = start.len() as u64;
        assert!(
            matches!(error, ReadError::Truncated { offset, .. } if offset == at),
            "{cut}: {error:?}"
        );
    }
}

#[test]
fn what_is_no_capture_is_refused() {
    for file in [&b""[..], b"PK", b"GIF89a..................", b"\x1f\x8b\x08\x00"] {
        assert!(matches!(read_all(file), Err(ReadError::NotACapture { .. })), "{file:?}");
    }
    let empty = read_all(b"").expect_err("empty");
    assert_eq!(
        empty.to_string(),
        "the file is empty; a pcap or pcapng file was expected"
    );
}

#[test]
fn a_damaged_block_is_refused_with_its_place() {
    let order = Order::Little;
    let start = [order.section(), order.interface(1, 0, &[])].concat();
    let at = start.len();
    let good = [start, order.enhanced(0, 1, &[1; 40], &[])].concat();
    let broken = |place: usize, octet: u8| {
        let mut bad = good.clone();
        bad[place] = octet;
        match read_all(&bad) {
            Err(ReadError::Malformed { what, offset }) => {
                assert_eq!(offset, at as u64);
                what
            }
            other => panic!("not malformed: {other:?}"),
        }
    };
    assert_eq!(broken(at + 4, 3), "a block whose length cannot be");
    assert_eq!(broken(good.len() - 4, 4), "a block whose two lengths differ");
    assert_eq!(broken(at + 8, 1), "a packet of an interface that is not described");
    assert_eq!(broken(at + 20, 200), "a packet longer than its block");
}

proptest! {
    #[test]
    fn any_octets_are_read_or_refused(octets in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_all(&octets);
        for start in [&Order::Little.section(), &Order::Big.section(), &pcap(Order::Big, 0xA1B2_3C4D, 1)] {
            let _ = read_all(&[start.as_slice(), &octets].concat());
        }
        let _ = read_fates(octets.as_slice()).find(Result::is_err);
        let _ = read_events(octets.as_slice()).find(Result::is_err);
    }

    #[test]
    fn a_damaged_pcapng_is_read_or_refused(
        damage in proptest::collection::vec((0_usize..100, any::<u8>()), 0..6), cut in 0_usize..200,
    ) {
        let order = Order::Little;
        let mut file = [
            order.section(), order.interface(1, 0, &[]), order.enhanced(0, 1, &[1; 40], &order.option(1, b"comment")),
        ]
        .concat();
        for (place, octet) in damage {
            file[place] = octet;
        }
        file.truncate(cut);
        let _ = read_all(&file);
    }
}

/// A `fates.csv` of a version that knew of no marks.
#[test]
fn fates_without_marks_are_read_as_such() {
    let head = "id,direction,size_bytes,entered_ns,started_ns,sent_ns,held_ns,queue_packets";
    let rest = "corrupted,reordered,duplicate_of,end,end_ns";
    let old = format!("{head},{rest}\n0,down,296,0,0,8,0,3,0,0,,delivered,9\n");
    let new = format!("{head},marked,{rest}\n0,down,296,0,0,8,0,3,1,0,0,,delivered,9\n");
    let marked = |file: &str| -> Vec<bool> {
        let fates = read_fates(file.as_bytes());
        fates.map(|fate| fate.expect("a good row").marked).collect()
    };
    assert_eq!(marked(&old), [false]);
    assert_eq!(marked(&new), [true]);
    let wrong = new.replace(",3,1,", ",3,2,");
    let error = read_fates(wrong.as_bytes())
        .find_map(Result::err)
        .expect("2 is no flag");
    assert_eq!(error.to_string(), "line 2: `2` is no marked");
}
