//! A TCP endpoint, sans-IO, built of exchangeable recovery mechanisms.
