//! Which packet of one capture is which of the other.

use super::connection::Connection;
use super::packets::Seen;

/// What is the same of a packet at both ends and differs between packets: the segment's numbers, IPv4's identification, flags, length
/// and timestamps. What grows stands first: packets in order of time are then almost in order of their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    seq: u32,
    ack: u32,
    stamps: Option<(u32, u32)>,
    payload_len: u32,
    ip_id: Option<u16>,
    flags: u16,
}

impl Key {
    fn of(packet: &Seen) -> Self {
        let segment = &packet.segment;
        Self {
            seq: segment.seq.0,
            ack: segment.ack.0,
            stamps: segment.options.timestamps.map(|stamps| (stamps.value, stamps.echo)),
            payload_len: segment.payload_len,
            ip_id: packet.ip_id,
            flags: segment.flags.0,
        }
    }
}

/// What became of a packet that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It arrived: its place in the other capture.
    At(usize),
    /// It is not in the other capture.
    Nowhere,
    /// It looks like others, and not all of them arrived.
    Ambiguous,
}

/// Where an arrival comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// What was sent, by its place in the other capture.
    Of(usize),
    /// It is a copy, made on the way, of what was sent there.
    CopyOf(usize),
    Stranger,
}

/// The packets of one direction.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// By place in the sending end's capture; packets of the other direction have none.
    sent: Vec<Option<Found>>,
    /// By place in the receiving end's capture.
    arrived: Vec<Option<Origin>>,
    /// Arrivals, but for copies and strangers.
    pub(super) arrivals: usize,
    pub(super) strangers: usize,
    pub(super) ambiguous: u64,
}

impl Matches {
    /// What became of the packet at this place of the sending end's capture, if that end sent it.
    pub(super) fn found(&self, place: usize) -> Option<Found> {
        self.sent[place]
    }

    /// Where the packet at this place of the receiving end's capture comes from, if it came in there.
    pub(super) fn origin(&self, place: usize) -> Option<Origin> {
        self.arrived[place]
    }

    /// Arrivals that are copies, made on the way.
    pub(super) fn copies(&self) -> usize {
        let is_copy = |origin: &&Option<Origin>| matches!(origin, Some(Origin::CopyOf(_)));
        self.arrived.iter().filter(is_copy).count()
    }

    /// Places of arrivals, and of what they are.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let origins = self.arrived.iter().enumerate();
        origins.filter_map(|(there, origin)| match origin {
            Some(Origin::Of(here)) => Some((there, *here)),
            _ => None,
        })
    }
}

/// Matches the packets of the direction with (`data`) or against the data.
pub(super) fn match_packets(from: &Connection, to: &Connection, data: bool) -> Matches {
    let (ours, theirs) = (keyed(from, data), keyed(to, data));
    let mut matches = Matches {
        sent: vec![None; from.packets.len()],
        arrived: vec![None; to.packets.len()],
        ..Matches::default()
    };
    let mut rest = theirs.as_slice();
    for sent in ours.chunk_by(|a, b| a.0 == b.0) {
        let before = rest.partition_point_from_the_front(|it| it.0 < sent[0].0);
        matches.leave_out(&rest[..before]);
        rest = &rest[before..];
        let alike = rest.partition_point_from_the_front(|it| it.0 == sent[0].0);
        matches.join(from, to, sent, &rest[..alike]);
        rest = &rest[alike..];
    }
    matches.leave_out(rest);
    matches
}

type Keyed = (Key, u32);

/// The packets of a direction by their keys, those that look alike in order of time.
fn keyed(connection: &Connection, data: bool) -> Vec<Keyed> {
    let places = (0_u32..).zip(connection.packets.iter());
    let of_direction = places.filter(|(_, packet)| connection.sends_data(packet) == data);
    let mut keyed: Vec<Keyed> = of_direction.map(|(place, packet)| (Key::of(&packet), place)).collect();
    // Stable, and quick on what is almost in order.
    keyed.sort_by_key(|it| it.0);
    keyed
}

/// Few are ever passed over: counting from the front is quicker than halving.
trait FromTheFront<T> {
    fn partition_point_from_the_front(&self, is: impl Fn(&T) -> bool) -> usize;
}

impl<T> FromTheFront<T> for [T] {
    fn partition_point_from_the_front(&self, is: impl Fn(&T) -> bool) -> usize {
        self.iter().position(|it| !is(it)).unwrap_or(self.len())
    }
}

impl Matches {
    fn leave_out(&mut self, strangers: &[Keyed]) {
        for &(_, place) in strangers {
            self.arrived[place as usize] = Some(Origin::Stranger);
        }
        self.strangers += strangers.len();
    }

    /// Decides on packets that look alike.
    fn join(&mut self, from: &Connection, to: &Connection, sent: &[Keyed], arrived: &[Keyed]) {
        // All arrived, or none did, or there is but one it can be: the order decides. Else the clock may: whoever
        // arrived before the second was sent is the first.
        let certain = arrived.is_empty()
            || arrived.len() >= sent.len()
            || (arrived.len() == 1 && to.packets.at_ns(arrived[0].1 as usize) < from.packets.at_ns(sent[1].1 as usize));
        for (nth, &(_, place)) in sent.iter().enumerate() {
            let place = place as usize;
            let found = match arrived.get(nth) {
                _ if !certain => Found::Ambiguous,
                Some(&(_, there)) => Found::At(there as usize),
                None => Found::Nowhere,
            };
            if let Found::At(there) = found {
                self.arrived[there] = Some(Origin::Of(place));
                self.arrivals += 1;
            }
            self.ambiguous += u64::from(found == Found::Ambiguous);
            self.sent[place] = Some(found);
        }
        if let (true, Some(&(_, last))) = (certain, sent.last()) {
            for &(_, copy) in arrived.iter().skip(sent.len()) {
                self.arrived[copy as usize] = Some(Origin::CopyOf(last as usize));
            }
        }
    }
}
