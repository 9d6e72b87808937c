//! The verdicts against their definition, on random runs: an oracle that sees the whole run and looks at every octet.

use proptest::prelude::*;
use windlull_analysis::{Analyzer, Episode, Reason, RunAnalysis, Truth, Verdict};
use windlull_capture::Observer;
use windlull_units::{Bytes, Direction, DropCause, Fate, Host, Outcome, PacketId, Span, Time};
use windlull_wire::{Flags, Segment, SenderEvent, SeqNumber};

const ISN: SeqNumber = SeqNumber(u32::MAX - 20);

/// What happens next; numbers choose among what is possible.
#[derive(Clone, Debug)]
enum Step {
    /// New data.
    Send(u64),
    /// Data from so far behind the highest octet, of this length.
    Resend(u64, u64),
    /// A packet in flight to the receiver ends.
    Data(usize, bool),
    /// The receiver acknowledges.
    Ack,
    /// An acknowledgement in flight ends.
    AckEnds(usize, bool),
    /// The sender's timer runs out.
    Timeout,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1_u64..4).prop_map(Step::Send),
        3 => (1_u64..12, 1_u64..5).prop_map(|(back, len)| Step::Resend(back, len)),
        6 => (0_usize..4, prop::bool::weighted(0.7)).prop_map(|(which, ok)| Step::Data(which, ok)),
        4 => Just(Step::Ack),
        4 => (0_usize..3, prop::bool::weighted(0.6)).prop_map(|(which, ok)| Step::AckEnds(which, ok)),
        1 => Just(Step::Timeout),
    ]
}

/// A copy of octets, or an acknowledgement, as the oracle remembers it. Moments count the events of the run.
#[derive(Clone, Copy, Debug)]
struct Copy {
    id: u64,
    start: u64,
    end: u64,
    sent: usize,
    delivered: Option<usize>,
    ended: bool,
    again: bool,
}

#[derive(Clone, Copy, Debug)]
struct Ack {
    id: u64,
    next: u64,
    sent: usize,
    delivered: Option<bool>,
}

#[derive(Default)]
struct Run {
    moment: usize,
    copies: Vec<Copy>,
    acks: Vec<Ack>,
    /// Moment and first unacknowledged octet, and the end of that octet's first copy.
    timeouts: Vec<(usize, u64, u64)>,
    next_id: u64,
    max: u64,
    acknowledged: u64,
}

impl Run {
    fn copy_delivered_before(&self, octet: u64, before: usize) -> Option<usize> {
        let copies = self
            .copies
            .iter()
            .filter(|copy| copy.sent < before && copy.start <= octet && octet < copy.end);
        copies.filter_map(|copy| copy.delivered).min()
    }

    /// Necessary, or why not; `None` if the run ended too soon to tell.
    fn judge(&self, start: u64, end: u64, opened: usize) -> Option<(Verdict, Option<Reason>)> {
        let mut had = 0;
        for octet in start..end {
            let earlier = self
                .copies
                .iter()
                .filter(|it| it.sent < opened && it.start <= octet && octet < it.end);
            match self.copy_delivered_before(octet, opened) {
                Some(moment) => had = had.max(moment),
                None if earlier.clone().all(|copy| copy.ended) => {
                    return Some((Verdict::Necessary, Some(Reason::DataLost)));
                }
                None => {}
            }
        }
        if (start..end).any(|octet| self.copy_delivered_before(octet, opened).is_none()) {
            return None;
        }
        let closed = self
            .copies
            .iter()
            .filter(|copy| copy.sent >= opened)
            .filter_map(|copy| copy.delivered)
            .min();
        let tells = |ack: &&Ack| ack.sent >= had && closed.is_none_or(|closed| ack.sent < closed) && ack.next >= end;
        let telling = self.acks.iter().filter(tells);
        if telling.clone().any(|ack| ack.delivered == Some(true)) {
            return Some((Verdict::Unnecessary, Some(Reason::Delayed)));
        }
        let reason = match telling.clone().count() {
            0 => Some(Reason::Delayed),
            _ if telling.clone().all(|ack| ack.delivered == Some(false)) => Some(Reason::AckLost),
            _ => None,
        };
        Some((Verdict::Unnecessary, reason))
    }
}

fn number(offset: u64) -> SeqNumber {
    ISN.add(1).add(u32::try_from(offset).expect("small"))
}

