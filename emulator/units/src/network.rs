//! Which version of the Internet protocol carries a run's packets.

use std::net::IpAddr;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

crate::named! {
    /// The version of IP that packets have.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "lowercase"))]
    #[cfg_attr(feature = "schema", derive(JsonSchema))]
    pub enum Network {
        /// IPv4 (RFC 791).
        #[default]
        Ipv4 = "ipv4",
        /// IPv6 (RFC 8200).
        Ipv6 = "ipv6",
    }
}

impl Network {
    /// That of this address.
    pub const fn of(address: &IpAddr) -> Self {
        match address {
            IpAddr::V4(_) => Self::Ipv4,
            IpAddr::V6(_) => Self::Ipv6,
        }
    }

    /// Whether it is the one of runs that name none.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Octets of its header without options or extension headers.
    pub const fn header_len(self) -> u32 {
        match self {
            Self::Ipv4 => 20,
            Self::Ipv6 => 40,
        }
    }

    /// The maximum segment size that makes packets as large as this one does over IPv4: what the same MTU leaves for a
    /// segment (RFC 9293, section 3.7.1).
    pub const fn segment_size(self, over_ipv4: u16) -> u16 {
        match self {
            Self::Ipv4 => over_ipv4,
            Self::Ipv6 => over_ipv4.saturating_sub(20),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_mtu_of_1500_leaves_1460_octets_or_1440() {
        assert_eq!(Network::Ipv4.segment_size(1460), 1460);
        assert_eq!(Network::Ipv6.segment_size(1460), 1440);
        for network in Network::ALL {
            let packet = network.header_len() + 20 + u32::from(network.segment_size(1460));
            assert_eq!(packet, 1500);
        }
    }

    #[test]
    fn an_address_tells_its_network() {
        for (text, network) in [("198.18.0.1", Network::Ipv4), ("2001:2::1", Network::Ipv6)] {
            assert_eq!(Network::of(&text.parse().expect("an address")), network);
        }
    }
}
