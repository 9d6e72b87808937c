//! A transfer without loss, and what is told of it.

use std::collections::HashMap;

use windlull_transport::{Answer, CongestionState, Role, Said, Space};
use windlull_units::{Ecn, Span, Time};

use crate::every_stack::MEGABYTE;
use crate::lab::{Lab, Setup, Told, Verdict, downloaded};

#[test]
fn a_megabyte_arrives_and_both_ends_are_connected_once() {
    let mut lab = Lab::new();
    downloaded(&mut lab, MEGABYTE);
    for role in Role::ALL {
        let connected = lab.answers(role).filter(|(_, answer)| **answer == Answer::Connected);
        assert_eq!(connected.count(), 1);
        assert_eq!(lab.lost(role).count(), 0);
        assert_eq!(lab.closed(role), []);
    }
    // A round trip for the handshake, then slow start from ten packets: 13.5, 27, ... 864 KB take seven.
    assert!(lab.now > Time::ZERO + Span::from_ms(6 * 50), "{}", lab.now);
    assert!(lab.now < Time::ZERO + Span::from_ms(10 * 50), "{}", lab.now);
}

#[test]
fn the_packets_told_before_a_datagram_fill_it() {
    let mut lab = Lab::new();
    downloaded(&mut lab, MEGABYTE);
    for role in Role::ALL {
        let datagrams = lab.datagrams(role);
        assert!(
            datagrams.iter().any(|(_, _, packets)| packets.len() > 1),
            "{role:?} puts packets together"
        );
        for (at, datagram, packets) in datagrams {
            let told: usize = packets.iter().map(|packet| packet.length.map_or(0, usize::from)).sum();
            let length = datagram.octets.len();
            // Behind Initial packets quiche fills a datagram up with zeros that are in no packet.
            let is_filled_up = packets.iter().any(|packet| packet.space == Space::Initial) && length == 1_200;
            assert!(
                told == length || told < length && is_filled_up,
                "{role:?} at {at}: {length} {packets:?}"
            );
        }
    }
}

#[test]
fn what_one_end_sends_the_other_receives() {
    let mut lab = Lab::new();
    downloaded(&mut lab, MEGABYTE);
    lab.close(Role::Client);
    lab.finish();
    for (from, to) in [(Role::Server, Role::Client), (Role::Client, Role::Server)] {
        let mut received: HashMap<(Space, u64), _> = HashMap::new();
        for packet in lab.received(to) {
            let twice = received.insert((packet.space, packet.number), packet);
            assert_eq!(twice, None, "{to:?} took a packet twice");
        }
        for (_, packet) in lab.sent(from) {
            // The handshake's last packets may find their keys gone, and a closed end takes nothing.
            let Some(arrived) = received.remove(&(packet.space, packet.number)) else {
                let is_late = packet.space != Space::Data || lab.closed(to).len() == 1;
                assert!(is_late, "{to:?} never took {packet:?}");
                continue;
            };
            assert_eq!(arrived.frames, packet.frames);
            assert!(arrived.length.is_none() || arrived.length == packet.length);
        }
        assert!(received.is_empty(), "{to:?} took what nobody sent: {received:?}");
    }
}

#[test]
fn the_window_grows_in_slow_start_and_the_round_trip_is_the_links() {
    let mut lab = Lab::new();
    downloaded(&mut lab, MEGABYTE);
    let windows: Vec<u64> = lab
        .metrics(Role::Server)
        .filter_map(|(_, metrics)| metrics.congestion_window)
        .collect();
    assert_eq!(windows.first(), Some(&13_500));
    assert!(
        windows.windows(2).all(|pair| pair[0] < pair[1]),
        "only what changed is told: {windows:?}"
    );
    let latest: Vec<Span> = lab
        .metrics(Role::Server)
        .filter_map(|(_, metrics)| metrics.latest_rtt)
        .collect();
    assert_eq!(latest[0], Span::from_ms(50));
    assert!(lab.metrics(Role::Server).all(|(_, metrics)| metrics.ssthresh.is_none()));
    let states: Vec<_> = lab
        .said(Role::Server)
        .filter_map(|(_, said)| match said {
            Said::CongestionState(state) => Some(*state),
            _ => None,
        })
        .collect();
    assert_eq!(states, [CongestionState::SlowStart]);
}

#[test]
fn bbr_spreads_its_packets_unless_it_is_told_not_to() {
    let instants = |pacing| {
        let mut lab = Setup {
            options: &[("congestion", "bbr2"), ("pacing", pacing)],
            ..Setup::default()
        }
        .lab();
        downloaded(&mut lab, MEGABYTE);
        let mut instants: Vec<Time> = lab.datagrams(Role::Server).iter().map(|(at, _, _)| *at).collect();
        instants.dedup();
        let rates = lab.metrics(Role::Server).filter_map(|(_, metrics)| metrics.pacing_rate);
        assert!(rates.count() > 10);
        instants.len()
    };
    let (spread, bursts) = (instants("on"), instants("off"));
    // Acknowledgements come in bursts, as the link is as fast as may be.
    assert!(spread > 2 * bursts, "{spread} {bursts}");
}

#[test]
fn no_mark_is_sent_or_heard() {
    let mut lab = Lab::new();
    lab.link.verdict = Box::new(|_| Verdict::Mark);
    downloaded(&mut lab, MEGABYTE);
    assert!(
        lab.datagrams(Role::Server)
            .iter()
            .all(|(_, datagram, _)| datagram.ecn == Ecn::NotEct)
    );
    assert!(lab.metrics(Role::Server).all(|(_, metrics)| metrics.ssthresh.is_none()));
}

#[test]
fn an_end_that_is_not_recorded_sends_the_same_and_tells_less() {
    let run = |is_recorded| {
        let mut lab = Setup {
            is_recorded,
            options: &[("post-quantum", "off")],
            ..Setup::default()
        }
        .lab();
        lab.link.verdict = Box::new(|passing| match passing.from {
            Role::Server if passing.number == 60 => Verdict::Drop,
            _ => Verdict::Pass,
        });
        downloaded(&mut lab, MEGABYTE);
        lab
    };
    let (recorded, plain) = (run(true), run(false));
    let is_extra = |answer: &Answer| matches!(answer, Answer::Said(Said::CongestionState(_) | Said::Other { .. }));
    assert!(recorded.told.iter().any(|told| is_extra(&told.answer)));
    // Of the client, which sends no data, only what it sent and read is told.
    let is_of_sender = |answer: &Answer| {
        matches!(
            answer,
            Answer::Said(Said::PacketReceived(_) | Said::Metrics(_) | Said::PacketLost(_) | Said::ProbeTimeout { .. })
        )
    };
    let is_rest = |told: &Told| !is_extra(&told.answer) && (told.by == Role::Server || !is_of_sender(&told.answer));
    let rest: Vec<_> = recorded.told.iter().filter(|told| is_rest(told)).collect();
    let plain: Vec<_> = plain.told.iter().collect();
    let difference = rest.iter().zip(&plain).find(|(one, other)| one != other);
    assert_eq!(difference, None);
    assert_eq!(rest.len(), plain.len());
}
