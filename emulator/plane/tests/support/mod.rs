//! Two hosts that send TCP segments of any kind through a link in the router, and see what arrives. The segments'
//! checksums are wrong on purpose: raw sockets get them all the same, and no kernel answers to them.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, SockaddrIn, recv, sendto, socket};
use windlull_link::model::{LinkModel, PathModel, RateModel};
use windlull_link::{Link, LinkObserver, Packet, TcpView};
use windlull_netns::{Lab, LabSpec, Node, RouterKind, address};
use windlull_plane::Epoch;
use windlull_plane::model::{self, Log, Pace, Port, Running};
use windlull_units::{BitRate, Bytes, Direction, Ecn, Fate, Host, LinkEvent, Network, PacketId, Seed, Span, Time};

const TCP: u8 = 6;
const IPV4_LEN: usize = 20;
const TCP_LEN: usize = 20;

/// Longer than anything here takes, on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Three namespaces, a link at work, and a raw socket at each host.
pub(crate) struct Scene {
    pub(crate) lab: Lab,
    running: Running,
    hosts: [RawHost; 2],
    model: LinkModel,
    seed: u64,
    /// The codepoint that packets are sent with.
    pub(crate) ecn: Ecn,
    sent: [Vec<TcpView>; 2],
}

/// What a scene comes to.
pub(crate) struct Story {
    pub(crate) log: Log,
    /// What each host got, as the octets of TCP.
    pub(crate) received: [Vec<Vec<u8>>; 2],
    /// The codepoints with which that came.
    pub(crate) codepoints: [Vec<Ecn>; 2],
    /// What each host sent.
    pub(crate) sent: [Vec<TcpView>; 2],
    model: LinkModel,
    seed: u64,
    ecn: Ecn,
}

struct RawHost {
    /// Takes whole packets.
    out: OwnedFd,
    /// Gives whole packets.
    inward: OwnedFd,
    peer: SockaddrIn,
    received: Vec<Vec<u8>>,
    codepoints: Vec<Ecn>,
}

impl Scene {
    pub(crate) fn new(model: &LinkModel, seed: u64) -> Result<Self, Failed> {
        let lab = Lab::build(&LabSpec {
            kernel_answers: [true, true],
            network: Network::Ipv4,
            router: RouterKind::Userspace,
        })?;
        let open = |device| lab.namespace(Node::Router).run(|| Port::open(device));
        let (to_server, to_client) = (open("to-server")??, open("to-client")??);
        let hosts = [RawHost::new(&lab, Host::Server)?, RawHost::new(&lab, Host::Client)?];
        let setup = model::Setup {
            link: model,
            access: None,
            crossing: &[],
            network: Network::Ipv4,
            seed: Seed::new(seed),
            epoch: Epoch::begin(),
            pace: Pace::Precise,
        };
        Ok(Self {
            running: model::start(setup, to_server, to_client)?,
            lab,
            hosts,
            model: model.clone(),
            seed,
            ecn: Ecn::NotEct,
            sent: [Vec::new(), Vec::new()],
        })
    }

    /// Sends a segment.
    pub(crate) fn send(&mut self, from: Host, seq: u32, payload_len: u32) -> Result<(), Failed> {
        self.sent[from as usize].push(TcpView {
            seq,
            payload_len,
            syn: false,
        });
        self.hosts[from as usize].send(from, self.ecn, &segment(seq, payload_len))
    }

    /// Tells the link what its script waits for.
    pub(crate) fn trigger(&self, entry: usize, at: Time) {
        self.running.trigger_sender().send(entry, at);
    }

    /// Waits until every segment has been taken in and has its fate.
    pub(crate) fn settle(&mut self) -> Result<(), Failed> {
        self.settle_at(self.sent.iter().map(|sent| sent.len() as u64).sum())
    }

