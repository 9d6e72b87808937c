//! Entries of the script that wait for a transport; every time worked out by hand.

use crate::support::{Probe, Story, link, ms, play, probe, rate, segment};
use windlull_link::model::{Action, LinkModel, Scope, ScriptEntry, TransportCondition, Trigger};
use windlull_link::preview::preview;
use windlull_link::{Link, TcpView};
use windlull_units::{Direction, LinkEvent, Seed, Span, Time};

/// Does something up the link, against the data.
fn when(when: TransportCondition, lasts: u64, action: Action) -> ScriptEntry {
    ScriptEntry {
        scope: Scope::One(Direction::Up),
        trigger: Trigger::Transport {
            when,
            lasts: Some(Span::from_ms(lasts)),
        },
        action,
    }
}

fn scripted(entry: ScriptEntry) -> LinkModel {
    let mut model = link();
    model.script = vec![entry];
    model
}

/// A SYN, then segments of 100 octets that begin at these octets of the stream, of these flows, 100 ms apart.
fn segments(isn: u32, segments: &[(u64, u32)]) -> Vec<(Time, Direction, Probe)> {
    let syn = Probe {
        tcp: Some(TcpView {
            seq: isn,
            payload_len: 0,
            syn: true,
        }),
        ..probe(40)
    };
    let data = segments.iter().map(|&(flow, octet)| Probe {
        flow,
        ..segment(isn.wrapping_add(1).wrapping_add(octet))
    });
    std::iter::once(syn)
        .chain(data)
        .enumerate()
        .map(|(number, packet)| (ms(100 * number as u64), Direction::Down, packet))
        .collect()
}

/// Those of one flow.
fn connection(isn: u32, octets: &[u32]) -> Vec<(Time, Direction, Probe)> {
    let one: Vec<_> = octets.iter().map(|&octet| (0, octet)).collect();
    segments(isn, &one)
}

fn held(from: u64, until: u64) -> Vec<(Time, LinkEvent)> {
    let (direction, name) = (Direction::Up, "script 1".to_owned());
    let began = LinkEvent::HoldBegan {
        direction,
        name: name.clone(),
        until: ms(until),
    };
    vec![(ms(from), began), (ms(until), LinkEvent::HoldEnded { direction, name })]
}

#[test]
fn an_entry_begins_with_the_packet_that_carries_the_octet() {
    for (octet, packet) in [(0, 1), (99, 1), (100, 2), (299, 3), (301, 5)] {
        for isn in [1000, u32::MAX - 120] {
            let model = scripted(when(TransportCondition::AfterByte(octet), 500, Action::Hold));
            // The third segment is sent again before the fourth.
            let story = play(&model, 1, &connection(isn, &[0, 100, 200, 200, 300]), ms(10_000));
            assert_eq!(story.events, held(100 * packet, 100 * packet + 500), "octet {octet}");
        }
    }
    let model = scripted(when(TransportCondition::AfterByte(400), 500, Action::Hold));
    let story = play(&model, 1, &connection(9, &[0, 100, 200, 300]), ms(10_000));
    assert!(story.events.is_empty(), "the octet was never sent");
}

#[test]
fn an_entry_begins_with_the_retransmission_of_its_number_and_once() {
    let octets = [0, 100, 200, 100, 0, 300, 0, 0];
    for (nth, packet) in [(1, 4), (2, 5), (3, 7), (4, 8)] {
        let model = scripted(when(TransportCondition::Retransmission(nth), 10, Action::Hold));
        let story = play(&model, 1, &connection(9, &octets), ms(10_000));
        assert_eq!(
            story.events,
            held(100 * packet, 100 * packet + 10),
            "retransmission {nth}"
        );
    }
}

#[test]
fn each_connection_counts_by_itself_and_the_first_decides() {
    let model = scripted(when(TransportCondition::Retransmission(2), 10, Action::Hold));
    let both = [(0, 0), (1, 0), (0, 0), (1, 0), (1, 100), (1, 100), (0, 0)];
    let story = play(&model, 1, &segments(9, &both), ms(10_000));
    assert_eq!(story.events, held(600, 610), "the second of flow 1");
}

#[test]
fn a_new_connection_of_the_same_flow_begins_to_count_anew() {
    let model = scripted(when(TransportCondition::Retransmission(2), 10, Action::Hold));
    let mut sends = connection(9, &[0, 0]);
    let later = connection(70_000, &[0, 0, 0]);
    sends.extend(
        later
            .into_iter()
            .map(|(at, way, packet)| (at + Span::from_secs(1), way, packet)),
    );
    let story = play(&model, 1, &sends, ms(10_000));
    assert_eq!(story.events, held(1300, 1310));
}

#[test]
fn a_setting_is_changed_and_given_back() {
    let entry = when(TransportCondition::AfterByte(100), 300, Action::SetRate(rate(16_000)));
    let story = play(&scripted(entry), 1, &connection(9, &[0, 100]), ms(10_000));
    let direction = Direction::Up;
    let set = |bps| LinkEvent::Rate {
        direction,
        rate: Some(rate(bps)),
    };
    assert_eq!(
        story.events,
        [(ms(0), set(8_000)), (ms(200), set(16_000)), (ms(500), set(8_000))]
    );
}

