//! Whatever a file says, reading it ends with a value or with problems that say where.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use windlull_experiment::{Library, check};

const VARIANT: &str = r#"title = "v"
recovery = "sack"
detection = "frto-sack"
response = "frto-conservative"
sack = true
mss = "256 B"
burst_limit = 3
delayed_ack = { kind = "every-second", timer = "200 ms" }
[timer]
minimum_rto = "1 s"
"#;

const EXPERIMENT: &str = r#"title = "e"
link = "l"
variants = ["v"]
workload = "w"
repetitions = 3
seed = 7
time_limit = "600 s"
[capture]
snaplen = "96 B"
[tcp]
timestamps = true
[published]
source = "s"
columns = [{ metric = "elapsed_s", label = "t" }]
rows = [{ variant = "v", label = "V", values = [1.5] }]
[[claim]]
id = "c"
text = "t"
metric = "elapsed_s"
left = "v"
relation = "within"
right = "v"
tolerance = "5 %"
"#;

const OTHERS: [(&str, &str); 2] = [
    (
        "links/l.toml",
        "title = \"l\"\n[both]\nrate = \"unlimited\"\ndelay = \"1 s\"\nqueue = { kind = \"droptail\", limit = \"7 packets\" }\n",
    ),
    (
        "workloads/w.toml",
        "title = \"w\"\nkind = \"bulk\"\nsize = \"1 B\"\ndirection = \"up\"\n",
    ),
];

/// Checks the experiment with this text for itself or for its variant.
fn read(experiment: &str, variant: &str) -> Result<(), String> {
    let mut files: BTreeMap<PathBuf, String> = OTHERS
        .iter()
        .map(|(path, text)| (Path::new("p").join(path), (*text).to_owned()))
        .collect();
    files.insert(PathBuf::from("p/experiments/e.toml"), experiment.to_owned());
    files.insert(PathBuf::from("p/variants/v.toml"), variant.to_owned());
    check(&Library::new("p", files), "experiments/e").map_err(|problems| {
        assert!(problems.iter().all(|problem| problem.line.is_none_or(|line| line > 0)));
        problems.to_string()
    })
}

fn with_hole(text: &str, from: usize, length: usize, filling: &str) -> String {
    let from = from % text.len();
    format!("{}{filling}{}", &text[..from], &text[(from + length).min(text.len())..])
}

fn with_value(text: &str, line: usize, value: &str) -> String {
    let count = text.lines().count();
    let changed = text
        .lines()
        .enumerate()
        .map(|(i, line_text)| match line_text.split_once(" = ") {
            Some((key, _)) if i == line % count => format!("{key} = {value}\n"),
            _ => format!("{line_text}\n"),
        });
    changed.collect()
}

#[test]
fn the_seeds_are_good() {
    assert_eq!(read(EXPERIMENT, VARIANT), Ok(()));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        let _ = read(&text, VARIANT);
        let _ = read(EXPERIMENT, &text);
    }

    #[test]
    fn a_file_with_a_hole_is_read_or_refused(from in 0..1000usize, length in 0..40usize, filling in "[ -~\n]{0,12}") {
        let _ = read(&with_hole(EXPERIMENT, from, length, &filling), VARIANT);
        let _ = read(EXPERIMENT, &with_hole(VARIANT, from, length, &filling));
    }

    #[test]
    fn a_value_becomes_another(
        line in 0..100usize,
        value in "(\"[a-z0-9 .+%-]{0,20}\"|-?[0-9]{1,20}|true|\\[\\]|\\{\\}|[0-9]e9|nan|-inf)",
    ) {
        let _ = read(&with_value(EXPERIMENT, line, &value), VARIANT);
        let _ = read(EXPERIMENT, &with_value(VARIANT, line, &value));
    }
}
