//! A TCP endpoint, sans-IO, built of exchangeable recovery mechanisms.

mod registry;
mod variant;

pub use variant::{
    DelayedAck, Detection, Estimator, Recovery, Response, TimerSettings, TimestampEcho, Variant, VariantError,
};
