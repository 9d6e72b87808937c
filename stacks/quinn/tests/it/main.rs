//! Two ends of quinn in virtual time.

#[path = "../../../testing/every_stack.rs"]
mod every_stack;
#[path = "../../../testing/lab.rs"]
mod lab;
mod loss;
mod seeds;
mod stack;
mod streams;
mod transfer;

use windlull_quinn::Quinn;
use windlull_transport::Stack;

/// The stack that these tests are of.
const STACK: &dyn Stack = &Quinn;
