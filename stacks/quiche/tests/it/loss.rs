//! Datagrams that do not arrive, or late.

use std::collections::HashMap;
use std::sync::Mutex;

use windlull_transport::{LossTrigger, PacketLost, Role, Said, Space, StreamId};
use windlull_units::{Span, Time};

use crate::every_stack::{MEGABYTE, octets};
use crate::lab::{Lab, Setup, Verdict, download, downloaded};

/// A lab whose link drops these datagrams of the server.
fn dropping(options: &[(&str, &str)], numbers: &'static [usize]) -> Lab {
    let mut lab = Setup {
        options,
        ..Setup::default()
    }
    .lab();
    lab.link.verdict = Box::new(|passing| match passing.from {
        Role::Server if numbers.contains(&passing.number) => Verdict::Drop,
        _ => Verdict::Pass,
    });
    lab
}

#[test]
fn a_dropped_datagram_is_declared_lost_and_no_other_and_is_sent_again() {
    for congestion in ["cubic", "reno", "bbr2"] {
        let mut lab = dropping(&[("congestion", congestion)], &[60]);
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
            panic!("{congestion}: {lost:?}");
        };
        assert_eq!(*lost, expected);
        assert!(
            (Span::from_ms(50)..Span::from_ms(70)).contains(&(lost_at - *dropped_at)),
            "{lost_at}"
        );
        let (from, _) = octets(dropped).expect("it held a part of the stream");
        let (again_at, _) = lab
            .sent(Role::Server)
            .filter(|(_, packet)| packet.number > dropped.number)
            .find(|(_, packet)| octets(packet).is_some_and(|(start, _)| start == from))
            .expect("it is sent again");
        assert!(again_at >= lost_at);
        assert_eq!(lab.lost(Role::Client).count(), 0);
        assert_eq!(lab.probe_timeouts(Role::Server), []);
    }
}

/// What quiche says by `log` of packets that its detection for cubic and reno takes for lost: the connection and the packet.
struct Heard;

static HEARD: Mutex<Vec<(String, u64)>> = Mutex::new(Vec::new());

impl log::Log for Heard {
    fn enabled(&self, _metadata: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        if record.target() != "quiche::recovery::congestion::recovery" {
            return;
        }
        // `{trace_id} packet {number} lost on epoch {epoch}`
        let text = record.args().to_string();
        if let [id, "packet", number, "lost", ..] = text.split(' ').collect::<Vec<_>>()[..] {
            let number = number.parse().expect("it is a packet's number");
            HEARD
                .lock()
                .expect("no test panics within")
                .push((id.to_owned(), number));
        }
    }

    fn flush(&self) {}
}

#[test]
fn quiche_itself_names_the_same_packets() {
    // It does so where it traces what it does, which costs too much to be heard in runs, and only for cubic and reno.
    log::set_logger(&Heard).expect("no other test sets one");
    log::set_max_level(log::LevelFilter::Trace);
    let mut lab = Setup {
        seed: 77,
        ..Setup::default()
    }
    .lab();
    lab.link.rate = Some(2_000_000);
    // Losses alone and in rows, some of them of what was sent again, and a pause in which the probe timeout fires.
    lab.link.verdict = Box::new(|passing| match (passing.number % 131, passing.number % 17) {
        (100..108, _) | (_, 3) => Verdict::Drop,
        _ => Verdict::Pass,
    });
    lab.link.hold = Some((Time::ZERO + Span::from_ms(900), Time::ZERO + Span::from_ms(2_000)));
    downloaded(&mut lab, 2 * MEGABYTE);
    log::set_max_level(log::LevelFilter::Off);
    let told: Vec<u64> = lab.lost(Role::Server).map(|(_, lost)| lost.number).collect();
    // Other tests run meanwhile; a connection is known by its identifier.
    let mut of_each: HashMap<String, Vec<u64>> = HashMap::new();
    for (id, number) in HEARD.lock().expect("no test panics within").drain(..) {
        of_each.entry(id).or_default().push(number);
    }
    assert!(told.len() > 100, "{}", told.len());
    assert!(
        of_each.values().any(|heard| *heard == told),
        "{told:?} is not among {of_each:?}"
    );
}

#[test]
fn only_time_can_find_the_last_but_one_packet_lost() {
    // Two packets after all is quiet, the first of which is dropped: only one after it is acknowledged (RFC 9002, section 6.1.2).
    for congestion in ["cubic", "bbr2"] {
        let mut lab = Setup {
            options: &[("congestion", congestion)],
            ..Setup::default()
        }
        .lab();
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
        let first = lab
            .sent(Role::Server)
            .find(|(at, _)| *at == written)
            .map(|(_, sent)| sent.number);
        let lost: Vec<_> = lab.lost(Role::Server).filter(|(at, _)| *at > written).collect();
        let [(lost_at, lost)] = lost[..] else {
            panic!("{congestion}: {lost:?}");
        };
        assert_eq!(
            (Some(lost.number), lost.trigger),
            (first, Some(LossTrigger::TimeThreshold))
        );
        assert!(lost_at - written > Span::from_ms(55), "{lost_at} after {written}");
    }
}

#[test]
fn a_pause_makes_the_probe_timeout_fire_and_the_transfer_goes_on() {
    for congestion in ["cubic", "bbr2"] {
        let mut lab = Setup {
            options: &[("congestion", congestion)],
            ..Setup::default()
        }
        .lab();
        let (from, until) = (Time::ZERO + Span::from_ms(200), Time::ZERO + Span::from_ms(3_200));
        lab.link.hold = Some((from, until));
        downloaded(&mut lab, MEGABYTE);
        let fired = lab.probe_timeouts(Role::Server);
        assert!((3..8).contains(&fired.len()), "{fired:?}");
        assert!(fired.iter().all(|at| (from..until).contains(at)), "{fired:?}");
        // RFC 9002, section 6.2.1: each waits twice as long.
        let waits: Vec<Span> = fired.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(waits.windows(2).all(|pair| pair[1] > pair[0]), "{waits:?}");
        assert!(lab.now > until);
    }
}

#[test]
fn the_handshake_survives_the_loss_of_any_of_its_datagrams() {
    for victim in Role::ALL {
        for number in 0..6 {
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
fn a_path_that_is_narrower_than_the_probes_is_found_out() {
    let mut lab = Setup {
        options: &[("max-datagram", "1472"), ("mtu-discovery", "on")],
        ..Setup::default()
    }
    .lab();
    lab.link.verdict = Box::new(|passing| match passing.datagram.octets.len() <= 1_250 {
        true => Verdict::Pass,
        false => Verdict::Drop,
    });
    downloaded(&mut lab, MEGABYTE);
    let lost: Vec<PacketLost> = lab.lost(Role::Server).map(|(_, lost)| *lost).collect();
    // No congestion: RFC 9000, section 14.4.
    assert!(
        !lost.is_empty() && lost.iter().all(|lost| lost.is_mtu_probe),
        "{lost:?}"
    );
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
    assert!(
        lab.said(Role::Server)
            .any(|(_, said)| matches!(said, Said::ProbeTimeout { .. }))
    );
}
