//! How a bottleneck serves: from its file to its model, back, and in words.

use windlull_link::model::{ContentionModel, GrantsModel, RateModel, ServiceModel};
use windlull_units::Span;

use crate::convert::{Converter, PathParts};
use crate::document::KeyPlaces;
use crate::file::ServiceFile;
use crate::kinds::Amount as _;
use crate::problem::{Defect, Problem};
use crate::text::{Probability, Text};

/// Between two transmissions of one hybrid ARQ process of LTE FDD (3GPP TS 36.213, sections 7.3 and 8.3: four subframes each
/// way).
const ROUND_TRIP: Span = Span::from_ms(8);
/// A usual `maxHARQ-Tx` (3GPP TS 36.331, section 6.3.2, MAC-MainConfig).
const HARQ_ATTEMPTS: u32 = 4;
/// IEEE 802.11 at 5 GHz with OFDM: the slot, and DIFS, which is SIFS (16 us) and two slots.
const SLOT: Span = Span::from_us(9);
const SPACING: Span = Span::from_us(34);
/// IEEE 802.11 with OFDM: aCWmin and aCWmax.
const CW_MIN: u32 = 15;
const CW_MAX: u32 = 1023;
/// The window of a block acknowledgement of 802.11n and 802.11ac.
const AGGREGATE: u32 = 64;
/// What Linux's ath9k and ath10k keep an aggregate below.
const AIRTIME: Span = Span::from_ms(4);
/// A VHT preamble of one stream (40 us), SIFS (16 us), and a block acknowledgement of 32 octets at 24 Mbit/s (32 us).
const OVERHEAD: Span = Span::from_us(88);
/// `dot11ShortRetryLimit`.
const WIFI_ATTEMPTS: u32 = 7;

impl Converter<'_> {
    /// The service at `key`.
    pub(crate) fn service(&mut self, key: &str, file: &ServiceFile) -> Option<ServiceModel> {
        let error = |error: &Option<Text<Probability>>| error.as_ref().map_or(0.0, |error| error.0.0);
        let span = |span: &Option<Text<Span>>, default| span.as_ref().map_or(default, |span| span.0);
        match file {
            ServiceFile::Grants {
                cycle,
                sr_period,
                grant_delay,
                error: fails,
                round_trip,
                attempts,
            } => {
                let (cycle, round_trip_of) = (cycle.0, span(round_trip, ROUND_TRIP.max(cycle.0)));
                if round_trip_of < cycle {
                    let why =
                        format!("must not be below the cycle, {cycle}: a unit cannot be sent again before it ends");
                    self.unfit(&format!("{key}.round_trip"), why);
                    return None;
                }
                Some(ServiceModel::Grants(GrantsModel {
                    cycle,
                    sr_period: span(sr_period, Span::ZERO),
                    grant_delay: span(grant_delay, Span::ZERO),
                    error: error(fails),
                    round_trip: round_trip_of,
                    attempts: attempts.unwrap_or(HARQ_ATTEMPTS),
                }))
            }
            ServiceFile::Contention {
                contenders,
                contender_airtime,
                slot,
                spacing,
                cw_min,
                cw_max,
                aggregate,
                airtime,
                overhead,
                error: fails,
                attempts,
            } => {
                let (cw_min, airtime, overhead) = (
                    cw_min.unwrap_or(CW_MIN),
                    span(airtime, AIRTIME),
                    span(overhead, OVERHEAD),
                );
                let cw_max = cw_max.unwrap_or(CW_MAX.max(cw_min));
                if cw_max < cw_min {
                    let why = format!("must not be below `cw_min`, {cw_min}");
                    self.unfit(&format!("{key}.cw_max"), why);
                    return None;
                }
                Some(ServiceModel::Contention(ContentionModel {
                    contenders: contenders.unwrap_or(0),
                    contender_airtime: span(contender_airtime, airtime + overhead),
                    slot: span(slot, SLOT),
                    spacing: span(spacing, SPACING),
                    cw_min,
                    cw_max,
                    aggregate: aggregate.unwrap_or(AGGREGATE),
                    airtime,
                    overhead,
                    error: error(fails),
                    attempts: attempts.unwrap_or(WIFI_ATTEMPTS),
                }))
            }
        }
    }
}

