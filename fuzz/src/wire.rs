//! Packets off the wire: what is understood can be said again, and means the same.

use std::net::{Ipv4Addr, SocketAddrV4};

use windlull_wire::packet::{Checksum, Encoder, LinkType, Payload, decode, decode_options, encode_options};

/// The options of a TCP header. First octet: how many octets the header leaves for them.
///
/// # Panics
/// If options that were understood do not survive being written and read again.
pub fn tcp_options(octets: &[u8]) {
    let Some((&room, options)) = octets.split_first() else {
        return;
    };
    let Ok(options) = decode_options(options, usize::from(room % 41)) else {
        return;
    };
    let mut written = Vec::new();
    if encode_options(&options, &mut written).is_ok() {
        assert_eq!(written.len() % 4, 0, "options are padded to whole words");
        let again = decode_options(&written, written.len()).expect("what we write, we read");
        assert_eq!(again, options);
    }
}

const LINK_TYPES: [LinkType; 5] = [
    LinkType::Ethernet,
    LinkType::RawIp,
    LinkType::Null,
    LinkType::LinuxCooked,
    LinkType::LinuxCooked2,
];

/// A captured frame. First octet: its link type; second: how many octets the capture cut off.
///
/// # Panics
/// If what is said of the frame does not fit it, or a segment does not survive being written and read again.
pub fn packet(octets: &[u8]) {
    let [kind, cut, frame @ ..] = octets else { return };
    let link = LINK_TYPES[usize::from(*kind) % LINK_TYPES.len()];
    let Ok(packet) = decode(link, frame, frame.len() + usize::from(*cut)) else {
        return;
    };
    let captured = frame
        .get(packet.payload.clone())
        .expect("the payload lies within the frame");
    let segment = packet.segment;
    assert!(
        captured.len() <= segment.payload_len as usize,
        "no more was captured than was sent"
    );
    if captured.len() < segment.payload_len as usize {
        assert_ne!(
            packet.checksum,
            Checksum::Right,
            "octets that are not there cannot be checked"
        );
        return;
    }

    let here = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 1);
    let mut written = Vec::new();
    let Ok(len) = Encoder::new(here, here).encode(7, &segment, Payload::Octets(captured), usize::MAX, &mut written)
    else {
        return;
    };
    assert_eq!(written.len(), len as usize);
    let again = decode(LinkType::Ethernet, &written, written.len()).expect("what we write, we read");
    assert_eq!(again.checksum, Checksum::Right);
    assert_eq!(again.segment, segment);
    assert_eq!(&written[again.payload], captured);
}
