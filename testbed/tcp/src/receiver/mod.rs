//! The receiving half of an endpoint: reassembly, the window it offers, and what it reports back.

mod acknowledge;
mod echo;
mod linux;
mod marks;
mod nonce;
mod right_sizing;
mod sack;
mod window;

use windlull_units::{Ecn, Time};
use windlull_wire::{Flags, MAX_SACK_BLOCKS, SackBlock, SackBlocks, Segment, SeqNumber};

use crate::accurate::Counted;
use crate::ranges::{Range, RangeSet};
use crate::registry::CongestionControl;
use crate::serial::signed;
use crate::variant::{DelayedAck, Variant};

pub(crate) use acknowledge::Owed;
use acknowledge::{FullSize, InOrder};
pub(crate) use echo::{Echo, Span64};
use linux::LinuxAcks;
use marks::{EchoRule, Marks};
use nonce::NonceSum;
use right_sizing::RightSizing;
use sack::SackReport;
use window::OfferedWindow;
pub(crate) use window::shift_for;

/// The payload that a segment brought and the receiver kept, in offsets of the peer's stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// Offset of the first octet kept.
    pub offset: u64,
    /// Octets kept; zero if the segment brought none. Some may have been there before.
    pub len: u64,
    /// Octets of the segment's payload before the first one kept.
    pub skipped: u64,
}

/// The end of the peer's stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Open,
    /// FIN arrived ahead of data; it takes this offset.
    Seen(u64),
    /// All data and FIN, which took this offset, are in.
    Reached(u64),
}

/// The receiving half.
#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    /// The sequence number of offset 0.
    origin: SeqNumber,
    /// `RCV.NXT`: the next octet (or FIN) expected.
    next: u64,
    /// Octets the application has taken.
    read: u64,
    window: OfferedWindow,
    /// `None` if the window never grows.
    sizing: Option<RightSizing>,
    held: RangeSet,
    end: End,
    owed: Owed,
    policy: DelayedAck,
    /// `None` unless it acknowledges as Linux does.
    linux: Option<LinuxAcks>,
    full: FullSize,
    sack: Option<SackReport>,
    dsack: bool,
    echo: Option<Echo>,
    /// `None` without explicit congestion notification.
    marks: Option<Marks>,
    echo_rule: EchoRule,
    /// What is to be acknowledged before all else: it arrived before the codepoint changed.
    earlier: Option<Earlier>,
    /// `None` unless accurate ECN is spoken.
    counted: Option<Counted>,
    /// `None` unless nonces are reported.
    nonces: Option<NonceSum>,
    /// The last acknowledgement sent (RFC 7323's `Last.ACK.sent`).
    last_ack: u64,
}

/// An acknowledgement of what had arrived at some time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Earlier {
    pub(crate) ack: SeqNumber,
    pub(crate) window: u16,
    pub(crate) flags: Flags,
}

impl Receiver {
    pub(crate) fn new(variant: &Variant) -> Self {
        Self {
            origin: SeqNumber(0),
            next: 0,
            read: 0,
            window: OfferedWindow::new(variant.receive_window.get()),
            sizing: variant
                .largest_receive_window
                .map(|largest| RightSizing::new(largest.get())),
            held: RangeSet::default(),
            end: End::Open,
            owed: Owed::Nothing,
            policy: variant.delayed_ack,
            linux: (variant.delayed_ack == DelayedAck::Linux).then(LinuxAcks::new),
            full: FullSize::new(u64::from(variant.mss)),
            sack: None,
            dsack: variant.dsack,
            echo: None,
            marks: None,
            echo_rule: if variant.congestion == CongestionControl::Dctcp {
                EchoRule::Each
            } else {
                EchoRule::UntilAnswered
            },
            earlier: None,
            counted: None,
            nonces: None,
            last_ack: 0,
        }
    }

    /// The peer's SYN gives the origin of its sequence space.
    pub(crate) const fn on_syn(&mut self, isn: SeqNumber) {
        self.origin = isn.add(1);
    }

    /// The handshake has settled the options.
    pub(crate) fn establish(&mut self, now: Time, sack: bool, shift: u8, segment: u64, echo: Option<Echo>) {
        self.sack = sack.then(SackReport::default);
        self.window.establish(shift, segment);
        if let Some(sizing) = &mut self.sizing {
            sizing.establish(now, segment, self.window.capacity());
        }
        self.full = FullSize::new(segment);
        self.echo = echo;
    }

