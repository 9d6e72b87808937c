use std::net::{Ipv4Addr, Ipv6Addr, SocketAddrV4, SocketAddrV6};

use proptest::prelude::*;
use windlull_units::{Ecn, Network};

use super::*;
use crate::{Flags, Options, SackBlock, SackBlocks, SeqNumber, Timestamps};

fn encoder() -> Encoder {
    Encoder::new(
        SocketAddrV4::new(Ipv4Addr::new(198, 18, 0, 1), 49_152),
        SocketAddrV4::new(Ipv4Addr::new(198, 18, 0, 2), 49_153),
    )
}

/// From and to addresses for benchmarks (RFC 5180, section 8).
fn over_ipv6() -> Encoder {
    let at = |last, port| SocketAddrV6::new(Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, last), port, 0, 0);
    Encoder::between(&Addresses::V6 {
        from: at(1, 49_152),
        to: at(2, 49_153),
    })
}

fn frame_of_ipv6(segment: &Segment, offset: u64) -> Vec<u8> {
    let mut out = Vec::new();
    over_ipv6()
        .encode(7, segment, Payload::Stream(offset), usize::MAX >> 1, &mut out)
        .expect("the options fit");
    out
}

fn frame(segment: &Segment, offset: u64) -> Vec<u8> {
    let mut out = Vec::new();
    encoder()
        .encode(7, segment, Payload::Stream(offset), usize::MAX >> 1, &mut out)
        .expect("the options fit");
    out
}

fn data_segment() -> Segment {
    Segment {
        seq: SeqNumber(u32::MAX - 3),
        ack: SeqNumber(77),
        flags: Flags::ACK.with(Flags::PSH),
        ecn: Ecn::Ect0,
        window: 32_120,
        options: Options {
            timestamps: Some(Timestamps { value: 5, echo: 6 }),
            ..Options::default()
        },
        payload_len: 256,
    }
}

prop_compose! {
    fn any_options()(
        mss: Option<u16>, window_scale in proptest::option::of(0_u8..15), sack_permitted: bool,
        stamps: Option<(u32, u32)>, blocks in proptest::collection::vec(any::<(u32, u32)>(), 0..=4),
    ) -> Options {
        let mut sack = SackBlocks::NONE;
        for (left, right) in blocks {
            sack.push(SackBlock { left: SeqNumber(left), right: SeqNumber(right) });
        }
        let timestamps = stamps.map(|(value, echo)| Timestamps { value, echo });
        Options { mss, window_scale, sack_permitted, sack, timestamps }
    }
}

prop_compose! {
    fn any_segment()(
        seq: u32, ack: u32, flags in 0_u16..0x200, codepoint in 0_u8..4, window: u16, options in any_options(),
        payload_len in 0_u32..9000,
    ) -> Segment {
        let ecn = Ecn::of_octet(codepoint);
        Segment { seq: SeqNumber(seq), ack: SeqNumber(ack), flags: Flags(flags), ecn, window, options, payload_len }
    }
}

