//! What the link must know of a packet, and whom it tells what happened.

use windlull_units::{Bytes, Direction, Ecn, Fate, LinkEvent, PacketId, Time};

/// A packet as the link sees it. [`Datagram`](crate::Datagram) is one that is ready.
///
/// The link clones a packet when it duplicates it, and marks it when a queue does; it changes nothing else of it.
pub trait Packet: Clone {
    /// Octets of the IP packet: what queues count and what, with the framing, is serialised.
    fn size(&self) -> Bytes;

    /// What selectors look at; `None` if this is no TCP packet. Asked only where a script chooses packets, or waits for
    /// what they carry.
    fn tcp(&self) -> Option<TcpView>;

    /// A number that is the same for all packets of a flow in one direction, and likely another for those of another
    /// flow. Asked only where flows are told apart: by queues, and by scripts that wait for what packets carry.
    fn flow(&self) -> u64;

    /// What it acknowledges, if it does nothing else. Asked only where acknowledgements are thinned out; without an answer
    /// of its own a packet is none.
    fn pure_ack(&self) -> Option<PureAck> {
        None
    }

    /// Its codepoint of explicit congestion notification: whether a queue may mark it.
    fn ecn(&self) -> Ecn;

    /// A queue marks it: its codepoint becomes [`Ecn::Ce`]. Asked only of packets that are capable.
    fn mark(&mut self);
}

/// What selectors must know of a TCP segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpView {
    /// Sequence number, as on the wire.
    pub seq: u32,
    /// Octets of payload.
    pub payload_len: u32,
    /// Whether SYN is set.
    pub syn: bool,
}

/// A TCP segment that acknowledges and does nothing else: ACK is its only control bit but for those that echo congestion, it
/// has no payload, and no option but timestamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PureAck {
    /// The acknowledgement number, as on the wire.
    pub number: u32,
    /// The bits that echo congestion, as they stand in octets 12 and 13 of the header: ECE and CWR (RFC 3168, section 6.1),
    /// and AE before them (RFC 9768, section 3.1).
    pub echoes: u16,
}

impl PureAck {
    /// The bit ACK in octets 12 and 13 of a TCP header.
    const ACK: u16 = 0x010;
    /// AE, CWR and ECE there.
    const ECHOES: u16 = 0x1C0;
    /// All control bits there.
    const BITS: u16 = 0x1FF;

    /// What a segment without payload, and without options but timestamps, acknowledges by these control bits, if nothing else
    /// is in them.
    pub const fn of(bits: u16, number: u32) -> Option<Self> {
        let echoes = bits & Self::ECHOES;
        if bits & Self::BITS & !echoes == Self::ACK {
            Some(Self { number, echoes })
        } else {
            None
        }
    }
}

/// What passes a link without traffic: nothing ever does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPacket {}

impl Packet for NoPacket {
    fn size(&self) -> Bytes {
        match *self {}
    }

    fn tcp(&self) -> Option<TcpView> {
        match *self {}
    }

    fn flow(&self) -> u64 {
        match *self {}
    }

    fn ecn(&self) -> Ecn {
        match *self {}
    }

    fn mark(&mut self) {
        match *self {}
    }
}

/// A packet that the link hands to the far end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery<P> {
    /// The instant at which it arrives, also if it is collected later.
    pub at: Time,
    /// The way it went.
    pub direction: Direction,
    /// Its number; a duplicate has one of its own.
    pub id: PacketId,
    /// As it was sent, but for a mark that a queue gave it; a copy of it is a clone.
    pub packet: P,
    /// Whether the link flipped bits in it: the far end must drop it as it would after a wrong checksum.
    pub corrupted: bool,
}

/// Is told what the link does, in order of time.
pub trait LinkObserver {
    /// A packet's story has ended. Each packet has exactly one fate.
    fn fate(&mut self, fate: &Fate);

    /// The link's own state changed.
    fn link(&mut self, now: Time, event: &LinkEvent);
}

/// Does not look.
impl LinkObserver for () {
    fn fate(&mut self, _: &Fate) {}
    fn link(&mut self, _: Time, _: &LinkEvent) {}
}

/// Keeps all fates, for tests and small tools.
impl LinkObserver for Vec<Fate> {
    fn fate(&mut self, fate: &Fate) {
        self.push(*fate);
    }

    fn link(&mut self, _: Time, _: &LinkEvent) {}
}
