//! One feature of a link a test: the commands as a person would read them.

use std::num::NonZeroU32;
use std::sync::Arc;

use proptest::prelude::*;
use windlull_link::model::{
    Action, AllocationModel, ArqModel, Distribution, GrantsModel, Impairment, ImpairmentKind, LinkModel, Onset,
    PathModel, Persistence, QueueLimit, QueueModel, RateModel, ReplayBy, ReplayModel, Scope, ScriptEntry, Selector,
    ServiceModel, TransportCondition, Trigger,
};
use windlull_units::{BitRate, Bytes, Direction, Network, Seed, Span, Time};

use super::{Carriage, Devices, Fidelity, Heading, Request, Schedule, Unsupported, compile, compile_as, script};

mod managed;

const DOWN: Scope = Scope::One(Direction::Down);

fn ms(ms: u64) -> Span {
    Span::from_ms(ms)
}

fn at(seconds: u64) -> Time {
    Time::ZERO + Span::from_secs(seconds)
}

fn rate(bps: u64) -> BitRate {
    BitRate::from_bps(bps).expect("above zero")
}

fn plain() -> LinkModel {
    LinkModel::symmetric(PathModel::plain(None, Span::ZERO))
}

fn with(change: impl FnOnce(&mut LinkModel)) -> LinkModel {
    let mut model = plain();
    change(&mut model);
    model
}

fn impaired(scope: Scope, kind: ImpairmentKind) -> LinkModel {
    with(|model| {
        model.impairments.push(Impairment {
            name: "it".to_owned(),
            scope,
            kind,
        });
    })
}

fn scripted(entries: &[(Trigger, Action)]) -> LinkModel {
    with(|model| {
        for (trigger, action) in entries {
            model.script.push(ScriptEntry {
                scope: DOWN,
                trigger: trigger.clone(),
                action: action.clone(),
            });
        }
    })
}

fn lasting(from: u64, seconds: u64) -> Trigger {
    Trigger::At {
        at: at(from),
        lasts: Some(Span::from_secs(seconds)),
    }
}

fn compiled(model: &LinkModel) -> Schedule {
    let schedule = compile(model, Seed::new(1), Span::from_secs(100), &Devices::default());
    schedule.unwrap_or_else(|unsupported| panic!("{unsupported}"))
}

fn refused(model: &LinkModel) -> String {
    match compile(model, Seed::new(1), Span::from_secs(100), &Devices::default()) {
        Ok(schedule) => panic!("made {schedule:?}"),
        Err(Unsupported { parts }) => {
            let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
            parts.join("\n")
        }
    }
}

/// The set-up's commands but those of nftables.
fn set_up(model: &LinkModel) -> Vec<String> {
    let lines = compiled(model).setup.into_iter().map(|step| step.to_string());
    lines.filter(|line| !line.starts_with("nft")).collect()
}

/// The rules that `nft` lists for what is set up.
fn rules(model: &LinkModel) -> Vec<String> {
    let lines = compiled(model).setup.into_iter().map(|step| step.to_string());
    let rules = lines.filter(|line| line.starts_with("nft") && !line.contains("delete"));
    rules
        .flat_map(|text| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>())
        .collect()
}

fn timeline(model: &LinkModel) -> Vec<String> {
    let steps = compiled(model).timeline;
    steps.iter().map(|(at, step)| format!("{at}: {step}")).collect()
}

#[test]
fn a_link_that_does_nothing_leaves_the_devices_alone() {
    assert_eq!(set_up(&plain()), [""; 0]);
    assert_eq!(timeline(&plain()), [""; 0]);
}

#[test]
fn a_rate_is_a_queue_and_the_time_of_the_bits() {
    let model = with(|model| {
        model.down.rate = Some(RateModel::Constant(rate(28_800)));
        model.down.queue = QueueModel::DropTail(QueueLimit::Packets(7));
        model.down.framing = Bytes::new(2);
    });
    assert_eq!(
        set_up(&model),
        [
            "ip link add dev down-queue type veth peer name down-wire",
            "ip link add dev down-bits type ifb",
            "sysctl -qw net.ipv6.conf.down-queue.disable_ipv6=1",
            "sysctl -qw net.ipv6.conf.down-wire.disable_ipv6=1",
            "sysctl -qw net.ipv6.conf.down-bits.disable_ipv6=1",
            "ip address add 192.0.0.8/32 dev down-wire",
            "sysctl -qw net.ipv4.conf.down-wire.rp_filter=2",
            "sysctl -qw net.ipv4.conf.down-wire.forwarding=1",
            "tc qdisc add dev down-queue root handle 1: stab overhead -14 htb default 1",
            "tc class add dev down-queue parent 1: classid 1:1 htb rate 28800bit burst 2 cburst 2 quantum 1514 overhead 2",
            "tc qdisc add dev down-queue parent 1:1 handle 10: pfifo limit 7",
            "tc qdisc add dev down-bits root handle 1: netem limit 10000000 rate 28800bit -12",
            "ip link set dev down-bits up",
            "ip link set dev down-wire up",
            "ip link set dev down-queue up",
        ]
    );
    let rules = rules(&model);
    for rule in [
        "type filter hook ingress device \"to-server\" priority 0",
        "meta protocol ip fwd to \"down-queue\"",
        "type filter hook ingress device \"down-wire\" priority 0",
        "meta protocol ip meta pkttype set host fwd to \"down-bits\"",
        "iifname \"down-wire\" oifname \"to-client\" jump down",
        "iifname \"to-client\" oifname \"to-server\" jump up",
    ] {
        assert!(rules.iter().any(|line| line == rule), "no {rule} in {rules:#?}");
    }
}

