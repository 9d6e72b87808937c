//! The emulator's process, from outside: two hosts that have it for their router, and HTTP. Needs user namespaces, or
//! root. Nothing here depends on how fast the machine is: times are bounded from below alone.

mod captures;
#[path = "../support/http.rs"]
mod http;
mod lend;
mod scene;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddrV4, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use nix::sys::signal::Signal;
use scene::{CLIENT, GATEWAY, SERVER, Scene, request};
use serde_json::{Value, json};
use windlull_agent::METRICS;
use windlull_netns::enter;

fn main() {
    let arguments = Arguments::from_args();
    // Before libtest_mimic starts its threads. If there is none to be had, every scene says why.
    drop(enter());
    let trials = [
        (
            "echoes_and_datagrams_pass_with_the_links_delay",
            echoes_and_datagrams as fn() -> _,
        ),
        ("streams_pass_whatever_the_hosts_leave_to_their_devices", streams),
        ("datagrams_that_a_device_was_to_cut_arrive_in_pieces", cut_datagrams),
        ("a_hold_keeps_until_it_is_taken_back", a_hold),
        ("an_outage_and_a_setting_take_effect_and_end", an_outage_and_a_setting),
        ("a_changed_link_sleeps_while_nothing_passes", sleeps),
        ("another_link_takes_the_place", another_link),
        ("the_last_minutes_are_told", history),
        ("wrong_requests_are_told_what_is_wrong", wrong_requests),
        (
            "what_is_not_for_the_other_side_is_left_to_the_kernel",
            left_to_the_kernel,
        ),
        ("hosts_of_the_link_do_not_control_it", kept_out),
        ("metrics_are_those_that_are_promised", metrics),
        ("sigterm_ends_in_order", sigterm),
        ("sigkill_leaves_nothing", sigkill),
        ("what_stands_is_there_again_after_sigkill", restored),
        ("a_link_that_cannot_be_restored_is_told", lost),
        ("a_kernel_that_forwards_is_refused", forwarding),
        ("a_capture_has_both_devices_and_tshark_reads_it", captures::both_devices),
        ("a_capture_ends_at_its_limit_and_captures_are_bounded", captures::limits),
        (
            "a_capture_is_whole_or_gone_when_the_process_ends",
            captures::whole_or_gone,
        ),
        ("captures_need_a_place", captures::without_a_place),
        ("runs_borrow_the_devices_and_give_them_back", lend::borrow),
    ];
    let trials = trials.map(|(name, test)| Trial::test(name, test)).into();
    libtest_mimic::run(&arguments, trials).exit();
}

/// A fast link of so many milliseconds one way.
fn delayed(ms: u64) -> String {
    let queue = "queue = { kind = \"droptail\", limit = \"unlimited\" }";
    let text = format!("title = \"Far\"\n[both]\nrate = \"100 Mbit/s\"\ndelay = \"{ms} ms\"\n{queue}\n");
    json!({ "profile": text, "seed": 7 }).to_string()
}

fn echoes_and_datagrams() -> Result<(), Failed> {
    let scene = Scene::with(&[])?;
    // The very first packet: neither side is known to the emulator yet.
    scene.ping(SERVER)?;
    scene.ask_for(200, "PUT", "/link", &delayed(40))?;
    assert!(scene.ping(SERVER)? >= Duration::from_millis(80));
    let (server, client) = (scene.udp(SERVER)?, scene.udp(CLIENT)?);
    let start = Instant::now();
    client.send_to(b"up", (SERVER, 7000))?;
    let mut octets = [0; 2_000];
    let (len, from) = server.recv_from(&mut octets)?;
    assert_eq!((&octets[..len], from), (&b"up"[..], (CLIENT, 7000).into()));
    server.send_to(&[7; 1_472], from)?;
    assert_eq!(client.recv(&mut octets)?, 1_472);
    assert!(start.elapsed() >= Duration::from_millis(80));
    // A packet is counted when the call that sent it has returned: by then it may be there.
    let link = scene.link_when(|link| link["up"]["packets"] == 2 && link["down"]["packets"] == 2)?;
    assert_eq!(link["down"]["octets"], 28 + 1_500);
    assert_eq!(link["down"]["delay_ms"], 40.0);
    assert_eq!(link["down"]["rate_bps"], 100_000_000);
    Ok(())
}

