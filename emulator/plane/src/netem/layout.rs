//! Between which devices the link stands, and who carries packets from one to the other.

use windlull_units::{Direction, Network};

use super::path::PathPlan;
use super::step::Devices;
use crate::gateway::Side;

/// Who carries packets between the two devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carriage {
    /// The kernel of a router, which forwards packets.
    Forwarding,
    /// The link itself, as a wire between two bridges: frames leave by the other device with the addresses that
    /// they came with. The kernel must not forward, and no setting of it is changed.
    Wire,
}

/// The place of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout<'a> {
    pub(crate) devices: &'a Devices,
    pub(crate) carriage: Carriage,
    /// The version of IP of the hosts' packets.
    pub(crate) network: Network,
    /// Of a wire that is a gateway: what it is called to the server and to the client. It takes what hosts send it for
    /// the other side, cut to packets that fit, and hands it on to whom it is for.
    pub(crate) gateway: Option<&'a [Side; 2]>,
}

impl<'a> Layout<'a> {
    /// A link between two devices, whose hosts send to each other's Ethernet addresses.
    pub(crate) const fn between(devices: &'a Devices, carriage: Carriage, network: Network) -> Self {
        Self {
            devices,
            carriage,
            network,
            gateway: None,
        }
    }

    /// A gateway's link: its hosts have it for their router, over IPv4.
    pub(crate) const fn gateway(devices: &'a Devices, sides: &'a [Side; 2]) -> Self {
        Self {
            devices,
            carriage: Carriage::Wire,
            network: Network::Ipv4,
            gateway: Some(sides),
        }
    }

    /// The family of the tables of nftables that hold counters and losses.
    pub(crate) const fn family(self) -> &'static str {
        match (self.carriage, self.network) {
            (Carriage::Forwarding, Network::Ipv4) => "ip",
            (Carriage::Forwarding, Network::Ipv6) => "ip6",
            (Carriage::Wire, _) => "netdev",
        }
    }

    /// How rules of nftables select the packets that the link carries. Of IPv6 these are not what kernels say of their own
    /// accord: neighbour discovery (RFC 4861) and the membership of groups (RFC 3810) are ICMPv6.
    pub(crate) const fn packets(self) -> &'static str {
        match self.network {
            Network::Ipv4 => "meta protocol ip",
            Network::Ipv6 => "meta protocol ip6 meta l4proto != 58",
        }
    }
}

/// The devices of a direction.
pub(crate) struct Names {
    /// Where packets come in.
    pub(crate) arrives: String,
    /// Where they go out.
    pub(crate) out: String,
    /// Of a gateway alone: one end of a pair that cuts large segments.
    pub(crate) whole: String,
    pub(crate) cut: String,
    /// The queue and the rate; one end of a pair.
    pub(crate) queue: String,
    pub(crate) wire: String,
    /// Takes the time that the bits take. Of a wire one end of a pair.
    pub(crate) bits: String,
    /// Of a wire alone: the other end.
    pub(crate) sent: String,
    /// Has the delay and the holds: `out`, or of a wire one end of a pair.
    pub(crate) travel: String,
    /// Of a wire alone: the other end.
    pub(crate) arrived: String,
}

impl Names {
    pub(crate) fn new(direction: Direction, layout: Layout<'_>) -> Self {
        let devices = layout.devices;
        let (arrives, out) = match direction {
            Direction::Down => (&devices.to_server, &devices.to_client),
            Direction::Up => (&devices.to_client, &devices.to_server),
        };
        let way = direction.name();
        Self {
            arrives: arrives.clone(),
            out: out.clone(),
            whole: format!("{way}-whole"),
            cut: format!("{way}-cut"),
            queue: format!("{way}-queue"),
            wire: format!("{way}-wire"),
            bits: format!("{way}-bits"),
            sent: format!("{way}-sent"),
            travel: match layout.carriage {
                Carriage::Forwarding => out.clone(),
                Carriage::Wire => format!("{way}-travel"),
            },
            arrived: format!("{way}-arrived"),
        }
    }

    /// The device from which packets enter the router's forwarding.
    pub(crate) fn last_before_forwarding(&self, path: &PathPlan) -> &str {
        if path.rated { &self.wire } else { &self.arrives }
    }
}
