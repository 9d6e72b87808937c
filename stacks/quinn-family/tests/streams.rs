//! What applications write and read.

use windlull_transport::{Answer, Frame, Role, StreamId};
use windlull_units::{Span, Time};

use crate::APART;
use crate::every_stack::request;
use crate::lab::{Lab, Setup, downloaded};

#[test]
fn more_streams_than_the_peer_lets_wait_for_their_turn() {
    // quinn lets a peer have 100 of a kind open.
    let mut lab = Lab::new();
    lab.reply = Some(1_000);
    for number in 0..250 {
        lab.write(Role::Client, request(number), 100, true);
    }
    lab.connect();
    lab.until(|lab| lab.read(Role::Client, request(0)).1);
    let opened = |lab: &Lab| {
        lab.sent(Role::Client)
            .flat_map(|(_, packet)| &packet.frames)
            .filter_map(|frame| match frame {
                Frame::Stream { id, .. } => Some(id >> 2),
                _ => None,
            })
            .max()
    };
    assert_eq!(opened(&lab), Some(99));
    lab.until(|lab| (0..250).all(|number| lab.read(Role::Client, request(number)).1));
    assert_eq!(lab.octets_read, 250 * 1_100);
}

#[test]
fn what_is_written_before_the_handshake_is_sent_after_it() {
    let mut lab = Lab::new();
    let (up, down) = (StreamId::one_way(Role::Client, 0), StreamId::one_way(Role::Server, 0));
    lab.write(Role::Client, up, 4_000, false);
    lab.write(Role::Server, down, 5_000, true);
    assert!(lab.told.is_empty(), "{:?}", lab.told);
    lab.connect();
    lab.write(Role::Client, up, 600, true);
    lab.until(|lab| lab.read(Role::Server, up).1 && lab.read(Role::Client, down).1);
    assert_eq!(lab.read(Role::Server, up), (4_600, true));
    assert_eq!(lab.read(Role::Client, down), (5_000, true));
    for role in Role::ALL {
        let connected = lab
            .told
            .iter()
            .position(|told| told.by == role && told.answer == Answer::Connected);
        let first = lab.told.iter().position(|told| match &told.answer {
            Answer::Said(windlull_transport::Said::PacketSent(packet)) => {
                told.by == role && packet.frames.iter().any(|frame| matches!(frame, Frame::Stream { .. }))
            }
            _ => false,
        });
        assert!(
            connected.is_some() && connected < first,
            "{role:?}: {connected:?} {first:?}"
        );
    }
}

#[test]
fn a_stream_is_opened_with_those_below_it() {
    let mut lab = Lab::new();
    lab.write(Role::Client, StreamId::one_way(Role::Client, 2), 10, true);
    lab.connect();
    lab.until(|lab| lab.read(Role::Server, StreamId::one_way(Role::Client, 2)).1);
    lab.write(Role::Client, StreamId::one_way(Role::Client, 0), 20, true);
    lab.until(|lab| lab.read(Role::Server, StreamId::one_way(Role::Client, 0)) == (20, true));
}

#[test]
fn streams_that_are_written_side_by_side_advance_together() {
    // A small send window, so that what quinn was given does not hide it.
    let mut lab = Setup {
        options: &[("send-window", "65536")],
        ..Setup::default()
    }
    .lab();
    let streams = [0, 1, 2].map(|number| StreamId::one_way(Role::Server, number));
    for stream in streams {
        lab.write(Role::Server, stream, 400_000, true);
    }
    lab.connect();
    lab.until(|lab| lab.read(Role::Client, streams[0]).0 > 200_000);
    for stream in streams {
        let read = lab.read(Role::Client, stream).0;
        assert!(
            (200_000 - APART..=200_000 + APART).contains(&read),
            "stream {} stands at {read}",
            stream.0
        );
    }
    lab.until(|lab| {
        streams
            .iter()
            .all(|&stream| lab.read(Role::Client, stream) == (400_000, true))
    });
}

#[test]
fn a_send_window_bounds_what_is_in_flight() {
    let mut lab = Setup {
        options: &[("send-window", "30000")],
        ..Setup::default()
    }
    .lab();
    downloaded(&mut lab, 1_000_000);
    let most = lab
        .metrics(Role::Server)
        .filter_map(|(_, metrics)| metrics.bytes_in_flight)
        .max();
    // The packets' headers come on top.
    assert!(most.is_some_and(|most| (28_000..33_000).contains(&most)), "{most:?}");
}

#[test]
fn a_small_send_window_is_freed_by_small_pieces() {
    // Twice what the link holds, so that the link never idles if what is acknowledged is freed at once. If it were freed only
    // when all of it is, each 60 KB would take a round trip on top of their 100 ms, and the transfer half as long again.
    let mut lab = Setup {
        options: &[("send-window", "60000")],
        ..Setup::default()
    }
    .lab();
    lab.link.rate = Some(600_000);
    downloaded(&mut lab, 1_000_000);
    let least = Span::from_ms(1_667);
    let took = lab.now - Time::ZERO;
    assert!((least..least + Span::from_ms(400)).contains(&took), "{took}");
}
