//! Analysis of qlog files: what one end of a connection of QUIC says of it, or both.
//!
//! With both ends' logs a packet's fate follows from whether the other end says that it received it, and the analyser of runs
//! judges. With one end's, what cannot be known stays unknown and is said to be. A log tells of packets, not of datagrams:
//! each packet counts as a datagram of its own.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use windlull_capture::{QlogTrace, read_qlog_file};
use windlull_transport::{Frame, PacketReceived, PacketSent, Said, Space};
use windlull_units::{Host, PacketId, Time};

use super::connection::{ConnectionInfo, Side};
use super::error::{AnalyzeError, Which};
use super::list::{ConnectionList, ListedConnection, Protocol};
use super::load::Selection;
use super::{CaptureAnalysis, Question};
use crate::analyzer::Analyzer;
use crate::ledger::EndOfWay;
use crate::quic::Quic;
use crate::recorder::Told;
use crate::result::{Ends, RunAnalysis};
use crate::series::{Series, SeriesBuilder};

/// An address that nobody said.
const UNSAID: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

/// What is said of addresses that nobody said.
const NO_ADDRESSES: &str = "The log does not say the connection's addresses.";

/// What is said of spurious losses that the data sender's log alone tells of.
const BY_ACKNOWLEDGEMENTS: &str = "A declared loss counts as spurious if the packet was acknowledged after all; of the others \
                                   the data sender's log alone does not tell what became of them.";

/// Reads a qlog file, for [`analyze_qlog`] and [`qlog_connections`].
///
/// # Errors
/// [`AnalyzeError::Qlog`]: it is no qlog file, or has no events.
pub fn load_qlog(octets: Vec<u8>, which: Which) -> Result<Vec<QlogTrace>, AnalyzeError> {
    read_qlog_file(octets).map_err(|why| AnalyzeError::Qlog { which, why })
}

/// Lists the connections of one qlog file, or of both ends' two: each trace is of one.
pub fn qlog_connections(first: &[QlogTrace], second: Option<&[QlogTrace]>) -> ConnectionList {
    let start_ms = first.iter().map(|trace| trace.began_ms).fold(f64::INFINITY, f64::min);
    let connections = (1..)
        .zip(first)
        .map(|(number, trace)| {
            let Counts { info, sent, received } = Counts::of(trace);
            ListedConnection {
                number,
                data_sender: info.data_sender,
                data_receiver: info.data_receiver,
                packets: info.packets,
                sent_bytes: sent.max(received),
                received_bytes: sent.min(received),
                began_ns: trace.began_since(start_ms).as_ns(),
                duration_ns: trace.events.last().map_or(0, |(at, _)| at.as_ns()),
                in_second: second.map(|second| like(trace, second).is_some()),
            }
        })
        .collect::<Vec<_>>();
    ConnectionList {
        protocol: Protocol::Quic,
        total: connections.len() as u64,
        connections,
    }
}

/// Analyses a connection of one qlog file, or of both ends' two.
///
/// # Errors
/// [`AnalyzeError`]: there is no such connection, or the files are of the same end.
pub fn analyze_qlog(
    first: &[QlogTrace],
    second: Option<&[QlogTrace]>,
    question: impl Into<Question>,
) -> Result<CaptureAnalysis, AnalyzeError> {
    let Question {
        selection,
        first_taken_at,
    } = question.into();
    let trace = choose(first, selection)?;
    let counts = Counts::of(trace);
    let side = counts.side();
    let mut notes = Vec::new();
    if trace.addresses.is_none() {
        notes.push(NO_ADDRESSES.to_owned());
    }
    let stated = first_taken_at.or(trace.by);
    // Who sends the data is called the server where nobody says who is what.
    let data_sender = match (stated, side) {
        (Some(host), Side::Sender) => host,
        (Some(host), Side::Receiver) => host.peer(),
        (None, _) => Host::Server,
    };
    if let (Some(stated), Some(shown)) = (first_taken_at, trace.by) {
        if stated != shown {
            let which = Which::First;
            return Err(AnalyzeError::WrittenBy { which, stated, shown });
        }
    }
    unreadable_note(&mut notes, trace, "");
    let (analysis, series) = match second {
        None => {
            if side == Side::Sender {
                notes.push(BY_ACKNOWLEDGEMENTS.to_owned());
            }
            let mut story = Story::begin(data_sender, side.alone());
            for (at, said) in &trace.events {
                match side {
                    Side::Sender => story.at_sender_alone(*at, said),
                    Side::Receiver => story.at_receiver_alone(*at, said),
                }
            }
            story.end(notes)
        }
        Some(second) => {
            let other = like(trace, second).ok_or(AnalyzeError::NotInSecondLog)?;
            if trace.by.is_some() && trace.by == other.by || Counts::of(other).side() == side {
                return Err(AnalyzeError::SameEnd);
            }
            unreadable_note(&mut notes, other, " of the second log");
            let [sender, receiver] = match side {
                Side::Sender => [trace, other],
                Side::Receiver => [other, trace],
            };
            tell_both(data_sender, sender, receiver, notes)
        }
    };
    Ok(CaptureAnalysis {
        connection: counts.info,
        analysis,
        series,
    })
}

