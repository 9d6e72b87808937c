//! Queues that the kernel's own disciplines manage.

use windlull_link::model::{
    Action, AdaptiveRedModel, CakeModel, CodelModel, DrrModel, FqCodelModel, LinkModel, PieModel, QueueLimit,
    QueueModel, QueueSize, RateModel, RedAim, RedModel, Scope, ScriptEntry, Trigger,
};
use windlull_units::{Bytes, Direction, Network, Seed, Span, Time};

use super::{compiled, rate, refused, set_up, with};
use crate::netem::{Carriage, Devices, Fidelity, Note, Request, compile_as};

/// Below HTB, down, at 10 Mbit/s.
fn queue_of(queue: QueueModel) -> LinkModel {
    with(|model| {
        model.down.rate = Some(RateModel::Constant(rate(10_000_000)));
        model.down.queue = queue;
    })
}

const HUNDRED: QueueLimit = QueueLimit::Packets(100);

fn codel_queue(limit: QueueLimit) -> QueueModel {
    QueueModel::Codel(CodelModel {
        limit,
        target: Span::from_ms(5),
        interval: Span::from_ms(100),
        ecn: false,
    })
}

const PIE: PieModel = PieModel {
    limit: HUNDRED,
    target: Span::from_ms(15),
    burst: Span::from_ms(150),
    mean_packet: Bytes::new(1_000),
    ecn: true,
};

const RED: RedModel = RedModel {
    limit: HUNDRED,
    minimum: QueueSize::Packets(5),
    maximum: QueueSize::Packets(15),
    probability: 0.1,
    weight: 0.002,
    gentle: true,
    mean_packet: Bytes::new(1_000),
    spare: None,
    ecn: true,
};

#[test]
fn a_managed_queue_is_the_kernels_below_the_rate() {
    let fq_codel = QueueModel::FqCodel(FqCodelModel {
        limit: QueueLimit::Unlimited,
        quantum: Bytes::new(1_514),
        flows: 1_024,
        target: Span::from_us(7_500),
        interval: Span::from_ms(100),
        ecn: true,
    });
    let adaptive = QueueModel::AdaptiveRed(AdaptiveRedModel {
        limit: HUNDRED,
        aim: RedAim::Delay(Span::from_ms(16)),
        weight: None,
        mean_packet: Bytes::new(1_000),
        spare: None,
        ecn: false,
    });
    let cases = [
        (
            codel_queue(HUNDRED),
            "codel limit 100 target 5000us interval 100000us noecn",
        ),
        (
            fq_codel,
            "fq_codel limit 1000000 flows 1024 quantum 1514 target 7500us interval 100000us ecn",
        ),
        (QueueModel::Pie(PIE), "pie limit 100 target 15000us ecn"),
        // 2^-9 is the power of two nearest to 0.002.
        (
            QueueModel::Red(RED),
            "red limit 100000 min 5000 max 15000 avpkt 1000 burst 65 bandwidth 10000kbit probability 0.1 ecn",
        ),
        // Half of 16 ms at 10 Mbit/s; 1 - exp(-1/1250) is nearest to 2^-10.
        (
            adaptive,
            "red limit 100000 min 10000 max 30000 avpkt 1000 burst 139 bandwidth 10000kbit adaptive",
        ),
    ];
    for (queue, expected) in cases {
        let schedule = compiled(&queue_of(queue));
        let lines: Vec<String> = schedule.setup.iter().map(ToString::to_string).collect();
        let line = format!("tc qdisc add dev down-queue parent 1:1 handle 10: {expected}");
        assert!(lines.contains(&line), "{line}\n{lines:#?}");
        assert!(schedule.notes.contains(&Note::KernelQueue));
        let is_red = expected.starts_with("red");
        assert_eq!(schedule.notes.contains(&Note::KernelRed), is_red, "{expected}");
    }
}

/// As iproute2 works it out (tc/tc_red.c).
fn weight_by_tc(minimum: f64, burst: f64) -> i32 {
    let excess = burst + 1.0 - minimum;
    let passes = |log: &i32| {
        let weight = 0.5_f64.powi(*log);
        excess <= (1.0 - (1.0 - weight).powf(burst)) / weight
    };
    (1..32).find(passes).expect("tc finds a weight")
}

#[test]
fn the_burst_of_red_gives_the_weight_that_was_asked_for() {
    for (weight, log) in [(0.25, 2), (0.1, 3), (0.002, 9), (0.001, 10), (0.000_1, 13)] {
        for minimum in [2, 5, 30] {
            let model = queue_of(QueueModel::Red(RedModel {
                minimum: QueueSize::Packets(minimum),
                maximum: QueueSize::Packets(100),
                weight,
                ..RED
            }));
            let line = set_up(&model)
                .into_iter()
                .find(|line| line.contains(" red "))
                .expect("there is one");
            let mut words = line.split(' ').skip_while(|word| *word != "burst");
            let burst: f64 = words.nth(1).and_then(|word| word.parse().ok()).expect("a number");
            assert_eq!(
                weight_by_tc(f64::from(minimum), burst),
                log,
                "{weight} {minimum}: {line}"
            );
        }
    }
}

