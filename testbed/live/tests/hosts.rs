//! The machine's own kernel as sender and receiver. Needs user namespaces, or root.

use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use nix::sys::socket::{getsockopt, sockopt::TcpMaxSeg};
use sha2::{Digest, Sha256};
use windlull_live::hosts::{Report, SenderReport, apply, apply_to_programs, open};
use windlull_live::{ReadingPause, Task};
use windlull_netns::{Lab, LabSpec, Namespace, Node, RouterKind, enter};
use windlull_plane::Epoch;
use windlull_stack::Linux;
use windlull_units::{Bytes, Host, Network, Requests, Span, Time, Work};
use windlull_wire::SenderEvent;
use windlull_wire::content::Content;

fn main() {
    let arguments = Arguments::from_args();
    // Before libtest_mimic starts its threads. If there is none to be had, every lab says why.
    drop(enter());
    let trials = vec![
        Trial::test("every_octet_arrives_and_both_ends_close", every_octet_arrives),
        Trial::test("every_octet_arrives_over_ipv6", every_octet_arrives_over_ipv6),
        Trial::test("the_server_may_send_too", || {
            transfer(Host::Server, &Linux::default(), 70_000, None).map(drop)
        }),
        Trial::test("nothing_at_all_can_be_sent", || {
            transfer(Host::Client, &Linux::default(), 0, None).map(drop)
        }),
        Trial::test("a_receiver_that_pauses_gets_everything", a_receiver_that_pauses),
        Trial::test("requests_are_answered_one_after_another", || requests(300, None)),
        Trial::test("requests_are_made_by_the_clock", || {
            requests(300, Some(Span::from_ms(20)))
        }),
        Trial::test("responses_without_requests_are_sent_by_the_clock", || {
            requests(0, Some(Span::from_ms(20)))
        }),
        Trial::test("settings_are_made_and_recorded", settings_are_made_and_recorded),
        Trial::test(
            "segments_of_programs_are_bounded_by_the_route",
            segments_of_programs_are_bounded,
        ),
        Trial::test("what_the_kernel_does_not_take_is_named", what_the_kernel_does_not_take),
        Trial::test("a_transfer_without_a_peer_can_be_stopped", a_transfer_can_be_stopped),
        Trial::test("several_connections_share_two_hosts", several_connections),
        Trial::test("a_connection_whose_time_is_up_falls_silent", a_connection_falls_silent),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}

fn lab() -> Result<Lab, Failed> {
    lab_over(Network::Ipv4)
}

fn lab_over(network: Network) -> Result<Lab, Failed> {
    Ok(Lab::build(&LabSpec {
        kernel_answers: [true, true],
        network,
        router: RouterKind::Forwarding,
    })?)
}

fn transfer(
    sends: Host,
    linux: &Linux,
    octets: u64,
    pause: Option<ReadingPause>,
) -> Result<(SenderReport, Report), Failed> {
    transfer_in(&lab()?, sends, linux, octets, pause)
}

fn transfer_in(
    lab: &Lab,
    sends: Host,
    linux: &Linux,
    octets: u64,
    pause: Option<ReadingPause>,
) -> Result<(SenderReport, Report), Failed> {
    for host in Host::ALL {
        apply(linux, &lab.site(host))?;
    }
    let epoch = Epoch::begin();
    let work = Work::Octets(Bytes::new(octets));
    let receiving = open(linux, &lab.site(sends.peer()), 0)?.receive(Task::receives(work, pause), epoch)?;
    let sending = open(linux, &lab.site(sends), 0)?.send(Task::sends(work), epoch)?;
    while !(receiving.progress().over() && sending.progress().over()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(sending.progress().closed() && receiving.progress().closed());
    let (sender, receiver) = (sending.stop()?, receiving.stop()?);
    assert_eq!((&sender.report.failure, sender.report.orderly), (&None, true));
    assert_eq!((&receiver.failure, receiver.orderly), (&None, true));
    assert_eq!((sender.report.written, receiver.received.octets), (octets, octets));
    assert_eq!(receiver.received.first_wrong, None);
    let mut content = Vec::new();
    Content::shared().copy_to(0, usize::try_from(octets)?, &mut content);
    let hash: String = Sha256::digest(&content)
        .iter()
        .map(|octet| format!("{octet:02x}"))
        .collect();
    assert_eq!(receiver.received.sha256, hash);
    Ok((sender, receiver))
}

fn every_octet_arrives() -> Result<(), Failed> {
    let (sender, _) = transfer(Host::Client, &Linux::default(), 20_000_000, None)?;
    assert!(sender.sampled.samples > 0);
    let states = |event: &SenderEvent| match event {
        SenderEvent::State(state) => Some(*state),
        _ => None,
    };
    let first = sender.sampled.events.iter().find_map(|(_, event)| states(event));
    assert!(first.is_some_and(|state| state.cwnd_bytes > 0 && !state.rto.is_zero()));
    // Whether the kernel sent something again is not asked: a busy machine drops at its own backlog, or answers so late
    // that a probe is sent. What is seen then is the watcher's own test.
    Ok(())
}

/// The kernel is asked for a connection of IPv6, and its route has the attributes that IPv4's would have.
fn every_octet_arrives_over_ipv6() -> Result<(), Failed> {
    let lab = lab_over(Network::Ipv6)?;
    let linux = Linux {
        minimum_rto: Some(Span::from_secs(1)),
        initial_window: Some(3),
        mss: Some(1_000),
        timestamps: Some(false),
        ..Linux::default()
    };
    let (sender, receiver) = transfer_in(&lab, Host::Server, &linux, 20_000_000, None)?;
    assert!(sender.sampled.samples > 0);
    assert_eq!(sender.report.settings["server.socket.TCP_MAXSEG"], "1000");
    assert_eq!(receiver.received.octets, 20_000_000);
    let settings = apply(&linux, &lab.site(Host::Server))?;
    let route = &settings["server.route"];
    assert!(route.contains("2001:2::2") && route.contains("initcwnd 3"), "{route}");
    // Without any, an MTU of 1500 leaves 1440 octets, of which timestamps take 12 (RFC 9293, section 3.7.1).
    let lab = lab_over(Network::Ipv6)?;
    let (sender, _) = transfer_in(&lab, Host::Client, &Linux::default(), 100_000, None)?;
    assert_eq!(sender.report.settings["client.socket.TCP_MAXSEG"], "1428");
    Ok(())
}

fn a_receiver_that_pauses() -> Result<(), Failed> {
    let small = Linux {
        receive_buffer: Some(Bytes::new(8192)),
        ..Linux::default()
    };
    let pause = ReadingPause {
        after: Bytes::new(10_000),
        lasts: Span::from_ms(300),
    };
    transfer(Host::Server, &small, 100_000, Some(pause))?;
    Ok(())
}

fn requests(request: u64, every: Option<Span>) -> Result<(), Failed> {
    let lab = lab()?;
    for host in Host::ALL {
        apply(&Linux::default(), &lab.site(host))?;
    }
    let epoch = Epoch::begin();
    let work = Work::Requests(Requests {
        request: Bytes::new(request),
        response: Bytes::new(70_000),
        every,
        count: 5,
    });
    let linux = Linux::default();
    let receiving = open(&linux, &lab.site(Host::Client), 0)?.receive(Task::receives(work, None), epoch)?;
    let sending = open(&linux, &lab.site(Host::Server), 0)?.send(Task::sends(work), epoch)?;
    while !(receiving.progress().over() && sending.progress().over()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let (sender, receiver) = (sending.stop()?.report, receiving.stop()?);
    for end in [&sender, &receiver] {
        assert_eq!(
            (&end.failure, end.orderly, end.received.first_wrong),
            (&None, true, None)
        );
    }
    assert_eq!((sender.written, receiver.received.octets), (350_000, 350_000));
    assert_eq!((receiver.written, sender.received.octets), (5 * request, 5 * request));
    assert!(sender.tasks.is_empty());
    assert_eq!(receiver.tasks.len(), 5, "{:?}", receiver.tasks);
    if let Some(every) = every {
        let (last, _) = receiver.tasks[4];
        assert!(last.since(Time::ZERO) >= every.saturating_mul(4), "{last}");
    }
    Ok(())
}

/// Two down and one up, of two congestion controls, the last of them later than the others.
fn several_connections() -> Result<(), Failed> {
    let lab = lab()?;
    for host in Host::ALL {
        apply(&Linux::default(), &lab.site(host))?;
    }
    let epoch = Epoch::begin();
    let later = Span::from_ms(120);
    let connections = [
        (Host::Server, "reno", 300_000, Span::ZERO),
        (Host::Server, "cubic", 500_000, Span::ZERO),
        (Host::Client, "reno", 70_000, later),
    ];
    let (mut sending, mut receiving) = (Vec::new(), Vec::new());
    for (number, (sender, congestion_control, octets, start)) in (0..).zip(connections) {
        let linux = Linux {
            congestion_control: Some(congestion_control.to_owned()),
            ..Linux::default()
        };
        let work = Work::Octets(Bytes::new(octets));
        let at = |host| open(&linux, &lab.site(host), number);
        receiving.push(at(sender.peer())?.receive(Task::receives(work, None).beginning(start), epoch)?);
        sending.push(
            at(sender)?
                .among_others()
                .send(Task::sends(work).beginning(start), epoch)?,
        );
    }
    while !receiving.iter().all(|end| end.progress().over()) || !sending.iter().all(|end| end.progress().over()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(epoch.now() >= Time::ZERO + later);
    for (((_, congestion_control, octets, _), sending), receiving) in
        connections.into_iter().zip(sending).zip(receiving)
    {
        let (sender, receiver) = (sending.stop()?, receiving.stop()?);
        assert_eq!((&sender.report.failure, &receiver.failure), (&None, &None));
        assert_eq!(
            (receiver.received.octets, receiver.received.first_wrong),
            (octets, None)
        );
        let of_socket = |settings: &BTreeMap<String, String>| {
            settings
                .iter()
                .find(|(name, _)| name.ends_with("TCP_CONGESTION"))
                .map(|(_, value)| value.clone())
        };
        assert_eq!(of_socket(&sender.report.settings).as_deref(), Some(congestion_control));
    }
    Ok(())
}

fn a_connection_falls_silent() -> Result<(), Failed> {
    let lab = lab()?;
    for host in Host::ALL {
        apply(&Linux::default(), &lab.site(host))?;
    }
    // Slow enough that much is under way when its time is up.
    let slow = [
        "qdisc",
        "add",
        "dev",
        "to-client",
        "root",
        "tbf",
        "rate",
        "20mbit",
        "burst",
        "20kb",
        "limit",
        "200kb",
    ];
    lab.namespace(Node::Router).command("tc", &slow)?;
    let epoch = Epoch::begin();
    let (linux, work) = (Linux::default(), Work::Lasting(Span::from_ms(300)));
    let namespace = lab.namespace(Node::Client).clone();
    let receiving = open(&linux, &lab.site(Host::Client), 0)?.receive(Task::receives(work, None), epoch)?;
    let sending = open(&linux, &lab.site(Host::Server), 0)?.send(Task::sends(work), epoch)?;
    while !(receiving.progress().over() && sending.progress().over()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(epoch.now() >= Time::ZERO + Span::from_ms(300));
    assert!(receiving.progress().received() > 100_000);
    // What was under way comes within 80 ms; then the sender's timer fires once, after some 200 ms and a round trip.
    std::thread::sleep(Duration::from_millis(100));
    let before = packets(&namespace)?;
    std::thread::sleep(Duration::from_millis(1_500));
    let [received, sent] = packets(&namespace)?;
    assert!(received - before[0] <= 2, "{before:?}, then {received} and {sent}");
    assert_eq!(sent, before[1], "nobody answers");
    let (sender, receiver) = (sending.stop()?, receiving.stop()?);
    assert_eq!((&sender.report.failure, &receiver.failure), (&None, &None));
    assert_eq!(receiver.received.first_wrong, None);
    Ok(())
}

/// Packets that the client's device has received, and sent.
fn packets(namespace: &Namespace) -> Result<[u64; 2], Failed> {
    let text = namespace.run(|| std::fs::read_to_string("/proc/thread-self/net/dev"))??;
    let line = text.lines().find_map(|line| line.trim().strip_prefix("client0:"));
    let counts: Vec<u64> = line
        .ok_or("no such device")?
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    Ok([counts[1], counts[9]])
}

fn settings_are_made_and_recorded() -> Result<(), Failed> {
    let lab = lab()?;
    let linux = Linux {
        congestion_control: Some("reno".to_owned()),
        frto: Some(false),
        sack: Some(false),
        timestamps: Some(false),
        tail_loss_probe: Some(false),
        minimum_rto: Some(Span::from_secs(1)),
        initial_window: Some(3),
        receive_buffer: Some(Bytes::new(85_000)),
        mss: Some(1000),
        ..Linux::default()
    };
    let settings = apply(&linux, &lab.site(Host::Server))?;
    for (name, value) in [
        ("server.net.ipv4.tcp_frto", "0"),
        ("server.net.ipv4.tcp_sack", "0"),
        ("server.net.ipv4.tcp_timestamps", "0"),
        ("server.net.ipv4.tcp_early_retrans", "0"),
        ("server.net.ipv4.tcp_rmem", "85000 85000 85000"),
        ("server.net.ipv4.tcp_no_metrics_save", "1"),
    ] {
        assert_eq!(settings.get(name).map(String::as_str), Some(value), "{name}");
    }
    assert!(
        settings["server.route"].contains("initcwnd 3"),
        "{}",
        settings["server.route"]
    );
    for unset in [
        "server.net.ipv4.tcp_reordering",
        "server.net.ipv4.tcp_slow_start_after_idle",
        "kernel.release",
    ] {
        assert!(settings.contains_key(unset), "{unset}");
    }
    // The other host is as it was.
    let other = apply(&Linux::default(), &lab.site(Host::Client))?;
    assert_eq!(other["client.net.ipv4.tcp_sack"], "1");
    let (sender, receiver) = transfer(Host::Client, &linux, 10_000, None)?;
    assert_eq!(sender.report.settings["client.socket.TCP_CONGESTION"], "reno");
    assert_eq!(sender.report.settings["client.socket.TCP_MAXSEG"], "1000");
    assert_eq!(receiver.settings["server.socket.TCP_CONGESTION"], "reno");
    Ok(())
}

fn segments_of_programs_are_bounded() -> Result<(), Failed> {
    let lab = lab()?;
    let linux = Linux {
        mss: Some(600),
        timestamps: Some(false),
        ..Linux::default()
    };
    let address = (lab.site(Host::Server).address(), 7000);
    let server = lab.namespace(Node::Server);
    // It listens before anything is set, as a server in a container of its own does.
    let listener = server.run(|| TcpListener::bind(address))??;
    for host in Host::ALL {
        let settings = apply_to_programs(&linux, &lab.site(host))?;
        let route = &settings[&format!("{}.route", Node::from(host).name())];
        assert!(route.contains("advmss 600"), "{route}");
    }
    let client = lab.namespace(Node::Client).run(|| TcpStream::connect(address))??;
    let (served, _) = listener.accept()?;
    for stream in [&client, &served] {
        assert_eq!(getsockopt(stream, TcpMaxSeg)?, 600);
    }
    Ok(())
}

fn what_the_kernel_does_not_take() -> Result<(), Failed> {
    let lab = lab()?;
    let refused = |linux: &Linux| {
        apply(linux, &lab.site(Host::Server))
            .map(drop)
            .map_err(|error| error.to_string())
    };
    let message = refused(&Linux {
        congestion_control: Some("nonesuch".to_owned()),
        ..Linux::default()
    })
    .expect_err("there is none");
    assert!(
        message.contains("TCP_CONGESTION = nonesuch") && message.contains("reno"),
        "{message}"
    );
    // Kernels from 6.17 on have no other loss detection; older ones take it.
    if let Err(message) = refused(&Linux {
        rack: Some(false),
        ..Linux::default()
    }) {
        assert!(
            message.contains("tcp_recovery") && message.contains("RACK"),
            "{message}"
        );
    }
    Ok(())
}

fn a_transfer_can_be_stopped() -> Result<(), Failed> {
    let lab = lab()?;
    let epoch = Epoch::begin();
    let linux = Linux::default();
    // Nothing carries its packets: the peer's device is down.
    lab.namespace(Node::Client)
        .command("ip", &["link", "set", "client0", "down"])?;
    let work = Work::Octets(Bytes::new(1000));
    let sending = open(&linux, &lab.site(Host::Server), 0)?.send(Task::sends(work), epoch)?;
    let receiving = open(&linux, &lab.site(Host::Client), 0)?.receive(Task::receives(work, None), epoch)?;
    let (sender, receiver) = (sending.stop()?, receiving.stop()?);
    assert!(!sender.report.orderly && !receiver.orderly);
    assert_eq!((sender.report.written, receiver.received.octets), (0, 0));
    Ok(())
}
