//! The same seed, the same link, our TCP at both ends: simulated, and live. Prints where the two part.
//!
//! ```text
//! cargo run --release -p windlull-live --example agreement [RUNS [JOBS [LINK]]]
//! ```
//!
//! For each scripted link and each variant: whether the data sender sent the same segments for the same causes in the same
//! order in every live run, and the medians of elapsed time. Exits with 1 if segments differ or medians are more than two
//! in a hundred apart.

#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use std::error::Error;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use windlull_analysis::Analyzer;
use windlull_capture::{Observer, Snaplen, Tee};
use windlull_link::model::{
    Action, LinkModel, PathModel, QueueLimit, QueueModel, RateModel, Scope, ScriptEntry, Selector, Trigger,
};
use windlull_live::{Connection, Ending, Pace, PlaneKind, Transfer, Work};
use windlull_stack::Stack;
use windlull_tcp::{Detection, Recovery, Response, TimerSettings, Variant};
use windlull_units::{BitRate, Bytes, Direction, Fate, Host, LinkEvent, PacketId, Seed, Span, Time};
use windlull_wire::{Flags, Segment, SenderEvent, TransmitCause};

/// How far the medians may be apart.
const TOLERANCE: f64 = 0.02;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let argument = |nth, default| {
        std::env::args()
            .nth(nth)
            .map_or(Ok(default), |text| text.parse::<usize>())
    };
    let (runs, jobs) = (argument(1, 10)?, argument(2, 1)?.max(1));
    windlull_netns::enter()?;
    let mut agree = true;
    let only = std::env::args().nth(3);
    for (link_name, link) in links() {
        if only.as_ref().is_some_and(|only| only != link_name) {
            continue;
        }
        for (variant_name, variant) in variants() {
            let seed = Seed::new(7).child(link_name).child(variant_name);
            let simulated = simulate(&link, &variant, seed)?;
            let made = live_runs(runs, jobs, || live_run(&link, &variant, seed, jobs == 1))?;
            let (live, aside): (Vec<Run>, Vec<Run>) = made.into_iter().partition(|run| run.valid);
            let same = live.iter().filter(|run| run.segments == simulated.segments).count();
            let parts = live.iter().find_map(|run| run.parts_from(&simulated));
            let median = median(live.iter().map(|run| run.elapsed).collect());
            let off = median.as_secs_f64() / simulated.elapsed.as_secs_f64() - 1.0;
            println!(
                "{link_name:>16} {variant_name:>10}: {} segments, the same in {same} of {} runs; elapsed {:.4} s simulated, \
                 {:.4} s live (median, {:+.3} %); {} set aside for their certificates",
                simulated.segments.len(),
                live.len(),
                simulated.elapsed.as_secs_f64(),
                median.as_secs_f64(),
                off * 100.0,
                aside.len(),
            );
            if let Some(parts) = parts {
                println!("{:>29}{parts}", "");
            }
            agree &= same == runs && live.len() == runs && off.abs() <= TOLERANCE;
        }
    }
    println!("{}", if agree { "agreed" } else { "disagreed" });
    Ok(if agree { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A segment of the data sender, without what the clock makes different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sent {
    offset: u32,
    len: u32,
    fin: bool,
    cause: Option<TransmitCause>,
}

/// What the data sender sent.
#[derive(Default)]
struct Segments {
    isn: u32,
    sent: Vec<Sent>,
}

impl Observer for Segments {
    fn sent(&mut self, _: Time, host: Host, _: PacketId, segment: &Segment, cause: Option<TransmitCause>) {
        if segment.flags.has(Flags::SYN) && host == Host::Server {
            self.isn = segment.seq.0;
        }
        if host == Host::Server && segment.sequence_len() > 0 {
            self.sent.push(Sent {
                offset: segment.seq.0.wrapping_sub(self.isn),
                len: segment.payload_len,
                fin: segment.flags.has(Flags::FIN),
                cause,
            });
        }
    }
    fn arrived(&mut self, _: Time, _: Host, _: PacketId, _: &Segment) {}
    fn fate(&mut self, _: &Fate) {}
    fn link(&mut self, _: Time, _: &LinkEvent) {}
    fn sender(&mut self, _: Time, _: Host, _: &SenderEvent) {}
}

struct Run {
    segments: Vec<Sent>,
    elapsed: Span,
    valid: bool,
}

impl Run {
    fn new(segments: Segments, analyzer: &mut Analyzer) -> Result<Self, Box<dyn Error>> {
        let elapsed = analyzer.finish().metrics.elapsed_s.ok_or("the run did not end")?;
        Ok(Self {
            segments: segments.sent,
            elapsed: Span::from_secs_f64(elapsed),
            valid: true,
        })
    }

    /// In words, where this run leaves the other.
    fn parts_from(&self, other: &Self) -> Option<String> {
        let longest = self.segments.len().max(other.segments.len());
        let place = (0..longest).find(|&place| self.segments.get(place) != other.segments.get(place))?;
        Some(format!(
            "segment {place}: live {:?}, simulated {:?}",
            self.segments.get(place),
            other.segments.get(place)
        ))
    }
}

fn transfer() -> Transfer {
    Transfer {
        size: Bytes::new(100_000),
        data_sender: Host::Server,
    }
}

const TIME_LIMIT: Span = Span::from_secs(120);

fn simulate(link: &LinkModel, variant: &Variant, seed: Seed) -> Result<Run, Box<dyn Error>> {
    let (mut segments, mut analyzer) = (Segments::default(), Analyzer::new(Host::Server));
    let setup = windlull_sim::Setup {
        link,
        access: None,
        flows: &[windlull_sim::Flow::of(variant, transfer())],
        crossing: &[],
        network: windlull_units::Network::Ipv4,
        seed,
        time_limit: TIME_LIMIT,
    };
    let ending = windlull_sim::run(&setup, &mut [Tee(&mut segments, &mut analyzer)]);
    in_order(ending)?;
    Run::new(segments, &mut analyzer)
}

/// So many runs with a valid certificate, some of them at a time; at most four times as many in all.
fn live_runs(
    runs: usize,
    jobs: usize,
    run: impl Fn() -> Result<Run, Box<dyn Error>> + Sync,
) -> Result<Vec<Run>, Box<dyn Error>> {
    let (begun, good, made) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while good.load(Ordering::Relaxed) < runs && begun.fetch_add(1, Ordering::Relaxed) < 4 * runs {
                    let run = run().map_err(|error| error.to_string());
                    let valid = run.as_ref().is_ok_and(|run| run.valid);
                    if valid && good.fetch_add(1, Ordering::Relaxed) >= runs {
                        // Another one was quicker.
                        break;
                    }
                    made.lock().expect("nobody panics with it").push(run);
                }
            });
        }
    });
    let made = made.into_inner()?;
    Ok(made.into_iter().collect::<Result<_, String>>()?)
}

