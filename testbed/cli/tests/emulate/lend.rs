//! Runs that borrow the devices of a link that stands, in this very process.

use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use libtest_mimic::Failed;
use nix::sys::signal::{Signal, raise};
use serde_json::{Value, json};
use windlull_agent::{Build, Pace, Settings, Side};
use windlull_link::model::{LinkModel, PathModel};
use windlull_plane::Epoch;
use windlull_plane::lend::{Ended, LendError, Lender};
use windlull_plane::model::{self, PortKind};
use windlull_units::{Network, Seed, Span};

use crate::scene::{HTTP, SERVER, Scene};

pub(crate) fn borrow() -> Result<(), Failed> {
    let scene = Scene::hosts()?;
    let side = |device: &str, address: &str| -> Result<Side, Failed> {
        Ok(Side {
            device: Some(device.to_owned()),
            address: Some(address.parse()?),
        })
    };
    let settings = Settings {
        server: side("to-server", "198.18.1.254/24")?,
        client: side("to-client", "198.18.2.254/24")?,
        listen: HTTP.into(),
        link: None,
        plane: windlull_agent::PlaneKind::Model,
        without_netem: None,
        state: None,
        seed: Seed::new(1),
        pace: Pace::Frugal,
        profiles: Vec::new(),
        build: Build {
            version: "1",
            commit: "abc",
        },
    };
    let (sender, lender) = sync_channel(1);
    let process = scene.router.spawn("emulator", move || {
        windlull_agent::run(
            &settings,
            |lender| {
                sender.send(lender).map_err(|error| error.to_string())?;
                Ok(None)
            },
            None,
        )
    })?;
    let Ok(lender) = lender.recv() else {
        return Err(format!("{:?}", process.join()).into());
    };
    let borrowed = scenario(&scene, &lender);
    // Signals go to the process, and the emulator in it is the only one that listens.
    raise(Signal::SIGTERM)?;
    let ended = process.join().expect("it does not panic");
    borrowed?;
    ended??;
    assert!(matches!(lender.lend("late"), Err(LendError::Ending)));
    Ok(())
}

fn scenario(scene: &Scene, lender: &Arc<dyn Lender>) -> Result<(), Failed> {
    scene.ask_for(201, "POST", "/link/changes", r#"{"kind": "hold"}"#)?;
    let loan = scene.router.run(|| lender.lend("gprs/sack/001"))??;
    let link = scene.link()?;
    assert_eq!(
        (&link["state"], &link["run"]),
        (&json!("lent"), &json!("gprs/sack/001"))
    );
    assert_eq!(link["changes"], json!([]));
    for (method, path, body) in [
        ("PUT", "/link", r#"{"name": "gprs"}"#),
        ("POST", "/link/changes", r#"{"kind": "hold"}"#),
        ("DELETE", "/link/changes", ""),
        ("DELETE", "/link/changes/1", ""),
    ] {
        let status = scene.ask(method, path, body)?;
        // Of a profiles directory that is not there no link is known: that is found first.
        assert!(status.status == 409 || path == "/link", "{status:?}");
    }
    assert!(matches!(lender.lend("another"), Err(LendError::Lent { run }) if run == "gprs/sack/001"));
    assert_eq!(metric(scene, "windlull_emulator_lent")?, "1.0");
    // The run plays a link of its own, and has its whole story.
    let (loan, ports) = scene.router.run(move || {
        let ports = loan.visible().ports(loan.devices(), PortKind::Gateway);
        (loan, ports)
    })?;
    let [to_server, to_client] = ports?;
    let run = LinkModel::symmetric(PathModel::plain(None, Span::from_ms(30)));
    let setup = model::Setup {
        link: &run,
        access: None,
        crossing: &[],
        network: Network::Ipv4,
        seed: Seed::new(1),
        epoch: Epoch::begin(),
        pace: Pace::Frugal,
    };
    let carried = metric(scene, r#"windlull_link_packets_total{direction="down"}"#)?;
    let running = model::start_watched(setup, to_server, to_client, loan.monitor())?;
    assert!(scene.ping(SERVER)?.as_millis() >= 60);
    let log = running.stop()?;
    // What the run's link does is counted as the standing one's is; the link's own answer begins at nothing.
    let link = scene.link()?;
    assert_eq!(
        (&link["down"]["packets"], &link["up"]["packets"]),
        (&json!(1), &json!(1))
    );
    assert_ne!(
        metric(scene, r#"windlull_link_packets_total{direction="down"}"#)?,
        carried
    );
    assert_eq!((log.fates.len(), log.accuracy.drops()), (2, 0));
    scene.router.run(|| loan.give_back(Ended::Done))?;
    let link = scene.link()?;
    assert_eq!((&link["state"], &link["run"]), (&json!("standing"), &Value::Null));
    // What was changed by hand before the run is changed again.
    assert_eq!(link["changes"][0]["kind"], "hold");
    assert_eq!(link["up"]["held"], true);
    scene.ask_for(200, "DELETE", "/link/changes", "")?;
    scene.ping(SERVER)?;
    scene.router.run(|| lender.lend("lost").map(drop))??;
    scene.ping(SERVER)?;
    assert_eq!(metric(scene, r#"windlull_emulator_runs_total{outcome="done"}"#)?, "1.0");
    assert_eq!(
        metric(scene, r#"windlull_emulator_runs_total{outcome="failed"}"#)?,
        "1.0"
    );
    assert_eq!(metric(scene, "windlull_emulator_lent")?, "0.0");
    Ok(())
}

fn metric(scene: &Scene, sample: &str) -> Result<String, Failed> {
    let text = scene.ask("GET", "/metrics", "")?.body;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
    Ok(line.ok_or_else(|| format!("no {sample} in {text}"))?.to_owned())
}
