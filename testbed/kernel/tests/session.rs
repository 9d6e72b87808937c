//! Commands in a kernel of their own. They need target/kernel/stock/linux, hence the feature.

#![expect(clippy::unwrap_used, reason = "a test may end so")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn kernel() -> PathBuf {
    let named = std::env::var_os("WINDLULL_KERNEL").map(PathBuf::from);
    named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/kernel/stock/linux"))
}

/// The limit only guards the tests themselves against a kernel that hangs.
fn runner(options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_windlull-kernel"));
    command
        .args(["run", "--kernel"])
        .arg(kernel())
        .args(["--limit", "300"])
        .args(options);
    command
}

fn run(options: &[&str], script: &str) -> Output {
    let output = runner(options).args(["--", "sh", "-c", script]).output();
    output.expect("the runner can be started")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn output_and_exit_code_come_out() {
    let output = run(&[], r"printf 'a\nb'; printf '\001\r' >&2; exit 7");
    assert_eq!(output.status.code(), Some(7), "{}", stderr(&output));
    assert_eq!(output.stdout, b"a\nb");
    assert_eq!(output.stderr, b"\x01\r");
}

#[test]
fn a_signal_is_told_as_shells_tell_it() {
    assert_eq!(run(&[], "kill -9 $$").status.code(), Some(137));
}

#[test]
fn the_kernel_is_another_and_has_netem() {
    let script = "uname -r; for name in one two; do ip link add name $name type ifb; done; tc qdisc add dev one root netem \
                  delay 100ms loss gemodel 1% 10% 100% 0% && tc qdisc add dev two root plug limit 1000 && echo both";
    let output = run(&[], script);
    assert!(stdout(&output).starts_with("6.12."), "{}", stdout(&output));
    assert!(stdout(&output).ends_with("both\n"), "{}", stderr(&output));
}

#[test]
fn virtual_time_jumps() {
    // A week; the limit of the machine's time is five minutes.
    let output = run(&[], "before=$(date +%s); sleep 600000; echo $(($(date +%s) - before))");
    assert_eq!(stdout(&output), "600000\n", "{}", stderr(&output));
}

#[test]
fn real_time_does_not_jump() {
    let output = run(&["--real-time"], "sleep 0.1; echo slept");
    assert_eq!(stdout(&output), "slept\n", "{}", stderr(&output));
}

#[test]
fn only_the_scratch_directory_can_be_written() {
    let (open, closed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (inside, outside) = (open.path().join("file"), closed.path().join("file"));
    let script = format!(
        "echo in >{}; echo out >{}; echo $?",
        inside.display(),
        outside.display()
    );
    let output = run(&["--scratch", open.path().to_str().unwrap()], &script);
    assert_eq!(fs::read_to_string(inside).unwrap(), "in\n");
    assert!(!outside.exists());
    assert!(stderr(&output).contains("Read-only file system"), "{}", stderr(&output));
}

#[test]
fn a_command_that_cannot_be_run_is_named() {
    let output = runner(&[]).args(["--", "no-such-command"]).output().unwrap();
    assert_eq!(output.status.code(), Some(125));
    assert!(stderr(&output).contains("no-such-command"), "{}", stderr(&output));
}

#[test]
fn a_kernel_that_is_not_there_is_named() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_windlull-kernel"));
    let output = command
        .args(["run", "--kernel", "/no/kernel", "--", "true"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(125));
    assert!(stderr(&output).contains("/no/kernel"), "{}", stderr(&output));
}

#[test]
fn what_never_ends_is_ended_and_shown() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_windlull-kernel"));
    command.args(["run", "--limit", "2", "--kernel"]).arg(kernel());
    let output = command
        .args(["--", "sh", "-c", "echo begun; while :; do :; done"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(124), "{}", stderr(&output));
}

#[test]
fn a_program_that_polls_is_found_out() {
    let begun = std::time::Instant::now();
    let output = run(&["--patience", "3"], "echo begun; sleep 6.5; while :; do :; done");
    assert_eq!(output.status.code(), Some(125), "{}", stderr(&output));
    assert_eq!(stdout(&output), "begun\n");
    let complaint = stderr(&output);
    assert!(
        complaint.contains("virtual time stands still at 6 s") && complaint.contains("polls"),
        "{complaint}"
    );
    assert!(begun.elapsed().as_secs() < 120, "it is not waited for until the limit");
}

/// The processes whose command line names this.
fn processes_with(word: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let named = entries.map(|entry| entry.path()).filter(|path| {
        let line = fs::read(path.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(word)
    });
    named.collect()
}

#[test]
fn a_runner_that_is_killed_takes_its_kernel_along() {
    let scratch = tempfile::tempdir().unwrap();
    let begun = scratch.path().join("begun");
    let mut child = runner(&["--real-time", "--scratch", scratch.path().to_str().unwrap()])
        .env("TMPDIR", scratch.path())
        .args(["--", "sh", "-c", &format!("echo >{}; sleep 1000", begun.display())])
        .spawn()
        .unwrap();
    let word = scratch.path().to_str().unwrap();
    while !begun.exists() {
        assert!(child.try_wait().unwrap().is_none(), "the runner ended by itself");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    while !processes_with(word).is_empty() {
        std::thread::yield_now();
    }
}
