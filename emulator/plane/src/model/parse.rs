//! What the link must know of a frame.

use std::net::IpAddr;

use windlull_link::{PureAck, TcpView};
use windlull_units::checksum::folded;
use windlull_units::{Bytes, Ecn, Network};

/// Octets of an Ethernet header.
pub(crate) const ETHERNET_LEN: usize = 14;
const ETHERTYPE_IPV4: [u8; 2] = [0x08, 0x00];
const ETHERTYPE_IPV6: [u8; 2] = [0x86, 0xDD];
/// Of a group, by the lowest bit of a frame's first octet (IEEE 802).
const GROUP: u8 = 0x01;
/// RFC 791, section 3.1; RFC 9293, section 3.1.
const IPV4_LEN: usize = 20;
const CHECKSUM: usize = 10;
/// RFC 8200, section 3.
const IPV6_LEN: usize = 40;
/// The first octet of addresses of groups (RFC 4291, section 2.7).
const MULTICAST: u8 = 0xFF;
const TCP: u8 = 6;
const UDP: u8 = 17;
const ICMPV6: u8 = 58;
const TCP_LEN: usize = 20;
/// RFC 768.
const UDP_LEN: usize = 8;
const UDP_CHECKSUM: usize = 6;
const SYN: u8 = 0x02;
/// Options of TCP (RFC 9293, section 3.2; RFC 7323, section 3.2).
const END_OF_OPTIONS: u8 = 0;
const NO_OPERATION: u8 = 1;
const TIMESTAMPS: [u8; 2] = [8, 10];

/// An IP packet in an Ethernet frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parsed {
    /// Octets by its own header; the frame may have padding behind.
    pub(crate) size: Bytes,
    /// What selectors look at; of a fragment only the first has it.
    pub(crate) tcp: Option<TcpView>,
}

/// How a packet is divided, in octets from its start.
pub(crate) struct Layout {
    /// Where the transport's header starts.
    pub(crate) transport: usize,
    /// Where the packet ends.
    pub(crate) end: usize,
    /// The transport's protocol number.
    protocol: u8,
    part: Part,
}

/// Which part of what its source sent a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Whole,
    FirstFragment,
    /// It begins with no header of the transport.
    LaterFragment,
}

/// The packet of this version of IP in a frame; `None` if it is none that the link carries, or less of it than its header says.
///
/// Of IPv6 the link carries what hosts send to each other, and not what a kernel says of its own accord: neighbour
/// discovery (RFC 4861) and the membership of groups (RFC 3810), which are ICMPv6, and what goes to groups.
pub(crate) fn parse(frame: &[u8], network: Network) -> Option<Parsed> {
    let packet = match network {
        Network::Ipv4 => ipv4(frame)?,
        Network::Ipv6 => ipv6(frame)?,
    };
    let layout = layout(packet).filter(|_| is_of(network, packet))?;
    if network == Network::Ipv6 && (packet[24] == MULTICAST || is_between_neighbours(packet, &layout)) {
        return None;
    }
    Some(Parsed {
        size: Bytes::new(layout.end as u64),
        tcp: tcp(packet, &layout),
    })
}

/// Whether a message of ICMPv6 of this type is about neighbours, routers or the membership of groups, and no error and no echo:
/// the types from 130 on (IANA's registry of ICMPv6 types; RFC 4443, sections 3 and 4).
pub const fn is_of_neighbours(icmpv6_type: u8) -> bool {
    icmpv6_type >= 130
}

/// Whether a packet of IPv6 is such a message. Those may not be fragmented (RFC 6980).
fn is_between_neighbours(packet: &[u8], layout: &Layout) -> bool {
    let is_icmpv6 = layout.protocol == ICMPV6 && layout.part != Part::LaterFragment;
    is_icmpv6 && packet.get(layout.transport).is_none_or(|kind| is_of_neighbours(*kind))
}

/// What a frame carries, if it is said to be IPv4.
pub(crate) fn ipv4(frame: &[u8]) -> Option<&[u8]> {
    let (header, packet) = frame.split_at_checked(ETHERNET_LEN)?;
    (header[12..] == ETHERTYPE_IPV4).then_some(packet)
}

