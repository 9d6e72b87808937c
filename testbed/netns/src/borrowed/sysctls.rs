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
/// speaks no IPv6, whose neighbour discovery would speak unasked, unless its host is to ([`of_ipv6`]).
fn of_device(device: &str) -> [(String, &'static str); 4] {
    [
        (format!("net.ipv4.conf.{device}.forwarding"), "0"),
        ("net.ipv4.conf.all.rp_filter".to_owned(), "0"),
        (format!("net.ipv4.conf.{device}.rp_filter"), "0"),
        ipv6_is_off(device, true),
    ]
}

/// Settings that the device of a host has whose kernel speaks IPv6. Its own address is the loopback device's.
pub(super) fn of_ipv6(device: &str) -> [(String, &'static str); 3] {
    [
        (format!("net.ipv6.conf.{device}.accept_ra"), "0"),
        ipv6_is_off("lo", false),
        ipv6_is_off(device, false),
    ]
}

/// That IPv6 is off on a device, or that it is not.
pub(super) fn ipv6_is_off(device: &str, is_off: bool) -> (String, &'static str) {
    (
        format!("net.ipv6.conf.{device}.disable_ipv6"),
        if is_off { "1" } else { "0" },
    )
}

/// Makes the settings of a host's device.
pub(super) fn quieten(namespace: &Namespace, device: &str) -> Result<(), BorrowError> {
    for setting in of_device(device) {
        match make(namespace, std::slice::from_ref(&setting)) {
            // A kernel without IPv6 is as good.
            Err(BorrowError::Sysctl {
                source: SysctlError::Unknown { .. },
            }) if setting.0.starts_with("net.ipv6.") => {}
            done => done?,
        }
    }
    Ok(())
}

/// Makes settings, in order.
pub(super) fn make(namespace: &Namespace, settings: &[(String, &'static str)]) -> Result<(), BorrowError> {
    for (name, value) in settings {
        // Where it is so already, /proc/sys need not be writable.
        if namespace.sysctl(name).is_ok_and(|now| now == *value) {
            continue;
        }
        namespace.set_sysctl(name, value)?;
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
    let others = of_device(device).into_iter().chain(of_ipv6(device));
    let names = tcp.into_iter().chain(others.map(|(name, _)| name));
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
