//! Two ends of a stack, a link between them, and time that jumps: what the tests of all adapters are made of.
//!
//! Each adapter's tests include this file, and say which stack it is by a constant `STACK` at their root.

use std::collections::{BTreeMap, BTreeSet};

use windlull_transport::{
    Answer, Answers, Datagram, Metrics, PacketLost, PacketReceived, PacketSent, Role, Said, Start, StreamId, Transport,
    Write,
};
use windlull_units::{Ecn, Network, Span, Time};

use crate::STACK;

/// What becomes of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Pass,
    Drop,
    /// It passes and is marked: congestion experienced.
    Mark,
    /// It passes twice.
    Copy,
    /// It passes and arrives so much later, behind what would be behind it.
    Late(Span),
}

/// A datagram that is handed to the link.
pub(crate) struct Passing<'a> {
    pub(crate) from: Role,
    /// How many this end sent before.
    pub(crate) number: usize,
    pub(crate) at: Time,
    pub(crate) datagram: &'a Datagram,
}

/// The link, the same both ways.
pub(crate) struct Link {
    pub(crate) delay: Span,
    /// Octets each second; `None`: as many as come.
    pub(crate) rate: Option<u64>,
    /// What would arrive from the one instant on arrives at the other.
    pub(crate) hold: Option<(Time, Time)>,
    pub(crate) verdict: Box<dyn FnMut(&Passing<'_>) -> Verdict>,
    free: [Time; 2],
    sent: [usize; 2],
}

/// What an end answered, and when.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Told {
    pub(crate) at: Time,
    pub(crate) by: Role,
    pub(crate) answer: Answer,
}

pub(crate) struct Lab {
    network: Network,
    ends: [Box<dyn Transport>; 2],
    wakes: [Option<Time>; 2],
    pub(crate) now: Time,
    pub(crate) link: Link,
    flying: BTreeMap<(Time, u64), (Role, Datagram)>,
    launched: u64,
    /// What the server writes to each request's stream when the request has ended.
    pub(crate) reply: Option<u64>,
    pub(crate) told: Vec<Told>,
    /// Whether answers are kept, or only counted.
    pub(crate) keeps: bool,
    pub(crate) datagrams: u64,
    pub(crate) octets_read: u64,
}

/// How a lab begins.
pub(crate) struct Setup<'a> {
    pub(crate) seed: u8,
    pub(crate) options: &'a [(&'a str, &'a str)],
    pub(crate) is_recorded: bool,
    pub(crate) network: Network,
}

impl Default for Setup<'_> {
    fn default() -> Self {
        Self {
            seed: 1,
            options: &[],
            is_recorded: true,
            network: Network::Ipv4,
        }
    }
}

impl Setup<'_> {
    pub(crate) fn start(&self, role: Role) -> Start {
        Start {
            role,
            // Each end has its own.
            seed: [self.seed ^ (role as u8) << 7; 32],
            options: self
                .options
                .iter()
                .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            is_recorded: self.is_recorded,
            is_data_sender: self.is_recorded || role == Role::Server,
            network: self.network,
        }
    }

    pub(crate) fn lab(&self) -> Lab {
        let end = |role| {
            STACK
                .begin(&self.start(role))
                .unwrap_or_else(|broken| panic!("{broken}"))
        };
        Lab {
            network: self.network,
            ends: Role::ALL.map(end),
            wakes: [None; 2],
            now: Time::ZERO,
            link: Link {
                delay: Span::from_ms(25),
                rate: None,
                hold: None,
                verdict: Box::new(|_| Verdict::Pass),
                free: [Time::ZERO; 2],
                sent: [0; 2],
            },
            flying: BTreeMap::new(),
            launched: 0,
            reply: None,
            told: Vec::new(),
            keeps: true,
            datagrams: 0,
            octets_read: 0,
        }
    }
}

impl Lab {
    pub(crate) fn new() -> Self {
        Setup::default().lab()
    }

    pub(crate) fn connect(&mut self) {
        self.call(Role::Client, |end, now, answers| end.connect(now, answers));
    }

    pub(crate) fn write(&mut self, by: Role, stream: StreamId, length: u64, ends: bool) {
        self.call(by, |end, now, answers| {
            end.write(now, Write { stream, length, ends }, answers)
        });
    }

    pub(crate) fn close(&mut self, by: Role) {
        self.call(by, |end, now, answers| end.close(now, answers));
    }

