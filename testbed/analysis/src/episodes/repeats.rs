//! What an episode repeats is told once, with its count: a timer that fires again and again in an outage, what it sends and
//! what is lost of it.

use windlull_units::Time;

use super::story::{Moment, Sentence, Verdicts, counted, seconds};
use crate::result::TimeoutRecord;

/// The most moments of a thing that is repeated: a timeout, what its detector says, what was sent and what was lost, twice.
const LONGEST: usize = 8;

/// The sentences of an episode's moments.
pub(super) fn sentences(moments: &[(Time, Moment)], verdicts: Verdicts<'_>) -> Vec<Sentence> {
    let mut told = Vec::new();
    let mut rest = moments;
    while let Some((at, moment)) = rest.first() {
        let Some((period, times)) = repeated(rest, verdicts) else {
            told.push(moment.told(*at, verdicts));
            rest = &rest[1..];
            continue;
        };
        let (whole, after) = rest.split_at(period * times);
        let (first, again) = whole.split_at(period);
        told.extend(first.iter().map(|(at, moment)| moment.told(*at, verdicts)));
        told.extend(told_again(again, times - 1, verdicts));
        rest = after;
    }
    told
}

/// With what these moments begin that is there several times in a row: of how many moments it is, and how many times. Of
/// several readings the one that covers most, and of those the shortest.
fn repeated(moments: &[(Time, Moment)], verdicts: Verdicts<'_>) -> Option<(usize, usize)> {
    let times = |period: usize| {
        let first = &moments[..period];
        let blocks = moments.chunks_exact(period);
        let alike = |block: &&[(Time, Moment)]| {
            let pairs = first.iter().zip(block.iter());
            pairs
                .into_iter()
                .all(|((_, one), (_, other))| one.is_like(other, verdicts))
        };
        blocks.take_while(alike).count()
    };
    (1..=LONGEST.min(moments.len() / 2))
        .map(|period| (period, times(period)))
        .filter(|&(_, times)| times > 1)
        .max_by_key(|&(period, times)| (period * times, std::cmp::Reverse(period)))
}

/// One sentence for all that came after the first time.
fn told_again(again: &[(Time, Moment)], times: usize, verdicts: Verdicts<'_>) -> Option<Sentence> {
    let ((from, _), (to, _)) = (again.first()?, again.last()?);
    let timeouts: Vec<&TimeoutRecord> = again
        .iter()
        .filter_map(|(_, moment)| moment.timeout(verdicts))
        .collect();
    let which = match (timeouts.first(), timeouts.last()) {
        (Some(first), Some(last)) if first.ordinal == last.ordinal => {
            format!(": timeout {}{}", first.ordinal, after(first, last))
        }
        (Some(first), Some(last)) => format!(": timeouts {} to {}{}", first.ordinal, last.ordinal, after(first, last)),
        _ => String::new(),
    };
    let times = counted(times as u64, "more time", "more times");
    let within = match to.since(*from) {
        span if span.is_zero() => String::new(),
        span => format!(" within {}", seconds(span)),
    };
    Some(Sentence {
        at_ns: *from,
        text: format!("The same happened {times}{within}{which}."),
    })
}

/// How long the timer had been set, where the sender tells.
fn after(first: &TimeoutRecord, last: &TimeoutRecord) -> String {
    match (first.rto_ns, last.rto_ns) {
        (Some(first), Some(last)) if first == last => format!(", after {}", seconds(first)),
        (Some(first), Some(last)) => format!(", after {} to {}", seconds(first), seconds(last)),
        _ => String::new(),
    }
}
