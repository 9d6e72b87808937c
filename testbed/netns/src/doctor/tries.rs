//! What is tried, in a lab of its own.

use std::fs;
use std::io;

use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use nix::sys::utsname::uname;
use windlull_units::Network;

use super::Component;
use crate::command::CommandError;
use crate::lab::{Lab, LabError, LabSpec, Node, RouterKind};
use crate::namespace::Namespace;
use crate::privilege::{EnterError, Privilege, enter};

pub(super) struct Tried {
    pub(super) netns: Component,
    pub(super) model: Component,
    /// What the netem plane needs of the kernel.
    pub(super) netem: Vec<Component>,
    /// The disciplines of managed queues that the kernel has not: a link without such a queue does not need them.
    pub(super) no_queues: Vec<&'static str>,
    pub(super) kernel: Kernel,
}

/// What the kernel's TCP can do.
pub(super) struct Kernel {
    pub(super) release: String,
    pub(super) congestion: Vec<String>,
    pub(super) can_do_without_rack: bool,
}

impl Tried {
    pub(super) fn here() -> Self {
        let built = Lab::build(&LabSpec {
            kernel_answers: [true, true],
            network: Network::Ipv4,
            router: RouterKind::Forwarding,
        });
        let kernel = Kernel::here();
        match built {
            Ok(lab) => {
                let router = lab.namespace(Node::Router);
                Self {
                    netns: Component::works("netns", how()),
                    model: model(router),
                    netem: NEEDS.iter().map(|need| need.of(router)).collect(),
                    no_queues: QUEUES.into_iter().filter(|queue| !has_queue(router, queue)).collect(),
                    kernel,
                }
            }
            Err(error) => Self {
                netns: Component::fails("netns", error.to_string(), Some(&remedy(&error))),
                model: Component::fails("model", "the netns testbed does not work here", Some(&remedy(&error))),
                netem: Vec::new(),
                no_queues: Vec::new(),
                kernel,
            },
        }
    }
}

impl Kernel {
    fn here() -> Self {
        let release = uname().map(|names| names.release().to_string_lossy().into_owned());
        let release = release.unwrap_or_else(|error| error.to_string());
        // As a new namespace has them: an ordinary user's socket may ask for those that are allowed alone.
        let available = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
        Self {
            congestion: available
                .unwrap_or_default()
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            can_do_without_rack: !has_rack_alone(&release),
            release,
        }
    }
}

/// From this release on there is no loss detection beside RACK for connections with SACK (Linux commit 1c120191dcec).
const RACK_ALONE: (u32, u32) = (6, 17);

/// Whether a kernel of this release has RACK alone to detect losses of connections with SACK, whatever its sysctl says.
pub fn has_rack_alone(release: &str) -> bool {
    first_two(release) >= RACK_ALONE
}

/// The first kernel whose `tcp_info` counts the octets that a sender has sent (`tcpi_bytes_sent`).
const COUNTS_SENT: (u32, u32) = (4, 19);

/// Whether the kernel that `uname -r` calls so tells how far a sender has got.
pub fn tells_what_is_sent(release: &str) -> bool {
    first_two(release) >= COUNTS_SENT
}

fn first_two(release: &str) -> (u32, u32) {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    let mut next = || numbers.next().and_then(Result::ok).unwrap_or(0);
    (next(), next())
}

fn how() -> String {
    let by = match enter() {
        Ok(Privilege::OwnNamespace) => "in a user namespace of its own",
        _ => "as root",
    };
    format!("built three network namespaces with all offloads off, {by}")
}

fn remedy(error: &LabError) -> String {
    match error {
        LabError::Enter(EnterError::Threads) => "this is a fault of the program",
        LabError::Enter(EnterError::Refused { .. } | EnterError::Map { .. } | EnterError::Rights { .. }) => {
            "allow user namespaces: `sysctl -w user.max_user_namespaces=15000`, \
             `sysctl -w kernel.unprivileged_userns_clone=1` (Debian before 11), \
             `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0` (Ubuntu from 24.04); in a container, \
             a seccomp profile that allows unshare; or run as root"
        }
        LabError::Namespace { .. } => {
            "a kernel with CONFIG_NET_NS, and CAP_SYS_ADMIN; on Ubuntu from 24.04 \
             `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`"
        }
        LabError::Command(CommandError::Missing { .. }) => "install the package iproute2",
        LabError::Command(_) => "a kernel with CONFIG_VETH, and CAP_NET_ADMIN",
        LabError::Sysctl(_) => "/proc/sys must be writable; container engines often mount it read-only",
        LabError::Carrier { .. } | LabError::Offload(_) => "another kernel: this one's veth does not do as others' do",
    }
    .to_owned()
}

