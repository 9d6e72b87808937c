//! The clock and the random octets of the machine, as quiche and BoringSSL see them: those of the run.
//!
//! quiche asks `std::time::Instant::now()` for the time, and has no other way to learn it; BoringSSL asks `gettimeofday`. Both,
//! and quiche itself, draw from `RAND_bytes`. So this file defines these symbols, and the linker prefers what a program defines
//! to what its libraries do. Within [`Machine::run`], on the thread that called it, they answer from the run; everywhere else
//! (the rest of the engine, its watchdog, other threads) they ask the machine, as if they had not been replaced.
//!
//! [`check`] makes sure that it is so in the program at hand, however that was linked.

#![expect(
    unsafe_code,
    reason = "symbols of the C library are defined here, and system calls made"
)]

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use libc::{c_int, c_void, clockid_t, size_t, timespec, timeval};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use windlull_transport::Broken;
use windlull_units::Time;

/// What a run's start is on the monotonic clock, in seconds: quiche subtracts round trips from it, so that it must not be zero.
const MONOTONIC_START_S: u64 = 86_400;

/// What it is on the clock of the day: a day in 2027. TLS writes it into session tickets.
const REAL_START_S: u64 = 1_800_000_000;

thread_local! {
    /// The run's time, in nanoseconds, of the call that this thread is within.
    static NOW_NS: Cell<Option<u64>> = const { Cell::new(None) };
    /// The random octets of that call's end.
    static RANDOM: RefCell<Option<Box<ChaCha8Rng>>> = const { RefCell::new(None) };
}

/// What an end has in place of a machine.
#[derive(Debug)]
pub(crate) struct Machine {
    /// In a box, as it moves at every call.
    random: Option<Box<ChaCha8Rng>>,
}

impl Machine {
    /// A machine whose random octets follow from this seed.
    pub(crate) fn new(seed: &[u8; 32]) -> Self {
        Self {
            random: Some(Box::new(ChaCha8Rng::from_seed(*seed))),
        }
    }

    /// Makes a call during which it is this time, and random octets are this machine's.
    pub(crate) fn run<T>(&mut self, now: Time, call: impl FnOnce() -> T) -> T {
        /// Takes the random octets back, even if the call panics.
        struct Within<'a>(&'a mut Machine);
        impl Drop for Within<'_> {
            fn drop(&mut self) {
                NOW_NS.set(None);
                self.0.random = RANDOM.take();
            }
        }
        NOW_NS.set(Some(now.as_ns()));
        RANDOM.set(self.random.take());
        let _within = Within(self);
        call()
    }
}

/// Makes sure that in this program quiche's clock and random octets are the run's.
///
/// # Errors
/// If the linker took other symbols than those of this file.
pub(crate) fn check() -> Result<(), Broken> {
    let at = |ns| {
        Machine::new(&[7; 32]).run(Time::from_ns(ns), || {
            let mut octets = [0; 16];
            (Instant::now(), boring::rand::rand_bytes(&mut octets).is_ok(), octets)
        })
    };
    let mut expected = [0; 16];
    ChaCha8Rng::from_seed([7; 32]).fill_bytes(&mut expected);
    let (start, later) = (at(0), at(1_234));
    if later.0.checked_duration_since(start.0) != Some(Duration::from_nanos(1_234)) {
        return Err(Broken(
            "quiche's clock is not the run's: this engine was linked in another order".to_owned(),
        ));
    }
    if (start.1, start.2) != (true, expected) {
        return Err(Broken(
            "quiche's random octets are not the run's: this engine was linked in another order".to_owned(),
        ));
    }
    Ok(())
}

/// # Safety
/// As `clock_gettime(2)`: `time` points to a `timespec`.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
    let start_s = match clock {
        libc::CLOCK_MONOTONIC => MONOTONIC_START_S,
        libc::CLOCK_REALTIME => REAL_START_S,
        _ => return machine_clock(clock, time),
    };
    let Some(now_ns) = NOW_NS.get() else {
        return machine_clock(clock, time);
    };
    let now = Duration::from_secs(start_s) + Duration::from_nanos(now_ns);
    // SAFETY: the caller's promise.
    unsafe {
        (*time).tv_sec = now.as_secs().cast_signed();
        (*time).tv_nsec = now.subsec_nanos().into();
    }
    0
}

