//! Datagrams that do not arrive, or late.

use std::cell::RefCell;
use std::rc::Rc;

use windlull_transport::{LossTrigger, PacketLost, Role, Space, StreamId};
use windlull_units::{Span, Time};

use crate::TRIGGER_OF_TIME;
use crate::every_stack::{MEGABYTE, octets};
use crate::lab::{Lab, Setup, Verdict, download, downloaded};

/// A lab whose link drops these datagrams of the server.
fn dropping(numbers: &'static [usize]) -> Lab {
    let mut lab = Lab::new();
    lab.link.verdict = Box::new(|passing| match passing.from {
        Role::Server if numbers.contains(&passing.number) => Verdict::Drop,
        _ => Verdict::Pass,
    });
    lab
}

#[test]
fn a_dropped_datagram_is_declared_lost_and_no_other_and_is_sent_again() {
    let mut lab = dropping(&[60]);
    downloaded(&mut lab, MEGABYTE);
    let datagrams = lab.datagrams(Role::Server);
    let (dropped_at, _, dropped) = &datagrams[60];
    let [dropped] = dropped[..] else {
        panic!("{dropped:?}");
    };
    let lost: Vec<_> = lab.lost(Role::Server).collect();
    let expected = PacketLost {
        space: Space::Data,
        number: dropped.number,
        trigger: Some(LossTrigger::PacketThreshold),
        is_mtu_probe: false,
    };
    let [(lost_at, lost)] = lost[..] else {
        panic!("{lost:?}");
    };
    assert_eq!(*lost, expected);
    // Later packets of the same flight tell of it after a round trip.
    assert!(
        (Span::from_ms(50)..Span::from_ms(60)).contains(&(lost_at - *dropped_at)),
        "{lost_at}"
    );
    let (from, until) = octets(dropped).expect("it held a part of the stream");
    let (again_at, again) = lab
        .sent(Role::Server)
        .filter(|(_, packet)| packet.number > dropped.number)
        .find(|(_, packet)| octets(packet).is_some_and(|(start, _)| start == from))
        .expect("it is sent again");
    assert!(again_at >= lost_at);
    assert_eq!(octets(again), Some((from, until)));
    // The window falls once, by Cubic's factor, and the client saw nothing lost.
    let thresholds: Vec<_> = lab
        .metrics(Role::Server)
        .filter_map(|(_, metrics)| metrics.ssthresh)
        .collect();
    assert_eq!(thresholds.len(), 1);
    assert_eq!(lab.lost(Role::Client).count(), 0);
    assert_eq!(lab.probe_timeouts(Role::Server), []);
}

#[test]
fn a_loss_that_time_alone_finds_is_told_with_its_trigger() {
    // Two packets after all is quiet, the first of which is dropped: only one after it is acknowledged, so that time alone can
    // find it lost (RFC 9002, section 6.1.2).
    let mut lab = Lab::new();
    downloaded(&mut lab, MEGABYTE);
    let written = Time::ZERO + Span::from_secs(5);
    lab.wait(written);
    let mut is_first = true;
    lab.link.verdict = Box::new(move |passing| match passing.from {
        Role::Server if std::mem::take(&mut is_first) => Verdict::Drop,
        _ => Verdict::Pass,
    });
    let stream = StreamId::one_way(Role::Server, 1);
    lab.write(Role::Server, stream, 2_000, true);
    lab.until(|lab| lab.read(Role::Client, stream).1);
    let burst: Vec<u64> = lab
        .sent(Role::Server)
        .filter(|(at, _)| *at == written)
        .map(|(_, sent)| sent.number)
        .collect();
    assert_eq!(burst.len(), 2);
    let lost: Vec<_> = lab.lost(Role::Server).collect();
    let [(lost_at, lost)] = lost[..] else {
        panic!("{lost:?}");
    };
    assert_eq!((lost.number, lost.trigger), (burst[0], Some(TRIGGER_OF_TIME)));
    // Nothing else was sent before it was declared lost, a ninth of a round trip after the acknowledgement at the soonest.
    assert!(lab.sent(Role::Server).all(|(at, _)| at <= written || at >= lost_at));
    assert!(lost_at - written > Span::from_ms(55), "{lost_at} after {written}");
}

