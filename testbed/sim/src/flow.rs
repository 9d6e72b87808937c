//! One connection as the driver keeps it: the conversation, its access link, when it is due, whether it is over.

use windlull_link::model::LinkModel;
use windlull_units::{Host, Network, Seed, Time};

use crate::access::Access;
use crate::conversation::{Conversation, Over};
use crate::setup;

/// One connection.
#[derive(Clone, Debug)]
pub(crate) struct Flow<C: Conversation> {
    pub(crate) conversation: C,
    pub(crate) access: Option<Access<C::Unit>>,
    pub(crate) over: Over,
    /// When something of each end is due, server first; `NEVER` if nothing is.
    due: [Time; 2],
}

impl<C: Conversation> Flow<C> {
    /// The flow of this number, from 0.
    pub(crate) fn new(
        number: usize,
        flow: &setup::Flow<'_>,
        access: Option<&LinkModel>,
        network: Network,
        run: Seed,
        is_recorded: bool,
    ) -> Self {
        let seed = run.of_flow(number);
        Self {
            conversation: C::new(flow, network, seed, is_recorded),
            access: access.map(|model| Access::new(model, network, seed.child("access"))),
            over: Over::No,
            due: [Time::NEVER; 2],
        }
    }

    /// This end was touched, and has sent what it had to send.
    #[inline]
    pub(crate) fn schedule(&mut self, host: Host) {
        self.due[host as usize] = self.conversation.poll_at(host).unwrap_or(Time::NEVER);
    }

    /// Whether it is over now, and when something of it is due; `NEVER` if nothing is. Once its time is up it stays so.
    #[inline]
    pub(crate) fn judge(&self) -> (Over, Time) {
        if self.over == Over::Elapsed {
            return (Over::Elapsed, Time::NEVER);
        }
        let access = self.access.as_ref().and_then(|access| access.link.poll_at());
        let [server, client] = self.due;
        let own = server.min(client).or_earlier(self.conversation.acts_at());
        let over = if self.conversation.has_begun() {
            self.conversation.over(own == Time::NEVER)
        } else {
            self.over
        };
        (over, own.or_earlier(access))
    }

    /// How many packets its access link holds that still matter.
    pub(crate) fn packets_inside(&self) -> usize {
        let access = self.access.as_ref().filter(|_| self.over != Over::Elapsed);
        access.map_or(0, |access| access.link.packets_inside())
    }
}
