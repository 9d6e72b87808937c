//! What a sender has to send, has sent, and may send: its half of the sequence space and the peer's window.

use windlull_wire::SeqNumber;

use crate::ranges::Range;

/// Whether the stream ends, and whether the peer was told. A FIN takes the offset after the last octet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fin {
    /// More may be written.
    Open,
    /// Nothing more will be written; FIN goes out with or after the last octet.
    Wanted,
    /// FIN was sent, perhaps more than once.
    Sent,
}

/// A piece of the stream that fits one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Its first octet.
    pub(crate) start: u64,
    /// The octet after its last.
    pub(crate) end: u64,
    /// Whether FIN follows.
    pub(crate) fin: bool,
}

impl Chunk {
    /// The offset after all it takes of the sequence space.
    pub(crate) const fn sequence_end(self) -> u64 {
        self.end + self.fin as u64
    }

    /// Octets of sequence space.
    pub(crate) const fn sequence_len(self) -> u64 {
        self.sequence_end() - self.start
    }

    pub(crate) const fn payload(self) -> Range {
        Range::new(self.start, self.end)
    }

    /// Its first `octets`, fewer than it has.
    pub(crate) const fn cut(self, octets: u64) -> Self {
        Self {
            start: self.start,
            end: self.start + octets,
            fin: false,
        }
    }

    /// Octets of payload.
    pub(crate) const fn payload_len(self) -> u64 {
        self.end - self.start
    }
}

/// Why there is no new segment to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// Everything has been sent.
    NothingLeft,
    /// The peer's window leaves no room, or too little to be worth a segment.
    ByWindow,
}

/// The sending half of the sequence space, in 64-bit offsets from the first octet after SYN.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    /// The sequence number of offset 0.
    origin: SeqNumber,
    /// `SND.UNA`: the first octet not acknowledged.
    pub(crate) una: u64,
    /// `SND.NXT`: the next to send; goes back after a timeout.
    pub(crate) nxt: u64,
    /// The octet after the highest one ever sent.
    pub(crate) max: u64,
    /// Octets the application has handed over.
    pub(crate) written: u64,
    /// How the stream ends.
    pub(crate) fin: Fin,
    /// The right edge of the peer's window.
    pub(crate) edge: u64,
    /// The largest window the peer has ever offered.
    largest_window: u64,
    /// Payload octets of a full segment (RFC 5681's SMSS), timestamps accounted for.
    pub(crate) smss: u64,
}

impl Stream {
    pub(crate) const fn new(isn: SeqNumber, smss: u64) -> Self {
        Self {
            origin: isn.add(1),
            una: 0,
            nxt: 0,
            max: 0,
            written: 0,
            fin: Fin::Open,
            edge: 0,
            largest_window: 0,
            smss,
        }
    }

    /// The sequence number of an offset.
    #[expect(clippy::cast_possible_truncation, reason = "the low 32 bits are meant")]
    pub(crate) const fn number(&self, offset: u64) -> SeqNumber {
        self.origin.add(offset as u32)
    }

    /// The sequence number before `SND.UNA`: already acknowledged, so that any receiver answers it.
    pub(crate) const fn number_before_una(&self) -> SeqNumber {
        SeqNumber(self.number(self.una).0.wrapping_sub(1))
    }

    /// How far a sequence number of ours lies from `SND.UNA`; negative is before it.
    pub(crate) fn distance_from_una(&self, number: SeqNumber) -> i64 {
        i64::from(number.offset_from(self.number(self.una)))
    }

    /// The offset of a number near `SND.UNA`; `None` if it lies before the first octet.
    pub(crate) const fn offset(&self, number: SeqNumber) -> Option<u64> {
        number.unwrap_near(self.origin, self.una)
    }

    /// The largest window the peer has ever offered.
    pub(crate) const fn largest_window(&self) -> u64 {
        self.largest_window
    }

    /// The peer offers a window of `octets` beyond `una`.
    pub(crate) fn offer(&mut self, octets: u64) {
        self.edge = self.una + octets;
        self.largest_window = self.largest_window.max(octets);
    }

