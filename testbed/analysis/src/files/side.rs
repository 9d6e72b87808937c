//! At which end a capture was made.

use windlull_wire::Flags;

use super::connection::Connection;
use super::packets::Seen;

/// The end at which a capture was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Sender,
    Receiver,
}

/// The side of a capture; `None` if nothing in it tells.
pub(super) fn side(connection: &Connection) -> Option<Side> {
    by_direction(connection).or_else(|| by_handshake(connection))
}

/// What the file says itself: data that goes out is at the sender.
fn by_direction(connection: &Connection) -> Option<Side> {
    match connection.outwards() {
        0 => None,
        1.. => Some(Side::Sender),
        _ => Some(Side::Receiver),
    }
}

/// At the end that opens, SYN-ACK is a round trip after SYN and the acknowledgement follows at once; at the other
/// end it is the other way about.
fn by_handshake(connection: &Connection) -> Option<Side> {
    let flags = |has: Flags, has_not: Flags| {
        move |packet: &Seen| packet.segment.flags.has(has) && packet.segment.flags.0 & has_not.0 == 0
    };
    let packets = &connection.packets;
    let place = packets
        .iter()
        .position(|packet| packet.segment.flags.has(Flags::SYN.with(Flags::ACK)))?;
    // A SYN that was sent twice: the later one was answered, or the earlier one; the later is nearer.
    let opening = packets.iter().take(place).rev().find(flags(Flags::SYN, Flags::ACK))?;
    let opener = opening.from;
    let last = packets
        .iter()
        .skip(place)
        .filter(|packet| packet.from == opener)
        .find(flags(Flags::ACK, Flags::SYN))?;
    let answer = packets.get(place);
    if answer.from == opener {
        return None;
    }
    let (there, here) = (answer.at_ns - opening.at_ns, last.at_ns - answer.at_ns);
    if there == here {
        return None;
    }
    let at_opener = there > here;
    Some(if at_opener == (opener == connection.data_sender()) {
        Side::Sender
    } else {
        Side::Receiver
    })
}
