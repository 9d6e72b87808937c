//! The kernel's TCP in files: every key and every shipped variant is documented, and what is wrong is said.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use windlull_experiment::file::Peer;
use windlull_experiment::{Experiment, Kind, Library, Testbed, VariantProfile, check, schema};
use windlull_stack::{Linux, Program, Stack};
use windlull_units::{Bytes, Carries, Span};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The first cells of the rows of `docs/variants.md` about the kernel's TCP.
fn documented() -> BTreeSet<String> {
    let docs = fs::read_to_string(root().join("docs/variants.md")).expect("the docs are in the repository");
    let (_, chapter) = docs
        .split_once("\n## linux\n")
        .expect("there is a chapter on the kernel's TCP");
    let rows = chapter.lines().filter_map(|line| line.strip_prefix("| linux"));
    rows.map(|row| format!("linux{}", row.split(" |").next().unwrap_or_default()))
        .collect()
}

#[test]
fn every_setting_and_every_shipped_variant_has_a_row_of_docs_and_every_row_one_of_them() {
    let schema = serde_json::to_value(schema(Kind::Variant)).expect("a schema is JSON");
    let keys = schema["$defs"]["LinuxFile"]["properties"]
        .as_object()
        .expect("the table has keys")
        .keys()
        .map(|key| format!("linux.{key}"));
    let library = Library::open(root().join("profiles"));
    let variants = library.names(Kind::Variant).into_iter().filter(|name| {
        let variant = VariantProfile::load(&library, name).expect("a shipped variant is right");
        assert!(
            variant.source.is_some_and(|source| !source.is_empty()),
            "{name} has no source"
        );
        variant.stack.linux().is_some()
    });
    assert_eq!(documented(), keys.chain(variants).collect());
}

