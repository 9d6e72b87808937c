//! Every rule of the verdicts, each by a short script.

use crate::scene::{MSS, Scene};
use windlull_analysis::{Analyzer, Reason, RunAnalysis, Truth, Verdict};
use windlull_units::{DropCause, Host, Span};
use windlull_wire::{DetectorAnswer, Flags, Segment, SenderEvent, SeqNumber, TransmitCause};

fn scene() -> Scene<Analyzer> {
    let mut scene = Scene::new(Analyzer::new(Host::Server).keeping_judgements());
    scene.handshake();
    // A sender that tells of itself from the start: nothing is inferred.
    scene.say(&SenderEvent::RttSample {
        rtt: Span::from_ms(100),
    });
    scene
}

fn finish(mut scene: Scene<Analyzer>) -> RunAnalysis {
    scene.observer.finish()
}

fn timeout_verdict(analysis: &RunAnalysis) -> (Truth, Option<Reason>) {
    assert_eq!(analysis.timeouts.len(), 1);
    (analysis.timeouts[0].verdict, analysis.timeouts[0].reason)
}

/// Verdicts on retransmissions in the order in which they were reached, as `id verdict reason`.
fn judgements(scene: &mut Scene<Analyzer>) -> Vec<(u64, Verdict, Option<Reason>)> {
    scene
        .observer
        .take_judgements()
        .map(|it| (it.id.0, it.verdict, it.reason))
        .collect()
}

const SPURIOUS: (Truth, Option<Reason>) = (Truth::Spurious, Some(Reason::Delayed));

#[test]
fn a_timeout_before_a_late_delivery_is_spurious() {
    let mut scene = scene();
    let original = scene.at(100).data(0);
    scene.at(1100).timeout(0, 1);
    let again = scene.data_for(0, TransmitCause::Timeout);
    scene.at(2000).deliver(original);
    let ack = scene.ack(1, &[]);
    assert_eq!(judgements(&mut scene), [], "the acknowledgement may still be lost");
    scene.at(2010).deliver(again);
    scene.at(2050).deliver(ack);
    assert_eq!(
        judgements(&mut scene),
        [(again, Verdict::Unnecessary, Some(Reason::Delayed))]
    );
    let analysis = finish(scene);
    assert_eq!(timeout_verdict(&analysis), SPURIOUS);
    assert_eq!(analysis.metrics.spurious_timeouts, Some(1));
    assert_eq!(analysis.metrics.genuine_timeouts, Some(0));
    assert_eq!(
        (
            analysis.metrics.retransmissions,
            analysis.metrics.unnecessary_retransmissions
        ),
        (1, Some(1))
    );
}

#[test]
fn a_timeout_before_a_late_acknowledgement_is_spurious() {
    let mut scene = scene();
    let original = scene.at(100).data(0);
    scene.at(150).deliver(original);
    let ack = scene.ack(1, &[]);
    scene.at(1100).timeout(0, 1);
    let again = scene.data_for(0, TransmitCause::Timeout);
    scene.at(1150).deliver(again);
    let duplicate = scene.ack(1, &[(0, 1)]);
    scene.at(3000).deliver(ack);
    scene.deliver(duplicate);
    assert_eq!(timeout_verdict(&finish(scene)), SPURIOUS);
}

#[test]
fn a_timeout_after_a_loss_is_genuine() {
    let mut scene = scene();
    let original = scene.at(100).data(0);
    scene.at(110).drop_by(original, DropCause::QueueOverflow);
    scene.at(1100).timeout(0, 1);
    let again = scene.data_for(0, TransmitCause::Timeout);
    assert_eq!(
        judgements(&mut scene),
        [(again, Verdict::Necessary, Some(Reason::DataLost))]
    );
    scene.at(1150).deliver(again);
    let analysis = finish(scene);
    assert_eq!(timeout_verdict(&analysis), (Truth::Genuine, Some(Reason::DataLost)));
    assert_eq!(
        (analysis.metrics.packets_lost, analysis.metrics.congestion_losses),
        (Some(1), Some(1))
    );
    assert_eq!(analysis.metrics.unnecessary_retransmissions, Some(0));
}

