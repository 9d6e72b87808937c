//! Entries of a link's script that wait for the transport: when they begin, beside what the sender says and sends.

use windlull_capture::Observer;
use windlull_link::model::{
    Action, LinkModel, PathModel, QueueLimit, QueueModel, RateModel, Scope, ScriptEntry, Selector, TransportCondition,
    Trigger,
};
use windlull_sim::{Flow, Setup, Transfer, Variant, run};
use windlull_units::{BitRate, Bytes, Direction, Fate, Host, LinkEvent, Network, PacketId, Seed, Span, Time};
use windlull_wire::{Flags, Segment, SenderEvent, SenderState, TransmitCause};

#[derive(Clone, Debug, PartialEq)]
enum Happened {
    /// The server sent these octets of its stream.
    Data {
        first: u64,
        end: u64,
    },
    Link(LinkEvent),
    State(SenderState),
    FastRetransmit,
    Timeout,
}

/// All of it in order.
#[derive(Clone, Debug, Default, PartialEq)]
struct Log {
    /// The sequence number of octet 0.
    origin: u32,
    happened: Vec<(Time, Happened)>,
    fates: Vec<Fate>,
}

impl Observer for Log {
    fn sent(&mut self, now: Time, host: Host, _: PacketId, segment: &Segment, _: Option<TransmitCause>) {
        if host != Host::Server {
            return;
        }
        if segment.flags.has(Flags::SYN) {
            self.origin = segment.seq.0.wrapping_add(1);
        } else if segment.payload_len > 0 {
            let first = u64::from(segment.seq.0.wrapping_sub(self.origin));
            let end = first + u64::from(segment.payload_len);
            self.happened.push((now, Happened::Data { first, end }));
        }
    }

    fn arrived(&mut self, _: Time, _: Host, _: PacketId, _: &Segment) {}

    fn fate(&mut self, fate: &Fate) {
        self.fates.push(*fate);
    }

    fn link(&mut self, now: Time, event: &LinkEvent) {
        self.happened.push((now, Happened::Link(event.clone())));
    }

    fn sender(&mut self, now: Time, _: Host, event: &SenderEvent) {
        let happened = match event {
            SenderEvent::State(state) => Happened::State(*state),
            SenderEvent::FastRetransmit { .. } => Happened::FastRetransmit,
            SenderEvent::Timeout { .. } => Happened::Timeout,
            _ => return,
        };
        self.happened.push((now, happened));
    }
}

impl Log {
    /// The place of the hold's beginning, and when it was.
    fn held(&self) -> (usize, Time) {
        let began = |(_, happened): &(Time, Happened)| matches!(happened, Happened::Link(LinkEvent::HoldBegan { name, direction: Direction::Up, .. }) if name == "script 2");
        let holds: Vec<usize> = (0..self.happened.len())
            .filter(|&place| began(&self.happened[place]))
            .collect();
        assert_eq!(holds.len(), 1, "one hold: {:#?}", self.happened);
        (holds[0], self.happened[holds[0]].0)
    }

    /// When data was sent, whether any of it was sent before, and whether any was not.
    fn transmissions(&self) -> Vec<(Time, bool, bool)> {
        let mut highest = 0;
        let mut transmissions = Vec::new();
        for (at, happened) in &self.happened {
            if let Happened::Data { first, end } = *happened {
                transmissions.push((*at, first < highest, end > highest));
                highest = highest.max(end);
            }
        }
        transmissions
    }
}

const SIZE: u64 = 600_000;

/// 4 Mbit/s and 40 ms of round trip. The first entry of the script does this to packets down, the second holds the
/// acknowledgements for 300 ms.
fn link(first: ScriptEntry, when: TransportCondition) -> LinkModel {
    let path = PathModel {
        queue: QueueModel::DropTail(QueueLimit::Packets(1000)),
        ..PathModel::plain(BitRate::from_bps(4_000_000).map(RateModel::Constant), Span::from_ms(20))
    };
    let mut link = LinkModel::symmetric(path);
    let hold = ScriptEntry {
        scope: Scope::One(Direction::Up),
        trigger: Trigger::Transport {
            when,
            lasts: Some(Span::from_ms(300)),
        },
        action: Action::Hold,
    };
    link.script = vec![first, hold];
    link
}

/// These segments are lost.
fn lost(first: u64, last: u64) -> ScriptEntry {
    ScriptEntry {
        scope: Scope::One(Direction::Down),
        trigger: Trigger::Packets {
            which: Selector::DataSegments { first, last },
            lasts: None,
        },
        action: Action::Drop,
    }
}

fn play(link: &LinkModel) -> Log {
    let variant = Variant {
        window_scale: true,
        receive_window: Bytes::new(1_000_000),
        ..Variant::default()
    };
    let transfer = Transfer {
        size: Bytes::new(SIZE),
        data_sender: Host::Server,
    };
    let setup = Setup {
        link,
        access: None,
        flows: &[Flow::of(&variant, transfer)],
        crossing: &[],
        network: Network::Ipv4,
        seed: Seed::new(7),
        time_limit: Span::from_secs(600),
    };
    let mut logs = vec![Log::default()];
    run(&setup, &mut logs);
    logs.remove(0)
}

