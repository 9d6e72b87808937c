//! The stack as the engine sees it: its options, tokens and secrets.

use windlull_transport::{Answer, Frame, Role};

use crate::lab::{Lab, Setup, Verdict, downloaded};
use crate::{BBR, BBR_WINDOW, UNTOLD_GROWTH};

/// The windows before and after the first loss of a transfer.
fn around_a_loss(options: &[(&str, &str)]) -> (u64, u64, u64) {
    let mut lab = Setup {
        options,
        ..Setup::default()
    }
    .lab();
    lab.link.verdict = Box::new(|passing| match passing.from {
        Role::Server if passing.number == 60 => Verdict::Drop,
        _ => Verdict::Pass,
    });
    downloaded(&mut lab, 1_000_000);
    let windows: Vec<u64> = lab
        .metrics(Role::Server)
        .filter_map(|(_, metrics)| metrics.congestion_window)
        .collect();
    let fall = windows
        .windows(2)
        .find(|pair| pair[1] < pair[0])
        .map_or((0, 0), |pair| (pair[0], pair[1]));
    (windows[0], fall.0, fall.1)
}

/// Whether a window fell to this, or to what it is with growth before the fall that was not told.
fn fell_to(window: u64, expected: u64) -> bool {
    (expected..=expected + UNTOLD_GROWTH).contains(&window)
}

#[test]
fn options_reach_the_stack() {
    let (first, before, after) = around_a_loss(&[]);
    assert_eq!(first, 12_000);
    assert!(fell_to(after, before * 7 / 10), "{after} after {before}");
    let (first, before, after) = around_a_loss(&[("congestion", "newreno"), ("initial-window", "40000")]);
    assert_eq!(first, 40_000);
    assert!(fell_to(after, before / 2), "{after} after {before}");
    let (first, _, _) = around_a_loss(&[("congestion", BBR)]);
    assert_eq!(first, BBR_WINDOW);
}

#[test]
fn a_longer_threshold_finds_the_loss_later() {
    let found = |packets: &str| {
        let mut lab = Setup {
            options: &[("packet-threshold", packets), ("time-threshold", "100")],
            ..Setup::default()
        }
        .lab();
        lab.link.rate = Some(1_000_000);
        lab.link.verdict = Box::new(|passing| match passing.from {
            Role::Server if passing.number == 60 => Verdict::Drop,
            _ => Verdict::Pass,
        });
        downloaded(&mut lab, 1_000_000);
        let found = lab.lost(Role::Server).map(|(at, _)| at).next();
        found.expect("it is found lost")
    };
    assert!(found("3") < found("20"));
}

#[test]
fn an_acknowledgement_frequency_thins_acknowledgements_out() {
    let acknowledgements = |options: &[(&str, &str)]| {
        let mut lab = Setup {
            options,
            ..Setup::default()
        }
        .lab();
        lab.link.rate = Some(5_000_000);
        downloaded(&mut lab, 1_000_000);
        lab.datagrams(Role::Client).len()
    };
    let (usual, thin) = (acknowledgements(&[]), acknowledgements(&[("ack-frequency", "9")]));
    assert!(thin * 3 < usual, "{thin} of {usual}");
}

#[test]
fn the_server_hands_out_tokens_as_quinn_does_by_default() {
    let mut lab = Lab::new();
    downloaded(&mut lab, 10_000);
    let frames = lab.sent(Role::Server).flat_map(|(_, packet)| &packet.frames);
    assert_eq!(frames.filter(|frame| **frame == Frame::Other("new_token")).count(), 2);
}

#[test]
fn secrets_are_those_of_sha_384() {
    let mut lab = Lab::new();
    downloaded(&mut lab, 10_000);
    let lines = lab.answers(Role::Client).filter_map(|(_, answer)| match answer {
        Answer::Secret(line) => Some(line),
        _ => None,
    });
    for line in lines {
        // AES-256-GCM with SHA-384.
        let lengths: Vec<usize> = line.split(' ').skip(1).map(str::len).collect();
        assert_eq!(lengths, [64, 96], "{line}");
    }
}
