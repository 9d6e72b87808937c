//! Runs of a stack that is built into an engine of its own: this program, where it is told to be one.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use libtest_mimic::Failed;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::networks::{Networks, Processes, Role};
use crate::runs::{self, Run};

/// Whether this is set says what this program is.
const IS_ENGINE: &str = "WINDLULL_TEST_IS_ENGINE";

/// For some seconds.
const LONG: u64 = 500 * 1024;

pub(crate) fn is_engine() -> bool {
    std::env::var_os(IS_ENGINE).is_some()
}

/// A directory with the engine of one stack.
fn stacks(home: &Path) -> Result<PathBuf, Failed> {
    let stacks = home.join("stacks");
    fs::create_dir_all(stacks.join("simple"))?;
    let engine = stacks.join("simple/engine");
    let program = std::env::current_exe()?;
    fs::write(
        &engine,
        format!("#!/bin/sh\n{IS_ENGINE}=1 exec '{}' \"$@\"\n", program.display()),
    )?;
    fs::set_permissions(&engine, Permissions::from_mode(0o755))?;
    Ok(stacks)
}

/// Where the stack's engine takes orders.
fn socket(networks: &Networks, role: Role) -> PathBuf {
    networks.orders().join(role.name()).join("stacks/simple/orders.sock")
}

fn until(what: impl Fn() -> bool) {
    // Whoever waits longer than the harness allows sees which test it was.
    while !what() {
        thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn by_its_own_engine() -> Result<(), Failed> {
    let networks = Networks::build()?;
    let before = networks.state()?;
    let stacks = stacks(networks.home.path())?;
    let mut processes = Processes::with_stacks(&networks, &stacks)?;
    let hosts = [Role::Server, Role::Client].map(|role| socket(&networks, role));
    until(|| hosts.iter().all(|socket| UnixStream::connect(socket).is_ok()));

    let mut first = Run::of_stack(&networks, &stacks, LONG).begin()?;
    first.wait_for_progress()?;
    // The host is one, whichever of its engines makes the run.
    let second = Run::long(&networks, &["--attempts", "1"]).begin()?.failed()?;
    assert!(second.contains("the server is busy with the run"), "{second}");
    assert!(second.contains("runs/compose/simple/001"), "{second}");
    first.finished()?;

    let run = Run::of_stack(&networks, &stacks, runs::SHORT).done()?;
    let record = run.record("runs/compose/simple/001")?;
    assert_eq!(record["received"]["octets"], runs::SHORT, "{record}");
    assert_eq!(record["provenance"]["testbed"], "compose");
    for fault in ["capture_drops", "plane_drops", "host_drops", "bad_checksums"] {
        assert_eq!(record["certificate"][fault], 0, "{fault}: {record}");
    }
    // What it says of itself comes with what its host leaves.
    for end in ["server", "client"] {
        let qlog = fs::read_to_string(run.out().join(format!("runs/compose/simple/001/{end}.sqlog")))?;
        assert!(qlog.contains("quic:packet_sent"), "{end}: {qlog}");
    }
    for (asked, direction) in [
        ("request = \"300 B\"", "down"),
        ("request = \"300 B\", every = \"20 ms\"", "up"),
    ] {
        let workload = format!("kind = \"requests\", {asked}, size = \"5 kB\", count = 7, direction = \"{direction}\"");
        let run = Run::of_stack_with(&networks, &stacks, &workload).done()?;
        let record = run.record("runs/compose/simple/001")?;
        assert_eq!(record["received"]["octets"], 7 * 5_000, "{record}");
        // There and back over the link takes longer.
        let took = record["metrics"]["task_completion_s"].as_f64();
        assert!(took.is_some_and(|seconds| (0.01..1.0).contains(&seconds)), "{record}");
    }
    let run = Run::of_stack_over_ipv6(&networks, &stacks).done()?;
    let record = run.record("runs/compose/simple/001")?;
    assert_eq!(record["received"]["octets"], runs::SHORT, "{record}");
    assert_eq!(record["settings"]["server.address"], "2001:2::1");
    assert_eq!(record["certificate"]["unmatched"], 0, "{record}");
    Run::short(&networks, "compose").done()?;
    assert_eq!(networks.changed_since(&before)?, [""; 0]);
    networks.must_be_empty()?;

    // Killed or told to end: what it has started ends as well.
    processes.kill(Role::Server)?;
    processes.end(Role::Client)?;
    until(|| hosts.iter().all(|socket| UnixStream::connect(socket).is_err()));
    Ok(())
}

/// The only child of a process.
fn child_of(parent: i32) -> Result<Pid, Failed> {
    for entry in fs::read_dir("/proc")? {
        let Some(number) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        // Its parent stands in the second field behind its name, which is in brackets.
        let status = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        let fields = status.rsplit(')').next().unwrap_or_default();
        if fields.split_whitespace().nth(1) == Some(&parent.to_string()) {
            return Ok(Pid::from_raw(number));
        }
    }
    Err(format!("{parent} has no child").into())
}

pub(crate) fn killed() -> Result<(), Failed> {
    let networks = Networks::build()?;
    let before = networks.state()?;
    let stacks = stacks(networks.home.path())?;
    let mut processes = Processes::with_stacks(&networks, &stacks)?;
    let mut run = Run::of_stack(&networks, &stacks, LONG).begin()?;
    run.wait_for_progress()?;
    kill(child_of(processes.number(Role::Client)?)?, Signal::SIGKILL)?;
    let reason = run.failed()?;
    assert!(
        reason.contains("the connection with the client broke: it has ended"),
        "{reason}"
    );
    // Whoever started it starts it again, as a container's engine does; it puts back what the other had changed.
    processes.until_ended(Role::Client)?;
    assert!(!networks.changed_since(&before)?.is_empty());
    processes.start(&networks, Role::Client)?;
    // By the engine with the stack, which need not be the first that listens.
    until(|| networks.changed_since(&before).is_ok_and(|changed| changed.is_empty()));
    Ok(())
}

pub(crate) fn without_it() -> Result<(), Failed> {
    let networks = Networks::build()?;
    let stacks = stacks(networks.home.path())?;
    let _processes = networks.start_all()?;
    let reason = Run::of_stack(&networks, &stacks, runs::SHORT).begin()?.failed()?;
    assert!(
        reason.contains("the server has no engine with the stack \"simple\""),
        "{reason}"
    );
    assert!(reason.contains("`make up WITH=\"simple\"` puts one in"), "{reason}");
    Ok(())
}