proptest! {
    #[test]
    fn a_segment_survives_the_wire(segment in any_segment(), offset: u64, id: u16) {
        let mut out = vec![0xAA];
        let encoded = encoder().encode(id, &segment, Payload::Stream(offset), usize::MAX >> 1, &mut out);
        if segment.header_len() > 60 {
            let len = segment.header_len() as usize - 20;
            prop_assert_eq!(encoded, Err(EncodeError::Options { len }));
            prop_assert_eq!(out, vec![0xAA]);
            return Ok(());
        }
        let frame = &out[1..];
        prop_assert_eq!(encoded, Ok(u32::try_from(frame.len()).expect("a frame is short")));
        prop_assert_eq!(frame.len(), ETHERNET_LEN + segment.packet_len(Network::Ipv4) as usize, "header_len agrees");
        let packet = decode(LinkType::Ethernet, frame, frame.len()).expect("our own frame");
        prop_assert_eq!(packet.segment, segment);
        prop_assert_eq!(packet.checksum, Checksum::Right);
        prop_assert_eq!(packet.ip_id, Some(id));
        prop_assert_eq!(packet.payload.len(), segment.payload_len as usize);
        let mut content = Vec::new();
        crate::content::Content::shared().copy_to(offset, packet.payload.len(), &mut content);
        prop_assert_eq!(&frame[packet.payload], &content[..]);
    }

    #[test]
    fn a_segment_survives_the_wire_over_ipv6(segment in any_segment(), offset: u64) {
        let mut frame = Vec::new();
        let encoded = over_ipv6().encode(7, &segment, Payload::Stream(offset), usize::MAX >> 1, &mut frame);
        if segment.header_len() > 60 {
            prop_assert!(encoded.is_err() && frame.is_empty());
            return Ok(());
        }
        prop_assert_eq!(encoded, Ok(u32::try_from(frame.len()).expect("a frame is short")));
        prop_assert_eq!(frame.len(), ETHERNET_LEN + segment.packet_len(Network::Ipv6) as usize);
        let packet = decode(LinkType::Ethernet, &frame, frame.len()).expect("our own frame");
        prop_assert_eq!(packet.segment, segment);
        prop_assert_eq!(packet.checksum, Checksum::Right);
        prop_assert_eq!(packet.ip_id, None);
        prop_assert_eq!(Network::of(&packet.source.ip()), Network::Ipv6);
        prop_assert_eq!(packet.payload.len(), segment.payload_len as usize);
    }

    /// All but version, traffic class, flow label and hop limit, which no checksum covers.
    #[test]
    fn a_flipped_bit_is_found_over_ipv6(bit in 8 * 8_usize..(40 + 32 + 256) * 8) {
        let mut frame = frame_of_ipv6(&data_segment(), 9);
        frame[ETHERNET_LEN + bit / 8] ^= 1 << (bit % 8);
        let decoded = decode(LinkType::Ethernet, &frame, frame.len()).and_then(Packet::verified);
        prop_assert!(decoded.is_err());
    }

    #[test]
    fn a_damaged_frame_of_ipv6_decodes_or_fails(
        damage in proptest::collection::vec((0_usize..120, any::<u8>()), 0..8), cut in 0_usize..350,
    ) {
        let mut frame = frame_of_ipv6(&data_segment(), 1);
        for (place, octet) in damage {
            frame[place] = octet;
        }
        frame.truncate(cut);
        if let Ok(packet) = decode(LinkType::Ethernet, &frame, frame.len()) {
            prop_assert!(packet.payload.end <= frame.len());
        }
    }

    #[test]
    fn given_octets_have_the_checksum_of_the_same_stream(offset: u64, len in 0_u32..3000) {
        let segment = Segment { payload_len: len, ..data_segment() };
        let streamed = frame(&segment, offset);
        let mut octets = Vec::new();
        crate::content::Content::shared().copy_to(offset, len as usize, &mut octets);
        let mut given = Vec::new();
        encoder().encode(7, &segment, Payload::Octets(&octets), usize::MAX >> 1, &mut given).expect("fits");
        prop_assert_eq!(streamed, given);
    }

    #[test]
    fn a_flipped_bit_is_found(bit in 0_usize..(20 + 32 + 256) * 8) {
        let mut frame = frame(&data_segment(), 9);
        frame[ETHERNET_LEN + bit / 8] ^= 1 << (bit % 8);
        let decoded = decode(LinkType::Ethernet, &frame, frame.len()).and_then(Packet::verified);
        prop_assert!(decoded.is_err());
    }

    #[test]
    fn any_octets_decode_or_fail(
        octets in proptest::collection::vec(any::<u8>(), 0..200), number in 0_u32..300, original_len: u16,
    ) {
        if let Some(link) = LinkType::from_number(number) {
            let _ = decode(link, &octets, usize::from(original_len));
        }
    }

    #[test]
    fn a_damaged_frame_decodes_or_fails(
        damage in proptest::collection::vec((0_usize..120, any::<u8>()), 0..8), cut in 0_usize..330,
    ) {
        let mut frame = frame(&data_segment(), 1);
        for (place, octet) in damage {
            frame[place] = octet;
        }
        frame.truncate(cut);
        if let Ok(packet) = decode(LinkType::Ethernet, &frame, frame.len()) {
            prop_assert!(packet.payload.end <= frame.len());
        }
    }
}

