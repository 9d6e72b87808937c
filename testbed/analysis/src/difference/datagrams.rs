//! The packets at the data sender's end of a run of QUIC, from what it said of itself, with positions of octets instead of packet
//! numbers: a packet that is sent again has another number.

use std::io::BufRead;

use windlull_capture::read_qlog;
use windlull_transport::{Frame, PacketLost, PacketReceived, PacketSent, Said, Space};
use windlull_units::Time;
use windlull_wire::Flags;

use super::error::RecordedError;
use super::packets::Packet;
use crate::quic::{Acknowledged, Positions};

/// What an end of QUIC said of itself.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// Packets with octets of streams that it sent, and acknowledgements that it heard.
    pub(super) packets: Vec<Packet>,
    /// What it declared lost.
    pub(super) losses: Vec<(Time, PacketLost)>,
}

/// Reads the qlog of the data sender's end.
pub(super) fn read(qlog: &mut dyn BufRead) -> Result<Told, RecordedError> {
    let mut told = Told::default();
    let (mut positions, mut acknowledged) = (Positions::default(), Acknowledged::default());
    for said in read_qlog(qlog) {
        let (at, said) = said?;
        match said {
            Said::PacketSent(sent) => told
                .packets
                .extend(sent_packet(at, &sent, &mut positions, &mut acknowledged)),
            Said::PacketReceived(received) if received.space == Space::Data => {
                told.packets.extend(heard_packet(at, &received, &mut acknowledged));
            }
            Said::PacketLost(lost) if !lost.is_mtu_probe => told.losses.push((at, lost)),
            Said::PacketReceived(_)
            | Said::PacketLost(_)
            | Said::Metrics(_)
            | Said::ProbeTimeout { .. }
            | Said::CongestionState(_)
            | Said::SpuriousLoss
            | Said::Other { .. } => {}
        }
    }
    if told.packets.iter().any(|packet| packet.is_sent) {
        Ok(told)
    } else {
        Err(RecordedError::NoStream)
    }
}

/// A packet that it sent; `None` if it holds nothing of a stream.
fn sent_packet(
    at: Time,
    sent: &PacketSent,
    positions: &mut Positions,
    acknowledged: &mut Acknowledged,
) -> Option<Packet> {
    let new = positions.next();
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for frame in &sent.frames {
        if let Frame::Stream { id, offset, length, .. } = *frame {
            positions.of(id, offset, length, &mut ranges);
        }
    }
    let (first, _) = *ranges.first()?;
    let octets: u64 = ranges.iter().map(|(start, end)| end.saturating_sub(*start)).sum();
    let is_again = ranges.iter().any(|(start, _)| *start < new);
    if sent.space == Space::Data {
        acknowledged.sent(sent.number, ranges);
    }
    Some(Packet {
        // The first octet has the position 1.
        start: Some(first.saturating_sub(1)),
        len: u32::try_from(octets).unwrap_or(u32::MAX),
        is_again,
        ..bare(at, true)
    })
}

/// What it heard of what had arrived; `None` of a packet that acknowledges nothing.
fn heard_packet(at: Time, received: &PacketReceived, acknowledged: &mut Acknowledged) -> Option<Packet> {
    let mut acknowledges = false;
    for frame in &received.frames {
        if let Frame::Ack { ranges, .. } = frame {
            acknowledged.acknowledge(ranges);
            acknowledges = true;
        }
    }
    acknowledges.then(|| Packet {
        acked: Some(acknowledged.position().saturating_sub(1)),
        sack: acknowledged
            .above()
            .map(|(left, right)| [left.saturating_sub(1), right.saturating_sub(1)])
            .collect(),
        ..bare(at, false)
    })
}

fn bare(at: Time, is_sent: bool) -> Packet {
    Packet {
        at,
        id: None,
        is_sent,
        start: None,
        len: 0,
        flags: Flags::ACK,
        acked: None,
        sack: Vec::new(),
        is_again: false,
        cause: None,
        verdict: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events of a qlog as a run writes them, a millisecond apart.
    fn qlog(events: &[&str]) -> String {
        let line = |(ms, event): (usize, &&str)| {
            let (name, data) = event.split_once(' ').expect("a name and data");
            format!("\x1e{{\"time\":{ms}.000000,\"name\":\"quic:{name}\",\"data\":{data}}}\n")
        };
        events.iter().enumerate().map(line).collect()
    }

    fn stream(number: u64, offset: u64, length: u64) -> String {
        format!(
            "packet_sent {{\"header\":{{\"packet_type\":\"1RTT\",\"packet_number\":{number}}},\"frames\":[{{\"frame_type\":\
             \"stream\",\"stream_id\":3,\"offset\":{offset},\"raw\":{{\"length\":{length}}}}}]}}"
        )
    }

    fn ack(first: u64, last: u64) -> String {
        format!(
            "packet_received {{\"header\":{{\"packet_type\":\"1RTT\",\"packet_number\":1}},\"frames\":[{{\"frame_type\":\
             \"ack\",\"acked_ranges\":[[{first},{last}]]}}]}}"
        )
    }

    #[test]
    fn packets_stand_by_their_octets_and_acknowledgements_by_what_has_arrived() {
        let lost =
            "packet_lost {\"header\":{\"packet_type\":\"1RTT\",\"packet_number\":1},\"trigger\":\"time_threshold\"}";
        let events = [
            stream(1, 0, 100),
            stream(2, 100, 50),
            ack(2, 2),
            lost.to_owned(),
            stream(3, 0, 100),
            ack(2, 3),
        ];
        let text = qlog(&events.each_ref().map(String::as_str));
        let told = read(&mut text.as_bytes()).expect("a good file");
        let sent: Vec<_> = told.packets.iter().filter(|packet| packet.is_sent).collect();
        let places: Vec<_> = sent
            .iter()
            .map(|packet| (packet.start, packet.len, packet.is_again))
            .collect();
        assert_eq!(
            places,
            [(Some(0), 100, false), (Some(100), 50, false), (Some(0), 100, true)]
        );
        let heard: Vec<_> = told.packets.iter().filter(|packet| !packet.is_sent).collect();
        let heard: Vec<_> = heard.iter().map(|packet| (packet.acked, packet.sack.clone())).collect();
        assert_eq!(heard, [(Some(0), vec![[100, 150]]), (Some(150), vec![])]);
        let losses: Vec<_> = told.losses.iter().map(|(at, lost)| (at.as_ns(), lost.number)).collect();
        assert_eq!(losses, [(3_000_000, 1)]);
    }

    #[test]
    fn an_end_that_sent_no_data_shows_nothing() {
        let text = qlog(&[&ack(1, 1)]);
        assert!(matches!(read(&mut text.as_bytes()), Err(RecordedError::NoStream)));
    }
}