/// What of a direction's other keys does not go with its service, or with its order.
pub(crate) fn misfits(way: &str, path: &PathParts, places: &KeyPlaces) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut unfit = |key: &str, why: &str| {
        let tables = [way, "both"].map(|table| format!("{table}.{key}"));
        let place = tables.iter().find(|key| places.has(key)).unwrap_or(&tables[0]);
        problems.push(places.problem(place, Defect::Unfit(why.to_owned())));
    };
    if path.service.is_some() && path.allocation.is_some() {
        unfit(
            "allocation",
            "does not go with a `service`, which has a request of its own (`sr_period`, `grant_delay`); leave out one of the two",
        );
    }
    let traced = matches!(path.rate, Some(Some(RateModel::Trace { .. })));
    if matches!(path.service, Some(ServiceModel::Contention(_))) && traced {
        unfit(
            "rate",
            "cannot be a trace where stations contend: a trace's opportunities have the contention in them; give a rate, or leave \
             out `service`",
        );
    }
    let sends_again = path.service.as_ref().is_some_and(ServiceModel::sends_again);
    if path.in_order.is_some_and(|it| !it.is_always()) && path.arq.is_none() && !sends_again {
        unfit(
            "in_order",
            "needs a link layer that sends again, else nothing is late: give `arq`, or a `service` with an `error`",
        );
    }
    problems
}

/// The file of this service, with all that it leaves to defaults.
pub(crate) fn file_of(model: &ServiceModel) -> ServiceFile {
    match *model {
        ServiceModel::Grants(model) => ServiceFile::Grants {
            cycle: Text(model.cycle),
            sr_period: Some(Text(model.sr_period)),
            grant_delay: Some(Text(model.grant_delay)),
            error: Some(Text(Probability(model.error))),
            round_trip: Some(Text(model.round_trip)),
            attempts: Some(model.attempts),
        },
        ServiceModel::Contention(model) => ServiceFile::Contention {
            contenders: Some(model.contenders),
            contender_airtime: Some(Text(model.contender_airtime)),
            slot: Some(Text(model.slot)),
            spacing: Some(Text(model.spacing)),
            cw_min: Some(model.cw_min),
            cw_max: Some(model.cw_max),
            aggregate: Some(model.aggregate),
            airtime: Some(Text(model.airtime)),
            overhead: Some(Text(model.overhead)),
            error: Some(Text(Probability(model.error))),
            attempts: Some(model.attempts),
        },
    }
}

/// The service in words, as a part of a sentence.
pub(crate) fn in_words(model: &ServiceModel) -> String {
    match model {
        ServiceModel::Grants(model) => {
            let asks = match (model.sr_period.is_zero(), model.grant_delay.is_zero()) {
                (true, true) => String::new(),
                (true, false) => format!(" that come {} after an idle queue asks", model.grant_delay),
                (false, _) => format!(
                    " that come {} after an idle queue asks, which it may every {}",
                    model.grant_delay, model.sr_period
                ),
            };
            let fails = if model.error > 0.0 {
                format!(
                    "; {} of them fail and are sent again after {}, {} times in all at most",
                    model.error.said(),
                    model.round_trip,
                    model.attempts
                )
            } else {
                String::new()
            };
            format!("served in units of {}{asks}{fails}", model.cycle)
        }
        ServiceModel::Contention(model) => {
            let others = match model.contenders {
                0 => "nobody else".to_owned(),
                1 => format!("another station that sends for {} at a time", model.contender_airtime),
                n => format!("{n} other stations that send for {} at a time", model.contender_airtime),
            };
            let fails = if model.error > 0.0 {
                format!(
                    "; {} of packets fail and are sent again, {} times in all at most",
                    model.error.said(),
                    model.attempts
                )
            } else {
                String::new()
            };
            format!(
                "contends with {others}, then sends up to {} packets or {} together{fails}",
                model.aggregate, model.airtime
            )
        }
    }
}
