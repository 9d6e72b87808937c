//! What applications write and read.

use windlull_transport::{Answer, Frame, Role, Said, StreamId};
use windlull_units::{Span, Time};

use crate::every_stack::request;
use crate::lab::{Lab, Setup, downloaded};

#[test]
fn more_streams_than_the_peer_lets_wait_for_their_turn() {
    // quiche's applications let a peer have 100 of a kind open.
    let mut lab = Lab::new();
    lab.reply = Some(1_000);
    for number in 0..250 {
        lab.write(Role::Client, request(number), 100, true);
    }
    lab.connect();
    lab.until(|lab| lab.read(Role::Client, request(0)).1);
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
            Answer::Said(Said::PacketSent(packet)) => {
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
fn streams_that_are_written_side_by_side_advance_together() {
    let mut lab = Lab::new();
    let streams = [0, 1, 2].map(|number| StreamId::one_way(Role::Server, number));
    for stream in streams {
        lab.write(Role::Server, stream, 400_000, true);
    }
    lab.link.rate = Some(1_000_000);
    lab.connect();
    lab.until(|lab| lab.read(Role::Client, streams[0]).0 > 200_000);
    for stream in streams {
        let read = lab.read(Role::Client, stream).0;
        assert!(
            (150_000..=250_000).contains(&read),
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
fn a_receive_window_bounds_what_is_sent_and_grows() {
    let last = |options: &[(&str, &str)]| {
        let mut lab = Setup {
            options,
            ..Setup::default()
        }
        .lab();
        downloaded(&mut lab, 1_000_000);
        lab.now
    };
    let small = [
        ("stream-receive-window", "50000"),
        ("max-stream-receive-window", "50000"),
    ];
    assert!(last(&small) > last(&[("stream-receive-window", "50000")]));
    // At most 50 KB in a round trip of 50 ms.
    assert!(last(&small) > Time::ZERO + Span::from_ms(950), "{}", last(&small));
}
