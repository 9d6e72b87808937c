//! Two ends of quinn-proto or of a fork of it, in virtual time: the tests that all their adapters have to pass.
//!
//! Each adapter's tests include this file beside the laboratory and `every_stack`, and say at their root, besides what these ask
//! for, what is their stack's own:
//!
//! - `BBR` and `BBR_WINDOW`: what its BBR is called, and its window at the start,
//! - `TRIGGER_OF_TIME`: what it says of a loss that time alone found.

mod loss;
pub(crate) mod seeds;
mod stack;
mod streams;
mod transfer;
