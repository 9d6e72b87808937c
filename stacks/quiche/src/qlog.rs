//! What quiche says in its qlog, read while it writes it.
//!
//! It names every packet with its frames, and the variables of recovery. It does not name the packets that it declares lost (see
//! `losses`), its timers (a probe timeout is told when its count rises), or what a spurious loss restored. Round trips are
//! milliseconds in 32-bit floats: exact to a part in 16 million, 4 ns of 100 ms. The state `recovery` it names only at the
//! instant at which recovery begins.

use std::borrow::Cow;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::value::RawValue;
use windlull_transport::{Frame, Metrics, PacketLost, Role, Said, Space, from_qlog_text};

use crate::log::Log;
use crate::losses::{Cause, Losses};

/// A line of the qlog as it grows.
pub(crate) struct Lines {
    line: Vec<u8>,
    reader: Reader,
    log: Log,
}

impl Lines {
    pub(crate) fn new(role: Role, log: Log) -> Self {
        Self {
            line: Vec::with_capacity(1_024),
            reader: Reader {
                losses: Losses::new(role),
                acknowledged: None,
                smoothed_rtt: Duration::ZERO,
                latest_rtt: Duration::ZERO,
                pto_count: 0,
                log: log.clone(),
            },
            log,
        }
    }
}

impl Write for Lines {
    /// # Errors
    /// If the rest of the line is not wanted. quiche then leaves the event out and goes on with the next, which spares it most of
    /// what a line costs. An event is known by the serializer's writing its name at once; if it did not, the line would be read
    /// to its end, and dropped there.
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        let is_of_recovery = matches!(octets, b"quic:packet_received" | b"quic:recovery_metrics_updated");
        if is_of_recovery && !self.log.needs_recovery() {
            self.line.clear();
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.line.extend_from_slice(octets);
        // The line's end is written by itself.
        if octets == b"\n" {
            if let Err(wrong) = self.reader.read(&self.line) {
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

/// A line: the qlog's head, which has no name, or an event.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

/// What else quiche counts among the variables of recovery.
#[derive(Deserialize)]
struct Counts {
    cf_lost_packets: Option<Count>,
}

#[derive(Deserialize)]
struct Count {
    total: Option<u64>,
}

/// What is known from the lines before.
struct Reader {
    losses: Losses,
    /// The space of the packet that was received last, if it acknowledged any.
    acknowledged: Option<Space>,
    smoothed_rtt: Duration,
    latest_rtt: Duration,
    pto_count: u32,
    log: Log,
}

impl Reader {
    /// Takes a line in.
    ///
    /// # Errors
    /// What is wrong with it.
    fn read(&mut self, line: &[u8]) -> Result<(), String> {
        let text = line.strip_prefix(&[SEPARATOR]).unwrap_or(line);
        let Line { name, data } = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        let (Some(name), Some(data)) = (name, data.map(RawValue::get)) else {
            return Ok(());
        };
        match from_qlog_text(&name, data)? {
            Said::PacketSent(packet) => {
                let needs_recovery = self.log.needs_recovery();
                if let Some(lost) = needs_recovery
                    .then(|| self.losses.on_sent(&packet, Instant::now()))
                    .flatten()
                {
                    self.log.say(Said::PacketLost(lost));
                }
                self.log.say(Said::PacketSent(packet));
            }
            Said::PacketReceived(mut packet) => {
                self.losses.on_received(packet.space, &packet.frames);
                let acknowledges = packet.frames.iter().any(|frame| matches!(frame, Frame::Ack { .. }));
                self.acknowledged = acknowledges.then_some(packet.space);
                // quiche says how long its datagram is from the packet on. Only of the last packet that is its length.
                packet.length = packet.length.filter(|_| packet.space == Space::Data);
                self.log.say(Said::PacketReceived(packet));
            }
            Said::Metrics(metrics) => {
                let counts: Counts = serde_json::from_str(data).map_err(|error| error.to_string())?;
                self.metrics(metrics, counts.cf_lost_packets.and_then(|count| count.total))?;
            }
            other if self.log.is_recorded() => self.log.say(other),
            _ => {}
        }
        Ok(())
    }

    /// Tells the variables that changed, which packets were lost if that count rose, and a probe timeout for each that their
    /// count grew by. quiche writes this line whenever it has received a packet or handled a timer and a variable has changed.
    fn metrics(&mut self, mut metrics: Metrics, lost_count: Option<u64>) -> Result<(), String> {
        let duration = |span: windlull_units::Span| Duration::from_nanos(span.as_ns());
        self.smoothed_rtt = metrics.smoothed_rtt.map_or(self.smoothed_rtt, duration);
        self.latest_rtt = metrics.latest_rtt.map_or(self.latest_rtt, duration);
        if let Some(total) = lost_count {
            for lost in self.lost(total)? {
                self.log.say(Said::PacketLost(lost));
            }
        }
        if let Some(count) = metrics.pto_count {
            for _ in self.pto_count..count {
                self.log.say(Said::ProbeTimeout { space: None });
            }
            self.pto_count = count;
        }
        // Before the first congestion event it is infinite, which quiche writes as the greatest integer.
        metrics.ssthresh = metrics.ssthresh.filter(|&octets| octets < u64::MAX);
        if metrics != Metrics::default() {
            self.log.say(Said::Metrics(metrics));
        }
        Ok(())
    }

    fn lost(&mut self, total: u64) -> Result<Vec<PacketLost>, String> {
        let cause = match self.acknowledged {
            Some(space) if !self.log.is_timer() => Cause::Acknowledgement(space),
            _ => Cause::Timer,
        };
        let round_trip = self.smoothed_rtt.max(self.latest_rtt);
        let lost = self.losses.on_counted(total, cause, Instant::now(), round_trip);
        lost.map_err(|_| "it counts more lost packets than there are".to_owned())
    }
}

/// What begins a line (RFC 7464, section 2.2).
const SEPARATOR: u8 = 0x1e;
