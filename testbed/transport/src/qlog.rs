//! What a transport says, as events of qlog, both ways (draft-ietf-quic-qlog-quic-events-13). Older names are read too.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlull_units::Span;

use crate::said::{
    AckRange, CongestionState, Frame, LossTrigger, Metrics, OTHERS, PacketLost, PacketReceived, PacketSent, Said,
    Space, other_frame,
};

/// An event by its name and data. One that is of no use here is kept as it is.
///
/// # Errors
/// What its data lack, in words.
pub fn from_qlog(name: &str, data: Value) -> Result<Said, String> {
    let event = event_of(name)?;
    let wrong = |error: serde_json::Error| format!("{name}: {error}");
    Ok(match event {
        "packet_sent" | "packet_received" => {
            let packet = PacketFile::deserialize(&data).map_err(wrong)?;
            packet.read(event).unwrap_or(Said::Other {
                name: name.to_owned(),
                data,
            })
        }
        "packet_lost" => {
            let lost: LostFile = serde_json::from_value(data).map_err(wrong)?;
            let place = lost.header.or(lost.older).and_then(|header| header.place());
            let (space, number) = place.ok_or_else(|| format!("{name}: no packet type and number"))?;
            let trigger = lost.trigger.as_deref();
            Said::PacketLost(PacketLost {
                space,
                number,
                is_mtu_probe: lost.is_mtu_probe_packet,
                trigger: LossTrigger::ALL.into_iter().find(|it| Some(it.name()) == trigger),
            })
        }
        "recovery_metrics_updated" | "metrics_updated" => {
            Said::Metrics(serde_json::from_value::<MetricsFile>(data).map_err(wrong)?.read())
        }
        "timer_updated" | "loss_timer_updated" if data["event_type"] == "expired" && data["timer_type"] == "pto" => {
            let space = data["packet_number_space"].as_str();
            Said::ProbeTimeout {
                space: Space::ALL.into_iter().find(|it| Some(it.name()) == space),
            }
        }
        "congestion_state_updated" => {
            let new = data["new"].as_str();
            match CongestionState::ALL.into_iter().find(|it| Some(it.name()) == new) {
                Some(state) => Said::CongestionState(state),
                None => Said::Other {
                    name: name.to_owned(),
                    data,
                },
            }
        }
        _ => Said::Other {
            name: name.to_owned(),
            data,
        },
    })
}

/// The same of data that are text. The events of which there are several for each packet are read from it as it stands.
///
/// # Errors
/// As [`from_qlog`].
pub fn from_qlog_text(name: &str, data: &str) -> Result<Said, String> {
    let event = event_of(name)?;
    let wrong = |error: serde_json::Error| format!("{name}: {error}");
    let said = match event {
        "packet_sent" | "packet_received" => serde_json::from_str::<PacketFile>(data).map_err(wrong)?.read(event),
        "recovery_metrics_updated" | "metrics_updated" => Some(Said::Metrics(
            serde_json::from_str::<MetricsFile>(data).map_err(wrong)?.read(),
        )),
        _ => None,
    };
    match said {
        Some(said) => Ok(said),
        None => from_qlog(name, serde_json::from_str(data).map_err(wrong)?),
    }
}

fn event_of(name: &str) -> Result<&str, String> {
    let (_, event) = name
        .split_once(':')
        .ok_or("the name of an event is `namespace:event`")?;
    Ok(event)
}

