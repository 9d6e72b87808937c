//! A connection of a transport from elsewhere, and the application above it.
//!
//! The client opens the connection, as in QUIC. Data goes over streams: a transfer over one that goes one way, a request and
//! its response over one that goes both ways. The end that has read all closes.

use std::collections::VecDeque;

use windlull_capture::Observer;
use windlull_transport::{Answer, Answers, Broken, Order, Reads, Role, Said, Start, StreamId, Transport, Write};
use windlull_units::{ALWAYS, Carries, Host, Network, PacketId, Requests, Seed, Time, Work};

use crate::conversation::{Acted, Conversation, Over};
use crate::frames::Frames;
use crate::setup::{Ends, Flow};
use crate::unit::EitherUnit;

/// How often in a row a stack may ask to be woken at once and do nothing.
const MOST_IDLE_WAKES: u32 = 10_000;

/// One end, and what it has answered that the link and the observer have not had yet.
struct End {
    transport: Option<Box<dyn Transport>>,
    pending: VecDeque<Answer>,
    wake: Option<Time>,
    /// Octets of the packets that it said it sent, for which there is no datagram yet.
    announced: u64,
    /// Wakes in a row at which it did nothing.
    idle_wakes: u32,
    reads: Reads,
    frames: Frames,
    closed: Closed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Closed {
    No,
    InOrder,
    ByError,
}

/// Both ends and the application.
pub(crate) struct Foreign {
    /// Server, then client.
    ends: [End; 2],
    name: String,
    carries: Carries,
    network: Network,
    data_sender: Host,
    app: App,
    /// Where answers are put, between calls.
    answers: Answers,
    fault: Option<String>,
}

/// The application of both ends.
#[derive(Clone, Debug)]
struct App {
    work: Work,
    start: Time,
    begun: bool,
    asked: u32,
    done: u32,
    /// The requests whose responses are not complete: their numbers, and when they were made.
    open: Vec<(u32, Time)>,
    /// Whether the data receiver has read all, and closed.
    finished: bool,
}

impl App {
    fn acts_at(&self) -> Option<Time> {
        if !self.begun {
            return Some(self.start);
        }
        match self.work {
            Work::Octets(_) => None,
            Work::Lasting(span) => Some(self.start + span),
            Work::Requests(Requests { every, count, .. }) => {
                let every = every.filter(|_| self.asked < count)?;
                Some(self.start + every.saturating_mul(u64::from(self.asked)))
            }
        }
    }
}

impl Foreign {
    /// Calls an end, and takes what it answers; what the application does on that comes next, at whichever end.
    fn call<O: Observer>(
        &mut self,
        now: Time,
        host: Host,
        observer: &mut O,
        call: impl FnOnce(&mut dyn Transport, &mut Answers) -> Result<(), Broken>,
    ) {
        let orders = self.answered(now, host, observer, call);
        self.order(now, orders, observer);
    }

    /// Does what the application orders, and what follows from it.
    fn order<O: Observer>(&mut self, now: Time, mut orders: VecDeque<(Host, Order)>, observer: &mut O) {
        while let Some((host, order)) = orders.pop_front() {
            if let Order::Write(write) = &order {
                self.ends[host.peer() as usize].reads.written(write);
            }
            orders.extend(self.answered(now, host, observer, |end, answers| order.give(end, now, answers)));
        }
    }

    /// Calls an end, and takes what it answers. What the application orders on that.
    fn answered<O: Observer>(
        &mut self,
        now: Time,
        host: Host,
        observer: &mut O,
        call: impl FnOnce(&mut dyn Transport, &mut Answers) -> Result<(), Broken>,
    ) -> VecDeque<(Host, Order)> {
        let mut orders = VecDeque::new();
        let mut answers = std::mem::take(&mut self.answers);
        answers.wake = None;
        let end = &mut self.ends[host as usize];
        let Some(transport) = end.transport.as_deref_mut() else {
            return orders;
        };
        if let Err(Broken(what)) = call(transport, &mut answers) {
            self.break_down(host, &what);
        }
        for answer in answers.items.drain(..) {
            let end = &mut self.ends[host as usize];
            match answer {
                Answer::Send(ref datagram) => {
                    let (announced, length) = (end.announced, datagram.octets.len());
                    if let Err(Broken(what)) = datagram.check(self.carries, self.network) {
                        self.break_down(host, &what);
                    } else if announced > length as u64 {
                        self.break_down(
                            host,
                            &format!(
                                "says before a datagram of {length} octets that it sent packets of {announced} octets; it is \
                                 to say `packet_sent` of a datagram's packets right before it sends that datagram"
                            ),
                        );
                    } else {
                        end.announced = 0;
                        end.pending.push_back(answer);
                    }
                }
                Answer::Said(_) if self.carries == Carries::Packets => {
                    self.break_down(host, "says something of itself; of a TCP its packets tell all");
                }
                Answer::Said(Said::PacketSent(ref sent)) => {
                    end.announced += sent.length.map_or(0, u64::from);
                    end.pending.push_back(answer);
                }
                Answer::Said(_) | Answer::Secret(_) => end.pending.push_back(answer),
                Answer::Connected => {}
                Answer::Closed { error } => {
                    end.closed = if error.is_some() {
                        Closed::ByError
                    } else {
                        Closed::InOrder
                    };
                    // Of a TCP its packets tell.
                    if self.carries == Carries::Datagrams {
                        observer.closed(now, host, error.as_deref());
                    }
                }
                Answer::Read { stream, length, ends } => match end.reads.read(stream, length, ends) {
                    Err(Broken(what)) => self.break_down(host, &what),
                    Ok(()) if ends => self.has_read(now, host, stream, &mut orders, observer),
                    Ok(()) => {}
                },
            }
        }
        self.ends[host as usize].wake = answers.wake;
        self.answers = answers;
        orders
    }

