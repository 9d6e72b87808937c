//! quiche as a transport of a Windlull run.
//!
//! quiche's connection has no socket but does read the clock and draw random octets, so that both are the run's while it computes
//! (`machine`). Its packets are heard at their protection (`protection`), the variables of its recovery in its qlog, read as it
//! writes it (`qlog`); which packets it takes for lost, which its qlog does not name, follows from how many it counts (`losses`).
//!
//! # What is random
//!
//! What quiche and BoringSSL draw by `RAND_bytes` comes from [`Start::seed`]: connection IDs, skipped packet numbers, the hellos'
//! random, session tickets and their keys, and key shares of X25519. Signatures are of Ed25519, which draws nothing (RFC 8032,
//! section 5.1.6). So the same seed gives the same packets at the same times.
//!
//! Not seeded is what BoringSSL draws within its cryptographic module: key shares and ciphertexts of ML-KEM, and keys of P-256
//! and P-384. Their lengths are fixed, so that they change the octets of packets and neither sizes nor times. Without ML-KEM
//! (the option `post-quantum = "off"`) the octets are the same, too. The hash seeds of maps reach no packet.
//!
//! # What quiche does not do
//!
//! It neither sends ECN nor hears of marks. Its servers do not ask for a Retry: in quiche that is an application's doing.
//!
//! [`Start::seed`]: windlull_transport::Start::seed

mod config;
mod end;
mod log;
mod losses;
mod machine;
mod options;
mod protection;
mod qlog;
mod recovery;
mod streams;

use windlull_transport::{Broken, Stack, Start, Transport};

use crate::end::End;
use crate::options::Options;

/// quiche.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiche;

impl Stack for Quiche {
    fn name(&self) -> &'static str {
        // Of a build of its own, what `windlull stacks build` was told.
        option_env!("WINDLULL_STACK").unwrap_or("quiche")
    }

    fn version(&self) -> String {
        // As Cargo.toml pins it; a test compares it with the lock file.
        option_env!("WINDLULL_STACK_VERSION")
            .unwrap_or("quiche 0.30.0")
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
