//! qlog files of any implementation: JSON and JSON text sequences, of draft-ietf-quic-qlog-main-schema and of the drafts
//! before it, whose events are arrays.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Deserializer, Value};
use windlull_transport::{Said, from_qlog_text};
use windlull_units::{Host, Time};

/// RFC 7464, section 2.2: each text of a sequence begins with it. Within a text it cannot stand as it is.
const RECORD_SEPARATOR: u8 = 0x1E;

/// Under which names a trace says which connection it is of.
const NAMES: [&str; 3] = ["ODCID", "group_id", "original_destination_connection_id"];

/// Whether a file that begins like this may be a qlog file.
pub fn is_qlog(beginning: &[u8]) -> bool {
    let first = beginning.iter().find(|octet| !octet.is_ascii_whitespace());
    matches!(first, Some(b'{' | &RECORD_SEPARATOR))
}

/// What one end says of one connection.
#[derive(Clone, Debug, PartialEq)]
pub struct QlogTrace {
    /// Who says it, if the trace does.
    pub by: Option<Host>,
    /// The connection, as both ends call it.
    pub connection: Option<String>,
    /// Its own address and the peer's, if it says them.
    pub addresses: Option<[SocketAddr; 2]>,
    pub clock: Clock,
    /// When the first event was, since the clock's zero; milliseconds.
    pub began_ms: f64,
    /// In order of time, since the first.
    pub events: Vec<(Time, Said)>,
    /// Events that lack what they must have, and what the first of them lacks.
    pub unreadable: u64,
    pub first_unreadable: Option<String>,
}

impl QlogTrace {
    /// When it began, since an instant of its own clock.
    pub fn began_since(&self, ms: f64) -> Time {
        since_ms(self.began_ms - ms)
    }
}

/// Since when a trace counts its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Since 1970.
    Epoch,
    /// Since an instant that has this name.
    Named(String),
    /// It does not say.
    Unknown,
}

impl Clock {
    /// Whether times of two traces are of one clock.
    pub fn is_one_with(&self, other: &Self) -> bool {
        self == other && *self != Self::Unknown
    }
}

/// Reads the traces of a qlog file. An event that cannot be read is counted, and the others are read.
///
/// # Errors
/// What is wrong with the file, in words: no JSON, no qlog, or no trace.
pub fn read_qlog_file(mut octets: Vec<u8>) -> Result<Vec<QlogTrace>, String> {
    for octet in &mut octets {
        if *octet == RECORD_SEPARATOR {
            *octet = b' ';
        }
    }
    let mut texts = Deserializer::from_slice(&octets).into_iter::<&RawValue>();
    let mut text = || texts.next().transpose().map_err(|error| format!("no JSON: {error}"));
    let head: HeadFile<'_> = match text()? {
        Some(head) => serde_json::from_str(head.get()).map_err(|error| format!("no qlog: {error}"))?,
        None => return Err("the file is empty".to_owned()),
    };
    if let Some(traces) = head.traces {
        let traces: Vec<_> = traces.into_iter().filter_map(TraceFile::read).collect();
        return if traces.is_empty() {
            Err("it has no trace with events".to_owned())
        } else {
            Ok(traces)
        };
    }
    if !head.is_a_sequence() {
        return Err("no qlog: its first object has neither `traces` nor `trace`".to_owned());
    }
    let mut trace = head.trace.unwrap_or_default();
    loop {
        match text() {
            Ok(Some(event)) => trace.events.push(event),
            Ok(None) => break,
            // Whoever writes may have been ended while it wrote: all before is whole.
            Err(_) if texts_end_cut(&octets) => break,
            Err(error) => return Err(error),
        }
    }
    trace
        .read()
        .map(|trace| vec![trace])
        .ok_or("it has no events".to_owned())
}

/// Whether a sequence was cut while its last text was written.
fn texts_end_cut(octets: &[u8]) -> bool {
    !octets.trim_ascii_end().ends_with(b"}") || !octets.ends_with(b"\n")
}

