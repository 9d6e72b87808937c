//! What `export --format tc` writes, run as a script on a router that forwards between two networks. Where the kernel
//! lacks a part of it, the script must say so and leave nothing; `make test-kernel` runs this in a kernel that has all.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;

use crate::networks::{Networks, PROFILES, Role, engine};
use crate::traffic::Hosts;

/// A shipped link, and what becomes of a packet of 1000 octets on it while nothing else happens, in milliseconds.
struct Shipped {
    name: &'static str,
    down_ms: f64,
    up_ms: f64,
    /// Of its first hold: when it begins after the script's start, and how long it lasts, in seconds.
    hold_s: (f64, f64),
    /// How long the script plays.
    plays: &'static str,
    /// What its script's head must own up to.
    approximated: &'static [&'static str],
}

pub(crate) fn gprs() -> Result<(), Failed> {
    plays(&Shipped {
        name: "gprs",
        // 8000 bit at 40.2 and 13.4 kbit/s, and 500 ms.
        down_ms: 699.0,
        up_ms: 1_097.0,
        hold_s: (18.16, 1.593),
        plays: "30s",
        approximated: &["[down] arq", "[up] arq"],
    })
}

pub(crate) fn umts() -> Result<(), Failed> {
    plays(&Shipped {
        name: "umts-3g",
        // 8000 bit at 384 and 64 kbit/s, and 150 ms.
        down_ms: 170.8,
        up_ms: 275.0,
        hold_s: (109.02, 2.557),
        plays: "115s",
        approximated: &["[down] arq", "allocation"],
    })
}

fn plays(shipped: &Shipped) -> Result<(), Failed> {
    let networks = Networks::build()?;
    let router = networks.namespace(Role::Emulator);
    router.set_sysctl("net.ipv4.ip_forward", "1")?;
    let text = router.command(
        engine(),
        &[
            "--profiles",
            PROFILES,
            "export",
            shipped.name,
            "--format",
            "tc",
            "--seed",
            "1",
            "--for",
            shipped.plays,
        ],
    )?;
    for part in shipped.approximated {
        assert!(text.contains(part), "{part} is not in the script's head");
    }
    let script = networks.home.path().join("link.sh");
    fs::write(&script, text)?;
    let script = script.to_string_lossy().into_owned();
    let hosts = Hosts::open(&networks)?;
    hosts.up(100)?;
    hosts.down(100)?;
    let rules = networks.rules()?;
    let call = |what: &str| -> Result<Child, Failed> {
        let mut command = Command::new("sh");
        command
            .args([&script, what])
            .env("TO_SERVER", "eth0")
            .env("TO_CLIENT", "eth1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Ok(router.run(|| command.spawn())??)
    };
    let start = Instant::now();
    let mut up = call("up")?;
    if !stands(&networks, &mut up)? {
        let output = up.wait_with_output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && !said.is_empty(), "{output:?}");
        assert_eq!(networks.rules()?, rules, "a script that failed left something");
        return Ok(());
    }
    for _ in 0..3 {
        near("down", hosts.down(1_000)?, shipped.down_ms);
        near("up", hosts.up(1_000)?, shipped.up_ms);
    }
    // Packets that follow each other are spaced by the rate, and none is lost.
    assert_eq!(hosts.many_up(20, Duration::from_millis(100))?.len(), 20);
    let (begins, lasts) = shipped.hold_s;
    std::thread::sleep(Duration::from_secs_f64(begins - 1.0).saturating_sub(start.elapsed()));
    let came = hosts.arrivals_down(30, Duration::from_millis(200))?;
    let gaps = came.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64());
    let widest = gaps.fold(0.0, f64::max);
    // As long as the hold, and what was left until the next packet.
    assert!(
        (lasts - 0.05..lasts + 0.3).contains(&widest),
        "no hold of {lasts} s: {widest} s; {came:?}"
    );
    let output = up.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && said.contains("The timeline is over"),
        "{output:?}"
    );
    near("down, after its timeline", hosts.down(1_000)?, shipped.down_ms);
    // Who tries to make it twice is told so, and the link stays.
    let twice = call("up")?.wait_with_output()?;
    assert!(!twice.status.success(), "{twice:?}");
    assert!(String::from_utf8_lossy(&twice.stderr).contains("down"), "{twice:?}");
    near("down, after that", hosts.down(1_000)?, shipped.down_ms);
    let down = call("down")?.wait_with_output()?;
    assert!(down.status.success() && down.stderr.is_empty(), "{down:?}");
    assert_eq!(networks.rules()?, rules, "the script's `down` left something");
    assert!(
        hosts.down(1_000)? < Duration::from_millis(100),
        "the link is still there"
    );
    Ok(())
}

/// Once the script says that the link is up; false if it has ended before.
fn stands(networks: &Networks, up: &mut Child) -> Result<bool, Failed> {
    loop {
        let ended = up.try_wait()?.is_some();
        // Its last step is the tables of nftables.
        if networks.rules()?.contains("table ip windlull") {
            return Ok(true);
        }
        if ended {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Not earlier than rate and propagation delay allow, and not much later.
fn near(what: &str, took: Duration, ms: f64) {
    let took_ms = took.as_secs_f64() * 1e3;
    assert!(
        (ms - 1.0..ms + 20.0).contains(&took_ms),
        "{what}: {took_ms} ms, not {ms}"
    );
}
