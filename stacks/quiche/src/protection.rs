//! What passes through packet protection: every packet's number and frames, before it is encrypted and after it was decrypted.
//!
//! quiche encrypts and decrypts by two functions of BoringSSL, `EVP_AEAD_CTX_seal_scatter` and `EVP_AEAD_CTX_open`, which it
//! calls for one packet at a time: the payload is the plaintext, and the associated data are the header, whose protection is not
//! yet put on or already taken off (RFC 9001, section 5.3). The linker gives the callers of both the functions of this file
//! instead (`--wrap`, in `build.rs`), which call BoringSSL's and read what passes. So nothing is encrypted twice, and no frame
//! is written into a qlog and read from it.
//!
//! Within [`heard`], on the thread that called it, packets are told to an end's log; everywhere else nothing is read.

#![expect(
    unsafe_code,
    reason = "functions of BoringSSL are defined here, and those that they stand for called"
)]

use std::cell::RefCell;

use libc::{c_int, c_void, size_t};
use windlull_transport::{Broken, PacketReceived, PacketSent, Space, frames};

use crate::log::Log;

/// The octets of a packet's authentication tag (RFC 9001, section 5.3).
const TAG_LENGTH: usize = 16;

thread_local! {
    /// Whose packets pass on this thread.
    static TAP: RefCell<Option<Tap>> = const { RefCell::new(None) };
    /// How many calls passed for packets without a payload, which are none: `check` makes such a one.
    static EMPTY: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Where an end's packets are told, and what their numbers follow from.
#[derive(Debug)]
pub(crate) struct Tap {
    log: Log,
    /// The number of the packet that was sent last: quiche numbers those of all spaces together.
    sent: Option<u64>,
}

impl Tap {
    pub(crate) const fn new(log: Log) -> Self {
        Self { log, sent: None }
    }
}

/// Makes a call whose packets are told to this tap, if there is one.
pub(crate) fn heard<T>(tap: &mut Option<Tap>, call: impl FnOnce() -> T) -> T {
    /// Takes the tap back, even if the call panics.
    struct Within<'a>(&'a mut Option<Tap>);
    impl Drop for Within<'_> {
        fn drop(&mut self) {
            *self.0 = TAP.take();
        }
    }
    TAP.set(tap.take());
    let _within = Within(tap);
    call()
}

/// Makes sure that in this program quiche's packets pass through this file.
///
/// # Errors
/// If the linker gave quiche BoringSSL's functions.
pub(crate) fn check() -> Result<(), Broken> {
    let before = EMPTY.get();
    let id = quiche::ConnectionId::from_ref(&[7; 8]);
    // The tag of a Retry is made of a packet without a payload (RFC 9001, section 5.8).
    let made = quiche::retry(&id, &id, &id, &[7; 8], quiche::PROTOCOL_VERSION, &mut [0; 128]);
    if made.is_ok() && EMPTY.get() == before + 1 {
        return Ok(());
    }
    Err(Broken(
        "quiche's packets are not heard: this engine was linked without what `build.rs` asks for".to_owned(),
    ))
}

/// What a packet's header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    space: Space,
    /// The lowest bits of the packet's number, and how many.
    number: u64,
    bits: u32,
}

impl Header {
    /// Reads a header that ends with the packet number and is not protected (RFC 9000, section 17). `None` if it is none.
    fn read(octets: &[u8]) -> Option<Self> {
        let &first = octets.first()?;
        let space = match (first & 0x80, first & 0x30) {
            (0, _) | (_, 0x10) => Space::Data,
            (_, 0x00) => Space::Initial,
            (_, 0x20) => Space::Handshake,
            _ => return None,
        };
        let length = usize::from(first & 0x03) + 1;
        let number = octets.get(octets.len().checked_sub(length)?..)?;
        Some(Self {
            space,
            number: number.iter().fold(0, |number, &octet| number << 8 | u64::from(octet)),
            bits: 8 * u32::from(first & 0x03) + 8,
        })
    }

    /// The whole number of a packet that is expected to have this number (RFC 9000, appendix A.3).
    fn whole(self, expected: u64) -> u64 {
        let window = 1_u64 << self.bits;
        let near = expected & !(window - 1) | self.number;
        if near + window / 2 <= expected {
            near + window
        } else if near > expected + window / 2 && near >= window {
            near - window
        } else {
            near
        }
    }
}

impl Tap {
    /// A packet is about to be encrypted.
    fn seals(&mut self, header: &[u8], payload: &[u8]) {
        let Some(read) = Header::read(header) else {
            self.log.fail("what quiche encrypts is no packet".to_owned());
            return;
        };
        let number = read.whole(self.sent.map_or(0, |sent| sent + 1));
        self.sent = Some(number);
        match frames(payload) {
            Ok(frames) => self.log.sent(PacketSent {
                space: read.space,
                number,
                length: u16::try_from(header.len() + payload.len() + TAG_LENGTH).ok(),
                frames,
            }),
            Err(error) => self.log.fail(format!(
                "quiche's {} packet {number} cannot be read: {error}",
                read.space.name()
            )),
        }
    }

    /// A packet was decrypted. quiche may still find it to be a duplicate, or to hold nonsense.
    fn opened(&self, header: &[u8], payload: &[u8]) {
        if !self.log.needs_recovery() {
            return;
        }
        // What is no packet or holds what is no frame is none that quiche takes.
        let (Some(read), Ok(frames)) = (Header::read(header), frames(payload)) else {
            return;
        };
        let length = header.len() + payload.len() + TAG_LENGTH;
        self.log.decrypted(read.space, |largest| PacketReceived {
            space: read.space,
            number: read.whole(largest.map_or(0, |largest| largest + 1)),
            length: u16::try_from(length).ok().filter(|_| read.space == Space::Data),
            frames,
        });
    }
}