#[test]
fn what_the_kernels_queues_have_no_word_for_is_refused() {
    let octets = QueueLimit::Bytes(Bytes::new(100_000));
    let cases = [
        (
            codel_queue(octets),
            "the kernel's codel counts packets, not octets; give the limit in packets",
        ),
        (
            QueueModel::Pie(PieModel {
                burst: Span::from_ms(100),
                ..PIE
            }),
            "the kernel's pie lets a burst of 150 ms pass, and no other; leave `burst` out",
        ),
        (
            QueueModel::Red(RedModel {
                spare: Some(QueueSize::Packets(1)),
                ..RED
            }),
            "the kernel's red has no `spare`; leave it out",
        ),
        (
            QueueModel::Red(RedModel {
                minimum: QueueSize::Packets(1),
                ..RED
            }),
            "tc finds no weight for so low a `minimum`; from two of `mean_packet` on it does",
        ),
        (
            QueueModel::Drr(DrrModel {
                limit: HUNDRED,
                quantum: Bytes::new(1_514),
                flows: 1_024,
            }),
            "the kernel's drr has a class for each flow, and this plane makes none; `fq-codel` is done by the kernel's",
        ),
    ];
    for (queue, why) in cases {
        assert_eq!(refused(&queue_of(queue)), format!("[down] queue: {why}"));
    }
}

#[test]
fn the_limit_of_a_managed_queue_changes_where_nothing_is_lost_by_it() {
    let scripted = |queue, limit| {
        let mut model = queue_of(queue);
        model.script.push(ScriptEntry {
            scope: Scope::Each,
            trigger: Trigger::At {
                at: Time::ZERO + Span::from_secs(1),
                lasts: None,
            },
            action: Action::SetQueue(limit),
        });
        model
    };
    let fewer = QueueLimit::Packets(20);
    let schedule = compiled(&scripted(codel_queue(HUNDRED), fewer));
    let lines: Vec<String> = schedule.timeline.iter().map(|(_, step)| step.to_string()).collect();
    assert_eq!(
        lines,
        ["tc qdisc change dev down-queue parent 1:1 handle 10: codel limit 20"]
    );
    let fixed = "[[script]] 1 do: the limit of the kernel's red cannot change without losing the packets that wait";
    assert_eq!(refused(&scripted(QueueModel::Red(RED), fewer)), fixed);
    let octets = QueueLimit::Bytes(Bytes::new(30_000));
    let unit = refused(&scripted(codel_queue(QueueLimit::Unlimited), octets));
    assert!(
        unit.starts_with("[[script]] 1 do: a queue counted in packets"),
        "{unit}"
    );
}

const CAKE: CakeModel = CakeModel {
    limit: QueueLimit::Bytes(Bytes::new(4_000_000)),
    round_trip: Span::from_ms(80),
};

#[test]
fn cake_keeps_to_the_rate_in_htbs_place() {
    let mut model = queue_of(QueueModel::Cake(CAKE));
    model.down.framing = Bytes::new(22);
    let mut at = |second, action| {
        model.script.push(ScriptEntry {
            scope: Scope::One(Direction::Down),
            trigger: Trigger::At {
                at: Time::ZERO + Span::from_secs(second),
                lasts: None,
            },
            action,
        });
    };
    at(1, Action::SetRate(rate(1_000_000)));
    at(2, Action::SetQueue(QueueLimit::Unlimited));
    let schedule = compiled(&model);
    let of_the_queue = |line: &String| line.starts_with("tc ") && line.contains("dev down-queue ");
    let lines: Vec<String> = schedule
        .setup
        .iter()
        .map(ToString::to_string)
        .filter(of_the_queue)
        .collect();
    let all = "cake bandwidth 10000000bit overhead 22 rtt 80000us memlimit 4000000";
    assert_eq!(
        lines,
        [format!("tc qdisc add dev down-queue root handle 10: {all}")],
        "no HTB"
    );
    let changes = schedule.timeline.iter().map(|(_, step)| step.to_string());
    assert_eq!(
        changes.filter(of_the_queue).collect::<Vec<_>>(),
        [
            "tc qdisc change dev down-queue root handle 10: cake bandwidth 1000000bit",
            "tc qdisc change dev down-queue root handle 10: cake memlimit 1000000000",
        ]
    );
    let notes = [Note::KernelQueue, Note::Bucket].map(|note| schedule.notes.contains(&note));
    assert_eq!(notes, [true, false], "nothing leaves it early");
    model.down.framing = Bytes::new(300);
    assert_eq!(
        refused(&model),
        "[down] queue: the kernel's cake counts at most 256 octets more for each packet, and the framing here is 300 B"
    );
}

#[test]
fn the_device_of_a_managed_queue_says_what_a_full_packet_is() {
    let lines = |queue| {
        let schedule = compile_as(&Request {
            model: &queue_of(queue),
            seed: Seed::new(1),
            horizon: Span::from_secs(1),
            devices: &Devices::default(),
            carriage: Carriage::Wire,
            network: Network::Ipv4,
            fidelity: Fidelity::Exact,
        });
        let setup = schedule.expect("it can be expressed").setup;
        setup.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let line = "ip link set dev down-queue mtu 1500";
    let managed = lines(codel_queue(HUNDRED));
    let places = [line, "tc qdisc add dev down-queue parent 1:1 handle 10: codel"].map(|start| {
        managed
            .iter()
            .position(|line| line.starts_with(start))
            .expect("it is done")
    });
    assert!(places[0] < places[1], "before the discipline looks: {managed:#?}");
    assert!(!lines(QueueModel::DropTail(HUNDRED)).contains(&line.to_owned()));
}

#[test]
fn a_rate_that_changes_leaves_a_managed_queue_alone() {
    let mut model = queue_of(QueueModel::Red(RED));
    model.script.push(ScriptEntry {
        scope: Scope::Each,
        trigger: Trigger::At {
            at: Time::ZERO + Span::from_secs(1),
            lasts: None,
        },
        action: Action::SetRate(rate(1_000_000)),
    });
    let schedule = compiled(&model);
    let lines = schedule.timeline.iter().map(|(_, step)| step.to_string());
    let queues: Vec<String> = lines.filter(|line| line.contains("handle 10:")).collect();
    assert_eq!(queues, Vec::<String>::new());
}
