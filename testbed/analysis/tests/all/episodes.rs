//! Episodes, each rule by a short script; `oracle.rs` checks what holds of all.

use crate::scene::{MSS, Scene};
use windlull_analysis::{Analyzer, Cause, Episode, ReactionKind};
use windlull_capture::Observer;
use windlull_units::{Direction, DropCause, Host, LinkEvent, Span, Time};
use windlull_wire::{DetectorAnswer, Flags, Phase, Segment, SenderEvent, SenderState, SeqNumber, TransmitCause};

fn scene() -> Scene<Analyzer> {
    let mut scene = Scene::new(Analyzer::new(Host::Server).telling_episodes());
    scene.handshake();
    scene.say(&SenderEvent::RttSample {
        rtt: Span::from_ms(100),
    });
    scene
}

fn episodes(mut scene: Scene<Analyzer>) -> Vec<Episode> {
    scene.observer.finish().episodes.expect("they were asked for")
}

fn hold(scene: &mut Scene<Analyzer>, at: u64, length: u64) {
    let event = LinkEvent::HoldBegan {
        direction: Direction::Down,
        name: "pause".to_owned(),
        until: ms(at + length),
    };
    scene.at(at).observer.link(ms(at), &event);
}

fn release(scene: &mut Scene<Analyzer>, at: u64) {
    let event = LinkEvent::HoldEnded {
        direction: Direction::Down,
        name: "pause".to_owned(),
    };
    scene.at(at).observer.link(ms(at), &event);
}

fn ms(ms: u64) -> Time {
    Time::from_ns(ms * 1_000_000)
}

fn recovery_ended(scene: &mut Scene<Analyzer>, una: u64) {
    scene.say(&SenderEvent::RecoveryEnded { una: una * MSS });
}

fn story(episode: &Episode) -> String {
    let lines: Vec<&str> = episode.story.iter().map(|sentence| sentence.text.as_str()).collect();
    lines.join("\n")
}

#[test]
fn a_long_pause_is_an_episode_until_the_recovery_from_its_timeout_ends() {
    let mut scene = scene();
    let (first, second) = (scene.at(100).data(0), scene.data(1));
    hold(&mut scene, 110, 2000);
    scene.at(1100).timeout(0, 2);
    let again = scene.data_for(0, TransmitCause::Timeout);
    release(&mut scene, 2110);
    scene.deliver(first);
    scene.deliver(second);
    let ack = scene.ack(2, &[]);
    scene.deliver(again);
    scene.at(2160).deliver(ack);
    scene.at(2170);
    recovery_ended(&mut scene, 2);
    scene.finish(2);
    let [episode] = episodes(scene).try_into().expect("one episode");
    assert_eq!(episode.cause, "hold");
    assert_eq!(
        (episode.onset_ns, episode.ended_ns, episode.recovered_ns),
        (ms(110), Some(ms(2110)), Some(ms(2170)))
    );
    assert_eq!((episode.outstanding.una, episode.outstanding.max), (0, 2 * MSS));
    let reaction = episode.reaction.expect("it timed out");
    assert_eq!((reaction.kind, reaction.at_ns), (ReactionKind::Timeout, ms(1100)));
    assert_eq!(episode.timeouts.len(), 1);
    assert_eq!(
        (episode.retransmissions.segments, episode.retransmissions.unnecessary),
        (1, 1)
    );
    assert_eq!(episode.cost.octets_unnecessary, Some(MSS));
    assert_eq!(episode.cost.duration_ns, Span::from_ms(2060));
    let text = story(&episode);
    for sentence in [
        "The link held packets back down-link, for 2.000 s (pause); 200 octets were outstanding.",
        "Timeout 1: the timer fired after 1.000 s (RFC 6298 (2.4), the minimum); octet 0 was the first unacknowledged, 200 octets were outstanding. It was spurious",
        "1 segment was sent again between octets 0 and 100: unnecessary.",
        "The sender had recovered 2.060 s after the onset.",
    ] {
        assert!(text.contains(sentence), "{text}");
    }
}

