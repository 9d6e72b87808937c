//! CUBIC: RFC 9438. The window follows a cubic function of the time since the last loss, flat around the window of that loss,
//! and is never less than what Reno would have made of it.
//!
//! ```text
//!   W_cubic(t) = C (t - K)^3 + W_max          C = 0.4, beta = 0.7 (section 4.1)
//!
//!          concave, up to W_max at t = K | convex, beyond
//! ```
//!
//! Octets and nanoseconds in, whole numbers throughout: the cube root is one of integers, in microseconds.

use windlull_units::{Span, Time};

use super::{Growth, WindowControl};

/// Section 4.1, `C` = 4/10 segments per cubic second.
const C: (i128, i128) = (4, 10);
/// Section 4.6, `beta_cubic` = 7/10.
const BETA: (u64, u64) = (7, 10);
/// Section 4.3: `alpha_cubic` = 3 (1 - beta) / (1 + beta) = 9/17.
const ALPHA: (u128, u128) = (9, 17);
/// Microseconds of a cubic second.
const CUBIC_SECOND: i128 = 1_000_000_000_000_000_000;
/// `W_est` is kept in millionths of octets, so that its small steps are not lost.
const MICRO: u128 = 1_000_000;

/// A stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// When it began, later by as long as the window was not the limit since.
    start: Time,
    /// Where the plateau lies, in microseconds from the start.
    k_us: i128,
    /// Reno's window, in millionths of octets.
    estimate: u128,
    /// What is left of the last fraction of an octet, in octets times the window.
    credit: u128,
}

/// What CUBIC remembers of losses.
#[derive(Clone, Copy, Debug)]
struct Memory {
    /// `W_max`: the plateau, in octets.
    plateau: u64,
    /// `cwnd_prior`: the window at the last loss.
    prior: u64,
    /// Whether a plateau stands; after a timeout, and before the first loss, the stage begins with its own window.
    known: bool,
}

/// The algorithm's variables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cubic {
    memory: Memory,
    /// What it remembered before the last timeout, should that prove spurious (section 4.9).
    undo: Memory,
    epoch: Option<Epoch>,
}

impl Cubic {
    pub(crate) const fn new() -> Self {
        let memory = Memory {
            plateau: 0,
            prior: 0,
            known: false,
        };
        Self {
            memory,
            undo: memory,
            epoch: None,
        }
    }
}

impl WindowControl for Cubic {
    /// Section 4.6: the threshold after a loss, two segments at least.
    fn threshold(&self, flight: u64, _: u64, smss: u64) -> u64 {
        let reduced = flight * BETA.0 / BETA.1;
        reduced.max(2 * smss)
    }

    /// A loss was found with this window, by duplicates or by the timer.
    fn on_loss(&mut self, cwnd: u64, by_timer: bool) {
        if by_timer {
            self.undo = self.memory;
        }
        // Section 4.7, fast convergence: a flow that lost before it was back at its plateau makes room for others.
        let plateau = if self.memory.known && cwnd < self.memory.plateau {
            cwnd * (BETA.0 + BETA.1) / (2 * BETA.1)
        } else {
            cwnd
        };
        self.memory = Memory {
            plateau,
            prior: cwnd,
            // Section 4.8: after a timeout K = 0, and W_max is the window when congestion avoidance begins.
            known: !by_timer,
        };
        self.epoch = None;
    }

    /// Section 4.8 holds of it, too: K = 0 when congestion avoidance begins. `cwnd_prior` is the mark's.
    fn on_spared_timeout(&mut self) {
        self.undo = self.memory;
        self.memory.known = false;
        self.epoch = None;
    }

    /// A stage of congestion avoidance begins with another window.
    fn on_window_set(&mut self) {
        self.epoch = None;
    }

    /// Section 4.9: the timeout was spurious.
    fn on_spurious(&mut self) {
        self.memory = self.undo;
        self.epoch = None;
    }