    /// Both ends speak explicit congestion notification, and perhaps this one reports nonces.
    pub(crate) fn expect_marks(&mut self, nonces: bool) {
        self.marks = Some(Marks::default());
        self.nonces = nonces.then(NonceSum::new);
    }

    /// Both ends speak accurate ECN, and the peer's SYN-ACK, if this end answers one, had this codepoint.
    pub(crate) fn expect_counts(&mut self, answered: Option<Ecn>) {
        self.counted = Some(Counted::new(answered));
    }

    /// A packet of the connection arrived, whatever it carries.
    #[inline]
    pub(crate) fn on_codepoint(&mut self, segment: &Segment) {
        if let Some(counted) = &mut self.counted {
            if counted.on_arrival(segment.ecn, segment.payload_len > 0) {
                self.owed.at_once();
            }
        }
    }

    /// Data arrived inside the window; its codepoint and flags may speak of congestion. Tells whether it is to be acknowledged at
    /// once for that.
    #[inline]
    pub(crate) fn on_marks(&mut self, segment: &Segment) -> bool {
        match (&mut self.marks, self.echo_rule) {
            (None, _) => false,
            (Some(marks), EchoRule::UntilAnswered) => {
                marks.on_data(segment);
                false
            }
            (Some(_), EchoRule::Each) => self.on_each_mark(segment),
        }
    }

    fn on_each_mark(&mut self, segment: &Segment) -> bool {
        let flags = self.mark_flags(true);
        let changed = self.marks.as_mut().is_some_and(|marks| marks.on_data_of_each(segment));
        if changed && self.owed != Owed::Nothing {
            self.earlier = Some(Earlier {
                ack: self.ack_number(),
                window: self.window_field(false),
                flags,
            });
            self.on_acknowledged();
        }
        changed
    }

    /// An acknowledgement that goes out before all else, if there is one.
    pub(crate) fn take_earlier(&mut self) -> Option<Earlier> {
        self.earlier.take()
    }

    /// What arrived last is acknowledged at once, without data.
    pub(crate) const fn owe_bare(&mut self) {
        self.owed = Owed::Bare;
    }

    /// The flags by which an acknowledgement tells of marks, one without payload if it is `bare`.
    pub(crate) fn mark_flags(&mut self, bare: bool) -> Flags {
        if let Some(counted) = &mut self.counted {
            return counted.flags(bare);
        }
        let echo = match self.marks {
            Some(Marks::Echoing) => Flags::ECE,
            Some(Marks::Silent) | None => Flags::default(),
        };
        if self.nonces.as_ref().is_some_and(NonceSum::is_odd) {
            echo.with(Flags::NS)
        } else {
            echo
        }
    }

    pub(crate) const fn owed(&self) -> Owed {
        self.owed
    }

    pub(crate) const fn owed_mut(&mut self) -> &mut Owed {
        &mut self.owed
    }

    pub(crate) const fn echo_mut(&mut self) -> Option<&mut Echo> {
        self.echo.as_mut()
    }

    /// The timestamp to echo.
    pub(crate) fn recent_stamp(&self) -> Option<u32> {
        self.echo.as_ref().map(Echo::recent)
    }

    /// Whether the peer's stream has ended.
    pub(crate) const fn has_ended(&self) -> bool {
        matches!(self.end, End::Reached(_))
    }

    /// The acknowledgement number to send.
    pub(crate) const fn ack_number(&self) -> SeqNumber {
        self.number(self.next)
    }

