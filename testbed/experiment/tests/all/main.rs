//! All tests of the crate from outside, in one program: each more would be linked by itself.

mod bad;
mod extends;
mod fuzz;
mod linux;
mod scenario;
mod shipped;