fn model(router: &Namespace) -> Component {
    let opened = router.run(|| {
        let flags = SockFlag::SOCK_CLOEXEC;
        socket(AddressFamily::Packet, SockType::Raw, flags, None).map_err(io::Error::from)
    });
    match opened.and_then(|socket| socket) {
        Ok(_) => Component::works("model", "the simulator's link on packet sockets: opened one"),
        Err(error) => Component::fails(
            "model",
            format!("no packet socket: {error}"),
            Some("a kernel with CONFIG_PACKET, and CAP_NET_RAW"),
        ),
    }
}

/// Something that the netem plane needs, and the command that tries it.
struct Need {
    name: &'static str,
    program: &'static str,
    arguments: &'static str,
    remedy: &'static str,
}

const NFTABLES: &str = "the package nftables, and a kernel with CONFIG_NF_TABLES, CONFIG_NF_TABLES_NETDEV and \
                        CONFIG_NF_TABLES_IPV4: `modprobe nf_tables` as root";

const NEEDS: [Need; 6] = [
    Need {
        name: "netem (sch_netem)",
        program: "tc",
        arguments: "qdisc add dev to-client root handle 1: netem delay 10ms",
        remedy: "a kernel with CONFIG_NET_SCH_NETEM: `modprobe sch_netem` as root, where the module is a package of its \
                 own after installing it (linux-modules-extra-$(uname -r) on Ubuntu, kernel-modules-extra on Fedora; \
                 Debian's linux-image has it); or `make kernel`, which builds one that runs as a program",
    },
    Need {
        name: "htb (sch_htb)",
        program: "tc",
        arguments: "qdisc add dev to-server root handle 2: htb default 1",
        remedy: "a kernel with CONFIG_NET_SCH_HTB: `modprobe sch_htb` as root",
    },
    Need {
        name: "bfifo",
        program: "tc",
        arguments: "qdisc replace dev lo root handle 3: bfifo limit 10000",
        remedy: "a kernel with CONFIG_NET_SCHED",
    },
    Need {
        name: "plug (sch_plug)",
        program: "tc",
        arguments: "qdisc replace dev lo root handle 4: plug limit 10000",
        remedy: "a kernel with CONFIG_NET_SCH_PLUG: `modprobe sch_plug` as root",
    },
    Need {
        name: "nftables on arrival (nf_tables_netdev)",
        program: "nft",
        arguments: "add table netdev windlull; \
                    add chain netdev windlull c { type filter hook ingress device to-client priority 0; }",
        remedy: NFTABLES,
    },
    Need {
        name: "nftables on forwarding (nf_tables_ipv4)",
        program: "nft",
        arguments: "add table ip windlull; add chain ip windlull c { type filter hook forward priority 0; }; \
                    add counter ip windlull n; add rule ip windlull c counter name n drop",
        remedy: NFTABLES,
    },
];

/// The kernel's disciplines that manage queues on the netem plane.
const QUEUES: [&str; 5] = ["codel", "fq_codel", "pie", "red", "cake"];

fn has_queue(namespace: &Namespace, queue: &str) -> bool {
    let mut arguments = vec!["qdisc", "replace", "dev", "lo", "root", "handle", "5:", queue];
    if queue == "red" {
        // It has no defaults.
        arguments.extend("limit 60000 min 5000 max 15000 avpkt 1000 burst 10 bandwidth 1mbit".split(' '));
    }
    namespace.command("tc", &arguments).is_ok()
}

impl Need {
    fn of(&self, namespace: &Namespace) -> Component {
        let arguments: Vec<&str> = self.arguments.split(' ').collect();
        match namespace.command(self.program, &arguments) {
            Ok(_) => Component::works(self.name, "tried"),
            Err(error @ CommandError::Missing { .. }) => {
                Component::fails(self.name, error.to_string(), Some(self.remedy))
            }
            Err(error) => Component::fails(
                self.name,
                format!("the kernel has no {} ({error})", self.name),
                Some(self.remedy),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_compare_by_number() {
        assert_eq!(first_two("6.18.44-fc-v669"), (6, 18));
        assert_eq!(first_two("6.1.0-32-amd64"), (6, 1));
        assert!(first_two("6.9") < RACK_ALONE && first_two("6.17-rc1") >= RACK_ALONE);
        assert!(!tells_what_is_sent("4.18.0-553.el8") && tells_what_is_sent("4.19.0") && tells_what_is_sent("6.1"));
        assert_eq!(first_two("6.1.0-28-amd64"), (6, 1));
        assert_eq!(first_two("odd"), (0, 0));
        assert_eq!(first_two("unknown"), (0, 0));
    }
}
