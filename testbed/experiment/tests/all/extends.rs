//! Experiments that extend others: what comes of both, and what is said where they do not go together.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};
use windlull_experiment::{Experiment, Kind, Library, Testbed, bundle, check, list};

const LINK: &str = "title = \"l\"
[both]
rate = \"28.8 kbit/s\"
delay = \"200 ms\"
queue = { kind = \"droptail\", limit = \"7 packets\" }
";

/// What several experiments have in common.
const BASE: &str = "title = \"common\"
base = true
source = \"a paper\"
seed = 7
workload = { kind = \"bulk\", size = \"100 KiB\", direction = \"down\" }
links = [\"gprs\", \"near/edge.toml\"]
assumptions = [\"of all\"]
[tcp]
mss = \"512 B\"
delayed_ack = { kind = \"every-second\", timer = \"100 ms\" }
[tcp.timer]
minimum_rto = \"1 s\"
maximum_rto = \"60 s\"
[[claim]]
id = \"first\"
text = \"the first\"
metric = \"elapsed_s\"
left = \"sack\"
relation = \"<\"
value = 10
[[claim]]
id = \"second\"
text = \"the second\"
metric = \"elapsed_s\"
left = \"sack\"
relation = \"<\"
value = 20
";

const CHILD: &str = "title = \"child\"
extends = \"far/base\"
variants = [\"sack\"]
";

fn library(files: &[(&str, &str)]) -> Library {
    let shipped = [
        ("links/gprs.toml", LINK),
        ("experiments/far/near/edge.toml", LINK),
        (
            "variants/sack.toml",
            "title = \"SACK\"\nrecovery = \"sack\"\nsack = true\n",
        ),
        ("experiments/far/base.toml", BASE),
    ];
    let all = shipped.iter().chain(files);
    let files: BTreeMap<PathBuf, String> = all
        .map(|(path, text)| (PathBuf::from(format!("p/{path}")), (*text).to_owned()))
        .collect();
    Library::new("p", files)
}

fn child(more: &str) -> Experiment {
    let library = library(&[("experiments/x.toml", &format!("{CHILD}{more}"))]);
    Experiment::load(&library, "x").unwrap_or_else(|problems| panic!("{problems}"))
}

fn plan(more: &str) -> Value {
    serde_json::to_value(child(more).plan(&[Testbed::Sim])).expect("JSON")
}

/// What is said of an experiment that extends the base; without the profiles directory's name.
fn said(files: &[(&str, &str)]) -> String {
    let problems = check(&library(files), "p/experiments/x.toml").expect_err("it is wrong");
    problems.to_string().replace("p/", "")
}

fn said_of_child(more: &str) -> String {
    said(&[("experiments/x.toml", &format!("{CHILD}{more}"))])
}

#[test]
fn what_is_not_given_is_that_of_the_base() {
    let plan = plan("");
    assert_eq!((&plan["title"], &plan["source"]), (&json!("child"), &json!("a paper")));
    assert_eq!((&plan["seed"], &plan["assumptions"]), (&json!("7"), &json!(["of all"])));
    let links: Vec<&Value> = plan["links"]
        .as_array()
        .expect("links")
        .iter()
        .map(|link| &link["name"])
        .collect();
    // A path is relative to the file in which it stands.
    assert_eq!(links, ["gprs", "edge"]);
}

#[test]
fn tables_are_merged_and_all_else_is_replaced() {
    let plan = plan(
        "seed = 8\nlink = \"gprs\"\nassumptions = [\"of mine\"]\n\
         [tcp]\ndelayed_ack = { kind = \"none\" }\n[tcp.timer]\nmaximum_rto = \"9 s\"\n",
    );
    assert_eq!(plan["seed"], "8");
    assert_eq!(
        plan["links"].as_array().map(Vec::len),
        Some(1),
        "`link` stands in the place of `links`"
    );
    assert_eq!(plan["assumptions"], json!(["of mine", "of all"]));
    let tcp = &plan["variants"][0]["resolved"];
    assert_eq!(
        (&tcp["mss"], &tcp["delayed_ack"]),
        (&json!("512 B"), &json!({"kind": "none"}))
    );
    let timer = &tcp["timer"];
    assert_eq!(
        (&timer["minimum_rto"], &timer["maximum_rto"]),
        (&json!("1 s"), &json!("9 s"))
    );
}

#[test]
fn a_claim_is_laid_over_the_one_of_its_id() {
    let more = "[[claim]]\nid = \"third\"\ntext = \"mine\"\nmetric = \"elapsed_s\"\nleft = \"sack\"\nrelation = \">\"\n\
                value = 1\n[[claim]]\nid = \"second\"\nvalue = 30\n";
    let claims = plan(more)["claims"].take();
    let values = |key: &str| -> Vec<Value> {
        claims
            .as_array()
            .expect("claims")
            .iter()
            .map(|claim| claim[key].clone())
            .collect()
    };
    assert_eq!(values("id"), ["first", "second", "third"]);
    assert_eq!(values("value"), [10.0, 30.0, 1.0]);
    assert_eq!(values("text"), ["the first", "the second", "mine"]);
}

/// Claims that share keys, and what a row lays over them.
const EACH: &str = "[[claim]]
id = \"alone\"
text = \"t\"
metric = \"elapsed_s\"
left = \"sack\"
relation = \"<\"
value = 1
[[claim]]
metric = \"elapsed_s\"
left = \"sack\"
relation = \"<\"
note = \"of all\"
each = [
    { id = \"third\", value = 1, text = \"a\" },
    { id = \"fourth\", value = 2, text = \"b\", metric = \"retransmissions\", note = \"mine\" },
]
[[claim]]
value = 30
each = [{ id = \"second\" }, { id = \"first\", text = \"another\" }]
";

#[test]
fn a_claim_with_each_is_one_for_each() {
    let plan = plan(EACH);
    let values = |key: &str| -> Vec<&Value> {
        let claims = plan["claims"].as_array().expect("claims");
        claims.iter().map(|claim| &claim[key]).collect()
    };
    // Those of the base, over which a row is laid as a claim is; then the others, in order.
    assert_eq!(values("id"), ["first", "second", "alone", "third", "fourth"]);
    assert_eq!(values("text"), ["another", "the second", "t", "a", "b"]);
    assert_eq!(values("value"), [30.0, 30.0, 1.0, 1.0, 2.0]);
    assert_eq!(values("left"), ["sack"; 5]);
    let elapsed = "elapsed_s";
    assert_eq!(
        values("metric"),
        [elapsed, elapsed, elapsed, elapsed, "retransmissions"]
    );
    let (all, mine) = (json!("of all"), json!("mine"));
    let none = Value::Null;
    assert_eq!(values("note"), [&none, &none, &none, &all, &mine]);
}

#[test]
fn what_is_wrong_in_each_is_told_where_it_stands() {
    // Lines 1 to 3 are the experiment's. What is shared stands once, and is wrong once.
    let more = "[[claim]]
metric = \"elapsed\"
left = \"sack\"
each = [
    { id = \"a\", text = \"t\", relation = \"<\", right = \"reno\" },
    { id = \"a\", text = \"t\", relation = \"<\", value = 1 },
]
";
    assert_eq!(
        said_of_child(more),
        "experiments/x.toml:5: claim[2].metric: \"elapsed\" is not possible here; did you mean \"elapsed_s\"?\n\
         experiments/x.toml:8: claim[2].right: \"reno\" is not possible here; use one of sack\n\
         experiments/x.toml:9: claim[3].id: \"a\" is the name of claim[2] already; give this one another"
    );
    let more = "[[claim]]
metric = 3
text = \"t\"
relation = \"<\"
each = [
    { id = \"a\", left = \"sack\", value = 1 },
    { id = \"b\", left = \"sack\", valeu = 1 },
    { id = \"c\", relation = \"<<\", value = 1 },
]
";
    assert_eq!(
        said_of_child(more),
        "experiments/x.toml:5: claim[2].metric: is a number, but should be a text\n\
         experiments/x.toml:10: claim[3].valeu: unknown key; did you mean \"value\"?\n\
         experiments/x.toml:11: claim[4].left: missing; give a text\n\
         experiments/x.toml:11: claim[4].relation: \"<<\" is not possible here; use one of <, <=, >, >=, within, ~"
    );
    let whole = "id = \"a\"\ntext = \"t\"\nmetric = \"elapsed_s\"\nleft = \"sack\"\nrelation = \"<\"\nvalue = 1\n";
    let said_of_each = |each: &str| said_of_child(&format!("[[claim]]\n{whole}each = {each}\n"));
    assert_eq!(
        said_of_each("[]"),
        "experiments/x.toml:11: claim[2].each: has too few entries; give at least 1"
    );
    assert_eq!(
        said_of_each("3"),
        "experiments/x.toml:11: claim[2].each: is a number, but should be a list"
    );
    assert_eq!(
        said_of_each("[\"b\"]"),
        "experiments/x.toml:11: claim[2].each[0]: is a text, but should be a table"
    );
    let within = whole.trim_end().replace('\n', ", ");
    assert_eq!(
        said_of_each(&format!("[{{ each = [{{ {within} }}] }}]")),
        "experiments/x.toml:11: claim[2].each: stands in another `each`; write these claims beside it"
    );
}

#[test]
fn what_several_claims_share_makes_no_endless_ones() {
    let rows = "{}, ".repeat(20_000);
    let said = said_of_child(&format!("[[claim]]\nid = \"a\"\neach = [{rows}]\n"));
    assert_eq!(
        said,
        "experiments/x.toml:6: claim[0].each: has too many entries for a file so large; write fewer, or several files"
    );
}

#[test]
fn an_experiment_extends_one_that_extends_one() {
    let middle = "title = \"middle\"\nextends = \"far/base\"\nvariants = [\"sack\"]\nassumptions = [\"of some\"]\n";
    let last = "title = \"x\"\nextends = \"middle\"\nassumptions = [\"of one\"]\n";
    let library = library(&[("experiments/middle.toml", middle), ("experiments/x.toml", last)]);
    let x = Experiment::load(&library, "x").expect("right");
    assert_eq!(x.assumptions, ["of one", "of some", "of all"]);
    assert!(
        Experiment::load(&library, "middle").is_ok(),
        "one without `base` runs, and may be extended"
    );
    // Its files in a directory of their own make the same one.
    let library = Library::new("p", BTreeMap::from_iter(library.read_so_far()));
    let files = bundle(&library, &Experiment::load(&library, "x").expect("right"))
        .expect("it can be carried")
        .files;
    for file in ["x", "middle", "far/base", "far/near/edge"] {
        assert!(
            files.contains_key(&format!("experiments/{file}.toml")),
            "{file} in {:?}",
            files.keys()
        );
    }
}

#[test]
fn a_base_is_checked_for_what_it_has_and_neither_run_nor_listed() {
    let library = library(&[("experiments/x.toml", CHILD)]);
    assert!(check(&library, "far/base").is_ok());
    let named: Vec<String> = list(&library, Kind::Experiment)
        .into_iter()
        .map(|listed| listed.name)
        .collect();
    assert_eq!(named, ["far/near/edge", "x"]);
    let problems = Experiment::load(&library, "far/base").expect_err("a base does not run");
    assert_eq!(
        problems.to_string(),
        "p/experiments/far/base.toml:2: base: makes this a part of other experiments, not one to run; name one that extends it"
    );
    assert_eq!(
        said(&[("experiments/x.toml", "base = true\nsede = 1\n[[claim]]\nid = \"a\"\n")]),
        "experiments/x.toml: title: missing; give a text\nexperiments/x.toml:2: sede: unknown key; did you mean \"seed\"?"
    );
}

#[test]
fn a_problem_is_told_at_the_file_it_stands_in_and_whom_that_is_read_for() {
    // What the base says of a variant that the experiment does not have.
    let other = ("variants/reno.toml", "title = \"Reno\"\n");
    let reno = (
        "experiments/x.toml",
        "title = \"x\"\nextends = \"far/base\"\nvariants = [\"reno\"]\n",
    );
    let unknown = "claim[0].left: \"sack\" is not possible here; use one of reno";
    let second = unknown.replace("[0]", "[1]");
    assert_eq!(
        said(&[other, reno]),
        format!(
            "experiments/far/base.toml:18: {unknown} (extended by experiments/x.toml)\n\
             experiments/far/base.toml:25: {second} (extended by experiments/x.toml)"
        )
    );
    let middle = (
        "experiments/middle.toml",
        "title = \"m\"\nextends = \"wrong\"\nvariants = [\"sack\"]\n",
    );
    let wrong = (
        "experiments/wrong.toml",
        "title = \"w\"\nextends = \"far/base\"\n[tcp]\nmss = \"12\"\n",
    );
    let x = ("experiments/x.toml", "title = \"x\"\nextends = \"middle\"\n");
    let message = said(&[middle, wrong, x]);
    assert!(
        message.starts_with("experiments/wrong.toml:4: tcp.mss: ")
            && message.ends_with("(extended by experiments/middle.toml, which is extended by experiments/x.toml)"),
        "{message}"
    );
}

#[test]
fn what_is_missing_on_the_whole_is_missing_in_the_experiment() {
    assert_eq!(
        said(&[("experiments/x.toml", "title = \"x\"\nextends = \"far/base\"\n")]),
        "experiments/x.toml: variants: missing; give a list"
    );
    assert_eq!(
        said_of_child("[[claim]]\nid = \"new\"\nvalue = 3\n")
            .lines()
            .map(|line| line.split(" missing").next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>(),
        ["left", "metric", "relation", "text"].map(|key| format!("experiments/x.toml:4: claim[2].{key}:"))
    );
    let title = said(&[("experiments/x.toml", "extends = \"far/base\"\nvariants = [\"sack\"]\n")]);
    assert_eq!(title, "experiments/x.toml: title: missing; give a text");
}

#[test]
fn chains_without_an_end_are_refused() {
    assert_eq!(
        said(&[
            ("experiments/x.toml", "title = \"x\"\nextends = \"y\"\n"),
            ("experiments/y.toml", "title = \"y\"\nextends = \"x\"\n")
        ]),
        "experiments/y.toml:2: extends: extends itself: experiments/x.toml -> experiments/y.toml -> experiments/x.toml; remove \
         one of these `extends`"
    );
    assert_eq!(
        said(&[("experiments/x.toml", "title = \"x\"\nextends = \"far/bas\"\n")]),
        "experiments/x.toml:2: extends: there is no experiment \"far/bas\"; did you mean \"far/base\"?"
    );
    assert_eq!(
        said(&[("experiments/x.toml", "title = \"x\"\nextends = \"gprs\"\n")]),
        "experiments/x.toml:2: extends: \"gprs\" is a link, where an experiment is needed"
    );
}

#[test]
fn nothing_is_read_from_elsewhere() {
    let files = BTreeMap::from([
        (
            PathBuf::from("p/experiments/x.toml"),
            "title = \"x\"\nextends = \"../../secret.toml\"\n".to_owned(),
        ),
        (PathBuf::from("secret.toml"), "password: hunter2\n".to_owned()),
    ]);
    let problems = check(&Library::new("p", files), "p/experiments/x.toml").expect_err("it is outside");
    assert_eq!(
        problems.to_string(),
        "p/experiments/x.toml:2: extends: \"p/experiments/../../secret.toml\" lies neither in a profiles directory nor below \
         this file's own; move it there"
    );
}
