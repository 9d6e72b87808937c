//! What the application at the host under test does, told from what the host sent and received.

use std::collections::BTreeMap;

use windlull_capture::Seen;
use windlull_tcp::Variant;
use windlull_units::Time;
use windlull_wire::{Flags, SeqNumber};

use crate::export::error::ExportError;
use crate::export::side::Side;
use crate::script::{Call, Errno, Expression};

/// So much more than a script shows is written at least, unless the stream ends before: a sender never lacks data that the
/// run's had.
const MORE: u32 = 1 << 20;
/// The descriptors that a script's sockets have: the first one that is free, and the next.
const FIRST: i64 = 3;
const ACCEPTED: i64 = 4;

/// The calls, by the segments that they stand beside.
#[derive(Clone, Debug)]
pub(super) struct Application {
    /// Whether it opens the connection.
    connects: bool,
    /// Whether data completes the handshake, not an acknowledgement alone.
    is_patient: bool,
    before: BTreeMap<usize, Vec<Call>>,
    after: BTreeMap<usize, Vec<Call>>,
}

impl Application {
    /// Of the host whose segments these are: those of the whole run, and those that the script shows.
    pub(super) fn of(side: Side, all: &[Seen], shown: &[Seen]) -> Result<Self, ExportError> {
        let carries =
            |is_outbound: bool| move |seen: &Seen| seen.is_outbound == is_outbound && seen.segment.payload_len > 0;
        let sends = side == Side::Sender;
        if shown.iter().any(carries(!sends)) {
            return Err(ExportError::BothWays);
        }
        let connects = shown.first().is_some_and(|seen| seen.is_outbound);
        let answers = |seen: &Seen| {
            let flags = seen.segment.flags;
            let is_syn = flags.has(Flags::SYN);
            // What ends the handshake for this host: the other SYN, or what acknowledges its own.
            !seen.is_outbound && flags.has(Flags::ACK) && is_syn == connects
        };
        let opened = shown.iter().position(answers);
        let mut application = Self {
            connects,
            is_patient: false,
            before: BTreeMap::new(),
            after: BTreeMap::new(),
        };
        let Some(opened) = opened else { return Ok(application) };
        let mut at_opening = Vec::new();
        if !connects {
            at_opening.push(call(
                "accept",
                vec![descriptor(FIRST), Expression::Ellipsis, Expression::Ellipsis],
                ACCEPTED,
            ));
        }
        let socket = if connects { FIRST } else { ACCEPTED };
        if sends {
            let writing = writing(socket, all, shown);
            let answer = shown
                .get(opened + 1..)
                .unwrap_or_default()
                .iter()
                .position(|seen| seen.is_outbound);
            let place = answer.map(|answer| opened + 1 + answer);
            let answers_by_data = place.and_then(|place| shown.get(place)).is_some_and(carries(true));
            match place {
                // A TCP that has data to send acknowledges the other SYN with it.
                Some(_) if answers_by_data => {
                    application.is_patient = connects;
                    at_opening.extend(writing);
                }
                _ => {
                    let first = shown.iter().position(carries(true));
                    if let Some(first) = first {
                        application.before.insert(first, writing);
                    }
                }
            }
        } else {
            at_opening.extend(receiving(socket, shown, opened));
        }
        application.after.insert(opened, at_opening);
        if !sends {
            application.close(socket, shown);
        }
        Ok(application)
    }

    /// The calls at time 0.
    pub(super) fn opening(&self, variant: Option<&Variant>) -> Vec<Call> {
        let option = |level: &str, name: &str, value: i64| {
            let value = Expression::List(vec![Expression::Integer(value)]);
            let arguments = vec![
                descriptor(FIRST),
                word(level),
                word(name),
                value,
                Expression::Integer(4),
            ];
            call("setsockopt", arguments, 0)
        };
        let mut calls = vec![
            call(
                "socket",
                vec![Expression::Ellipsis, word("SOCK_STREAM"), word("IPPROTO_TCP")],
                FIRST,
            ),
            option("SOL_SOCKET", "SO_REUSEADDR", 1),
        ];
        // Linux takes its window scale from the buffer, half of which it offers.
        let fixed = variant.filter(|variant| variant.largest_receive_window.is_none());
        if let Some(window) = fixed.and_then(|variant| i64::try_from(variant.receive_window.get()).ok()) {
            calls.push(option("SOL_SOCKET", "SO_RCVBUF", window));
        }
        if self.connects {
            if self.is_patient {
                calls.push(option("SOL_TCP", "TCP_QUICKACK", 0));
            }
            let flags = Expression::Or(vec![word("O_RDWR"), word("O_NONBLOCK")]);
            calls.push(call("fcntl", vec![descriptor(FIRST), word("F_SETFL"), flags], 0));
        } else {
            let any = || vec![descriptor(FIRST), Expression::Ellipsis, Expression::Ellipsis];
            calls.push(call("bind", any(), 0));
            calls.push(call("listen", vec![descriptor(FIRST), Expression::Integer(1)], 0));
        }
        calls
    }

