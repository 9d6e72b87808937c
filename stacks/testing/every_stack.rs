//! What every stack must do, whatever it is: each adapter's tests include this file beside the laboratory, and say at their root,
//! besides `STACK`, its `NAME` and the text of its `LOCK` file.

use std::collections::BTreeMap;

use windlull_transport::{Answer, Answers, Frame, PacketSent, Role, Space, StreamId, Write};
use windlull_units::{Span, Time};

use crate::lab::{Lab, Setup, Verdict, downloaded};
use crate::{LOCK, NAME, STACK};

pub(crate) const MEGABYTE: u64 = 1_000_000;

/// The octets of the stream that a packet holds.
pub(crate) fn octets(packet: &PacketSent) -> Option<(u64, u64)> {
    packet.frames.iter().find_map(|frame| match *frame {
        Frame::Stream { offset, length, .. } => Some((offset, offset + length)),
        _ => None,
    })
}

#[test]
fn a_copy_of_a_datagram_is_not_taken_again() {
    let mut lab = Lab::new();
    lab.link.verdict = Box::new(|passing| match passing.number == 60 {
        true => Verdict::Copy,
        false => Verdict::Pass,
    });
    downloaded(&mut lab, MEGABYTE);
    for (from, to) in [(Role::Server, Role::Client), (Role::Client, Role::Server)] {
        let copied = lab.datagrams(from)[60].2[0];
        let taken = lab
            .received(to)
            .filter(|packet| (packet.space, packet.number) == (Space::Data, copied.number));
        assert_eq!(taken.count(), 1);
    }
}

/// A megabyte down, of which one datagram is overtaken.
pub(crate) fn overtaken() -> Lab {
    let mut lab = Lab::new();
    lab.link.verdict = Box::new(|passing| match passing.from {
        Role::Server if passing.number == 60 => Verdict::Late(Span::from_ms(30)),
        _ => Verdict::Pass,
    });
    downloaded(&mut lab, MEGABYTE);
    lab
}

#[test]
fn a_datagram_that_is_overtaken_is_declared_lost_and_taken_all_the_same() {
    let lab = overtaken();
    let late = lab.datagrams(Role::Server)[60].2[0];
    let lost: Vec<_> = lab.lost(Role::Server).map(|(_, lost)| lost.number).collect();
    assert_eq!(lost, [late.number]);
    let mut taken = lab.received(Role::Client);
    assert!(taken.any(|packet| (packet.space, packet.number) == (Space::Data, late.number)));
}

#[test]
fn what_is_asked_out_of_order_is_refused() {
    for role in Role::ALL {
        let mut end = STACK.begin(&Setup::default().start(role)).expect("no option is set");
        let answers = &mut Answers::default();
        assert_eq!(end.connect(Time::ZERO, answers).is_ok(), role == Role::Client);
        assert!(end.connect(Time::ZERO, answers).is_err(), "{role:?} connects twice");
        let write = |stream, length, ends| Write { stream, length, ends };
        assert!(
            end.write(Time::ZERO, write(StreamId::one_way(role.peer(), 0), 1, true), answers)
                .is_err()
        );
        let own = StreamId::one_way(role, 0);
        assert!(end.write(Time::ZERO, write(own, 1, true), answers).is_ok());
        let broken = end
            .write(Time::ZERO, write(own, 1, true), answers)
            .err()
            .map(|broken| broken.0);
        let expected = format!("something was written behind the end of stream {}", own.0);
        assert_eq!(broken, Some(expected));
    }
}

/// The stream of a request.
pub(crate) fn request(number: u64) -> StreamId {
    StreamId::two_way(Role::Client, number)
}

#[test]
fn requests_are_answered_on_their_streams() {
    let mut lab = Lab::new();
    lab.reply = Some(30_000);
    lab.connect();
    for number in 0..5 {
        lab.write(Role::Client, request(number), 300, true);
    }
    lab.until(|lab| (0..5).all(|number| lab.read(Role::Client, request(number)).1));
    for number in 0..5 {
        assert_eq!(lab.read(Role::Server, request(number)), (300, true));
        assert_eq!(lab.read(Role::Client, request(number)), (30_000, true));
    }
}

