//! The measurements, one function each.

use std::collections::HashMap;

use hdrhistogram::Histogram;
use windlull_link::model::{Action, Impairment, ImpairmentKind, LinkModel, QueueLimit, Scope, ScriptEntry, Trigger};
use windlull_netns::RouterKind;
use windlull_plane::model::{self, Log, Pace, Stall};
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
        lasts,
    };
    let arrivals = play(&bed, flow)?;
    let log = bed.stop()?;
    Ok(Delays {
        release: spread(&log.accuracy.release_error),
        release_in_stalls: spread(&log.accuracy.release_error_in_stalls),
        wire: spread(&wire_errors(&log, &arrivals)),
        stalls: stalls(&log.accuracy.stalls),
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
        lasts,
    };
    play(&bed, flow)?;
    Ok(spread(&bed.stop()?.accuracy.script_error))
}

/// What rate arrives where the link has this one and always something to send.
pub(super) fn rate(pace: Pace, rate: BitRate, lasts: Span) -> Result<RateCheck, CalibrateError> {
    /// Packets that ought to arrive, at least, so that the first and the last do not matter.
    const ENOUGH: u64 = 200;
    let bed = Bed::new(&plain(Some(rate), Span::ZERO, QueueLimit::Packets(100)), SEED, pace)?;
    let octets = u128::from(rate.as_bps()) * u128::from(lasts.as_ns()) / 8_000_000_000;
    let size = u64::try_from(octets / u128::from(ENOUGH)).unwrap_or(u64::MAX);
    let size = Bytes::new(size.clamp(SMALLEST, FULL.get()));
    // A tenth more than passes.
    let spacing = rate.time_for(size).saturating_mul(10).div(11);
    let arrivals = play(&bed, Flow { size, spacing, lasts })?;
    let log = bed.stop()?;
    let within: Vec<Time> = arrivals.iter().map(|arrival| arrival.at).collect();
    let (Some(&first), Some(&last)) = (within.first(), within.last()) else {
        return Err(CalibrateError::NothingArrived);
    };
    let bits = Bytes::new(size.get() * (within.len() as u64 - 1)).bits();
    let over_s = last.since(first).as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "no rate needs more digits")]
    let (bits, planned_bps) = (bits as f64, rate.as_bps() as f64);
    Ok(RateCheck {
        planned_bps: rate.as_bps(),
        achieved_bps: bits / over_s,
        error: bits / over_s / planned_bps - 1.0,
        over_s,
        release: spread(&log.accuracy.release_error),
        plane_drops: log.accuracy.drops(),
    })
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

/// What a TCP connection of the kernels gets through a link that limits nothing, bits a second.
pub(super) fn throughput(pace: Pace, lasts: Span) -> Result<f64, CalibrateError> {
    let bed = Bed::new(&plain(None, Span::ZERO, QueueLimit::Unlimited), SEED, pace)?;
    let octets = bulk::octets_per_second(bed.lab(), lasts)?;
    bed.stop()?;
    Ok(octets * 8.0)
}

/// The same where the router's kernel forwards, and there is no link.
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

fn spread(errors_ns: &Histogram<u64>) -> Spread {
    #[expect(clippy::cast_precision_loss, reason = "errors are far below a day")]
    let us = |ns: u64| ns as f64 / 1e3;
    Spread {
        p50: us(errors_ns.value_at_quantile(0.5)),
        p99: us(errors_ns.value_at_quantile(0.99)),
        max: us(errors_ns.max()),
        count: errors_ns.len(),
    }
}

fn stalls(stalls: &[Stall]) -> Stalls {
    let us = |stall: &Stall| stall.lasted().as_ns() / 1_000;
    Stalls {
        count: stalls.len() as u64,
        longest_us: stalls.iter().map(us).max().unwrap_or(0),
        total_us: stalls.iter().map(us).sum(),
    }
}