#[test]
fn a_loss_that_comes_after_the_timeout_makes_it_genuine_too() {
    let mut scene = scene();
    let original = scene.at(100).data(0);
    scene.at(1100).timeout(0, 1);
    let again = scene.data_for(0, TransmitCause::Timeout);
    assert_eq!(judgements(&mut scene), []);
    scene.at(1200).drop(original);
    assert_eq!(
        judgements(&mut scene),
        [(again, Verdict::Necessary, Some(Reason::DataLost))]
    );
    assert_eq!(
        timeout_verdict(&finish(scene)),
        (Truth::Genuine, Some(Reason::DataLost))
    );
}

#[test]
fn a_corrupted_original_is_a_lost_one_but_the_link_dropped_nothing() {
    let mut scene = scene();
    let original = scene.at(100).data(0);
    scene.at(150).corrupt(original);
    scene.at(1100).timeout(0, 1);
    scene.data_for(0, TransmitCause::Timeout);
    let analysis = finish(scene);
    assert_eq!(timeout_verdict(&analysis), (Truth::Genuine, Some(Reason::DataLost)));
    assert_eq!(analysis.metrics.packets_lost, Some(0));
}

#[test]
fn a_timeout_after_all_acknowledgements_were_lost_is_genuine() {
    let mut scene = scene();
    let first = scene.at(100).data(0);
    let second = scene.data(1);
    scene.at(150).deliver(first);
    let ack = scene.ack(1, &[]);
    scene.at(160).deliver(second);
    let another = scene.ack(2, &[]);
    scene.at(170).drop(ack);
    scene.drop(another);
    scene.at(1100).timeout(0, 2);
    let again = scene.data_for(0, TransmitCause::Timeout);
    assert_eq!(judgements(&mut scene), [], "the receiver may still speak");
    scene.at(1150).deliver(again);
    assert_eq!(
        judgements(&mut scene),
        [(again, Verdict::Unnecessary, Some(Reason::AckLost))]
    );
    let after = scene.ack(2, &[]);
    scene.at(1200).deliver(after);
    let analysis = finish(scene);
    assert_eq!(timeout_verdict(&analysis), (Truth::Genuine, Some(Reason::AckLost)));
    assert_eq!(analysis.metrics.unnecessary_retransmissions, Some(1));
    assert_eq!(analysis.retransmissions.unnecessary_ack_lost, 1);
}

#[test]
fn one_acknowledgement_that_comes_through_is_enough() {
    let mut scene = scene();
    let first = scene.at(100).data(0);
    let second = scene.data(1);
    scene.at(150).deliver(first);
    let ack = scene.ack(1, &[]);
    scene.drop(ack);
    scene.at(1100).timeout(0, 2);
    let again = scene.data_for(0, TransmitCause::Timeout);
    // Before the retransmission comes, the second original does, and so does its acknowledgement.
    scene.at(1120).deliver(second);
    let another = scene.ack(2, &[]);
    scene.at(1150).deliver(again);
    scene.at(1170).deliver(another);
    assert_eq!(timeout_verdict(&finish(scene)), SPURIOUS);
}

#[test]
fn an_acknowledgement_that_the_receiver_still_delays_makes_the_timeout_spurious() {
    let mut scene = scene();
    let original = scene.at(100).data(0);
    scene.at(290).deliver(original);
    scene.at(300).timeout(0, 1);
    let again = scene.data_for(0, TransmitCause::Timeout);
    scene.at(350).deliver(again);
    let ack = scene.ack(1, &[]);
    scene.at(400).deliver(ack);
    assert_eq!(timeout_verdict(&finish(scene)), SPURIOUS);
}

#[test]
fn an_original_that_comes_after_its_retransmission_was_overtaken() {
    let mut scene = scene();
    let original = scene.at(100).data(0);
    scene.at(1100).timeout(0, 1);
    let again = scene.data_for(0, TransmitCause::Timeout);
    scene.at(1150).deliver(again);
    let ack = scene.ack(1, &[]);
    scene.at(1200).deliver(ack);
    assert_eq!(judgements(&mut scene), []);
    scene.at(5000).deliver(original);
    assert_eq!(
        judgements(&mut scene),
        [(again, Verdict::Unnecessary, Some(Reason::Delayed))]
    );
    assert_eq!(timeout_verdict(&finish(scene)), SPURIOUS);
}

