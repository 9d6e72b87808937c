//! The payload of a simulated transfer: a pure function of the stream offset.
//!
//! The text is a fixed pseudo-random sequence of printable characters that repeats every [`PERIOD`] octets. Sequence
//! numbers wrap at a multiple of the period, so their low bits are all that is needed to place an octet. Prefix sums
//! give the checksum of any range in constant time, and copying is a `memcpy`.

use std::sync::LazyLock;

use windlull_units::checksum::folded;

/// After so many octets the content repeats; a power of two that divides the sequence space.
pub const PERIOD: usize = 1 << 16;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// One period of the content and its running sums.
#[derive(Debug)]
pub struct Content {
    text: Box<[u8]>,
    /// `sums[i]`: the sum of the octets before `i`, those at even places weighing 256 (big-endian 16-bit words).
    sums: Box<[u32]>,
}

static SHARED: LazyLock<Content> = LazyLock::new(Content::build);

impl Content {
    /// The content every simulated transfer carries.
    pub fn shared() -> &'static Self {
        &SHARED
    }

    fn build() -> Self {
        let mut text = Vec::with_capacity(PERIOD);
        let mut sums = Vec::with_capacity(PERIOD + 1);
        let (mut state, mut sum) = (0x2545_F491_u32, 0_u32);
        sums.push(sum);
        for place in 0..PERIOD {
            // A 32-bit xorshift generator: any fixed sequence without short repetitions serves.
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            let octet = ALPHABET[(state >> 26) as usize];
            text.push(octet);
            sum += u32::from(octet) << if place % 2 == 0 { 8 } else { 0 };
            sums.push(sum);
        }
        Self {
            text: text.into_boxed_slice(),
            sums: sums.into_boxed_slice(),
        }
    }

    /// The octet at this stream offset.
    pub fn octet(&self, offset: u64) -> u8 {
        self.text[place(offset)]
    }

    /// Appends the `len` octets that begin at this stream offset.
    pub fn copy_to(&self, offset: u64, len: usize, out: &mut Vec<u8>) {
        let (mut from, mut left) = (place(offset), len);
        while left > 0 {
            let run = left.min(PERIOD - from);
            out.extend_from_slice(&self.text[from..from + run]);
            left -= run;
            from = 0;
        }
    }

    /// The ones' complement sum (RFC 1071) of the `len` octets from this stream offset, taken as the big-endian
    /// 16-bit words of a buffer that begins with the first of them; not folded.
    pub fn sum(&self, offset: u64, len: usize) -> u64 {
        let from = place(offset);
        let (mut total, mut at, mut left) = (0_u64, from, len);
        while left > 0 {
            let run = left.min(PERIOD - at);
            total += u64::from(self.sums[at + run] - self.sums[at]);
            left -= run;
            at = 0;
        }
        // The sums know even and odd places of the stream. In a buffer that begins at an odd place the two change
        // roles, which swaps the octets of the folded sum (RFC 1071, section 2 (B)).
        if from % 2 == 0 {
            total
        } else {
            u64::from(folded(total).swap_bytes())
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "below PERIOD by the mask")]
const fn place(offset: u64) -> usize {
    (offset & (PERIOD as u64 - 1)) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain_sum(octets: &[u8]) -> u64 {
        octets
            .chunks(2)
            .map(|pair| u64::from(pair[0]) << 8 | u64::from(pair.get(1).copied().unwrap_or(0)))
            .sum()
    }

    #[test]
    fn the_content_is_printable_and_the_same_for_ever() {
        let mut start = Vec::new();
        Content::shared().copy_to(0, 16, &mut start);
        assert!(start.iter().all(|octet| ALPHABET.contains(octet)));
        assert_eq!(Content::shared().octet(7), Content::shared().octet(7 + PERIOD as u64));
        assert_eq!(
            String::from_utf8_lossy(&start),
            "4iZA8_iElREnjnJ5",
            "captures of earlier versions carry it"
        );
    }

    proptest! {
        #[test]
        fn the_sum_of_a_range_is_the_sum_of_its_octets(offset: u64, len in 0_usize..200_000) {
            let mut octets = Vec::new();
            Content::shared().copy_to(offset, len, &mut octets);
            prop_assert_eq!(octets.len(), len);
            prop_assert_eq!(folded(Content::shared().sum(offset, len)), folded(plain_sum(&octets)));
        }
    }
}
