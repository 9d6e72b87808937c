//! The model plane on the machine's own kernel. Needs user namespaces, or root. Nothing here depends on how fast the
//! machine is.

mod support;

use std::net::UdpSocket;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use support::{Scene, Story, link, ms, seq_of};
use windlull_link::model::{
    Action, ArqModel, Distribution, Impairment, ImpairmentKind, LinkModel, Onset, Persistence, QueueLimit, QueueModel,
    QueueSize, RateModel, RedModel, Scope, ScriptEntry, Selector, TransportCondition, Trigger,
};
use windlull_netns::{Lab, LabSpec, Node, RouterKind, address, address_in, enter};
use windlull_plane::Epoch;
use windlull_plane::model::{self, Pace, PlaneError, Port};
use windlull_units::{BitRate, Bytes, Direction, DropCause, Ecn, Host, LinkEvent, Network, Outcome, Seed, Span, Time};

fn main() {
    let arguments = Arguments::from_args();
    // Before libtest_mimic starts its threads. If there is none to be had, every lab says why.
    drop(enter());
    let trials = [
        ("a_plain_link_keeps_packets_and_their_order", plain as fn() -> _),
        ("every_fate_is_the_simulators", every_fate_is_the_simulators),
        ("link_layer_and_both_ways_are_the_simulators", link_layer),
        ("another_seed_would_be_noticed", another_seed_would_be_noticed),
        ("a_hold_holds_and_releases_in_order", a_hold_holds),
        ("a_retransmission_begins_a_hold", a_retransmission_begins_a_hold),
        ("a_state_of_a_sender_begins_a_hold", a_state_of_a_sender_begins_a_hold),
        ("the_script_drops_what_it_names", the_script_drops_what_it_names),
        (
            "corrupted_packets_differ_in_one_bit",
            corrupted_packets_differ_in_one_bit,
        ),
        ("a_queue_marks_real_packets", a_queue_marks_real_packets),
        ("kernels_refuse_corrupted_packets", kernels_refuse_corrupted_packets),
        ("what_is_no_ip_does_not_pass", what_is_no_ip_does_not_pass),
        ("packets_of_ipv6_pass_and_discovery_does_not", packets_of_ipv6),
        (
            "a_device_that_is_not_there_is_named",
            a_device_that_is_not_there_is_named,
        ),
    ];
    let trials = trials.map(|(name, test)| Trial::test(name, test)).into();
    libtest_mimic::run(&arguments, trials).exit();
}

/// Sends so many segments of many sizes in either direction, as fast as the kernel takes them.
fn talk(scene: &mut Scene, each_way: u32) -> Result<(), Failed> {
    for number in 0..each_way {
        scene.send(Host::Server, number, number * 37 % 1_400)?;
        scene.send(Host::Client, number, number * 11 % 300)?;
        if number % 50 == 49 {
            scene.settle()?;
        }
    }
    Ok(())
}

fn talked(model: &LinkModel, seed: u64, each_way: u32) -> Result<Story, Failed> {
    let mut scene = Scene::new(model, seed)?;
    talk(&mut scene, each_way)?;
    scene.finish()
}

fn plain() -> Result<(), Failed> {
    let mut quick = link();
    (quick.down.rate, quick.up.rate) = (None, None);
    for model in [quick, link()] {
        let story = talked(&model, 1, 200)?;
        story.assert_as_simulated();
        for host in Host::ALL {
            assert_eq!(story.seqs_at(host), (0..200).collect::<Vec<_>>());
            for octets in &story.received[host as usize] {
                let payload_len = u32::try_from(octets.len() - 20)?;
                assert_eq!(*octets, support::segment(seq_of(octets), payload_len));
            }
        }
    }
    Ok(())
}

fn impaired(name: &str, scope: Scope, kind: ImpairmentKind) -> Impairment {
    Impairment {
        name: name.to_owned(),
        scope,
        kind,
    }
}

