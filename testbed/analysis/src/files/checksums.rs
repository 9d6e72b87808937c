//! The checksums of one direction of a capture.

use windlull_wire::Flags;
use windlull_wire::packet::Checksum;

use super::packets::Seen;

/// What a wrong checksum of one direction means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChecksumMeaning {
    /// Bits were changed on the way.
    Corrupted,
    /// Nothing: checksums were never computed before the capture.
    NotComputed,
    /// One of the two.
    Undecided,
}

/// The checksums of one direction of a capture, but for packets that the file itself says were corrupted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChecksumCount {
    wrong: u64,
    right: u64,
    /// Of packets that are not whole.
    unverified: u64,
    /// Wrong ones of SYNs.
    wrong_syns: u64,
}

impl ChecksumCount {
    pub(super) fn add(&mut self, packet: &Seen) {
        if packet.said_corrupted {
            return;
        }
        let is_syn = packet.segment.flags.has(Flags::SYN);
        match packet.checksum {
            Checksum::Wrong => {
                self.wrong += 1;
                self.wrong_syns += u64::from(is_syn);
            }
            Checksum::Right => self.right += 1,
            Checksum::Unknown => self.unverified += 1,
        }
    }

    /// Whether packets of this direction were corrupted for sure.
    pub(super) fn shows_corruption(&self) -> bool {
        self.wrong > 0 && self.meaning() == ChecksumMeaning::Corrupted
    }

    /// Where packets were cut, the few whole ones are no sample of the rest: our own captures keep whole just what was
    /// corrupted. A SYN with a wrong checksum opened the connection all the same, so nobody looked at it.
    pub(super) const fn meaning(&self) -> ChecksumMeaning {
        if self.wrong <= self.right {
            ChecksumMeaning::Corrupted
        } else if self.unverified <= self.wrong || (self.right == 0 && self.wrong_syns > 0) {
            ChecksumMeaning::NotComputed
        } else {
            ChecksumMeaning::Undecided
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ChecksumMeaning::{Corrupted, NotComputed, Undecided};
    use super::*;

    #[test]
    fn the_whole_packets_among_cut_ones_do_not_decide_for_them() {
        let of = |wrong, right, unverified, wrong_syns| {
            ChecksumCount {
                wrong,
                right,
                unverified,
                wrong_syns,
            }
            .meaning()
        };
        assert_eq!(of(3, 100, 0, 0), Corrupted, "a few of many whole packets");
        assert_eq!(of(90, 1, 0, 0), NotComputed, "nearly all whole packets");
        assert_eq!(of(9, 2, 500, 0), Undecided, "the whole ones among cut ones");
        assert_eq!(of(2, 0, 500, 1), NotComputed, "the SYN was taken as it was");
        assert_eq!(of(2, 1, 500, 1), Undecided, "one SYN was right");
        assert_eq!(of(0, 0, 500, 0), Corrupted, "none is wrong");
    }
}
