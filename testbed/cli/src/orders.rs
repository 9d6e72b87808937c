//! Where runs between processes are ordered, and who speaks.

use windlull_units::Build;

use crate::built::{COMMIT, VERSION};

/// Where the appliance has the sockets.
pub(crate) const DIRECTORY: &str = "/run/windlull";
/// Names another directory.
pub(crate) const VARIABLE: &str = "WINDLULL_ORDERS";

pub(crate) const BUILD: Build = Build {
    version: VERSION,
    commit: COMMIT,
};
