//! Transports from elsewhere that hand TCP packets to the link: our own TCP behind the contract, which must do what it does by
//! itself.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use rand_chacha::rand_core::Rng as _;
use windlull_capture::{Observer, addresses_from};
use windlull_link::model::{Impairment, ImpairmentKind, LinkModel, PathModel, RateModel, Scope};
use windlull_sim::{Ending, Ends, Fault, Flow, Requests, Setup, Variant, Work, run_within};
use windlull_tcp::Endpoint;
use windlull_transport::{Answer, Answers, Broken, Datagram, Role, Said, Stack, Start, StreamId, Transport, Write};
use windlull_units::{BitRate, Bytes, Carries, Ecn, Fate, Host, LinkEvent, Network, PacketId, Seed, Span, Time};
use windlull_wire::packet::{ETHERNET_LEN, Encoder, LinkType, Payload, decode};
use windlull_wire::{Segment, SenderEvent, SeqNumber, TransmitCause};

const SEED: u64 = 11;

/// What a test's stack does wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    /// Octets that are no packet.
    Garbage,
    /// A packet whose checksum is wrong.
    Flipped,
    /// Packets of the other end.
    Addresses,
    TooLarge,
    /// It says something of itself.
    Says,
    /// It speaks IPv4, whatever it is told.
    AlwaysIpv4,
}

/// Our TCP, as a stack of packets.
struct Own {
    variant: Variant,
    wrong: Option<Wrong>,
}

struct End {
    endpoint: Endpoint,
    role: Role,
    encoder: Encoder,
    has_ended: bool,
    wrong: Option<Wrong>,
}

impl Stack for Own {
    fn name(&self) -> &str {
        "own"
    }

    fn version(&self) -> String {
        "own 1".to_owned()
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn carries(&self) -> Carries {
        Carries::Packets
    }

    fn begin(&self, start: &Start) -> Result<Box<dyn Transport>, Broken> {
        let role = start.role;
        // As the simulator numbers its own.
        let isn = Seed::new(SEED).stream(&format!("{}/isn", role.name())).next_u32();
        let mut endpoint = Endpoint::new(&self.variant, SeqNumber(isn));
        if role == Role::Server {
            endpoint.listen();
        }
        let host = match self.wrong {
            Some(Wrong::Addresses) => role.host().peer(),
            _ => role.host(),
        };
        let network = match self.wrong {
            Some(Wrong::AlwaysIpv4) => Network::Ipv4,
            _ => start.network,
        };
        Ok(Box::new(End {
            endpoint,
            role,
            encoder: Encoder::between(&addresses_from(network, host)),
            has_ended: false,
            wrong: self.wrong,
        }))
    }
}

impl End {
    fn answer(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        while let Some((segment, _)) = self.endpoint.poll_transmit(now, &mut ()) {
            let mut frame = Vec::new();
            self.encoder
                .encode(1, &segment, Payload::Stream(0), 2_000, &mut frame)
                .expect("a segment of ours");
            let mut octets = frame.split_off(ETHERNET_LEN);
            match self.wrong {
                Some(Wrong::Garbage) => octets = vec![0x45; 30],
                Some(Wrong::Flipped) => octets[25] ^= 1,
                Some(Wrong::TooLarge) => octets = vec![0; 1_501],
                Some(Wrong::Says) => answers.say(Said::ProbeTimeout { space: None }),
                Some(Wrong::Addresses | Wrong::AlwaysIpv4) | None => {}
            }
            let ecn = segment.ecn;
            answers.push(Answer::Send(Datagram { octets, ecn }));
        }
        answers.wake = self.endpoint.poll_at();
        Ok(())
    }
}

impl Transport for End {
    fn connect(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.endpoint.connect(now);
        self.answer(now, answers)
    }

    fn datagram(&mut self, now: Time, octets: &[u8], ecn: Ecn, answers: &mut Answers) -> Result<(), Broken> {
        let packet = decode(LinkType::RawIp, octets, octets.len()).expect("a packet");
        let segment = packet.verified().expect("it is whole").segment;
        assert_eq!(segment.ecn, ecn);
        self.endpoint.on_segment(now, &segment, &mut ());
        let length = self.endpoint.readable();
        self.endpoint.read(now, length);
        let ends = self.endpoint.peer_closed() && !self.has_ended;
        if length > 0 || ends {
            let stream = StreamId::one_way(self.role.peer(), 0);
            answers.push(Answer::Read { stream, length, ends });
        }
        self.has_ended |= ends;
        if self.endpoint.peer_closed() {
            self.endpoint.close(now);
        }
        if self.endpoint.fin_acknowledged() {
            answers.push(Answer::Closed { error: None });
        }
        self.answer(now, answers)
    }

    fn wake(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.endpoint.on_timer(now, &mut ());
        self.answer(now, answers)
    }

    fn write(&mut self, now: Time, write: Write, answers: &mut Answers) -> Result<(), Broken> {
        self.endpoint.write(now, write.length);
        if write.ends {
            self.endpoint.close(now);
        }
        self.answer(now, answers)
    }