/// One run. Where it has the machine for itself it may watch the clock.
fn live_run(link: &LinkModel, variant: &Variant, seed: Seed, alone: bool) -> Result<Run, Box<dyn Error>> {
    let (mut segments, mut analyzer) = (Segments::default(), Analyzer::new(Host::Server));
    let ours = Stack::Windlull(Box::new(variant.clone()));
    let connections = [Connection::of(transfer(), [ours.clone(), ours])];
    let setup = windlull_live::Setup {
        link,
        access: None,
        crossing: &[],
        network: windlull_units::Network::Ipv4,
        work: Work::Connections(&connections),
        seed,
        time_limit: TIME_LIMIT,
        plane: PlaneKind::Model,
        pace: if alone { Pace::Precise } else { Pace::Frugal },
        snaplen: Snaplen::Headers,
        isn: None,
        pause: None,
        link_capture: None,
    };
    let scratch = tempfile::tempdir()?;
    let outcome = windlull_live::run(&setup, scratch.path(), &mut [Tee(&mut segments, &mut analyzer)])?;
    in_order(outcome.ending)?;
    Ok(Run {
        valid: outcome.certificate.valid,
        ..Run::new(segments, &mut analyzer)?
    })
}

fn in_order(ending: Ending) -> Result<(), Box<dyn Error>> {
    match ending {
        Ending::Closed { .. } => Ok(()),
        other => Err(other.to_string().into()),
    }
}

fn median(mut spans: Vec<Span>) -> Span {
    spans.sort_unstable();
    let middle = spans.len() / 2;
    match spans.len() {
        0 => Span::ZERO,
        len if len % 2 == 1 => spans[middle],
        _ => (spans[middle - 1] + spans[middle]).div(2),
    }
}

fn variants() -> Vec<(&'static str, Variant)> {
    let base = Variant {
        mss: 536,
        receive_window: Bytes::new(32_000),
        timer: TimerSettings::default(),
        ..Variant::default()
    };
    vec![
        ("newreno", base.clone()),
        (
            "sack",
            Variant {
                recovery: Recovery::Sack,
                sack: true,
                ..base.clone()
            },
        ),
        (
            "frto+sack",
            Variant {
                recovery: Recovery::Sack,
                sack: true,
                detection: Detection::FrtoSack,
                response: Response::FrtoConservative,
                ..base
            },
        ),
    ]
}

/// Links on which nothing is left to chance. The bursts of a slow start must not meet a queue's limit or a script's edge
/// within what a clock may differ.
fn links() -> Vec<(&'static str, LinkModel)> {
    let rate = BitRate::from_bps(400_000).map(RateModel::Constant);
    let path = PathModel {
        queue: QueueModel::DropTail(QueueLimit::Packets(100)),
        ..PathModel::plain(rate, Span::from_ms(50))
    };
    let plain = LinkModel::symmetric(path);
    let on_down = |trigger, action| ScriptEntry {
        scope: Scope::One(Direction::Down),
        trigger,
        action,
    };
    let hold = on_down(
        // At a packet, not at an instant: else the clock decides which packet is the first one held.
        Trigger::Packets {
            which: Selector::DataSegments { first: 60, last: 60 },
            // One timeout ends within it, the next one would a second after it.
            lasts: Some(Span::from_ms(2_301)),
        },
        Action::Hold,
    );
    let losses = [(20, 20), (45, 47), (90, 90)].map(|(first, last)| {
        on_down(
            Trigger::Packets {
                which: Selector::DataSegments { first, last },
                lasts: None,
            },
            Action::Drop,
        )
    });
    let again = on_down(
        Trigger::Packets {
            which: Selector::RetransmissionOfSegment { segment: 20, nth: 1 },
            lasts: None,
        },
        Action::Drop,
    );
    let scripted = |script: Vec<ScriptEntry>| LinkModel {
        script,
        ..plain.clone()
    };
    vec![
        ("plain", plain.clone()),
        ("hold", scripted(vec![hold])),
        ("losses", scripted(losses.to_vec())),
        ("lost-again", scripted([&losses[..1], &[again]].concat())),
    ]
}