    /// Sections 4.2 and 5.8: the elapsed time does not include periods in which the window was not updated because the
    /// application limited the flow.
    fn on_application_limited(&mut self, lasted: Span) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start += lasted;
        }
    }

    /// Congestion avoidance (sections 4.2 to 4.5): the window after `octets` were acknowledged.
    fn grow(&mut self, cwnd: u64, growth: &Growth) -> u64 {
        let Growth { octets, smss, now, rtt } = *growth;
        let memory = &mut self.memory;
        let epoch = self.epoch.get_or_insert_with(|| {
            if !memory.known || cwnd >= memory.plateau {
                // No plateau above: the stage begins on one.
                memory.plateau = cwnd;
                memory.known = true;
            }
            Epoch {
                start: now,
                k_us: cube_root(i128::from(memory.plateau - cwnd) * CUBIC_SECOND * C.1 / (C.0 * i128::from(smss))),
                estimate: u128::from(cwnd) * MICRO,
                credit: 0,
            }
        });
        // Section 4.3, equation 4; once it is back at the window of the loss, Reno's own increase.
        let alpha = if epoch.estimate >= u128::from(memory.prior) * MICRO {
            (1, 1)
        } else {
            ALPHA
        };
        let share = u128::from(octets) * u128::from(smss) * MICRO / u128::from(cwnd);
        epoch.estimate += share * alpha.0 / alpha.1;
        let at = |t: Span| {
            let distance = i128::from(t.as_ns() / 1000) - epoch.k_us;
            let rise = C.0 * i128::from(smss) * distance.pow(3) / (C.1 * CUBIC_SECOND);
            u64::try_from(i128::from(memory.plateau) + rise).unwrap_or(0)
        };
        let elapsed = now.since(epoch.start);
        let estimate = u64::try_from(epoch.estimate / MICRO).unwrap_or(u64::MAX);
        if at(elapsed) < estimate {
            // The Reno-friendly region.
            return cwnd.max(estimate);
        }
        // Sections 4.2, 4.4 and 4.5: a round trip ahead, not below the window and not beyond half as much again.
        let target = at(elapsed + rtt).clamp(cwnd, cwnd + cwnd / 2);
        epoch.credit += u128::from(target - cwnd) * u128::from(octets);
        let whole = epoch.credit / u128::from(cwnd);
        epoch.credit %= u128::from(cwnd);
        cwnd + u64::try_from(whole).unwrap_or(0)
    }
}

/// The largest whole number whose cube is not more than `cube`.
fn cube_root(cube: i128) -> i128 {
    let (mut low, mut high) = (0_i128, 1_i128 << 42);
    while low < high {
        let middle = (low + high + 1) / 2;
        if middle.pow(3) <= cube {
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

    #[test]
    fn cube_roots_are_the_largest_below() {
        for root in [0_i128, 1, 2, 999, 1_957_433, 4_000_000_000_000] {
            assert_eq!(cube_root(root.pow(3)), root);
            assert_eq!(cube_root((root + 1).pow(3) - 1), root);
        }
    }

    /// RFC 9438, section 4.2: the window is back at the plateau after K = cbrt((W_max - cwnd) / C) seconds, no earlier and not
    /// much later.
    #[test]
    fn the_plateau_is_reached_at_k() {
        let mut cubic = Cubic::new();
        let (smss, plateau) = (1000, 200_000);
        cubic.on_loss(plateau, false);
        let mut cwnd = cubic.threshold(plateau, plateau, smss);
        assert_eq!(cwnd, 140_000);
        // K = cbrt(60 / 0.4) = 5.313 s. A round trip of 100 ms; every segment is acknowledged.
        let growth = |now, octets| Growth {
            octets,
            smss,
            now,
            rtt: Span::from_ms(100),
        };
        let mut reached = None;
        for tenth in 0..80_u64 {
            cwnd = cubic.grow(cwnd, &growth(Time::ZERO + Span::from_ms(100 * tenth), cwnd));
            if cwnd >= plateau - smss {
                reached.get_or_insert(tenth);
            }
        }
        // A segment below the plateau is cbrt(1 / 0.4) = 1.36 s before K, and the target is a round trip ahead: 3.86 s.
        assert!((37..=43).contains(&reached.expect("it grows")), "{reached:?}");
        // Convex beyond: at 8 s W_cubic is 0.4 x 2.687^3 = 7.8 segments above.
        assert!((207_000..=208_500).contains(&cwnd), "{cwnd}");
    }
    /// RFC 9438, sections 4.2 and 5.8: a spell in which the application limits the flow moves the whole curve by as much.
    #[test]
    fn application_limited_spells_do_not_count() {
        let smss = 1000;
        let windows = |spell: Span| {
            let mut cubic = Cubic::new();
            cubic.on_loss(200_000, false);
            let mut cwnd = cubic.threshold(200_000, 200_000, smss);
            let mut after = Vec::new();
            for tenth in 0..60_u64 {
                let mut now = Time::ZERO + Span::from_ms(100 * tenth);
                if tenth == 20 {
                    cubic.on_application_limited(spell);
                }
                if tenth >= 20 {
                    now += spell;
                }
                let growth = Growth {
                    octets: cwnd,
                    smss,
                    now,
                    rtt: Span::from_ms(100),
                };
                cwnd = cubic.grow(cwnd, &growth);
                after.push(cwnd);
            }
            after
        };
        assert_eq!(windows(Span::ZERO), windows(Span::from_secs(30)));
    }
}
