//! At which end a capture was made.

use windlull_units::{Host, Span};
use windlull_wire::Flags;

use super::connection::{Connection, Side};
use super::error::{AnalyzeError, Which};
use super::packets::Seen;

/// How it is known at which end a capture was made, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum KnownBy {
    /// The file says of each packet whether it came in or went out.
    Direction,
    /// Whoever asked for the analysis said so.
    Caller,
    /// A guess by the times of the handshake: the host that answers does so at once, the other one is a round trip away.
    Handshake,
}

/// At which end a capture was made, and how that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) side: Side,
    pub(super) by: KnownBy,
}

/// The side of a capture; `stated` is what the caller says. `None` if nothing tells.
///
/// # Errors
/// [`AnalyzeError::OtherEnd`]: the file itself says otherwise than the caller.
pub(super) fn side(
    connection: &Connection,
    stated: Option<Side>,
    data_sender: Host,
    which: Which,
) -> Result<Option<Placed>, AnalyzeError> {
    let by_direction = by_direction(connection);
    match (stated, by_direction) {
        (Some(stated), Some(shown)) if stated != shown => Err(AnalyzeError::OtherEnd {
            which,
            stated: stated.host(data_sender),
            shown: shown.host(data_sender),
        }),
        (_, Some(side)) => Ok(Some(Placed {
            side,
            by: KnownBy::Direction,
        })),
        (Some(side), None) => Ok(Some(Placed {
            side,
            by: KnownBy::Caller,
        })),
        (None, None) => Ok(by_handshake(connection).map(|side| Placed {
            side,
            by: KnownBy::Handshake,
        })),
    }
}

/// What the file says itself: data that goes out is at the sender.
fn by_direction(connection: &Connection) -> Option<Side> {
    match connection.outwards() {
        0 => None,
        1.. => Some(Side::Sender),
        _ => Some(Side::Receiver),
    }
}

/// A round trip that is shorter cannot be told from the time that a host takes to answer.
const SHORTEST_ROUND_TRIP: Span = Span::from_us(200);
/// The round trip must be so many times as long as the answer at once.
const TIMES_AS_LONG: u64 = 4;

/// At the end that opens, SYN-ACK is a round trip after SYN and the acknowledgement follows at once; at the other
/// end it is the other way about. Where the two times are alike or very short they tell nothing.
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
    let (longer, shorter) = (there.max(here), there.min(here));
    if longer < SHORTEST_ROUND_TRIP.as_ns() || longer < shorter.saturating_mul(TIMES_AS_LONG) {
        return None;
    }
    let at_opener = there > here;
    Some(if at_opener == (opener == connection.data_sender()) {
        Side::Sender
    } else {
        Side::Receiver
    })
}
