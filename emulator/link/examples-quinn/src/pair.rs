//! A server and a client, the link between them, and the time.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quinn_proto::{ConnectionStats, TransportConfig};
use windlull_link::{Datagram, Direction, Fate, Link, Span, Time};

use crate::end::End;

/// A transfer that takes longer will not end.
const MOST: Span = Span::from_secs(3600);

/// A server and a client of QUIC, and the link between them.
pub struct Pair {
    /// The instant that is the run's start: quinn sees nothing but differences to it.
    start: Instant,
    now: Time,
    link: Link<Datagram>,
    fates: Vec<Fate>,
    /// The server, then the client: in the order of the directions in which they send.
    ends: [End; 2],
}

impl Pair {
    /// A pair as quinn configures it, over this link. The client connects as soon as time passes.
    ///
    /// # Errors
    /// Only if rustls no longer takes the certificate.
    pub fn over(link: Link<Datagram>) -> Result<Self, Box<dyn Error>> {
        Self::with(link, TransportConfig::default())
    }

    /// The same, with another configuration of both ends.
    ///
    /// # Errors
    /// As [`Pair::over`].
    pub fn with(link: Link<Datagram>, transport: TransportConfig) -> Result<Self, Box<dyn Error>> {
        let start = Instant::now();
        let transport = Arc::new(transport);
        Ok(Self {
            start,
            now: Time::ZERO,
            link,
            fates: Vec::new(),
            ends: [End::server(Arc::clone(&transport))?, End::client(start, transport)?],
        })
    }

    /// The server sends so many octets to the client. Returns the instant at which the client has read them all.
    ///
    /// # Panics
    /// If that takes more than an hour, as then something hangs.
    pub fn download(&mut self, octets: u64) -> Time {
        let [server, client] = &mut self.ends;
        server.write(octets);
        client.expect(octets);
        loop {
            let at = self.instant();
            for end in &mut self.ends {
                for datagram in end.drive(at) {
                    self.link.send(self.now, end.sends(), datagram, &mut self.fates);
                }
            }
            let [_, client] = &self.ends;
            if client.has_read_all() {
                return self.now;
            }
            let timers = self.ends.iter_mut().filter_map(|end| end.wake(at));
            let timers = timers.map(|wake| since(self.start, wake));
            self.now = timers.chain(self.link.poll_at()).min().unwrap_or(Time::NEVER);
            assert!(self.now < Time::ZERO + MOST, "the transfer hangs");
            self.link.advance(self.now, &mut self.fates);
            let at = self.instant();
            if let Some(delivery) = self.link.pop_delivery() {
                // What arrives with flipped bits does not get past UDP's checksum.
                if !delivery.corrupted {
                    self.ends[delivery.direction.reverse() as usize].on_datagram(at, &delivery.packet);
                }
            }
        }
    }

    /// What became of each datagram whose story has ended, in the order in which they ended.
    pub fn fates(&self) -> &[Fate] {
        &self.fates
    }

    /// How many datagrams of this direction the link has lost.
    pub fn lost(&self, direction: Direction) -> u64 {
        let lost = |fate: &&Fate| fate.direction == direction && !fate.arrived_intact();
        self.fates.iter().filter(lost).count() as u64
    }

    /// How many packets quinn took for lost of those that it sent in this direction.
    pub fn declared_lost(&self, direction: Direction) -> u64 {
        self.stats(direction).path.lost_packets
    }

    /// All that quinn counts of the end that sends in this direction.
    pub fn stats(&self, direction: Direction) -> ConnectionStats {
        self.ends[direction as usize].stats()
    }

    fn instant(&self) -> Instant {
        self.start + Duration::from_nanos(self.now.as_ns())
    }
}

/// An instant of quinn's, in a run that began at `start`.
fn since(start: Instant, instant: Instant) -> Time {
    let ns = instant.saturating_duration_since(start).as_nanos();
    Time::from_ns(u64::try_from(ns).unwrap_or(u64::MAX))
}
