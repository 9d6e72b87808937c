//! Captures of the link: begun, stopped, listed, fetched and deleted.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::routing::{delete, get, post};
use futures_core::Stream;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use super::request::{Answer, App, Given, Shared, read, work};
use crate::answer::{self, Refusal};
use crate::captures::{Asked, CaptureError};

/// Octets that are read at once.
const PIECE: usize = 1 << 16;
/// Pieces that are read ahead of the network.
const AHEAD: usize = 4;

/// The addresses below `/captures`.
pub(super) fn routes() -> Router<std::sync::Arc<App>> {
    Router::new()
        .route("/captures", get(list).post(start))
        .route("/captures/{id}", delete(remove))
        .route("/captures/{id}/stop", post(stop))
        .route("/captures/{id}/file", get(file))
}

async fn list(State(app): Shared) -> Answer {
    answer::json(StatusCode::OK, &work(move || app.captures.list()).await)
}

async fn start(State(app): Shared, body: Given) -> Answer {
    let started = work(move || {
        let asked: Asked = read(body)?;
        let wanted = asked.understood().map_err(Refusal::bad)?;
        let link = app.manager.glance().link;
        let started = app.captures.start(&app.manager.devices, &link, wanted);
        started.map_err(|error| refused(&error))
    });
    match started.await {
        Ok(told) => answer::json(StatusCode::CREATED, &told),
        Err(refusal) => refusal.response(),
    }
}

async fn stop(State(app): Shared, Path(id): Path<String>) -> Answer {
    let stopped = work(move || app.captures.stop(number(&id)?).map_err(|error| refused(&error)));
    match stopped.await {
        Ok(told) => answer::json(StatusCode::OK, &told),
        Err(refusal) => refusal.response(),
    }
}

async fn remove(State(app): Shared, Path(id): Path<String>) -> Answer {
    let removed = work(move || {
        let done = app.captures.delete(number(&id)?).map_err(|error| refused(&error));
        done.map(|()| app.captures.list())
    });
    match removed.await {
        Ok(left) => answer::json(StatusCode::OK, &left),
        Err(refusal) => refusal.response(),
    }
}

async fn file(State(app): Shared, Path(id): Path<String>) -> Answer {
    let opened = work(move || {
        let path = app.captures.file(number(&id)?).map_err(|error| refused(&error))?;
        open(&path).map_err(|source| refused(&CaptureError::Failed { source }))
    });
    match opened.await {
        Ok((file, len)) => {
            let mut response = answer::text(
                StatusCode::OK,
                "application/x-pcapng",
                Body::from_stream(Pieces::of(file)),
            );
            response.headers_mut().insert(header::CONTENT_LENGTH, len.into());
            response
        }
        Err(refusal) => refusal.response(),
    }
}

fn open(path: &PathBuf) -> io::Result<(File, u64)> {
    let file = File::open(path)?;
    let len = file.metadata()?.len();
    Ok((file, len))
}

fn number(id: &str) -> Result<u64, Refusal> {
    id.parse()
        .map_err(|_| Refusal::new(StatusCode::NOT_FOUND, format!("there is no capture {}", json!(id))))
}

fn refused(error: &CaptureError) -> Refusal {
    let status = match error {
        CaptureError::None { .. } => StatusCode::NOT_FOUND,
        CaptureError::Failed { .. } => StatusCode::INSUFFICIENT_STORAGE,
        CaptureError::Unavailable(_)
        | CaptureError::Running { .. }
        | CaptureError::Ended { .. }
        | CaptureError::TooMany { .. }
        | CaptureError::TooMuch { .. } => StatusCode::CONFLICT,
    };
    Refusal::new(status, error.to_string())
}

/// A file, read beside the requests and no farther ahead than a little.
struct Pieces(mpsc::Receiver<io::Result<Bytes>>);

impl Pieces {
    fn of(mut file: File) -> Self {
        let (give, take) = mpsc::channel(AHEAD);
        spawn_blocking(move || {
            loop {
                let mut piece = vec![0; PIECE];
                let piece = match file.read(&mut piece) {
                    Ok(0) => break,
                    Ok(len) => {
                        piece.truncate(len);
                        Ok(Bytes::from(piece))
                    }
                    Err(error) => Err(error),
                };
                let failed = piece.is_err();
                // Nobody takes it any more: the client has gone.
                if give.blocking_send(piece).is_err() || failed {
                    break;
                }
            }
        });
        Self(take)
    }
}

impl Stream for Pieces {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}
