//! Control and metrics over HTTP.

mod captures;
mod request;

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{StatusCode, Uri};
use axum::routing::{delete, get, post};
use axum::serve::Listener;
use serde::Deserialize;
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use windlull_plane::netem::Unsupported;
use windlull_profile::Complaint;
use windlull_units::{Build, PlaneKind, Seed};

use crate::answer::{self, Refusal};
use crate::changes::Asked;
use crate::devices::Network;
use crate::manager::ManagerError;
use crate::metrics;
use crate::plane::NoPlane;
use crate::profile::{Profile, Source};

pub(crate) use request::App;
use request::{Answer, Given, LONGEST_BODY, Shared, read, work};

/// Accepts connections, but none of the link's own hosts: they see it as a link and nothing else. Through the kernel they
/// would reach it at any address.
pub(crate) struct Door {
    pub(crate) listener: TcpListener,
    pub(crate) networks: Vec<Network>,
}

impl Listener for Door {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            let (stream, peer) = Listener::accept(&mut self.listener).await;
            let is_host = match peer.ip() {
                IpAddr::V4(peer) => self.networks.iter().any(|network| network.has(peer)),
                IpAddr::V6(_) => false,
            };
            if !is_host {
                return (stream, peer);
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// The body of `PUT /link`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Replacement {
    /// The text of a profile.
    profile: Option<String>,
    /// Or the name of one.
    name: Option<String>,
    /// Texts of links that are known beside those of the profiles directories, by their names.
    #[serde(default)]
    links: BTreeMap<String, String>,
    /// What is to play it; without, the plane of the command line.
    plane: Option<PlaneKind>,
    /// Text, as seeds have more bits than numbers of JSON keep; a number is taken too.
    seed: Option<Value>,
}

/// Every address that there is.
pub(crate) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/health", get(health))
        .route("/metrics", get(scrape))
        .route("/link", get(show).put(replace))
        .route("/link/history", get(history))
        .route("/link/changes", post(change).delete(take_all_back))
        .route("/link/changes/{id}", delete(take_back))
        .merge(captures::routes())
        .fallback(async || Refusal::new(StatusCode::NOT_FOUND, "there is no such address"))
        .method_not_allowed_fallback(async || {
            Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "this address does not know the method")
        })
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .with_state(app)
}

async fn health(State(app): Shared) -> Answer {
    let Build { version, commit } = app.build;
    let checked = work(move || app.manager.check()).await;
    checked.map_err(|why| Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why))?;
    let here = serde_json::json!({ "version": version, "commit": commit });
    Ok(answer::json(StatusCode::OK, &here))
}

async fn scrape(State(app): Shared) -> Answer {
    let exposition = work(move || {
        app.manager.count();
        metrics::scrape(&app.manager, app.build)
    })
    .await;
    Ok(answer::text(StatusCode::OK, metrics::CONTENT_TYPE, exposition))
}

async fn show(State(app): Shared) -> Answer {
    Ok(answer::json(StatusCode::OK, &work(move || app.manager.show()).await))
}

/// `?after=MS` leaves out the samples up to that time, in milliseconds since 1970.
async fn history(State(app): Shared, uri: Uri) -> Answer {
    let after = match uri.query() {
        None | Some("") => Some(0),
        Some(query) => query.strip_prefix("after=").and_then(|after| after.parse().ok()),
    };
    let Some(after) = after else {
        let message = "write ?after= and milliseconds since 1970, or nothing";
        return Err(Refusal::bad(vec![Complaint::of_key("after", message)]));
    };
    let samples = work(move || app.manager.history(after)).await;
    Ok(answer::json(StatusCode::OK, &samples))
}

async fn replace(State(app): Shared, body: Given) -> Answer {
    work(move || {
        let replacement: Replacement = read(body)?;
        let seed = replacement.seed.as_ref().map_or(Some(1), seed_of).ok_or_else(|| {
            let message = format!("write a whole number from 0 to {}, best as a text", u64::MAX);
            Refusal::bad(vec![Complaint::of_key("seed", &message)])
        })?;
        let seed = Seed::new(seed);
        let (links, plane) = (replacement.links, replacement.plane);
        let source = match (replacement.profile, replacement.name) {
            (Some(text), None) => Source::Text { text, links },
            (None, Some(name)) => Source::named(&name, links),
            _ => {
                let message = "give either \"profile\", the text of a link profile, or \"name\", that of a known one";
                return Err(Refusal::bad(vec![Complaint::of_key("profile", message)]));
            }
        };
        let link = Profile::read(&app.profiles, source);
        let link = link.map_err(|problems| Refusal::bad(problems.iter().map(Complaint::from).collect()))?;
        app.manager.replace(link, seed, plane)?;
        Ok(answer::json(StatusCode::OK, &app.manager.show()))
    })
    .await
}

fn seed_of(given: &Value) -> Option<u64> {
    given.as_u64().or_else(|| given.as_str()?.parse().ok())
}

async fn change(State(app): Shared, body: Given) -> Answer {
    work(move || {
        let wanted = read::<Asked>(body)?.understood().map_err(Refusal::bad)?;
        Ok(answer::json(StatusCode::CREATED, &app.manager.change(&wanted)?))
    })
    .await
}

async fn take_back(State(app): Shared, Path(id): Path<String>) -> Answer {
    work(move || {
        let none = |_| Refusal::new(StatusCode::NOT_FOUND, format!("there is no change {id:?} in force"));
        app.manager.take_back(id.parse().map_err(none)?)?;
        Ok(answer::json(StatusCode::OK, &app.manager.show()))
    })
    .await
}

async fn take_all_back(State(app): Shared) -> Answer {
    work(move || {
        app.manager.take_all_back()?;
        Ok(answer::json(StatusCode::OK, &app.manager.show()))
    })
    .await
}

impl From<ManagerError> for Refusal {
    fn from(error: ManagerError) -> Self {
        let status = match &error {
            ManagerError::Lent { .. } => StatusCode::CONFLICT,
            ManagerError::Plane(NoPlane::Missing(_) | NoPlane::Model(_)) => {
                return Refusal::bad(vec![Complaint::of_key("plane", &error.to_string())]);
            }
            ManagerError::Plane(NoPlane::SenderState { .. }) => {
                return Refusal::bad(vec![Complaint::of_key("link", &error.to_string())]);
            }
            ManagerError::Plane(NoPlane::Unsupported(unsupported)) => return unplayable(unsupported),
            ManagerError::CannotChange { key, why } => return Refusal::bad(vec![Complaint::of_key(key, why)]),
            ManagerError::NoChange { .. } => StatusCode::NOT_FOUND,
            ManagerError::TooMany => StatusCode::CONFLICT,
            ManagerError::Down { .. } => StatusCode::SERVICE_UNAVAILABLE,
            ManagerError::NotKept { .. } => StatusCode::INSUFFICIENT_STORAGE,
        };
        Self::new(status, error.to_string())
    }
}

/// Each part that the netem plane cannot express.
fn unplayable(unsupported: &Unsupported) -> Refusal {
    let parts = unsupported.parts.iter().map(|part| {
        let why = format!(
            "the netem plane cannot express it (the model plane can): {}",
            part.reason
        );
        Complaint::of_key(&format!("{} {}", part.place, part.key), &why)
    });
    Refusal::bad(parts.collect())
}
