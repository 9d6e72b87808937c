//! Scripts that name packets by what is in them, or wait for a transport.

use windlull_link::model::{Action, Distribution, QueueLimit, ScriptEntry, Selector, Trigger};
use windlull_units::{Bytes, Direction, Span, Time};

use super::process::first_of;
use super::{Instead, ProfileItem, Work, at_least, longer};

/// Octets of IPv4 and TCP headers of a data segment without options.
const HEADERS: u64 = 40;
/// More chosen packets than this are no script for a counter each.
const MOST_PACKETS: u64 = 1_000;

impl Work {
    pub(super) fn script(&mut self) {
        let mut kept = Vec::new();
        for (index, entry) in std::mem::take(&mut self.model.script).into_iter().enumerate() {
            kept.extend(self.entry(ProfileItem::Script(index + 1), entry));
        }
        self.model.script = kept;
    }

    fn entry(&mut self, place: ProfileItem, mut entry: ScriptEntry) -> Vec<ScriptEntry> {
        let direction = first_of(entry.scope);
        if let Trigger::Transport { .. } = entry.trigger {
            let why = "nothing in the kernel knows a condition of the transport";
            self.note(place, "at", Instead::LeftOut(why));
            return Vec::new();
        }
        if let Trigger::Packets { which, lasts } = entry.trigger.clone() {
            let Some((first, last)) = self.numbers(&which) else {
                let why = "nothing in the kernel knows a retransmission";
                self.note(place, "at", Instead::LeftOut(why));
                return Vec::new();
            };
            if entry.action == Action::Drop && lasts.is_none() && last - first < MOST_PACKETS {
                if !matches!(which, Selector::Packet(_)) {
                    self.note(place, "at", Instead::Packets { first, last });
                }
                let packet = |number| ScriptEntry {
                    trigger: Trigger::Packets {
                        which: Selector::Packet(number),
                        lasts: None,
                    },
                    ..entry.clone()
                };
                return (first..=last).map(packet).collect();
            }
            if matches!(entry.action, Action::Delay(_)) && lasts.is_none() {
                self.note(place, "do", Instead::LeftOut("a chosen packet can only be lost"));
                return Vec::new();
            }
            let Some(service) = self.service(direction) else {
                let why = "the link has no rate by which packets could be counted";
                self.note(place, "at", Instead::LeftOut(why));
                return Vec::new();
            };
            // A connection has been set up by then: a round trip.
            let trip = Span::from_ns(crate::netem::delay::quantile(&self.model.path(direction).delay, 0.5) as u64);
            let at = Time::ZERO + trip + trip + service.saturating_mul(first);
            self.note(place.clone(), "at", Instead::Instant(at));
            entry.trigger = Trigger::At { at, lasts };
        }
        match entry.action {
            Action::HoldArrivals => {
                entry.action = Action::Hold;
                self.note(place, "do", Instead::Hold);
            }
            Action::SetRate(rate) if at_least(rate) != rate => {
                entry.action = Action::SetRate(at_least(rate));
                self.note(place, "do", Instead::LeastRate);
            }
            Action::Delay(_) if self.delay_differs_or_moves(direction) => {
                let why = "netem lets packets overtake only where the others' delay is always the same";
                self.note(place, "do", Instead::LeftOut(why));
                return Vec::new();
            }
            Action::SetQueue(_) if self.model.path(direction).queue.is_managed() => {
                self.note(place, "do", Instead::LeftOut("a managed queue keeps its length"));
                return Vec::new();
            }
            Action::SetQueue(limit) => {
                let own = self.model.path(direction).queue.limit();
                let converted = in_unit_of(own, limit, self.packet);
                if converted != limit {
                    self.note(place.clone(), "do", Instead::OtherUnit);
                }
                let passing = longer(converted);
                if passing.is_some() {
                    self.note(place, "do", Instead::ShortestQueue);
                }
                entry.action = Action::SetQueue(passing.unwrap_or(converted));
            }
            _ => {}
        }
        vec![entry]
    }

    /// The packets of these segments where none was sent twice; the first packet of a direction is the handshake's.
    fn numbers(&self, which: &Selector) -> Option<(u64, u64)> {
        let segment = self.packet.get().saturating_sub(HEADERS).max(1);
        match *which {
            Selector::DataSegments { first, last } => Some((first + 1, last + 1)),
            Selector::Packet(number) => Some((number, number)),
            Selector::Byte(octet) => Some((octet / segment + 2, octet / segment + 2)),
            Selector::RetransmissionOfByte { .. } | Selector::RetransmissionOfSegment { .. } => None,
        }
    }

    fn delay_differs_or_moves(&self, direction: Direction) -> bool {
        let moves = |entry: &ScriptEntry| entry.scope.covers(direction) && matches!(entry.action, Action::SetDelay(_));
        !matches!(self.model.path(direction).delay, Distribution::Constant(_)) || self.model.script.iter().any(moves)
    }
}

fn in_unit_of(own: QueueLimit, limit: QueueLimit, packet: Bytes) -> QueueLimit {
    match (own, limit) {
        (QueueLimit::Packets(_), QueueLimit::Bytes(octets)) => QueueLimit::Packets(
            u32::try_from(octets.get() / packet.get().max(1))
                .unwrap_or(u32::MAX)
                .max(1),
        ),
        (QueueLimit::Bytes(_), QueueLimit::Packets(packets)) => {
            QueueLimit::Bytes(Bytes::new(u64::from(packets) * packet.get()))
        }
        _ => limit,
    }
}