/// Many full segments, which the sending kernel hands to its device as few large ones.
fn streams() -> Result<(), Failed> {
    const OCTETS: usize = 3_000_000;
    let scene = Scene::with(&[])?;
    let sent: Vec<u8> = (0..OCTETS).map(|place| (place / 7 % 251) as u8).collect();
    let listener = scene.server.run(|| TcpListener::bind((SERVER, 80)))??;
    let stream = scene.client.run(|| TcpStream::connect((SERVER, 80)))??;
    let (peer, _) = listener.accept()?;
    let received = thread::scope(|scope| -> Result<_, Failed> {
        let sent = &sent;
        let write = |mut stream: &TcpStream| -> io::Result<()> {
            stream.write_all(sent)?;
            stream.shutdown(Shutdown::Write)
        };
        let read = |mut stream: &TcpStream| -> io::Result<Vec<u8>> {
            let mut octets = Vec::new();
            stream.read_to_end(&mut octets)?;
            Ok(octets)
        };
        let (stream, peer) = (&stream, &peer);
        let busy = [scope.spawn(move || write(stream)), scope.spawn(move || write(peer))];
        let reading = scope.spawn(move || read(stream));
        let received = [read(peer)?, reading.join().expect("it does not panic")?];
        for writer in busy {
            writer.join().expect("it does not panic")?;
        }
        Ok(received)
    })?;
    assert!(
        received.iter().all(|octets| *octets == sent),
        "the octets are not those sent"
    );
    let link = scene.link_when(|link| link["down"]["inside_packets"] == 0 && link["up"]["inside_packets"] == 0)?;
    for way in ["down", "up"] {
        // No segment carries more than the MTU allows, however large the sender's were.
        let packets = link[way]["packets"].as_u64().ok_or("no packets")?;
        assert!(packets as usize >= OCTETS / 1_460, "{link:#}");
        assert!(link[way]["octets"].as_u64() <= Some(packets * 1_500), "{link:#}");
    }
    Ok(())
}

fn cut_datagrams() -> Result<(), Failed> {
    let scene = Scene::with(&[])?;
    let (server, client) = (scene.udp(SERVER)?, scene.udp(CLIENT)?);
    nix::sys::socket::setsockopt(&client, nix::sys::socket::sockopt::UdpGsoSegment, &1_200)?;
    let sent: Vec<u8> = (0..5_000).map(|place| (place % 251) as u8).collect();
    client.send_to(&sent, (SERVER, 7000))?;
    let (mut received, mut lengths) = (Vec::new(), Vec::new());
    while received.len() < sent.len() {
        let mut octets = [0; 9_000];
        let len = server.recv(&mut octets)?;
        lengths.push(len);
        received.extend_from_slice(&octets[..len]);
    }
    assert_eq!(lengths, [1_200, 1_200, 1_200, 1_200, 200]);
    assert_eq!(received, sent);
    scene.link_when(|link| link["up"]["packets"] == 5)?;
    Ok(())
}