/// The event's name and data; `None` of what qlog has no event for.
pub fn to_qlog(said: &Said) -> Option<(&str, Value)> {
    Some(match said {
        Said::PacketSent(sent) => (
            "quic:packet_sent",
            packet(sent.space, sent.number, sent.length, &sent.frames),
        ),
        Said::PacketReceived(received) => (
            "quic:packet_received",
            packet(received.space, received.number, received.length, &received.frames),
        ),
        Said::PacketLost(lost) => {
            let mut data = json!({ "header": header(lost.space, lost.number) });
            if let Some(trigger) = lost.trigger {
                data["trigger"] = trigger.name().into();
            }
            if lost.is_mtu_probe {
                data["is_mtu_probe_packet"] = true.into();
            }
            ("quic:packet_lost", data)
        }
        Said::Metrics(metrics) => ("quic:recovery_metrics_updated", written(metrics)),
        Said::ProbeTimeout { space } => {
            let mut data = json!({ "timer_type": "pto", "event_type": "expired" });
            if let Some(space) = space {
                data["packet_number_space"] = space.name().into();
            }
            ("quic:timer_updated", data)
        }
        Said::CongestionState(state) => ("quic:congestion_state_updated", json!({ "new": state.name() })),
        Said::SpuriousLoss => return None,
        Said::Other { name, data } if data.is_object() => (name, data.clone()),
        Said::Other { name, .. } => (name, json!({})),
    })
}

fn header(space: Space, number: u64) -> Value {
    let kind = match space {
        Space::Initial => "initial",
        Space::Handshake => "handshake",
        Space::Data => "1RTT",
    };
    json!({ "packet_type": kind, "packet_number": number })
}

fn packet(space: Space, number: u64, length: Option<u16>, frames: &[Frame]) -> Value {
    let frames: Vec<_> = frames.iter().filter_map(frame).collect();
    let mut data = json!({ "header": header(space, number), "frames": frames });
    if let Some(length) = length {
        data["raw"] = json!({ "length": length });
    }
    data
}

/// Those of them that the schema asks no fields of.
const WITHOUT_FIELDS: [&str; 4] = ["path_challenge", "path_response", "handshake_done", "datagram"];

/// The errors of transport, from 0 on (RFC 9000, section 20.1).
const TRANSPORT_ERRORS: [&str; 17] = [
    "no_error",
    "internal_error",
    "connection_refused",
    "flow_control_error",
    "stream_limit_error",
    "stream_state_error",
    "final_size_error",
    "frame_encoding_error",
    "transport_parameter_error",
    "connection_id_limit_error",
    "protocol_violation",
    "invalid_token",
    "application_error",
    "crypto_buffer_exceeded",
    "key_update_error",
    "aead_limit_reached",
    "no_viable_path",
];

/// The name of an error: of the transport's by number, of TLS's by its alert (RFC 9001, section 4.8). An application's have
/// none here.
fn error(is_application: bool, code: u64) -> Option<String> {
    let known = usize::try_from(code).ok().and_then(|code| TRANSPORT_ERRORS.get(code));
    match known {
        _ if is_application => None,
        Some(&name) => Some(name.to_owned()),
        None if (0x100..0x200).contains(&code) => Some(format!("crypto_error_{code:#x}")),
        None => None,
    }
}

/// The number of an error that is given by its name.
fn code(error: &str) -> Option<u64> {
    if let Some(alert) = error.strip_prefix("crypto_error_0x") {
        return u64::from_str_radix(alert, 16).ok();
    }
    (0..)
        .zip(TRANSPORT_ERRORS)
        .find(|&(_, name)| name == error)
        .map(|(code, _)| code)
}

/// A frame; `None` of one whose type the stack does not say.
fn frame(frame: &Frame) -> Option<Value> {
    Some(match frame {
        Frame::Padding => json!({ "frame_type": "padding" }),
        Frame::Ping => json!({ "frame_type": "ping" }),
        Frame::Ack { ranges, .. } => {
            // A range of one packet is an array of one.
            let ranges: Vec<Value> = ranges
                .iter()
                .map(|range| {
                    if range.first == range.last {
                        json!([range.first])
                    } else {
                        json!([range.first, range.last])
                    }
                })
                .collect();
            json!({ "frame_type": "ack", "acked_ranges": ranges })
        }
        Frame::Crypto { offset, length } => {
            json!({ "frame_type": "crypto", "offset": offset, "raw": { "length": length } })
        }
        Frame::Stream {
            id,
            offset,
            length,
            ends,
        } => json!({
            "frame_type": "stream", "stream_id": id, "offset": offset, "fin": ends, "raw": { "length": length }
        }),
        Frame::ConnectionClose { is_application, code } => {
            let space = if *is_application { "application" } else { "transport" };
            let mut close = json!({ "frame_type": "connection_close", "error_space": space });
            match error(*is_application, *code) {
                Some(error) => close["error"] = error.into(),
                None => {
                    close["error"] = "unknown".into();
                    close["error_code"] = (*code).into();
                }
            }
            close
        }
        Frame::Other(name) if WITHOUT_FIELDS.contains(name) => json!({ "frame_type": name }),
        // Of the others the schema asks for fields that say nothing of recovery: of them their types are said.
        Frame::Other(name) => {
            let (_, kind) = OTHERS.into_iter().find(|(other, _)| other == name)?;
            json!({ "frame_type": "unknown", "frame_type_bytes": kind })
        }
    })
}