    /// Where a segment that starts with `number` and takes `len` lies; offsets may be negative.
    pub(crate) fn place(&self, number: SeqNumber, len: u32) -> Span64 {
        let start = signed(self.next) + i64::from(number.offset_from(self.number(self.next)));
        Span64 {
            start,
            end: start + i64::from(len),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low 32 bits are meant")]
    const fn number(&self, offset: u64) -> SeqNumber {
        self.origin.add(offset as u32)
    }

    /// RFC 9293, section 3.10.7.4, first check. A segment without data may start at the window's right edge: a sender that
    /// has filled the window still acknowledges.
    pub(crate) const fn is_acceptable(&self, at: Span64) -> bool {
        let (next, edge) = (signed(self.next), signed(self.window.edge()));
        if at.start == at.end {
            next <= at.start && at.start <= edge
        } else {
            at.start < edge && next < at.end
        }
    }

    /// The cached timestamp may change with every segment that passed PAWS.
    #[inline]
    pub(crate) fn on_stamp(&mut self, now: Time, value: u32, at: Span64) {
        let (last_ack, next) = (signed(self.last_ack), signed(self.next));
        if let Some(echo) = &mut self.echo {
            echo.on_segment(now, value, at, last_ack, next);
        }
    }

    /// A segment below the window: it is acknowledged at once, and reported if D-SACK is on.
    pub(crate) fn on_duplicate(&mut self, at: Span64) {
        if let (Ok(left), Ok(right)) = (u64::try_from(at.start), u64::try_from(at.end)) {
            if left < right && right <= self.next {
                self.report_duplicate(Range::new(left, right));
            }
        }
        self.owe_for_duplicate();
    }

    /// What arrived had been there: an acknowledgement at once.
    fn owe_for_duplicate(&mut self) {
        self.owed = Owed::Bare;
        if let Some(acks) = &mut self.linux {
            acks.on_duplicate(self.full.octets(), self.window.capacity());
        }
    }

    fn report_duplicate(&mut self, range: Range) {
        if let Some(sack) = self.sack.as_mut().filter(|_| self.dsack) {
            sack.on_duplicate(range);
        }
    }

    /// How Linux delays acknowledgements, where this receiver does as Linux.
    pub(crate) const fn linux_mut(&mut self) -> Option<&mut LinuxAcks> {
        self.linux.as_mut()
    }

    /// Whether the window grows with what a round trip brings.
    pub(crate) const fn sizing_mut(&mut self) -> Option<&mut RightSizing> {
        self.sizing.as_mut()
    }

    /// An acceptable segment's payload, placed at `at` (payload alone).
    #[inline]
    pub(crate) fn on_payload(&mut self, now: Time, at: Span64, segment: &Segment) -> Received {
        let fin = segment.flags.has(Flags::FIN);
        let Ok(end) = u64::try_from(at.end) else {
            return Received::default();
        };
        let start = u64::try_from(at.start).unwrap_or(0);
        let kept = Range::new(start.max(self.next), end.min(self.window.edge()));
        let skipped = signed(kept.left).abs_diff(at.start);
        if fin && end <= self.window.edge() && self.end == End::Open {
            self.end = End::Seen(end);
        }
        if start < self.next && start < end {
            self.report_duplicate(Range::new(start, end.min(self.next)));
        }
        if !kept.is_empty() {
            if let Some(nonces) = self.nonces.as_mut().filter(|_| self.held.covered(kept) < kept.len()) {
                nonces.on_kept(kept, segment.ecn);
            }
            self.keep(now, kept, segment);
            if let Some(sizing) = &mut self.sizing {
                sizing.on_data(now, self.next, self.window.edge());
            }
            if let Some(nonces) = &mut self.nonces {
                nonces.on_advance(self.next);
            }
        }
        if self.end == End::Seen(self.next) {
            self.end = End::Reached(self.next);
            self.next += 1;
            self.owed.at_once();
        } else if kept.is_empty() {
            // Nothing of it was new: the peer must have missed an acknowledgement.
            self.owe_for_duplicate();
        }
        Received {
            offset: kept.left,
            len: kept.len(),
            skipped: if kept.is_empty() { 0 } else { skipped },
        }
    }

    #[inline]
    fn keep(&mut self, now: Time, kept: Range, segment: &Segment) {
        if kept.left > self.next {
            self.hold(kept);
            return;
        }
        self.next = kept.right;
        if self.held.is_empty() {
            let beside = sack_octets(segment.options.sack.as_slice().len());
            self.full.on_segment(u64::from(segment.payload_len) + beside);
            let (full, window) = (self.full.octets(), self.window.capacity());
            let data = InOrder {
                octets: kept.len() + beside,
                full: self.full,
                unacknowledged: self.next - self.last_ack,
                window,
                pushed: segment.flags.has(Flags::PSH),
                linux: self.linux.as_mut().map(|acks| acks.on_data(now, full, window)),
            };
            self.owed.on_in_order(now, self.policy, &data);
        } else {
            self.close_gap(kept);
        }
    }

    /// Out of order: an immediate duplicate acknowledgement (RFC 5681, section 4.2).
    fn hold(&mut self, kept: Range) {
        if self.dsack {
            // RFC 2883, section 4: one contiguous duplicate a segment.
            let again = self.held.above(kept.left).next().map(|held| held.intersection(kept));
            if let Some(again) = again.filter(|range| !range.is_empty()) {
                self.report_duplicate(again);
            }
        }
        let inserted = self.held.insert(kept);
        if let Some(sack) = &mut self.sack {
            sack.on_held(inserted.merged);
        }
        self.owed = Owed::Bare;
    }

    /// In order with data held: all that is in order now leaves the holding; acknowledged at once (RFC 5681, section 4.2).
    fn close_gap(&mut self, kept: Range) {
        let again = self.held.first().map(|held| held.intersection(kept));
        if let Some(again) = again.filter(|range| !range.is_empty()) {
            self.report_duplicate(again);
        }
        while let Some(first) = self.held.first().filter(|first| first.left <= self.next) {
            self.held.pop_first();
            self.next = self.next.max(first.right);
        }
        if let Some(sack) = &mut self.sack {
            sack.on_advance(self.next);
        }
        self.owed.at_once();
    }

    /// Octets that the application can take.
    pub(crate) const fn readable(&self) -> u64 {
        let data = match self.end {
            End::Reached(offset) => offset,
            End::Open | End::Seen(_) => self.next,
        };
        data - self.read
    }

    /// The application takes up to `octets`; returns how many. A window that opens far enough is told at once.
    #[inline]
    pub(crate) fn read(&mut self, now: Time, octets: u64) -> u64 {
        let taken = octets.min(self.readable());
        self.read += taken;
        if let Some(capacity) = self.sizing.as_mut().and_then(|sizing| sizing.on_read(now, self.read)) {
            self.window.grow(capacity);
        }
        if taken > 0 && !self.has_ended() && self.window.opens(self.next, self.read) {
            self.owed.at_once();
        }
        taken
    }

    /// Octets that SACK blocks would take of a segment's options now.
    #[inline]
    pub(crate) fn sack_len(&self, timestamps: bool) -> u64 {
        sack_octets(self.sack_blocks(timestamps))
    }

    #[inline]
    fn sack_blocks(&self, timestamps: bool) -> usize {
        let Some(sack) = &self.sack else { return 0 };
        (sack.blocks().len() + usize::from(sack.duplicate().is_some())).min(most_blocks(timestamps))
    }

    /// Puts into `blocks`, which is empty, the SACK option of the segment that goes out now.
    #[inline]
    pub(crate) fn take_sack(&mut self, timestamps: bool, blocks: &mut SackBlocks) {
        let count = self.sack_blocks(timestamps);
        if count > 0 {
            self.take_blocks(count, blocks);
        }
    }

    fn take_blocks(&mut self, count: usize, blocks: &mut SackBlocks) {
        let duplicate = self.sack.as_mut().and_then(SackReport::take_duplicate);
        let containing = duplicate.and_then(|duplicate| self.containing(duplicate));
        let reported = self.sack.iter().flat_map(|sack| sack.blocks().iter().copied());
        // RFC 2883, section 4: the block that contains the duplicate, if any, stands second.
        let rest = reported.filter(|range| Some(*range) != containing);
        for range in duplicate.into_iter().chain(containing).chain(rest).take(count) {
            blocks.push(SackBlock {
                left: self.number(range.left),
                right: self.number(range.right),
            });
        }
    }

    fn containing(&self, range: Range) -> Option<Range> {
        self.held.above(range.left).next().filter(|held| held.covers(range))
    }

    /// The window field of a segment that goes out now, not scaled on SYN.
    #[inline]
    pub(crate) fn window_field(&mut self, syn: bool) -> u16 {
        self.window.field(self.next, self.read, syn)
    }

    /// A segment with an acknowledgement went out.
    #[inline]
    pub(crate) fn on_acknowledged(&mut self) {
        if let Some(acks) = self.linux.as_mut().filter(|_| self.owed != Owed::Nothing) {
            acks.on_acknowledged();
        }
        self.owed = Owed::Nothing;
        self.last_ack = self.next;
    }

    /// The delayed acknowledgement's timer.
    pub(crate) fn on_timer(&mut self, now: Time) {
        if self.owed.due().is_some_and(|due| due <= now) {
            self.owed = Owed::Now;
        }
    }
}

/// RFC 2018, section 3: what a SACK option with so many blocks takes of a segment, padding included.
const fn sack_octets(blocks: usize) -> u64 {
    match blocks {
        0 => 0,
        blocks => 4 + 8 * blocks as u64,
    }
}

/// RFC 2018, section 3: four blocks, three beside timestamps.
const fn most_blocks(timestamps: bool) -> usize {
    if timestamps {
        MAX_SACK_BLOCKS - 1
    } else {
        MAX_SACK_BLOCKS
    }
}