/// The same, twice: it is the same to the last event.
fn played(first: ScriptEntry, when: TransportCondition) -> Log {
    let link = link(first, when);
    let log = play(&link);
    assert_eq!(log, play(&link), "the same seed gives the same run");
    log
}

#[test]
fn after_an_octet() {
    let octet = 200_000;
    let log = played(lost(60, 60), TransportCondition::AfterByte(octet));
    let (place, at) = log.held();
    let carries = |(_, happened): &(Time, Happened)| matches!(*happened, Happened::Data { first, end } if (first..end).contains(&octet));
    let first = log.happened.iter().position(carries).expect("it was sent");
    assert_eq!(log.happened[first].0, at);
    assert!(first < place, "the link hears of it by the packet");
    // All before it were sent before.
    assert!(log.happened[first + 1..place].iter().all(|(other, _)| *other == at));
}

#[test]
fn at_a_retransmission_of_a_number() {
    for nth in [1, 2, 5] {
        let log = played(lost(60, 69), TransportCondition::Retransmission(nth));
        let transmissions = log.transmissions().into_iter();
        let again: Vec<Time> = transmissions.filter_map(|(at, again, _)| again.then_some(at)).collect();
        let place = usize::try_from(nth - 1).expect("small");
        assert_eq!(log.held().1, again[place], "retransmission {nth} of {again:?}");
    }
}

#[test]
fn when_the_window_first_exceeds() {
    let segments = 20;
    let log = played(lost(100, 100), TransportCondition::WindowExceeds { segments });
    let (_, at) = log.held();
    let most = u64::from(segments) * u64::from(Variant::default().mss);
    let above =
        |(_, happened): &(Time, Happened)| matches!(happened, Happened::State(state) if state.cwnd_bytes > most);
    let first = log.happened.iter().position(above).expect("the window grows");
    assert_eq!(log.happened[first].0, at);
}

#[test]
fn on_entering_recovery_before_anything_is_sent_again() {
    let log = played(lost(60, 60), TransportCondition::Recovery);
    let (place, at) = log.held();
    let recovery = log
        .happened
        .iter()
        .position(|(_, happened)| *happened == Happened::FastRetransmit);
    let recovery = recovery.expect("a fast retransmit");
    assert_eq!(log.happened[recovery].0, at);
    assert!(recovery < place);
    let sent_before = |(_, happened): &(Time, Happened)| matches!(happened, Happened::Data { .. });
    assert!(!log.happened[recovery..place].iter().any(sent_before));
    assert!(
        !log.happened[..recovery]
            .iter()
            .any(|(_, happened)| *happened == Happened::Timeout)
    );
}

#[test]
fn a_multiple_of_the_timeout_after_the_last_new_data() {
    // In an outage of five seconds the timer fires, and what is sent again is lost.
    let outage = ScriptEntry {
        scope: Scope::One(Direction::Down),
        trigger: Trigger::At {
            at: Time::ZERO + Span::from_ms(500),
            lasts: Some(Span::from_secs(5)),
        },
        action: Action::Drop,
    };
    for rto_thousandths in [500, 1500] {
        let log = played(
            outage.clone(),
            TransportCondition::AfterLastTransmission { rto_thousandths },
        );
        let (place, at) = log.held();
        let mut newest_first = log.transmissions().into_iter().rev();
        let last = newest_first.find(|&(sent, _, is_new)| is_new && sent < at);
        let (last, ..) = last.expect("data was sent");
        let rto = (log.happened[..place].iter().rev())
            .find_map(|(told, happened)| match happened {
                Happened::State(state) if *told <= last => Some(state.rto),
                _ => None,
            })
            .expect("a state");
        let expected = Span::from_ns(rto.as_ns() * u64::from(rto_thousandths) / 1000);
        assert_eq!(at, last + expected);
        let timeouts = log.happened[..place]
            .iter()
            .filter(|(_, happened)| *happened == Happened::Timeout)
            .count();
        assert_eq!(
            timeouts,
            usize::from(rto_thousandths > 1000),
            "the timer has fired by then"
        );
    }
}

#[test]
fn nothing_happens_if_it_never_comes_to_that() {
    for when in [
        TransportCondition::AfterByte(SIZE),
        TransportCondition::Retransmission(1000),
        TransportCondition::WindowExceeds { segments: 100_000 },
        TransportCondition::AfterLastTransmission {
            rto_thousandths: 1_000_000,
        },
    ] {
        let log = played(lost(60, 60), when);
        let holds = |(_, happened): &(Time, Happened)| matches!(happened, Happened::Link(LinkEvent::HoldBegan { .. }));
        assert!(!log.happened.iter().any(holds), "{when}");
        // The run is as if the entry were not there.
        let mut without = link(lost(60, 60), when);
        without.script.truncate(1);
        assert_eq!(log, play(&without), "{when}");
    }
}
