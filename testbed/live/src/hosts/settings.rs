//! A kernel's settings, made and read back.

use std::collections::BTreeMap;
use std::fs;
use std::io;

use nix::sys::utsname::uname;
use thiserror::Error;
use windlull_netns::{CommandError, Node, Site, SysctlError, has_rack_alone, ip_option};
use windlull_stack::Linux;

/// Settings by their names: `kernel.release`, `server.net.ipv4.tcp_frto`, `server.route`.
pub type Settings = BTreeMap<String, String>;

/// Where the kernel has its settings of TCP.
const SYSCTLS: &str = "/proc/sys/net/ipv4";
/// Buffers of sockets that ask for none; each network namespace has its own, where it shows them.
const CORE: [&str; 2] = ["net.core.rmem_default", "net.core.wmem_default"];
/// A secret that differs every time.
const NOT_RECORDED: &str = "tcp_fastopen_key";

/// Why a kernel does not have a setting.
#[derive(Debug, Error)]
pub enum SettingError {
    /// It takes another value, or none.
    #[error("the kernel of the {host} does not take {setting} = {wanted}: {because}")]
    NotTaken {
        host: &'static str,
        /// The setting, as the kernel calls it.
        setting: String,
        /// What was asked for.
        wanted: String,
        /// What it has instead.
        because: String,
    },
    /// It has no such setting, or does not let it be changed.
    #[error("the {host}: {source}{}", nearest.as_ref().map(|name| format!("; the nearest it has is {name}")).unwrap_or_default())]
    Sysctl {
        host: &'static str,
        source: SysctlError,
        /// A setting of a similar name, if there is none of this one.
        nearest: Option<String>,
    },
    /// A route could not be changed.
    #[error("the {host}: {source}")]
    Route { host: &'static str, source: CommandError },
    /// The settings could not be read back.
    #[error("cannot read the settings of the {host}: {source}")]
    Read {
        host: &'static str,
        /// What the machine said.
        source: io::Error,
    },
}

/// Makes the settings of a host, verifies that the kernel has taken each, and returns all of its TCP's settings, those
/// that nobody set too. To be called before any of its sockets is made.
///
/// # Errors
/// [`SettingError`] names the setting that the kernel does not take, and what it has instead.
pub fn apply(linux: &Linux, site: &Site) -> Result<Settings, SettingError> {
    let setter = Setter {
        site,
        name: Node::from(site.host).name(),
    };
    setter.all(linux, Vec::new())
}

/// As [`apply`], for sockets that programs make: what a socket of ours asks for is an attribute of the host's route. The
/// segment size is what the host tells the other one (RFC 9293, section 3.7.1): to bound both ways, both hosts need it.
///
/// # Errors
/// As [`apply`].
pub fn apply_to_programs(linux: &Linux, site: &Site) -> Result<Settings, SettingError> {
    let setter = Setter {
        site,
        name: Node::from(site.host).name(),
    };
    let mut by_route = Vec::new();
    if let Some(name) = &linux.congestion_control {
        by_route.push(("congctl", name.clone()));
    }
    if let Some(mss) = linux.mss {
        by_route.push(("advmss", mss.to_string()));
    }
    setter.all(linux, by_route)
}

struct Setter<'a> {
    site: &'a Site,
    name: &'static str,
}

