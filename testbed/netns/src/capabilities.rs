//! Rights for the programs that an ordinary user's process starts.

use std::io;

use caps::errors::CapsError;
use caps::{CapSet, Capability};

/// What `ip`, `tc`, `nft` and packet sockets need.
const NEEDED: [Capability; 2] = [Capability::CAP_NET_ADMIN, Capability::CAP_NET_RAW];
/// What making network namespaces, and devices and rules in them, needs.
const ADMINISTRATION: [Capability; 3] = [
    Capability::CAP_NET_ADMIN,
    Capability::CAP_NET_RAW,
    Capability::CAP_SYS_ADMIN,
];

/// Hands the rights over networks that this process has on to the programs that it starts: rights from a file (`setcap`)
/// are otherwise its own alone. To be called before there is a second thread, since each thread has its own.
///
/// # Errors
/// If the process lacks one of them, or the kernel forbids that they are handed on.
pub fn hand_on_capabilities() -> io::Result<()> {
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
    }
    hand_on(&NEEDED)
}

/// In a user namespace of its own: hands on what making networks needs, and gives up all else. A program that has the same
/// rights as this process may look at its namespaces, which one with fewer may not (`ptrace(2)`, access mode checking).
pub(crate) fn keep_administration() -> io::Result<()> {
    hand_on(&ADMINISTRATION)?;
    let kept = ADMINISTRATION.into_iter().collect();
    for set in [CapSet::Effective, CapSet::Permitted] {
        caps::set(None, set, &kept).map_err(failed)?;
    }
    Ok(())
}

/// Programs that this process starts have these rights of its own.
fn hand_on(rights: &[Capability]) -> io::Result<()> {
    for &right in rights {
        for set in [CapSet::Effective, CapSet::Inheritable, CapSet::Ambient] {
            caps::raise(None, set, right).map_err(failed)?;
        }
    }
    Ok(())
}

fn failed(error: CapsError) -> io::Error {
    io::Error::other(error)
}
