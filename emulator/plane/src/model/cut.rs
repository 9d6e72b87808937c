//! What a sending kernel left to its device, done here: a frame larger than any wire carries becomes segments or
//! datagrams, and unfinished checksums are finished. The link carries packets as a wire would.

use windlull_units::checksum::{folded, sum};

use super::frame::{CAPACITY, Refused};
use super::parse::{self, ETHERNET_LEN};
use crate::packet_socket::{Cut, Offload, Unfinished};

/// RFC 9293, section 3.1.
const TCP: u8 = 6;
const TCP_FLAGS: usize = 13;
const TCP_CHECKSUM: usize = 16;
const FIN_AND_PSH: u8 = 0x09;
/// RFC 3168, section 6.1.2: said once.
const CWR: u8 = 0x80;
/// RFC 768.
const UDP: u8 = 17;
const UDP_LEN: usize = 8;
const UDP_CHECKSUM: usize = 6;

/// Hands over the frames that a wire would carry instead of this one.
///
/// # Errors
/// If it is not whole, or to be cut in a way that we do not know; and what `emit` says, with the first of them.
pub(super) fn frames(
    frame: &[u8],
    offload: Offload,
    mut emit: impl FnMut(&[u8]) -> Result<(), Refused>,
) -> Result<(), Refused> {
    match offload {
        Offload {
            cut: None,
            checksum: None,
        } => emit(frame),
        Offload {
            cut: None,
            checksum: Some(unfinished),
        } => {
            let mut whole = [0; CAPACITY];
            let whole = whole.get_mut(..frame.len()).ok_or(Refused::TooLong)?;
            whole.copy_from_slice(frame);
            finish(whole, unfinished).ok_or(Refused::Foreign)?;
            emit(whole)
        }
        Offload { cut: Some(cut), .. } => Large::new(frame, cut).ok_or(Refused::TooLong)?.cut(emit),
    }
}

/// A frame that is to be cut.
struct Large<'a> {
    frame: &'a [u8],
    /// Where the transport's header begins, and where the payload does.
    transport: usize,
    payload: usize,
    /// Octets of payload in each piece.
    size: usize,
    protocol: u8,
}

impl<'a> Large<'a> {
    fn new(frame: &'a [u8], cut: Cut) -> Option<Self> {
        let packet = parse::ipv4(frame)?;
        let layout = parse::layout_of_ipv4(packet)?;
        let (payload, size, protocol) = match cut {
            Cut::Tcp(size) => (parse::tcp_payload(packet, &layout)?, size, TCP),
            Cut::Udp(size) if packet[9] == UDP => (layout.transport + UDP_LEN, size, UDP),
            Cut::Udp(_) | Cut::Unknown => return None,
        };
        (payload <= layout.end).then(|| Self {
            frame: &frame[..ETHERNET_LEN + layout.end],
            transport: ETHERNET_LEN + layout.transport,
            payload: ETHERNET_LEN + payload,
            size: usize::from(size),
            protocol,
        })
    }

    fn cut(&self, mut emit: impl FnMut(&[u8]) -> Result<(), Refused>) -> Result<(), Refused> {
        let (headers, payload) = self.frame.split_at(self.payload);
        let mut piece = [0; CAPACITY];
        let pieces = payload.len().div_ceil(self.size);
        for (number, octets) in payload.chunks(self.size).enumerate() {
            let len = headers.len() + octets.len();
            let piece = piece.get_mut(..len).ok_or(Refused::TooLong)?;
            piece[..headers.len()].copy_from_slice(headers);
            piece[headers.len()..].copy_from_slice(octets);
            self.head(piece, number, number + 1 == pieces);
            emit(piece)?;
        }
        Ok(())
    }