#[test]
fn options_stand_where_linux_puts_them() {
    let mut octets = Vec::new();
    let syn = Options {
        mss: Some(1460),
        window_scale: Some(7),
        sack_permitted: true,
        timestamps: Some(Timestamps { value: 1, echo: 0 }),
        ..Options::default()
    };
    encode_options(&syn, &mut octets).expect("fits");
    assert_eq!(octets, [2, 4, 5, 180, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3, 3, 7]);
}

#[test]
fn a_cut_frame_still_tells_its_length_but_not_its_checksum() {
    let segment = data_segment();
    let mut out = Vec::new();
    let len = encoder()
        .encode(7, &segment, Payload::Stream(0), 96, &mut out)
        .expect("fits");
    assert_eq!((out.len(), len), (96, 14 + 20 + 32 + 256));
    let packet = decode(LinkType::Ethernet, &out, len as usize).expect("headers are there");
    assert_eq!(packet.segment, segment);
    assert_eq!(packet.checksum, Checksum::Unknown);
    assert_eq!(packet.payload.len(), 96 - 14 - 20 - 32);
}

#[test]
fn every_link_layer_leads_to_the_same_segment() {
    let ethernet = frame(&data_segment(), 3);
    let ip = &ethernet[ETHERNET_LEN..];
    let expected = decode(LinkType::Ethernet, &ethernet, ethernet.len())
        .expect("ours")
        .segment;
    let mut tagged = ethernet[..12].to_vec();
    tagged.extend_from_slice(&[0x88, 0xA8, 0, 5, 0x81, 0x00, 0, 6, 0x08, 0x00]);
    tagged.extend_from_slice(ip);
    let mut cooked = vec![0_u8; 14];
    cooked.extend_from_slice(&[0x08, 0x00]);
    cooked.extend_from_slice(ip);
    let mut cooked2 = vec![0x08, 0x00];
    cooked2.extend_from_slice(&[0; 18]);
    cooked2.extend_from_slice(ip);
    let mut null = vec![2, 0, 0, 0];
    null.extend_from_slice(ip);
    for (link, octets) in [
        (LinkType::Ethernet, tagged),
        (LinkType::RawIp, ip.to_vec()),
        (LinkType::LinuxCooked, cooked),
        (LinkType::LinuxCooked2, cooked2),
        (LinkType::Null, null),
    ] {
        let packet = decode(link, &octets, octets.len()).expect("the same packet");
        assert_eq!(packet.segment, expected, "{link:?}");
        assert_eq!(packet.checksum, Checksum::Right, "{link:?}");
        assert_eq!(LinkType::from_number(link.number()), Some(link));
    }
}

/// An IPv6 packet of ours with headers between IPv6 and TCP, each without the octet that says what follows.
fn extended(headers: &[(u8, &[u8])]) -> Vec<u8> {
    let ours = frame_of_ipv6(&data_segment(), 3);
    let mut packet = ours[ETHERNET_LEN..ETHERNET_LEN + 40].to_vec();
    let kinds: Vec<u8> = headers.iter().map(|&(kind, _)| kind).chain([TCP]).collect();
    packet[6] = kinds[0];
    for (&(_, rest), &next) in headers.iter().zip(&kinds[1..]) {
        packet.push(next);
        packet.extend_from_slice(rest);
    }
    packet.extend_from_slice(&ours[ETHERNET_LEN + 40..]);
    let len = u16::try_from(packet.len() - 40).expect("short");
    packet[4..6].copy_from_slice(&len.to_be_bytes());
    packet
}

