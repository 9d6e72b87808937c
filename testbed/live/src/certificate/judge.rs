//! From what was measured to the certificate.

use hdrhistogram::Histogram;
use windlull_plane::model::Accuracy;
use windlull_units::{PlaneKind, Span};

use super::{Certificate, KernelQueues, Rate, Spread, Stalls, tail_quantile, tolerance, us};
use crate::assembly::{self, Findings};
use crate::capture::Counts;
use crate::plane::Played;

/// All that was measured of a run.
pub(crate) struct Measured<'a> {
    pub(crate) plane: PlaneKind,
    pub(crate) findings: &'a Findings,
    pub(crate) played: &'a Played,
    /// Of the server's capture, then the client's.
    pub(crate) counts: [Counts; 2],
    /// How far the stamps' clock went ahead of the run's, ns, by either capture.
    pub(crate) drift_ns: [i64; 2],
    /// Packets that an endpoint of ours had no place for or could not send.
    pub(crate) host_drops: u64,
    /// Packets with wrong checksums that came to endpoints of ours.
    pub(crate) bad_checksums: u64,
}

impl Certificate {
    pub(crate) fn of(measured: &Measured<'_>) -> Self {
        let (findings, counts) = (measured.findings, &measured.counts);
        let accuracy = measured.played.accuracy();
        let mut certificate = Self {
            valid: true,
            reasons: Vec::new(),
            plane: measured.plane,
            release_error_us: accuracy.and_then(|it| spread(&it.release_error)),
            release_error_in_stalls_us: accuracy.and_then(|it| spread(&it.release_error_in_stalls)),
            // What follows from the captures cannot be held against them.
            wire_error_us: findings.wire_error_us.filter(|_| accuracy.is_some()),
            achieved_rate: findings.rates,
            script_error_us: match accuracy {
                Some(it) => spread(&it.script_error),
                None => assembly::spread(measured.played.steps_late_ns()),
            },
            kernel_queues: measured.played.queues().map(KernelQueues::of),
            stalls: accuracy.map_or_else(Stalls::default, |it| Stalls::of(&it.stalls)),
            capture_drops: counts.iter().map(|it| it.drops).sum(),
            plane_drops: accuracy.map_or(0, Accuracy::drops),
            host_drops: measured.host_drops,
            super_packets: counts.iter().map(|it| it.super_packets).sum::<u64>() + accuracy.map_or(0, |it| it.too_long),
            bad_checksums: bad_checksums(measured) + accuracy.map_or(0, |it| it.unfinished_checksums),
            unmatched: findings.unmatched,
            packets: findings.packets,
            clock_drift_us: us((measured.drift_ns.iter())
                .map(|drift| drift.unsigned_abs())
                .max()
                .unwrap_or(0)),
        };
        certificate.reasons = Judge {
            certificate: &certificate,
            packet_time: findings.packet_time,
            tails: Tails {
                release: accuracy.and_then(|it| tail(&it.release_error)),
                wire: findings.wire_tail_us.filter(|_| accuracy.is_some()),
                script: match accuracy {
                    Some(it) => tail(&it.script_error),
                    None => certificate.script_error_us.map(|it| it.p99),
                },
            },
            reasons: Vec::new(),
        }
        .judge();
        certificate.valid = certificate.reasons.is_empty();
        certificate
    }
}

/// Wrong checksums that the link did not make.
fn bad_checksums(measured: &Measured<'_>) -> u64 {
    let out: u64 = measured.counts.iter().map(|it| it.bad_checksums_out).sum();
    let arrived: u64 = measured.counts.iter().map(|it| it.bad_checksums_in).sum();
    let arrived = arrived.max(measured.bad_checksums);
    out + arrived.saturating_sub(measured.findings.corrupted_arrivals)
}

fn spread(errors: &Histogram<u64>) -> Option<Spread> {
    (!errors.is_empty()).then(|| Spread::of(errors))
}

/// What all but a few were less than, us.
#[derive(Clone, Copy, Debug, Default)]
struct Tails {
    release: Option<f64>,
    wire: Option<f64>,
    script: Option<f64>,
}

