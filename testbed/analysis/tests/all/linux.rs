//! Captures of a real Linux sender (see `captures/README.md`): our counts are the kernel's, and tcptrace's.

use std::path::PathBuf;
use std::process::Command;

use windlull_analysis::{CaptureAnalysis, Ends, Files, Question, RunAnalysis, Selection, analyze};
use windlull_units::Host;

/// What the kernel counted over a connection.
struct Counters {
    name: &'static str,
    retransmitted: u64,
    timeouts: usize,
}

const RUNS: [Counters; 2] = [
    Counters {
        name: "linux-sack",
        retransmitted: 83,
        timeouts: 2,
    },
    Counters {
        name: "linux-newreno",
        retransmitted: 56,
        timeouts: 4,
    },
];

fn path(name: &str, end: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/captures/{name}.{end}.pcap"))
}

fn read(name: &str, ends: &[&str]) -> CaptureAnalysis {
    // Of both ends, the data packets tell.
    read_stated(name, ends, ends.len() == 1)
}

fn read_stated(name: &str, ends: &[&str], stated: bool) -> CaptureAnalysis {
    let files: Vec<Vec<u8>> = ends
        .iter()
        .map(|end| std::fs::read(path(name, end)).expect("it is there"))
        .collect();
    let mut readers: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
    let (first, second) = readers.split_at_mut(1);
    let files = Files {
        first: &mut first[0],
        second: second.first_mut().map(|file| file as &mut dyn std::io::Read),
        fates: None,
        events: None,
    };
    let question = Question {
        selection: Selection::MostData,
        // The answer of a host in the next namespace takes as long as the host itself: the handshake tells no end.
        first_taken_at: stated.then_some(if ends[0] == "sender" {
            Host::Server
        } else {
            Host::Client
        }),
    };
    analyze(files, question).expect("a capture")
}

/// `rexmt data pkts` of the connection's first direction.
fn tcptrace(name: &str, end: &str) -> u64 {
    let output = Command::new("tcptrace")
        .args(["-n", "-l"])
        .arg(path(name, end))
        .output()
        .expect("tcptrace is installed: `make test` does it");
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text
        .lines()
        .find(|line| line.trim_start().starts_with("rexmt data pkts:"));
    let count = line.and_then(|line| line.split_whitespace().nth(3)?.parse().ok());
    count.unwrap_or_else(|| panic!("no retransmissions in: {text}"))
}

/// The sum of the verdicts.
fn judged(analysis: &RunAnalysis) -> u64 {
    let counts = &analysis.retransmissions;
    counts.necessary
        + counts.unnecessary_delayed
        + counts.unnecessary_ack_lost
        + counts.unnecessary_other
        + counts.unknown
}

#[test]
fn retransmissions_and_timeouts_are_the_kernels() {
    for run in &RUNS {
        let both = read(run.name, &["sender", "receiver"]).analysis;
        assert_eq!(both.ends, Ends::Both, "{}", run.name);
        assert_eq!(both.metrics.retransmissions, run.retransmitted, "{}", run.name);
        assert_eq!(both.timeouts.len(), run.timeouts, "{}", run.name);
        assert_eq!(both.retransmissions.unknown, 0, "{}: {:?}", run.name, both.notes);
        assert_eq!(judged(&both), run.retransmitted, "{}", run.name);
        assert!(both.complete, "{}", run.name);
        let swapped = read(run.name, &["receiver", "sender"]).analysis;
        assert_eq!(swapped.metrics, both.metrics, "{}", run.name);
        assert_eq!(swapped.timeouts, both.timeouts, "{}", run.name);
    }
}

#[test]
fn one_end_alone_counts_the_same_and_leaves_the_verdicts_open() {
    for run in &RUNS {
        let sender = read(run.name, &["sender"]).analysis;
        assert_eq!(sender.ends, Ends::Sender, "{}", run.name);
        assert_eq!(sender.metrics.retransmissions, run.retransmitted, "{}", run.name);
        assert_eq!(sender.timeouts.len(), run.timeouts, "{}", run.name);
        assert_eq!(sender.retransmissions.unknown, run.retransmitted, "{}", run.name);
        let both = read(run.name, &["sender", "receiver"]).analysis;
        // What is inferred to be unnecessary is not more than what is.
        assert!(Some(sender.retransmissions.inferred_unnecessary) <= both.metrics.unnecessary_retransmissions);
        let receiver = read(run.name, &["receiver"]).analysis;
        assert_eq!(receiver.ends, Ends::Receiver, "{}", run.name);
        let unsaid = read_stated(run.name, &["receiver"], false).analysis.notes;
        assert!(
            unsaid.iter().any(|note| note.starts_with("Nothing tells at which end")),
            "{unsaid:?}"
        );
    }
}

#[test]
fn every_copy_that_was_not_lost_arrived_twice_if_it_was_unnecessary() {
    for run in &RUNS {
        let both = read(run.name, &["sender", "receiver"]).analysis.metrics;
        let receiver = read(run.name, &["receiver"]).analysis.metrics;
        // The receiver's end sees the second arrivals; those of the unnecessary ones that the link did not lose.
        assert!(
            receiver.retransmissions <= both.unnecessary_retransmissions.expect("known"),
            "{}",
            run.name
        );
        assert_eq!(
            both.segments_sent - both.packets_lost.expect("known"),
            receiver.segments_sent,
            "{}",
            run.name
        );
    }
}

#[test]
fn tcptrace_counts_as_we_do() {
    for run in &RUNS {
        for end in ["sender", "receiver"] {
            let ours = read(run.name, &[end]).analysis.metrics.retransmissions;
            assert_eq!(tcptrace(run.name, end), ours, "{} at the {end}", run.name);
        }
    }
}
