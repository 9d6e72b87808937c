//! What a transport from elsewhere hands to the link.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

crate::named! {
    /// What a transport from elsewhere hands to the link, and is handed.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    pub enum Carries {
        /// The payloads of UDP datagrams, as QUIC does.
        #[default]
        Datagrams = "datagrams",
        /// IPv4 packets with a TCP segment in each.
        Packets = "packets",
    }
}

impl Carries {
    /// The most octets of one: what an IPv4 packet of 1,500 octets has room for.
    pub const fn most_octets(self) -> usize {
        match self {
            Self::Datagrams => 1_472,
            Self::Packets => 1_500,
        }
    }

    /// Whether it is what most of them carry.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
