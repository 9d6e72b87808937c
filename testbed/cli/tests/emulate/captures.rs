//! Captures of the link on demand.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use windlull_capture::{Crossing, read_pcap};

use crate::scene::{CLIENT, HTTP, PATIENCE, SERVER, Scene};

/// A socket at either host, bound once: another test that starts a program holds a copy of each socket for a moment, and
/// the port of a closed one with it.
struct Pair {
    server: UdpSocket,
    client: UdpSocket,
}

impl Pair {
    fn of(scene: &Scene) -> Result<Self, Failed> {
        Ok(Self {
            server: scene.udp(SERVER)?,
            client: scene.udp(CLIENT)?,
        })
    }

    /// One of ours: its payload says which.
    fn send(&self, number: u8) -> Result<(), Failed> {
        self.client.send_to(&[number; 400], (SERVER, 7000))?;
        self.server.recv(&mut [0; 500])?;
        Ok(())
    }
}

/// The file of a capture, fetched.
fn fetch(scene: &Scene, id: u64) -> Result<Vec<u8>, Failed> {
    let mut stream = scene
        .router
        .run(|| TcpStream::connect_timeout(&SocketAddr::V4(HTTP), PATIENCE))??;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(
        stream,
        "GET /captures/{id}/file HTTP/1.1\r\nHost: {HTTP}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let end = answer
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .ok_or("no head")?;
    let head = String::from_utf8(answer[..end].to_vec())?;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let file = answer.split_off(end + 4);
    assert!(
        head.to_lowercase().contains(&format!("content-length: {}", file.len())),
        "{head}"
    );
    Ok(file)
}

fn when(scene: &Scene, is_so: impl Fn(&Value) -> bool) -> Result<Value, Failed> {
    let start = Instant::now();
    loop {
        let list = scene.ask_for(200, "GET", "/captures", "")?;
        if is_so(&list["captures"]) {
            return Ok(list["captures"].clone());
        }
        assert!(start.elapsed() < PATIENCE, "{list:#}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn names(directory: &Path) -> Result<Vec<String>, Failed> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory.join("captures"))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

pub(crate) fn both_devices() -> Result<(), Failed> {
    let state = tempfile::tempdir()?;
    let scene = Scene::with(&["--state", state.path().to_str().ok_or("a path of letters")?])?;
    let pair = Pair::of(&scene)?;
    pair.send(1)?;
    let begun = scene.ask_for(201, "POST", "/captures", r#"{"limit": "1 MB", "snaplen": "100 B"}"#)?;
    assert_eq!(
        (&begun["id"], &begun["state"], &begun["limit_bytes"], &begun["snaplen"]),
        (&json!(1), &json!("running"), &json!(1_000_000), &json!(100))
    );
    let answer = scene.ask_for(409, "POST", "/captures", "{}")?;
    assert!(
        answer["error"]["message"]
            .as_str()
            .is_some_and(|why| why.contains("capture 1 is under way")),
        "{answer}"
    );
    for (method, path) in [("GET", "/captures/1/file"), ("DELETE", "/captures/1")] {
        scene.ask_for(409, method, path, "")?;
    }
    pair.send(2)?;
    pair.send(3)?;
    let ended = scene.ask_for(200, "POST", "/captures/1/stop", "")?;
    assert_eq!((&ended["state"], &ended["dropped"]), (&json!("stopped"), &json!(0)));
    pair.send(4)?;
    scene.ask_for(409, "POST", "/captures/1/stop", "")?;
    let file = fetch(&scene, 1)?;
    assert_eq!(ended["bytes"], file.len());

    // Each datagram of ours is seen where it came in and where it went out, cut, and in the order of time.
    let mut seen = Vec::new();
    let mut last_ns = 0;
    let mut reader = read_pcap(&file[..])?;
    while let Some(packet) = reader.next_packet()? {
        let at_ns = packet.at_ns.ok_or("no stamp")?;
        assert!(at_ns >= last_ns, "{at_ns} after {last_ns}");
        last_ns = at_ns;
        if packet.original_len == 14 + 20 + 8 + 400 {
            assert_eq!(packet.octets.len(), 100);
            seen.push((packet.octets[99], packet.way.ok_or("no direction")?));
        }
    }
    assert_eq!(
        seen,
        [
            (2, Crossing::Inbound),
            (2, Crossing::Outbound),
            (3, Crossing::Inbound),
            (3, Crossing::Outbound)
        ]
    );

    // Others read it, too: both interfaces by their names, and stamps with nanoseconds.
    let path = state.path().join("captures/capture-1.pcapng");
    let answer = Command::new("tshark")
        .args([
            "-r",
            path.to_str().ok_or("a path of letters")?,
            "-Y",
            "udp.port == 7000",
            "-T",
            "fields",
        ])
        .args([
            "-e",
            "frame.interface_name",
            "-e",
            "frame.time_epoch",
            "-e",
            "frame.len",
            "-e",
            "frame.cap_len",
        ])
        .output()?;
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    let answer = String::from_utf8(answer.stdout)?;
    let lines: Vec<Vec<&str>> = answer.lines().map(|line| line.split('\t').collect()).collect();
    let devices: Vec<&str> = lines.iter().map(|line| line[0]).collect();
    assert_eq!(
        devices,
        ["to-client", "to-server", "to-client", "to-server"],
        "{answer}"
    );
    for line in &lines {
        assert_eq!(
            line[1].split_once('.').map(|(_, digits)| digits.len()),
            Some(9),
            "{answer}"
        );
        assert_eq!(line[2..], ["442", "100"], "{answer}");
    }

    let left = scene.ask_for(200, "DELETE", "/captures/1", "")?;
    assert_eq!(left["captures"], json!([]));
    scene.ask_for(404, "GET", "/captures/1/file", "")?;
    assert_eq!(names(state.path())?, [""; 0]);
    // Numbers are not used again while the process lives.
    assert_eq!(scene.ask_for(201, "POST", "/captures", "{}")?["id"], 2);
    Ok(())
}

pub(crate) fn limits() -> Result<(), Failed> {
    let state = tempfile::tempdir()?;
    let scene = Scene::with(&["--state", state.path().to_str().ok_or("a path of letters")?])?;
    let pair = Pair::of(&scene)?;
    for (body, key) in [
        (r#"{"limit": "1 B"}"#, "limit"),
        (r#"{"limit": "2 GB"}"#, "limit"),
        (r#"{"limit": "much"}"#, "limit"),
        (r#"{"snaplen": "20 B"}"#, "snaplen"),
        (r#"{"snaplen": "1 MB"}"#, "snaplen"),
    ] {
        let answer = scene.ask_for(400, "POST", "/captures", body)?;
        assert_eq!(answer["error"]["problems"][0]["key"], key, "{body}: {answer:#}");
    }
    scene.ask_for(400, "POST", "/captures", r#"{"size": "1 MB"}"#)?;
    let limits = scene.ask_for(200, "GET", "/captures", "")?["limits"].clone();
    assert_eq!(
        (&limits["default_bytes"], &limits["most_bytes"]),
        (&json!(100_000_000), &json!(1_000_000_000))
    );
    // It ends by itself where the file has as much as it may, and is whole.
    scene.ask_for(201, "POST", "/captures", r#"{"limit": "10 kB"}"#)?;
    for number in 0..20 {
        pair.send(number)?;
    }
    let full = when(&scene, |captures| captures[0]["state"] == "full")?;
    let file = fetch(&scene, 1)?;
    assert_eq!(full[0]["bytes"], file.len());
    assert!(file.len() <= 10_000 && file.len() > 9_000, "{}", file.len());
    let mut reader = read_pcap(&file[..])?;
    let mut packets = 0;
    while reader.next_packet()?.is_some() {
        packets += 1;
    }
    assert_eq!(full[0]["packets"], packets);
    // As many as there may be, and no more.
    for id in 2..=20 {
        scene.ask_for(201, "POST", "/captures", r#"{"limit": "10 kB"}"#)?;
        scene.ask_for(200, "POST", &format!("/captures/{id}/stop"), "")?;
    }
    let answer = scene.ask_for(409, "POST", "/captures", "{}")?;
    assert!(
        answer["error"]["message"]
            .as_str()
            .is_some_and(|why| why.contains("20 captures")),
        "{answer}"
    );
    scene.ask_for(200, "DELETE", "/captures/7", "")?;
    scene.ask_for(201, "POST", "/captures", "{}")?;
    Ok(())
}

pub(crate) fn whole_or_gone() -> Result<(), Failed> {
    let state = tempfile::tempdir()?;
    let kept = ["--state", state.path().to_str().ok_or("a path of letters")?];
    let mut scene = Scene::with(&kept)?;
    let pair = Pair::of(&scene)?;
    scene.ask_for(201, "POST", "/captures", "{}")?;
    pair.send(1)?;
    let (code, said) = scene.end(Signal::SIGTERM)?;
    assert_eq!(code, Some(0), "{said:?}");
    assert_eq!(names(state.path())?, ["capture-1.json", "capture-1.pcapng"]);
    scene.start(&kept)?;
    let captures = scene.ask_for(200, "GET", "/captures", "")?["captures"].clone();
    assert_eq!(
        (&captures[0]["id"], &captures[0]["state"]),
        (&json!(1), &json!("stopped"))
    );
    let file = fetch(&scene, 1)?;
    let mut reader = read_pcap(&file[..])?;
    let mut ours = 0;
    while let Some(packet) = reader.next_packet()? {
        ours += u32::from(packet.original_len == 442);
    }
    assert_eq!(ours, 2);

    assert_eq!(scene.ask_for(201, "POST", "/captures", "{}")?["id"], 2);
    pair.send(2)?;
    scene.end(Signal::SIGKILL)?;
    scene.start(&kept)?;
    let captures = scene.ask_for(200, "GET", "/captures", "")?["captures"].clone();
    assert_eq!(captures.as_array().map(Vec::len), Some(1), "{captures:#}");
    assert_eq!(names(state.path())?, ["capture-1.json", "capture-1.pcapng"]);
    Ok(())
}

pub(crate) fn without_a_place() -> Result<(), Failed> {
    let scene = Scene::with(&[])?;
    let list = scene.ask_for(200, "GET", "/captures", "")?;
    assert!(
        list["unavailable"]
            .as_str()
            .is_some_and(|why| why.contains("--state DIR")),
        "{list}"
    );
    let answer = scene.ask_for(409, "POST", "/captures", "{}")?;
    assert_eq!(answer["error"]["message"], list["unavailable"]);
    scene.ask_for(404, "POST", "/captures/1/stop", "")?;
    scene.ask_for(404, "DELETE", "/captures/x", "")?;
    Ok(())
}
