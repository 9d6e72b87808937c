//! `set` lines: the variant of the endpoint under test.

use windlull_tcp::{
    AfterIdle, AfterSpurious, BackOff, BelowRecoveryPoint, CongestionControl, CongestionMarks, DelayedAck, Detection,
    Estimator, FrtoTimeouts, Minimum, Recovery, RepeatedTimeout, Response, TimestampEcho, Variant,
};
use windlull_units::{Bytes, Span, parse_span};

/// Octets of payload in a full segment: the unit of every number in a script.
pub(crate) const UNIT: u64 = 1000;

/// What a script's `set` lines say.
pub(crate) struct Settings {
    pub(crate) variant: Variant,
    pub(crate) isn: u32,
    pub(crate) peer_isn: u32,
    /// Whether the application reads whatever arrives, at once.
    pub(crate) reading: bool,
}

impl Settings {
    pub(crate) fn new() -> Self {
        Self {
            variant: Variant {
                mss: 1000,
                initial_window: Some(10),
                limited_transmit: false,
                ..Variant::default()
            },
            isn: 1_000_000,
            peer_isn: 5_000_000,
            reading: true,
        }
    }

    /// Takes `key=value`.
    pub(crate) fn set(&mut self, word: &str) -> Result<(), String> {
        let (key, value) = word
            .split_once('=')
            .ok_or_else(|| format!("`{word}` is not key=value"))?;
        let wrong = || format!("`{value}` is no value of `{key}`");
        let number = || value.parse::<u32>().map_err(|_| wrong());
        let flag = || value.parse::<bool>().map_err(|_| wrong());
        let span = || parse_span(value).map_err(|error| error.to_string());
        let variant = &mut self.variant;
        match key {
            "congestion" => variant.congestion = CongestionControl::from_name(value).ok_or_else(wrong)?,
            "recovery" => variant.recovery = Recovery::from_name(value).ok_or_else(wrong)?,
            "detection" => variant.detection = Detection::from_name(value).ok_or_else(wrong)?,
            "frto_timeouts" => variant.frto_timeouts = FrtoTimeouts::from_name(value).ok_or_else(wrong)?,
            "response" => variant.response = Response::from_name(value).ok_or_else(wrong)?,
            "timestamp_echo" => variant.timestamp_echo = TimestampEcho::from_name(value).ok_or_else(wrong)?,
            "after_idle" => variant.after_idle = AfterIdle::from_name(value).ok_or_else(wrong)?,
            "repeated_timeout" => variant.repeated_timeout = RepeatedTimeout::from_name(value).ok_or_else(wrong)?,
            "below_recovery_point" => {
                variant.below_recovery_point = BelowRecoveryPoint::from_name(value).ok_or_else(wrong)?;
            }
            "estimator" => variant.timer.estimator = Estimator::from_name(value).ok_or_else(wrong)?,
            "minimum" => variant.timer.minimum = Minimum::from_name(value).ok_or_else(wrong)?,
            "after_spurious" => variant.timer.after_spurious = AfterSpurious::from_name(value).ok_or_else(wrong)?,
            "back_off" => variant.timer.back_off = BackOff::from_name(value).ok_or_else(wrong)?,
            "minimum_rto" => variant.timer.minimum_rto = span()?,
            "maximum_rto" => variant.timer.maximum_rto = span()?,
            "initial_rto" => variant.timer.initial_rto = span()?,
            "granularity" => variant.timer.granularity = span()?,
            "delayed_ack" => variant.delayed_ack = delayed_ack(value).ok_or_else(wrong)?,
            "ecn" => variant.ecn = CongestionMarks::from_name(value).ok_or_else(wrong)?,
            "sack" => variant.sack = flag()?,
            "dsack" => variant.dsack = flag()?,
            "limited_transmit" => variant.limited_transmit = flag()?,
            "window_scale" => variant.window_scale = flag()?,
            "timestamps" => {
                variant.timestamps = flag()?;
                // Segments stay one unit long beside the option.
                variant.mss = if variant.timestamps { 1012 } else { 1000 };
            }
            "burst_limit" => variant.burst_limit = Some(number()?),
            "initial_window" if value == "by-size" => variant.initial_window = None,
            "initial_window" => variant.initial_window = Some(number()?),
            "mss" => variant.mss = number()?.try_into().map_err(|_| wrong())?,
            "receive_window" => variant.receive_window = Bytes::new(u64::from(number()?)),
            "isn" => self.isn = number()?,
            "peer_isn" => self.peer_isn = number()?,
            "reading" => self.reading = flag()?,
            _ => return Err(format!("there is no setting `{key}`")),
        }
        Ok(())
    }
}

/// With the timers of the papers: 50 to 100 ms where a clock ticks, else 200 ms.
fn delayed_ack(value: &str) -> Option<DelayedAck> {
    let timer = if value == "every-second-within" { 100 } else { 200 };
    DelayedAck::from_name(value, Span::from_ms(timer))
}