#[test]
fn over_ipv6_the_stages_are_the_same_and_what_kernels_say_passes_by() {
    let model = with(|model| {
        model.down.rate = Some(RateModel::Constant(rate(28_800)));
        model.down.delay = Distribution::Constant(ms(150));
        model.script.push(ScriptEntry {
            scope: DOWN,
            trigger: Trigger::Packets {
                which: Selector::Packet(3),
                lasts: None,
            },
            action: Action::Drop,
        });
    });
    let schedule = |network, carriage| {
        let request = Request {
            model: &model,
            seed: Seed::new(1),
            horizon: Span::from_secs(100),
            devices: &Devices::default(),
            carriage,
            network,
            fidelity: Fidelity::Exact,
        };
        compile_as(&request).expect("it can be expressed")
    };
    let lines = |steps: &[super::Step]| steps.iter().map(ToString::to_string).collect::<Vec<_>>();
    let [four, six] = Network::ALL.map(|network| schedule(network, Carriage::Forwarding));
    let disciplines = |schedule: &Schedule| {
        let mut lines = lines(&schedule.setup);
        lines.retain(|line| line.starts_with("tc "));
        lines
    };
    assert_eq!(disciplines(&four), disciplines(&six));
    let setup = lines(&six.setup).join("\n");
    for line in [
        "sysctl -qw net.ipv6.conf.down-queue.disable_ipv6=1",
        "sysctl -qw net.ipv6.conf.down-wire.disable_ipv6=0",
        "ip link set dev down-wire addrgenmode none",
        "table ip6 windlull {",
        "meta protocol ip6 meta l4proto != 58 numgen inc mod 4294967295 2 meta mark set 0x64726f70",
        "meta protocol ip6 meta l4proto != 58 fwd to \"down-queue\"",
        "meta protocol ip6 meta l4proto != 58 meta pkttype set host fwd to \"down-bits\"",
    ] {
        assert!(setup.contains(line), "no {line} in {setup}");
    }
    for line in ["net.ipv4", "192.0.0.8", "meta protocol ip ", "table ip windlull"] {
        assert!(!setup.contains(line), "{line} in {setup}");
    }
    assert!(lines(&six.teardown).contains(&"nft 'add table ip6 windlull; delete table ip6 windlull'".to_owned()));
    let wire = lines(&schedule(Network::Ipv6, Carriage::Wire).setup).join("\n");
    assert!(
        wire.contains("meta protocol ip6 meta l4proto != 58 jump down"),
        "{wire}"
    );
    assert!(!wire.contains("meta protocol ip "), "{wire}");
}

#[test]
fn what_is_made_is_removed() {
    let model = with(|model| {
        model.up.rate = Some(RateModel::Constant(rate(2_000_000)));
        model.up.delay = Distribution::Constant(ms(150));
    });
    let removed: Vec<String> = compiled(&model).teardown.iter().map(ToString::to_string).collect();
    assert_eq!(
        removed,
        [
            "nft 'add table netdev windlull; delete table netdev windlull'",
            "nft 'add table ip windlull; delete table ip windlull'",
            "tc qdisc del dev to-server root",
            "ip link del dev up-queue",
            "ip link del dev up-bits",
        ]
    );
}

#[test]
fn a_queue_is_counted_as_the_model_counts_it() {
    let line = |limit| {
        let model = with(|model| {
            model.down.rate = Some(RateModel::Constant(rate(1_000_000)));
            model.down.queue = QueueModel::DropTail(limit);
        });
        set_up(&model).into_iter().find(|line| line.contains("fifo"))
    };
    let fifo = |kind| Some(format!("tc qdisc add dev down-queue parent 1:1 handle 10: {kind}"));
    assert_eq!(line(QueueLimit::Packets(1)), fifo("pfifo limit 1"));
    assert_eq!(line(QueueLimit::Bytes(Bytes::new(50_000))), fifo("bfifo limit 50000"));
    assert_eq!(line(QueueLimit::Unlimited), fifo("pfifo limit 10000000"));
}