fn unreadable_note(notes: &mut Vec<String>, trace: &QlogTrace, whose: &str) {
    if let Some(first) = &trace.first_unreadable {
        let count = trace.unreadable;
        notes.push(format!("{count} events{whose} could not be read, the first: {first}."));
    }
}

fn choose(traces: &[QlogTrace], selection: Selection) -> Result<&QlogTrace, AnalyzeError> {
    let which = Which::First;
    let there = || traces.iter().map(|trace| Counts::of(trace).info);
    match selection {
        Selection::MostData => Ok(traces
            .iter()
            .max_by_key(|trace| Counts::of(trace).info.payload_bytes)
            .expect("a file that is read has a trace")),
        Selection::Number(number) => usize::try_from(number)
            .ok()
            .and_then(|number| traces.get(number.checked_sub(1)?))
            .ok_or(AnalyzeError::NoNumber {
                which,
                number,
                total: traces.len() as u64,
            }),
        Selection::Between(a, b) => traces
            .iter()
            .find(|trace| {
                let info = Counts::of(trace).info;
                [[a, b], [b, a]].contains(&[info.data_sender, info.data_receiver])
            })
            .ok_or_else(|| AnalyzeError::NotThere {
                which,
                a,
                b,
                there: there().map(|info| info.to_string()).collect::<Vec<_>>().join(", "),
            }),
    }
}

/// The trace of the same connection at the other end: that of its name, or the only one.
fn like<'a>(trace: &QlogTrace, others: &'a [QlogTrace]) -> Option<&'a QlogTrace> {
    let named = trace.connection.as_ref();
    let same = named.and_then(|name| others.iter().find(|other| other.connection.as_ref() == Some(name)));
    same.or(match others {
        [only] => Some(only),
        _ => None,
    })
}

/// What a trace counts.
struct Counts {
    info: ConnectionInfo,
    /// Octets of streams that its writer sent, and received; what was sent twice counts twice.
    sent: u64,
    received: u64,
}

impl Counts {
    fn of(trace: &QlogTrace) -> Self {
        let (mut packets, mut sent, mut received) = (0, 0, 0);
        for (_, said) in &trace.events {
            let (count, frames) = match said {
                Said::PacketSent(packet) => (&mut sent, &packet.frames),
                Said::PacketReceived(packet) => (&mut received, &packet.frames),
                _ => continue,
            };
            packets += 1;
            *count += octets_of(frames);
        }
        let [local, remote] = trace.addresses.unwrap_or([UNSAID; 2]);
        let [data_sender, data_receiver] = if sent >= received {
            [local, remote]
        } else {
            [remote, local]
        };
        let info = ConnectionInfo {
            data_sender,
            data_receiver,
            packets,
            payload_bytes: sent + received,
        };
        Self { info, sent, received }
    }

    /// At which end the data's writer is.
    const fn side(&self) -> Side {
        if self.sent >= self.received {
            Side::Sender
        } else {
            Side::Receiver
        }
    }
}

fn octets_of(frames: &[Frame]) -> u64 {
    let lengths = frames.iter().map(|frame| match frame {
        Frame::Stream { length, .. } => *length,
        _ => 0,
    });
    lengths.sum()
}

