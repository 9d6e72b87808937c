//! All tests of the crate from outside, in one program: each more would be linked by itself.

mod bbr;
mod flows;
mod foreign;
mod marks;
mod packets;
mod prague;
mod simple;
mod triggers;