#[derive(Deserialize)]
struct HeadFile<'a> {
    #[serde(borrow)]
    traces: Option<Vec<TraceFile<'a>>>,
    #[serde(borrow)]
    trace: Option<TraceFile<'a>>,
    qlog_format: Option<String>,
    qlog_version: Option<String>,
    serialization_format: Option<String>,
    file_schema: Option<String>,
}

impl HeadFile<'_> {
    fn is_a_sequence(&self) -> bool {
        let says = [
            &self.qlog_format,
            &self.qlog_version,
            &self.serialization_format,
            &self.file_schema,
        ];
        self.trace.is_some() || says.into_iter().any(Option::is_some)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TraceFile<'a> {
    vantage_point: Option<VantageFile>,
    common_fields: CommonFile,
    configuration: ConfigurationFile,
    /// What the places of an event's array mean: draft-marx-qlog-main-schema-01.
    event_fields: Option<Vec<String>>,
    #[serde(borrow)]
    events: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct VantageFile {
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CommonFile {
    time_format: Option<String>,
    reference_time: Option<Value>,
    #[serde(flatten)]
    others: serde_json::Map<String, Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ConfigurationFile {
    time_units: Option<String>,
}

#[derive(Deserialize)]
struct EventFile<'a> {
    #[serde(alias = "relative_time")]
    time: f64,
    #[serde(borrow, alias = "event", alias = "type")]
    name: Cow<'a, str>,
    #[serde(borrow)]
    category: Option<Cow<'a, str>>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

/// How the time of an event is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// Since the event before.
    SinceTheLast,
    /// Since the reference.
    SinceTheReference,
    /// As it stands: since 1970, or since an instant that nobody says.
    AsItStands,
}

impl TraceFile<'_> {
    /// `None` if it has no event that can be read.
    fn read(self) -> Option<QlogTrace> {
        let counted = match self.common_fields.time_format.as_deref() {
            Some("delta" | "relative_to_previous_event") => Counted::SinceTheLast,
            Some("relative" | "relative_to_epoch") => Counted::SinceTheReference,
            _ => Counted::AsItStands,
        };
        let in_us = self.configuration.time_units.as_deref() == Some("us");
        let unit_ms = if in_us { 1e-3 } else { 1.0 };
        let reference = self.common_fields.reference_time.as_ref();
        let zero_ms = reference.and_then(Value::as_f64).unwrap_or(0.0) * unit_ms;
        let mut trace = QlogTrace {
            by: self.vantage_point.and_then(|it| host_of(&it.kind?)),
            connection: (NAMES.into_iter())
                .find_map(|name| self.common_fields.others.get(name)?.as_str().map(str::to_owned)),
            addresses: None,
            clock: Clock::Unknown,
            began_ms: 0.0,
            events: Vec::with_capacity(self.events.len()),
            unreadable: 0,
            first_unreadable: None,
        };
        let mut last_ms = 0.0;
        let mut first_ms = None;
        for (place, text) in (1..).zip(&self.events) {
            let (time, said) = match event_of(text.get(), self.event_fields.as_deref()) {
                Ok(event) => event,
                Err(why) => {
                    trace.unreadable += 1;
                    trace.first_unreadable.get_or_insert(format!("event {place}: {why}"));
                    continue;
                }
            };
            let at_ms = match counted {
                Counted::SinceTheLast => last_ms + time * unit_ms,
                Counted::SinceTheReference | Counted::AsItStands => time * unit_ms,
            };
            last_ms = at_ms;
            let began_ms = *first_ms.get_or_insert(at_ms);
            if let Said::Other { name, data } = &said {
                if name.ends_with(":connection_started") {
                    trace.addresses = trace.addresses.or_else(|| addresses_of(data));
                }
            }
            let at = since_ms(at_ms - began_ms);
            // Those of one instant may stand a little out of order.
            let at = trace.events.last().map_or(at, |&(before, _)| at.max(before));
            trace.events.push((at, said));
        }
        trace.began_ms = first_ms? + if counted == Counted::AsItStands { 0.0 } else { zero_ms };
        trace.clock = match reference {
            _ if counted == Counted::AsItStands && is_a_date(trace.began_ms) => Clock::Epoch,
            Some(Value::Number(_)) if is_a_date(trace.began_ms) => Clock::Epoch,
            Some(reference @ Value::Object(_)) => Clock::Named(reference.to_string()),
            _ => Clock::Unknown,
        };
        Some(trace)
    }
}

/// Whether milliseconds since 1970 are of an instant after QUIC was first written down: what is less is since elsewhen.
fn is_a_date(ms: f64) -> bool {
    const YEAR_2013_MS: f64 = 1_356_998_400_000.0;
    ms > YEAR_2013_MS
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a negative number becomes 0, and 584 years fit"
)]
fn since_ms(ms: f64) -> Time {
    Time::from_ns((ms.max(0.0) * 1e6).round() as u64)
}

