//! Round trips, counted by packets: section 5.5.1.

/// Round trips so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    /// `BBR.round_count`.
    count: u64,
    /// `BBR.round_start`: whether the acknowledgement at hand began one.
    starts: bool,
    /// `BBR.next_round_delivered`.
    next_delivered: u64,
}

impl Rounds {
    pub(super) const NONE: Self = Self {
        count: 0,
        starts: false,
        next_delivered: 0,
    };

    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    pub(super) const fn starts(&self) -> bool {
        self.starts
    }

    /// `StartRound`: it ends with what is sent from now on, when so much is delivered.
    pub(super) const fn start(&mut self, delivered: u64) {
        self.next_delivered = delivered;
    }

    /// `UpdateRound`, for a packet that left when `prior` was delivered.
    pub(super) const fn update(&mut self, prior: u64, delivered: u64) {
        self.starts = prior >= self.next_delivered;
        if self.starts {
            self.start(delivered);
            self.count += 1;
        }
    }
}
