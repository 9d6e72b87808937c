//! The measurements, one function each.

use std::collections::HashMap;

use hdrhistogram::Histogram;
use windlull_link::model::{Action, Impairment, ImpairmentKind, LinkModel, QueueLimit, Scope, ScriptEntry, Trigger};
use windlull_netns::RouterKind;
use windlull_plane::model::{self, Log, Pace};
use windlull_units::{BitRate, Bytes, Direction, DropCause, Fate, Outcome, Seed, Span, Time};

use super::bed::{Bed, lab, plain};
use super::datagrams::{Arrival, Flow, play};
use super::{CalibrateError, Delays, Loss, RateCheck, bulk};
use crate::{Spread, Stalls};

/// An ordinary full packet.
const FULL: Bytes = Bytes::new(1_500);
/// No smaller packet tells anything of a rate.
const SMALLEST: u64 = 64;
/// A delay that the plane can keep to: longer than a thread takes to wake up.
const DELAY: Span = Span::from_ms(10);
/// The link's draws; any seed does.
const SEED: Seed = Seed::new(1);

/// How late packets leave, `per_second` of them each second.
pub(super) fn delays(pace: Pace, per_second: u64, lasts: Span) -> Result<Delays, CalibrateError> {
    let bed = Bed::new(&plain(None, DELAY, QueueLimit::Unlimited), SEED, pace)?;
    let flow = Flow {
        size: Bytes::new(200),
        spacing: Span::from_secs(1).div(per_second),
        burst: 0,
        lasts,
    };
    let arrivals = play(&bed, flow)?;
    let log = bed.stop()?;
    Ok(Delays {
        release: Spread::of(&log.accuracy.release_error),
        release_in_stalls: Spread::of(&log.accuracy.release_error_in_stalls),
        wire: Spread::of(&wire_errors(&log, &arrivals)),
        stalls: Stalls::of(&log.accuracy.stalls),
        plane_drops: log.accuracy.drops(),
    })
}

/// How late the link's own events happen, with packets under way.
pub(super) fn script(pace: Pace, lasts: Span) -> Result<Spread, CalibrateError> {
    const EVERY: Span = Span::from_ms(5);
    let mut model = plain(None, DELAY, QueueLimit::Unlimited);
    let times = (1..).map(|number| Time::ZERO + Span::from_ms(200) + EVERY.saturating_mul(number));
    model.script = times
        .take_while(|&at| at < Time::ZERO + lasts)
        .map(|at| ScriptEntry {
            scope: Scope::One(Direction::Up),
            trigger: Trigger::At {
                at,
                lasts: Some(Span::from_ms(2)),
            },
            action: Action::SetLoss(0.5),
        })
        .collect();
    let bed = Bed::new(&model, SEED, pace)?;
    let flow = Flow {
        size: Bytes::new(200),
        spacing: Span::from_ms(1),
        burst: 0,
        lasts,
    };
    play(&bed, flow)?;
    Ok(Spread::of(&bed.stop()?.accuracy.script_error))
}

/// What rate arrives where the link has this one and always something to send.
pub(super) fn rate(pace: Pace, rate: BitRate, lasts: Span) -> Result<RateCheck, CalibrateError> {
    /// Packets that ought to arrive, at least, so that a slope can be told.
    const ENOUGH: u64 = 200;
    /// What waits in the link from the start, so that a sender that does not run for a while is not missed.
    const AHEAD: Span = Span::from_ms(50);
    let bed = Bed::new(&plain(Some(rate), Span::ZERO, QueueLimit::Unlimited), SEED, pace)?;
    let octets = u128::from(rate.as_bps()) * u128::from(lasts.as_ns()) / 8_000_000_000;
    let size = u64::try_from(octets / u128::from(ENOUGH)).unwrap_or(u64::MAX);
    let size = Bytes::new(size.clamp(SMALLEST, FULL.get()));
    let time = rate.time_for(size);
    let flow = Flow {
        size,
        // A fiftieth more than passes.
        spacing: time.saturating_mul(50).div(51),
        burst: AHEAD.as_ns() / time.as_ns().max(1) + 1,
        lasts,
    };
    let arrivals = play(&bed, flow)?;
    let log = bed.stop()?;
    let (Some(first), Some(last)) = (arrivals.first(), arrivals.last()) else {
        return Err(CalibrateError::NothingArrived);
    };
    let achieved_bps = packets_per_second(&arrivals) * bits(size);
    #[expect(clippy::cast_precision_loss, reason = "no rate needs more digits")]
    let planned_bps = rate.as_bps() as f64;
    Ok(RateCheck {
        planned_bps: rate.as_bps(),
        achieved_bps,
        error: achieved_bps / planned_bps - 1.0,
        over_s: last.at.since(first.at).as_secs_f64(),
        release: Spread::of(&log.accuracy.release_error),
        plane_drops: log.accuracy.drops(),
        valid: false,
    }
    .judged(time))
}

