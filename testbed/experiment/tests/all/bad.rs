//! Variant, workload and experiment files that are wrong, and what is said of each, word for word.

use std::collections::BTreeMap;
use std::path::PathBuf;

use windlull_experiment::{Experiment, Library, check, show};

const LINK: &str = "title = \"l\"
[both]
rate = \"28.8 kbit/s\"
delay = \"200 ms\"
queue = { kind = \"droptail\", limit = \"7 packets\" }
";

const EXPERIMENT: &str = "title = \"e\"
link = \"gprs\"
variants = [\"sack\", \"frto+sack\"]
workload = \"bulk\"
";

/// A small library: two variants, a link, a workload, and what `files` add or replace.
fn library(files: &[(&str, &str)]) -> Library {
    let shipped = [
        ("links/gprs.toml", LINK),
        (
            "variants/sack.toml",
            "title = \"SACK\"\nrecovery = \"sack\"\nsack = true\n",
        ),
        (
            "variants/frto+sack.toml",
            "title = \"F-RTO\"\nextends = \"sack\"\ndetection = \"frto-sack\"\nresponse = \"frto-conservative\"\n",
        ),
        (
            "workloads/bulk.toml",
            "title = \"b\"\nkind = \"bulk\"\nsize = \"100 KiB\"\ndirection = \"down\"\n",
        ),
    ];
    let all = shipped.iter().chain(files);
    let files: BTreeMap<PathBuf, String> = all
        .map(|(path, text)| (PathBuf::from(format!("p/{path}")), (*text).to_owned()))
        .collect();
    Library::new("p", files)
}

/// What is said of a file; without the profiles directory's name.
fn said(path: &str, text: &str) -> String {
    let library = library(&[(path, text)]);
    let problems = check(&library, &format!("p/{path}")).expect_err("the file is wrong");
    problems.to_string().replace("p/", "")
}

/// What is said of an experiment that is good for four lines.
fn experiment(more: &str) -> String {
    said("experiments/x.toml", &format!("{EXPERIMENT}{more}"))
}

fn variant(text: &str) -> String {
    said("variants/x.toml", text)
}
#[test]
fn variants_that_contradict_themselves() {
    assert_eq!(
        variant(
            r#"title = "x"
sack = true
timestamps = false
detection = "frto-sack"
response = "frto-conservative"
recovery = "newreno"
timestamp_echo = "update-on-duplicate"
"#
        ),
        r#"variants/x.toml:7: timestamp_echo: `timestamp_echo = update-on-duplicate` needs timestamps, but `timestamps = false`: there is no timestamp to echo"#
    );
    assert_eq!(
        variant(
            r#"title = "x"
detection = "frto-sack"
response = "frto-conservative"
sack = false
"#
        ),
        r#"variants/x.toml:2: detection: `detection = frto-sack` needs selective acknowledgements, but `sack = false`: RFC 5682 section 3 reads SACK blocks"#
    );
    assert_eq!(
        variant(
            r#"title = "x"
extends = "frto+sack"
sack = false
"#
        ),
        r#"variants/x.toml:3: sack: `recovery = sack` needs selective acknowledgements, but `sack = false`: RFC 6675 repairs by SACK blocks"#
    );
    assert_eq!(
        variant(
            r#"title = "x"
detection = "eifel"
response = "eifel-1"
timestamps = false
"#
        ),
        r#"variants/x.toml:2: detection: `detection = eifel` needs timestamps, but `timestamps = false`: RFC 3522 compares echoed timestamps"#
    );
    assert_eq!(
        variant(
            r#"title = "x"
response = "eifel-1"
"#
        ),
        r#"variants/x.toml:2: response: `response = eifel-1` needs a detection, but `detection = none`: nothing would ever trigger the response"#
    );
    assert_eq!(
        variant(
            r#"title = "x"
[timer]
minimum_rto = "10 s"
maximum_rto = "5 s"
"#
        ),
        r#"variants/x.toml:3: timer.minimum_rto: `timer.minimum_rto = 10 s` is above `timer.maximum_rto = 5 s`"#
    );
    assert_eq!(
        variant(
            r#"title = "x"
receive_window = "1 MB"
window_scale = false
"#
        ),
        r#"variants/x.toml:2: receive_window: `receive_window = above 65535 B` needs window scaling, but `window_scale = false`: the window field has 16 bits"#
    );
}

#[test]
fn variants_with_wrong_keys_and_values() {
    assert_eq!(
        variant(
            r#"title = "x"
detektion = "frto"
recovery = "newrno"
"#
        ),
        r#"variants/x.toml:2: detektion: unknown key; did you mean "detection"?
variants/x.toml:3: recovery: "newrno" is not possible here; did you mean "newreno"?"#
    );
    assert_eq!(
        variant(
            r#"title = "x"
mss = 256
initial_window = 0
burst_limit = "3"
sack = "yes"
"#
        ),
        r#"variants/x.toml:2: mss: `256` has no unit; write it as in `1776 B`
variants/x.toml:3: initial_window: 0 is out of bounds; write a number from 1 to 1000
variants/x.toml:4: burst_limit: is a text, but should be a whole number
variants/x.toml:5: sack: is a text, but should be true or false"#
    );
    assert_eq!(
        variant(
            r#"title = "x"
delayed_ack = { kind = "at-ticks", clock = "501 ms" }
"#
        ),
        r#"variants/x.toml:2: delayed_ack.clock: 501 ms is out of bounds; write at most 500 ms"#
    );
    assert_eq!(
        variant(
            r#"title = "x"
mss = "32 B"
delayed_ack = { kind = "every-second" }
[timer]
granularity = "2 s"
minimum_rto = "1"
"#
        ),
        r#"variants/x.toml:2: mss: 32 B is out of bounds; write at least 64 B
variants/x.toml:3: delayed_ack.timer: missing; write it as in `timer = "200 ms"`
variants/x.toml:5: timer.granularity: 2 s is out of bounds; write at most 1 s
variants/x.toml:6: timer.minimum_rto: `1` has no unit; write it as in `200 ms`"#
    );
    assert_eq!(
        variant(
            r#"title = "x"
extends = "sakc"
"#
        ),
        r#"variants/x.toml:2: extends: there is no variant "sakc"; did you mean "sack"?"#
    );
    assert_eq!(
        variant(
            r#"title = "x"
extends = "x"
"#
        ),
        r#"variants/x.toml:2: extends: extends itself: variants/x.toml -> variants/x.toml; remove one of these `extends`"#
    );
}

#[test]
fn workloads() {
    assert_eq!(
        said(
            "workloads/x.toml",
            r#"title = "x"
kind = "bulky"
size = "100"
directoin = "down"
"#
        ),
        r#"workloads/x.toml:2: kind: "bulky" is not possible here; did you mean "bulk"?
workloads/x.toml:3: size: `100` has no unit; write it as in `1776 B`
workloads/x.toml:4: directoin: unknown key; did you mean "direction"?"#
    );
    assert_eq!(
        said(
            "workloads/x.toml",
            r#"title = "x"
kind = "bulk"
size = "0 B"
direction = "sideways"
"#
        ),
        r#"workloads/x.toml:3: size: 0 B is out of bounds; write at least 1 B
workloads/x.toml:4: direction: "sideways" is not possible here; use one of down, up"#
    );
}

#[test]
fn workloads_whose_keys_do_not_go_together() {
    assert_eq!(
        said(
            "workloads/x.toml",
            "title = \"x\"\nkind = \"bulk\"\ndirection = \"up\"\n"
        ),
        r#"workloads/x.toml: size: missing; how much data, as in `size = "100 KiB"`, or for how long, as in `duration = "100 s"`"#
    );
    assert_eq!(
        said(
            "workloads/x.toml",
            r#"title = "x"
kind = "bulk"
size = "1 kB"
duration = "1 s"
every = "1 s"
rate = "1 Mbit/s"
direction = "up"
variant = "sack"
"#
        ),
        r#"workloads/x.toml:8: variant: is for sets under `[[beside]]`; the experiment's variants are the first set's"#
    );
    assert_eq!(
        said(
            "workloads/x.toml",
            r#"title = "x"
kind = "bulk"
size = "1 kB"
duration = "1 s"
every = "1 s"
rate = "1 Mbit/s"
direction = "up"
"#
        ),
        r#"workloads/x.toml:4: duration: stands beside `size`; give one of the two
workloads/x.toml:5: every: does not go with `kind = "bulk"`; leave it out
workloads/x.toml:6: rate: does not go with `kind = "bulk"`; leave it out"#
    );
    assert_eq!(
        said(
            "workloads/x.toml",
            r#"title = "x"
kind = "requests"
direction = "down"
[[beside]]
kind = "constant-rate"
direction = "down"
flows = 2
"#
        ),
        r#"workloads/x.toml: count: missing; how many requests each flow makes, as in `count = 20`
workloads/x.toml: size: missing; how much a response has, as in `size = "100 kB"`
workloads/x.toml:4: beside[0].packet: missing; octets of a packet, as in `packet = "1000 B"`
workloads/x.toml:4: beside[0].rate: missing; how fast packets are sent, as in `rate = "1 Mbit/s"`
workloads/x.toml:7: beside[0].flows: does not go with `kind = "constant-rate"`; leave it out"#
    );
    assert_eq!(
        said(
            "workloads/x.toml",
            "title = \"x\"\nkind = \"constant-rate\"\nrate = \"1 Mbit/s\"\npacket = \"1 kB\"\ndirection = \"up\"\n"
        ),
        r#"workloads/x.toml:2: kind: crosses flows, of which there are none yet; put it under `[[beside]]`"#
    );
}

#[test]
fn commands_that_are_none() {
    assert_eq!(
        said(
            "workloads/x.toml",
            "title = \"x\"\nkind = \"command\"\nserver = [\"\"]\nsize = \"1 kB\"\ndirection = \"up\"\n"
        ),
        r#"workloads/x.toml: client: missing; what the client runs, as in `client = ["ping", "-c", "5", "198.18.0.1"]`
workloads/x.toml:3: server: begins with an empty text; it begins with a program
workloads/x.toml:4: size: does not go with `kind = "command"`; leave it out
workloads/x.toml:5: direction: does not go with `kind = "command"`; leave it out"#
    );
    assert_eq!(
        said(
            "workloads/x.toml",
            "title = \"x\"\nkind = \"bulk\"\nsize = \"1 kB\"\nclient = [\"true\"]\n"
        ),
        r#"workloads/x.toml: direction: missing; which way the data goes: `direction = "down"` (from server to client) or `"up"`
workloads/x.toml:4: client: does not go with `kind = "bulk"`; leave it out"#
    );
    assert_eq!(
        said(
            "workloads/x.toml",
            "title = \"x\"\nkind = \"command\"\nclient = [\"true\"]\n[[beside]]\nkind = \"command\"\nclient = [\"true\"]\n"
        ),
        r#"workloads/x.toml:4: beside: does not go with `kind = "command"`; leave it out
workloads/x.toml:5: beside[0].kind: is the whole workload; give it as the first, and let a shell start several programs"#
    );
    let own =
        |workload: &str| format!("title = \"x\"\nlink = \"bench-s1\"\nvariants = [\"sack\"]\nworkload = {workload}\n");
    assert_eq!(
        said("experiments/x.toml", &own("{ kind = \"command\", client = \"true\" }")),
        "experiments/x.toml:4: workload.client: is a text, but should be a list"
    );
    assert_eq!(
        said("experiments/x.toml", &own("{ kind = \"command\", clint = [\"true\"] }")),
        "experiments/x.toml:4: workload.clint: unknown key; did you mean \"client\"?"
    );
    assert_eq!(
        said("experiments/x.toml", &own("3")),
        "experiments/x.toml:4: workload: is a number, but should be a text or a table"
    );
}

#[test]
fn access_links_that_wait_for_a_sender() {
    let files = |at: &str| {
        let access = format!("{LINK}[[script]]\nat = \"{at}\"\nfor = \"1 s\"\ndo = \"hold\"\n");
        let experiment = format!("{EXPERIMENT}access = \"radio\"\n");
        library(&[
            ("links/radio.toml", access.as_str()),
            ("experiments/x.toml", experiment.as_str()),
        ])
    };
    let problems = check(&files("on entering recovery"), "p/experiments/x.toml").expect_err("the file is wrong");
    assert_eq!(
        problems.to_string().replace("p/", ""),
        "experiments/x.toml:5: access: begins script entry 1 by a sender's state (`on entering recovery`), which only the \
         link that all flows share can; there are `after byte N` and `retransmission N`"
    );
    assert!(
        check(&files("retransmission 3"), "p/experiments/x.toml").is_ok(),
        "packets tell it"
    );
    let of_packets = Experiment::load(&files("retransmission 3"), "x").expect("a good file");
    let waiting = of_packets.waiting_entries();
    assert_eq!(waiting.len(), 1);
    assert_eq!((waiting[0].link, waiting[0].number), ("radio", 1));
    assert_eq!(waiting[0].when, "retransmission 3");
    assert!(waiting[0].is_told_by_packets);
}

#[test]
fn experiments_whose_access_link_or_other_variant_is_not_there() {
    assert_eq!(
        experiment("access = \"wlan\"\n"),
        r#"experiments/x.toml:5: access: there is no link "wlan"; use one of gprs"#
    );
    let workload = "title = \"b\"\nkind = \"bulk\"\nsize = \"9 kB\"\ndirection = \"down\"\n[[beside]]\nkind = \"bulk\"\nsize = \"9 kB\"\ndirection = \"down\"\nvariant = \"sakc\"\n";
    let library = library(&[("workloads/bulk.toml", workload), ("experiments/x.toml", EXPERIMENT)]);
    let problems = check(&library, "p/experiments/x.toml").expect_err("there is no such variant");
    assert_eq!(
        problems.to_string().replace("p/", ""),
        r#"experiments/x.toml:4: workload: there is no variant "sakc"; did you mean "sack"?"#
    );
}

#[test]
fn experiments_with_flows_for_other_links() {
    assert_eq!(
        experiment("flows = [20, 40]\n"),
        r#"experiments/x.toml:5: flows: has 2 numbers for 1 link; give one for each link"#
    );
    assert_eq!(
        experiment("flows = [0]\n"),
        r#"experiments/x.toml:5: flows[0]: 0 is out of bounds; write a number from 1 to 10000"#
    );
}

#[test]
fn metrics_of_flows_and_sets_by_number() {
    use windlull_analysis::is_metric;
    for good in [
        "elapsed_s",
        "flow_fairness",
        "flow_1_elapsed_s",
        "flow_12_task_completion_s",
        "set_2_slowest_bps",
    ] {
        assert!(is_metric(good), "{good}");
    }
    for bad in [
        "flow_0_elapsed_s",
        "flow__elapsed_s",
        "flow_x_elapsed_s",
        "set_1_elapsed_s",
        "flow_1_",
        "flow_1",
    ] {
        assert!(!is_metric(bad), "{bad}");
    }
}

#[test]
fn experiments_with_wrong_keys_and_values() {
    assert_eq!(
        experiment(
            r#"repetitoins = 3
"#
        ),
        r#"experiments/x.toml:5: repetitoins: unknown key; did you mean "repetitions"?"#
    );
    assert_eq!(
        experiment(
            r#"repetitions = 0
seed = -7
time_limit = "10"
"#
        ),
        r#"experiments/x.toml:5: repetitions: 0 is out of bounds; write a number from 1 to 100000
experiments/x.toml:6: seed: the seed is -7, but must be a whole number from 0 to 18446744073709551615
experiments/x.toml:7: time_limit: `10` has no unit; write it as in `200 ms`"#
    );
    assert_eq!(
        experiment(
            r#"repetitions = 2.5
seed = "18446744073709551616"
[capture]
snaplen = "all"
"#
        ),
        r#"experiments/x.toml:5: repetitions: is a number, but should be a whole number
experiments/x.toml:6: seed: the seed is 18446744073709551616, but must be a whole number from 0 to 18446744073709551615
experiments/x.toml:8: capture.snaplen: `all` is not a size; write it as in `1776 B`"#
    );
    assert_eq!(
        experiment(
            r#"[capture]
snaplen = "1 MB"
"#
        ),
        r#"experiments/x.toml:6: capture.snaplen: 1 MB is out of bounds; write at most 65535 B"#
    );
}

#[test]
fn names_that_are_not_there() {
    assert_eq!(
        said(
            "experiments/x.toml",
            r#"title = "e"
link = "gprrs"
variants = ["scak"]
workload = "none.toml"
"#
        ),
        r#"experiments/x.toml:2: link: there is no link "gprrs"; did you mean "gprs"?
experiments/x.toml:3: variants[0]: there is no variant "scak"; did you mean "sack"?
experiments/x.toml:4: workload: cannot read "experiments/none.toml": there is no such file"#
    );
    assert_eq!(
        said(
            "experiments/x.toml",
            r#"title = "e"
variants = []
workload = "bulk"
"#
        ),
        r#"experiments/x.toml:2: variants: has too few entries; give at least 1"#
    );
    assert_eq!(
        said(
            "experiments/x.toml",
            r#"title = "e"
links = ["gprs", "gprs"]
link = "gprs"
variants = ["sack", "sack"]
workload = "bulk"
"#
        ),
        r#"experiments/x.toml:3: link: stands beside `links`; give one of the two
experiments/x.toml:4: variants[1]: "sack" is the name of another of the variants already; give this one another"#
    );
    assert_eq!(
        said(
            "experiments/x.toml",
            r#"title = "e"
links = ["gprs", "gprs"]
variants = ["sack"]
workload = "bulk"
"#
        ),
        r#"experiments/x.toml:2: links[1]: "gprs" is the name of another of the links already; give this one another"#
    );
}

/// The keys of `[tcp]`, in the order of the alphabet.
fn settings() -> Vec<&'static str> {
    macro_rules! keys {
        ({ $(
            $(#[$doc:meta])+ $key:ident: $type:ty = $default:expr
                $(, or $words:literal)? $(, from $least:literal)? $(, to $most:literal)?;
                $part:literal, $label:literal;
        )+ }) => {
            vec![$(stringify!($key)),+]
        };
    }
    let mut keys = windlull_tcp::settings!(keys!);
    keys.sort_unstable();
    keys
}

#[test]
fn settings_that_a_variant_does_not_bear() {
    assert_eq!(
        experiment(
            r#"[tcp]
sack = false
"#
        ),
        r#"experiments/x.toml:6: tcp.sack: does not go with variant "sack": `recovery = sack` needs selective acknowledgements, but `sack = false`: RFC 6675 repairs by SACK blocks
experiments/x.toml:6: tcp.sack: does not go with variant "frto+sack": `recovery = sack` needs selective acknowledgements, but `sack = false`: RFC 6675 repairs by SACK blocks"#
    );
    assert_eq!(
        experiment(
            r#"[tcp]
detection = "frto"
"#
        ),
        format!(
            "experiments/x.toml:6: tcp.detection: unknown key; use one of {}",
            settings().join(", ")
        )
    );
    assert_eq!(
        experiment(
            r#"[tcp]
timer = { minimum_rto = "130 s" }
"#
        ),
        r#"experiments/x.toml:6: tcp.timer.minimum_rto: does not go with variant "sack": `timer.minimum_rto = 130 s` is above `timer.maximum_rto = 120 s`
experiments/x.toml:6: tcp.timer.minimum_rto: does not go with variant "frto+sack": `timer.minimum_rto = 130 s` is above `timer.maximum_rto = 120 s`"#
    );
}

#[test]
fn published_numbers() {
    assert_eq!(
        experiment(
            r#"[published]
source = "s"
columns = [{ metric = "elapsed", label = "t" }]
rows = [{ variant = "newreno", label = "n", values = [1, 2] }]
"#
        ),
        r#"experiments/x.toml:7: published.columns[0].metric: "elapsed" is not possible here; did you mean "elapsed_s"?
experiments/x.toml:8: published.rows[0].values: has 2 numbers for 1 column; give one for each column
experiments/x.toml:8: published.rows[0].variant: "newreno" is not possible here; use one of sack, frto+sack"#
    );
    assert_eq!(
        experiment(
            r#"[published]
source = "s"
columns = [{ metric = "elapsed_s", label = "t" }]
rows = [{ variant = "sack", label = "n", values = [1] }, { variant = "sack", label = "n", values = ["2"] }]
"#
        ),
        r#"experiments/x.toml:8: published.rows[1].values[0]: is a text, but should be a number"#
    );
    assert_eq!(
        experiment(
            r#"[published]
source = "s"
columns = [{ metric = "elapsed_s", label = "t" }]
rows = [{ variant = "sack", label = "n", values = [1] }, { variant = "sack", label = "n", values = [2] }]
"#
        ),
        r#"experiments/x.toml:8: published.rows[1].variant: "sack" is the name of published.rows[0] already; give this one another"#
    );
}

#[test]
fn claims() {
    assert_eq!(
        experiment(
            r#"[[claim]]
id = "a"
text = "t"
metric = "elapsed_s"
left = "sack"
relation = "<<"
right = "frto+sack"
"#
        ),
        r#"experiments/x.toml:10: claim[0].relation: "<<" is not possible here; use one of <, <=, >, >=, within, ~"#
    );
    assert_eq!(
        experiment(
            r#"[[claim]]
id = "a"
text = "t"
metric = "retransmision"
left = "frto"
relation = "within"
right = "frto+sack"
[[claim]]
id = "a"
text = "t"
metric = "elapsed_s"
left = "sack"
relation = "<"
right = "frto+sack"
tolerance = "5 %"
"#
        ),
        r#"experiments/x.toml:5: claim[0].tolerance: missing; `within` needs it, as in `tolerance = "5 %"`
experiments/x.toml:8: claim[0].metric: "retransmision" is not possible here; did you mean "retransmissions"?
experiments/x.toml:9: claim[0].left: "frto" is not possible here; use one of sack, frto+sack
experiments/x.toml:13: claim[1].id: "a" is the name of claim[0] already; give this one another
experiments/x.toml:19: claim[1].tolerance: goes with `within` alone; leave it out"#
    );
    assert_eq!(
        experiment(
            r#"[[claim]]
id = "A b"
text = "t"
metric = "elapsed_s"
left = "sack"
relation = "within"
right = "frto+sack"
tolerance = "5 %"
factor = 2
"#
        ),
        r#"experiments/x.toml:6: claim[0].id: must be lower-case letters, digits and hyphens, as in `frto-faster`
experiments/x.toml:13: claim[0].factor: does not go with `within`; leave it out"#
    );
}

#[test]
fn names_that_nobody_has() {
    let library = library(&[
        ("experiments/papers/a/table-1.toml", EXPERIMENT),
        ("links/sack.toml", LINK),
    ]);
    let shown = |name: &str| {
        show(&library, name)
            .map(|shown| shown.kind)
            .map_err(|problems| problems.to_string())
    };
    assert_eq!(shown("gprs"), Ok("link"));
    assert_eq!(shown("variants/sack"), Ok("variant"));
    assert_eq!(shown("papers/a/table-1"), Ok("experiment"));
    let ambiguous = "\"sack\" is the name of more than one thing; write one of links/sack, variants/sack";
    assert_eq!(shown("sack"), Err(ambiguous.to_owned()));
    let near = "there is no link, variant, workload or experiment \"tabel-1\"; did you mean \"papers/a/table-1\"?";
    assert_eq!(shown("tabel-1"), Err(near.to_owned()));
    let gone = "cannot read \"none.toml\": there is no such file";
    assert_eq!(shown("none.toml"), Err(gone.to_owned()));
    let run = Experiment::load(&library, "papers/a/tabel-1")
        .expect_err("there is none")
        .to_string();
    assert_eq!(
        run,
        "there is no experiment \"papers/a/tabel-1\"; did you mean \"papers/a/table-1\"?"
    );
}

#[test]
fn the_kind_of_a_file_is_seen_from_its_folder_or_its_keys() {
    let files = [
        ("mine/e.toml", EXPERIMENT),
        ("mine/l.toml", LINK),
        ("mine/v.toml", "title = \"v\"\nrecovery = \"newreno\"\n"),
        (
            "mine/w.toml",
            "title = \"b\"\nkind = \"bulk\"\nsize = \"100 KiB\"\ndirection = \"down\"\n",
        ),
    ];
    let library = library(&files);
    for (file, kind) in files.iter().zip(["experiment", "link", "variant", "workload"]) {
        let shown = show(&library, &format!("p/{}", file.0)).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(shown.kind, kind);
    }
}

#[test]
fn sides_of_claims() {
    assert_eq!(
        experiment(
            r#"[[claim]]
id = "a"
text = "t"
metric = "retransmissions"
per = "segments"
left = "sack"
relation = "<"
[[claim]]
id = "b"
text = "t"
metric = "retransmissions"
left = "sack"
relation = "~"
value = 0.5
factor = 2
link = "gprs"
[[claim]]
id = "c"
text = "t"
metric = "retransmissions"
left = "sack"
relation = "<"
right = "frto+sack"
right_link = "l"
value = 0.5
"#
        ),
        r#"experiments/x.toml:5: claim[0].right: missing; a variant, or a number as `value`
experiments/x.toml:9: claim[0].per: "segments" is not possible here; did you mean "segments_sent"?
experiments/x.toml:18: claim[1].value: does not go with `~`; name a variant as `right`
experiments/x.toml:19: claim[1].factor: goes with `right`, not with `value`; leave it out
experiments/x.toml:28: claim[2].right_link: "l" is not possible here; use one of gprs
experiments/x.toml:28: claim[2].right_link: goes with `link`, which says where the left side is from
experiments/x.toml:29: claim[2].value: `right` stands there too; give one of the two"#
    );
}

#[test]
fn figures() {
    assert_eq!(
        experiment("figure = { kind = \"bandwidth\", bin = \"1500 ms\" }\n"),
        r#"experiments/x.toml:5: figure.bin: 1.5 s is no whole number of seconds, in which runs are counted"#
    );
    assert_eq!(
        experiment("figure = { kind = \"curve\", metric = \"goodput\", axis = \"Loss, %\", at = [1, 2] }\n"),
        r#"experiments/x.toml:5: figure.at: has 2 numbers for 1 link; give one for each link
experiments/x.toml:5: figure.metric: "goodput" is not possible here; did you mean "goodput_bps"?"#
    );
    assert_eq!(
        experiment(
            r#"figure = { kind = "timer" }
figures = [
    { kind = "timer" },
    { kind = "box-plot", metric = "goodput" },
]
"#
        ),
        r#"experiments/x.toml:6: figures: `figure` stands there too; give one of the two
experiments/x.toml:8: figures[1].metric: "goodput" is not possible here; did you mean "goodput_bps"?"#
    );
    assert_eq!(
        experiment("figure = { kind = \"conversations\" }\n"),
        "experiments/x.toml:5: figure.kind: `conversations` draws 2 to 16 flows; there is a run of 1"
    );
}

/// An experiment with several workloads: what it is made of, and what is said of such as are wrong.
#[test]
fn several_workloads() {
    let more = [
        (
            "workloads/long.toml",
            "title = \"long\"\nkind = \"bulk\"\nduration = \"60 s\"\ndirection = \"down\"\n",
        ),
        (
            "workloads/ping.toml",
            "title = \"ping\"\nkind = \"command\"\nclient = [\"ping\", \"-c\", \"1\", \"198.18.0.1\"]\n",
        ),
        ("links/edge.toml", "title = \"e\"\nextends = \"gprs\"\n"),
        (
            "experiments/x.toml",
            "title = \"e\"\nlinks = [\"gprs\", \"edge\"]\nvariants = [\"sack\"]\nworkloads = [\"bulk\", \"long\"]\nflows = [1, 3]\n",
        ),
    ];
    let library = library(&more);
    let experiment = Experiment::load(&library, "x").expect("the experiment is right");
    let links: Vec<_> = experiment.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(links, ["gprs+bulk", "gprs+long", "edge+bulk", "edge+long"]);
    let carried: Vec<_> = links
        .iter()
        .map(|link| experiment.workload_on(link).name.as_str())
        .collect();
    assert_eq!(carried, ["bulk", "long", "bulk", "long"]);
    let flows: Vec<_> = links.iter().map(|link| experiment.flows_on(link)).collect();
    assert_eq!(flows, [Some(1), Some(1), Some(3), Some(3)]);

    let said = |lines: &str| {
        let text = format!("title = \"e\"\nlink = \"gprs\"\nvariants = [\"sack\"]\n{lines}");
        let files = [more[0], more[1], ("experiments/y.toml", text.as_str())];
        let problems = check(&self::library(&files), "p/experiments/y.toml").expect_err("the file is wrong");
        problems.to_string().replace("p/", "")
    };
    assert_eq!(
        said("workloads = [\"bulk\", \"ping\", \"bulk\", \"lon\"]\n"),
        r#"experiments/y.toml:4: workloads[1]: runs commands, beside which there is no other workload; give it as `workload`
experiments/y.toml:4: workloads[2]: "bulk" is the name of another of the workloads already; give this one another
experiments/y.toml:4: workloads[3]: there is no workload "lon"; did you mean "long"?"#
    );
    assert_eq!(
        said("workload = \"bulk\"\nworkloads = [\"long\"]\n"),
        "experiments/y.toml:4: workload: stands beside `workloads`; give one of the two"
    );
    assert_eq!(
        said(""),
        r#"experiments/y.toml: workload: missing; give the workload, as in `workload = "bulk-100-kib-down"`, or several, as in `workloads = ["bulk-100-kib-down", "bulk-1-mib-down"]`"#
    );
}
