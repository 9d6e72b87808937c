//! Experiments whose link is a scenario of the QUIC network simulator.

use std::collections::BTreeMap;
use std::path::PathBuf;

use windlull_experiment::{Experiment, Library, bundle, show};

const SCENARIO: &str = "simple-p2p --delay=15ms --bandwidth=10Mbps --queue=25";

fn library(link: &str) -> Library {
    let experiment = format!("title = \"e\"\nlink = \"{link}\"\nvariants = [\"sack\"]\nworkload = \"bulk\"\n");
    let files = [
        ("experiments/x.toml", experiment.as_str()),
        (
            "variants/sack.toml",
            "title = \"SACK\"\nrecovery = \"sack\"\nsack = true\n",
        ),
        (
            "workloads/bulk.toml",
            "title = \"b\"\nkind = \"bulk\"\nsize = \"100 KiB\"\ndirection = \"down\"\n",
        ),
    ];
    let files: BTreeMap<PathBuf, String> = files
        .iter()
        .map(|(path, text)| (PathBuf::from(format!("p/{path}")), (*text).to_owned()))
        .collect();
    Library::new("p", files)
}

#[test]
fn a_scenario_is_carried_to_other_machines_by_its_name_alone() {
    let library = library(SCENARIO);
    let experiment = Experiment::load(&library, "x").unwrap_or_else(|problems| panic!("{problems}"));
    let names: Vec<&str> = experiment.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["simple-p2p-15ms-10mbps-25"]);
    let bundle = bundle(&library, &experiment).expect("it can be carried");
    let files: Vec<&str> = bundle.files.keys().map(String::as_str).collect();
    assert_eq!(
        files,
        ["experiments/x.toml", "variants/sack.toml", "workloads/bulk.toml"]
    );
}

#[test]
fn a_scenario_is_shown_as_the_file_that_it_stands_for() {
    let shown = show(&library(SCENARIO), SCENARIO).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!((shown.kind, shown.file.as_str()), ("link", SCENARIO));
    assert!(shown.toml.contains("rate = \"10 Mbit/s\""), "{}", shown.toml);
}

#[test]
fn a_link_that_rebinds_is_for_no_run() {
    let scenario = "rebind --delay=15ms --bandwidth=10Mbps --queue=25 --first-rebind=1s";
    let problems = Experiment::load(&library(scenario), "x").expect_err("runs need the same headers at both ends");
    assert_eq!(
        problems.to_string(),
        "p/experiments/x.toml:2: link: gives UDP flows other ports (`rebinding`), by which runs know packets again; `windlull \
         shell` and the emulator play such a link"
    );
}