#[test]
fn a_fast_queue_is_shorter_by_what_the_bucket_lets_pass() {
    let model = with(|model| {
        model.down.rate = Some(RateModel::Constant(rate(100_000_000)));
        model.down.queue = QueueModel::DropTail(QueueLimit::Bytes(Bytes::new(50_000)));
    });
    // 300 us at 100 Mbit/s are 3,750 octets.
    assert!(set_up(&model).iter().any(|line| line.ends_with("bfifo limit 46250")));
}

fn delayed(delay: Distribution<Span>) -> Schedule {
    compiled(&with(|model| model.down.delay = delay))
}

fn delay_line(delay: Distribution<Span>) -> String {
    let setup = delayed(delay).setup;
    let lines = setup.into_iter().map(|step| step.to_string());
    let netem = lines.filter_map(|line| Some(line.split_once("netem limit 10000000 ")?.1.to_owned()));
    netem.collect()
}

#[test]
fn a_constant_delay_is_one_number() {
    assert_eq!(delay_line(Distribution::Constant(ms(200))), "delay 200ms");
    assert_eq!(delay_line(Distribution::Constant(Span::from_us(1_500))), "delay 1500us");
    assert_eq!(delay_line(Distribution::Constant(Span::from_ns(2_600))), "delay 3us");
}

#[test]
fn a_random_delay_keeps_packets_in_order() {
    let (min, max) = (ms(100), ms(300));
    let seed = Seed::new(1).child("down/netem/0");
    assert_eq!(
        delay_line(Distribution::Uniform { min, max }),
        format!("delay 200ms 100ms rate 1tbit seed {seed}")
    );
}

#[test]
fn any_distribution_becomes_a_table_of_its_quantiles() {
    let (mean, deviation) = (ms(100), ms(30));
    let samples: Arc<[Span]> = [ms(10), ms(40), ms(20), ms(30)].into();
    for (distribution, median, ninth) in [
        (
            Distribution::Exponential { mean },
            100.0 * std::f64::consts::LN_2,
            230.259,
        ),
        (Distribution::Normal { mean, deviation }, 100.0, 138.447),
        (Distribution::LogNormal { mean, deviation }, 95.783, 139.443),
        (Distribution::Pareto { min: mean, shape: 4.0 }, 118.921, 177.828),
        (
            Distribution::Weibull {
                scale: mean,
                shape: 2.0,
            },
            83.255,
            151.743,
        ),
        (Distribution::Empirical(samples), 30.0, 40.0),
        (
            Distribution::Uniform {
                min: ms(0),
                max: ms(10_000),
            },
            5_000.0,
            9_000.0,
        ),
    ] {
        let schedule = delayed(distribution.clone());
        let table = schedule.tables.first().expect("a table");
        let delay_ms = |share: usize| {
            let number = f64::from(table.numbers[table.numbers.len() * share / 10]);
            (table.centre.as_secs_f64() + table.deviation.as_secs_f64() * number / 8_192.0) * 1e3
        };
        let reach = table.deviation.as_secs_f64() * 8e3 / 65_536.0;
        for (share, expected) in [(5, median), (9, ninth)] {
            let found = delay_ms(share);
            // A step of the table in value, and one in rank.
            let tolerance = reach + expected * 2e-3;
            assert!(
                (found - expected).abs() < tolerance,
                "{distribution:?}: {found} is not {expected}"
            );
        }
        assert!(table.numbers.is_sorted());
        let line = delay_line(distribution);
        assert!(line.contains(" distribution windlull-down rate 1tbit seed "), "{line}");
    }
}

#[test]
fn draws_below_zero_count_as_zero() {
    let schedule = delayed(Distribution::Normal {
        mean: ms(10),
        deviation: ms(10),
    });
    let table = schedule.tables.first().expect("a table");
    let least = table.centre.as_secs_f64() + table.deviation.as_secs_f64() * f64::from(table.numbers[0]) / 8_192.0;
    assert!(least.abs() < 2e-6, "{least} s");
    let zeros = table
        .numbers
        .iter()
        .filter(|&&number| number == table.numbers[0])
        .count();
    // A sixth: what lies more than a deviation below the mean.
    assert!((640..660).contains(&zeros), "{zeros} of 4096");
}

#[test]
fn a_table_is_written_as_tc_reads_it() {
    let table = super::Table {
        name: "t".to_owned(),
        centre: ms(1),
        deviation: ms(1),
        numbers: (-20..0).collect(),
    };
    assert_eq!(
        table.text(),
        "-20 -19 -18 -17 -16 -15 -14 -13 -12 -11 -10 -9 -8 -7 -6 -5\n-4 -3 -2 -1\n"
    );
}

#[test]
fn independent_loss_is_netems() {
    let model = impaired(DOWN, ImpairmentKind::Loss { probability: 0.02 });
    let seed = Seed::new(1).child("down/netem/0");
    assert_eq!(
        set_up(&model),
        [format!(
            "tc qdisc add dev to-client root handle 20: netem limit 10000000 delay 0ms loss random 2% seed {seed}"
        )]
    );
}