    fn call(
        &mut self,
        role: Role,
        call: impl FnOnce(&mut dyn Transport, Time, &mut Answers) -> Result<(), windlull_transport::Broken>,
    ) {
        let mut answers = Answers::default();
        let now = self.now;
        call(&mut *self.ends[role as usize], now, &mut answers).unwrap_or_else(|broken| panic!("{role:?}: {broken}"));
        self.wakes[role as usize] = answers.wake;
        if let Some(wake) = answers.wake {
            assert!(wake > now, "{role:?} asks at {now} to be woken at {wake}");
        }
        let mut replies = Vec::new();
        let mut read = BTreeSet::new();
        for answer in answers.items {
            match &answer {
                Answer::Send(datagram) => self.launch(role, datagram.clone()),
                Answer::Read { stream, length, ends } => {
                    assert!(
                        read.insert(*stream),
                        "{role:?} tells twice in one call what it read of {stream:?}"
                    );
                    self.octets_read += length;
                    if let (true, Some(length)) = (*ends && role == Role::Server && !stream.is_one_way(), self.reply) {
                        replies.push((*stream, length));
                    }
                }
                _ => {}
            }
            if self.keeps {
                self.told.push(Told {
                    at: now,
                    by: role,
                    answer,
                });
            }
        }
        for (stream, length) in replies {
            self.write(role, stream, length, true);
        }
    }

    fn launch(&mut self, from: Role, mut datagram: Datagram) {
        datagram
            .check(STACK.carries(), self.network)
            .unwrap_or_else(|broken| panic!("{from:?} {broken}"));
        let passing = Passing {
            from,
            number: self.link.sent[from as usize],
            at: self.now,
            datagram: &datagram,
        };
        self.link.sent[from as usize] += 1;
        self.datagrams += 1;
        let verdict = (self.link.verdict)(&passing);
        let length = datagram.octets.len() as u64;
        let mut leaves = self.now;
        if let Some(rate) = self.link.rate {
            let free = &mut self.link.free[from as usize];
            *free = (*free).max(self.now) + Span::from_ns(length * 1_000_000_000 / rate);
            leaves = *free;
        }
        let mut arrives = leaves + self.link.delay;
        let hold = self.link.hold;
        if let Some((_, until)) = hold.filter(|(from, until)| (*from..*until).contains(&arrives)) {
            arrives = until;
        }
        let copies = match verdict {
            Verdict::Drop => 0,
            Verdict::Copy => 2,
            Verdict::Pass | Verdict::Mark | Verdict::Late(_) => 1,
        };
        if let Verdict::Late(by) = verdict {
            arrives += by;
        }
        if verdict == Verdict::Mark {
            datagram.ecn = Ecn::Ce;
        }
        let to = from.peer();
        for _ in 0..copies {
            self.flying.insert((arrives, self.launched), (to, datagram.clone()));
            self.launched += 1;
        }
    }

    /// When a datagram arrives next, and which end wants to be woken first, when.
    fn next(&self) -> (Option<Time>, Option<(Time, Role)>) {
        let arrival = self.flying.first_key_value().map(|(&(at, _), _)| at);
        let wakes = Role::ALL
            .into_iter()
            .filter_map(|role| Some((self.wakes[role as usize]?, role)));
        (arrival, wakes.min_by_key(|&(at, _)| at))
    }

    /// Goes to the next instant at which something happens; `false` if nothing ever does.
    pub(crate) fn step(&mut self) -> bool {
        match self.next() {
            (Some(at), wake) if wake.is_none_or(|(wake, _)| at <= wake) => {
                self.advance(at);
                let (_, (to, datagram)) = self.flying.pop_first().expect("there is an arrival");
                self.call(to, |end, now, answers| {
                    end.datagram(now, &datagram.octets, datagram.ecn, answers)
                });
                true
            }
            (_, Some((at, role))) => {
                self.advance(at);
                self.call(role, |end, now, answers| end.wake(now, answers));
                true
            }
            (_, None) => false,
        }
    }

    /// Lets all happen that happens by this instant, and goes there.
    pub(crate) fn wait(&mut self, until: Time) {
        loop {
            let (arrival, wake) = self.next();
            if arrival.into_iter().chain(wake.map(|(at, _)| at)).all(|at| at > until) {
                break;
            }
            self.step();
        }
        self.advance(until);
    }

    fn advance(&mut self, to: Time) {
        assert!(to >= self.now, "time goes back from {} to {to}", self.now);
        self.now = to;
    }

