//! Settings of the kernel's TCP: the experiment's `[tcp]` laid over them, and what is said of them.

use serde_json::Value;
use windlull_profile::text::{Text, Written as _};
use windlull_stack::Linux;
use windlull_tcp::{AfterIdle, BackOff, CongestionMarks, FrtoTimeouts, RepeatedTimeout, TimestampEcho};
use windlull_units::{Bytes, Span};

use crate::file::{DelayedAckFile, LinuxFile, SettingsFile, TimerFile};
use crate::settings::{others, values};

/// The kernel gives about this part of a receive buffer to its window (`tcp_adv_win_scale` 1); the rest is overhead.
const WINDOW_PART: u64 = 2;
/// `TCP_TIMEOUT_INIT` of the kernel's `net/tcp.h`.
const KERNEL_INITIAL_RTO: Span = Span::from_secs(1);

/// Lays an experiment's settings over a kernel's where it has such a setting; says which it has not.
pub(crate) fn lay_over(linux: &mut Linux, settings: &SettingsFile) -> Vec<String> {
    let mut lost = Vec::new();
    if let Some(Text(mss)) = settings.mss {
        // What the kernel does not take is refused when the whole is checked.
        linux.mss = Some(u16::try_from(mss.get()).unwrap_or(u16::MAX));
    }
    or_else(&mut linux.timestamps, settings.timestamps);
    or_else(&mut linux.sack, settings.sack);
    or_else(&mut linux.dsack, settings.dsack);
    or_else(&mut linux.window_scale, settings.window_scale);
    or_else(&mut linux.initial_window, settings.initial_window);
    if let Some(Text(window)) = settings.receive_window {
        let buffer = Bytes::new(window.get().saturating_mul(WINDOW_PART));
        linux.receive_buffer = Some(buffer);
        lost.push(format!(
            "receive_window = {}, to the octet: the kernel gets a receive buffer of {} and offers about half of it",
            window.write(),
            buffer.write()
        ));
    }
    if settings.limited_transmit == Some(false) {
        lost.push("limited_transmit = false: the kernel always does (RFC 3042)".to_owned());
    }
    if let Some(segments) = settings.burst_limit {
        lost.push(format!("burst_limit = {segments}: the kernel has no such setting"));
    }
    if let Some(control) = settings.congestion {
        linux.congestion_control = Some(control.0.name().to_owned());
    }
    if let Some(idle) = settings.after_idle.filter(|idle| idle.0 != AfterIdle::InitialWindow) {
        lost.push(format!(
            "after_idle = {}: the kernel restarts from the initial window (`tcp_slow_start_after_idle`)",
            idle.0
        ));
    }
    if let Some(repeated) = settings
        .repeated_timeout
        .filter(|repeated| repeated.0 != RepeatedTimeout::Hold)
    {
        lost.push(format!(
            "repeated_timeout = {}: the kernel holds the threshold (RFC 5681)",
            repeated.0
        ));
    }
    if let Some(timeouts) = settings
        .frto_timeouts
        .filter(|timeouts| timeouts.0 != FrtoTimeouts::Rfc5682)
    {
        lost.push(format!("frto_timeouts = {}: the kernel decides by itself", timeouts.0));
    }
    if let Some(point) = settings.below_recovery_point {
        lost.push(format!(
            "below_recovery_point = {}: the kernel decides by itself",
            point.0
        ));
    }
    if let Some(marks) = settings.ecn.filter(|marks| marks.0 != CongestionMarks::Off) {
        lost.push(format!("ecn = {}: the kernel decides by itself (`tcp_ecn`)", marks.0));
    }
    if let Some(policy) = settings.delayed_ack {
        lost.push(format!(
            "delayed_ack = {}: the kernel decides by itself, after 40 to 200 ms at the latest",
            written(policy)
        ));
    }
    if let Some(echo) = settings.timestamp_echo.filter(|echo| echo.0 != TimestampEcho::Rfc7323) {
        lost.push(format!(
            "timestamp_echo = {}: the kernel echoes as RFC 7323 says",
            echo.0
        ));
    }
    if let Some(timer) = &settings.timer {
        lay_timer_over(linux, timer, &mut lost);
    }
    let others = others(settings).into_iter();
    lost.extend(others.map(|(key, value)| format!("{key} = {value}: is not carried over to the kernel")));
    lost
}

fn lay_timer_over(linux: &mut Linux, timer: &TimerFile, lost: &mut Vec<String>) {
    or_else(&mut linux.minimum_rto, timer.minimum_rto.map(|rto| rto.0));
    if let Some(estimator) = timer.estimator {
        lost.push(format!(
            "timer.estimator = {}: the kernel's is made after RFC 6298, but is its own",
            estimator.0
        ));
    }
    if let Some(minimum) = timer.minimum {
        lost.push(format!(
            "timer.minimum = {}: the kernel's is every segment's",
            minimum.0
        ));
    }
    if let Some(back_off) = timer.back_off.filter(|back_off| back_off.0 != BackOff::UntilMeasured) {
        lost.push(format!(
            "timer.back_off = {}: the kernel doubles until a round trip is measured (RFC 6298)",
            back_off.0
        ));
    }
    if let Some(after) = timer.after_spurious {
        lost.push(format!(
            "timer.after_spurious = {}: the kernel decides by itself",
            after.0
        ));
    }
    if let Some(Text(rto)) = timer.maximum_rto {
        lost.push(format!("timer.maximum_rto = {}: the kernel's is 120 s", rto.write()));
    }
    if let Some(Text(tick)) = timer.granularity {
        lost.push(format!(
            "timer.granularity = {}: the kernel measures in microseconds",
            tick.write()
        ));
    }
    if let Some(Text(rto)) = timer.initial_rto.filter(|rto| rto.0 != KERNEL_INITIAL_RTO) {
        lost.push(format!("timer.initial_rto = {}: the kernel's is 1 s", rto.write()));
    }
}

fn written(policy: DelayedAckFile) -> String {
    match policy {
        DelayedAckFile::None => "none".to_owned(),
        DelayedAckFile::EverySecond { timer } => format!("every-second, {}", timer.0.write()),
        DelayedAckFile::EverySecondSegment { timer } => format!("every-second-segment, {}", timer.0.write()),
        DelayedAckFile::EverySecondWithin { earliest, latest } => {
            format!("every-second-within, {} to {}", earliest.0.write(), latest.0.write())
        }
        DelayedAckFile::WindowPart { timer } => format!("window-part, {}", timer.0.write()),
        DelayedAckFile::AtTicks { clock } => format!("at-ticks, {}", clock.0.write()),
    }
}

fn or_else<T>(field: &mut Option<T>, value: Option<T>) {
    if value.is_some() {
        *field = value;
    }
}

/// What the kernel's TCP does, in lines for people: what is set, and what is left to the kernel.
pub(crate) fn summary(linux: &Linux) -> Vec<String> {
    let values = values(&LinuxFile::of(linux));
    let (mut set, mut left) = (Vec::new(), Vec::new());
    for row in LinuxFile::ROWS {
        let name = row.label;
        match values.get(row.key) {
            None => left.push(name),
            Some(Value::Bool(on)) => set.push(format!("{name} {}", if *on { "on" } else { "off" })),
            Some(Value::String(text)) => set.push(format!("{name} {text}")),
            Some(segments) => set.push(format!("{name} {segments} segments")),
        }
    }
    let mut lines = vec!["the Linux kernel's TCP".to_owned()];
    if !set.is_empty() {
        lines.push(set.join(", "));
    }
    if !left.is_empty() {
        lines.push(format!("as the kernel has it: {}", left.join(", ")));
    }
    lines
}