/// The slope of the straight line through all arrivals (least squares): a single late packet hardly matters, be it the
/// last one, nor does one that the receiving socket had no room for.
#[expect(clippy::cast_precision_loss, reason = "no rate needs more digits")]
fn packets_per_second(arrivals: &[Arrival]) -> f64 {
    let count = arrivals.len() as f64;
    let points = || arrivals.iter().map(|each| (each.serial as f64, each.at.as_secs_f64()));
    let (serials, times) = points().fold((0.0, 0.0), |(serials, times), (serial, time)| {
        (serials + serial, times + time)
    });
    let (serial_mean, time_mean) = (serials / count, times / count);
    let (above, below) = points().fold((0.0, 0.0), |(above, below), (serial, time)| {
        let (serial, time) = (serial - serial_mean, time - time_mean);
        (above + serial * serial, below + serial * time)
    });
    above / below
}

#[expect(clippy::cast_precision_loss, reason = "a packet's size is small")]
const fn bits(size: Bytes) -> f64 {
    size.bits() as f64
}

/// How many of many packets are lost where the link loses each with this probability.
pub(super) fn loss(pace: Pace, probability: f64, lasts: Span) -> Result<Loss, CalibrateError> {
    let mut model: LinkModel = plain(None, DELAY, QueueLimit::Unlimited);
    model.impairments = vec![Impairment {
        name: "loss".to_owned(),
        scope: Scope::One(Direction::Down),
        kind: ImpairmentKind::Loss { probability },
    }];
    let bed = Bed::new(&model, SEED, pace)?;
    let flow = Flow {
        size: Bytes::new(200),
        spacing: Span::from_us(100),
        burst: 0,
        lasts,
    };
    let arrivals = play(&bed, flow)?;
    let log = bed.stop()?;
    let lost = log.fates.iter().filter(|fate| lost_at_random(fate)).count() as u64;
    Ok(Loss::of(
        probability,
        log.entered.len() as u64,
        lost,
        arrivals.len() as u64,
    ))
}

/// What a TCP connection of the kernels gets through a link that limits nothing, bits a second; and the part of the
/// plane's time that its system calls took.
pub(super) fn throughput(pace: Pace, lasts: Span) -> Result<(f64, f64), CalibrateError> {
    let bed = Bed::new(&plain(None, Span::ZERO, QueueLimit::Unlimited), SEED, pace)?;
    let octets = bulk::octets_per_second(bed.lab(), lasts)?;
    let log = bed.stop()?;
    let sending = log.accuracy.sending.as_secs_f64() / log.until.as_secs_f64();
    Ok((octets * 8.0, sending))
}

/// The throughput where the router's kernel forwards, and there is no link.
pub(super) fn forwarding_throughput(lasts: Span) -> Result<f64, CalibrateError> {
    let lab = lab(RouterKind::Forwarding)?;
    Ok(bulk::octets_per_second(&lab, lasts)? * 8.0)
}

const fn lost_at_random(fate: &Fate) -> bool {
    matches!(
        fate.outcome,
        Outcome::Dropped {
            by: DropCause::RandomLoss,
            ..
        }
    )
}

/// How much later than planned packets were at the far host's kernel. The flow is the link's only traffic, so that its
/// serial numbers are the packets' own.
fn wire_errors(log: &Log, arrivals: &[Arrival]) -> Histogram<u64> {
    let planned: HashMap<u64, Time> = log
        .released
        .iter()
        .map(|released| (released.id.0, released.planned))
        .collect();
    let mut errors = model::errors();
    for arrival in arrivals {
        if let Some(&planned) = planned.get(&arrival.serial) {
            errors.saturating_record(arrival.at.since(planned).as_ns());
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_packet_hardly_moves_the_slope() {
        let steady = |serial: u64| Arrival {
            serial,
            at: Time::from_ns(5_000_000_000 + serial * 1_000_000),
        };
        let mut arrivals: Vec<_> = (0..1_000).filter(|serial| serial % 7 != 3).map(steady).collect();
        assert!((packets_per_second(&arrivals) - 1_000.0).abs() < 1e-6);
        let last = arrivals.last_mut().expect("there are some");
        last.at += Span::from_ms(10);
        assert!((packets_per_second(&arrivals) - 1_000.0).abs() < 0.1);
    }
}