    /// The application at `host` has read a stream to its end.
    fn has_read<O: Observer>(
        &mut self,
        now: Time,
        host: Host,
        stream: StreamId,
        orders: &mut VecDeque<(Host, Order)>,
        observer: &mut O,
    ) {
        let receiver = self.data_sender.peer();
        match self.app.work {
            Work::Lasting(_) => {}
            Work::Octets(_) => {
                if host == receiver {
                    self.app.finished = true;
                    orders.push_back((receiver, Order::Close));
                }
            }
            Work::Requests(requests) => {
                if host == self.data_sender {
                    let response = Write {
                        stream,
                        length: requests.response.get(),
                        ends: true,
                    };
                    orders.push_back((host, Order::Write(response)));
                    return;
                }
                let number = u32::try_from(stream.number()).unwrap_or(u32::MAX);
                let Some(place) = self.app.open.iter().position(|&(open, _)| open == number) else {
                    return;
                };
                let (_, asked) = self.app.open.swap_remove(place);
                self.app.done += 1;
                observer.task(now, now.since(asked));
                if self.app.done == requests.count {
                    self.app.finished = true;
                    orders.push_back((receiver, Order::Close));
                } else if requests.every.is_none() && self.app.asked < requests.count {
                    orders.push_back(self.ask(now, requests));
                }
            }
        }
    }

    /// Makes a request: what is ordered at which end.
    fn ask(&mut self, now: Time, requests: Requests) -> (Host, Order) {
        let number = u64::from(self.app.asked);
        self.app.open.push((self.app.asked, now));
        self.app.asked += 1;
        let (host, stream, length) = if requests.request.get() == 0 {
            let host = self.data_sender;
            (host, StreamId::one_way(Role::at(host), number), requests.response)
        } else {
            let host = self.data_sender.peer();
            (host, StreamId::two_way(Role::at(host), number), requests.request)
        };
        let write = Write {
            stream,
            length: length.get(),
            ends: true,
        };
        (host, Order::Write(write))
    }

    /// The stack is at fault: nothing more is asked of it.
    fn break_down(&mut self, host: Host, what: &str) {
        let (name, host) = (&self.name, host.name());
        self.fault
            .get_or_insert_with(|| format!("the stack {name} at the {host} {what}"));
        for end in &mut self.ends {
            end.transport = None;
            end.wake = None;
        }
    }
}

impl Conversation for Foreign {
    type Unit = EitherUnit;
    type Cause = ();

    const MAY_BE_AT_FAULT: bool = true;

    fn new(flow: &Flow<'_>, network: Network, seed: Seed, is_recorded: bool) -> Self {
        let Ends::Foreign(stack, options) = flow.ends else {
            unreachable!("a TCP of ours has a conversation of its own");
        };
        let mut fault = None;
        let mut end = |role: Role| {
            let start = Start {
                is_recorded,
                is_data_sender: role.host() == flow.data_sender,
                network,
                ..Start::of_run(role, seed, options.clone())
            };
            let transport = stack.begin(&start);
            if let Err(Broken(what)) = &transport {
                fault.get_or_insert_with(|| format!("the stack {}: {what}", stack.name()));
            }
            let host = role.host();
            End {
                transport: transport.ok(),
                pending: VecDeque::new(),
                wake: None,
                announced: 0,
                idle_wakes: 0,
                reads: Reads::default(),
                frames: Frames::new(stack.carries(), network, host),
                closed: Closed::No,
            }
        };
        let ends = [end(Role::Server), end(Role::Client)];
        if stack.carries() == Carries::Packets && matches!(flow.work, Work::Requests(_)) {
            let what = "one connection of TCP has no streams for requests; give it one transfer";
            fault.get_or_insert_with(|| format!("the stack {}: {what}", stack.name()));
        }
        Self {
            ends,
            name: stack.name().to_owned(),
            carries: stack.carries(),
            network,
            data_sender: flow.data_sender,
            app: App {
                work: flow.work,
                start: Time::ZERO + flow.start,
                begun: false,
                asked: 0,
                done: 0,
                open: Vec::new(),
                finished: false,
            },
            answers: Answers::default(),
            fault,
        }
    }

    fn has_begun(&self) -> bool {
        // A stack that could not begin is at fault before anything happens.
        self.app.begun || self.fault.is_some()
    }

