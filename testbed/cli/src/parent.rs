//! A process that ends with the one that started it.

use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::getppid;

use crate::failure::Failure;

/// From now on the kernel sends this process a signal when the engine that started it ends, however that ends.
pub(crate) fn die_with(parent: u32, signal: Signal) -> Result<(), Failure> {
    prctl::set_pdeathsig(signal)
        .map_err(|error| Failure::Machine(format!("cannot be bound to the engine: {error}")))?;
    // It may have ended before.
    if u32::try_from(getppid().as_raw()) != Ok(parent) {
        return Err(Failure::Machine("the engine is gone".to_owned()));
    }
    Ok(())
}