/// Everything that can happen to a packet without a link layer.
fn eventful() -> LinkModel {
    let mut model = link();
    model.down.delay = Distribution::Normal {
        mean: Span::from_ms(20),
        deviation: Span::from_ms(5),
    };
    model.down.queue = QueueModel::DropTail(QueueLimit::Packets(30));
    let renewal = |mean| {
        Onset::Renewal(Distribution::Exponential {
            mean: Span::from_ms(mean),
        })
    };
    let length = |mean| Distribution::Exponential {
        mean: Span::from_ms(mean),
    };
    model.impairments = vec![
        impaired("loss", Scope::Each, ImpairmentKind::Loss { probability: 0.03 }),
        impaired(
            "bursts",
            Scope::One(Direction::Down),
            ImpairmentKind::GilbertElliott {
                to_bad: 0.02,
                to_good: 0.3,
                loss_good: 0.0,
                loss_bad: 0.5,
            },
        ),
        impaired(
            "spike",
            Scope::Each,
            ImpairmentKind::Hold {
                every: renewal(400),
                length: length(40),
            },
        ),
        impaired(
            "fade",
            Scope::Shared,
            ImpairmentKind::Drop {
                every: renewal(500),
                length: length(20),
            },
        ),
        impaired(
            "late",
            Scope::Each,
            ImpairmentKind::Reorder {
                probability: 0.05,
                by: length(15),
            },
        ),
        impaired("twice", Scope::Each, ImpairmentKind::Duplicate { probability: 0.05 }),
        impaired("wrong", Scope::Each, ImpairmentKind::Corrupt { probability: 0.05 }),
    ];
    model
}

fn every_fate_is_the_simulators() -> Result<(), Failed> {
    let story = talked(&eventful(), 7, 300)?;
    story.assert_as_simulated();
    for (host, direction) in [(Host::Client, Direction::Down), (Host::Server, Direction::Up)] {
        let fates = || story.log.fates.iter().filter(|fate| fate.direction == direction);
        assert!(fates().any(|fate| matches!(fate.outcome, Outcome::Dropped { .. })));
        assert!(fates().any(|fate| fate.duplicate_of.is_some()));
        assert!(fates().any(|fate| fate.corrupted));
        // What the link delivered is what arrived, in that order.
        let delivered = fates().filter(|fate| matches!(fate.outcome, Outcome::Delivered { .. }));
        let ids = delivered.map(|fate| fate.duplicate_of.unwrap_or(fate.id));
        assert_eq!(story.seqs_at(host), story.seqs_of(direction, ids));
    }
    Ok(())
}

fn link_layer() -> Result<(), Failed> {
    let mut model = eventful();
    let arq = ArqModel {
        send_buffer: Bytes::new(6_000),
        receive_buffer: Bytes::new(4_000),
        persistence: Persistence::Retries(2),
        retry_after: Span::from_ms(45),
    };
    (model.down.arq, model.up.arq) = (Some(arq), Some(arq));
    talked(&model, 3, 150)?.assert_as_simulated();
    Ok(())
}

fn another_seed_would_be_noticed() -> Result<(), Failed> {
    let story = talked(&eventful(), 7, 100)?;
    assert_eq!(story.replay(7).fates, story.log.fates);
    assert_ne!(story.replay(8).fates, story.log.fates);
    Ok(())
}

fn a_hold_holds() -> Result<(), Failed> {
    let mut model = link();
    model.script = vec![ScriptEntry {
        scope: Scope::One(Direction::Down),
        trigger: Trigger::Packets {
            which: Selector::DataSegments { first: 5, last: 5 },
            lasts: Some(Span::from_ms(300)),
        },
        action: Action::Hold,
    }];
    let mut scene = Scene::new(&model, 1)?;
    for number in 0..20 {
        scene.send(Host::Server, number * 500, 500)?;
    }
    let story = scene.finish()?;
    story.assert_as_simulated();
    assert_eq!(
        story.seqs_at(Host::Client),
        (0..20).map(|number| number * 500).collect::<Vec<_>>()
    );
    let held = story.log.events.iter().find_map(|(from, event)| match event {
        LinkEvent::HoldBegan { until, .. } => Some((*from, *until)),
        _ => None,
    });
    let (from, until) = held.expect("a hold");
    assert_eq!(until - from, Span::from_ms(300));
    let during = story
        .log
        .released
        .iter()
        .filter(|each| each.planned >= from && each.planned < until);
    assert_eq!(during.count(), 0, "nothing is released while the link holds");
    let at_its_end = story.log.released.iter().filter(|each| each.planned == until).count();
    assert_eq!(at_its_end, 16, "what came meanwhile is released at once");
    Ok(())
}

