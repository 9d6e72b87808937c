//! A device's offloads, all off: what a capture sees is then what a wire would carry, packet by packet, checksums right.

#![expect(unsafe_code, reason = "features of a device are asked for by ioctl")]

use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use thiserror::Error;

/// From `linux/ethtool.h`.
const ETHTOOL_GSTRINGS: u32 = 0x1b;
const ETHTOOL_GSSET_INFO: u32 = 0x37;
const ETHTOOL_GFEATURES: u32 = 0x3a;
const ETHTOOL_SFEATURES: u32 = 0x3b;
const ETH_SS_FEATURES: u32 = 4;
const ETH_GSTRING_LEN: usize = 32;

/// Why a device still has offloads, or may have.
#[derive(Debug, Error)]
pub enum OffloadError {
    /// The kernel would not say or do it.
    #[error("cannot {doing} the offloads of {device}: {source}")]
    Kernel {
        /// `read`, `turn off` or `turn on`.
        doing: &'static str,
        device: String,
        /// What the kernel said.
        source: io::Error,
    },
    #[error("{device} keeps its offloads on: {}", features.join(", "))]
    StillOn {
        device: String,
        /// As `ethtool -k` calls them.
        features: Vec<String>,
    },
}

/// Turns off all offloads of a device of the calling thread's namespace, and verifies that they are. Says which were on.
///
/// # Errors
/// If the kernel would not, or some stay on.
pub fn turn_off_offloads(device: &str) -> Result<Vec<String>, OffloadError> {
    let control = Control::open(device).map_err(|source| failed("read", device, source))?;
    let (names, on) = control.offloads().map_err(|source| failed("read", device, source))?;
    control
        .switch(&names, &on, false)
        .map_err(|source| failed("turn off", device, source))?;
    offloads_off(device)?;
    Ok(on.into_iter().map(|bit| names[bit].clone()).collect())
}

/// Turns these offloads of a device of the calling thread's namespace on again; names that the kernel does not know are
/// left alone.
///
/// # Errors
/// If the kernel would not.
pub fn turn_on_offloads(device: &str, features: &[String]) -> Result<(), OffloadError> {
    let switch = || {
        let control = Control::open(device)?;
        let names = control.names()?;
        let wanted = (0..names.len()).filter(|&bit| features.contains(&names[bit]));
        control.switch(&names, &wanted.collect::<Vec<_>>(), true)
    };
    switch().map_err(|source| failed("turn on", device, source))
}

/// Verifies that no offload of a device of the calling thread's namespace is on.
///
/// # Errors
/// [`OffloadError::StillOn`] names those that are.
pub fn offloads_off(device: &str) -> Result<(), OffloadError> {
    let features = offloads_on(device)?;
    if features.is_empty() {
        return Ok(());
    }
    Err(OffloadError::StillOn {
        device: device.to_owned(),
        features,
    })
}

/// The offloads of a device of the calling thread's namespace that are on.
pub(crate) fn offloads_on(device: &str) -> Result<Vec<String>, OffloadError> {
    let (names, on) = Control::open(device)
        .and_then(|control| control.offloads())
        .map_err(|source| failed("read", device, source))?;
    Ok(on.into_iter().map(|bit| names[bit].clone()).collect())
}

fn failed(doing: &'static str, device: &str, source: io::Error) -> OffloadError {
    OffloadError::Kernel {
        doing,
        device: device.to_owned(),
        source,
    }
}

/// Whether a feature of this name, as `ethtool -k` calls it, joins, splits or fails to finish packets.
fn is_offload(name: &str) -> bool {
    ["segmentation", "checksum", "csum", "-gso", "-gro", "-lro"]
        .iter()
        .any(|word| name.contains(word))
}

/// Speaks of one device. A request is a sequence of 32-bit words, as the structures of `linux/ethtool.h` are.
struct Control {
    socket: OwnedFd,
    name: [libc::c_char; libc::IFNAMSIZ],
}

