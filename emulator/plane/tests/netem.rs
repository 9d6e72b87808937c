//! The netem plane on the machine's own kernel: every command that it takes, on real packets. Needs user namespaces, or
//! root. Nothing here depends on how fast the machine is. A kernel without netem or plug must refuse them by name, and
//! all else is tried without them; `testbed/kernel` has a kernel with both.

use std::net::UdpSocket;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use tempfile::TempDir;
use windlull_link::model::{
    Action, Distribution, LinkModel, PathModel, QueueLimit, QueueModel, RateModel, Scope, ScriptEntry, Selector,
    Trigger,
};
use windlull_netns::{Lab, LabSpec, Node, RouterKind, address_in, enter};
use windlull_plane::Epoch;
use windlull_plane::netem::{
    self, Approximation, Carriage, Devices, Fidelity, Heading, Instead, Request, Schedule, Step, ToolError, Tools,
};
use windlull_profile::{Kind, Library, Link};
use windlull_units::{BitRate, Bytes, Direction, Host, Network, Seed, Span, Time};

/// Longer than anything here takes, on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(60);
const PORT: u16 = 4_000;
/// Octets of a UDP header.
const UDP: usize = 8;

fn main() {
    let arguments = Arguments::from_args();
    // Before libtest_mimic starts its threads. If there is none to be had, every lab says why.
    drop(enter());
    let trials = [
        ("a_link_leaves_nothing_behind", leaves_nothing_behind as fn() -> _),
        ("what_the_kernel_lacks_is_named", what_the_kernel_lacks_is_named),
        ("a_queue_holds_what_the_model_says", a_queue_holds_what_the_model_says),
        (
            "a_queue_in_octets_counts_ip_packets",
            a_queue_in_octets_counts_ip_packets,
        ),
        ("an_outage_drops_one_way_and_ends", an_outage_drops_one_way_and_ends),
        ("the_nth_packet_is_lost", the_nth_packet_is_lost),
        ("a_hold_holds_and_releases_in_order", a_hold_holds),
        ("the_timeline_is_played", the_timeline_is_played),
        ("an_exported_script_is_taken_by_the_shell", an_exported_script_is_taken),
        (
            "shipped_links_compile_or_say_why_not",
            shipped_links_compile_or_say_why_not,
        ),
        (
            "every_shipped_link_has_a_nearest_that_says_what_it_is_not",
            every_shipped_link_has_a_nearest,
        ),
        ("a_link_of_ipv6_leaves_nothing_behind", leaves_nothing_behind_over_ipv6),
        ("a_wire_leaves_nothing_behind", a_wire_leaves_nothing_behind),
        ("a_wire_needs_no_forwarding", a_wire_needs_no_forwarding),
        ("packets_of_ipv6_meet_the_same_link", packets_of_ipv6_meet_the_same_link),
    ];
    let trials = trials.map(|(name, test)| Trial::test(name, test)).into();
    libtest_mimic::run(&arguments, trials).exit();
}

/// Three namespaces, a link in the router, and sockets at the hosts.
struct Scene {
    lab: Lab,
    schedule: Schedule,
    tools: Tools,
    hosts: [UdpSocket; 2],
    network: Network,
    _tables: TempDir,
}

impl Scene {
    fn bare(model: &LinkModel) -> Result<Self, Failed> {
        Self::carried_by(Carriage::Forwarding, Network::Ipv4, model)
    }

    fn carried_by(carriage: Carriage, network: Network, model: &LinkModel) -> Result<Self, Failed> {
        let lab = Lab::build(&LabSpec {
            kernel_answers: [true, true],
            network,
            router: match carriage {
                Carriage::Forwarding => RouterKind::Forwarding,
                Carriage::Wire => RouterKind::Userspace,
            },
        })?;
        let schedule = netem::compile_as(&Request {
            model,
            seed: Seed::new(1),
            horizon: Span::from_secs(100),
            devices: &Devices::default(),
            carriage,
            network,
            fidelity: Fidelity::Exact,
        })?;
        let tables = TempDir::new()?;
        let tools = Tools::ready(&schedule, tables.path())?;
        let socket = |host: Host| {
            lab.namespace(host.into())
                .run(|| UdpSocket::bind((address_in(network, host), PORT)))
        };
        let hosts = [socket(Host::Server)??, socket(Host::Client)??];
        for host in &hosts {
            host.set_read_timeout(Some(PATIENCE))?;
        }
        Ok(Self {
            lab,
            schedule,
            tools,
            hosts,
            network,
            _tables: tables,
        })
    }