    fn acts_at(&self) -> Option<Time> {
        self.app.acts_at().filter(|_| self.fault.is_none())
    }

    fn act<O: Observer>(&mut self, now: Time, observer: &mut O) -> Option<Acted> {
        self.acts_at().filter(|&at| at <= now)?;
        if self.app.begun {
            let Work::Requests(requests) = self.app.work else {
                return Some(Acted::Stopped);
            };
            let (host, order) = self.ask(now, requests);
            self.order(now, VecDeque::from([(host, order)]), observer);
            return Some(Acted::Touched);
        }
        self.app.begun = true;
        let host = self.data_sender;
        let stream = StreamId::one_way(Role::at(host), 0);
        let (host, write) = match self.app.work {
            Work::Octets(size) => (
                host,
                Order::Write(Write {
                    stream,
                    length: size.get(),
                    ends: true,
                }),
            ),
            Work::Lasting(_) => (
                host,
                Order::Write(Write {
                    stream,
                    length: ALWAYS.get(),
                    ends: false,
                }),
            ),
            Work::Requests(requests) => self.ask(now, requests),
        };
        let orders = VecDeque::from([(Host::Client, Order::Connect), (host, write)]);
        self.order(now, orders, observer);
        Some(Acted::Touched)
    }

    fn poll_at(&self, host: Host) -> Option<Time> {
        self.ends[host as usize].wake
    }

    fn on_timer<O: Observer>(&mut self, now: Time, host: Host, observer: &mut O) {
        self.call(now, host, observer, |end, answers| end.wake(now, answers));
        let end = &mut self.ends[host as usize];
        let does_nothing = end.pending.is_empty() && end.wake.is_some_and(|at| at <= now);
        end.idle_wakes = if does_nothing { end.idle_wakes + 1 } else { 0 };
        if end.idle_wakes > MOST_IDLE_WAKES {
            self.break_down(
                host,
                &format!("asks to be woken at once, {MOST_IDLE_WAKES} times in a row at {now}, and does nothing"),
            );
        }
    }

    fn on_unit<O: Observer>(
        &mut self,
        now: Time,
        host: Host,
        id: PacketId,
        unit: &EitherUnit,
        observer: &mut O,
    ) -> bool {
        let sender = &self.ends[host.peer() as usize];
        match unit {
            EitherUnit::Segment(segment) => {
                observer.arrived(now, host, id, segment);
                let frame = sender.frames.frame(unit);
                self.call(now, host, observer, |end, answers| {
                    end.datagram(now, Frames::packet(&frame), segment.ecn, answers)
                });
            }
            EitherUnit::Datagram(datagram) => {
                if observer.wants_octets() {
                    sender.show(unit, observer);
                }
                observer.packet_arrived(now, host, id);
                self.call(now, host, observer, |end, answers| {
                    end.datagram(now, &datagram.octets, datagram.ecn, answers)
                });
            }
        }
        true
    }

    fn poll_transmit<O: Observer>(&mut self, now: Time, host: Host, observer: &mut O) -> Option<(EitherUnit, ())> {
        let end = &mut self.ends[host as usize];
        loop {
            match end.pending.pop_front()? {
                Answer::Said(said) => observer.said(now, host, &said),
                Answer::Secret(line) => observer.secret(&line),
                Answer::Send(datagram) => match end.frames.unit(datagram) {
                    Ok(unit) => return Some((unit, ())),
                    Err(Broken(what)) => {
                        self.break_down(host, &what);
                        return None;
                    }
                },
                Answer::Read { .. } | Answer::Connected | Answer::Closed { .. } => {}
            }
        }
    }

    fn tell_sent<O: Observer>(
        &mut self,
        now: Time,
        host: Host,
        id: PacketId,
        (unit, ()): (&EitherUnit, ()),
        observer: &mut O,
    ) {
        if let EitherUnit::Segment(segment) = unit {
            observer.sent(now, host, id, segment, None);
            return;
        }
        if observer.wants_octets() {
            self.ends[host as usize].show(unit, observer);
        }
        observer.packet_sent(now, host, id);
    }

    fn over(&self, is_idle: bool) -> Over {
        if self.fault.is_some() {
            return Over::Broken;
        }
        let [server, client] = &self.ends;
        let receiver = &self.ends[self.data_sender.peer() as usize];
        let both = server.closed != Closed::No && client.closed != Closed::No;
        // A close that is lost leaves the data sender to its idle timeout, which is no error once all has been read.
        if self.app.finished && receiver.closed == Closed::InOrder && (both || is_idle) {
            Over::Closed
        } else if both {
            Over::Reset
        } else if is_idle {
            Over::Idle
        } else {
            Over::No
        }
    }

    fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }
}

impl End {
    /// Shows the observer the frame that carries a unit of this end.
    fn show<O: Observer>(&self, unit: &EitherUnit, observer: &mut O) {
        let frame = self.frames.frame(unit);
        let length = u32::try_from(frame.len()).unwrap_or(u32::MAX);
        observer.octets(&frame, length);
    }
}
