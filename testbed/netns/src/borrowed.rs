//! A device of this process' own network namespace, borrowed for a run: it becomes a host's as in a lab, and afterwards
//! what it was before.
//!
//! What it was is written to a file first. Who was killed finds it at the next start, and puts everything back then.

mod before;
mod error;
mod ipv6;
mod sysctls;

use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use nix::ifaddrs::getifaddrs;
use windlull_units::{Host, Network};

use crate::lab::{colons, ethernet_address, speaking};
use crate::namespace::Namespace;
use crate::offload::{turn_off_offloads, turn_on_offloads};
use crate::site::{Addresses, Site, address_in};
use before::Before;
pub use error::BorrowError;
use error::on_device;

/// Longer than the kernel remembers a connection that is over (`TCP_TIMEWAIT_LEN`, 60 s).
const TIME_WAIT: Duration = Duration::from_secs(65);
const LOOK: Duration = Duration::from_millis(100);

/// A borrowed device. Dropped, it is given back as well as can be; what fails is then found at the next start.
#[derive(Debug)]
pub struct Borrowed {
    namespace: Namespace,
    before: Before,
    /// Where that is written.
    note: PathBuf,
    given_back: bool,
}

impl Borrowed {
    /// Makes the device of a site that of its host: no offloads; where the site has the lab's addresses, the lab's Ethernet
    /// address and no address but, where the kernel is to answer, the lab's. A host that `keeps_addresses` has the lab's of IPv6
    /// beside its own. `note` is a file that is not there.
    ///
    /// # Errors
    /// [`BorrowError`]; the device is then as it was.
    pub fn take(site: &Site, kernel_answers: bool, keeps_addresses: bool, note: &Path) -> Result<Self, BorrowError> {
        let Site {
            host,
            namespace,
            device,
            addresses,
        } = site;
        let lab = match addresses {
            Addresses::Lab(network) => Some(*network),
            Addresses::Own { .. } => None,
        };
        let speaks_ipv6 = kernel_answers && lab == Some(Network::Ipv6);
        let gives_addresses_up = lab.is_some() && !keeps_addresses;
        let before = Before::of(namespace, device, gives_addresses_up, speaks_ipv6)?;
        if let Some(network) = lab.filter(|_| gives_addresses_up) {
            forget_connections(namespace, network, *host)?;
        }
        before.write(note)?;
        let borrowed = Self {
            namespace: namespace.clone(),
            before,
            note: note.to_owned(),
            given_back: false,
        };
        let Some(network) = lab else {
            on_device(namespace, || turn_off_offloads(device))?;
            return Ok(borrowed);
        };
        if gives_addresses_up {
            sysctls::quieten(namespace, device)?;
            ip(
                namespace,
                &format!("address flush dev {device}\nroute flush dev {device}\n"),
            )?;
        }
        let ethernet = colons(ethernet_address(*host));
        ip(namespace, &format!("link set {device} address {ethernet}\n"))?;
        on_device(namespace, || turn_off_offloads(device))?;
        if let Some(ipv6) = &borrowed.before.ipv6 {
            ipv6.speak(namespace, device)?;
        }
        if kernel_answers {
            ip(namespace, &speaking(network, *host, device))?;
        }
        Ok(borrowed)
    }

    /// Makes the device what it was.
    ///
    /// # Errors
    /// The first thing that could not be put back; the note stays then.
    pub fn give_back(mut self) -> Result<(), BorrowError> {
        self.given_back = true;
        put_back(&self.namespace, &self.before, &self.note)
    }

    /// Puts back what a killed process could not, if this is still the namespace that it was in. Says whether there was a
    /// note.
    ///
    /// # Errors
    /// If the note cannot be read, or something could not be put back.
    pub fn mend(namespace: &Namespace, note: &Path) -> Result<bool, BorrowError> {
        let Some(before) = Before::read(note)? else {
            return Ok(false);
        };
        if before.is_of(namespace) {
            put_back(namespace, &before, note)?;
        } else {
            // What it tells of has gone with its namespace.
            forget(note)?;
        }
        Ok(true)
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        if !self.given_back {
            let _ = put_back(&self.namespace, &self.before, &self.note);
        }
    }
}

/// The device to borrow if nobody names one: the only one beside the loopback.
///
/// # Errors
/// If there is none, or more than one.
pub fn only_device() -> Result<String, BorrowError> {
    let unfit = |why: String| BorrowError::Unfit {
        device: "to run on".to_owned(),
        why,
    };
    let mut names: Vec<String> = getifaddrs()
        .map_err(|error| unfit(format!("cannot be found: {error}")))?
        .map(|interface| interface.interface_name)
        .filter(|name| name != "lo")
        .collect();
    names.sort_unstable();
    names.dedup();
    match names.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(unfit("is missing: there is none but lo".to_owned())),
        several => Err(unfit(format!(
            "must be named (--device): there are {}",
            several.join(", ")
        ))),
    }
}

/// Ends connections of earlier runs that the kernel still remembers (RFC 9293, section 3.6.1: TIME-WAIT): the next run's has
/// the same addresses and ports. A kernel that cannot be asked to forget them does so by itself within a minute.
fn forget_connections(namespace: &Namespace, network: Network, host: Host) -> Result<(), BorrowError> {
    // Behind the last colon outside of brackets `ss` looks for a port.
    let own = match address_in(network, host) {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    };
    let begun = Instant::now();
    loop {
        namespace.command("ss", &["-HtanK", "src", &own])?;
        let left = namespace.command("ss", &["-Htan", "src", &own])?;
        if left.trim().is_empty() {
            return Ok(());
        }
        if begun.elapsed() > TIME_WAIT {
            return Err(BorrowError::Remembered(left.trim().to_owned()));
        }
        thread::sleep(LOOK);
    }
}

fn put_back(namespace: &Namespace, before: &Before, note: &Path) -> Result<(), BorrowError> {
    let device = &before.device;
    if before.gives_addresses_up {
        ip(
            namespace,
            &format!(
                "address flush dev {device}\n\
                 neighbour flush dev {device} nud permanent\n\
                 route flush dev {device}\n"
            ),
        )?;
    }
    if let Some(ipv6) = &before.ipv6 {
        ipv6.put_back(namespace, device)?;
    }
    // Of a host that keeps its addresses of IPv4 and speaks no IPv6 it is the same all the time.
    if before.gives_addresses_up || before.ipv6.is_some() {
        let ethernet = &before.ethernet;
        ip(namespace, &format!("link set {device} address {ethernet}\n"))?;
    }
    on_device(namespace, || turn_on_offloads(device, &before.offloads))?;
    sysctls::put_back(namespace, &before.sysctls)?;
    ip(namespace, &before.lines())?;
    forget(note)
}

fn forget(note: &Path) -> Result<(), BorrowError> {
    fs::remove_file(note).map_err(|source| BorrowError::Note {
        path: note.to_owned(),
        source,
    })
}

fn ip(namespace: &Namespace, lines: &str) -> Result<(), BorrowError> {
    namespace.command_with_input("ip", &["-batch", "-"], lines)?;
    Ok(())
}