    /// With the link made, but for what this kernel lacks.
    fn new(model: &LinkModel) -> Result<Self, Failed> {
        let scene = Self::bare(model)?;
        for step in scene.schedule.setup.iter().filter(|step| scene.can(step)) {
            scene.run(step)?;
        }
        Ok(scene)
    }

    fn run(&self, step: &Step) -> Result<(), Failed> {
        let done = self.lab.namespace(Node::Router).run(|| self.tools.run(step))?;
        done.map_err(|error| format!("{step}: {error}").into())
    }

    /// Whether this kernel has what the step needs.
    fn can(&self, step: &Step) -> bool {
        let line = step.to_string();
        let kinds = ["netem", "plug"].into_iter();
        kinds
            .filter(|kind| line.contains(&format!(" {kind} ")))
            .all(|kind| self.kernel_has(kind))
    }

    fn kernel_has(&self, kind: &str) -> bool {
        let router = self.lab.namespace(Node::Router);
        let tried = router.command("tc", &["qdisc", "add", "dev", "lo", "root", kind, "limit", "1000"]);
        if tried.is_ok() {
            router.command("tc", &["qdisc", "del", "dev", "lo", "root"]).is_ok()
        } else {
            false
        }
    }

    fn router(&self, command: &str) -> Result<String, Failed> {
        let words: Vec<&str> = command.split(' ').collect();
        Ok(self.lab.namespace(Node::Router).command(words[0], &words[1..])?)
    }

    /// Sends packets of so many octets; each says its number.
    fn send(&self, from: Host, numbers: std::ops::Range<u8>, octets: usize) -> Result<(), Failed> {
        for number in numbers {
            let headers = usize::try_from(self.network.header_len())? + UDP;
            let payload = vec![number; octets - headers];
            self.hosts[from as usize].send_to(&payload, (address_in(self.network, from.peer()), PORT))?;
        }
        Ok(())
    }

    /// The number of the next packet that arrives.
    fn receive(&self, at: Host) -> Result<u8, Failed> {
        let mut payload = [0; 1_500];
        self.hosts[at as usize].recv_from(&mut payload)?;
        Ok(payload[0])
    }

    /// Of its tables with counters, where the router forwards.
    fn family(&self) -> &'static str {
        match self.network {
            Network::Ipv4 => "ip",
            Network::Ipv6 => "ip6",
        }
    }

    fn counted(&self, counter: &str) -> Result<u64, Failed> {
        let said = self.router(&format!("nft list counter {} windlull {counter}", self.family()))?;
        let mut words = said.split_whitespace().skip_while(|word| *word != "packets");
        let count = words.nth(1).ok_or("no counter")?;
        Ok(count.parse()?)
    }
}

fn rate(bps: u64) -> Option<RateModel> {
    BitRate::from_bps(bps).map(RateModel::Constant)
}

fn plain() -> LinkModel {
    LinkModel::symmetric(PathModel::plain(None, Span::ZERO))
}

fn scripted(scope: Scope, at_secs: u64, lasts_secs: u64, action: Action) -> LinkModel {
    let mut model = plain();
    model.script.push(ScriptEntry {
        scope,
        trigger: Trigger::At {
            at: Time::ZERO + Span::from_secs(at_secs),
            lasts: Some(Span::from_secs(lasts_secs)),
        },
        action,
    });
    model
}

/// A bit of everything.
fn rich() -> LinkModel {
    let mut model = scripted(Scope::Shared, 10, 3, Action::Hold);
    for path in [&mut model.down, &mut model.up] {
        path.rate = rate(384_000);
        path.delay = Distribution::Exponential {
            mean: Span::from_ms(50),
        };
        path.framing = Bytes::new(8);
        path.queue = QueueModel::DropTail(QueueLimit::Bytes(Bytes::new(50_000)));
    }
    let mut also = |action| {
        model.script.extend(scripted(Scope::Each, 20, 5, action).script);
    };
    also(Action::Drop);
    also(Action::SetLoss(0.5));
    also(Action::SetQueue(QueueLimit::Bytes(Bytes::new(3_000))));
    also(Action::SetDelay(Span::from_ms(7)));
    if let Some(slow) = BitRate::from_bps(16_000) {
        also(Action::SetRate(slow));
    }
    model
}