    /// Octets sent and not acknowledged, RFC 5681's `FlightSize`.
    pub(crate) const fn flight(&self) -> u64 {
        self.max - self.una
    }

    /// Whether anything is unacknowledged.
    pub(crate) const fn is_outstanding(&self) -> bool {
        self.max > self.una
    }

    /// Whether FIN has been acknowledged.
    pub(crate) const fn fin_acknowledged(&self) -> bool {
        matches!(self.fin, Fin::Sent) && self.una > self.written
    }

    /// The next piece that was never sent, of at most `room` octets, with silly window avoidance on the sender's side
    /// (RFC 9293, section 3.8.6.2.1, Nagle's algorithm off).
    #[inline]
    pub(crate) fn unsent(&self, room: u64) -> Result<Chunk, Held> {
        self.unsent_from(self.max, room)
    }

    /// Whether all that was written has been sent, and no FIN is to follow it.
    #[inline]
    pub(crate) fn is_exhausted(&self) -> bool {
        self.max >= self.written && self.fin != Fin::Wanted
    }

    /// How many new segments could be sent, `most` at most.
    pub(crate) fn count_unsent(&self, most: u32) -> u32 {
        let mut from = self.max;
        let mut count = 0;
        while count < most {
            match self.unsent_from(from, self.smss) {
                // FIN alone carries no data: no detector learns from it.
                Ok(chunk) if chunk.payload_len() > 0 => from = chunk.sequence_end(),
                _ => break,
            }
            count += 1;
        }
        count
    }

    #[inline]
    fn unsent_from(&self, start: u64, room: u64) -> Result<Chunk, Held> {
        let left = self.written.saturating_sub(start);
        let usable = self.edge.saturating_sub(start);
        if left == 0 {
            return match self.fin {
                Fin::Wanted if start == self.written && usable > 0 => Ok(Chunk {
                    start,
                    end: start,
                    fin: true,
                }),
                Fin::Wanted if start == self.written => Err(Held::ByWindow),
                _ => Err(Held::NothingLeft),
            };
        }
        let len = left.min(usable).min(room);
        // (1) a full segment; (2), (3) all that is left; (4) half of the largest window ever offered.
        let worth_it = len == room || len == left || len >= (self.largest_window / 2).max(1);
        if len == 0 || !worth_it {
            return Err(Held::ByWindow);
        }
        Ok(Chunk {
            start,
            end: start + len,
            // FIN rides on the last octets when the window has room for it.
            fin: len == left && matches!(self.fin, Fin::Wanted) && usable > len,
        })
    }

    /// Whatever the window has room for, however little: when the persist timer overrides silly window avoidance.
    pub(crate) fn override_unsent(&self, room: u64) -> Option<Chunk> {
        let len = self
            .written
            .saturating_sub(self.max)
            .min(self.edge.saturating_sub(self.max))
            .min(room);
        (len > 0).then(|| Chunk {
            start: self.max,
            end: self.max + len,
            fin: false,
        })
    }

    /// The next octet that was never sent, whether or not the window has room for it.
    pub(crate) fn next_octet(&self) -> Option<Chunk> {
        (self.written > self.max).then(|| Chunk {
            start: self.max,
            end: self.max + 1,
            fin: false,
        })
    }

    /// The piece from `start` up to `limit` that was sent before, of at most `room` octets of payload.
    pub(crate) fn sent_before(&self, start: u64, limit: u64, room: u64) -> Chunk {
        let end = limit.min(self.written).min(start + room).max(start);
        Chunk {
            start,
            end,
            fin: matches!(self.fin, Fin::Sent) && end == self.written && limit > end,
        }
    }

    /// A chunk goes out.
    pub(crate) fn on_sent(&mut self, chunk: Chunk) {
        if chunk.fin {
            self.fin = Fin::Sent;
        }
        self.max = self.max.max(chunk.sequence_end());
    }
}
