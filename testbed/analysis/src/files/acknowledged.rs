//! When each packet of a connection was acknowledged, by the data sender's capture alone.

use std::collections::BTreeMap;

use super::connection::Connection;
use super::packets::Seen;
use windlull_units::Network;
use windlull_wire::{Flags, SeqNumber};

/// What the sender's capture tells of its packets, in the order in which they were sent.
#[derive(Debug, Default)]
pub(super) struct Acknowledged {
    pub(super) packets: Vec<Transmission>,
    /// When each acknowledgement came, and its size in octets.
    pub(super) acks: Vec<(u64, u32)>,
    /// The shortest round trip of a packet that was sent once; `None` if nothing was acknowledged.
    pub(super) shortest_ns: Option<u64>,
}

/// A packet with data, as it was sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transmission {
    pub(super) at_ns: u64,
    pub(super) size_bytes: u32,
    /// When its arrival was acknowledged.
    pub(super) acked_ns: Option<u64>,
    /// It was sent again, and what was acknowledged was sent later.
    pub(super) lost: bool,
    /// Its place in the stream.
    end: u64,
    stamp: Option<u32>,
}

/// Part of the shortest round trip within which no packet can have been acknowledged.
const TOO_SOON: (u64, u64) = (9, 10);

/// The longest that hosts wait before they acknowledge a single packet: BSD's and Linux's timers (RFC 1122, section
/// 4.2.3.2, allows 500 ms).
const LONGEST_DELAYED_NS: u64 = 200_000_000;

/// Follows the capture.
struct Follower {
    network: Network,
    found: Acknowledged,
    /// Places of what is not acknowledged yet, by where in the stream it begins: all times that it was sent.
    open: BTreeMap<u64, Vec<usize>>,
    /// The next octet that is expected at the other end: its number and its place in the stream.
    next: Option<(SeqNumber, u64)>,
    last_ack_ns: u64,
    /// How far apart packets lately were at the other end.
    apart_ns: u64,
}

/// Follows the data and its acknowledgements.
pub(super) fn acknowledged(connection: &Connection) -> Acknowledged {
    let mut follower = Follower {
        network: connection.network(),
        found: Acknowledged::default(),
        open: BTreeMap::new(),
        next: None,
        last_ack_ns: 0,
        apart_ns: u64::MAX,
    };
    for packet in connection.packets.iter() {
        if connection.sends_data(&packet) {
            follower.sent(&packet);
        } else {
            follower.came(&packet);
        }
    }
    follower.found
}

impl Follower {
    /// Where in the stream an octet of this number is; numbers before its beginning are at 0.
    fn place(&self, seq: SeqNumber) -> Option<u64> {
        let (next, place) = self.next?;
        Some(place.saturating_add_signed(i64::from(seq.offset_from(next))))
    }

    fn sent(&mut self, packet: &Seen) {
        let segment = &packet.segment;
        if segment.payload_len == 0 || segment.flags.has(Flags::SYN) {
            return;
        }
        // So far in that what was sent before, and came later, has a place as well.
        self.next.get_or_insert((segment.seq, 1 << 32));
        let Some(begin) = self.place(segment.seq) else { return };
        self.open.entry(begin).or_default().push(self.found.packets.len());
        self.found.packets.push(Transmission {
            at_ns: packet.at_ns,
            size_bytes: segment.packet_len(self.network),
            acked_ns: None,
            lost: false,
            end: begin + u64::from(segment.payload_len),
            stamp: segment.options.timestamps.map(|stamps| stamps.value),
        });
    }

