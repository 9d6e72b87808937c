//! Runs one script.

use std::collections::VecDeque;
use std::fmt::Write as _;

use windlull_tcp::{CloseReason, CongestionMarks, Endpoint};
use windlull_units::{Ecn, Span, Time, parse_span};
use windlull_wire::{Flags, SackBlock, Segment, SenderEvent, SenderState, SeqNumber, Timestamps, TransmitCause};

use super::settings::{Settings, UNIT};
use super::words::{self, Numbers, octets_word};

/// Script time 0, so that a handshake has room before it.
const ZERO: Time = Time::from_ns(10_000_000_000);
/// The round trip of the handshakes that `open` and `accept` make.
const HANDSHAKE: Span = Span::from_ms(100);
/// The peer's timestamp at script time 0.
const PEER_STAMP: u32 = 70_000;
/// The endpoint's timestamps count milliseconds from the start, on top of its ISN.
const OWN_STAMP: u32 = 10_000;

/// Runs a script; the error is `LINE: what is wrong`, and the history.
pub(crate) fn run(text: &str) -> Result<(), String> {
    let mut run = Run::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.split('#').next().unwrap_or("").trim();
        if !line.is_empty() {
            run.history.push(format!("   {line}"));
            run.line(line).map_err(|what| run.failure(number, &what))?;
        }
    }
    run.nothing_left().map_err(|what| run.failure(0, &what))
}

struct Run {
    settings: Settings,
    endpoint: Option<Endpoint>,
    now: Time,
    sent: VecDeque<(Segment, TransmitCause)>,
    events: Vec<(Time, SenderEvent)>,
    unread: usize,
    state: Option<SenderState>,
    own: Numbers,
    peer: Numbers,
    /// What the peer sends next, and what it last acknowledged.
    peer_next: SeqNumber,
    peer_ack: SeqNumber,
    peer_window: u16,
    /// Whether segments carry timestamps.
    stamped: bool,
    last_stamp: u32,
    history: Vec<String>,
}

type Step = Result<(), String>;

impl Run {
    fn new() -> Self {
        let unset = Numbers { origin: SeqNumber(0) };
        Self {
            settings: Settings::new(),
            endpoint: None,
            now: ZERO,
            sent: VecDeque::new(),
            events: Vec::new(),
            unread: 0,
            state: None,
            own: unset,
            peer: unset,
            peer_next: SeqNumber(0),
            peer_ack: SeqNumber(0),
            peer_window: 60_000,
            stamped: false,
            last_stamp: 0,
            history: Vec::new(),
        }
    }

    fn failure(&self, line: usize, what: &str) -> String {
        let mut text = format!("{line}: {what}\n\nhistory:\n");
        for step in &self.history {
            let _ = writeln!(text, "{step}");
        }
        if let Some(endpoint) = &self.endpoint {
            let wake = endpoint
                .poll_at()
                .map_or_else(|| "none".to_owned(), |at| words::time(at, ZERO));
            let _ = writeln!(text, "   next wake-up: {wake}, state {:?}", endpoint.state());
        }
        text
    }

    fn line(&mut self, line: &str) -> Step {
        let tokens: Vec<&str> = line.split_whitespace().collect();
        match tokens[0] {
            "set" => tokens[1..].iter().try_for_each(|word| self.settings.set(word)),
            "open" => self.open(&tokens[1..]),
            "accept" => self.accept(&tokens[1..]),
            "raw" => self.start(),
            _ => {
                let (amount, unit, rest) = match tokens.as_slice() {
                    [amount, unit, rest @ ..] if !rest.is_empty() => (amount, unit, rest),
                    _ => return Err("a line is `TIME what`".to_owned()),
                };
                let at = ZERO + parse_span(&format!("{amount} {unit}")).map_err(|error| error.to_string())?;
                self.go_to(at)?;
                self.step(rest)
            }
        }
    }

    fn step(&mut self, words: &[&str]) -> Step {
        if words[0] != ">" && words[0] != "=" && words[0] != "!" {
            self.nothing_left()?;
        }
        let number = || {
            words
                .get(1)
                .and_then(|word| word.parse::<u64>().ok())
                .ok_or("a number is missing")
        };
        let now = self.now;
        match words[0] {
            "<" => self.inject(&words[1..])?,
            ">" => return self.expect(&words[1..]),
            "!" => return self.expect_event(&words[1..].join(" ")),
            "=" => return self.expect_state(&words[1..]),
            "connect" => self.endpoint()?.connect(now),
            "listen" => self.endpoint()?.listen(),
            "write" => self.endpoint()?.write(now, number()? * UNIT),
            "write-octets" => self.endpoint()?.write(now, number()?),
            "read" => {
                self.endpoint()?.read(now, number()? * UNIT);
            }
            "close" => self.endpoint()?.close(now),
            "abort" => self.endpoint()?.abort(now),
            other => return Err(format!("`{other}` is no step")),
        }
        self.transmit()
    }

