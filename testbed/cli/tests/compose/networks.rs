//! Three namespaces, two bridges between them, and the processes that live there.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use libtest_mimic::Failed;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;
use windlull_netns::{Namespace, offloads_off};

use crate::http::{HTTP, request};

/// Who makes a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Server,
    Emulator,
    Client,
}

impl Role {
    pub(crate) const ALL: [Self; 3] = [Self::Server, Self::Emulator, Self::Client];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Emulator => "emulator",
            Self::Client => "client",
        }
    }
}

pub(crate) const PROFILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../profiles");

/// The two networks: in the hosts `eth0`, in the emulator `eth0` to the server and `eth1` to the client.
pub(crate) struct Networks {
    namespaces: [Namespace; 3],
    // The bridges live as long as their namespace.
    _switch: Namespace,
    /// Orders, experiments and results.
    pub(crate) home: TempDir,
    version: String,
    commit: String,
}

impl Networks {
    pub(crate) fn build() -> Result<Self, Failed> {
        let switch = Namespace::create("switch")?;
        let namespaces = [
            Namespace::create("server")?,
            Namespace::create("emulator")?,
            Namespace::create("client")?,
        ];
        let [server, emulator, client] = &namespaces;
        let mut lines = String::new();
        for bridge in ["server-side", "client-side"] {
            writeln!(lines, "link add {bridge} type bridge\nlink set {bridge} up")?;
        }
        for (port, bridge, name, place) in [
            ("p0", "server-side", "eth0", server),
            ("p1", "server-side", "eth0", emulator),
            ("p2", "client-side", "eth1", emulator),
            ("p3", "client-side", "eth0", client),
        ] {
            writeln!(
                lines,
                "link add {port} type veth peer name {name} netns {}",
                place.path()
            )?;
            writeln!(lines, "link set {port} master {bridge} up")?;
        }
        ip(&switch, &lines)?;
        let host = |net: u8| {
            format!(
                "link set lo up\nlink set eth0 up\naddress add 198.18.{net}.10/24 broadcast 198.18.{net}.255 dev eth0\n\
                 route add default via 198.18.{net}.254\n"
            )
        };
        ip(server, &host(1))?;
        ip(client, &host(2))?;
        ip(
            emulator,
            "link set lo up\nlink set eth0 up\nlink set eth1 up\n\
             address add 198.18.1.254/24 dev eth0\naddress add 198.18.2.254/24 dev eth1\n",
        )?;
        // A new namespace may have it from the machine; two would forward then.
        emulator.set_sysctl("net.ipv4.ip_forward", "0")?;
        let home = tempfile::tempdir()?;
        for role in Role::ALL {
            fs::create_dir_all(home.path().join("orders").join(role.name()))?;
        }
        fs::create_dir(home.path().join("state-of-emulator"))?;
        let said = Command::new(engine()).arg("version").output()?;
        let said: Value = serde_json::from_slice(&said.stdout)?;
        let text = |key: &str| said[key].as_str().unwrap_or_default().to_owned();
        Ok(Self {
            namespaces,
            _switch: switch,
            home,
            version: text("version"),
            commit: text("commit"),
        })
    }

    pub(crate) fn orders(&self) -> PathBuf {
        self.home.path().join("orders")
    }

    /// Where commands of a host are taken.
    pub(crate) fn commands(&self, role: Role) -> PathBuf {
        self.home.path().join(format!("commands-of-{}.sock", role.name()))
    }

    /// What a run's record calls the engine of each process.
    pub(crate) fn build_name(&self) -> String {
        format!("{} ({})", self.version, self.commit)
    }

    pub(crate) fn namespace(&self, role: Role) -> &Namespace {
        &self.namespaces[role as usize]
    }

    /// Asks the emulator from its own namespace; any other status than this is a failure. Null is no body.
    pub(crate) fn ask(&self, status: u16, method: &str, path: &str, body: &Value) -> Result<Value, Failed> {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let answer = request(self.namespace(Role::Emulator), HTTP, method, path, &body)?;
        if answer.status != status {
            return Err(format!("{method} {path}: {answer:?}").into());
        }
        Ok(serde_json::from_str(&answer.body)?)
    }

