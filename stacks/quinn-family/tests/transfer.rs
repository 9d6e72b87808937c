//! A transfer without loss, and what is told of it.

use std::collections::HashMap;

use windlull_transport::{Answer, CongestionState, Frame, PacketSent, Role, Said, Space};
use windlull_units::{Ecn, Span, Time};

use crate::every_stack::MEGABYTE;
use crate::lab::{Lab, Setup, Told, Verdict, downloaded};

/// Where the server's congestion control stood, in order.
fn states(lab: &Lab) -> Vec<CongestionState> {
    let states = lab.said(Role::Server).filter_map(|(_, said)| match said {
        Said::CongestionState(state) => Some(*state),
        _ => None,
    });
    states.collect()
}

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
    // A round trip for the handshake, then slow start from ten packets: 12, 24, ... 768 KB take seven.
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
            assert_eq!(datagram.octets.len(), told, "{role:?} at {at}: {packets:?}");
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
            assert_eq!((&arrived.frames, arrived.length), (&packet.frames, packet.length));
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
    assert_eq!(windows.first(), Some(&12_000));
    assert!(
        windows.windows(2).all(|pair| pair[0] < pair[1]),
        "only what changed is told: {windows:?}"
    );
    // Every octet that was acknowledged by now was added to it.
    assert!(windows.last().is_some_and(|&last| last > 500_000), "{windows:?}");
    let latest: Vec<Span> = lab
        .metrics(Role::Server)
        .filter_map(|(_, metrics)| metrics.latest_rtt)
        .collect();
    // quinn begins with what it assumes.
    assert_eq!(latest[..2], [Span::from_ms(333), Span::from_ms(50)]);
    assert!(lab.metrics(Role::Server).all(|(_, metrics)| metrics.ssthresh.is_none()));
    assert_eq!(states(&lab), [CongestionState::SlowStart]);
}

#[test]
fn what_is_in_flight_is_what_was_sent_and_not_acknowledged() {
    let mut lab = Lab::new();
    downloaded(&mut lab, MEGABYTE);
    // From the first stream data until something arrives that may acknowledge it, what is sent adds to it. (quinn writes no line
    // of its qlog after a probe of the MTU, so that the next one has both.)
    let has_stream = |packet: &PacketSent| packet.frames.iter().any(|frame| matches!(frame, Frame::Stream { .. }));
    let (first, _) = lab
        .sent(Role::Server)
        .find(|(_, packet)| has_stream(packet))
        .expect("a megabyte was sent");
    let (mut in_flight, mut sent, mut compared) = (0, 0, 0);
    let told = lab.said(Role::Server);
    for (at, said) in told.take_while(|(at, said)| *at <= first || !matches!(said, Said::PacketReceived(_))) {
        match said {
            Said::PacketSent(packet) if at >= first && packet.frames.iter().any(Frame::is_ack_eliciting) => {
                sent += u64::from(packet.length.expect("quinn's packets have a length"));
            }
            Said::Metrics(metrics) => {
                if let Some(told) = metrics.bytes_in_flight {
                    if sent > 0 {
                        assert_eq!(told, in_flight + sent, "at {at}");
                        compared += 1;
                    }
                    (in_flight, sent) = (told, 0);
                }
            }
            _ => {}
        }
    }
    assert!(compared >= 5, "{compared}");
}

#[test]
fn a_congestion_mark_is_heard_and_the_window_falls() {
    let mut lab = Lab::new();
    lab.link.verdict = Box::new(|passing| match passing.from {
        Role::Server if passing.number == 60 => Verdict::Mark,
        _ => Verdict::Pass,
    });
    downloaded(&mut lab, MEGABYTE);
    for role in Role::ALL {
        let marked = lab
            .datagrams(role)
            .iter()
            .filter(|(_, datagram, _)| datagram.ecn == Ecn::Ect0)
            .count();
        // Both keep ECN on, as both hear their counts acknowledged.
        assert_eq!(marked, lab.datagrams(role).len(), "{role:?}");
        assert_eq!(lab.lost(role).count(), 0);
    }
    let windows: Vec<u64> = lab
        .metrics(Role::Server)
        .filter_map(|(_, metrics)| metrics.congestion_window)
        .collect();
    let falls: Vec<_> = windows.windows(2).filter(|pair| pair[1] < pair[0]).collect();
    assert_eq!(falls.len(), 1, "{falls:?}");
    // RFC 9438, section 4.6: to 0.7 of it, and of what the same acknowledgement had added.
    let least = falls[0][0] * 7 / 10;
    assert!((least..least + 2 * 1_452).contains(&falls[0][1]), "{falls:?}");
    let expected = [
        CongestionState::SlowStart,
        CongestionState::Recovery,
        CongestionState::CongestionAvoidance,
    ];
    assert_eq!(states(&lab), expected);
}

#[test]
fn an_end_that_is_not_recorded_sends_the_same_and_tells_less() {
    let run = |is_recorded| {
        let mut lab = Setup {
            is_recorded,
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
    let is_extra = |answer: &Answer| matches!(answer, Answer::Said(Said::CongestionState(_)));
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
    assert!(rest == plain.told.iter().collect::<Vec<_>>(), "the rest differs");
}