#[test]
fn an_answer_after_the_recovery_is_of_its_episode_and_stands_behind_it() {
    let mut scene = scene();
    let first = scene.at(100).data(0);
    hold(&mut scene, 110, 2000);
    scene.at(1100).timeout(0, 1);
    let again = scene.data_for(0, TransmitCause::Timeout);
    release(&mut scene, 2110);
    scene.deliver(first);
    let ack = scene.ack(1, &[]);
    scene.deliver(again);
    scene.at(2160).deliver(ack);
    recovery_ended(&mut scene, 1);
    scene.at(2300).say(&SenderEvent::Detector {
        ordinal: 1,
        rule: "D-SACK (RFC 3708)".into(),
        answer: Some(DetectorAnswer::Spurious),
    });
    scene.finish(1);
    let [episode] = episodes(scene).try_into().expect("one episode");
    assert_eq!(episode.recovered_ns, Some(ms(2160)));
    assert_eq!(episode.detector.len(), 1);
    let [.., conclusion, answer] = episode.story.as_slice() else {
        panic!("{:?}", episode.story);
    };
    assert!(
        conclusion.text.starts_with("The sender had recovered"),
        "{}",
        conclusion.text
    );
    assert!(
        answer
            .text
            .ends_with("the detector: D-SACK (RFC 3708). Its answer: spurious, which was right."),
        "{}",
        answer.text
    );
}

#[test]
fn a_kernel_says_that_it_took_a_fast_recovery_back() {
    let mut scene = scene();
    let first = scene.at(100).data(0);
    let second = scene.data(1);
    scene.deliver(second);
    let duplicate = scene.ack(0, &[(1, 2)]);
    scene.at(150).deliver(duplicate);
    scene.say(&SenderEvent::FastRetransmit {
        una: 0,
        recovery_point: 2 * MSS,
    });
    let again = scene.data_for(0, TransmitCause::FastRetransmit);
    scene.at(160).deliver(first);
    let ack = scene.ack(2, &[]);
    scene.deliver(again);
    scene.at(210).deliver(ack);
    recovery_ended(&mut scene, 2);
    scene.at(260).say(&SenderEvent::RecoveryUndone {
        rule: "D-SACK (RFC 3708)".into(),
        cwnd_before: 700,
        cwnd_after: 1000,
    });
    scene.finish(2);
    let [episode] = episodes(scene).try_into().expect("one episode");
    let text = story(&episode);
    assert!(
        text.ends_with(
            "The sender found its fast retransmit spurious, which was right: D-SACK (RFC 3708). \
             The congestion window went from 700 to 1000 octets."
        ),
        "{text}"
    );
}

#[test]
fn a_timeout_is_told_with_what_set_the_timer() {
    let mut scene = scene();
    scene.at(100);
    scene.say(&SenderEvent::State(SenderState {
        cwnd_bytes: 200,
        ssthresh_bytes: None,
        flight_bytes: 0,
        srtt: Some(Span::from_ms(120)),
        rttvar: Some(Span::from_ms(11)),
        rto: Span::from_ms(164),
        estimated_rto: Some(Span::from_ms(164)),
        minimum_rto: Some(Span::ZERO),
        backoff: 0,
        phase: Phase::SlowStart,
    }));
    let lost = scene.data(0);
    scene.drop(lost);
    scene.at(1100).say(&SenderEvent::Timeout {
        ordinal: 1,
        una: 0,
        max: MSS,
        rto: Span::from_ms(328),
        backoff: 1,
        rule: Some("RFC 6298 (2.3), SRTT + max(G, 4 RTTVAR)".into()),
    });
    let [episode] = episodes(scene).try_into().expect("one episode");
    let text = story(&episode);
    let why = "fired after 0.328 s (RFC 6298 (2.3), SRTT + max(G, 4 RTTVAR); smoothed round trip 0.120 s, mean deviation \
               0.011 s; backed off 1 time); octet 0 was the first unacknowledged";
    assert!(text.contains(why), "{text}");
    let estimate = episode.timeouts[0].estimate.expect("the sender told");
    assert_eq!(
        (estimate.srtt_ns, estimate.rttvar_ns),
        (Span::from_ms(120), Some(Span::from_ms(11)))
    );
}

#[test]
fn a_short_pause_alone_is_none() {
    let mut scene = scene();
    let first = scene.at(100).data(0);
    hold(&mut scene, 110, 60);
    release(&mut scene, 170);
    scene.deliver(first);
    let ack = scene.ack(1, &[]);
    scene.at(220).deliver(ack);
    scene.finish(1);
    assert_eq!(episodes(scene), []);
}

