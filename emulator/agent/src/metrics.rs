//! What Prometheus is told: read from the link's own counts when it asks.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, MetricEncoder, NoLabelSet, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;
use windlull_plane::lend::Ended;
use windlull_plane::model::{Cause, RELEASE_ERROR_NS, Reading};
use windlull_units::{Build, Direction, Span};

use crate::changes::Kind;
use crate::manager::DeviceManager;

/// Of what `GET /metrics` answers.
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A metric: its name, its labels, its kind, what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// As Prometheus knows it.
    pub name: &'static str,
    pub labels: &'static [&'static str],
    /// `counter`, `gauge` or `histogram`.
    pub kind: &'static str,
    pub help: &'static str,
}

macro_rules! metrics {
    ($($kind:ident $name:literal [$($label:literal),*] $help:literal;)+) => {
        /// Every metric of the emulator; `docs/emulator.md` has them as a table.
        pub const METRICS: [Metric; [$($name),+].len()] = [$(Metric {
            name: $name,
            labels: &[$($label),*],
            kind: stringify!($kind),
            help: $help,
        }),+];
    };
}

metrics! {
    counter "windlull_link_packets_total" ["direction"] "Packets that the link has carried to the other side";
    counter "windlull_link_octets_total" ["direction"] "Octets of these, as IP packets";
    counter "windlull_link_drops_total" ["direction", "cause"] "Packets that did not arrive, by cause";
    counter "windlull_link_marks_total" ["direction"] "Packets that the queue has marked instead of dropping them";
    gauge "windlull_link_queue_packets" ["direction"] "Packets that wait before the bottleneck";
    gauge "windlull_link_queue_octets" ["direction"] "Octets that wait before the bottleneck";
    gauge "windlull_link_rate_bits_per_second" ["direction"] "The rate in force; infinite where nothing limits it";
    gauge "windlull_link_delay_seconds" ["direction"]
        "The delay in force: propagation, and what the script adds; not a number where each packet draws its own";
    gauge "windlull_link_loss_ratio" ["direction"]
        "The probability of loss in force, by script, hand and impairments in their state; bit errors are not in it";
    gauge "windlull_link_held" ["direction"] "1 while the link delivers nothing and keeps everything";
    counter "windlull_link_holds_total" ["direction"] "Holds that began, by whatever cause";
    histogram "windlull_link_release_error_seconds" [] "How much later than its time a packet was released";
    counter "windlull_link_stalls_total" [] "How often the machine stood still for a millisecond or longer";
    counter "windlull_link_changes_total" ["kind"] "Changes by hand";
    counter "windlull_emulator_runs_total" ["outcome"] "Runs that had the devices, by how they ended";
    gauge "windlull_emulator_lent" [] "1 while a run has the devices";
    gauge "windlull_emulator_start_time_seconds" [] "When the process began, in seconds since 1970";
    gauge "windlull_emulator_link_lost" [] "1 if the link that stood before the last restart could not be restored";
    gauge "windlull_emulator_info" ["version", "commit", "link", "plane"]
        "1; what runs, and which link stands on which plane";
}

/// All metrics, as text.
pub(crate) fn scrape(manager: &Arc<DeviceManager>, build: Build) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Counts {
        manager: Arc::clone(manager),
        build,
    }));
    let mut exposition = String::new();
    text::encode(&mut exposition, &registry).expect("a text takes what is written to it");
    exposition
}

/// Reads all counts when it is asked.
struct Counts {
    manager: Arc<DeviceManager>,
    build: Build,
}

impl fmt::Debug for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counts")
            .field("build", &self.build)
            .finish_non_exhaustive()
    }
}

