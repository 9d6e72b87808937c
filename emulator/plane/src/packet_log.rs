//! What happened to packets, a line each, in the format of Mahimahi's `mm-link`: tools that draw its logs read these.
//!
//! ```text
//! # base timestamp: 0
//! 12 + 1504          a packet of 1504 octets came at 12 ms
//! 15 # 1504          an opportunity to send so many octets, of a rate that is a trace
//! 15 - 1504 3        the packet of 1504 octets reached the other side at 15 ms, 3 ms after it came
//! 16 d 1 1504        one packet of 1504 octets was lost at 16 ms
//! ```
//!
//! Times are whole milliseconds since the link began; octets are those of IP packets with what the link adds (`framing`).

use std::io::{self, Write};

use windlull_link::OPPORTUNITY;
use windlull_link::model::{LinkModel, PathModel, RateModel};
use windlull_units::{Direction, Fate, Outcome, Span, Time};

use crate::model::Passed;

/// The log of one direction.
#[derive(Debug)]
pub struct PacketLog<W> {
    out: W,
    direction: Direction,
    framing: u64,
    opportunities: Opportunities,
}

/// The opportunities of a trace that have not been written yet; none of another rate.
#[derive(Debug)]
struct Opportunities {
    /// The milliseconds of one period.
    milliseconds: Vec<u64>,
    period_ms: u64,
    next: usize,
    /// The period that the next one is in.
    round: u64,
}

impl<W: Write> PacketLog<W> {
    /// Begins it with a line for each of `heading`, which readers pass over.
    ///
    /// # Errors
    /// What writing fails with, as of all that follows.
    pub fn begin(mut out: W, heading: &[String], link: &LinkModel, direction: Direction) -> io::Result<Self> {
        for line in heading {
            writeln!(out, "# {}", line.replace('\n', " "))?;
        }
        writeln!(out, "# base timestamp: 0")?;
        let path = match direction {
            Direction::Down => &link.down,
            Direction::Up => &link.up,
        };
        Ok(Self {
            out,
            direction,
            framing: path.framing.get(),
            opportunities: Opportunities::of(path),
        })
    }

    /// Tells of a packet, if it is of this direction, and of the opportunities before.
    ///
    /// # Errors
    /// What writing fails with.
    pub fn tell(&mut self, passed: &Passed) -> io::Result<()> {
        match passed {
            Passed::Arrived { direction, at, size } if *direction == self.direction => {
                self.until(*at)?;
                let (at, octets) = (ms(*at), size.get() + self.framing);
                writeln!(self.out, "{at} + {octets}")
            }
            Passed::Ended(fate) if fate.direction == self.direction => self.ended(fate),
            Passed::Arrived { .. } | Passed::Ended(_) => Ok(()),
        }
    }

    fn ended(&mut self, fate: &Fate) -> io::Result<()> {
        self.until(fate.outcome.at())?;
        let (at, octets) = (ms(fate.outcome.at()), fate.size.get() + self.framing);
        match fate.outcome {
            Outcome::Delivered { .. } => writeln!(self.out, "{at} - {octets} {}", at - ms(fate.entered)),
            Outcome::Dropped { .. } => writeln!(self.out, "{at} d 1 {octets}"),
        }
    }

    /// Tells of the opportunities up to and including this time.
    ///
    /// # Errors
    /// What writing fails with.
    pub fn until(&mut self, at: Time) -> io::Result<()> {
        let until = ms(at);
        while let Some(at) = self.opportunities.before(until) {
            writeln!(self.out, "{at} # {}", OPPORTUNITY.get())?;
        }
        Ok(())
    }

    /// Hands all of it on to who keeps it.
    ///
    /// # Errors
    /// What writing fails with.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Opportunities {
    fn of(path: &PathModel) -> Self {
        let (milliseconds, period) = match &path.rate {
            Some(RateModel::Trace { opportunities, period }) => {
                (opportunities.iter().map(|at| ms(*at)).collect(), *period)
            }
            Some(RateModel::Constant(_) | RateModel::Stepped { .. }) | None => (Vec::new(), Span::ZERO),
        };
        Self {
            milliseconds,
            period_ms: period.as_ns() / NS_PER_MS,
            next: 0,
            round: 0,
        }
    }

