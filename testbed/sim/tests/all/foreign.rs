//! Transports from elsewhere over our link: by one that was made for this.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use windlull_capture::Observer;
use windlull_link::model::{Impairment, ImpairmentKind, LinkModel, PathModel, RateModel, Scope};
use windlull_sim::{Ending, Ends, Fault, Flow, Requests, Setup, Variant, Work, run, run_within};
use windlull_transport::{
    Answer, Answers, Broken, Datagram, PacketSent, Role, Said, Space, Stack, Start, Transport, Write,
};
use windlull_units::checksum::{folded, sum};
use windlull_units::{BitRate, Bytes, Ecn, Fate, Host, LinkEvent, PacketId, Seed, Span, Time};
use windlull_wire::{Segment, SenderEvent, TransmitCause};

use crate::simple::{End, Simple};

/// What a test's stack does wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    /// Datagrams of 3,000 octets.
    TooLarge,
    /// It wants to be woken now, always.
    Restless,
    /// It says of two datagrams what they hold, before the first.
    SaysTooSoon,
    /// It says so itself.
    Fails,
    RefusesOption,
}

struct Faulty(Wrong);

/// An end that does something wrong behind each call, if it is the one that is to.
struct FaultyEnd {
    end: End,
    wrong: Option<Wrong>,
}

impl FaultyEnd {
    fn go_wrong(&self, answers: &mut Answers) -> Result<(), Broken> {
        match self.wrong {
            Some(Wrong::TooLarge) => answers.push(Answer::Send(Datagram {
                octets: vec![0; 3_000],
                ecn: Ecn::NotEct,
            })),
            Some(Wrong::SaysTooSoon) => {
                for number in [100, 101] {
                    answers.say(Said::PacketSent(PacketSent {
                        space: Space::Data,
                        number,
                        length: Some(30),
                        frames: Vec::new(),
                    }));
                }
                answers.push(Answer::Send(Datagram {
                    octets: vec![b'A'; 30],
                    ecn: Ecn::NotEct,
                }));
            }
            Some(Wrong::Restless) => answers.wake = Some(Time::ZERO),
            Some(Wrong::Fails) => return Err(Broken("has lost its way".to_owned())),
            Some(Wrong::RefusesOption) | None => {}
        }
        Ok(())
    }
}

impl Stack for Faulty {
    fn name(&self) -> &str {
        "faulty"
    }

    fn version(&self) -> String {
        "faulty 1".to_owned()
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn begin(&self, start: &Start) -> Result<Box<dyn Transport>, Broken> {
        let is_server = start.role == Role::Server;
        if self.0 == Wrong::RefusesOption {
            return Err(Broken("there is no option \"speed\"".to_owned()));
        }
        Ok(Box::new(FaultyEnd {
            end: End::default(),
            wrong: Some(self.0).filter(|_| is_server),
        }))
    }
}

impl Transport for FaultyEnd {
    fn connect(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.end.connect(now, answers)?;
        self.go_wrong(answers)
    }

    fn datagram(&mut self, now: Time, octets: &[u8], ecn: Ecn, answers: &mut Answers) -> Result<(), Broken> {
        self.end.datagram(now, octets, ecn, answers)?;
        self.go_wrong(answers)
    }

    fn wake(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.end.wake(now, answers)?;
        self.go_wrong(answers)
    }

    fn write(&mut self, now: Time, write: Write, answers: &mut Answers) -> Result<(), Broken> {
        self.end.write(now, write, answers)?;
        self.go_wrong(answers)
    }

    fn close(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.end.close(now, answers)?;
        self.go_wrong(answers)
    }
}

/// What was told of a flow.
#[derive(Clone, Debug, Default, PartialEq)]
struct Observed {
    sent: Vec<(Time, Host, PacketId)>,
    arrived: Vec<(Time, Host, PacketId)>,
    fates: BTreeMap<u64, Fate>,
    said: usize,
    tasks: usize,
    closed: Vec<Host>,
    frames: Vec<Vec<u8>>,
    is_up: bool,
}

impl Observer for Observed {
    fn sent(&mut self, now: Time, host: Host, id: PacketId, _: &Segment, _: Option<TransmitCause>) {
        self.sent.push((now, host, id));
    }

    fn arrived(&mut self, now: Time, host: Host, id: PacketId, _: &Segment) {
        self.arrived.push((now, host, id));
    }

    fn wants_octets(&self) -> bool {
        true
    }

    fn octets(&mut self, frame: &[u8], len: u32) {
        assert_eq!(frame.len(), usize::try_from(len).expect("small"));
        self.frames.push(frame.to_vec());
    }

    fn packet_sent(&mut self, now: Time, host: Host, id: PacketId) {
        // All that was said comes before the datagram that it is said of.
        assert!(self.said > self.sent.len());
        self.sent.push((now, host, id));
    }

