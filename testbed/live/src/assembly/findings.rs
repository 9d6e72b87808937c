//! What both captures and the link's log say of each other: for the certificate.

use std::collections::BTreeMap;

use windlull_capture::Crossing;
use windlull_units::{Direction, Fate, Outcome, PacketId, Span, Time};

use super::Pieces;
use super::matching::Matches;
use crate::certificate::{Rate, Rates, Spread, tail_quantile};

/// A stretch shorter than this tells no rate: what single packets are late would show as a rate.
const LEAST_STRETCH: Span = Span::from_ms(100);
/// Nor does one of fewer packets.
const LEAST_PACKETS: usize = 10;

#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    /// One-way delays by both captures, against the link's.
    pub(crate) wire_error_us: Option<Spread>,
    /// What all but a few of them are less than.
    pub(crate) wire_tail_us: Option<f64>,
    pub(crate) rates: Rates,
    pub(crate) unmatched: u64,
    pub(crate) packets: u64,
    /// Packets that the link corrupted and a capture shows arriving.
    pub(crate) corrupted_arrivals: u64,
    /// How long the link took to send a large packet.
    pub(crate) packet_time: Span,
}

pub(super) fn find(pieces: &Pieces, matches: &Matches) -> Findings {
    let all = || pieces.captures.iter().flat_map(|capture| &capture.packets);
    let corrupted = pieces
        .link
        .fates
        .iter()
        .filter(|fate| fate.corrupted && matches.arrived.contains_key(&fate.id))
        .count() as u64;
    let entered: BTreeMap<PacketId, Time> = pieces.link.entered.iter().map(|it| (it.id, it.at)).collect();
    let fates = pieces.link.fates.iter();
    let mut errors: Vec<u64> = fates
        .filter_map(|fate| delay_error(pieces, matches, fate, *entered.get(&fate.id)?))
        .collect();
    errors.sort_unstable();
    Findings {
        wire_tail_us: quantile(&errors, tail_quantile(errors.len() as u64)),
        wire_error_us: spread(errors),
        rates: Rates {
            down: rate(pieces, matches, Direction::Down),
            up: rate(pieces, matches, Direction::Up),
        },
        unmatched: matches.unmatched + matches.lost_before.len() as u64,
        packets: all().filter(|packet| packet.way == Crossing::Outbound).count() as u64,
        corrupted_arrivals: corrupted,
        packet_time: packet_time(&pieces.link.fates),
    }
}

/// The median of the times that the larger half of packets took.
fn packet_time(fates: &[Fate]) -> Span {
    let largest = fates.iter().map(|fate| fate.size).max().unwrap_or_default();
    let mut times: Vec<Span> = fates
        .iter()
        .filter(|fate| fate.size.get() * 2 > largest.get())
        .filter_map(|fate| Some(fate.sent?.since(fate.started?)))
        .collect();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or(Span::ZERO)
}

/// How far the way from capture to capture was longer or shorter than the link's own, or that of both links, ns.
fn delay_error(pieces: &Pieces, matches: &Matches, fate: &Fate, entered: Time) -> Option<u64> {
    let (Outcome::Delivered { at }, None) = (fate.outcome, fate.duplicate_of) else {
        return None;
    };
    let to = fate.direction.reaches();
    let sent = pieces.captures[to.peer() as usize].packets[*matches.sent.get(&fate.id)?].at;
    let arrived = pieces.captures[to as usize].packets[*matches.arrived.get(&fate.id)?].at;
    let (measured, planned) = (arrived.since(sent), at.since(entered));
    Some(measured.as_ns().abs_diff(planned.as_ns()))
}

/// A distribution of nanoseconds, told in microseconds.
pub(crate) fn spread(mut errors_ns: Vec<u64>) -> Option<Spread> {
    errors_ns.sort_unstable();
    Some(Spread {
        p50: quantile(&errors_ns, 0.5)?,
        p99: quantile(&errors_ns, 0.99)?,
        max: quantile(&errors_ns, 1.0)?,
        count: errors_ns.len() as u64,
    })
}

/// What this part of sorted nanoseconds is not more than, in microseconds.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place within the vector; errors are far below 2^53 ns"
)]
fn quantile(sorted_ns: &[u64], part: f64) -> Option<f64> {
    let place = (sorted_ns.len() as f64 * part).ceil() as usize;
    sorted_ns.get(place.saturating_sub(1)).map(|&ns| ns as f64 / 1e3)
}

/// A packet that went straight through: when it arrived by the capture and by the plan.
#[derive(Clone, Copy, Debug)]
struct Passage {
    arrived: Time,
    planned: Time,
    bits: u64,
}

/// The longest stretch in which packets left the queue back to back and nothing kept them afterwards.
fn rate(pieces: &Pieces, matches: &Matches, direction: Direction) -> Option<Rate> {
    let to = direction.reaches() as usize;
    let mut fates: Vec<&Fate> = pieces
        .link
        .fates
        .iter()
        .filter(|fate| fate.direction == direction)
        .collect();
    fates.sort_by_key(|fate| (fate.started, fate.outcome.at()));
    let (mut best, mut stretch): (Vec<Passage>, Vec<Passage>) = (Vec::new(), Vec::new());
    let mut free_at = None;
    let mut keep_longer = |stretch: &mut Vec<Passage>| {
        if length(stretch) > length(&best) {
            best.clone_from(stretch);
        }
        stretch.clear();
    };
    for fate in fates {
        let (Some(started), Some(sent)) = (fate.started, fate.sent) else {
            continue;
        };
        let arrived = matches
            .arrived
            .get(&fate.id)
            .map(|&there| pieces.captures[to].packets[there].at);
        if free_at != Some(started) || !fate.held.is_zero() {
            keep_longer(&mut stretch);
        }
        free_at = Some(sent);
        match (fate.outcome, arrived) {
            (Outcome::Delivered { at }, Some(arrived)) if fate.held.is_zero() && !fate.reordered => {
                stretch.push(Passage {
                    arrived,
                    planned: at,
                    bits: fate.size.bits(),
                });
            }
            _ => keep_longer(&mut stretch),
        }
    }
    keep_longer(&mut stretch);
    let (first, last) = (best.first()?, best.last()?);
    let (took, planned) = (last.arrived.since(first.arrived), last.planned.since(first.planned));
    if best.len() < LEAST_PACKETS || took < LEAST_STRETCH || planned.is_zero() {
        return None;
    }
    // The first packet's arrival begins the stretch: its own bits came before.
    #[expect(clippy::cast_precision_loss, reason = "for people")]
    let bits = best[1..].iter().map(|passage| passage.bits).sum::<u64>() as f64;
    Some(Rate {
        achieved_bps: bits / took.as_secs_f64(),
        planned_bps: bits / planned.as_secs_f64(),
        over_s: took.as_secs_f64(),
    })
}

fn length(stretch: &[Passage]) -> Span {
    match (stretch.first(), stretch.last()) {
        (Some(first), Some(last)) => last.planned.since(first.planned),
        _ => Span::ZERO,
    }
}
