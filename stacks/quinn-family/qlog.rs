//! What quinn says in its qlog: which packets it declares lost, and the variables of recovery.
//!
//! quinn shows neither anywhere else: its statistics count losses without numbers, and nothing else shows the octets in flight,
//! the latest round trip, its variance, or how many probe timeouts there were. So quinn writes its qlog to the writer below,
//! which reads the lines of three events and no others. It reads them by their quotation marks, as none of quinn's values
//! holds one.
//!
//! What it calls things, and where what it says is not what one might take it for, is in `dialect`.

use std::io::{self, Write};

use windlull_transport::{LossTrigger, Metrics, PacketLost, Said, Space};
use windlull_units::Span;

use super::log::Log;
use crate::dialect::{NAME, QLOG};

/// What a package calls things in its qlog.
pub(crate) struct Words {
    /// The event of a packet that was lost.
    pub(crate) lost: &'static str,
    /// The event of the variables of recovery that changed.
    pub(crate) metrics: &'static str,
    /// The event of a packet that came.
    pub(crate) received: &'static str,
    /// What stands in the line of a packet that came only if it was taken: its name, or a key.
    pub(crate) taken: &'static str,
    /// Events that come often and that nobody reads.
    pub(crate) unread: &'static [&'static str],
    /// What round trips are told in, in seconds.
    pub(crate) rtt_unit_s: f64,
    /// What the pacing rate is told in, in bits per second; `None` if it is not told.
    pub(crate) pacing_unit_bps: Option<u64>,
}

/// A qlog that is read while quinn writes it, line by line.
pub(crate) struct Lines {
    line: Vec<u8>,
    reader: Reader,
}

impl Lines {
    pub(crate) fn new(log: Log) -> Self {
        Self {
            line: Vec::with_capacity(512),
            reader: Reader { pto_count: 0, log },
        }
    }
}

/// What begins a line: a record separator (RFC 7464, section 2.2).
const BEGINNING: u8 = 0x1e;

impl Write for Lines {
    /// # Errors
    /// If the rest of the line is not wanted. quinn then leaves the event out and goes on with the next, which spares it most of
    /// what a line costs: these are some lines for each packet, a fourth of all that an end computes. They are known by the
    /// serializer's writing a name or a key at once; if it did not, they would be read to their end, to the same effect.
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        if octets == [BEGINNING] {
            self.line.clear();
        } else if octets == QLOG.taken.as_bytes() {
            self.reader.log.taken();
            return Err(io::ErrorKind::Unsupported.into());
        } else if QLOG.unread.iter().any(|name| octets == name.as_bytes()) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.line.extend_from_slice(octets);
        // The line's end is written by itself.
        if octets.ends_with(b"\n") {
            match std::str::from_utf8(&self.line) {
                Ok(line) => self.reader.read(line),
                Err(_) => self.reader.log.fail(format!("{NAME}'s qlog is not UTF-8")),
            }
            self.line.clear();
        }
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is known from the lines before.
struct Reader {
    pto_count: u32,
    log: Log,
}

impl Reader {
    /// Takes a line in: `{"time":1.5,"name":"recovery:packet_lost","data":{...},"group_id":"..."}`.
    fn read(&mut self, line: &str) {
        let line = line.trim_start_matches(char::from(BEGINNING)).trim_end();
        let mut tokens = line.split('"').skip(1);
        let is_event = tokens.next() == Some("time") && tokens.nth(1) == Some("name");
        let name = tokens.nth(1).filter(|_| is_event);
        // `data` and the opening of its object stand before the first key.
        let mut tokens = tokens.skip(3);
        let said = match name {
            Some(name) if name == QLOG.received => {
                if line.split('"').any(|token| token == QLOG.taken) {
                    self.log.taken();
                }
                return;
            }
            Some(name) if name == QLOG.metrics => metrics(&mut tokens).map(|metrics| self.metrics(metrics)),
            Some(name) if name == QLOG.lost => packet_lost(&mut tokens).map(|lost| {
                self.log.say(Said::PacketLost(lost));
            }),
            _ => return,
        };
        if said.is_none() {
            self.log.fail(format!("a line of {NAME}'s qlog cannot be read: {line}"));
        }
    }

