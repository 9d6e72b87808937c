//! The engine's own part: it asks for runs.

use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use libtest_mimic::Failed;
use serde_json::Value;

use crate::networks::{Networks, engine};

/// Octets of the short experiment.
pub(crate) const SHORT: u64 = 40 * 1024;

/// A link that loses one segment and pauses once, for longer than a timer.
const LINK: &str = r#"
title = "one loss, one pause"
[both]
rate  = "1 Mbit/s"
delay = "20 ms"
queue = { kind = "droptail", limit = "50 packets" }
[[script]]
at = "data segments 12..12"
do = "drop"
on = "down"
[[script]]
at  = "data segments 20..20"
for = "2 s"
do  = "hold"
on  = "down"
"#;

/// One where nothing happens.
const PLAIN: &str = r#"
title = "a quiet link"
[both]
rate  = "1 Mbit/s"
delay = "20 ms"
queue = { kind = "droptail", limit = "50 packets" }
"#;

/// One that netem can play: a lost packet, and a pause after a second.
const NETEM: &str = r#"
title = "one loss, one pause"
[both]
rate  = "400 kbit/s"
delay = "20 ms"
queue = { kind = "droptail", limit = "50 packets" }
[[script]]
at = "packet 7"
do = "drop"
on = "down"
[[script]]
at  = "0.4 s"
for = "1 s"
do  = "hold"
on  = "down"
"#;

/// A call of the engine's `run`.
pub(crate) struct Run {
    out: PathBuf,
    command: Command,
}

pub(crate) struct Begun {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Run {
    /// Ours and two of the kernel's, forty kilobytes each.
    pub(crate) fn short(networks: &Networks, testbed: &str) -> Self {
        let more = "[live]\npace = \"frugal\"\nvariants = [\"linux\", \"linux-no-frto\"]\n";
        Self::of(networks, "short", LINK, SHORT, more, &["--testbed", testbed])
    }

    /// The same over IPv6.
    pub(crate) fn short_over_ipv6(networks: &Networks) -> Self {
        let more = "network = \"ipv6\"\n[live]\npace = \"frugal\"\nvariants = [\"linux\", \"linux-no-frto\"]\n";
        Self::of(networks, "short", LINK, SHORT, more, &["--testbed", "compose"])
    }

    /// Ours and the kernel's over a link by tc and nft.
    pub(crate) fn netem(networks: &Networks, options: &[&str]) -> Self {
        let options = [&["--testbed", "compose", "--plane", "netem"], options].concat();
        let more = "[live]\npace = \"frugal\"\nvariants = [\"linux\"]\n";
        Self::of(networks, "netem", NETEM, SHORT, more, &options)
    }

    /// Ours alone by tc and nft, for some seconds.
    pub(crate) fn long_by_netem(networks: &Networks, options: &[&str]) -> Self {
        Self::long(networks, &[&["--plane", "netem"], options].concat())
    }

    /// Ours alone, for some seconds.
    pub(crate) fn long(networks: &Networks, options: &[&str]) -> Self {
        let options = [&["--testbed", "compose"], options].concat();
        Self::of(
            networks,
            "long",
            PLAIN,
            500 * 1024,
            "[live]\npace = \"frugal\"\n",
            &options,
        )
    }

    /// The kernel's alone over IPv6, for some seconds.
    pub(crate) fn long_over_ipv6(networks: &Networks) -> Self {
        let options = ["--testbed", "compose", "--attempts", "1", "--variants", "linux"];
        Self::of(
            networks,
            "long",
            PLAIN,
            500 * 1024,
            "network = \"ipv6\"\n[live]\npace = \"frugal\"\nvariants = [\"linux\"]\n",
            &options,
        )
    }

    /// Two flows down and one up, of ours and of the kernel's.
    pub(crate) fn of_flows(networks: &Networks) -> Self {
        let workload = format!(
            "title = \"x\"\nkind = \"bulk\"\nsize = \"{SHORT} B\"\ndirection = \"down\"\nflows = 2\n\
             [[beside]]\nkind = \"bulk\"\nsize = \"{SHORT} B\"\ndirection = \"up\"\nstart = \"300 ms\"\n"
        );
        let experiment = "title = \"x\"\nlink = \"./link.toml\"\nvariants = [\"sack\"]\nworkload = \"./workload.toml\"\n\
                          time_limit = \"60 s\"\n[live]\npace = \"frugal\"\nvariants = [\"linux\"]\n";
        Self::of_files(
            networks,
            "flows",
            &[
                ("link.toml", PLAIN),
                ("workload.toml", &workload),
                ("experiment.toml", experiment),
            ],
            &["--testbed", "compose", "--attempts", "1"],
        )
    }