#[test]
fn ipv6_is_read_with_its_extension_headers() {
    let options = (0, &[0, 1, 4, 0, 0, 0, 0][..]);
    let long_options = (60, &[1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0][..]);
    let arrived = (
        43,
        &[2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
    );
    // An authentication header of 24 octets says 4: words, without two.
    let authentication = (51, &[4; 23][..]);
    let atomic = (44, &[0, 0, 0, 1, 2, 3, 4][..]);
    for headers in [
        vec![],
        vec![options],
        vec![options, long_options, arrived],
        vec![authentication],
        vec![options, atomic, authentication],
    ] {
        let packet = extended(&headers);
        let decoded = decode(LinkType::RawIp, &packet, packet.len()).expect("IPv6");
        assert_eq!(decoded.segment, data_segment(), "{headers:?}");
        assert_eq!(decoded.ip_id, None);
        assert_eq!(decoded.source, "[2001:2::1]:49152".parse().expect("an address"));
        assert_eq!(decoded.checksum, Checksum::Right, "{headers:?}");
    }
    let mut elsewhere = extended(&[options]);
    elsewhere[8] ^= 1;
    let decoded = decode(LinkType::RawIp, &elsewhere, elsewhere.len()).expect("IPv6");
    assert_eq!(decoded.verified(), Err(DecodeError::BadChecksum));
}

#[test]
fn of_ipv6_on_its_way_by_others_the_checksum_is_not_known() {
    let on_its_way = (
        43,
        &[2, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
    );
    let packet = extended(&[on_its_way]);
    let decoded = decode(LinkType::RawIp, &packet, packet.len()).expect("IPv6");
    assert_eq!(decoded.segment, data_segment());
    assert_eq!(decoded.checksum, Checksum::Unknown);
}

#[test]
fn a_part_of_an_ipv6_packet_says_where_it_belongs() {
    for (place, offset) in [([0, 1], 0), ([5, 0xA8], 1_448), ([5, 0xA9], 1_448)] {
        let fragment = (44, &[0, place[0], place[1], 1, 2, 3, 4][..]);
        let packet = extended(&[fragment]);
        let error = decode(LinkType::RawIp, &packet, packet.len()).expect_err("a part");
        assert_eq!(error, DecodeError::Fragment { offset });
    }
    let encrypted = extended(&[(50, &[0; 7][..])]);
    let error = decode(LinkType::RawIp, &encrypted, encrypted.len()).expect_err("encrypted");
    assert_eq!(error, DecodeError::NotTcp { protocol: 50 });
}

/// The octets of one segment, by hand.
#[test]
fn an_ipv6_frame_is_laid_out_as_the_rfc_says() {
    let segment = Segment {
        seq: SeqNumber(1),
        ack: SeqNumber(2),
        flags: Flags::ACK,
        ecn: Ecn::Ce,
        window: 3,
        ..Segment::default()
    };
    let mut address = [0x20, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    let mut expected = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xDD];
    expected.extend_from_slice(&[0x60, 0x30, 0, 0, 0, 20, 6, 64]);
    expected.extend_from_slice(&address);
    address[15] = 2;
    expected.extend_from_slice(&address);
    expected.extend_from_slice(&[0xC0, 0, 0xC0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x10, 0, 3]);
    // Addresses 2 * (2001 + 2) + 1 + 2, length 20, protocol 6, ports, numbers, flags, window: 0x4009 + 0x1A + 0x18001 +
    // 3 + 0x5010 + 3, folded 0x103C; its complement.
    expected.extend_from_slice(&[0xEF, 0xC3, 0, 0]);
    assert_eq!(frame_of_ipv6(&segment, 0), expected);
}

#[test]
fn what_is_not_tcp_says_what_it_is() {
    let good = frame(&data_segment(), 0);
    let with = |place: usize, octet: u8| {
        let mut bad = good.clone();
        bad[place] = octet;
        decode(LinkType::Ethernet, &bad, bad.len()).expect_err("not TCP")
    };
    assert_eq!(with(12, 0x86), DecodeError::NotIp { ethertype: 0x8600 });
    assert_eq!(with(14, 0x65), DecodeError::IpVersion { version: 6 });
    assert_eq!(with(14, 0x44), DecodeError::IpHeaderLength { len: 16 });
    assert_eq!(with(23, 17), DecodeError::NotTcp { protocol: 17 });
    assert_eq!(with(20, 0x20), DecodeError::Fragment { offset: 0 });
    assert_eq!(with(46, 0x40), DecodeError::TcpHeaderLength { len: 16 });
    assert_eq!(with(57, 3), DecodeError::Option { kind: 8, len: 3 });
    assert_eq!(
        decode(LinkType::Ethernet, &good[..40], good.len()),
        Err(DecodeError::Truncated {
            what: "TCP header",
            needed: 20,
            captured: 6
        })
    );
}
