//! Plays a script against a TCP of ours in virtual time: what comes in is handed to it when the script says, what it sends is
//! compared with what the script expects.
//!
//! Both initial sequence numbers are 0, so that the script's numbers are the segments' own. The TCP's timestamps begin with
//! its clock; as packetdrill does, a played timestamp is mapped to that of the script by the first one of each.

mod calls;
mod compare;
mod sockets;
mod stop;
mod words;

use std::collections::{HashMap, VecDeque};

use windlull_tcp::{Endpoint, EndpointObserver, Variant};
use windlull_units::{Ecn, Span, Time};
use windlull_wire::{Flags, Segment, SenderEvent, SeqNumber};

use crate::options::meant;
use crate::script::{Action, Direction, Event, EventTime, ExpectedOptions, Ip, Packet, Script};

use sockets::Sockets;
use stop::{Step, Stop, differs, seconds, unplayable};
use words::words;

pub use stop::{Difference, Unplayable};

/// What packetdrill tolerates if a script does not say.
const TOLERANCE: Span = Span::from_us(4_000);
/// So often in a row a timer may be due at the same instant without a segment; more is a fault of the TCP's.
const MOST_WAKES: u32 = 100_000;

/// What playing a script showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Segments that came out as expected.
    pub expected: u64,
    /// Segments that were handed in.
    pub handed_in: u64,
    /// What the sender decided: timeouts, fast retransmits, steps and answers of its detector, responses.
    pub decisions: Vec<(Time, SenderEvent)>,
    /// What the script asks for and a simulation does not do, a sentence each.
    pub notes: Vec<String>,
    /// The first thing that was not as the script says.
    pub difference: Option<Difference>,
}

/// Plays a script, up to the first difference.
///
/// # Errors
/// If the script asks for what a simulation does not have.
pub fn play(script: &Script, variant: &Variant) -> Result<Played, Unplayable> {
    let mut player = Player::new(script, variant)?;
    let difference = match player.all(&script.events) {
        Ok(()) => None,
        Err(Stop::Difference(difference)) => Some(difference),
        Err(Stop::Unplayable(unplayable)) => return Err(unplayable),
    };
    Ok(Played {
        expected: player.expected,
        handed_in: player.handed_in,
        decisions: player.decisions.0,
        notes: player.notes,
        difference,
    })
}

/// Keeps what a sender decides, and passes over its variables and measurements.
#[derive(Debug, Default)]
struct Decisions(Vec<(Time, SenderEvent)>);

impl EndpointObserver for Decisions {
    fn sender(&mut self, now: Time, event: &SenderEvent) {
        match event {
            SenderEvent::State(_)
            | SenderEvent::RttSample { .. }
            | SenderEvent::Limited { .. }
            | SenderEvent::LimitedFor { .. } => {}
            SenderEvent::Timeout { .. }
            | SenderEvent::FastRetransmit { .. }
            | SenderEvent::RecoveryEnded { .. }
            | SenderEvent::Detector { .. }
            | SenderEvent::Response { .. }
            | SenderEvent::RecoveryUndone { .. }
            | SenderEvent::LossProbe
            | SenderEvent::LossProbeRepaired => self.0.push((now, event.clone())),
        }
    }
}

/// The first timestamps that were expected and played.
#[derive(Clone, Copy, Debug)]
struct FirstStamps {
    script: u32,
    played: u32,
}

struct Player {
    endpoint: Endpoint,
    tolerance: Span,
    /// How long a tick of the timestamps is; without it they are not compared.
    stamp_tick: Option<Span>,
    /// `--tcp_ts_ecr_scaled`: an echo need not be of a timestamp that was expected.
    echo_scaled: bool,
    now: Time,
    /// When the last event was, by the script.
    script_now: Time,
    /// What was sent and not yet expected.
    sent: VecDeque<(Time, Segment)>,
    first_stamps: Option<FirstStamps>,
    /// The timestamp that was played for each that was expected.
    stamps: HashMap<u32, u32>,
    sockets: Sockets,
    decisions: Decisions,
    notes: Vec<String>,
    expected: u64,
    handed_in: u64,
}