impl Control {
    fn open(device: &str) -> io::Result<Self> {
        let mut name = [0; libc::IFNAMSIZ];
        if device.len() >= name.len() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        for (to, from) in name.iter_mut().zip(device.bytes()) {
            *to = from as libc::c_char;
        }
        let socket = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)?;
        Ok(Self { socket, name })
    }

    /// The names of all features, and the bits of the offloads among them that are on.
    fn offloads(&self) -> io::Result<(Vec<String>, Vec<usize>)> {
        let names = self.names()?;
        let on = self.active(&names)?;
        Ok((names, on))
    }

    /// The names of all features this kernel knows, in the order of their bits.
    fn names(&self) -> io::Result<Vec<String>> {
        // cmd, reserved, sset_mask (64 bits), data[0]
        let mut info = [ETHTOOL_GSSET_INFO, 0, 0, 0, 0];
        let wanted = 1_u64 << ETH_SS_FEATURES;
        info[2..4].copy_from_slice(&words_of(wanted));
        self.ask(&mut info)?;
        let count = info[4] as usize;
        let mut strings = vec![0; 3 + count * ETH_GSTRING_LEN / size_of::<u32>()];
        strings[..3].copy_from_slice(&[ETHTOOL_GSTRINGS, ETH_SS_FEATURES, info[4]]);
        self.ask(&mut strings)?;
        let octets: Vec<u8> = strings[3..].iter().flat_map(|word| word.to_ne_bytes()).collect();
        Ok(octets
            .chunks(ETH_GSTRING_LEN)
            .map(|name| {
                let end = name.iter().position(|&octet| octet == 0).unwrap_or(name.len());
                String::from_utf8_lossy(&name[..end]).into_owned()
            })
            .collect())
    }

    /// The bits of the offloads that are on.
    fn active(&self, names: &[String]) -> io::Result<Vec<usize>> {
        let blocks = names.len().div_ceil(32);
        // cmd, size, then for every 32 features: available, requested, active, never_changed
        let mut features = vec![0; 2 + 4 * blocks];
        features[0] = ETHTOOL_GFEATURES;
        features[1] = u32::try_from(blocks).unwrap_or(0);
        self.ask(&mut features)?;
        let is_on = |bit: usize| features[2 + 4 * (bit / 32) + 2] & (1 << (bit % 32)) != 0;
        Ok((0..names.len())
            .filter(|&bit| is_offload(&names[bit]) && is_on(bit))
            .collect())
    }

    fn switch(&self, names: &[String], bits: &[usize], on: bool) -> io::Result<()> {
        let blocks = names.len().div_ceil(32);
        // cmd, size, then for every 32 features: valid, requested
        let mut features = vec![0; 2 + 2 * blocks];
        features[0] = ETHTOOL_SFEATURES;
        features[1] = u32::try_from(blocks).unwrap_or(0);
        for bit in bits {
            features[2 + 2 * (bit / 32)] |= 1 << (bit % 32);
            features[3 + 2 * (bit / 32)] |= u32::from(on) << (bit % 32);
        }
        self.ask(&mut features)
    }

    fn ask(&self, request: &mut [u32]) -> io::Result<()> {
        let mut message = libc::ifreq {
            ifr_name: self.name,
            ifr_ifru: libc::__c_anonymous_ifr_ifru {
                ifru_data: request.as_mut_ptr().cast(),
            },
        };
        // SAFETY: the kernel reads and writes the request within the length that its own fields give, which is that of
        // `request` by construction above, and the structure for the time of the call alone.
        let answer = unsafe { libc::ioctl(self.socket.as_raw_fd(), libc::SIOCETHTOOL, &raw mut message) };
        if answer < 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(())
        }
    }
}

fn words_of(number: u64) -> [u32; 2] {
    let octets = number.to_ne_bytes();
    let word = |at: usize| u32::from_ne_bytes([octets[at], octets[at + 1], octets[at + 2], octets[at + 3]]);
    [word(0), word(4)]
}
