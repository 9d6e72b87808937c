//! smoltcp's TCP as a transport of a Windlull run.
//!
//! Each end is an interface with one socket on it (`end`), and a device that is a pair of queues (`device`). What it sends is an
//! IP packet, of the version that the run asks for, which the run takes for what it is: a segment of TCP. smoltcp says nothing of
//! itself; all that is told of it follows from its packets, as with the Linux kernel's TCP.
//!
//! # What is random
//!
//! Initial sequence numbers come from [`Start::seed`], and nothing else is random: the same seed gives the same packets at the same
//! times. smoltcp's clock counts microseconds, so that it wakes at whole ones.
//!
//! [`Start::seed`]: windlull_transport::Start::seed

mod device;
mod end;
mod options;

use windlull_transport::{Broken, Stack, Start, Transport};
use windlull_units::Carries;

use crate::end::End;
use crate::options::Options;

/// smoltcp.
#[derive(Clone, Copy, Debug, Default)]
pub struct Smoltcp;

impl Stack for Smoltcp {
    fn name(&self) -> &'static str {
        // Of a build of its own, what `windlull stacks build` was told.
        option_env!("WINDLULL_STACK").unwrap_or("smoltcp")
    }

    fn version(&self) -> String {
        // As Cargo.toml pins it; a test compares it with the lock file.
        option_env!("WINDLULL_STACK_VERSION")
            .unwrap_or("smoltcp 0.14.0")
            .to_owned()
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        options::LIST
    }

    fn carries(&self) -> Carries {
        Carries::Packets
    }

    fn begin(&self, start: &Start) -> Result<Box<dyn Transport>, Broken> {
        let options = Options::parse(&start.options)?;
        Ok(Box::new(End::new(start, &options)))
    }
}
