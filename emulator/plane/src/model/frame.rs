//! Frames and the pool they come from: at its busiest the plane allocates nothing.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use windlull_link::{Packet, PureAck, TcpView};
use windlull_units::{Bytes, Ecn, Network};

use super::parse::{self, Parsed, PortOf};

/// The longest frame: MTU 1500 and Ethernet's header, with room.
pub(crate) const CAPACITY: usize = 2_048 - 64;
/// Buffers are made so many at a time.
const HANDFUL: usize = 64;

/// Buffers for frames. What the link has no end of may not use up the machine's memory: there are at most `limit`.
pub(crate) struct Pool {
    free: RefCell<Vec<Rc<Buffer>>>,
    made: Cell<usize>,
    limit: usize,
    /// The version of IP that hosts' packets have.
    network: Network,
}

#[derive(Clone)]
struct Buffer {
    octets: [u8; CAPACITY],
    len: usize,
    parsed: Parsed,
}

/// A frame with an IP packet. Copies share the octets; the last one gives them back to the pool.
pub(crate) struct Frame {
    /// There but while it is dropped.
    buffer: Option<Rc<Buffer>>,
    pool: Rc<Pool>,
}

/// Why a frame is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// No packet of the run's version of IP, or one that a kernel sends of its own accord.
    Foreign,
    /// Longer than any device of the testbed sends: some offload is on.
    TooLong,
    /// All buffers are in the link.
    Exhausted,
}

impl Pool {
    /// For hosts whose packets are of this version of IP.
    pub(crate) fn new(limit: usize, network: Network) -> Rc<Self> {
        Rc::new(Self {
            free: RefCell::new(Vec::new()),
            made: Cell::new(0),
            limit,
            network,
        })
    }

    /// A frame that a host has sent.
    pub(crate) fn frame(self: &Rc<Self>, octets: &[u8]) -> Result<Frame, Refused> {
        self.frame_of(self.network, octets)
    }

    /// A frame with a packet of this version of IP, whichever the hosts' is.
    pub(crate) fn frame_of(self: &Rc<Self>, network: Network, octets: &[u8]) -> Result<Frame, Refused> {
        if octets.len() > CAPACITY {
            return Err(Refused::TooLong);
        }
        let parsed = parse::parse(octets, network).ok_or(Refused::Foreign)?;
        let mut buffer = self.take().ok_or(Refused::Exhausted)?;
        let inner = Rc::get_mut(&mut buffer).expect("what is in the pool is nobody else's");
        inner.octets[..octets.len()].copy_from_slice(octets);
        inner.len = octets.len();
        inner.parsed = parsed;
        Ok(Frame {
            buffer: Some(buffer),
            pool: Rc::clone(self),
        })
    }

    fn take(&self) -> Option<Rc<Buffer>> {
        let mut free = self.free.borrow_mut();
        if free.is_empty() {
            let more = HANDFUL.min(self.limit - self.made.get());
            self.made.set(self.made.get() + more);
            free.extend((0..more).map(|_| Rc::new(Buffer::EMPTY)));
        }
        free.pop()
    }
}

impl Buffer {
    const EMPTY: Self = Self {
        octets: [0; CAPACITY],
        len: 0,
        parsed: Parsed {
            size: Bytes::ZERO,
            tcp: None,
        },
    };
}

impl Frame {
    pub(crate) fn octets(&self) -> &[u8] {
        let buffer = self.buffer();
        &buffer.octets[..buffer.len]
    }

    pub(crate) fn packet(&self) -> &[u8] {
        &self.octets()[parse::ETHERNET_LEN..]
    }

    /// The same with one bit wrong: the last of the payload, and of TCP without payload the last of the checksum, so
    /// that the far end notices and nothing else could be misread. `None` if there is no buffer left.
    pub(crate) fn corrupted(&self) -> Option<Self> {
        let mut wrong = self.copied()?;
        let inner = wrong.buffer.as_mut().and_then(Rc::get_mut)?;
        let packet = self.packet();
        if let Some(layout) = parse::layout(packet) {
            let bare_tcp = parse::tcp_payload(packet, &layout).is_some_and(|payload| payload == layout.end);
            let place = if bare_tcp {
                // RFC 9293, section 3.1: octets 16 and 17 of the header.
                layout.transport + 17
            } else {
                layout.end - 1
            };
            inner.octets[parse::ETHERNET_LEN + place] ^= 1;
        }
        Some(wrong)
    }