#[test]
fn each_direction_has_its_own() {
    let model = impaired(Scope::Each, ImpairmentKind::Loss { probability: 0.5 });
    let lines = set_up(&model);
    assert_eq!(lines.len(), 2);
    assert!(
        lines[0].contains("to-client") && lines[1].contains("to-server"),
        "{lines:?}"
    );
    assert_ne!(
        lines[0].rsplit_once(' '),
        lines[1].rsplit_once(' '),
        "one seed for both"
    );
}

#[test]
fn gilbert_elliott_names_the_losses_bad_first() {
    let model = impaired(
        DOWN,
        ImpairmentKind::GilbertElliott {
            to_bad: 0.01,
            to_good: 0.25,
            loss_good: 0.001,
            loss_bad: 0.9,
        },
    );
    let lines = set_up(&model).join("\n");
    assert!(lines.contains(" loss gemodel 1% 25% 90% 0.1% "), "{lines}");
}

#[test]
fn a_second_loss_is_a_rule() {
    let mut model = impaired(
        DOWN,
        ImpairmentKind::GilbertElliott {
            to_bad: 0.01,
            to_good: 0.25,
            loss_good: 0.0,
            loss_bad: 1.0,
        },
    );
    model.impairments.push(Impairment {
        name: "too".to_owned(),
        scope: DOWN,
        kind: ImpairmentKind::Loss { probability: 0.02 },
    });
    let rule = "numgen random mod 1000000000 < 20000000 counter name \"down-loss\" drop".to_owned();
    assert!(rules(&model).contains(&rule), "{:#?}", rules(&model));
}

#[test]
fn copies_and_corruption_are_netems() {
    let copies = set_up(&impaired(DOWN, ImpairmentKind::Duplicate { probability: 0.1 }));
    assert!(copies[0].contains(" duplicate 10% "), "{copies:?}");
    let corrupted = set_up(&impaired(DOWN, ImpairmentKind::Corrupt { probability: 0.001 }));
    assert!(corrupted[0].contains(" corrupt 0.1% "), "{corrupted:?}");
}

#[test]
fn what_is_kept_back_is_a_rare_long_delay() {
    let mut model = impaired(
        DOWN,
        ImpairmentKind::Reorder {
            probability: 0.01,
            by: Distribution::Constant(ms(50)),
        },
    );
    model.down.delay = Distribution::Constant(ms(100));
    let schedule = compiled(&model);
    let table = schedule.tables.first().expect("a table");
    let late = table.numbers.iter().filter(|&&number| number > 0).count();
    assert_eq!((table.numbers.len(), late), (16_000, 160));
    let delay_ms =
        |number: i16| (table.centre.as_secs_f64() + table.deviation.as_secs_f64() * f64::from(number) / 8_192.0) * 1e3;
    assert!((delay_ms(table.numbers[0]) - 100.0).abs() < 0.001);
    assert!((delay_ms(table.numbers[15_999]) - 150.0).abs() < 0.001);
    assert!(!set_up(&model)[0].contains(" rate "), "a rate would keep them in order");
}

#[test]
fn a_rate_changes_both_stages() {
    let model = with(|model| {
        let steps = vec![(at(0), rate(384_000)), (at(7), rate(10_000))];
        model.down.rate = Some(RateModel::Stepped { steps, period: None });
    });
    assert_eq!(
        timeline(&model),
        [
            "7 s: tc class change dev down-queue parent 1: classid 1:1 htb rate 10000bit burst 1 cburst 1 quantum 1514 overhead 0",
            "7 s: tc qdisc change dev down-bits root handle 1: netem limit 10000000 rate 10000bit -14",
        ]
    );
    assert!(set_up(&model).iter().any(|line| line.contains("htb rate 384000bit")));
}

#[test]
fn a_scripted_rate_comes_and_goes() {
    let mut model = scripted(&[(lasting(5, 3), Action::SetRate(rate(16_000)))]);
    let constant = Some(RateModel::Constant(rate(64_000)));
    for (own, given_back) in [(constant, " rate 64000bit "), (None, " rate 100000000000bit ")] {
        model.down.rate = own;
        let changes: Vec<String> = timeline(&model)
            .into_iter()
            .filter(|line| line.contains("class"))
            .collect();
        assert_eq!(changes.len(), 2);
        assert!(
            changes[0].starts_with("5 s: ") && changes[0].contains(" rate 16000bit "),
            "{changes:?}"
        );
        assert!(
            changes[1].starts_with("8 s: ") && changes[1].contains(given_back),
            "{changes:?}"
        );
    }
}

#[test]
fn a_scripted_delay_overtakes_nobody() {
    let mut model = scripted(&[(lasting(5, 3), Action::SetDelay(ms(20)))]);
    model.down.delay = Distribution::Constant(ms(200));
    assert_eq!(
        timeline(&model),
        [
            "5 s: tc qdisc change dev to-client root handle 20: netem limit 10000000 delay 20ms rate 1tbit",
            "8 s: tc qdisc change dev to-client root handle 20: netem limit 10000000 delay 200ms rate 1tbit",
        ]
    );
}

