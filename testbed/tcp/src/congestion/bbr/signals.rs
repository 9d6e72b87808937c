//! The signals that losses are judged by: sections 2.10 and 5.5.10.

use crate::bandwidth::Bandwidth;
use crate::delivery::LostPacket;

/// Section 2.8, `LossThresh`, percent.
const THRESHOLD_PERCENT: u64 = 2;
/// `IsInflightTooHigh`: more than the threshold was lost of what was outstanding.
pub(super) const fn is_too_high(lost: u64, inflight: u64) -> bool {
    lost * 100 > inflight * THRESHOLD_PERCENT
}

/// `InflightAtLoss`: where in the packet the losses exceeded the threshold.
pub(super) fn inflight_at_loss(packet: &LostPacket) -> u64 {
    let size = packet.octets.len();
    let before = packet.inflight.saturating_sub(size);
    let lost_before = packet.lost.saturating_sub(size);
    let allowed = (before * THRESHOLD_PERCENT).saturating_sub(lost_before * 100);
    before + allowed / (100 - THRESHOLD_PERCENT)
}

/// The signals of a round trip (sections 2.10, 2.14).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Losses {
    /// `BBR.bw_latest`.
    pub(super) bw_latest: Bandwidth,
    /// `BBR.inflight_latest`.
    pub(super) inflight_latest: u64,
    /// `BBR.is_loss_in_round`.
    pub(super) in_round: bool,
    /// `BBR.loss_round_delivered`.
    pub(super) round_delivered: u64,
    /// `BBR.loss_round_start`.
    pub(super) round_ends: bool,
    /// Ranges lost in the round, and where the last one ends.
    pub(super) ranges: u32,
    pub(super) last_lost: u64,
}

impl Losses {
    pub(super) const NONE: Self = Self {
        bw_latest: Bandwidth::NONE,
        inflight_latest: 0,
        in_round: false,
        round_delivered: 0,
        round_ends: false,
        ranges: 0,
        last_lost: 0,
    };

    /// Ranges lost in the round that ends.
    pub(super) const fn take_ranges(&mut self) -> u32 {
        std::mem::replace(&mut self.ranges, 0)
    }

    /// `ResetCongestionSignals`.
    pub(super) const fn reset(&mut self) {
        self.in_round = false;
        self.bw_latest = Bandwidth::NONE;
        self.inflight_latest = 0;
    }
}
