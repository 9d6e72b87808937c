//! When a hold or a drop begins and how long it lasts.

use rand::RngExt as _;
use windlull_units::{Rng, Seed, Span, Time};

use crate::distribution::Sampler;
use crate::draw;
use crate::model::{Distribution, Onset};

/// Every process in time takes at least this long from turn to turn, so that none turns for ever within an instant.
pub(crate) const LEAST_TURN: Span = Span::from_ns(1);

/// Out of how many intervals the one is taken in which a run begins that finds a process under way.
const BEFORE: usize = 100;

/// A renewal process in time, whatever the traffic: a gap, a spell, a gap, and so on; or intervals between the onsets.
#[derive(Clone, Debug)]
pub(crate) struct Renewal {
    counted: Counted,
    every: Sampler,
    length: Sampler,
    rng: Rng,
    next: Time,
    /// What is left of a spell that began before the run, and when the first one of the run begins.
    left: Option<(Span, Time)>,
}

/// What a process counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    FromEnd,
    FromOnset,
}

impl Renewal {
    /// The process of an onset in time; `None` of one that packets begin.
    pub(crate) fn of(onset: &Onset, length: &Distribution<Span>, seed: Seed, name: &str) -> Option<Self> {
        match onset {
            Onset::PacketWithProbability(_) => None,
            Onset::Renewal(every) => Some(Self::new(every, length, seed, name)),
            Onset::Intervals(every) => Some(Self::under_way(every, length, seed, name)),
            Onset::IntervalsFrom(every, first) => Some(Self::from(*first, every, length, seed, name)),
        }
    }

    /// The first gap begins at the start of the run.
    pub(crate) fn new(every: &Distribution<Span>, length: &Distribution<Span>, seed: Seed, name: &str) -> Self {
        let mut renewal = Self {
            counted: Counted::FromEnd,
            every: Sampler::new(every),
            length: Sampler::new(length),
            rng: seed.stream(name),
            next: Time::ZERO,
            left: None,
        };
        renewal.next = Time::ZERO + renewal.every.draw(&mut renewal.rng);
        renewal
    }

    /// Intervals between onsets. The run begins at some instant of a process that has gone on for long: the longer an
    /// interval, the likelier it is the one.
    pub(crate) fn under_way(every: &Distribution<Span>, length: &Distribution<Span>, seed: Seed, name: &str) -> Self {
        let (every, length) = (Sampler::new(every), Sampler::new(length));
        let mut rng = seed.stream(name);
        let intervals: [Span; BEFORE] = std::array::from_fn(|_| every.draw(&mut rng));
        let all = intervals.iter().fold(Time::ZERO, |sum, interval| sum + *interval);
        let begins = Time::from_ns(rng.random_range(0..=all.as_ns()));
        let mut onset = Time::ZERO;
        let mut following = Time::ZERO;
        for interval in intervals {
            (onset, following) = (following, following + interval);
            if following > begins {
                break;
            }
        }
        let first = Time::ZERO + following.since(begins);
        let left = (onset + length.draw(&mut rng)).since(begins);
        Self {
            counted: Counted::FromOnset,
            every,
            length,
            rng,
            next: if left.is_zero() { first } else { Time::ZERO },
            left: (!left.is_zero()).then_some((left, first)),
        }
    }

    /// Intervals between onsets, of which the first is `first` after the start of the run.
    pub(crate) fn from(
        first: Span,
        every: &Distribution<Span>,
        length: &Distribution<Span>,
        seed: Seed,
        name: &str,
    ) -> Self {
        Self {
            counted: Counted::FromOnset,
            every: Sampler::new(every),
            length: Sampler::new(length),
            rng: seed.stream(name),
            next: Time::ZERO + first,
            left: None,
        }
    }

    /// When the next spell begins.
    pub(crate) const fn next(&self) -> Time {
        self.next
    }

    /// The next spell begins; says when it ends.
    pub(crate) fn turn(&mut self) -> Time {
        if let Some((left, first)) = self.left.take() {
            self.next = first.max(Time::ZERO + LEAST_TURN);
            return Time::ZERO + left;
        }
        let until = self.next + self.length.draw(&mut self.rng);
        let counted = match self.counted {
            Counted::FromEnd => until,
            Counted::FromOnset => self.next,
        };
        let following = counted + self.every.draw(&mut self.rng);
        self.next = following.max(self.next + LEAST_TURN);
        until
    }
}

/// Spells that begin at a packet. One decision for each packet, whatever the link's state, so that the n-th packet of a
/// direction is hit or spared alike in every run of a seed.
#[derive(Clone, Debug)]
pub(crate) struct AtPacket {
    probability: f64,
    length: Sampler,
    rng: Rng,
}

impl AtPacket {
    pub(crate) fn new(probability: f64, length: &Distribution<Span>, seed: Seed, name: &str) -> Self {
        Self {
            probability,
            length: Sampler::new(length),
            rng: seed.stream(name),
        }
    }

    /// How long a spell begins at the next packet, if one does.
    pub(crate) fn draw(&mut self) -> Option<Span> {
        draw::happens(&mut self.rng, self.probability).then(|| self.length.draw(&mut self.rng))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renewal_counts_from_the_end_of_a_spell() {
        let secs = |secs| Distribution::Constant(Span::from_secs(secs));
        let at = |secs| Time::ZERO + Span::from_secs(secs);
        let mut renewal = Renewal::new(&secs(20), &secs(3), Seed::new(1), "down/spike");
        for turn in 0..3 {
            assert_eq!(renewal.next(), at(20 + 23 * turn));
            assert_eq!(renewal.turn(), at(23 + 23 * turn));
        }
    }

    #[test]
    fn intervals_count_from_onsets_and_the_run_begins_within_one() {
        let secs = |secs| Distribution::Constant(Span::from_secs(secs));
        let (mut on, mut sum) = (0, Span::ZERO);
        for seed in 0..1000 {
            let mut process = Renewal::under_way(&secs(20), &secs(5), Seed::new(seed), "both/spike");
            if process.next() == Time::ZERO {
                on += 1;
                assert!(process.turn() <= Time::ZERO + Span::from_secs(5));
            }
            let first = process.next();
            assert!(first <= Time::ZERO + Span::from_secs(20));
            assert_eq!(process.turn(), first + Span::from_secs(5));
            assert_eq!(process.next(), first + Span::from_secs(20));
            sum = sum + first.since(Time::ZERO);
        }
        // A quarter of the time is spells, and half an interval is left on average.
        assert!((200..300).contains(&on), "{on}");
        assert!((9.0..11.0).contains(&(sum.as_secs_f64() / 1000.0)), "{sum}");
    }

    #[test]
    fn intervals_may_begin_at_an_instant() {
        let secs = |secs| Distribution::Constant(Span::from_secs(secs));
        let at = |secs| Time::ZERO + Span::from_secs(secs);
        let mut process = Renewal::from(Span::from_secs(2), &secs(20), &secs(5), Seed::new(1), "both/spike");
        for turn in 0..3 {
            assert_eq!(process.next(), at(2 + 20 * turn));
            assert_eq!(process.turn(), at(7 + 20 * turn));
        }
    }

    #[test]
    fn a_renewal_without_length_moves_on() {
        let none = Distribution::Constant(Span::ZERO);
        let mut renewal = Renewal::new(&none, &none, Seed::new(1), "down/spike");
        renewal.turn();
        assert!(renewal.next() > Time::ZERO);
    }
}
