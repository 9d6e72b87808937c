//! The packet scripts, a test for each folder.

mod script;

use std::collections::BTreeSet;

use windlull_tcp::{AfterSpurious, Detection, Estimator, Minimum, Recovery, Response};

macro_rules! folders {
    ($($test:ident: $folder:literal),+ $(,)?) => {
        $(
            #[test]
            fn $test() {
                script::run_folder($folder);
            }
        )+

        const TESTED: &[&str] = &[$($folder),+];
    };
}

folders! {
    recovery_newreno: "recovery/newreno",
    recovery_sack: "recovery/sack",
    recovery_reno_sack: "recovery/reno-sack",
    recovery_no_slow_start: "recovery/no-slow-start",
    recovery_tahoe: "recovery/tahoe",
    recovery_reno: "recovery/reno",
    recovery_newreno_sack: "recovery/newreno-sack",
    recovery_fack: "recovery/fack",
    recovery_rack_tlp: "recovery/rack-tlp",
    below_recovery_point: "below-recovery-point",
    after_idle: "after-idle",
    detection_none: "detection/none",
    detection_frto: "detection/frto",
    detection_frto_both: "detection/frto-both",
    detection_frto_sack: "detection/frto-sack",
    detection_frto_tail: "detection/frto-tail",
    detection_frto_beyond: "detection/frto-beyond",
    detection_frto_eifel: "detection/frto-eifel",
    detection_min_rtt: "detection/min-rtt",
    detection_eifel: "detection/eifel",
    detection_dsack: "detection/dsack",
    detection_stoder: "detection/stoder",
    detection_snr: "detection/snr",
    detection_ecn_nonce: "detection/ecn-nonce",
    response_none: "response/none",
    response_frto_conservative: "response/frto-conservative",
    response_frto_dsack: "response/frto-dsack",
    response_old_threshold: "response/old-threshold",
    response_eifel_1: "response/eifel-1",
    response_eifel_2: "response/eifel-2",
    response_eifel_3: "response/eifel-3",
    response_eifel_4: "response/eifel-4",
    response_rfc4015: "response/rfc4015",
    response_wen2010_simple: "response/wen2010-simple",
    timer_rfc793: "timer/rfc793",
    timer_jacobson88: "timer/jacobson88",
    timer_jacobson88_2v: "timer/jacobson88-2v",
    timer_ns2: "timer/ns2",
    timer_rfc6298: "timer/rfc6298",
    timer_linux: "timer/linux",
    minimum_fixed: "minimum/fixed",
    minimum_adaptive: "minimum/adaptive",
    after_spurious_std: "after_spurious/std",
    after_spurious_reseed: "after_spurious/reseed",
    after_spurious_back_off: "after_spurious/back-off",
    after_spurious_min_up: "after_spurious/min++",
    after_spurious_rfc4015: "after_spurious/rfc4015",
    congestion: "congestion",
    cubic: "cubic",
    reno_by_acks: "reno-by-acks",
    by_rate: "by-rate",
    by_interval: "by-interval",
    back_off: "back-off",
    repeated_timeout: "repeated-timeout",
    connection: "connection",
    ecn: "ecn",
    flow_control: "flow-control",
    receiver: "receiver",
    timestamps: "timestamps",
}

/// The harness itself: a script that is wrong in one point fails.
#[test]
fn wrong_scripts_fail() {
    let script = "open\n0 ms write 1\n0 ms > 0 new-data\n1 s > 0 timeout\n1 s = cwnd 1\n1 s ! timeout 1";
    assert_eq!(script::run_text(script), Ok(()));
    for (right, wrong) in [
        ("1 s > 0 timeout", "1001 ms > 0 timeout"),
        ("1 s > 0 timeout", "999 ms > 0 timeout"),
        ("1 s > 0 timeout", "1 s > 0 after-timeout"),
        ("1 s > 0 timeout", "1 s > 1 timeout"),
        ("1 s > 0 timeout\n", ""),
        ("1 s = cwnd 1", "1 s = cwnd 2"),
        ("1 s ! timeout 1", "1 s ! timeout 2"),
        ("0 ms write 1", "0 ms write 2"),
    ] {
        let failure = script::run_text(&script.replace(right, wrong));
        assert!(failure.is_err_and(|told| told.contains("history:")), "{wrong} passed");
    }
}

#[test]
fn every_folder_is_run() {
    let found: BTreeSet<String> = script::folders().into_iter().collect();
    let tested: BTreeSet<String> = TESTED.iter().map(|folder| (*folder).to_owned()).collect();
    assert_eq!(found, tested);
}

#[test]
fn every_registered_mechanism_has_scripts() {
    let recovery = Recovery::ALL.iter().map(|value| format!("recovery/{value}"));
    let detection = Detection::ALL.iter().map(|value| format!("detection/{value}"));
    let response = Response::ALL.iter().map(|value| format!("response/{value}"));
    let timer = Estimator::ALL.iter().map(|value| format!("timer/{value}"));
    let minimum = Minimum::ALL.iter().map(|value| format!("minimum/{value}"));
    let after = AfterSpurious::ALL.iter().map(|value| format!("after_spurious/{value}"));
    let all = recovery.chain(detection).chain(response).chain(timer);
    for folder in all.chain(minimum).chain(after) {
        assert!(TESTED.contains(&folder.as_str()), "{folder} has no scripts");
    }
}
