//! Commands of hosts that keep their addresses, captured at the emulator: by the run, and on demand meanwhile.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use serde_json::{Value, json};
use windlull_capture::{Crossing, read_pcap};

use crate::http::PATIENCE;
use crate::networks::{Networks, Processes, Role, engine, wait_for};
use crate::runs::Run;
use crate::traffic::Hosts;

/// Loses a datagram each way.
const LINK: &str = r#"
title = "one loss each way"
[both]
rate  = "1 Mbit/s"
delay = "20 ms"
queue = { kind = "droptail", limit = "50 packets" }
[[script]]
at = "packet 7"
do = "drop"
on = "up"
[[script]]
at = "packet 11"
do = "drop"
on = "down"
"#;

/// Datagrams that the client sends.
const SENT: usize = 40;
/// Octets of each frame, by which they are known from others.
const FRAME: u32 = 14 + 20 + 8 + 300;

const ECHO: &str = "
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('', 7001))
while True:
    text, who = s.recvfrom(2000)
    s.sendto(text, who)
";

const ASK: &str = "
import os, socket, sys, time
while not os.path.exists('GO'):
    time.sleep(0.01)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(0.02)
for nth in range(40):
    s.sendto(bytes([nth]) * 300, (os.environ['WINDLULL_SERVER'], 7001))
    try:
        s.recv(2000)
    except TimeoutError:
        pass
";

/// What performs commands in a host's place; it ends with this.
struct Performer(Child);

impl Drop for Performer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Performer {
    fn start(networks: &Networks, role: Role) -> Result<Self, Failed> {
        let socket = networks.commands(role);
        let mut command = Command::new(engine());
        command
            .args(["perform", "--socket"])
            .arg(&socket)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        let mut performer = Self(networks.namespace(role).run(|| command.spawn())??);
        wait_for(&socket, &mut performer.0)?;
        Ok(performer)
    }
}

/// Datagrams of ours that passed an interface this way: 0 leads to the server, 1 to the client.
fn passed(capture: &Path, interface: u32, way: Crossing) -> Result<usize, Failed> {
    let mut reader = read_pcap(BufReader::new(File::open(capture)?))?;
    let mut passed = 0;
    while let Some(packet) = reader.next_packet()? {
        let ours = packet.original_len == FRAME && packet.interface == interface && packet.way == Some(way);
        passed += usize::from(ours);
    }
    Ok(passed)
}

