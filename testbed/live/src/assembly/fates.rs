//! The fates of a link that tells none: from what both captures show.

use std::collections::{BTreeMap, VecDeque};

use windlull_capture::Crossing;
use windlull_plane::Fingerprint;
use windlull_units::{Bytes, Direction, DropCause, Ecn, Fate, Host, Network, Outcome, PacketId, Time};
use windlull_wire::packet::ETHERNET_LEN;

use super::alike::{Alike, take_lost};
use super::seen::{Capture, Seen};
use super::{Entered, LinkLog};

impl LinkLog {
    /// What was sent and arrived was delivered, what did not was lost, and what arrived once more than it was sent was
    /// copied on the way. What was sent without a congestion mark and arrived with one was marked. When a packet was lost
    /// is not known, nor why, but for what `lost_by` says of each direction.
    pub(crate) fn of_captures(captures: &[Capture; 2], lost_by: [DropCause; 2]) -> Self {
        let mut log = Self::default();
        let mut sent: Vec<(Time, Host, &Seen)> = Vec::new();
        for (host, capture) in Host::ALL.into_iter().zip(captures) {
            let out = capture.packets.iter().filter(|packet| packet.way == Crossing::Outbound);
            sent.extend(out.map(|packet| (packet.at, host, packet)));
        }
        sent.sort_by_key(|(at, ..)| *at);
        let mut under_way: [Alike<(PacketId, &Seen)>; 2] = Default::default();
        for (number, (_, host, packet)) in (0..).zip(sent) {
            let (id, direction) = (PacketId(number), host.sends());
            log.entered.push(Entered {
                id,
                direction,
                fingerprint: packet.fingerprint,
                at: packet.at,
            });
            let alike = under_way[direction as usize].entry(packet.fingerprint).or_default();
            alike.push_back((id, packet));
        }
        let mut next = PacketId(log.entered.len() as u64);
        for direction in Direction::ALL {
            let under_way = &mut under_way[direction as usize];
            let mut last: BTreeMap<Fingerprint, (PacketId, &Seen)> = BTreeMap::new();
            let there = &captures[direction.reaches() as usize];
            let here = &captures[direction.reaches().peer() as usize];
            let lost_like_others = match there.network() {
                // Its packets have numbers.
                Network::Ipv4 => Vec::new(),
                Network::Ipv6 => take_lost(under_way, &arrivals(there), |(_, sent)| sent.at),
            };
            for packet in there.packets.iter().filter(|packet| packet.way == Crossing::Inbound) {
                let outcome = Outcome::Delivered { at: packet.at };
                let delivered = |id, sent| Fate {
                    marked: there.ecn(packet) == Some(Ecn::Ce) && here.ecn(sent) != Some(Ecn::Ce),
                    ..fate(id, direction, sent, outcome)
                };
                let found = under_way.get_mut(&packet.fingerprint).and_then(VecDeque::pop_front);
                if let Some((id, sent)) = found {
                    last.insert(packet.fingerprint, (id, sent));
                    log.fates.push(delivered(id, sent));
                } else if let Some(&(origin, sent)) = last.get(&packet.fingerprint) {
                    log.fates.push(Fate {
                        duplicate_of: Some(origin),
                        ..delivered(next, sent)
                    });
                    next = PacketId(next.0 + 1);
                }
            }
            for (id, sent) in under_way.values().flatten().chain(&lost_like_others) {
                let outcome = Outcome::Dropped {
                    at: sent.at,
                    by: lost_by[direction as usize],
                };
                log.fates.push(fate(*id, direction, sent, outcome));
            }
        }
        log
    }
}

/// When packets arrived at a host, by what they look like.
fn arrivals(there: &Capture) -> Alike<Time> {
    let mut arrivals: Alike<Time> = BTreeMap::new();
    for packet in there.packets.iter().filter(|packet| packet.way == Crossing::Inbound) {
        arrivals.entry(packet.fingerprint).or_default().push_back(packet.at);
    }
    arrivals
}

fn fate(id: PacketId, direction: Direction, sent: &Seen, outcome: Outcome) -> Fate {
    let size = Bytes::new(u64::from(sent.len).saturating_sub(ETHERNET_LEN as u64));
    Fate::plain(id, direction, size, sent.at, outcome)
}
