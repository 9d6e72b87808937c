//! `diff`: where two runs part.

mod answer;
mod costs;
mod run;
mod settings;

use std::path::PathBuf;

use clap::Args;
use serde_json::Value;
use windlull_analysis::{Comparing, difference};
use windlull_units::{Span, parse_span};

use crate::answer as say;
use crate::failure::Failure;

use answer::Compared;
use run::Run;

pub(crate) use answer::Answer;

/// The arguments of `diff`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The directory of a run.
    a: PathBuf,
    /// The directory of another run of the same workload.
    b: PathBuf,
    /// Instants that are no farther apart count as the same.  [default: 0 s in `sim`, 1 us where a run is of a kernel
    /// in virtual time, 2 ms where one is live]
    #[arg(long, value_name = "SPAN", value_parser = parse_tolerance)]
    tolerance: Option<Span>,
    /// How much of both runs is told before and after the instant at which they part.
    #[arg(long, value_name = "SPAN", value_parser = parse_span, default_value = "1 s")]
    around: Span,
}

/// A span, of which zero may be said without a unit.
fn parse_tolerance(text: &str) -> Result<Span, String> {
    match text.trim() {
        "0" => Ok(Span::ZERO),
        text => parse_span(text).map_err(|error| error.to_string()),
    }
}

/// Compares two runs and prints where they part.
pub(crate) fn diff(arguments: &Arguments) -> Result<(), Failure> {
    let [a, b] = [&arguments.a, &arguments.b].map(|directory| Run::read(directory));
    let (a, b) = (a?, b?);
    let mut notes = Vec::new();
    refuse_other_work(&a, &b, &mut notes)?;
    for (which, run) in [("A", &a), ("B", &b)] {
        notes.extend(run.lacks.iter().map(|lack| format!("{which}: {lack}")));
    }
    let tolerance = arguments.tolerance.unwrap_or(a.tolerance().max(b.tolerance()));
    let comparing = Comparing {
        tolerance,
        around: arguments.around,
    };
    let found = difference(&a.recorded, &b.recorded, comparing);
    if !found.is_on_same_fates() {
        notes.extend(about_links(&a, &b));
    }
    say::json(&Answer {
        settings: settings::differences(a.variant(), b.variant()),
        costs: costs::differences(&a.metrics, &b.metrics),
        difference: found,
        a: Compared::of(&a),
        b: Compared::of(&b),
        notes,
    })
}

/// What two transfers of different data do is different from the beginning, and says nothing of their senders.
fn refuse_other_work(a: &Run, b: &Run, notes: &mut Vec<String>) -> Result<(), Failure> {
    if a.data_sender != b.data_sender {
        return Err(Failure::input(format!(
            "{}: the {} sends the data, and in {} the {}; runs of different workloads cannot be compared",
            b.directory.display(),
            b.data_sender.name(),
            a.directory.display(),
            a.data_sender.name()
        )));
    }
    if a.recorded.is_quic() != b.recorded.is_quic() {
        let (quic, tcp) = if a.recorded.is_quic() { (a, b) } else { (b, a) };
        return Err(Failure::input(format!(
            "{}: a run of QUIC, and {} is one of TCP; two of the same can be compared",
            quic.directory.display(),
            tcp.directory.display()
        )));
    }
    match (a.workload(), b.workload()) {
        (Some(one), Some(other)) if settings::is_same_work(one, other) => Ok(()),
        (Some(one), Some(other)) => {
            let name = |workload: &Value| workload["name"].as_str().unwrap_or("another").to_owned();
            Err(Failure::input(format!(
                "{}: its workload is {}, and that of {} is {}; runs of different workloads cannot be compared",
                b.directory.display(),
                name(other),
                a.directory.display(),
                name(one)
            )))
        }
        _ => {
            notes.push(
                "Whether both have the same workload is not known: no experiment.json above one of them.".to_owned(),
            );
            Ok(())
        }
    }
}

/// Says if the links or their random draws are not the same: what was met then tells whether the senders could see it.
fn about_links(a: &Run, b: &Run) -> Option<String> {
    let (one, other) = (&a.provenance, &b.provenance);
    if one.link == other.link && one.seed == other.seed {
        return None;
    }
    Some(format!(
        "The links are not the same: A ran over {} with seed {}, B over {} with seed {}. Replay the fates of one for both to \
         compare their senders alone.",
        one.link, one.seed, other.link, other.seed
    ))
}
