//! The kernel's settings that a run may change.

use std::collections::BTreeMap;
use std::fs;
use std::io;

use super::BorrowError;
use crate::namespace::{Namespace, SysctlError};

/// Where the kernel has its settings of TCP.
const TCP: &str = "/proc/sys/net/ipv4";
/// A secret.
const NOT_KEPT: &str = "tcp_fastopen_key";

/// Settings that a host's device must not have, as in a lab: it does not forward, asks of no packet which way it came, and
/// speaks no IPv6, whose neighbour discovery would speak unasked.
fn of_device(device: &str) -> [(String, &'static str); 4] {
    [
        (format!("net.ipv4.conf.{device}.forwarding"), "0"),
        ("net.ipv4.conf.all.rp_filter".to_owned(), "0"),
        (format!("net.ipv4.conf.{device}.rp_filter"), "0"),
        (format!("net.ipv6.conf.{device}.disable_ipv6"), "1"),
    ]
}

/// Makes the settings of a host's device.
pub(super) fn quieten(namespace: &Namespace, device: &str) -> Result<(), BorrowError> {
    for (name, value) in of_device(device) {
        // Where it is so already, /proc/sys need not be writable.
        if namespace.sysctl(&name).is_ok_and(|now| now == value) {
            continue;
        }
        match namespace.set_sysctl(&name, value) {
            // A kernel without IPv6 is as good.
            Err(SysctlError::Unknown { .. }) if name.starts_with("net.ipv6.") => {}
            done => done?,
        }
    }
    Ok(())
}

/// All settings that a run may change, as they are.
pub(super) fn all(namespace: &Namespace, device: &str) -> io::Result<BTreeMap<String, String>> {
    let tcp = namespace.run(|| -> io::Result<Vec<String>> {
        let names = fs::read_dir(TCP)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        names
            .filter(|name| !matches!(name, Ok(name) if !name.starts_with("tcp_") || name == NOT_KEPT))
            .map(|name| name.map(|name| format!("net.ipv4.{name}")))
            .collect()
    })??;
    let names = tcp.into_iter().chain(of_device(device).map(|(name, _)| name));
    // Some can only be written.
    Ok(names
        .filter_map(|name| namespace.sysctl(&name).ok().map(|value| (name, value)))
        .collect())
}

/// Sets back what differs.
pub(super) fn put_back(namespace: &Namespace, before: &BTreeMap<String, String>) -> Result<(), BorrowError> {
    for (name, value) in before {
        if namespace.sysctl(name).is_ok_and(|now| now != *value) {
            namespace.set_sysctl(name, value)?;
        }
    }
    Ok(())
}
