//! A link that is changed by hand; every time worked out by hand, one nanosecond before each deadline and at it.

use crate::support::{Probe, Story, at, constant, impaired, just_before, link, ms, probe, rate};
use windlull_link::model::{Action, ImpairmentKind, LinkModel, Scope, ScriptEntry, Trigger};
use windlull_link::preview::Pace;
use windlull_link::{ChangeId, Link, LiveChange};
use windlull_units::{BitRate, Direction, DropCause, LinkEvent, Outcome, Seed, Span, Time};

/// A link under a driver, an octet a millisecond and 50 ms, with all that it tells.
struct Driver {
    link: Link<Probe>,
    story: Story,
}

impl Driver {
    fn on(model: &LinkModel) -> Self {
        Self {
            link: Link::by_hand(model, Seed::new(1)),
            story: Story::default(),
        }
    }

    fn until(&mut self, now: Time) {
        self.link.advance(now, &mut self.story);
        self.story
            .deliveries
            .extend(std::iter::from_fn(|| self.link.pop_delivery()));
    }

    fn send(&mut self, now: Time, octets: u64) {
        self.link.send(now, Direction::Down, probe(octets), &mut self.story);
    }

    fn change(&mut self, now: Time, id: u64, action: Action, lasts: Option<u64>) {
        let change = LiveChange {
            direction: Some(Direction::Down),
            action,
            lasts: lasts.map(Span::from_ms),
        };
        self.link.change(now, ChangeId(id), change, &mut self.story);
    }

    fn take_back(&mut self, now: Time, id: u64) -> bool {
        self.link.take_back(now, ChangeId(id), &mut self.story)
    }

    /// Nothing more arrives until just before `due`; then so many packets do.
    fn expect_at(&mut self, due: Time, packets: usize) {
        let before = self.story.deliveries.len();
        self.until(just_before(due));
        assert_eq!(self.story.deliveries.len(), before, "just before {due}");
        self.until(due);
        assert_eq!(self.story.deliveries.len(), before + packets, "at {due}");
    }

    fn rate(&self) -> Pace {
        self.link.condition(Direction::Down).rate
    }
}

fn thousands(bps: u64) -> BitRate {
    rate(bps * 1000)
}

#[test]
fn until_it_is_changed_it_is_the_same_link() {
    let mut driver = Driver::on(&link());
    driver.send(ms(0), 100);
    driver.send(ms(0), 100);
    driver.expect_at(ms(150), 1);
    driver.expect_at(ms(250), 1);
}

#[test]
fn a_hold_keeps_everything_for_its_time_and_releases_it_in_order() {
    let mut driver = Driver::on(&link());
    driver.send(ms(0), 100);
    driver.change(ms(120), 1, Action::Hold, Some(1_000));
    driver.send(ms(200), 100);
    assert!(driver.link.condition(Direction::Down).held);
    assert!(!driver.link.condition(Direction::Up).held);
    driver.expect_at(ms(1_120), 2);
    assert!(!driver.link.condition(Direction::Down).held);
    let direction = Direction::Down;
    let name = || "hand 1".to_owned();
    let until = ms(1_120);
    let seen: Vec<_> = driver
        .story
        .events
        .iter()
        .filter(|(now, _)| *now > ms(0))
        .cloned()
        .collect();
    assert_eq!(
        seen,
        [
            (
                ms(120),
                LinkEvent::HoldBegan {
                    direction,
                    name: name(),
                    until
                }
            ),
            (
                until,
                LinkEvent::HoldEnded {
                    direction,
                    name: name()
                }
            ),
        ]
    );
    assert!(!driver.take_back(ms(1_120), 1), "it is over");
}

#[test]
fn a_hold_without_end_lasts_until_it_is_taken_back() {
    let mut driver = Driver::on(&link());
    driver.send(ms(0), 100);
    driver.change(ms(10), 1, Action::Hold, None);
    driver.until(just_before(ms(90_000)));
    assert!(driver.story.deliveries.is_empty());
    assert_eq!(driver.link.poll_at(), None, "nothing will ever happen by itself");
    assert!(driver.take_back(ms(90_000), 1));
    driver.until(ms(90_000));
    assert_eq!(driver.story.deliveries.len(), 1);
    let (now, last) = driver.story.events.last().expect("events");
    assert_eq!(*now, ms(90_000));
    assert!(matches!(last, LinkEvent::HoldEnded { name, .. } if name == "hand 1"));
}

#[test]
fn of_two_holds_that_overlap_the_end_of_one_releases_nothing() {
    let mut driver = Driver::on(&link());
    driver.send(ms(0), 100);
    driver.change(ms(10), 1, Action::Hold, None);
    driver.change(ms(20), 2, Action::Hold, Some(480));
    assert!(driver.take_back(ms(300), 1));
    driver.expect_at(ms(500), 1);
}