/// What a frame to one host carries, if it is said to be IPv6.
fn ipv6(frame: &[u8]) -> Option<&[u8]> {
    let (header, packet) = frame.split_at_checked(ETHERNET_LEN)?;
    (header[12..] == ETHERTYPE_IPV6 && header[0] & GROUP == 0).then_some(packet)
}

/// Whether a packet's own header says this version.
fn is_of(network: Network, packet: &[u8]) -> bool {
    let version = match network {
        Network::Ipv4 => 4,
        Network::Ipv6 => 6,
    };
    packet.first().is_some_and(|first| first >> 4 == version)
}

/// How a packet is divided; `None` if it is none or has been cut.
pub(crate) fn layout(packet: &[u8]) -> Option<Layout> {
    match packet.first()? >> 4 {
        6 => layout_of_ipv6(packet),
        _ => layout_of_ipv4(packet),
    }
}

/// The same of what is said to be IPv4.
pub(crate) fn layout_of_ipv4(packet: &[u8]) -> Option<Layout> {
    if packet.len() < IPV4_LEN || packet[0] >> 4 != 4 {
        return None;
    }
    let transport = usize::from(packet[0] & 0x0F) * 4;
    let end = usize::from(word(packet, 2));
    let fragment = word(packet, 6);
    (transport >= IPV4_LEN && end >= transport && end <= packet.len()).then_some(Layout {
        transport,
        end,
        protocol: packet[9],
        // The place in the whole, and whether more of it follows (RFC 791, section 3.1).
        part: match (fragment & 0x1FFF, fragment & 0x2000) {
            (0, 0) => Part::Whole,
            (0, _) => Part::FirstFragment,
            _ => Part::LaterFragment,
        },
    })
}

fn layout_of_ipv6(packet: &[u8]) -> Option<Layout> {
    if packet.len() < IPV6_LEN {
        return None;
    }
    let end = IPV6_LEN + usize::from(word(packet, 4));
    let (mut protocol, mut transport, mut part) = (packet[6], IPV6_LEN, Part::Whole);
    let whole = packet.get(..end)?;
    // Behind the header of a later fragment stands the rest of what the first began.
    while part != Part::LaterFragment {
        let Some(extension) = Extension::of(protocol) else {
            break;
        };
        let header = whole.get(transport..transport + 8)?;
        let units = usize::from(header[1]);
        protocol = header[0];
        transport += match extension {
            Extension::Eights => 8 * (units + 1),
            Extension::Fours => 4 * (units + 2),
            Extension::Fragment => {
                // RFC 8200, section 4.5; one that is all of its packet is whole (RFC 6946).
                part = match (word(header, 2) & 0xFFF8, word(header, 2) & 1) {
                    (0, 0) => part,
                    (0, _) => Part::FirstFragment,
                    _ => Part::LaterFragment,
                };
                8
            }
        };
    }
    (transport <= end).then_some(Layout {
        transport,
        end,
        protocol,
        part,
    })
}

/// Headers that may stand between those of IPv6 and of the transport (RFC 7045, section 2), by how they tell their length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extension {
    /// Options, routing, mobility, host identity, shim6: in eights of octets, without the first.
    Eights,
    /// Authentication: in fours, without the first two (RFC 4302, section 2.2).
    Fours,
    /// Eight octets.
    Fragment,
}

impl Extension {
    const fn of(next_header: u8) -> Option<Self> {
        match next_header {
            0 | 43 | 60 | 135 | 139 | 140 => Some(Self::Eights),
            44 => Some(Self::Fragment),
            51 => Some(Self::Fours),
            _ => None,
        }
    }
}

