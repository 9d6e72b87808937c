//! Link files that are right: what they mean, and that writing and reading them again gives the same link.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;

use windlull_link::model::{
    Action, AdaptiveRedModel, ArqModel, CakeModel, CodelModel, ContentionModel, Distribution, DrrModel, DualPi2Model,
    FqCodelModel, GrantsModel, ImpairmentKind, InOrder, Onset, Persistence, PieModel, QueueLimit, QueueModel,
    QueueSize, RateModel, Rebinding, RedAim, RedModel, Scope, ScriptEntry, Selector, ServiceModel, Start,
    TransportCondition, Trigger, Zeros,
};
use windlull_profile::file::Family;
use windlull_profile::{Library, Link, Problems};
use windlull_units::{BitRate, Bytes, Direction, Span, Time};

fn library(files: &[(&str, &str)]) -> Library {
    let files: BTreeMap<PathBuf, String> = files
        .iter()
        .map(|(path, text)| (PathBuf::from(path), (*text).to_owned()))
        .collect();
    Library::new("profiles", files)
}

fn load(text: &str) -> Result<Link, Problems> {
    Link::load(&library(&[("profiles/links/x.toml", text)]), "x")
}

const PLAIN: &str = r#"
title = "x"
[both]
rate = "28.8 kbit/s"
delay = "200 ms"
queue = { kind = "droptail", limit = "7 packets" }
"#;

fn with(more: &str) -> Link {
    load(&format!("{PLAIN}{more}")).expect("a good file")
}

