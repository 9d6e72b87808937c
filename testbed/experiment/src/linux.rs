//! Settings of the kernel's TCP: the experiment's `[tcp]` laid over them, and what is said of them.

use serde_json::Value;
use windlull_profile::text::{Text, Written as _};
use windlull_stack::Linux;
use windlull_units::Bytes;

use crate::file::{LinuxFile, SettingsFile};
use crate::settings::values;

/// The kernel gives about this part of a receive buffer to its window (`tcp_adv_win_scale` 1); the rest is overhead.
const WINDOW_PART: u64 = 2;

/// Settings that the kernel's TCP has as well.
const CARRIED: [&str; 9] = [
    "mss",
    "timestamps",
    "sack",
    "dsack",
    "window_scale",
    "receive_window",
    "initial_window",
    "congestion",
    "timer.minimum_rto",
];

/// Settings that it has not: each with the value that it has anyway, if any, and what is said of every other.
const LOST: &[(&str, &str, &str)] = &[
    ("limited_transmit", "true", "the kernel always does (RFC 3042)"),
    ("burst_limit", "", "the kernel has no such setting"),
    (
        "after_idle",
        "initial-window",
        "the kernel restarts from the initial window (`tcp_slow_start_after_idle`)",
    ),
    ("repeated_timeout", "hold", "the kernel holds the threshold (RFC 5681)"),
    ("frto_timeouts", "rfc5682", "the kernel decides by itself"),
    ("below_recovery_point", "", "the kernel decides by itself"),
    ("ecn", "off", "the kernel decides by itself (`tcp_ecn`)"),
    (
        "delayed_ack",
        "",
        "the kernel decides by itself, after 40 to 200 ms at the latest",
    ),
    ("timestamp_echo", "rfc7323", "the kernel echoes as RFC 7323 says"),
    (
        "timer.estimator",
        "",
        "the kernel's is made after RFC 6298, but is its own",
    ),
    ("timer.minimum", "", "the kernel's is every segment's"),
    (
        "timer.back_off",
        "until-measured",
        "the kernel doubles until a round trip is measured (RFC 6298)",
    ),
    ("timer.after_spurious", "", "the kernel decides by itself"),
    ("timer.maximum_rto", "", "the kernel's is 120 s"),
    ("timer.granularity", "", "the kernel measures in microseconds"),
    // `TCP_TIMEOUT_INIT` of the kernel's `net/tcp.h`.
    ("timer.initial_rto", "1 s", "the kernel's is 1 s"),
];

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
    if let Some(control) = settings.congestion {
        linux.congestion_control = Some(control.0.name().to_owned());
    }
    or_else(
        &mut linux.minimum_rto,
        settings.timer.and_then(|timer| timer.minimum_rto).map(|rto| rto.0),
    );
    let given = given(settings);
    for (key, usual, why) in LOST {
        let lost_one = given.iter().filter(|(known, value)| known == key && value != usual);
        lost.extend(lost_one.map(|(_, value)| format!("{key} = {value}: {why}")));
    }
    let others = given.iter().filter(|(key, _)| is_other(key));
    lost.extend(others.map(|(key, value)| format!("{key} = {value}: is not carried over to the kernel")));
    lost
}

/// What is said of settings that are neither carried over to the kernel nor in [`LOST`]; a variant's summary has no words of
/// its own for them either.
pub(crate) fn others(settings: &SettingsFile) -> Vec<(String, String)> {
    given(settings).into_iter().filter(|(key, _)| is_other(key)).collect()
}

fn is_other(key: &str) -> bool {
    !CARRIED.contains(&key) && LOST.iter().all(|(lost, ..)| *lost != key)
}

/// All settings that a file gives: each by its whole key (`timer.granularity`), as files write it.
pub(crate) fn given(settings: &SettingsFile) -> Vec<(String, String)> {
    let mut given = Vec::new();
    for (key, value) in values(settings) {
        match value {
            Value::Object(timer) if key == "timer" => {
                given.extend(
                    timer
                        .iter()
                        .map(|(inner, value)| (format!("{key}.{inner}"), written(value))),
                );
            }
            value => given.push((key, written(&value))),
        }
    }
    given
}

/// A value in words: of a table its kind, then its other values.
fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(table) => {
            let others: Vec<_> = table
                .iter()
                .filter(|(key, _)| *key != "kind")
                .map(|(_, value)| written(value))
                .collect();
            let kind = table.get("kind").map(written).unwrap_or_default();
            if others.is_empty() {
                kind
            } else {
                format!("{kind}, {}", others.join(" to "))
            }
        }
        other => other.to_string(),
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
