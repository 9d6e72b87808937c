//! Watches a transfer for resets and for silence that no timer explains.

use windlull_capture::Observer;
use windlull_units::{Fate, Host, LinkEvent, PacketId, Span, Time};
use windlull_wire::{Flags, Segment, SenderEvent, SeqNumber, TransmitCause};

use crate::case::Case;

/// What a wait may be longer than the timeout that the sender tells: it is told up to 5 ms late, and machines stall.
const SLACK: Span = Span::from_secs(1);
/// The first timeout and two back-offs of a sender that has not told any yet (RFC 6298, section 2.1).
const BEFORE_ANY: Span = Span::from_secs(4);
/// A kernel's probes of a shut window back off without telling.
const PROBES: Span = Span::from_secs(4);

pub(crate) struct Watch {
    sender: Host,
    size: u64,
    allowance: Span,
    isn: Option<SeqNumber>,
    timeout: Option<Span>,
    last: Option<Time>,
    longest: Option<(Span, Span, Time)>,
    resets: u64,
    ends: [End; 2],
    done: bool,
    show: bool,
}

/// What a host has seen of the connection's end.
#[derive(Clone, Copy, Default)]
struct End {
    /// The number after its FIN, once that was sent.
    fin: Option<SeqNumber>,
    fin_acknowledged: bool,
    peer_closed: bool,
}

impl End {
    /// Whether its connection is over: a stray packet is then answered with a reset, as RFC 9293, section 3.10.7.1 wants
    /// it, and nobody loses by it.
    const fn is_over(self) -> bool {
        self.fin_acknowledged && self.peer_closed
    }
}

impl Watch {
    /// Of a transfer; `show` prints all that passes.
    pub(crate) fn new(case: &Case, show: bool) -> Self {
        Self {
            sender: case.transfer.data_sender,
            size: case.transfer.size.get(),
            allowance: case.pause.map_or(Span::ZERO, |pause| pause.lasts + PROBES),
            isn: None,
            timeout: None,
            last: None,
            longest: None,
            resets: 0,
            ends: [End::default(); 2],
            done: false,
            show,
        }
    }

    /// What was wrong.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        if self.resets > 0 {
            complaints.push(format!("{} resets", self.resets));
        }
        if let Some((silence, allowed, at)) = self.longest {
            complaints.push(format!("silent for {silence} until {at}, where {allowed} are allowed"));
        }
        complaints
    }

    fn print(&self, now: Time, what: &str, host: Host, id: PacketId, segment: &Segment) {
        if self.show {
            let Segment {
                seq,
                ack,
                flags,
                payload_len,
                window,
                ..
            } = segment;
            let seconds = now.as_secs_f64();
            println!(
                "{seconds:.6} {host:?} {what} {}: {seq}+{payload_len} ack {ack} win {window} {:#05x}",
                id.0, flags.0
            );
        }
    }

    /// Something passed the sender.
    fn pass(&mut self, now: Time) {
        let silence = now.since(self.last.unwrap_or(now));
        let allowed = self.timeout.unwrap_or(BEFORE_ANY) + SLACK + self.allowance;
        if !self.done && silence > allowed && self.longest.is_none_or(|(longest, ..)| silence > longest) {
            self.longest = Some((silence, allowed, now));
        }
        self.last = Some(now);
    }
}

impl Observer for Watch {
    fn sent(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment, _: Option<TransmitCause>) {
        self.print(now, "sent", host, id, segment);
        let end = &mut self.ends[host as usize];
        self.resets += u64::from(segment.flags.has(Flags::RST) && !end.is_over());
        if segment.flags.has(Flags::FIN) {
            end.fin = Some(segment.end());
        }
        if host == self.sender {
            if segment.flags.has(Flags::SYN) {
                self.isn = Some(segment.seq);
            }
            self.pass(now);
        }
    }

    fn arrived(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment) {
        self.print(now, "got ", host, id, segment);
        let end = &mut self.ends[host as usize];
        end.peer_closed |= segment.flags.has(Flags::FIN);
        end.fin_acknowledged |= end.fin == Some(segment.ack);
        if host == self.sender {
            self.pass(now);
            // SYN and FIN take a number each.
            #[expect(clippy::cast_possible_truncation, reason = "ten million at most")]
            let end = self.isn.map(|isn| isn.add(self.size as u32).add(2));
            self.done |= end == Some(segment.ack);
        }
    }

    fn fate(&mut self, _: &Fate) {}

    fn link(&mut self, _: Time, _: &LinkEvent) {}

    fn sender(&mut self, _: Time, _: Host, event: &SenderEvent) {
        if let SenderEvent::State(state) = event {
            self.timeout = Some(state.rto);
        }
    }
}
