//! The options of a TCP header as octets (RFC 9293, section 3.2), laid out as Linux does.

use super::{DecodeError, EncodeError};
use crate::{MAX_SACK_BLOCKS, Options, SackBlock, SackBlocks, SeqNumber, Timestamps};

const END: u8 = 0;
const NOP: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

/// Octets that the data offset leaves for options (RFC 9293, section 3.1).
pub(super) const MAX_LEN: usize = 40;

/// Appends the options, padded to a multiple of four octets, in the layout that `Segment::header_len` counts.
///
/// # Errors
/// If they take more than 40 octets.
pub fn encode_options(options: &Options, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let start = out.len();
    if let Some(mss) = options.mss {
        out.extend_from_slice(&[MSS, 4]);
        out.extend_from_slice(&mss.to_be_bytes());
    }
    if let Some(Timestamps { value, echo }) = options.timestamps {
        // SACK-permitted takes the place of the two NOPs.
        let lead = if options.sack_permitted {
            [SACK_PERMITTED, 2]
        } else {
            [NOP, NOP]
        };
        out.extend_from_slice(&lead);
        out.extend_from_slice(&[TIMESTAMPS, 10]);
        out.extend_from_slice(&value.to_be_bytes());
        out.extend_from_slice(&echo.to_be_bytes());
    } else if options.sack_permitted {
        out.extend_from_slice(&[NOP, NOP, SACK_PERMITTED, 2]);
    }
    if let Some(shift) = options.window_scale {
        out.extend_from_slice(&[NOP, WINDOW_SCALE, 3, shift]);
    }
    let blocks = options.sack.as_slice();
    if !blocks.is_empty() {
        // At most four blocks: 34 fits an octet.
        #[expect(clippy::cast_possible_truncation, reason = "MAX_SACK_BLOCKS is 4")]
        let len = 2 + 8 * blocks.len() as u8;
        out.extend_from_slice(&[NOP, NOP, SACK, len]);
        for block in blocks {
            out.extend_from_slice(&block.left.0.to_be_bytes());
            out.extend_from_slice(&block.right.0.to_be_bytes());
        }
    }
    let len = out.len() - start;
    if len > MAX_LEN {
        out.truncate(start);
        return Err(EncodeError::Options { len });
    }
    Ok(())
}

/// The options of a header whose data offset leaves `room` octets for them, of which `octets` were captured. Unknown
/// kinds are passed over; what lies beyond the captured octets is taken as absent.
///
/// # Errors
/// If an option's length contradicts its kind or leaves the header.
pub fn decode_options(octets: &[u8], room: usize) -> Result<Options, DecodeError> {
    let mut options = Options::default();
    let mut at = 0;
    while let Some(&kind) = octets.get(at) {
        match kind {
            END => break,
            NOP => {
                at += 1;
                continue;
            }
            _ => {}
        }
        let Some(&len) = octets.get(at + 1) else {
            if at + 1 >= room {
                return Err(DecodeError::Option { kind, len: 0 });
            }
            break;
        };
        let end = at + usize::from(len);
        if len < 2 || end > room {
            return Err(DecodeError::Option { kind, len });
        }
        let Some(value) = octets.get(at + 2..end) else { break };
        set(&mut options, kind, value).ok_or(DecodeError::Option { kind, len })?;
        at = end;
    }
    Ok(options)
}

/// Sets the option of this kind; `None` if its value has not the length of its kind.
fn set(options: &mut Options, kind: u8, value: &[u8]) -> Option<()> {
    match kind {
        MSS => options.mss = Some(u16::from_be_bytes(value.try_into().ok()?)),
        WINDOW_SCALE => {
            let [shift] = value.try_into().ok()?;
            options.window_scale = Some(shift);
        }
        SACK_PERMITTED => {
            let [] = value.try_into().ok()?;
            options.sack_permitted = true;
        }
        TIMESTAMPS => {
            let (echo_of, echo) = value.split_at_checked(4)?;
            options.timestamps = Some(Timestamps {
                value: u32::from_be_bytes(echo_of.try_into().ok()?),
                echo: u32::from_be_bytes(echo.try_into().ok()?),
            });
        }
        SACK => {
            let pairs = value.chunks_exact(8);
            if !pairs.remainder().is_empty() || pairs.len() == 0 || pairs.len() > MAX_SACK_BLOCKS {
                return None;
            }
            options.sack = SackBlocks::NONE;
            for pair in pairs {
                let (left, right) = pair.split_at(4);
                options.sack.push(SackBlock {
                    left: SeqNumber(u32::from_be_bytes(left.try_into().ok()?)),
                    right: SeqNumber(u32::from_be_bytes(right.try_into().ok()?)),
                });
            }
        }
        _ => {}
    }
    Some(())
}