impl Setter<'_> {
    /// Makes all settings. The attributes of the route are those of every socket: of the congestion control, the sysctl
    /// takes outside the first network namespace only what is allowed to everybody.
    fn all(&self, linux: &Linux, by_route: Vec<(&'static str, String)>) -> Result<Settings, SettingError> {
        // Nothing is learnt from connections before; there are none in a new namespace, but a host may run two.
        self.sysctl("tcp_no_metrics_save", "1")?;
        self.switches(linux)?;
        self.loss_detection(linux)?;
        self.buffers(linux)?;
        self.congestion_control(linux)?;
        self.route(linux, by_route)?;
        self.read_all()
    }

    fn switches(&self, linux: &Linux) -> Result<(), SettingError> {
        for (setting, wanted, on) in [
            ("tcp_sack", linux.sack, "1"),
            ("tcp_dsack", linux.dsack, "1"),
            ("tcp_timestamps", linux.timestamps, "1"),
            ("tcp_window_scaling", linux.window_scale, "1"),
            // RFC 5682; any value but 0 means the same since Linux 3.10.
            ("tcp_frto", linux.frto, "2"),
            // Tail loss probes alone; other values were of early retransmit, which is gone.
            ("tcp_early_retrans", linux.tail_loss_probe, "3"),
        ] {
            if let Some(wanted) = wanted {
                self.sysctl(setting, if wanted { on } else { "0" })?;
            }
        }
        Ok(())
    }

    fn loss_detection(&self, linux: &Linux) -> Result<(), SettingError> {
        let Some(rack) = linux.rack else { return Ok(()) };
        let has_rack_alone = || uname().is_ok_and(|kernel| has_rack_alone(&kernel.release().to_string_lossy()));
        if !rack && linux.sack != Some(false) && has_rack_alone() {
            return Err(self.not_taken(
                "net.ipv4.tcp_recovery",
                "0",
                "since Linux 6.17 RACK is the only loss detection of connections with SACK, whatever the sysctl says; \
                 without SACK (`sack = false`) there is NewReno's"
                    .to_owned(),
            ));
        }
        let current = self.read("tcp_recovery")?;
        let others = current.parse::<u32>().unwrap_or(0) & !1;
        self.sysctl("tcp_recovery", &(others | u32::from(rack)).to_string())
    }

    fn buffers(&self, linux: &Linux) -> Result<(), SettingError> {
        for (setting, size) in [("tcp_rmem", linux.receive_buffer), ("tcp_wmem", linux.send_buffer)] {
            if let Some(size) = size {
                let size = size.get();
                self.sysctl(setting, &format!("{size} {size} {size}"))?;
            }
        }
        Ok(())
    }

    /// Only whether the kernel has it: the socket asks for it.
    fn congestion_control(&self, linux: &Linux) -> Result<(), SettingError> {
        let Some(wanted) = &linux.congestion_control else {
            return Ok(());
        };
        let available = self.read("tcp_available_congestion_control")?;
        if available.split(' ').any(|name| name == wanted) {
            return Ok(());
        }
        Err(self.not_taken(
            "TCP_CONGESTION",
            wanted,
            format!("it has {available} (others are kernel modules, as in `modprobe tcp_{wanted}`)"),
        ))
    }

    fn route(&self, linux: &Linux, by_route: Vec<(&'static str, String)>) -> Result<(), SettingError> {
        let mut attributes = by_route;
        if let Some(least) = linux.minimum_rto {
            attributes.push(("rto_min", format!("{}ms", least.as_ns() / 1_000_000)));
        }
        if let Some(segments) = linux.initial_window {
            attributes.push(("initcwnd", segments.to_string()));
        }
        if attributes.is_empty() {
            return Ok(());
        }
        let mut line = format!("route change {}", self.site.route_to_peer());
        for (name, value) in &attributes {
            line += &format!(" {name} {value}");
        }
        self.ip(&["-batch", "-"], &format!("{line}\n"))?;
        let route = self.routes()?;
        for (name, wanted) in &attributes {
            let taken = attribute(&route, name);
            if taken.as_deref().map(in_ms) != Some(in_ms(wanted)) {
                let because = format!("the route is {}", route.trim());
                return Err(self.not_taken(&format!("route {name}"), wanted, because));
            }
        }
        Ok(())
    }

    fn sysctl(&self, setting: &str, wanted: &str) -> Result<(), SettingError> {
        let name = format!("net.ipv4.{setting}");
        self.site
            .namespace
            .set_sysctl(&name, wanted)
            .map_err(|source| self.sysctl_error(setting, source))?;
        let taken = self.read(setting)?;
        if taken == wanted {
            return Ok(());
        }
        Err(self.not_taken(&name, wanted, format!("it makes that {taken}")))
    }

    fn read(&self, setting: &str) -> Result<String, SettingError> {
        self.site
            .namespace
            .sysctl(&format!("net.ipv4.{setting}"))
            .map_err(|source| self.sysctl_error(setting, source))
    }

    /// The routes of the network that the host speaks.
    fn routes(&self) -> Result<String, SettingError> {
        self.ip(&[ip_option(self.site.network()), "route", "show"], "")
    }

    fn ip(&self, arguments: &[&str], input: &str) -> Result<String, SettingError> {
        self.site
            .namespace
            .command_with_input("ip", arguments, input)
            .map_err(|source| SettingError::Route {
                host: self.name,
                source,
            })
    }

    fn read_all(&self) -> Result<Settings, SettingError> {
        let mut settings = Settings::new();
        if let Ok(kernel) = uname() {
            settings.insert(
                "kernel.release".to_owned(),
                kernel.release().to_string_lossy().into_owned(),
            );
        }
        let read = |source| SettingError::Read {
            host: self.name,
            source,
        };
        let all = self
            .site
            .namespace
            .run(read_sysctls)
            .and_then(|all| all)
            .map_err(read)?;
        settings.extend(
            all.into_iter()
                .map(|(name, value)| (format!("{}.{name}", self.name), value)),
        );
        let routes = self.routes()?;
        settings.insert(format!("{}.route", self.name), routes.trim().to_owned());
        Ok(settings)
    }

    fn not_taken(&self, setting: &str, wanted: &str, because: String) -> SettingError {
        SettingError::NotTaken {
            host: self.name,
            setting: setting.to_owned(),
            wanted: wanted.to_owned(),
            because,
        }
    }

    fn sysctl_error(&self, setting: &str, source: SysctlError) -> SettingError {
        let nearest = match source {
            SysctlError::Unknown { .. } => nearest(setting).map(|name| format!("net.ipv4.{name}")),
            SysctlError::Refused { .. } => None,
        };
        SettingError::Sysctl {
            host: self.name,
            source,
            nearest,
        }
    }
}

/// All of TCP's settings as the calling thread's namespace has them.
fn read_sysctls() -> io::Result<Vec<(String, String)>> {
    let mut settings = Vec::new();
    for entry in fs::read_dir(SYSCTLS)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.starts_with("tcp_") && name != NOT_RECORDED {
            settings.push((format!("net.ipv4.{name}"), format!("{SYSCTLS}/{name}")));
        }
    }
    settings.extend(CORE.map(|name| (name.to_owned(), format!("/proc/sys/{}", name.replace('.', "/")))));
    // Some can only be written, and kernels differ in what they show in a namespace.
    Ok(settings
        .into_iter()
        .filter_map(|(name, path)| {
            let value = fs::read_to_string(path).ok()?;
            Some((name, value.split_whitespace().collect::<Vec<_>>().join(" ")))
        })
        .collect())
}

