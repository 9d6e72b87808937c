//! What RFC 8985, section 5.2 keeps of each segment sent and not acknowledged, in the order of the stream.

use std::collections::VecDeque;

use windlull_units::Time;

use crate::ranges::Range;
use crate::recovery::Transmission;

/// What became of a segment, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Neither is known: it is on its way.
    Outstanding,
    /// `Segment.lost`, and not sent again since.
    Lost,
    /// It arrived out of order.
    Selected,
}

/// One transmission, or what is left of it once another one overlaps it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// What it takes of the stream; the right end is `Segment.end_seq`.
    pub(super) octets: Range,
    /// `Segment.xmit_ts`: when it was last sent.
    pub(super) sent: Time,
    /// `Segment.retransmitted`.
    pub(super) repeated: bool,
    pub(super) standing: Standing,
}

/// All of them, and running counts, so that no decision to send walks over the window.
#[derive(Clone, Debug)]
pub(super) struct Log {
    segments: VecDeque<Segment>,
    /// Octets outstanding.
    pipe: u64,
    /// Octets lost and not sent again.
    lost: u64,
    /// `RACK.segs_sacked`.
    selected_segments: usize,
    /// Segments that were sent again.
    repeated_segments: usize,
}

impl Log {
    pub(super) const fn new() -> Self {
        Self {
            segments: VecDeque::new(),
            pipe: 0,
            lost: 0,
            selected_segments: 0,
            repeated_segments: 0,
        }
    }

    pub(super) const fn pipe(&self) -> u64 {
        self.pipe
    }

    pub(super) const fn lost(&self) -> u64 {
        self.lost
    }

    pub(super) const fn selected_segments(&self) -> usize {
        self.selected_segments
    }

    /// Segments not acknowledged.
    pub(super) fn len(&self) -> usize {
        self.segments.len()
    }

    /// The segment sent last of the stream.
    pub(super) fn tail(&self) -> Option<Range> {
        self.segments.back().map(|segment| segment.octets)
    }

    /// When the first segment not acknowledged was sent last.
    pub(super) fn first_sent(&self) -> Option<Time> {
        self.segments.front().map(|segment| segment.sent)
    }

    /// Whether a segment that was sent again counts as on its way.
    pub(super) fn has_resent_outstanding(&self) -> bool {
        let outstanding = |segment: &Segment| segment.repeated && segment.standing == Standing::Outstanding;
        self.repeated_segments > 0 && self.segments.iter().any(outstanding)
    }

    /// The first octets that are lost and were not sent again.
    pub(super) fn first_lost(&self) -> Option<Range> {
        if self.lost == 0 {
            return None;
        }
        let is_lost = |segment: &&Segment| segment.standing == Standing::Lost;
        let mut from_first = self.segments.iter().skip_while(|segment| !is_lost(segment));
        let first = from_first.next()?.octets;
        let last = from_first.take_while(is_lost).last().map_or(first, |last| last.octets);
        Some(Range::new(first.left, last.right))
    }

    /// Tells the octets of each segment that is lost and was not sent again.
    pub(super) fn each_lost(&self, tell: &mut dyn FnMut(Range)) {
        if self.lost > 0 {
            for segment in self
                .segments
                .iter()
                .filter(|segment| segment.standing == Standing::Lost)
            {
                tell(segment.octets);
            }
        }
    }

    /// Section 6.1: a segment is sent, hence not lost.
    pub(super) fn record(&mut self, sent: &Transmission) {
        if !sent.again {
            let segment = Segment {
                octets: sent.octets,
                sent: sent.now,
                repeated: false,
                standing: Standing::Outstanding,
            };
            self.count(&segment);
            self.segments.push_back(segment);
            return;
        }
        for at in self.inside(sent.octets) {
            if self.segments[at].standing != Standing::Selected {
                self.change(at, |segment| {
                    segment.sent = sent.now;
                    segment.repeated = true;
                    segment.standing = Standing::Outstanding;
                });
            }
        }
    }