#[test]
fn a_delay_that_ends_gives_back_to_the_one_that_stays() {
    let stays = Trigger::At {
        at: Time::ZERO + Span::from_secs(2),
        lasts: None,
    };
    let mut model = scripted(&[
        (stays, Action::SetDelay(ms(80))),
        (lasting(5, 3), Action::SetDelay(ms(20))),
    ]);
    model.down.delay = Distribution::Constant(ms(200));
    assert_eq!(
        timeline(&model),
        [
            "2 s: tc qdisc change dev to-client root handle 20: netem limit 10000000 delay 80ms rate 1tbit",
            "5 s: tc qdisc change dev to-client root handle 20: netem limit 10000000 delay 20ms rate 1tbit",
            "8 s: tc qdisc change dev to-client root handle 20: netem limit 10000000 delay 80ms rate 1tbit",
        ]
    );
}

#[test]
fn packets_kept_back_for_a_while_may_be_overtaken() {
    let mut model = scripted(&[(lasting(5, 3), Action::Delay(ms(70)))]);
    model.down.delay = Distribution::Constant(ms(200));
    assert_eq!(
        timeline(&model),
        [
            "5 s: tc qdisc change dev to-client root handle 20: netem limit 10000000 delay 270ms",
            "8 s: tc qdisc change dev to-client root handle 20: netem limit 10000000 delay 200ms",
        ]
    );
}

#[test]
fn a_scripted_queue_changes_its_limit() {
    let mut model = scripted(&[(lasting(5, 3), Action::SetQueue(QueueLimit::Packets(2)))]);
    model.down.rate = Some(RateModel::Constant(rate(64_000)));
    model.down.queue = QueueModel::DropTail(QueueLimit::Packets(20));
    assert_eq!(
        timeline(&model),
        [
            "5 s: tc qdisc change dev down-queue parent 1:1 handle 10: pfifo limit 2",
            "8 s: tc qdisc change dev down-queue parent 1:1 handle 10: pfifo limit 20",
        ]
    );
}

#[test]
fn a_hold_is_a_plug_behind_the_delay() {
    let mut model = scripted(&[(lasting(10, 3), Action::Hold)]);
    model.down.delay = Distribution::Constant(ms(200));
    assert_eq!(
        set_up(&model),
        [
            "tc qdisc add dev to-client root handle 20: netem limit 10000000 delay 200ms",
            "tc qdisc add dev to-client parent 20:1 handle 30: plug limit 2000000000",
            "tc qdisc change dev to-client parent 20:1 handle 30: plug release_indefinite",
        ]
    );
    assert_eq!(
        timeline(&model),
        [
            "10 s: tc qdisc change dev to-client parent 20:1 handle 30: plug block",
            "13 s: tc qdisc change dev to-client parent 20:1 handle 30: plug release_indefinite",
        ]
    );
}

#[test]
fn without_a_delay_the_plug_is_all_there_is() {
    let model = scripted(&[(lasting(10, 3), Action::Hold)]);
    assert_eq!(
        set_up(&model)[0],
        "tc qdisc add dev to-client root handle 30: plug limit 2000000000"
    );
}

#[test]
fn holds_that_meet_are_one() {
    let model = scripted(&[
        (lasting(10, 3), Action::Hold),
        (lasting(12, 2), Action::Hold),
        (lasting(14, 1), Action::Hold),
    ]);
    let times: Vec<String> = timeline(&model)
        .iter()
        .filter_map(|line| Some(line.split_once(':')?.0.to_owned()))
        .collect();
    assert_eq!(times, ["10 s", "15 s"]);
}

#[test]
fn an_outage_is_a_rule_and_goes() {
    let model = scripted(&[(lasting(10, 3), Action::Drop)]);
    assert_eq!(
        timeline(&model),
        [
            "10 s: nft 'flush chain ip windlull down-state; add rule ip windlull down-state counter name \"down-outage\" drop'",
            "13 s: nft 'flush chain ip windlull down-state'",
        ]
    );
}

#[test]
fn scripted_loss_is_a_rule_while_it_lasts() {
    let model = scripted(&[(lasting(10, 3), Action::SetLoss(0.25))]);
    assert_eq!(
        timeline(&model),
        [
            "10 s: nft 'flush chain ip windlull down-state; add rule ip windlull down-state numgen random mod 1000000000 < 250000000 counter name \"down-loss\" drop'",
            "13 s: nft 'flush chain ip windlull down-state'",
        ]
    );
}

