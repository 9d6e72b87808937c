//! What a device was before a run, to be written down and read again.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::ipv6::Ipv6Before;
use super::{BorrowError, on_device, sysctls};
use crate::command::CommandError;
use crate::lab::MTU;
use crate::namespace::Namespace;
use crate::offload::offloads_on;

/// All of a device and its namespace that a run changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Before {
    /// The namespace, by the number of its inode and of the boot that made it.
    namespace: (u64, String),
    pub(super) device: String,
    /// Whether it has the lab's addresses during the run, and not these. Over IPv6 it may have them beside these.
    pub(super) gives_addresses_up: bool,
    /// Its Ethernet address.
    pub(super) ethernet: String,
    /// `ADDRESS/LEN` and so on, as `ip address add` takes them.
    addresses: Vec<String>,
    /// As `ip route replace` takes them, those that others need first.
    routes: Vec<String>,
    pub(super) offloads: Vec<String>,
    pub(super) sysctls: BTreeMap<String, String>,
    /// What is otherwise for a host that speaks IPv6.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ipv6: Option<Ipv6Before>,
}

/// What `ip -json address show` tells of a device.
#[derive(Deserialize)]
struct Shown {
    address: String,
    mtu: u32,
    operstate: String,
    #[serde(default)]
    addr_info: Vec<ShownAddress>,
}

#[derive(Deserialize)]
struct ShownAddress {
    local: String,
    prefixlen: u8,
    broadcast: Option<String>,
    scope: String,
    label: Option<String>,
    #[serde(default)]
    dynamic: bool,
}

impl Before {
    /// As the device is now, if it is fit for a run; during which its kernel may speak IPv6.
    pub(super) fn of(
        namespace: &Namespace,
        device: &str,
        gives_addresses_up: bool,
        speaks_ipv6: bool,
    ) -> Result<Self, BorrowError> {
        let text = namespace.command("ip", &["-json", "address", "show", "dev", device])?;
        let unfit = |why: String| BorrowError::Unfit {
            device: device.to_owned(),
            why,
        };
        let shown: Vec<Shown> =
            serde_json::from_str(&text).map_err(|error| unfit(format!("is told oddly: {error}")))?;
        let [shown] = &shown[..] else {
            return Err(unfit("is not there".to_owned()));
        };
        if shown.mtu != MTU {
            return Err(unfit(format!("has an MTU of {}; runs need {MTU}", shown.mtu)));
        }
        if !matches!(shown.operstate.as_str(), "UP" | "UNKNOWN") {
            return Err(unfit(format!("is {}; runs need it up and joined", shown.operstate)));
        }
        let mut routes = Vec::new();
        for family in ["-4", "-6"] {
            let lines = namespace.command("ip", &[family, "-oneline", "route", "show", "dev", device])?;
            routes.extend(lines.lines().map(route).filter(|route| !route.starts_with("fe80::")));
        }
        // A gateway must be reachable when a route by it is made.
        routes.sort_by_key(|route| route.split(' ').any(|word| word == "via"));
        Ok(Self {
            namespace: number_of(namespace).map_err(|error| unfit(format!("has no namespace to be told: {error}")))?,
            device: device.to_owned(),
            gives_addresses_up,
            ethernet: shown.address.clone(),
            addresses: (shown.addr_info.iter())
                .filter(|address| address.scope != "link" && !address.dynamic)
                .map(ShownAddress::words)
                .collect(),
            routes,
            offloads: on_device(namespace, || offloads_on(device))?,
            sysctls: sysctls::all(namespace, device).map_err(|source| CommandError::Start {
                program: "a thread".to_owned(),
                source,
            })?,
            ipv6: speaks_ipv6
                .then(|| Ipv6Before::of(namespace, device, !gives_addresses_up))
                .transpose()?,
        })
    }

    /// What `ip` is told so that addresses and routes are there again.
    pub(super) fn lines(&self) -> String {
        let device = &self.device;
        let addresses = self.addresses.iter().filter(|_| self.gives_addresses_up);
        let routes = self.routes.iter();
        addresses
            .map(|address| format!("address add {address} dev {device}\n"))
            .chain(routes.map(|route| format!("route replace {route} dev {device}\n")))
            .collect()
    }

