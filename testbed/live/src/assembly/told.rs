//! What a transport from elsewhere told, put beside its host's capture.

use std::collections::BTreeMap;

use windlull_transport::Said;
use windlull_units::{PacketId, Time};

use super::seen::Capture;
use crate::transports::{Told, What};

/// Something that is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// Its place in what the end told.
    pub(super) place: usize,
    /// Of a datagram that was sent: its place in the capture.
    pub(super) sent: Option<usize>,
}

/// What an end told and sent, in its order, each with the time at which it is to be told: that of the capture for a datagram and
/// for the packets in it, and never before what was told before it. `sent` are the places of what left the host, in order.
///
/// Of a datagram that the capture does not have nothing is told, nor of the packets in it: it never left.
pub(super) fn items(told: &[Told], capture: &Capture, sent: &BTreeMap<usize, Option<PacketId>>) -> Vec<(Time, Item)> {
    let mut captured = sent.keys().copied().peekable();
    let mut items: Vec<(Option<Time>, Item)> = Vec::with_capacity(told.len());
    // Where the packets of the next datagram are among the items.
    let mut pending: Vec<usize> = Vec::new();
    for (place, Told { at, what }) in told.iter().enumerate() {
        let mut item = Item { place, sent: None };
        let mut when = Some(*at);
        match what {
            What::Sent { octets } => {
                item.sent = captured.next_if(|&place| capture.packets[place].datagram == Some(*octets));
                when = item.sent.map(|place| (*at).max(capture.packets[place].at));
                for index in pending.drain(..) {
                    items[index].0 = when;
                }
            }
            What::Said(Said::PacketSent(_)) => pending.push(items.len()),
            What::Said(_) | What::Secret(_) | What::Task { .. } | What::Closed { .. } => {}
        }
        items.push((when, item));
    }
    // Announced, and not sent any more.
    for index in pending {
        items[index].0 = None;
    }
    let mut latest = Time::ZERO;
    let timed = items.into_iter().filter_map(|(when, item)| {
        latest = latest.max(when?);
        Some((latest, item))
    });
    timed.collect()
}