fn a_retransmission_begins_a_hold() -> Result<(), Failed> {
    let mut model = link();
    model.script = vec![ScriptEntry {
        scope: Scope::One(Direction::Down),
        trigger: Trigger::Transport {
            when: TransportCondition::Retransmission(1),
            lasts: Some(Span::from_ms(300)),
        },
        action: Action::Hold,
    }];
    let mut scene = Scene::new(&model, 1)?;
    for number in [0, 1, 2, 1, 3] {
        scene.send(Host::Server, number * 500, 500)?;
    }
    let story = scene.finish()?;
    story.assert_as_simulated();
    let mut fates: Vec<_> = story.log.fates.iter().collect();
    fates.sort_by_key(|fate| fate.id);
    let began = story.log.events.iter().find_map(|(from, event)| match event {
        LinkEvent::HoldBegan { .. } => Some(*from),
        _ => None,
    });
    assert_eq!(began, fates.get(3).map(|fate| fate.entered));
    Ok(())
}

fn a_state_of_a_sender_begins_a_hold() -> Result<(), Failed> {
    let mut model = link();
    model.script = vec![ScriptEntry {
        scope: Scope::One(Direction::Down),
        trigger: Trigger::Transport {
            when: TransportCondition::Recovery,
            lasts: Some(Span::from_ms(300)),
        },
        action: Action::Hold,
    }];
    let mut scene = Scene::new(&model, 1)?;
    scene.send(Host::Server, 0, 500)?;
    scene.settle()?;
    scene.trigger(0, Time::ZERO);
    scene.trigger(0, Time::ZERO);
    // What the link is told is looked at once for every packet at least: behind the second it was.
    for number in [1, 2] {
        scene.send(Host::Server, number * 500, 500)?;
        scene.settle()?;
    }
    let story = scene.finish()?;
    let holds: Vec<Span> = (story.log.events.iter())
        .filter_map(|(from, event)| match event {
            LinkEvent::HoldBegan { until, .. } => Some(until.since(*from)),
            _ => None,
        })
        .collect();
    assert_eq!(holds, [Span::from_ms(300)], "it begins once");
    assert_eq!(story.seqs_at(Host::Client), [0, 500, 1_000]);
    Ok(())
}

fn the_script_drops_what_it_names() -> Result<(), Failed> {
    let mut model = link();
    model.script = vec![
        ScriptEntry {
            scope: Scope::One(Direction::Down),
            trigger: Trigger::Packets {
                which: Selector::DataSegments { first: 3, last: 4 },
                lasts: None,
            },
            action: Action::Drop,
        },
        ScriptEntry {
            scope: Scope::One(Direction::Down),
            trigger: Trigger::Packets {
                which: Selector::RetransmissionOfSegment { segment: 3, nth: 1 },
                lasts: None,
            },
            action: Action::Drop,
        },
    ];
    let mut scene = Scene::new(&model, 1)?;
    for number in [0, 1, 2, 3, 4, 2, 2] {
        scene.send(Host::Server, number * 500, 500)?;
    }
    let story = scene.finish()?;
    story.assert_as_simulated();
    assert_eq!(story.seqs_at(Host::Client), [0, 500, 2_000, 1_000]);
    let chosen = |fate: &&windlull_units::Fate| {
        matches!(
            fate.outcome,
            Outcome::Dropped {
                by: DropCause::Chosen,
                ..
            }
        )
    };
    assert_eq!(story.log.fates.iter().filter(chosen).count(), 3);
    Ok(())
}