    /// Whether it tells of this namespace.
    pub(super) fn is_of(&self, namespace: &Namespace) -> bool {
        number_of(namespace).is_ok_and(|number| number == self.namespace)
    }

    /// Writes it into a new file, to the disk.
    pub(super) fn write(&self, note: &Path) -> Result<(), BorrowError> {
        let text = serde_json::to_string(self).expect("a note has string keys");
        let write = || -> io::Result<()> {
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(note)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()
        };
        write().map_err(|source| BorrowError::Note {
            path: note.to_owned(),
            source,
        })
    }

    /// Reads it, if there is one. One that was not written to its end is of a device that nobody had changed yet.
    pub(super) fn read(note: &Path) -> Result<Option<Self>, BorrowError> {
        let failed = |source| BorrowError::Note {
            path: note.to_owned(),
            source,
        };
        let text = match fs::read_to_string(note) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        match serde_json::from_str(&text) {
            Ok(before) => Ok(Some(before)),
            Err(error) if error.is_eof() => fs::remove_file(note).map(|()| None).map_err(failed),
            Err(error) => Err(failed(error.into())),
        }
    }
}

impl ShownAddress {
    fn words(&self) -> String {
        let mut words = format!("{}/{}", self.local, self.prefixlen);
        if let Some(broadcast) = &self.broadcast {
            words += &format!(" broadcast {broadcast}");
        }
        words += &format!(" scope {}", self.scope);
        if let Some(label) = &self.label {
            words += &format!(" label {label}");
        }
        words
    }
}

/// A line of `ip route show`, without what the kernel says of its state alone.
fn route(line: &str) -> String {
    let words = line
        .split_whitespace()
        .filter(|word| !matches!(*word, "linkdown" | "dead"));
    words.collect::<Vec<_>>().join(" ")
}

/// Inodes are used again after a reboot.
fn number_of(namespace: &Namespace) -> io::Result<(u64, String)> {
    let inode = namespace.run(|| fs::metadata("/proc/thread-self/ns/net"))??.ino();
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
    Ok((inode, boot.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before() -> Before {
        Before {
            gives_addresses_up: true,
            namespace: (1, "boot".to_owned()),
            device: "eth0".to_owned(),
            ethernet: "02:00:00:00:00:01".to_owned(),
            addresses: vec!["198.18.1.10/24 broadcast 198.18.1.255 scope global".to_owned()],
            routes: vec![
                "198.18.1.0/24 proto kernel scope link".to_owned(),
                "default via 198.18.1.254".to_owned(),
            ],
            offloads: vec!["tx-generic-segmentation".to_owned()],
            sysctls: BTreeMap::new(),
            ipv6: None,
        }
    }

    #[test]
    fn a_note_is_read_as_it_was_written() {
        let directory = tempfile::tempdir().expect("a directory");
        let note = directory.path().join("note");
        assert_eq!(Before::read(&note).expect("there is none"), None);
        before().write(&note).expect("it can be written");
        assert_eq!(Before::read(&note).expect("it is whole"), Some(before()));
        assert!(before().write(&note).is_err(), "another's note is not overwritten");
    }

    #[test]
    fn a_note_that_was_cut_tells_of_nothing_and_a_wrong_one_is_told() {
        let directory = tempfile::tempdir().expect("a directory");
        let note = directory.path().join("note");
        fs::write(&note, r#"{"namespace":[1,"#).expect("it can be written");
        assert_eq!(Before::read(&note).expect("it is none"), None);
        assert!(!note.exists());
        fs::write(&note, r#"{"device":"eth0","colour":"red"}"#).expect("it can be written");
        assert!(Before::read(&note).is_err());
    }

    #[test]
    fn addresses_come_before_routes_and_gateways_last() {
        let lines = before().lines();
        let lines: Vec<_> = lines.lines().collect();
        assert_eq!(
            lines,
            [
                "address add 198.18.1.10/24 broadcast 198.18.1.255 scope global dev eth0",
                "route replace 198.18.1.0/24 proto kernel scope link dev eth0",
                "route replace default via 198.18.1.254 dev eth0",
            ]
        );
        assert_eq!(route("default via 198.18.1.254 linkdown "), "default via 198.18.1.254");
    }
}