fn written(metrics: &Metrics) -> Value {
    let ms = |span: Option<Span>| span.map(|span| json!(span.as_secs_f64() * 1e3));
    let count = |count: Option<u64>| count.map(|count| json!(count));
    let fields = [
        ("min_rtt", ms(metrics.min_rtt)),
        ("smoothed_rtt", ms(metrics.smoothed_rtt)),
        ("latest_rtt", ms(metrics.latest_rtt)),
        ("rtt_variance", ms(metrics.rtt_variance)),
        ("pto_count", count(metrics.pto_count.map(u64::from))),
        ("congestion_window", count(metrics.congestion_window)),
        ("bytes_in_flight", count(metrics.bytes_in_flight)),
        ("ssthresh", count(metrics.ssthresh)),
        ("pacing_rate", count(metrics.pacing_rate)),
    ];
    let known = fields
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(known.collect::<Map<_, _>>())
}

#[derive(Deserialize)]
struct PacketFile {
    header: HeaderFile,
    /// draft-marx-quic-qlog-events-01 had it beside the header.
    packet_type: Option<String>,
    #[serde(default)]
    frames: Vec<FrameFile>,
    raw: Option<RawFile>,
}

impl PacketFile {
    /// The packet of a `packet_sent` or `packet_received`; `None` if it has no number, as a Retry.
    fn read(self, event: &str) -> Option<Said> {
        let (space, number) = self.header.place_of(self.packet_type.as_deref())?;
        let length = self.raw.and_then(|raw| raw.length).or(self.header.length);
        let frames = self.frames.into_iter().map(FrameFile::read).collect();
        Some(if event == "packet_sent" {
            Said::PacketSent(PacketSent {
                space,
                number,
                length,
                frames,
            })
        } else {
            Said::PacketReceived(PacketReceived {
                space,
                number,
                length,
                frames,
            })
        })
    }
}

#[derive(Deserialize)]
struct LostFile {
    header: Option<HeaderFile>,
    /// draft-marx-qlog-event-definitions-quic-h3-02 had the type and the number beside each other.
    #[serde(flatten)]
    older: Option<HeaderFile>,
    trigger: Option<String>,
    #[serde(default)]
    is_mtu_probe_packet: bool,
}

#[derive(Deserialize)]
struct HeaderFile {
    #[serde(alias = "type")]
    packet_type: Option<String>,
    packet_number: Option<u64>,
    length: Option<u16>,
}

impl HeaderFile {
    /// The space and the number; `None` of a packet that has none, as a Retry.
    fn place(&self) -> Option<(Space, u64)> {
        self.place_of(None)
    }

    /// The same, where the type may stand beside the header.
    fn place_of(&self, beside: Option<&str>) -> Option<(Space, u64)> {
        let space = match self.packet_type.as_deref().or(beside)? {
            "initial" => Space::Initial,
            "handshake" => Space::Handshake,
            "0RTT" | "1RTT" => Space::Data,
            _ => return None,
        };
        Some((space, self.packet_number?))
    }
}

#[derive(Clone, Copy, Default, Deserialize)]
struct RawFile {
    length: Option<u16>,
    payload_length: Option<u64>,
}

