//! The Internet checksum (RFC 1071): the complement of the folded sum, zero over data with its right checksum.

/// The sum of an even place's big-endian 16-bit words, an odd last octet with a zero behind it; not folded.
pub fn sum(octets: &[u8]) -> u64 {
    // Two words at a time: their sum differs from that of the single words by a multiple of 65535.
    let quads = octets.chunks_exact(4);
    let rest = quads.remainder();
    let mut last = [0; 4];
    last[..rest.len()].copy_from_slice(rest);
    let mut sum = u64::from(u32::from_be_bytes(last));
    for quad in quads {
        sum += u64::from(u32::from_be_bytes([quad[0], quad[1], quad[2], quad[3]]));
    }
    sum
}

/// Adds the carries until 16 bits are left.
#[expect(clippy::cast_possible_truncation, reason = "the loop ends when 16 bits hold it")]
pub const fn folded(mut sum: u64) -> u16 {
    while sum > 0xFFFF {
        sum = (sum >> 16) + (sum & 0xFFFF);
    }
    sum as u16
}
