//! `events.jsonl`: what the link and the sender said, one JSON object a line in order of time.
//!
//! `{"t":NANOSECONDS,"link":{"event":"hold-began",...}}` or
//! `{"t":NANOSECONDS,"host":"server","sender":{"event":"state",...}}`; the inner objects are those of
//! `windlull_units::LinkEvent` and `windlull_wire::SenderEvent`.

use std::io::{self, BufRead, Write};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use windlull_units::{Host, LinkEvent, Span, Time};
use windlull_wire::{SenderEvent, SenderState};

use crate::sink::{Sink, push_number};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Link(LinkEvent),
    /// Of the sender at a host.
    Sender(Host, SenderEvent),
}

/// A line of `events.jsonl`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum EventLine<'a> {
    /// What happened on the link.
    Link {
        /// When.
        t: Time,
        /// What.
        link: &'a LinkEvent,
    },
    /// What a sender said of itself.
    Sender {
        /// When.
        t: Time,
        /// Where the sender is.
        host: Host,
        /// What.
        sender: &'a SenderEvent,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    t: Time,
    #[serde(default)]
    link: Option<LinkEvent>,
    #[serde(default)]
    host: Option<Host>,
    #[serde(default)]
    sender: Option<SenderEvent>,
}

/// Writes `events.jsonl`.
#[derive(Debug)]
pub struct EventWriter<W>(pub(crate) Sink<W>);

impl<W: Write> EventWriter<W> {
    /// Begins an empty file.
    pub fn new(out: W) -> Self {
        Self(Sink::new(out))
    }

    pub fn link(&mut self, t: Time, link: &LinkEvent) {
        self.line(&EventLine::Link { t, link });
    }

    pub fn sender(&mut self, t: Time, host: Host, event: &SenderEvent) {
        let out = &mut self.0.buffer;
        match event {
            // One or two of each come with every acknowledgement: written by hand, which is many times quicker.
            SenderEvent::State(state) => {
                push_sender(out, t, host, "state");
                push_state(out, state);
            }
            SenderEvent::RttSample { rtt } => {
                push_sender(out, t, host, "rtt-sample");
                push_field(out, b",\"rtt\":", Some(rtt.as_ns()));
            }
            // It changes with every other acknowledgement, and tells nothing that a reader of this file needs.
            SenderEvent::Limited { .. } => return,
            other => {
                self.line(&EventLine::Sender { t, host, sender: other });
                return;
            }
        }
        out.extend_from_slice(b"}}\n");
        self.0.spill();
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// The first error of the underlying writer.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()
    }

    fn line(&mut self, line: &impl Serialize) {
        if let Err(error) = serde_json::to_writer(&mut self.0.buffer, line) {
            self.0.fail(error.into());
        }
        self.0.buffer.push(b'\n');
        self.0.spill();
    }
}

fn push_sender(out: &mut Vec<u8>, t: Time, host: Host, event: &str) {
    out.extend_from_slice(b"{\"t\":");
    push_number(out, t.as_ns());
    let host: &[u8] = match host {
        Host::Server => b",\"host\":\"server\",\"sender\":{\"event\":\"",
        Host::Client => b",\"host\":\"client\",\"sender\":{\"event\":\"",
    };
    out.extend_from_slice(host);
    out.extend_from_slice(event.as_bytes());
    out.push(b'"');
}

fn push_state(out: &mut Vec<u8>, state: &SenderState) {
    push_field(out, b",\"cwnd_bytes\":", Some(state.cwnd_bytes));
    push_field(out, b",\"ssthresh_bytes\":", state.ssthresh_bytes);
    push_field(out, b",\"flight_bytes\":", Some(state.flight_bytes));
    push_field(out, b",\"srtt\":", state.srtt.map(Span::as_ns));
    push_field(out, b",\"rttvar\":", state.rttvar.map(Span::as_ns));
    push_field(out, b",\"rto\":", Some(state.rto.as_ns()));
    push_field(out, b",\"estimated_rto\":", state.estimated_rto.map(Span::as_ns));
    push_field(out, b",\"minimum_rto\":", state.minimum_rto.map(Span::as_ns));
    push_field(out, b",\"backoff\":", Some(u64::from(state.backoff)));
    out.extend_from_slice(b",\"phase\":\"");
    out.extend_from_slice(state.phase.name().as_bytes());
    out.push(b'"');
}

/// Appends a field, `key` being its name with all that JSON wants around it.
#[inline]
fn push_field<const N: usize>(out: &mut Vec<u8>, key: &[u8; N], value: Option<u64>) {
    out.extend_from_slice(key);
    match value {
        Some(number) => push_number(out, number),
        None => out.extend_from_slice(b"null"),
    }
}

/// Why an `events.jsonl` cannot be read.
#[derive(Debug, Error)]
pub enum EventError {
    /// The file cannot be read.
    #[error("events: {0}")]
    Io(#[from] io::Error),
    /// A line that is not of the documented form.
    #[error("events, line {line}: {source}")]
    Json {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A line that is neither of the link nor of a sender.
    #[error("events, line {line}: neither `link`, nor `host` and `sender`")]
    Neither {
        /// The line, from 1.
        line: usize,
    },
}

/// The events in an `events.jsonl`, in the order of its lines; empty lines are passed over.
pub fn read_events(input: impl BufRead) -> impl Iterator<Item = Result<(Time, Event), EventError>> {
    input.lines().enumerate().filter_map(|(index, text)| match text {
        Ok(text) if text.trim().is_empty() => None,
        Ok(text) => Some(event(&text, index + 1)),
        Err(error) => Some(Err(error.into())),
    })
}

fn event(text: &str, line: usize) -> Result<(Time, Event), EventError> {
    let parsed: Line = serde_json::from_str(text).map_err(|source| EventError::Json { line, source })?;
    let event = match parsed {
        Line {
            link: Some(link),
            host: None,
            sender: None,
            ..
        } => Event::Link(link),
        Line {
            link: None,
            host: Some(host),
            sender: Some(sender),
            ..
        } => Event::Sender(host, sender),
        _ => return Err(EventError::Neither { line }),
    };
    Ok((parsed.t, event))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_by_hand_is_what_serde_writes() {
        for (number, phase) in windlull_wire::Phase::ALL.into_iter().enumerate() {
            let known = number % 2 == 0;
            let state = SenderState {
                cwnd_bytes: u64::MAX - number as u64,
                ssthresh_bytes: known.then_some(512),
                flight_bytes: 3,
                srtt: known.then_some(Span::from_ms(4)),
                rttvar: known.then_some(Span::ZERO),
                rto: Span::from_ms(1000),
                estimated_rto: known.then_some(Span::from_ms(20)),
                minimum_rto: known.then_some(Span::from_ms(1000)),
                backoff: 2,
                phase,
            };
            for sender in [
                SenderEvent::State(state),
                SenderEvent::RttSample { rtt: Span::from_us(7) },
            ] {
                for host in Host::ALL {
                    let t = Time::from_ns(12_345);
                    let mut writer = EventWriter::new(Vec::new());
                    writer.sender(t, host, &sender);
                    let ours = String::from_utf8(writer.finish().expect("memory")).expect("text");
                    let theirs = serde_json::to_string(&EventLine::Sender {
                        t,
                        host,
                        sender: &sender,
                    })
                    .expect("JSON");
                    assert_eq!(ours.trim_end(), theirs);
                }
            }
        }
    }
}