#[test]
fn a_second_timeout_counts_the_retransmission_among_the_earlier_copies() {
    let mut scene = scene();
    let original = scene.at(100).data(0);
    scene.drop(original);
    scene.at(1100).timeout(0, 1);
    let again = scene.data_for(0, TransmitCause::Timeout);
    scene.at(3100).timeout(0, 1);
    let third = scene.data_for(0, TransmitCause::Timeout);
    scene.at(4000).deliver(again);
    let ack = scene.ack(1, &[]);
    scene.deliver(third);
    scene.at(4050).deliver(ack);
    let analysis = finish(scene);
    let verdicts: Vec<_> = analysis.timeouts.iter().map(|it| it.verdict).collect();
    assert_eq!(verdicts, [Truth::Genuine, Truth::Spurious]);
    assert_eq!(
        (
            analysis.retransmissions.necessary,
            analysis.retransmissions.unnecessary_delayed
        ),
        (1, 1)
    );
}

#[test]
fn a_window_sent_again_after_a_hold_is_unnecessary_but_for_what_was_lost() {
    let mut scene = scene();
    scene.at(100);
    let originals: Vec<u64> = (0..6).map(|number| scene.data(number)).collect();
    scene.drop_by(originals[3], DropCause::QueueOverflow);
    scene.at(1100).timeout(0, 6);
    let first = scene.data_for(0, TransmitCause::Timeout);
    // The hold ends: originals arrive, each with an acknowledgement that makes the sender go back further.
    let mut again = vec![first];
    for number in [0, 1, 2, 4, 5] {
        scene.later(40).deliver(originals[number]);
        let ack = scene.ack((number as u64 + 1).min(3), &[]);
        scene.later(40).deliver(ack);
        let next = again.len() as u64;
        if next < 6 {
            again.push(scene.data_for(next, TransmitCause::AfterTimeout));
        }
    }
    for &id in &again {
        scene.later(10).deliver(id);
        let ack = scene.ack(6, &[]);
        scene.later(10).deliver(ack);
    }
    let analysis = finish(scene);
    assert_eq!(analysis.metrics.retransmissions, 6);
    assert_eq!(analysis.retransmissions.necessary, 1);
    assert_eq!(analysis.retransmissions.unnecessary_delayed, 5);
    assert_eq!(timeout_verdict(&analysis), SPURIOUS);
}

#[test]
fn a_retransmission_that_is_held_between_its_original_and_its_successor_is_judged_by_the_original_alone() {
    let mut scene = scene();
    let original = scene.at(100).data(0);
    scene.at(1100).timeout(0, 1);
    let held = scene.data_for(0, TransmitCause::Timeout);
    scene.at(2000).drop(original);
    scene.at(3100).timeout(0, 1);
    let successor = scene.data_for(0, TransmitCause::Timeout);
    scene.at(4000).deliver(held);
    let ack = scene.ack(1, &[]);
    scene.at(4010).deliver(successor);
    scene.at(4050).deliver(ack);
    let verdicts = judgements(&mut scene);
    assert!(
        verdicts.contains(&(held, Verdict::Necessary, Some(Reason::DataLost))),
        "{verdicts:?}"
    );
    assert!(
        verdicts.contains(&(successor, Verdict::Unnecessary, Some(Reason::Delayed))),
        "{verdicts:?}"
    );
}

#[test]
fn a_retransmission_of_two_segments_needs_both_originals() {
    for lost in [None, Some(0), Some(1)] {
        let mut scene = scene();
        scene.at(100);
        let originals = [scene.data(0), scene.data(1)];
        scene.at(1100).timeout(0, 2);
        let both = scene.octets(0, 2 * MSS);
        let both = scene.send_for(Host::Server, both, Some(TransmitCause::Timeout));
        for (number, &original) in originals.iter().enumerate() {
            if lost == Some(number) {
                scene.drop(original);
            } else {
                scene.deliver(original);
            }
        }
        let ack = scene.ack(2, &[]);
        scene.at(1200).deliver(ack);
        let expected = match lost {
            None => (both, Verdict::Unnecessary, Some(Reason::Delayed)),
            Some(_) => (both, Verdict::Necessary, Some(Reason::DataLost)),
        };
        assert_eq!(judgements(&mut scene), [expected], "{lost:?}");
    }
}

