//! What a sending kernel left to a device that does not exist, as the kernel says it before a frame in a ring
//! (`PACKET_VNET_HDR`, packet(7); linux/virtio_net.h).

/// Octets of it before the frame.
pub(super) const HEADER: usize = 10;

const NEEDS_CHECKSUM: u8 = 1;
const KIND: std::ops::Range<u8> = 1..6;
const KIND_TCP_IPV4: u8 = 1;
const KIND_UDP: u8 = 5;
/// TCP that negotiated ECN; the kind is in the other bits.
const ECN: u8 = 0x80;

/// What is still to be done to a frame before a wire could carry it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offload {
    /// Its checksum is to be finished.
    pub checksum: Option<Unfinished>,
    /// It is to be cut.
    pub cut: Option<Cut>,
}

/// A checksum that is not finished: its place has the sum of the pseudo header so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// From which octet of the frame on it sums up.
    pub start: u16,
    /// Behind that, where it stands.
    pub offset: u16,
}

/// How a frame is to be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Into TCP segments with so many octets of payload.
    Tcp(u16),
    /// Into UDP datagrams with so many octets of payload.
    Udp(u16),
    /// In a way that we do not know.
    Unknown,
}

impl Offload {
    pub(super) fn parse(header: [u8; HEADER]) -> Self {
        let [flags, kind, _, _, size_0, size_1, start_0, start_1, offset_0, offset_1] = header;
        let word = |first, second| u16::from_ne_bytes([first, second]);
        let size = word(size_0, size_1);
        Self {
            checksum: (flags & NEEDS_CHECKSUM != 0).then(|| Unfinished {
                start: word(start_0, start_1),
                offset: word(offset_0, offset_1),
            }),
            cut: match kind & !ECN {
                KIND_TCP_IPV4 if size > 0 => Some(Cut::Tcp(size)),
                KIND_UDP if size > 0 => Some(Cut::Udp(size)),
                kind if KIND.contains(&kind) => Some(Cut::Unknown),
                _ => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(flags: u8, kind: u8, size: u16, start: u16, offset: u16) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..2].copy_from_slice(&[flags, kind]);
        for (place, word) in [(4, size), (6, start), (8, offset)] {
            header[place..place + 2].copy_from_slice(&word.to_ne_bytes());
        }
        header
    }

    #[test]
    fn what_the_kernel_says_is_understood() {
        let checksum = Some(Unfinished { start: 34, offset: 16 });
        let parsed = |kind| Offload::parse(header(1, kind, 1_448, 34, 16));
        assert_eq!(Offload::parse([0; HEADER]), Offload::default());
        assert_eq!(parsed(0), Offload { checksum, cut: None });
        assert_eq!(parsed(1).cut, Some(Cut::Tcp(1_448)));
        assert_eq!(parsed(0x81).cut, Some(Cut::Tcp(1_448)));
        assert_eq!(parsed(5).cut, Some(Cut::Udp(1_448)));
        assert_eq!(parsed(4).cut, Some(Cut::Unknown), "TCP over IPv6");
        assert_eq!(
            Offload::parse(header(0, 1, 0, 0, 0)).cut,
            Some(Cut::Unknown),
            "of no size"
        );
    }
}
