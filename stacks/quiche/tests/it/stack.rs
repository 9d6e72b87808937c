//! The stack as the engine sees it: its options, and what its servers take.

use windlull_quiche::Quiche;
use windlull_transport::{Answers, Role, Stack};
use windlull_units::Time;

use crate::lab::{Setup, Verdict, downloaded};

/// The windows at the start, and before and after the first loss of a transfer.
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
fn options_reach_quiche() {
    let (first, before, after) = around_a_loss(&[]);
    // quiche computes it in floating point, and cuts.
    assert_eq!((first, after), (13_500, before * 7 / 10 - 1));
    let (first, before, after) = around_a_loss(&[("congestion", "reno"), ("initial-window-packets", "32")]);
    assert_eq!((first, after), (32 * 1_350, before / 2));
    let (first, _, _) = around_a_loss(&[("congestion", "bbr2"), ("max-datagram", "1200")]);
    assert_eq!(first, 12_000);
}

#[test]
fn datagrams_are_as_large_as_the_option_lets_them_and_grow_by_probes_if_asked_for() {
    let largest = |options: &[(&str, &str)]| {
        let mut lab = Setup {
            options,
            ..Setup::default()
        }
        .lab();
        downloaded(&mut lab, 300_000);
        let sizes = lab.datagrams(Role::Server);
        let sizes: Vec<usize> = sizes.iter().map(|(_, datagram, _)| datagram.octets.len()).collect();
        (sizes.iter().take(8).max().copied(), sizes.iter().max().copied())
    };
    assert_eq!(largest(&[]), (Some(1_350), Some(1_350)));
    assert_eq!(largest(&[("max-datagram", "1472")]), (Some(1_472), Some(1_472)));
    let (_, grown) = largest(&[("max-datagram", "1472"), ("mtu-discovery", "on")]);
    assert_eq!(grown, Some(1_472));
}

#[test]
fn what_is_no_first_packet_begins_nothing() {
    let mut server = Quiche
        .begin(&Setup::default().start(Role::Server))
        .expect("no option is set");
    for octets in [&[0x40; 1_200][..], &[0xc3; 1_200][..], &[0xc0][..], &[][..]] {
        let mut answers = Answers::default();
        let answered = server.datagram(Time::ZERO, octets, windlull_units::Ecn::NotEct, &mut answers);
        assert_eq!(answered, Ok(()));
        assert!(answers.wake.is_none(), "{octets:?}");
    }
}