#[test]
fn a_retransmission_with_new_octets_is_necessary() {
    let mut scene = scene();
    let original = scene.at(100).data(0);
    scene.at(150).deliver(original);
    let longer = scene.octets(0, MSS + 1);
    let longer = scene.send_for(Host::Server, longer, Some(TransmitCause::Timeout));
    assert_eq!(judgements(&mut scene), [(longer, Verdict::Necessary, None)]);
    let analysis = finish(scene);
    assert_eq!(analysis.metrics.retransmissions, 1);
}

#[test]
fn a_copy_that_the_link_made_saves_the_octets() {
    let mut scene = scene();
    let original = scene.at(100).data(0);
    scene.at(1100).timeout(0, 1);
    let again = scene.data_for(0, TransmitCause::Timeout);
    scene.at(1200).deliver_copy(original);
    let ack = scene.ack(1, &[]);
    scene.at(1300).deliver(ack);
    assert_eq!(
        judgements(&mut scene),
        [(again, Verdict::Unnecessary, Some(Reason::Delayed))]
    );
}

#[test]
fn of_fast_retransmits_the_share_is_told_that_was_spurious() {
    let mut scene = scene();
    scene.at(100);
    // Four times a segment is sent again as if it were lost; only the third is.
    for number in 0..4 {
        let original = scene.later(10).data(number);
        scene.say(&SenderEvent::FastRetransmit {
            una: number * MSS,
            recovery_point: (number + 1) * MSS,
        });
        let again = scene.later(10).data_for(number, TransmitCause::FastRetransmit);
        if number == 2 {
            scene.drop(original);
        } else {
            scene.deliver(original);
        }
        scene.later(10).deliver(again);
        let ack = scene.ack(number + 1, &[]);
        scene.later(10).deliver(ack);
    }
    let analysis = finish(scene);
    assert_eq!(analysis.metrics.spurious_fast_retransmits, Some(3));
    assert_eq!(analysis.metrics.spurious_fast_retransmit_share, Some(0.75));

    let none = finish(self::scene());
    assert_eq!(none.metrics.spurious_fast_retransmits, Some(0));
    assert_eq!(none.metrics.spurious_fast_retransmit_share, None);
}

#[test]
fn a_fast_retransmit_is_spurious_if_its_segment_was_only_late() {
    for late in [true, false] {
        let mut scene = scene();
        scene.at(100);
        let originals: Vec<u64> = (0..4).map(|number| scene.data(number)).collect();
        if !late {
            scene.drop(originals[0]);
        }
        for (number, &original) in (1..).zip(&originals[1..]) {
            scene.later(10).deliver(original);
            let ack = scene.ack(0, &[(1, number + 1)]);
            scene.later(1).deliver(ack);
        }
        scene.say(&SenderEvent::FastRetransmit {
            una: 0,
            recovery_point: 4 * MSS,
        });
        let again = scene.data_for(0, TransmitCause::FastRetransmit);
        if late {
            scene.later(10).deliver(originals[0]);
            let ack = scene.ack(4, &[]);
            scene.later(10).deliver(ack);
        }
        scene.later(50).deliver(again);
        let analysis = finish(scene);
        assert_eq!(analysis.metrics.fast_retransmits, 1);
        assert_eq!(analysis.metrics.spurious_fast_retransmits, Some(u64::from(late)));
        let expected = if late { Truth::Spurious } else { Truth::Genuine };
        assert_eq!(analysis.fast_retransmits[0].verdict, expected);
        assert!(!analysis.fast_retransmits[0].inferred);
    }
}

/// A QUIC sends again what it has queued, also when it was acknowledged meanwhile.
#[test]
fn an_acknowledgement_that_came_before_what_is_sent_again_is_no_lost_one() {
    let mut scene = scene();
    let first = scene.at(100).data(0);
    let second = scene.data(1);
    scene.at(150).deliver(first);
    let ack = scene.ack(1, &[]);
    scene.at(160).deliver(second);
    let lost = scene.ack(2, &[]);
    scene.at(170).drop(lost);
    scene.at(200).deliver(ack);
    let again = scene.data_for(0, TransmitCause::AfterTimeout);
    scene.at(250).deliver(again);
    assert_eq!(
        judgements(&mut scene),
        [(again, Verdict::Unnecessary, Some(Reason::Delayed))]
    );
}