mod boringssl {
    use super::{c_int, c_void, size_t};

    unsafe extern "C" {
        pub(super) fn __real_EVP_AEAD_CTX_seal_scatter(
            context: *const c_void,
            out: *mut u8,
            out_tag: *mut u8,
            out_tag_length: *mut size_t,
            max_out_tag_length: size_t,
            nonce: *const u8,
            nonce_length: size_t,
            input: *const u8,
            input_length: size_t,
            extra_input: *const u8,
            extra_input_length: size_t,
            associated: *const u8,
            associated_length: size_t,
        ) -> c_int;

        pub(super) fn __real_EVP_AEAD_CTX_open(
            context: *const c_void,
            out: *mut u8,
            out_length: *mut size_t,
            max_out_length: size_t,
            nonce: *const u8,
            nonce_length: size_t,
            input: *const u8,
            input_length: size_t,
            associated: *const u8,
            associated_length: size_t,
        ) -> c_int;
    }
}

/// # Safety
/// As BoringSSL's `EVP_AEAD_CTX_seal_scatter`: each pointer points to as many octets as its length says, and input and output
/// are the same or do not overlap.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_EVP_AEAD_CTX_seal_scatter(
    context: *const c_void,
    out: *mut u8,
    out_tag: *mut u8,
    out_tag_length: *mut size_t,
    max_out_tag_length: size_t,
    nonce: *const u8,
    nonce_length: size_t,
    input: *const u8,
    input_length: size_t,
    extra_input: *const u8,
    extra_input_length: size_t,
    associated: *const u8,
    associated_length: size_t,
) -> c_int {
    if input_length == 0 {
        EMPTY.set(EMPTY.get() + 1);
    } else {
        TAP.with_borrow_mut(|tap| {
            if let Some(tap) = tap {
                // SAFETY: the caller's promise; nobody writes there before the call below.
                let (header, payload) = unsafe { (slice(associated, associated_length), slice(input, input_length)) };
                tap.seals(header, payload);
            }
        });
    }
    // SAFETY: the caller's promise.
    unsafe {
        boringssl::__real_EVP_AEAD_CTX_seal_scatter(
            context,
            out,
            out_tag,
            out_tag_length,
            max_out_tag_length,
            nonce,
            nonce_length,
            input,
            input_length,
            extra_input,
            extra_input_length,
            associated,
            associated_length,
        )
    }
}

/// # Safety
/// As BoringSSL's `EVP_AEAD_CTX_open`: each pointer points to as many octets as its length says, and input and output are the
/// same or do not overlap.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_EVP_AEAD_CTX_open(
    context: *const c_void,
    out: *mut u8,
    out_length: *mut size_t,
    max_out_length: size_t,
    nonce: *const u8,
    nonce_length: size_t,
    input: *const u8,
    input_length: size_t,
    associated: *const u8,
    associated_length: size_t,
) -> c_int {
    // SAFETY: the caller's promise.
    let answer = unsafe {
        boringssl::__real_EVP_AEAD_CTX_open(
            context,
            out,
            out_length,
            max_out_length,
            nonce,
            nonce_length,
            input,
            input_length,
            associated,
            associated_length,
        )
    };
    if answer == 1 {
        TAP.with_borrow_mut(|tap| {
            if let Some(tap) = tap {
                // SAFETY: the caller's promise, and BoringSSL's: it has written so many octets there.
                let (header, payload) = unsafe { (slice(associated, associated_length), slice(out, *out_length)) };
                tap.opened(header, payload);
            }
        });
    }
    answer
}

/// # Safety
/// `octets` points to `length` octets, if there are any.
unsafe fn slice<'a>(octets: *const u8, length: size_t) -> &'a [u8] {
    if length == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(octets, length) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiches_packets_pass_here() {
        assert_eq!(check(), Ok(()));
    }

    #[test]
    fn a_header_says_the_space_and_the_end_of_the_number() {
        let header = |octets: &[u8]| Header::read(octets).map(|read| (read.space, read.number, read.bits));
        assert_eq!(header(&[0x41, 9, 9, 0x12, 0x34]), Some((Space::Data, 0x1234, 16)));
        assert_eq!(header(&[0xc0, 0, 0, 0, 1, 7]), Some((Space::Initial, 7, 8)));
        assert_eq!(
            header(&[0xe3, 9, 1, 2, 3, 4]),
            Some((Space::Handshake, 0x0102_0304, 32))
        );
        assert_eq!(header(&[0xd0, 9, 1]), Some((Space::Data, 1, 8)));
        // A Retry has no number.
        assert_eq!(header(&[0xf0, 9, 1]), None);
        assert_eq!(header(&[0x43, 9]), None);
        assert_eq!(header(&[]), None);
    }

    #[test]
    fn the_whole_number_is_the_nearest_to_the_expected() {
        let whole = |number, bits, expected| {
            Header {
                space: Space::Data,
                number,
                bits,
            }
            .whole(expected)
        };
        // RFC 9000, appendix A.3.
        assert_eq!(whole(0x9b32, 16, 0xa82f_30eb), 0xa82f_9b32);
        for (number, expected, nearest) in [
            (0, 0, 0),
            (255, 0, 255),
            (0, 255, 256),
            (1, 254, 257),
            (254, 257, 254),
            (5, 0x1_0000, 0x1_0005),
        ] {
            assert_eq!(
                whole(number, 8, expected),
                nearest,
                "{number} where {expected} is expected"
            );
        }
    }
}
