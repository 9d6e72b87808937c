//! What a transport said of itself, as a qlog file: JSON text sequences (draft-ietf-quic-qlog-main-schema-14; RFC 7464), events
//! of draft-ietf-quic-qlog-quic-events-13.

use std::io::{self, Write};

use serde_json::json;
use windlull_transport::{Said, to_qlog};
use windlull_units::{Host, Time};

use crate::Provenance;
use crate::sink::Sink;

/// RFC 7464, section 2.2: each text of a sequence begins with it.
const RECORD_SEPARATOR: u8 = 0x1E;

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