    /// Tells the variables that changed, and a probe timeout for each that the count grew by. quinn writes this line when it
    /// has handled a timer or sent what the timer made it send, so that none is missed, and resets the count only after an
    /// acknowledgement.
    fn metrics(&mut self, metrics: Metrics) {
        if let Some(count) = metrics.pto_count {
            for _ in self.pto_count..count {
                self.log.timed_out();
            }
            self.pto_count = count;
        }
        if metrics != Metrics::default() {
            self.log.say(Said::Metrics(metrics));
        }
    }
}

/// The variables of recovery; `None` if a value is none.
fn metrics<'a>(tokens: &mut impl Iterator<Item = &'a str>) -> Option<Metrics> {
    let mut metrics = Metrics::default();
    while let Some(key) = tokens.next() {
        // `:0.05,` or, at the end of the object, `:0.05},`.
        let text = tokens.next()?;
        let value = text.trim_matches([':', ',', '}']);
        match key {
            "min_rtt" => metrics.min_rtt = Some(round_trip(value)?),
            "smoothed_rtt" => metrics.smoothed_rtt = Some(round_trip(value)?),
            "latest_rtt" => metrics.latest_rtt = Some(round_trip(value)?),
            "rtt_variance" => metrics.rtt_variance = Some(round_trip(value)?),
            "pto_count" => metrics.pto_count = Some(value.parse().ok()?),
            "congestion_window" => metrics.congestion_window = Some(value.parse().ok()?),
            "bytes_in_flight" => metrics.bytes_in_flight = Some(value.parse().ok()?),
            // Before the first congestion event it is infinite, which quinn writes as the greatest integer.
            "ssthresh" => metrics.ssthresh = Some(value.parse().ok()?).filter(|&octets| octets < u64::MAX),
            "pacing_rate" => {
                if let Some(unit_bps) = QLOG.pacing_unit_bps {
                    metrics.pacing_rate = Some(value.parse::<u64>().ok()?.saturating_mul(unit_bps));
                }
            }
            _ => {}
        }
        if text.contains('}') {
            return Some(metrics);
        }
    }
    None
}

/// Which packet was lost; `None` if it is not said.
fn packet_lost<'a>(tokens: &mut impl Iterator<Item = &'a str>) -> Option<PacketLost> {
    let (mut space, mut number, mut trigger) = (None, None, None);
    while let Some(token) = tokens.next() {
        match token {
            "packet_type" => {
                space = match tokens.nth(1)? {
                    "initial" => Some(Space::Initial),
                    "handshake" => Some(Space::Handshake),
                    "0RTT" | "1RTT" => Some(Space::Data),
                    _ => None,
                };
            }
            "packet_number" => number = tokens.next()?.trim_matches([':', ',', '}']).parse().ok(),
            "trigger" => {
                let said = tokens.nth(1)?;
                trigger = LossTrigger::ALL.into_iter().find(|trigger| trigger.name() == said);
            }
            _ => {}
        }
    }
    Some(PacketLost {
        space: space?,
        number: number?,
        trigger,
        is_mtu_probe: false,
    })
}

