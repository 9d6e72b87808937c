//! A connection of our own TCP.

use rand_chacha::rand_core::Rng as _;
use windlull_capture::Observer;
use windlull_link::{PureAck, SenderView, TcpView};
use windlull_tcp::{CloseReason, Endpoint};
use windlull_units::{Ecn, Host, Network, PacketId, Seed, Time};
use windlull_wire::{Flags, Options, Phase, Segment, SeqNumber, TransmitCause};

use crate::app::{Act, App};
use crate::conversation::{Acted, Conversation, Over, Unit};
use crate::setup::{Ends, Flow};
use crate::taps::EndpointTap;

/// Both ends run the same variant.
#[derive(Clone, Debug)]
pub(crate) struct Tcp {
    server: Endpoint,
    client: Endpoint,
    data_sender: Host,
    app: App,
}

impl Tcp {
    fn endpoint(&mut self, host: Host) -> &mut Endpoint {
        match host {
            Host::Server => &mut self.server,
            Host::Client => &mut self.client,
        }
    }

    /// The application, the data sender, the data receiver.
    fn ends(&mut self) -> (&mut App, &mut Endpoint, &mut Endpoint) {
        match self.data_sender {
            Host::Server => (&mut self.app, &mut self.server, &mut self.client),
            Host::Client => (&mut self.app, &mut self.client, &mut self.server),
        }
    }

    /// An end, and who hears what it says.
    fn heard<'a, O>(&'a mut self, host: Host, observer: &'a mut O) -> (&'a mut Endpoint, EndpointTap<'a, O>) {
        let data_sender = self.data_sender;
        let tap = EndpointTap {
            host,
            data_sender,
            observer,
        };
        (self.endpoint(host), tap)
    }

    /// Whether nothing answered an end any more.
    fn gave_up(&self) -> bool {
        [&self.server, &self.client]
            .iter()
            .any(|end| end.close_reason() == Some(CloseReason::TimedOut))
    }
}

impl Conversation for Tcp {
    type Unit = Segment;
    type Cause = TransmitCause;

    fn new(flow: &Flow<'_>, _: Network, seed: Seed, _: bool) -> Self {
        let Ends::Tcp(variant) = flow.ends else {
            unreachable!("a run with other transports has conversations of either kind");
        };
        let isn = |stream: &str| SeqNumber(seed.stream(stream).next_u32());
        let mut made = Self {
            server: Endpoint::new(variant, isn("server/isn")),
            client: Endpoint::new(variant, isn("client/isn")),
            data_sender: flow.data_sender,
            app: App::new(flow.work, flow.start),
        };
        made.endpoint(flow.data_sender.peer()).listen();
        made
    }

    fn has_begun(&self) -> bool {
        self.app.has_begun()
    }

    #[inline]
    fn acts_at(&self) -> Option<Time> {
        self.app.next().map(|(at, _)| at)
    }

    fn act<O: Observer>(&mut self, now: Time, _: &mut O) -> Option<Acted> {
        let (_, act) = self.app.next().filter(|&(at, _)| at <= now)?;
        let (app, sender, receiver) = self.ends();
        match act {
            Act::Open => app.open(now, sender, receiver),
            Act::Ask => app.ask(now, sender, receiver),
            Act::Stop => return Some(Acted::Stopped),
        }
        Some(Acted::Touched)
    }

    #[inline]
    fn poll_at(&self, host: Host) -> Option<Time> {
        match host {
            Host::Server => self.server.poll_at(),
            Host::Client => self.client.poll_at(),
        }
    }

    fn on_timer<O: Observer>(&mut self, now: Time, host: Host, observer: &mut O) {
        let (endpoint, mut tap) = self.heard(host, observer);
        endpoint.on_timer(now, &mut tap);
    }

    #[inline]
    fn on_unit<O: Observer>(&mut self, now: Time, host: Host, id: PacketId, unit: &Segment, observer: &mut O) -> bool {
        observer.arrived(now, host, id, unit);
        let (endpoint, mut tap) = self.heard(host, observer);
        endpoint.on_segment(now, unit, &mut tap);
        let readable = endpoint.readable();
        if readable > 0 {
            endpoint.read(now, readable);
        }
        if endpoint.peer_closed() {
            endpoint.close(now);
        }
        let mut asks = false;
        if readable > 0 {
            let is_sender = host == self.data_sender;
            let (app, sender, receiver) = self.ends();
            if is_sender {
                app.on_request(now, readable, sender);
            } else {
                asks = app.on_response(now, readable, |took| observer.task(now, took));
            }
            if asks {
                app.ask(now, sender, receiver);
            }
        }
        asks
    }

