//! The two devices: which they are, and the addresses that hosts send to.

use std::fmt;
use std::io;
use std::net::Ipv4Addr;
use std::str::FromStr;

use nix::ifaddrs::getifaddrs;
use nix::net::if_::if_nametoindex;
use nix::sys::socket::SockaddrIn;
use thiserror::Error;
use windlull_plane::netem::Devices;

use crate::address::Given;

/// How the device of one side is named: by its own name, by the address it is to have, or by both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    pub device: Option<String>,
    /// The address that the hosts of this side have for their router.
    pub address: Option<Network>,
}

/// An address and the network that it is in, as in `198.18.1.254/24`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: Ipv4Addr,
    mask: u32,
}

/// A text that is not an address with its network.
#[derive(Clone, Debug, Error)]
#[error("{0:?} is not an address with its network; write it as in 198.18.1.254/24")]
pub struct SideError(String);

/// Why there are no two devices.
#[derive(Debug, Error)]
pub enum DeviceError {
    /// It was not said which.
    #[error("which device leads to the {side}? Give --{side}-side or --{side}-side-address")]
    Unnamed {
        /// `server` or `client`.
        side: &'static str,
    },
    /// There is none of this name.
    #[error("there is no device {device}; there are {}", there.join(", "))]
    Unknown { device: String, there: Vec<String> },
    /// There is none in this network.
    #[error("no device has an address in the network of {address}; name it with --{side}-side")]
    Nowhere {
        address: Network,
        /// `server` or `client`.
        side: &'static str,
    },
    /// Both sides are the same.
    #[error("{device} leads to both sides; the link needs two devices")]
    Same { device: String },
    /// The kernel would not.
    #[error("cannot {doing}: {source}")]
    Kernel { doing: String, source: io::Error },
}

/// The devices with their addresses, for as long as this lives.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) devices: Devices,
    /// The networks of both sides, whose hosts have no business with the process itself.
    pub(crate) networks: Vec<Network>,
    _given: Vec<Given>,
}

/// Finds the devices, and gives them the addresses that they have not.
pub(crate) fn make_ready(server: &Side, client: &Side) -> Result<Ready, DeviceError> {
    let there = addresses()?;
    let (to_server, to_client) = (find(server, "server", &there)?, find(client, "client", &there)?);
    if to_server == to_client {
        return Err(DeviceError::Same { device: to_server });
    }
    let mut given = Vec::new();
    for (side, device) in [(server, &to_server), (client, &to_client)] {
        let Some(wanted) = side.address else { continue };
        if there
            .iter()
            .any(|(name, network)| name == device && *network == Some(wanted))
        {
            continue;
        }
        let mask = Ipv4Addr::from_bits(wanted.mask);
        given.push(
            Given::to(device, wanted.address, mask).map_err(|source| DeviceError::Kernel {
                doing: format!("give {device} the address {wanted}"),
                source,
            })?,
        );
    }
    let networks = addresses()?
        .into_iter()
        .filter(|(name, _)| [&to_server, &to_client].contains(&name))
        .filter_map(|(_, network)| network)
        .collect();
    Ok(Ready {
        devices: Devices { to_server, to_client },
        networks,
        _given: given,
    })
}

fn find(side: &Side, name: &'static str, there: &[(String, Option<Network>)]) -> Result<String, DeviceError> {
    match side {
        Side {
            device: Some(device), ..
        } => match if_nametoindex(device.as_str()) {
            Ok(_) => Ok(device.clone()),
            Err(_) => Err(DeviceError::Unknown {
                device: device.clone(),
                there: names(there),
            }),
        },
        Side {
            address: Some(address), ..
        } => there
            .iter()
            .find(|(_, network)| network.is_some_and(|network| address.has(network.address)))
            .map(|(device, _)| device.clone())
            .ok_or(DeviceError::Nowhere {
                address: *address,
                side: name,
            }),
        _ => Err(DeviceError::Unnamed { side: name }),
    }
}

fn names(there: &[(String, Option<Network>)]) -> Vec<String> {
    let mut names: Vec<String> = there.iter().map(|(name, _)| name.clone()).collect();
    names.sort();
    names.dedup();
    names
}

/// Every device, once for each of its IPv4 addresses and once for each other thing that the kernel tells of it.
fn addresses() -> Result<Vec<(String, Option<Network>)>, DeviceError> {
    let interfaces = getifaddrs().map_err(|error| DeviceError::Kernel {
        doing: "list the devices".to_owned(),
        source: error.into(),
    })?;
    Ok(interfaces
        .map(|interface| {
            let part = |storage: Option<nix::sys::socket::SockaddrStorage>| {
                storage
                    .as_ref()
                    .and_then(|storage| storage.as_sockaddr_in())
                    .map(SockaddrIn::ip)
            };
            let network = part(interface.address)
                .zip(part(interface.netmask))
                .map(|(address, mask)| Network {
                    address,
                    mask: mask.to_bits(),
                });
            // An address of a label of its own is the device's all the same.
            let device = interface
                .interface_name
                .split(':')
                .next()
                .unwrap_or_default()
                .to_owned();
            (device, network)
        })
        .collect())
}

impl Network {
    /// Whether the address is in this network.
    pub(crate) fn has(self, address: Ipv4Addr) -> bool {
        address.to_bits() & self.mask == self.address.to_bits() & self.mask
    }
}

impl FromStr for Network {
    type Err = SideError;

    fn from_str(text: &str) -> Result<Self, SideError> {
        let wrong = || SideError(text.to_owned());
        let (address, prefix) = text.split_once('/').ok_or_else(wrong)?;
        let prefix: u32 = prefix
            .parse()
            .ok()
            .filter(|prefix| (8..=31).contains(prefix))
            .ok_or_else(wrong)?;
        Ok(Self {
            address: address.parse().map_err(|_| wrong())?,
            mask: u32::MAX << (32 - prefix),
        })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.mask.count_ones())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> Network {
        text.parse().expect("an address with its network")
    }

    fn there() -> Vec<(String, Option<Network>)> {
        vec![
            ("lo".to_owned(), Some(network("127.0.0.1/8"))),
            ("eth0".to_owned(), Some(network("198.18.1.2/24"))),
            ("eth1".to_owned(), Some(network("198.18.2.2/24"))),
        ]
    }

    #[test]
    fn a_device_is_found_by_its_network() {
        let side = |address: &str| Side {
            device: None,
            address: Some(network(address)),
        };
        assert_eq!(
            find(&side("198.18.2.254/24"), "client", &there()).expect("eth1"),
            "eth1"
        );
        let error = find(&side("198.18.3.254/24"), "client", &there()).expect_err("no such network");
        assert_eq!(
            error.to_string(),
            "no device has an address in the network of 198.18.3.254/24; name it with --client-side"
        );
    }

    #[test]
    fn what_is_missing_is_said() {
        let error = find(&Side::default(), "server", &there()).expect_err("no name");
        assert_eq!(
            error.to_string(),
            "which device leads to the server? Give --server-side or --server-side-address"
        );
        let side = Side {
            device: Some("eth9".to_owned()),
            address: None,
        };
        let error = find(&side, "server", &there()).expect_err("no device");
        assert_eq!(error.to_string(), "there is no device eth9; there are eth0, eth1, lo");
    }

    #[test]
    fn only_an_address_with_its_network_is_one() {
        assert_eq!(network("198.18.1.254/24").to_string(), "198.18.1.254/24");
        for wrong in [
            "198.18.1.254",
            "198.18.1.254/32",
            "198.18.1/24",
            "198.18.1.254/x",
            "::1/24",
        ] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong}");
        }
    }
}
