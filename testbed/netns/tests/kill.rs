//! A process that builds and holds labs is killed at random moments; after the next start nothing of it is left.
//! Needs user namespaces, or root.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use libtest_mimic::{Arguments, Failed, Trial};
use windlull_netns::{Entry, Lab, LabSpec, Ledger, Node, RouterKind, end_with_parent};
use windlull_units::Network;

const TIMES: u32 = 20;
/// Long enough for a lab to be built and used, whatever else the machine does.
const LATEST: Duration = Duration::from_millis(400);
const HOLD: &str = "--hold-a-lab-in";

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == HOLD) {
        let directory = arguments.next().expect("the directory follows");
        hold(Path::new(&directory)).expect("only SIGKILL ends this");
        return;
    }
    let trials = vec![Trial::test("nothing_is_left_of_a_killed_process", nothing_is_left)];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// What is killed: it makes all kinds of things, over and over.
fn hold(directory: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let ledger = Ledger::open_in(&directory.join("ledger"))?;
    for nth in 0.. {
        let draft = directory.join(format!("runs/.{nth:03}.part"));
        let ticket = ledger.record(Entry::Draft { path: draft.clone() })?;
        fs::create_dir_all(&draft)?;
        let mut sleeper = Command::new("sleep");
        end_with_parent(&mut sleeper);
        let mut child = sleeper.arg("1000").spawn()?;
        let lab = Lab::build(&LabSpec {
            kernel_answers: [true, true],
            network: Network::Ipv4,
            router: RouterKind::Forwarding,
        })?;
        let router = lab.namespace(Node::Router);
        router.command(
            "tc",
            &[
                "qdisc",
                "replace",
                "dev",
                "to-client",
                "root",
                "tbf",
                "rate",
                "1mbit",
                "burst",
                "5kb",
                "limit",
                "9kb",
            ],
        )?;
        router.set_sysctl("net.ipv4.tcp_frto", "0")?;
        fs::write(draft.join("client.pcapng"), vec![0; 100_000])?;
        child.kill()?;
        child.wait()?;
        fs::rename(&draft, directory.join(format!("runs/{nth:03}")))?;
        ledger.forget(ticket)?;
    }
    Ok(())
}

fn nothing_is_left() -> Result<(), Failed> {
    let seed = SystemTime::UNIX_EPOCH.elapsed()?.subsec_nanos();
    let mut random = seed | 1;
    for round in 0..TIMES {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        let after = LATEST.mul_f64(f64::from(random) / f64::from(u32::MAX));
        kill_after(after).map_err(|error| format!("seed {seed}, round {round}, killed after {after:?}: {error}"))?;
    }
    Ok(())
}

fn kill_after(after: Duration) -> Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let before = machine()?;
    let mut victim = Command::new(std::env::current_exe()?)
        .arg(HOLD)
        .arg(directory.path())
        .stderr(Stdio::inherit())
        .process_group(0)
        .spawn()?;
    thread::sleep(after);
    let namespaces = namespaces_of(victim.id());
    kill(&mut victim)?;

    // The next start.
    let ledgers = directory.path().join("ledger");
    let cleaned = Ledger::clean_in(&ledgers)?;
    if !cleaned.left.is_empty() {
        return Err(format!("{cleaned:?}").into());
    }
    // Tools of the killed process get their signal with its end, but the kernel takes a moment.
    let until = Instant::now() + Duration::from_secs(10);
    let group = victim.id();
    while !in_group(group)?.is_empty() || holders(&namespaces)? > 0 {
        if Instant::now() > until {
            in_group(group)?.into_iter().for_each(end_it);
            return Err(format!("left: {:?} in {namespaces:?}", in_group(group)?).into());
        }
        thread::sleep(Duration::from_millis(1));
    }
    if machine()? != before {
        return Err("the machine has changed".into());
    }
    let left: Vec<_> = fs::read_dir(&ledgers).into_iter().flatten().collect();
    if !left.is_empty() {
        return Err(format!("ledgers: {left:?}").into());
    }
    for run in fs::read_dir(directory.path().join("runs")).into_iter().flatten() {
        let run = run?;
        if run.file_name().to_string_lossy().starts_with('.') {
            return Err(format!("{} is left", run.path().display()).into());
        }
        if fs::metadata(run.path().join("client.pcapng"))?.len() != 100_000 {
            return Err(format!("{} is not whole", run.path().display()).into());
        }
    }
    Ok(())
}

/// A process of this test's own making, so that a failure leaves nothing.
fn end_it(pid: u32) {
    if let Ok(pid) = i32::try_from(pid) {
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL);
    }
}

fn kill(victim: &mut Child) -> io::Result<()> {
    victim.kill()?;
    victim.wait().map(drop)
}

/// Devices, named namespaces and settings of the network namespace that this test is in.
fn machine() -> Result<BTreeSet<String>, Box<dyn std::error::Error>> {
    let names = |directory: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    };
    let mut found = names("/sys/class/net");
    found.extend(names("/run/netns").into_iter().map(|name| format!("namespace {name}")));
    for name in names("/proc/sys/net/ipv4") {
        if let Ok(value) = fs::read_to_string(format!("/proc/sys/net/ipv4/{name}")) {
            found.insert(format!("{name} = {value}"));
        }
    }
    let tc = windlull_netns::tool("tc").ok_or("no tc")?;
    let qdiscs = Command::new(tc).args(["qdisc", "show"]).output()?;
    found.extend(String::from_utf8_lossy(&qdiscs.stdout).lines().map(str::to_owned));
    Ok(found)
}

/// The network namespaces that a process' threads are in or hold.
fn namespaces_of(pid: u32) -> BTreeSet<String> {
    let own = fs::read_link("/proc/self/ns/net").map(|link| link.display().to_string());
    let mut found = links(&format!("/proc/{pid}/fd"));
    for task in fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten()
    {
        found.extend(fs::read_link(task.path().join("ns/net")).map(|link| link.display().to_string()));
    }
    found.retain(|link| link.starts_with("net:") && own.as_ref().is_ok_and(|own| own != link));
    found
}

fn links(directory: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| fs::read_link(entry.path()).ok())
        .map(|link| link.display().to_string())
        .collect()
}

/// How many processes are still in one of these namespaces, or hold one.
fn holders(namespaces: &BTreeSet<String>) -> io::Result<usize> {
    Ok(processes()?
        .into_iter()
        .filter(|&pid| !namespaces_of(pid).is_disjoint(namespaces))
        .count())
}

/// The processes of a process group that still run.
fn in_group(group: u32) -> io::Result<Vec<u32>> {
    Ok(processes()?
        .into_iter()
        .filter(|pid| {
            fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
                let fields: Vec<&str> = stat
                    .rsplit_once(')')
                    .map_or("", |(_, rest)| rest)
                    .split_whitespace()
                    .collect();
                fields.first() != Some(&"Z") && fields.get(2) == Some(&group.to_string().as_str())
            })
        })
        .collect())
}

fn processes() -> io::Result<Vec<u32>> {
    Ok(fs::read_dir("/proc")?
        .flatten()
        .filter_map(|entry| entry.file_name().to_string_lossy().parse().ok())
        .collect())
}