fn tail(errors: &Histogram<u64>) -> Option<f64> {
    let quantile = tail_quantile(errors.len());
    (!errors.is_empty()).then(|| us(errors.value_at_quantile(quantile)))
}

struct Judge<'a> {
    certificate: &'a Certificate,
    packet_time: Span,
    tails: Tails,
    reasons: Vec<String>,
}

impl Judge<'_> {
    fn judge(mut self) -> Vec<String> {
        let (it, tails) = (self.certificate, self.tails);
        let part = |part: f64| us(self.packet_time.as_ns()) * part;
        let per_packet = part(tolerance::PART_OF_PACKET_TIME);
        if let Some(errors) = it.release_error_us {
            let most = us_of(tolerance::RELEASE_MEDIAN).max(per_packet);
            self.limit("half of all packets were released late by", errors.p50, most);
        }
        if let Some(tail) = tails.release {
            let most = us_of(tolerance::RELEASE_P99).max(per_packet);
            self.limit("1 in 100 packets was released late by", tail, most);
        }
        if let Some(errors) = it.release_error_in_stalls_us {
            let most = us_of(tolerance::IN_STALL).max(per_packet);
            self.limit(
                "the machine stood still, and a packet was released late by",
                errors.max,
                most,
            );
        }
        if let Some(tail) = tails.wire {
            let most = us_of(tolerance::WIRE_P99).max(per_packet);
            self.limit("by the captures, 1 in 100 one-way delays was wrong by", tail, most);
        }
        if let Some(tail) = tails.script {
            let most = us_of(tolerance::SCRIPT_P99);
            self.limit("1 in 100 of the link's own events was late by", tail, most);
        }
        self.rate("down", it.achieved_rate.down);
        self.rate("up", it.achieved_rate.up);
        self.limit(
            "the machine's two clocks drifted apart by",
            it.clock_drift_us,
            us_of(tolerance::CLOCK_DRIFT),
        );
        self.none("packets passed a host and are not in its capture", it.capture_drops);
        self.none("packets were lost by the plane and not by the link", it.plane_drops);
        self.none("packets were lost by a host of ours and not by the link", it.host_drops);
        self.none(
            "packets were longer than the device's MTU: an offload is on",
            it.super_packets,
        );
        self.none(
            "packets had wrong checksums that the link did not make",
            it.bad_checksums,
        );
        let most = it.packets * tolerance::UNMATCHED_PER_MILLE / 1000 + tolerance::UNMATCHED_AT_THE_END;
        if it.unmatched > most {
            self.reasons.push(format!(
                "{} of {} packets could not be followed from one end to the other (at most {most})",
                it.unmatched, it.packets
            ));
        }
        self.reasons
    }

    fn limit(&mut self, what: &str, measured_us: f64, most_us: f64) {
        if measured_us > most_us {
            self.reasons.push(format!(
                "{what} {measured_us:.0} us or more (tolerance {most_us:.0} us)"
            ));
        }
    }

    fn none(&mut self, what: &str, count: u64) {
        if count > 0 {
            self.reasons.push(format!("{count} {what}"));
        }
    }

    fn rate(&mut self, way: &str, rate: Option<Rate>) {
        let Some(rate) = rate else { return };
        let off = (rate.achieved_bps / rate.planned_bps - 1.0).abs();
        // Over a short stretch, what its two ends are late is a part of the rate.
        let most = tolerance::RATE + us_of(tolerance::WIRE_P99) / 1e6 / rate.over_s;
        if off > most {
            self.reasons.push(format!(
                "the rate {way} was {:.0} bit/s instead of {:.0} over {:.1} s ({:.2} % off, tolerance {:.2} %)",
                rate.achieved_bps,
                rate.planned_bps,
                rate.over_s,
                off * 100.0,
                most * 100.0
            ));
        }
    }
}

