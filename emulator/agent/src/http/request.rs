//! What requests have in common.

use std::path::PathBuf;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{Response, StatusCode};
use serde::de::DeserializeOwned;
use tokio::task::spawn_blocking;
use windlull_units::Build;

use crate::answer::Refusal;
use crate::captures::CaptureStore;
use crate::manager::DeviceManager;

/// The longest body: profiles are a few kilobytes.
pub(super) const LONGEST_BODY: usize = 1 << 20;

/// What every request may need.
pub(crate) struct App {
    pub(crate) manager: Arc<DeviceManager>,
    pub(crate) captures: Arc<CaptureStore>,
    pub(crate) build: Build,
    pub(crate) profiles: Vec<PathBuf>,
}

pub(super) type Shared = State<Arc<App>>;
pub(super) type Answer = Result<Response<Body>, Refusal>;
pub(super) type Given = Result<Bytes, BytesRejection>;

/// A body in JSON, with the keys that there are and no others.
pub(super) fn read<T: DeserializeOwned>(body: Given) -> Result<T, Refusal> {
    let body = body.map_err(|error| {
        Refusal::new(
            error.status(),
            format!("{error}; at most {LONGEST_BODY} octets are read"),
        )
    })?;
    serde_json::from_slice(&body).map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, format!("the body: {error}")))
}

/// What may wait for the link's thread, or for the disk, is done beside the requests.
pub(super) async fn work<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
