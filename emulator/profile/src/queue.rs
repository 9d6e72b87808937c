//! The queue of a direction: from its file to its model, back, and in words.

use windlull_link::model::{
    AdaptiveRedModel, CakeModel, CodelModel, DrrModel, DualPi2Model, FqCodelModel, Impairment, ImpairmentKind,
    PieModel, QueueLimit, QueueModel, QueueSize, RateModel, RedAim, RedModel,
};
use windlull_units::{Bytes, Direction, Span};

use crate::convert::{Converter, PathParts};
use crate::document::KeyPlaces;
use crate::file::QueueFile;
use crate::problem::{Defect, Problem};
use crate::text::{Probability, Text, Written as _};

/// `min_th` (Floyd and Jacobson 1993, section 7).
const MINIMUM: QueueSize = QueueSize::Packets(5);
/// `max_th` over `min_th` (Floyd 1997, "RED: Discussions of Setting Parameters"; Floyd et al. 2001, section 4.1).
const MAXIMUM_OVER_MINIMUM: u32 = 3;
/// `max_p` (Floyd 1997).
const PROBABILITY: f64 = 0.1;
/// `w_q` (Floyd and Jacobson 1993, section 7).
const WEIGHT: f64 = 0.002;
/// As in tc-red(8): `avpkt`.
const MEAN_PACKET: Bytes = Bytes::new(1000);
/// Floyd et al. 2001, section 4.1.
const ADAPTIVE_TARGET: Span = Span::from_ms(5);
/// RFC 8289, sections 4.3 and 4.4.
const CODEL_TARGET: Span = Span::from_ms(5);
const CODEL_INTERVAL: Span = Span::from_ms(100);
/// RFC 8033, sections 4.2 and 4.4.
const PIE_TARGET: Span = Span::from_ms(15);
const PIE_BURST: Span = Span::from_ms(150);
/// RFC 8290, sections 5.2.4 and 5.2.5.
const QUANTUM: Bytes = Bytes::new(1514);
const FLOWS: u32 = 1024;
/// RFC 9332, appendix A.1, figure 2.
const DUAL_TARGET: Span = Span::from_ms(15);
const DUAL_ROUND_TRIP: Span = Span::from_ms(100);
const DUAL_THRESHOLD: Span = Span::from_us(800);
const DUAL_RANGE: Span = Span::from_us(400);
const COUPLING: u32 = 2;
/// The RFC's figure names none; a sixteenth keeps classic packets from starving.
const CLASSIC_SHARE: f64 = 0.0625;
/// tc-cake(8): `internet`.
const CAKE_ROUND_TRIP: Span = Span::from_ms(100);