/// A packet of one host.
type Key = (Space, u64);

/// The observers and what they are told.
struct Story {
    analyzer: Analyzer,
    series: SeriesBuilder,
    quic: Quic,
    data_sender: Host,
    next: u64,
}

impl Story {
    fn begin(data_sender: Host, ends: Ends) -> Self {
        let mut series = SeriesBuilder::of_unknown_run(data_sender);
        series.without_windows();
        Self {
            analyzer: Analyzer::seen_from(data_sender, ends)
                .keeping_judgements()
                .telling_episodes(),
            series,
            quic: Quic::new(data_sender),
            data_sender,
            next: 0,
        }
    }

    fn at_sender_alone(&mut self, now: Time, said: &Said) {
        let (sender, receiver) = (self.data_sender, self.data_sender.peer());
        match said {
            Said::PacketSent(_) => {
                let id = self.sent(now, sender, said);
                self.untold(id);
            }
            Said::PacketReceived(received) => {
                let id = self.came_from(now, receiver, received);
                self.came(now, sender, id);
                self.said(now, sender, said);
            }
            _ => self.said(now, sender, said),
        }
        self.settle();
    }

    fn at_receiver_alone(&mut self, now: Time, said: &Said) {
        let (sender, receiver) = (self.data_sender, self.data_sender.peer());
        match said {
            Said::PacketSent(_) => {
                let id = self.sent(now, receiver, said);
                self.came(now, sender, id);
            }
            Said::PacketReceived(received) => {
                let sent = as_sent(received);
                let id = self.sent(now, sender, &sent);
                self.arrived(now, receiver, id);
                self.said(now, receiver, said);
            }
            _ => self.said(now, receiver, said),
        }
        self.settle();
    }

    /// What follows QUIC, and who is told of it as of a TCP.
    fn quic(&mut self) -> (&mut Quic, Told<'_, io::Sink>) {
        let told = Told {
            analyzer: &mut self.analyzer,
            series: Some(&mut self.series),
            capture: None,
        };
        (&mut self.quic, told)
    }

    fn said(&mut self, now: Time, host: Host, said: &Said) {
        let (quic, mut told) = self.quic();
        quic.said(now, host, said, &mut told);
    }

    fn take_id(&mut self) -> PacketId {
        self.next += 1;
        PacketId(self.next - 1)
    }

    /// A host sends a packet.
    fn sent(&mut self, now: Time, host: Host, said: &Said) -> PacketId {
        self.said(now, host, said);
        let id = self.take_id();
        let (quic, mut told) = self.quic();
        for (number, segment) in quic.sent(now, host, id) {
            told.sent(now, host, number, &segment);
        }
        id
    }

    /// A packet was sent by a host whose log is not there: when, nobody knows.
    fn came_from(&mut self, now: Time, host: Host, received: &PacketReceived) -> PacketId {
        self.said(now, host, &as_sent(received));
        let id = self.take_id();
        drop(self.quic.sent(now, host, id));
        id
    }

    /// It reached a host; that it left the other is not told of.
    fn came(&mut self, now: Time, host: Host, id: PacketId) {
        let (quic, mut told) = self.quic();
        quic.arrived(now, host, id, &mut told);
    }

    /// A packet that was sent reached a host.
    fn arrived(&mut self, now: Time, host: Host, id: PacketId) {
        for number in self.quic.way_ended(id, Some((now, true))) {
            self.series.delivered(number, now);
            self.analyzer.sealed(number, EndOfWay::Delivered { order: 0, at: now });
        }
        self.came(now, host, id);
    }

    /// A packet never reached the other end; when it was lost is not known.
    fn lost(&mut self, now: Time, host: Host, id: PacketId) {
        self.analyzer.count_loss(None);
        for number in self.quic.way_ended(id, Some((now, false))) {
            self.series.lost(number, host.sends(), now, None);
            let loss = self.analyzer.loss_of(number, "unknown");
            self.analyzer.lost(now, loss);
            self.analyzer.sealed(number, EndOfWay::Lost { at: None, by: None });
        }
    }

    /// Nobody tells what became of a packet.
    fn untold(&mut self, id: PacketId) {
        for number in self.quic.way_ended(id, None) {
            self.analyzer.forget(number);
        }
    }

