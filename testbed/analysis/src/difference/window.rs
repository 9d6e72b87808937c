//! Packets as they are told, and those around an instant.

use std::collections::BTreeMap;

use windlull_units::{Fate, Span, Time};
use windlull_wire::TransmitCause;

use super::answer::{PartingWindow, PassedPacket};
use super::packets::Packet;
use super::recorded::Recorded;
use super::words::flags_in_words;

/// So many packets of a run are told around an instant at most.
const MOST: usize = 400;

/// Tells packets of a run, with what the link did to each.
#[derive(Debug)]
pub(super) struct Teller<'a> {
    run: &'a Recorded,
    fates: BTreeMap<u64, &'a Fate>,
}

impl<'a> Teller<'a> {
    pub(super) fn of(run: &'a Recorded) -> Self {
        let fates = run.fates.iter().flatten().map(|fate| (fate.id.0, fate)).collect();
        Self { run, fates }
    }

    pub(super) fn tell(&self, packet: &Packet) -> PassedPacket {
        let fate = packet.id.and_then(|id| self.fates.get(&id));
        PassedPacket {
            at_ns: packet.at,
            id: packet.id,
            sent: packet.is_sent,
            flags: flags_in_words(packet.flags),
            start: packet.start,
            octets: packet.len,
            again: packet.is_again,
            acked: packet.acked,
            sack: packet.sack.clone(),
            cause: packet.cause.map(TransmitCause::name),
            verdict: packet.verdict.clone(),
            ended_ns: fate.map(|fate| fate.outcome.at()),
            end: fate.map(|fate| fate.outcome.name()),
        }
    }

    /// The packets of a time, those nearest to the instant `at` if they are too many; and how many are left out.
    fn around(&self, [from, to]: [Time; 2], at: Time) -> (Vec<PassedPacket>, u64) {
        let all = &self.run.packets;
        let start = all.partition_point(|packet| packet.at < from);
        let end = all.partition_point(|packet| packet.at <= to);
        let middle = all.partition_point(|packet| packet.at < at);
        let first = middle.saturating_sub(MOST / 2).max(start);
        let last = first.saturating_add(MOST).min(end);
        let kept = all.get(first..last).unwrap_or_default();
        let left_out = end.saturating_sub(start).saturating_sub(kept.len());
        (kept.iter().map(|packet| self.tell(packet)).collect(), left_out as u64)
    }
}

/// The packets of both runs as far before and after an instant.
pub(super) fn window([a, b]: [&Teller<'_>; 2], at: Time, around: Span) -> PartingWindow {
    let from = Time::from_ns(at.as_ns().saturating_sub(around.as_ns()));
    let to = at + around;
    let ((of_a, without_a), (of_b, without_b)) = (a.around([from, to], at), b.around([from, to], at));
    PartingWindow {
        from_ns: from,
        to_ns: to,
        a: of_a,
        b: of_b,
        left_out: without_a + without_b,
    }
}
