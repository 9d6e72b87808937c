//! The driver of one run.

use rand_chacha::rand_core::Rng as _;
use windlull_capture::Observer;
use windlull_link::Link;
use windlull_link::model::LinkModel;
use windlull_tcp::{Endpoint, Variant};
use windlull_units::{Ending, Host, Seed, Span, Time, Transfer};
use windlull_wire::SeqNumber;

use crate::carried::Carried;
use crate::taps::{EndpointTap, LinkTap};

/// All that a run depends on.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The link.
    pub link: &'a LinkModel,
    /// The TCP of both ends.
    pub variant: &'a Variant,
    /// The workload.
    pub transfer: Transfer,
    /// The run's seed.
    pub seed: Seed,
    /// When to give up, in virtual time.
    pub time_limit: Span,
}

/// Runs one connection from the first SYN until both ends have closed and the link is empty.
pub fn run(setup: &Setup<'_>, observer: &mut impl Observer) -> Ending {
    Run::new(setup, observer).drive()
}

struct Run<'a, O> {
    now: Time,
    deadline: Time,
    link: Link<Carried>,
    server: Endpoint,
    client: Endpoint,
    data_sender: Host,
    observer: &'a mut O,
}

impl<'a, O: Observer> Run<'a, O> {
    fn new(setup: &Setup<'_>, observer: &'a mut O) -> Self {
        let isn = |stream: &str| SeqNumber(setup.seed.stream(stream).next_u32());
        let mut run = Self {
            now: Time::ZERO,
            deadline: Time::ZERO + setup.time_limit,
            link: Link::new(setup.link, setup.seed),
            server: Endpoint::new(setup.variant, isn("server/isn")),
            client: Endpoint::new(setup.variant, isn("client/isn")),
            data_sender: setup.transfer.data_sender,
            observer,
        };
        run.endpoint(run.data_sender.peer()).listen();
        let sender = run.endpoint(run.data_sender);
        sender.connect(Time::ZERO);
        sender.write(Time::ZERO, setup.transfer.size.get());
        sender.close(Time::ZERO);
        run
    }

    /// A function of its own, whoever calls: inlined into callers, the loop was by 5 % slower or faster with each of their
    /// changes.
    #[inline(never)]
    fn drive(mut self) -> Ending {
        self.link.advance(self.now, &mut LinkTap(self.observer));
        self.transmit(Host::Server);
        self.transmit(Host::Client);
        loop {
            let ends = [self.server.poll_at(), self.client.poll_at()];
            if let Some(ending) = self.ending(ends) {
                return ending;
            }
            let [server, client] = ends.map(|at| at.unwrap_or(Time::NEVER));
            let next = self
                .link
                .poll_at()
                .unwrap_or(Time::NEVER)
                .min(server)
                .min(client)
                .max(self.now);
            if next > self.deadline {
                return Ending::TimeLimit;
            }
            self.now = next;
            self.deliver();
            self.fire(Host::Server);
            self.fire(Host::Client);
        }
    }

    /// The run is over once nobody wants anything and no packet is under way, whatever the weather may still bring.
    fn ending(&self, ends: [Option<Time>; 2]) -> Option<Ending> {
        let at = self.now;
        let in_order = self.server.fin_acknowledged() && self.client.fin_acknowledged();
        let reset = !in_order && self.server.is_closed() && self.client.is_closed();
        let over = in_order || reset || ends == [None, None];
        if !over || self.link.packets_inside() > 0 {
            return None;
        }
        Some(match (in_order, reset) {
            (true, _) => Ending::Closed { at },
            (false, true) => Ending::Reset { at },
            (false, false) => Ending::Stalled { at },
        })
    }

    fn deliver(&mut self) {
        self.link.advance(self.now, &mut LinkTap(self.observer));
        while let Some(delivery) = self.link.pop_delivery() {
            // A corrupted packet fails the receiving host's checksum; its TCP never sees it.
            if delivery.corrupted {
                continue;
            }
            let host = delivery.direction.reaches();
            let segment = delivery.packet.0;
            self.observer.arrived(self.now, host, delivery.id, &segment);
            let (now, data_sender) = (self.now, self.data_sender);
            let (endpoint, observer) = self.parts(host);
            endpoint.on_segment(
                now,
                &segment,
                &mut EndpointTap {
                    host,
                    data_sender,
                    observer,
                },
            );
            let readable = endpoint.readable();
            if readable > 0 {
                endpoint.read(now, readable);
            }
            if endpoint.peer_closed() {
                endpoint.close(now);
            }
            self.transmit(host);
        }
    }

    fn fire(&mut self, host: Host) {
        let (now, data_sender) = (self.now, self.data_sender);
        let (endpoint, observer) = self.parts(host);
        if endpoint.poll_at().is_some_and(|at| at <= now) {
            endpoint.on_timer(
                now,
                &mut EndpointTap {
                    host,
                    data_sender,
                    observer,
                },
            );
            self.transmit(host);
        }
    }

    fn transmit(&mut self, host: Host) {
        let (now, data_sender) = (self.now, self.data_sender);
        loop {
            let (endpoint, observer) = self.parts(host);
            let tap = &mut EndpointTap {
                host,
                data_sender,
                observer,
            };
            let Some((segment, cause)) = endpoint.poll_transmit(now, tap) else {
                return;
            };
            self.observer
                .sent(now, host, self.link.next_id(), &segment, Some(cause));
            self.link
                .send(now, host.sends(), Carried(segment), &mut LinkTap(self.observer));
        }
    }

    fn endpoint(&mut self, host: Host) -> &mut Endpoint {
        self.parts(host).0
    }

    fn parts(&mut self, host: Host) -> (&mut Endpoint, &mut O) {
        let endpoint = match host {
            Host::Server => &mut self.server,
            Host::Client => &mut self.client,
        };
        (endpoint, self.observer)
    }
}
