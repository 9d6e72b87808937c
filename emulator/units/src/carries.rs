//! What a transport from elsewhere hands to the link.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use crate::Network;

/// Octets of the largest IP packet that a link of a testbed carries.
const MTU: u32 = 1_500;
/// Octets of a UDP header (RFC 768).
const UDP_LEN: u32 = 8;

crate::named! {
    /// What a transport from elsewhere hands to the link, and is handed.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
    #[cfg_attr(feature = "schema", derive(JsonSchema))]
    pub enum Carries {
        /// The payloads of UDP datagrams, as QUIC does.
        #[default]
        Datagrams = "datagrams",
        /// IP packets with a TCP segment in each.
        Packets = "packets",
    }
}

impl Carries {
    /// The most octets of one: what a packet of 1,500 octets has room for over this version of IP.
    pub const fn most_octets(self, network: Network) -> usize {
        let most = match self {
            Self::Datagrams => MTU - network.header_len() - UDP_LEN,
            Self::Packets => MTU,
        };
        most as usize
    }

    /// Whether it is what most of them carry.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_of_1500_octets_has_room_for_1472_or_1452_in_a_datagram() {
        assert_eq!(
            Network::ALL.map(|network| Carries::Datagrams.most_octets(network)),
            [1_472, 1_452]
        );
        assert_eq!(
            Network::ALL.map(|network| Carries::Packets.most_octets(network)),
            [1_500, 1_500]
        );
    }
}
