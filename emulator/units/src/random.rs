//! Seeds and named random streams.
//!
//! Every random stream is derived from one master seed *by name*, so that adding one impairment changes the
//! draws of no other, and every variant of a comparison meets the same link.

use std::fmt;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The random generator of every stream: ChaCha with 8 rounds, the same on every platform.
pub type Rng = ChaCha8Rng;

/// A 64-bit seed; a decimal string in JSON, because JSON numbers lose the low bits of 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(Serialize, Deserialize),
    serde(try_from = "String", into = "String")
)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(with = "String", extend("pattern" = "^(0|[1-9][0-9]{0,19})$")))]
pub struct Seed(u64);

impl Seed {
    /// The seed of this number; every number is one.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Its number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The random stream called `name` (as in `down/loss`): the same seed and name give the same draws.
    pub fn stream(self, name: &str) -> Rng {
        Rng::from_seed(self.digest(name))
    }

    /// The first octets of a stream: what another generator is seeded with.
    pub fn octets(self, name: &str) -> [u8; 32] {
        let mut octets = [0; 32];
        self.stream(name).fill_bytes(&mut octets);
        octets
    }

    /// The seed called `name` under this one (as in `repetition/7`).
    pub fn child(self, name: &str) -> Self {
        let digest = self.digest(name);
        let mut low = [0; 8];
        low.copy_from_slice(&digest[..8]);
        Self(u64::from_le_bytes(low))
    }

    /// The seed of the n-th repetition (from 1) of an experiment of this master seed: of every variant and link alike, so
    /// that all variants meet the same link.
    pub fn of_repetition(self, number: u32) -> Self {
        self.child(&format!("repetition/{number}"))
    }

    /// The seed of the flow with this number, from 0, of a run of this seed. The first has the run's own, as if it were alone.
    pub fn of_flow(self, number: usize) -> Self {
        match number {
            0 => self,
            number => self.child(&format!("flow/{}", number + 1)),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(seed: u64, name: &str) -> [u64; 3] {
        let mut rng = Seed::new(seed).stream(name);
        std::array::from_fn(|_| rng.next_u64())
    }

    /// Every published result hangs on these numbers: they never change. They were worked out apart from this code:
    /// SHA-256 of the seed, little-endian, and the name is the key of ChaCha with 8 rounds.
    #[test]
    fn streams_are_what_they_always_were() {
        assert_eq!(
            draws(1, "down/loss"),
            [
                17_101_199_851_082_091_671,
                3_346_788_193_501_962_879,
                15_732_158_691_016_232_509
            ]
        );
        assert_eq!(
            draws(1, "both/spike"),
            [
                773_127_959_185_801_373,
                6_159_295_508_049_152_898,
                14_297_705_066_362_353_198
            ]
        );
        assert_eq!(
            draws(u64::MAX, ""),
            [
                3_803_940_300_551_113_448,
                10_506_375_335_799_725_220,
                14_436_352_259_286_592_868
            ]
        );
        assert_eq!(Seed::new(1).of_repetition(1), Seed::new(2_306_252_288_374_112_797));
        assert_eq!(Seed::new(1).of_repetition(30), Seed::new(4_154_225_029_533_340_099));
    }

    #[test]
    fn seed_and_name_each_make_a_stream_of_its_own() {
        assert_eq!(draws(7, "down/loss"), draws(7, "down/loss"));
        assert_ne!(draws(7, "down/loss"), draws(7, "up/loss"));
        assert_ne!(draws(7, "down/loss"), draws(8, "down/loss"));
        let (first, second) = (Seed::new(7).child("repetition/1"), Seed::new(7).child("repetition/2"));
        assert_ne!(first, second);
        assert_ne!(first.stream("x").next_u64(), second.stream("x").next_u64());
    }

    #[test]
    fn a_seed_is_a_decimal_text_with_all_its_digits() {
        let seed = Seed::new(u64::MAX);
        assert_eq!(seed.to_string(), "18446744073709551615");
        assert_eq!(String::from(seed), "18446744073709551615");
        assert_eq!(Seed::try_from("18446744073709551615".to_owned()), Ok(seed));
        assert!(Seed::try_from("18446744073709551616".to_owned()).is_err());
        assert!(Seed::try_from("-1".to_owned()).is_err());
        assert_eq!(seed.get(), u64::MAX);
    }
}
