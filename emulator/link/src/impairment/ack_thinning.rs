//! Acknowledgements that a queue leaves out, as a later one says all that they do (RFC 3449, section 5.2.1). The later one
//! takes the place of an earlier one, as cable modems do: behind all that waits, with the earlier one gone, it would be
//! gone itself before its turn came, again and again.
//!
//! Nothing is left out that the later one does not say. Only segments that acknowledge and do nothing else count, see
//! [`PureAck`]: none with blocks of selective acknowledgements, of which D-SACKs are sent only once (RFC 2883, section 4),
//! and none that echoes congestion otherwise than the later one (RFC 3168, section 6.1.3). Duplicates stay until one
//! comes that acknowledges more: until then the sender counts them (RFC 5681, section 3.2).

use std::num::NonZeroU32;

use crate::PureAck;

/// How many acknowledgements of a connection may wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckThinning {
    /// The newest among them.
    pub(crate) waiting: NonZeroU32,
}

/// What gives way to an acknowledgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GivingWay {
    /// Whose place it takes.
    pub(crate) place: usize,
    /// The places of those that go as well, from the last one on.
    pub(crate) others: Vec<usize>,
}

impl AckThinning {
    /// Who gives way to `new`; `None` if nobody does. `waiting` has what waits of its connection, the last one first, each
    /// with its place and with what it acknowledges if it does nothing else.
    pub(crate) fn gives_way(
        self,
        new: PureAck,
        waiting: impl Iterator<Item = (usize, Option<PureAck>)>,
    ) -> Option<GivingWay> {
        // Order within a connection is kept: nothing behind another segment of it comes before that.
        let mut others: Vec<usize> = waiting
            .take_while(|(_, old)| old.is_some_and(|old| new.says_all_of(old)))
            .map(|(place, _)| place)
            .collect();
        let most = usize::try_from(self.waiting.get()).unwrap_or(usize::MAX);
        let last = others.len().checked_sub(most)?;
        others.truncate(last + 1);
        let place = others.pop()?;
        Some(GivingWay { place, others })
    }
}

impl PureAck {
    /// Whether it acknowledges more, and echoes congestion alike. Numbers wrap (RFC 9293, section 3.4).
    const fn says_all_of(self, old: Self) -> bool {
        let ahead = self.number.wrapping_sub(old.number);
        ahead != 0 && ahead < 1 << 31 && self.echoes == old.echoes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ack(number: u32) -> PureAck {
        PureAck { number, echoes: 0 }
    }

    /// Of what waits, the oldest first, whose place is taken and who else goes.
    fn gone(most: u32, new: PureAck, waiting: &[Option<PureAck>]) -> Option<(usize, Vec<usize>)> {
        let thinning = AckThinning {
            waiting: NonZeroU32::new(most).expect("not zero"),
        };
        let found = thinning.gives_way(new, waiting.iter().copied().enumerate().rev())?;
        Some((found.place, found.others))
    }

    #[test]
    fn the_newest_takes_the_place_of_the_oldest() {
        let waiting = [10, 20, 30].map(|number| Some(ack(number)));
        assert_eq!(gone(1, ack(40), &waiting), Some((0, vec![2, 1])));
        assert_eq!(gone(1, ack(40), &[]), None);
        assert_eq!(gone(1, ack(40), &waiting[..1]), Some((0, vec![])));
    }

    #[test]
    fn so_many_may_wait() {
        let waiting = [10, 20, 30].map(|number| Some(ack(number)));
        assert_eq!(gone(2, ack(40), &waiting), Some((1, vec![2])));
        assert_eq!(gone(3, ack(40), &waiting), Some((2, vec![])));
        assert_eq!(gone(4, ack(40), &waiting), None);
    }

    #[test]
    fn duplicates_stay_until_more_is_acknowledged() {
        let waiting = [10, 20, 20].map(|number| Some(ack(number)));
        assert_eq!(gone(1, ack(20), &waiting), None);
        assert_eq!(gone(1, ack(30), &waiting), Some((0, vec![2, 1])));
        assert_eq!(gone(1, ack(15), &waiting), None, "it comes late");
    }

    #[test]
    fn numbers_wrap() {
        assert_eq!(gone(1, ack(4), &[Some(ack(u32::MAX - 5))]), Some((0, vec![])));
        assert_eq!(gone(1, ack(u32::MAX - 5), &[Some(ack(4))]), None);
        assert_eq!(gone(1, ack(1 << 31), &[Some(ack(0))]), None, "neither is ahead");
    }

    #[test]
    fn nothing_of_a_connection_is_overtaken() {
        let waiting = [Some(ack(10)), None, Some(ack(20))];
        assert_eq!(gone(1, ack(30), &waiting), Some((2, vec![])));
        assert_eq!(gone(1, ack(30), &waiting[..2]), None);
    }

    #[test]
    fn echoes_are_not_lost() {
        let echo = PureAck { number: 10, echoes: 1 };
        assert_eq!(gone(1, ack(20), &[Some(echo)]), None);
        assert_eq!(
            gone(1, PureAck { number: 20, ..echo }, &[Some(echo)]),
            Some((0, vec![]))
        );
    }
}
