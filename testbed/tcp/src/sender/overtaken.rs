//! What an acknowledgement still tells that a later one has overtaken.
//!
//! It is below `SND.UNA`, acknowledges nothing and offers no window (RFC 9293, section 3.10.7.4). But its blocks are as true as they
//! were: what it reports as held lies with the receiver (RFC 2018, section 5), and what it reports as received twice arrived twice
//! (RFC 2883, section 4).

use windlull_units::Time;
use windlull_wire::SackBlock;

use crate::observer::EndpointObserver;

use super::Sender;
use super::view::Ack;

/// An acknowledgement below `SND.UNA`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overtaken<'a> {
    /// What it acknowledges.
    pub(crate) ack: u64,
    pub(crate) blocks: &'a [SackBlock],
    /// The timestamp it echoes.
    pub(crate) echo: Option<u32>,
}

impl Sender {
    /// Takes what is news in its blocks; without news nothing changes.
    pub(crate) fn on_overtaken_ack(&mut self, now: Time, late: &Overtaken<'_>, o: &mut impl EndpointObserver) {
        let (sacked, reported) = self.record_blocks(late.ack, late.blocks);
        if sacked == 0 && reported.is_none() {
            return;
        }
        self.changed = true;
        self.quota = self.policy.burst_limit.unwrap_or(u32::MAX);
        let ack = Ack {
            now,
            sacked,
            dsack: reported.is_some(),
            reported,
            echo: late.echo,
            ..Ack::default()
        };
        self.act_on_ack(now, &ack, o);
        self.view.dsack_seen |= ack.dsack;
        self.avoid_burst();
        self.tell_model_of_ack(now, &ack);
    }
}