fn until_lent(networks: &Networks) -> Result<(), Failed> {
    let begun = Instant::now();
    while networks.ask(200, "GET", "/link", &Value::Null)?["state"] != "lent" {
        assert!(begun.elapsed() < PATIENCE, "no run has the devices");
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

pub(crate) fn captured_at_the_emulator() -> Result<(), Failed> {
    let networks = Networks::build()?;
    let before = networks.state()?;
    let _performers = [Role::Server, Role::Client].map(|role| Performer::start(&networks, role));
    let _processes = Processes::with_commands(&networks)?;
    let go = networks.home.path().join("go");
    let ask_script = ASK.replace("GO", &go.display().to_string());
    let workload = format!(
        "{{ kind = \"command\", client = [\"python3\", \"-c\", '''{ask_script}'''], server = [\"python3\", \"-c\", '''{ECHO}'''], port = 7001 }}"
    );
    let run = Run::of_commands(&networks, LINK, &workload);
    let directory = run.out().join("runs/compose/linux/001");
    let run = run.begin()?;
    // On demand, while the run has the devices; its first datagram waits for that.
    until_lent(&networks)?;
    networks.ask(201, "POST", "/captures", &json!({}))?;
    fs::write(&go, "")?;
    let finished = run.finished()?;
    assert_eq!(finished["metrics"]["exit_code"], 0, "{finished}");
    // The run's capture is over, and that on demand sees on.
    let hosts = Hosts::open(&networks)?;
    hosts.up(328)?;
    networks.ask(200, "POST", "/captures/1/stop", &json!({}))?;

    let record: Value = serde_json::from_slice(&fs::read(directory.join("run.json"))?)?;
    let counts = &record["emulator_capture"];
    assert_eq!(
        (&counts["dropped"], &counts["full"]),
        (&0.into(), &false.into()),
        "{record}"
    );
    let fates = fs::read_to_string(directory.join("fates.csv"))?;
    let of = |direction: &str, delivered: bool| {
        let rows = fates.lines().filter(|row| row.split(',').nth(1) == Some(direction));
        let large = rows.filter(|row| row.split(',').nth(2) == Some("328"));
        large.filter(|row| row.contains(",delivered,") == delivered).count()
    };
    assert_eq!((of("up", false), of("down", false)), (1, 1), "{fates}");
    assert_eq!(of("up", true), SENT - 1);

    let own = directory.join("emulator.pcapng");
    let on_demand = networks.home.path().join("state-of-emulator/captures/capture-1.pcapng");
    for (capture, beyond) in [(&own, 0), (&on_demand, 1)] {
        let name = capture.display();
        let seen = |interface, way| passed(capture, interface, way);
        assert_eq!(seen(1, Crossing::Inbound)?, SENT + beyond, "{name}: from the client");
        assert_eq!(
            seen(0, Crossing::Outbound)?,
            of("up", true) + beyond,
            "{name}: to the server"
        );
        assert_eq!(
            seen(0, Crossing::Inbound)?,
            of("down", true) + of("down", false),
            "{name}: from the server"
        );
        assert_eq!(seen(1, Crossing::Outbound)?, of("down", true), "{name}: to the client");
    }
    assert_eq!(networks.changed_since(&before)?, [""; 0]);
    networks.must_be_empty()
}

/// The server's device has no IPv6 of its own, as in a container without it; the client's has, and keeps it.
pub(crate) fn over_ipv6() -> Result<(), Failed> {
    let networks = Networks::build()?;
    for device in ["lo", "eth0"] {
        let server = networks.namespace(Role::Server);
        server.set_sysctl(&format!("net.ipv6.conf.{device}.disable_ipv6"), "1")?;
    }
    let before = networks.state()?;
    let _performers = [Role::Server, Role::Client].map(|role| Performer::start(&networks, role));
    let _processes = Processes::with_commands(&networks)?;
    let go = networks.home.path().join("go");
    fs::write(&go, "")?;
    let ask = ASK
        .replace("GO", &go.display().to_string())
        .replace("AF_INET", "AF_INET6");
    let echo = ECHO.replace("AF_INET", "AF_INET6");
    let workload = format!(
        "{{ kind = \"command\", client = [\"python3\", \"-c\", '''{ask}'''], server = [\"python3\", \"-c\", '''{echo}'''], port = 7001 }}"
    );
    let run = Run::of_commands_over_ipv6(&networks, LINK, &workload).done()?;
    let record = run.record("runs/compose/linux/001")?;
    assert_eq!(record["metrics"]["exit_code"], 0, "{record}");
    assert_eq!(record["settings"]["server.address"], "2001:2::1", "{record}");
    let fates = fs::read_to_string(run.out().join("runs/compose/linux/001/fates.csv"))?;
    let of = |direction: &str, delivered: bool| {
        let rows = fates.lines().filter(|row| row.split(',').nth(1) == Some(direction));
        // IPv6, UDP and 300 octets.
        let large = rows.filter(|row| row.split(',').nth(2) == Some("348"));
        large.filter(|row| row.contains(",delivered,") == delivered).count()
    };
    assert_eq!((of("up", false), of("down", false)), (1, 1), "{fates}");
    assert_eq!(of("up", true), SENT - 1);
    // Their own addresses were theirs all the time, and are reached again by the link that stands.
    assert_eq!(networks.changed_since(&before)?, [""; 0]);
    let hosts = Hosts::open(&networks)?;
    hosts.up(328)?;
    networks.must_be_empty()
}