    /// A stack that is built into an engine of its own, in this directory, over IPv6.
    pub(crate) fn of_stack_over_ipv6(networks: &Networks, stacks: &Path) -> Self {
        let workload = format!("kind = \"bulk\", size = \"{SHORT} B\", direction = \"down\"");
        Self::of_stack_on(networks, stacks, &workload, "network = \"ipv6\"\n")
    }

    /// Programs of the hosts, by the kernel's TCP.
    pub(crate) fn of_commands(networks: &Networks, link: &str, workload: &str) -> Self {
        Self::of_commands_on(networks, link, workload, "")
    }

    /// The same over IPv6.
    pub(crate) fn of_commands_over_ipv6(networks: &Networks, link: &str, workload: &str) -> Self {
        Self::of_commands_on(networks, link, workload, "network = \"ipv6\"\n")
    }

    /// The same with these lines of the experiment before its tables.
    fn of_commands_on(networks: &Networks, link: &str, workload: &str, more: &str) -> Self {
        let experiment = format!(
            "title = \"x\"\nlink = \"./link.toml\"\nvariants = [\"linux\"]\nworkload = {workload}\n{more}\
             time_limit = \"60 s\"\n[live]\npace = \"frugal\"\n"
        );
        Self::of_files(
            networks,
            "commands",
            &[("link.toml", link), ("experiment.toml", &experiment)],
            &["--testbed", "compose", "--attempts", "1"],
        )
    }

    /// A stack that is built into an engine of its own, in this directory.
    pub(crate) fn of_stack(networks: &Networks, stacks: &Path, octets: u64) -> Self {
        Self::of_stack_with(
            networks,
            stacks,
            &format!("kind = \"bulk\", size = \"{octets} B\", direction = \"down\""),
        )
    }

    /// The same with another workload: the keys of its file.
    pub(crate) fn of_stack_with(networks: &Networks, stacks: &Path, workload: &str) -> Self {
        Self::of_stack_on(networks, stacks, workload, "")
    }

    /// The same with these lines of the experiment before its tables.
    fn of_stack_on(networks: &Networks, stacks: &Path, workload: &str, more: &str) -> Self {
        let experiment = format!(
            "title = \"x\"\nlink = \"./link.toml\"\nvariants = [\"./simple.toml\"]\nworkload = {{ {workload} }}\n{more}\
             time_limit = \"60 s\"\n[live]\npace = \"frugal\"\n"
        );
        let variant = "title = \"x\"\nstack = \"transport\"\n[transport]\nname = \"simple\"\n";
        let mut run = Self::of_files(
            networks,
            "stack",
            &[
                ("link.toml", PLAIN),
                ("simple.toml", variant),
                ("experiment.toml", &experiment),
            ],
            &["--testbed", "compose", "--attempts", "1"],
        );
        run.command.arg("--stacks").arg(stacks);
        run
    }

    fn of(networks: &Networks, name: &str, link: &str, octets: u64, more: &str, options: &[&str]) -> Self {
        let workload = format!("title = \"x\"\nkind = \"bulk\"\nsize = \"{octets} B\"\ndirection = \"down\"\n");
        let experiment = format!(
            "title = \"x\"\nlink = \"./link.toml\"\nvariants = [\"frto+sack\"]\nworkload = \"./workload.toml\"\n\
             time_limit = \"60 s\"\n{more}"
        );
        let files = [
            ("link.toml", link),
            ("workload.toml", &*workload),
            ("experiment.toml", &*experiment),
        ];
        Self::of_files(networks, name, &files, options)
    }

