//! Transfers of random size over random links, every variant of ours against the kernel's TCP, either way, and against
//! itself: all octets arrive as they were sent, nobody resets, nobody waits longer than its timer allows.
//!
//! ```text
//! cargo test -p windlull-live --test interop                                            a few
//! cargo test -p windlull-live --test interop -- --count 200 --seed 1 --jobs 4           many
//! cargo test -p windlull-live --test interop -- --seed 1 --only 17                      one of them again, its packets printed
//! cargo test -p windlull-live --test interop -- --network ipv6                          a few over IPv6
//! ```
//!
//! Needs user namespaces, or root.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its output is its purpose")]

mod case;
mod watch;

use std::process::ExitCode;
use std::slice;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use case::{Case, Cases};
use sha2::{Digest, Sha256};
use watch::Watch;
use windlull_live::{Ending, Outcome};
use windlull_units::Network;
use windlull_wire::content::Content;

/// What is asked for. What `cargo test` passes to every test and means nothing here is passed over.
struct Arguments {
    count: usize,
    seed: u64,
    jobs: usize,
    only: Option<usize>,
    network: Network,
}

impl Arguments {
    fn read() -> Result<Self, String> {
        let mut arguments = Self {
            count: 6,
            seed: 1,
            jobs: 2,
            only: None,
            network: Network::Ipv4,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            if word == "--network" {
                let name = words.next().unwrap_or_default();
                let mut networks = Network::ALL.into_iter();
                let found = networks.find(|network| network.name() == name);
                arguments.network = found.ok_or(format!("--network {name}: it is ipv4 or ipv6"))?;
                continue;
            }
            let mut number = || -> Result<u64, String> {
                let value = words.next().ok_or(format!("{word} needs a number"))?;
                value.parse().map_err(|error| format!("{word} {value}: {error}"))
            };
            let place = |number: u64| usize::try_from(number).map_err(|error| error.to_string());
            match word.as_str() {
                "--count" => arguments.count = place(number()?)?,
                "--seed" => arguments.seed = number()?,
                "--jobs" => arguments.jobs = place(number()?)?.max(1),
                "--only" => arguments.only = Some(place(number()?)?),
                _ => {}
            }
        }
        Ok(arguments)
    }
}

/// What the runs add up to.
#[derive(Default)]
struct Sum {
    octets: u64,
    wrapped: usize,
    paused: usize,
    to_linux: usize,
    from_linux: usize,
    certified: usize,
    failures: Vec<String>,
}

fn main() -> ExitCode {
    if std::env::args().any(|word| word == "--list") {
        return ExitCode::SUCCESS;
    }
    let arguments = match Arguments::read() {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    // Before there is a second thread. If there is none to be had, every run says why.
    drop(windlull_netns::enter());
    let cases = Cases::load(arguments.seed, arguments.network);
    for why in &cases.not_here {
        println!("{why}");
    }
    let places = match arguments.only {
        Some(only) => vec![only],
        None => (0..arguments.count).collect(),
    };
    let began = Instant::now();
    let (next, sum) = (AtomicUsize::new(0), Mutex::new(Sum::default()));
    thread::scope(|scope| {
        for _ in 0..arguments.jobs.min(places.len()) {
            scope.spawn(|| {
                while let Some(&nth) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let case = cases.case(nth);
                    let verdict = run(&case, arguments.only.is_some());
                    sum.lock().expect("nobody panics with it").add(nth, &case, verdict);
                }
            });
        }
    });
    let sum = sum.into_inner().expect("nobody panics with it");
    for failure in &sum.failures {
        println!("{failure}");
    }
    println!(
        "interop: {} of {} transfers intact, without a reset or a stall ({} octets); {} ours to Linux, {} Linux to ours, {} across \
         the end of sequence numbers, {} with a shut window, {} with a valid certificate; {:.0} s; seed {}",
        places.len() - sum.failures.len(),
        places.len(),
        sum.octets,
        sum.to_linux,
        sum.from_linux,
        sum.wrapped,
        sum.paused,
        sum.certified,
        began.elapsed().as_secs_f64(),
        arguments.seed,
    );
    if sum.failures.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

impl Sum {
    fn add(&mut self, nth: usize, case: &Case, verdict: Result<Outcome, String>) {
        self.octets += case.transfer.size.get();
        self.wrapped += usize::from(case.isn.is_some());
        self.paused += usize::from(case.pause.is_some());
        self.to_linux += usize::from(case.is_to_linux());
        self.from_linux += usize::from(case.is_from_linux());
        match verdict {
            Ok(outcome) => self.certified += usize::from(outcome.certificate.valid),
            Err(why) => self.failures.push(format!("transfer {nth}: {case}: {why}")),
        }
    }
}

fn run(case: &Case, show: bool) -> Result<Outcome, String> {
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut watch = Watch::new(case, show);
    let outcome = windlull_live::run(&case.setup(), scratch.path(), slice::from_mut(&mut watch))
        .map_err(|error| error.to_string())?;
    let mut wrong = watch.complaints();
    if !matches!(outcome.ending, Ending::Closed { .. }) {
        wrong.push(outcome.ending.to_string());
    }
    wrong.extend(outcome.failures.iter().cloned());
    let received = &outcome.received[0];
    if received.octets != case.transfer.size.get() || received.sha256 != hash(case.transfer.size.get()) {
        wrong.push(format!("received {received:?}"));
    }
    let certificate = &outcome.certificate;
    for (what, count) in [
        ("capture drops", certificate.capture_drops),
        ("plane drops", certificate.plane_drops),
        ("host drops", certificate.host_drops),
        ("super-packets", certificate.super_packets),
        ("bad checksums", certificate.bad_checksums),
    ] {
        if count > 0 {
            wrong.push(format!("{count} {what}"));
        }
    }
    if wrong.is_empty() {
        Ok(outcome)
    } else {
        Err(wrong.join("; "))
    }
}

/// The hash of so many octets of the content.
fn hash(octets: u64) -> String {
    const PIECE: u64 = 1 << 16;
    let (mut hash, mut piece) = (Sha256::new(), Vec::new());
    for from in (0..octets).step_by(PIECE as usize) {
        piece.clear();
        let len = usize::try_from(PIECE.min(octets - from)).expect("a piece is small");
        Content::shared().copy_to(from, len, &mut piece);
        hash.update(&piece);
    }
    hash.finalize().iter().map(|octet| format!("{octet:02x}")).collect()
}