impl Converter<'_> {
    /// The queue at `key`.
    pub(crate) fn queue(&mut self, key: &str, file: QueueFile) -> Option<QueueModel> {
        Some(match file {
            QueueFile::Droptail { limit } => QueueModel::DropTail(limit.0),
            QueueFile::Red {
                limit,
                minimum,
                maximum,
                probability,
                weight,
                gentle,
                mean_packet,
                spare,
                ecn,
            } => {
                let (minimum, maximum) = self.thresholds(key, minimum.map_or(MINIMUM, |it| it.0), maximum)?;
                let probability = self.chance(&format!("{key}.probability"), probability, Some(PROBABILITY));
                let weight = self.chance(&format!("{key}.weight"), weight, Some(WEIGHT));
                QueueModel::Red(RedModel {
                    limit: limit.0,
                    minimum,
                    maximum,
                    probability: probability?,
                    weight: weight?,
                    gentle: gentle.unwrap_or(true),
                    mean_packet: mean_packet.map_or(MEAN_PACKET, |it| it.0),
                    spare: spare.map(|it| it.0),
                    ecn: ecn.unwrap_or(false),
                })
            }
            QueueFile::AdaptiveRed {
                limit,
                target,
                minimum,
                maximum,
                weight,
                mean_packet,
                spare,
                ecn,
            } => {
                let aim = match (target, minimum, maximum) {
                    (Some(_), Some(_), _) => {
                        self.unfit(
                            &format!("{key}.target"),
                            "the thresholds follow from `target` or are given; leave out `target` or `minimum`",
                        );
                        return None;
                    }
                    (_, None, Some(_)) => {
                        self.unfit(&format!("{key}.maximum"), "goes with a `minimum`; give that too");
                        return None;
                    }
                    (_, Some(minimum), maximum) => {
                        let (minimum, maximum) = self.thresholds(key, minimum.0, maximum)?;
                        RedAim::Thresholds { minimum, maximum }
                    }
                    (target, None, None) => RedAim::Delay(target.map_or(ADAPTIVE_TARGET, |it| it.0)),
                };
                let given = weight.is_some();
                let weight = self.chance(&format!("{key}.weight"), weight, None);
                if given && weight.is_none() {
                    return None;
                }
                QueueModel::AdaptiveRed(AdaptiveRedModel {
                    limit: limit.0,
                    aim,
                    weight,
                    mean_packet: mean_packet.map_or(MEAN_PACKET, |it| it.0),
                    spare: spare.map(|it| it.0),
                    ecn: ecn.unwrap_or(false),
                })
            }
            QueueFile::Codel {
                limit,
                target,
                interval,
                ecn,
            } => {
                let (target, interval) = self.patience(key, target, interval)?;
                QueueModel::Codel(CodelModel {
                    limit: limit.0,
                    target,
                    interval,
                    ecn: ecn.unwrap_or(false),
                })
            }
            QueueFile::Pie {
                limit,
                target,
                burst,
                mean_packet,
                ecn,
            } => QueueModel::Pie(PieModel {
                limit: limit.0,
                target: target.map_or(PIE_TARGET, |it| it.0),
                burst: burst.map_or(PIE_BURST, |it| it.0),
                mean_packet: mean_packet.map_or(MEAN_PACKET, |it| it.0),
                ecn: ecn.unwrap_or(false),
            }),
            QueueFile::Drr { limit, quantum, flows } => QueueModel::Drr(DrrModel {
                limit: limit.0,
                quantum: quantum.map_or(QUANTUM, |it| it.0),
                flows: flows.unwrap_or(FLOWS),
            }),
            QueueFile::FqCodel {
                limit,
                quantum,
                flows,
                target,
                interval,
                ecn,
            } => {
                let (target, interval) = self.patience(key, target, interval)?;
                QueueModel::FqCodel(FqCodelModel {
                    limit: limit.0,
                    quantum: quantum.map_or(QUANTUM, |it| it.0),
                    flows: flows.unwrap_or(FLOWS),
                    target,
                    interval,
                    ecn: ecn.unwrap_or(false),
                })
            }
            QueueFile::Dualpi2 {
                limit,
                target,
                round_trip,
                threshold,
                range,
                coupling,
                classic_share,
            } => QueueModel::DualPi2(DualPi2Model {
                limit: limit.0,
                target: target.map_or(DUAL_TARGET, |it| it.0),
                round_trip: round_trip.map_or(DUAL_ROUND_TRIP, |it| it.0),
                threshold: threshold.map_or(DUAL_THRESHOLD, |it| it.0),
                range: range.map_or(DUAL_RANGE, |it| it.0),
                coupling: coupling.unwrap_or(COUPLING),
                classic_share: self.chance(&format!("{key}.classic_share"), classic_share, Some(CLASSIC_SHARE))?,
            }),
            QueueFile::Cake { limit, round_trip } => {
                if matches!(limit.0, QueueLimit::Packets(_)) {
                    let why = "CAKE counts the memory that packets take; give it in octets, as in `limit = \"4 MB\"`, or `unlimited`";
                    self.unfit(&format!("{key}.limit"), why);
                    return None;
                }
                QueueModel::Cake(CakeModel {
                    limit: limit.0,
                    round_trip: round_trip.map_or(CAKE_ROUND_TRIP, |it| it.0),
                })
            }
        })
    }

    /// Target and interval of CoDel: the one is not above the other.
    fn patience(
        &mut self,
        key: &str,
        target: Option<Text<Span>>,
        interval: Option<Text<Span>>,
    ) -> Option<(Span, Span)> {
        let target = target.map_or(CODEL_TARGET, |it| it.0);
        let interval = interval.map_or(CODEL_INTERVAL, |it| it.0);
        if target > interval {
            let why = format!("must not be above the interval, {interval}; RFC 8289 has a twentieth of it");
            self.unfit(&format!("{key}.target"), why);
            return None;
        }
        Some((target, interval))
    }

    /// The thresholds of RED: both in one unit, the upper one above.
    fn thresholds(
        &mut self,
        key: &str,
        minimum: QueueSize,
        maximum: Option<Text<QueueSize>>,
    ) -> Option<(QueueSize, QueueSize)> {
        let maximum = maximum.map_or_else(|| default_maximum(minimum), |it| it.0);
        let wrong = match (minimum, maximum) {
            (QueueSize::Packets(low), QueueSize::Packets(high)) => low >= high,
            (QueueSize::Bytes(low), QueueSize::Bytes(high)) => low >= high,
            (QueueSize::Packets(_), QueueSize::Bytes(_)) | (QueueSize::Bytes(_), QueueSize::Packets(_)) => {
                let why = format!(
                    "counts otherwise than the minimum, {}; give both in packets or both in octets",
                    minimum.write()
                );
                self.unfit(&format!("{key}.maximum"), why);
                return None;
            }
        };
        if wrong {
            let why = format!(
                "must be above the minimum, {}; three times that is usual",
                minimum.write()
            );
            self.unfit(&format!("{key}.maximum"), why);
            return None;
        }
        Some((minimum, maximum))
    }

    /// A probability above zero.
    fn chance(&mut self, key: &str, given: Option<Text<Probability>>, default: Option<f64>) -> Option<f64> {
        let chance = given.map(|it| it.0.0).or(default)?;
        if chance > 0.0 {
            return Some(chance);
        }
        self.unfit(key, "must be above 0");
        None
    }
}