#[test]
fn what_the_receiver_selectively_acknowledged_counts_as_said() {
    let mut scene = scene();
    scene.at(100);
    let originals = [scene.data(0), scene.data(1)];
    scene.drop(originals[0]);
    scene.at(150).deliver(originals[1]);
    let ack = scene.ack(0, &[(1, 2)]);
    scene.drop(ack);
    scene.at(1100).timeout(0, 2);
    let first = scene.data_for(0, TransmitCause::Timeout);
    let second = scene.data_for(1, TransmitCause::AfterTimeout);
    scene.at(1150).deliver(first);
    let after = scene.ack(2, &[]);
    scene.at(1160).deliver(second);
    scene.drop(after);
    let verdicts = judgements(&mut scene);
    assert_eq!(verdicts[0], (first, Verdict::Necessary, Some(Reason::DataLost)));
    assert_eq!(verdicts[1], (second, Verdict::Unnecessary, Some(Reason::AckLost)));
}

#[test]
fn answers_are_scored_against_the_truth() {
    use DetectorAnswer::{Genuine, Spurious, Undecided};
    let mut scene = scene();
    scene.at(100);
    let cases = [
        (true, Some(Spurious)),
        (true, Some(Genuine)),
        (true, Some(Undecided)),
        (true, None),
        (false, Some(Spurious)),
        (false, Some(Genuine)),
        (false, Some(Undecided)),
        (false, None),
    ];
    for (number, (spurious, answer)) in cases.into_iter().enumerate() {
        let number = number as u64;
        let original = scene.later(100).data(number);
        if !spurious {
            scene.drop(original);
        }
        scene.later(1000).timeout(number, number + 1);
        let ordinal = u32::try_from(number).expect("few") + 1;
        scene.answer(ordinal, None);
        let again = scene.data_for(number, TransmitCause::Timeout);
        if spurious {
            scene.deliver(original);
        } else {
            scene.deliver(again);
        }
        let ack = scene.ack(number + 1, &[]);
        scene.later(10 * (number + 1)).deliver(ack);
        scene.answer(ordinal, answer);
        // A second answer comes too late.
        scene.answer(ordinal, Some(Spurious));
        if spurious {
            scene.deliver(again);
        }
    }
    let analysis = finish(scene);
    let metrics = &analysis.metrics;
    assert_eq!(
        (metrics.spurious_timeouts, metrics.genuine_timeouts),
        (Some(4), Some(4))
    );
    // The answers that are `None` were given by the second call.
    assert_eq!(metrics.detector_true_positives, Some(2));
    assert_eq!(metrics.detector_false_negatives, Some(2));
    assert_eq!(metrics.detector_false_positives, Some(2));
    assert_eq!(metrics.detector_true_negatives, Some(2));
    assert_eq!(metrics.detector_undecided, Some(2));
    // Delays of the decided ones: 10, 20, 40, 50, 60, 80 ms.
    assert_eq!(
        metrics.detection_delay_s.map(|delay| (delay * 1e6).round()),
        Some(45_000.0)
    );
}

#[test]
fn without_answers_every_spurious_timeout_is_missed() {
    let mut scene = scene();
    let original = scene.at(100).data(0);
    scene.at(1100).timeout(0, 1);
    scene.data_for(0, TransmitCause::Timeout);
    scene.deliver(original);
    let ack = scene.ack(1, &[]);
    scene.deliver(ack);
    let metrics = finish(scene).metrics;
    assert_eq!(
        (metrics.detector_false_negatives, metrics.detector_true_positives),
        (Some(1), Some(0))
    );
    assert_eq!(metrics.detection_delay_s, None);
}

