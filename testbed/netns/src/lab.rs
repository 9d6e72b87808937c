//! Server, router and client, joined by two veth pairs.

use std::fmt::Write;
use std::io;
use std::thread;
use std::time::Duration;

use nix::ifaddrs::getifaddrs;
use nix::net::if_::InterfaceFlags;
use thiserror::Error;
use windlull_units::{Host, Network};

use crate::command::CommandError;
use crate::namespace::{Namespace, SysctlError};
use crate::offload::{OffloadError, turn_off_offloads};
use crate::privilege::{EnterError, enter};
use crate::site::{Addresses, Site, address, address_in, lab_route, whole};

/// Octets of an IP packet that the devices carry.
pub(crate) const MTU: u32 = 1500;
/// Numbers of the devices in their namespaces. Those of a pair differ: the kernel takes a device whose peer's number is
/// its own for one without a peer, and lets a second pass before it heeds its carrier.
const ROUTER_INDEX: u32 = 11;
const HOST_INDEX: u32 = 21;
/// The kernel notices a carrier within milliseconds; how often it is asked, and for how long at most.
const CARRIER_LOOK: Duration = Duration::from_millis(1);
const CARRIER_LOOKS: u32 = 5_000;
const DEVICES: [(Node, &str); 4] = [
    (Node::Server, host_device(Host::Server)),
    (Node::Client, host_device(Host::Client)),
    (Node::Router, router_device(Host::Server)),
    (Node::Router, router_device(Host::Client)),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabSpec {
    /// Whether the kernel of server and client has an address and answers. Without one it is mute, and the device is
    /// an endpoint's of ours.
    pub kernel_answers: [bool; 2],
    /// The version of IP that hosts and router speak; the other one has no addresses.
    pub network: Network,
    /// Who carries packets through the router.
    pub router: RouterKind,
}

impl LabSpec {
    /// Whether the kernel of this node speaks IPv6.
    fn speaks_ipv6(&self, node: Node) -> bool {
        let answers = match node {
            Node::Server => self.kernel_answers[Host::Server as usize],
            Node::Client => self.kernel_answers[Host::Client as usize],
            Node::Router => self.router == RouterKind::Forwarding,
        };
        answers && self.network == Network::Ipv6
    }
}

/// Who carries packets through the router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouterKind {
    /// A program on AF_PACKET sockets: the router's kernel neither forwards nor answers.
    Userspace,
    Forwarding,
}

windlull_units::named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Node {
        /// The fixed end.
        Server = "server",
        /// Between them.
        Router = "router",
        /// The mobile end.
        Client = "client",
    }
}

