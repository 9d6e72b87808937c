//! What a transport said of itself, as a qlog file: JSON text sequences (draft-ietf-quic-qlog-main-schema-14; RFC 7464), events
//! of draft-ietf-quic-qlog-quic-events-13.

use std::io::{self, BufRead, Write};

use serde_json::json;
use thiserror::Error;
use windlull_transport::{Said, from_qlog_text, to_qlog};
use windlull_units::{Host, Time};

use crate::Provenance;
use crate::sink::Sink;

/// RFC 7464, section 2.2: each text of a sequence begins with it.
const RECORD_SEPARATOR: u8 = 0x1E;

/// How the text of an event begins, and what stands between its time, its name and its data.
const TIME: &str = "{\"time\":";
const NAME: &str = ",\"name\":\"";
const DATA: &str = "\",\"data\":";

/// Why a qlog file cannot be read.
#[derive(Debug, Error)]
pub enum QlogError {
    /// The file cannot be read.
    #[error("qlog: {0}")]
    Io(#[from] io::Error),
    /// An event that is not as runs write it.
    #[error("qlog, line {line}: {why}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
}

/// What a host said of itself in the qlog file of a run, in its order. What is no event, as the file's beginning, is passed
/// over.
pub fn read_qlog(input: impl BufRead) -> impl Iterator<Item = Result<(Time, Said), QlogError>> {
    input.lines().enumerate().filter_map(|(index, text)| match text {
        Ok(text) => {
            let rest = text
                .trim_start_matches(char::from(RECORD_SEPARATOR))
                .strip_prefix(TIME)?;
            let line = index + 1;
            Some(event(rest).map_err(|why| QlogError::Line { line, why }))
        }
        Err(error) => Some(Err(error.into())),
    })
}

/// An event, from its time on.
fn event(text: &str) -> Result<(Time, Said), String> {
    let (time, text) = text.split_once(NAME).ok_or("an event without a name")?;
    let (name, text) = text.split_once(DATA).ok_or("an event without data")?;
    let data = text.trim_end().strip_suffix('}').ok_or("an event that is cut")?;
    let at = milliseconds(time).ok_or_else(|| format!("{time} is no time in milliseconds with six decimals"))?;
    Ok((at, from_qlog_text(name, data)?))
}

/// Milliseconds to the nanosecond, which a float would round.
fn milliseconds(text: &str) -> Option<Time> {
    let (whole, decimals) = text.split_once('.')?;
    if decimals.len() != 6 {
        return None;
    }
    let (ms, ns): (u64, u64) = (whole.parse().ok()?, decimals.parse().ok()?);
    Some(Time::from_ns(ms.checked_mul(1_000_000)?.checked_add(ns)?))
}

/// Writes the qlog file of one host.
#[derive(Debug)]
pub(crate) struct QlogWriter<W>(pub(crate) Sink<W>);

impl<W: Write> QlogWriter<W> {
    /// Begins the file.
    pub(crate) fn new(out: W, host: Host, provenance: &Provenance) -> Self {
        let mut writer = Self(Sink::new(out));
        writer.text(&json!({
            "file_schema": "urn:ietf:params:qlog:file:sequential",
            "serialization_format": "application/qlog+json-seq",
            "title": format!("{} at the {}", provenance.variant, host.name()),
            "description": provenance.to_string(),
            "trace": {
                "common_fields": {
                    "time_format": "relative_to_epoch",
                    // The run's start; a run in virtual time has no date.
                    "reference_time": { "clock_type": "monotonic", "epoch": "unknown" },
                },
                "vantage_point": { "type": host.name() },
                "event_schemas": ["urn:ietf:params:qlog:events:quic-13"],
            },
        }));
        writer
    }

    /// Writes an event, unless qlog has none for it.
    pub(crate) fn said(&mut self, now: Time, said: &Said) {
        let Some((name, data)) = to_qlog(said) else { return };
        let ns = now.as_ns();
        let out = &mut self.0.buffer;
        out.push(RECORD_SEPARATOR);
        // Milliseconds, to the nanosecond: as a float of JSON they would not be.
        let head = format!(
            "{{\"time\":{}.{:06},\"name\":\"{name}\",\"data\":",
            ns / 1_000_000,
            ns % 1_000_000
        );
        out.extend_from_slice(head.as_bytes());
        let written = serde_json::to_writer(&mut *out, &data);
        out.extend_from_slice(b"}\n");
        if let Err(error) = written {
            self.0.fail(error.into());
        }
        self.0.spill();
    }

    fn text(&mut self, text: &serde_json::Value) {
        self.0.buffer.push(RECORD_SEPARATOR);
        self.0.buffer.extend_from_slice(text.to_string().as_bytes());
        self.0.buffer.push(b'\n');
    }

    pub(crate) fn finish(self) -> io::Result<W> {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use windlull_transport::{LossTrigger, PacketLost, Space};

    use super::*;

    #[test]
    fn what_is_written_is_read_to_the_nanosecond() {
        let lost = Said::PacketLost(PacketLost {
            space: Space::Data,
            number: 7,
            trigger: Some(LossTrigger::TimeThreshold),
            is_mtu_probe: false,
        });
        let at = Time::from_ns(86_400_000_000_001);
        let mut text = b"\x1e{\"file_schema\":\"urn:ietf:params:qlog:file:sequential\"}\n".to_vec();
        let mut writer = QlogWriter(Sink::new(Vec::new()));
        writer.said(at, &lost);
        text.extend(writer.finish().expect("memory"));
        let read: Vec<_> = read_qlog(text.as_slice())
            .map(|said| said.expect("as it was written"))
            .collect();
        assert_eq!(read, [(at, lost)]);
    }

    #[test]
    fn a_damaged_event_is_told_by_its_line() {
        for (text, what) in [
            (
                "{\"time\":1.5,\"name\":\"quic:packet_lost\",\"data\":{}}",
                "1.5 is no time",
            ),
            (
                "{\"time\":1.000000,\"name\":\"quic:packet_lost\",\"data\":{}}",
                "no packet type",
            ),
            ("{\"time\":1.000000,\"data\":{}}", "without a name"),
            ("{\"time\":1.000000,\"name\":\"a:b\",\"data\":", "cut"),
        ] {
            let text = format!("\n{text}");
            let told = read_qlog(text.as_bytes())
                .find_map(Result::err)
                .expect("a damaged line");
            let told = told.to_string();
            assert!(told.starts_with("qlog, line 2: ") && told.contains(what), "{told}");
        }
    }
}
