//! The preview of a link: what it tells, and that runs with traffic meet the same.

use crate::support::{at, constant, down, link, ms, on, play, probe, rate};
use proptest::prelude::*;
use windlull_link::model::{
    Action, Distribution, Impairment, ImpairmentKind, LinkModel, Onset, QueueLimit, RateModel, Scope, Selector,
};
use windlull_link::parse_trace;
use windlull_link::preview::{MOST_TURNS, Pace, Spell, SpellKind, preview};
use windlull_units::{Direction, LinkEvent, Seed, Span, Time};

const SEED: Seed = Seed::new(7);

fn exponential(mean_ms: u64) -> Distribution<Span> {
    let mean = Span::from_ms(mean_ms);
    Distribution::Exponential { mean }
}

fn hold_every(every: Distribution<Span>, length: Distribution<Span>) -> ImpairmentKind {
    let every = Onset::Renewal(every);
    ImpairmentKind::Hold { every, length }
}

fn spell(kind: SpellKind, name: &str, from: u64, until: Option<u64>) -> Spell {
    let (name, from, until) = (name.to_owned(), ms(from), until.map(ms));
    Spell {
        kind,
        name,
        from,
        until,
    }
}

#[test]
fn a_link_on_which_nothing_happens_has_one_step_of_each() {
    let previewed = preview(&link(), SEED, Span::from_secs(60));
    assert_eq!(previewed.down, previewed.up);
    assert_eq!(previewed.down.rate, [(Time::ZERO, Pace::At(rate(8000)))]);
    assert_eq!(previewed.down.delay, [(Time::ZERO, Some(Span::from_ms(50)))]);
    assert_eq!(previewed.down.queue, [(Time::ZERO, QueueLimit::Unlimited)]);
    assert_eq!(previewed.down.loss, [(Time::ZERO, 0.0)]);
    assert_eq!(previewed.down.kept_back, [(Time::ZERO, Span::ZERO)]);
    assert!(previewed.down.spells.is_empty() && previewed.down.drawn.is_none());
    assert_eq!((previewed.until, previewed.capped), (ms(60_000), false));
}

#[test]
fn the_script_sets_and_gives_back() {
    let mut model = link();
    model.up.rate = None;
    model.script = vec![
        at(100, Some(50), Action::SetRate(rate(500))),
        at(200, Some(50), Action::SetDelay(Span::from_ms(9))),
        at(300, None, Action::SetQueue(QueueLimit::Packets(3))),
        at(400, Some(50), Action::SetLoss(0.5)),
        at(450, Some(50), Action::SetLoss(0.25)),
        at(600, Some(10), Action::Hold),
        at(700, Some(10), Action::Drop),
        at(900, Some(10_000), Action::Hold),
    ];
    for entry in &mut model.script {
        entry.scope = Scope::Each;
    }
    let previewed = preview(&model, SEED, Span::from_secs(1));
    let down = &previewed.down;
    assert_eq!(
        down.rate,
        [
            (ms(0), Pace::At(rate(8000))),
            (ms(100), Pace::At(rate(500))),
            (ms(150), Pace::At(rate(8000)))
        ]
    );
    assert_eq!(
        previewed.up.rate,
        [
            (ms(0), Pace::Unlimited),
            (ms(100), Pace::At(rate(500))),
            (ms(150), Pace::Unlimited)
        ]
    );
    let delays = [(0, 50), (200, 9), (250, 50)].map(|(from, delay)| (ms(from), Some(Span::from_ms(delay))));
    assert_eq!(down.delay, delays);
    assert_eq!(
        down.queue,
        [(ms(0), QueueLimit::Unlimited), (ms(300), QueueLimit::Packets(3))]
    );
    assert_eq!(
        down.loss,
        [(ms(0), 0.0), (ms(400), 0.5), (ms(450), 0.25), (ms(500), 0.0)]
    );
    let spells = [
        spell(SpellKind::Hold, "script 6", 600, Some(610)),
        spell(SpellKind::Outage, "script 7", 700, Some(710)),
        spell(SpellKind::Hold, "script 8", 900, Some(10_900)),
    ];
    assert_eq!(down.spells, spells);
    assert_eq!(previewed.up.spells, spells);
}

#[test]
fn a_scripted_hold_without_an_end_has_none() {
    let mut model = link();
    model.script = vec![at(100, None, Action::Hold)];
    let previewed = preview(&model, SEED, Span::from_secs(1));
    assert_eq!(previewed.down.spells, [spell(SpellKind::Hold, "script 1", 100, None)]);
}

#[test]
fn a_trace_tells_its_rate_by_windows_and_that_nothing_goes() {
    let mut model = link();
    // Ten opportunities in the first half second, none in the next: 10 x 1504 octets in 500 ms.
    let trace = "50\n100\n150\n200\n250\n300\n350\n400\n450\n499\n1000\n";
    model.down.rate = Some(parse_trace(trace).expect("a trace"));
    let previewed = preview(&model, SEED, Span::from_ms(999));
    assert_eq!(
        previewed.down.rate,
        [(ms(0), Pace::At(rate(10 * 1504 * 8 * 2))), (ms(500), Pace::Nothing)]
    );
}

#[test]
fn steps_are_told_as_they_come() {
    let mut model = link();
    let steps = vec![(ms(0), rate(300)), (ms(70), rate(10))];
    let period = Some(Span::from_ms(100));
    model.down.rate = Some(RateModel::Stepped { steps, period });
    let previewed = preview(&model, SEED, Span::from_ms(199));
    let expected = [(0, 300), (70, 10), (100, 300), (170, 10)];
    assert_eq!(
        previewed.down.rate,
        expected.map(|(from, bps)| (ms(from), Pace::At(rate(bps))))
    );
}