    fn came(&mut self, packet: &Seen) {
        let segment = &packet.segment;
        if !segment.flags.has(Flags::ACK) || segment.flags.has(Flags::SYN) {
            return;
        }
        self.found.acks.push((packet.at_ns, segment.packet_len(self.network)));
        let Some((_, before)) = self.next else { return };
        let Some(ack) = self.place(segment.ack) else { return };
        let mut arrived = Vec::new();
        if ack > before {
            let echo = segment.options.timestamps.map(|stamps| stamps.echo);
            self.cover(packet.at_ns, 0, ack, echo.map(|echo| (before, echo)), &mut arrived);
            self.next = Some((segment.ack, ack));
        }
        for block in segment.options.sack.as_slice() {
            let (Some(begin), Some(end)) = (self.place(block.left), self.place(block.right)) else {
                continue;
            };
            self.cover(packet.at_ns, begin, end, None, &mut arrived);
        }
        self.spread(packet.at_ns, &arrived, segment.options.sack.is_empty());
    }

    /// Notes that what lies between is acknowledged. `echo`: the segment that begins there was sent no later than with
    /// this stamp (RFC 7323, section 4.3; Eifel, RFC 3522).
    fn cover(&mut self, now: u64, begin: u64, end: u64, echo: Option<(u64, u32)>, arrived: &mut Vec<usize>) {
        let inside: Vec<u64> = self.open.range(begin..end).map(|(&at, _)| at).collect();
        for at in inside {
            let Some(sent) = self.open.get(&at) else { continue };
            if sent.iter().any(|&place| self.found.packets[place].end > end) {
                continue;
            }
            let echoed = echo.filter(|&(of, _)| of == at).map(|(_, echo)| echo);
            let soonest = now.saturating_sub(self.found.shortest_ns.unwrap_or(0) * TOO_SOON.0 / TOO_SOON.1);
            let may_be = |place: &usize| {
                let one = &self.found.packets[*place];
                let stamped = match (one.stamp, echoed) {
                    (Some(stamp), Some(echo)) => SeqNumber(stamp).offset_from(SeqNumber(echo)) <= 0,
                    _ => true,
                };
                stamped && one.at_ns <= soonest
            };
            let nth = sent.iter().rposition(may_be).unwrap_or(0);
            let sent = self.open.remove(&at).unwrap_or_default();
            for &place in &sent[..nth] {
                self.found.packets[place].lost = true;
            }
            let one = &mut self.found.packets[sent[nth]];
            one.acked_ns = Some(now);
            if let [_] = sent[..] {
                let took = now - one.at_ns;
                self.found.shortest_ns = Some(self.found.shortest_ns.map_or(took, |least| least.min(took)));
            }
            arrived.push(sent[nth]);
        }
    }

    /// An acknowledgement of several packets was sent as the last one came; those before it came when they were due, as
    /// far apart as packets lately were. A single one may have waited for the timer of delayed acknowledgements, unless
    /// blocks show that something is missing (RFC 5681, section 4.2): it also came when it was due.
    fn spread(&mut self, now: u64, arrived: &[usize], may_wait: bool) {
        let (Some(last), Ok(many)) = (arrived.len().checked_sub(1), u64::try_from(arrived.len())) else {
            return;
        };
        let before_ns = std::mem::replace(&mut self.last_ack_ns, now);
        if before_ns == 0 {
            return;
        }
        let each = now.saturating_sub(before_ns) / many;
        let lately = self.apart_ns;
        let (least, most) = (lately / 2, lately.saturating_mul(2).max(1_000));
        self.apart_ns = if lately == u64::MAX {
            each
        } else {
            each.clamp(least, most)
        };
        let apart = self.apart_ns.min(each);
        let shortest = self.found.shortest_ns.unwrap_or(0);
        let mut came = before_ns;
        for (left, &place) in (1..many).rev().zip(&arrived[..last]) {
            let one = &mut self.found.packets[place];
            let due = came.saturating_add(apart).max(one.at_ns + shortest).min(now);
            let waited = now - due <= LONGEST_DELAYED_NS;
            came = if waited {
                due
            } else {
                now.saturating_sub(apart * left).max(due)
            };
            one.acked_ns = Some(came);
        }
        let one = &mut self.found.packets[arrived[last]];
        let due = before_ns.saturating_add(apart).max(one.at_ns + shortest);
        if may_wait && last == 0 && now > due.saturating_add(apart) && now - due <= LONGEST_DELAYED_NS {
            one.acked_ns = Some(due);
        }
    }
}
