//! The names of what the diagram numbers, as in every file.

use windlull_wire::{DetectorAnswer, Phase, TransmitCause};

/// Every cause, in the order of its number in the diagram's series.
pub(crate) const CAUSES: [TransmitCause; 17] = [
    TransmitCause::Handshake,
    TransmitCause::NewData,
    TransmitCause::LimitedTransmit,
    TransmitCause::DetectorProbe,
    TransmitCause::FastRetransmit,
    TransmitCause::PartialAck,
    TransmitCause::SackHole,
    TransmitCause::Rescue,
    TransmitCause::Timeout,
    TransmitCause::AfterTimeout,
    TransmitCause::WindowProbe,
    TransmitCause::Fin,
    TransmitCause::Ack,
    TransmitCause::Reset,
    TransmitCause::GoBack,
    TransmitCause::LostByTime,
    TransmitCause::LossProbe,
];

/// Every phase, in the order of its number.
pub(crate) const PHASES: [Phase; 6] = [
    Phase::SlowStart,
    Phase::CongestionAvoidance,
    Phase::FastRecovery,
    Phase::Detecting,
    Phase::TimeoutRecovery,
    Phase::FixedWindow,
];

/// Every answer, in the order of its number.
pub(crate) const ANSWERS: [DetectorAnswer; 3] = [
    DetectorAnswer::Spurious,
    DetectorAnswer::Genuine,
    DetectorAnswer::Undecided,
];

/// The name of a detector's answer, as in files and reports.
pub const fn answer_name(answer: DetectorAnswer) -> &'static str {
    match answer {
        DetectorAnswer::Spurious => "spurious",
        DetectorAnswer::Genuine => "genuine",
        DetectorAnswer::Undecided => "undecided",
    }
}