#[test]
fn both_directions_are_held_at_once() {
    let mut driver = Driver::on(&link());
    driver.link.send(ms(0), Direction::Up, probe(10), &mut driver.story);
    driver.send(ms(0), 10);
    let both = LiveChange {
        direction: None,
        action: Action::Hold,
        lasts: Some(Span::from_ms(200)),
    };
    driver.link.change(ms(5), ChangeId(1), both, &mut driver.story);
    driver.expect_at(ms(205), 2);
}

#[test]
fn an_outage_loses_what_meets_the_channel_in_its_time() {
    let mut driver = Driver::on(&link());
    for _ in 0..3 {
        driver.send(ms(0), 100);
    }
    // Last bits leave at 100, 200, 300: the first instant belongs to the outage, its end does not.
    driver.change(ms(100), 1, Action::Drop, Some(200));
    driver.until(ms(1_000));
    let lost = driver.story.lost_by(DropCause::Outage);
    assert_eq!(lost, [1]);
    assert_eq!(
        driver.story.fate(1).outcome,
        Outcome::Dropped {
            at: ms(200),
            by: DropCause::Outage
        }
    );
    driver.change(ms(1_000), 2, Action::Drop, None);
    driver.send(ms(2_000), 100);
    assert!(driver.link.condition(Direction::Down).dropping);
    driver.until(ms(2_200));
    assert!(driver.take_back(ms(2_200), 2));
    assert_eq!(driver.story.lost_by(DropCause::Outage), [1, 3]);
    driver.send(ms(2_200), 100);
    driver.expect_at(ms(2_350), 1);
}

#[test]
fn a_rate_applies_to_the_rest_of_the_packet_and_goes_back() {
    let mut driver = Driver::on(&link());
    driver.send(ms(0), 100);
    // 40 octets in 40 ms, then 20 in 40 ms, then 40 in 40 ms.
    driver.change(ms(40), 1, Action::SetRate(thousands(4)), Some(40));
    assert_eq!(driver.rate(), Pace::At(thousands(4)));
    driver.expect_at(ms(40 + 40 + 40 + 50), 1);
    assert_eq!(driver.rate(), Pace::At(thousands(8)));
}

#[test]
fn what_ends_gives_back_to_what_is_still_in_force() {
    let mut driver = Driver::on(&link());
    driver.change(ms(10), 1, Action::SetRate(thousands(4)), None);
    driver.change(ms(20), 2, Action::SetRate(thousands(2)), Some(100));
    driver.until(just_before(ms(120)));
    assert_eq!(driver.rate(), Pace::At(thousands(2)));
    driver.until(ms(120));
    assert_eq!(driver.rate(), Pace::At(thousands(4)));
    assert!(driver.take_back(ms(200), 1));
    assert_eq!(driver.rate(), Pace::At(thousands(8)));
}

#[test]
fn a_hand_goes_before_the_script() {
    let mut model = link();
    model.script = vec![at(100, Some(200), Action::SetRate(thousands(1)))];
    let mut driver = Driver::on(&model);
    driver.change(ms(50), 1, Action::SetRate(thousands(4)), Some(100));
    driver.until(ms(100));
    assert_eq!(driver.rate(), Pace::At(thousands(4)), "the script waits");
    driver.until(just_before(ms(150)));
    assert_eq!(driver.rate(), Pace::At(thousands(4)));
    driver.until(ms(150));
    assert_eq!(driver.rate(), Pace::At(thousands(1)), "now it is the script's turn");
    driver.until(ms(300));
    assert_eq!(driver.rate(), Pace::At(thousands(8)));
}

#[test]
fn a_delay_is_that_of_packets_yet_to_be_sent() {
    let mut driver = Driver::on(&link());
    driver.send(ms(0), 100);
    driver.send(ms(0), 100);
    driver.change(ms(100), 1, Action::SetDelay(Span::from_ms(500)), None);
    // The first has its last bit sent at 100, before the change of that instant.
    driver.expect_at(ms(150), 1);
    driver.expect_at(ms(700), 1);
    assert_eq!(driver.link.condition(Direction::Down).delay, Some(Span::from_ms(500)));
    assert!(driver.take_back(ms(700), 1));
    assert_eq!(driver.link.condition(Direction::Down).delay, Some(Span::from_ms(50)));
}

