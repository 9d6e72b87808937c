//! Captures of the link: begun, stopped, listed, fetched and deleted.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::routing::{delete, get, post};
use serde_json::json;
use tokio_util::io::ReaderStream;

use super::request::{Answer, App, Given, Shared, read, work};
use crate::answer::{self, Refusal};
use crate::captures::{Asked, CaptureError};

/// Octets that are read at once.
const PIECE: usize = 1 << 16;

/// The addresses below `/captures`.
pub(super) fn routes() -> Router<std::sync::Arc<App>> {
    Router::new()
        .route("/captures", get(list).post(start))
        .route("/captures/{id}", delete(remove))
        .route("/captures/{id}/stop", post(stop))
        .route("/captures/{id}/file", get(file))
}

async fn list(State(app): Shared) -> Answer {
    Ok(answer::json(StatusCode::OK, &work(move || app.captures.list()).await))
}

async fn start(State(app): Shared, body: Given) -> Answer {
    work(move || {
        let wanted = read::<Asked>(body)?.understood().map_err(Refusal::bad)?;
        let link = app.manager.glance().link;
        let started = app.captures.start(&app.manager.devices, &link, wanted)?;
        Ok(answer::json(StatusCode::CREATED, &started))
    })
    .await
}

async fn stop(State(app): Shared, Path(id): Path<String>) -> Answer {
    work(move || Ok(answer::json(StatusCode::OK, &app.captures.stop(number(&id)?)?))).await
}

async fn remove(State(app): Shared, Path(id): Path<String>) -> Answer {
    work(move || {
        app.captures.delete(number(&id)?)?;
        Ok(answer::json(StatusCode::OK, &app.captures.list()))
    })
    .await
}

async fn file(State(app): Shared, Path(id): Path<String>) -> Answer {
    let opened = work(move || {
        let path = app.captures.file(number(&id)?)?;
        open(&path).map_err(|source| Refusal::from(CaptureError::Failed { source }))
    });
    let (file, len) = opened.await?;
    let pieces = Body::from_stream(ReaderStream::with_capacity(file, PIECE));
    let mut response = answer::text(StatusCode::OK, "application/x-pcapng", pieces);
    response.headers_mut().insert(header::CONTENT_LENGTH, len.into());
    Ok(response)
}

fn open(path: &PathBuf) -> io::Result<(tokio::fs::File, u64)> {
    let file = File::open(path)?;
    let len = file.metadata()?.len();
    Ok((file.into(), len))
}

fn number(id: &str) -> Result<u64, Refusal> {
    id.parse()
        .map_err(|_| Refusal::new(StatusCode::NOT_FOUND, format!("there is no capture {}", json!(id))))
}

impl From<CaptureError> for Refusal {
    fn from(error: CaptureError) -> Self {
        let status = match error {
            CaptureError::None { .. } => StatusCode::NOT_FOUND,
            CaptureError::Failed { .. } => StatusCode::INSUFFICIENT_STORAGE,
            CaptureError::Unavailable(_)
            | CaptureError::Running { .. }
            | CaptureError::Ended { .. }
            | CaptureError::TooMany { .. }
            | CaptureError::TooMuch { .. } => StatusCode::CONFLICT,
        };
        Self::new(status, error.to_string())
    }
}