impl Collector for Counts {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let Self { manager, build } = self;
        let ways = Direction::ALL.map(|direction| (direction.name(), manager.monitor.read(direction)));
        let glance = manager.glance();
        for metric in &METRICS {
            let mut out = Out::of(&mut encoder, metric)?;
            let mut each = |value: fn(&Reading) -> f64| -> fmt::Result {
                ways.iter()
                    .try_for_each(|(way, reading)| out.tell(&[("direction", way)], value(reading)))
            };
            match metric.name {
                "windlull_link_packets_total" => each(|way| way.packets as f64)?,
                "windlull_link_octets_total" => each(|way| way.octets as f64)?,
                "windlull_link_marks_total" => each(|way| way.marks as f64)?,
                "windlull_link_queue_packets" => each(|way| way.queued_packets as f64)?,
                "windlull_link_queue_octets" => each(|way| way.queued_octets as f64)?,
                "windlull_link_rate_bits_per_second" => {
                    each(|way| way.rate_bps.map_or(f64::INFINITY, |rate| rate as f64))?;
                }
                "windlull_link_delay_seconds" => each(|way| way.delay.map_or(f64::NAN, Span::as_secs_f64))?,
                "windlull_link_loss_ratio" => each(|way| way.loss_ppb as f64 / 1e9)?,
                "windlull_link_held" => each(|way| way.held.into())?,
                "windlull_link_holds_total" => each(|way| way.holds as f64)?,
                "windlull_link_drops_total" => {
                    for (way, reading) in &ways {
                        for cause in Cause::ALL {
                            let drops = reading.drops[cause as usize] as f64;
                            out.tell(&[("direction", *way), ("cause", cause.name())], drops)?;
                        }
                    }
                }
                "windlull_link_release_error_seconds" => self.release_errors(&mut out)?,
                "windlull_link_stalls_total" => out.tell(&[], manager.monitor.stalls() as f64)?,
                "windlull_link_changes_total" => {
                    for kind in Kind::ALL {
                        let made = manager.changed[kind as usize].load(Ordering::Relaxed) as f64;
                        out.tell(&[("kind", kind.name())], made)?;
                    }
                }
                "windlull_emulator_runs_total" => {
                    for ended in Ended::ALL {
                        let runs = manager.runs[ended as usize].load(Ordering::Relaxed) as f64;
                        out.tell(&[("outcome", ended.name())], runs)?;
                    }
                }
                "windlull_emulator_start_time_seconds" => out.tell(&[], glance.started_s)?,
                "windlull_emulator_link_lost" => out.tell(&[], glance.lost.into())?,
                "windlull_emulator_lent" => out.tell(&[], glance.lent.into())?,
                _ => {
                    let labels = [
                        ("version", build.version),
                        ("commit", build.commit),
                        ("link", &glance.link),
                        ("plane", glance.plane.name()),
                    ];
                    out.tell(&labels, 1.0)?;
                }
            }
        }
        Ok(())
    }
}

impl Counts {
    fn release_errors(&self, out: &mut Out<'_>) -> fmt::Result {
        let errors = self.manager.monitor.release_errors();
        let ends = RELEASE_ERROR_NS.iter().map(|&end| end as f64 / 1e9).chain([f64::MAX]);
        let classes: Vec<(f64, u64)> = ends.zip(errors.packets).collect();
        let count = errors.packets.iter().sum();
        out.encoder
            .encode_histogram::<NoLabelSet>(errors.sum_ns as f64 / 1e9, count, &classes, None)
    }
}

/// Where the values of one metric go.
struct Out<'a> {
    encoder: MetricEncoder<'a>,
    counts: bool,
}

impl<'a> Out<'a> {
    fn of(encoder: &'a mut DescriptorEncoder<'_>, metric: &'a Metric) -> Result<Self, fmt::Error> {
        // The format adds a counter's `_total` by itself.
        let name = metric.name.strip_suffix("_total").unwrap_or(metric.name);
        let kind = match metric.kind {
            "counter" => MetricType::Counter,
            "histogram" => MetricType::Histogram,
            _ => MetricType::Gauge,
        };
        Ok(Self {
            encoder: encoder.encode_descriptor(name, metric.help, None, kind)?,
            counts: metric.kind == "counter",
        })
    }

    fn tell(&mut self, labels: &[(&str, &str)], value: f64) -> fmt::Result {
        if labels.is_empty() {
            return tell(&mut self.encoder, self.counts, value);
        }
        let labels = Labels(labels);
        let mut encoder = self.encoder.encode_family(&labels)?;
        tell(&mut encoder, self.counts, value)
    }
}

fn tell(encoder: &mut MetricEncoder<'_>, counts: bool, value: f64) -> fmt::Result {
    if counts {
        encoder.encode_counter::<NoLabelSet, _, u64>(&value, None)
    } else {
        encoder.encode_gauge(&value)
    }
}

struct Labels<'a>(&'a [(&'a str, &'a str)]);

impl EncodeLabelSet for Labels<'_> {
    fn encode(&self, encoder: &mut prometheus_client::encoding::LabelSetEncoder<'_>) -> fmt::Result {
        use prometheus_client::encoding::EncodeLabel as _;
        self.0.iter().try_for_each(|label| label.encode(encoder.encode_label()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the reference, made of the metrics themselves.
    fn table() -> String {
        let rows = METRICS.map(|metric| {
            let labels: Vec<String> = metric.labels.iter().map(|label| format!("`{label}`")).collect();
            let labels = if labels.is_empty() {
                "-".to_owned()
            } else {
                labels.join(", ")
            };
            format!("| `{}` | {labels} | {} | {} |\n", metric.name, metric.kind, metric.help)
        });
        format!(
            "| metric | labels | kind | what it says |\n|---|---|---|---|\n{}",
            rows.concat()
        )
    }

    #[test]
    fn the_reference_has_every_metric() {
        let reference = include_str!("../../../docs/emulator.md");
        assert!(
            reference.contains(&table()),
            "docs/emulator.md needs this table:\n{}",
            table()
        );
    }
}