    /// The same for so many packets.
    pub(crate) fn settle_at(&mut self, sent: u64) -> Result<(), Failed> {
        let start = Instant::now();
        while self.running.packets_entered() < sent || self.running.packets_inside() > 0 {
            for host in &mut self.hosts {
                host.receive()?;
            }
            if start.elapsed() > PATIENCE {
                let (entered, inside) = (self.running.packets_entered(), self.running.packets_inside());
                return Err(format!("{sent} sent, {entered} entered, {inside} inside").into());
            }
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Waits until all is over, and tells what was.
    pub(crate) fn finish(mut self) -> Result<Story, Failed> {
        self.settle()?;
        let log = self.running.stop()?;
        for host in &mut self.hosts {
            host.receive()?;
        }
        let codepoints = self.hosts.each_ref().map(|host| host.codepoints.clone());
        Ok(Story {
            log,
            received: self.hosts.map(|host| host.received),
            codepoints,
            sent: self.sent,
            model: self.model,
            seed: self.seed,
            ecn: self.ecn,
        })
    }
}

impl RawHost {
    fn new(lab: &Lab, host: Host) -> Result<Self, Failed> {
        let raw = |number| {
            lab.namespace(host.into()).run(|| {
                socket(
                    AddressFamily::Inet,
                    SockType::Raw,
                    SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC,
                    number,
                )
            })
        };
        let [a, b, c, d] = address(host.peer()).octets();
        Ok(Self {
            out: raw(SockProtocol::Raw)??,
            inward: raw(SockProtocol::Tcp)??,
            peer: SockaddrIn::new(a, b, c, d, 0),
            received: Vec::new(),
            codepoints: Vec::new(),
        })
    }

    fn send(&self, host: Host, ecn: Ecn, payload: &[u8]) -> Result<(), Failed> {
        let mut packet = vec![0; IPV4_LEN];
        packet[0] = 0x45;
        packet[1] = ecn.bits();
        packet[2..4].copy_from_slice(&u16::try_from(IPV4_LEN + payload.len())?.to_be_bytes());
        packet[8] = 64;
        packet[9] = TCP;
        packet[12..16].copy_from_slice(&address(host).octets());
        packet[16..20].copy_from_slice(&address(host.peer()).octets());
        packet.extend_from_slice(payload);
        sendto(self.out.as_raw_fd(), &packet, &self.peer, MsgFlags::empty())?;
        Ok(())
    }

    fn receive(&mut self) -> Result<(), Failed> {
        let mut octets = [0; 2_048];
        loop {
            match recv(self.inward.as_raw_fd(), &mut octets, MsgFlags::empty()) {
                Ok(len) => {
                    self.received.push(octets[IPV4_LEN..len].to_vec());
                    self.codepoints.push(Ecn::of_octet(octets[1]));
                }
                Err(Errno::EAGAIN) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The simulator's link, fed with what entered the plane's.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Replayed {
    /// Of what was sent.
    pub(crate) ids: Vec<PacketId>,
    pub(crate) fates: Vec<Fate>,
    pub(crate) events: Vec<(Time, LinkEvent)>,
}

impl LinkObserver for Replayed {
    fn fate(&mut self, fate: &Fate) {
        self.fates.push(*fate);
    }

    fn link(&mut self, now: Time, event: &LinkEvent) {
        self.events.push((now, event.clone()));
    }
}

#[derive(Clone)]
struct Known {
    size: Bytes,
    tcp: Option<TcpView>,
    ecn: Ecn,
}

impl Packet for Known {
    fn size(&self) -> Bytes {
        self.size
    }

    fn tcp(&self) -> Option<TcpView> {
        self.tcp
    }

    fn flow(&self) -> u64 {
        0
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

impl Story {
    /// Plays the same packets through a fresh link, in one go.
    pub(crate) fn replay(&self, seed: u64) -> Replayed {
        let mut link = Link::new(&self.model, Seed::new(seed));
        let mut replayed = Replayed::default();
        let mut sent = self.sent.each_ref().map(|views| views.iter());
        for each in &self.log.entered {
            let tcp = sent[each.direction as usize].next().copied();
            let packet = Known {
                size: each.size,
                tcp,
                ecn: self.ecn,
            };
            link.advance(each.at, &mut replayed);
            let id = link.send(each.at, each.direction, packet, &mut replayed);
            replayed.ids.push(id);
        }
        link.advance(self.log.until, &mut replayed);
        replayed
    }

    /// The plane did what the simulator does, to the nanosecond, and lost nothing of its own.
    pub(crate) fn assert_as_simulated(&self) {
        let replayed = self.replay(self.seed);
        let entered: Vec<_> = self.log.entered.iter().map(|each| each.id).collect();
        assert_eq!(replayed.ids, entered);
        assert_eq!(replayed.fates, self.log.fates);
        assert_eq!(replayed.events, self.log.events);
        let log = &self.log;
        assert_eq!(log.accuracy.drops(), 0, "{:?}", log.accuracy);
        for each in &log.released {
            assert!(each.actual >= each.planned, "{each:?} is early");
        }
        let times: Vec<_> = log.entered.iter().map(|each| each.at).collect();
        assert!(times.is_sorted());
    }

    /// Sequence numbers that a host got, in order.
    pub(crate) fn seqs_at(&self, host: Host) -> Vec<u32> {
        self.received[host as usize]
            .iter()
            .map(|octets| seq_of(octets))
            .collect()
    }

    /// Sequence numbers of the segments with these numbers, counted by the packets that entered in their direction.
    pub(crate) fn seqs_of(&self, direction: Direction, ids: impl Iterator<Item = PacketId>) -> Vec<u32> {
        let mine = || self.log.entered.iter().filter(|each| each.direction == direction);
        let seqs: HashMap<_, _> = mine()
            .map(|each| each.id)
            .zip(self.sent[direction as usize].iter().map(|view| view.seq))
            .collect();
        ids.map(|id| seqs[&id]).collect()
    }
}

/// A segment's octets: its number, and a payload made of it.
pub(crate) fn segment(seq: u32, payload_len: u32) -> Vec<u8> {
    let mut octets = vec![0; TCP_LEN];
    octets[..4].copy_from_slice(&[0x12, 0x34, 0x56, 0x78]);
    octets[4..8].copy_from_slice(&seq.to_be_bytes());
    octets[12] = 0x50;
    octets.extend((0..payload_len).map(|place| (seq.wrapping_mul(31).wrapping_add(place) % 251) as u8));
    octets
}

pub(crate) fn seq_of(octets: &[u8]) -> u32 {
    u32::from_be_bytes([octets[4], octets[5], octets[6], octets[7]])
}

/// A count of the calling thread's network namespace.
pub(crate) fn snmp(protocol: &str, name: &str) -> io::Result<u64> {
    let table = fs::read_to_string("/proc/thread-self/net/snmp")?;
    let mut rows = table
        .lines()
        .filter_map(|line| line.strip_prefix(protocol)?.strip_prefix(": "));
    let (names, values) = (rows.next().unwrap_or_default(), rows.next().unwrap_or_default());
    let mut pairs = names.split(' ').zip(values.split(' '));
    let found = pairs.find_map(|(other, value)| (other == name).then(|| value.parse()));
    found.and_then(Result::ok).ok_or_else(|| io::ErrorKind::NotFound.into())
}

pub(crate) fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// A megabit a second and ten milliseconds.
pub(crate) fn path() -> PathModel {
    PathModel::plain(
        Some(RateModel::Constant(BitRate::from_bps(1_000_000).expect("above zero"))),
        Span::from_ms(10),
    )
}

pub(crate) fn link() -> LinkModel {
    LinkModel::symmetric(path())
}
