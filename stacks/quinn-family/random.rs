//! Random octets from the end's seed, by name, and how TLS draws them.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use ring::hmac;
use rustls::crypto::{GetRandomFailed, SecureRandom};

/// A stream of random octets: HMAC-SHA256 of a counter, under a key that the seed and a name give. Drawing from one stream
/// moves no other.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    key: hmac::Key,
    blocks: u64,
}

impl Random {
    pub(crate) fn new(seed: &[u8; 32], name: &str) -> Self {
        let seed = hmac::Key::new(hmac::HMAC_SHA256, seed);
        Self {
            key: hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(&seed, name.as_bytes()).as_ref()),
            blocks: 0,
        }
    }

    pub(crate) fn fill(&mut self, octets: &mut [u8]) {
        for part in octets.chunks_mut(32) {
            let block = hmac::sign(&self.key, &self.blocks.to_be_bytes());
            part.copy_from_slice(&block.as_ref()[..part.len()]);
            self.blocks += 1;
        }
    }

    pub(crate) fn array<const LENGTH: usize>(&mut self) -> [u8; LENGTH] {
        let mut octets = [0; LENGTH];
        self.fill(&mut octets);
        octets
    }
}

/// A stream of random octets that a connection's TLS draws from.
pub(crate) type Shared = Arc<Mutex<Random>>;

thread_local! {
    /// Whose call into TLS this thread is within.
    static LENT: RefCell<Option<Shared>> = const { RefCell::new(None) };
}

/// Makes a call into TLS, which draws from this stream meanwhile.
///
/// rustls takes one random source for all connections, as a `&'static`. What is static here holds nothing: it draws from the
/// stream of the connection whose call is on the stack.
pub(crate) fn lend<T>(random: &Shared, call: impl FnOnce() -> T) -> T {
    /// Gives back what was lent before, even if the call panics.
    struct Before(Option<Shared>);
    impl Drop for Before {
        fn drop(&mut self) {
            LENT.replace(self.0.take());
        }
    }
    let _before = Before(LENT.replace(Some(Arc::clone(random))));
    call()
}

/// Draws from the stream that is lent to this thread.
///
/// # Errors
/// If none is: a draw that no seed stands behind must not pass unnoticed.
pub(crate) fn draw(octets: &mut [u8]) -> Result<(), GetRandomFailed> {
    LENT.with_borrow(|lent| {
        let random = lent.as_ref().ok_or(GetRandomFailed)?;
        random.lock().unwrap_or_else(PoisonError::into_inner).fill(octets);
        Ok(())
    })
}

/// rustls' random source.
#[derive(Debug)]
pub(crate) struct Lent;

impl SecureRandom for Lent {
    fn fill(&self, octets: &mut [u8]) -> Result<(), GetRandomFailed> {
        draw(octets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(name: &str) -> Shared {
        Arc::new(Mutex::new(Random::new(&[7; 32], name)))
    }

    fn drawn() -> Option<[u8; 8]> {
        let mut octets = [0; 8];
        Lent.fill(&mut octets).ok().map(|()| octets)
    }

    #[test]
    fn streams_differ_by_seed_and_name_and_never_repeat() {
        let first: [u8; 40] = Random::new(&[7; 32], "tls").array();
        assert_eq!(first, Random::new(&[7; 32], "tls").array());
        assert_ne!(first, Random::new(&[8; 32], "tls").array());
        assert_ne!(first, Random::new(&[7; 32], "ids").array());
        assert_ne!(first[..8], first[32..]);
    }

    #[test]
    fn tls_draws_from_what_is_lent_and_from_nothing_else() {
        assert_eq!(drawn(), None);
        let (outer, inner) = (shared("a"), shared("b"));
        let of_a = lend(&outer, || {
            let first = drawn();
            // A call within a call, as when two ends of a run share a thread.
            assert_ne!(lend(&inner, drawn), first);
            (first, drawn())
        });
        let again = shared("a");
        assert_eq!(of_a, lend(&again, || (drawn(), drawn())));
        assert_eq!(drawn(), None);
    }
}
