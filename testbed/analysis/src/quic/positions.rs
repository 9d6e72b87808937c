//! The position of every octet of every stream: in the order in which octets are sent for the first time, from 1.

use std::collections::BTreeMap;

/// Which positions the octets of streams have.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    /// Of each stream, by the offset of its first octet: pieces whose positions follow each other.
    streams: BTreeMap<u64, BTreeMap<u64, Piece>>,
    /// How many octets have one.
    given: u64,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    length: u64,
    position: u64,
}

impl Positions {
    /// The position behind all that were given.
    pub(crate) const fn next(&self) -> u64 {
        self.given + 1
    }

    /// Appends the ranges of positions that these octets of a stream have; those that were never sent get the next ones.
    pub(crate) fn of(&mut self, stream: u64, offset: u64, length: u64, out: &mut Vec<(u64, u64)>) {
        let pieces = self.streams.entry(stream).or_default();
        let (mut at, end) = (offset, offset + length);
        while at < end {
            let known = pieces.range(..=at).next_back().map(|(&start, &piece)| (start, piece));
            if let Some((start, piece)) = known.filter(|(start, piece)| at < start + piece.length) {
                let upto = end.min(start + piece.length);
                out.push((piece.position + (at - start), piece.position + (upto - start)));
                at = upto;
                continue;
            }
            let upto = pieces.range(at..).next().map_or(end, |(&start, _)| end.min(start));
            let (position, new) = (self.given + 1, upto - at);
            self.given += new;
            let follows =
                known.filter(|(start, piece)| start + piece.length == at && piece.position + piece.length == position);
            match follows {
                Some((start, _)) => pieces.get_mut(&start).expect("it was just found").length += new,
                None => _ = pieces.insert(at, Piece { length: new, position }),
            }
            out.push((position, position + new));
            at = upto;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(positions: &mut Positions, stream: u64, offset: u64, length: u64) -> Vec<(u64, u64)> {
        let mut out = Vec::new();
        positions.of(stream, offset, length, &mut out);
        super::super::join(&mut out);
        out
    }

    #[test]
    fn one_stream_has_its_own_offsets() {
        let mut positions = Positions::default();
        assert_eq!(of(&mut positions, 3, 0, 1_000), [(1, 1_001)]);
        assert_eq!(of(&mut positions, 3, 1_000, 500), [(1_001, 1_501)]);
        assert_eq!(of(&mut positions, 3, 900, 200), [(901, 1_101)]);
        assert_eq!(of(&mut positions, 3, 1_400, 200), [(1_401, 1_601)]);
        assert_eq!(positions.next(), 1_601);
    }

    #[test]
    fn streams_take_turns_and_what_is_sent_again_stays_where_it_was() {
        let mut positions = Positions::default();
        assert_eq!(of(&mut positions, 0, 0, 100), [(1, 101)]);
        assert_eq!(of(&mut positions, 4, 0, 100), [(101, 201)]);
        assert_eq!(of(&mut positions, 0, 100, 100), [(201, 301)]);
        // Of the first stream again, over the place where the second took its turn.
        assert_eq!(of(&mut positions, 0, 50, 100), [(51, 101), (201, 251)]);
        // A hole before what was sent is filled later.
        assert_eq!(of(&mut positions, 8, 100, 10), [(301, 311)]);
        assert_eq!(of(&mut positions, 8, 90, 30), [(311, 321), (301, 311), (321, 331)]);
    }
}
