//! The one stream of events of a run.

use windlull_transport::Said;
use windlull_units::{Fate, Host, LinkEvent, PacketId, Replayed, Span, Time, UnmetCondition};
use windlull_wire::{Segment, SenderEvent, TransmitCause};

/// Receives all that happens to one connection of a run, in order of time (ties in order of happening).
///
/// For one packet the order is: `sent`, then its `fate` when that is final (when it is delivered or dropped),
/// then `arrived` if it was delivered intact. A duplicate that the link made has no `sent`.
pub trait Observer {
    /// The frame of the packet that the very next call tells of (`sent`, `arrived`, or the `fate` of a corrupted one), as
    /// it was captured, and its length on the wire. Whoever simulates has none: octets then follow from the segment.
    fn octets(&mut self, frame: &[u8], original_len: u32) {
        let _ = (frame, original_len);
    }
    /// `host` handed this segment to the link.
    fn sent(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment, cause: Option<TransmitCause>);
    /// `host` received this segment, intact.
    fn arrived(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment);
    /// `host` handed a packet of any connection and protocol to the link: [`Observer::octets`] has told what it is. A run is
    /// told either of segments or of packets.
    fn packet_sent(&mut self, now: Time, host: Host, id: PacketId) {
        let _ = (now, host, id);
    }
    /// `host` received that packet, intact.
    fn packet_arrived(&mut self, now: Time, host: Host, id: PacketId) {
        let _ = (now, host, id);
    }
    /// Whether [`Observer::octets`] is of use for packets that are simulated.
    fn wants_octets(&self) -> bool {
        false
    }
    /// Whether it keeps all that a transport from elsewhere says of itself.
    fn wants_all_said(&self) -> bool {
        false
    }
    /// A transport from elsewhere at `host` said something of itself; which packets it sent, before
    /// [`Observer::packet_sent`] tells of the datagram that holds them.
    fn said(&mut self, now: Time, host: Host, said: &Said) {
        let _ = (now, host, said);
    }
    /// A line of a TLS key log, before any packet that is encrypted by it.
    fn secret(&mut self, line: &str) {
        let _ = line;
    }
    /// For `host` the connection of a transport from elsewhere is over, by this error or in order.
    fn closed(&mut self, now: Time, host: Host, error: Option<&str>) {
        let _ = (now, host, error);
    }
    /// The link is done with a packet.
    fn fate(&mut self, fate: &Fate);
    /// The link's own state changed.
    fn link(&mut self, now: Time, event: &LinkEvent);
    /// The data sender at `host` said something of itself.
    fn sender(&mut self, now: Time, host: Host, event: &SenderEvent);
    /// The application's request was answered to the last octet, so long after it was made. Only who knows the application
    /// tells.
    fn task(&mut self, now: Time, took: Span) {
        let _ = (now, took);
    }
    /// The connection is over because it was to last so long: nothing more is told of it.
    fn time_is_up(&mut self, now: Time) {
        let _ = now;
    }
    /// The run is over, and its link has replayed a recording: how far what came to it was what had been recorded.
    fn replayed(&mut self, replayed: &Replayed) {
        let _ = replayed;
    }
    /// The run is over, and its link's script had entries that wait for the transport: which of them never began.
    fn unmet(&mut self, unmet: &[UnmetCondition]) {
        let _ = unmet;
    }
    /// Whether it cannot go on, as what it writes cannot be written: the driver ends the run soon.
    fn has_failed(&self) -> bool {
        false
    }
}

/// Tells two observers the same story, the first one first.
#[derive(Debug)]
pub struct Tee<'a, A, B>(pub &'a mut A, pub &'a mut B);

impl<A: Observer, B: Observer> Observer for Tee<'_, A, B> {
    fn octets(&mut self, frame: &[u8], original_len: u32) {
        self.0.octets(frame, original_len);
        self.1.octets(frame, original_len);
    }

    fn sent(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment, cause: Option<TransmitCause>) {
        self.0.sent(now, host, id, segment, cause);
        self.1.sent(now, host, id, segment, cause);
    }

    fn arrived(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment) {
        self.0.arrived(now, host, id, segment);
        self.1.arrived(now, host, id, segment);
    }

    fn packet_sent(&mut self, now: Time, host: Host, id: PacketId) {
        self.0.packet_sent(now, host, id);
        self.1.packet_sent(now, host, id);
    }

    fn packet_arrived(&mut self, now: Time, host: Host, id: PacketId) {
        self.0.packet_arrived(now, host, id);
        self.1.packet_arrived(now, host, id);
    }

    fn wants_octets(&self) -> bool {
        self.0.wants_octets() || self.1.wants_octets()
    }

    fn wants_all_said(&self) -> bool {
        self.0.wants_all_said() || self.1.wants_all_said()
    }

    fn said(&mut self, now: Time, host: Host, said: &Said) {
        self.0.said(now, host, said);
        self.1.said(now, host, said);
    }

    fn secret(&mut self, line: &str) {
        self.0.secret(line);
        self.1.secret(line);
    }

    fn closed(&mut self, now: Time, host: Host, error: Option<&str>) {
        self.0.closed(now, host, error);
        self.1.closed(now, host, error);
    }

    fn fate(&mut self, fate: &Fate) {
        self.0.fate(fate);
        self.1.fate(fate);
    }

    fn link(&mut self, now: Time, event: &LinkEvent) {
        self.0.link(now, event);
        self.1.link(now, event);
    }

    fn sender(&mut self, now: Time, host: Host, event: &SenderEvent) {
        self.0.sender(now, host, event);
        self.1.sender(now, host, event);
    }

    fn task(&mut self, now: Time, took: Span) {
        self.0.task(now, took);
        self.1.task(now, took);
    }

    fn time_is_up(&mut self, now: Time) {
        self.0.time_is_up(now);
        self.1.time_is_up(now);
    }

    fn replayed(&mut self, replayed: &Replayed) {
        self.0.replayed(replayed);
        self.1.replayed(replayed);
    }

    fn unmet(&mut self, unmet: &[UnmetCondition]) {
        self.0.unmet(unmet);
        self.1.unmet(unmet);
    }

    fn has_failed(&self) -> bool {
        self.0.has_failed() || self.1.has_failed()
    }
}
