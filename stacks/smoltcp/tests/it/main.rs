//! Two ends of smoltcp in virtual time.

#[path = "../../../testing/lab.rs"]
#[expect(dead_code, reason = "a TCP tells nothing of packets, losses and windows")]
mod lab;
mod stack;
mod transfer;

use windlull_smoltcp::Smoltcp;
use windlull_transport::Stack;

/// The stack that these tests are of.
const STACK: &dyn Stack = &Smoltcp;