fn a_hold() -> Result<(), Failed> {
    let scene = Scene::with(&[])?;
    let (server, client) = (scene.udp(SERVER)?, scene.udp(CLIENT)?);
    let change = scene.ask_for(201, "POST", "/link/changes", r#"{"kind": "hold", "direction": "up"}"#)?;
    assert_eq!((&change["id"], &change["until"]), (&json!(1), &Value::Null));
    for number in 0..3 {
        client.send_to(&[number; 100], (SERVER, 7000))?;
    }
    let held = scene.link_when(|link| link["up"]["inside_packets"] == 3)?;
    assert_eq!(
        (&held["up"]["held"], &held["down"]["held"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(held["changes"][0]["kind"], "hold");
    server.set_nonblocking(true)?;
    assert!(server.recv(&mut [0; 200]).is_err(), "it is held");
    server.set_nonblocking(false)?;
    let free = scene.ask_for(200, "DELETE", "/link/changes/1", "")?;
    assert_eq!(free["changes"], json!([]));
    for number in 0..3 {
        let mut octets = [0; 200];
        server.recv(&mut octets)?;
        assert_eq!(octets[0], number, "in order");
    }
    scene.ask_for(404, "DELETE", "/link/changes/1", "")?;
    // One that ends by itself.
    scene.ask_for(201, "POST", "/link/changes", r#"{"kind": "hold", "for": "50 ms"}"#)?;
    let start = Instant::now();
    client.send_to(b"late", (SERVER, 7000))?;
    server.recv(&mut [0; 200])?;
    // The hold began before the answer came, some moments before `start`.
    assert!(start.elapsed() < scene::PATIENCE);
    scene.link_when(|link| link["changes"] == json!([]) && link["up"]["held"] == false)?;
    Ok(())
}

/// Its threads wait for packets, changes and timers; a busy machine can only make it look better than it is.
fn sleeps() -> Result<(), Failed> {
    let scene = Scene::with(&[])?;
    scene.ask_for(200, "PUT", "/link", &delayed(40))?;
    scene.ask_for(
        201,
        "POST",
        "/link/changes",
        r#"{"kind": "set", "set": {"rate": "1 Mbit/s"}}"#,
    )?;
    let before = scene.processor_time()?;
    thread::sleep(Duration::from_secs(1));
    let used = scene.processor_time()? - before;
    assert!(used < Duration::from_millis(100), "{used:?} in a second");
    Ok(())
}

fn an_outage_and_a_setting() -> Result<(), Failed> {
    let scene = Scene::with(&[])?;
    let (server, client) = (scene.udp(SERVER)?, scene.udp(CLIENT)?);
    scene.ask_for(201, "POST", "/link/changes", r#"{"kind": "drop"}"#)?;
    client.send_to(b"lost", (SERVER, 7000))?;
    let link = scene.link_when(|link| link["up"]["dropped"]["outage"] == 1)?;
    assert_eq!(link["up"]["dropping"], true);
    let set = r#"{"kind": "set", "direction": "up", "for": "10 min", "set": {"rate": "64 kbit/s", "delay": "70 ms", "loss": "0 %"}}"#;
    let change = scene.ask_for(201, "POST", "/link/changes", set)?;
    assert_eq!((&change["id"], &change["set"]["delay"]), (&json!(2), &json!("70 ms")));
    let link = scene.ask_for(200, "DELETE", "/link/changes/1", "")?;
    assert_eq!(link["changes"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&link["up"]["rate_bps"], &link["down"]["rate_bps"]),
        (&json!(64_000), &Value::Null)
    );
    let start = Instant::now();
    client.send_to(&[1; 772], (SERVER, 7000))?;
    let mut octets = [0; 1_000];
    assert_eq!(server.recv(&mut octets)?, 772);
    // 800 octets at 64 kbit/s take 100 ms.
    assert!(start.elapsed() >= Duration::from_millis(170));
    let link = scene.ask_for(200, "DELETE", "/link/changes", "")?;
    assert_eq!((&link["changes"], &link["up"]["rate_bps"]), (&json!([]), &Value::Null));
    assert_eq!(link["up"]["delay_ms"], 0.0);
    Ok(())
}

fn another_link() -> Result<(), Failed> {
    let scene = Scene::with(&["--link", "gprs", "--seed", "18446744073709551615"])?;
    let link = scene.link()?;
    assert_eq!(
        (&link["link"]["name"], &link["seed"]),
        (&json!("gprs"), &json!("18446744073709551615"))
    );
    scene.ask_for(201, "POST", "/link/changes", r#"{"kind": "hold"}"#)?;
    let link = scene.ask_for(200, "PUT", "/link", r#"{"name": "umts-3g", "seed": "3"}"#)?;
    assert_eq!((&link["link"]["name"], &link["seed"]), (&json!("umts-3g"), &json!("3")));
    assert_eq!((&link["changes"], &link["down"]["held"]), (&json!([]), &json!(false)));
    assert_eq!(
        (&link["state"], &link["plane"], &link["run"]),
        (&json!("standing"), &json!("model"), &Value::Null)
    );
    scene.ping(SERVER)?;
    Ok(())
}

/// What is told of the last minutes once the last sample is as it should be.
fn history_when(scene: &Scene, good: impl Fn(&Value) -> bool) -> Result<Value, Failed> {
    let start = Instant::now();
    loop {
        let answer = scene.ask_for(200, "GET", "/link/history", "")?;
        if answer["samples"]
            .as_array()
            .and_then(|all| all.last())
            .is_some_and(&good)
        {
            return Ok(answer);
        }
        assert!(start.elapsed() < scene::PATIENCE, "{answer:#}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn history() -> Result<(), Failed> {
    let scene = Scene::with(&[])?;
    // A mark from before the first sample is outside what is told.
    history_when(&scene, |_| true)?;
    scene.ask_for(200, "PUT", "/link", &delayed(5))?;
    scene.ask_for(201, "POST", "/link/changes", r#"{"kind": "drop", "direction": "up"}"#)?;
    let client = scene.udp(CLIENT)?;
    client.send_to(b"lost", (SERVER, 7000))?;
    scene.link_when(|link| link["up"]["dropped"]["outage"] == 1)?;
    // Another link: `GET /link` counts anew, the history does not, so that nothing looks like a jump.
    scene.ask_for(200, "PUT", "/link", &delayed(7))?;
    let answer = history_when(&scene, |last| last["down"]["delay_ms"] == 7.0)?;
    let samples = answer["samples"].as_array().ok_or("no samples")?;
    let times: Vec<_> = samples.iter().map(|sample| sample["at_ms"].as_u64()).collect();
    assert!(times.is_sorted() && times[0].is_some(), "{answer:#}");
    let last = samples.last().ok_or("no sample")?;
    assert_eq!(
        (&last["up"]["dropped"], &last["up"]["dropping"]),
        (&json!(1), &json!(false))
    );
    assert_eq!(last["down"]["rate_bps"], 100_000_000);
    assert_eq!(answer["links"].as_array().map(Vec::len), Some(2), "{answer:#}");
    let change = &answer["changes"][0];
    assert_eq!((&change["kind"], &change["direction"]), (&json!("drop"), &json!("up")));
    assert_eq!(
        change["to_ms"], answer["links"][1]["at_ms"],
        "the link that came ended it"
    );
    let after = last["at_ms"].as_u64().ok_or("no time")?;
    let later = scene.ask_for(200, "GET", &format!("/link/history?after={after}"), "")?;
    let is_later = |sample: &Value| sample["at_ms"].as_u64() > Some(after);
    assert!(
        later["samples"].as_array().is_some_and(|all| all.iter().all(is_later)),
        "{later:#}"
    );
    scene.ask_for(400, "GET", "/link/history?after=noon", "")?;
    scene.ask_for(400, "GET", "/link/history?before=1", "")?;
    Ok(())
}

fn wrong_requests() -> Result<(), Failed> {
    let scene = Scene::with(&[])?;
    let profile = json!({ "profile": "title = \"x\"\n[both]\nrate = \"fast\"\n" }).to_string();
    let answer = scene.ask_for(400, "PUT", "/link", &profile)?;
    let problem = &answer["error"]["problems"][0];
    assert_eq!(
        (&problem["line"], &problem["key"]),
        (&json!(3), &json!("both.rate")),
        "{answer:#}"
    );
    let answer = scene.ask_for(400, "PUT", "/link", r#"{"name": "gprss"}"#)?;
    assert_eq!(answer["error"]["problems"][0]["suggestion"], "gprs");
    let change = "/link/changes";
    for (status, method, path, body, word) in [
        (400, "PUT", "/link", "{", "EOF"),
        (400, "PUT", "/link", r#"{"nmae": "gprs"}"#, "nmae"),
        (400, "PUT", "/link", r#"{"name": "gprs", "profile": "x"}"#, "either"),
        (400, "PUT", "/link", "{}", "either"),
        (400, "PUT", "/link", r#"{"name": "gprs", "seed": -1}"#, "seed"),
        (400, "PUT", "/link", r#"{"name": "../../etc/passwd.toml"}"#, "outside"),
        (400, "POST", change, r#"{"kind": "hold", "for": "ever"}"#, "ever"),
        (400, "POST", change, r#"{"kind": "set", "set": {"loss": "3"}}"#, "3"),
        (400, "POST", change, r#"{"kind": "hold", "direction": "left"}"#, "left"),
        (404, "DELETE", "/link/changes/9", "", "9"),
        (404, "DELETE", "/link/changes/-", "", "-"),
        (404, "GET", "/", "", "address"),
        (405, "POST", "/link", "{}", "method"),
        (413, "PUT", "/link", &" ".repeat(2 << 20), "octets"),
    ] {
        let answer = scene.ask_for(status, method, path, body)?;
        assert!(
            answer["error"].to_string().contains(word),
            "{method} {path} {body}: {answer:#}"
        );
    }
    let link = scene.link()?;
    assert_eq!(
        (&link["link"]["name"], &link["changes"]),
        (&json!("transparent"), &json!([])),
        "nothing was done"
    );
    Ok(())
}

fn left_to_the_kernel() -> Result<(), Failed> {
    let scene = Scene::with(&[])?;
    // The emulator's own address: its kernel answers.
    scene.ping(GATEWAY)?;
    // Nobody's network, and somebody who is not there.
    let client = scene.udp(CLIENT)?;
    client.send_to(b"?", (Ipv4Addr::new(203, 0, 113, 1), 7000))?;
    client.send_to(b"?", (Ipv4Addr::new(198, 18, 1, 77), 7000))?;
    let link = scene.link_when(|link| link["up"]["dropped"]["unreachable"] == 1)?;
    assert_eq!(link["up"]["packets"], 0, "{link:#}");
    let dropped: BTreeMap<String, u64> = serde_json::from_value(link["up"]["dropped"].clone())?;
    assert_eq!(dropped.values().sum::<u64>(), 1, "{link:#}");
    Ok(())
}

fn kept_out() -> Result<(), Failed> {
    let scene = Scene::with(&[])?;
    // Its address on either side, and one that only the weak host model lets through.
    for address in [GATEWAY, Ipv4Addr::new(198, 18, 2, 2), Ipv4Addr::new(198, 18, 1, 254)] {
        let answer = request(&scene.client, SocketAddrV4::new(address, 7411), "GET", "/link", "");
        assert!(answer.is_err(), "{answer:?}");
    }
    let health = scene.ask_for(200, "GET", "/health", "")?;
    assert_eq!(health["version"], env!("CARGO_PKG_VERSION"));
    Ok(())
}

/// What Prometheus reads.
#[derive(Default)]
struct Scraped {
    /// By name and labels.
    samples: BTreeMap<String, String>,
    /// Of each metric, by its name.
    kinds: BTreeMap<String, String>,
}

fn scraped(text: &str) -> Result<Scraped, Failed> {
    let Scraped { mut samples, mut kinds } = Scraped::default();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(said) = line.strip_prefix("# TYPE ") {
            let (name, kind) = said.split_once(' ').ok_or("no kind")?;
            assert!(kinds.insert(name.to_owned(), kind.to_owned()).is_none(), "{name} twice");
        } else if !line.starts_with('#') {
            let (sample, value) = line.rsplit_once(' ').ok_or("no value")?;
            assert!(
                samples.insert(sample.to_owned(), value.to_owned()).is_none(),
                "{sample} twice"
            );
        }
    }
    assert!(text.ends_with("# EOF\n"));
    Ok(Scraped { samples, kinds })
}

fn metrics() -> Result<(), Failed> {
    let scene = Scene::with(&[])?;
    scene.ask_for(200, "PUT", "/link", &delayed(5))?;
    scene.ask_for(201, "POST", "/link/changes", r#"{"kind": "hold", "direction": "down"}"#)?;
    scene.ask_for(201, "POST", "/link/changes", r#"{"kind": "drop", "direction": "up"}"#)?;
    let client = scene.udp(CLIENT)?;
    client.send_to(&[0; 72], (SERVER, 7000))?;
    scene.link_when(|link| link["up"]["dropped"]["outage"] == 1)?;
    scene.ask_for(200, "DELETE", "/link/changes", "")?;
    scene.ping(SERVER)?;
    scene.link_when(|link| link["up"]["packets"] == 1 && link["down"]["packets"] == 1)?;
    let Scraped { samples, kinds } = scraped(&scene.ask("GET", "/metrics", "")?.body)?;
    let names: BTreeSet<_> = kinds.keys().map(String::as_str).collect();
    let promised: BTreeSet<_> = METRICS
        .iter()
        .map(|metric| metric.name.strip_suffix("_total").unwrap_or(metric.name))
        .collect();
    assert_eq!(names, promised);
    for metric in METRICS {
        let name = metric.name.strip_suffix("_total").unwrap_or(metric.name);
        assert_eq!(kinds[name], metric.kind, "{name}");
    }
    let value = |sample: &str| {
        samples
            .get(sample)
            .map(String::as_str)
            .ok_or_else(|| format!("no {sample} in {samples:#?}"))
    };
    for (sample, expected) in [
        (r#"windlull_link_packets_total{direction="up"}"#, "1.0"),
        (r#"windlull_link_packets_total{direction="down"}"#, "1.0"),
        (r#"windlull_link_octets_total{direction="up"}"#, "28.0"),
        (r#"windlull_link_drops_total{direction="up",cause="outage"}"#, "1.0"),
        (r#"windlull_link_drops_total{direction="down",cause="queue"}"#, "0.0"),
        (r#"windlull_link_marks_total{direction="down"}"#, "0.0"),
        (r#"windlull_link_held{direction="down"}"#, "0.0"),
        (r#"windlull_link_holds_total{direction="down"}"#, "1.0"),
        (r#"windlull_link_changes_total{kind="hold"}"#, "1.0"),
        (r#"windlull_link_changes_total{kind="set"}"#, "0.0"),
        (r#"windlull_emulator_runs_total{outcome="done"}"#, "0.0"),
        ("windlull_link_release_error_seconds_count", "2"),
        (r#"windlull_link_release_error_seconds_bucket{le="+Inf"}"#, "2"),
        ("windlull_emulator_lent", "0.0"),
    ] {
        assert_eq!(value(sample)?, expected, "{sample}");
    }
    let rate = value(r#"windlull_link_rate_bits_per_second{direction="down"}"#)?;
    assert_eq!(rate, "100000000.0");
    let info: Vec<_> = samples
        .keys()
        .filter(|name| name.starts_with("windlull_emulator_info{"))
        .collect();
    assert!(
        matches!(&info[..], [one] if one.contains(r#"link="profile""#)),
        "{info:?}"
    );
    Ok(())
}

fn sigterm() -> Result<(), Failed> {
    let mut scene = Scene::with(&[])?;
    scene.ask_for(201, "POST", "/link/changes", r#"{"kind": "hold"}"#)?;
    assert_eq!(
        scene.packet_sockets()?,
        4,
        "one to receive and one to send on either side"
    );
    let (code, said) = scene.end(Signal::SIGTERM)?;
    assert_eq!(code, Some(0), "{said:?}");
    let lines: Vec<Value> = said
        .iter()
        .map(|line| serde_json::from_str(line))
        .collect::<Result<_, _>>()?;
    let events: Vec<_> = lines
        .iter()
        .map(|line| line["event"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(events, ["change", "ended"]);
    assert_eq!(scene.packet_sockets()?, 0);
    let addresses = scene.router.command("ip", &["-brief", "-4", "address"])?;
    assert!(!addresses.contains(".254/"), "{addresses}");
    Ok(())
}

fn sigkill() -> Result<(), Failed> {
    let mut scene = Scene::with(&[])?;
    scene.ping(SERVER)?;
    let (code, said) = scene.end(Signal::SIGKILL)?;
    assert_eq!((code, said.len()), (None, 0), "{said:?}");
    assert_eq!(scene.packet_sockets()?, 0);
    let rules = scene.router.command("ip", &["rule"])?;
    assert_eq!(rules.lines().count(), 3, "{rules}");
    let queues = scene.router.command("tc", &["qdisc", "show", "dev", "to-server"])?;
    assert!(queues.contains("noqueue"), "{queues}");
    Ok(())
}

fn restored() -> Result<(), Failed> {
    let state = tempfile::tempdir()?;
    let kept = [
        "--state",
        state.path().to_str().ok_or("a path of letters")?,
        "--link",
        "gprs",
    ];
    let mut scene = Scene::with(&kept)?;
    assert_eq!(scene.link()?["link"]["name"], "gprs");
    let text = "title = \"Mine\"\nextends = \"base\"\n[down]\ndelay = \"90 ms\"\n";
    let base = "title = \"Base\"\nextends = \"umts-3g\"\n";
    let body = json!({ "profile": text, "seed": "9", "links": { "base": base } }).to_string();
    scene.ask_for(200, "PUT", "/link", &body)?;
    for change in [
        r#"{"kind": "set", "direction": "up", "set": {"loss": "5 %"}, "for": "1 h"}"#,
        r#"{"kind": "drop", "for": "1 ms"}"#,
        r#"{"kind": "hold", "direction": "down"}"#,
    ] {
        scene.ask_for(201, "POST", "/link/changes", change)?;
    }
    let before = scene.link_when(|link| link["changes"].as_array().is_some_and(|all| all.len() == 2))?;
    assert_eq!((&before["restored"], &before["lost"]), (&json!(false), &Value::Null));

    scene.end(Signal::SIGKILL)?;
    assert_eq!(scene.start(&kept)?["restored"], true);
    let after = scene.link_when(|link| link["down"]["held"] == true)?;
    assert_eq!((&after["link"], &after["seed"]), (&before["link"], &before["seed"]));
    assert_eq!((&after["restored"], &after["lost"]), (&json!(true), &Value::Null));
    for change in [0, 1] {
        for key in ["kind", "direction", "set"] {
            assert_eq!(before["changes"][change][key], after["changes"][change][key], "{key}");
        }
    }
    assert!(after["changes"][0]["until"].is_string() && after["changes"][1]["until"].is_null());

    // The transparent one again, which is kept like another.
    scene.ask_for(200, "PUT", "/link", r#"{"name": "transparent"}"#)?;
    scene.end(Signal::SIGTERM)?;
    scene.start(&kept)?;
    assert_eq!(scene.link()?["link"]["name"], "transparent");
    Ok(())
}

fn lost() -> Result<(), Failed> {
    let state = tempfile::tempdir()?;
    let kept = [
        "--state",
        state.path().to_str().ok_or("a path of letters")?,
        "--link",
        "gprs",
    ];
    std::fs::write(state.path().join("link.json"), "{\"format\":1,\"link\":")?;
    let scene = Scene::with(&kept)?;
    let link = scene.link()?;
    assert_eq!(
        (&link["link"]["name"], &link["restored"]),
        (&json!("gprs"), &json!(false))
    );
    assert!(
        link["lost"].as_str().is_some_and(|why| why.contains("link.json")),
        "{link}"
    );
    let metrics = scene.ask("GET", "/metrics", "")?.body;
    assert!(metrics.contains("windlull_emulator_link_lost 1"), "{metrics}");
    // Another link can stand, and be kept.
    scene.ask_for(200, "PUT", "/link", r#"{"name": "umts-3g"}"#)?;
    Ok(())
}

fn forwarding() -> Result<(), Failed> {
    let scene = Scene::hosts()?;
    scene.router.set_sysctl("net.ipv4.ip_forward", "1")?;
    let engine = env!("CARGO_BIN_EXE_windlull-engine");
    let refused = scene.router.command(
        engine,
        &["emulate", "--server-side", "to-server", "--client-side", "to-client"],
    );
    let error = refused.expect_err("it must not start").to_string();
    assert!(error.contains("net.ipv4.ip_forward=0"), "{error}");
    let wrong = scene.router.command(
        engine,
        &["emulate", "--server-side", "to-nowhere", "--client-side", "to-client"],
    );
    let error = wrong.expect_err("there is no such device").to_string();
    assert!(error.contains("there are lo, to-client, to-server"), "{error}");
    Ok(())
}