#[test]
fn a_pause_makes_the_probe_timeout_fire_and_the_transfer_goes_on() {
    let mut lab = Lab::new();
    let (from, until) = (Time::ZERO + Span::from_ms(200), Time::ZERO + Span::from_ms(3_200));
    lab.link.hold = Some((from, until));
    downloaded(&mut lab, MEGABYTE);
    let fired = lab.probe_timeouts(Role::Server);
    assert!((3..8).contains(&fired.len()), "{fired:?}");
    assert!(fired.iter().all(|at| (from..until).contains(at)), "{fired:?}");
    // RFC 9002, section 6.2.1: each waits twice as long.
    let waits: Vec<Span> = fired.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(waits.windows(2).all(|pair| pair[1] > pair[0]), "{waits:?}");
    let counts: Vec<u32> = lab
        .metrics(Role::Server)
        .filter_map(|(_, metrics)| metrics.pto_count)
        .collect();
    let mut expected: Vec<u32> = (0..=u32::try_from(fired.len()).expect("there are few")).collect();
    expected.push(0);
    assert_eq!(counts, expected);
    assert!(lab.now > until);
    // Each probe is at most two packets, sent at the timeout.
    for at in fired {
        let probes = lab.sent(Role::Server).filter(|(sent, _)| *sent == at).count();
        assert!((1..=2).contains(&probes), "{probes} at {at}");
    }
}

#[test]
fn the_handshake_survives_the_loss_of_any_of_its_datagrams() {
    for victim in Role::ALL {
        for number in 0..4 {
            let mut lab = Lab::new();
            lab.link.verdict = Box::new(
                move |passing| match passing.from == victim && passing.number == number {
                    true => Verdict::Drop,
                    false => Verdict::Pass,
                },
            );
            downloaded(&mut lab, 20_000);
        }
    }
}

#[test]
fn a_path_that_is_narrower_than_the_probes_is_found_out_and_told() {
    let probes = Rc::new(RefCell::new(0));
    let counted = Rc::clone(&probes);
    let mut lab = Lab::new();
    lab.link.verdict = Box::new(move |passing| {
        if passing.datagram.octets.len() <= 1_250 {
            return Verdict::Pass;
        }
        if passing.from == Role::Server {
            *counted.borrow_mut() += 1;
        }
        Verdict::Drop
    });
    downloaded(&mut lab, MEGABYTE);
    let probes = *probes.borrow();
    assert!(probes >= 3, "{probes}");
    let lost: Vec<PacketLost> = lab.lost(Role::Server).map(|(_, lost)| *lost).collect();
    let sent: Vec<u64> = lab
        .datagrams(Role::Server)
        .iter()
        .filter(|(_, datagram, _)| datagram.octets.len() > 1_250)
        .map(|(_, _, packets)| packets[0].number)
        .collect();
    // All but perhaps the last, which may be under way.
    assert!(lost.len() + 1 >= probes, "{lost:?} of {probes}");
    for (lost, number) in lost.iter().zip(sent) {
        let expected = PacketLost {
            space: Space::Data,
            number,
            trigger: None,
            is_mtu_probe: true,
        };
        assert_eq!(*lost, expected);
    }
    // No congestion: RFC 9000, section 14.4.
    assert!(lab.metrics(Role::Server).all(|(_, metrics)| metrics.ssthresh.is_none()));
}

#[test]
fn a_dead_path_ends_the_connection_after_the_idle_timeout() {
    let mut lab = Setup {
        options: &[("max-idle-ms", "5000")],
        ..Setup::default()
    }
    .lab();
    let dead = Time::ZERO + Span::from_ms(200);
    lab.link.verdict = Box::new(move |passing| match passing.at < dead {
        true => Verdict::Pass,
        false => Verdict::Drop,
    });
    download(&mut lab, MEGABYTE);
    lab.finish();
    for role in Role::ALL {
        assert_eq!(lab.closed(role), [Some("timed out")]);
    }
    assert!(
        (Time::ZERO + Span::from_secs(5)..Time::ZERO + Span::from_secs(12)).contains(&lab.now),
        "{}",
        lab.now
    );
}
