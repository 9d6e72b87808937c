//! quinn-proto as a transport of a Windlull run.
//!
//! quinn-proto is a state machine without clock and socket, so an end here is little more than a translation: a run's time to
//! quinn's instants, quinn's datagrams and events to answers. What quinn does not say of itself is heard where it passes: the
//! frames of packets at their encryption (`tap`), losses and the variables of recovery in quinn's qlog (`qlog`).
//!
//! quinn-proto has forks. What an adapter of it and one of a fork have in common is in `stacks/quinn-family`; here is what is
//! quinn's own: its words for the rest (`dialect`), and what wraps its traits (`tap`, `congestion`).
//!
//! # What is random
//!
//! All that quinn and rustls draw comes from [`Start::seed`], so that the same seed gives the same octets: quinn's own generator
//! (skipped packet numbers, the greased bit and parameter, the spin bit, when keys are updated), connection IDs, the keys of
//! stateless resets and of tokens, and in TLS the hellos' random, the order of extensions, session tickets and the key shares
//! of X25519. Signatures are of Ed25519, which draws nothing (RFC 8032, section 5.1.6).
//!
//! Three things cannot be seeded:
//!
//! - Key shares of P-256 and P-384, which *ring* draws itself. They are offered, as quinn offers them, but are used only with a
//!   peer that does not know X25519. They would not change the length of a packet.
//! - Where quinn's BBR begins its cycle of pacing gains. In 0.11.19 the gain reaches nothing but the rate that BBR reports; quinn
//!   paces by the window. So no datagram depends on it, and the rate is not told (see `dialect`).
//! - The hash seeds of maps in quinn and rustls. Neither sends anything in a map's order.

#![forbid(unsafe_code)]

mod congestion;
mod dialect;
#[path = "../../quinn-family/mod.rs"]
mod family;
mod tap;

use quinn_proto as proto;
use windlull_transport::{Broken, Stack, Start, Transport};

use crate::family::end::End;
use crate::family::options::{self, Options};

/// quinn-proto.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quinn;

impl Stack for Quinn {
    fn name(&self) -> &'static str {
        // Of a build of its own, what `windlull stacks build` was told.
        option_env!("WINDLULL_STACK").unwrap_or("quinn")
    }

    fn version(&self) -> String {
        // As Cargo.toml pins it; a test compares it with the lock file.
        option_env!("WINDLULL_STACK_VERSION")
            .unwrap_or("quinn-proto 0.11.19")
            .to_owned()
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        options::LIST
    }

    fn begin(&self, start: &Start) -> Result<Box<dyn Transport>, Broken> {
        let options = Options::parse(&start.options)?;
        Ok(Box::new(End::new(start, &options)?))
    }
}