#[derive(Deserialize)]
struct FrameFile {
    frame_type: String,
    stream_id: Option<u64>,
    offset: Option<u64>,
    length: Option<u64>,
    #[serde(default)]
    fin: bool,
    #[serde(default)]
    acked_ranges: Vec<Vec<u64>>,
    frame_type_bytes: Option<u64>,
    error_space: Option<String>,
    error: Option<String>,
    error_code: Option<Value>,
    #[serde(default)]
    raw: Option<RawFile>,
}

impl FrameFile {
    fn read(self) -> Frame {
        let offset = self.offset.unwrap_or(0);
        let of_raw = self
            .raw
            .and_then(|raw| raw.payload_length.or(raw.length.map(u64::from)));
        let length = self.length.or(of_raw).unwrap_or(0);
        match self.frame_type.as_str() {
            "padding" => Frame::Padding,
            "ping" => Frame::Ping,
            "ack" => {
                let mut ranges: Vec<_> = (self.acked_ranges.iter())
                    .filter_map(|range| {
                        Some(AckRange {
                            first: *range.first()?,
                            last: *range.last()?,
                        })
                    })
                    .collect();
                ranges.sort_by_key(|range| std::cmp::Reverse(range.first));
                Frame::Ack {
                    ranges,
                    delay_encoded: 0,
                }
            }
            "crypto" => Frame::Crypto { offset, length },
            "stream" => Frame::Stream {
                id: self.stream_id.unwrap_or(0),
                offset,
                length,
                ends: self.fin,
            },
            "connection_close" => Frame::ConnectionClose {
                is_application: self.error_space.is_some_and(|space| space.starts_with("application")),
                code: (self.error_code.and_then(|code| code.as_u64()))
                    .or_else(|| code(&self.error?))
                    .unwrap_or(0),
            },
            name => {
                let known = |other: &str, kind| other == name || self.frame_type_bytes == Some(kind);
                Frame::Other(other_frame(known))
            }
        }
    }
}

#[derive(Deserialize)]
struct MetricsFile {
    congestion_window: Option<u64>,
    cwnd: Option<u64>,
    ssthresh: Option<u64>,
    bytes_in_flight: Option<u64>,
    smoothed_rtt: Option<f64>,
    latest_rtt: Option<f64>,
    min_rtt: Option<f64>,
    rtt_variance: Option<f64>,
    pto_count: Option<u32>,
    pacing_rate: Option<u64>,
}

