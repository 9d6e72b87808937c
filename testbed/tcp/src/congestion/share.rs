//! The share of what was delivered that a queue had marked, as a moving average (RFC 8257, section 3.3), in 1/1024 as Linux has it
//! (section 4.2; net/ipv4/tcp_dctcp.c).

use windlull_units::{Span, Time};

/// What an acknowledgement tells of marks, where the connection has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    pub(crate) now: Time,
    /// Octets that it newly tells the arrival of.
    pub(crate) octets: u64,
    /// How many of them were marked.
    pub(crate) marked: u64,
    /// `SND.UNA`, this acknowledgement included, and the highest octet sent.
    pub(crate) una: u64,
    pub(crate) max: u64,
}

/// All of it: the average has ten bits.
const WHOLE: u64 = 1 << 10;
/// `g` is 1/16 (RFC 8257, section 4.2).
const SHIFT: u32 = 4;

/// `DCTCP.Alpha`, and the observation window that it is due to learn of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MarkedShare {
    alpha: u64,
    /// `DCTCP.BytesAcked` and `DCTCP.BytesMarked`.
    octets: u64,
    marked: u64,
    /// `DCTCP.WindowEnd`.
    end: u64,
    /// No observation is shorter than this, whatever the round trip.
    least: Span,
    began: Time,
}

impl MarkedShare {
    /// At first all counts as marked, so that the first mark halves the window (section 3.3).
    pub(crate) const fn new(least: Span) -> Self {
        Self {
            alpha: WHOLE,
            octets: 0,
            marked: 0,
            end: 0,
            least,
            began: Time::ZERO,
        }
    }

    /// Once a window of data: `alpha` becomes `alpha (1 - g) + g M` (section 3.3, steps 1 to 8).
    pub(crate) fn on_told(&mut self, told: &Told) {
        self.octets += told.octets;
        self.marked += told.marked;
        if told.una <= self.end || told.now.since(self.began) < self.least {
            return;
        }
        // What is left of a share too small to be divided goes whole, else it would stay for ever.
        let fades = (self.alpha >> SHIFT).max(1).min(self.alpha);
        let learned = (self.marked.min(self.octets) * (WHOLE >> SHIFT))
            .checked_div(self.octets)
            .unwrap_or(0);
        self.alpha = (self.alpha - fades + learned).min(WHOLE);
        (self.octets, self.marked) = (0, 0);
        (self.end, self.began) = (told.max, told.now);
    }

    /// What a mark leaves of a window: half of the share is taken, but two segments stay (section 3.3, step 9; Linux has the least).
    pub(crate) fn reduced(&self, cwnd: u64, smss: u64) -> u64 {
        (cwnd - cwnd * self.alpha / (2 * WHOLE)).max(2 * smss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(ms: u64, octets: u64, marked: u64, una: u64) -> Told {
        Told {
            now: Time::ZERO + Span::from_ms(ms),
            octets,
            marked,
            una,
            max: una + 10_000,
        }
    }

    /// 1024 - 64 + 0, then 960 - 60 + 32: half of a window was marked.
    #[test]
    fn the_average_moves_by_a_sixteenth_once_a_window() {
        let mut share = MarkedShare::new(Span::ZERO);
        share.on_told(&told(10, 1000, 0, 1000));
        assert_eq!(share.alpha, 960);
        share.on_told(&told(11, 5000, 5000, 6000));
        share.on_told(&told(12, 5000, 0, 11_000));
        assert_eq!(share.alpha, 960, "until what was sent by then is acknowledged");
        share.on_told(&told(13, 1000, 1000, 12_000));
        assert_eq!(share.alpha, 960 - 60 + 64 * 6 / 11);
    }

    #[test]
    fn it_fades_to_nothing_and_grows_to_the_whole() {
        let mut share = MarkedShare::new(Span::ZERO);
        for round in 1..500 {
            share.on_told(&told(round, 1000, 0, round * 20_000));
        }
        assert_eq!((share.alpha, share.reduced(50_000, 1000)), (0, 50_000));
        for round in 500..1000 {
            // More marks than octets: something arrived twice.
            share.on_told(&told(round, 1000, 3000, round * 20_000));
        }
        assert!(share.alpha > 1000 && share.alpha <= 1024, "{}", share.alpha);
        assert_eq!(share.reduced(3000, 1000), 2000);
    }

    #[test]
    fn an_observation_has_its_least_length() {
        let mut share = MarkedShare::new(Span::from_ms(25));
        share.on_told(&told(24, 1000, 0, 1000));
        assert_eq!(share.alpha, 1024);
        share.on_told(&told(25, 1000, 0, 1000));
        assert_eq!(share.alpha, 960);
    }
}