fn fate(id: u64, direction: Direction, moment: usize, delivered: bool) -> Fate {
    let at = Time::from_ns(moment as u64);
    let outcome = if delivered {
        Outcome::Delivered { at }
    } else {
        Outcome::Dropped {
            at,
            by: DropCause::Chosen,
        }
    };
    Fate {
        started: Some(at),
        sent: Some(at),
        ..Fate::plain(PacketId(id), direction, Bytes::new(100), at, outcome)
    }
}

fn data_segment(start: u64, end: u64) -> Segment {
    Segment {
        seq: number(start),
        flags: Flags::ACK,
        payload_len: u32::try_from(end - start).expect("short"),
        ..Segment::default()
    }
}

fn ack_segment(next: u64) -> Segment {
    Segment {
        ack: number(next),
        flags: Flags::ACK,
        window: 1000,
        ..Segment::default()
    }
}

fn play(steps: &[Step], analyzer: &mut Analyzer) -> Run {
    let mut run = Run::default();
    let syn = Segment {
        seq: ISN,
        flags: Flags::SYN,
        ..Segment::default()
    };
    analyzer.sent(Time::ZERO, Host::Server, PacketId(0), &syn, None);
    analyzer.fate(&fate(0, Direction::Down, 0, true));
    analyzer.arrived(Time::ZERO, Host::Client, PacketId(0), &syn);
    let answer = Segment {
        flags: Flags::SYN.with(Flags::ACK),
        ..ack_segment(0)
    };
    analyzer.sent(Time::ZERO, Host::Client, PacketId(1), &answer, None);
    analyzer.fate(&fate(1, Direction::Up, 0, true));
    analyzer.arrived(Time::ZERO, Host::Server, PacketId(1), &answer);
    analyzer.sender(Time::ZERO, Host::Server, &SenderEvent::RttSample { rtt: Span::ZERO });
    run.next_id = 2;
    for step in steps {
        run.moment += 1;
        let now = Time::from_ns(run.moment as u64);
        match *step {
            Step::Send(len) => send(&mut run, analyzer, run_range(len)),
            Step::Resend(back, len) => {
                let start = run.max.saturating_sub(back).max(run.acknowledged);
                let end = (start + len).min(run.max);
                if start < end {
                    send(&mut run, analyzer, |_| (start, end));
                }
            }
            Step::Data(which, ok) => {
                let flying: Vec<usize> = (0..run.copies.len())
                    .filter(|&place| !run.copies[place].ended)
                    .collect();
                let Some(&place) = flying.get(which) else { continue };
                let moment = run.moment;
                let copy = &mut run.copies[place];
                copy.ended = true;
                copy.delivered = ok.then_some(moment);
                analyzer.fate(&fate(copy.id, Direction::Down, moment, ok));
                if ok {
                    analyzer.arrived(
                        now,
                        Host::Client,
                        PacketId(copy.id),
                        &data_segment(copy.start, copy.end),
                    );
                }
            }
            Step::Ack => {
                let next = (0..)
                    .find(|&octet| run.copy_delivered_before(octet, usize::MAX).is_none())
                    .expect("finite");
                let id = run.next_id;
                run.next_id += 1;
                run.acks.push(Ack {
                    id,
                    next,
                    sent: run.moment,
                    delivered: None,
                });
                analyzer.sent(now, Host::Client, PacketId(id), &ack_segment(next), None);
            }
            Step::AckEnds(which, ok) => {
                let flying: Vec<usize> = (0..run.acks.len())
                    .filter(|&it| run.acks[it].delivered.is_none())
                    .collect();
                let Some(&place) = flying.get(which) else { continue };
                let ack = &mut run.acks[place];
                ack.delivered = Some(ok);
                analyzer.fate(&fate(ack.id, Direction::Up, run.moment, ok));
                if ok {
                    analyzer.arrived(now, Host::Server, PacketId(ack.id), &ack_segment(ack.next));
                    run.acknowledged = run.acknowledged.max(ack.next);
                }
            }
            Step::Timeout => {
                let una = run.acknowledged;
                let Some(first) = run.copies.iter().find(|copy| copy.start <= una && una < copy.end) else {
                    continue;
                };
                let end = first.end;
                run.timeouts.push((run.moment, una, end));
                let ordinal = u32::try_from(run.timeouts.len()).expect("few");
                let event = SenderEvent::Timeout {
                    ordinal,
                    una,
                    max: run.max,
                    rto: Span::ZERO,
                    backoff: 0,
                    rule: None,
                };
                analyzer.sender(now, Host::Server, &event);
            }
        }
    }
    run
}

