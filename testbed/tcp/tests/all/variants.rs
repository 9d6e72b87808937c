//! Which combinations of choices are refused, and how the refusal reads.

use windlull_tcp::{
    AfterSpurious, BelowRecoveryPoint, CongestionControl, CongestionMarks, DelayedAck, Detection, Estimator, Minimum,
    Pacing, Recovery, Response, SlowStart, TimerSettings, TimestampEcho, Variant, VariantError,
};
use windlull_units::{Bytes, Span};

fn keys(change: impl FnOnce(&mut Variant)) -> Option<(&'static str, Option<&'static str>)> {
    let mut variant = Variant::default();
    change(&mut variant);
    variant.validate().err().map(|error| error.keys())
}

#[test]
fn the_default_is_valid() {
    assert_eq!(Variant::default().validate(), Ok(()));
}

#[test]
fn names_lead_back_to_their_values() {
    for value in Recovery::ALL {
        assert_eq!(Recovery::from_name(value.name()), Some(*value));
    }
    for value in Detection::ALL {
        assert_eq!(Detection::from_name(value.name()), Some(*value));
    }
    for value in Response::ALL {
        assert_eq!(Response::from_name(value.name()), Some(*value));
    }
    for name in DelayedAck::NAMES {
        let timer = Span::from_ms(100);
        assert_eq!(DelayedAck::from_name(name, timer).map(DelayedAck::name), Some(*name));
    }
    assert_eq!(Recovery::from_name("vegas"), None);
}

#[test]
fn contradictions_name_both_keys() {
    for by_blocks in [
        Recovery::Sack,
        Recovery::RenoSack,
        Recovery::NewRenoSack,
        Recovery::Fack,
        Recovery::RackTlp,
    ] {
        assert_eq!(keys(|v| v.recovery = by_blocks), Some(("recovery", Some("sack"))));
    }
    let asks_for_nothing = keys(|v| {
        v.recovery = Recovery::NoSlowStart;
        v.detection = Detection::Frto;
        v.response = Response::FrtoConservative;
    });
    assert_eq!(asks_for_nothing, Some(("recovery", Some("detection"))));
    let no_point = keys(|v| {
        v.recovery = Recovery::RackTlp;
        v.sack = true;
        v.below_recovery_point = BelowRecoveryPoint::Allowed;
    });
    assert_eq!(no_point, Some(("recovery", Some("below_recovery_point"))));
    let no_control = keys(|v| {
        v.recovery = Recovery::NoSlowStart;
        v.congestion = CongestionControl::Cubic;
    });
    assert_eq!(no_control, Some(("recovery", Some("congestion"))));
    let nothing_to_reduce = keys(|v| {
        v.recovery = Recovery::NoSlowStart;
        v.ecn = CongestionMarks::On;
    });
    assert_eq!(nothing_to_reduce, Some(("recovery", Some("ecn"))));
    let nothing_to_pace_by = keys(|v| {
        v.recovery = Recovery::NoSlowStart;
        v.pacing = Pacing::Linux;
    });
    assert_eq!(nothing_to_pace_by, Some(("recovery", Some("pacing"))));
    for spread in [CongestionControl::ByRate, CongestionControl::ByInterval] {
        let paced_twice = keys(|v| {
            v.congestion = spread;
            v.pacing = Pacing::Linux;
        });
        assert_eq!(paced_twice, Some(("pacing", Some("congestion"))));
    }
    let no_window = keys(|v| {
        v.recovery = Recovery::NoSlowStart;
        v.burst_limit = Some(3);
    });
    assert_eq!(no_window, Some(("recovery", Some("burst_limit"))));
    assert_eq!(keys(|v| v.dsack = true), Some(("dsack", Some("sack"))));
    let frto_sack = keys(|v| {
        v.detection = Detection::FrtoSack;
        v.response = Response::FrtoConservative;
    });
    assert_eq!(frto_sack, Some(("detection", Some("sack"))));
    for by_timestamps in [Detection::Eifel, Detection::FrtoEifel] {
        let eifel = keys(|v| {
            v.detection = by_timestamps;
            v.response = Response::Eifel1;
        });
        assert_eq!(eifel, Some(("detection", Some("timestamps"))));
    }
    for ecn in [CongestionMarks::Off, CongestionMarks::On] {
        let nonce = keys(|v| {
            v.detection = Detection::EcnNonce;
            v.response = Response::Eifel1;
            v.ecn = ecn;
        });
        assert_eq!(nonce, Some(("detection", Some("ecn"))));
    }
    let dsack = keys(|v| {
        v.detection = Detection::Dsack;
        v.response = Response::Eifel1;
    });
    assert_eq!(dsack, Some(("detection", Some("dsack"))));
    let taken_back = keys(|v| {
        v.detection = Detection::Frto;
        v.response = Response::FrtoDsack;
    });
    assert_eq!(taken_back, Some(("response", Some("dsack"))));
    assert_eq!(
        keys(|v| v.response = Response::Eifel1),
        Some(("response", Some("detection")))
    );
    assert_eq!(
        keys(|v| v.detection = Detection::Frto),
        Some(("detection", Some("response")))
    );
    let echo = keys(|v| v.timestamp_echo = TimestampEcho::UpdateOnDuplicate);
    assert_eq!(echo, Some(("timestamp_echo", Some("timestamps"))));
    let window = keys(|v| v.receive_window = Bytes::new(65_536));
    assert_eq!(window, Some(("receive_window", Some("window_scale"))));
    let timer = keys(|v| {
        v.timer = TimerSettings {
            minimum_rto: Span::from_secs(61),
            ..TimerSettings::default()
        };
    });
    assert_eq!(timer, Some(("timer.minimum_rto", Some("timer.maximum_rto"))));
}

