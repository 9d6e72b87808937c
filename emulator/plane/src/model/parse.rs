//! What the link must know of a frame.

use windlull_link::{PureAck, TcpView};
use windlull_units::checksum::folded;
use windlull_units::{Bytes, Ecn};

/// Octets of an Ethernet header.
pub(crate) const ETHERNET_LEN: usize = 14;
const ETHERTYPE_IPV4: [u8; 2] = [0x08, 0x00];
/// RFC 791, section 3.1; RFC 9293, section 3.1.
const IPV4_LEN: usize = 20;
const CHECKSUM: usize = 10;
const TCP: u8 = 6;
const UDP: u8 = 17;
const TCP_LEN: usize = 20;
const SYN: u8 = 0x02;
/// Options of TCP (RFC 9293, section 3.2; RFC 7323, section 3.2).
const END_OF_OPTIONS: u8 = 0;
const NO_OPERATION: u8 = 1;
const TIMESTAMPS: [u8; 2] = [8, 10];

/// An IPv4 packet in an Ethernet frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parsed {
    /// Octets by its own header; the frame may have padding behind.
    pub(crate) size: Bytes,
    /// What selectors look at; of a fragment only the first has it.
    pub(crate) tcp: Option<TcpView>,
}

/// Octets of a packet, as numbers of its header.
pub(crate) struct Layout {
    /// Where the transport's header starts.
    pub(crate) transport: usize,
    /// Where the packet ends.
    pub(crate) end: usize,
}

/// The packet in a frame; `None` if it is no IPv4, or less of it than its header says.
pub(crate) fn parse(frame: &[u8]) -> Option<Parsed> {
    let packet = ipv4(frame)?;
    let layout = layout(packet)?;
    Some(Parsed {
        size: Bytes::new(layout.end as u64),
        tcp: tcp(packet, &layout),
    })
}

/// What a frame carries, if it is said to be IPv4.
pub(crate) fn ipv4(frame: &[u8]) -> Option<&[u8]> {
    let (header, packet) = frame.split_at_checked(ETHERNET_LEN)?;
    (header[12..] == ETHERTYPE_IPV4).then_some(packet)
}

/// How an IPv4 packet is divided; `None` if it is none or has been cut.
pub(crate) fn layout(packet: &[u8]) -> Option<Layout> {
    if packet.len() < IPV4_LEN || packet[0] >> 4 != 4 {
        return None;
    }
    let transport = usize::from(packet[0] & 0x0F) * 4;
    let end = usize::from(word(packet, 2));
    (transport >= IPV4_LEN && end >= transport && end <= packet.len()).then_some(Layout { transport, end })
}

/// Whether the packet is TCP with its header in it; then where its payload starts.
pub(crate) fn tcp_payload(packet: &[u8], layout: &Layout) -> Option<usize> {
    let first_fragment = word(packet, 6) & 0x1FFF == 0;
    if packet[9] != TCP || !first_fragment || layout.end < layout.transport + TCP_LEN {
        return None;
    }
    let payload = layout.transport + usize::from(packet[layout.transport + 12] >> 4) * 4;
    (payload <= layout.end && payload >= layout.transport + TCP_LEN).then_some(payload)
}

fn tcp(packet: &[u8], layout: &Layout) -> Option<TcpView> {
    let payload = tcp_payload(packet, layout)?;
    let header = &packet[layout.transport..];
    Some(TcpView {
        seq: u32::from_be_bytes([header[4], header[5], header[6], header[7]]),
        payload_len: u32::try_from(layout.end - payload).ok()?,
        syn: header[13] & SYN != 0,
    })
}

/// What a packet acknowledges, if it is TCP, whole, and does nothing else.
pub(crate) fn pure_ack(packet: &[u8]) -> Option<PureAck> {
    let layout = layout(packet)?;
    let whole = word(packet, 6) & 0x3FFF == 0;
    let payload = tcp_payload(packet, &layout).filter(|&payload| whole && payload == layout.end)?;
    let header = &packet[layout.transport..payload];
    if ecn(packet) == Ecn::Ce || !has_only_timestamps(&header[TCP_LEN..]) {
        return None;
    }
    let number = u32::from_be_bytes([header[8], header[9], header[10], header[11]]);
    PureAck::of(word(header, 12), number)
}

/// Whether there is no other option, and none that is cut.
fn has_only_timestamps(mut options: &[u8]) -> bool {
    loop {
        options = match options {
            [] | [END_OF_OPTIONS, ..] => return true,
            [NO_OPERATION, rest @ ..] => rest,
            [kind, len, _, _, _, _, _, _, _, _, rest @ ..] if [*kind, *len] == TIMESTAMPS => rest,
            _ => return false,
        };
    }
}