#[test]
fn a_timeout_again_before_any_answer_is_scored_once() {
    let mut scene = scene();
    let original = scene.at(100).data(0);
    scene.at(1100).timeout(0, 1);
    scene.data_for(0, TransmitCause::Timeout);
    scene.at(3100).timeout(0, 1);
    scene.data_for(0, TransmitCause::Timeout);
    scene.deliver(original);
    let ack = scene.ack(1, &[]);
    scene.at(3150).deliver(ack);
    scene.answer(2, Some(DetectorAnswer::Spurious));
    let metrics = finish(scene).metrics;
    assert_eq!(metrics.spurious_timeouts, Some(2));
    assert_eq!(
        (metrics.detector_true_positives, metrics.detector_false_negatives),
        (Some(1), Some(0))
    );
}

#[test]
fn syn_and_fin_are_no_data() {
    let mut scene = Scene::new(Analyzer::new(Host::Server).keeping_judgements());
    scene.say(&SenderEvent::RttSample {
        rtt: Span::from_ms(100),
    });
    let syn = Segment {
        seq: scene.isn,
        flags: Flags::SYN,
        ..Segment::default()
    };
    let first = scene.send(Host::Server, syn);
    scene.drop(first);
    scene.at(3000).timeout(0, 0);
    let second = scene.send(Host::Server, syn);
    scene.at(3050).deliver(second);
    let syn_ack = Segment {
        seq: SeqNumber(900),
        ack: scene.isn.add(1),
        flags: Flags::SYN.with(Flags::ACK),
        window: 8000,
        ..Segment::default()
    };
    let syn_ack = scene.send(Host::Client, syn_ack);
    scene.at(3100).deliver(syn_ack);
    let data = scene.data(0);
    let fin = Segment {
        seq: scene.isn.add(1 + 100),
        ack: SeqNumber(901),
        flags: Flags::FIN.with(Flags::ACK),
        ..Segment::default()
    };
    let fin_lost = scene.send(Host::Server, fin);
    scene.at(3150).deliver(data);
    scene.drop(fin_lost);
    let ack = scene.ack(1, &[]);
    scene.at(3200).deliver(ack);
    scene.at(4500).timeout(1, 1);
    let fin_again = scene.send(Host::Server, fin);
    scene.at(4550).deliver(fin_again);
    let last = Segment {
        seq: SeqNumber(901),
        ack: scene.isn.add(1 + 100 + 1),
        flags: Flags::FIN.with(Flags::ACK),
        ..Segment::default()
    };
    let last = scene.send(Host::Client, last);
    scene.at(4600).deliver(last);
    let verdicts = judgements(&mut scene);
    assert_eq!(verdicts.len(), 2, "SYN and FIN are judged too: {verdicts:?}");
    let analysis = finish(scene);
    assert_eq!(
        (analysis.metrics.segments_sent, analysis.metrics.retransmissions),
        (1, 2)
    );
    assert_eq!(analysis.control_retransmissions, 2);
    assert_eq!(analysis.metrics.genuine_timeouts, Some(2));
    assert!(analysis.complete);
    assert_eq!(analysis.metrics.elapsed_s, Some(4.6));
}

#[test]
fn rates_count_what_arrives_intact() {
    let mut scene = scene();
    scene.at(100);
    let ids: Vec<u64> = (0..4).map(|number| scene.data(number)).collect();
    scene.at(200).deliver(ids[0]);
    scene.deliver(ids[2]);
    scene.corrupt(ids[3]);
    scene.drop(ids[1]);
    let again: Vec<u64> = [1, 2, 3]
        .into_iter()
        .map(|number| scene.data_for(number, TransmitCause::SackHole))
        .collect();
    for id in again {
        scene.deliver(id);
    }
    let ack = scene.ack(4, &[]);
    scene.at(850).deliver(ack);
    scene.finish(4);
    let metrics = finish(scene).metrics;
    // From the SYN to the acknowledgement of FIN: 850 ms and two times 50 ms.
    assert_eq!(metrics.elapsed_s, Some(0.95));
    assert_eq!(metrics.throughput_bps, Some(500.0 * 8.0 / 0.95));
    assert_eq!(metrics.goodput_bps, Some(400.0 * 8.0 / 0.95));
    assert_eq!((metrics.segments_sent, metrics.retransmissions), (7, 3));
}

