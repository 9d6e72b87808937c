//! The window a receiver offers: it never shrinks, and moves in steps worth a segment (RFC 9293, section 3.8.6.2.2).

/// Capacity, scale and right edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfferedWindow {
    capacity: u64,
    /// The least step of the right edge.
    step: u64,
    /// RFC 7323, section 2: the shift of the window fields we send.
    shift: u8,
    /// The octet after the last one offered.
    edge: u64,
}

/// RFC 7323, section 2.3.
const LARGEST_SHIFT: u8 = 14;

/// The smallest shift that makes a window of `octets` fit the field.
pub(crate) fn shift_for(octets: u64) -> u8 {
    (0..LARGEST_SHIFT)
        .find(|shift| octets >> shift <= u64::from(u16::MAX))
        .unwrap_or(LARGEST_SHIFT)
}

impl OfferedWindow {
    pub(crate) const fn new(capacity: u64) -> Self {
        Self {
            capacity,
            step: 1,
            shift: 0,
            edge: 0,
        }
    }

    /// The handshake has settled the scale and the octets of payload in a full segment from the peer.
    pub(crate) fn establish(&mut self, shift: u8, segment: u64) {
        self.shift = shift;
        self.step = segment.min(self.capacity.div_ceil(2));
    }

    /// There is room for so much now, unless there was for more.
    pub(crate) fn grow(&mut self, capacity: u64) {
        self.capacity = self.capacity.max(capacity);
    }

    /// The largest window offered so far.
    pub(crate) const fn capacity(&self) -> u64 {
        self.capacity
    }

    pub(crate) const fn edge(&self) -> u64 {
        self.edge
    }

    /// Where the edge could be, were every octet offered that the buffer has room for.
    const fn possible_edge(&self, read: u64) -> u64 {
        read + self.capacity
    }

    /// Whether what the application took is worth a window update of its own: the window at least doubles, by a whole step
    /// (so that a reader that keeps up causes none, and delayed acknowledgements stay delayed).
    pub(crate) const fn opens(&self, next: u64, read: u64) -> bool {
        let offered = self.edge.saturating_sub(next);
        let gain = self.possible_edge(read).saturating_sub(self.edge);
        gain >= self.step && gain >= offered
    }

    /// The field to send, with the edge moved accordingly.
    #[inline]
    pub(crate) fn field(&mut self, next: u64, read: u64, syn: bool) -> u16 {
        let shift = if syn { 0 } else { self.shift };
        let possible = self.possible_edge(read);
        let edge = if possible >= self.edge + self.step {
            possible
        } else {
            self.edge
        };
        // Rounded down, so that no more is offered than there is room for, unless that would shrink the window.
        let mut scaled = edge.saturating_sub(next) >> shift;
        if next + (scaled << shift) < self.edge {
            scaled = (self.edge - next).div_ceil(1 << shift);
        }
        let field = u16::try_from(scaled).unwrap_or(u16::MAX);
        self.edge = self.edge.max(next + (u64::from(field) << shift));
        field
    }
}