    /// Makes the headers those of this piece.
    fn head(&self, piece: &mut [u8], number: usize, is_last: bool) {
        let packet = &mut piece[ETHERNET_LEN..];
        let len = packet.len() as u16;
        let (ip, transport) = packet.split_at_mut(self.transport - ETHERNET_LEN);
        // RFC 791, section 3.1: length, identification, checksum.
        ip[2..4].copy_from_slice(&len.to_be_bytes());
        let identification = word(ip, 4).wrapping_add(number as u16);
        ip[4..6].copy_from_slice(&identification.to_be_bytes());
        ip[10..12].fill(0);
        let checksum = !folded(sum(ip));
        ip[10..12].copy_from_slice(&checksum.to_be_bytes());
        let place = if self.protocol == TCP {
            let begins = u32::from_be_bytes([transport[4], transport[5], transport[6], transport[7]]);
            let begins = begins.wrapping_add((number * self.size) as u32);
            transport[4..8].copy_from_slice(&begins.to_be_bytes());
            if !is_last {
                transport[TCP_FLAGS] &= !FIN_AND_PSH;
            }
            if number > 0 {
                transport[TCP_FLAGS] &= !CWR;
            }
            TCP_CHECKSUM
        } else {
            let len = transport.len() as u16;
            transport[4..6].copy_from_slice(&len.to_be_bytes());
            UDP_CHECKSUM
        };
        transport[place..place + 2].fill(0);
        // RFC 9293, section 3.1; RFC 768: addresses, protocol and length go before.
        let pseudo = sum(&ip[12..20]) + u64::from(self.protocol) + transport.len() as u64;
        write_checksum(transport, place, pseudo + sum(transport));
    }
}

/// Finishes a checksum whose place has the pseudo header's sum. `None` if it is outside of the frame.
fn finish(frame: &mut [u8], unfinished: Unfinished) -> Option<()> {
    let covered = frame.get_mut(usize::from(unfinished.start)..)?;
    let place = usize::from(unfinished.offset);
    covered.get(place..place + 2)?;
    let sum = sum(covered);
    write_checksum(covered, place, sum);
    Some(())
}

fn write_checksum(octets: &mut [u8], place: usize, sum: u64) {
    let checksum = match !folded(sum) {
        // RFC 768: zero would mean that there is none. TCP has zero: tools call the other one wrong (RFC 1624, section
        // 3).
        0 if place == UDP_CHECKSUM => 0xFFFF,
        checksum => checksum,
    };
    octets[place..place + 2].copy_from_slice(&checksum.to_be_bytes());
}