const fn default_maximum(minimum: QueueSize) -> QueueSize {
    match minimum {
        QueueSize::Packets(packets) => QueueSize::Packets(packets.saturating_mul(MAXIMUM_OVER_MINIMUM)),
        QueueSize::Bytes(octets) => {
            QueueSize::Bytes(Bytes::new(octets.get().saturating_mul(MAXIMUM_OVER_MINIMUM as u64)))
        }
    }
}

/// What is wrong with a queue that is worked out by a rate that is not constant.
pub(crate) fn without_rate(way: &str, path: &PathParts, places: &KeyPlaces) -> Option<Problem> {
    let Some(QueueModel::AdaptiveRed(model)) = &path.queue else {
        return None;
    };
    let constant = matches!(path.rate, None | Some(Some(RateModel::Constant(_))));
    if constant || !model.needs_rate() {
        return None;
    }
    let why = "adaptive-red works out its thresholds and its weight from a constant rate, which this direction has not; \
               give `minimum`, `maximum` and `weight`";
    Some(places.problem(&key_of(way, places), Defect::Unfit(why.to_owned())))
}

/// Several queues where acknowledgements are thinned out: that looks for them in one queue.
pub(crate) fn apart(way: &str, path: &PathParts, impairments: &[Impairment], places: &KeyPlaces) -> Option<Problem> {
    let is_several = matches!(
        path.queue,
        Some(QueueModel::Drr(_) | QueueModel::FqCodel(_) | QueueModel::DualPi2(_) | QueueModel::Cake(_))
    );
    if !is_several {
        return None;
    }
    let here = |impairment: &&Impairment| {
        let mut directions = Direction::ALL.into_iter();
        let covers = directions.any(|direction| direction.name() == way && impairment.scope.covers(direction));
        covers && matches!(impairment.kind, ImpairmentKind::AckThinning { .. })
    };
    let name = &impairments.iter().find(here)?.name;
    let why = format!(
        "is several queues, and \"{name}\" thins out acknowledgements only where all flows have one, such as `droptail`"
    );
    Some(places.problem(&key_of(way, places), Defect::Unfit(why)))
}

/// Where the queue of a direction is given.
fn key_of(way: &str, places: &KeyPlaces) -> String {
    let keys = [way, "both"].map(|table| format!("{table}.queue"));
    let given = keys.iter().find(|key| places.has(key));
    given.unwrap_or(&keys[0]).clone()
}