fn leaves_nothing_behind() -> Result<(), Failed> {
    must_leave_nothing(Carriage::Forwarding, Network::Ipv4)
}

fn leaves_nothing_behind_over_ipv6() -> Result<(), Failed> {
    must_leave_nothing(Carriage::Forwarding, Network::Ipv6)
}

fn a_wire_leaves_nothing_behind() -> Result<(), Failed> {
    must_leave_nothing(Carriage::Wire, Network::Ipv4)
}

fn must_leave_nothing(carriage: Carriage, network: Network) -> Result<(), Failed> {
    let scene = Scene::carried_by(carriage, network, &rich())?;
    let look = || -> Result<[String; 3], Failed> {
        Ok([
            scene.router("ip -brief link")?,
            scene.router("tc qdisc")?,
            scene.router("nft list ruleset")?,
        ])
    };
    let before = look()?;
    let (setup, timeline) = (&scene.schedule.setup, &scene.schedule.timeline);
    for step in setup.iter().chain(timeline.iter().map(|(_, step)| step)) {
        if scene.can(step) {
            scene.run(step)?;
        }
    }
    assert_ne!(look()?, before);
    // Twice: what is not there is passed over.
    for _ in 0..2 {
        netem::tear_down(&scene.schedule, |step| scene.run(step).map_err(|_| ()));
        assert_eq!(look()?, before);
    }
    Ok(())
}

fn what_the_kernel_lacks_is_named() -> Result<(), Failed> {
    let scene = Scene::bare(&rich())?;
    let before = scene.router("ip -brief link")?;
    let run = |step: &Step| -> Result<(), ToolError> {
        let done = scene.lab.namespace(Node::Router).run(|| scene.tools.run(step));
        done.expect("the router can be entered")
    };
    match netem::set_up(&scene.schedule, run) {
        Ok(()) if scene.kernel_has("netem") && scene.kernel_has("plug") => Ok(()),
        Err(error) if !scene.kernel_has("netem") => {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            assert!(error.to_string().contains(" netem "), "{error}");
            assert!(source.is_some_and(|said| said.contains("tc")));
            assert_eq!(scene.router("ip -brief link")?, before, "something was left behind");
            Ok(())
        }
        Ok(()) => Err("a kernel without netem or plug took them".into()),
        Err(error) => Err(error.into()),
    }
}

/// Sends twelve packets into an idle link that takes seconds for each.
fn overflowed(limit: QueueLimit, octets: usize) -> Result<(u64, u64), Failed> {
    let mut model = plain();
    model.down.rate = rate(1_000);
    model.down.queue = QueueModel::DropTail(limit);
    let scene = Scene::new(&model)?;
    scene.send(Host::Server, 0..12, octets)?;
    let said = scene.router("tc -s qdisc show dev down-queue")?;
    let fifo = said
        .split("qdisc")
        .find(|part| part.contains("fifo"))
        .ok_or("no fifo")?;
    let number = |before: &str, after: &str| -> Result<u64, Failed> {
        let (_, rest) = fifo.split_once(before).ok_or("no such figure")?;
        let (number, _) = rest.split_once(after).ok_or("no such figure")?;
        Ok(number.trim().parse()?)
    };
    let (_, backlog) = fifo.split_once("backlog ").ok_or("no backlog")?;
    let waiting = backlog
        .split_whitespace()
        .nth(1)
        .ok_or("no backlog")?
        .trim_end_matches('p')
        .parse()?;
    Ok((waiting, number("dropped ", ",")?))
}

fn a_queue_holds_what_the_model_says() -> Result<(), Failed> {
    // One in service, three in the queue, as in the model.
    assert_eq!(overflowed(QueueLimit::Packets(3), 1_500)?, (3, 8));
    Ok(())
}

fn a_queue_in_octets_counts_ip_packets() -> Result<(), Failed> {
    // Three packets to the last octet: Ethernet's header does not count.
    assert_eq!(overflowed(QueueLimit::Bytes(Bytes::new(3_000)), 1_000)?, (3, 8));
    assert_eq!(overflowed(QueueLimit::Bytes(Bytes::new(2_999)), 1_000)?, (2, 9));
    Ok(())
}