/// The time of an event as it stands, and what it says.
fn event_of(text: &str, fields: Option<&[String]>) -> Result<(f64, Said), String> {
    let event = match fields {
        Some(fields) if text.starts_with('[') => of_array(text, fields)?,
        _ => serde_json::from_str::<EventFile<'_>>(text).map_err(|error| error.to_string())?,
    };
    let name = match &event.category {
        Some(category) if !event.name.contains(':') => Cow::Owned(format!("{category}:{}", event.name)),
        _ => event.name,
    };
    let data = event.data.map_or("{}", RawValue::get);
    Ok((event.time, from_qlog_text(&name, data)?))
}

/// An event whose fields stand in an array, in an order that the trace says.
fn of_array<'a>(text: &'a str, fields: &[String]) -> Result<EventFile<'a>, String> {
    let values: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let value = |names: &[&str]| {
        let place = fields.iter().position(|field| names.contains(&field.as_str()))?;
        values.get(place).copied()
    };
    let text_of =
        |names: &[&str]| value(names).and_then(|value| serde_json::from_str::<Cow<'_, str>>(value.get()).ok());
    let time = value(&["relative_time", "time", "delta_time"]);
    Ok(EventFile {
        time: match time.map(|time| time.get().trim_matches('"').parse()) {
            Some(Ok(time)) => time,
            _ => return Err("an event without a time".to_owned()),
        },
        name: text_of(&["event", "event_type", "name"]).ok_or("an event without a name")?,
        category: text_of(&["category"]),
        data: value(&["data"]),
    })
}

fn host_of(kind: &str) -> Option<Host> {
    Host::ALL.into_iter().find(|host| host.name() == kind)
}

/// The writer's address and its peer's, as `connection_started` has them, in the drafts' forms.
fn addresses_of(data: &Value) -> Option<[SocketAddr; 2]> {
    let port = |value: &Value| u16::try_from(value.as_u64()?).ok();
    let of_end = |end: &Value| {
        let ip: IpAddr = (end["ip_v4"].as_str().or(end["ip_v6"].as_str())?).parse().ok()?;
        Some(SocketAddr::new(ip, port(&end["port_v4"]).or(port(&end["port_v6"]))?))
    };
    let older = |ip: &str, at: &str| Some(SocketAddr::new(data[ip].as_str()?.parse().ok()?, port(&data[at])?));
    let ends = of_end(&data["local"]).zip(of_end(&data["remote"]));
    let ends = ends.or_else(|| older("src_ip", "src_port").zip(older("dst_ip", "dst_port")));
    ends.map(|(local, remote)| [local, remote])
}

#[cfg(test)]
mod tests {
    use windlull_transport::{PacketSent, Space};

    use super::*;

    const SENT: &str = r#"{"header":{"packet_type":"1RTT","packet_number":7},"frames":[]}"#;

    fn sent() -> Said {
        Said::PacketSent(PacketSent {
            space: Space::Data,
            number: 7,
            length: None,
            frames: Vec::new(),
        })
    }

