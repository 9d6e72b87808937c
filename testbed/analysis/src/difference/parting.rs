//! The first packet in which two runs differ.

use windlull_units::{Span, Time};

use super::answer::How;
use super::instants::are_close;
use super::packets::Packet;

/// Where two rows of packets part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct First {
    /// How many packets stand before it in both rows.
    pub(super) place: usize,
    pub(super) how: How,
    /// When the first of the two was there.
    pub(super) at: Time,
}

/// Finds the first place at which one row has other octets, has them at another time, or has nothing.
pub(super) fn first(a: &[&Packet], b: &[&Packet], tolerance: Span) -> Option<First> {
    for place in 0..a.len().max(b.len()) {
        let (how, at) = match (a.get(place), b.get(place)) {
            (Some(one), Some(other)) => {
                let is_near = are_close(one.at, other.at, tolerance);
                let how = match (one.is_like(other), is_near) {
                    (true, true) => continue,
                    (true, false) => How::Time,
                    (false, true) => How::Octets,
                    (false, false) => How::OneAlone,
                };
                (how, one.at.min(other.at))
            }
            (Some(alone), None) | (None, Some(alone)) => (How::OneAlone, alone.at),
            (None, None) => return None,
        };
        return Some(First { place, how, at });
    }
    None
}

#[cfg(test)]
mod tests {
    use windlull_wire::Flags;

    use super::*;

    fn packet(at_ns: u64, start: u64) -> Packet {
        Packet {
            at: Time::from_ns(at_ns),
            id: None,
            is_sent: true,
            start: Some(start),
            len: 10,
            flags: Flags::ACK,
            acked: None,
            sack: Vec::new(),
            is_again: false,
            cause: None,
            verdict: None,
        }
    }

    fn parted(a: &[(u64, u64)], b: &[(u64, u64)], tolerance_ns: u64) -> Option<(usize, How, u64)> {
        let all = |row: &[(u64, u64)]| row.iter().map(|&(at, start)| packet(at, start)).collect::<Vec<_>>();
        let (a, b) = (all(a), all(b));
        let (a, b): (Vec<&Packet>, Vec<&Packet>) = (a.iter().collect(), b.iter().collect());
        let found = first(&a, &b, Span::from_ns(tolerance_ns));
        let other_way = first(&b, &a, Span::from_ns(tolerance_ns));
        assert_eq!(found, other_way);
        found.map(|first| (first.place, first.how, first.at.as_ns()))
    }

    #[test]
    fn rows_part_in_octets_in_time_or_where_one_is_silent() {
        let row = [(100, 0), (200, 10), (300, 20)];
        assert_eq!(parted(&row, &row, 0), None);
        assert_eq!(parted(&[], &[], 0), None);
        assert_eq!(
            parted(&row, &[(100, 0), (200, 0), (300, 20)], 0),
            Some((1, How::Octets, 200))
        );
        assert_eq!(parted(&row, &[(100, 0), (201, 10)], 0), Some((1, How::Time, 200)));
        assert_eq!(parted(&row, &[(100, 0), (250, 0)], 0), Some((1, How::OneAlone, 200)));
        assert_eq!(parted(&row, &row[..2], 0), Some((2, How::OneAlone, 300)));
    }

    #[test]
    fn within_the_tolerance_instants_are_the_same() {
        let (a, b) = ([(100, 0), (200, 10)], [(103, 0), (198, 10)]);
        assert_eq!(parted(&a, &b, 3), None);
        assert_eq!(parted(&a, &b, 2), Some((0, How::Time, 100)));
    }
}