#[test]
fn loss_is_set_and_taken_back() {
    let mut driver = Driver::on(&link());
    driver.change(ms(0), 1, Action::SetLoss(1.0), Some(1_000));
    for number in 0..12 {
        driver.send(ms(number * 100), 100);
    }
    driver.until(ms(5_000));
    // Last bits leave at 100, 200 and so on; those of 100 to 900 are lost.
    assert_eq!(driver.story.lost_by(DropCause::RandomLoss), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(driver.story.deliveries.len(), 3);
}

#[test]
fn an_unlimited_link_can_be_given_a_rate_and_loses_it_again() {
    let mut model = link();
    model.down.rate = None;
    let mut driver = Driver::on(&model);
    assert_eq!(driver.rate(), Pace::Unlimited);
    driver.change(ms(0), 1, Action::SetRate(thousands(8)), Some(100));
    driver.send(ms(0), 200);
    driver.send(ms(0), 200);
    let waits = driver.link.condition(Direction::Down);
    assert_eq!((waits.queued_packets, waits.queued_octets.get()), (1, 200));
    // At 100 the first is half sent; then nothing limits it, nor the second.
    driver.expect_at(ms(150), 2);
    assert_eq!(driver.rate(), Pace::Unlimited);
}

#[test]
fn a_link_that_is_changed_ten_thousand_times_grows_no_more_than_by_what_is_on() {
    let mut driver = Driver::on(&link());
    for number in 0..10_000 {
        driver.change(ms(number), number, Action::Hold, Some(2));
    }
    driver.send(ms(10_000), 100);
    driver.expect_at(ms(10_150), 1);
    // Three are on at once at most: the names of later ones replace theirs.
    let names: std::collections::BTreeSet<_> = driver
        .story
        .events
        .iter()
        .filter_map(|(_, event)| match event {
            LinkEvent::HoldBegan { name, .. } => Some(name.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(names.len(), 10_000);
    let size = format!("{:?}", driver.link).len();
    assert!(size < 20_000, "the link has grown to {size} letters");
}

// --- what is in force ------------------------------------------------------------------------------------------------

fn loss_of(driver: &Driver, direction: Direction) -> f64 {
    driver.link.condition(direction).loss
}

fn near(found: f64, wanted: f64) {
    assert!((found - wanted).abs() < 1e-12, "{found}, not {wanted}");
}

#[test]
fn the_loss_in_force_is_that_of_all_that_lose_by_themselves() {
    let mut model = link();
    model.impairments = vec![
        impaired(
            "air",
            Scope::One(Direction::Down),
            ImpairmentKind::Loss { probability: 0.01 },
        ),
        impaired("wire", Scope::Each, ImpairmentKind::Loss { probability: 0.1 }),
        // What depends on the packet has no value at a time.
        impaired("noise", Scope::Each, ImpairmentKind::BitError { rate: 1e-3 }),
    ];
    let mut driver = Driver::on(&model);
    near(loss_of(&driver, Direction::Down), 1.0 - 0.99 * 0.9);
    near(loss_of(&driver, Direction::Up), 0.1);
    driver.change(ms(10), 1, Action::SetLoss(0.5), Some(100));
    near(loss_of(&driver, Direction::Down), 1.0 - 0.99 * 0.9 * 0.5);
    driver.change(ms(20), 2, Action::Drop, Some(30));
    near(loss_of(&driver, Direction::Down), 1.0);
    driver.until(ms(50));
    near(loss_of(&driver, Direction::Down), 1.0 - 0.99 * 0.9 * 0.5);
    driver.until(ms(110));
    near(loss_of(&driver, Direction::Down), 1.0 - 0.99 * 0.9);
}

#[test]
fn the_loss_in_force_follows_states_in_time() {
    let mut model = link();
    let kind = ImpairmentKind::TwoState {
        good: constant(1000),
        bad: constant(500),
        loss_good: 0.25,
        loss_bad: 0.75,
    };
    model.impairments = vec![impaired("bursts", Scope::Shared, kind)];
    let mut driver = Driver::on(&model);
    for (now, loss) in [(999, 0.25), (1000, 0.75), (1499, 0.75), (1500, 0.25), (2500, 0.75)] {
        driver.until(ms(now));
        near(loss_of(&driver, Direction::Down), loss);
        near(loss_of(&driver, Direction::Up), loss);
    }
}

#[test]
fn the_loss_in_force_follows_states_that_packets_move() {
    let mut model = link();
    let kind = ImpairmentKind::GilbertElliott {
        to_bad: 1.0,
        to_good: 1.0,
        loss_good: 0.125,
        loss_bad: 0.5,
    };
    model.impairments = vec![impaired("fading", Scope::One(Direction::Down), kind)];
    let mut driver = Driver::on(&model);
    for (now, loss) in [(0, 0.125), (200, 0.5), (400, 0.125)] {
        driver.until(ms(now));
        near(loss_of(&driver, Direction::Down), loss);
        driver.send(ms(now), 100);
    }
    near(loss_of(&driver, Direction::Up), 0.0);
}

#[test]
fn the_delay_in_force_has_what_the_script_adds() {
    let mut model = link();
    model.script = vec![ScriptEntry {
        scope: Scope::One(Direction::Down),
        trigger: Trigger::At {
            at: ms(100),
            lasts: Some(Span::from_ms(50)),
        },
        action: Action::Delay(Span::from_ms(30)),
    }];
    let mut driver = Driver::on(&model);
    let delay = |driver: &Driver| driver.link.condition(Direction::Down).delay;
    for (now, wanted) in [(99, 50), (100, 80), (149, 80), (150, 50)] {
        driver.until(ms(now));
        assert_eq!(delay(&driver), Some(Span::from_ms(wanted)), "at {now} ms");
    }
    assert_eq!(driver.link.condition(Direction::Up).delay, Some(Span::from_ms(50)));
    driver.change(ms(200), 1, Action::SetDelay(Span::from_ms(5)), None);
    assert_eq!(delay(&driver), Some(Span::from_ms(5)));
}