fn word(octets: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([octets[at], octets[at + 1]])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const IP: usize = ETHERNET_LEN;
    const TRANSPORT: usize = IP + 20;

    /// A frame with so many octets of payload behind a transport header of this length.
    fn large(protocol: u8, header: usize, payload: usize) -> Vec<u8> {
        let mut frame = vec![0; TRANSPORT + header];
        frame.extend((0..payload).map(|place| (place % 251) as u8));
        let len = (20 + header + payload) as u16;
        frame[12] = 0x08;
        frame[IP] = 0x45;
        frame[IP + 2..IP + 4].copy_from_slice(&len.to_be_bytes());
        frame[IP + 4..IP + 6].copy_from_slice(&0xFFFF_u16.to_be_bytes());
        frame[IP + 9] = protocol;
        frame[IP + 12..IP + 20].copy_from_slice(&[198, 18, 1, 10, 198, 18, 2, 10]);
        if protocol == TCP {
            frame[TRANSPORT + 4..TRANSPORT + 8].copy_from_slice(&(u32::MAX - 99).to_be_bytes());
            frame[TRANSPORT + 12] = ((header / 4) as u8) << 4;
            frame[TRANSPORT + TCP_FLAGS] = FIN_AND_PSH | CWR | 0x10;
        }
        frame
    }

    fn cut(frame: &[u8], cut: Cut) -> Result<Vec<Vec<u8>>, Refused> {
        let mut pieces = Vec::new();
        let offload = Offload {
            checksum: None,
            cut: Some(cut),
        };
        frames(frame, offload, |piece| {
            pieces.push(piece.to_vec());
            Ok(())
        })?;
        Ok(pieces)
    }

    /// The checks that a receiver makes (RFC 1071: the sum with the checksum in it is all ones).
    fn assert_right(piece: &[u8]) {
        assert_eq!(folded(sum(&piece[IP..TRANSPORT])), 0xFFFF);
        let transport = &piece[TRANSPORT..];
        let pseudo = sum(&piece[IP + 12..IP + 20]) + u64::from(piece[IP + 9]) + transport.len() as u64;
        assert_eq!(folded(pseudo + sum(transport)), 0xFFFF);
        assert_eq!(usize::from(word(piece, IP + 2)), piece.len() - IP);
    }

    proptest! {
        #[test]
        fn segments_carry_the_payload_once_and_in_order(payload in 1..60_000_usize, size in 500..1_461_u16) {
            let frame = large(TCP, 32, payload);
            let pieces = cut(&frame, Cut::Tcp(size)).expect("it can be cut");
            let mut carried = Vec::new();
            let last = pieces.len() - 1;
            for (number, piece) in pieces.iter().enumerate() {
                assert_right(piece);
                let seq = u32::from_be_bytes(piece[TRANSPORT + 4..TRANSPORT + 8].try_into().expect("four"));
                prop_assert_eq!(seq, (u32::MAX - 99).wrapping_add(carried.len() as u32));
                prop_assert_eq!(word(piece, IP + 4), 0xFFFF_u16.wrapping_add(number as u16));
                let flags = piece[TRANSPORT + TCP_FLAGS];
                prop_assert_eq!(flags & FIN_AND_PSH != 0, number == last);
                prop_assert_eq!(flags & CWR != 0, number == 0);
                prop_assert!(piece.len() - TRANSPORT - 32 <= usize::from(size));
                carried.extend_from_slice(&piece[TRANSPORT + 32..]);
            }
            prop_assert_eq!(&carried, &frame[TRANSPORT + 32..]);
        }

        #[test]
        fn no_octets_make_it_fail(mut octets in prop::collection::vec(any::<u8>(), 0..200), size: u16, start: u16, offset: u16) {
            if octets.len() > 14 {
                octets[12..14].copy_from_slice(&[8, 0]);
                octets[14] = 0x45;
            }
            for how in [Cut::Tcp(size.max(1)), Cut::Udp(size.max(1)), Cut::Unknown] {
                let _ = cut(&octets, how);
            }
            let checksum = Some(Unfinished { start: start % 256, offset: offset % 256 });
            let _ = frames(&octets, Offload { checksum, cut: None }, |_| Ok(()));
        }
    }

    #[test]
    fn datagrams_have_lengths_of_their_own() {
        let pieces = cut(&large(UDP, UDP_LEN, 2_500), Cut::Udp(1_200)).expect("it can be cut");
        let lengths: Vec<_> = pieces.iter().map(|piece| word(piece, TRANSPORT + 4)).collect();
        assert_eq!(lengths, [1_208, 1_208, 108]);
        pieces.iter().for_each(|piece| assert_right(piece));
    }

    #[test]
    fn an_unfinished_checksum_is_finished() {
        for (protocol, header, offset) in [(TCP, 20, TCP_CHECKSUM), (UDP, UDP_LEN, UDP_CHECKSUM)] {
            let mut frame = large(protocol, header, 333);
            let pseudo = sum(&frame[IP + 12..IP + 20]) + u64::from(protocol) + (header + 333) as u64;
            let place = TRANSPORT + offset;
            if protocol == UDP {
                frame[TRANSPORT + 4..TRANSPORT + 6].copy_from_slice(&341_u16.to_be_bytes());
            }
            frame[place..place + 2].copy_from_slice(&folded(pseudo).to_be_bytes());
            let ip = !folded(sum(&frame[IP..TRANSPORT]));
            frame[IP + 10..IP + 12].copy_from_slice(&ip.to_be_bytes());
            let checksum = Some(Unfinished {
                start: TRANSPORT as u16,
                offset: offset as u16,
            });
            let mut out = Vec::new();
            let emit = |piece: &[u8]| {
                out.extend_from_slice(piece);
                Ok(())
            };
            frames(&frame, Offload { checksum, cut: None }, emit).expect("it can be finished");
            assert_right(&out);
            frame[place..place + 2].copy_from_slice(&out[place..place + 2]);
            assert_eq!(out, frame, "nothing else is changed");
        }
    }

    #[test]
    fn a_checksum_of_zero_is_written_as_its_protocol_has_it() {
        for (place, written) in [(TCP_CHECKSUM, 0), (UDP_CHECKSUM, 0xFFFF)] {
            let mut octets = [0; 20];
            write_checksum(&mut octets, place, 0xFFFF);
            assert_eq!(word(&octets, place), written);
        }
    }

    #[test]
    fn what_cannot_be_cut_is_refused() {
        let frame = large(TCP, 20, 5_000);
        assert_eq!(cut(&frame, Cut::Unknown), Err(Refused::TooLong));
        assert_eq!(cut(&frame, Cut::Udp(1_000)), Err(Refused::TooLong));
        assert_eq!(
            cut(&frame, Cut::Tcp(4_000)),
            Err(Refused::TooLong),
            "pieces beyond the MTU"
        );
        assert_eq!(
            cut(&frame[..3_000], Cut::Tcp(1_000)),
            Err(Refused::TooLong),
            "not all there"
        );
    }
}