fn round_trip(value: &str) -> Option<Span> {
    let seconds = value.parse::<f64>().ok()? * QLOG.rtt_unit_s;
    (seconds.is_finite() && seconds >= 0.0).then(|| Span::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use windlull_transport::{Answer, Broken};

    use super::*;

    fn read(lines: &[&str]) -> Result<Vec<Said>, Broken> {
        let log = Log::new(true, true);
        let mut writer = Lines::new(log.clone());
        for line in lines {
            for octet in line.bytes() {
                writer.write_all(&[octet]).expect("it is kept in memory");
            }
            writer.write_all(b"\n").expect("it is kept in memory");
        }
        let mut answers = Vec::new();
        log.move_to(&mut answers)?;
        let said = answers.into_iter().filter_map(|answer| match answer {
            Answer::Said(said) => Some(said),
            _ => None,
        });
        Ok(said.collect())
    }

    const HEAD: &str =
        r#"{"qlog_version":"0.3","qlog_format":"JSON-SEQ","trace":{"vantage_point":{"type":"unknown"}}}"#;

    const GROUP: &str = r#","group_id":"0a0b""#;

    /// A line as quinn-proto 0.11.19 writes it, with the words of the package at hand.
    fn line(name: &str, data: &str) -> String {
        format!(r#"{{"time":1.5,"name":"{name}","data":{{{data}}}{GROUP}}}"#)
    }

    fn metrics_line(data: &str) -> String {
        line(QLOG.metrics, data)
    }

    fn lost() -> String {
        let data =
            r#""header":{"packet_type":"1RTT","packet_number":41,"length":1452},"trigger":"reordering_threshold""#;
        line(QLOG.lost, data)
    }

    /// The line of a packet that came and, but for what it says if so, was not taken.
    fn received(says: &str) -> String {
        let data = format!(r#""header":{{"packet_type":"1RTT","packet_number":9}}{says}"#);
        line(QLOG.received, &data)
    }

    fn taken() -> String {
        received(&format!(r#","{}":[]"#, QLOG.taken))
    }

    /// A line in the pieces in which the serializer writes it: what stands between two quotation marks at once.
    fn pieces(line: &str) -> Vec<&[u8]> {
        let mut pieces = Vec::new();
        for part in line.as_bytes().split_inclusive(|&octet| octet == b'"') {
            match part.split_last() {
                Some((b'"', before)) => pieces.extend([before, b"\""]),
                _ => pieces.push(part),
            }
        }
        pieces
    }

    #[test]
    fn a_packet_is_taken_when_quinn_writes_that_it_came_however_it_writes() {
        let mut lines = vec![(8, line(QLOG.unread[0], r#""header":{}"#)), (9, taken())];
        // Where the name alone does not say it, a packet that came may be a copy.
        if QLOG.taken != QLOG.received {
            lines.push((10, received("")));
        }
        for is_by_octets in [false, true] {
            let log = Log::new(true, true);
            let mut writer = Lines::new(log.clone());
            for (number, line) in &lines {
                log.decrypted(Space::Data, *number, 30, &[1]);
                let parts = if is_by_octets {
                    line.as_bytes().chunks(1).collect()
                } else {
                    pieces(line)
                };
                let mut parts = [&[BEGINNING][..]].into_iter().chain(parts).chain([&b"\n"[..]]);
                let is_refused = parts.any(|part| writer.write_all(part).is_err());
                assert_eq!(is_refused, !is_by_octets && *number < 10, "the rest of {line}");
            }
            let mut answers = Vec::new();
            log.move_to(&mut answers).expect("the lines can be read");
            let taken = answers.iter().map(|answer| match answer {
                Answer::Said(Said::PacketReceived(packet)) => packet.number,
                other => panic!("{other:?}"),
            });
            assert_eq!(taken.collect::<Vec<_>>(), [9]);
        }
    }

    #[test]
    fn a_loss_is_told_as_quinn_tells_it() {
        let expected = PacketLost {
            space: Space::Data,
            number: 41,
            trigger: Some(LossTrigger::PacketThreshold),
            is_mtu_probe: false,
        };
        assert_eq!(
            read(&[HEAD, &line(QLOG.unread[0], ""), &lost()]),
            Ok(vec![Said::PacketLost(expected)])
        );
    }

    #[test]
    fn every_variable_is_read_and_an_infinite_threshold_is_none() {
        let rtt = |ms: f64| ms * 1e-3 / QLOG.rtt_unit_s;
        let line = metrics_line(&format!(
            r#""min_rtt":{},"smoothed_rtt":{},"latest_rtt":{},"rtt_variance":{:e},"pto_count":0,"congestion_window":12000,"bytes_in_flight":1200,"ssthresh":18446744073709551615,"packets_in_flight":1"#,
            rtt(40.0),
            rtt(50.0),
            rtt(60.000_002),
            rtt(0.01),
        ));
        let metrics = Metrics {
            congestion_window: Some(12_000),
            ssthresh: None,
            bytes_in_flight: Some(1_200),
            smoothed_rtt: Some(Span::from_ms(50)),
            latest_rtt: Some(Span::from_ns(60_000_002)),
            min_rtt: Some(Span::from_ms(40)),
            rtt_variance: Some(Span::from_us(10)),
            pto_count: Some(0),
            pacing_rate: None,
        };
        assert_eq!(read(&[&line]), Ok(vec![Said::Metrics(metrics)]));
        // The number of packets is of no use, and BBR's pacing rate only of one that paces by it.
        let expected = QLOG.pacing_unit_bps.map(|unit| {
            Said::Metrics(Metrics {
                pacing_rate: Some(9 * unit),
                ..Metrics::default()
            })
        });
        assert_eq!(
            read(&[&metrics_line(r#""packets_in_flight":2,"pacing_rate":9"#)]),
            Ok(expected.into_iter().collect())
        );
    }

    #[test]
    fn the_probe_timeout_is_told_when_its_count_rises() {
        let lines = [1, 2, 0, 1].map(|count| metrics_line(&format!(r#""pto_count":{count}"#)).replace(GROUP, ""));
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let fired = Said::ProbeTimeout { space: None };
        let counted = |count| {
            Said::Metrics(Metrics {
                pto_count: Some(count),
                ..Metrics::default()
            })
        };
        let said = [
            &fired,
            &counted(1),
            &fired,
            &counted(2),
            &counted(0),
            &fired,
            &counted(1),
        ]
        .map(Clone::clone);
        assert_eq!(read(&lines), Ok(said.to_vec()));
    }

    #[test]
    fn what_cannot_be_read_ends_the_run() {
        for line in [
            metrics_line(r#""congestion_window":"many""#),
            metrics_line(r#""min_rtt":-1.0"#),
            lost().replace("1RTT", "2RTT"),
            lost().replace("packet_number", "number"),
        ] {
            let broken = read(&[&line]).err().map(|broken| broken.0).unwrap_or_default();
            assert!(
                broken.starts_with(&format!("a line of {NAME}'s qlog cannot be read: {{")),
                "{line}: {broken}"
            );
        }
    }
}