fn an_outage_drops_one_way_and_ends() -> Result<(), Failed> {
    let scene = Scene::new(&scripted(Scope::One(Direction::Down), 10, 3, Action::Drop))?;
    let [(_, begins), (_, ends)] = &scene.schedule.timeline[..] else {
        return Err("not two changes".into());
    };
    scene.run(begins)?;
    scene.send(Host::Server, 0..5, 100)?;
    scene.send(Host::Client, 50..53, 100)?;
    for number in 50..53 {
        assert_eq!(scene.receive(Host::Server)?, number);
    }
    scene.run(ends)?;
    scene.send(Host::Server, 5..7, 100)?;
    for number in 5..7 {
        assert_eq!(scene.receive(Host::Client)?, number);
    }
    assert_eq!(scene.counted("down-outage")?, 5);
    assert_eq!(scene.counted("down-passed")?, 2);
    assert_eq!(scene.counted("up-passed")?, 3);
    assert_eq!(scene.counted("up-outage")?, 0);
    Ok(())
}

fn the_nth_packet_is_lost() -> Result<(), Failed> {
    let mut model = plain();
    for number in [3, 5] {
        model.script.push(ScriptEntry {
            scope: Scope::One(Direction::Down),
            trigger: Trigger::Packets {
                which: Selector::Packet(number),
                lasts: None,
            },
            action: Action::Drop,
        });
    }
    for rated in [None, rate(10_000_000)] {
        model.down.rate = rated;
        let scene = Scene::new(&model)?;
        if scene.schedule.setup.iter().any(|step| !scene.can(step)) {
            // The bits' stage is missing, and with it the way to the client.
            continue;
        }
        scene.send(Host::Server, 1..8, 200)?;
        let arrived = (0..5)
            .map(|_| scene.receive(Host::Client))
            .collect::<Result<Vec<_>, _>>()?;
        assert_eq!(arrived, [1, 2, 4, 6, 7]);
        assert_eq!(scene.counted("down-chosen")?, 2);
    }
    Ok(())
}

fn a_hold_holds() -> Result<(), Failed> {
    let scene = Scene::new(&scripted(Scope::One(Direction::Down), 10, 3, Action::Hold))?;
    let [(_, begins), (_, ends)] = &scene.schedule.timeline[..] else {
        return Err("not two changes".into());
    };
    if !scene.can(begins) {
        assert!(scene.run(begins).is_err());
        return Ok(());
    }
    scene.send(Host::Server, 0..2, 100)?;
    assert_eq!((scene.receive(Host::Client)?, scene.receive(Host::Client)?), (0, 1));
    scene.run(begins)?;
    scene.send(Host::Server, 2..100, 100)?;
    // The other way is free: what comes back shows that the kernel has had the time.
    scene.send(Host::Client, 200..201, 100)?;
    assert_eq!(scene.receive(Host::Server)?, 200);
    let said = scene.router("tc -s qdisc show dev to-client")?;
    assert!(said.contains(" 98p "), "{said}");
    scene.hosts[Host::Client as usize].set_nonblocking(true)?;
    assert!(scene.receive(Host::Client).is_err(), "a packet passed a hold");
    scene.hosts[Host::Client as usize].set_nonblocking(false)?;
    scene.run(ends)?;
    scene.send(Host::Server, 100..102, 100)?;
    for number in 2..102 {
        assert_eq!(scene.receive(Host::Client)?, number);
    }
    Ok(())
}

fn the_timeline_is_played() -> Result<(), Failed> {
    let mut model = plain();
    for ms in [10, 20, 30] {
        let mut entry = scripted(Scope::One(Direction::Up), 0, 1, Action::SetLoss(0.5))
            .script
            .remove(0);
        entry.trigger = Trigger::At {
            at: Time::ZERO + Span::from_ms(ms),
            lasts: Some(Span::from_ms(5)),
        };
        model.script.push(entry);
    }
    let scene = Scene::new(&model)?;
    let epoch = Epoch::begin();
    let never = AtomicBool::new(false);
    let router = scene.lab.namespace(Node::Router);
    let applied = router.run(|| netem::play(&scene.schedule, epoch, &never, |step| scene.tools.run(step)))??;
    let planned: Vec<u64> = applied.iter().map(|step| step.planned.as_ns() / 1_000_000).collect();
    assert_eq!(planned, [10, 15, 20, 25, 30, 35]);
    assert!(
        applied
            .iter()
            .all(|step| step.planned <= step.begun && step.begun <= step.done)
    );
    // Told to stop, it stops, however far the next change is.
    let (later, now) = (scripted(Scope::Shared, 90, 1, Action::Drop), AtomicBool::new(true));
    let schedule = netem::compile(&later, Seed::new(1), Span::from_secs(100), &Devices::default())?;
    let applied = netem::play(&schedule, epoch, &now, |step| scene.tools.run(step))?;
    assert_eq!(applied, []);
    Ok(())
}

