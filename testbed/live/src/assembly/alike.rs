//! Which of several packets that look alike were lost, on a link that tells no fates.
//!
//! IPv4 numbers packets; IPv6 does not (RFC 8200, section 3). Over it a segment that is sent again without timestamps is the
//! same octets as before, and so are acknowledgements that say the same. Where fewer of them arrived than were sent, those
//! arrived that took as long as other packets did at that time.

use std::collections::{BTreeMap, VecDeque};
use std::mem;

use windlull_plane::Fingerprint;
use windlull_units::{Span, Time};

/// What is alike, in order of time.
pub(super) type Alike<T> = BTreeMap<Fingerprint, VecDeque<T>>;

/// More packets that look alike than a window has; of more, the first to leave is taken for the first to arrive.
const MOST_ALIKE: usize = 2_000;

/// Takes those out of what was `sent` in a direction that were lost although some that look like them arrived; `at` tells when
/// one was sent. Of what stays, the first to leave is the first to arrive.
pub(super) fn take_lost<T>(sent: &mut Alike<T>, arrived: &Alike<Time>, at: impl Fn(&T) -> Time) -> Vec<T> {
    let delays = Delays::of(sent, arrived, &at);
    let mut lost = Vec::new();
    for (look, alike) in sent.iter_mut() {
        let Some(arrivals) = arrived.get(look).filter(|arrivals| arrivals.len() < alike.len()) else {
            continue;
        };
        let times: Vec<Time> = alike.iter().map(&at).collect();
        let arrivals: Vec<Time> = arrivals.iter().copied().collect();
        let Some(places) = joined(&times, &arrivals, |at| delays.near(at)) else {
            continue;
        };
        let mut places = places.into_iter().peekable();
        for (place, packet) in mem::take(alike).into_iter().enumerate() {
            match places.next_if_eq(&place) {
                Some(_) => alike.push_back(packet),
                None => lost.push(packet),
            }
        }
    }
    lost
}

/// How long packets took that look like no other, by when they arrived.
#[derive(Debug)]
struct Delays(Vec<(Time, Span)>);

impl Delays {
    fn of<T>(sent: &Alike<T>, arrived: &Alike<Time>, at: impl Fn(&T) -> Time) -> Self {
        let only = |(look, sent): (&Fingerprint, &VecDeque<T>)| {
            let there = arrived.get(look).filter(|there| there.len() == 1 && sent.len() == 1)?;
            let there = *there.front()?;
            Some((there, there.since(at(sent.front()?))))
        };
        let mut delays: Vec<(Time, Span)> = sent.iter().filter_map(only).collect();
        delays.sort_unstable();
        Self(delays)
    }

    /// That of the packet that arrived nearest to this time; none if all look like others.
    fn near(&self, at: Time) -> Span {
        let after = self.0.partition_point(|(arrived, _)| *arrived < at);
        let beside = [after.checked_sub(1), Some(after)].into_iter().flatten();
        let nearest = beside
            .filter_map(|place| self.0.get(place))
            .min_by_key(|(arrived, _)| arrived.as_ns().abs_diff(at.as_ns()));
        nearest.map_or(Span::ZERO, |(_, delay)| *delay)
    }
}

/// The places of those that were sent and arrived, in order, so that their delays are off the `usual` ones by as little as
/// possible in all. `None` if not all arrivals can be of them.
fn joined(sent: &[Time], arrived: &[Time], usual: impl Fn(Time) -> Span) -> Option<Vec<usize>> {
    if sent.len() > MOST_ALIKE {
        return None;
    }
    // In the row of so many arrivals and the column of so many sent, how far these are off if they are of those, ns.
    let mut off = vec![vec![Some(0_u64); sent.len() + 1]];
    for (number, &there) in arrived.iter().enumerate() {
        let usual = usual(there);
        let before = off.get(number)?;
        let mut row = vec![None; sent.len() + 1];
        for (place, &left) in sent.iter().enumerate() {
            let own = (left <= there).then(|| there.since(left).as_ns().abs_diff(usual.as_ns()));
            let with_this = before[place].zip(own).map(|(others, own)| others.saturating_add(own));
            row[place + 1] = [row[place], with_this].into_iter().flatten().min();
        }
        off.push(row);
    }
    let mut column = sent.len();
    off.last()?[column]?;
    let mut places = Vec::with_capacity(arrived.len());
    for row in off[1..].iter().rev() {
        // Of those that are as good, the first to leave.
        while row[column - 1] == row[column] {
            column -= 1;
        }
        column -= 1;
        places.push(column);
    }
    places.reverse();
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(times: &[u64]) -> VecDeque<Time> {
        times.iter().map(|ms| Time::ZERO + Span::from_ms(*ms)).collect()
    }

    /// When packets of one look were sent, and when they arrived, ms.
    type Times<'a> = (&'a [u64], &'a [u64]);

    /// What of all looks was lost, in their order, and what is left of the first, ms.
    fn lost(looks: &[Times<'_>]) -> (Vec<u64>, Vec<u64>) {
        let by_look = |times: fn(&Times<'_>) -> VecDeque<Time>| -> Alike<Time> {
            (0..).map(Fingerprint).zip(looks.iter().map(times)).collect()
        };
        let (mut sent, arrived) = (by_look(|look| ms(look.0)), by_look(|look| ms(look.1)));
        let in_ms = |at: &Time| at.as_ns() / 1_000_000;
        let lost = take_lost(&mut sent, &arrived, |at| *at);
        (
            lost.iter().map(in_ms).collect(),
            sent[&Fingerprint(0)].iter().map(in_ms).collect(),
        )
    }

    #[test]
    fn of_a_segment_and_its_retransmission_the_one_with_the_usual_delay_arrived() {
        // The first was lost, and another arrived 1.08 s after it left.
        assert_eq!(
            lost(&[(&[100, 1_100], &[1_180]), (&[90], &[170])]),
            (vec![100], vec![1_100])
        );
        // All were held for a second, and the retransmission was lost.
        assert_eq!(
            lost(&[(&[100, 1_100], &[1_180]), (&[110], &[1_190])]),
            (vec![1_100], vec![100])
        );
        // Nothing tells what is usual: the shortest delay.
        assert_eq!(lost(&[(&[100, 1_100], &[1_180])]), (vec![100], vec![1_100]));
    }

    #[test]
    fn of_acknowledgements_in_a_row_the_gap_is_found() {
        let sent: Vec<u64> = (0..10).map(|number| 100 + 8 * number).collect();
        for missing in 0..10 {
            let arrived: Vec<u64> = sent.iter().map(|at| at + 80).collect();
            let (mut left, mut there) = (sent.clone(), arrived);
            there.remove(missing);
            let gone = left.remove(missing);
            assert_eq!(
                lost(&[(&sent[..], &there[..]), (&[50], &[130])]),
                (vec![gone], left),
                "{missing}"
            );
        }
    }

    #[test]
    fn where_all_or_none_arrived_there_is_nothing_to_choose() {
        assert_eq!(lost(&[(&[100, 200], &[180, 280])]), (vec![], vec![100, 200]));
        assert_eq!(lost(&[(&[100, 200], &[180, 190, 280])]), (vec![], vec![100, 200]));
        // None that look so arrived.
        assert_eq!(lost(&[(&[100, 200], &[])]), (vec![100, 200], vec![]));
        // This came before any had left: the order is left to decide.
        assert_eq!(lost(&[(&[100, 200], &[50])]), (vec![], vec![100, 200]));
    }
}