    fn close(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.endpoint.close(now);
        self.answer(now, answers)
    }
}

/// What was told of a flow's packets.
#[derive(Debug, Default, PartialEq)]
struct Observed {
    sent: Vec<(Time, Host, PacketId, Segment)>,
    arrived: Vec<(Time, Host, PacketId, Segment)>,
    fates: Vec<Fate>,
}

impl Observer for Observed {
    fn sent(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment, _: Option<TransmitCause>) {
        self.sent.push((now, host, id, *segment));
    }

    fn arrived(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment) {
        self.arrived.push((now, host, id, *segment));
    }

    fn closed(&mut self, _: Time, host: Host, _: Option<&str>) {
        panic!("{host:?} is a TCP: its packets tell that it is closed");
    }

    fn fate(&mut self, fate: &Fate) {
        self.fates.push(*fate);
    }

    fn link(&mut self, _: Time, _: &LinkEvent) {}

    fn sender(&mut self, _: Time, _: Host, _: &SenderEvent) {}
}

fn link() -> LinkModel {
    let rate = BitRate::from_bps(5_000_000).map(RateModel::Constant);
    let mut link = LinkModel::symmetric(PathModel::plain(rate, Span::from_ms(20)));
    for (name, kind) in [
        ("loss", ImpairmentKind::Loss { probability: 0.03 }),
        ("corrupt", ImpairmentKind::Corrupt { probability: 0.02 }),
    ] {
        link.impairments.push(Impairment {
            name: name.to_owned(),
            scope: Scope::Each,
            kind,
        });
    }
    link
}

fn play(ends: Ends<'_>, network: Network, work: Work) -> (Result<Ending, Fault>, Observed) {
    let link = link();
    // The client opens the connection of a stack from elsewhere, and the data sender that of a TCP of ours.
    let flows = [Flow {
        ends,
        work,
        data_sender: Host::Client,
        start: Span::ZERO,
    }];
    let setup = Setup {
        link: &link,
        access: None,
        flows: &flows,
        crossing: &[],
        network,
        seed: Seed::new(SEED),
        time_limit: Span::from_secs(100),
    };
    let mut observed = [Observed::default()];
    let ending = run_within(&setup, u64::MAX, &AtomicBool::new(false), &mut observed);
    let [observed] = observed;
    (ending, observed)
}

#[test]
fn our_tcp_behind_the_contract_sends_what_it_sends_by_itself() {
    let (options, work) = (BTreeMap::new(), Work::Octets(Bytes::new(300_000)));
    let each = Network::ALL.map(|network| [(network, false), (network, true)]);
    for (network, sack) in each.concat() {
        let variant = Variant {
            sack,
            timestamps: sack,
            mss: network.segment_size(1_460),
            ..Variant::default()
        };
        let (ended, by_itself) = play(Ends::Tcp(&variant), network, work);
        let stack = Own { variant, wrong: None };
        let (also_ended, behind) = play(Ends::Foreign(&stack, &options), network, work);
        assert_eq!(ended, also_ended);
        assert!(matches!(ended, Ok(Ending::Closed { .. })), "{ended:?}");
        assert!(
            behind.fates.iter().any(|fate| !fate.arrived_intact()),
            "something is lost"
        );
        assert_eq!(by_itself, behind);
    }
}

#[test]
fn what_is_no_packet_of_the_end_is_refused() {
    let options = BTreeMap::new();
    let fault = |wrong, network, work| {
        let stack = Own {
            variant: Variant::default(),
            wrong,
        };
        let (ended, _) = play(Ends::Foreign(&stack, &options), network, work);
        let Err(Fault { what, .. }) = ended else {
            panic!("{ended:?}")
        };
        what
    };
    let transfer = Work::Octets(Bytes::new(5_000));
    for (wrong, expected) in [
        (Wrong::Garbage, "sends what is no TCP packet: "),
        (Wrong::Flipped, "sends what is no TCP packet: wrong checksum"),
        (
            Wrong::Addresses,
            "sends a packet from 198.18.0.1:49152 to 198.18.0.2:49153; the client's packets go from 198.18.0.2:49153 to \
             198.18.0.1:49152",
        ),
        (
            Wrong::TooLarge,
            "sends a packet of 1501 octets; the link takes 1 to 1500",
        ),
        (Wrong::Says, "says something of itself; of a TCP its packets tell all"),
        (
            Wrong::AlwaysIpv4,
            "sends a packet from 198.18.0.2:49153 to 198.18.0.1:49152; the client's packets go from [2001:2::2]:49153 to \
             [2001:2::1]:49152",
        ),
    ] {
        let network = match wrong {
            Wrong::AlwaysIpv4 => Network::Ipv6,
            _ => Network::Ipv4,
        };
        let what = fault(Some(wrong), network, transfer);
        let said = what.strip_prefix("the stack own at the client ").unwrap_or_default();
        assert!(said.starts_with(expected), "{what}");
    }
    let requests = Work::Requests(Requests {
        request: Bytes::new(10),
        response: Bytes::new(100),
        every: None,
        count: 2,
    });
    assert_eq!(
        fault(None, Network::Ipv4, requests),
        "the stack own: one connection of TCP has no streams for requests; give it one transfer"
    );
}
