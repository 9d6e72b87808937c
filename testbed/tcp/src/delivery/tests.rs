use super::*;

const SEGMENT: u64 = 1_000;
/// Segments of a window that is never full.
const WIDE: u64 = u64::MAX;

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

fn segments(from: u64, to: u64) -> Range {
    Range::new(from * SEGMENT, to * SEGMENT)
}

fn clock() -> StampClock {
    StampClock::new(Span::from_ms(1), 0)
}

/// Sends these segments, one by one, for the first time.
fn send(delivery: &mut Delivery, ms: u64, from: u64, to: u64) {
    for segment in from..to {
        delivery.on_sent(at(ms), segments(segment, segment + 1), false, WIDE, SEGMENT);
    }
}

fn arrive(delivery: &mut Delivery, ms: u64, una: u64, held: &[Range], echo: Option<u32>) -> Option<RateSample> {
    let clock = clock();
    let arrival = Arrival {
        now: at(ms),
        una: una * SEGMENT,
        echo,
        clock: &clock,
    };
    delivery.on_arrival(&arrival, held.iter().copied())
}

/// 10 segments in a round trip of 100 ms, then 10 more: 10,000 octets in 100 ms.
#[test]
fn the_rate_is_what_was_delivered_over_the_time_since_the_last_delivery() {
    let mut delivery = Delivery::default();
    send(&mut delivery, 0, 0, 10);
    let first = arrive(&mut delivery, 100, 10, &[], None).expect("all arrived");
    assert_eq!(
        (first.delivered, first.newly_acked, first.prior_delivered),
        (10_000, 10_000, 0)
    );
    assert_eq!(first.rate, Bandwidth::of(10_000, Span::from_ms(100)));
    assert_eq!(
        (first.rtt, first.inflight, first.lost),
        (Some(Span::from_ms(100)), 10_000, 0)
    );
    assert_eq!((delivery.inflight(), delivery.delivered()), (0, 10_000));
    // Nothing is news.
    assert_eq!(arrive(&mut delivery, 110, 10, &[], None), None);
}

/// Section 4.1.1.2.3: acknowledgements that come all at once do not make the path faster than the sender was.
#[test]
fn aggregated_acknowledgements_are_bounded_by_the_rate_of_sending() {
    let mut delivery = Delivery::default();
    for segment in 0..20 {
        send(&mut delivery, 10 * segment, segment, segment + 1);
    }
    arrive(&mut delivery, 200, 1, &[], None);
    let sample = arrive(&mut delivery, 201, 20, &[], None).expect("the rest arrived");
    assert_eq!(sample.delivered, 20_000);
    assert_eq!(sample.rate, Bandwidth::of(20_000, Span::from_ms(201)));
}

/// Section 4.1.2.3: a rate over less than the least round trip is none.
#[test]
fn an_interval_below_the_least_round_trip_gives_no_rate() {
    let mut delivery = Delivery::default();
    send(&mut delivery, 0, 0, 2);
    arrive(&mut delivery, 100, 1, &[], None);
    // All that was outstanding counts as lost and is sent again, and then the original arrives.
    delivery.lose(segments(1, 2), |_| {});
    delivery.on_sent(at(150), segments(1, 2), true, WIDE, SEGMENT);
    let sample = arrive(&mut delivery, 160, 2, &[], None).expect("it arrived");
    assert_eq!((sample.rate, sample.rtt), (Bandwidth::NONE, None));
}

/// Section 4.2: a timestamp that is not older than the retransmission makes its round trip known.
#[test]
fn a_retransmission_is_timed_by_its_timestamp_alone() {
    for (echo, rtt) in [(Some(150), Some(Span::from_ms(120))), (Some(149), None), (None, None)] {
        let mut delivery = Delivery::default();
        send(&mut delivery, 0, 0, 1);
        delivery.on_sent(at(150), segments(0, 1), true, WIDE, SEGMENT);
        let sample = arrive(&mut delivery, 270, 1, &[], echo).expect("it arrived");
        assert_eq!(sample.rtt, rtt, "echo {echo:?}");
    }
}