/// The file of this queue, with all that it leaves to defaults.
pub(crate) fn file_of(model: &QueueModel) -> QueueFile {
    match *model {
        QueueModel::DropTail(limit) => QueueFile::Droptail { limit: Text(limit) },
        QueueModel::Red(model) => QueueFile::Red {
            limit: Text(model.limit),
            minimum: Some(Text(model.minimum)),
            maximum: Some(Text(model.maximum)),
            probability: Some(Text(Probability(model.probability))),
            weight: Some(Text(Probability(model.weight))),
            gentle: Some(model.gentle),
            mean_packet: Some(Text(model.mean_packet)),
            spare: model.spare.map(Text),
            ecn: Some(model.ecn),
        },
        QueueModel::AdaptiveRed(model) => {
            let (target, minimum, maximum) = match model.aim {
                RedAim::Delay(target) => (Some(Text(target)), None, None),
                RedAim::Thresholds { minimum, maximum } => (None, Some(Text(minimum)), Some(Text(maximum))),
            };
            QueueFile::AdaptiveRed {
                limit: Text(model.limit),
                target,
                minimum,
                maximum,
                weight: model.weight.map(|weight| Text(Probability(weight))),
                mean_packet: Some(Text(model.mean_packet)),
                spare: model.spare.map(Text),
                ecn: Some(model.ecn),
            }
        }
        QueueModel::Codel(model) => QueueFile::Codel {
            limit: Text(model.limit),
            target: Some(Text(model.target)),
            interval: Some(Text(model.interval)),
            ecn: Some(model.ecn),
        },
        QueueModel::Pie(model) => QueueFile::Pie {
            limit: Text(model.limit),
            target: Some(Text(model.target)),
            burst: Some(Text(model.burst)),
            mean_packet: Some(Text(model.mean_packet)),
            ecn: Some(model.ecn),
        },
        QueueModel::Drr(model) => QueueFile::Drr {
            limit: Text(model.limit),
            quantum: Some(Text(model.quantum)),
            flows: Some(model.flows),
        },
        QueueModel::FqCodel(model) => QueueFile::FqCodel {
            limit: Text(model.limit),
            quantum: Some(Text(model.quantum)),
            flows: Some(model.flows),
            target: Some(Text(model.target)),
            interval: Some(Text(model.interval)),
            ecn: Some(model.ecn),
        },
        QueueModel::DualPi2(model) => QueueFile::Dualpi2 {
            limit: Text(model.limit),
            target: Some(Text(model.target)),
            round_trip: Some(Text(model.round_trip)),
            threshold: Some(Text(model.threshold)),
            range: Some(Text(model.range)),
            coupling: Some(model.coupling),
            classic_share: Some(Text(Probability(model.classic_share))),
        },
        QueueModel::Cake(model) => QueueFile::Cake {
            limit: Text(model.limit),
            round_trip: Some(Text(model.round_trip)),
        },
    }
}

/// The queue in words, as a part of a sentence.
pub(crate) fn in_words(model: &QueueModel) -> String {
    let (discipline, spare, marks) = match model {
        QueueModel::DropTail(limit) => return format!("queue {}", limit.write()),
        QueueModel::Red(model) => {
            let (minimum, maximum) = (model.minimum.write(), model.maximum.write());
            let gentle = if model.gentle { "gentle " } else { "" };
            (
                format!("{gentle}RED between {minimum} and {maximum} on average"),
                model.spare,
                model.ecn,
            )
        }
        QueueModel::AdaptiveRed(model) => {
            let aim = match model.aim {
                RedAim::Delay(target) => format!("for a wait of {target}"),
                RedAim::Thresholds { minimum, maximum } => {
                    format!("between {} and {} on average", minimum.write(), maximum.write())
                }
            };
            (format!("Adaptive RED {aim}"), model.spare, model.ecn)
        }
        QueueModel::Codel(model) => (
            format!("CoDel for a wait of {} over {}", model.target, model.interval),
            None,
            model.ecn,
        ),
        QueueModel::Pie(model) => (format!("PIE for a wait of {}", model.target), None, model.ecn),
        QueueModel::Drr(model) => (
            format!("deficit round robin of {} among flows", model.quantum.write()),
            None,
            false,
        ),
        QueueModel::FqCodel(model) => (
            format!(
                "FQ-CoDel of {} for a wait of {} over {}",
                model.quantum.write(),
                model.target,
                model.interval
            ),
            None,
            model.ecn,
        ),
        QueueModel::DualPi2(model) => (
            format!(
                "DualPI2 for a wait of {}, and of {} with ECT(1)",
                model.target, model.threshold
            ),
            None,
            true,
        ),
        QueueModel::Cake(model) => (
            format!("Linux's CAKE for round trips of {}", model.round_trip),
            None,
            true,
        ),
    };
    let spare = spare.map_or_else(String::new, |spare| format!(", which spares {}", spare.write()));
    let marks = match (marks, spare.is_empty()) {
        (false, _) => "",
        (true, true) => ", which marks where it can",
        (true, false) => " and marks where it can",
    };
    format!("queue {} with {discipline}{spare}{marks}", model.limit().write())
}
