//! The generator that noq's BBR draws from, seeded from the run.
//!
//! When BBR begins it takes a seed from `rand`'s generator of its thread, and from that draws when it probes for bandwidth, which
//! reaches packets. Its configuration has a field for the seed, which in 1.4.0 nobody but its tests can set. `rand` in turn asks
//! the C library's `getrandom`. So this file defines that symbol, and the linker prefers what a program defines to what its libraries
//! do. Within [`seeded`], on the thread that called it, it answers from the run; everywhere else it asks the machine, as if it had
//! not been replaced.
//!
//! [`check`] makes sure that it is so in the program at hand, however that was linked.

#![expect(
    unsafe_code,
    reason = "a symbol of the C library is defined here, and a system call made"
)]

use std::cell::RefCell;

use libc::{c_uint, c_void, size_t, ssize_t};
use rand::TryRng as _;
use rand::rngs::{SysError, SysRng};
use windlull_transport::Broken;

use crate::family::random::Random;

thread_local! {
    /// The random octets of the call that this thread is within.
    static LENT: RefCell<Option<Random>> = const { RefCell::new(None) };
}

/// Makes a call during which `rand`'s generator of this thread follows from these random octets.
///
/// # Errors
/// Only if the machine has no random octets.
pub(crate) fn seeded<T>(random: Random, call: impl FnOnce() -> T) -> Result<T, SysError> {
    let made = lend(random, || {
        rand::rng().reseed()?;
        Ok(call())
    });
    // What others draw on this thread is the machine's again.
    rand::rng().reseed()?;
    made
}

/// Makes a call during which the machine's random octets are these.
fn lend<T>(random: Random, call: impl FnOnce() -> T) -> T {
    /// Takes them back, even if the call panics.
    struct Within;
    impl Drop for Within {
        fn drop(&mut self) {
            LENT.take();
        }
    }
    LENT.set(Some(random));
    let _within = Within;
    call()
}

/// Makes sure that in this program BBR's random octets are the run's.
///
/// # Errors
/// If the linker took another symbol than that of this file.
pub(crate) fn check() -> Result<(), Broken> {
    let random = || Random::new(&[7; 32], "check");
    let mut octets = [0; 16];
    let drawn = lend(random(), || SysRng.try_fill_bytes(&mut octets));
    if drawn.is_err() || octets != random().array() {
        return Err(Broken(
            "noq's random octets are not the run's: this engine was linked in another order".to_owned(),
        ));
    }
    Ok(())
}

/// # Safety
/// As `getrandom(2)`: `octets` points to `length` octets.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(octets: *mut c_void, length: size_t, flags: c_uint) -> ssize_t {
    // SAFETY: the caller's promise. Without octets, the pointer may be anything.
    let drawn = (length > 0).then(|| unsafe { std::slice::from_raw_parts_mut(octets.cast::<u8>(), length) });
    let is_of_run = LENT.with_borrow_mut(|lent| match (lent, drawn) {
        (Some(random), Some(drawn)) => {
            random.fill(drawn);
            true
        }
        _ => false,
    });
    if is_of_run {
        return length.cast_signed();
    }
    // The C library's function has this file's name, so that the kernel is asked.
    // SAFETY: the caller's promise; the kernel checks the flags.
    let answer = unsafe { libc::syscall(libc::SYS_getrandom, octets, length, flags) };
    answer as ssize_t
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;

    use super::*;

    #[test]
    fn the_threads_generator_follows_from_the_seed_within_a_call_alone() {
        assert_eq!(check(), Ok(()));
        let of_seed = |seed| {
            let random = Random::new(&[seed; 32], "test");
            seeded(random, || [(); 2].map(|()| rand::rng().random::<u64>())).ok()
        };
        assert!(of_seed(1).is_some());
        assert_eq!(of_seed(1), of_seed(1));
        assert_ne!(of_seed(1), of_seed(2));
        // What was drawn before is not drawn again behind it, on this thread or on another.
        let drawn = || rand::rng().random::<u64>();
        let outside = |_| (of_seed(1), drawn()).1;
        assert_ne!(outside(()), outside(()));
        let elsewhere = seeded(Random::new(&[1; 32], "test"), || {
            std::thread::spawn(drawn).join().expect("it only draws")
        });
        assert!(elsewhere.is_ok_and(|drawn| of_seed(1).is_some_and(|own| !own.contains(&drawn))));
    }

    #[test]
    fn a_panic_gives_the_machine_back() {
        let call = std::panic::AssertUnwindSafe(|| lend(Random::new(&[1; 32], "test"), || panic!("within")));
        assert!(std::panic::catch_unwind(call).is_err());
        assert!(LENT.with_borrow(Option::is_none));
    }
}
