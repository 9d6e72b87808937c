//! The episodes of the papers' scenarios, as a run writes them.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The episodes of a variant's run of a figure of Sarolahti et al. 2003, and the run's own list of timeouts.
fn episodes(figure: u32, variant: &str) -> (Vec<Value>, Value) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let place = tempfile::tempdir().expect("a directory can be made");
    let ran = Command::new(env!("CARGO_BIN_EXE_windlull-engine"))
        .arg("--profiles")
        .arg(root.join("profiles"))
        .args([
            "run",
            &format!("papers/sarolahti2003/figure-{figure}"),
            "--no-pcap",
            "--out",
        ])
        .arg(place.path().join("out"))
        .output()
        .expect("the engine can be started");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let file = place.path().join("out/runs").join(variant).join("001/run.json");
    let run: Value = serde_json::from_slice(&std::fs::read(file).expect("a run has a record")).expect("JSON");
    let episodes = run["episodes"].as_array().expect("a list").clone();
    (episodes, run["timeouts"].clone())
}

/// The episode with the scenario's own trouble: the queue overflows in others.
fn the_one(episodes: &[Value]) -> &Value {
    let timed_out = |episode: &&Value| {
        episode["timeouts"]
            .as_array()
            .is_some_and(|timeouts| !timeouts.is_empty())
    };
    episodes.iter().find(timed_out).expect("the sender timed out")
}

fn story(episode: &Value) -> String {
    let sentences = episode["story"].as_array().expect("a list").iter();
    sentences
        .map(|sentence| sentence["text"].as_str().expect("text"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn figure_1_a_sudden_delay_makes_conventional_tcp_go_back_n_in_vain() {
    let (episodes, timeouts) = episodes(1, "sack");
    let episode = the_one(&episodes);
    assert_eq!(
        (&episode["cause"], &episode["causes"][0]["name"]),
        (&"hold".into(), &"script 1".into())
    );
    assert_eq!(episode["timeouts"], timeouts);
    assert_eq!(episode["reaction"]["kind"], "timeout");
    assert_eq!(episode["cost"]["octets_unnecessary"], 2048);
    let text = story(episode);
    assert!(
        text.contains("It was spurious: what it waited for was only late."),
        "{text}"
    );
    assert!(
        text.contains(
            "5 segments were sent again within 0.011 s, 2 of them at once, between octets 41216 and 42496: unnecessary."
        ),
        "{text}"
    );
}

#[test]
fn figure_2_f_rto_finds_the_delay_and_resends_one_segment_in_vain() {
    let (episodes, _) = episodes(2, "frto+sack");
    let episode = the_one(&episodes);
    let rules: Vec<_> = episode["detector"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|step| &step["answer"])
        .collect();
    assert_eq!(rules, [&Value::Null, &Value::Null, &"spurious".into()]);
    assert_eq!(episode["responses"][0]["name"], "frto-conservative");
    assert_eq!(episode["retransmissions"]["unnecessary"], 1);
    let text = story(episode);
    assert!(
        text.contains("On the acknowledgement of all before octet 41216, the detector: F-RTO 2a"),
        "{text}"
    );
    assert!(text.contains("Its answer: spurious, which was right."), "{text}");
}

#[test]
fn figure_3_a_lost_retransmission_takes_a_genuine_timeout() {
    let (episodes, _) = episodes(3, "frto+sack");
    let episode = the_one(&episodes);
    assert_eq!(
        (&episode["cause"], &episode["causes"][0]["by"]),
        (&"drops".into(), &"chosen".into())
    );
    assert_eq!(episode["reaction"]["kind"], "fast-retransmit");
    assert_eq!(episode["causes"][0]["packets"], 2);
    let text = story(episode);
    assert!(
        text.contains("On a duplicate acknowledgement (all before octet 40704), the detector: F-RTO 2b"),
        "{text}"
    );
    assert!(text.contains("Its answer: genuine, which was right."), "{text}");
}

#[test]
fn figure_4_a_burst_of_losses_takes_two_timeouts() {
    let (episodes, timeouts) = episodes(4, "sack");
    let episode = the_one(&episodes);
    let causes: Vec<_> = episode["causes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|cause| &cause["kind"])
        .collect();
    assert_eq!(causes, ["outage", "drops"]);
    assert_eq!(
        (&episode["timeouts"], 2),
        (&timeouts, timeouts.as_array().map_or(0, Vec::len))
    );
    assert_eq!(episode["cost"]["octets_unnecessary"], 0);
    assert!(story(episode).contains("The timer fired again before anything was heard."));
}
