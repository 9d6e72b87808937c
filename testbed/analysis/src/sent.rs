//! Which octets the data sender has sent: what makes a segment a retransmission.

/// Gaps remembered at most; only captures that miss packets have any.
const MOST_GAPS: usize = 4096;

/// Octets that were sent: all below `max` but those in `gaps`.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    pub(crate) max: u64,
    /// Ranges below `max` that were never seen, in order.
    gaps: Vec<(u64, u64)>,
}

/// What a segment is with regard to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Novelty {
    /// It continues the stream.
    Next,
    /// All of it is new, but it comes after octets behind it.
    FillsGap,
    /// Some of it was sent before.
    Again,
}

impl Sent {
    /// Octets before `first` are not part of the stream.
    pub(crate) const fn from(first: u64) -> Self {
        Self {
            max: first,
            gaps: Vec::new(),
        }
    }

    /// Adds a segment's range.
    #[inline]
    pub(crate) fn add(&mut self, start: u64, end: u64) -> Novelty {
        if start >= self.max {
            if start > self.max && self.gaps.len() < MOST_GAPS {
                self.gaps.push((self.max, start));
            }
            self.max = end;
            return Novelty::Next;
        }
        let new = if self.gaps.is_empty() {
            0
        } else {
            self.fill(start, end.min(self.max))
        };
        let beyond = end.saturating_sub(self.max);
        self.max = self.max.max(end);
        if new + beyond == end - start {
            Novelty::FillsGap
        } else {
            Novelty::Again
        }
    }

    /// Takes a range out of the gaps and returns how many octets of it were in them.
    fn fill(&mut self, start: u64, end: u64) -> u64 {
        let first = self.gaps.partition_point(|gap| gap.1 <= start);
        let after = self.gaps.partition_point(|gap| gap.0 < end);
        if first >= after {
            return 0;
        }
        let touched = &self.gaps[first..after];
        let filled = touched.iter().map(|gap| gap.1.min(end) - gap.0.max(start)).sum();
        let (left, right) = (touched[0].0, touched[touched.len() - 1].1);
        let mut rest = Vec::with_capacity(2);
        if left < start {
            rest.push((left, start));
        }
        if end < right {
            rest.push((end, right));
        }
        self.gaps.splice(first..after, rest);
        filled
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_segment_is_a_retransmission_if_any_octet_was_sent(
            ranges in proptest::collection::vec((0_usize..60, 1_usize..12), 0..30),
        ) {
            let mut sent = Sent::from(0);
            let mut octets = [false; 80];
            for (start, len) in ranges {
                let again = octets[start..start + len].iter().any(|&octet| octet);
                octets[start..start + len].fill(true);
                let novelty = sent.add(start as u64, (start + len) as u64);
                prop_assert_eq!(novelty == Novelty::Again, again);
            }
        }
    }
}
