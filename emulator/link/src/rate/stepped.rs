//! A rate that changes at known instants.

use windlull_units::{BitRate, Span, Time};

use crate::start::Beginning;

/// Steps of a rate, played from the start of the run.
#[derive(Clone, Debug)]
pub(crate) struct Stepped {
    steps: Vec<(Time, BitRate)>,
    period: Option<Span>,
    /// The next step to come.
    next: usize,
    cycle: u64,
}

impl Stepped {
    pub(crate) fn new(steps: &[(Time, BitRate)], period: Option<Span>, beginning: Beginning) -> Self {
        let period = period.filter(|period| !period.is_zero());
        let mut steps = steps.to_vec();
        if let Some(period) = period {
            steps.retain(|(at, _)| at.as_ns() < period.as_ns());
            steps = from_there(steps, period, beginning.within(period));
        }
        Self {
            steps,
            period,
            next: 0,
            cycle: 0,
        }
    }

    /// The rate at the start of the run; `None` without steps.
    pub(crate) fn first(&self) -> Option<BitRate> {
        self.steps.first().map(|&(_, rate)| rate)
    }

    /// When the next step comes.
    pub(crate) fn next_at(&self) -> Time {
        let Some(&(at, _)) = self.steps.get(self.next) else {
            return Time::NEVER;
        };
        let start = self.period.unwrap_or(Span::ZERO).saturating_mul(self.cycle);
        at + start
    }

    /// Takes the next step.
    pub(crate) fn step(&mut self) -> Option<BitRate> {
        let &(_, rate) = self.steps.get(self.next)?;
        self.next += 1;
        if self.next == self.steps.len() && self.period.is_some() {
            (self.next, self.cycle) = (0, self.cycle + 1);
        }
        Some(rate)
    }
}

/// The steps of a period that begins so far into it.
fn from_there(steps: Vec<(Time, BitRate)>, period: Span, offset: Span) -> Vec<(Time, BitRate)> {
    let at = Time::ZERO + offset;
    let later = steps.partition_point(|step| step.0 <= at);
    let Some(first) = later.checked_sub(1).filter(|_| !offset.is_zero()) else {
        return steps;
    };
    let end = Time::ZERO + period;
    let rest = steps[later..]
        .iter()
        .map(|&(step, rate)| (Time::ZERO + step.since(at), rate));
    // The step in force at the start comes again as a step only if the start is not its first instant.
    let again = steps[..later]
        .iter()
        .map(|&(step, rate)| (Time::ZERO + period.saturating_sub(at.since(step)), rate))
        .filter(|&(step, _)| step < end);
    std::iter::once((Time::ZERO, steps[first].1))
        .chain(rest)
        .chain(again)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_ONCE: Beginning = Beginning::At(Span::ZERO);

    fn steps() -> Vec<(Time, BitRate)> {
        [(0, 300), (7, 10)]
            .map(|(secs, kbps)| {
                let rate = BitRate::from_bps(kbps * 1000).expect("above zero");
                (Time::ZERO + Span::from_secs(secs), rate)
            })
            .to_vec()
    }

    fn play(mut stepped: Stepped, count: usize) -> Vec<(u64, u64)> {
        let mut played = Vec::new();
        for _ in 0..count {
            let at = stepped.next_at();
            if let Some(rate) = stepped.step() {
                played.push((at.as_ns() / 1_000_000_000, rate.as_bps()));
            }
        }
        played
    }

    #[test]
    fn steps_come_once_without_a_period() {
        let stepped = Stepped::new(&steps(), None, AT_ONCE);
        assert_eq!(play(stepped, 5), [(0, 300_000), (7, 10_000)]);
    }

    #[test]
    fn steps_repeat_after_the_period() {
        let stepped = Stepped::new(&steps(), Some(Span::from_secs(10)), AT_ONCE);
        assert_eq!(
            play(stepped, 5),
            [(0, 300_000), (7, 10_000), (10, 300_000), (17, 10_000), (20, 300_000)]
        );
    }

    #[test]
    fn steps_may_begin_in_the_middle_of_the_period() {
        let from = |secs| {
            let start = Beginning::At(Span::from_secs(secs));
            play(Stepped::new(&steps(), Some(Span::from_secs(10)), start), 4)
        };
        assert_eq!(from(4), [(0, 300_000), (3, 10_000), (6, 300_000), (10, 300_000)]);
        assert_eq!(from(7), [(0, 10_000), (3, 300_000), (10, 10_000), (13, 300_000)]);
    }
}
