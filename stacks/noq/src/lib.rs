//! noq-proto as a transport of a Windlull run.
//!
//! noq-proto is a fork of quinn-proto, by n0 for iroh: a state machine without clock and socket, too. What its adapter has in common
//! with quinn's is in `stacks/quinn-family`; here is what is noq's own: its words for the rest (`dialect`), what wraps its traits
//! (`tap`, `congestion`), and the keys of its tokens (`token`).
//!
//! noq's qlog names frames, but tells a packet when all of its datagram is written or taken in. So frames are heard at the
//! encryption, as quinn's are.
//!
//! # What is random
//!
//! All that noq and rustls draw comes from [`Start::seed`], so that the same seed gives the same octets: as with quinn, noq's own
//! generator, connection IDs, the keys of stateless resets and of tokens, and TLS. noq's BBR seeds its generator from `rand`'s of the
//! thread, and has no other way; in a program with this library that one follows from the seed while BBR is made (`generator`).
//!
//! Not seeded are key shares of P-256 and P-384, which *ring* draws itself and which are used only with a peer that does not know
//! X25519, and the hash seeds of maps, in whose order nothing is sent.

mod congestion;
mod dialect;
#[path = "../../quinn-family/mod.rs"]
mod family;
mod generator;
mod tap;
mod token;

use noq_proto as proto;
use windlull_transport::{Broken, Stack, Start, Transport};

use crate::family::end::End;
use crate::family::options::{self, Congestion, Options};

/// noq-proto.
#[derive(Clone, Copy, Debug, Default)]
pub struct Noq;

impl Stack for Noq {
    fn name(&self) -> &'static str {
        // Of a build of its own, what `windlull stacks build` was told.
        option_env!("WINDLULL_STACK").unwrap_or("noq")
    }

    fn version(&self) -> String {
        // As Cargo.toml pins it; a test compares it with the lock file.
        option_env!("WINDLULL_STACK_VERSION")
            .unwrap_or("noq-proto 1.4.0")
            .to_owned()
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        options::LIST
    }

    fn begin(&self, start: &Start) -> Result<Box<dyn Transport>, Broken> {
        let options = Options::parse(&start.options)?;
        if options.congestion == Congestion::Bbr {
            generator::check()?;
        }
        Ok(Box::new(End::new(start, &options)?))
    }
}