/// A number of the packet's flow: of its addresses, its protocol and, where it has them, its ports (RFC 8290, section 4.1).
/// Fragments but the first have none, and the first is treated as they are, so that all of a packet stay together.
pub(crate) fn flow(packet: &[u8]) -> u64 {
    let addresses = u64::from_be_bytes([
        packet[12], packet[13], packet[14], packet[15], packet[16], packet[17], packet[18], packet[19],
    ]);
    let ports = ports(packet).map_or(0, |[source, destination]| {
        u64::from(source) << 16 | u64::from(destination)
    });
    // A product with an odd number loses nothing of the addresses.
    addresses.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (ports << 8 | u64::from(packet[9]))
}

/// The ports of source and destination of a whole packet of TCP or UDP.
pub(crate) fn ports(packet: &[u8]) -> Option<[u16; 2]> {
    let layout = layout(packet)?;
    let whole = word(packet, 6) & 0x3FFF == 0;
    let has_ports = whole && matches!(packet[9], TCP | UDP) && layout.end >= layout.transport + 4;
    has_ports.then(|| [0, 2].map(|at| word(packet, layout.transport + at)))
}

/// The codepoint in an IPv4 header.
pub(crate) const fn ecn(packet: &[u8]) -> Ecn {
    Ecn::of_octet(packet[1])
}

/// Sets the mark of congestion in an IPv4 header, and mends the header's checksum by what it changed (RFC 1624, equation 3).
pub(crate) fn mark(packet: &mut [u8]) {
    let before = word(packet, 0);
    packet[1] |= Ecn::Ce.bits();
    let sum = [!word(packet, CHECKSUM), !before, word(packet, 0)].map(u64::from);
    let checksum = !folded(sum.iter().sum());
    packet[CHECKSUM..CHECKSUM + 2].copy_from_slice(&checksum.to_be_bytes());
}