fn us_of(span: Span) -> f64 {
    us(span.as_ns())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::Rates;

    fn good() -> Certificate {
        Certificate {
            valid: true,
            reasons: Vec::new(),
            plane: PlaneKind::Model,
            release_error_us: Some(Spread {
                p50: 10.0,
                p99: 200.0,
                max: 900.0,
                count: 1_000,
            }),
            release_error_in_stalls_us: None,
            wire_error_us: None,
            achieved_rate: Rates::default(),
            script_error_us: None,
            kernel_queues: None,
            stalls: Stalls::default(),
            capture_drops: 0,
            plane_drops: 0,
            host_drops: 0,
            super_packets: 0,
            bad_checksums: 0,
            unmatched: 0,
            packets: 1_000,
            clock_drift_us: 1.0,
        }
    }

    fn reasons(certificate: &Certificate, packet_time: Span) -> Vec<String> {
        Judge {
            certificate,
            packet_time,
            tails: Tails {
                release: certificate.release_error_us.map(|it| it.p99),
                wire: certificate.wire_error_us.map(|it| it.p99),
                script: certificate.script_error_us.map(|it| it.p99),
            },
            reasons: Vec::new(),
        }
        .judge()
    }

    #[test]
    fn of_few_packets_two_may_be_late() {
        let mut errors = Histogram::new(3).expect("three digits are allowed");
        errors.record_n(100_000, 60).expect("it is auto-sizing");
        errors.record_n(9_000_000, 2).expect("it is auto-sizing");
        assert!(tail(&errors).is_some_and(|us| us < 101.0));
        errors.record(9_000_000).expect("it is auto-sizing");
        assert!(tail(&errors).is_some_and(|us| us > 8_900.0));
    }

    #[test]
    fn a_good_run_gives_no_reason() {
        assert_eq!(reasons(&good(), Span::ZERO), [""; 0]);
    }

    #[test]
    fn every_measure_can_make_a_run_invalid() {
        let late = Some(Spread {
            p50: 1e5,
            p99: 1e6,
            max: 1e6,
            count: 1_000,
        });
        let slow = Some(Rate {
            achieved_bps: 0.9e6,
            planned_bps: 1e6,
            over_s: 10.0,
        });
        type Spoil = fn(&mut Certificate);
        let bad: [(&str, Spoil); 7] = [
            ("not in its capture", |it| it.capture_drops = 1),
            ("by the plane", |it| it.plane_drops = 1),
            ("by a host of ours", |it| it.host_drops = 1),
            ("an offload is on", |it| it.super_packets = 1),
            ("wrong checksums", |it| it.bad_checksums = 1),
            ("could not be followed", |it| it.unmatched = 50),
            ("drifted apart", |it| it.clock_drift_us = 1e4),
        ];
        for (word, spoil) in bad {
            let mut certificate = good();
            spoil(&mut certificate);
            let found = reasons(&certificate, Span::ZERO);
            assert!(found.len() == 1 && found[0].contains(word), "{word}: {found:?}");
        }
        for (count, certificate) in [
            (
                2,
                Certificate {
                    release_error_us: late,
                    ..good()
                },
            ),
            (
                1,
                Certificate {
                    release_error_in_stalls_us: late,
                    ..good()
                },
            ),
            (
                1,
                Certificate {
                    wire_error_us: late,
                    ..good()
                },
            ),
            (
                1,
                Certificate {
                    script_error_us: late,
                    ..good()
                },
            ),
            (
                1,
                Certificate {
                    achieved_rate: Rates { down: slow, up: None },
                    ..good()
                },
            ),
        ] {
            let found = reasons(&certificate, Span::ZERO);
            assert_eq!(found.len(), count, "{found:?}");
        }
    }

    #[test]
    fn a_slow_link_forgives_what_a_fast_one_does_not() {
        let late = Certificate {
            release_error_us: Some(Spread {
                p50: 1_000.0,
                p99: 1_500.0,
                max: 2_000.0,
                count: 100,
            }),
            ..good()
        };
        assert_eq!(reasons(&late, Span::ZERO).len(), 1);
        assert_eq!(reasons(&late, Span::from_ms(82)), [""; 0]);
    }
}
