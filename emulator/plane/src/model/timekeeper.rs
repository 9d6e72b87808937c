//! The clock by which the plane's thread plays, and what ends its sleep.
//!
//! In the virtual time of User-Mode Linux each look at the clock moves it on (`timer_read` in arch/um/kernel/time.c), and
//! so does a sleep with a timeout, for which the kernel looks. The thread looks whenever something happens in its link:
//! more often on a model than on a recording of what the model did. Packets would be later by that, and what was recorded
//! would not be met again to the nanosecond. How long a timer still has is told with interrupts off
//! (`do_timerfd_gettime` in fs/timerfd.c), when a look takes no time.
//!
//! A timer goes off a nanosecond late there, and half a microsecond late if another one went off just before. So that a
//! packet is not later for what happened before within the link, all is done a nanosecond after its time, and what is near
//! is awaited by looking at the clock.

use std::os::fd::{AsFd as _, BorrowedFd};
use std::thread::yield_now;
use std::time::Duration;

use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use windlull_units::{Pace, Span, Time};

use crate::{Epoch, WallClock};

/// The run's clock.
#[derive(Debug)]
pub(super) struct Timekeeper {
    epoch: Epoch,
    /// In virtual time.
    timers: Option<Timers>,
}

/// What tells the time and ends a sleep without taking virtual time.
#[derive(Debug)]
struct Timers {
    /// Is set to [`END`], and only asked.
    end: TimerFd,
    alarm: TimerFd,
}

/// How late a timer is in virtual time.
const LATE: Span = Span::from_ns(1);

/// A timer that is nearer than 500 ns is put off until then (`TIMER_MIN_DELTA` in arch/um/include/linux/time-internal.h).
const NEAR: Span = Span::from_us(1);

/// No run is as long: ten years.
const END: Time = Time::from_ns(10 * 365 * 86_400 * 1_000_000_000);

impl Timekeeper {
    /// # Errors
    /// If the kernel has no timers to spare.
    pub(super) fn new(epoch: Epoch, pace: Pace) -> nix::Result<Self> {
        let timers = match pace {
            Pace::Precise | Pace::Frugal => None,
            Pace::Virtual => {
                let timer = || TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_CLOEXEC);
                let (end, alarm) = (timer()?, timer()?);
                set(&end, epoch, END)?;
                Some(Timers { end, alarm })
            }
        };
        Ok(Self { epoch, timers })
    }

    /// The clock of real time.
    #[cfg(test)]
    pub(super) const fn real(epoch: Epoch) -> Self {
        Self { epoch, timers: None }
    }

    /// The run's time now; zero until it starts.
    pub(super) fn now(&self) -> Time {
        let left = self.timers.as_ref().map(|timers| timers.end.get());
        let Some(Ok(Some(Expiration::OneShot(left)))) = left else {
            return self.epoch.now();
        };
        let end = self.epoch.to_monotonic_ns(END);
        let left = u64::try_from(Duration::from(left).as_nanos()).unwrap_or(end);
        self.epoch.from_monotonic_ns(end.saturating_sub(left))
    }

    /// The wall clock beside it. This looks at the clock often.
    pub(super) fn wall_clock(&self) -> WallClock {
        self.epoch.wall_clock()
    }

    /// Up to when all is done at `now`.
    pub(super) const fn due(&self, now: Time) -> Time {
        match self.timers {
            Some(_) => Time::from_ns(now.as_ns().saturating_sub(LATE.as_ns())),
            None => now,
        }
    }

    /// Whether so little time is left that it is awaited by [`Self::linger`].
    pub(super) fn is_near(&self, left: Span) -> bool {
        self.timers.is_some() && left < NEAR
    }

    /// Lets a nanosecond of virtual time pass, and before it all who have something to do now.
    pub(super) fn linger(&self) {
        yield_now();
        let _ = self.epoch.now();
    }

    /// What can be read from this time on, until it is asked for another; `None` if a timeout has to do.
    ///
    /// # Errors
    /// If the kernel refuses to set a timer.
    pub(super) fn alarm_at(&self, at: Time) -> nix::Result<Option<BorrowedFd<'_>>> {
        let Some(Timers { alarm, .. }) = &self.timers else {
            return Ok(None);
        };
        set(alarm, self.epoch, at.min(END))?;
        Ok(Some(alarm.as_fd()))
    }
}

/// Sets a timer to this time of the run.
fn set(timer: &TimerFd, epoch: Epoch, at: Time) -> nix::Result<()> {
    let at = Duration::from_nanos(epoch.to_monotonic_ns(at));
    let once = Expiration::OneShot(TimeSpec::from_duration(at));
    timer.set(once, TimerSetTimeFlags::TFD_TIMER_ABSTIME)
}

#[cfg(test)]
mod tests {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use windlull_units::Span;

    use super::*;

    #[test]
    fn the_clock_of_virtual_time_shows_what_the_other_does() {
        let epoch = Epoch::begin();
        let timers = Timekeeper::new(epoch, Pace::Virtual).expect("timers");
        for _ in 0..100 {
            let (before, now, after) = (epoch.now(), timers.now(), epoch.now());
            assert!(before <= now && now <= after, "{before:?}, {now:?}, {after:?}");
        }
        let later = Epoch::begin_in(Span::from_secs(60));
        let timers = Timekeeper::new(later, Pace::Virtual).expect("timers");
        assert_eq!(timers.now(), Time::ZERO);
    }

    #[test]
    fn an_alarm_goes_off_at_its_time_and_not_before() {
        let epoch = Epoch::begin();
        let timers = Timekeeper::new(epoch, Pace::Virtual).expect("timers");
        let rings = |at: Time, timeout: PollTimeout| {
            let alarm = timers.alarm_at(at).expect("it is set").expect("there is one");
            poll(&mut [PollFd::new(alarm, PollFlags::POLLIN)], timeout).expect("it waits") == 1
        };
        assert!(rings(timers.now(), PollTimeout::NONE));
        assert!(!rings(Time::NEVER, PollTimeout::ZERO));
        let real = Timekeeper::new(epoch, Pace::Precise).expect("no timer");
        assert!(real.alarm_at(Time::ZERO).expect("nothing to set").is_none());
    }
}
