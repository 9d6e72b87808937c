//! CUBIC as Linux computes it (Linux 6.12, net/ipv4/tcp_cubic.c): RFC 9438 in whole segments. What a loss leaves of a small window
//! is a segment less than seven tenths of it, and a plateau is forgotten at a timeout.
//!
//! The window grows by a segment whenever a number of segments is acknowledged, `cnt`: what the cubic function wants within a
//! round trip, no less than Reno would grow, and no more than by a half.

use windlull_units::{Span, Time};

use super::{Growth, WindowControl};
use crate::timer::Sample;

/// `beta`, in 1024ths.
const BETA: u64 = 717;
const BETA_SCALE: u64 = 1024;
/// `cube_rtt_scale`: `C` in 1024ths, 0.4.
const C: u128 = 410;
/// `beta_scale`: eight times (1 + beta) / (1 - beta) / 3, the segments in eighths of a window that Reno's next one takes.
const FRIENDLY_EIGHTHS: u64 = 8 * (BETA_SCALE + BETA) / 3 / (BETA_SCALE - BETA);
/// Before any loss the window grows by a twentieth a round trip at least.
const MOST_BEFORE_LOSS: u64 = 20;
/// Round trips count again once a stage has lasted so long.
const SETTLED: Span = Span::from_secs(1);
/// Half as much again in a round trip.
const LEAST: u64 = 2;

/// A stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// `epoch_start`.
    start: Time,
    /// `bic_K`, in 1024ths of a second.
    k: u64,
    /// `bic_origin_point`, in segments.
    origin: u64,
    /// `tcp_cwnd`: Reno's window, in segments.
    reno: u64,
    /// `ack_cnt`: segments acknowledged that it has not grown by.
    reno_acknowledged: u64,
}

/// `struct bictcp`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CubicLinux {
    /// `last_max_cwnd`, in octets; zero where no loss is remembered.
    plateau: u64,
    epoch: Option<Epoch>,
    /// `delay_min`.
    shortest: Option<Span>,
    /// Octets acknowledged that are no whole segment.
    rest: u64,
    /// `snd_cwnd_cnt`: segments acknowledged since the window grew last.
    acknowledged: u64,
}

impl CubicLinux {
    pub(crate) const fn new() -> Self {
        Self {
            plateau: 0,
            epoch: None,
            shortest: None,
            rest: 0,
            acknowledged: 0,
        }
    }

    fn begin(&self, now: Time, window: u64, smss: u64) -> Epoch {
        let plateau = self.plateau / smss;
        let below = plateau.saturating_sub(window);
        Epoch {
            start: now,
            k: cube_root((u128::from(below) << 40) / C),
            origin: plateau.max(window),
            reno: window,
            reno_acknowledged: 0,
        }
    }

    /// `bictcp_update`: after how many acknowledged segments the window grows by one.
    fn segments_to_grow(&mut self, growth: &Growth, window: u64, acknowledged: u64) -> u64 {
        let now = growth.now;
        let mut epoch = self.epoch.unwrap_or_else(|| self.begin(now, window, growth.smss));
        epoch.reno_acknowledged += acknowledged;
        let ahead = now.since(epoch.start) + self.shortest.unwrap_or(Span::ZERO);
        let t = ahead.as_ns() / 1000 * 1024 / 1_000_000;
        let rise = (C * u128::from(t.abs_diff(epoch.k)).pow(3)) >> 40;
        let rise = u64::try_from(rise).unwrap_or(u64::MAX);
        let target = if t < epoch.k {
            epoch.origin.saturating_sub(rise)
        } else {
            epoch.origin.saturating_add(rise)
        };
        let mut count = if target > window {
            window / (target - window)
        } else {
            100 * window
        };
        if self.plateau == 0 {
            count = count.min(MOST_BEFORE_LOSS);
        }
        let reno_step = (window * FRIENDLY_EIGHTHS / 8).max(1);
        if epoch.reno_acknowledged > reno_step {
            let steps = (epoch.reno_acknowledged - 1) / reno_step;
            epoch.reno_acknowledged -= steps * reno_step;
            epoch.reno += steps;
        }
        if epoch.reno > window {
            count = count.min(window / (epoch.reno - window));
        }
        self.epoch = Some(epoch);
        count.max(LEAST)
    }
}

impl WindowControl for CubicLinux {
    /// `cubictcp_recalc_ssthresh`: of the window, whatever is outstanding, in whole segments, two at least.
    fn threshold(&self, _: u64, cwnd: u64, smss: u64) -> u64 {
        (cwnd / smss * BETA / BETA_SCALE).max(2) * smss
    }

    fn on_loss(&mut self, cwnd: u64, by_timer: bool) {
        // RFC 9438, section 4.7, fast convergence.
        self.plateau = match (by_timer, cwnd < self.plateau) {
            // `cubictcp_state`: all is forgotten.
            (true, _) => 0,
            (false, true) => cwnd * (BETA_SCALE + BETA) / (2 * BETA_SCALE),
            (false, false) => cwnd,
        };
        if by_timer {
            self.shortest = None;
        }
        self.epoch = None;
        self.acknowledged = 0;
    }

