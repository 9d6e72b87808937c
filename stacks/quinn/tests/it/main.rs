//! Two ends of quinn in virtual time.

#[path = "../../../testing/every_stack.rs"]
mod every_stack;
#[path = "../../../quinn-family/tests/mod.rs"]
mod family;
#[path = "../../../testing/lab.rs"]
mod lab;

use windlull_quinn::Quinn;
use windlull_transport::{LossTrigger, Role, Said, Stack};

use crate::family::seeds::run;

/// The stack that these tests are of.
const STACK: &dyn Stack = &Quinn;
const NAME: &str = "quinn";
const LOCK: &str = include_str!("../../Cargo.lock");

const BBR: &str = "bbr";
const BBR_WINDOW: u64 = 240_000;

/// How many octets streams that are written side by side may stand apart from their middle.
const APART: u64 = 50_000;

/// By how many octets a window may have grown untold before it falls: it tells all.
const UNTOLD_GROWTH: u64 = 0;

/// quinn 0.11.19 says of every loss that it was the threshold of packets. When that is mended a test fails, and with this goes the
/// note in `dialect.rs`.
const TRIGGER_OF_TIME: LossTrigger = LossTrigger::PacketThreshold;

#[test]
fn bbr_tells_no_pacing_rate() {
    // It follows in part from a draw that cannot be seeded, and quinn's pacer does not use it.
    let lab = run(3, &[("congestion", "bbr")]);
    let said = lab.said(Role::Server).filter(|(_, said)| match said {
        Said::Metrics(metrics) => metrics.pacing_rate.is_some(),
        Said::CongestionState(_) => true,
        _ => false,
    });
    assert_eq!(said.count(), 0);
}
