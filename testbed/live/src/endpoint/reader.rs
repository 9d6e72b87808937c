//! What an application reads: the octets put in order, every one compared with what was sent, all of them hashed. It may
//! pause.

use sha2::{Digest, Sha256};
use windlull_units::Time;
use windlull_wire::content::Content;

use crate::{ReadingPause, Received};

/// Octets at a time that are compared with the content.
const PIECE: usize = 4096;

/// When the application reads.
#[derive(Clone, Copy, Debug)]
enum Reading {
    /// Whatever there is.
    Always,
    /// No further than the pause's place.
    UpTo(ReadingPause),
    /// Not before.
    Paused(Time),
}

/// A reader of the peer's stream.
#[derive(Debug)]
pub(super) struct Reader {
    /// Octets that arrived and were not read, by offset modulo the length, a power of two.
    store: Vec<u8>,
    read: u64,
    reading: Reading,
    hash: Sha256,
    first_wrong: Option<u64>,
}

impl Reader {
    pub(super) fn new(pause: Option<ReadingPause>) -> Self {
        Self {
            store: vec![0; 1 << 16],
            read: 0,
            reading: pause.map_or(Reading::Always, Reading::UpTo),
            hash: Sha256::new(),
            first_wrong: None,
        }
    }

    /// These octets of the stream have arrived, in whatever order.
    pub(super) fn store(&mut self, offset: u64, octets: &[u8]) {
        let needed = usize::try_from(offset + octets.len() as u64 - self.read).unwrap_or(usize::MAX);
        if needed > self.store.len() {
            self.grow(needed);
        }
        let at = self.place(offset);
        let first = octets.len().min(self.store.len() - at);
        self.store[at..at + first].copy_from_slice(&octets[..first]);
        self.store[..octets.len() - first].copy_from_slice(&octets[first..]);
    }

    /// How many of the `readable` octets are wanted at `now`.
    pub(super) fn wants(&mut self, now: Time, readable: u64) -> u64 {
        match self.reading {
            Reading::Always => readable,
            Reading::UpTo(pause) => {
                let left = pause.after.get().saturating_sub(self.read);
                if left > readable {
                    return readable;
                }
                self.reading = Reading::Paused(now + pause.lasts);
                left
            }
            Reading::Paused(until) if now < until => 0,
            Reading::Paused(_) => {
                self.reading = Reading::Always;
                readable
            }
        }
    }

    /// When it will want to read again.
    pub(super) const fn wakes_at(&self) -> Option<Time> {
        match self.reading {
            Reading::Paused(until) => Some(until),
            Reading::Always | Reading::UpTo(_) => None,
        }
    }

    pub(super) fn take(&mut self, octets: u64) {
        let mut expected = Vec::with_capacity(PIECE);
        let end = self.read + octets;
        while self.read < end {
            let at = self.place(self.read);
            let left = usize::try_from(end - self.read).unwrap_or(usize::MAX);
            let len = left.min(PIECE).min(self.store.len() - at);
            let piece = &self.store[at..at + len];
            self.hash.update(piece);
            expected.clear();
            Content::shared().copy_to(self.read, len, &mut expected);
            if piece != expected && self.first_wrong.is_none() {
                let wrong = piece.iter().zip(&expected).take_while(|(a, b)| a == b).count();
                self.first_wrong = Some(self.read + wrong as u64);
            }
            self.read += len as u64;
        }
    }

    /// Octets that it has read.
    pub(super) const fn received(&self) -> u64 {
        self.read
    }

    pub(super) fn finish(self) -> Received {
        let digest = self.hash.finalize();
        Received {
            octets: self.read,
            sha256: digest.iter().map(|octet| format!("{octet:02x}")).collect(),
            first_wrong: self.first_wrong,
        }
    }

    fn grow(&mut self, needed: usize) {
        let mut larger = vec![0; needed.next_power_of_two()];
        // Offsets from the first unread one on keep their place modulo the new length.
        for nth in 0..self.store.len() as u64 {
            let offset = self.read + nth;
            larger[place(offset, needed.next_power_of_two())] = self.store[self.place(offset)];
        }
        self.store = larger;
    }

    fn place(&self, offset: u64) -> usize {
        place(offset, self.store.len())
    }
}

#[expect(clippy::cast_possible_truncation, reason = "less than the length")]
const fn place(offset: u64, len: usize) -> usize {
    (offset & (len as u64 - 1)) as usize
}

#[cfg(test)]
mod tests {
    use windlull_units::{Bytes, Span};

    use super::*;

    fn content(offset: u64, len: usize) -> Vec<u8> {
        let mut octets = Vec::new();
        Content::shared().copy_to(offset, len, &mut octets);
        octets
    }

    #[test]
    fn octets_in_any_order_are_read_in_order() {
        let mut reader = Reader::new(None);
        reader.store(100_000, &content(100_000, 50_000));
        reader.store(0, &content(0, 100_000));
        assert_eq!(reader.wants(Time::ZERO, 150_000), 150_000);
        reader.take(150_000);
        let received = reader.finish();
        assert_eq!((received.octets, received.first_wrong), (150_000, None));
        let digest = Sha256::digest(content(0, 150_000));
        let digest: String = digest.iter().map(|octet| format!("{octet:02x}")).collect();
        assert_eq!(received.sha256, digest);
    }

    #[test]
    fn a_wrong_octet_is_found() {
        let mut reader = Reader::new(None);
        let mut octets = content(0, 10_000);
        octets[7_777] ^= 1;
        reader.store(0, &octets);
        reader.take(10_000);
        assert_eq!(reader.finish().first_wrong, Some(7_777));
    }

    #[test]
    fn a_pause_is_kept_to_the_octet_and_to_the_instant() {
        let pause = ReadingPause {
            after: Bytes::new(1_000),
            lasts: Span::from_secs(2),
        };
        let mut reader = Reader::new(Some(pause));
        reader.store(0, &content(0, 3_000));
        let began = Time::from_ns(5);
        assert_eq!(reader.wants(began, 3_000), 1_000);
        reader.take(1_000);
        let until = began + pause.lasts;
        assert_eq!(reader.wakes_at(), Some(until));
        assert_eq!(reader.wants(Time::from_ns(until.as_ns() - 1), 2_000), 0);
        assert_eq!(reader.wants(until, 2_000), 2_000);
    }
}