    pub(crate) fn start_all(&self) -> Result<Processes, Failed> {
        let mut processes = Processes(Role::ALL.map(|_| None));
        for role in Role::ALL {
            processes.start(self, role)?;
        }
        Ok(processes)
    }

    /// All of the hosts that a run may change: devices, addresses, routes, neighbours, offloads and settings.
    pub(crate) fn state(&self) -> Result<String, Failed> {
        let mut state = String::new();
        for role in [Role::Server, Role::Client] {
            let namespace = self.namespace(role);
            for arguments in [
                &["address", "show"][..],
                &["route", "show"],
                &["-6", "route", "show"],
                &["neighbour", "show", "nud", "permanent"],
                &["-details", "link", "show"],
            ] {
                writeln!(state, "{}: {}", role.name(), namespace.command("ip", arguments)?)?;
            }
            let offloads = namespace.run(|| offloads_off("eth0").err().map(|error| error.to_string()))?;
            writeln!(state, "{offloads:?}")?;
            for line in namespace.command("sysctl", &["-a"])?.lines() {
                // Others change by themselves, or cannot be told alike twice.
                if line.starts_with("net.ipv4.tcp_")
                    || line.starts_with("net.ipv4.conf")
                    || line.contains("disable_ipv6")
                    || line.contains("accept_ra ")
                {
                    writeln!(state, "{line}")?;
                }
            }
        }
        // An address of IPv6 that the kernel makes by itself is there again a moment later.
        Ok(state
            .lines()
            .filter(|line| !line.contains("fe80::") && !line.contains("valid_lft"))
            .collect::<Vec<_>>()
            .join("\n"))
    }

    /// Devices, queueing disciplines and tables of nftables of the emulator.
    pub(crate) fn rules(&self) -> Result<String, Failed> {
        let emulator = self.namespace(Role::Emulator);
        let devices = emulator.command("ip", &["-brief", "link"])?;
        let disciplines = emulator.command("tc", &["qdisc"])?;
        let tables = emulator.command("nft", &["list", "ruleset"])?;
        Ok(format!("{devices}{disciplines}{tables}"))
    }

    /// The names of the emulator's devices.
    pub(crate) fn devices(&self) -> Result<Vec<String>, Failed> {
        let listing = self.namespace(Role::Emulator).command("ip", &["-brief", "link"])?;
        let names = listing.lines().filter_map(|line| line.split_whitespace().next());
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort();
        Ok(names)
    }

    /// The next emulator knows nothing of the link that stood.
    pub(crate) fn forget_link(&self) -> Result<(), Failed> {
        Ok(fs::remove_file(self.home.path().join("state-of-emulator/link.json"))?)
    }

    /// What is otherwise than it was.
    pub(crate) fn changed_since(&self, before: &str) -> Result<Vec<String>, Failed> {
        let now = self.state()?;
        let only_in = |one: &str, other: &str| -> Vec<String> {
            let lines = one.lines().filter(|line| !other.lines().any(|there| there == *line));
            lines.map(str::to_owned).collect()
        };
        Ok([only_in(before, &now), only_in(&now, before)].concat())
    }

    /// Nothing of a run lies about.
    pub(crate) fn must_be_empty(&self) -> Result<(), Failed> {
        for role in Role::ALL {
            let directory = self.orders().join(role.name());
            assert!(!directory.join("device.json").exists(), "{} has a note", role.name());
            if let Ok(runs) = fs::read_dir(directory.join("runs")) {
                let left: Vec<_> = runs
                    .map(|entry| entry.map(|entry| entry.path()))
                    .collect::<Result<_, _>>()?;
                assert!(left.is_empty(), "{left:?}");
            }
        }
        Ok(())
    }
}

/// Those that live in the namespaces.
pub(crate) struct Processes([Option<Child>; 3]);

