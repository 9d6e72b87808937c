//! What quiche says in its qlog, read while it writes it.
//!
//! Of packets only that quiche took one is heard here, and what they hold at their protection (`protection`): lines that list
//! frames are long, and cut short. What is read are the variables of recovery; all else is kept as it is. quiche does not name the
//! packets that it declares lost (see `losses`), its timers (a probe timeout is told when its count rises), or what a spurious
//! loss restored. Round trips are milliseconds in 32-bit floats: exact to a part in 16 million, 4 ns of 100 ms. The state
//! `recovery` it names only at the instant at which recovery begins.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Deserialize;
use serde_json::value::RawValue;
use windlull_transport::{Metrics, from_qlog_text};
use windlull_units::Span;

use crate::log::Log;

/// A line of the qlog as it grows.
pub(crate) struct Lines {
    line: Vec<u8>,
    /// What the line has named so far, if it is one of the variables of recovery.
    variables: Option<Variables>,
    log: Log,
}

impl Lines {
    pub(crate) fn new(log: Log) -> Self {
        Self {
            line: Vec::with_capacity(1_024),
            variables: None,
            log,
        }
    }
}

const PACKET_SENT: &str = "quic:packet_sent";
const PACKET_RECEIVED: &str = "quic:packet_received";
const METRICS: &str = "quic:recovery_metrics_updated";

impl Write for Lines {
    /// # Errors
    /// If the rest of the line is not wanted. quiche then leaves the event out and goes on with the next, which spares it most of
    /// what a line costs. An event is known by the serializer's writing its name at once; if it did not, the line would be read
    /// to its end, to the same effect.
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        if let Some(variables) = &mut self.variables {
            if octets == b"\n" {
                variables.tell(&self.log);
                self.variables = None;
                self.line.clear();
            } else {
                variables.read(octets);
            }
            return Ok(octets.len());
        }
        let is_received = octets == PACKET_RECEIVED.as_bytes();
        if is_received || octets == PACKET_SENT.as_bytes() {
            if is_received {
                self.log.taken();
            }
            self.line.clear();
            return Err(io::ErrorKind::Unsupported.into());
        }
        if octets == METRICS.as_bytes() {
            self.variables = Some(Variables::default());
            return Ok(octets.len());
        }
        self.line.extend_from_slice(octets);
        // The line's end is written by itself.
        if octets == b"\n" {
            if let Err(wrong) = self.read() {
                let line = String::from_utf8_lossy(&self.line);
                self.log.fail(format!(
                    "a line of quiche's qlog cannot be read: {wrong}: {}",
                    line.trim()
                ));
            }
            self.line.clear();
        }
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The variables of recovery in a line, read as the serializer writes it: each key and each number at once, and marks of
/// punctuation by themselves.
#[derive(Debug, Default)]
struct Variables {
    metrics: Metrics,
    /// Packets that quiche has counted as lost, in all.
    lost_count: Option<u64>,
    /// The key whose value comes next, if that is of use.
    key: Key,
    /// Whether the object that counts lost packets was the last to begin, and not that of lost octets.
    counts_packets: bool,
    /// Whether there was anything to read.
    has_value: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Key {
    MinRtt,
    SmoothedRtt,
    LatestRtt,
    RttVariance,
    PtoCount,
    CongestionWindow,
    BytesInFlight,
    Ssthresh,
    PacingRate,
    LostPackets,
    #[default]
    Other,
}

impl Variables {
    /// Reads what is written next.
    fn read(&mut self, octets: &[u8]) {
        match octets.first() {
            Some(b'0'..=b'9' | b'-') => self.value(octets),
            Some(b'a'..=b'z') => {
                // `true` and `false` are values, too, and of no use.
                self.has_value |= matches!(octets, b"true" | b"false");
                self.key = match octets {
                    b"min_rtt" => Key::MinRtt,
                    b"smoothed_rtt" => Key::SmoothedRtt,
                    b"latest_rtt" => Key::LatestRtt,
                    b"rtt_variance" => Key::RttVariance,
                    b"pto_count" => Key::PtoCount,
                    b"congestion_window" => Key::CongestionWindow,
                    b"bytes_in_flight" => Key::BytesInFlight,
                    b"ssthresh" => Key::Ssthresh,
                    b"pacing_rate" => Key::PacingRate,
                    b"total" if self.counts_packets => Key::LostPackets,
                    b"cf_lost_packets" | b"cf_lost_bytes" => {
                        self.counts_packets = octets == b"cf_lost_packets";
                        Key::Other
                    }
                    _ => Key::Other,
                };
            }
            _ => {}
        }
    }

