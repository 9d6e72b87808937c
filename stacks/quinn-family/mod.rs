//! What the adapters of quinn-proto and of its forks share: all of an end but what their packages say in different words.
//!
//! Each adapter includes this file by its path, names its package `proto` at its root, and has beside it
//!
//! - `dialect`: the few calls whose names or arguments differ, and what its qlog calls things,
//! - `tap`: what is wrapped around its cryptography, as far as the traits differ,
//! - `congestion`: what is wrapped around its congestion controllers.
//!
//! "quinn" in these files is the package at hand, quinn-proto or a fork of it.

pub(crate) mod config;
pub(crate) mod end;
mod key_exchange;
pub(crate) mod log;
pub(crate) mod mtu_probe;
pub(crate) mod options;
pub(crate) mod qlog;
pub(crate) mod random;
pub(crate) mod states;
mod streams;
pub(crate) mod tapped;
mod tls;
