//! What packets tell of their transports: which of the script's entries begin because a connection has sent an octet, or has
//! sent something again.

use std::collections::HashMap;

use windlull_units::Direction;

use crate::Packet;
use crate::model::{LinkModel, TransportCondition};
use crate::selector::Stream;

/// More streams are not followed, so that a link that stands for months does not grow while it waits.
const MOST_STREAMS: usize = 65_536;

/// Follows all connections over a link while entries of its script wait for them.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    /// The entries that wait, and for what.
    waiting: Vec<(usize, TransportCondition)>,
    /// The streams of data, by direction and flow.
    streams: HashMap<(Direction, u64), Stream>,
}

impl Watch {
    /// `None` if no entry of the script waits for what packets tell.
    pub(crate) fn new(model: &LinkModel) -> Option<Box<Self>> {
        let by_packets = model
            .transport_conditions()
            .filter(|(_, when)| when.is_told_by_packets());
        let waiting: Vec<_> = by_packets.collect();
        (!waiting.is_empty()).then(|| {
            Box::new(Self {
                waiting,
                streams: HashMap::new(),
            })
        })
    }

    /// A packet comes to the link: the entries that begin with it.
    pub(crate) fn see<P: Packet>(&mut self, direction: Direction, packet: &P) -> Vec<usize> {
        let Some(view) = packet.tcp() else {
            return Vec::new();
        };
        let key = (direction, packet.flow());
        if self.streams.len() >= MOST_STREAMS && !self.streams.contains_key(&key) {
            return Vec::new();
        }
        let stream = self.streams.entry(key).or_default();
        if stream.see(view).is_none() {
            return Vec::new();
        }
        let mut begin = Vec::new();
        self.waiting.retain(|&(entry, when)| {
            let has_come = match when {
                TransportCondition::AfterByte(octet) => stream.sent > octet,
                TransportCondition::Retransmission(nth) => stream.repeated >= nth,
                TransportCondition::AfterLastTransmission { .. }
                | TransportCondition::WindowExceeds { .. }
                | TransportCondition::Recovery => false,
            };
            if has_come {
                begin.push(entry);
            }
            !has_come
        });
        begin
    }

    /// Whether nothing waits any more.
    pub(crate) fn is_over(&self) -> bool {
        self.waiting.is_empty()
    }
}