    fn value(&mut self, octets: &[u8]) {
        let text = std::str::from_utf8(octets).unwrap_or_default();
        let whole = || text.parse().ok();
        let metrics = &mut self.metrics;
        match std::mem::take(&mut self.key) {
            Key::MinRtt => metrics.min_rtt = milliseconds(text),
            Key::SmoothedRtt => metrics.smoothed_rtt = milliseconds(text),
            Key::LatestRtt => metrics.latest_rtt = milliseconds(text),
            Key::RttVariance => metrics.rtt_variance = milliseconds(text),
            Key::PtoCount => metrics.pto_count = text.parse().ok(),
            Key::CongestionWindow => metrics.congestion_window = whole(),
            Key::BytesInFlight => metrics.bytes_in_flight = whole(),
            Key::Ssthresh => metrics.ssthresh = whole(),
            Key::PacingRate => metrics.pacing_rate = whole(),
            Key::LostPackets => self.lost_count = whole(),
            Key::Other => {}
        }
        self.has_value = true;
    }

    /// The line is at its end.
    fn tell(&self, log: &Log) {
        if self.has_value {
            log.metrics(self.metrics, self.lost_count);
        } else {
            log.fail("a line of quiche's qlog names no variable of recovery".to_owned());
        }
    }
}

/// A span of so many milliseconds, as a JSON number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "milliseconds below the age of the universe"
)]
fn milliseconds(text: &str) -> Option<Span> {
    let ms: f64 = text.parse().ok()?;
    Some(Span::from_ns((ms.max(0.0) * 1e6).round() as u64))
}

/// A line: the qlog's head, which has no name, or an event.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

impl Lines {
    /// Takes a line in.
    ///
    /// # Errors
    /// What is wrong with it.
    fn read(&self) -> Result<(), String> {
        let text = self.line.strip_prefix(&[SEPARATOR]).unwrap_or(&self.line);
        let Line { name, data } = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        let (Some(name), Some(data)) = (name, data.map(RawValue::get)) else {
            return Ok(());
        };
        match &*name {
            PACKET_SENT => {}
            PACKET_RECEIVED => self.log.taken(),
            METRICS => return Err("its name was not written at once".to_owned()),
            _ if self.log.is_recorded() => self.log.say(from_qlog_text(&name, data)?),
            _ => {}
        }
        Ok(())
    }
}

