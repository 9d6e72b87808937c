//! Why a device cannot be borrowed.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::command::CommandError;
use crate::namespace::{Namespace, SysctlError};
use crate::offload::OffloadError;

/// Why a device cannot be borrowed, or not be given back.
#[derive(Debug, Error)]
pub enum BorrowError {
    /// It is not as a run needs it.
    #[error("the device {device} {why}")]
    Unfit {
        device: String,
        /// What is wrong, and what would be right.
        why: String,
    },
    /// A tool failed.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A setting of the kernel.
    #[error("{source}{}", remedy(source))]
    Sysctl {
        /// What was tried.
        #[from]
        source: SysctlError,
    },
    /// An offload.
    #[error(transparent)]
    Offload(#[from] OffloadError),
    /// The note of what was there before.
    #[error("cannot keep a note of the device's state in {}: {source}", path.display())]
    Note {
        path: PathBuf,
        /// What the machine said.
        source: io::Error,
    },
    /// A connection of an earlier run that the kernel does not forget.
    #[error("the kernel still has the connection of an earlier run: {0}")]
    Remembered(String),
}

fn remedy(error: &SysctlError) -> &'static str {
    match error {
        SysctlError::Refused { source, .. }
            if matches!(
                source.kind(),
                io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied
            ) =>
        {
            "; /proc/sys must be writable here: in a container `security_opt: [systempaths=unconfined]`, CAP_NET_ADMIN, and \
             a user that is not root"
        }
        _ => "",
    }
}

pub(super) fn on_device<T: Send>(
    namespace: &Namespace,
    work: impl FnOnce() -> Result<T, OffloadError> + Send,
) -> Result<T, BorrowError> {
    let failed = |source| {
        BorrowError::Command(CommandError::Start {
            program: "a thread".to_owned(),
            source,
        })
    };
    Ok(namespace.run(work).map_err(failed)??)
}