#[test]
fn what_is_lost_is_told_once_and_counts_until_it_arrives() {
    let mut delivery = Delivery::default();
    send(&mut delivery, 0, 0, 4);
    let held = [segments(2, 4)];
    let sample = arrive(&mut delivery, 100, 1, &held, None).expect("three arrived");
    assert_eq!((sample.newly_acked, delivery.inflight()), (3_000, 1_000));
    let mut told = Vec::new();
    delivery.lose(segments(0, 4), |packet| told.push(packet));
    delivery.lose(segments(0, 4), |packet| told.push(packet));
    let lost = LostPacket {
        octets: segments(1, 2),
        inflight: 2_000,
        lost: 1_000,
        app_limited: false,
    };
    assert_eq!(told, [lost]);
    assert_eq!(delivery.inflight(), 0);
    delivery.on_sent(at(101), segments(1, 2), true, WIDE, SEGMENT);
    assert_eq!(delivery.inflight(), 1_000);
    let sample = arrive(&mut delivery, 200, 4, &[], None).expect("the retransmission arrived");
    assert_eq!((sample.newly_acked, sample.lost), (1_000, 0));
}

#[test]
fn what_is_forgiven_is_outstanding_again() {
    let mut delivery = Delivery::default();
    send(&mut delivery, 0, 0, 3);
    delivery.lose(segments(0, 2), |_| {});
    assert_eq!(delivery.inflight(), 1_000);
    delivery.forgive();
    assert_eq!(delivery.inflight(), 3_000);
    arrive(&mut delivery, 100, 3, &[], None);
    assert_eq!(delivery.inflight(), 0);
}

/// Sections 4.1.1.3 and 4.1.2.4: samples count as limited by the application until the gap has left the path.
#[test]
fn an_idle_gap_marks_samples_for_a_round_trip() {
    let mut delivery = Delivery::default();
    send(&mut delivery, 0, 0, 2);
    delivery.check_application(true, WIDE);
    assert!(!delivery.is_app_limited(), "there is something to send");
    delivery.check_application(false, 2_000);
    assert!(!delivery.is_app_limited(), "the window is full");
    delivery.check_application(false, WIDE);
    assert!(delivery.is_app_limited());
    send(&mut delivery, 10, 2, 4);
    assert!(
        !arrive(&mut delivery, 100, 2, &[], None)
            .expect("two arrived")
            .app_limited
    );
    assert!(
        delivery.is_app_limited(),
        "what was outstanding then has arrived, and nothing since"
    );
    assert!(
        arrive(&mut delivery, 110, 4, &[], None)
            .expect("two arrived")
            .app_limited
    );
    assert!(!delivery.is_app_limited());
}

/// Section 4.1.2.4: losses that wait for their retransmission are something to send.
#[test]
fn a_loss_to_repair_is_no_idle_application() {
    let mut delivery = Delivery::default();
    send(&mut delivery, 0, 0, 2);
    delivery.lose(segments(0, 1), |_| {});
    delivery.check_application(false, WIDE);
    assert!(!delivery.is_app_limited());
}

/// Section 2.2, `C.is_cwnd_limited`.
#[test]
fn a_full_window_counts_for_a_round_trip() {
    let mut delivery = Delivery::default();
    delivery.on_sent(at(0), segments(0, 1), false, 2_000, SEGMENT);
    assert!(!delivery.is_window_limited());
    delivery.on_sent(at(0), segments(1, 2), false, 2_000, SEGMENT);
    assert!(delivery.is_window_limited());
    arrive(&mut delivery, 100, 2, &[], None);
    assert!(delivery.is_window_limited());
    send(&mut delivery, 100, 2, 3);
    arrive(&mut delivery, 200, 3, &[], None);
    assert!(!delivery.is_window_limited());
}

/// RFC 2018, section 8: what the receiver has discarded is sent again, and is outstanding.
#[test]
fn what_was_held_and_is_sent_again_is_outstanding() {
    let mut delivery = Delivery::default();
    send(&mut delivery, 0, 0, 2);
    arrive(&mut delivery, 100, 0, &[segments(1, 2)], None);
    delivery.on_sent(at(1_000), segments(1, 2), true, WIDE, SEGMENT);
    assert_eq!(delivery.inflight(), 2_000);
}