/// What begins a line (RFC 7464, section 2.2).
const SEPARATOR: u8 = 0x1e;

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddr};
    use std::sync::{Arc, Mutex};

    use quiche::{Connection, ConnectionId, QlogLevel, RecvInfo};
    use windlull_transport::{Answer, Frame, Role, Said, Space};
    use windlull_units::{Span, Time};

    use super::*;
    use crate::config::{SERVER_NAME, config};
    use crate::machine::Machine;
    use crate::options::Options;
    use crate::protection::{Tap, heard};

    /// All of a qlog. Of its packets and variables only as much is read as `Lines` reads.
    struct Whole {
        text: Arc<Mutex<Vec<u8>>>,
        lines: Lines,
        is_cut: bool,
    }

    impl Write for Whole {
        fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
            if octets == [SEPARATOR] {
                self.is_cut = false;
            }
            self.is_cut |= !self.is_cut && self.lines.write(octets).is_err();
            self.text
                .lock()
                .expect("nobody panics within")
                .extend_from_slice(octets);
            Ok(octets.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct End {
        machine: Machine,
        tap: Option<Tap>,
        connection: Connection,
        log: Log,
        text: Arc<Mutex<Vec<u8>>>,
    }

    fn address(role: Role) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, 1_000 + role as u16).into()
    }

    fn end(role: Role, options: &Options) -> End {
        let mut machine = Machine::new(&[role as u8; 32]);
        let log = Log::new(role, true, true);
        let text = Arc::default();
        let connection = machine.run(Time::ZERO, || {
            let mut config = config(role, options).expect("quiche is what this was written for");
            let id = ConnectionId::from_vec(vec![role as u8; quiche::MAX_CONN_ID_LEN]);
            let (own, other) = (address(role), address(role.peer()));
            let mut connection = match role {
                Role::Client => quiche::connect(Some(SERVER_NAME), &id, own, other, &mut config),
                Role::Server => quiche::accept(&id, None, own, other, &mut config),
            }
            .expect("it is no more than begun");
            let whole = Whole {
                text: Arc::clone(&text),
                lines: Lines::new(log.clone()),
                is_cut: false,
            };
            connection.set_qlog_with_level(Box::new(whole), String::new(), String::new(), QlogLevel::Base);
            connection
        });
        End {
            machine,
            tap: Some(Tap::new(log.clone())),
            connection,
            log,
            text,
        }
    }

    impl End {
        /// Takes these datagrams, handles a timer that is due, writes so many octets to a stream if that is possible, and
        /// sends what there is to send.
        fn step(&mut self, now: Time, role: Role, arrived: Vec<Vec<u8>>, octets: &[u8]) -> Vec<Vec<u8>> {
            let connection = &mut self.connection;
            self.machine.run(now, || {
                heard(&mut self.tap, || {
                    for mut datagram in arrived {
                        let (from, to) = (address(role.peer()), address(role));
                        connection.recv(&mut datagram, RecvInfo { from, to }).ok();
                    }
                    if connection.timeout().is_some_and(|left| left.is_zero()) {
                        connection.on_timeout();
                    }
                    for id in connection.readable() {
                        while connection.stream_discard(id, usize::MAX).is_ok() {}
                    }
                    if connection.is_established() && !octets.is_empty() {
                        connection.stream_send(3, octets, false).ok();
                    }
                    let mut buffer = [0; 1_500];
                    let mut sent = Vec::new();
                    while let Ok((length, _)) = connection.send(&mut buffer) {
                        sent.push(buffer[..length].to_vec());
                    }
                    sent
                })
            })
        }

        /// The packets and variables that were heard, and those that quiche wrote into its qlog.
        fn told(&self) -> (Vec<Said>, Vec<Said>) {
            let is_compared =
                |said: &Said| matches!(said, Said::PacketSent(_) | Said::PacketReceived(_) | Said::Metrics(_));
            let mut answers = Vec::new();
            self.log.move_to(&mut answers).expect("everything was understood");
            let heard = answers.into_iter().filter_map(|answer| match answer {
                Answer::Said(said) if is_compared(&said) => Some(said),
                _ => None,
            });
            let text = self.text.lock().expect("nobody panics within");
            let lines = text.split(|&octet| octet == SEPARATOR).skip(2);
            let written = lines.filter_map(|line| {
                let Line { name, data } = serde_json::from_slice(line).expect("quiche writes JSON");
                let said = from_qlog_text(&name?, data?.get()).expect("it is an event");
                is_compared(&said).then_some(said)
            });
            (heard.collect(), written.collect())
        }
    }

    /// What both ways of knowing something say of it: a qlog has the delay of an acknowledgement in another unit, the length of a
    /// packet that another one follows is that of both, and a threshold that is infinite is a number.
    fn plain(mut said: Said) -> Said {
        let frames = match &mut said {
            Said::PacketSent(packet) => &mut packet.frames,
            Said::PacketReceived(packet) => {
                packet.length = packet.length.filter(|_| packet.space == Space::Data);
                &mut packet.frames
            }
            Said::Metrics(metrics) => {
                metrics.ssthresh = metrics.ssthresh.filter(|&octets| octets < u64::MAX);
                return said;
            }
            _ => return said,
        };
        for frame in frames {
            if let Frame::Ack { delay_encoded, .. } = frame {
                *delay_encoded = 0;
            }
        }
        said
    }

    #[test]
    fn what_is_heard_is_what_quiche_writes_into_its_qlog() {
        for given in [
            &[][..],
            &[("congestion", "bbr2")],
            &[("max-datagram", "1472"), ("mtu-discovery", "on")],
            &[("stream-receive-window", "20000"), ("receive-window", "30000")],
        ] {
            let given = given.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
            let options = Options::parse(&given.collect()).expect("there are such options");
            let (mut server, mut client) = (end(Role::Server, &options), end(Role::Client, &options));
            let octets = [0; 40_000];
            let (mut up, mut down, mut number) = (Vec::new(), Vec::new(), 0);
            let mut now = Time::ZERO;
            for step in 0..400 {
                // Nothing is written in a part of the time, so that timers fire.
                let octets = if step % 100 < 80 { &octets[..] } else { &[] };
                let sent = server.step(now, Role::Server, std::mem::take(&mut up), octets);
                for datagram in sent {
                    number += 1;
                    match number % 29 {
                        5 => {}
                        6 => down.extend([datagram.clone(), datagram]),
                        _ => down.push(datagram),
                    }
                }
                up = client.step(now, Role::Client, std::mem::take(&mut down), &[]);
                now += Span::from_ms(7);
            }
            server.step(now, Role::Server, Vec::new(), &[]);
            client
                .machine
                .run(now, || client.connection.close(true, 0, b"enough").ok());
            let last = client.step(now, Role::Client, Vec::new(), &[]);
            server.step(now, Role::Server, last, &[]);
            for end in [server, client] {
                let (heard, written) = end.told();
                let heard: Vec<_> = heard.into_iter().map(plain).collect();
                let nothing = Said::Metrics(Metrics::default());
                let written: Vec<_> = written.into_iter().map(plain).filter(|said| *said != nothing).collect();
                let difference = heard.iter().zip(&written).find(|(heard, written)| heard != written);
                assert_eq!(difference, None);
                assert_eq!(heard.len(), written.len());
                assert!(heard.len() > 1_000, "{}", heard.len());
            }
        }
    }
}