    fn packet_arrived(&mut self, now: Time, host: Host, id: PacketId) {
        self.arrived.push((now, host, id));
    }

    fn said(&mut self, _: Time, _: Host, _: &Said) {
        self.said += 1;
    }

    fn closed(&mut self, _: Time, host: Host, error: Option<&str>) {
        assert_eq!(error, None);
        self.closed.push(host);
    }

    fn fate(&mut self, fate: &Fate) {
        assert_eq!(self.fates.insert(fate.id.0, *fate), None, "two fates of one packet");
    }

    fn link(&mut self, _: Time, _: &LinkEvent) {}

    fn sender(&mut self, _: Time, _: Host, _: &SenderEvent) {}

    fn task(&mut self, _: Time, _: Span) {
        self.tasks += 1;
    }

    fn time_is_up(&mut self, _: Time) {
        self.is_up = true;
    }
}

fn link(loss: f64) -> LinkModel {
    let rate = BitRate::from_bps(5_000_000).map(RateModel::Constant);
    let mut link = LinkModel::symmetric(PathModel::plain(rate, Span::from_ms(20)));
    if loss > 0.0 {
        link.impairments.push(Impairment {
            name: "loss".to_owned(),
            scope: Scope::Each,
            kind: ImpairmentKind::Loss { probability: loss },
        });
    }
    link
}

fn flow<'a>(stack: &'a dyn Stack, options: &'a BTreeMap<String, String>, work: Work, data_sender: Host) -> Flow<'a> {
    Flow {
        ends: Ends::Foreign(stack, options),
        work,
        data_sender,
        start: Span::from_ms(3),
    }
}

fn setup<'a>(link: &'a LinkModel, flows: &'a [Flow<'a>]) -> Setup<'a> {
    Setup {
        link,
        access: None,
        flows,
        crossing: &[],
        network: windlull_units::Network::Ipv4,
        seed: Seed::new(11),
        time_limit: Span::from_secs(100),
    }
}

#[test]
fn a_transfer_goes_either_way_and_is_closed_by_who_has_read_it() {
    let (options, link) = (BTreeMap::new(), link(0.0));
    for data_sender in [Host::Server, Host::Client] {
        let flows = [flow(&Simple, &options, Work::Octets(Bytes::new(30_500)), data_sender)];
        let mut observed = [Observed::default()];
        let ending = run(&setup(&link, &flows), &mut observed);
        assert!(matches!(ending, Ending::Closed { .. }), "{ending}");
        let [observed] = observed;
        // 31 chunks, their acknowledgements, and the close.
        assert_eq!(
            (observed.sent.len(), observed.arrived.len(), observed.fates.len()),
            (63, 63, 63)
        );
        assert_eq!(observed.closed, [data_sender.peer(), data_sender]);
        assert_eq!(observed.sent[0].0, Time::ZERO + Span::from_ms(3));
        // 14 octets of Ethernet, 20 of IPv4, 8 of UDP, 26 of the stack's own.
        assert_eq!(observed.frames[0].len(), 14 + 20 + 8 + 26 + 1_000);
        assert_eq!(observed.fates[&0].size, Bytes::new(20 + 8 + 26 + 1_000));
    }
}

#[test]
fn over_ipv6_datagrams_have_twenty_octets_more_and_right_sums() {
    let (options, link) = (BTreeMap::new(), link(0.0));
    let flows = [flow(&Simple, &options, Work::Octets(Bytes::new(30_500)), Host::Server)];
    let play = || {
        let mut observed = [Observed::default()];
        let over_ipv6 = Setup {
            network: windlull_units::Network::Ipv6,
            ..setup(&link, &flows)
        };
        let ending = run(&over_ipv6, &mut observed);
        assert!(matches!(ending, Ending::Closed { .. }), "{ending}");
        observed
    };
    let [observed] = play();
    assert_eq!(observed.frames[0].len(), 14 + 40 + 8 + 26 + 1_000);
    assert_eq!(observed.fates[&0].size, Bytes::new(40 + 8 + 26 + 1_000));
    for frame in &observed.frames {
        let (ip, udp) = frame[14..].split_at(40);
        let pseudo = sum(&ip[8..]) + 17 + udp.len() as u64;
        assert_eq!(folded(pseudo + sum(udp)), 0xFFFF);
    }
    assert_eq!(play(), [observed]);
}