    /// `cubictcp_state`, also where the threshold stays.
    fn on_spared_timeout(&mut self) {
        self.on_loss(0, true);
    }

    /// What is counted stays: Linux sets a window without telling its congestion control.
    fn on_window_set(&mut self) {}

    /// Nor does it tell of an undo; what was forgotten stays so.
    fn on_spurious(&mut self) {}

    /// `cubictcp_acked`: what is measured shortly after a reduction tells of the queue before it.
    fn on_sample(&mut self, sample: &Sample) {
        if self.epoch.is_none_or(|epoch| sample.now.since(epoch.start) >= SETTLED) {
            self.shortest = Some(self.shortest.map_or(sample.rtt, |least| least.min(sample.rtt)));
        }
    }

    /// `cubictcp_cwnd_event`: an idle spell moves the curve by as much.
    fn on_application_limited(&mut self, lasted: Span) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start += lasted;
        }
    }

    /// `cubictcp_cong_avoid`, `tcp_cong_avoid_ai`.
    fn grow(&mut self, cwnd: u64, growth: &Growth) -> u64 {
        let Growth { octets, smss, .. } = *growth;
        self.rest += octets;
        let acknowledged = self.rest / smss;
        self.rest %= smss;
        let window = (cwnd / smss).max(1);
        let count = self.segments_to_grow(growth, window, acknowledged);
        let mut grown = cwnd;
        if self.acknowledged >= count {
            self.acknowledged = 0;
            grown += smss;
        }
        self.acknowledged += acknowledged;
        grown += self.acknowledged / count * smss;
        self.acknowledged %= count;
        grown
    }
}

/// The largest whole number whose cube is not more than `cube`.
fn cube_root(cube: u128) -> u64 {
    let (mut low, mut high) = (0_u64, 1 << 32);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if u128::from(middle).pow(3) <= cube {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMSS: u64 = 1000;

    fn growth(ms: u64, octets: u64) -> Growth {
        Growth {
            octets,
            smss: SMSS,
            now: Time::ZERO + Span::from_ms(ms),
            rtt: Span::from_ms(100),
        }
    }

    #[test]
    fn a_small_window_loses_whole_segments() {
        let cubic = CubicLinux::new();
        for (window, left) in [(10, 7), (7, 4), (5, 3), (4, 2), (3, 2), (1, 2)] {
            assert_eq!(cubic.threshold(0, window * SMSS + 999, SMSS), left * SMSS, "{window}");
        }
    }

    /// K = cbrt(60 / 0.4) = 5.313 s, as in RFC 9438, section 4.2; what is below the plateau is cut to whole segments.
    #[test]
    fn the_plateau_is_reached_at_k() {
        let mut cubic = CubicLinux::new();
        cubic.on_loss(200 * SMSS, false);
        let mut cwnd = cubic.threshold(0, 200 * SMSS, SMSS);
        assert_eq!(cwnd, 140 * SMSS);
        let mut reached = None;
        for ms in (0..8000).step_by(100) {
            cwnd = cubic.grow(cwnd, &growth(ms, cwnd));
            if cwnd >= 199 * SMSS {
                reached.get_or_insert(ms);
            }
        }
        assert!((3000..=5000).contains(&reached.expect("it grows")), "{reached:?}");
        assert!((204_000..=209_000).contains(&cwnd), "{cwnd}");
    }

    #[test]
    fn a_loss_below_the_plateau_lowers_it_further() {
        let mut cubic = CubicLinux::new();
        cubic.on_loss(200 * SMSS, false);
        cubic.on_loss(100 * SMSS, false);
        assert_eq!(cubic.plateau / SMSS, 85);
    }

    /// Without a plateau the window grows by a twentieth a round trip at least.
    #[test]
    fn a_timeout_forgets_the_plateau() {
        let mut cubic = CubicLinux::new();
        cubic.on_loss(200 * SMSS, false);
        cubic.on_loss(200 * SMSS, true);
        assert_eq!(cubic.plateau, 0);
        assert_eq!(cubic.grow(100 * SMSS, &growth(0, 100 * SMSS)), 105 * SMSS);
    }

    /// Reno's window grows by one after 15/8 of it: with ten, after 18 segments; a round trip later ten grow it.
    #[test]
    fn reno_is_the_least() {
        let mut cubic = CubicLinux::new();
        cubic.on_loss(11 * SMSS, false);
        let mut cwnd = 10 * SMSS;
        for ms in [0, 10, 20, 30] {
            cwnd = cubic.grow(cwnd, &growth(ms, 10 * SMSS));
        }
        assert_eq!(cwnd, 11 * SMSS);
    }

    #[test]
    fn an_idle_spell_does_not_count() {
        let after = |spell: u64| {
            let mut cubic = CubicLinux::new();
            cubic.on_loss(200 * SMSS, false);
            let first = cubic.grow(140 * SMSS, &growth(0, 140 * SMSS));
            cubic.on_application_limited(Span::from_ms(spell));
            cubic.grow(first, &growth(1000 + spell, first))
        };
        assert_eq!(after(0), after(60_000));
    }
}
