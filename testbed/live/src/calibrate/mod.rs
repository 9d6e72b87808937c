//! What a testbed on this machine can do, measured by itself.

mod bed;
mod bulk;
mod datagrams;
mod figures;
mod measure;

use windlull_plane::model::{Pace, reserve_core};
use windlull_units::{BitRate, Span};

pub use figures::{CalibrateError, Calibration, Delays, Loss, RateCheck};

/// How long is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Each rate.
    pub rate: Span,
    /// Each of the others.
    pub other: Span,
}

impl Effort {
    /// All in about a minute.
    pub const QUICK: Self = Self {
        rate: Span::from_secs(3),
        other: Span::from_secs(4),
    };
    /// What the benchmark's bars are about.
    pub const THOROUGH: Self = Self {
        rate: Span::from_secs(10),
        other: Span::from_secs(10),
    };
}

/// Measures the model plane between two kernels. The machine should have nothing else to do meanwhile.
///
/// To be called while the process has one thread: namespaces are entered, and a core is kept for the plane.
///
/// # Errors
/// [`CalibrateError`]: the machine would not.
pub fn calibrate(pace: Pace, effort: Effort) -> Result<Calibration, CalibrateError> {
    reserve_core()?;
    let rates: Vec<RateCheck> = RATES_BPS
        .into_iter()
        .filter_map(BitRate::from_bps)
        .map(|planned| measure::rate(pace, planned, effort.rate))
        .collect::<Result<_, _>>()?;
    let highest_rate_bps = highest_rate(pace, &rates)?;
    let (throughput_bps, throughput_sending) = measure::throughput(pace, effort.other)?;
    Ok(Calibration {
        precise: pace == Pace::Precise,
        delays: measure::delays(pace, PACKETS_PER_SECOND, effort.other)?,
        script_error_us: measure::script(pace, effort.other)?,
        rates,
        loss: measure::loss(pace, 0.01, effort.other)?,
        highest_rate_bps,
        throughput_bps,
        throughput_sending,
        forwarding_throughput_bps: measure::forwarding_throughput(effort.other)?,
    })
}

/// The packets a second at which delays are measured.
const PACKETS_PER_SECOND: u64 = 10_000;
/// The rates that are tried.
const RATES_BPS: [u64; 6] = [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];

/// Faster ones, tried as long as all the slower ones hold.
const FASTER_BPS: [u64; 6] = [
    1_500_000_000,
    2_000_000_000,
    2_500_000_000,
    3_000_000_000,
    4_000_000_000,
    5_000_000_000,
];

/// The last rate before the first at which a certificate would not be valid.
fn highest_rate(pace: Pace, rates: &[RateCheck]) -> Result<Option<u64>, CalibrateError> {
    let good = rates.iter().take_while(|rate| rate.valid);
    let mut highest = good.clone().last().map(|rate| rate.planned_bps);
    if good.count() < rates.len() {
        return Ok(highest);
    }
    for faster in FASTER_BPS.into_iter().filter_map(BitRate::from_bps) {
        if !measure::rate(pace, faster, Span::from_secs(1))?.valid {
            break;
        }
        highest = Some(faster.as_bps());
    }
    Ok(highest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_count_is_wilsons() {
        // By hand: 10 of 1000, z = 2.5758.
        let loss = Loss::of(0.01, 1_000, 10, 989);
        assert!((loss.interval[0] - 0.004_53).abs() < 1e-4, "{loss:?}");
        assert!((loss.interval[1] - 0.021_93).abs() < 1e-4, "{loss:?}");
        assert_eq!(loss.unaccounted, 1);
        assert!(loss.is_plausible());
        assert!(!Loss::of(0.05, 1_000, 10, 990).is_plausible());
    }
}