impl Player {
    fn new(script: &Script, variant: &Variant) -> Result<Self, Unplayable> {
        let option = |name: &str| script.options.iter().rev().find(|option| option.name == name);
        let span = |name: &str| {
            let value = option(name).and_then(|option| option.value.as_deref());
            let us = value.map(|text| text.parse::<u64>().map_err(|_| (name.to_owned(), text.to_owned())));
            us.transpose()
                .map(|us| us.map(|us| Span::from_us(1).saturating_mul(us)))
        };
        let wrong = |(name, text): (String, String)| Unplayable {
            line: 1,
            what: format!("--{name}={text}: a whole number of microseconds is expected"),
        };
        let mut notes = Vec::new();
        if script.first_command.is_some() {
            notes.push("The first command is of a kernel; a simulation does not run it.".to_owned());
        }
        Ok(Self {
            endpoint: Endpoint::new(variant, SeqNumber(0)),
            tolerance: span("tolerance_usecs").map_err(wrong)?.unwrap_or(TOLERANCE),
            stamp_tick: span("tcp_ts_tick_usecs").map_err(wrong)?.filter(|tick| !tick.is_zero()),
            echo_scaled: option("tcp_ts_ecr_scaled").is_some(),
            now: Time::ZERO,
            script_now: Time::ZERO,
            sent: VecDeque::new(),
            first_stamps: None,
            stamps: HashMap::new(),
            sockets: Sockets::default(),
            decisions: Decisions::default(),
            notes,
            expected: 0,
            handed_in: 0,
        })
    }

    fn all(&mut self, events: &[Event]) -> Step {
        let last = events.last().map_or(0, |event| event.line);
        let mut events = events.iter().peekable();
        while let Some(event) = events.next() {
            match &event.action {
                Action::Packet(Direction::Outbound, packet) => self.expect(event, packet)?,
                Action::Packet(Direction::Inbound, packet) => {
                    self.go_to(event)?;
                    self.hand_in(event, packet)?;
                    // What the application does in the same instant, it does before the TCP answers.
                    if !events.peek().is_some_and(|next| self.acts_at_once(next)) {
                        self.transmit();
                    }
                }
                Action::Call(call) => {
                    // When a call returns, counts as the event's own time does.
                    let counted_from = match event.time {
                        EventTime::Relative(_) => self.script_now,
                        _ => Time::ZERO,
                    };
                    self.go_to(event)?;
                    self.call(event.line, call, counted_from)?;
                    if !events.peek().is_some_and(|next| self.acts_at_once(next)) {
                        self.transmit();
                    }
                }
                Action::Command(_) => {
                    self.go_to(event)?;
                    self.note(
                        event.line,
                        "a shell command is of a kernel; a simulation does not run it",
                    );
                }
                Action::Code(_) => {
                    self.go_to(event)?;
                    self.note(
                        event.line,
                        "code reads a kernel's `tcp_info`; a simulation does not run it",
                    );
                }
            }
        }
        self.nothing_left(last)?;
        self.all_received()
    }

    fn note(&mut self, line: usize, what: &str) {
        self.notes.push(format!("Line {line}: {what}."));
    }

    // ---- time ----

    /// When an event is, by the script: the first and the last instant.
    fn times(&self, time: EventTime) -> Option<(Time, Time)> {
        let base = self.script_now;
        match time {
            EventTime::Relative(span) => Some((base + span, base + span)),
            EventTime::Absolute(span) => Some((Time::ZERO + span, Time::ZERO + span)),
            EventTime::RelativeRange(from, to) => Some((base + from, base + to)),
            EventTime::AbsoluteRange(from, to) => Some((Time::ZERO + from, Time::ZERO + to)),
            EventTime::Any => None,
        }
    }

    /// Lets time pass until an event that the script makes happen. Nothing may be sent meanwhile that is not expected.
    fn go_to(&mut self, event: &Event) -> Step {
        let Some((at, _)) = self.times(event.time) else {
            return Ok(());
        };
        if at < self.script_now {
            return Err(unplayable(event.line, "time goes back"));
        }
        self.nothing_left(event.line)?;
        let mut wakes = 0;
        while let Some(due) = self.endpoint.poll_at().filter(|due| *due < at) {
            self.wake(due, event.line, &mut wakes)?;
            self.nothing_left(event.line)?;
        }
        // A segment that was expected at this very instant may have left a little later, within the tolerance.
        self.now = self.now.max(at);
        self.script_now = at;
        Ok(())
    }

