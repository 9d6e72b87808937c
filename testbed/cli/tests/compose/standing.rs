//! The standing link by the kernel's own means, as containers of one's own have it: hosts with all offloads on, which
//! know nothing of the emulator but that it is their router. Where the kernel lacks a part of it, the model plays, and
//! that is said; `make test-kernel` runs this in a kernel that has all.

use std::time::Duration;

use libtest_mimic::Failed;
use serde_json::{Value, json};

use crate::networks::{Networks, Role};
use crate::runs::Run;
use crate::traffic::{Hosts, stream};

const LINK: &str = r#"
title = "Mine"
[both]
rate  = "400 kbit/s"
delay = "30 ms"
queue = { kind = "droptail", limit = "20 packets" }
"#;

/// The emulator, asked from its own namespace.
struct Control<'a>(&'a Networks);

impl Control<'_> {
    fn link(&self) -> Result<Value, Failed> {
        self.0.ask(200, "GET", "/link", &Value::Null)
    }

    /// The same once the kernel may be asked anew.
    fn counted(&self) -> Result<Value, Failed> {
        std::thread::sleep(Duration::from_millis(150));
        self.link()
    }

    fn load(&self, plane: &str) -> Result<Value, Failed> {
        self.0
            .ask(200, "PUT", "/link", &json!({ "profile": LINK, "plane": plane }))
    }

    fn change(&self, change: &Value) -> Result<Value, Failed> {
        self.0.ask(201, "POST", "/link/changes", change)
    }

    fn clear(&self) -> Result<Value, Failed> {
        self.0.ask(200, "DELETE", "/link/changes", &Value::Null)
    }

    /// What is wrong with a request, which must be refused for it.
    fn refused(&self, method: &str, path: &str, body: &Value) -> Result<Vec<(String, String)>, Failed> {
        let answer = self.0.ask(400, method, path, body)?;
        let problems = answer["error"]["problems"].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(problems
            .iter()
            .map(|problem| (text(&problem["key"]), text(&problem["message"])))
            .collect())
    }

    fn has_netem(&self) -> Result<bool, Failed> {
        let link = self.link()?;
        assert_eq!(link["planes"][0], json!({"name": "model", "works": true, "why": null}));
        assert_eq!(link["planes"][1]["name"], "netem");
        Ok(link["planes"][1]["works"] == true)
    }

    /// Where there is none: the model plays, and who asks for the other is told what is missing.
    fn must_be_refused(&self) -> Result<(), Failed> {
        let link = self.link()?;
        let why = link["planes"][1]["why"].as_str().unwrap_or_default();
        assert!(!why.is_empty(), "{link}");
        let problems = self.refused("PUT", "/link", &json!({ "profile": LINK, "plane": "netem" }))?;
        let (key, message) = &problems[0];
        assert_eq!(key, "plane");
        assert!(
            message.contains(why) && message.contains("the model plane can"),
            "{message}"
        );
        assert_eq!(self.link()?["link"]["name"], "transparent");
        assert_eq!(self.load("model")?["plane"], "model");
        Ok(())
    }
}

fn within(what: &str, took: Duration, from_ms: u64, to_ms: u64) {
    let wanted = Duration::from_millis(from_ms)..Duration::from_millis(to_ms);
    assert!(wanted.contains(&took), "{what}: {took:?}, not {wanted:?}");
}

/// Loaded, measured, changed by hand, and gone.
pub(crate) fn stands_between_two_bridges() -> Result<(), Failed> {
    let networks = Networks::build()?;
    let rules = networks.rules()?;
    let _processes = networks.start_all()?;
    let control = Control(&networks);
    if !control.has_netem()? {
        return control.must_be_refused();
    }
    let hosts = Hosts::open(&networks)?;
    assert_eq!(networks.rules()?, rules, "the trial left something");
    let link = control.load("netem")?;
    assert_eq!(link["plane"], "netem");
    assert_eq!(
        (&link["up"]["rate_bps"], &link["up"]["delay_ms"]),
        (&json!(400_000), &json!(30.0))
    );
    // What the plane cannot tell is not there.
    let causes: Vec<&String> = link["up"]["dropped"].as_object().ok_or("no causes")?.keys().collect();
    assert_eq!(causes, ["chosen", "loss", "outage", "queue"]);
    // The first packets: neither side is known to the kernel yet.
    hosts.up(100)?;
    hosts.down(100)?;
    // 1000 octets at 400 kbit/s, and 30 ms.
    within("up", hosts.up(1_000)?, 50, 60);
    within("down", hosts.down(1_000)?, 50, 60);
    let took = stream(
        networks.namespace(Role::Server),
        networks.namespace(Role::Client),
        100_000,
    )?;
    within("100 kB at 400 kbit/s", took, 2_000, 5_000);
    let link = control.counted()?;
    // However large the sender's segments were, no packet is above the MTU.
    let (packets, octets) = (link["down"]["packets"].as_u64(), link["down"]["octets"].as_u64());
    assert!(packets >= Some(100_000 / 1_448), "{link:#}");
    assert!(octets <= packets.map(|packets| packets * 1_500), "{link:#}");

    // Charts over time have the kernel's counts, although nobody asks for the link.
    hosts.up(1_000)?;
    std::thread::sleep(Duration::from_millis(2_200));
    let history = networks.ask(200, "GET", "/link/history", &Value::Null)?;
    let last = history["samples"].as_array().and_then(|samples| samples.last());
    let charted = last.map(|sample| sample["up"]["packets"].clone());
    assert_eq!(charted, Some(control.link()?["up"]["packets"].clone()), "{history}");

    changes_by_hand(&control, &hosts)?;
    refusals(&control)?;

    // A run borrows the devices, and the link stands again on its plane.
    Run::netem(&networks, &[]).done()?;
    let link = control.link()?;
    assert_eq!((&link["plane"], &link["state"]), (&json!("netem"), &json!("standing")));
    within("after a run", hosts.up(1_000)?, 50, 60);

    control.load("model")?;
    assert_eq!(networks.rules()?, rules, "something of the plane was left");
    within("the model", hosts.up(1_000)?, 50, 60);
    networks.must_be_empty()
}

