//! When each packet of a connection left the data's sender and reached the other end, told from the sender's capture alone.

use std::io::Read;

use super::acknowledged::acknowledged;
use super::connection::Side;
use super::load::Capture;
use super::notes::{offload_notes, one_end_note};
use super::side::side;
use super::story::data_sender_of;
use super::transits::{Transits, WayTransits, since};
use super::{AnalyzeError, Question, Which};

/// Tells from the data sender's capture when packets arrived at the other end: half of the shortest round trip before
/// they were acknowledged. Acknowledgements are taken to have been sent as long before they came, and none to be lost.
///
/// # Errors
/// [`AnalyzeError`]: as [`analyze`](super::analyze); [`AnalyzeError::NotTheSenders`] if the capture shows that it was
/// made at the receiver's end.
pub fn transits_by_acknowledgements(
    capture: &mut dyn Read,
    question: impl Into<Question>,
) -> Result<Transits, AnalyzeError> {
    let Question {
        selection,
        first_taken_at,
    } = question.into();
    let mut capture = Capture::load(capture, Which::First)?;
    let chosen = capture.take(selection, Which::First)?;
    let mut notes = capture.notes(Which::First);
    let data_sender = data_sender_of(&chosen);
    let stated = first_taken_at.map(|host| Side::of(host, data_sender));
    let placed = side(&chosen, stated, data_sender, Which::First)?;
    if placed.is_some_and(|placed| placed.side == Side::Receiver) {
        return Err(AnalyzeError::NotTheSenders {
            which: Which::First,
            sender: data_sender,
        });
    }
    notes.extend(one_end_note(placed, data_sender));
    offload_notes(&mut notes, &chosen);
    let found = acknowledged(&chosen);
    let half_ns = found.shortest_ns.unwrap_or(0) / 2;
    let base_ns = chosen.times_ns()[0];
    let since = |at_ns| since(at_ns, base_ns);
    let mut data = WayTransits::default();
    for packet in &found.packets {
        data.sent_ns.push(since(packet.at_ns));
        data.arrived_ns
            .push(packet.acked_ns.map(|at| since(at.saturating_sub(half_ns))));
        data.lost.push(packet.lost);
        data.size_bytes.push(packet.size_bytes);
    }
    let mut acks = WayTransits::default();
    for &(at_ns, size_bytes) in &found.acks {
        acks.sent_ns.push(since(at_ns.saturating_sub(half_ns)));
        acks.arrived_ns.push(Some(since(at_ns)));
        acks.lost.push(false);
        acks.size_bytes.push(size_bytes);
    }
    Ok(Transits::new(chosen.info(), data_sender, [data, acks], notes))
}
