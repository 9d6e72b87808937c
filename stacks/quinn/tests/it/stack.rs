//! The stack as the engine sees it: its name, options and secrets.

use windlull_quinn::Quinn;
use windlull_transport::{Answer, Frame, Role, Stack};

use crate::lab::{Lab, Setup, Verdict, downloaded};

#[test]
fn its_version_is_the_one_that_is_built() {
    let lock = include_str!("../../Cargo.lock");
    let (name, version) = {
        let version = Quinn.version();
        let (name, version) = version.split_once(' ').expect("a name and a version");
        (name.to_owned(), version.to_owned())
    };
    assert!(
        lock.contains(&format!("name = \"{name}\"\nversion = \"{version}\"\n")),
        "{name} {version}"
    );
    assert_eq!(Quinn.name(), "quinn");
}

#[test]
fn an_option_that_is_not_known_is_refused() {
    let setup = Setup {
        options: &[("pacing", "off")],
        ..Setup::default()
    };
    for role in Role::ALL {
        let broken = Quinn
            .begin(&setup.start(role))
            .err()
            .map(|broken| broken.0)
            .unwrap_or_default();
        assert!(broken.starts_with("quinn has no option `pacing`; it has "), "{broken}");
        for (name, _) in Quinn.options() {
            assert!(broken.contains(name), "{broken}");
        }
    }
}

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

#[test]
fn options_reach_quinn() {
    let (first, before, after) = around_a_loss(&[]);
    assert_eq!((first, after), (12_000, before * 7 / 10));
    let (first, before, after) = around_a_loss(&[("congestion", "newreno"), ("initial-window", "40000")]);
    assert_eq!((first, after), (40_000, before / 2));
    let (first, _, _) = around_a_loss(&[("congestion", "bbr")]);
    assert_eq!(first, 240_000);
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
fn both_ends_tell_the_same_secrets() {
    let mut lab = Lab::new();
    downloaded(&mut lab, 10_000);
    let [server, client] = Role::ALL.map(|role| {
        let mut lines: Vec<&str> = lab
            .answers(role)
            .filter_map(|(_, answer)| match answer {
                Answer::Secret(line) => Some(line.as_str()),
                _ => None,
            })
            .collect();
        lines.sort_unstable();
        lines
    });
    assert_eq!(server, client);
    let labels: Vec<&str> = client.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(
        labels,
        [
            "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
            "CLIENT_TRAFFIC_SECRET_0",
            "EXPORTER_SECRET",
            "SERVER_HANDSHAKE_TRAFFIC_SECRET",
            "SERVER_TRAFFIC_SECRET_0",
        ]
    );
    for line in client {
        // AES-256-GCM with SHA-384.
        let lengths: Vec<usize> = line.split(' ').skip(1).map(str::len).collect();
        assert_eq!(lengths, [64, 96], "{line}");
    }
}
