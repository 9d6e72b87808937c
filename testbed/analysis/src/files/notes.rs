//! What the reader of an analysis should know of the captures: where they were made, and what they do not tell.

use windlull_units::Host;

use super::checksums::ChecksumMeaning;
use super::connection::Connection;
use super::connection::Side;
use super::matching::Matches;
use super::side::{KnownBy, Placed};

/// That it is not certain at which end the only capture was made.
pub(super) fn one_end_note(placed: Option<Placed>, data_sender: Host) -> Option<String> {
    match placed {
        None => Some(
            "Nothing tells at which end the capture was made; it is taken to be the data sender's. If it is not, say \
             so (--end)."
                .to_owned(),
        ),
        Some(Placed {
            side,
            by: KnownBy::Handshake,
        }) => {
            let (whose, other) = match side {
                Side::Sender => ("data sender's", side.other().host(data_sender)),
                Side::Receiver => ("data receiver's", side.other().host(data_sender)),
            };
            Some(format!(
                "The capture is taken to be the {whose}: a guess, by the times of the handshake. If it is wrong, say \
                 so (--end {}).",
                other.name()
            ))
        }
        Some(_) => None,
    }
}

/// At which end the first of two captures was made, and what there is to know of it; `data_packets` are those that each
/// shows. What is known goes before what is guessed.
pub(super) fn side_of_first(placed: [Option<Placed>; 2], data_packets: [u64; 2]) -> (Side, Option<String>) {
    let by_second = placed[1].map(|placed| Placed {
        side: placed.side.other(),
        ..placed
    });
    let surest = placed[0].into_iter().chain(by_second).min_by_key(|placed| placed.by);
    let contradict = match (placed[0], by_second) {
        (Some(one), Some(other)) => one.by == other.by && one.side != other.side,
        _ => false,
    };
    match surest {
        Some(placed) if !contradict => (
            placed.side,
            (placed.by == KnownBy::Handshake).then(|| {
                "Which capture was made at which end is a guess, by the times of the handshake. If it is wrong, say at \
                 which end the first one was made (--end)."
                    .to_owned()
            }),
        ),
        _ => (
            if data_packets[0] >= data_packets[1] {
                Side::Sender
            } else {
                Side::Receiver
            },
            Some(
                "The captures do not tell at which end each was made; the one with more data packets is taken to be \
                 the data sender's. If it is not, say at which end the first one was made (--end)."
                    .to_owned(),
            ),
        ),
    }
}

/// That checksums are not looked at where most are wrong.
pub(super) fn offload_notes(notes: &mut Vec<String>, connection: &Connection) {
    for (data, what) in [(true, "data packets"), (false, "acknowledgements")] {
        if connection.checksum_meaning(data) == ChecksumMeaning::NotComputed {
            notes.push(format!(
                "Most checksums of {what} are wrong in a capture: the network card computes them, or nobody. They are \
                 not looked at."
            ));
        }
    }
}

/// What there is to know of the matching of both captures.
pub(super) fn matching_notes(
    notes: &mut Vec<String>,
    sender: &Connection,
    receiver: &Connection,
    data: &Matches,
    acks: &Matches,
) {
    notes.push("The clocks of both captures are taken to agree; no offset is estimated.".to_owned());
    let early = |from: &Connection, to: &Connection, matches: &Matches| -> (u64, u64) {
        let by = matches
            .pairs()
            .filter_map(|(there, here)| from.packets.at_ns(here).checked_sub(to.packets.at_ns(there)));
        by.filter(|&early| early > 0)
            .fold((0, 0), |(packets, most), early| (packets + 1, most.max(early)))
    };
    let (down, up) = (early(sender, receiver, data), early(receiver, sender, acks));
    let (too_early, most) = (down.0 + up.0, down.1.max(up.1));
    if too_early > 0 {
        notes.push(format!(
            "{too_early} packets arrive before they were sent, by up to {most} ns: the clocks differ by at least so \
             much. Times from one end to the other are wrong by it; verdicts follow the order of each capture."
        ));
    }
    let ambiguous = data.ambiguous + acks.ambiguous;
    if ambiguous > 0 {
        notes.push(format!(
            "{ambiguous} packets look like others, and not all of them arrived: their fates are not known."
        ));
    }
    let strangers = data.strangers + acks.strangers;
    if strangers > 0 {
        notes.push(format!(
            "{strangers} packets arrived that the other capture does not have; they are left out."
        ));
    }
}
