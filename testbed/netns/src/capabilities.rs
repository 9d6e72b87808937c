//! Rights for the programs that an ordinary user's process starts.

use std::io;

use caps::{CapSet, Capability};

/// What `ip`, `tc`, `nft` and packet sockets need.
const NEEDED: [Capability; 2] = [Capability::CAP_NET_ADMIN, Capability::CAP_NET_RAW];

/// Hands the rights over networks that this process has on to the programs that it starts: rights from a file (`setcap`)
/// are otherwise its own alone. To be called before there is a second thread, since each thread has its own.
///
/// # Errors
/// If the process lacks one of them, or the kernel forbids that they are handed on.
pub fn hand_on_capabilities() -> io::Result<()> {
    let failed = |error: caps::errors::CapsError| io::Error::other(error.to_string());
    for right in NEEDED {
        if !caps::has_cap(None, CapSet::Permitted, right).map_err(failed)? {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                format!(
                    "this process lacks {right}; in a container: cap_add, and for another user than root \
                     `setcap cap_net_admin,cap_net_raw+ep` on the program"
                ),
            ));
        }
        for set in [CapSet::Effective, CapSet::Inheritable, CapSet::Ambient] {
            caps::raise(None, set, right).map_err(failed)?;
        }
    }
    Ok(())
}
