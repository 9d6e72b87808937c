//! A transfer over a link that stands still for 1.5 s and loses nothing: what a sender makes of it with F-RTO, and without.
//!
//! ```text
//! cargo run -p windlull-tcp --example over_a_link
//! ```
#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use windlull_link::{Direction, Fate, Link, Packet, Seed, TcpView, UnknownLink};
use windlull_tcp::units::{Bytes, Ecn, Network, Time};
use windlull_tcp::wire::{Flags, Segment, SenderEvent, SeqNumber, TransmitCause};
use windlull_tcp::{Detection, Endpoint, Era, Response, Variant};

/// A segment, as the link sees it.
#[derive(Clone)]
struct OnLink(Segment);

impl Packet for OnLink {
    fn size(&self) -> Bytes {
        Bytes::new(u64::from(self.0.packet_len(Network::Ipv4)))
    }

    fn tcp(&self) -> Option<TcpView> {
        Some(TcpView {
            seq: self.0.seq.0,
            payload_len: self.0.payload_len,
            syn: self.0.flags.has(Flags::SYN),
        })
    }

    fn flow(&self) -> u64 {
        0
    }

    fn ecn(&self) -> Ecn {
        self.0.ecn
    }

    fn mark(&mut self) {
        self.0.ecn = Ecn::Ce;
    }
}

/// What became of a transfer.
struct Transfer {
    end: Time,
    resent: usize,
    timeouts: usize,
    fates: Vec<Fate>,
}

/// The server opens the connection, and sends so many octets to the client.
fn transfer(variant: &Variant, mut link: Link<OnLink>, octets: u64) -> Transfer {
    // In the order of the directions in which they send.
    let mut ends = [
        Endpoint::new(variant, SeqNumber(7)),
        Endpoint::new(variant, SeqNumber(9)),
    ];
    let mut fates: Vec<Fate> = Vec::new();
    let mut events: Vec<(Time, SenderEvent)> = Vec::new();
    let mut resent = 0;
    let mut now = Time::ZERO;
    ends[1].listen();
    ends[0].connect(now);
    ends[0].write(now, octets);
    ends[0].close(now);
    while !ends[0].fin_acknowledged() {
        for direction in Direction::ALL {
            while let Some((segment, cause)) = ends[direction as usize].poll_transmit(now, &mut events) {
                resent += usize::from(matches!(
                    cause,
                    TransmitCause::FastRetransmit | TransmitCause::Timeout | TransmitCause::AfterTimeout
                ));
                link.send(now, direction, OnLink(segment), &mut fates);
            }
        }
        let timers = ends.iter().filter_map(Endpoint::poll_at);
        now = timers
            .chain(link.poll_at())
            .min()
            .expect("an open connection waits for something");
        link.advance(now, &mut fates);
        if let Some(delivery) = link.pop_delivery() {
            let receiver = &mut ends[delivery.direction.reverse() as usize];
            receiver.on_segment(now, &delivery.packet.0, &mut events);
            receiver.read(now, u64::MAX);
        } else {
            for end in &mut ends {
                if end.poll_at().is_some_and(|at| at <= now) {
                    end.on_timer(now, &mut events);
                }
            }
        }
    }
    let timeouts = events
        .iter()
        .filter(|(_, event)| matches!(event, SenderEvent::Timeout { .. }))
        .count();
    Transfer {
        end: now,
        resent,
        timeouts,
        fates,
    }
}

fn main() -> Result<(), UnknownLink> {
    let plain = Era::Of2026.host();
    let frto = Variant {
        detection: Detection::Frto,
        response: Response::FrtoConservative,
        ..plain.clone()
    };
    for (name, variant) in [("without", &plain), ("with F-RTO", &frto)] {
        let link = Link::named("one-hold", Seed::new(1))?;
        let Transfer {
            end,
            resent,
            timeouts,
            fates,
        } = transfer(variant, link, 3_000_000);
        let lost = fates.iter().filter(|fate| !fate.arrived_intact()).count();
        println!("{name:10}  {timeouts} timeouts, {resent} segments sent again, {lost} packets lost; done at {end}");
    }
    Ok(())
}
