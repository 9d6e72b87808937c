//! Two ends of noq in virtual time.

#[path = "../../../testing/every_stack.rs"]
mod every_stack;
#[path = "../../../quinn-family/tests/mod.rs"]
mod family;
#[path = "../../../testing/lab.rs"]
mod lab;
mod recovery;

use windlull_noq::Noq;
use windlull_transport::{LossTrigger, Stack};

/// The stack that these tests are of.
const STACK: &dyn Stack = &Noq;
const NAME: &str = "noq";
const LOCK: &str = include_str!("../../Cargo.lock");

const BBR: &str = "bbr3";
const BBR_WINDOW: u64 = 12_000;

/// How many octets streams that are written side by side may stand apart from their middle.
const APART: u64 = 100_000;

/// By how many octets a window may have grown untold before it falls: less than what the acknowledgement of two packets adds.
const UNTOLD_GROWTH: u64 = 2 * 1_452 - 1;
const TRIGGER_OF_TIME: LossTrigger = LossTrigger::TimeThreshold;