fn always_wrong() -> LinkModel {
    let mut model = link();
    model.impairments = vec![impaired(
        "wrong",
        Scope::Each,
        ImpairmentKind::Corrupt { probability: 1.0 },
    )];
    model
}

fn corrupted_packets_differ_in_one_bit() -> Result<(), Failed> {
    let story = talked(&always_wrong(), 1, 40)?;
    story.assert_as_simulated();
    for host in Host::ALL {
        assert_eq!(story.received[host as usize].len(), 40);
        for octets in &story.received[host as usize] {
            let right = support::segment(seq_of(octets), u32::try_from(octets.len() - 20)?);
            let wrong_bits: u32 = octets
                .iter()
                .zip(&right)
                .map(|(one, other)| (one ^ other).count_ones())
                .sum();
            assert_eq!(wrong_bits, 1);
        }
    }
    Ok(())
}

/// What is marked passes the far kernel's check of the header, and nothing is lost; what cannot be marked is dropped.
fn a_queue_marks_real_packets() -> Result<(), Failed> {
    let mut model = link();
    model.down.queue = QueueModel::Red(RedModel {
        limit: QueueLimit::Unlimited,
        minimum: QueueSize::Packets(2),
        maximum: QueueSize::Packets(200),
        probability: 1.0,
        weight: 1.0,
        gentle: false,
        mean_packet: Bytes::new(1000),
        spare: None,
        ecn: true,
    });
    model.down.rate = BitRate::from_bps(2_000_000).map(RateModel::Constant);
    let played = |ecn| -> Result<Story, Failed> {
        let mut scene = Scene::new(&model, 1)?;
        scene.ecn = ecn;
        for number in 0..400 {
            scene.send(Host::Server, number, 500)?;
            if number % 50 == 49 {
                scene.settle()?;
            }
        }
        scene.finish()
    };
    let story = played(Ecn::Ect0)?;
    story.assert_as_simulated();
    let marked = story.log.fates.iter().filter(|fate| fate.marked).count();
    let codepoints = &story.codepoints[Host::Client as usize];
    assert_eq!(codepoints.len(), 400);
    assert!(marked > 0 && marked < 400, "{marked} of 400");
    assert_eq!(codepoints.iter().filter(|it| **it == Ecn::Ce).count(), marked);
    assert_eq!(codepoints.iter().filter(|it| **it == Ecn::Ect0).count(), 400 - marked);

    let story = played(Ecn::NotEct)?;
    story.assert_as_simulated();
    let early = |fate: &&windlull_units::Fate| {
        matches!(
            fate.outcome,
            Outcome::Dropped {
                by: DropCause::QueueEarly,
                ..
            }
        )
    };
    let dropped = story.log.fates.iter().filter(early).count();
    assert!(dropped > 0, "nothing was dropped");
    assert_eq!(story.codepoints[Host::Client as usize].len(), 400 - dropped);
    Ok(())
}

fn kernels_refuse_corrupted_packets() -> Result<(), Failed> {
    let mut scene = Scene::new(&always_wrong(), 1)?;
    let bind = |host: Host| {
        let bound = scene
            .lab
            .namespace(host.into())
            .run(|| UdpSocket::bind((address(host), 99)));
        bound.and_then(|socket| socket)
    };
    let (server, client) = (bind(Host::Server)?, bind(Host::Client)?);
    for number in 0..5_u8 {
        server.send_to(&[number; 100], (address(Host::Client), 99))?;
    }
    scene.settle_at(5)?;
    client.set_nonblocking(true)?;
    assert!(client.recv(&mut [0; 200]).is_err(), "a corrupted datagram came through");
    let wrong = scene
        .lab
        .namespace(Node::Client)
        .run(|| support::snmp("Udp", "InCsumErrors"))??;
    assert_eq!(wrong, 5);
    Ok(())
}

