//! What is answered: the shapes of the JSON, and the one shape of errors.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::http::{Response, StatusCode, header};
use axum::response::IntoResponse;
use schemars::JsonSchema;
use serde::Serialize;
use windlull_plane::model::{Cause, Reading};
use windlull_profile::Complaint;
use windlull_units::{PlaneKind, Seed};

use crate::changes::ChangeAnswer;

/// `GET /link`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EmulatorLink")]
pub(crate) struct LinkAnswer {
    pub(crate) link: Named,
    pub(crate) seed: Seed,
    /// What plays it.
    pub(crate) plane: PlaneKind,
    /// What could.
    pub(crate) planes: [PlaneAnswer; 2],
    /// Since when it stands, or is lent.
    #[schemars(extend("format" = "date-time"))]
    pub(crate) since: String,
    /// When the process began.
    #[schemars(extend("format" = "date-time"))]
    pub(crate) started: String,
    /// Whether it began with what had stood before.
    pub(crate) restored: bool,
    /// Why the link of before the restart was not set up again.
    pub(crate) lost: Option<String>,
    #[schemars(extend("enum" = ["standing", "lent", "failed", "ended"]))]
    pub(crate) state: &'static str,
    /// The run that has the devices.
    pub(crate) run: Option<String>,
    pub(crate) changes: Vec<ChangeAnswer>,
    pub(crate) down: WayAnswer,
    pub(crate) up: WayAnswer,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EmulatorProfile")]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) title: String,
}

/// A plane, and whether it can be had here.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EmulatorPlane")]
pub(crate) struct PlaneAnswer {
    name: PlaneKind,
    works: bool,
    /// What is missing.
    why: Option<String>,
}

impl PlaneAnswer {
    pub(crate) fn all(without_netem: Option<&str>) -> [Self; 2] {
        [(PlaneKind::Model, None), (PlaneKind::Netem, without_netem)].map(|(plane, why)| Self {
            name: plane,
            works: why.is_none(),
            why: why.map(str::to_owned),
        })
    }
}

/// One direction: counts since the link stands, and how it is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EmulatorDirection")]
pub(crate) struct WayAnswer {
    packets: u64,
    octets: u64,
    /// By the causes that the plane can tell.
    dropped: BTreeMap<&'static str, u64>,
    inside_packets: u64,
    queued_packets: u64,
    queued_octets: u64,
    /// `None`: nothing limits it.
    rate_bps: Option<u64>,
    /// `None`: each packet draws its own.
    delay_ms: Option<f64>,
    held: bool,
    dropping: bool,
}

impl WayAnswer {
    /// What was read less what had been counted before the link stood.
    pub(crate) fn of(reading: &Reading, before: &Reading, causes: &[Cause]) -> Self {
        let dropped = causes.iter().map(|&cause| {
            let since = reading.drops[cause as usize] - before.drops[cause as usize];
            (cause.name(), since)
        });
        Self {
            packets: reading.packets - before.packets,
            octets: reading.octets - before.octets,
            dropped: dropped.collect(),
            inside_packets: reading.inside,
            queued_packets: reading.queued_packets,
            queued_octets: reading.queued_octets,
            rate_bps: reading.rate_bps,
            delay_ms: reading.delay.map(|delay| delay.as_secs_f64() * 1_000.0),
            held: reading.held,
            dropping: reading.dropping,
        }
    }
}

/// Why a request was not done.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    message: String,
    problems: Vec<Complaint>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EmulatorError")]
pub(crate) struct ErrorAnswer<'a> {
    error: ErrorBody<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EmulatorErrorBody")]
struct ErrorBody<'a> {
    message: &'a str,
    problems: &'a [Complaint],
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            problems: Vec::new(),
        }
    }

    /// The request is wrong in these places.
    pub(crate) fn bad(problems: Vec<Complaint>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            message: "the request is not right".to_owned(),
            problems,
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response<Body> {
        let (message, problems) = (self.message.as_str(), self.problems.as_slice());
        json(
            self.status,
            &ErrorAnswer {
                error: ErrorBody { message, problems },
            },
        )
    }
}

pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Response<Body> {
    let body = serde_json::to_vec(value).expect("our own types have text keys");
    text(status, "application/json", body)
}

/// An answer of this type.
pub(crate) fn text(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
    response
}
