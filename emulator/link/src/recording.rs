//! A recording that is played: rates, delays and losses of both directions over time, and stretches without any rate.
//!
//! It stands under all that the script and hands set, and above what the paths say.

use std::sync::Arc;

use windlull_units::{BitRate, Direction, Span, Time};

use crate::effect::{EffectKind, SpellKind, Value};
use crate::model::{RecordedPath, RecordedRow, Recording, Zeros};
use crate::start::Beginning;

/// How its spells are called in events.
pub(crate) const NAME: &str = "recording";

/// Something that a row does to one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Played {
    pub(crate) direction: Direction,
    pub(crate) kind: EffectKind,
    /// When a spell ends; `NEVER` for a value, which the next one replaces.
    pub(crate) until: Time,
}

/// A recording, and how far it is.
#[derive(Clone, Debug)]
pub(crate) struct Player {
    /// From where it begins, the first at zero.
    rows: Arc<[RecordedRow]>,
    period: Option<Span>,
    without_rate: SpellKind,
    next: usize,
    cycle: u64,
    /// Down, then up: what is played.
    now: [RecordedPath; 2],
    /// Down, then up: until when nothing is served, as far as that was said.
    silent_until: [Time; 2],
}

impl Player {
    pub(crate) fn new(recording: &Recording, beginning: Beginning) -> Self {
        let rows = match recording.period {
            Some(period) => from_there(&recording.rows, period, beginning.within(period)),
            None => recording.rows.clone(),
        };
        Self {
            rows: rows.into(),
            period: recording.period,
            without_rate: match recording.zeros {
                Zeros::Hold => SpellKind::Suspension,
                Zeros::Outage => SpellKind::Outage,
            },
            next: 0,
            cycle: 0,
            now: [RecordedPath::default(); 2],
            silent_until: [Time::ZERO; 2],
        }
    }

    /// When the next row comes; `NEVER` after the last one of a recording that does not repeat.
    pub(crate) fn next(&self) -> Time {
        self.instant(self.next, self.cycle)
    }

    /// What the row does that is due at `now`.
    pub(crate) fn play(&mut self, now: Time) -> Vec<Played> {
        let Some(&row) = self.rows.get(self.next) else {
            return Vec::new();
        };
        let mut played = Vec::new();
        for (direction, path) in [(Direction::Down, row.down), (Direction::Up, row.up)] {
            let index = direction as usize;
            let before = std::mem::replace(&mut self.now[index], path);
            let mut set = |value| {
                played.push(Played {
                    direction,
                    kind: EffectKind::Set(value),
                    until: Time::NEVER,
                });
            };
            // Without a rate there is nothing to set: a spell says so, and the last rate stays under it.
            if let Some(rate) = path.rate_bps.and_then(BitRate::from_bps) {
                if before.rate_bps != path.rate_bps {
                    set(Value::Rate(rate));
                }
            }
            if let Some(delay) = path.delay.filter(|_| before.delay != path.delay) {
                set(Value::Delay(delay));
            }
            if let Some(loss) = path.loss.filter(|_| before.loss != path.loss) {
                set(Value::Loss(loss));
            }
            if path.rate_bps == Some(0) && self.silent_until[index] <= now {
                let until = self.next_rate(direction);
                self.silent_until[index] = until;
                played.push(Played {
                    direction,
                    kind: EffectKind::Spell(self.without_rate),
                    until,
                });
            }
        }
        self.next += 1;
        if self.next == self.rows.len() && self.period.is_some() {
            (self.next, self.cycle) = (0, self.cycle + 1);
        }
        played
    }

    /// When this direction has a rate again, as seen from the row that is due.
    fn next_rate(&self, direction: Direction) -> Time {
        let count = self.rows.len();
        let ahead = if self.period.is_some() {
            count
        } else {
            count - self.next
        };
        (self.next + 1..self.next + ahead)
            .find(|&place| self.rows[place % count].path(direction).rate_bps != Some(0))
            .map_or(Time::NEVER, |place| {
                self.instant(place % count, self.cycle + (place / count) as u64)
            })
    }

    fn instant(&self, row: usize, cycle: u64) -> Time {
        let Some(row) = self.rows.get(row) else {
            return Time::NEVER;
        };
        row.at + self.period.unwrap_or(Span::ZERO).saturating_mul(cycle)
    }
}