#[test]
fn a_short_pause_explains_a_retransmission_of_what_it_held() {
    let mut scene = scene();
    let first = scene.at(100).data(0);
    hold(&mut scene, 110, 60);
    scene.at(165).data_for(0, TransmitCause::AfterTimeout);
    release(&mut scene, 170);
    scene.deliver(first);
    let ack = scene.ack(1, &[]);
    scene.at(220).deliver(ack);
    scene.finish(1);
    let [episode] = episodes(scene).try_into().expect("one episode");
    assert_eq!(
        (episode.cause, episode.onset_ns, episode.ended_ns),
        ("hold", ms(110), Some(ms(170)))
    );
    assert_eq!(episode.reaction.expect("it resent").kind, ReactionKind::Retransmission);
}

#[test]
fn a_lost_acknowledgement_alone_is_none() {
    let mut scene = scene();
    let (first, second) = (scene.at(100).data(0), scene.data(1));
    scene.at(150).deliver(first);
    let ack = scene.ack(1, &[]);
    scene.deliver(second);
    let later = scene.ack(2, &[]);
    scene.at(160).drop(ack);
    scene.at(200).deliver(later);
    scene.finish(2);
    assert_eq!(episodes(scene), []);
}

#[test]
fn lost_acknowledgements_cause_the_timeout_that_they_bring_about() {
    let mut scene = scene();
    let first = scene.at(100).data(0);
    scene.at(150).deliver(first);
    let ack = scene.ack(1, &[]);
    scene.at(160).drop_by(ack, DropCause::Outage);
    scene.at(1100).timeout(0, 1);
    let again = scene.data_for(0, TransmitCause::Timeout);
    scene.at(1150).deliver(again);
    let ack = scene.ack(1, &[]);
    scene.at(1200).deliver(ack);
    recovery_ended(&mut scene, 1);
    scene.finish(1);
    let [episode] = episodes(scene).try_into().expect("one episode");
    assert_eq!(episode.onset_ns, ms(160));
    let expected = Cause::Drops {
        by: "outage",
        direction: Direction::Up,
        from_ns: ms(160),
        to_ns: ms(160),
        packets: 1,
        segments: 0,
    };
    assert_eq!(episode.causes, [expected]);
    assert!(
        story(&episode).contains("It was genuine: the segment had arrived, but every acknowledgement of it was lost.")
    );
    // The receiver delayed nothing.
    assert_eq!(episode.timeouts[0].withheld_ns, None);
}

#[test]
fn losses_on_losses_are_one_episode_and_later_ones_another() {
    let mut scene = scene();
    for start in [0, 4] {
        let base = 1000 * (start / 4);
        let ids: Vec<u64> = (start..start + 4)
            .map(|number| scene.at(100 + base).data(number))
            .collect();
        scene.at(110 + base).drop_by(ids[0], DropCause::QueueOverflow);
        scene.at(120 + base).drop_by(ids[2], DropCause::QueueOverflow);
        scene.at(150 + base).deliver(ids[1]);
        scene.deliver(ids[3]);
        let ack = scene.ack(start, &[(start + 3, start + 4), (start + 1, start + 2)]);
        scene.at(200 + base).deliver(ack);
        scene.say(&SenderEvent::FastRetransmit {
            una: start * MSS,
            recovery_point: (start + 4) * MSS,
        });
        let again = [start, start + 2].map(|number| scene.data_for(number, TransmitCause::SackHole));
        for id in again {
            scene.at(250 + base).deliver(id);
        }
        let ack = scene.ack(start + 4, &[]);
        scene.at(300 + base).deliver(ack);
        recovery_ended(&mut scene, start + 4);
    }
    scene.finish(8);
    let episodes = episodes(scene);
    assert_eq!(episodes.len(), 2);
    for (episode, base) in episodes.iter().zip([0, 1000]) {
        assert_eq!(
            (episode.onset_ns, episode.recovered_ns),
            (ms(110 + base), Some(ms(300 + base)))
        );
        assert_eq!((episode.cause, episode.causes.len()), ("drops", 1));
        assert_eq!(episode.cost.packets_lost, Some(2));
        assert_eq!(
            (episode.retransmissions.segments, episode.retransmissions.necessary),
            (2, 2)
        );
        assert!(story(episode).contains("The link lost 2 data segments down-link within 0.010 s (queue-overflow)"));
    }
}