    fn read(text: &str) -> QlogTrace {
        let mut traces = read_qlog_file(text.as_bytes().to_vec()).expect("a qlog file");
        assert_eq!(traces.len(), 1);
        traces.remove(0)
    }

    #[test]
    fn a_sequence_is_read_with_and_without_separators() {
        let head = r#"{"qlog_format":"JSON-SEQ","qlog_version":"0.3","trace":{"vantage_point":{"type":"client"},"common_fields":{"ODCID":"ab12","reference_time":1700000000000.0,"time_format":"relative"}}}"#;
        let event = format!(r#"{{"time":2.5,"name":"transport:packet_sent","data":{SENT}}}"#);
        let later = format!(r#"{{"time":4.0,"name":"quic:packet_sent","data":{SENT}}}"#);
        for separator in ["", "\x1e"] {
            let trace = read(&format!("{separator}{head}\n{separator}{event}\n{separator}{later}\n"));
            assert_eq!(trace.by, Some(Host::Client));
            assert_eq!(trace.connection.as_deref(), Some("ab12"));
            assert_eq!((trace.clock, trace.began_ms), (Clock::Epoch, 1_700_000_000_002.5));
            assert_eq!(trace.events, [(Time::ZERO, sent()), (Time::from_ns(1_500_000), sent())]);
        }
        // Cut while the last event was written.
        let trace = read(&format!("{head}\n{event}\n{}", &later[..30]));
        assert_eq!(trace.events.len(), 1);
    }

    #[test]
    fn a_file_of_one_text_is_read_and_times_since_the_last_event_are_added() {
        let text = format!(
            r#"{{"qlog_version":"0.4","traces":[{{"common_fields":{{"time_format":"relative_to_previous_event"}},
            "events":[{{"time":10,"name":"quic:connection_started","data":
            {{"local":{{"ip_v4":"192.0.2.1","port_v4":443}},"remote":{{"ip_v4":"192.0.2.9","port_v4":5000}}}}}},
            {{"time":3,"name":"quic:packet_sent","data":{SENT}}},{{"name":"quic:packet_lost"}}],
            "vantage_point":{{"type":"server"}}}}]}}"#
        );
        let trace = read(&text);
        assert_eq!((trace.by, trace.clock), (Some(Host::Server), Clock::Unknown));
        assert_eq!(trace.events[1], (Time::from_ns(3_000_000), sent()));
        let addresses = trace.addresses.map(|ends| ends.map(|end| end.to_string()));
        assert_eq!(addresses, Some(["192.0.2.1:443", "192.0.2.9:5000"].map(str::to_owned)));
        assert_eq!(trace.unreadable, 1);
        assert!(
            trace
                .first_unreadable
                .is_some_and(|why| why.starts_with("event 3: missing field `time`"))
        );
    }

    #[test]
    fn events_that_are_arrays_are_read_by_the_names_of_their_fields() {
        let text = format!(
            r#"{{"qlog_version":"draft-01","traces":[{{"configuration":{{"time_units":"us"}},
            "event_fields":["relative_time","category","event","data"],
            "events":[[0,"transport","packet_sent",{SENT}],["1500","transport","packet_sent",{SENT}]]}}]}}"#
        );
        assert_eq!(
            read(&text).events,
            [(Time::ZERO, sent()), (Time::from_ns(1_500_000), sent())]
        );
    }

    #[test]
    fn what_is_no_qlog_is_refused_in_words() {
        for (text, why) in [
            ("", "the file is empty"),
            ("{\"a\":", "no JSON: "),
            ("{\"a\":1}", "neither `traces` nor `trace`"),
            ("{\"traces\":[]}", "no trace with events"),
            ("{\"qlog_version\":\"0.3\"}\n", "no events"),
        ] {
            let told = read_qlog_file(text.as_bytes().to_vec()).expect_err(text);
            assert!(told.contains(why), "{text}: {told}");
        }
        assert!(is_qlog(b"\x1e{") && is_qlog(b"  {\"") && !is_qlog(b"\x0a\x0d\x0d\x0a") && !is_qlog(b""));
    }
}