    // ---- time ----

    fn go_to(&mut self, at: Time) -> Step {
        if at < self.now {
            return Err("time goes back".to_owned());
        }
        if at == self.now {
            return Ok(());
        }
        self.nothing_left()?;
        let just_before = Time::from_ns(at.as_ns() - 1);
        while let Some(wake) = self.endpoint()?.poll_at().filter(|wake| *wake < at) {
            self.now = self.now.max(wake);
            self.fire()?;
            self.nothing_left()?;
        }
        self.now = just_before;
        self.fire()?;
        self.nothing_left()?;
        self.now = at;
        self.fire()
    }

    fn fire(&mut self) -> Step {
        let now = self.now;
        let mut events = std::mem::take(&mut self.events);
        self.endpoint()?.on_timer(now, &mut events);
        self.events = events;
        self.transmit()
    }

    fn transmit(&mut self) -> Step {
        let now = self.now;
        let mut events = std::mem::take(&mut self.events);
        while let Some((segment, cause)) = self.endpoint()?.poll_transmit(now, &mut events) {
            if let Some(timestamps) = segment.options.timestamps {
                self.last_stamp = timestamps.value;
            }
            let in_words = words::segment(&segment, self.own, self.peer);
            self.history.push(format!(
                "      {} sent {in_words} {}",
                words::time(now, ZERO),
                cause.name()
            ));
            self.sent.push_back((segment, cause));
            if self.sent.len() > 10_000 {
                return Err("it sends without end".to_owned());
            }
        }
        self.events = events;
        self.state = self.events.iter().rev().find_map(|(_, event)| match event {
            SenderEvent::State(state) => Some(*state),
            _ => None,
        });
        Ok(())
    }

    fn nothing_left(&self) -> Step {
        match self.sent.front() {
            Some((segment, cause)) => Err(format!(
                "not expected at {}: {} {}",
                words::time(self.now, ZERO),
                words::segment(segment, self.own, self.peer),
                cause.name()
            )),
            None => Ok(()),
        }
    }