#[test]
fn an_answer_to_a_request_that_is_not_there_yet_waits_for_it() {
    let mut lab = Lab::new();
    let request = request(0);
    lab.write(Role::Server, request, 700, true);
    lab.connect();
    lab.until(|lab| lab.is_connected(Role::Client) && lab.is_connected(Role::Server));
    lab.write(Role::Client, request, 7, true);
    lab.until(|lab| lab.read(Role::Client, request) == (700, true) && lab.read(Role::Server, request) == (7, true));
}

#[test]
fn an_empty_stream_ends() {
    let mut lab = Lab::new();
    downloaded(&mut lab, 0);
}

#[test]
fn an_end_may_come_by_itself_later() {
    let mut lab = Lab::new();
    let stream = StreamId::one_way(Role::Server, 0);
    lab.write(Role::Server, stream, 5_000, false);
    lab.connect();
    lab.until(|lab| lab.read(Role::Client, stream) == (5_000, false));
    lab.write(Role::Server, stream, 0, true);
    lab.until(|lab| lab.read(Role::Client, stream) == (5_000, true));
}

#[test]
fn closing_ends_both_ends_in_order_and_then_nothing_happens() {
    for closer in Role::ALL {
        let mut lab = Lab::new();
        downloaded(&mut lab, 50_000);
        lab.close(closer);
        lab.close(closer);
        lab.finish();
        for role in Role::ALL {
            assert_eq!(lab.closed(role), [None], "{role:?} when the {closer:?} closes");
        }
        // The closing state lasts three probe timeouts (RFC 9000, section 10.2).
        assert!(lab.now < Time::ZERO + Span::from_secs(2), "{}", lab.now);
        let asked = lab.told.len();
        lab.write(closer, StreamId::one_way(closer, 5), 10, true);
        assert_eq!(lab.told.len(), asked);
    }
}

#[test]
fn a_client_that_never_connected_can_be_closed() {
    let mut lab = Lab::new();
    lab.close(Role::Client);
    assert_eq!(lab.closed(Role::Client), [None]);
}

#[test]
fn packet_numbers_rise_in_each_space() {
    let mut lab = Lab::new();
    downloaded(&mut lab, MEGABYTE);
    for role in Role::ALL {
        let mut last: BTreeMap<Space, u64> = BTreeMap::new();
        for (_, packet) in lab.sent(role) {
            if let Some(before) = last.insert(packet.space, packet.number) {
                assert!(packet.number > before, "{role:?} sent {packet:?} after {before}");
            }
        }
        assert_eq!(last.len(), 3, "{role:?} sends in all three spaces");
    }
}

#[test]
fn the_frames_of_a_stream_cover_it_once() {
    let mut lab = Lab::new();
    downloaded(&mut lab, MEGABYTE);
    let mut covered = 0;
    for (_, packet) in lab.sent(Role::Server) {
        for frame in &packet.frames {
            if let Frame::Stream {
                id,
                offset,
                length,
                ends,
            } = *frame
            {
                assert_eq!((id, offset), (StreamId::one_way(Role::Server, 0).0, covered));
                covered += length;
                assert_eq!(ends, covered == MEGABYTE);
            }
        }
    }
    assert_eq!(covered, MEGABYTE);
}

#[test]
fn its_version_is_the_one_that_is_built() {
    let version = STACK.version();
    let (name, version) = version.split_once(' ').expect("a name and a version");
    assert!(
        LOCK.contains(&format!("name = \"{name}\"\nversion = \"{version}\"\n")),
        "{name} {version}"
    );
    assert_eq!(STACK.name(), NAME);
}

#[test]
fn an_option_that_is_not_known_is_refused() {
    let setup = Setup {
        options: &[("cwnd", "9")],
        ..Setup::default()
    };
    for role in Role::ALL {
        let broken = STACK.begin(&setup.start(role)).err();
        let broken = broken.map(|broken| broken.0).unwrap_or_default();
        assert!(
            broken.starts_with(&format!("{NAME} has no option `cwnd`; it has ")),
            "{broken}"
        );
        for (name, _) in STACK.options() {
            assert!(broken.contains(name), "{broken}");
        }
    }
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
}
