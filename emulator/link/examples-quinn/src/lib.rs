//! Two endpoints of quinn-proto with a link between them, in virtual time: what a test of QUIC's recovery drives.
//!
//! A [`Pair`] knows what neither end can: what became of each datagram. `tests/recovery.rs` shows what can be asked.

mod end;
mod pair;

pub use pair::Pair;
