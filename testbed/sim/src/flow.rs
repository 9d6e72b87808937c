//! One connection: its two ends, its application, its access link.

use rand_chacha::rand_core::Rng as _;
use windlull_link::model::LinkModel;
use windlull_tcp::{CloseReason, Endpoint};
use windlull_units::{Host, Seed, Time};
use windlull_wire::SeqNumber;

use crate::access::Access;
use crate::app::App;
use crate::setup;

/// Whether a flow is over, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// Somebody still wants something.
    No,
    /// Both ends closed in order.
    Closed,
    Reset,
    /// Nothing answered one of the ends any more.
    GaveUp,
    /// Nobody wants anything, unless a packet still arrives.
    Idle,
    /// Its time is up.
    Elapsed,
}

/// One connection.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    pub(crate) server: Endpoint,
    pub(crate) client: Endpoint,
    pub(crate) data_sender: Host,
    pub(crate) app: App,
    pub(crate) access: Option<Access>,
    pub(crate) over: Over,
    /// When something of each end is due, server first; `NEVER` if nothing is.
    due: [Time; 2],
}

impl Flow {
    /// The flow of this number, from 0. The first has the run's own streams of random numbers, as if it were alone.
    pub(crate) fn new(number: usize, flow: &setup::Flow<'_>, access: Option<&LinkModel>, run: Seed) -> Self {
        let seed = match number {
            0 => run,
            number => run.child(&format!("flow/{}", number + 1)),
        };
        let isn = |stream: &str| SeqNumber(seed.stream(stream).next_u32());
        let mut made = Self {
            server: Endpoint::new(flow.variant, isn("server/isn")),
            client: Endpoint::new(flow.variant, isn("client/isn")),
            data_sender: flow.data_sender,
            app: App::new(flow.work, flow.start),
            access: access.map(|model| Access::new(model, seed.child("access"))),
            over: Over::No,
            due: [Time::NEVER; 2],
        };
        made.endpoint(flow.data_sender.peer()).listen();
        made
    }

    pub(crate) fn endpoint(&mut self, host: Host) -> &mut Endpoint {
        match host {
            Host::Server => &mut self.server,
            Host::Client => &mut self.client,
        }
    }

    /// The application, the data sender, the data receiver.
    pub(crate) fn ends(&mut self) -> (&mut App, &mut Endpoint, &mut Endpoint) {
        match self.data_sender {
            Host::Server => (&mut self.app, &mut self.server, &mut self.client),
            Host::Client => (&mut self.app, &mut self.client, &mut self.server),
        }
    }

    /// This end was touched, and has sent what it had to send.
    #[inline]
    pub(crate) fn schedule(&mut self, host: Host) {
        self.due[host as usize] = self.endpoint(host).poll_at().unwrap_or(Time::NEVER);
    }

    /// Whether it is over now, and when something of it is due; `NEVER` if nothing is. Once its time is up it stays so.
    #[inline]
    pub(crate) fn judge(&self) -> (Over, Time) {
        if self.over == Over::Elapsed {
            return (Over::Elapsed, Time::NEVER);
        }
        let access = self.access.as_ref().and_then(|access| access.link.poll_at());
        let [server, client] = self.due;
        let own = server.min(client).or_earlier(self.app.next().map(|(at, _)| at));
        let over = if !self.app.has_begun() {
            self.over
        } else if self.server.fin_acknowledged() && self.client.fin_acknowledged() {
            Over::Closed
        } else if self.server.is_closed() && self.client.is_closed() {
            if self.gave_up() { Over::GaveUp } else { Over::Reset }
        } else if own == Time::NEVER {
            if self.gave_up() { Over::GaveUp } else { Over::Idle }
        } else {
            Over::No
        };
        (over, own.or_earlier(access))
    }

    /// Whether nothing answered an end any more.
    fn gave_up(&self) -> bool {
        [&self.server, &self.client]
            .iter()
            .any(|end| end.close_reason() == Some(CloseReason::TimedOut))
    }

    /// How many packets its access link holds that still matter.
    pub(crate) fn packets_inside(&self) -> usize {
        let access = self.access.as_ref().filter(|_| self.over != Over::Elapsed);
        access.map_or(0, |access| access.link.packets_inside())
    }
}