#[test]
fn a_model_of_the_path_sets_the_window_alone() {
    let with = |change: fn(&mut Variant)| {
        keys(|v| {
            v.congestion = CongestionControl::Bbr;
            v.recovery = Recovery::RackTlp;
            v.sack = true;
            change(v);
        })
    };
    assert_eq!(with(|_| {}), None);
    let other = |key| Some(("congestion", Some(key)));
    assert_eq!(with(|v| v.recovery = Recovery::Sack), other("recovery"));
    assert_eq!(with(|v| v.ecn = CongestionMarks::On), other("ecn"));
    assert_eq!(with(|v| v.slow_start = Some(SlowStart::HyStart)), other("slow_start"));
    assert_eq!(with(|v| v.initial_threshold = Some(9)), other("initial_threshold"));
    assert_eq!(with(|v| v.burst_limit = Some(3)), other("burst_limit"));
    assert_eq!(with(|v| v.pacing = Pacing::Linux), Some(("pacing", Some("congestion"))));
    let halves = with(|v| {
        v.detection = Detection::Frto;
        v.response = Response::FrtoConservative;
    });
    assert_eq!(halves, other("response"));
    let restores = with(|v| {
        v.detection = Detection::Frto;
        v.response = Response::Eifel1;
    });
    assert_eq!(restores, None);
}

#[test]
fn timers_that_contradict_their_variant_are_refused() {
    let everywhere = keys(|v| {
        v.timer.minimum = Minimum::Adaptive;
        v.timer.estimator = Estimator::Linux;
    });
    assert_eq!(everywhere, Some(("timer.minimum", Some("timer.estimator"))));
    for after in AfterSpurious::ALL {
        let unasked = keys(|v| v.timer.after_spurious = *after);
        let refused = (*after != AfterSpurious::Standard).then_some(("timer.after_spurious", Some("detection")));
        assert_eq!(unasked, refused, "{after}");
    }
    let unmeasured = keys(|v| {
        v.detection = Detection::Frto;
        v.response = Response::Eifel1;
        v.timer.after_spurious = AfterSpurious::Reseed;
    });
    assert_eq!(unmeasured, Some(("timer.after_spurious", Some("timestamps"))));
}

#[test]
fn absurd_values_name_their_key() {
    assert_eq!(keys(|v| v.mss = 63), Some(("mss", None)));
    assert_eq!(keys(|v| v.initial_window = Some(0)), Some(("initial_window", None)));
    assert_eq!(keys(|v| v.burst_limit = Some(0)), Some(("burst_limit", None)));
    assert_eq!(keys(|v| v.receive_window = Bytes::ZERO), Some(("receive_window", None)));
    assert_eq!(
        keys(|v| v.timer.granularity = Span::ZERO),
        Some(("timer.granularity", None))
    );
    let slow = DelayedAck::EverySecond {
        timer: Span::from_ms(501),
    };
    assert_eq!(keys(|v| v.delayed_ack = slow), Some(("delayed_ack.timer", None)));
    let slow = DelayedAck::WindowPart { timer: Span::ZERO };
    assert_eq!(keys(|v| v.delayed_ack = slow), Some(("delayed_ack.timer", None)));
    for clock in [Span::ZERO, Span::from_ms(501)] {
        let slow = DelayedAck::AtTicks { clock };
        assert_eq!(keys(|v| v.delayed_ack = slow), Some(("delayed_ack.clock", None)));
    }
    let slowest = DelayedAck::AtTicks {
        clock: Span::from_ms(500),
    };
    assert_eq!(keys(|v| v.delayed_ack = slowest), None);
    let within = |earliest, latest| {
        keys(|v| {
            v.delayed_ack = DelayedAck::EverySecondWithin {
                earliest: Span::from_ms(earliest),
                latest: Span::from_ms(latest),
            };
        })
    };
    assert_eq!(within(50, 100), None);
    let inverted = Some(("delayed_ack.earliest", None));
    assert_eq!(within(100, 100), inverted);
    assert_eq!(within(100, 501), Some(("delayed_ack.latest", None)));
}

#[test]
fn refusals_read_well() {
    let variant = Variant {
        recovery: Recovery::Sack,
        ..Variant::default()
    };
    let message = variant.validate().err().as_ref().map(VariantError::to_string);
    assert_eq!(
        message.as_deref(),
        Some("`recovery = sack` needs selective acknowledgements, but `sack = false`: RFC 6675 repairs by SACK blocks")
    );
}