    /// The same with another beginning of its Ethernet header; a copy of it stays as it was. `None` if there is no buffer
    /// left for that.
    pub(crate) fn headed(mut self, heading: [u8; 12]) -> Option<Self> {
        let shared = self.buffer.as_ref().is_some_and(|buffer| Rc::strong_count(buffer) > 1);
        if shared {
            self = self.copied()?;
        }
        let buffer = self.buffer.as_mut().and_then(Rc::get_mut)?;
        buffer.octets[..heading.len()].copy_from_slice(&heading);
        Some(self)
    }

    /// The same with another port at one end, of a UDP datagram; a copy of it stays as it was. `None` if there is no buffer
    /// left for that.
    pub(crate) fn with_port(mut self, of: PortOf, port: u16) -> Option<Self> {
        let shared = self.buffer.as_ref().is_some_and(|buffer| Rc::strong_count(buffer) > 1);
        if shared {
            self = self.copied()?;
        }
        let buffer = self.buffer.as_mut().and_then(Rc::get_mut)?;
        parse::set_udp_port(&mut buffer.octets[parse::ETHERNET_LEN..buffer.len], of, port);
        Some(self)
    }

    /// The same in a buffer of its own.
    fn copied(&self) -> Option<Self> {
        let mut buffer = self.pool.take()?;
        let inner = Rc::get_mut(&mut buffer).expect("what is in the pool is nobody else's");
        inner.octets[..self.octets().len()].copy_from_slice(self.octets());
        inner.len = self.octets().len();
        inner.parsed = self.buffer().parsed;
        Some(Self {
            buffer: Some(buffer),
            pool: Rc::clone(&self.pool),
        })
    }

    fn buffer(&self) -> &Buffer {
        self.buffer
            .as_ref()
            .expect("a frame has its buffer until it is dropped")
    }
}

impl Clone for Frame {
    fn clone(&self) -> Self {
        Self {
            buffer: self.buffer.clone(),
            pool: Rc::clone(&self.pool),
        }
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            if Rc::strong_count(&buffer) == 1 {
                self.pool.free.borrow_mut().push(buffer);
            }
        }
    }
}

impl Packet for Frame {
    fn size(&self) -> Bytes {
        self.buffer().parsed.size
    }

    fn tcp(&self) -> Option<TcpView> {
        self.buffer().parsed.tcp
    }

    fn flow(&self) -> u64 {
        parse::flow(self.packet())
    }

    fn pure_ack(&self) -> Option<PureAck> {
        parse::pure_ack(self.packet())
    }

    fn ecn(&self) -> Ecn {
        parse::ecn(self.packet())
    }

