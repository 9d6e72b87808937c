//! What a transport from elsewhere hands to the link and is handed, in octets.

use std::rc::Rc;

use windlull_capture::{address_in, addresses_from};
use windlull_transport::{Broken, Datagram};
use windlull_units::{Carries, Host, Network};
use windlull_wire::Segment;
use windlull_wire::packet::{DatagramEncoder, ETHERNET_LEN, Encoder, LinkType, Packet, Payload, decode};

use crate::unit::{EitherUnit, UdpDatagram};

/// Octets of an Ethernet frame that carries an IP packet of 1,500, over either version of IP.
const FRAME_LEN: usize = ETHERNET_LEN + Carries::Packets.most_octets(Network::Ipv4);

/// Of one end: from what it sends to what the link carries, and to frames.
pub(crate) enum Frames {
    Datagrams(DatagramEncoder),
    Packets(Network, Host, Encoder),
}

impl Frames {
    pub(crate) fn new(carries: Carries, network: Network, host: Host) -> Self {
        let addresses = addresses_from(network, host);
        match carries {
            Carries::Datagrams => Self::Datagrams(DatagramEncoder::between(&addresses)),
            Carries::Packets => Self::Packets(network, host, Encoder::between(&addresses)),
        }
    }

    /// What an end sends.
    ///
    /// # Errors
    /// If it is no TCP packet from this end to the other, where packets are to be.
    pub(crate) fn unit(&mut self, datagram: Datagram) -> Result<EitherUnit, Broken> {
        match self {
            Self::Datagrams(encoder) => Ok(EitherUnit::Datagram(UdpDatagram {
                octets: Rc::new(datagram.octets),
                ecn: datagram.ecn,
                ip_id: encoder.take_id(),
            })),
            Self::Packets(network, host, _) => Ok(EitherUnit::Segment(segment(&datagram.octets, *network, *host)?)),
        }
    }

    /// The Ethernet frame that carries a unit of this end. The payload of a segment, which the link does not carry, is that of a
    /// simulated transfer.
    pub(crate) fn frame(&self, unit: &EitherUnit) -> Vec<u8> {
        let mut frame = Vec::with_capacity(FRAME_LEN);
        match (self, unit) {
            (Self::Datagrams(encoder), EitherUnit::Datagram(unit)) => {
                encoder.encode(unit.ip_id, unit.ecn, &unit.octets, &mut frame);
            }
            (Self::Packets(.., encoder), EitherUnit::Segment(segment)) => {
                encoder
                    .encode(0, segment, Payload::Stream(0), FRAME_LEN, &mut frame)
                    .expect("it came as a packet of this size");
            }
            _ => unreachable!("an end sends units of one kind"),
        }
        frame
    }

    /// The IP packet in a frame.
    pub(crate) fn packet(frame: &[u8]) -> &[u8] {
        &frame[ETHERNET_LEN..]
    }
}

/// The segment in an IP packet that `host` sends.
fn segment(octets: &[u8], network: Network, host: Host) -> Result<Segment, Broken> {
    let packet = decode(LinkType::RawIp, octets, octets.len())
        .and_then(Packet::verified)
        .map_err(|error| Broken(format!("sends what is no TCP packet: {error}")))?;
    let ends = (address_in(network, host), address_in(network, host.peer()));
    if (packet.source, packet.destination) != ends {
        return Err(Broken(format!(
            "sends a packet from {} to {}; the {}'s packets go from {} to {}",
            packet.source,
            packet.destination,
            host.name(),
            ends.0,
            ends.1
        )));
    }
    Ok(packet.segment)
}