fn changes_by_hand(control: &Control<'_>, hosts: &Hosts) -> Result<(), Failed> {
    let set = |set: Value| json!({ "kind": "set", "direction": "up", "set": set });
    control.change(&set(json!({ "delay": "200 ms", "rate": "80 kbit/s" })))?;
    within("up, slower", hosts.up(1_000)?, 300, 310);
    within("down, as before", hosts.down(1_000)?, 50, 60);
    control.clear()?;
    within("up, as before", hosts.up(1_000)?, 50, 60);

    let before = control.counted()?;
    control.change(&set(json!({ "loss": "30 %" })))?;
    // No more than a socket has room for.
    let came = hosts.many_up(200, Duration::from_millis(2))?.len() as u64;
    let link = control.counted()?;
    let since = |key: &[&str]| {
        let of = |link: &Value| key.iter().fold(&link["up"], |value, key| &value[key]).as_u64();
        of(&link).zip(of(&before)).map(|(now, before)| now - before)
    };
    assert_eq!(since(&["packets"]), Some(came));
    assert_eq!(since(&["dropped", "loss"]), Some(200 - came));
    // 140 are expected to come; the deviation is 6.5.
    assert!((108..=172).contains(&came), "{came} of 200");
    control.clear()?;

    control.change(&json!({ "kind": "hold", "direction": "up", "for": "3 s" }))?;
    assert_eq!(control.link()?["up"]["held"], true);
    let took = hosts.up(100)?;
    within("held", took, 2_500, 3_200);
    assert_eq!(control.link()?["changes"], json!([]));

    control.change(&json!({ "kind": "drop", "direction": "up" }))?;
    assert_eq!(hosts.many_up(5, Duration::ZERO)?, [0; 0]);
    let link = control.counted()?;
    assert_eq!(
        (&link["up"]["dropping"], &link["up"]["dropped"]["outage"]),
        (&json!(true), &json!(5))
    );
    control.clear()?;
    assert_eq!(hosts.many_up(3, Duration::ZERO)?, [0, 1, 2]);
    Ok(())
}

fn refusals(control: &Control<'_>) -> Result<(), Failed> {
    for (set, key, why) in [
        (json!({ "rate": "500 bit/s" }), "set.rate", "1 kbit/s"),
        (json!({ "delay": "200 s", "loss": "1 %" }), "set.delay", "137"),
    ] {
        let problems = control.refused("POST", "/link/changes", &json!({ "kind": "set", "set": set }))?;
        let (said, message) = &problems[0];
        assert_eq!(said, key);
        assert!(
            message.contains(why) && message.contains("the model plane can"),
            "{message}"
        );
    }
    assert_eq!(control.link()?["changes"], json!([]));
    let problems = control.refused("PUT", "/link", &json!({ "name": "gprs", "plane": "netem" }))?;
    assert!(problems.iter().any(|(key, _)| key == "[both] arq"), "{problems:?}");
    assert_eq!(control.link()?["link"]["title"], "Mine");
    Ok(())
}

/// Killed while it stands and a hand has changed it: it is there again, once.
pub(crate) fn survives_a_kill() -> Result<(), Failed> {
    let networks = Networks::build()?;
    let rules = networks.rules()?;
    let mut processes = networks.start_all()?;
    let control = Control(&networks);
    if !control.has_netem()? {
        return control.must_be_refused();
    }
    let hosts = Hosts::open(&networks)?;
    control.load("netem")?;
    control.change(&json!({ "kind": "set", "direction": "down", "set": { "delay": "90 ms" } }))?;
    hosts.up(100)?;
    hosts.down(100)?;
    within("down, as changed", hosts.down(1_000)?, 110, 120);
    let standing = networks.devices()?;
    processes.kill(Role::Emulator)?;
    assert!(networks.rules()?.contains("down-queue"), "a kill does not tidy up");
    processes.start(&networks, Role::Emulator)?;
    let link = control.link()?;
    assert_eq!(
        (&link["plane"], &link["restored"], &link["lost"]),
        (&json!("netem"), &json!(true), &Value::Null)
    );
    assert_eq!(link["changes"][0]["set"]["delay"], "90 ms");
    assert_eq!(networks.devices()?, standing, "devices of the plane are there twice");
    within("down, after the kill", hosts.down(1_000)?, 110, 120);
    within("up, after the kill", hosts.up(1_000)?, 50, 60);
    // Told to end it leaves nothing.
    processes.end(Role::Emulator)?;
    assert_eq!(networks.rules()?, rules, "something of the plane was left");
    // Killed once more, and the next one plays the model: nothing of the plane is left either.
    processes.start(&networks, Role::Emulator)?;
    processes.kill(Role::Emulator)?;
    networks.forget_link()?;
    processes.start(&networks, Role::Emulator)?;
    assert_eq!(control.link()?["plane"], "model");
    assert_eq!(networks.rules()?, rules, "something of the plane was left");
    networks.must_be_empty()
}