#[test]
fn the_nth_packet_is_marked_as_it_arrives_and_dropped_behind_the_queue() {
    let trigger = Trigger::Packets {
        which: Selector::Packet(12),
        lasts: None,
    };
    let mut model = scripted(&[(trigger, Action::Drop)]);
    model.down.rate = Some(RateModel::Constant(rate(64_000)));
    let rules = rules(&model);
    let place = |wanted: &str| rules.iter().position(|line| line == wanted);
    let marked = place("meta protocol ip numgen inc mod 4294967295 11 meta mark set 0x64726f70");
    let queued = place("meta protocol ip fwd to \"down-queue\"");
    assert!(marked.is_some() && marked < queued, "{rules:#?}");
    assert!(
        place("meta mark 0x64726f70 counter name \"down-chosen\" drop").is_some(),
        "{rules:#?}"
    );
}

#[test]
fn weather_is_rolled_out_from_the_models_own_streams() {
    let kind = ImpairmentKind::TwoState {
        good: Distribution::Exponential {
            mean: Span::from_secs(10),
        },
        bad: Distribution::Exponential {
            mean: Span::from_secs(2),
        },
        loss_good: 0.0,
        loss_bad: 1.0,
    };
    let shared = impaired(Scope::Shared, kind);
    let lines = timeline(&shared);
    let of = |way: &str| -> Vec<String> {
        let here = lines
            .iter()
            .filter(|line| line.contains(&format!("windlull {way}-state")));
        here.map(|line| line.replace(way, "way")).collect()
    };
    assert!(!of("down").is_empty());
    assert_eq!(of("down"), of("up"), "both directions share one draw");
    let again = timeline(&shared);
    assert_eq!(lines, again);
    // The link's own states turn at the very same instants.
    let mut link: windlull_link::Link<Stone> = windlull_link::Link::new(&shared, Seed::new(1));
    let mut turns = Turns(Vec::new());
    link.advance(at(100), &mut turns);
    let times: Vec<String> = of("down")
        .iter()
        .filter_map(|line| Some(line.split_once(": ")?.0.to_owned()))
        .collect();
    assert_eq!(times, turns.0);
}

#[test]
fn handovers_are_rolled_out_as_delays_holds_and_losses() {
    let kind = ImpairmentKind::Handovers {
        every: Onset::IntervalsFrom(Distribution::Constant(Span::from_secs(15)), Span::from_secs(5)),
        delay: Distribution::Uniform {
            min: ms(0),
            max: ms(10),
        },
        hold: Distribution::Constant(ms(40)),
        outage: Distribution::Constant(ms(300)),
        loss: 0.5,
    };
    let mut model = impaired(Scope::One(Direction::Down), kind);
    model.down.delay = Distribution::Constant(ms(20));
    let lines = timeline(&model);
    let has = |at: &str, what: &str| lines.iter().any(|line| line.starts_with(at) && line.contains(what));
    assert!(has("20 s: ", " delay "), "{lines:#?}");
    assert!(has("20 s: ", "500000000 counter name \"down-loss\" drop"), "{lines:#?}");
    assert!(
        has("20 s: ", "plug block") && has("20.04 s: ", "plug release_indefinite"),
        "{lines:#?}"
    );
    assert!(
        has("20.3 s: ", "nft 'flush chain ip windlull down-state'"),
        "{lines:#?}"
    );
    model.down.delay = Distribution::Uniform {
        min: ms(10),
        max: ms(20),
    };
    assert_eq!(
        refused(&model),
        "[[impairment]] \"it\" delay: the kernel draws this path's delay, and nothing can be added to it; with a constant \
         delay it could"
    );
}

#[derive(Clone)]
struct Stone;

impl windlull_link::Packet for Stone {
    fn size(&self) -> Bytes {
        Bytes::ZERO
    }

    fn tcp(&self) -> Option<windlull_link::TcpView> {
        None
    }

    fn flow(&self) -> u64 {
        0
    }

    fn ecn(&self) -> windlull_units::Ecn {
        windlull_units::Ecn::NotEct
    }

    fn mark(&mut self) {}
}

struct Turns(Vec<String>);

impl windlull_link::LinkObserver for Turns {
    fn fate(&mut self, _: &windlull_units::Fate) {}

    fn link(&mut self, now: Time, event: &windlull_units::LinkEvent) {
        if let windlull_units::LinkEvent::LossState {
            direction: Direction::Down,
            ..
        } = event
        {
            self.0.push(now.to_string());
        }
    }
}