impl MetricsFile {
    fn read(self) -> Metrics {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "milliseconds below the age of the universe"
        )]
        let span = |ms: Option<f64>| ms.map(|ms| Span::from_ns((ms.max(0.0) * 1e6).round() as u64));
        Metrics {
            // aioquic's name for it.
            congestion_window: self.congestion_window.or(self.cwnd),
            ssthresh: self.ssthresh,
            bytes_in_flight: self.bytes_in_flight,
            smoothed_rtt: span(self.smoothed_rtt),
            latest_rtt: span(self.latest_rtt),
            min_rtt: span(self.min_rtt),
            rtt_variance: span(self.rtt_variance),
            pto_count: self.pto_count,
            pacing_rate: self.pacing_rate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(said: &Said) {
        let (name, data) = to_qlog(said).expect("qlog has it");
        assert_eq!(from_qlog(name, data).as_ref(), Ok(said));
    }

    #[test]
    fn text_is_read_as_its_value_is() {
        let header = json!({ "packet_type": "1RTT", "packet_number": 4 });
        let ack = json!({ "frame_type": "ack", "acked_ranges": [[1, 3], [5]] });
        for (name, data) in [
            (
                "quic:packet_sent",
                json!({ "header": header, "frames": [ack], "raw": { "length": 40 } }),
            ),
            ("transport:packet_received", json!({ "header": header, "frames": [] })),
            ("quic:packet_sent", json!({ "header": { "packet_type": "retry" } })),
            (
                "quic:recovery_metrics_updated",
                json!({ "congestion_window": 12_000, "smoothed_rtt": 40.5 }),
            ),
            (
                "quic:packet_lost",
                json!({ "header": header, "trigger": "time_threshold" }),
            ),
            ("quic:packet_lost", json!({})),
            ("quic:packet_sent", json!({ "frames": [] })),
            ("no-namespace", json!({})),
        ] {
            let text = data.to_string();
            // Of an error in a text its place is told as well.
            let plain =
                |said: Result<Said, String>| said.map_err(|why| why.split(" at line").next().map(str::to_owned));
            assert_eq!(
                plain(from_qlog_text(name, &text)),
                plain(from_qlog(name, data)),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let frames = vec![
            Frame::Ping,
            Frame::Ack {
                ranges: vec![AckRange { first: 9, last: 9 }, AckRange { first: 2, last: 7 }],
                delay_encoded: 0,
            },
            Frame::Stream {
                id: 3,
                offset: 1_200,
                length: 1_100,
                ends: true,
            },
            Frame::Crypto { offset: 0, length: 60 },
            Frame::ConnectionClose {
                is_application: true,
                code: 0,
            },
            Frame::ConnectionClose {
                is_application: false,
                code: 0x0a,
            },
            Frame::ConnectionClose {
                is_application: false,
                code: 0x128,
            },
            Frame::Other("max_data"),
            Frame::Other("handshake_done"),
        ];
        there_and_back(&Said::PacketSent(PacketSent {
            space: Space::Data,
            number: 12,
            length: Some(1_200),
            frames,
        }));
        there_and_back(&Said::PacketLost(PacketLost {
            space: Space::Handshake,
            number: 1,
            trigger: Some(LossTrigger::TimeThreshold),
            is_mtu_probe: true,
        }));
        there_and_back(&Said::ProbeTimeout {
            space: Some(Space::Data),
        });
        there_and_back(&Said::CongestionState(CongestionState::Recovery));
        there_and_back(&Said::Metrics(Metrics {
            congestion_window: Some(12_000),
            smoothed_rtt: Some(Span::from_us(100_250)),
            pto_count: Some(2),
            ..Metrics::default()
        }));
    }

    #[test]
    fn a_frame_keeps_its_name() {
        let named = |kind: &str| {
            let data =
                json!({ "header": { "packet_type": "1RTT", "packet_number": 4 }, "frames": [{ "frame_type": kind }] });
            match from_qlog("quic:packet_sent", data) {
                Ok(Said::PacketSent(packet)) => packet.frames,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(named("handshake_done"), [Frame::Other("handshake_done")]);
        assert_eq!(named("unknown"), [Frame::Other("other")]);
    }

    #[test]
    fn older_names_are_read_and_what_is_of_no_use_is_kept() {
        let data = json!({ "header": { "packet_type": "1RTT", "packet_number": 4 }, "frames": [] });
        assert!(matches!(
            from_qlog("transport:packet_received", data),
            Ok(Said::PacketReceived(_))
        ));
        let data = json!({ "cwnd": 14_720, "bytes_in_flight": 0 });
        let Ok(Said::Metrics(metrics)) = from_qlog("recovery:metrics_updated", data) else {
            panic!("metrics");
        };
        assert_eq!(metrics.congestion_window, Some(14_720));
        let data = json!({ "type": "1RTT", "packet_number": 17 });
        assert!(matches!(
            from_qlog("recovery:packet_lost", data),
            Ok(Said::PacketLost(PacketLost { number: 17, .. }))
        ));
        let retry = json!({ "header": { "packet_type": "retry" } });
        let said = from_qlog("transport:packet_received", retry.clone()).expect("it has no number");
        assert_eq!(to_qlog(&said), Some(("transport:packet_received", retry)));
        let other = from_qlog("security:key_updated", json!({ "trigger": "tls" }));
        assert!(matches!(other, Ok(Said::Other { .. })));
        assert_eq!(
            from_qlog("recovery:packet_lost", json!({})),
            Err("recovery:packet_lost: no packet type and number".to_owned())
        );
    }
}