    fn mark(&mut self) {
        if let Some(buffer) = &mut self.buffer {
            parse::mark(&mut Rc::make_mut(buffer).octets[parse::ETHERNET_LEN..]);
        }
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Frame({} octets)", self.octets().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An Ethernet frame with an IPv4 packet of UDP, of `len` octets with header.
    fn udp(len: u16) -> Vec<u8> {
        let mut frame = vec![0; parse::ETHERNET_LEN + usize::from(len)];
        frame[12] = 0x08;
        frame[14] = 0x45;
        frame[16..18].copy_from_slice(&len.to_be_bytes());
        frame[23] = 17;
        frame
    }

    fn free(pool: &Pool) -> usize {
        pool.free.borrow().len()
    }

    #[test]
    fn frames_come_back_to_the_pool() {
        let pool = Pool::new(1_000, Network::Ipv4);
        let frame = pool.frame(&udp(100)).expect("a frame");
        assert_eq!(frame.octets(), udp(100));
        assert_eq!(frame.size(), Bytes::new(100));
        assert_eq!(free(&pool), HANDFUL - 1);
        let copy = frame.clone();
        drop(frame);
        assert_eq!(free(&pool), HANDFUL - 1);
        assert_eq!(copy.octets(), udp(100));
        drop(copy);
        assert_eq!(free(&pool), HANDFUL);
    }

    #[test]
    fn frames_in_turn_need_one_buffer() {
        let pool = Pool::new(1_000, Network::Ipv4);
        for len in 20..1_500 {
            let frame = pool.frame(&udp(len)).expect("a frame");
            assert_eq!(frame.packet().len(), usize::from(len));
        }
        assert_eq!(pool.made.get(), HANDFUL);
    }

    #[test]
    fn the_pool_has_an_end() {
        let pool = Pool::new(HANDFUL + 1, Network::Ipv4);
        let mut frames: Vec<_> = (0..=HANDFUL).map(|_| pool.frame(&udp(50)).expect("a frame")).collect();
        assert_eq!(pool.frame(&udp(50)).err(), Some(Refused::Exhausted));
        assert!(frames[0].corrupted().is_none());
        frames.pop();
        assert!(pool.frame(&udp(50)).is_ok());
    }

    #[test]
    fn what_is_no_packet_is_refused() {
        let pool = Pool::new(1_000, Network::Ipv4);
        assert_eq!(pool.frame(&[0; 60]).err(), Some(Refused::Foreign));
        assert_eq!(pool.frame(&[0; CAPACITY + 1]).err(), Some(Refused::TooLong));
        assert_eq!(free(&pool), 0);
    }

    #[test]
    fn a_corrupted_copy_differs_in_one_bit_and_leaves_the_original() {
        let pool = Pool::new(1_000, Network::Ipv4);
        let frame = pool.frame(&udp(100)).expect("a frame");
        let wrong = frame.corrupted().expect("a buffer");
        assert_eq!(frame.octets(), udp(100));
        let differing: u32 = frame
            .octets()
            .iter()
            .zip(wrong.octets())
            .map(|(one, other)| (one ^ other).count_ones())
            .sum();
        assert_eq!(differing, 1);
        assert_ne!(frame.octets().last(), wrong.octets().last());
    }

    #[test]
    fn a_new_heading_leaves_copies_as_they_were() {
        let pool = Pool::new(1_000, Network::Ipv4);
        let frame = pool.frame(&udp(100)).expect("a frame");
        let copy = frame.clone();
        let headed = frame.headed([9; 12]).expect("a buffer");
        assert_eq!(copy.octets(), udp(100));
        assert_eq!((&headed.octets()[..12], headed.packet()), (&[9; 12][..], copy.packet()));
        let again = headed.headed([7; 12]).expect("its own buffer");
        assert_eq!(again.octets()[..12], [7; 12]);
        assert_eq!(free(&pool), HANDFUL - 2, "the second needed none");
    }

    #[test]
    fn a_mark_leaves_copies_as_they_were() {
        let mut octets = udp(100);
        octets[15] = Ecn::Ect0.bits();
        let pool = Pool::new(1_000, Network::Ipv4);
        let mut frame = pool.frame(&octets).expect("a frame");
        let copy = frame.clone();
        frame.mark();
        assert_eq!((frame.ecn(), copy.ecn()), (Ecn::Ce, Ecn::Ect0));
        assert_eq!(copy.octets(), octets);
        assert_eq!(frame.size(), copy.size());
    }

    #[test]
    fn without_payload_the_checksum_itself_is_wrong() {
        let mut octets = udp(40);
        octets[23] = 6;
        octets[14 + 20 + 12] = 0x50;
        let pool = Pool::new(1_000, Network::Ipv4);
        let wrong = pool.frame(&octets).expect("a frame").corrupted().expect("a buffer");
        octets[14 + 20 + 17] ^= 1;
        assert_eq!(wrong.octets(), octets);
    }

    #[test]
    fn a_pool_has_frames_of_its_own_network() {
        let mut octets = vec![0; parse::ETHERNET_LEN + 40 + 20];
        octets[12..14].copy_from_slice(&[0x86, 0xDD]);
        octets[14] = 0x60;
        octets[19] = 20;
        octets[20] = 6;
        octets[14 + 40 + 12] = 0x50;
        let (ipv4, ipv6) = (Pool::new(1_000, Network::Ipv4), Pool::new(1_000, Network::Ipv6));
        assert_eq!(ipv4.frame(&octets).err(), Some(Refused::Foreign));
        assert_eq!(ipv6.frame(&udp(100)).err(), Some(Refused::Foreign));
        assert!(ipv6.frame_of(Network::Ipv4, &udp(100)).is_ok());
        let frame = ipv6.frame(&octets).expect("a frame");
        assert_eq!(frame.size(), Bytes::new(60));
        // Without payload the checksum itself is wrong, as over IPv4.
        let wrong = frame.corrupted().expect("a buffer");
        octets[14 + 40 + 17] ^= 1;
        assert_eq!(wrong.octets(), octets);
    }
}