    fn settle(&mut self) {
        for judgement in self.analyzer.take_judgements() {
            self.series.judged(&judgement);
        }
    }

    fn end(mut self, notes: Vec<String>) -> (RunAnalysis, Series) {
        for note in notes {
            self.analyzer.note(note);
        }
        let data_sender = self.data_sender;
        let (quic, mut told) = self.quic();
        quic.closed(data_sender, None, &mut told);
        self.quic.judge(&mut self.analyzer);
        let mut analysis = self.analyzer.finish();
        self.settle();
        self.quic.finish(&mut analysis);
        let series = self.series.finish(&analysis);
        (analysis, series)
    }
}

/// What its sender would have said of a packet.
fn as_sent(received: &PacketReceived) -> Said {
    Said::PacketSent(PacketSent {
        space: received.space,
        number: received.number,
        length: received.length,
        frames: received.frames.clone(),
    })
}

/// The analysis of both ends' logs.
fn tell_both(
    data_sender: Host,
    sender: &QlogTrace,
    receiver: &QlogTrace,
    mut notes: Vec<String>,
) -> (RunAnalysis, Series) {
    let hosts = [data_sender, data_sender.peer()];
    let logs = [sender, receiver];
    let arrivals = [arrivals(receiver), arrivals(sender)];
    let clocks = Clocks::of(logs, &arrivals, &mut notes);
    let ended = [0, 1].map(|end: usize| {
        let last = logs[end].events.last().map_or(Time::ZERO, |&(at, _)| at);
        clocks.time(end, last)
    });
    let mut story = Story::begin(data_sender, Ends::Both);
    let mut ids: [HashMap<Key, PacketId>; 2] = Default::default();
    let (mut strangers, mut late) = (0_u64, 0_u64);
    for (end, place) in merged(logs, &clocks) {
        let now = clocks.time(end, logs[end].events[place].0);
        let host = hosts[end];
        let said = &logs[end].events[place].1;
        match said {
            Said::PacketSent(sent) => {
                let id = story.sent(now, host, said);
                let key = (sent.space, sent.number);
                if arrivals[end].contains_key(&key) {
                    ids[end].insert(key, id);
                } else if now > ended[1 - end] {
                    late += 1;
                    story.untold(id);
                } else {
                    story.lost(now, host, id);
                }
            }
            Said::PacketReceived(received) => {
                match ids[1 - end].remove(&(received.space, received.number)) {
                    Some(id) => story.arrived(now, host, id),
                    None => strangers += 1,
                }
                story.said(now, host, said);
            }
            _ => story.said(now, host, said),
        }
        story.settle();
    }
    if strangers > 0 {
        notes.push(format!(
            "{strangers} packets arrived, by one log, that the other does not say were sent, or that had arrived before."
        ));
    }
    if late > 0 {
        notes.push(format!(
            "{late} packets were sent after the other end's log had ended: their fates are not known."
        ));
    }
    story.end(notes)
}

/// The events of two logs in order of time, each by its log and its place there. At one instant, what arrives waits for what
/// the other log has.
fn merged(logs: [&QlogTrace; 2], clocks: &Clocks) -> Vec<(usize, usize)> {
    let mut places = [0; 2];
    let mut order = Vec::with_capacity(logs[0].events.len() + logs[1].events.len());
    let next = |end: usize, place: usize| {
        let (at, said) = logs[end].events.get(place)?;
        Some((clocks.time(end, *at), matches!(said, Said::PacketReceived(_))))
    };
    loop {
        let end = match (next(0, places[0]), next(1, places[1])) {
            (None, None) => return order,
            (Some(_), None) => 0,
            (None, Some(_)) => 1,
            (Some(first), Some(second)) => usize::from(second < first),
        };
        order.push((end, places[end]));
        places[end] += 1;
    }
}

/// The peer's packets that a log says were received, and when first, by the log's own time.
fn arrivals(log: &QlogTrace) -> HashMap<Key, Time> {
    let mut found = HashMap::new();
    for (at, said) in &log.events {
        if let Said::PacketReceived(received) = said {
            found.entry((received.space, received.number)).or_insert(*at);
        }
    }
    found
}