    /// Steps until this holds, and panics if it does not within an hour or a million steps.
    pub(crate) fn until(&mut self, holds: impl Fn(&Self) -> bool) {
        for _ in 0..1_000_000 {
            if holds(self) {
                return;
            }
            if !self.step() || self.now > Time::ZERO + Span::from_secs(3_600) {
                break;
            }
        }
        let last: Vec<&Told> = self.told.iter().rev().take(30).collect();
        panic!("it did not come about by {}; last, backwards: {last:#?}", self.now);
    }

    /// Steps until nothing happens any more.
    pub(crate) fn finish(&mut self) {
        while self.step() {}
    }

    pub(crate) fn answers(&self, by: Role) -> impl Iterator<Item = (Time, &Answer)> {
        self.told
            .iter()
            .filter(move |told| told.by == by)
            .map(|told| (told.at, &told.answer))
    }

    pub(crate) fn said(&self, by: Role) -> impl Iterator<Item = (Time, &Said)> {
        self.answers(by).filter_map(|(at, answer)| match answer {
            Answer::Said(said) => Some((at, said)),
            _ => None,
        })
    }

    pub(crate) fn sent(&self, by: Role) -> impl Iterator<Item = (Time, &PacketSent)> {
        self.said(by).filter_map(|(at, said)| match said {
            Said::PacketSent(packet) => Some((at, packet)),
            _ => None,
        })
    }

    pub(crate) fn received(&self, by: Role) -> impl Iterator<Item = &PacketReceived> {
        self.said(by).filter_map(|(_, said)| match said {
            Said::PacketReceived(packet) => Some(packet),
            _ => None,
        })
    }

    pub(crate) fn lost(&self, by: Role) -> impl Iterator<Item = (Time, &PacketLost)> {
        self.said(by).filter_map(|(at, said)| match said {
            Said::PacketLost(packet) => Some((at, packet)),
            _ => None,
        })
    }

    pub(crate) fn metrics(&self, by: Role) -> impl Iterator<Item = (Time, &Metrics)> {
        self.said(by).filter_map(|(at, said)| match said {
            Said::Metrics(metrics) => Some((at, metrics)),
            _ => None,
        })
    }

    /// When the probe timeout fired.
    pub(crate) fn probe_timeouts(&self, by: Role) -> Vec<Time> {
        let fired = self
            .said(by)
            .filter(|(_, said)| matches!(said, Said::ProbeTimeout { .. }));
        fired.map(|(at, _)| at).collect()
    }

    /// Each datagram that an end sent, with the packets that it told before it.
    pub(crate) fn datagrams(&self, by: Role) -> Vec<(Time, &Datagram, Vec<&PacketSent>)> {
        let mut packets = Vec::new();
        let mut datagrams = Vec::new();
        for (at, answer) in self.answers(by) {
            match answer {
                Answer::Said(Said::PacketSent(packet)) => packets.push(packet),
                Answer::Send(datagram) => datagrams.push((at, datagram, std::mem::take(&mut packets))),
                _ => {}
            }
        }
        datagrams
    }

    /// How much of a stream was read, and whether it ended. Nothing may be read behind its end.
    pub(crate) fn read(&self, by: Role, of: StreamId) -> (u64, bool) {
        let mut read = (0, false);
        for (_, answer) in self.answers(by) {
            match answer {
                Answer::Read { stream, length, ends } if *stream == of => {
                    assert!(!read.1, "stream {} was read behind its end", of.0);
                    read = (read.0 + length, *ends);
                }
                _ => {}
            }
        }
        read
    }

    pub(crate) fn is_connected(&self, by: Role) -> bool {
        self.answers(by).any(|(_, answer)| *answer == Answer::Connected)
    }

    /// How the connection ended for an end, each time that it told so.
    pub(crate) fn closed(&self, by: Role) -> Vec<Option<&str>> {
        let closed = self.answers(by).filter_map(|(_, answer)| match answer {
            Answer::Closed { error } => Some(error.as_deref()),
            _ => None,
        });
        closed.collect()
    }
}

/// A transfer of so many octets down, which has not begun.
pub(crate) fn download(lab: &mut Lab, octets: u64) -> StreamId {
    let stream = StreamId::one_way(Role::Server, 0);
    lab.write(Role::Server, stream, octets, true);
    lab.connect();
    stream
}

/// Lets a transfer of so many octets down come to its end.
pub(crate) fn downloaded(lab: &mut Lab, octets: u64) {
    let stream = download(lab, octets);
    lab.until(|lab| lab.read(Role::Client, stream).1);
    assert_eq!(lab.read(Role::Client, stream), (octets, true));
}
