//! The machine's own stalls, seen by a thread that only sleeps and looks at the clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlull_units::{Span, Time};

use super::{Keeps, PlaneError, priority};
use crate::Epoch;

/// How long the thread sleeps.
const NAP: Span = Span::from_us(500);
/// The same beside a link that stands for days: few look there, and it is to cost nothing.
const LONG_NAP: Span = Span::from_ms(5);
/// A wake-up so much too late is no timer's ordinary lateness (99 of 100 are late by less than 0.3 ms) but a machine that
/// stood still.
const STALL: Span = Span::from_ms(1);

const NAME: &str = "stall-watch";

/// Time in which the machine did not run a thread that wanted nothing but to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stall {
    /// Since when it may have stood still at the latest.
    pub from: Time,
    /// When it ran again.
    pub until: Time,
}

impl Stall {
    /// How long.
    pub const fn lasted(&self) -> Span {
        self.until.since(self.from)
    }

    /// Whether one of these, in order of time, has a moment in common with `from..=until`.
    pub fn any_within(stalls: &[Self], from: Time, until: Time) -> bool {
        let first = stalls.partition_point(|stall| stall.until < from);
        stalls.get(first).is_some_and(|stall| stall.from <= until)
    }
}

/// The thread that watches.
pub(super) struct Watch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Vec<Stall>>,
}

impl Watch {
    pub(super) fn start(epoch: Epoch, keeps: Keeps) -> Result<Self, PlaneError> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::Builder::new()
            .name(NAME.to_owned())
            .spawn(move || {
                // It is to see what the link's thread meets with, and so goes before whom that one goes.
                let _ = priority::raise();
                watch(epoch, &keeps, &stopped)
            })
            .map_err(|source| PlaneError::Thread { name: NAME, source })?;
        Ok(Self { stop, thread })
    }

    /// All stalls since the start, in order of time; none of a standing link, whose monitor counts them.
    pub(super) fn stop(self) -> Result<Vec<Stall>, PlaneError> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| PlaneError::Panicked { name: NAME })
    }
}

fn watch(epoch: Epoch, keeps: &Keeps, stop: &AtomicBool) -> Vec<Stall> {
    let nap = match keeps {
        Keeps::Story(_) => NAP,
        Keeps::Counts(_) | Keeps::Packets(..) => LONG_NAP,
    };
    let mut stalls = Vec::new();
    let mut slept = epoch.now();
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_nanos(nap.as_ns()));
        let woken = epoch.now();
        let due = slept + nap;
        if woken.since(due) >= STALL {
            if let Some(monitor) = keeps.monitor() {
                monitor.stalled();
            }
            if matches!(keeps, Keeps::Story(_)) {
                stalls.push(Stall {
                    from: due,
                    until: woken,
                });
            }
        }
        slept = woken;
    }
    stalls
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(ms: u64) -> Time {
        Time::from_ns(ms * 1_000_000)
    }

    #[test]
    fn blame_needs_a_common_moment() {
        let stalls = [(10, 20), (30, 40)].map(|(from, until)| Stall {
            from: at(from),
            until: at(until),
        });
        let blamed = |from, until| Stall::any_within(&stalls, at(from), at(until));
        assert!(!blamed(0, 9));
        assert!(blamed(0, 10));
        assert!(blamed(15, 16));
        assert!(blamed(20, 25));
        assert!(!blamed(21, 29));
        assert!(blamed(21, 30));
        assert!(blamed(0, 99));
        assert!(!blamed(41, 99));
        assert!(!Stall::any_within(&[], at(0), at(99)));
        assert_eq!(stalls[0].lasted(), Span::from_ms(10));
    }
}