#[test]
fn what_the_kernel_cannot_do_is_refused_by_name() {
    let model = with(|model| {
        for path in [&mut model.down, &mut model.up] {
            path.arq = Some(ArqModel {
                send_buffer: Bytes::new(1776),
                receive_buffer: Bytes::new(1776),
                persistence: Persistence::None,
                retry_after: ms(500),
            });
        }
        model.up.allocation = Some(AllocationModel {
            idle_after: ms(5_000),
            delay: Distribution::Constant(ms(2_000)),
        });
        model.up.service = Some(ServiceModel::Grants(GrantsModel {
            cycle: ms(1),
            sr_period: ms(10),
            grant_delay: ms(4),
            error: 0.1,
            round_trip: ms(8),
            attempts: 4,
        }));
        model.down.rate = Some(RateModel::Trace {
            opportunities: vec![at(1)],
            period: ms(1_000),
        });
        model.up.rate = Some(RateModel::Constant(rate(300)));
        model.up.queue = QueueModel::DropTail(QueueLimit::Bytes(Bytes::new(300)));
        model.up.delay = Distribution::Pareto {
            min: ms(1_000),
            shape: 1.0,
        };
    });
    assert_eq!(
        refused(&model),
        "[both] arq: tc has no link layer with buffers and retransmission\n\
         [down] rate: tc has rates, not opportunities to deliver\n\
         [up] allocation: tc does not know when a channel was idle\n\
         [up] service: tc serves packet after packet, not units that a base station grants\n\
         [up] rate: HTB is exact from 1 kbit/s on, and 300 bit/s is less\n\
         [up] queue: the kernel's fifo must hold at least one packet of 1500 octets\n\
         [up] delay: netem's delays spread over at most 17.1 s, these over 8191 s"
    );
}

#[test]
fn a_replay_is_refused_and_has_nothing_near_it() {
    let model = with(|model| {
        model.replay = Some(ReplayModel {
            by: ReplayBy::Packet,
            down: Vec::new(),
            up: Vec::new(),
        });
    });
    let told = "replay: nothing in the kernel gives each packet a fate of its own; the model's plane plays it";
    assert_eq!(refused(&model), told);
    let nearest = compile_as(&Request {
        model: &model,
        seed: Seed::new(1),
        horizon: Span::from_secs(100),
        devices: &Devices::default(),
        carriage: Carriage::Forwarding,
        network: Network::Ipv4,
        fidelity: Fidelity::Nearest {
            packet: Bytes::new(1500),
        },
    });
    assert_eq!(nearest.expect_err("nothing is near").parts[0].to_string(), told);
}

#[test]
fn impairments_that_the_kernel_lacks_are_refused_by_name() {
    let hold = ImpairmentKind::Hold {
        every: Onset::PacketWithProbability(0.02),
        length: Distribution::Constant(ms(3_500)),
    };
    assert_eq!(
        refused(&impaired(Scope::Each, hold)),
        "[[impairment]] \"it\" every: nothing in the kernel begins a pause or an outage at a packet"
    );
    let suspend = ImpairmentKind::Suspend {
        every: Onset::Renewal(Distribution::Constant(ms(20_000))),
        length: Distribution::Constant(ms(3_500)),
    };
    assert_eq!(
        refused(&impaired(Scope::Shared, suspend)),
        "[[impairment]] \"it\" kind: the kernel pauses deliveries (`kind = \"hold\"`), not what is sent"
    );
    let held = ImpairmentKind::HoldArrivals {
        every: Onset::Renewal(Distribution::Constant(ms(20_000))),
        length: Distribution::Constant(ms(3_500)),
    };
    assert_eq!(
        refused(&impaired(Scope::Shared, held)),
        "[[impairment]] \"it\" kind: the kernel pauses deliveries (`hold`), not what arrives"
    );
    assert_eq!(
        refused(&scripted(&[(lasting(10, 3), Action::HoldArrivals)])),
        "[[script]] 1 do: the kernel pauses deliveries (`hold`), not what arrives"
    );
    assert_eq!(
        refused(&impaired(DOWN, ImpairmentKind::BitError { rate: 1e-6 })),
        "[[impairment]] \"it\" kind: netem loses packets by their number, not by their length"
    );
    let policer = ImpairmentKind::Policer {
        rate: rate(10_000_000),
        burst: Bytes::new(25_000),
    };
    assert_eq!(
        refused(&impaired(DOWN, policer)),
        "[[impairment]] \"it\" kind: what this plane makes of tc shapes, and has no policer"
    );
    let aggregation = ImpairmentKind::Aggregation {
        every: Distribution::Constant(ms(5)),
        most: NonZeroU32::MIN,
    };
    assert_eq!(
        refused(&impaired(DOWN, aggregation)),
        "[[impairment]] \"it\" kind: what this plane makes of tc gathers no packets"
    );
    let thinning = ImpairmentKind::AckThinning {
        waiting: NonZeroU32::MIN,
    };
    assert_eq!(
        refused(&impaired(DOWN, thinning)),
        "[[impairment]] \"it\" kind: what this plane makes of tc does not know acknowledgements"
    );
}

#[test]
fn packets_chosen_by_their_content_are_refused_by_name() {
    let chosen = |which, lasts| (Trigger::Packets { which, lasts }, Action::Drop);
    let model = scripted(&[
        chosen(Selector::DataSegments { first: 9, last: 15 }, None),
        chosen(Selector::Packet(3), None),
        chosen(Selector::Packet(4), Some(ms(1))),
    ]);
    assert_eq!(
        refused(&model),
        "[[script]] 1 at: nftables does not know a connection's sequence; only `packet N` can be counted\n\
         [[script]] 3 at: a chosen packet can be lost, but nothing that lasts can begin with it"
    );
}