fn an_exported_script_is_taken() -> Result<(), Failed> {
    let schedule = netem::compile(&rich(), Seed::new(1), Span::from_secs(100), &Devices::variables())?;
    let heading = Heading {
        profile: "rich".to_owned(),
        made_by: "a test".to_owned(),
        seed: Seed::new(1),
        horizon: Span::from_secs(100),
    };
    let scene = Scene::bare(&plain())?;
    let place = TempDir::new()?;
    let file = place.path().join("rich.sh");
    std::fs::write(&file, netem::script(&schedule, &heading))?;
    let file = file.to_str().ok_or("a strange path")?;
    scene.router(&format!("sh -n {file}"))?;
    if windlull_netns::tool("shellcheck").is_some() {
        scene.router(&format!("shellcheck {file}"))?;
    }
    assert!(scene.router(&format!("sh {file} sideways")).is_err());
    let before = scene.router("ip -brief link")?;
    // Without a link, `down` has nothing to do; `up` fails where the kernel lacks something, and leaves nothing.
    let run = |what: &str| scene.router(&format!("env TO_SERVER=to-server TO_CLIENT=to-client sh {file} {what}"));
    run("down")?;
    if !scene.kernel_has("netem") {
        assert!(run("up").is_err());
        assert_eq!(scene.router("ip -brief link")?, before);
    }
    Ok(())
}

fn shipped_links_compile_or_say_why_not() -> Result<(), Failed> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../profiles");
    let library = Library::open(&root);
    let names = library.names(Kind::Link);
    assert!(names.len() > 10, "no links in {}", root.display());
    for name in names {
        let profile = Link::load(&library, &name).map_err(|problems| problems.to_string())?;
        match netem::compile(
            &profile.model,
            Seed::new(1),
            Span::from_secs(3_600),
            &Devices::default(),
        ) {
            Ok(_) => assert!(
                [
                    "5g-",
                    "bbr-",
                    "bench-",
                    "bufferbloat",
                    "dsl",
                    "fibre",
                    "gurtov2003",
                    "jacobson1988",
                    "kernel-",
                    "lte-",
                    "mobile-with-holds",
                    "one-",
                    "psaras2007",
                    "satellite-",
                    "ten-spikes",
                    "wen2010",
                    "wifi-"
                ]
                .iter()
                .any(|those| name.starts_with(those)),
                "{name} compiles; is it in the documentation?"
            ),
            Err(unsupported) => {
                assert!(!unsupported.parts.is_empty());
                assert!(unsupported.to_string().contains("the model plane can"), "{unsupported}");
            }
        }
    }
    Ok(())
}

/// The same stages, with the router's forwarding of IPv6.
fn packets_of_ipv6_meet_the_same_link() -> Result<(), Failed> {
    let mut model = plain();
    model.script.push(ScriptEntry {
        scope: Scope::One(Direction::Down),
        trigger: Trigger::Packets {
            which: Selector::Packet(3),
            lasts: None,
        },
        action: Action::Drop,
    });
    for rated in [None, rate(10_000_000)] {
        (model.down.rate, model.up.rate) = (rated.clone(), rated);
        let scene = Scene::carried_by(Carriage::Forwarding, Network::Ipv6, &model)?;
        if scene.schedule.setup.iter().any(|step| !scene.can(step)) {
            // The bits' stage is missing, and with it the way to the other host.
            continue;
        }
        for step in &scene.schedule.setup {
            scene.run(step)?;
        }
        scene.send(Host::Server, 1..6, 200)?;
        for number in [1, 2, 4, 5] {
            assert_eq!(scene.receive(Host::Client)?, number);
        }
        scene.send(Host::Client, 50..53, 1_400)?;
        for number in 50..53 {
            assert_eq!(scene.receive(Host::Server)?, number);
        }
        assert_eq!(scene.counted("down-chosen")?, 1);
        assert_eq!(scene.counted("down-passed")?, 4);
        assert_eq!(scene.counted("up-passed")?, 3);
    }
    Ok(())
}

