//! The Internet checksum (RFC 1071).

/// The sum of 16-bit words, an odd octet with a zero behind it; not folded.
pub(super) fn sum(octets: &[u8]) -> u64 {
    let words = octets.chunks_exact(2);
    let last = words.remainder().first().map_or(0, |octet| u64::from(*octet) << 8);
    words
        .map(|word| u64::from(u16::from_be_bytes([word[0], word[1]])))
        .sum::<u64>()
        + last
}

/// Adds the carries until 16 bits are left.
pub(super) fn folded(mut sum: u64) -> u16 {
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    sum as u16
}