    /// A timer of the TCP fires.
    fn wake(&mut self, due: Time, line: usize, wakes: &mut u32) -> Step {
        *wakes = if due > self.now { 0 } else { *wakes + 1 };
        if *wakes > MOST_WAKES {
            return Err(differs(
                line,
                format!("the TCP's timer is due at {} again and again", seconds(due)),
            ));
        }
        self.now = self.now.max(due);
        self.endpoint.on_timer(self.now, &mut self.decisions);
        self.transmit();
        Ok(())
    }

    /// Takes what the TCP has to send now.
    fn transmit(&mut self) {
        while let Some((segment, _)) = self.endpoint.poll_transmit(self.now, &mut self.decisions) {
            self.sent.push_back((self.now, segment));
        }
    }

    fn nothing_left(&self, line: usize) -> Step {
        match self.sent.front() {
            None => Ok(()),
            Some((at, segment)) => Err(differs(
                line,
                format!(
                    "before this, a segment was sent at {} that the script does not expect: {}",
                    seconds(*at),
                    words(segment)
                ),
            )),
        }
    }

    // ---- segments ----

    fn hand_in(&mut self, event: &Event, packet: &Packet) -> Step {
        let mut options = match &packet.options {
            ExpectedOptions::These(options) => meant(options),
            ExpectedOptions::Any => return Err(unplayable(event.line, "a segment that comes in lists its options")),
        };
        if let Some(stamps) = &mut options.timestamps {
            if packet.flags.has(Flags::ACK) {
                stamps.echo = self.played_stamp(event.line, stamps.echo)?;
            }
        }
        let segment = Segment {
            seq: SeqNumber(packet.seq),
            ack: SeqNumber(packet.ack.unwrap_or(0)),
            flags: packet.flags,
            ecn: match packet.ip {
                Some(Ip::Ecn(ecn)) => ecn,
                Some(Ip::AnyCapable) | None => Ecn::NotEct,
            },
            window: packet.window.unwrap_or(0),
            options,
            payload_len: u32::from(packet.payload_len),
        };
        self.endpoint.on_segment(self.now, &segment, &mut self.decisions);
        self.handed_in += 1;
        self.receive()
    }

    /// The timestamp that stands for one of the script's.
    fn played_stamp(&self, line: usize, echo: u32) -> Result<u32, Stop> {
        match (self.stamps.get(&echo), self.first_stamps) {
            (Some(played), _) => Ok(*played),
            (None, Some(first)) if self.echo_scaled => Ok(echo.wrapping_sub(first.script).wrapping_add(first.played)),
            _ => Err(differs(
                line,
                format!("no segment before this was expected with `TS val {echo}`, which is echoed here"),
            )),
        }
    }

    fn expect(&mut self, event: &Event, packet: &Packet) -> Step {
        let times = self.times(event.time);
        let latest = times.map_or(Time::NEVER, |(_, to)| to + self.tolerance);
        let mut wakes = 0;
        while self.sent.is_empty() {
            let due = self.endpoint.poll_at().filter(|due| *due <= latest);
            let Some(due) = due else {
                let next = match self.endpoint.poll_at() {
                    Some(due) => format!("the TCP's next timer is due at {}", seconds(due)),
                    None => "the TCP waits for nothing".to_owned(),
                };
                let what = match times {
                    Some((from, _)) => format!("not sent at {}: {packet}; {next}", seconds(from)),
                    None => format!("never sent: {packet}; {next}"),
                };
                return Err(differs(event.line, what));
            };
            self.wake(due, event.line, &mut wakes)?;
        }
        let Some((at, segment)) = self.sent.pop_front() else {
            return Ok(());
        };
        self.compare(event.line, packet, &segment)?;
        if let Some((from, to)) = times {
            if at + self.tolerance < from || at > to + self.tolerance {
                let expected = if from == to {
                    seconds(from)
                } else {
                    format!("between {} and {}", seconds(from), seconds(to))
                };
                let what = format!(
                    "expected at {expected}, sent at {}; the tolerance is {} us: {packet}",
                    seconds(at),
                    self.tolerance.as_ns() / 1_000
                );
                return Err(differs(event.line, what));
            }
        }
        self.script_now = match times {
            Some((from, to)) if from == to => from,
            // Where the script leaves the time open, what follows counts from when it was.
            _ => at,
        };
        self.expected += 1;
        Ok(())
    }
}