/// Packets go from device to device by nftables alone: losses in time and by number, one way only.
fn a_wire_needs_no_forwarding() -> Result<(), Failed> {
    let mut model = scripted(Scope::One(Direction::Down), 10, 3, Action::Drop);
    model.script.push(ScriptEntry {
        scope: Scope::One(Direction::Down),
        trigger: Trigger::Packets {
            which: Selector::Packet(3),
            lasts: None,
        },
        action: Action::Drop,
    });
    let scene = Scene::carried_by(Carriage::Wire, Network::Ipv4, &model)?;
    scene.router("sysctl -qw net.ipv4.ip_forward=0")?;
    // Without its rules nothing passes: what is seen below is the link's doing.
    scene.send(Host::Server, 90..91, 100)?;
    for step in scene.schedule.setup.iter().filter(|step| scene.can(step)) {
        scene.run(step)?;
    }
    let [(_, begins), (_, ends)] = &scene.schedule.timeline[..] else {
        return Err("not two changes".into());
    };
    scene.send(Host::Server, 1..6, 200)?;
    for number in [1, 2, 4, 5] {
        assert_eq!(scene.receive(Host::Client)?, number);
    }
    scene.run(begins)?;
    scene.send(Host::Server, 6..9, 100)?;
    scene.send(Host::Client, 50..53, 100)?;
    for number in 50..53 {
        assert_eq!(scene.receive(Host::Server)?, number);
    }
    scene.run(ends)?;
    scene.send(Host::Server, 9..10, 100)?;
    assert_eq!(scene.receive(Host::Client)?, 9);
    for (counter, packets) in [
        ("down-outage", 3),
        ("down-chosen", 1),
        ("down-passed", 5),
        ("up-passed", 3),
    ] {
        let said = scene.router(&format!("nft list counter netdev windlull {counter}"))?;
        assert!(said.contains(&format!("packets {packets} ")), "{counter}: {said}");
    }
    Ok(())
}

/// Every shipped link becomes a script; what is not as in the profile is named, and nothing else is.
fn every_shipped_link_has_a_nearest() -> Result<(), Failed> {
    let library = Library::open(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../profiles"));
    let names = library.names(Kind::Link);
    assert!(names.len() > 60, "only {} links", names.len());
    for name in names {
        let link = Link::load(&library, &name).map_err(|problems| problems.to_string())?;
        let request = Request {
            model: &link.model,
            seed: Seed::new(1),
            horizon: Span::from_secs(600),
            devices: &Devices::variables(),
            carriage: Carriage::Forwarding,
            network: Network::Ipv4,
            fidelity: Fidelity::Nearest {
                packet: Bytes::new(1_500),
            },
        };
        let nearest = netem::compile_as(&request).map_err(|unsupported| format!("{name}: {unsupported}"))?;
        let exact = netem::compile_as(&Request {
            fidelity: Fidelity::Exact,
            ..request
        });
        match exact {
            // A queue that the kernel manages is the same in both; a script says that it is not ours.
            Ok(exact) => {
                let unlike = |one: &&Approximation| one.instead != Instead::KernelQueue;
                assert_eq!(nearest.approximations.iter().find(unlike), None, "{name}");
                let approximations = nearest.approximations.clone();
                assert_eq!(
                    Schedule {
                        approximations,
                        ..exact
                    },
                    nearest,
                    "{name}"
                );
            }
            Err(unsupported) => {
                assert!(!nearest.approximations.is_empty(), "{name}: nothing is named");
                for part in &unsupported.parts {
                    // The delay that may not differ beside what overtakes is kept, and what overtakes is left out.
                    let overtakes = |text: String| text.contains("overtake");
                    let named = nearest.approximations.iter().any(|one| {
                        let same = overtakes(part.to_string()) && overtakes(one.to_string());
                        one.key == part.key || part.key == "kind" || same
                    });
                    assert!(named, "{name}: {part} is not named in {:?}", nearest.approximations);
                }
            }
        }
        let script = netem::script(
            &nearest,
            &Heading {
                profile: name.clone(),
                made_by: "a test".to_owned(),
                seed: Seed::new(1),
                horizon: Span::from_secs(600),
            },
        );
        for approximation in &nearest.approximations {
            assert!(
                script.contains(&format!("# - {approximation}\n")),
                "{name}: {approximation}"
            );
        }
    }
    Ok(())
}