    /// Forgets what lies below `una`, and tells of each segment and whether its arrival is news.
    pub(super) fn acknowledge(&mut self, una: u64, tell: &mut impl FnMut(&Segment, bool)) {
        self.split(una);
        while self.segments.front().is_some_and(|segment| segment.octets.right <= una) {
            let Some(segment) = self.segments.pop_front() else {
                return;
            };
            self.discount(&segment);
            tell(&segment, segment.standing != Standing::Selected);
        }
    }

    /// Marks what the receiver holds out of order, and tells of each segment whose arrival is news.
    pub(super) fn select(&mut self, held: impl Iterator<Item = Range>, delivered: &mut impl FnMut(&Segment)) {
        for range in held {
            for at in self.inside(range) {
                if self.segments[at].standing != Standing::Selected {
                    delivered(&self.segments[at]);
                    self.change(at, |segment| segment.standing = Standing::Selected);
                }
            }
        }
    }

    /// The receiver reneged (RFC 2018, section 8): what it held is lost.
    pub(super) fn unselect(&mut self) {
        for at in 0..self.segments.len() {
            if self.segments[at].standing == Standing::Selected {
                self.change(at, |segment| segment.standing = Standing::Lost);
            }
        }
    }

    /// Nothing counts as lost any more.
    pub(super) fn forgive(&mut self) {
        for at in 0..self.segments.len() {
            if self.segments[at].standing == Standing::Lost {
                self.change(at, |segment| segment.standing = Standing::Outstanding);
            }
        }
    }

    /// Every outstanding segment that was sent before another one, `latest` with its right end, is lost if `judge` says so.
    pub(super) fn lose_before(&mut self, latest: (Time, u64), mut judge: impl FnMut(&Segment) -> bool) {
        for at in 0..self.segments.len() {
            let segment = self.segments[at];
            if (segment.sent, segment.octets.right) >= latest {
                if self.repeated_segments == 0 {
                    // Without retransmissions the order of the stream is that of sending.
                    return;
                }
            } else if segment.standing == Standing::Outstanding && judge(&segment) {
                self.change(at, |segment| segment.standing = Standing::Lost);
            }
        }
    }

    fn change(&mut self, at: usize, change: impl FnOnce(&mut Segment)) {
        let before = self.segments[at];
        self.discount(&before);
        change(&mut self.segments[at]);
        let after = self.segments[at];
        self.count(&after);
    }

    fn count(&mut self, segment: &Segment) {
        match segment.standing {
            Standing::Outstanding => self.pipe += segment.octets.len(),
            Standing::Lost => self.lost += segment.octets.len(),
            Standing::Selected => self.selected_segments += 1,
        }
        self.repeated_segments += usize::from(segment.repeated);
    }

    fn discount(&mut self, segment: &Segment) {
        match segment.standing {
            Standing::Outstanding => self.pipe -= segment.octets.len(),
            Standing::Lost => self.lost -= segment.octets.len(),
            Standing::Selected => self.selected_segments -= 1,
        }
        self.repeated_segments -= usize::from(segment.repeated);
    }

    /// The segments inside `range`, after those that reach beyond it were split.
    fn inside(&mut self, range: Range) -> std::ops::Range<usize> {
        self.split(range.left);
        self.split(range.right);
        let begin = self
            .segments
            .partition_point(|segment| segment.octets.left < range.left);
        let end = self
            .segments
            .partition_point(|segment| segment.octets.right <= range.right);
        begin..end
    }

    /// Makes two of the segment that has `offset` inside.
    fn split(&mut self, offset: u64) {
        let at = self.segments.partition_point(|segment| segment.octets.right <= offset);
        let Some(&whole) = self.segments.get(at).filter(|segment| segment.octets.left < offset) else {
            return;
        };
        self.change(at, |segment| segment.octets.right = offset);
        let rest = Segment {
            octets: Range::new(offset, whole.octets.right),
            ..whole
        };
        self.count(&rest);
        self.segments.insert(at + 1, rest);
    }
}
