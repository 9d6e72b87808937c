//! Delayed acknowledgements as Linux has them (Linux 6.12: net/ipv4/tcp_input.c, `tcp_event_data_recv`; tcp_output.c,
//! `tcp_send_delayed_ack`): segment by segment at first, so that the sender's window opens quickly, and with every second full-sized
//! segment afterwards; one that comes alone waits for about as long as data keeps coming, 40 ms at least.
//!
//! ```text
//!                        16 acknowledgements
//!   Quick (each segment) --------------------> Delayed (every second one, or `ato`)
//!      ^                                          |
//!      +---- a duplicate; silence of a timeout ---+
//! ```

use windlull_units::{Span, Time};

/// `TCP_ATO_MIN`, HZ / 25.
const ATO_MIN: Span = Span::from_ms(40);
/// `TCP_DELACK_MAX`, HZ / 5.
const DELACK_MAX: Span = Span::from_ms(200);
/// `TCP_MAX_QUICKACKS`.
const MAX_QUICKACKS: u64 = 16;

/// What follows for a segment that arrived in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    /// Whether it is acknowledged at once.
    pub(crate) quick: bool,
    /// The longest it waits otherwise.
    pub(crate) delay: Span,
}

/// Of `inet_connection_sock`, `icsk_ack`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinuxAcks {
    /// `quick`: acknowledgements that still go out segment by segment.
    quick: u64,
    /// `ato` and `lrcvtime`, once data arrived.
    last: Option<(Span, Time)>,
    /// The smoothed round trip that the endpoint's own sender has measured.
    srtt: Option<Span>,
    /// Its retransmission timeout.
    rto: Span,
}

impl LinuxAcks {
    pub(crate) const fn new() -> Self {
        Self {
            quick: 0,
            last: None,
            srtt: None,
            rto: DELACK_MAX,
        }
    }

    /// What the endpoint's own sender knows of the way.
    pub(crate) const fn on_measured(&mut self, srtt: Option<Span>, rto: Span) {
        self.srtt = srtt;
        self.rto = rto;
    }

    /// Data arrived in order, in segments of `full` octets at most, into a window of `window` octets.
    pub(crate) fn on_data(&mut self, now: Time, full: u64, window: u64) -> Wait {
        let ato = match self.last {
            None => {
                self.acknowledge_quickly(full, window);
                ATO_MIN
            }
            Some((ato, before)) => {
                let silence = now.since(before);
                if silence <= ATO_MIN.div(2) {
                    ato.div(2) + ATO_MIN.div(2)
                } else if silence < ato {
                    (ato.div(2) + silence).min(self.rto)
                } else {
                    if silence > self.rto {
                        self.acknowledge_quickly(full, window);
                    }
                    ato
                }
            }
        };
        self.last = Some((ato, now));
        // Above the least, about a round trip.
        let most = self.srtt.map_or(DELACK_MAX, |srtt| srtt.max(ATO_MIN).min(DELACK_MAX));
        Wait {
            quick: self.quick > 0,
            delay: if ato > ATO_MIN { ato.min(most) } else { ato },
        }
    }

    /// Something came that had been there (`tcp_enter_quickack_mode`).
    pub(crate) fn on_duplicate(&mut self, full: u64, window: u64) {
        self.acknowledge_quickly(full, window);
        self.last = self.last.map(|(_, before)| (ATO_MIN, before));
    }

    /// An acknowledgement that was owed went out (`tcp_dec_quickack_mode`).
    pub(crate) fn on_acknowledged(&mut self) {
        if self.quick == 1 {
            self.last = self.last.map(|(_, before)| (ATO_MIN, before));
        }
        self.quick = self.quick.saturating_sub(1);
    }

    /// `tcp_incr_quickack`: as many as half the window holds, two at least.
    fn acknowledge_quickly(&mut self, full: u64, window: u64) {
        let in_half = window / (2 * full.max(1));
        let quick = if in_half == 0 { 2 } else { in_half.min(MAX_QUICKACKS) };
        self.quick = self.quick.max(quick);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn acks() -> LinuxAcks {
        let mut acks = LinuxAcks::new();
        acks.on_measured(Some(Span::from_ms(100)), Span::from_ms(300));
        acks
    }

    fn arrive(acks: &mut LinuxAcks, at: u64) -> Wait {
        acks.on_data(ms(at), 1000, 64_000)
    }

    #[test]
    fn sixteen_acknowledgements_are_quick_and_none_after_them() {
        let mut acks = acks();
        for segment in 0..16 {
            assert!(arrive(&mut acks, segment).quick, "{segment}");
            acks.on_acknowledged();
        }
        let wait = arrive(&mut acks, 16);
        assert!(!wait.quick);
        assert_eq!(wait.delay, Span::from_ms(40));
    }

    #[test]
    fn a_small_window_makes_few_quick_and_none_less_than_two() {
        for (window, quick) in [(8000, 4), (1000, 2)] {
            let mut acks = acks();
            for segment in 0..quick {
                assert!(acks.on_data(ms(segment), 1000, window).quick);
                acks.on_acknowledged();
            }
            assert!(!acks.on_data(ms(9), 1000, window).quick);
        }
    }

    #[test]
    fn the_delay_follows_the_gaps_between_segments_up_to_a_round_trip() {
        let mut acks = acks();
        arrive(&mut acks, 0);
        // 30 ms of 40: half of what it was, and the gap.
        assert_eq!(arrive(&mut acks, 30).delay, Span::from_ms(50));
        assert_eq!(arrive(&mut acks, 75).delay, Span::from_ms(70));
        assert_eq!(arrive(&mut acks, 143).delay, Span::from_ms(100), "103 ms by then");
        // A gap of 20 ms at most brings it back by half of what is above.
        assert_eq!(arrive(&mut acks, 153).delay, Span::from_ms(71) + Span::from_us(500));
    }

    #[test]
    fn a_silence_of_a_timeout_and_a_duplicate_make_them_quick_again() {
        let mut acks = acks();
        arrive(&mut acks, 0);
        for _ in 0..16 {
            acks.on_acknowledged();
        }
        assert!(!arrive(&mut acks, 300).quick, "as long as the timeout, and no longer");
        assert!(arrive(&mut acks, 601).quick);
        for _ in 0..16 {
            acks.on_acknowledged();
        }
        assert!(!arrive(&mut acks, 602).quick);
        acks.on_duplicate(1000, 64_000);
        assert!(arrive(&mut acks, 603).quick);
    }
}
