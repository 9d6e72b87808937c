//! What an end costs: a transfer down over a link in memory, and the processor's time for each packet.
//!
//! ```text
//! cargo run --release --example speed -- [MEGABYTES [OPTION=VALUE ...]]
//! ```

#![expect(clippy::print_stdout, reason = "it is what this program is for")]
#![allow(dead_code, reason = "the laboratory is the tests'")]

#[path = "../../testing/lab.rs"]
mod lab;
#[path = "../../testing/speed.rs"]
mod speed;

use windlull_noq::Noq;
use windlull_transport::Stack;

const STACK: &dyn Stack = &Noq;

fn main() {
    speed::measure();
}