/// The setting whose name is most like this one.
fn nearest(setting: &str) -> Option<String> {
    let names = fs::read_dir(SYSCTLS).ok()?;
    names
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| name.starts_with("tcp_"))
        .map(|name| (strsim::jaro_winkler(setting, &name), name))
        .filter(|(likeness, _)| *likeness > 0.85)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// The value of a route's attribute, as `ip` shows it: behind its name, and behind `lock` if the kernel may not learn it.
fn attribute(route: &str, name: &str) -> Option<String> {
    let mut words = route.split_whitespace().skip_while(|word| *word != name).skip(1);
    words.find(|word| *word != "lock").map(str::to_owned)
}

/// A time as `ip` shows it (`300ms`, `1.5s`) in milliseconds; a plain number as it is.
fn in_ms(value: &str) -> Option<f64> {
    let unit = value.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number: f64 = value.strip_suffix(unit)?.parse().ok()?;
    match unit {
        "s" => Some(number * 1e3),
        "" | "ms" => Some(number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_of_a_route() {
        let route = "198.18.0.2 dev server0 scope link src 198.18.0.1 initcwnd 10 rto_min lock 1.5s";
        assert_eq!(attribute(route, "initcwnd").as_deref(), Some("10"));
        assert_eq!(attribute(route, "rto_min").as_deref(), Some("1.5s"));
        assert_eq!(attribute(route, "rto"), None);
        assert_eq!(
            (in_ms("1.5s"), in_ms("1500ms"), in_ms("10"), in_ms("odd")),
            (Some(1500.0), Some(1500.0), Some(10.0), None)
        );
    }
}