#[test]
fn a_random_delay_has_the_quantiles_of_what_packets_draw() {
    let mut model = link();
    let mean = Span::from_ms(100);
    model.down.delay = Distribution::Exponential { mean };
    let previewed = preview(&model, SEED, Span::from_secs(1));
    assert_eq!(previewed.down.delay, [(Time::ZERO, None)]);
    let drawn = previewed.down.drawn.expect("it is random");
    // -ln(1 - p) of the mean: 5.13, 69.3 and 299.6 ms; 10,000 draws miss them by no more than 6 %.
    for (drawn, expected) in [(drawn.p5, 5.129), (drawn.p50, 69.31), (drawn.p95, 299.6)] {
        let drawn = drawn.as_secs_f64() * 1000.0;
        assert!((drawn / expected - 1.0).abs() < 0.06, "{drawn} ms, not {expected}");
    }
    assert!(previewed.up.drawn.is_none());
    // While the script has a delay of its own, that is it.
    model.script = vec![at(100, Some(50), Action::SetDelay(mean))];
    let previewed = preview(&model, SEED, Span::from_secs(1));
    assert_eq!(
        previewed.down.delay,
        [(ms(0), None), (ms(100), Some(mean)), (ms(150), None)]
    );
}

#[test]
fn what_happens_at_packets_is_not_here() {
    let mut model = down(ImpairmentKind::Hold {
        every: Onset::PacketWithProbability(1.0),
        length: constant(100),
    });
    model.script = vec![on(Selector::Packet(2), Some(1000), Action::Hold)];
    assert!(preview(&model, SEED, Span::from_secs(60)).down.spells.is_empty());
}

#[test]
fn too_much_is_capped_and_said_so() {
    let model = down(hold_every(constant(1), constant(1)));
    let previewed = preview(&model, SEED, Span::from_secs(1000));
    assert!(previewed.capped);
    let expected = MOST_TURNS / 2;
    assert_eq!(previewed.down.spells.len(), expected);
    assert!(previewed.down.spells.iter().all(|spell| spell.from <= previewed.until));
    // 20,000 turns, one a millisecond: up to just before the next.
    assert_eq!(previewed.until.as_ns(), 20_001 * 1_000_000 - 1);
}

/// The holds, outages and bad states that a driver with traffic is told of, up to `until`.
fn met(model: &LinkModel, seed: u64, sends: &[(u64, Direction)], until: Time) -> Vec<(Direction, Time, LinkEvent)> {
    let sends: Vec<_> = sends.iter().map(|&(at, way)| (ms(at), way, probe(100))).collect();
    let story = play(model, seed, &sends, until);
    story
        .events
        .into_iter()
        .map(|(at, event)| (event.direction(), at, event))
        .collect()
}

proptest! {
    /// Any traffic of the same seed meets the previewed holds at the same nanoseconds.
    #[test]
    fn traffic_meets_what_was_previewed(
        seed in 0..u64::MAX,
        gaps in prop::collection::vec((1..400_u64, any::<bool>()), 0..40),
    ) {
        let kinds = [
            ("spike", Scope::Shared, hold_every(exponential(900), exponential(300))),
            ("away", Scope::Each, ImpairmentKind::Drop {
                every: Onset::Renewal(exponential(700)),
                length: exponential(100),
            }),
            ("fade", Scope::One(Direction::Up), ImpairmentKind::TwoState {
                good: exponential(500),
                bad: exponential(200),
                loss_good: 0.1,
                loss_bad: 0.9,
            }),
            ("per-packet", Scope::Each, ImpairmentKind::Loss { probability: 0.2 }),
        ];
        let mut model = link();
        model.impairments = kinds
            .map(|(name, scope, kind)| Impairment { name: name.to_owned(), scope, kind })
            .to_vec();
        let mut now = 0;
        let sends: Vec<(u64, Direction)> = gaps
            .iter()
            .map(|&(gap, is_down)| {
                now += gap;
                (now, if is_down { Direction::Down } else { Direction::Up })
            })
            .collect();
        let until = ms(10_000);
        let ahead = preview(&model, Seed::new(seed), until.since(Time::ZERO));
        let mut previewed = Vec::new();
        for (direction, path) in [(Direction::Down, &ahead.down), (Direction::Up, &ahead.up)] {
            for spell in &path.spells {
                previewed.push((direction, spell.from, spell.name.clone(), true));
                previewed.extend(
                    spell
                        .until
                        .filter(|&end| end <= until)
                        .map(|end| (direction, end, spell.name.clone(), false)),
                );
            }
        }
        previewed.sort_by(|a, b| (a.1, a.0 as u8, &a.2).cmp(&(b.1, b.0 as u8, &b.2)));
        let mut happened: Vec<_> = met(&model, seed, &sends, until)
            .into_iter()
            .map(|(direction, at, event)| match event {
                LinkEvent::HoldBegan { name, .. }
                | LinkEvent::OutageBegan { name, .. }
                | LinkEvent::LossState { name, bad: true, .. } => (direction, at, name, true),
                LinkEvent::HoldEnded { name, .. }
                | LinkEvent::OutageEnded { name, .. }
                | LinkEvent::LossState { name, bad: false, .. } => (direction, at, name, false),
                other => unreachable!("{other:?}"),
            })
            .collect();
        happened.sort_by(|a, b| (a.1, a.0 as u8, &a.2).cmp(&(b.1, b.0 as u8, &b.2)));
        prop_assert_eq!(previewed, happened);
    }
}