fn word(octets: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([octets[at], octets[at + 1]])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use windlull_units::checksum::sum;

    use super::*;

    /// A frame of TCP with so many octets of payload and of options.
    fn frame(payload: usize, options: usize, seq: u32, flags: u8) -> Vec<u8> {
        let mut frame = vec![0; ETHERNET_LEN + IPV4_LEN + TCP_LEN + options + payload];
        frame[12..14].copy_from_slice(&ETHERTYPE_IPV4);
        let packet = &mut frame[ETHERNET_LEN..];
        let len = u16::try_from(packet.len()).expect("a short packet");
        packet[0] = 0x45;
        packet[2..4].copy_from_slice(&len.to_be_bytes());
        packet[9] = TCP;
        packet[24..28].copy_from_slice(&seq.to_be_bytes());
        packet[32] = u8::try_from((TCP_LEN + options) / 4).expect("a header's length") << 4;
        packet[33] = flags;
        frame
    }

    fn view(seq: u32, payload_len: u32, syn: bool) -> Option<TcpView> {
        Some(TcpView { seq, payload_len, syn })
    }

    #[test]
    fn a_segment_is_seen_with_its_options() {
        let found = parse(&frame(100, 12, 0xFEDC_BA98, 0x10)).expect("a packet");
        assert_eq!(found.size, Bytes::new(152));
        assert_eq!(found.tcp, view(0xFEDC_BA98, 100, false));
        let syn = parse(&frame(0, 0, 7, SYN)).expect("a packet");
        assert_eq!((syn.size, syn.tcp), (Bytes::new(40), view(7, 0, true)));
    }

    #[test]
    fn a_segment_that_only_acknowledges_is_known() {
        let found = |payload, options: &[u8], bits: u8, change: &[(usize, u8)]| {
            let mut packet = frame(payload, options.len(), 7, bits).split_off(ETHERNET_LEN);
            packet[28..32].copy_from_slice(&[1, 2, 3, 4]);
            packet[40..40 + options.len()].copy_from_slice(options);
            for &(at, octet) in change {
                packet[at] = octet;
            }
            pure_ack(&packet)
        };
        let ack = |echoes| {
            let number = 0x0102_0304;
            Some(PureAck { number, echoes })
        };
        let timestamps = [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2];
        assert_eq!(found(0, &[], 0x10, &[]), ack(0));
        assert_eq!(found(0, &timestamps, 0x10, &[]), ack(0));
        assert_eq!(
            found(0, &[0, 5, 5, 5], 0x10, &[]),
            ack(0),
            "nothing is behind the end of options"
        );
        assert_eq!(found(0, &[], 0xD0, &[(32, 0x51)]), ack(0x1C0), "AE, CWR and ECE");
        // Data, FIN, SYN, RST, PSH, URG, no ACK.
        assert_eq!(found(1, &[], 0x10, &[]), None);
        for bits in [0x11, 0x12, 0x14, 0x18, 0x30, 0x00] {
            assert_eq!(found(0, &[], bits, &[]), None, "{bits:#x}");
        }
        // SACK blocks, another option, timestamps that are cut, a mark, a fragment, another protocol.
        assert_eq!(found(0, &[1, 1, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2], 0x10, &[]), None);
        assert_eq!(found(0, &[30, 4, 0, 0], 0x10, &[]), None);
        assert_eq!(found(0, &[8, 10, 0, 0], 0x10, &[]), None);
        assert_eq!(found(0, &[], 0x10, &[(1, 3)]), None);
        assert_eq!(found(0, &[], 0x10, &[(6, 0x20)]), None);
        assert_eq!(found(0, &[], 0x10, &[(9, UDP)]), None);
    }

    #[test]
    fn a_flow_is_of_addresses_protocol_and_ports() {
        let packet = |change: &[(usize, u8)]| {
            let mut frame = frame(100, 0, 7, 0x10);
            for &(at, octet) in change {
                frame[ETHERNET_LEN + at] = octet;
            }
            frame.split_off(ETHERNET_LEN)
        };
        let plain = flow(&packet(&[]));
        // Neither the identification, the codepoint, the sequence number nor what the segment says.
        assert_eq!(flow(&packet(&[(1, 3), (5, 9), (27, 1), (33, 0x02), (60, 5)])), plain);
        for at in [9, 15, 19, 20, 21, 22, 23] {
            assert_ne!(flow(&packet(&[(at, 17)])), plain, "octet {at}");
        }
        // All fragments of a packet are of one flow, whatever stands where the ports would be.
        let first = flow(&packet(&[(6, 0x20)]));
        assert_eq!(flow(&packet(&[(6, 0x20), (21, 8)])), first);
        assert_eq!(flow(&packet(&[(7, 3), (21, 9)])), first);
    }

    proptest! {
        #[test]
        fn a_marked_header_has_a_right_checksum(
            mut header in prop::array::uniform20(any::<u8>()), codepoint in 1..4_u8, options in 0..8_usize,
        ) {
            header[0] = 0x45;
            header[1] = header[1] & !3 | codepoint;
            header[CHECKSUM..CHECKSUM + 2].fill(0);
            let checksum = !folded(sum(&header));
            header[CHECKSUM..CHECKSUM + 2].copy_from_slice(&checksum.to_be_bytes());
            let mut marked = header.to_vec();
            marked.extend(vec![7; options]);
            mark(&mut marked);
            prop_assert_eq!(ecn(&marked), Ecn::Ce);
            prop_assert_eq!(marked[1] & !3, header[1] & !3);
            prop_assert_eq!(folded(sum(&marked[..IPV4_LEN])), 0xFFFF);
            prop_assert_eq!(&marked[12..IPV4_LEN], &header[12..]);
        }
    }

    #[test]
    fn padding_is_not_of_the_packet() {
        let mut padded = frame(3, 0, 7, 0);
        padded.resize(60 + ETHERNET_LEN, 0xFF);
        let found = parse(&padded).expect("a packet");
        assert_eq!((found.size, found.tcp), (Bytes::new(43), view(7, 3, false)));
    }

    #[test]
    fn fragments_and_other_protocols_have_no_segment() {
        let mut fragment = frame(100, 0, 7, 0);
        fragment[ETHERNET_LEN + 7] = 1;
        assert_eq!(parse(&fragment).map(|packet| packet.tcp), Some(None));
        let mut udp = frame(100, 0, 7, 0);
        udp[ETHERNET_LEN + 9] = 17;
        assert_eq!(parse(&udp).map(|packet| packet.tcp), Some(None));
    }

    #[test]
    fn what_is_no_ipv4_is_nothing() {
        let good = frame(100, 0, 7, 0);
        let wrong = |place: usize, octet: u8| {
            let mut frame = good.clone();
            frame[place] = octet;
            frame
        };
        assert_eq!(parse(&wrong(12, 0x86)), None);
        assert_eq!(parse(&wrong(ETHERNET_LEN, 0x65)), None);
        assert_eq!(parse(&wrong(ETHERNET_LEN, 0x44)), None);
        // Longer than the frame, shorter than its header.
        assert_eq!(parse(&wrong(ETHERNET_LEN + 2, 0xFF)), None);
        assert_eq!(parse(&wrong(ETHERNET_LEN + 3, 19)), None);
        assert_eq!(parse(&good[..ETHERNET_LEN + 139]), None);
        assert_eq!(parse(&good[..20]), None);
        assert_eq!(parse(&[]), None);
    }

    #[test]
    fn a_segment_that_leaves_its_packet_is_none() {
        let mut long = frame(0, 0, 7, 0);
        long[ETHERNET_LEN + 32] = 0xF0;
        assert_eq!(parse(&long).map(|packet| packet.tcp), Some(None));
        let mut short = frame(0, 0, 7, 0);
        short[ETHERNET_LEN + 32] = 0x40;
        assert_eq!(parse(&short).map(|packet| packet.tcp), Some(None));
    }

    proptest! {
        #[test]
        fn no_octets_make_it_fail(mut octets in prop::collection::vec(any::<u8>(), 0..120), version in 0x40..0x50_u8) {
            let _ = parse(&octets);
            if octets.len() > ETHERNET_LEN + 4 {
                octets[12..14].copy_from_slice(&ETHERTYPE_IPV4);
                octets[ETHERNET_LEN] = version;
                octets[ETHERNET_LEN + 2] = 0;
                if let Some(found) = parse(&octets) {
                    prop_assert!(found.size.get() as usize <= octets.len() - ETHERNET_LEN);
                }
            }
        }
    }
}