fn what_is_no_ip_does_not_pass() -> Result<(), Failed> {
    let mut scene = Scene::new(&link(), 1)?;
    let server = scene.lab.namespace(Node::Server);
    let client = address(Host::Client).to_string();
    // Without its permanent neighbour, the kernel asks for it.
    server.command("ip", &["neighbour", "del", &client, "dev", "server0"])?;
    let socket = server.run(|| UdpSocket::bind((address(Host::Server), 99)))??;
    socket.send_to(b"anybody?", (address(Host::Client), 99))?;
    scene.send(Host::Client, 1, 10)?;
    let story = scene.finish()?;
    assert_eq!(story.log.accuracy.foreign, 1);
    assert_eq!(
        story.log.entered.len(),
        1,
        "the packet itself waits for the answer for good"
    );
    Ok(())
}

/// What a host sends to the other is carried; what its kernel asks all neighbours is not.
fn packets_of_ipv6() -> Result<(), Failed> {
    let lab = Lab::build(&LabSpec {
        kernel_answers: [true, true],
        network: Network::Ipv6,
        router: RouterKind::Userspace,
    })?;
    let open = |device| lab.namespace(Node::Router).run(|| Port::open(device));
    let (to_server, to_client) = (open("to-server")??, open("to-client")??);
    let running = model::start(
        model::Setup {
            link: &link(),
            access: None,
            crossing: &[],
            network: Network::Ipv6,
            seed: Seed::new(1),
            epoch: Epoch::begin(),
            pace: Pace::Precise,
        },
        to_server,
        to_client,
    )?;
    let [server, client] = Host::ALL.map(|host| address_in(Network::Ipv6, host));
    let bind = |host: Host, address| {
        let bound = lab.namespace(host.into()).run(|| UdpSocket::bind((address, 99)));
        bound.and_then(|socket| socket)
    };
    let (sends, receives) = (bind(Host::Server, server)?, bind(Host::Client, client)?);
    receives.set_read_timeout(Some(Duration::from_secs(60)))?;
    for number in 0..5_u8 {
        sends.send_to(&[number; 100], (client, 99))?;
    }
    for number in 0..5_u8 {
        let mut octets = [9; 200];
        assert_eq!(receives.recv(&mut octets)?, 100);
        assert_eq!(octets[0], number);
    }
    // With an address of its own on the link and without its permanent neighbour, the kernel asks for it; the packet itself
    // waits for the answer.
    let server = lab.namespace(Node::Server);
    server.command("ip", &["address", "add", "fe80::1/64", "dev", "server0", "nodad"])?;
    server.command("ip", &["neighbour", "del", &client.to_string(), "dev", "server0"])?;
    sends.send_to(b"anybody?", (client, 99))?;
    receives.send_to(b"the last", (address_in(Network::Ipv6, Host::Server), 99))?;
    sends.set_read_timeout(Some(Duration::from_secs(60)))?;
    assert_eq!(sends.recv(&mut [0; 200])?, 8);
    let log = running.stop()?;
    assert_eq!(log.entered.len(), 6);
    assert_eq!(log.entered[0].size, Bytes::new(40 + 8 + 100));
    assert!(log.accuracy.foreign > 0);
    assert!(
        log.fates
            .iter()
            .all(|fate| matches!(fate.outcome, Outcome::Delivered { .. }))
    );
    Ok(())
}

fn a_device_that_is_not_there_is_named() -> Result<(), Failed> {
    let scene = Scene::new(&link(), 1)?;
    let port = scene.lab.namespace(Node::Router).run(|| Port::open("to-nowhere"))?;
    let Err(error @ PlaneError::Port { .. }) = port else {
        return Err("there is no such device".into());
    };
    assert!(error.to_string().contains("to-nowhere"), "{error}");
    let story = scene.finish()?;
    assert_eq!(story.log.until.max(ms(0)), story.log.until);
    Ok(())
}