/// Why there is no lab.
#[derive(Debug, Error)]
pub enum LabError {
    /// The process may make no network namespace.
    #[error(transparent)]
    Enter(#[from] EnterError),
    /// A network namespace could not be made or entered.
    #[error("no network namespace for the {place}: {source}")]
    Namespace {
        place: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
    /// A device, address or route could not be made.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A setting could not be made.
    #[error(transparent)]
    Sysctl(#[from] SysctlError),
    /// A device stays down.
    #[error("{device} stays without a carrier")]
    Carrier { device: String },
    /// An offload stays on.
    #[error(transparent)]
    Offload(#[from] OffloadError),
}

/// The three namespaces. They go when the last copy of them, thread and socket in them has gone.
#[derive(Debug)]
pub struct Lab {
    server: Namespace,
    router: Namespace,
    client: Namespace,
    network: Network,
}

/// The Ethernet address of a host's device, as frames of simulated runs carry it too. A host sends to the other host's
/// in either kind of lab: a forwarding router's devices bear the address of the host behind them.
pub const fn ethernet_address(host: Host) -> [u8; 6] {
    let [a, b, c, d] = address(host).octets();
    [0x02, a, b, c, d, 0]
}

impl From<Host> for Node {
    fn from(host: Host) -> Self {
        match host {
            Host::Server => Self::Server,
            Host::Client => Self::Client,
        }
    }
}

impl Lab {
    /// Builds it. The first call in a process makes its user namespace and must come before any second thread; see
    /// [`enter`].
    ///
    /// # Errors
    /// If the machine would not; nothing is left behind.
    pub fn build(spec: &LabSpec) -> Result<Self, LabError> {
        enter()?;
        let lab = Self {
            server: namespace(Node::Server)?,
            router: namespace(Node::Router)?,
            client: namespace(Node::Client)?,
            network: spec.network,
        };
        for node in Node::ALL {
            prepare(lab.namespace(node), spec.speaks_ipv6(node))?;
        }
        ip(&lab.router, &lab.devices(spec.router))?;
        for (place, device) in DEVICES {
            raise(lab.namespace(place), device, spec.speaks_ipv6(place))?;
        }
        for (place, device) in DEVICES {
            wait_for_carrier(lab.namespace(place), device)?;
        }
        for host in Host::ALL {
            if spec.kernel_answers[host as usize] {
                lab.give_address(host)?;
            }
        }
        if spec.router == RouterKind::Forwarding {
            lab.forward()?;
        }
        Ok(lab)
    }

    pub const fn namespace(&self, place: Node) -> &Namespace {
        match place {
            Node::Server => &self.server,
            Node::Router => &self.router,
            Node::Client => &self.client,
        }
    }

    pub fn site(&self, host: Host) -> Site {
        Site {
            host,
            namespace: self.namespace(host.into()).clone(),
            device: host_device(host).to_owned(),
            addresses: Addresses::Lab(self.network),
        }
    }

    /// What `ip` is told in the router to make all devices.
    fn devices(&self, router: RouterKind) -> String {
        let mut lines = String::new();
        for host in Host::ALL {
            let (near, far) = (router_device(host), host_device(host));
            let near_address = match router {
                RouterKind::Forwarding => ethernet_address(host.peer()),
                RouterKind::Userspace => router_address(host),
            };
            let _ = writeln!(
                lines,
                "link add {near} index {} address {} mtu {MTU} \
                 type veth peer name {far} index {} address {} mtu {MTU} netns {}",
                ROUTER_INDEX + host as u32,
                colons(near_address),
                HOST_INDEX + host as u32,
                colons(ethernet_address(host)),
                self.namespace(host.into()).path(),
            );
        }
        lines
    }

    /// The host's kernel gets its address, and knows where the other host is.
    fn give_address(&self, host: Host) -> Result<(), LabError> {
        let lines = speaking(self.network, host, host_device(host));
        ip(self.namespace(host.into()), &lines)
    }

    /// The router's kernel carries packets from one host to the other.
    fn forward(&self) -> Result<(), LabError> {
        for host in Host::ALL {
            let device = router_device(host);
            let (address, ethernet) = (address_in(self.network, host), colons(ethernet_address(host)));
            let bits = whole(self.network);
            ip(
                &self.router,
                &format!(
                    "neighbour add {address} lladdr {ethernet} dev {device} nud permanent\n\
                     route add {address}/{bits} dev {device}\n"
                ),
            )?;
        }
        let setting = match self.network {
            Network::Ipv4 => "net.ipv4.ip_forward",
            Network::Ipv6 => "net.ipv6.conf.all.forwarding",
        };
        Ok(self.router.set_sysctl(setting, "1")?)
    }
}

fn namespace(place: Node) -> Result<Namespace, LabError> {
    Namespace::create(place.name()).map_err(|source| LabError::Namespace {
        place: place.name(),
        source,
    })
}

/// What must hold before there is a device: no IPv6 where nobody is to speak it, as its neighbour discovery would speak
/// unasked, and no filter that asks which way a packet came.
pub(crate) fn prepare(namespace: &Namespace, speaks_ipv6: bool) -> Result<(), LabError> {
    for which in ["all", "default"] {
        let setting = |name: &str| format!("net.ipv6.conf.{which}.{name}");
        let disabled = namespace.set_sysctl(&setting("disable_ipv6"), if speaks_ipv6 { "0" } else { "1" });
        match disabled {
            // A kernel without IPv6 is as good.
            Err(SysctlError::Unknown { .. }) if !speaks_ipv6 => {}
            done => done?,
        }
        if speaks_ipv6 {
            // Routers are neither asked for nor heard (RFC 4861, section 6.3).
            namespace.set_sysctl(&setting("accept_ra"), "0")?;
        }
        namespace.set_sysctl(&format!("net.ipv4.conf.{which}.rp_filter"), "0")?;
    }
    ip(namespace, "link set lo up\n")
}

/// Offloads off and verified, then the device up.
///
/// One that speaks IPv6 gets no address of its own making, whose uniqueness would be asked for and for which routers would be
/// solicited, and joins no group of routers, which would be reported (RFC 4862, section 5.4; RFC 3810, section 6).
pub(crate) fn raise(namespace: &Namespace, device: &str, speaks_ipv6: bool) -> Result<(), LabError> {
    inside(namespace, || turn_off_offloads(device))??;
    if speaks_ipv6 {
        ip(
            namespace,
            &format!("link set {device} addrgenmode none\nlink set {device} multicast off\n"),
        )?;
    }
    ip(namespace, &format!("link set {device} up\n"))
}

/// A device whose peer has just come up drops what is sent until the kernel has noticed.
pub(crate) fn wait_for_carrier(namespace: &Namespace, device: &str) -> Result<(), LabError> {
    for _ in 0..CARRIER_LOOKS {
        if inside(namespace, || is_running(device))? {
            // The kernel says so just before it lets packets pass; whatever takes the same lock comes after that.
            return ip(namespace, &format!("link set {device} up\n"));
        }
        thread::sleep(CARRIER_LOOK);
    }
    Err(LabError::Carrier {
        device: device.to_owned(),
    })
}

fn is_running(device: &str) -> bool {
    getifaddrs().is_ok_and(|mut interfaces| {
        interfaces.any(|interface| {
            interface.interface_name == device && interface.flags.contains(InterfaceFlags::IFF_RUNNING)
        })
    })
}

fn inside<T: Send>(namespace: &Namespace, work: impl FnOnce() -> T + Send) -> Result<T, LabError> {
    namespace.run(work).map_err(|source| LabError::Namespace {
        place: namespace.label(),
        source,
    })
}

pub(crate) fn ip(namespace: &Namespace, lines: &str) -> Result<(), LabError> {
    namespace.command_with_input("ip", &["-batch", "-"], lines)?;
    Ok(())
}

/// What `ip` is told so that a host's kernel has its address and knows where the other host is.
///
/// An address of IPv6 is the loopback's. A host takes packets for any address that it has, whichever device they come by; and
/// of one on the device it would tell the network: by asking whether it is another's, which `nodad` forbids, and by
/// reporting that it has joined the address's group of solicited nodes, which nothing does (RFC 4291, section 2.7.1).
pub(crate) fn speaking(network: Network, host: Host, device: &str) -> String {
    let (own, peer) = (address_in(network, host), address_in(network, host.peer()));
    let (bits, route) = (whole(network), lab_route(network, host, device));
    let peer_ethernet = colons(ethernet_address(host.peer()));
    let address = match network {
        Network::Ipv4 => format!("{own}/{bits} dev {device}"),
        Network::Ipv6 => format!("{own}/{bits} dev lo nodad"),
    };
    format!(
        "address add {address}\n\
         neighbour add {peer} lladdr {peer_ethernet} dev {device} nud permanent\n\
         route add {route}\n"
    )
}

/// A host's device, which leads to the router.
const fn host_device(host: Host) -> &'static str {
    match host {
        Host::Server => "server0",
        Host::Client => "client0",
    }
}

/// The router's device that leads to a host.
const fn router_device(towards: Host) -> &'static str {
    match towards {
        Host::Server => "to-server",
        Host::Client => "to-client",
    }
}

/// An address that is neither host's, so that the router's kernel leaves frames alone that a program carries.
const fn router_address(towards: Host) -> [u8; 6] {
    let [a, b, c, d] = address(towards).octets();
    [0x02, a, b, c, d, 0xFE]
}

pub(crate) fn colons(address: [u8; 6]) -> String {
    address.map(|octet| format!("{octet:02x}")).join(":")
}