/// The rows of a period that begins so far into it.
fn from_there(rows: &[RecordedRow], period: Span, offset: Span) -> Vec<RecordedRow> {
    let at = Time::ZERO + offset;
    let later = rows.partition_point(|row| row.at <= at);
    let Some(first) = later.checked_sub(1).map(|place| rows[place]) else {
        return rows.to_vec();
    };
    let begins = RecordedRow {
        at: Time::ZERO,
        ..first
    };
    let rest = rows[later..].iter().map(|row| (*row, row.at.since(at)));
    let again = rows[..later]
        .iter()
        .map(|row| (*row, period.saturating_sub(at.since(row.at))));
    let moved = rest
        .chain(again)
        .map(|(row, since)| RecordedRow {
            at: Time::ZERO + since,
            ..row
        })
        .filter(|row| row.at < Time::ZERO + period);
    std::iter::once(begins).chain(moved).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(at_s: u64, down_bps: u64) -> RecordedRow {
        RecordedRow {
            at: Time::ZERO + Span::from_secs(at_s),
            down: RecordedPath {
                rate_bps: Some(down_bps),
                ..RecordedPath::default()
            },
            up: RecordedPath::default(),
        }
    }

    fn player(rows: &[(u64, u64)], period_s: Option<u64>, start_s: u64) -> Player {
        let recording = Recording {
            rows: rows.iter().map(|&(at, bps)| row(at, bps)).collect(),
            period: period_s.map(Span::from_secs),
            zeros: Zeros::Outage,
        };
        Player::new(&recording, Beginning::At(Span::from_secs(start_s)))
    }

    /// Seconds and what happens: a rate, or until which second there is none.
    fn play(mut player: Player, count: usize) -> Vec<(u64, String)> {
        let mut played = Vec::new();
        for _ in 0..count {
            let at = player.next();
            if at == Time::NEVER {
                break;
            }
            for each in player.play(at) {
                let what = match each.kind {
                    EffectKind::Set(Value::Rate(rate)) => format!("{}", rate.as_bps()),
                    _ if each.until == Time::NEVER => "none for good".to_owned(),
                    _ => format!("none until {}", each.until.as_ns() / 1_000_000_000),
                };
                played.push((at.as_ns() / 1_000_000_000, what));
            }
        }
        played
    }

    fn said(of: &[(u64, &str)]) -> Vec<(u64, String)> {
        of.iter().map(|&(at, what)| (at, what.to_owned())).collect()
    }

    #[test]
    fn a_recording_is_played_once_without_a_period_and_a_rate_is_set_when_it_changes() {
        let once = player(&[(0, 300), (5, 300), (7, 10)], None, 3);
        assert_eq!(play(once, 9), said(&[(0, "300"), (7, "10")]));
    }

    #[test]
    fn rows_without_a_rate_are_one_spell_until_there_is_one() {
        let once = player(&[(0, 300), (5, 0), (6, 0), (8, 10)], None, 0);
        assert_eq!(play(once, 9), said(&[(0, "300"), (5, "none until 8"), (8, "10")]));
        let ends_silent = player(&[(0, 300), (5, 0)], None, 0);
        assert_eq!(play(ends_silent, 9), said(&[(0, "300"), (5, "none for good")]));
        let over_the_end = player(&[(0, 0), (1, 300), (5, 0)], Some(6), 0);
        assert_eq!(
            play(over_the_end, 5),
            said(&[(0, "none until 1"), (1, "300"), (5, "none until 7"), (7, "300")])
        );
    }

    #[test]
    fn it_begins_in_the_middle_and_comes_round() {
        let looped = player(&[(0, 300), (5, 0), (7, 10)], Some(10), 6);
        // 6 s is in the outage; then 7 s, and 10 s is the beginning.
        assert_eq!(
            play(looped, 6),
            said(&[
                (0, "none until 1"),
                (1, "10"),
                (4, "300"),
                (9, "none until 11"),
                (11, "10")
            ])
        );
        let at_a_row = player(&[(0, 300), (5, 20), (7, 10)], Some(10), 5);
        assert_eq!(play(at_a_row, 4), said(&[(0, "20"), (2, "10"), (5, "300"), (10, "20")]));
    }
}