/// What is added to the time of each log, in nanoseconds, so that both are of one clock that begins with the first event.
struct Clocks([i128; 2]);

impl Clocks {
    /// The clocks as they stand where both logs have one zero and nothing arrives before it was sent; else such that the
    /// shortest ways there and back are equally long.
    fn of(logs: [&QlogTrace; 2], arrivals: &[HashMap<Key, Time>; 2], notes: &mut Vec<String>) -> Self {
        let is_one = logs[0].clock.is_one_with(&logs[1].clock);
        let apart_ms = logs[1].began_ms - logs[0].began_ms;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "two logs of a connection begin in one century"
        )]
        let offset = if is_one { (apart_ms * 1e6).round() as i128 } else { 0 };
        let there = shortest_ns(logs[0], &arrivals[0]);
        let back = shortest_ns(logs[1], &arrivals[1]);
        let offset = match (there, back) {
            (Some(there), Some(back)) if !is_one || there + offset < 0 || back - offset < 0 => {
                notes.push(
                    "The two logs have no clock in common; they are set against each other such that the shortest ways \
                     there and back took equally long."
                        .to_owned(),
                );
                (back - there) / 2
            }
            _ => offset,
        };
        Self([(-offset).max(0), offset.max(0)])
    }

    fn time(&self, end: usize, at: Time) -> Time {
        let ns = i128::from(at.as_ns()) + self.0[end];
        Time::from_ns(u64::try_from(ns).unwrap_or(0))
    }
}

