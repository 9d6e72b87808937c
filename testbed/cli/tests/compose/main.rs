//! Runs between three processes in three network namespaces, joined by two bridges as containers are. Needs user
//! namespaces, or root.

mod captures;
mod commands;
mod exported;
#[path = "../support/http.rs"]
mod http;
mod netem;
mod networks;
mod runs;
#[path = "../../../sim/tests/all/simple.rs"]
mod simple;
mod stacks;
mod standing;
mod traffic;

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

use networks::{Networks, Role};
use runs::{Run, field};

fn main() -> ExitCode {
    if stacks::is_engine() {
        return windlull_cli::main_with(vec![Box::new(simple::Simple)]);
    }
    let arguments = Arguments::from_args();
    // Before libtest_mimic starts its threads. If there is none to be had, every network says why.
    drop(windlull_netns::enter());
    let trials = vec![
        Trial::test("a_run_is_as_in_namespaces_of_its_own", as_in_namespaces_of_its_own),
        Trial::test("over_ipv6_hosts_are_afterwards_what_they_were", over_ipv6),
        Trial::test("a_killed_host_fails_the_run_and_leaves_nothing", a_killed_host),
        Trial::test(
            "a_killed_emulator_is_waited_for_and_the_run_repeated",
            a_killed_emulator,
        ),
        Trial::test("a_second_run_is_told_that_the_hosts_are_busy", busy),
        Trial::test(
            "the_netem_plane_plays_between_two_bridges",
            netem::plays_between_two_bridges,
        ),
        Trial::test(
            "a_run_killed_on_the_netem_plane_between_two_bridges_leaves_nothing",
            netem::killed_between_two_bridges,
        ),
        Trial::test(
            "the_standing_link_is_netem_between_two_bridges",
            standing::stands_between_two_bridges,
        ),
        Trial::test(
            "the_standing_link_by_netem_between_two_bridges_survives_a_kill",
            standing::survives_a_kill,
        ),
        Trial::test("exported_gprs_plays_between_two_bridges", exported::gprs),
        Trial::test("exported_umts_plays_between_two_bridges", exported::umts),
        Trial::test(
            "commands_are_captured_at_the_emulator",
            commands::captured_at_the_emulator,
        ),
        Trial::test(
            "over_ipv6_commands_have_addresses_beside_their_own",
            commands::over_ipv6,
        ),
        Trial::test("several_flows_run_between_three_processes", several_flows),
        Trial::test("a_stack_runs_by_its_own_engine", stacks::by_its_own_engine),
        Trial::test("a_killed_engine_of_a_stack_ends_the_host_s", stacks::killed),
        Trial::test("a_host_without_the_stack_is_named", stacks::without_it),
        Trial::test("what_is_not_there_is_named_before_anything_runs", nobody_there),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn as_in_namespaces_of_its_own() -> Result<(), Failed> {
    let networks = Networks::build()?;
    let before = networks.state()?;
    let _processes = networks.start_all()?;
    let between = Run::short(&networks, "compose").done()?;
    let within = Run::short(&networks, "netns").done()?;
    for variant in ["frto+sack", "linux", "linux-no-frto"] {
        let record = between.record(&format!("runs/compose/{variant}/001"))?;
        let certificate = &record["certificate"];
        // How late the machine was is its own affair; what is wrong whatever its speed must not be.
        for fault in [
            "capture_drops",
            "plane_drops",
            "host_drops",
            "super_packets",
            "bad_checksums",
        ] {
            assert_eq!(certificate[fault], 0, "{variant}: {fault}: {certificate}");
        }
        assert_eq!(record["received"]["octets"], runs::SHORT, "{variant}");
        assert_eq!(record["provenance"]["testbed"], "compose");
        for who in Role::ALL {
            let engine = field(&record, &["settings", &format!("{}.engine", who.name())])?;
            assert_eq!(engine, networks.build_name(), "{}", who.name());
        }
        for capture in ["server.pcapng", "client.pcapng"] {
            captures::must_be_clean(&between.out().join(format!("runs/compose/{variant}/001/{capture}")))?;
        }
    }
    let frto = |variant: &str| -> Result<Value, Failed> {
        let record = between.record(&format!("runs/compose/{variant}/001"))?;
        field(&record, &["settings", "server.net.ipv4.tcp_frto"])
    };
    // One run's settings are none of the next.
    assert_eq!(
        (frto("linux-no-frto")?, frto("linux")? == "0"),
        (Value::from("0"), false)
    );
    let sent = |out: &Path, testbed: &str| {
        captures::sent_by_server(&out.join(format!("runs/{testbed}/frto+sack/001/server.pcapng")))
    };
    assert_eq!(sent(between.out(), "compose")?, sent(within.out(), "netns")?);
    assert_eq!(networks.changed_since(&before)?, [""; 0]);
    networks.must_be_empty()
}

/// The client's device has IPv6 as a kernel gives it, the server's has none, as in a container without it.
fn over_ipv6() -> Result<(), Failed> {
    let networks = Networks::build()?;
    for device in ["lo", "eth0"] {
        let server = networks.namespace(Role::Server);
        server.set_sysctl(&format!("net.ipv6.conf.{device}.disable_ipv6"), "1")?;
    }
    let before = networks.state()?;
    let mut processes = networks.start_all()?;
    let run = Run::short_over_ipv6(&networks).done()?;
    for variant in ["frto+sack", "linux", "linux-no-frto"] {
        let record = run.record(&format!("runs/compose/{variant}/001"))?;
        for fault in [
            "capture_drops",
            "plane_drops",
            "host_drops",
            "super_packets",
            "bad_checksums",
            "unmatched",
        ] {
            assert_eq!(record["certificate"][fault], 0, "{variant}: {fault}: {record}");
        }
        assert_eq!(record["received"]["octets"], runs::SHORT, "{variant}");
        assert_eq!(field(&record, &["settings", "client.address"])?, "2001:2::2");
        for capture in ["server.pcapng", "client.pcapng"] {
            captures::must_be_clean_over_ipv6(&run.out().join(format!("runs/compose/{variant}/001/{capture}")))?;
        }
    }
    assert_eq!(networks.changed_since(&before)?, [""; 0]);
    networks.must_be_empty()?;
    // One that is killed while its kernel speaks IPv6 leaves a note of how its device was.
    let mut run = Run::long_over_ipv6(&networks).begin()?;
    run.wait_for_progress()?;
    for role in [Role::Server, Role::Client] {
        processes.kill(role)?;
    }
    run.failed()?;
    assert!(!networks.changed_since(&before)?.is_empty());
    for role in [Role::Server, Role::Client] {
        processes.start(&networks, role)?;
    }
    // A process takes the next order once it has put back what it found in the note.
    Run::short(&networks, "compose").done()?;
    assert_eq!(networks.changed_since(&before)?, [""; 0]);
    networks.must_be_empty()
}

fn a_killed_host() -> Result<(), Failed> {
    let networks = Networks::build()?;
    let before = networks.state()?;
    let mut processes = networks.start_all()?;
    let mut run = Run::long(&networks, &["--attempts", "1"]).begin()?;
    run.wait_for_progress()?;
    processes.kill(Role::Client)?;
    let reason = run.failed()?;
    assert!(
        reason.contains("the connection with the client broke: it has ended"),
        "{reason}"
    );
    assert!(
        !networks.changed_since(&before)?.is_empty(),
        "it was killed while it had the device"
    );
    processes.start(&networks, Role::Client)?;
    Run::short(&networks, "compose").done()?;
    assert_eq!(networks.changed_since(&before)?, [""; 0]);
    networks.must_be_empty()
}

fn several_flows() -> Result<(), Failed> {
    let networks = Networks::build()?;
    let before = networks.state()?;
    let _processes = networks.start_all()?;
    let between = Run::of_flows(&networks).done()?;
    for variant in ["sack", "linux"] {
        let record = between.record(&format!("runs/compose/{variant}/001"))?;
        assert_eq!(record["ending"]["end"], "closed", "{variant}");
        let flows = record["flows"].as_array().ok_or("no flows")?;
        let all_went = flows
            .iter()
            .all(|flow| flow["goodput_bps"].as_f64().is_some_and(|goodput| goodput > 0.0));
        assert!(flows.len() == 3 && all_went, "{variant}: {flows:?}");
        let delivered = record["course"]["delivered"].as_array().ok_or("no course")?;
        let octets: u64 = delivered.iter().filter_map(Value::as_u64).sum();
        assert_eq!(octets, 3 * runs::SHORT, "{variant}");
    }
    assert_eq!(networks.changed_since(&before)?, [""; 0]);
    networks.must_be_empty()
}

fn a_killed_emulator() -> Result<(), Failed> {
    let networks = Networks::build()?;
    let before = networks.state()?;
    let mut processes = networks.start_all()?;
    let mut run = Run::long(&networks, &["--attempts", "2"]).begin()?;
    run.wait_for_progress()?;
    processes.kill(Role::Emulator)?;
    processes.start(&networks, Role::Emulator)?;
    let done = run.finished()?;
    assert_eq!(done["attempts"], 2, "{done}");
    assert_eq!(networks.changed_since(&before)?, [""; 0]);
    networks.must_be_empty()
}

fn busy() -> Result<(), Failed> {
    let networks = Networks::build()?;
    let _processes = networks.start_all()?;
    let mut first = Run::long(&networks, &["--attempts", "1"]).begin()?;
    first.wait_for_progress()?;
    let second = Run::long(&networks, &["--attempts", "1"]).begin()?.failed()?;
    assert!(second.contains("the server is busy with the run"), "{second}");
    assert!(second.contains("runs/compose/frto+sack/001"), "{second}");
    first.finished()?;
    Ok(())
}

fn nobody_there() -> Result<(), Failed> {
    let networks = Networks::build()?;
    let mut processes = networks.start_all()?;
    processes.kill(Role::Emulator)?;
    let refused = Run::short(&networks, "compose").missing()?;
    assert!(refused.contains("no process answers for the emulator"), "{refused}");
    assert!(refused.contains("windlull-engine emulate"), "{refused}");
    let doctor = runs::doctor(&networks)?;
    assert_eq!(doctor["works"], false, "{doctor}");
    processes.start(&networks, Role::Emulator)?;
    Run::short(&networks, "compose").done()?;
    let doctor = runs::doctor(&networks)?;
    assert_eq!(doctor["works"], true, "{doctor}");
    Ok(())
}