#[test]
fn a_story_has_an_end_however_much_happens() {
    let mut scene = scene();
    let sent: Vec<u64> = (0..300).map(|number| scene.at(100).data(number)).collect();
    for (number, &lost) in (0..).zip(&sent) {
        scene.at(110 + number).drop(lost);
        // Each timeout is of another segment: nothing repeats.
        scene.say(&SenderEvent::Timeout {
            ordinal: u32::try_from(number).expect("few") + 1,
            una: number * MSS,
            max: 300 * MSS,
            rto: Span::from_secs(1),
            backoff: 0,
            rule: None,
        });
        scene.data_for(number, TransmitCause::Timeout);
    }
    let [episode] = episodes(scene).try_into().expect("one episode");
    assert_eq!(episode.story.len(), 200);
    assert_eq!(episode.untold, 900 - 199);
    assert_eq!(episode.retransmissions.segments, 300);
    assert_eq!(episode.recovered_ns, None);
    assert!(story(&episode).contains("The run ended before the recovery"));
}

#[test]
fn what_an_outage_repeats_is_told_once_with_its_count() {
    let mut scene = scene();
    scene.at(100).data(0);
    let outage = LinkEvent::OutageBegan {
        direction: Direction::Down,
        name: "tunnel".to_owned(),
        until: ms(40_000),
    };
    scene.at(100).observer.link(ms(100), &outage);
    let mut ms_of_timeout = 1_000;
    for round in 0..5 {
        scene.at(ms_of_timeout);
        scene.say(&SenderEvent::Timeout {
            ordinal: round + 1,
            una: 0,
            max: MSS,
            rto: Span::from_secs(1 << round),
            backoff: round,
            rule: None,
        });
        let again = scene.data_for(0, TransmitCause::Timeout);
        scene.later(10).drop_by(again, DropCause::Outage);
        ms_of_timeout += 2_000 << round;
    }
    let [episode] = episodes(scene).try_into().expect("one episode");
    let text = story(&episode);
    let of = |part: &str| text.matches(part).count();
    assert_eq!(
        (of("was sent again"), of("The link lost 1 data segment"), of("Timeout ")),
        (1, 1, 1),
        "{text}"
    );
    assert!(
        text.contains("The same happened 4 more times within 28.010 s: timeouts 2 to 5, after 2.000 s to 16.000 s."),
        "{text}"
    );
    assert_eq!(episode.timeouts.len(), 5, "the list has them all");
}

/// A segment of the server without data, at this offset of the stream.
fn bare(scene: &mut Scene<Analyzer>, at: u64, offset: u64, flags: Flags, cause: TransmitCause) -> u64 {
    let segment = Segment {
        flags,
        ..scene.octets(offset, 0)
    };
    scene.at(at).send_for(Host::Server, segment, Some(cause))
}

/// A scene that nothing was sent in.
fn untouched() -> Scene<Analyzer> {
    Scene::new(Analyzer::new(Host::Server).telling_episodes())
}

/// The SYN, which stands right before the first octet.
fn syn(scene: &mut Scene<Analyzer>, at: u64, cause: TransmitCause) -> u64 {
    let segment = Segment {
        seq: SeqNumber(scene.octets(0, 0).seq.0.wrapping_sub(1)),
        flags: Flags::SYN,
        ..Segment::default()
    };
    scene.at(at).send_for(Host::Server, segment, Some(cause))
}

/// The SYN is acknowledged: the answer is sent now and arrives at that time.
fn syn_answered(scene: &mut Scene<Analyzer>, at: u64) {
    let answer = Segment {
        seq: SeqNumber(900),
        ack: scene.octets(0, 0).seq,
        flags: Flags::SYN.with(Flags::ACK),
        ..Segment::default()
    };
    let answer = scene.send(Host::Client, answer);
    scene.at(at).deliver(answer);
}