/// The machine's clock. The C library's function has this file's name, so that the kernel is asked.
fn machine_clock(clock: clockid_t, time: *mut timespec) -> c_int {
    // SAFETY: the caller of `clock_gettime` promised that `time` points to a `timespec`; the kernel checks the clock.
    let answer = unsafe { libc::syscall(libc::SYS_clock_gettime, clock, time) };
    if answer == 0 { 0 } else { -1 }
}

/// # Safety
/// As `gettimeofday(2)`: `time` points to a `timeval`. The time zone is obsolete, and left alone.
#[unsafe(no_mangle)]
unsafe extern "C" fn gettimeofday(time: *mut timeval, _zone: *mut c_void) -> c_int {
    let mut now = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a `timespec`, and `time` the caller's promise.
    unsafe {
        let answer = clock_gettime(libc::CLOCK_REALTIME, &raw mut now);
        (*time).tv_sec = now.tv_sec;
        (*time).tv_usec = now.tv_nsec / 1_000;
        answer
    }
}

/// # Safety
/// As BoringSSL's: `octets` points to `length` octets.
#[unsafe(no_mangle)]
unsafe extern "C" fn RAND_bytes(octets: *mut u8, length: size_t) -> c_int {
    // SAFETY: the caller's promise.
    let octets = unsafe { std::slice::from_raw_parts_mut(octets, if octets.is_null() { 0 } else { length }) };
    let is_of_run = RANDOM.with_borrow_mut(|random| random.as_mut().map(|random| random.fill_bytes(octets)).is_some());
    if !is_of_run {
        machine_random(octets);
    }
    1
}

/// The machine's random octets. BoringSSL's own function promises never to fail, and so does this one.
fn machine_random(mut octets: &mut [u8]) {
    while !octets.is_empty() {
        // SAFETY: the kernel writes at most so many octets there.
        let drawn = unsafe { libc::getrandom(octets.as_mut_ptr().cast(), octets.len(), 0) };
        // It fails only if a signal interrupts it.
        let drawn = usize::try_from(drawn).unwrap_or(0);
        octets = &mut octets[drawn..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn within_a_call_it_is_the_runs_time_and_outside_the_machines() {
        assert_eq!(check(), Ok(()));
        let before = Instant::now();
        let mut machine = Machine::new(&[1; 32]);
        let start = machine.run(Time::ZERO, Instant::now);
        let hour = machine.run(Time::from_ns(3_600_000_000_000), || {
            // Another thread is not within the call.
            let elsewhere = std::thread::spawn(Instant::now)
                .join()
                .expect("it only asks for the time");
            assert!(elsewhere >= before && elsewhere - before < Duration::from_secs(3_000));
            Instant::now()
        });
        assert_eq!(hour - start, Duration::from_secs(3_600));
        let after = Instant::now();
        assert!(
            after >= before && after - before < Duration::from_secs(3_000),
            "the machine's clock goes on"
        );
    }

    #[test]
    fn random_octets_follow_from_the_seed_within_a_call_alone() {
        fn drawn() -> [u8; 24] {
            let mut octets = [0; 24];
            boring::rand::rand_bytes(&mut octets).expect("BoringSSL's generator never fails");
            octets
        }
        let of_seed = |seed: u8| {
            let mut machine = Machine::new(&[seed; 32]);
            [machine.run(Time::ZERO, drawn), machine.run(Time::ZERO, drawn)]
        };
        assert_eq!(of_seed(1), of_seed(1));
        assert_ne!(of_seed(1)[0], of_seed(1)[1]);
        assert_ne!(of_seed(1)[0], of_seed(2)[0]);
        assert_ne!(drawn(), drawn());
        assert_ne!(drawn(), [0; 24]);
    }

    #[test]
    fn a_panic_gives_the_machine_back() {
        let mut machine = Machine::new(&[1; 32]);
        let call = std::panic::AssertUnwindSafe(|| machine.run(Time::ZERO, || panic!("within")));
        assert!(std::panic::catch_unwind(call).is_err());
        assert!(NOW_NS.get().is_none() && machine.random.is_some());
    }
}