impl Processes {
    /// All of them, for hosts that keep their addresses and have programs of their own.
    pub(crate) fn with_commands(networks: &Networks) -> Result<Self, Failed> {
        let mut processes = Self(Role::ALL.map(|_| None));
        for role in Role::ALL {
            let commands = networks.commands(role);
            let more = [OsStr::new("--commands"), commands.as_os_str()];
            processes.start_with(networks, role, if role == Role::Emulator { &[] } else { &more })?;
        }
        Ok(processes)
    }

    pub(crate) fn start(&mut self, networks: &Networks, role: Role) -> Result<(), Failed> {
        self.start_with(networks, role, &[])
    }

    /// All of them, the hosts with the engines of these stacks beside theirs.
    pub(crate) fn with_stacks(networks: &Networks, stacks: &Path) -> Result<Self, Failed> {
        let mut processes = Self(Role::ALL.map(|_| None));
        for role in Role::ALL {
            let more = [OsStr::new("--stacks"), stacks.as_os_str()];
            processes.start_with(networks, role, if role == Role::Emulator { &[] } else { &more })?;
        }
        Ok(processes)
    }

    fn start_with(&mut self, networks: &Networks, role: Role, more: &[&OsStr]) -> Result<(), Failed> {
        let socket = networks.orders().join(role.name()).join("orders.sock");
        let arguments = match role {
            Role::Emulator => &[
                "--profiles",
                PROFILES,
                "emulate",
                "--server-side",
                "eth0",
                "--client-side",
                "eth1",
            ][..],
            Role::Server | Role::Client => &["attend", "--host", role.name()],
        };
        let mut command = Command::new(engine());
        command.args(arguments).arg("--orders").arg(&socket);
        if role == Role::Emulator {
            command
                .arg("--state")
                .arg(networks.home.path().join("state-of-emulator"));
        }
        command.args(more).stdin(Stdio::null()).stdout(Stdio::null());
        self.0[role as usize] = Some(networks.namespace(role).run(|| command.spawn())??);
        wait_for(&socket, self.0[role as usize].as_mut().expect("it was started"))
    }

    pub(crate) fn kill(&mut self, role: Role) -> Result<(), Failed> {
        if let Some(mut child) = self.0[role as usize].take() {
            child.kill()?;
            child.wait()?;
        }
        Ok(())
    }
}

impl Processes {
    /// Of a process that was started.
    pub(crate) fn number(&self, role: Role) -> Result<i32, Failed> {
        let child = self.0[role as usize].as_ref().ok_or("it was started")?;
        Ok(i32::try_from(child.id())?)
    }

    /// Waits until it has ended by itself.
    pub(crate) fn until_ended(&mut self, role: Role) -> Result<(), Failed> {
        if let Some(mut child) = self.0[role as usize].take() {
            child.wait()?;
        }
        Ok(())
    }

    /// Tells it to end, and waits until it has.
    pub(crate) fn end(&mut self, role: Role) -> Result<(), Failed> {
        if let Some(mut child) = self.0[role as usize].take() {
            kill(Pid::from_raw(i32::try_from(child.id())?), Signal::SIGTERM)?;
            child.wait()?;
        }
        Ok(())
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for child in self.0.iter_mut().flatten() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Until the process takes orders, or has ended.
pub(crate) fn wait_for(socket: &Path, process: &mut Child) -> Result<(), Failed> {
    loop {
        if std::os::unix::net::UnixStream::connect(socket).is_ok() {
            return Ok(());
        }
        if let Some(status) = process.try_wait()? {
            return Err(format!("it ended early: {status}").into());
        }
        // Virtual time goes on only while somebody sleeps.
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

pub(crate) fn engine() -> &'static str {
    env!("CARGO_BIN_EXE_windlull-engine")
}

fn ip(namespace: &Namespace, lines: &str) -> Result<(), Failed> {
    namespace.command_with_input("ip", &["-batch", "-"], lines)?;
    Ok(())
}
