//! Arithmetic on numbers that wrap, and between offsets and distances.

use windlull_wire::SeqNumber;

/// How far 32-bit stamp `a` is after `b`, the shorter way around (RFC 7323, section 5.2 orders timestamps as sequence
/// numbers are ordered).
pub(crate) const fn stamps_after(a: u32, b: u32) -> i32 {
    SeqNumber(a).offset_from(SeqNumber(b))
}

/// An offset where it may be compared with what lies before the stream. Streams end long before 2^63 octets.
#[expect(clippy::cast_possible_wrap, reason = "a stream of 2^63 octets cannot be sent")]
pub(crate) const fn signed(offset: u64) -> i64 {
    offset as i64
}
