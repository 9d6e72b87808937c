//! Two ends of quiche in virtual time.

#[path = "../../../testing/every_stack.rs"]
mod every_stack;
#[path = "../../../testing/lab.rs"]
mod lab;
mod loss;
mod seeds;
mod stack;
mod streams;
mod transfer;

use windlull_quiche::Quiche;
use windlull_transport::Stack;

/// The stack that these tests are of.
const STACK: &dyn Stack = &Quiche;
const NAME: &str = "quiche";
const LOCK: &str = include_str!("../../Cargo.lock");