/// The shortest way from one end to the other as the clocks of the logs stand, nanoseconds; `None` if nothing arrived.
fn shortest_ns(from: &QlogTrace, arrivals: &HashMap<Key, Time>) -> Option<i128> {
    let ways = from.events.iter().filter_map(|(at, said)| {
        let Said::PacketSent(sent) = said else { return None };
        let arrived = arrivals.get(&(sent.space, sent.number))?;
        Some(i128::from(arrived.as_ns()) - i128::from(at.as_ns()))
    });
    ways.min()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::verdict::Truth;

    /// A log of the 0.3 form, from `time event` lines: `> number offset` and `< number offset` are packets with 1000 octets of
    /// a stream, `>a` and `<a` with an acknowledgement of a range, `x` declares a packet lost.
    fn log(by: &str, reference: &str, lines: &[&str]) -> Vec<QlogTrace> {
        let mut text = format!(
            r#"{{"qlog_version":"0.3","qlog_format":"JSON-SEQ","trace":{{"vantage_point":{{"type":"{by}"}},"common_fields":{{"time_format":"relative"{reference}}}}}}}"#
        );
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            let header = |number: &str| format!(r#""header":{{"packet_type":"1RTT","packet_number":{number}}}"#);
            let stream = |offset: &str| {
                format!(r#""frames":[{{"frame_type":"stream","stream_id":0,"offset":{offset},"length":1000}}]"#)
            };
            let ack = |first: &str, last: &str| {
                format!(r#""frames":[{{"frame_type":"ack","acked_ranges":[[{first},{last}]]}}]"#)
            };
            let (name, data) = match words[1..] {
                [">", number, offset] => ("packet_sent", format!("{},{}", header(number), stream(offset))),
                ["<", number, offset] => ("packet_received", format!("{},{}", header(number), stream(offset))),
                [">a", number, first, last] => ("packet_sent", format!("{},{}", header(number), ack(first, last))),
                ["<a", number, first, last] => ("packet_received", format!("{},{}", header(number), ack(first, last))),
                ["x", number] => ("packet_lost", header(number)),
                _ => panic!("{line}"),
            };
            let _ = write!(
                text,
                "\n{{\"time\":{},\"name\":\"quic:{name}\",\"data\":{{{data}}}}}",
                words[0]
            );
        }
        load_qlog(text.into_bytes(), Which::First).expect("a log")
    }

    /// Packet 1 is declared lost and sent again as 6.
    fn senders(reference: &str) -> Vec<QlogTrace> {
        let sent: [&str; 12] = [
            "0 > 0 0",
            "1 > 1 1000",
            "2 > 2 2000",
            "3 > 3 3000",
            "4 > 4 4000",
            "5 > 5 5000",
            "100 <a 0 0 0",
            "102 <a 1 2 2",
            "105 <a 2 2 5",
            "105 x 1",
            "105 > 6 1000",
            "205 <a 3 6 6",
        ];
        log("server", reference, &sent)
    }

    /// As the data receiver has it, whose clock began with the first arrival; `late` is when packet 1 came, if it did.
    fn receivers(late: Option<&str>) -> Vec<QlogTrace> {
        let mut lines = vec![
            "0 < 0 0",
            "0 >a 0 0 0",
            "2 < 2 2000",
            "2 >a 1 2 2",
            "3 < 3 3000",
            "4 < 4 4000",
            "5 < 5 5000",
            "5 >a 2 2 5",
        ];
        lines.extend(late);
        lines.extend(["105 < 6 1000", "105 >a 3 6 6"]);
        log("client", "", &lines)
    }

    fn analyzed(first: &[QlogTrace], second: Option<&[QlogTrace]>) -> CaptureAnalysis {
        analyze_qlog(first, second, Question::default()).expect("they can be analysed")
    }

    #[test]
    fn both_ends_say_what_was_lost() {
        for (late, verdict, spurious) in [(None, Truth::Genuine, 0), (Some("60 < 1 1000"), Truth::Spurious, 1)] {
            for swapped in [false, true] {
                let (one, other) = (senders(""), receivers(late));
                let found = if swapped {
                    analyzed(&other, Some(&one))
                } else {
                    analyzed(&one, Some(&other))
                };
                let RunAnalysis {
                    ends,
                    metrics,
                    fast_retransmits,
                    notes,
                    ..
                } = found.analysis;
                assert_eq!(
                    (ends, metrics.spurious_losses),
                    (Ends::Both, Some(spurious)),
                    "{notes:?}"
                );
                assert_eq!(
                    fast_retransmits.iter().map(|one| one.verdict).collect::<Vec<_>>(),
                    [verdict]
                );
                assert!(
                    notes.iter().any(|note| note.contains("no clock in common")),
                    "{notes:?}"
                );
            }
        }
    }

    #[test]
    fn one_end_leaves_unknown_what_it_cannot_know() {
        let found = analyzed(&senders(""), None).analysis;
        assert_eq!(found.ends, Ends::Sender);
        let verdicts: Vec<_> = found.fast_retransmits.iter().map(|one| one.verdict).collect();
        assert_eq!(verdicts, [Truth::Unknown]);
        assert_eq!(found.retransmissions.unknown, 1);
        assert_eq!(found.data_sender, Host::Server);
        let found = analyzed(&receivers(None), None).analysis;
        assert_eq!((found.ends, found.metrics.segments_sent), (Ends::Receiver, 6));
        assert_eq!(found.data_sender, Host::Server);
    }

    #[test]
    fn an_acknowledgement_of_what_was_declared_lost_says_that_it_was_not() {
        let mut lines = vec![
            "0 > 0 0",
            "1 > 1 1000",
            "2 > 2 2000",
            "3 > 3 3000",
            "4 > 4 4000",
            "104 <a 0 2 4",
            "104 x 1",
        ];
        lines.extend(["105 > 5 1000", "150 <a 1 0 4", "205 <a 2 5 5"]);
        let found = analyzed(&log("server", "", &lines), None).analysis;
        assert_eq!(found.metrics.spurious_losses, Some(1));
    }

    #[test]
    fn logs_that_do_not_belong_together_are_refused() {
        let (one, other) = (senders(""), receivers(None));
        let same = analyze_qlog(&one, Some(&one), Question::default()).expect_err("one end twice");
        assert!(matches!(same, AnalyzeError::SameEnd));
        let stated = Question {
            first_taken_at: Some(Host::Client),
            ..Question::default()
        };
        let wrong = analyze_qlog(&one, Some(&other), stated).expect_err("it says otherwise");
        assert!(wrong.to_string().contains("written by the server"), "{wrong}");
        let none = analyze_qlog(&one, None, Selection::Number(2)).expect_err("it has one");
        assert!(matches!(none, AnalyzeError::NoNumber { total: 1, .. }));
    }
}
