//! Prague and today's host share a link with two coupled queues (RFC 9332).

use windlull_capture::Observer;
use windlull_link::model::{DualPi2Model, LinkModel, PathModel, QueueLimit, QueueModel, RateModel};
use windlull_sim::{Ends, Flow, Setup, Variant, Work, run};
use windlull_tcp::{CongestionControl, CongestionMarks, Recovery};
use windlull_units::{BitRate, Bytes, Direction, Ecn, Fate, Host, LinkEvent, Outcome, PacketId, Seed, Span, Time};
use windlull_wire::{Segment, SenderEvent, TransmitCause};

#[derive(Clone, Debug, Default, PartialEq)]
struct Observed {
    octets: u64,
    waits: Vec<Span>,
    lost: usize,
    marked: usize,
    /// Codepoints of the data that was sent.
    codepoints: Vec<Ecn>,
}

impl Observer for Observed {
    fn sent(&mut self, _: Time, host: Host, _: PacketId, segment: &Segment, _: Option<TransmitCause>) {
        if host == Host::Server && segment.payload_len > 0 && !self.codepoints.contains(&segment.ecn) {
            self.codepoints.push(segment.ecn);
        }
    }

    fn arrived(&mut self, _: Time, host: Host, _: PacketId, segment: &Segment) {
        if host == Host::Client {
            self.octets += u64::from(segment.payload_len);
        }
    }

    fn fate(&mut self, fate: &Fate) {
        if fate.direction == Direction::Down {
            self.lost += usize::from(matches!(fate.outcome, Outcome::Dropped { .. }));
            self.marked += usize::from(fate.marked);
            self.waits
                .extend(fate.started.map(|started| started.since(fate.entered)));
        }
    }

    fn link(&mut self, _: Time, _: &LinkEvent) {}

    fn sender(&mut self, _: Time, _: Host, _: &SenderEvent) {}
}

impl Observed {
    /// The median time in the queue.
    fn wait(&self) -> Span {
        let mut waits = self.waits.clone();
        waits.sort_unstable();
        waits[waits.len() / 2]
    }
}

fn sender(congestion: CongestionControl, ecn: CongestionMarks) -> Variant {
    Variant {
        recovery: Recovery::RackTlp,
        congestion,
        ecn,
        timestamps: true,
        sack: true,
        dsack: true,
        window_scale: true,
        receive_window: Bytes::new(3_000_000),
        initial_window: Some(10),
        ..Variant::default()
    }
}

/// Both for 60 s over 10 Mbit/s, with DualPI2 as RFC 9332 has it, and so many milliseconds each way.
fn share(first: &Variant, second: &Variant, ms: u64) -> [Observed; 2] {
    let path = PathModel {
        queue: QueueModel::DualPi2(DualPi2Model {
            limit: QueueLimit::Packets(1000),
            target: Span::from_ms(15),
            round_trip: Span::from_ms(100),
            threshold: Span::from_us(800),
            range: Span::from_us(400),
            coupling: 2,
            classic_share: 0.0625,
        }),
        ..PathModel::plain(
            BitRate::from_bps(10_000_000).map(RateModel::Constant),
            Span::from_ms(ms),
        )
    };
    let link = LinkModel::symmetric(path);
    let flow = |variant| Flow {
        ends: Ends::Tcp(variant),
        work: Work::Lasting(Span::from_secs(60)),
        data_sender: Host::Server,
        start: Span::ZERO,
    };
    let setup = Setup {
        link: &link,
        access: None,
        flows: &[flow(first), flow(second)],
        crossing: &[],
        network: windlull_units::Network::Ipv4,
        seed: Seed::new(7),
        time_limit: Span::from_secs(100),
    };
    let mut observed = vec![Observed::default(); 2];
    run(&setup, &mut observed);
    observed.try_into().expect("there are two")
}

fn prague() -> Variant {
    sender(CongestionControl::Prague, CongestionMarks::Accurate)
}

fn cubic() -> Variant {
    sender(CongestionControl::CubicLinux, CongestionMarks::Off)
}

/// Prague's packets wait for about the threshold, the others for about the target, and neither flow starves.
#[test]
fn prague_waits_for_a_fraction_of_what_the_other_waits_for() {
    let [low, classic] = share(&prague(), &cubic(), 20);
    assert_eq!(
        (&low.codepoints, &classic.codepoints),
        (&vec![Ecn::Ect1], &vec![Ecn::NotEct])
    );
    assert_eq!((low.lost, classic.marked), (0, 0));
    assert!(low.marked > 0 && classic.lost > 0);
    assert!(low.wait() <= Span::from_ms(2), "{}", low.wait());
    assert!(classic.wait() >= low.wait().saturating_mul(4), "{}", classic.wait());
    let (less, more) = (low.octets.min(classic.octets), low.octets.max(classic.octets));
    assert!(more <= 2 * less, "{} {}", low.octets, classic.octets);
    // 10 Mbit/s for 60 s, of which 1460 of 1500 octets are payload.
    assert!(less + more <= 75_000_000 * 1460 / 1500);
    assert!(less + more >= 75_000_000 * 8 / 10, "{}", less + more);
}

#[test]
fn with_short_round_trips_prague_has_no_larger_share() {
    for ms in [2, 5] {
        let [low, classic] = share(&prague(), &cubic(), ms);
        assert!(low.octets <= 2 * classic.octets, "{} {}", low.octets, classic.octets);
        assert!(low.wait() <= Span::from_ms(3), "{}", low.wait());
    }
}