const LINK: &str = "title = \"l\"
[both]
rate = \"28.8 kbit/s\"
delay = \"200 ms\"
queue = { kind = \"droptail\", limit = \"7 packets\" }
";

const EXPERIMENT: &str = "title = \"e\"
link = \"gprs\"
variants = [\"sack\"]
workload = \"bulk\"
";

fn library(path: &str, text: &str) -> Library {
    let files = [
        ("links/gprs.toml", LINK),
        (
            "variants/sack.toml",
            "title = \"SACK\"\nrecovery = \"sack\"\nsack = true\n",
        ),
        (
            "variants/linux.toml",
            "title = \"Linux\"\nstack = \"linux\"\n[linux]\ncongestion_control = \"reno\"\n",
        ),
        (
            "workloads/bulk.toml",
            "title = \"b\"\nkind = \"bulk\"\nsize = \"100 KiB\"\ndirection = \"down\"\n",
        ),
        (path, text),
    ];
    let files: BTreeMap<PathBuf, String> = files
        .iter()
        .map(|(path, text)| (PathBuf::from(format!("p/{path}")), (*text).to_owned()))
        .collect();
    Library::new("p", files)
}

fn said(path: &str, text: &str) -> String {
    let problems = check(&library(path, text), &format!("p/{path}")).expect_err("the file is wrong");
    problems.to_string().replace("p/", "")
}

fn variant(text: &str) -> String {
    said("variants/x.toml", &format!("title = \"x\"\n{text}"))
}

#[test]
fn a_claim_may_name_a_variant_that_joins_on_kernels() {
    let experiment = |left: &str| {
        let text = format!(
            "{EXPERIMENT}[live]\nvariants = [\"linux\"]\n[[claim]]\nid = \"c\"\ntext = \"t\"\nmetric = \"elapsed_s\"\n\
             left = \"{left}\"\nrelation = \"<\"\nright = \"sack\"\n"
        );
        let library = library("experiments/x.toml", &text);
        Experiment::load(&library, "x").map(|experiment| experiment.claims.len())
    };
    assert_eq!(experiment("linux").expect("it joins"), 1);
    assert!(experiment("newreno").is_err());
}

#[test]
fn keys_of_one_tcp_in_the_file_of_the_other() {
    assert_eq!(
        variant("stack = \"linux\"\nrecovery = \"newreno\"\nsack = true\nreceive_window = \"8 kB\"\n[timer]\nminimum_rto = \"1 s\"\n"),
        "variants/x.toml:3: recovery: is of our TCP, and this is `stack = \"linux\"`; the kernel has its own; leave it out
variants/x.toml:4: sack: is of our TCP, and this is `stack = \"linux\"`; write `linux.sack`
variants/x.toml:5: receive_window: is of our TCP, and this is `stack = \"linux\"`; write `linux.receive_buffer`
variants/x.toml:6: timer: is of our TCP, and this is `stack = \"linux\"`; of it the kernel has `linux.minimum_rto`"
    );
    assert_eq!(
        variant("extends = \"linux\"\ndetection = \"frto\"\n"),
        "variants/x.toml:3: detection: is of our TCP, and this is `stack = \"linux\"`; the kernel has its own; leave it out"
    );
    assert_eq!(
        variant("recovery = \"newreno\"\n[linux]\nfrto = false\n"),
        "variants/x.toml:3: linux: goes with `stack = \"linux\"` alone; write that, or leave it out"
    );
    assert_eq!(
        variant("extends = \"sack\"\nstack = \"linux\"\n"),
        "variants/x.toml:3: stack: differs from that of \"sack\", which it extends; a variant is of one stack"
    );
}

#[test]
fn settings_of_a_kernel_that_are_wrong() {
    assert_eq!(
        variant("stack = \"linux\"\n[linux]\nsack = false\ndsack = true\n"),
        "variants/x.toml:5: linux.dsack: `dsack = true` needs selective acknowledgements, but `sack = false`: RFC 2883 reports duplicates in SACK blocks"
    );
    assert_eq!(
        variant("stack = \"linux\"\n[linux]\nfrtoo = true\nmss = \"64 B\"\nminimum_rto = \"200\"\n"),
        "variants/x.toml:4: linux.frtoo: unknown key; did you mean \"frto\"?
variants/x.toml:5: linux.mss: 64 B is out of bounds; write at least 88 B
variants/x.toml:6: linux.minimum_rto: `200` has no unit; write it as in `200 ms`"
    );
    assert_eq!(
        variant("stack = \"linux\"\n[linux]\nminimum_rto = \"1500 us\"\n"),
        "variants/x.toml:4: linux.minimum_rto: `minimum_rto` is out of range; it must be from 1 ms to 120 s, in whole milliseconds"
    );
    assert_eq!(
        variant("stack = \"linux\"\n[linux]\ncongestion_control = \"Reno!\"\n"),
        "variants/x.toml:4: linux.congestion_control: `congestion_control` is out of range; it must be the name of an algorithm, as in \"reno\", \"cubic\" or \"bbr\""
    );
    assert_eq!(
        variant("stack = \"freebsd\"\n"),
        "variants/x.toml:2: stack: \"freebsd\" is not possible here; use one of windlull, linux, transport"
    );
}

#[test]
fn what_a_stack_from_elsewhere_is_told() {
    let library = library(
        "variants/x.toml",
        "title = \"x\"\nstack = \"transport\"\n[transport]\nname = \"quinn\"\n[transport.options]\ncongestion = \"bbr\"\npacket-threshold = \"5\"\n",
    );
    let profile = VariantProfile::load(&library, "x").unwrap_or_else(|problems| panic!("{problems}"));
    let transport = profile.stack.transport().expect("it is one");
    assert_eq!(transport.program, Program::Built("quinn".to_owned()));
    let options: Vec<_> = transport
        .options
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(options, [("congestion", "bbr"), ("packet-threshold", "5")]);
    let again = toml::to_string(&profile.resolved()).expect("it can be written");
    assert!(
        again.contains("[transport.options]") && !again.contains("extends"),
        "{again}"
    );
}

#[test]
fn a_program_that_carries_packets_runs_where_virtual_time_has_its_ends() {
    let load = |more: &str| {
        let text = format!("title = \"x\"\nstack = \"transport\"\n[transport]\ncommand = [\"./tcp\"]\n{more}");
        let library = library("variants/x.toml", &text);
        VariantProfile::load(&library, "x").unwrap_or_else(|problems| panic!("{problems}"))
    };
    let carried = |profile: &VariantProfile| -> Vec<bool> {
        Testbed::ALL.iter().map(|testbed| testbed.carries(profile)).collect()
    };
    let [datagrams, packets] = ["", "carries = \"packets\"\n"].map(load);
    for (profile, expected) in [(&datagrams, Carries::Datagrams), (&packets, Carries::Packets)] {
        assert_eq!(profile.stack.transport().map(|it| it.carries), Some(expected));
        let again = toml::to_string(&profile.resolved()).expect("it can be written");
        assert_eq!(
            again.contains("carries = \"packets\""),
            expected == Carries::Packets,
            "{again}"
        );
    }
    let in_sim_alone: Vec<bool> = Testbed::ALL.iter().map(|&testbed| testbed == Testbed::Sim).collect();
    assert_eq!(carried(&packets), in_sim_alone);
    assert_ne!(carried(&datagrams), in_sim_alone);
}

#[test]
fn a_stack_from_elsewhere_that_is_wrong() {
    assert_eq!(
        variant("stack = \"transport\"\nmss = \"1460 B\"\n[transport]\nname = \"quinn\"\n"),
        "variants/x.toml:3: mss: is of our TCP, and this is `stack = \"transport\"`, which has its own `transport.options`; leave it out"
    );
    assert_eq!(
        variant("[transport]\nname = \"quinn\"\n"),
        "variants/x.toml:2: transport: goes with `stack = \"transport\"` alone; write that, or leave it out"
    );
    let transport = |keys: &str| variant(&format!("stack = \"transport\"\n[transport]\n{keys}\n"));
    assert_eq!(
        transport("name = \"../quinn\""),
        "variants/x.toml:4: transport.name: is no name of a stack, as \"quinn\", or of a build of one, as \"quinn@mine\""
    );
    assert_eq!(
        transport("name = \"quinn\"\ncommand = [\"x\"]"),
        "variants/x.toml:5: transport.command: stands beside `name`; give one of the two"
    );
    assert_eq!(
        transport("command = [\"\"]"),
        "variants/x.toml:4: transport.command: is empty; it begins with a program"
    );
    assert_eq!(
        transport("name = \"quinn\"\ncarries = \"packets\""),
        "variants/x.toml:5: transport.carries: is said of a program alone: a stack that is built says itself what it carries; leave it out"
    );
    assert_eq!(
        transport("name = \"quinn\"\noptions = { congestion = 3 }"),
        "variants/x.toml:5: transport.options.congestion: is a number, but should be a text"
    );
}

fn experiment(more: &str) -> Experiment {
    let library = library("experiments/x.toml", &format!("{EXPERIMENT}{more}"));
    Experiment::load(&library, "x").unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn what_an_experiment_says_of_namespaces() {
    let wrong = |more: &str| said("experiments/x.toml", &format!("{EXPERIMENT}{more}"));
    assert_eq!(
        wrong("[live]\nvariants = [\"sack\", \"linx\"]\nrepetitions = 0\npeer = \"other\"\nplain = \"model\"\n"),
        "experiments/x.toml:7: live.repetitions: 0 is out of bounds; write a number from 1 to 100000
experiments/x.toml:8: live.peer: \"other\" is not possible here; use one of same, linux, windlull
experiments/x.toml:9: live.plain: unknown key; did you mean \"plane\"?"
    );
    assert_eq!(
        wrong("[live]\nvariants = [\"sack\", \"linx\"]\n"),
        "experiments/x.toml:6: live.variants[0]: \"sack\" is the name of another of the variants already; give this one another
experiments/x.toml:6: live.variants[1]: there is no variant \"linx\"; did you mean \"linux\"?"
    );
    assert_eq!(
        wrong("[tcp]\nmss = \"64 B\"\n[live]\nvariants = [\"linux\"]\n"),
        "experiments/x.toml:6: tcp.mss: does not go with variant \"linux\": `mss` is out of range; it must be from 88 B to 32767 B"
    );
}

#[test]
fn an_experiment_on_namespaces_has_more_variants_and_its_own_repetitions() {
    let more = "repetitions = 30\n[live]\nvariants = [\"linux\"]\nrepetitions = 3\ntime_limit = \"5 min\"\n";
    let simulated = experiment(more).on(Testbed::Sim);
    assert_eq!((simulated.variants.len(), simulated.repetitions), (1, 30));
    let live = experiment(more).on(Testbed::Netns);
    let names: Vec<_> = live.variants.iter().map(|variant| variant.name.as_str()).collect();
    assert_eq!(names, ["sack", "linux"]);
    assert_eq!((live.repetitions, live.time_limit), (3, Span::from_secs(300)));
    let plan = serde_json::to_value(live.plan(Testbed::ALL)).expect("a plan can be told");
    assert_eq!(
        plan["variants"][0]["testbeds"],
        serde_json::json!(["netns", "kernel", "compose", "sim"])
    );
    assert_eq!(
        plan["variants"][1]["testbeds"],
        serde_json::json!(["netns", "kernel", "compose"])
    );
    assert_eq!(plan["variants"][1]["resolved"]["linux"]["congestion_control"], "reno");
    assert_eq!(plan["live"]["plane"], "model");
    let without = experiment("repetitions = 7\n").on(Testbed::Netns);
    assert_eq!((without.variants.len(), without.repetitions), (1, 7));
}

const SETTINGS: &str = "[tcp]
era = \"2003\"
mss = \"256 B\"
timestamps = true
limited_transmit = true
burst_limit = 3
below_recovery_point = \"blocked\"
after_idle = \"keep\"
initial_window = 2
receive_window = \"32 KiB\"
delayed_ack = { kind = \"every-second\", timer = \"200 ms\" }
timer = { initial_rto = \"3 s\", minimum = \"adaptive\", after_spurious = \"std\", minimum_rto = \"1 s\", maximum_rto = \"60 s\", granularity = \"10 ms\" }
";

#[test]
fn settings_are_laid_over_the_kernel_and_what_it_lacks_is_listed() {
    let live = experiment(&format!("{SETTINGS}[live]\nvariants = [\"linux\"]\n")).on(Testbed::Netns);
    let [ours, kernels] = live.variants.as_slice() else {
        panic!("two variants")
    };
    assert!(ours.not_carried.is_empty());
    assert_eq!(
        kernels.stack,
        Stack::Linux(Linux {
            congestion_control: Some("reno".to_owned()),
            timestamps: Some(true),
            minimum_rto: Some(Span::from_secs(1)),
            mss: Some(256),
            receive_buffer: Some(Bytes::new(65_536)),
            initial_window: Some(2),
            ..Linux::default()
        })
    );
    let keys: Vec<_> = kernels
        .not_carried
        .iter()
        .filter_map(|sentence| sentence.split(" =").next())
        .collect();
    assert_eq!(
        keys,
        [
            "receive_window",
            "burst_limit",
            "after_idle",
            "below_recovery_point",
            "delayed_ack",
            "timer.minimum",
            "timer.after_spurious",
            "timer.maximum_rto",
            "timer.granularity",
            "timer.initial_rto"
        ]
    );
}

#[test]
fn the_receiver_is_the_senders_kind_or_one_for_all() {
    let live = |peer: &str| {
        experiment(&format!(
            "[tcp]\nmss = \"256 B\"\n[live]\nvariants = [\"linux\"]\n{peer}"
        ))
        .on(Testbed::Netns)
    };
    let same = live("");
    assert_eq!(same.live.peer, Peer::Same);
    assert!(
        same.variants
            .iter()
            .all(|variant| *same.live.receiver(variant) == variant.stack)
    );
    let linux = live("peer = \"linux\"\n");
    for variant in &linux.variants {
        let receiver = linux.live.receiver(variant).linux().expect("a kernel");
        assert_eq!(receiver.mss, Some(256));
    }
    let ours = live("peer = \"windlull\"\n");
    for variant in &ours.variants {
        let receiver = ours.live.receiver(variant).windlull().expect("ours");
        assert!(receiver.sack && receiver.timestamps && receiver.window_scale && receiver.mss == 256);
    }
}
