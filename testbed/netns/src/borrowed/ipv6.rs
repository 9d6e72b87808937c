//! IPv6 on a borrowed device: on, so that the kernel says nothing unasked, as in a lab, and afterwards as it was.

use serde::{Deserialize, Serialize};

use super::{BorrowError, sysctls};
use crate::namespace::Namespace;

/// Of all hosts' addresses over IPv6 in labs (RFC 5180, section 8).
const NETWORK: &str = "2001:2::/48";

/// What of a device is otherwise while its host speaks IPv6.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ipv6Before {
    /// Whether it joins groups.
    multicast: bool,
    /// How it makes addresses of its own, as `ip link set DEVICE addrgenmode` takes it.
    address_mode: String,
    /// Whether its host keeps the addresses of IPv6 that it has: the lab's is then beside them, and what the kernel says unasked it
    /// goes on to say.
    keeps_on: bool,
}

/// What `ip -details -json link show` tells of a device.
#[derive(Deserialize)]
struct Shown {
    flags: Vec<String>,
    inet6_addr_gen_mode: Option<String>,
}

impl Ipv6Before {
    /// As the device is now. Its host may keep the addresses that it has.
    pub(super) fn of(namespace: &Namespace, device: &str, keeps_addresses: bool) -> Result<Self, BorrowError> {
        let text = namespace.command("ip", &["-details", "-json", "link", "show", "dev", device])?;
        let unfit = |why| BorrowError::Unfit {
            device: device.to_owned(),
            why,
        };
        let mut before = Self::read(&text).map_err(unfit)?;
        let (name, off) = sysctls::ipv6_is_off(device, true);
        before.keeps_on = keeps_addresses && namespace.sysctl(&name)? != off;
        Ok(before)
    }

    fn read(text: &str) -> Result<Self, String> {
        let shown: Vec<Shown> = serde_json::from_str(text).map_err(|error| format!("is told oddly: {error}"))?;
        let [shown] = &shown[..] else {
            return Err("is not there".to_owned());
        };
        let address_mode = (shown.inet6_addr_gen_mode.clone())
            .ok_or("has no IPv6: the kernel has none (CONFIG_IPV6), or it is turned off (`ipv6.disable=1`)")?;
        Ok(Self {
            multicast: shown.flags.iter().any(|flag| flag == "MULTICAST"),
            address_mode,
            keeps_on: false,
        })
    }

    /// Lets the kernel speak IPv6: on a device that it is off on, without addresses of the device's own making, routers and reports
    /// of groups (RFC 4862, section 5.4; RFC 4861, section 6.3; RFC 3810, section 6).
    pub(super) fn speak(&self, namespace: &Namespace, device: &str) -> Result<(), BorrowError> {
        if self.keeps_on {
            return sysctls::make(namespace, &[sysctls::ipv6_is_off("lo", false)]);
        }
        let lines = format!("link set {device} addrgenmode none\nlink set {device} multicast off\n");
        namespace.command_with_input("ip", &["-batch", "-"], &lines)?;
        sysctls::make(namespace, &sysctls::of_ipv6(device))
    }

    /// Makes it so again, and takes the lab's address, route and neighbour away. Where the host has no addresses to keep, IPv6 is
    /// turned off on the device, so that all goes that the kernel has made. Where it was on, the device's settings turn it on again,
    /// and the kernel makes anew what is its own.
    pub(super) fn put_back(&self, namespace: &Namespace, device: &str) -> Result<(), BorrowError> {
        if self.keeps_on {
            namespace.command("ip", &["-6", "route", "flush", "root", NETWORK])?;
        } else {
            sysctls::make(namespace, &[sysctls::ipv6_is_off(device, true)])?;
        }
        namespace.command_with_input("ip", &["-batch", "-"], &self.lines(device))?;
        Ok(())
    }

    fn lines(&self, device: &str) -> String {
        if self.keeps_on {
            return format!(
                "address flush dev lo to {NETWORK}\n\
                 neighbour flush to {NETWORK} dev {device} nud permanent\n"
            );
        }
        let multicast = if self.multicast { "on" } else { "off" };
        format!(
            "address flush dev lo to {NETWORK}\n\
             link set {device} addrgenmode {}\n\
             link set {device} multicast {multicast}\n",
            self.address_mode
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_told_to_be_as_it_was() {
        let shown =
            r#"[{"ifname":"eth0","flags":["BROADCAST","MULTICAST","UP"],"mtu":1500,"inet6_addr_gen_mode":"eui64"}]"#;
        let before = Ipv6Before::read(shown).expect("it is told");
        assert_eq!(
            before.lines("eth0"),
            "address flush dev lo to 2001:2::/48\n\
             link set eth0 addrgenmode eui64\n\
             link set eth0 multicast on\n"
        );
        let quiet = Ipv6Before::read(&shown.replace("\"MULTICAST\",", "")).expect("it is told");
        assert!(quiet.lines("eth0").ends_with("multicast off\n"));
        // Of a host that keeps its addresses the lab's alone goes.
        let kept = Ipv6Before {
            keeps_on: true,
            ..before
        };
        assert_eq!(
            kept.lines("eth0"),
            "address flush dev lo to 2001:2::/48\n\
             neighbour flush to 2001:2::/48 dev eth0 nud permanent\n"
        );
    }

    #[test]
    fn a_kernel_without_ipv6_is_named() {
        let why = Ipv6Before::read(r#"[{"ifname":"eth0","flags":["UP"]}]"#).expect_err("it has none");
        assert!(why.contains("CONFIG_IPV6"), "{why}");
        assert!(Ipv6Before::read("[]").is_err() && Ipv6Before::read("no JSON").is_err());
    }
}