    #[inline]
    fn poll_transmit<O: Observer>(
        &mut self,
        now: Time,
        host: Host,
        observer: &mut O,
    ) -> Option<(Segment, TransmitCause)> {
        let (endpoint, mut tap) = self.heard(host, observer);
        endpoint.poll_transmit(now, &mut tap)
    }

    #[inline]
    fn tell_sent<O: Observer>(
        &mut self,
        now: Time,
        host: Host,
        id: PacketId,
        (segment, cause): (&Segment, TransmitCause),
        observer: &mut O,
    ) {
        observer.sent(now, host, id, segment, Some(cause));
    }

    #[inline]
    fn over(&self, is_idle: bool) -> Over {
        if self.server.fin_acknowledged() && self.client.fin_acknowledged() {
            Over::Closed
        } else if self.server.is_closed() && self.client.is_closed() {
            if self.gave_up() { Over::GaveUp } else { Over::Reset }
        } else if is_idle {
            if self.gave_up() { Over::GaveUp } else { Over::Idle }
        } else {
            Over::No
        }
    }

    fn sender_view(&self) -> Option<SenderView> {
        if !self.has_begun() {
            return None;
        }
        let sender = match self.data_sender {
            Host::Server => &self.server,
            Host::Client => &self.client,
        };
        if sender.close_reason().is_some() {
            return None;
        }
        let state = sender.sender_state();
        let (una, max) = sender.outstanding();
        Some(SenderView {
            cwnd: state.cwnd_bytes,
            segment: sender.segment_size(),
            rto: state.rto,
            is_recovering: state.phase == Phase::FastRecovery,
            una,
            max,
        })
    }
}

impl Unit for Segment {
    #[inline]
    fn transport_len(&self) -> u64 {
        u64::from(self.header_len() + self.payload_len)
    }

    fn tcp(&self) -> Option<TcpView> {
        Some(TcpView {
            seq: self.seq.0,
            payload_len: self.payload_len,
            syn: self.flags.has(Flags::SYN),
        })
    }

    fn pure_ack(&self) -> Option<PureAck> {
        let Options {
            mss: None,
            window_scale: None,
            sack_permitted: false,
            sack,
            timestamps: _,
        } = &self.options
        else {
            return None;
        };
        let bare = self.payload_len == 0 && sack.is_empty() && self.ecn != Ecn::Ce;
        PureAck::of(self.flags.0, self.ack.0).filter(|_| bare)
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

#[cfg(test)]
mod tests {
    use windlull_wire::{SackBlock, Timestamps};

    use super::*;

    #[test]
    fn a_segment_that_only_acknowledges_is_known() {
        let bare = Segment {
            ack: SeqNumber(7),
            flags: Flags::ACK,
            ..Segment::default()
        };
        let found = |segment: Segment| segment.pure_ack();
        assert_eq!(found(bare), Some(PureAck { number: 7, echoes: 0 }));
        let mut stamped = bare;
        stamped.options.timestamps = Some(Timestamps { value: 1, echo: 2 });
        assert_eq!(found(stamped), found(bare));
        let flags = Flags::ACK.with(Flags::ECE);
        let echoing = found(Segment { flags, ..bare });
        assert_eq!(
            echoing,
            Some(PureAck {
                number: 7,
                echoes: 0x40
            })
        );
        for flag in [Flags::FIN, Flags::SYN, Flags::RST, Flags::PSH, Flags::URG] {
            let flags = Flags::ACK.with(flag);
            assert_eq!(found(Segment { flags, ..bare }), None);
        }
        assert_eq!(found(Segment { payload_len: 1, ..bare }), None);
        assert_eq!(found(Segment { ecn: Ecn::Ce, ..bare }), None);
        let mut selective = bare;
        assert!(selective.options.sack.push(SackBlock::default()));
        assert_eq!(found(selective), None);
    }
}
