"""The schema of our qlogs as JSON Schema: what draft-ietf-quic-qlog-main-schema-14 and -quic-events-13 define in CDDL.

Of the events those that we write. RFC 8610, appendix E, says what CDDL means for JSON. A map that CDDL leaves closed is
closed here, and its sockets for extensions are empty.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def whole(bits: int) -> Schema:
    return {"type": "integer", "minimum": 0, "maximum": 2**bits - 1}


def one(*values: str) -> Schema:
    return {"enum": list(values)}


def array(items: Schema, least: int = 0, most: int | None = None) -> Schema:
    return {"type": "array", "items": items, "minItems": least} | ({} if most is None else {"maxItems": most})


def record(required: Schema, optional: Schema | None = None, *, is_open: bool = False) -> Schema:
    return {
        "type": "object",
        "properties": required | (optional or {}),
        "required": list(required),
        "additionalProperties": is_open,
    }


def defined(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


TEXT: Schema = {"type": "string"}
BOOL: Schema = {"type": "boolean"}
FLOAT: Schema = {"type": "number"}
HEX: Schema = {"type": "string", "pattern": "^([0-9a-f]{2})*$"}
U64 = whole(64)

# --- draft-ietf-quic-qlog-main-schema-14: sections 2, 5, 6, 7 and 10 --------------------------------------------------

VANTAGE_POINT_TYPE = one("client", "server", "network", "unknown")
TIME_FORMAT = one("relative_to_epoch", "relative_to_previous_event")
REFERENCE_TIME = record({"clock_type": TEXT, "epoch": TEXT}, {"wall_clock_time": TEXT}) | {
    # "When using the monotonic clock type, the epoch field MUST have the value unknown."
    "if": {"properties": {"clock_type": one("monotonic")}},
    "then": {"properties": {"epoch": one("unknown")}},
}
COMMON_FIELDS = record(
    {},
    {"tuple": TEXT, "time_format": TIME_FORMAT, "reference_time": REFERENCE_TIME, "group_id": TEXT},
    is_open=True,
)
VANTAGE_POINT = record({"type": VANTAGE_POINT_TYPE}, {"name": TEXT, "flow": VANTAGE_POINT_TYPE})
TRACE = record(
    {"event_schemas": array(TEXT, 1)},
    {"title": TEXT, "description": TEXT, "common_fields": COMMON_FIELDS, "vantage_point": VANTAGE_POINT},
)
HEAD = record(
    {
        "file_schema": one("urn:ietf:params:qlog:file:sequential"),
        "serialization_format": one("application/qlog+json-seq"),
        "trace": TRACE,
    },
    {"title": TEXT, "description": TEXT},
)
RAW = {"raw": record({}, {"length": U64, "payload_length": U64, "data": HEX})}

# --- draft-ietf-quic-qlog-quic-events-13: section 8 -------------------------------------------------------------------

TOKEN = record({}, {"type": one("retry", "resumption"), "details": {"type": "object"}} | RAW)
PACKET_NUMBER_SPACE = one("initial", "handshake", "application_data")
STREAM_TYPE = one("unidirectional", "bidirectional")
PACKET_HEADER = record(
    {"packet_type": one("initial", "handshake", "0RTT", "1RTT", "retry", "version_negotiation", "stateless_reset",
                        "unknown")},
    {
        "packet_type_bytes": U64, "spin_bit": BOOL, "key_phase": U64, "key_phase_bit": BOOL, "packet_number": U64,
        "packet_number_length": whole(8), "token": TOKEN, "length": whole(16), "version": HEX, "scil": whole(8),
        "dcil": whole(8), "scid": HEX, "dcid": HEX,
    },
)  # fmt: skip
APPLICATION_ERROR = one("unknown")
ERROR = {
    "anyOf": [
        one(
            "no_error", "internal_error", "connection_refused", "flow_control_error", "stream_limit_error",
            "stream_state_error", "final_size_error", "frame_encoding_error", "transport_parameter_error",
            "connection_id_limit_error", "protocol_violation", "invalid_token", "application_error",
            "crypto_buffer_exceeded", "key_update_error", "aead_limit_reached", "no_viable_path", "unknown",
        ),
        {"type": "string", "pattern": "^crypto_error_0x1[0-9a-f][0-9a-f]$"},
    ]
}  # fmt: skip


def frame(name: str, required: Schema | None = None, optional: Schema | None = None) -> Schema:
    return record({"frame_type": one(name)} | (required or {}), (optional or {}) | RAW)


_RESET = {"stream_id": U64, "error": APPLICATION_ERROR}
_LENGTH = {"raw": {"allOf": [RAW["raw"], {"required": ["length"]}]}}
"""Of a frame with a field of its length: it MUST be logged as `raw.length`."""

FRAME = {
    "oneOf": [
        frame("padding"),
        frame("ping"),
        frame("ack", None, {"ack_delay": FLOAT, "acked_ranges": array(array(U64, 1, 2), 1), "ect1": U64, "ect0": U64,
                            "ce": U64}),
        frame("reset_stream", _RESET | {"final_size": U64}, {"error_code": U64}),
        frame("reset_stream_at", _RESET | {"final_size": U64, "reliable_size": U64}, {"error_code": U64}),
        frame("stop_sending", _RESET, {"error_code": U64}),
        record({"frame_type": one("crypto"), "offset": U64} | _LENGTH),
        frame("new_token", {"token": TOKEN}),
        record({"frame_type": one("stream"), "stream_id": U64} | _LENGTH, {"offset": U64, "fin": BOOL}),
        frame("max_data", {"maximum": U64}),
        frame("max_stream_data", {"stream_id": U64, "maximum": U64}),
        frame("max_streams", {"stream_type": STREAM_TYPE, "maximum": U64}),
        frame("data_blocked", {"limit": U64}),
        frame("stream_data_blocked", {"stream_id": U64, "limit": U64}),
        frame("streams_blocked", {"stream_type": STREAM_TYPE, "limit": U64}),
        frame("new_connection_id", {"sequence_number": U64, "retire_prior_to": U64, "connection_id": HEX},
              {"connection_id_length": whole(8), "stateless_reset_token": HEX}),
        frame("retire_connection_id", {"sequence_number": U64}),
        frame("path_challenge", None, {"data": HEX}),
        frame("path_response", None, {"data": HEX}),
        frame("connection_close", None, {
            "error_space": one("transport", "application"), "error": ERROR, "error_code": U64, "reason": TEXT,
            "reason_bytes": HEX, "trigger_frame_type": {"anyOf": [U64, TEXT]},
        }),
        frame("handshake_done"),
        frame("unknown", {"frame_type_bytes": U64}),
        frame("datagram"),
    ]
}  # fmt: skip

# --- draft-ietf-quic-qlog-quic-events-13: sections 5.5, 5.6, 5.21 and 7 -----------------------------------------------

_PACKET = {
    "frames": array(defined("frame")), "stateless_reset_token": HEX, "supported_versions": array(HEX, 1),
    "datagram_id": whole(32),
} | RAW  # fmt: skip
EVENTS = {
    "quic:packet_sent": record({"header": PACKET_HEADER}, _PACKET | {
        "is_mtu_probe_packet": BOOL,
        "trigger": one("retransmit_reordered", "retransmit_timeout", "pto_probe", "retransmit_crypto",
                       "cc_bandwidth_probe"),
    }),
    "quic:packet_received": record({"header": PACKET_HEADER}, _PACKET | {"trigger": one("keys_available")}),
    "quic:packet_lost": record({}, {
        "header": PACKET_HEADER, "frames": array(defined("frame")), "is_mtu_probe_packet": BOOL,
        "trigger": one("reordering_threshold", "time_threshold", "pto_expired"),
    }),
    "quic:timer_updated": record({"event_type": one("set", "expired", "cancelled")}, {
        "timer_type": one("ack", "pto", "loss_timeout", "path_validation", "handshake_timeout", "idle_timeout"),
        "timer_id": U64, "packet_number_space": PACKET_NUMBER_SPACE, "delta": FLOAT,
    }),
    # "A recovery_metrics_updated event is only guaranteed to contain at least one of the listed metrics."
    "quic:recovery_metrics_updated": record({}, {
        "min_rtt": FLOAT, "smoothed_rtt": FLOAT, "latest_rtt": FLOAT, "rtt_variance": FLOAT, "pto_count": whole(16),
        "congestion_window": U64, "bytes_in_flight": U64, "ssthresh": U64, "packets_in_flight": U64,
        "pacing_rate": U64,
    }) | {"minProperties": 1},
    "quic:congestion_state_updated": record({"new": TEXT}, {"old": TEXT, "trigger": TEXT}),
}  # fmt: skip


def _is(name: str) -> Schema:
    return {"properties": {"name": one(name)}}


EVENT = record(
    # "The concatenation of namespace identifier, colon and event type identifier"
    {"time": FLOAT, "name": {"type": "string", "pattern": "^[A-Za-z0-9._~-]+:[a-z0-9_]+$"}, "data": {"type": "object"}},
    {"tuple": TEXT, "time_format": TIME_FORMAT, "group_id": TEXT},
    is_open=True,
) | {
    "allOf": [
        *({"if": _is(name), "then": {"properties": {"data": data}}} for name, data in EVENTS.items()),
        {"if": {"properties": {"name": {"pattern": "^quic:"}}}, "then": {"properties": {"name": one(*EVENTS)}}},
    ],
    "$defs": {"frame": FRAME},
}