    /// The next one, if it is not after this.
    fn before(&mut self, until: u64) -> Option<u64> {
        let within = self.milliseconds.get(self.next)?;
        let at = self.round * self.period_ms + within;
        if at > until {
            return None;
        }
        self.next += 1;
        if self.next == self.milliseconds.len() {
            (self.next, self.round) = (0, self.round + 1);
        }
        Some(at)
    }
}

const NS_PER_MS: u64 = 1_000_000;

const fn ms(at: Time) -> u64 {
    at.as_ns() / NS_PER_MS
}

#[cfg(test)]
mod tests {
    use windlull_units::{BitRate, Bytes, DropCause, PacketId};

    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn link(rate: RateModel) -> LinkModel {
        let mut path = PathModel::plain(Some(rate), Span::ZERO);
        path.framing = Bytes::new(4);
        LinkModel::symmetric(path)
    }

    fn trace(milliseconds: &[u64]) -> RateModel {
        RateModel::Trace {
            opportunities: milliseconds.iter().map(|ms| at(*ms)).collect(),
            period: Span::from_ms(*milliseconds.last().expect("one at least")),
        }
    }

    fn arrived(direction: Direction, ms: u64) -> Passed {
        Passed::Arrived {
            direction,
            at: at(ms),
            size: Bytes::new(1_500),
        }
    }

    fn ended(entered: u64, outcome: Outcome) -> Passed {
        let size = Bytes::new(1_500);
        Passed::Ended(Fate::plain(PacketId(0), Direction::Down, size, at(entered), outcome))
    }

    fn written(link: &LinkModel, all: &[Passed], until: u64) -> String {
        let mut out = Vec::new();
        let heading = ["of a test\nin one line".to_owned()];
        let mut log = PacketLog::begin(&mut out, &heading, link, Direction::Down).expect("memory takes all");
        for passed in all {
            log.tell(passed).expect("memory takes all");
        }
        log.until(at(until)).expect("memory takes all");
        log.flush().expect("memory takes all");
        String::from_utf8(out).expect("it is text")
    }

    const HEADING: &str = "# of a test in one line\n# base timestamp: 0\n";

    #[test]
    fn each_packet_comes_and_goes_in_its_direction() {
        let rate = BitRate::from_bps(1_000_000)
            .map(RateModel::Constant)
            .expect("above zero");
        let by = DropCause::QueueOverflow;
        let all = [
            arrived(Direction::Down, 12),
            arrived(Direction::Up, 13),
            ended(12, Outcome::Delivered { at: at(15) }),
            ended(16, Outcome::Dropped { at: at(16), by }),
        ];
        let lines = "12 + 1504\n15 - 1504 3\n16 d 1 1504\n";
        assert_eq!(written(&link(rate), &all, 99), format!("{HEADING}{lines}"));
    }

    #[test]
    fn opportunities_stand_between_them_period_after_period() {
        let all = [arrived(Direction::Down, 4), ended(4, Outcome::Delivered { at: at(7) })];
        // An opportunity is used by what waits before it: it stands before who goes by it.
        let lines = "1 # 1504\n3 # 1504\n4 # 1504\n4 + 1504\n6 # 1504\n7 # 1504\n7 - 1504 3\n";
        assert_eq!(written(&link(trace(&[1, 3])), &all, 8), format!("{HEADING}{lines}"));
    }

    #[test]
    fn the_last_instant_of_a_period_is_the_next_ones_beginning() {
        assert_eq!(
            written(&link(trace(&[0, 5])), &[], 10),
            format!("{HEADING}0 # 1504\n5 # 1504\n5 # 1504\n10 # 1504\n10 # 1504\n")
        );
    }
}
