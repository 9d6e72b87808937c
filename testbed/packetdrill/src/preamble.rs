//! What a kernel is to be told before a script, so that it does what the run's TCP did, as far as it can.

use windlull_stack::{Linux, Stack};
use windlull_tcp::{CongestionControl, CongestionMarks, Detection, Recovery, Variant};
use windlull_units::{Bytes, Span};

/// The shell command for a TCP, if it is known: sysctls of the host's own network namespace, each on a line.
///
/// A kernel has a few switches; what else a variant of ours does differently is its own.
pub fn preamble(stack: Option<&Stack>) -> String {
    let mut settings = vec![("tcp_no_metrics_save", "1".to_owned())];
    match stack {
        Some(Stack::Windlull(variant)) => ours(variant, &mut settings),
        Some(Stack::Linux(linux)) => the_kernels(linux, &mut settings),
        Some(Stack::Transport(_)) | None => {}
    }
    let lines = settings
        .iter()
        .map(|(name, value)| format!("sysctl -q net.ipv4.{name}={value}"));
    lines.collect::<Vec<_>>().join("\n")
}

fn switch(on: bool) -> String {
    u32::from(on).to_string()
}

fn ours(variant: &Variant, settings: &mut Vec<(&'static str, String)>) {
    let by_time = variant.recovery == Recovery::RackTlp;
    let by_frto = matches!(
        variant.detection,
        Detection::Frto
            | Detection::FrtoBoth
            | Detection::FrtoTail
            | Detection::FrtoEifel
            | Detection::FrtoSack
            | Detection::FrtoOrEifel
    );
    settings.extend([
        ("tcp_sack", switch(variant.sack)),
        ("tcp_dsack", switch(variant.dsack)),
        ("tcp_timestamps", switch(variant.timestamps)),
        ("tcp_window_scaling", switch(variant.window_scale)),
        // RFC 5682; any value but 0 means the same since Linux 3.10.
        ("tcp_frto", if by_frto { "2" } else { "0" }.to_owned()),
        ("tcp_recovery", switch(by_time)),
        // Tail loss probes alone; other values were of early retransmit, which is gone.
        ("tcp_early_retrans", if by_time { "3" } else { "0" }.to_owned()),
        (
            "tcp_ecn",
            match variant.ecn {
                CongestionMarks::Off => "0",
                CongestionMarks::On | CongestionMarks::Nonce => "1",
                // Since Linux 6.18.
                CongestionMarks::Accurate => "3",
            }
            .to_owned(),
        ),
    ]);
    let control = match variant.congestion {
        CongestionControl::Reno | CongestionControl::RenoByAcks => Some("reno"),
        CongestionControl::Cubic | CongestionControl::CubicLinux => Some("cubic"),
        CongestionControl::Bbr => Some("bbr"),
        CongestionControl::Dctcp => Some("dctcp"),
        // Linux has none of them.
        CongestionControl::Prague | CongestionControl::ByRate | CongestionControl::ByInterval => None,
    };
    if let Some(control) = control {
        settings.push(("tcp_congestion_control", control.to_owned()));
    }
}

fn the_kernels(linux: &Linux, settings: &mut Vec<(&'static str, String)>) {
    let switches = [
        ("tcp_sack", linux.sack, "1"),
        ("tcp_dsack", linux.dsack, "1"),
        ("tcp_timestamps", linux.timestamps, "1"),
        ("tcp_window_scaling", linux.window_scale, "1"),
        ("tcp_frto", linux.frto, "2"),
        ("tcp_recovery", linux.rack, "1"),
        ("tcp_early_retrans", linux.tail_loss_probe, "3"),
    ];
    for (name, on, value) in switches {
        if let Some(on) = on {
            settings.push((name, if on { value } else { "0" }.to_owned()));
        }
    }
    if let Some(control) = &linux.congestion_control {
        settings.push(("tcp_congestion_control", control.clone()));
    }
    let in_us = |span: Span| (span.as_ns() / 1_000).to_string();
    if let Some(rto) = linux.minimum_rto {
        // Since Linux 6.11; a route's `rto_min` before.
        settings.push(("tcp_rto_min_us", in_us(rto)));
    }
    let three = |size: Bytes| format!("\"{0} {0} {0}\"", size.get());
    if let Some(size) = linux.receive_buffer {
        settings.push(("tcp_rmem", three(size)));
    }
    if let Some(size) = linux.send_buffer {
        settings.push(("tcp_wmem", three(size)));
    }
}