/// Whether the packet is TCP with its header in it; then where its payload starts.
pub(crate) fn tcp_payload(packet: &[u8], layout: &Layout) -> Option<usize> {
    if layout.protocol != TCP || layout.part == Part::LaterFragment || layout.end < layout.transport + TCP_LEN {
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
    let whole = layout.part == Part::Whole;
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

/// A product with an odd number loses nothing of what is multiplied.
const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

/// A number of the packet's flow: of its addresses, its protocol and, where it has them, its ports (RFC 8290, section 4.1).
/// Fragments but the first have none, and the first is treated as they are, so that all of a packet stay together.
///
/// IPv6's flow label is left out: Linux draws another one for a connection at each retransmission timeout.
pub(crate) fn flow(packet: &[u8]) -> u64 {
    let ports = ports(packet).map_or(0, |[source, destination]| {
        u64::from(source) << 16 | u64::from(destination)
    });
    let (addresses, protocol) = match layout(packet) {
        Some(layout) if is_ipv6(packet) => (mixed(&packet[8..IPV6_LEN]), layout.protocol),
        _ => (mixed(&packet[12..IPV4_LEN]), packet[9]),
    };
    addresses ^ (ports << 8 | u64::from(protocol))
}

/// A number of these octets, which are a multiple of eight; of eight, no two have the same.
fn mixed(octets: &[u8]) -> u64 {
    octets.chunks_exact(size_of::<u64>()).fold(0, |hash: u64, chunk| {
        let word = chunk.iter().fold(0, |word, &octet| word << 8 | u64::from(octet));
        (hash ^ word).wrapping_mul(ODD)
    })
}

/// The ports of source and destination of a whole packet of TCP or UDP.
pub(crate) fn ports(packet: &[u8]) -> Option<[u16; 2]> {
    let layout = layout(packet)?;
    let whole = layout.part == Part::Whole;
    let has_ports = whole && matches!(layout.protocol, TCP | UDP) && layout.end >= layout.transport + 4;
    has_ports.then(|| [0, 2].map(|at| word(packet, layout.transport + at)))
}

/// Which of a packet's ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PortOf {
    Source,
    Destination,
}

impl PortOf {
    /// Where the port stands in the transport's header.
    const fn place(self) -> usize {
        match self {
            Self::Source => 0,
            Self::Destination => 2,
        }
    }

    /// The address beside the port, in a packet with a whole header.
    fn address(self, packet: &[u8]) -> Option<IpAddr> {
        if is_ipv6(packet) {
            let [source, destination] = [8, 24].map(|at| packet.get(at..at + 16));
            let octets = self.of(source, destination)?;
            return Some(IpAddr::from(<[u8; 16]>::try_from(octets).ok()?));
        }
        let [source, destination] = [12, 16].map(|at| packet.get(at..at + 4));
        let octets = self.of(source, destination)?;
        Some(IpAddr::from(<[u8; 4]>::try_from(octets).ok()?))
    }

    fn of<T>(self, source: T, destination: T) -> T {
        match self {
            Self::Source => source,
            Self::Destination => destination,
        }
    }
}

/// The address and port of one end of a whole UDP datagram.
pub(crate) fn udp_place(packet: &[u8], of: PortOf) -> Option<(IpAddr, u16)> {
    let [source, destination] = ports(packet)?;
    let is_udp = layout(packet)?.protocol == UDP;
    let address = of.address(packet)?;
    is_udp.then(|| (address, of.of(source, destination)))
}

/// Gives one end of a whole UDP datagram another port, and mends the checksum by what that changes (RFC 1624, equation 3);
/// one that is none stays so (RFC 768).
pub(crate) fn set_udp_port(packet: &mut [u8], of: PortOf, port: u16) {
    let Some(layout) = layout(packet).filter(|layout| layout.end >= layout.transport + UDP_LEN) else {
        return;
    };
    let (at, checksum) = (layout.transport + of.place(), layout.transport + UDP_CHECKSUM);
    let before = word(packet, at);
    packet[at..at + 2].copy_from_slice(&port.to_be_bytes());
    let old = word(packet, checksum);
    if old == 0 {
        return;
    }
    let mended = !folded([!old, !before, port].map(u64::from).iter().sum());
    // Zero would say that there is none.
    let mended = if mended == 0 { u16::MAX } else { mended };
    packet[checksum..checksum + 2].copy_from_slice(&mended.to_be_bytes());
}

const fn is_ipv6(packet: &[u8]) -> bool {
    packet[0] >> 4 == 6
}

/// The codepoint in an IP header. IPv6's traffic class lies across the first two octets, its low half in the second
/// (RFC 8200, section 3).
pub(crate) const fn ecn(packet: &[u8]) -> Ecn {
    if is_ipv6(packet) {
        Ecn::of_octet(packet[1] >> 4)
    } else {
        Ecn::of_octet(packet[1])
    }
}

/// Sets the mark of congestion in an IP header. IPv4's has a checksum, which is mended by what was changed (RFC 1624,
/// equation 3).
pub(crate) fn mark(packet: &mut [u8]) {
    if is_ipv6(packet) {
        packet[1] |= Ecn::Ce.bits() << 4;
        return;
    }
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

    fn parse(frame: &[u8]) -> Option<Parsed> {
        super::parse(frame, Network::Ipv4)
    }

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

    /// A datagram from the address of ones to that of twos, and where its UDP header begins.
    fn datagram(network: Network, ports: [u16; 2], checksum: u16, payload: &[u8]) -> (Vec<u8>, usize) {
        let len = u16::try_from(UDP_LEN + payload.len()).expect("a short packet");
        let mut packet = match network {
            Network::Ipv4 => {
                let mut header = vec![0; IPV4_LEN];
                (header[0], header[9]) = (0x45, UDP);
                header[2..4].copy_from_slice(&(len + 20).to_be_bytes());
                header[12..16].fill(1);
                header[16..].fill(2);
                header
            }
            Network::Ipv6 => {
                let mut header = vec![0; IPV6_LEN];
                (header[0], header[6]) = (0x60, UDP);
                header[4..6].copy_from_slice(&len.to_be_bytes());
                header[8..24].fill(1);
                header[24..].fill(2);
                header
            }
        };
        let at = packet.len();
        packet.extend(ports.into_iter().chain([len, checksum]).flat_map(u16::to_be_bytes));
        packet.extend(payload);
        (packet, at)
    }

    proptest! {
        #[test]
        fn another_port_keeps_the_checksum_right(
            payload in prop::collection::vec(any::<u8>(), 0..100), ports: [u16; 2], port: u16, checksum in 1_u16..,
        ) {
            for network in [Network::Ipv4, Network::Ipv6] {
                for (of, place) in [(PortOf::Source, 0), (PortOf::Destination, 1)] {
                    let (mut packet, at) = datagram(network, ports, checksum, &payload);
                    let before = folded(sum(&packet[at..]));
                    set_udp_port(&mut packet, of, port);
                    prop_assert_eq!(folded(sum(&packet[at..])) % u16::MAX, before % u16::MAX);
                    prop_assert_ne!(&packet[at + 6..at + 8], &[0, 0]);
                    prop_assert_eq!(udp_place(&packet, of).map(|(_, port)| port), Some(port));
                    prop_assert_eq!(super::ports(&packet).map(|all| all[1 - place]), Some(ports[1 - place]));
                }
            }
        }
    }

    #[test]
    fn the_address_beside_a_port_is_that_of_its_end() {
        let place = |network, of| {
            let (packet, _) = datagram(network, [7, 9], 0, &[]);
            udp_place(&packet, of)
        };
        assert_eq!(place(Network::Ipv4, PortOf::Source), Some((IpAddr::from([1; 4]), 7)));
        assert_eq!(
            place(Network::Ipv4, PortOf::Destination),
            Some((IpAddr::from([2; 4]), 9))
        );
        assert_eq!(place(Network::Ipv6, PortOf::Source), Some((IpAddr::from([1; 16]), 7)));
        assert_eq!(
            place(Network::Ipv6, PortOf::Destination),
            Some((IpAddr::from([2; 16]), 9))
        );
    }

    #[test]
    fn without_a_checksum_another_port_needs_none() {
        let (mut packet, at) = datagram(Network::Ipv4, [7, 9], 0, &[]);
        set_udp_port(&mut packet, PortOf::Source, 8);
        assert_eq!(udp_place(&packet, PortOf::Source).map(|(_, port)| port), Some(8));
        assert_eq!(packet[at + UDP_CHECKSUM..], [0, 0]);
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

    /// A frame of TCP over IPv6, with these octets of extension headers, of which the first is of this kind, and so many
    /// of payload.
    fn frame_of_ipv6(first: u8, extensions: &[u8], payload: usize) -> Vec<u8> {
        let mut frame = vec![0; ETHERNET_LEN + IPV6_LEN];
        frame[12..14].copy_from_slice(&ETHERTYPE_IPV6);
        let len = u16::try_from(extensions.len() + TCP_LEN + payload).expect("a short packet");
        let packet = &mut frame[ETHERNET_LEN..];
        packet[0] = 0x60;
        packet[4..6].copy_from_slice(&len.to_be_bytes());
        (packet[6], packet[7]) = (first, 64);
        packet[8..24].copy_from_slice(&[0x20, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        packet[24..40].copy_from_slice(&[0x20, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
        frame.extend_from_slice(extensions);
        let tcp = frame.len();
        frame.resize(tcp + TCP_LEN + payload, 0);
        frame[tcp..tcp + 4].copy_from_slice(&[0xC0, 0, 0xC0, 1]);
        frame[tcp + 4..tcp + 8].copy_from_slice(&7_u32.to_be_bytes());
        (frame[tcp + 12], frame[tcp + 13]) = (0x50, 0x10);
        frame
    }

    fn of_ipv6(frame: &[u8]) -> Option<Parsed> {
        super::parse(frame, Network::Ipv6)
    }

    #[test]
    fn a_segment_over_ipv6_is_seen_behind_extension_headers() {
        let plain = of_ipv6(&frame_of_ipv6(TCP, &[], 100)).expect("a packet");
        assert_eq!((plain.size, plain.tcp), (Bytes::new(160), view(7, 100, false)));
        // Options of 16 octets, then a fragment header of a whole packet.
        let mut extensions = vec![44, 1];
        extensions.resize(16, 0);
        extensions.extend([TCP, 0, 0, 0, 0, 0, 0, 9]);
        let behind = frame_of_ipv6(60, &extensions, 100);
        let found = of_ipv6(&behind).expect("a packet");
        assert_eq!((found.size, found.tcp), (Bytes::new(184), view(7, 100, false)));
        assert_eq!(ports(&behind[ETHERNET_LEN..]), Some([0xC000, 0xC001]));
        // Of a fragment the first has the segment, the others have none, and neither has ports.
        let first = frame_of_ipv6(44, &[TCP, 0, 0, 1, 0, 0, 0, 9], 100);
        let later = frame_of_ipv6(44, &[TCP, 0, 0, 9, 0, 0, 0, 9], 100);
        assert_eq!(of_ipv6(&first).map(|found| found.tcp), Some(view(7, 100, false)));
        assert_eq!(of_ipv6(&later).map(|found| found.tcp), Some(None));
        for fragment in [first, later] {
            assert_eq!(ports(&fragment[ETHERNET_LEN..]), None);
        }
        // Padding is not of the packet.
        let mut padded = frame_of_ipv6(TCP, &[], 3);
        padded.resize(200, 0xFF);
        assert_eq!(of_ipv6(&padded).map(|found| found.size), Some(Bytes::new(63)));
    }

    #[test]
    fn what_a_kernel_says_of_its_own_accord_over_ipv6_is_foreign() {
        let good = frame_of_ipv6(TCP, &[], 100);
        let wrong = |changes: &[(usize, u8)]| {
            let mut frame = good.clone();
            for &(at, octet) in changes {
                frame[at] = octet;
            }
            of_ipv6(&frame)
        };
        assert!(wrong(&[]).is_some());
        // A neighbour's solicitation, a report of a group's membership behind a hop-by-hop option, a frame and a packet to a
        // group.
        assert_eq!(wrong(&[(ETHERNET_LEN + 6, ICMPV6)]), None);
        assert_eq!(of_ipv6(&frame_of_ipv6(0, &[ICMPV6, 0, 5, 2, 0, 0, 1, 0], 20)), None);
        assert_eq!(wrong(&[(0, 0x33), (1, 0x33)]), None);
        assert_eq!(wrong(&[(ETHERNET_LEN + 24, MULTICAST)]), None);
        // A solicitation by its type, and what hosts send to each other: errors and echoes.
        let icmpv6 = |kind| wrong(&[(ETHERNET_LEN + 6, ICMPV6), (ETHERNET_LEN + IPV6_LEN, kind)]);
        for kind in [130, 133, 135, 136, 143] {
            assert_eq!(icmpv6(kind), None, "{kind}");
        }
        for kind in [1, 3, 128, 129] {
            let found = icmpv6(kind).expect("the link carries it");
            assert_eq!((found.size, found.tcp), (Bytes::new(160), None), "{kind}");
        }
        // Another version, by the frame or by the packet; and what has been cut.
        assert_eq!(wrong(&[(12, 0x08), (13, 0x00)]), None);
        assert_eq!(wrong(&[(ETHERNET_LEN, 0x45)]), None);
        assert_eq!(of_ipv6(&good[..good.len() - 1]), None);
        assert_eq!(of_ipv6(&good[..ETHERNET_LEN + 39]), None);
        assert_eq!(of_ipv6(&frame(100, 0, 7, 0x10)), None, "IPv4");
        assert_eq!(parse(&good), None, "where packets are IPv4");
    }

    #[test]
    fn an_acknowledgement_over_ipv6_is_known_and_marks_stand_in_the_traffic_class() {
        let mut packet = frame_of_ipv6(TCP, &[], 0).split_off(ETHERNET_LEN);
        packet[48..52].copy_from_slice(&[1, 2, 3, 4]);
        let number = 0x0102_0304;
        assert_eq!(pure_ack(&packet), Some(PureAck { number, echoes: 0 }));
        assert_eq!(ecn(&packet), Ecn::NotEct);
        // ECT(0) in the low half of the class, which stands in the high half of the octet; around it a part of the class and
        // of the flow label.
        (packet[0], packet[1]) = (0x6A, 0x2B);
        assert_eq!(ecn(&packet), Ecn::Ect0);
        let mut marked = packet.clone();
        mark(&mut marked);
        assert_eq!(ecn(&marked), Ecn::Ce);
        assert_eq!((marked[0], marked[1]), (0x6A, 0x3B));
        assert_eq!(marked[2..], packet[2..], "there is no checksum to mend");
        assert_eq!(pure_ack(&marked), None);
    }

    #[test]
    fn a_flow_over_ipv6_is_of_addresses_protocol_and_ports() {
        let packet = |change: &[(usize, u8)]| {
            let mut packet = frame_of_ipv6(TCP, &[], 100).split_off(ETHERNET_LEN);
            for &(at, octet) in change {
                packet[at] = octet;
            }
            flow(&packet)
        };
        // Neither the class, the flow label, the hop limit nor what the segment says.
        assert_eq!(
            packet(&[(1, 0x3F), (2, 9), (3, 9), (7, 1), (47, 1), (53, 2), (90, 5)]),
            packet(&[])
        );
        for at in [6, 8, 23, 24, 39, 40, 41, 42, 43] {
            assert_ne!(packet(&[(at, 17)]), packet(&[]), "octet {at}");
        }
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

        #[test]
        fn no_octets_of_ipv6_make_it_fail(
            mut octets in prop::collection::vec(any::<u8>(), 60..160), first in prop::sample::select(vec![0_u8, 6, 43, 44, 51]),
        ) {
            octets[0] = 2;
            octets[12..14].copy_from_slice(&ETHERTYPE_IPV6);
            octets[ETHERNET_LEN] = 0x60;
            octets[ETHERNET_LEN + 4] = 0;
            octets[ETHERNET_LEN + 6] = first;
            if let Some(found) = of_ipv6(&octets) {
                prop_assert!(found.size.get() as usize <= octets.len() - ETHERNET_LEN);
                let packet = &mut octets[ETHERNET_LEN..];
                let _ = (flow(packet), ports(packet), pure_ack(packet));
                mark(packet);
                prop_assert_eq!(ecn(packet), Ecn::Ce);
            }
        }
    }
}