#[test]
fn an_outage_has_the_packet_that_began_it_as_its_first_victim() {
    let mut entry = when(TransportCondition::Retransmission(1), 150, Action::Drop);
    entry.scope = Scope::Shared;
    let story = play(
        &scripted(entry),
        1,
        &connection(9, &[0, 100, 100, 200, 300]),
        ms(10_000),
    );
    // 40, then 100 octets each, an octet a millisecond, sent every 100 ms: the retransmission's last bit goes at 400 ms.
    assert_eq!(story.lost_by(windlull_units::DropCause::Outage), [3]);
}

#[test]
fn what_begins_with_a_packet_concerns_it_before_the_queue_does() {
    let mut entry = when(TransportCondition::Retransmission(1), 150, Action::HoldArrivals);
    entry.scope = Scope::Shared;
    let story = play(&scripted(entry), 1, &connection(9, &[0, 100, 100, 200]), ms(10_000));
    let mut fates = story.fates;
    fates.sort_by_key(|fate| fate.id);
    let started: Vec<_> = fates.iter().filter_map(|fate| fate.started).collect();
    assert_eq!(started, [0, 100, 200, 450, 550].map(ms));
    // Also where no bit of a packet takes any time.
    let mut fast = scripted(when(TransportCondition::AfterByte(100), 150, Action::Drop));
    fast.down.rate = None;
    fast.script[0].scope = Scope::One(Direction::Down);
    let story = play(&fast, 1, &connection(9, &[0, 100, 200, 300]), ms(10_000));
    assert_eq!(story.lost_by(windlull_units::DropCause::Outage), [2, 3]);
}

#[test]
fn what_packets_do_not_tell_waits_for_somebody_who_says_so() {
    let model = scripted(when(TransportCondition::Recovery, 500, Action::Hold));
    let story = play(&model, 1, &connection(9, &[0, 0, 0, 100]), ms(10_000));
    assert!(story.events.is_empty());
    let mut link: Link<Probe> = Link::new(&model, Seed::new(1));
    let mut story = Story::default();
    assert!(link.trigger(ms(100), 0, ms(100), &mut story));
    assert!(!link.trigger(ms(200), 0, ms(200), &mut story), "once");
    assert_eq!(link.poll_at(), Some(ms(600)));
    link.advance(ms(1000), &mut story);
    assert_eq!(story.events, held(100, 600));
    assert!(
        !link.trigger(ms(1000), 1, ms(1000), &mut story),
        "there is no such entry"
    );
}

#[test]
fn an_instant_to_come_can_be_put_off_and_taken_back() {
    let silent = TransportCondition::AfterLastTransmission { rto_thousandths: 1500 };
    let mut link: Link<Probe> = Link::new(&scripted(when(silent, 500, Action::Hold)), Seed::new(1));
    let mut story = Story::default();
    assert!(link.trigger(ms(100), 0, ms(400), &mut story));
    assert_eq!(link.poll_at(), Some(ms(400)));
    assert!(link.trigger(ms(200), 0, Time::NEVER, &mut story));
    assert_eq!(link.poll_at(), None);
    assert!(link.trigger(ms(300), 0, ms(600), &mut story));
    link.advance(Time::from_ns(ms(600).as_ns() - 1), &mut story);
    assert!(story.events.is_empty());
    link.advance(ms(600), &mut story);
    assert!(!link.trigger(ms(600), 0, ms(900), &mut story), "it has begun");
    link.advance(ms(2000), &mut story);
    assert_eq!(story.events, held(600, 1100));
}

#[test]
fn a_preview_has_no_instant_for_it() {
    let model = scripted(when(TransportCondition::AfterByte(0), 500, Action::Hold));
    let previewed = preview(&model, Seed::new(1), Span::from_secs(60));
    assert!(previewed.up.spells.is_empty() && previewed.down.spells.is_empty());
}

#[test]
fn conditions_are_written_as_in_files() {
    let written = [
        (TransportCondition::AfterByte(200_000), "after byte 200000"),
        (TransportCondition::Retransmission(3), "retransmission 3"),
        (
            TransportCondition::AfterLastTransmission { rto_thousandths: 1500 },
            "1.5 RTO after the last transmission",
        ),
        (
            TransportCondition::AfterLastTransmission {
                rto_thousandths: 20_000,
            },
            "20 RTO after the last transmission",
        ),
        (
            TransportCondition::WindowExceeds { segments: 20 },
            "when the window first exceeds 20 segments",
        ),
        (
            TransportCondition::WindowExceeds { segments: 1 },
            "when the window first exceeds 1 segment",
        ),
        (TransportCondition::Recovery, "on entering recovery"),
    ];
    for (condition, text) in written {
        assert_eq!(condition.to_string(), text);
    }
}
