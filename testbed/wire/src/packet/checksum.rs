//! The Internet checksum (RFC 1071).

use crate::content::fold;

/// A ones' complement sum of big-endian 16-bit words, folded at the end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum(u64);

impl Sum {
    #[must_use]
    pub(super) const fn add(self, sum: u64) -> Self {
        Self(self.0 + sum)
    }

    /// Adds a buffer that begins at an even place; an odd last octet is padded with zero.
    #[must_use]
    pub(super) fn octets(self, octets: &[u8]) -> Self {
        // Two words at a time: their sum differs from that of the single words by a multiple of 65535.
        let quads = octets.chunks_exact(4);
        let rest = quads.remainder();
        let mut sum = self.0;
        for quad in quads {
            sum += u64::from(u32::from_be_bytes([quad[0], quad[1], quad[2], quad[3]]));
        }
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        Self(sum + u64::from(u32::from_be_bytes(last)))
    }

    /// The checksum: the complement of the folded sum. Zero when the sum was over data and its right checksum.
    pub(super) const fn checksum(self) -> u16 {
        !fold(self.0)
    }
}