fn same_again(link: &Link) {
    let text = toml::to_string(&link.resolved()).expect("a link can be written");
    let again = load(&text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    assert_eq!(again.model, link.model, "{text}");
}

#[test]
fn a_link_is_read_as_written() {
    let link = with(
        r#"arq = { send_buffer = "1776 B", receive_buffer = "1776 B", persistence = "unlimited", retry_after = "1 s" }"#,
    );
    let path = &link.model.down;
    assert_eq!(link.model.up, *path);
    assert_eq!(path.rate, BitRate::from_bps(28_800).map(RateModel::Constant));
    assert_eq!(path.delay, Distribution::Constant(Span::from_ms(200)));
    assert_eq!(path.queue, QueueModel::DropTail(QueueLimit::Packets(7)));
    let arq = ArqModel {
        send_buffer: Bytes::new(1776),
        receive_buffer: Bytes::new(1776),
        persistence: Persistence::Unlimited,
        retry_after: Span::from_secs(1),
    };
    assert_eq!(path.arq, Some(arq));
    same_again(&link);
}

#[test]
fn one_direction_overrides_single_keys() {
    let link = with("[up]\nrate = \"unlimited\"\nframing = \"8 B\"\n");
    assert_eq!(link.model.up.rate, None);
    assert_eq!(link.model.up.framing, Bytes::new(8));
    assert_eq!(link.model.up.delay, link.model.down.delay);
    assert_eq!(link.model.down.framing, Bytes::ZERO);
    same_again(&link);
}

#[test]
fn a_profile_extends_another() {
    let base = format!(
        "{PLAIN}{}",
        "[[impairment]]\nname = \"a\"\non = \"down\"\nkind = \"loss\"\nprobability = 0.5\n\
         [[impairment]]\nname = \"b\"\non = \"up\"\nkind = \"loss\"\nprobability = 1\n"
    );
    let child = "title = \"y\"\nextends = \"base\"\n[down]\ndelay = \"1 s\"\n\
                 [[impairment]]\nname = \"a\"\non = \"each\"\nkind = \"duplicate\"\nprobability = \"25 %\"\n";
    let library = library(&[("profiles/links/base.toml", &base), ("profiles/links/y.toml", child)]);
    let link = Link::load(&library, "y").expect("a good file");
    assert_eq!(link.model.down.delay, Distribution::Constant(Span::from_secs(1)));
    assert_eq!(link.model.up.delay, Distribution::Constant(Span::from_ms(200)));
    let kinds: Vec<_> = link
        .model
        .impairments
        .iter()
        .map(|i| (i.name.as_str(), i.scope, i.kind.clone()))
        .collect();
    assert_eq!(
        kinds,
        [
            ("a", Scope::Each, ImpairmentKind::Duplicate { probability: 0.25 }),
            (
                "b",
                Scope::One(Direction::Up),
                ImpairmentKind::Loss { probability: 1.0 }
            ),
        ]
    );
    same_again(&link);
}

#[test]
fn a_link_may_be_given_by_its_path() {
    let library = library(&[("mine/x.toml", PLAIN)]);
    let link = Link::load(&library, "mine/x.toml").expect("a good file");
    assert_eq!((link.name.as_str(), link.path.to_str()), ("x", Some("mine/x.toml")));
}

#[test]
fn every_impairment_is_read() {
    let link = with(
        r#"
        [[impairment]]
        name = "sudden-delays"
        on = "down"
        kind = "hold"
        every = "packet with probability 0.02"
        length = "exponential(mean 3.5 s)"
        [[impairment]]
        name = "outages"
        on = "both"
        kind = "drop"
        every = "uniform(0.1 s, 20 s)"
        length = "weibull(scale 1 s, shape 0.8)"
        [[impairment]]
        name = "before-the-queue"
        on = "both"
        kind = "hold-arrivals"
        every = "uniform(20 s, 40 s) between onsets from 10 s"
        length = "uniform(3 s, 15 s)"
        [[impairment]]
        name = "two"
        on = "both"
        kind = "two-state"
        good = "normal(mean 20 s, deviation 2 s)"
        bad = "lognormal(mean 3 s, deviation 1 s)"
        loss_good = "1 %"
        loss_bad = 0.9
        [[impairment]]
        name = "ge"
        on = "each"
        kind = "gilbert-elliott"
        to_bad = 0.1
        to_good = 0.7
        [[impairment]]
        name = "bits"
        on = "up"
        kind = "bit-error"
        rate = 1e-5
        [[impairment]]
        name = "reorder"
        on = "down"
        kind = "reorder"
        probability = "0.5 %"
        by = "pareto(min 100 ms, shape 1.5)"
        [[impairment]]
        name = "twice"
        on = "down"
        kind = "duplicate"
        probability = 0
        [[impairment]]
        name = "flip"
        on = "down"
        kind = "corrupt"
        probability = 1
        [[impairment]]
        name = "plan"
        on = "each"
        kind = "policer"
        rate = "10 Mbit/s"
        burst = "25 kB"
        [[impairment]]
        name = "grants"
        on = "up"
        kind = "aggregation"
        every = "uniform(4 ms, 6 ms)"
        [[impairment]]
        name = "modem"
        on = "up"
        kind = "ack-thinning"
        [[impairment]]
        name = "satellites"
        on = "both"
        kind = "handovers"
        every = "15 s between onsets"
        delay = "uniform(0 ms, 10 ms)"
        outage = "0.4 s"
        loss = "50 %"
        [[impairment]]
        name = "now-and-then"
        on = "each"
        kind = "timed-loss"
        every = "exponential(mean 30 s)"
        "#,
    );
    let first = &link.model.impairments[0];
    assert_eq!(first.name, "sudden-delays");
    let ImpairmentKind::Hold { every, length } = &first.kind else {
        panic!("{first:?}")
    };
    assert_eq!(*every, Onset::PacketWithProbability(0.02));
    assert_eq!(
        *length,
        Distribution::Exponential {
            mean: Span::from_ms(3500)
        }
    );
    assert_eq!(link.model.impairments.len(), 14);
    let plan = ImpairmentKind::Policer {
        rate: BitRate::from_bps(10_000_000).expect("a rate above zero"),
        burst: Bytes::new(25_000),
    };
    assert_eq!(link.model.impairments[9].kind, plan);
    let held = &link.model.impairments[2].kind;
    assert!(matches!(held, ImpairmentKind::HoldArrivals { .. }), "{held:?}");
    let ge = ImpairmentKind::GilbertElliott {
        to_bad: 0.1,
        to_good: 0.7,
        loss_good: 0.0,
        loss_bad: 1.0,
    };
    assert_eq!(link.model.impairments[4].kind, ge);
    assert_eq!(link.model.impairments[5].kind, ImpairmentKind::BitError { rate: 1e-5 });
    same_again(&link);
    assert_eq!(link.summary().len(), 1 + 14);
    assert_eq!(
        link.summary()[10],
        "plan (each direction): what exceeds 10 Mbit/s and a burst of 25000 B is lost"
    );
    assert_eq!(
        link.summary()[11],
        "grants (up): packets wait and come to the queue together, every uniform(4 ms, 6 ms) or 64 at a time"
    );
    assert_eq!(
        link.summary()[12],
        "modem (up): 1 of a connection's acknowledgements may wait, newer ones take places"
    );
    assert_eq!(
        link.summary()[13],
        "satellites (both directions at once): the path changes every 15 s from onset to onset: delay + \
         uniform(0 ns, 10 ms), 0 ns without delivery, 50 % of packets lost for 400 ms"
    );
    assert_eq!(
        link.summary()[14],
        "now-and-then (each direction): one packet is lost every exponential(mean 30 s)"
    );
}

#[test]
fn trains_after_idle_times_are_read() {
    let link = with(
        r#"
        [up.light]
        idle_after = "20 ms"
        period = "2 s"
        trains = """
        0 0 0 4 9
        500 0 3
        """
        "#,
    );
    let light = link.model.up.light.as_ref().expect("given");
    assert_eq!(
        (light.idle_after, light.period),
        (Span::from_ms(20), Some(Span::from_secs(2)))
    );
    assert_eq!(light.trains.len(), 2);
    assert_eq!(light.trains[0].opportunities, [0, 0, 4, 9].map(Span::from_ms));
    assert_eq!(light.trains[1].at, Time::ZERO + Span::from_ms(500));
    assert_eq!(link.model.down.light, None);
    same_again(&link);
    let summary = link.summary();
    assert!(
        summary[1].contains("after more than 20 ms idle trains of 6 opportunities in all"),
        "{summary:?}"
    );
}

#[test]
fn every_script_entry_is_read() {
    let link = with(
        r#"
        [[script]]
        at = "10 s"
        for = "3 s"
        do = "hold"
        [[script]]
        on = "down"
        at = "data segments 9..15"
        do = "drop"
        [[script]]
        on = "down"
        at = "first retransmission of segment 9"
        do = "drop"
        [[script]]
        on = "down"
        at = "third retransmission of byte 200000"
        do = "delay"
        by = "2 s"
        [[script]]
        on = "up"
        at = "packet 12"
        for = "1 s"
        do = "drop"
        [[script]]
        at = "20 s"
        rate = "10 kbit/s"
        [[script]]
        at = "30 s"
        rate = "28.8 kbit/s"
        [[script]]
        at = "30 s"
        for = "5 s"
        delay = "1 s"
        [[script]]
        at = "31 s"
        loss = "3 %"
        [[script]]
        at = "32 s"
        queue = "3 packets"
        [[script]]
        on = "down"
        at = "data segment 40"
        for = "3 s"
        do = "hold"
        [[script]]
        on = "down"
        at = "byte 0"
        do = "drop"
        [[script]]
        at = "40 s"
        for = "3 s"
        do = "hold-arrivals"
        "#,
    );
    let entry = |i: usize| link.model.script[i].clone();
    let hold = Trigger::At {
        at: Time::from_ns(10_000_000_000),
        lasts: Some(Span::from_secs(3)),
    };
    assert_eq!(
        entry(0),
        ScriptEntry {
            scope: Scope::Shared,
            trigger: hold,
            action: Action::Hold
        }
    );
    let segments = Trigger::Packets {
        which: Selector::DataSegments { first: 9, last: 15 },
        lasts: None,
    };
    assert_eq!(
        entry(1),
        ScriptEntry {
            scope: Scope::One(Direction::Down),
            trigger: segments,
            action: Action::Drop
        }
    );
    let third = Trigger::Packets {
        which: Selector::RetransmissionOfByte { byte: 200_000, nth: 3 },
        lasts: None,
    };
    assert_eq!(entry(3).trigger, third);
    assert_eq!(entry(3).action, Action::Delay(Span::from_secs(2)));
    assert_eq!(entry(9).action, Action::SetQueue(QueueLimit::Packets(3)));
    assert_eq!(entry(12).action, Action::HoldArrivals);
    same_again(&link);
}

#[test]
fn scripts_wait_for_a_transport() {
    let cases = [
        (
            "after byte 200000",
            "after byte 200000",
            TransportCondition::AfterByte(200_000),
        ),
        (
            "retransmission 3",
            "at retransmission 3",
            TransportCondition::Retransmission(3),
        ),
        (
            "1.5 RTO after the last transmission",
            "1.5 RTO after the last transmission",
            TransportCondition::AfterLastTransmission { rto_thousandths: 1500 },
        ),
        (
            "2.050 RTO after the last transmission",
            "2.05 RTO after the last transmission",
            TransportCondition::AfterLastTransmission { rto_thousandths: 2050 },
        ),
        (
            "when the window first exceeds 20 segments",
            "when the window first exceeds 20 segments",
            TransportCondition::WindowExceeds { segments: 20 },
        ),
        (
            "on entering recovery",
            "on entering recovery",
            TransportCondition::Recovery,
        ),
    ];
    for (text, words, when) in cases {
        let link = with(&format!("[[script]]\nat = \"{text}\"\nfor = \"3 s\"\ndo = \"hold\"\n"));
        let lasts = Some(Span::from_secs(3));
        assert_eq!(link.model.script[0].trigger, Trigger::Transport { when, lasts });
        let line = format!("script (both directions at once): {words} delivery pauses for 3 s");
        assert!(link.summary().contains(&line), "{line}: {:?}", link.summary());
        let facts = link.facts();
        assert_eq!(facts.len(), 1, "when it happens nobody knows before there is traffic");
        assert_eq!(
            (facts[0].name.as_str(), facts[0].text.as_str()),
            ("script 1", line.as_str())
        );
        same_again(&link);
    }
    let link = with("[[script]]\nat = \"on entering recovery\"\nrate = \"1 Mbit/s\"\n");
    assert_eq!(link.model.conditions_of_state().count(), 1);
    same_again(&link);
}

/// The model of a queue of 50 packets, and its words.
fn queue(table: &str) -> (QueueModel, String) {
    let link = with(&format!("[down]\nqueue = {{ {table}, limit = \"50 packets\" }}\n"));
    same_again(&link);
    // Written once more, a default is as good as a value.
    let summary = link.summary();
    let line = summary
        .iter()
        .find(|line| line.contains("queue 50 packets"))
        .expect("a line");
    (
        link.model.down.queue,
        line.split_once("queue ").expect("a queue").1.to_owned(),
    )
}

#[test]
fn queues_may_be_managed() {
    let limit = QueueLimit::Packets(50);
    let red = RedModel {
        limit,
        minimum: QueueSize::Packets(5),
        maximum: QueueSize::Packets(15),
        probability: 0.1,
        weight: 0.002,
        gentle: true,
        mean_packet: Bytes::new(1000),
        spare: None,
        ecn: false,
    };
    let (model, words) = queue(r#"kind = "red""#);
    assert_eq!(model, QueueModel::Red(red));
    assert_eq!(
        words,
        "50 packets with gentle RED between 5 packets and 15 packets on average"
    );
    let (model, words) = queue(
        r#"kind = "red", minimum = "3 kB", probability = "2 %", weight = 0.01, gentle = false, mean_packet = "296 B", spare = "1 packet", ecn = true"#,
    );
    let other = RedModel {
        minimum: QueueSize::Bytes(Bytes::new(3_000)),
        maximum: QueueSize::Bytes(Bytes::new(9_000)),
        probability: 0.02,
        weight: 0.01,
        gentle: false,
        mean_packet: Bytes::new(296),
        spare: Some(QueueSize::Packets(1)),
        ecn: true,
        ..red
    };
    assert_eq!(model, QueueModel::Red(other));
    assert_eq!(
        words,
        "50 packets with RED between 3000 B and 9000 B on average, which spares 1 packet and marks where it can"
    );
    let adaptive = AdaptiveRedModel {
        limit,
        aim: RedAim::Delay(Span::from_ms(5)),
        weight: None,
        mean_packet: Bytes::new(1000),
        spare: None,
        ecn: false,
    };
    let (model, words) = queue(r#"kind = "adaptive-red""#);
    assert_eq!(model, QueueModel::AdaptiveRed(adaptive));
    assert_eq!(words, "50 packets with Adaptive RED for a wait of 5 ms");
    let (model, words) =
        queue(r#"kind = "adaptive-red", minimum = "7 packets", maximum = "20 packets", weight = 0.5, spare = "500 B""#);
    let (minimum, maximum) = (QueueSize::Packets(7), QueueSize::Packets(20));
    let aim = RedAim::Thresholds { minimum, maximum };
    let weight = Some(0.5);
    assert_eq!(
        model,
        QueueModel::AdaptiveRed(AdaptiveRedModel {
            aim,
            weight,
            spare: Some(QueueSize::Bytes(Bytes::new(500))),
            ..adaptive
        })
    );
    assert_eq!(
        words,
        "50 packets with Adaptive RED between 7 packets and 20 packets on average, which spares 500 B"
    );
    let codel = CodelModel {
        limit,
        target: Span::from_ms(5),
        interval: Span::from_ms(100),
        ecn: true,
    };
    let (model, words) = queue(r#"kind = "codel", ecn = true"#);
    assert_eq!(model, QueueModel::Codel(codel));
    assert_eq!(
        words,
        "50 packets with CoDel for a wait of 5 ms over 100 ms, which marks where it can"
    );
    let (model, _) = queue(r#"kind = "codel", target = "13 ms", interval = "300 ms""#);
    let slow = CodelModel {
        target: Span::from_ms(13),
        interval: Span::from_ms(300),
        ecn: false,
        ..codel
    };
    assert_eq!(model, QueueModel::Codel(slow));
    let pie = PieModel {
        limit,
        target: Span::from_ms(15),
        burst: Span::from_ms(150),
        mean_packet: Bytes::new(1000),
        ecn: false,
    };
    let (model, words) = queue(r#"kind = "pie""#);
    assert_eq!(model, QueueModel::Pie(pie));
    assert_eq!(words, "50 packets with PIE for a wait of 15 ms");
    let (model, _) = queue(r#"kind = "pie", target = "20 ms", burst = "0 s", mean_packet = "500 B", ecn = true"#);
    let other = PieModel {
        target: Span::from_ms(20),
        burst: Span::ZERO,
        mean_packet: Bytes::new(500),
        ecn: true,
        ..pie
    };
    assert_eq!(model, QueueModel::Pie(other));
}

#[test]
fn queues_of_flows_have_the_defaults_of_their_sources() {
    let limit = QueueLimit::Packets(50);
    let (model, words) = queue(r#"kind = "drr""#);
    let drr = DrrModel {
        limit,
        quantum: Bytes::new(1514),
        flows: 1024,
    };
    assert_eq!(model, QueueModel::Drr(drr));
    assert_eq!(words, "50 packets with deficit round robin of 1514 B among flows");
    let (model, _) = queue(r#"kind = "drr", quantum = "300 B", flows = 16"#);
    let other = DrrModel {
        quantum: Bytes::new(300),
        flows: 16,
        ..drr
    };
    assert_eq!(model, QueueModel::Drr(other));
    let fq_codel = FqCodelModel {
        limit,
        quantum: Bytes::new(1514),
        flows: 1024,
        target: Span::from_ms(5),
        interval: Span::from_ms(100),
        ecn: false,
    };
    let (model, words) = queue(r#"kind = "fq-codel""#);
    assert_eq!(model, QueueModel::FqCodel(fq_codel));
    assert_eq!(
        words,
        "50 packets with FQ-CoDel of 1514 B for a wait of 5 ms over 100 ms"
    );
    let (model, words) =
        queue(r#"kind = "fq-codel", quantum = "300 B", flows = 16, target = "13 ms", interval = "300 ms", ecn = true"#);
    let other = FqCodelModel {
        quantum: Bytes::new(300),
        flows: 16,
        target: Span::from_ms(13),
        interval: Span::from_ms(300),
        ecn: true,
        ..fq_codel
    };
    assert_eq!(model, QueueModel::FqCodel(other));
    assert_eq!(
        words,
        "50 packets with FQ-CoDel of 300 B for a wait of 13 ms over 300 ms, which marks where it can"
    );
}

/// RFC 9332, appendix A.1, figure 2.
#[test]
fn dualpi2_has_the_defaults_of_its_rfc() {
    let plain = DualPi2Model {
        limit: QueueLimit::Packets(50),
        target: Span::from_ms(15),
        round_trip: Span::from_ms(100),
        threshold: Span::from_us(800),
        range: Span::from_us(400),
        coupling: 2,
        classic_share: 0.0625,
    };
    let (model, words) = queue(r#"kind = "dualpi2""#);
    assert_eq!(model, QueueModel::DualPi2(plain));
    assert_eq!(
        words,
        "50 packets with DualPI2 for a wait of 15 ms, and of 800 us with ECT(1), which marks where it can"
    );
    let (model, _) = queue(
        r#"kind = "dualpi2", target = "20 ms", round_trip = "50 ms", threshold = "1 ms", range = "0 ms", coupling = 3, classic_share = "10 %""#,
    );
    let other = DualPi2Model {
        target: Span::from_ms(20),
        round_trip: Span::from_ms(50),
        threshold: Span::from_ms(1),
        range: Span::ZERO,
        coupling: 3,
        classic_share: 0.1,
        ..plain
    };
    assert_eq!(model, QueueModel::DualPi2(other));
}

/// tc-cake(8).
#[test]
fn cake_counts_memory_and_has_the_defaults_of_tc() {
    let of = |table: &str| {
        let link = with(&format!("[down]\nqueue = {{ kind = \"cake\", {table} }}\n"));
        same_again(&link);
        let kinds = (link.model.queue_of_a_kernel(), link.model.up.queue.is_managed());
        assert_eq!(kinds, (Some("cake"), false));
        let summary = link.summary().join("\n");
        (link.model.down.queue, summary)
    };
    let cake = |limit, ms| {
        QueueModel::Cake(CakeModel {
            limit,
            round_trip: Span::from_ms(ms),
        })
    };
    let (model, summary) = of(r#"limit = "4 MB""#);
    assert_eq!(model, cake(QueueLimit::Bytes(Bytes::new(4_000_000)), 100));
    assert!(
        summary.contains("queue 4000000 B with Linux's CAKE for round trips of 100 ms, which marks where it can"),
        "{summary}"
    );
    let (model, _) = of(r#"limit = "unlimited", round_trip = "600 ms""#);
    assert_eq!(model, cake(QueueLimit::Unlimited, 600));
}

/// The service of the direction down, and what its line says of it.
fn service(table: &str) -> (ServiceModel, String) {
    let link = with(&format!("[down]\nservice = {{ {table} }}\n"));
    same_again(&link);
    let summary = link.summary();
    let (_, words) = summary[0].split_once("queue 7 packets, ").expect("a queue");
    let facts = link.facts();
    assert_eq!(
        facts
            .iter()
            .map(|fact| (fact.kind, fact.text.as_str()))
            .collect::<Vec<_>>(),
        [("service", words)]
    );
    (link.model.down.service.expect("a service"), words.to_owned())
}

#[test]
fn a_service_has_the_defaults_of_its_sources() {
    let (model, words) = service(r#"kind = "grants", cycle = "1 ms""#);
    let plain = GrantsModel {
        cycle: Span::from_ms(1),
        sr_period: Span::ZERO,
        grant_delay: Span::ZERO,
        error: 0.0,
        round_trip: Span::from_ms(8),
        attempts: 4,
    };
    assert_eq!(model, ServiceModel::Grants(plain));
    assert_eq!(words, "served in units of 1 ms");
    // A unit cannot be sent again before it ends, whatever LTE's round trip is.
    let (model, _) = service(r#"kind = "grants", cycle = "10 ms""#);
    let long = GrantsModel {
        cycle: Span::from_ms(10),
        round_trip: Span::from_ms(10),
        ..plain
    };
    assert_eq!(model, ServiceModel::Grants(long));
    let (model, words) = service(
        r#"kind = "grants", cycle = "1 ms", sr_period = "10 ms", grant_delay = "8 ms", error = "10 %", round_trip = "9 ms", attempts = 3"#,
    );
    let lte = GrantsModel {
        sr_period: Span::from_ms(10),
        grant_delay: Span::from_ms(8),
        error: 0.1,
        round_trip: Span::from_ms(9),
        attempts: 3,
        ..plain
    };
    assert_eq!(model, ServiceModel::Grants(lte));
    assert_eq!(
        words,
        "served in units of 1 ms that come 8 ms after an idle queue asks, which it may every 10 ms; 10 % of them fail and are sent \
         again after 9 ms, 3 times in all at most"
    );
    let (model, words) = service(r#"kind = "contention""#);
    let alone = ContentionModel {
        contenders: 0,
        contender_airtime: Span::from_us(4_088),
        slot: Span::from_us(9),
        spacing: Span::from_us(34),
        cw_min: 15,
        cw_max: 1023,
        aggregate: 64,
        airtime: Span::from_ms(4),
        overhead: Span::from_us(88),
        error: 0.0,
        attempts: 7,
    };
    assert_eq!(model, ServiceModel::Contention(alone));
    assert_eq!(
        words,
        "contends with nobody else, then sends up to 64 packets or 4 ms together"
    );
    let (model, words) = service(
        r#"kind = "contention", contenders = 3, contender_airtime = "2 ms", slot = "20 us", spacing = "50 us", cw_min = 31,
           cw_max = 63, aggregate = 8, airtime = "3 ms", overhead = "100 us", error = 0.02, attempts = 5"#,
    );
    let shared = ContentionModel {
        contenders: 3,
        contender_airtime: Span::from_ms(2),
        slot: Span::from_us(20),
        spacing: Span::from_us(50),
        cw_min: 31,
        cw_max: 63,
        aggregate: 8,
        airtime: Span::from_ms(3),
        overhead: Span::from_us(100),
        error: 0.02,
        attempts: 5,
    };
    assert_eq!(model, ServiceModel::Contention(shared));
    assert_eq!(
        words,
        "contends with 3 other stations that send for 2 ms at a time, then sends up to 8 packets or 3 ms together; 2 % of packets \
         fail and are sent again, 5 times in all at most"
    );
}

#[test]
fn the_far_end_need_not_wait_for_ever() {
    let arq =
        r#"arq = { send_buffer = "9 kB", receive_buffer = "9 kB", persistence = "3 retries", retry_after = "1 s" }"#;
    for (text, model, words) in [
        ("never", InOrder::Never, ", delivered as they come"),
        ("35 ms", InOrder::For(Span::from_ms(35)), ", in order for at most 35 ms"),
        ("always", InOrder::Always, ""),
    ] {
        let link = with(&format!("in_order = \"{text}\"\n{arq}\n"));
        same_again(&link);
        assert_eq!(link.model.up.in_order, model);
        assert!(link.summary()[0].ends_with(words), "{:?}", link.summary());
    }
    // One direction's service may be what sends again, and the other need not have any.
    let units = r#"service = { kind = "grants", cycle = "1 ms", error = 0.1 }"#;
    let link = with(&format!("[up]\n{units}\nin_order = \"35 ms\"\n"));
    assert_eq!(link.model.down.in_order, InOrder::Always);
    same_again(&link);
}

#[test]
fn adaptive_red_with_parameters_of_its_own_takes_any_rate() {
    let text = "title = \"x\"\n[both]\nrate = \"unlimited\"\ndelay = \"0 s\"\n\
                queue = { kind = \"adaptive-red\", limit = \"9 kB\", minimum = \"1 kB\", weight = 0.01 }\n";
    same_again(&load(text).expect("a good file"));
}

#[test]
fn rates_may_change_in_time() {
    let stepped = "title = \"x\"\n[both]\ndelay = \"0 s\"\nqueue = { kind = \"droptail\", limit = \"64 kB\" }\n\
         rate = { kind = \"stepped\", period = \"30 s\", steps = [{ at = \"0 s\", rate = \"1 Mbit/s\" }, \
         { at = \"10 s\", rate = \"9.6 kbit/s\" }] }\n";
    same_again(&load(stepped).expect("a good file"));

    let traced = "title = \"x\"\n[both]\ndelay = \"empirical(../traces/delays.csv)\"\n\
         queue = { kind = \"droptail\", limit = \"unlimited\" }\nrate = { kind = \"trace\", file = \"../traces/a.trace\" }\n\
         [up]\nrate = { kind = \"stepped\", file = \"../traces/rates.csv\" }\n";
    let library = library(&[
        ("profiles/links/x.toml", traced),
        ("profiles/traces/a.trace", "0\n5\n5\n12\n"),
        ("profiles/traces/delays.csv", "delay_s\n0.1\n0.25 # late\n"),
        ("profiles/traces/rates.csv", "seconds,bps\n0,9600\n2.5,28800\n"),
    ]);
    let link = Link::load(&library, "x").expect("a good file");
    assert_eq!(
        link.model.down.delay,
        Distribution::Empirical([Span::from_ms(100), Span::from_ms(250)].into())
    );
    let Some(RateModel::Trace { opportunities, period }) = &link.model.down.rate else {
        panic!("{link:?}")
    };
    assert_eq!((opportunities.len(), *period), (4, Span::from_ms(12)));
    let Some(RateModel::Stepped { steps, .. }) = &link.model.up.rate else {
        panic!("{link:?}")
    };
    assert_eq!(steps[1].0, Time::from_ns(2_500_000_000));
    same_again(&link);
}

#[test]
fn a_recording_is_read_from_the_file_itself_or_from_another() {
    let csv = "time_s,down_bps,delay_ms\n0,1000000,20\n2.5,0,\n3,500000,35\n";
    let inside = with(&format!(
        "[recording]\nperiod = \"4 s\"\nzeros = \"outage\"\ncsv = \"\"\"\n{csv}\"\"\"\n"
    ));
    let recording = inside.model.recording.as_ref().expect("a recording");
    assert_eq!(
        (recording.period, recording.zeros),
        (Some(Span::from_secs(4)), Zeros::Outage)
    );
    let last = recording.rows[2];
    assert_eq!(last.at, Time::ZERO + Span::from_secs(3));
    assert_eq!((last.down.rate_bps, last.up.rate_bps), (Some(500_000), None));
    assert_eq!(
        (last.down.delay, last.up.delay),
        (Some(Span::from_ms(35)), Some(Span::from_ms(35)))
    );
    same_again(&inside);

    let named = format!("{PLAIN}[recording]\nfile = \"drive.csv\"\nperiod = \"4 s\"\nzeros = \"outage\"\n");
    let files = library(&[("profiles/links/x.toml", &named), ("profiles/links/drive.csv", csv)]);
    let outside = Link::load(&files, "x").expect("a good file");
    assert_eq!(outside.model.recording, inside.model.recording);
}

#[test]
fn what_repeats_may_begin_anywhere() {
    assert_eq!(with("").model.start, Start::Beginning);
    let repeating = "[recording]\nperiod = \"4 s\"\nzeros = \"hold\"\ncsv = \"time_s,down_bps\\n0,1000000\\n2,0\\n\"\n";
    let link = load(&format!("start = \"random\"\n{PLAIN}{repeating}")).expect("a good file");
    assert_eq!(link.model.start, Start::Random);
    same_again(&link);
    let link = load(&format!("start = \"2.5 s\"\n{PLAIN}{repeating}")).expect("a good file");
    assert_eq!(link.model.start, Start::At(Span::from_ms(2500)));
    assert!(
        link.summary()
            .contains(&"what repeats begins 2.5 s into its period".to_owned())
    );
    same_again(&link);
}

#[test]
fn what_depends_on_packets_is_told_as_facts() {
    let link = with(
        r#"
allocation = { idle_after = "1 s", delay = "300 ms" }
[up]
arq = { send_buffer = "1776 B", receive_buffer = "1776 B", persistence = "none" }
[[impairment]]
name = "by-the-clock"
kind = "hold"
on = "both"
every = "exponential(mean 60 s)"
length = "3 s"
[[impairment]]
name = "by-packets"
kind = "drop"
on = "each"
every = "packet with probability 0.02"
length = "3 s"
[[impairment]]
name = "states"
kind = "two-state"
on = "up"
good = "10 s"
bad = "1 s"
[[impairment]]
name = "chain"
kind = "gilbert-elliott"
on = "both"
to_bad = 0.1
to_good = 0.5
[[script]]
at = "10 s"
for = "3 s"
do = "hold"
[[script]]
at = "first retransmission of byte 2000"
on = "down"
do = "drop"
"#,
    );
    let facts = link.facts();
    let lines: Vec<_> = facts
        .iter()
        .map(|fact| (fact.kind, fact.name.as_str(), fact.directions.as_slice()))
        .collect();
    let (down, up, both) = (&[Direction::Down][..], &[Direction::Up][..], &Direction::ALL[..]);
    let expected = [
        ("arq", "arq", up),
        ("allocation", "allocation", both),
        ("drop", "by-packets", both),
        ("two-state", "states", up),
        ("gilbert-elliott", "chain", both),
        ("script", "script 2", down),
    ];
    assert_eq!(lines, expected);
    assert_eq!(
        facts[5].text,
        "script (down): at first retransmission of byte 2000 lost"
    );
    // A fact's line is the summary's.
    let summary = link.summary();
    assert!(facts[2..].iter().all(|fact| summary.contains(&fact.text)), "{facts:?}");
}

#[test]
fn a_family_is_that_of_the_base_and_no_part_of_what_a_link_does() {
    let base = format!("family = \"lte\"\n{PLAIN}");
    let library = library(&[
        ("profiles/links/base.toml", &base),
        ("profiles/links/y.toml", "title = \"y\"\nextends = \"base\"\n"),
        (
            "profiles/links/z.toml",
            "title = \"z\"\nfamily = \"moving\"\nextends = \"y\"\n",
        ),
    ]);
    let families = ["base", "y", "z"].map(|name| {
        let link = Link::load(&library, name).expect("a good file");
        assert_eq!(link.resolved().family, None, "results keep what a link does");
        link.family
    });
    assert_eq!(families, [Some(Family::Lte), Some(Family::Lte), Some(Family::Moving)]);
}

#[test]
fn a_scenario_of_the_quic_network_simulator_is_a_link() {
    let load = |scenario| {
        let link = Link::load(&library(&[]), scenario).unwrap_or_else(|problems| panic!("{problems}"));
        same_again(&link);
        link
    };
    let link = load("simple-p2p --delay=15ms  --bandwidth=10Mbps --queue=25");
    assert_eq!(link.name, "simple-p2p-15ms-10mbps-25");
    let path = &link.model.down;
    assert_eq!(link.model.up, *path);
    assert_eq!(path.rate, BitRate::from_bps(10_000_000).map(RateModel::Constant));
    assert_eq!(path.delay, Distribution::Constant(Span::from_ms(15)));
    assert_eq!(path.queue, QueueModel::DropTail(QueueLimit::Packets(25)));
    assert_eq!(path.framing, Bytes::new(2));
    assert!(link.model.impairments.is_empty() && link.model.script.is_empty());

    let link = load(
        "asymmetric-p2p --delay=15ms --forward-data-rate=10Mbps --forward-queue=30 --return-data-rate=1Mbps --return-queue=5",
    );
    let rates = [&link.model.down, &link.model.up].map(|path| path.rate.clone());
    assert_eq!(
        rates,
        [10_000_000, 1_000_000].map(|bps| BitRate::from_bps(bps).map(RateModel::Constant))
    );
    assert_eq!(link.model.up.queue, QueueModel::DropTail(QueueLimit::Packets(5)));
}

#[test]
fn what_scenarios_lose_is_lost() {
    let load = |scenario: &str| {
        let base = "--delay=15ms --bandwidth=10Mbps --queue=25";
        let (name, options) = scenario.split_once(' ').expect("options follow");
        let link = Link::load(&library(&[]), &format!("{name} {base} {options}")).expect("a scenario");
        same_again(&link);
        link
    };
    let link = load("drop-rate --rate_to_client=2 --rate_to_server=30 --burst_to_server=3");
    assert_eq!(link.name, "drop-rate-15ms-10mbps-25-2-30-burst-to-server-3");
    let kinds: Vec<_> = link
        .model
        .impairments
        .iter()
        .map(|impairment| (impairment.scope, impairment.kind.clone()))
        .collect();
    let bounded = ImpairmentKind::BoundedLoss {
        probability: 0.3,
        most: NonZeroU32::new(4).expect("not zero"),
    };
    assert_eq!(
        kinds,
        [
            (Scope::One(Direction::Down), ImpairmentKind::Loss { probability: 0.02 }),
            (Scope::One(Direction::Up), bounded),
        ]
    );

    let link = load("blackhole --on=5s --off=2s --repeat=2 --direction=toclient");
    let at = |secs| ScriptEntry {
        scope: Scope::One(Direction::Down),
        trigger: Trigger::At {
            at: Time::ZERO + Span::from_secs(secs),
            lasts: Some(Span::from_secs(2)),
        },
        action: Action::Drop,
    };
    assert_eq!(link.model.script, [at(5), at(12)]);

    let link = load("droplist --drops_to_server=4,1,4");
    let chosen = |number| ScriptEntry {
        scope: Scope::One(Direction::Up),
        trigger: Trigger::Packets {
            which: Selector::Packet(number),
            lasts: None,
        },
        action: Action::Drop,
    };
    assert_eq!(link.model.script, [chosen(1), chosen(4)]);

    let rebinding = |every| Rebinding {
        at: Time::ZERO + Span::from_secs(1),
        every,
    };
    let link = load("rebind --first-rebind=1s --rebind-freq=5s");
    assert_eq!(link.model.rebinding, Some(rebinding(Some(Span::from_secs(5)))));
    let link = load("rebind-port --first-rebind=1s");
    assert_eq!(link.model.rebinding, Some(rebinding(None)));
}

#[test]
fn a_link_builds_on_a_scenario() {
    let link = load(
        "title = \"x\"\nextends = \"simple-p2p --delay=15ms --bandwidth=10Mbps --queue=25\"\n[up]\nrate = \"1 Mbit/s\"\n",
    );
    let link = link.unwrap_or_else(|problems| panic!("{problems}"));
    let rates = [&link.model.down, &link.model.up].map(|path| path.rate.clone());
    assert_eq!(
        rates,
        [10_000_000, 1_000_000].map(|bps| BitRate::from_bps(bps).map(RateModel::Constant))
    );
}