#[test]
fn a_round_trip_longer_than_the_first_timeout_is_told_as_that() {
    let mut scene = untouched();
    let first = syn(&mut scene, 0, TransmitCause::NewData);
    scene.at(520).deliver(first);
    scene.at(1000).timeout(0, 0);
    syn(&mut scene, 1000, TransmitCause::Timeout);
    syn_answered(&mut scene, 1040);
    scene.at(1040);
    recovery_ended(&mut scene, 0);
    let [episode] = episodes(scene).try_into().expect("one episode");
    assert_eq!(episode.cause, "initial-timeout");
    assert!(episode.causes.is_empty());
    let text = story(&episode);
    assert!(
        text.contains("answered later than its timer had been set for"),
        "{text}"
    );
}

#[test]
fn a_lost_syn_is_no_hasty_timeout() {
    let mut scene = untouched();
    let first = syn(&mut scene, 0, TransmitCause::NewData);
    scene.at(20).drop_by(first, DropCause::RandomLoss);
    scene.at(1000).timeout(0, 0);
    let second = syn(&mut scene, 1000, TransmitCause::Timeout);
    scene.at(1020).deliver(second);
    syn_answered(&mut scene, 1040);
    recovery_ended(&mut scene, 0);
    let [episode] = episodes(scene).try_into().expect("one episode");
    assert_eq!(episode.cause, "drops");
    assert!(!story(&episode).contains("answered later"), "{}", story(&episode));
}

/// A segment arrives at the first of these times; its acknowledgement is sent at the second and arrives at the third.
/// The timer fires at 1,100 ms.
fn acknowledged_late(arrives: u64, acknowledged: u64, heard: u64) -> Episode {
    let mut scene = scene();
    let first = scene.at(100).data(0);
    scene.at(arrives).deliver(first);
    let early = (acknowledged < 1100).then(|| scene.at(acknowledged).ack(1, &[]));
    scene.at(1100).timeout(0, 1);
    scene.data_for(0, TransmitCause::Timeout);
    let ack = early.unwrap_or_else(|| scene.at(acknowledged).ack(1, &[]));
    scene.at(heard).deliver(ack);
    recovery_ended(&mut scene, 1);
    scene.finish(1);
    let [episode] = episodes(scene).try_into().expect("one episode");
    episode
}

#[test]
fn a_receiver_that_delays_its_acknowledgement_is_the_cause() {
    let episode = acknowledged_late(950, 1150, 1200);
    assert_eq!(episode.cause, "delayed-ack");
    assert_eq!(episode.timeouts[0].withheld_ns, Some(Span::from_ms(150)));
    let text = story(&episode);
    assert!(text.contains("delayed its acknowledgement for 0.150 s"), "{text}");
}

#[test]
fn so_is_one_whose_acknowledgement_is_on_its_way() {
    let episode = acknowledged_late(950, 1080, 1120);
    assert_eq!(episode.cause, "delayed-ack");
    assert_eq!(episode.timeouts[0].withheld_ns, Some(Span::from_ms(130)));
}

#[test]
fn a_receiver_that_could_not_have_been_in_time_is_no_cause() {
    // The acknowledgement is 150 ms on its way: sent at once it would have come with the timer.
    for (arrives, acknowledged, heard) in [(950, 1150, 1300), (950, 950, 1200), (1100, 1150, 1160)] {
        let episode = acknowledged_late(arrives, acknowledged, heard);
        assert_eq!(episode.cause, "unknown", "{arrives} {acknowledged} {heard}");
        assert_eq!(episode.timeouts[0].withheld_ns, None);
        assert!(story(&episode).contains("only late"));
    }
}

#[test]
fn what_is_sent_again_over_some_time_is_not_told_as_of_its_first_instant() {
    let mut scene = scene();
    let first = scene.at(100).data(0);
    for number in 1..5 {
        scene.data(number);
    }
    hold(&mut scene, 110, 2000);
    scene.at(1100).timeout(0, 5);
    for (at, number) in [(1100, 0), (1100, 1), (1350, 2), (1350, 3), (1624, 4)] {
        scene.at(at).data_for(number, TransmitCause::Timeout);
    }
    release(&mut scene, 2110);
    scene.deliver(first);
    let [episode] = episodes(scene).try_into().expect("one episode");
    let sentence = episode
        .story
        .iter()
        .find(|sentence| sentence.text.contains("sent again"));
    let sentence = sentence.expect("it is told");
    assert_eq!(sentence.at_ns, ms(1100));
    assert!(
        sentence
            .text
            .starts_with("5 segments were sent again within 0.524 s, 2 of them at once, between octets 0 and"),
        "{}",
        sentence.text
    );
}

