//! What an episode repeats is told once, with its count: a timer that fires again and again in an outage, what it sends and
//! what is lost of it; and a sender that sends again while the link goes on losing.

use windlull_units::Time;

use super::story::{Moment, Verdicts};
use super::words::{Sentence, counted, seconds};
use crate::result::TimeoutRecord;

/// The most moments of a thing that is repeated: a timeout, what its detector says, what was sent and what was lost, twice.
const LONGEST: usize = 8;

/// So many moments of sending again and losing, in turn, are told as one.
const OFTEN: usize = 12;

/// The sentences of an episode's moments.
pub(super) fn sentences(moments: &[(Time, Moment)], verdicts: Verdicts<'_>) -> Vec<Sentence> {
    let mut story = Vec::new();
    let mut rest = moments;
    while let Some((at, moment)) = rest.first() {
        let Some((period, times)) = repeated(rest, verdicts) else {
            let (sums, of) = summed(rest).unwrap_or_else(|| (vec![(*at, moment.clone())], 1));
            story.extend(sums.iter().map(|(at, moment)| moment.sentence(*at, verdicts)));
            rest = &rest[of..];
            continue;
        };
        let (whole, after) = rest.split_at(period * times);
        let (first, again) = whole.split_at(period);
        story.extend(first.iter().map(|(at, moment)| moment.sentence(*at, verdicts)));
        story.extend(again_in_words(again, times - 1, verdicts));
        rest = after;
    }
    story
}

/// What was sent again and what was lost in turn at the beginning of these moments, each as one, and of how many moments
/// that is; `None` if that is not often in a row.
fn summed(moments: &[(Time, Moment)]) -> Option<(Vec<(Time, Moment)>, usize)> {
    let mut sums: Vec<(Time, Moment)> = Vec::new();
    let mut count = 0;
    for (at, moment) in moments {
        let known = sums.iter_mut().find_map(|(_, sum)| match (sum, moment) {
            (Moment::Resent(sum), Moment::Resent(next)) => {
                let of_data = next.is_of_data();
                if of_data {
                    sum.go_on(next);
                }
                Some(of_data)
            }
            (Moment::Drops(sum), Moment::Drops(next)) => Some(sum.joined(next)),
            _ => None,
        });
        match (known, moment) {
            (Some(true), _) => {}
            (None, Moment::Resent(resends)) if resends.is_of_data() => sums.push((*at, moment.clone())),
            (None, Moment::Drops(_)) => sums.push((*at, moment.clone())),
            _ => break,
        }
        count += 1;
    }
    (count >= OFTEN).then_some((sums, count))
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
fn again_in_words(again: &[(Time, Moment)], times: usize, verdicts: Verdicts<'_>) -> Option<Sentence> {
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
    let within = match to.since(*from) {
        span if span.is_zero() || times == 1 => String::new(),
        span => format!(" within {}", seconds(span)),
    };
    let times = counted(times as u64, "more time", "more times");
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

#[cfg(test)]
mod tests {
    use windlull_units::{Direction, Span};

    use super::super::record::ResentCounts;
    use super::super::story::{Drops, Resends};
    use super::*;
    use crate::result::Ends;

    fn resent(segment: u64) -> Moment {
        let mut resends = Resends::begin(at(segment), (1000 * segment, 1000 * segment + 1000));
        resends.counts = ResentCounts {
            unnecessary: 1,
            ..resends.counts
        };
        Moment::Resent(resends)
    }

    fn lost(segment: u64) -> Moment {
        Moment::Drops(Drops {
            by: "queue-full",
            direction: Direction::Down,
            to: at(segment),
            segments: 1,
            others: 0,
            octets: Some((1000 * segment + 9000, 1000 * segment + 10_000)),
        })
    }

    fn at(segment: u64) -> Time {
        Time::ZERO + Span::from_ms(10 * segment)
    }

    fn story_of(segments: u64) -> Vec<String> {
        let moments: Vec<_> = (0..segments)
            .flat_map(|segment| [(at(segment), resent(segment)), (at(segment), lost(segment))])
            .collect();
        let none = Verdicts {
            ends: Ends::Both,
            timeouts: &[],
            fast_retransmits: &[],
            losses: None,
        };
        sentences(&moments, none)
            .into_iter()
            .map(|sentence| sentence.text)
            .collect()
    }

    #[test]
    fn what_is_sent_again_and_lost_in_turn_is_told_as_one() {
        assert_eq!(story_of(2).len(), 4);
        assert_eq!(
            story_of(11),
            [
                "11 segments were sent again within 0.100 s between octets 0 and 11000: unnecessary.",
                "The link lost 11 data segments down-link within 0.100 s (queue-full), between octets 9000 and 20000.",
            ]
        );
    }
}
