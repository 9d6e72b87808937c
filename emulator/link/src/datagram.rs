//! A packet for whoever has no type of their own: a UDP datagram, as a driver of QUIC has it.

use windlull_units::{Bytes, Ecn, Network};

use crate::packet::{Packet, TcpView};

/// Octets of a UDP header (RFC 768).
const UDP_HEADER: u64 = 8;

/// A UDP datagram with its payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// What UDP carries.
    pub payload: Vec<u8>,
    /// The codepoint in the IP header. A queue that marks the datagram makes it [`Ecn::Ce`].
    pub ecn: Ecn,
    /// The version of IP that carries it; its header counts as part of the datagram's size.
    pub network: Network,
    /// The number of its flow, for queues that tell flows apart.
    pub flow: u64,
}

impl Datagram {
    /// A datagram of flow 0 over IPv4, whose transport does not know of congestion marks.
    pub fn new(payload: impl Into<Vec<u8>>) -> Self {
        Self {
            payload: payload.into(),
            ecn: Ecn::NotEct,
            network: Network::Ipv4,
            flow: 0,
        }
    }
}

impl Packet for Datagram {
    fn size(&self) -> Bytes {
        Bytes::new(u64::from(self.network.header_len()) + UDP_HEADER + self.payload.len() as u64)
    }

    fn tcp(&self) -> Option<TcpView> {
        None
    }

    fn flow(&self) -> u64 {
        self.flow
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_of_ip_and_udp_count() {
        let datagram = Datagram::new([0; 1200]);
        assert_eq!(datagram.size(), Bytes::new(1228));
        let network = Network::Ipv6;
        assert_eq!(Datagram { network, ..datagram }.size(), Bytes::new(1248));
    }

    #[test]
    fn a_mark_says_that_congestion_was_experienced() {
        let mut datagram = Datagram {
            ecn: Ecn::Ect0,
            ..Datagram::new([])
        };
        datagram.mark();
        assert_eq!(datagram.ecn(), Ecn::Ce);
    }
}