#[test]
fn a_held_syn_is_told_as_one_and_its_silence_counts() {
    let mut scene = untouched();
    let first = syn(&mut scene, 0, TransmitCause::NewData);
    hold(&mut scene, 10, 3000);
    scene.at(1000).timeout(0, 0);
    let second = syn(&mut scene, 1000, TransmitCause::Timeout);
    release(&mut scene, 3010);
    scene.deliver(first);
    scene.deliver(second);
    syn_answered(&mut scene, 3060);
    let data = scene.data(0);
    scene.at(3110).deliver(data);
    scene.at(3120);
    recovery_ended(&mut scene, 0);
    let [episode] = episodes(scene).try_into().expect("one episode");
    assert_eq!((episode.outstanding.una, episode.outstanding.max), (0, 0));
    assert_eq!(episode.cost.silence_ns, Span::from_ms(3100));
    let text = story(&episode);
    for sentence in [
        "for 3.000 s (pause); the SYN was outstanding.",
        "Timeout 1: the timer fired after 1.000 s (RFC 6298 (2.4), the minimum); the SYN was the first unacknowledged. It was spurious",
        "The SYN was sent again: unnecessary.",
        "The sender's recovery ended: the SYN was acknowledged.",
        "longest silence: 3.100 s.",
    ] {
        assert!(text.contains(sentence), "{text}");
    }
    assert!(!text.contains("octets were") && !text.contains("octet 0 was"), "{text}");
}

#[test]
fn a_lost_fin_is_told_as_one() {
    let mut scene = scene();
    let first = scene.at(100).data(0);
    scene.at(150).deliver(first);
    let ack = scene.ack(1, &[]);
    scene.at(200).deliver(ack);
    let fin = Flags::FIN.with(Flags::ACK);
    let lost = bare(&mut scene, 210, MSS, fin, TransmitCause::NewData);
    scene.at(220).drop_by(lost, DropCause::RandomLoss);
    scene.at(1210).timeout(1, 1);
    let again = bare(&mut scene, 1210, MSS, fin, TransmitCause::Timeout);
    scene.at(1260).deliver(again);
    let [episode] = episodes(scene).try_into().expect("one episode");
    assert_eq!((episode.outstanding.una, episode.outstanding.max), (MSS, MSS));
    let Cause::Drops { packets, segments, .. } = episode.causes[0] else {
        panic!("{episode:?}")
    };
    assert_eq!((packets, segments), (1, 0));
    let text = story(&episode);
    for sentence in [
        "The link lost 1 packet without data down-link",
        "the FIN was the first unacknowledged. It was genuine: the segment was lost.",
        "The FIN was sent again: needed.",
    ] {
        assert!(text.contains(sentence), "{text}");
    }
}

#[test]
fn silence_is_counted_to_the_end_of_what_kept_packets_back() {
    let mut scene = scene();
    // Nothing is outstanding while arrivals are kept before the queue, so that the episode ends with that.
    let first = scene.at(100).data(0);
    scene.at(150).deliver(first);
    hold(&mut scene, 160, 1000);
    let ack = scene.at(170).ack(1, &[]);
    scene.at(180).deliver(ack);
    release(&mut scene, 1160);
    scene.finish(1);
    let [episode] = episodes(scene).try_into().expect("one episode");
    assert_eq!(episode.recovered_ns, Some(ms(1160)));
    assert_eq!(episode.cost.silence_ns, Span::from_ms(1010));
}

#[test]
fn a_timeout_of_syn_and_one_of_the_first_octet_are_not_the_same() {
    let story_of = |backoffs: [u32; 2]| {
        let mut scene = scene();
        let lost = scene.at(100).data(0);
        scene.drop(lost);
        for (ordinal, backoff) in (1..).zip(backoffs) {
            scene.at(1000 * u64::from(ordinal));
            scene.say(&SenderEvent::Timeout {
                ordinal,
                una: 0,
                max: MSS,
                rto: Span::from_secs(1),
                backoff,
                rule: None,
            });
        }
        let [episode] = episodes(scene).try_into().expect("one episode");
        story(&episode)
    };
    let again = "The timer fired again before anything was heard.";
    assert!(story_of([0, 1]).contains(again));
    assert!(!story_of([0, 0]).contains(again));
}
