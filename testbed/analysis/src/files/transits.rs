//! When each packet of a connection left one end and reached the other, by the captures of both ends alone.

use std::io::Read;

use schemars::JsonSchema;
use serde::Serialize;
use windlull_units::Host;

use super::connection::{Connection, ConnectionInfo, Side};
use super::load::Capture;
use super::matching::{Found, Matches, match_packets};
use super::notes::{offload_notes, side_of_first};
use super::side::side;
use super::story::data_sender_of;
use super::{AnalyzeError, Question, Which};

/// The packets of a connection, by the captures of both ends or of the data sender's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Transits {
    pub connection: ConnectionInfo,
    /// The host that sent more data.
    pub data_sender: Host,
    /// From server to client.
    pub down: WayTransits,
    /// From client to server.
    pub up: WayTransits,
    /// What the reader should know of the captures.
    pub notes: Vec<String>,
}

impl Transits {
    /// `ways`: the direction of the data, and that of the acknowledgements.
    pub(super) fn new(
        connection: ConnectionInfo,
        data_sender: Host,
        ways: [WayTransits; 2],
        notes: Vec<String>,
    ) -> Self {
        let [data, acks] = ways;
        let (down, up) = match data_sender {
            Host::Server => (data, acks),
            Host::Client => (acks, data),
        };
        Self {
            connection,
            data_sender,
            down,
            up,
            notes,
        }
    }
}

/// The packets of one direction in the order in which they were sent, as columns of equal length. Times are nanoseconds
/// since the earliest stamp of both captures, each by the clock of its own end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WayTransits {
    pub sent_ns: Vec<i64>,
    /// Null if it is not in the other end's capture.
    pub arrived_ns: Vec<Option<i64>>,
    /// Whether it was lost. Where it neither arrived nor was lost, nothing is known of it: it looks like others, or was
    /// sent after the other capture had ended.
    pub lost: Vec<bool>,
    /// Octets of the IP packet, without options of IPv4 or extension headers of IPv6.
    pub size_bytes: Vec<u32>,
    /// Arrivals that nobody sent.
    pub strangers: u64,
    /// Second and later arrivals of a packet.
    pub copies: u64,
}

/// Joins the packets of a connection in the captures of both ends.
///
/// # Errors
/// [`AnalyzeError`]: as [`analyze`](super::analyze).
pub fn transits(
    first: &mut dyn Read,
    second: &mut dyn Read,
    question: impl Into<Question>,
) -> Result<Transits, AnalyzeError> {
    let Question {
        selection,
        first_taken_at,
    } = question.into();
    let mut first = Capture::load(first, Which::First)?;
    let mut second = Capture::load(second, Which::Second)?;
    let chosen = first.take(selection, Which::First)?;
    let mut notes = first.notes(Which::First);
    let connection = chosen.info();
    let data_sender = data_sender_of(&chosen);
    let other = second.take_like(&chosen, Which::Second)?.facing(connection.data_sender);
    notes.extend(second.notes(Which::Second));
    let stated = first_taken_at.map(|host| Side::of(host, data_sender));
    let placed = [
        side(&chosen, stated, data_sender, Which::First)?,
        side(&other, stated.map(Side::other), data_sender, Which::Second)?,
    ];
    let (first_side, note) = side_of_first(placed, [&chosen, &other].map(Connection::data_packets));
    notes.extend(note);
    let (sender, receiver) = match first_side {
        Side::Sender => (&chosen, &other),
        Side::Receiver => (&other, &chosen),
    };
    for end in [sender, receiver] {
        offload_notes(&mut notes, end);
    }
    let base_ns = sender.times_ns()[0].min(receiver.times_ns()[0]);
    let data = of_way(sender, receiver, true, base_ns);
    let acks = of_way(receiver, sender, false, base_ns);
    Ok(Transits::new(connection, data_sender, [data, acks], notes))
}

/// The packets of the direction with (`data`) or against the data.
fn of_way(from: &Connection, to: &Connection, data: bool, base_ns: u64) -> WayTransits {
    let matches: Matches = match_packets(from, to, data);
    let last_ns = to.times_ns()[1];
    let mut way = WayTransits {
        strangers: matches.strangers as u64,
        ..WayTransits::default()
    };
    let network = from.network();
    for (place, packet) in from.packets.iter().enumerate() {
        let Some(found) = matches.found(place) else { continue };
        way.sent_ns.push(since(packet.at_ns, base_ns));
        way.arrived_ns.push(match found {
            Found::At(there) => Some(since(to.packets.at_ns(there), base_ns)),
            Found::Nowhere | Found::Ambiguous => None,
        });
        way.lost.push(found == Found::Nowhere && packet.at_ns <= last_ns);
        way.size_bytes.push(packet.segment.packet_len(network));
    }
    way.copies = matches.copies() as u64;
    way
}

/// A time that was told from others may lie before the base.
pub(super) fn since(at_ns: u64, base_ns: u64) -> i64 {
    i64::try_from(at_ns).unwrap_or(i64::MAX) - i64::try_from(base_ns).unwrap_or(i64::MAX)
}