    fn endpoint(&mut self) -> Result<&mut Endpoint, &'static str> {
        self.endpoint.as_mut().ok_or("`open`, `accept` or `raw` comes first")
    }

    // ---- handshakes ----

    fn start(&mut self) -> Step {
        let settings = &self.settings;
        settings.variant.validate().map_err(|error| error.to_string())?;
        self.endpoint = Some(Endpoint::new(&settings.variant, SeqNumber(settings.isn)));
        self.own.origin = SeqNumber(settings.isn).add(1);
        self.peer.origin = SeqNumber(settings.peer_isn).add(1);
        self.peer_next = self.peer.origin;
        self.peer_ack = self.own.origin;
        self.stamped = settings.variant.timestamps;
        Ok(())
    }

    fn open(&mut self, options: &[&str]) -> Step {
        self.start()?;
        self.now = Time::from_ns(ZERO.as_ns() - HANDSHAKE.as_ns());
        let now = self.now;
        self.endpoint()?.connect(now);
        self.transmit()?;
        let (syn, _) = self.sent.pop_front().ok_or("no SYN")?;
        self.now = ZERO;
        let mut answer = self.handshake_segment(&syn, options)?;
        // What a SYN asks with two flags its answer grants with one (RFC 3168, section 6.1.1).
        let granted = answer.flags.has(Flags::ECE);
        let marks = if answer.flags.has(Flags::AE) {
            // Accurate ECN: the SYN was not capable (RFC 9768, section 3.1.1, table 2).
            Flags::CWR
        } else if granted {
            Flags::ECE
        } else {
            Flags::default()
        };
        answer.flags = Flags::SYN.with(Flags::ACK).with(marks);
        answer.ack = syn.end();
        self.arrive(&answer)?;
        self.sent.pop_front().ok_or("the SYN-ACK was not acknowledged")?;
        self.unread = self.events.len();
        self.nothing_left()
    }

    fn accept(&mut self, options: &[&str]) -> Step {
        self.start()?;
        self.now = Time::from_ns(ZERO.as_ns() - HANDSHAKE.as_ns());
        self.endpoint()?.listen();
        let variant = &self.settings.variant;
        let mut offer = Segment::default();
        offer.options.mss = Some(variant.mss);
        offer.options.window_scale = variant.window_scale.then_some(0);
        offer.options.sack_permitted = variant.sack;
        if variant.ecn != CongestionMarks::Off {
            offer.flags = Flags::ECE.with(Flags::CWR);
        }
        if variant.ecn == CongestionMarks::Accurate {
            offer.flags = offer.flags.with(Flags::AE);
        }
        offer.options.timestamps = variant.timestamps.then(Timestamps::default);
        let syn = self.handshake_segment(&offer, options)?;
        self.arrive(&syn)?;
        let (answer, _) = self.sent.pop_front().ok_or("no SYN-ACK")?;
        self.now = ZERO;
        let ack = Segment {
            seq: self.peer_next,
            ack: answer.end(),
            flags: Flags::ACK,
            window: self.peer_window,
            options: self.stamps(None, None),
            ..Segment::default()
        };
        self.arrive(&ack)?;
        self.unread = self.events.len();
        self.nothing_left()
    }

    /// The peer's SYN: it speaks what `offer` speaks, apart from what `options` takes away.
    fn handshake_segment(&mut self, offer: &Segment, options: &[&str]) -> Result<Segment, String> {
        let mut syn = Segment {
            seq: SeqNumber(self.settings.peer_isn),
            flags: Flags::SYN.with(Flags(offer.flags.0 & (Flags::AE.0 | Flags::ECE.0 | Flags::CWR.0))),
            options: offer.options,
            ..Segment::default()
        };
        let mut scale = syn.options.window_scale.map(|_| 0);
        for word in options {
            let (key, value) = word.split_once('=').unwrap_or((word, "0"));
            let value: u32 = value.parse().map_err(|_| format!("`{word}` is no number"))?;
            match key {
                "window" => {
                    self.peer_window = u16::try_from(u64::from(value) * UNIT).map_err(|_| "window too large")?;
                }
                "mss" => syn.options.mss = Some(u16::try_from(value).map_err(|_| "MSS too large")?),
                "scale" => scale = Some(u8::try_from(value).map_err(|_| "scale too large")?),
                "-scale" => scale = None,
                "-mss" => syn.options.mss = None,
                "-ecn" => syn.flags = Flags::SYN,
                "-accurate" => syn.flags = Flags(syn.flags.0 & !Flags::AE.0),
                "-sack" => syn.options.sack_permitted = false,
                "-timestamps" => self.stamped = false,
                _ => return Err(format!("there is no option `{key}`")),
            }
        }
        syn.window = self.peer_window;
        syn.options.window_scale = scale;
        let stamps = self.stamps(None, None).timestamps;
        syn.options.timestamps = stamps.filter(|_| offer.options.timestamps.is_some());
        Ok(syn)
    }

    // ---- what the peer does ----

    fn stamps(&self, value: Option<i64>, echo: Option<i64>) -> windlull_wire::Options {
        let mut options = windlull_wire::Options::default();
        if self.stamped {
            let now = i64::try_from(self.now.as_ns() / 1_000_000).expect("short") - i64::from(OWN_STAMP);
            options.timestamps = Some(Timestamps {
                value: wrapped(i64::from(PEER_STAMP) + value.unwrap_or(now)),
                echo: echo.map_or(self.last_stamp, |echo| {
                    wrapped(i64::from(self.settings.isn) + i64::from(OWN_STAMP) + echo)
                }),
            });
        }
        options
    }

    fn arrive(&mut self, segment: &Segment) -> Step {
        let now = self.now;
        let in_words = words::segment(segment, self.peer, self.own);
        self.history
            .push(format!("      {} arrives {in_words}", words::time(now, ZERO)));
        let mut events = std::mem::take(&mut self.events);
        let reading = self.settings.reading;
        let endpoint = self.endpoint()?;
        endpoint.on_segment(now, segment, &mut events);
        if reading {
            let readable = endpoint.readable();
            endpoint.read(now, readable);
        }
        self.events = events;
        self.transmit()
    }

    fn inject(&mut self, words: &[&str]) -> Step {
        let mut segment = Segment {
            seq: self.peer_next,
            ack: self.peer_ack,
            flags: Flags::ACK,
            window: self.peer_window,
            ..Segment::default()
        };
        let (mut value, mut echo, mut stamped) = (None, None, true);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut argument = || words.next().copied().ok_or_else(|| format!("`{word}` needs a value"));
            match *word {
                "ack" => segment.ack = self.own.number(argument()?)?,
                "no-ack" => segment.flags = Flags(segment.flags.0 & !Flags::ACK.0),
                "data" => {
                    let (start, end) = range(argument()?)?;
                    segment.seq = self.peer.number(&start)?;
                    let len = self.peer.number(&end)?.offset_from(segment.seq);
                    segment.payload_len = u32::try_from(len).map_err(|_| "the range is empty")?;
                }
                "fin" => segment.flags = segment.flags.with(Flags::FIN),
                "syn" => {
                    segment.seq = SeqNumber(self.settings.peer_isn);
                    segment.flags = segment.flags.with(Flags::SYN);
                    segment.options.mss = Some(self.settings.variant.mss);
                    segment.options.sack_permitted = self.settings.variant.sack;
                    segment.options.window_scale = self.settings.variant.window_scale.then_some(0);
                }
                "ece" => segment.flags = segment.flags.with(Flags::ECE),
                "cwr" => segment.flags = segment.flags.with(Flags::CWR),
                "ns" => segment.flags = segment.flags.with(Flags::NS),
                "ect1" => segment.ecn = Ecn::Ect1,
                "ect0" => segment.ecn = Ecn::Ect0,
                "ce" => segment.ecn = Ecn::Ce,
                "rst" => segment.flags = segment.flags.with(Flags::RST),
                "seq" => segment.seq = self.peer.number(argument()?)?,
                "win" => {
                    let octets = u64::from(argument()?.parse::<u32>().map_err(|_| "no window")?) * UNIT;
                    self.peer_window = u16::try_from(octets).map_err(|_| "window too large")?;
                    segment.window = self.peer_window;
                }
                "win-field" => segment.window = argument()?.parse().map_err(|_| "no window field")?,
                "sack" => {
                    for block in argument()?.split(',') {
                        let (left, right) = block.split_once('-').ok_or("a block is A-B")?;
                        let block = SackBlock {
                            left: self.own.number(left)?,
                            right: self.own.number(right)?,
                        };
                        segment.options.sack.push(block);
                    }
                }
                "tsval" => value = Some(argument()?.parse().map_err(|_| "no timestamp")?),
                "tsecr" => echo = Some(argument()?.parse().map_err(|_| "no timestamp")?),
                "unstamped" => stamped = false,
                other => return Err(format!("`{other}` is no part of a segment")),
            }
        }
        if stamped {
            segment.options.timestamps = self.stamps(value, echo).timestamps;
        }
        if segment.flags.has(Flags::ACK) && segment.ack.offset_from(self.peer_ack) > 0 {
            self.peer_ack = segment.ack;
        }
        if segment.end().offset_from(self.peer_next) > 0 {
            self.peer_next = segment.end();
        }
        self.arrive(&segment)
    }

    // ---- what is expected ----

    fn expect(&mut self, words: &[&str]) -> Step {
        let expected = words.join(" ");
        // `0..4 CAUSE` are four segments of one unit.
        if let Some((first, last)) = words[0].split_once("..") {
            if let (Ok(first), Ok(last)) = (first.parse::<u64>(), last.parse::<u64>()) {
                return (first..last).try_for_each(|at| {
                    let mut one = vec![at.to_string()];
                    one.extend(words[1..].iter().map(|word| (*word).to_owned()));
                    self.expect_one(&one.join(" "))
                });
            }
        }
        self.expect_one(&expected)
    }

    fn expect_one(&mut self, expected: &str) -> Step {
        let at = words::time(self.now, ZERO);
        let (segment, cause) = self
            .sent
            .pop_front()
            .ok_or_else(|| format!("expected at {at}: {expected}; nothing was sent"))?;
        let mut actual = words::segment(&segment, self.own, self.peer);
        // Options that are compared when written.
        for key in ["win", "tsval", "tsecr", "mss", "scale", "ack-field", "ecn"] {
            if expected.split(' ').any(|word| word == key) {
                let _ = write!(actual, " {key} {}", self.option(&segment, key));
            }
        }
        for key in ["sackok", "psh", "ece", "cwr", "ns"] {
            let has = match key {
                "sackok" => segment.options.sack_permitted,
                "ece" => segment.flags.has(Flags::ECE),
                "cwr" => segment.flags.has(Flags::CWR),
                "ns" => segment.flags.has(Flags::NS),
                _ => segment.flags.has(Flags::PSH),
            };
            if expected.split(' ').any(|word| word.trim_start_matches("no-") == key) {
                actual.push_str(if has { " " } else { " no-" });
                actual.push_str(key);
            }
        }
        let _ = write!(actual, " {}", cause.name());
        // A bare acknowledgement has only one cause, unless it probes.
        let expected = if expected.starts_with("ack ") && cause == TransmitCause::Ack {
            format!("{expected} ack")
        } else {
            expected.to_owned()
        };
        if actual == expected {
            Ok(())
        } else {
            Err(format!("expected at {at}: {expected}\n          sent: {actual}"))
        }
    }

    fn option(&self, segment: &Segment, key: &str) -> String {
        let missing = || "none".to_owned();
        let relative = |stamp: u32, base: u32| SeqNumber(stamp).offset_from(SeqNumber(base)).to_string();
        match key {
            "win" => octets_word(u64::from(segment.window)),
            "ecn" => match segment.ecn {
                Ecn::NotEct => "not-ect",
                Ecn::Ect0 => "ect0",
                Ecn::Ect1 => "ect1",
                Ecn::Ce => "ce",
            }
            .to_owned(),
            "ack-field" => self.peer.word(segment.ack),
            "tsval" => segment.options.timestamps.map_or_else(missing, |timestamps| {
                relative(timestamps.value, self.settings.isn.wrapping_add(OWN_STAMP))
            }),
            "tsecr" => segment
                .options
                .timestamps
                .map_or_else(missing, |timestamps| relative(timestamps.echo, PEER_STAMP)),
            "mss" => segment.options.mss.map_or_else(missing, |mss| mss.to_string()),
            _ => segment
                .options
                .window_scale
                .map_or_else(missing, |scale| scale.to_string()),
        }
    }

    fn expect_event(&mut self, expected: &str) -> Step {
        let unread = &self.events[self.unread..];
        match unread
            .iter()
            .position(|(_, event)| words::event(event).contains(expected))
        {
            Some(at) => {
                self.unread += at + 1;
                Ok(())
            }
            None => {
                let events: Vec<String> = unread.iter().map(|(_, event)| words::event(event)).collect();
                Err(format!(
                    "no event says `{expected}`; those not yet looked at:\n{}",
                    events.join("\n")
                ))
            }
        }
    }

    fn expect_state(&mut self, words: &[&str]) -> Step {
        let (what, expected) = match words {
            [what, value @ ..] => (*what, value.join(" ")),
            [] => return Err("what is expected?".to_owned()),
        };
        let state = self.state;
        let of_sender = || state.ok_or_else(|| "the sender has not told its state".to_owned());
        let actual = match what {
            "cwnd" => octets_word(of_sender()?.cwnd_bytes),
            "ssthresh" => of_sender()?
                .ssthresh_bytes
                .map_or_else(|| "none".to_owned(), octets_word),
            "flight" => octets_word(of_sender()?.flight_bytes),
            "phase" => of_sender()?.phase.name().to_owned(),
            "rto" => of_sender()?.rto.to_string(),
            "estimated" => words::span(of_sender()?.estimated_rto),
            "backoff" => of_sender()?.backoff.to_string(),
            "srtt" => words::span(of_sender()?.srtt),
            "rttvar" => words::span(of_sender()?.rttvar),
            "state" => format!("{:?}", self.endpoint()?.state()),
            "readable" => octets_word(self.endpoint()?.readable()),
            "peer-closed" => self.endpoint()?.peer_closed().to_string(),
            "fin-acknowledged" => self.endpoint()?.fin_acknowledged().to_string(),
            "closed" => closed(self.endpoint()?.close_reason()).to_owned(),
            "unread-events" => self.events[self.unread..]
                .iter()
                .filter(|(_, event)| {
                    !matches!(
                        event,
                        SenderEvent::State(_) | SenderEvent::RttSample { .. } | SenderEvent::Limited { .. }
                    )
                })
                .count()
                .to_string(),
            other => return Err(format!("`{other}` cannot be looked at")),
        };
        if actual == expected {
            Ok(())
        } else {
            Err(format!("{what} is {actual}, expected {expected}"))
        }
    }
}

fn closed(reason: Option<CloseReason>) -> &'static str {
    match reason {
        None => "no",
        Some(CloseReason::Unused) => "unused",
        Some(CloseReason::Finished) => "finished",
        Some(CloseReason::Reset) => "reset",
        Some(CloseReason::Aborted) => "aborted",
        Some(CloseReason::TimedOut) => "timed-out",
    }
}

/// `A..B`, or `A` for one unit.
fn range(word: &str) -> Result<(String, String), String> {
    match word.split_once("..") {
        Some((start, end)) => Ok((start.to_owned(), end.to_owned())),
        None => {
            let start: u64 = word.parse().map_err(|_| format!("`{word}` is no range"))?;
            Ok((start.to_string(), (start + 1).to_string()))
        }
    }
}

fn wrapped(value: i64) -> u32 {
    u32::try_from(value.rem_euclid(1 << 32)).expect("reduced to 32 bits")
}