    /// The calls right before a segment.
    pub(super) fn before(&self, place: usize) -> Vec<Call> {
        let mut calls = self.before.get(&place).cloned().unwrap_or_default();
        if place == 0 && self.connects {
            let mut connect = call(
                "connect",
                vec![descriptor(FIRST), Expression::Ellipsis, Expression::Ellipsis],
                -1,
            );
            connect.errno = Some(Errno {
                name: "EINPROGRESS".to_owned(),
                words: "Operation now in progress".to_owned(),
            });
            calls.push(connect);
        }
        calls
    }

    /// The calls right behind a segment.
    pub(super) fn after(&self, place: usize) -> Vec<Call> {
        self.after.get(&place).cloned().unwrap_or_default()
    }

    /// The receiver closes once its peer has.
    fn close(&mut self, socket: i64, shown: &[Seen]) {
        let theirs = shown
            .iter()
            .position(|seen| !seen.is_outbound && seen.segment.flags.has(Flags::FIN));
        let ours = shown
            .iter()
            .position(|seen| seen.is_outbound && seen.segment.flags.has(Flags::FIN));
        if let (Some(_), Some(ours)) = (theirs, ours) {
            // What let it close arrived last before its own FIN.
            let cause = shown
                .get(..ours)
                .unwrap_or_default()
                .iter()
                .rposition(|seen| !seen.is_outbound);
            if let Some(cause) = cause {
                let calls = self.after.entry(cause).or_default();
                calls.push(call("close", vec![descriptor(socket)], 0));
            }
        }
    }
}

/// What the application writes, and that it writes no more if the run's stream ended.
fn writing(socket: i64, all: &[Seen], shown: &[Seen]) -> Vec<Call> {
    let Some(isn) = isn(all, true) else { return Vec::new() };
    let sent = |seen: &&Seen| seen.is_outbound;
    let fin = all.iter().filter(sent).find(|seen| seen.segment.flags.has(Flags::FIN));
    let total = fin.map(|seen| octets_before(isn, seen.segment.seq.add(seen.segment.payload_len)));
    let ends = shown.iter().filter(sent).map(|seen| {
        let end = seen.segment.seq.add(seen.segment.payload_len);
        if seen.segment.flags.has(Flags::SYN) {
            0
        } else {
            octets_before(isn, end)
        }
    });
    let wanted = ends.max().unwrap_or(0).saturating_add(MORE);
    let write = |octets: u32| {
        let octets = i64::from(octets);
        let arguments = vec![descriptor(socket), Expression::Ellipsis, Expression::Integer(octets)];
        call("write", arguments, octets)
    };
    match total {
        Some(total) if total <= wanted => vec![
            write(total),
            call("shutdown", vec![descriptor(socket), word("SHUT_WR")], 0),
        ],
        _ => vec![write(wanted)],
    }
}

/// The call that takes what arrives in order, as soon as it does.
fn receiving(socket: i64, shown: &[Seen], opened: usize) -> Option<Call> {
    let isn = isn(shown, false)?;
    let mut waiting: BTreeMap<u32, u32> = BTreeMap::new();
    let (mut next, mut completed) = (0_u32, Time::ZERO);
    for seen in shown
        .iter()
        .filter(|seen| !seen.is_outbound && seen.segment.payload_len > 0)
    {
        let begin = octets_before(isn, seen.segment.seq);
        let end = waiting.entry(begin).or_default();
        *end = (*end).max(begin.saturating_add(seen.segment.payload_len));
        while let Some(first) = waiting.first_entry() {
            if *first.key() > next {
                break;
            }
            let end = first.remove();
            if end > next {
                next = end;
                completed = seen.at;
            }
        }
    }
    let opened = shown.get(opened)?;
    (next > 0).then(|| {
        let octets = i64::from(next);
        let arguments = vec![
            descriptor(socket),
            Expression::Ellipsis,
            Expression::Integer(octets),
            word("MSG_WAITALL"),
        ];
        Call {
            returns: Some(completed.since(opened.at)),
            ..call("recv", arguments, octets)
        }
    })
}

/// The initial sequence number of the host, or of its peer.
fn isn(seen: &[Seen], is_outbound: bool) -> Option<SeqNumber> {
    let syn = seen
        .iter()
        .find(|seen| seen.is_outbound == is_outbound && seen.segment.flags.has(Flags::SYN));
    syn.map(|seen| seen.segment.seq)
}

/// Octets of the stream before this number.
fn octets_before(isn: SeqNumber, number: SeqNumber) -> u32 {
    number.0.wrapping_sub(isn.0).wrapping_sub(1)
}

fn call(name: &str, arguments: Vec<Expression>, result: i64) -> Call {
    Call {
        returns: None,
        name: name.to_owned(),
        arguments,
        result: Expression::Integer(result),
        errno: None,
        note: None,
    }
}

fn descriptor(number: i64) -> Expression {
    Expression::Integer(number)
}

fn word(word: &str) -> Expression {
    Expression::Word(word.to_owned())
}