    fn of_files(networks: &Networks, name: &str, files: &[(&str, &str)], options: &[&str]) -> Self {
        static NTH: AtomicU32 = AtomicU32::new(0);
        let home = networks
            .home
            .path()
            .join(format!("{name}-{}", NTH.fetch_add(1, Ordering::Relaxed)));
        fs::create_dir(&home).expect("a directory can be made");
        for (name, text) in files {
            fs::write(home.join(name), text).expect("a file can be written");
        }
        let out = home.join("out");
        let mut command = Command::new(engine());
        command
            .arg("--profiles")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../profiles"))
            .arg("run")
            .arg(home.join("experiment.toml"))
            .args(options)
            .arg("--orders")
            .arg(networks.orders())
            .arg("--out")
            .arg(&out)
            .env("XDG_STATE_HOME", networks.home.path().join("state"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Self { out, command }
    }

    pub(crate) fn out(&self) -> &Path {
        &self.out
    }

    /// To its end, which must be in order.
    pub(crate) fn done(mut self) -> Result<Self, Failed> {
        let output = self.command.output()?;
        if output.status.success() {
            return Ok(self);
        }
        let said = [output.stdout, output.stderr].map(|octets| String::from_utf8_lossy(&octets).into_owned());
        Err(said.concat().into())
    }

    /// What it complains of; nothing may have run.
    pub(crate) fn refused(self) -> Result<String, Failed> {
        self.ended_with(2)
    }

    /// The same where a process that makes runs is missing.
    pub(crate) fn missing(self) -> Result<String, Failed> {
        self.ended_with(5)
    }

    fn ended_with(mut self, code: i32) -> Result<String, Failed> {
        let output = self.command.output()?;
        assert_eq!(output.status.code(), Some(code));
        assert!(output.stdout.is_empty() && !self.out.exists());
        Ok(String::from_utf8(output.stderr)?)
    }

    pub(crate) fn begin(mut self) -> Result<Begun, Failed> {
        let mut child = self.command.spawn()?;
        let lines = BufReader::new(child.stdout.take().expect("its output is piped")).lines();
        Ok(Begun { child, lines })
    }

    /// What a run wrote of itself.
    pub(crate) fn record(&self, directory: &str) -> Result<Value, Failed> {
        Ok(serde_json::from_slice(&fs::read(
            self.out.join(directory).join("run.json"),
        )?)?)
    }
}

impl Begun {
    /// The next event of this kind.
    fn next(&mut self, event: &str, testbed: &str) -> Result<Value, Failed> {
        let mut last = Value::Null;
        for line in &mut self.lines {
            last = serde_json::from_str(&line?)?;
            if last["event"] == event && last["testbed"] == testbed {
                return Ok(last);
            }
        }
        let mut complaint = String::new();
        if let Some(mut pipe) = self.child.stderr.take() {
            pipe.read_to_string(&mut complaint)?;
        }
        Err(format!("no {event}; at last {last}; {complaint}").into())
    }

    pub(crate) fn wait_for_progress(&mut self) -> Result<(), Failed> {
        self.next("progress", "compose").map(drop)
    }

    /// Why its run failed, for want of a process that makes runs.
    pub(crate) fn failed(mut self) -> Result<String, Failed> {
        let failed = self.next("failed", "compose")?;
        assert_eq!(self.child.wait()?.code(), Some(1));
        assert_eq!(failed["missing"], true, "{failed}");
        Ok(failed["reason"].as_str().unwrap_or_default().to_owned())
    }

    /// What became of its run, which must have come to its end.
    pub(crate) fn finished(mut self) -> Result<Value, Failed> {
        let finished = self.next("run", "compose")?;
        // What is left to say must be taken, or it could not end.
        self.lines.by_ref().for_each(drop);
        assert!(self.child.wait()?.success());
        Ok(finished)
    }
}

/// What the doctor says of the testbed.
pub(crate) fn doctor(networks: &Networks) -> Result<Value, Failed> {
    let output = Command::new(engine())
        .args(["doctor", "--orders"])
        .arg(networks.orders())
        .env("XDG_STATE_HOME", networks.home.path().join("state"))
        .output()?;
    let health: Value = serde_json::from_slice(&output.stdout)?;
    let testbeds = health["testbeds"].as_array().cloned().unwrap_or_default();
    let found = testbeds.into_iter().find(|part| part["name"] == "compose");
    Ok(found.ok_or("the doctor knows the testbed")?)
}

/// A value deep in another.
pub(crate) fn field(value: &Value, path: &[&str]) -> Result<Value, Failed> {
    let mut found = value;
    for key in path {
        found = found.get(key).ok_or_else(|| format!("no {key} in {found}"))?;
    }
    Ok(found.clone())
}
