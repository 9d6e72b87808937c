//! The frames of a decrypted QUIC packet (RFC 9000, section 19), as far as recovery is concerned.

use crate::said::{AckRange, Frame};

/// The payload is none that RFC 9000, RFC 9221 or draft-ietf-quic-ack-frequency know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    #[error("a frame ends behind its packet")]
    CutShort,
    #[error("frame type {0:#x} is not known")]
    Unknown(u64),
}

/// The frames of a packet's payload, without its header and tag. Adjacent padding is one frame.
///
/// # Errors
/// At the first frame that is not known or not whole.
pub fn frames(payload: &[u8]) -> Result<Vec<Frame>, FrameError> {
    let mut reader = Reader(payload);
    let mut frames = Vec::with_capacity(4);
    while !reader.0.is_empty() {
        let frame = reader.frame()?;
        if !(frame == Frame::Padding && frames.last() == Some(&Frame::Padding)) {
            frames.push(frame);
        }
    }
    Ok(frames)
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn frame(&mut self) -> Result<Frame, FrameError> {
        let kind = self.integer()?;
        Ok(match kind {
            0x00 => {
                let rest = self.0.iter().position(|&octet| octet != 0);
                self.0 = &self.0[rest.unwrap_or(self.0.len())..];
                Frame::Padding
            }
            0x01 => Frame::Ping,
            0x02 | 0x03 => self.ack(kind == 0x03)?,
            0x04 => self.other("reset_stream", 3)?,
            0x05 => self.other("stop_sending", 2)?,
            0x06 => {
                let offset = self.integer()?;
                let length = self.integer()?;
                self.skip(length)?;
                Frame::Crypto { offset, length }
            }
            0x07 => {
                let length = self.integer()?;
                self.skip(length)?;
                Frame::Other("new_token")
            }
            0x08..=0x0f => self.stream(kind)?,
            0x10 => self.other("max_data", 1)?,
            0x11 => self.other("max_stream_data", 2)?,
            0x12 | 0x13 => self.other("max_streams", 1)?,
            0x14 => self.other("data_blocked", 1)?,
            0x15 => self.other("stream_data_blocked", 2)?,
            0x16 | 0x17 => self.other("streams_blocked", 1)?,
            0x18 => {
                self.integers(2)?;
                let length = self.octet()?;
                // The connection ID, and the token of a stateless reset.
                self.skip(u64::from(length) + 16)?;
                Frame::Other("new_connection_id")
            }
            0x19 => self.other("retire_connection_id", 1)?,
            0x1a => self.opaque("path_challenge", 8)?,
            0x1b => self.opaque("path_response", 8)?,
            0x1c => {
                let code = self.integer()?;
                self.integer()?;
                self.reason()?;
                Frame::ConnectionClose {
                    is_application: false,
                    code,
                }
            }
            0x1d => {
                let code = self.integer()?;
                self.reason()?;
                Frame::ConnectionClose {
                    is_application: true,
                    code,
                }
            }
            0x1e => Frame::Other("handshake_done"),
            // draft-ietf-quic-ack-frequency, sections 4 and 5.
            0x1f => Frame::Other("immediate_ack"),
            0xaf => self.other("ack_frequency", 4)?,
            // RFC 9221, section 4.
            0x30 => {
                self.0 = &[];
                Frame::Other("datagram")
            }
            0x31 => {
                let length = self.integer()?;
                self.skip(length)?;
                Frame::Other("datagram")
            }
            unknown => return Err(FrameError::Unknown(unknown)),
        })
    }

    fn ack(&mut self, has_ecn_counts: bool) -> Result<Frame, FrameError> {
        let largest = self.integer()?;
        let delay = self.integer()?;
        let more = self.integer()?;
        let first = self.integer()?;
        let below = |number: u64, by: u64| number.checked_sub(by).ok_or(FrameError::CutShort);
        let mut range = AckRange {
            first: below(largest, first)?,
            last: largest,
        };
        let mut ranges = vec![range];
        for _ in 0..more {
            let gap = self.integer()?;
            let length = self.integer()?;
            let last = below(range.first, gap + 2)?;
            range = AckRange {
                first: below(last, length)?,
                last,
            };
            ranges.push(range);
        }
        if has_ecn_counts {
            self.integers(3)?;
        }
        Ok(Frame::Ack {
            ranges,
            delay_encoded: delay,
        })
    }

    fn stream(&mut self, kind: u64) -> Result<Frame, FrameError> {
        let id = self.integer()?;
        let offset = if kind & 0x04 == 0 { 0 } else { self.integer()? };
        let length = if kind & 0x02 == 0 {
            self.0.len() as u64
        } else {
            self.integer()?
        };
        self.skip(length)?;
        Ok(Frame::Stream {
            id,
            offset,
            length,
            ends: kind & 0x01 != 0,
        })
    }

    fn other(&mut self, name: &'static str, integers: usize) -> Result<Frame, FrameError> {
        self.integers(integers)?;
        Ok(Frame::Other(name))
    }

    fn opaque(&mut self, name: &'static str, length: u64) -> Result<Frame, FrameError> {
        self.skip(length)?;
        Ok(Frame::Other(name))
    }

    fn reason(&mut self) -> Result<(), FrameError> {
        let length = self.integer()?;
        self.skip(length)
    }

    fn integers(&mut self, count: usize) -> Result<(), FrameError> {
        (0..count).try_for_each(|_| self.integer().map(drop))
    }

    /// A variable-length integer (section 16).
    fn integer(&mut self) -> Result<u64, FrameError> {
        let first = self.octet()?;
        let more = (1_usize << (first >> 6)) - 1;
        if self.0.len() < more {
            return Err(FrameError::CutShort);
        }
        let (rest, behind) = self.0.split_at(more);
        self.0 = behind;
        Ok(rest
            .iter()
            .fold(u64::from(first & 0x3f), |value, &octet| value << 8 | u64::from(octet)))
    }

    fn octet(&mut self) -> Result<u8, FrameError> {
        let (&first, rest) = self.0.split_first().ok_or(FrameError::CutShort)?;
        self.0 = rest;
        Ok(first)
    }

    fn skip(&mut self, length: u64) -> Result<(), FrameError> {
        let length = usize::try_from(length).map_err(|_| FrameError::CutShort)?;
        self.0 = self.0.get(length..).ok_or(FrameError::CutShort)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_of_four_lengths() {
        // RFC 9000, appendix A.1.
        let examples: [(&[u8], u64); 5] = [
            (
                &[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c],
                151_288_809_941_952_652,
            ),
            (&[0x9d, 0x7f, 0x3e, 0x7d], 494_878_333),
            (&[0x7b, 0xbd], 15_293),
            (&[0x25], 37),
            (&[0x40, 0x25], 37),
        ];
        for (octets, value) in examples {
            assert_eq!(Reader(octets).integer(), Ok(value));
            if octets.len() > 2 {
                assert_eq!(Reader(&octets[..octets.len() - 1]).integer(), Err(FrameError::CutShort));
            }
        }
    }

    #[test]
    fn what_is_acknowledged_is_read_from_the_top() {
        // Largest 10 and two below it; a gap of 0, which is one packet; then 6 and three below it.
        let payload = [0x02, 10, 4, 1, 2, 0, 3];
        let ranges = vec![AckRange { first: 8, last: 10 }, AckRange { first: 3, last: 6 }];
        assert_eq!(
            frames(&payload),
            Ok(vec![Frame::Ack {
                ranges,
                delay_encoded: 4
            }])
        );
    }

    #[test]
    fn a_stream_without_a_length_fills_its_packet() {
        let payload = [0x01, 0x0d, 4, 0x41, 0x00, 1, 2, 3];
        let stream = Frame::Stream {
            id: 4,
            offset: 256,
            length: 3,
            ends: true,
        };
        assert_eq!(frames(&payload), Ok(vec![Frame::Ping, stream]));
    }

    #[test]
    fn padding_is_one_frame_and_what_is_cut_short_is_an_error() {
        assert_eq!(
            frames(&[0, 0, 0, 1, 0, 0]),
            Ok(vec![Frame::Padding, Frame::Ping, Frame::Padding])
        );
        assert_eq!(frames(&[0x06, 0, 9, 1]), Err(FrameError::CutShort));
        assert_eq!(frames(&[0x3f]), Err(FrameError::Unknown(0x3f)));
    }
}