fn run_range(len: u64) -> impl Fn(&Run) -> (u64, u64) {
    move |run| (run.max, run.max + len)
}

fn send(run: &mut Run, analyzer: &mut Analyzer, range: impl Fn(&Run) -> (u64, u64)) {
    let (start, end) = range(run);
    let id = run.next_id;
    run.next_id += 1;
    let again = start < run.max;
    run.max = run.max.max(end);
    run.copies.push(Copy {
        id,
        start,
        end,
        sent: run.moment,
        delivered: None,
        ended: false,
        again,
    });
    let now = Time::from_ns(run.moment as u64);
    analyzer.sent(now, Host::Server, PacketId(id), &data_segment(start, end), None);
}

/// Episodes follow one another, and share out all that went wrong among them.
fn check_episodes(analysis: &RunAnalysis) {
    let episodes = analysis.episodes.as_deref().expect("they were asked for");
    for (number, episode) in (1..).zip(episodes) {
        assert_eq!(episode.number, number);
        let last = episode.recovered_ns.unwrap_or(Time::NEVER);
        assert!(episode.onset_ns <= last);
        let within = |at: Time| (episode.onset_ns..=last).contains(&at);
        assert!(episode.timeouts.iter().all(|timeout| within(timeout.at_ns)));
        assert!(
            episode.story.iter().all(|sentence| within(sentence.at_ns)),
            "{episode:?}"
        );
        assert!(episode.story.is_sorted_by_key(|sentence| sentence.at_ns));
        let counts = &episode.retransmissions;
        assert_eq!(counts.segments, counts.necessary + counts.unnecessary + counts.unknown);
    }
    for pair in episodes.windows(2) {
        assert!(
            pair[0]
                .recovered_ns
                .is_some_and(|recovered| recovered <= pair[1].onset_ns)
        );
    }
    let timeouts: Vec<_> = episodes.iter().flat_map(|episode| episode.timeouts.clone()).collect();
    assert_eq!(timeouts, analysis.timeouts, "each timeout is in one episode");
    let sum = |of: fn(&Episode) -> u64| episodes.iter().map(of).sum::<u64>();
    assert_eq!(sum(|it| it.retransmissions.segments), analysis.metrics.retransmissions);
    assert_eq!(
        sum(|it| it.retransmissions.necessary),
        analysis.retransmissions.necessary
    );
    assert_eq!(sum(|it| it.retransmissions.unknown), analysis.retransmissions.unknown);
    assert!(sum(|it| it.cost.packets_lost.unwrap_or(0)) <= analysis.metrics.packets_lost.unwrap_or(0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn verdicts_are_what_their_definition_says(steps in proptest::collection::vec(step(), 0..60)) {
        let mut analyzer = Analyzer::new(Host::Server).keeping_judgements().telling_episodes();
        let run = play(&steps, &mut analyzer);
        let analysis = analyzer.finish();
        check_episodes(&analysis);
        let judgements: Vec<_> = analyzer.take_judgements().collect();
        let again: Vec<&Copy> = run.copies.iter().filter(|copy| copy.again).collect();
        prop_assert_eq!(judgements.len(), again.len(), "each retransmission is judged once");
        for copy in again {
            let judgement = judgements.iter().find(|it| it.id.0 == copy.id).expect("it is judged");
            let expected = run.judge(copy.start, copy.end, copy.sent).unwrap_or((Verdict::Unknown, None));
            prop_assert_eq!((judgement.verdict, judgement.reason), expected, "{:?}", copy);
        }
        prop_assert_eq!(analysis.timeouts.len(), run.timeouts.len());
        for (record, &(moment, una, end)) in analysis.timeouts.iter().zip(&run.timeouts) {
            let expected = match run.judge(una, end, moment) {
                Some((Verdict::Necessary, reason) | (_, reason @ Some(Reason::AckLost))) => {
                    (Truth::Genuine, reason)
                }
                Some((Verdict::Unnecessary, reason @ Some(_))) => (Truth::Spurious, reason),
                _ => (Truth::Unknown, None),
            };
            prop_assert_eq!((record.verdict, record.reason), expected, "{:?}", record);
        }
    }
}