#[test]
fn entries_that_wait_for_a_transport_are_refused_by_name() {
    let waiting = |when| {
        (
            Trigger::Transport {
                when,
                lasts: Some(ms(1)),
            },
            Action::Drop,
        )
    };
    let model = scripted(&[
        waiting(TransportCondition::AfterByte(200_000)),
        waiting(TransportCondition::Retransmission(3)),
        waiting(TransportCondition::Recovery),
    ]);
    assert_eq!(
        refused(&model),
        "[[script]] 1 at: nftables does not follow a connection's octets; only `packet N` can be counted\n\
         [[script]] 2 at: nftables does not follow a connection's octets; only `packet N` can be counted\n\
         [[script]] 3 at: this plane is told of no sender's state"
    );
}

#[test]
fn overtaking_needs_a_constant_delay() {
    let mut model = impaired(
        DOWN,
        ImpairmentKind::Reorder {
            probability: 0.1,
            by: Distribution::Constant(ms(5)),
        },
    );
    model.down.delay = Distribution::Exponential { mean: ms(100) };
    assert_eq!(
        refused(&model),
        "[down] delay: netem lets packets overtake each other only where the others' delay is always the same"
    );
}

#[test]
fn a_timeline_without_end_is_refused() {
    let second = Distribution::Constant(ms(1));
    let model = impaired(
        DOWN,
        ImpairmentKind::Hold {
            every: Onset::Renewal(second.clone()),
            length: second,
        },
    );
    assert_eq!(refused(&model), "changes: more than 10000 changes until the end");
}

#[test]
fn the_script_says_what_it_is_and_does_what_the_plane_does() {
    let mut model = scripted(&[(lasting(10, 3), Action::Hold), (lasting(20, 1), Action::Drop)]);
    model.down.rate = Some(RateModel::Constant(rate(2_000_000)));
    model.down.delay = Distribution::Exponential { mean: ms(50) };
    let devices = Devices::variables();
    let schedule = compile(&model, Seed::new(7), Span::from_secs(100), &devices).expect("it can be made");
    let text = script(
        &schedule,
        &Heading {
            profile: "a link\nrm -rf /".to_owned(),
            made_by: "windlull 0.1.0".to_owned(),
            seed: Seed::new(7),
            horizon: Span::from_secs(100),
        },
    );
    for part in [
        "#!/bin/sh\n# The link \"a link rm -rf /\",",
        "# Made by windlull 0.1.0; seed 7, timeline for 100 s.\n",
        ": \"${TO_SERVER:?",
        "    tc class add dev down-queue parent 1: classid 1:1 htb rate 2000000bit burst 75 cburst 75 quantum 1514 overhead 0\n",
        "    seeded tc qdisc add dev \"$TO_CLIENT\" root handle 20: netem limit 10000000 delay ",
        "hook ingress device \"$TO_SERVER\" priority 0\n",
        "    at 10000000000    tc qdisc change dev \"$TO_CLIENT\" parent 20:1 handle 30: plug block\n",
        "    at 21000000000    nft 'flush chain ip windlull down-state'\n",
        "    ! ours \"$TO_CLIENT\" || tc qdisc del dev \"$TO_CLIENT\" root 2>/dev/null || :\n",
        "cat >\"$tables/windlull-down.dist\" <<'NUMBERS'\n",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

proptest! {
    /// Whatever is set when, the timeline is in order, and ends as it should.
    #[test]
    fn timelines_are_in_order_and_holds_end(spells in prop::collection::vec((0_u64..50, 1_u64..20, any::<bool>()), 0..12)) {
        let entries: Vec<(Trigger, Action)> = spells
            .iter()
            .map(|&(from, lasts, hold)| (lasting(from, lasts), if hold { Action::Hold } else { Action::Drop }))
            .collect();
        let schedule = compiled(&scripted(&entries));
        prop_assert!(schedule.timeline.is_sorted_by_key(|(at, _)| *at));
        let begins = spells.iter().any(|&(from, _, hold)| hold && from == 0);
        let mut held = begins;
        for (at, step) in &schedule.timeline {
            let line = step.to_string();
            if line.ends_with("plug block") {
                prop_assert!(!held, "held twice at {at}");
                held = true;
            } else if line.ends_with("plug release_indefinite") {
                prop_assert!(held, "released twice at {at}");
                held = false;
            }
            let open = spells.iter().any(|&(from, lasts, hold)| {
                let at = at.as_secs_f64();
                let (from, until) = (Span::from_secs(from).as_secs_f64(), Span::from_secs(from + lasts).as_secs_f64());
                hold && from <= at && at < until
            });
            if line.contains("plug") {
                prop_assert_eq!(open, held, "at {}", at);
            }
        }
        prop_assert!(!held);
    }
}
