//! Seeds and named random streams.
//!
//! Every random stream is derived from one master seed *by name*, so that adding one impairment changes the
//! draws of no other, and every variant of a comparison meets the same link.

use std::fmt;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The random generator of every stream: ChaCha with 8 rounds, the same on every platform.
pub type Rng = ChaCha8Rng;

/// A 64-bit seed; a decimal string in JSON, because JSON numbers lose the low bits of 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Seed(u64);

impl Seed {
    /// The seed of this value.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Its value.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The random stream called `name` (as in `down/loss`): the same seed and name give the same draws.
    pub fn stream(self, name: &str) -> Rng {
        Rng::from_seed(self.digest(name))
    }

    /// The seed called `name` under this one (as in `repetition/7`).
    pub fn child(self, name: &str) -> Self {
        let digest = self.digest(name);
        let mut low = [0; 8];
        low.copy_from_slice(&digest[..8]);
        Self(u64::from_le_bytes(low))
    }

    fn digest(self, name: &str) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.0.to_le_bytes());
        hash.update(name.as_bytes());
        hash.finalize().into()
    }
}

impl From<Seed> for String {
    fn from(seed: Seed) -> Self {
        seed.0.to_string()
    }
}

impl TryFrom<String> for Seed {
    type Error = std::num::ParseIntError;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
