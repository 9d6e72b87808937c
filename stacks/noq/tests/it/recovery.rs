//! What noq tells of recovery that quinn does not.

use windlull_transport::{Answer, CongestionState, Metrics, Role, Said};
use windlull_units::{Span, Time};

use crate::BBR;
use crate::every_stack::{MEGABYTE, overtaken};
use crate::family::seeds::run;
use crate::lab::{Lab, Setup, downloaded};

#[test]
fn a_probe_timeout_is_told_before_what_it_sends() {
    let mut lab = Lab::new();
    lab.link.hold = Some((Time::ZERO + Span::from_ms(200), Time::ZERO + Span::from_ms(1_500)));
    downloaded(&mut lab, MEGABYTE);
    let fired = lab.probe_timeouts(Role::Server);
    assert!(!fired.is_empty());
    for at in fired {
        // The packet that was lost by then is told before, and all that is sent behind it.
        let now = lab.answers(Role::Server).filter(|(when, _)| *when == at);
        let first = now.map(|(_, answer)| answer).find(|answer| {
            matches!(
                answer,
                Answer::Said(Said::ProbeTimeout { .. } | Said::PacketSent(_)) | Answer::Send(_)
            )
        });
        assert_eq!(
            first,
            Some(&Answer::Said(Said::ProbeTimeout { space: None })),
            "at {at}"
        );
    }
}

#[test]
fn a_window_is_restored_when_what_was_lost_arrives() {
    let lab = overtaken();
    let restored = lab.said(Role::Server).filter(|(_, said)| **said == Said::SpuriousLoss);
    assert_eq!(restored.count(), 1);
    let states: Vec<_> = lab
        .said(Role::Server)
        .filter_map(|(_, said)| match said {
            Said::CongestionState(state) => Some(*state),
            _ => None,
        })
        .collect();
    let expected = [
        CongestionState::SlowStart,
        CongestionState::Recovery,
        CongestionState::SlowStart,
    ];
    assert_eq!(states, expected);
}

#[test]
fn bbrs_pacing_rate_is_told_in_bits() {
    // The link carries 16 million bits each second; a rate in bytes would be far below, twice converted far above.
    let lab = run(3, &[("congestion", BBR)]);
    let rates: Vec<u64> = lab
        .metrics(Role::Server)
        .filter_map(|(_, Metrics { pacing_rate, .. })| *pacing_rate)
        .collect();
    let last = rates.last().copied().unwrap_or_default();
    assert!((8_000_000..32_000_000).contains(&last), "{last}");
}

#[test]
fn bbr_draws_from_the_seed() {
    // Six seconds, as BBR probes for bandwidth after two to three, which it draws.
    let sent = |seed| {
        let mut lab = Setup {
            seed,
            options: &[("congestion", BBR)],
            ..Setup::default()
        }
        .lab();
        lab.link.rate = Some(500_000);
        downloaded(&mut lab, 3 * MEGABYTE);
        lab.sent(Role::Server).map(|(at, _)| at).collect::<Vec<_>>()
    };
    assert_eq!(sent(3), sent(3));
    assert_ne!(sent(3), sent(4));
}