#[test]
fn a_run_that_breaks_off_says_so() {
    let mut scene = scene();
    scene.at(100).data(0);
    scene.at(1100).timeout(0, 1);
    let again = scene.data_for(0, TransmitCause::Timeout);
    let analysis = finish(scene);
    assert!(!analysis.complete);
    assert_eq!(analysis.timeouts[0].verdict, Truth::Unknown);
    assert_eq!(analysis.retransmissions.unknown, 1);
    assert!(
        analysis
            .notes
            .iter()
            .any(|note| note.contains("FIN was not acknowledged")),
        "{:?}",
        analysis.notes
    );
    assert_eq!(again, 4);
}

#[test]
fn comments_say_what_happened() {
    let mut scene = scene();
    let original = scene.at(100).data(0);
    let lost = scene.data(1);
    scene.at(110).drop_by(lost, DropCause::QueueOverflow);
    scene.at(1100).timeout(0, 2);
    scene.data_for(0, TransmitCause::Timeout);
    scene.data_for(1, TransmitCause::AfterTimeout);
    scene.at(12_345).deliver(original);
    let ack = scene.ack(1, &[]);
    scene.at(12_400).deliver(ack);
    let comments: Vec<String> = scene
        .observer
        .take_judgements()
        .map(|judgement| judgement.comment())
        .collect();
    assert_eq!(
        comments,
        [
            "windlull: retransmission, necessary (data-lost): original lost at 0.110 s (queue-overflow); \
             cause: after-timeout",
            "windlull: retransmission, unnecessary (delayed): original delivered at 12.345 s; cause: timeout",
        ]
    );
}

#[test]
fn a_silent_senders_timeouts_and_fast_retransmits_are_inferred() {
    let mut scene = Scene::new(Analyzer::new(Host::Server));
    scene.handshake();
    scene.at(100);
    let originals: Vec<u64> = (0..5).map(|number| scene.data(number)).collect();
    scene.drop(originals[0]);
    for (number, &original) in (1..).zip(&originals[1..]) {
        scene.later(20).deliver(original);
        let ack = scene.ack(0, &[]);
        scene.later(20).deliver(ack);
        if number == 3 {
            // On the third duplicate: a fast retransmit. It is lost too.
            let again = scene.data(0);
            scene.drop(again);
        }
    }
    // A retransmission on an acknowledgement is none of both.
    scene.at(1500);
    let third = scene.data(0);
    scene.at(1550).deliver(third);
    let ack = scene.ack(5, &[]);
    scene.at(1600).deliver(ack);
    let analysis = finish(scene);
    assert_eq!(analysis.fast_retransmits.len(), 1);
    assert!(analysis.fast_retransmits[0].inferred);
    assert_eq!(analysis.fast_retransmits[0].verdict, Truth::Genuine);
    assert_eq!(analysis.timeouts.len(), 1);
    let timeout = &analysis.timeouts[0];
    assert!(timeout.inferred);
    assert_eq!(
        (timeout.verdict, timeout.rto_ns, timeout.ordinal),
        (Truth::Genuine, None, 1)
    );
    assert!(
        analysis.notes.iter().any(|note| note.contains("timeouts are inferred")),
        "{:?}",
        analysis.notes
    );
}

#[test]
fn going_back_after_an_inferred_timeout_makes_no_further_ones() {
    let mut scene = Scene::new(Analyzer::new(Host::Server));
    scene.handshake();
    scene.at(100);
    let originals: Vec<u64> = (0..4).map(|number| scene.data(number)).collect();
    scene.at(1100).data(0);
    for (number, &original) in originals.iter().enumerate() {
        scene.at(1200 + 40 * number as u64).deliver(original);
        let ack = scene.ack(number as u64 + 1, &[]);
        scene.later(20).deliver(ack);
        if number < 3 {
            scene.data(number as u64 + 1);
        }
    }
    let analysis = finish(scene);
    assert_eq!(analysis.timeouts.len(), 1, "{:?}", analysis.timeouts);
    assert_eq!(analysis.timeouts[0].verdict, Truth::Spurious);
    assert_eq!(analysis.fast_retransmits.len(), 0);
    assert_eq!(analysis.metrics.unnecessary_retransmissions, Some(4));
}
