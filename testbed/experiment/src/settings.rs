//! From the settings of files to the settings of a TCP, and back.

use windlull_profile::text::Text;
use windlull_tcp::{DelayedAck, TimerSettings, Variant};

use crate::file::{DelayedAckFile, Named, SettingsFile, TimerFile};

impl SettingsFile {
    /// These, and what they do not say from `base`.
    pub(crate) fn over(self, base: Self) -> Self {
        Self {
            mss: self.mss.or(base.mss),
            timestamps: self.timestamps.or(base.timestamps),
            sack: self.sack.or(base.sack),
            dsack: self.dsack.or(base.dsack),
            window_scale: self.window_scale.or(base.window_scale),
            ecn: self.ecn.or(base.ecn),
            receive_window: self.receive_window.or(base.receive_window),
            limited_transmit: self.limited_transmit.or(base.limited_transmit),
            burst_limit: self.burst_limit.or(base.burst_limit),
            initial_window: self.initial_window.or(base.initial_window),
            congestion: self.congestion.or(base.congestion),
            after_idle: self.after_idle.or(base.after_idle),
            repeated_timeout: self.repeated_timeout.or(base.repeated_timeout),
            frto_timeouts: self.frto_timeouts.or(base.frto_timeouts),
            below_recovery_point: self.below_recovery_point.or(base.below_recovery_point),
            delayed_ack: self.delayed_ack.or(base.delayed_ack),
            timestamp_echo: self.timestamp_echo.or(base.timestamp_echo),
            timer: match (self.timer, base.timer) {
                (Some(timer), Some(base)) => Some(timer.over(base)),
                (timer, base) => timer.or(base),
            },
        }
    }

    /// Changes what these say of `variant`.
    pub(crate) fn apply(&self, variant: &mut Variant) {
        if let Some(Text(mss)) = self.mss {
            variant.mss = u16::try_from(mss.get()).expect("checked: an MSS is at most 65495 octets");
        }
        set(&mut variant.timestamps, self.timestamps);
        set(&mut variant.sack, self.sack);
        set(&mut variant.dsack, self.dsack);
        set(&mut variant.window_scale, self.window_scale);
        set(&mut variant.ecn, self.ecn.map(|marks| marks.0));
        set(&mut variant.receive_window, self.receive_window.map(|window| window.0));
        set(&mut variant.limited_transmit, self.limited_transmit);
        if self.burst_limit.is_some() {
            variant.burst_limit = self.burst_limit;
        }
        if self.initial_window.is_some() {
            variant.initial_window = self.initial_window;
        }
        set(&mut variant.congestion, self.congestion.map(|control| control.0));
        set(&mut variant.after_idle, self.after_idle.map(|idle| idle.0));
        set(
            &mut variant.repeated_timeout,
            self.repeated_timeout.map(|repeated| repeated.0),
        );
        set(
            &mut variant.frto_timeouts,
            self.frto_timeouts.map(|timeouts| timeouts.0),
        );
        set(
            &mut variant.below_recovery_point,
            self.below_recovery_point.map(|point| point.0),
        );
        let policy = |file| match file {
            DelayedAckFile::None => DelayedAck::None,
            DelayedAckFile::EverySecond { timer } => DelayedAck::EverySecond { timer: timer.0 },
            DelayedAckFile::EverySecondSegment { timer } => DelayedAck::EverySecondSegment { timer: timer.0 },
            DelayedAckFile::EverySecondWithin { earliest, latest } => DelayedAck::EverySecondWithin {
                earliest: earliest.0,
                latest: latest.0,
            },
            DelayedAckFile::WindowPart { timer } => DelayedAck::WindowPart { timer: timer.0 },
            DelayedAckFile::AtTicks { clock } => DelayedAck::AtTicks { clock: clock.0 },
        };
        set(&mut variant.delayed_ack, self.delayed_ack.map(policy));
        set(&mut variant.timestamp_echo, self.timestamp_echo.map(|echo| echo.0));
        if let Some(timer) = &self.timer {
            timer.apply(&mut variant.timer);
        }
    }

    /// Everything that `variant` says.
    pub(crate) fn of(variant: &Variant) -> Self {
        Self {
            mss: Some(Text(windlull_units::Bytes::new(u64::from(variant.mss)))),
            timestamps: Some(variant.timestamps),
            sack: Some(variant.sack),
            dsack: Some(variant.dsack),
            window_scale: Some(variant.window_scale),
            ecn: Some(Named(variant.ecn)),
            receive_window: Some(Text(variant.receive_window)),
            limited_transmit: Some(variant.limited_transmit),
            burst_limit: variant.burst_limit,
            initial_window: variant.initial_window,
            congestion: Some(Named(variant.congestion)),
            after_idle: Some(Named(variant.after_idle)),
            repeated_timeout: Some(Named(variant.repeated_timeout)),
            frto_timeouts: Some(Named(variant.frto_timeouts)),
            below_recovery_point: Some(Named(variant.below_recovery_point)),
            delayed_ack: Some(match variant.delayed_ack {
                DelayedAck::None => DelayedAckFile::None,
                DelayedAck::EverySecond { timer } => DelayedAckFile::EverySecond { timer: Text(timer) },
                DelayedAck::EverySecondSegment { timer } => DelayedAckFile::EverySecondSegment { timer: Text(timer) },
                DelayedAck::EverySecondWithin { earliest, latest } => DelayedAckFile::EverySecondWithin {
                    earliest: Text(earliest),
                    latest: Text(latest),
                },
                DelayedAck::WindowPart { timer } => DelayedAckFile::WindowPart { timer: Text(timer) },
                DelayedAck::AtTicks { clock } => DelayedAckFile::AtTicks { clock: Text(clock) },
            }),
            timestamp_echo: Some(Named(variant.timestamp_echo)),
            timer: Some(TimerFile {
                estimator: Some(Named(variant.timer.estimator)),
                minimum_rto: Some(Text(variant.timer.minimum_rto)),
                minimum: Some(Named(variant.timer.minimum)),
                maximum_rto: Some(Text(variant.timer.maximum_rto)),
                granularity: Some(Text(variant.timer.granularity)),
                initial_rto: Some(Text(variant.timer.initial_rto)),
                back_off: Some(Named(variant.timer.back_off)),
                after_spurious: Some(Named(variant.timer.after_spurious)),
            }),
        }
    }
}

impl TimerFile {
    fn over(self, base: Self) -> Self {
        Self {
            estimator: self.estimator.or(base.estimator),
            minimum_rto: self.minimum_rto.or(base.minimum_rto),
            minimum: self.minimum.or(base.minimum),
            maximum_rto: self.maximum_rto.or(base.maximum_rto),
            granularity: self.granularity.or(base.granularity),
            initial_rto: self.initial_rto.or(base.initial_rto),
            back_off: self.back_off.or(base.back_off),
            after_spurious: self.after_spurious.or(base.after_spurious),
        }
    }

    fn apply(&self, timer: &mut TimerSettings) {
        set(&mut timer.estimator, self.estimator.map(|estimator| estimator.0));
        set(&mut timer.minimum, self.minimum.map(|minimum| minimum.0));
        set(&mut timer.back_off, self.back_off.map(|back_off| back_off.0));
        set(&mut timer.after_spurious, self.after_spurious.map(|after| after.0));
        set(&mut timer.minimum_rto, self.minimum_rto.map(|span| span.0));
        set(&mut timer.maximum_rto, self.maximum_rto.map(|span| span.0));
        set(&mut timer.granularity, self.granularity.map(|span| span.0));
        set(&mut timer.initial_rto, self.initial_rto.map(|span| span.0));
    }
}

fn set<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}