#[test]
fn what_is_lost_is_sent_again_when_the_stack_asked_to_be_woken() {
    let (options, link) = (BTreeMap::new(), link(0.2));
    let flows = [flow(&Simple, &options, Work::Octets(Bytes::new(50_000)), Host::Server)];
    let play = || {
        let mut observed = [Observed::default()];
        let ending = run(&setup(&link, &flows), &mut observed);
        assert!(!matches!(ending, Ending::TimeLimit), "{ending}");
        observed
    };
    let [observed] = play();
    let lost = observed.fates.values().filter(|fate| !fate.arrived_intact()).count();
    assert!(lost > 5, "{lost}");
    assert!(observed.sent.len() > 101 + lost / 2);
    let seconds: BTreeSet<_> = observed
        .sent
        .iter()
        .map(|sent| sent.0.as_ns() / 1_000_000_000)
        .collect();
    assert!(seconds.len() > 1, "{seconds:?}");
    assert_eq!(play(), [observed]);
}

#[test]
fn requests_have_a_stream_each() {
    let (options, link) = (BTreeMap::new(), link(0.0));
    for (request, every) in [(300, None), (300, Some(Span::from_ms(5))), (0, None)] {
        let work = Work::Requests(Requests {
            request: Bytes::new(request),
            response: Bytes::new(2_500),
            every,
            count: 7,
        });
        for data_sender in [Host::Server, Host::Client] {
            let flows = [flow(&Simple, &options, work, data_sender)];
            let mut observed = [Observed::default()];
            let ending = run(&setup(&link, &flows), &mut observed);
            assert!(matches!(ending, Ending::Closed { .. }), "{ending}");
            assert_eq!(observed[0].tasks, 7);
        }
    }
}

#[test]
fn it_shares_the_link_with_a_tcp_of_ours() {
    let (options, link) = (BTreeMap::new(), link(0.0));
    let variant = Variant::default();
    let tcp = Flow {
        ends: Ends::Tcp(&variant),
        work: Work::Octets(Bytes::new(100_000)),
        data_sender: Host::Server,
        start: Span::ZERO,
    };
    let alone = {
        let mut observed = [Observed::default()];
        run(&setup(&link, &[tcp]), &mut observed);
        let [observed] = observed;
        observed
    };
    let foreign = flow(&Simple, &options, Work::Octets(Bytes::new(100_000)), Host::Server);
    let mut observed = [Observed::default(), Observed::default()];
    let ending = run(&setup(&link, &[foreign, tcp]), &mut observed);
    assert!(matches!(ending, Ending::Closed { .. }), "{ending}");
    for observed in &observed {
        assert_eq!(observed.fates.len(), observed.sent.len());
        let numbers: Vec<_> = observed.sent.iter().map(|sent| sent.2.0).collect();
        assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>());
    }
    let last = |observed: &Observed| observed.arrived.last().expect("packets").0;
    assert!(last(&observed[1]) > last(&alone), "the link is shared");
}

#[test]
fn a_flow_that_lasts_is_over_in_time() {
    let (options, link) = (BTreeMap::new(), link(0.0));
    let flows = [flow(&Simple, &options, Work::Lasting(Span::from_secs(2)), Host::Server)];
    let mut observed = [Observed::default()];
    let ending = run(&setup(&link, &flows), &mut observed);
    assert_eq!(
        ending,
        Ending::Elapsed {
            at: Time::ZERO + Span::from_ms(2_003)
        }
    );
    assert!(observed[0].is_up);
}

#[test]
fn a_stack_at_fault_ends_the_run_and_is_named() {
    let (options, link) = (BTreeMap::new(), link(0.0));
    let variant = Variant::default();
    let beside = Flow {
        ends: Ends::Tcp(&variant),
        work: Work::Octets(Bytes::new(100_000)),
        data_sender: Host::Server,
        start: Span::ZERO,
    };
    let fault = |wrong| {
        let stack = Faulty(wrong);
        let flows = [
            flow(&stack, &options, Work::Octets(Bytes::new(5_000)), Host::Server),
            beside,
        ];
        let mut observed = [Observed::default(), Observed::default()];
        let ended = run_within(&setup(&link, &flows), u64::MAX, &AtomicBool::new(false), &mut observed);
        let Err(Fault { what, .. }) = ended else {
            panic!("{ended:?}")
        };
        what
    };
    assert_eq!(
        fault(Wrong::TooLarge),
        "the stack faulty at the server sends a datagram of 3000 octets; 1 to 1472 fit into a packet"
    );
    assert_eq!(
        fault(Wrong::SaysTooSoon),
        "the stack faulty at the server says before a datagram of 30 octets that it sent packets of 60 octets; it is \
         to say `packet_sent` of a datagram's packets right before it sends that datagram"
    );
    assert_eq!(fault(Wrong::Fails), "the stack faulty at the server has lost its way");
    assert_eq!(
        fault(Wrong::RefusesOption),
        "the stack faulty: there is no option \"speed\""
    );
    let restless = fault(Wrong::Restless);
    assert!(
        restless.contains("asks to be woken at once, 10000 times in a row at 3 ms, and does nothing"),
        "{restless}"
    );
}
