//! `plan`, and what `run` makes of a part of it: what a scheduler builds on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../profiles")
}

/// A directory with files in it.
fn directory(files: &[(&str, &str)]) -> TempDir {
    let place = tempfile::tempdir().expect("a directory can be made");
    for (path, text) in files {
        let path = place.path().join(path);
        fs::create_dir_all(path.parent().expect("it has a parent")).expect("a directory can be made");
        fs::write(path, text).expect("a file can be written");
    }
    place
}

fn engine(profiles: &[&Path], arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_windlull-engine"));
    for root in profiles {
        command.arg("--profiles").arg(root);
    }
    // At its end for `--lifeline`.
    command
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the engine can be started")
}

fn answer(profiles: &[&Path], arguments: &[&str]) -> Value {
    let output = engine(profiles, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("the answer is JSON")
}

/// What standard error says of input that is refused.
fn refusal(profiles: &[&Path], arguments: &[&str]) -> String {
    let output = engine(profiles, arguments);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert!(output.stdout.is_empty());
    complaint
}

/// Writes a plan's files into a directory of their own.
fn unpacked(plan: &Value) -> TempDir {
    let files = plan["files"].as_object().expect("there are files");
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str().expect("a file is a text")))
        .collect();
    directory(&files)
}

fn keys(plan: &Value) -> Vec<&str> {
    let runs = plan["runs"].as_array().expect("there are runs");
    runs.iter()
        .map(|run| run["key"].as_str().expect("it has a key"))
        .collect()
}

const LINK: &str = "title = \"l\"\n[both]\nrate = \"1 Mbit/s\"\ndelay = \"20 ms\"\n\
                    queue = { kind = \"droptail\", limit = \"50 packets\" }\n";

/// An experiment of one short run on this link.
fn experiment(link: &str) -> String {
    format!("title = \"x\"\nlink = \"{link}\"\nvariants = [\"sack\"]\nworkload = \"bulk-20-kib-down\"\n")
}

#[test]
fn a_plan_is_what_a_run_makes() {
    let plan = answer(&[&shipped()], &["plan", "first-look", "--reps", "3"]);
    assert_eq!(
        (&plan["count"], &plan["testbeds"]),
        (&6.into(), &serde_json::json!(["sim"]))
    );
    let output = engine(&[&shipped()], &["run", "first-look", "--reps", "3", "--jobs", "1"]);
    let said = String::from_utf8(output.stdout).expect("the engine says text");
    let runs: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .filter(|line: &Value| line["event"] == "run")
        .collect();
    let planned = plan["runs"].as_array().expect("there are runs");
    assert_eq!(runs.len(), planned.len());
    for (nth, (run, planned)) in runs.iter().zip(planned).enumerate() {
        assert_eq!(planned["place"], nth);
        for key in ["place", "testbed", "variant", "link", "repetition", "seed", "directory"] {
            assert_eq!(run[key], planned[key]);
        }
    }
    let brief = answer(&[&shipped()], &["plan", "first-look", "--reps", "3", "--brief"]);
    assert!(brief.get("runs").is_none());
    assert_eq!(brief["files"], plan["files"]);
}

#[test]
fn live_runs_stand_behind_the_simulated_ones_and_have_no_key() {
    let plan = answer(&[&shipped()], &["plan", "first-look-live", "--testbed", "netns"]);
    let runs = plan["runs"].as_array().expect("there are runs");
    let live: Vec<bool> = runs.iter().map(|run| run["testbed"] == "netns").collect();
    assert_eq!(live, [false, true, true, true]);
    assert!(
        runs.iter()
            .all(|run| run.get("key").is_some() == (run["testbed"] == "sim"))
    );
}

#[test]
fn every_shipped_experiment_can_be_carried_elsewhere() {
    let list = answer(&[&shipped()], &["list", "experiments"]);
    for listed in list.as_array().expect("it is a list") {
        let name = listed["name"].as_str().expect("it has a name");
        let plan = answer(&[&shipped()], &["plan", name, "--reps", "2"]);
        let elsewhere = unpacked(&plan);
        assert_eq!(
            answer(&[elsewhere.path()], &["plan", name, "--reps", "2", "--confined"]),
            plan
        );
    }
}

#[test]
fn files_beside_an_experiment_go_with_it() {
    let own = directory(&[
        ("mine.toml", &experiment("links/l.toml")),
        (
            "links/l.toml",
            &LINK.replace("\"20 ms\"", "\"empirical(../delays.csv)\""),
        ),
        ("delays.csv", "0.02\n0.03\n"),
    ]);
    let file = own.path().join("mine.toml").display().to_string();
    let plan = answer(&[&shipped()], &["plan", &file]);
    assert_eq!(plan["experiment_file"], "experiments/mine.toml");
    let files = plan["files"].as_object().expect("there are files");
    assert!(files.contains_key("experiments/delays.csv") && files.contains_key("experiments/links/l.toml"));
    let elsewhere = unpacked(&plan);
    assert_eq!(answer(&[elsewhere.path()], &["plan", "mine", "--confined"]), plan);
}

#[test]
fn files_from_elsewhere_do_not() {
    let own = directory(&[("l.toml", LINK)]);
    let link = own.path().join("l.toml").display().to_string();
    for (link, what) in [
        (link.as_str(), "which is neither in"),
        ("../l.toml", "which is neither in"),
    ] {
        fs::create_dir_all(own.path().join("below")).expect("a directory can be made");
        let file = own.path().join("below/x.toml");
        fs::write(&file, experiment(link)).expect("a file can be written");
        let complaint = refusal(&[&shipped()], &["plan", &file.display().to_string()]);
        assert!(complaint.contains(what), "{complaint}");
    }
}

#[test]
fn equal_cells_have_equal_keys_whatever_is_written_about_them() {
    let of = |link: &str, experiment: &str| {
        let own = directory(&[("links/l.toml", link), ("experiments/x.toml", experiment)]);
        let plan = answer(&[&shipped(), own.path()], &["plan", "x"]);
        keys(&plan)[0].to_owned()
    };
    let usual = of(LINK, &experiment("l"));
    assert_eq!(usual.len(), 64);
    assert_eq!(usual, of(&LINK.replace("\"l\"", "\"another title\""), &experiment("l")));
    assert_eq!(
        usual,
        of(LINK, &format!("{}assumptions = [\"none\"]\n", experiment("l")))
    );
    for (link, experiment) in [
        (LINK.replace("20 ms", "21 ms"), experiment("l")),
        (LINK.to_owned(), format!("{}seed = 2\n", experiment("l"))),
        (LINK.to_owned(), format!("{}time_limit = \"2 h\"\n", experiment("l"))),
        (
            LINK.to_owned(),
            format!("{}[tcp]\ninitial_window = 4\n", experiment("l")),
        ),
        (
            LINK.to_owned(),
            format!("{}[capture]\nsnaplen = \"full\"\n", experiment("l")),
        ),
        (
            LINK.to_owned(),
            experiment("l").replace("bulk-20-kib-down", "bulk-100-kib-down"),
        ),
        (LINK.to_owned(), experiment("l").replace("sack", "newreno")),
    ] {
        assert_ne!(usual, of(&link, &experiment), "{link}{experiment}");
    }
}

#[test]
fn a_part_of_a_plan_is_run_as_the_whole_would_be() {
    let lines = |runs: &[&str]| {
        let arguments = [&["run", "first-look", "--reps", "3", "--jobs", "1"], runs].concat();
        let output = engine(&[&shipped()], &arguments);
        let said = String::from_utf8(output.stdout).expect("the engine says text");
        said.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let whole = lines(&[]);
    let part = lines(&["--runs", "4,1-2"]);
    assert_eq!(part[1..4], [&whole[2..4], &whole[5..6]].concat());
    assert_eq!(part[4], "{\"event\":\"done\",\"runs\":3}");
    let complaint = refusal(&[&shipped()], &["run", "first-look", "--reps", "3", "--runs", "5-6"]);
    assert_eq!(
        complaint,
        "error: --runs: there is no run 6; the plan has 6, counted from 0\n"
    );
}

#[test]
fn simulated_runs_of_a_live_plan_need_nothing_of_the_machine() {
    let nowhere = "title = \"x\"\nstack = \"linux\"\n[linux]\ncongestion_control = \"nowhere\"\n";
    let joined = experiment("gprs-one-pause").replace("\"sack\"", "\"sack\", \"nowhere.toml\"");
    let own = directory(&[("x.toml", &joined), ("nowhere.toml", nowhere)]);
    let file = own.path().join("x.toml").display().to_string();
    let output = engine(&[&shipped()], &["run", &file, "--testbed", "netns", "--runs", "0"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn several_directories_are_searched_as_one_and_none_goes_first() {
    let own = directory(&[("links/l.toml", LINK), ("experiments/x.toml", &experiment("l"))]);
    answer(&[&shipped(), own.path()], &["plan", "x"]);
    // The same one twice is one.
    answer(&[&shipped(), own.path(), own.path()], &["plan", "x"]);
    fs::write(own.path().join("links/gprs.toml"), LINK).expect("a file can be written");
    fs::write(own.path().join("experiments/x.toml"), experiment("gprs")).expect("a file can be written");
    let complaint = refusal(&[&shipped(), own.path()], &["plan", "x"]);
    assert!(
        complaint.contains("there are several files of the link \"gprs\": "),
        "{complaint}"
    );
    assert_eq!(complaint.matches("gprs.toml").count(), 2);
}

#[test]
fn the_confined_engine_reads_nothing_outside_its_directories() {
    let outside = directory(&[
        ("secret.csv", "0.1\n"),
        ("secret.toml", LINK),
        ("secret/links/s.toml", LINK),
    ]);
    let secret = |name: &str| outside.path().join(name).display().to_string();
    let own = directory(&[("links/l.toml", LINK)]);
    let up = format!("{}{}", "../".repeat(30), secret("secret.toml").trim_start_matches('/'));
    let csv = |path: &str| LINK.replace("\"20 ms\"", &format!("\"empirical({path})\""));
    let trace =
        |kind: &str, path: &str| LINK.replace("\"1 Mbit/s\"", &format!("{{ kind = \"{kind}\", file = \"{path}\" }}"));
    let up_csv = up.replace(".toml", ".csv");
    let files = [
        ("experiments/e.toml", experiment(&secret("secret.toml"))),
        ("experiments/e.toml", experiment(&up)),
        ("experiments/e.toml", experiment("../links/../../../x/secret.toml")),
        (
            "experiments/e.toml",
            experiment("l").replace("\"sack\"", &format!("\"{up}\"")),
        ),
        ("experiments/e.toml", experiment("l").replace("bulk-20-kib-down", &up)),
        (
            "experiments/e.toml",
            format!("{}[live]\nvariants = [\"{up}\"]\n", experiment("l")),
        ),
        ("links/k.toml", format!("extends = \"{up}\"\ntitle = \"k\"\n")),
        ("links/k.toml", csv(&secret("secret.csv"))),
        ("links/k.toml", csv(&up_csv)),
        ("links/k.toml", trace("stepped", &up_csv)),
        ("links/k.toml", trace("trace", &up_csv)),
        ("variants/k.toml", format!("extends = \"{up}\"\ntitle = \"k\"\n")),
    ];
    for (path, text) in files {
        let file = own.path().join(path);
        fs::create_dir_all(file.parent().expect("it has one")).expect("a directory can be made");
        fs::write(&file, &text).expect("a file can be written");
        let name = path.trim_end_matches(".toml");
        let complaint = refusal(
            &[&shipped(), own.path()],
            &["check", name, "--confined", "--errors", "json"],
        );
        let answer: Value = serde_json::from_str(&complaint).expect("the complaint is JSON");
        let problem = &answer["problems"][0];
        let message = problem["message"].as_str().expect("there is a message");
        assert!(
            message.ends_with("is outside the profiles directories; name a file that is in them"),
            "{complaint}"
        );
        assert!(problem["line"].is_u64() && problem["key"].is_string(), "{complaint}");
        fs::remove_file(&file).expect("it is there");
    }
    for command in [
        ["plan", "--confined"],
        ["run", "--confined"],
        ["check", "--confined"],
        ["show", "--confined"],
    ] {
        for path in [up.clone(), secret("secret.toml"), "../x.toml".to_owned()] {
            let complaint = refusal(&[own.path()], &[command[0], command[1], &path]);
            assert!(complaint.contains("is outside the profiles directories"), "{complaint}");
        }
    }
}

#[test]
fn what_is_wrong_is_told_as_data() {
    let own = directory(&[("links/l.toml", &LINK.replace("both]\nrate", "both]\n  raet"))]);
    let complaint = refusal(&[own.path()], &["check", "l", "--errors", "json"]);
    let answer: Value = serde_json::from_str(&complaint).expect("the complaint is JSON");
    let file = own.path().join("links/l.toml").display().to_string();
    assert_eq!(
        answer["problems"][0],
        serde_json::json!({
            "file": file, "line": 3, "column": 3, "key": "both.raet",
            "message": "unknown key; did you mean \"rate\"?", "suggestion": "rate",
        })
    );
    for arguments in [
        vec!["plan", "--nonsense"],
        vec!["plan", "gprs"],
        vec!["plan", "first-look", "--plane", "model"],
    ] {
        let complaint = refusal(&[&shipped()], &[&["--errors", "json"], arguments.as_slice()].concat());
        let answer: Value = serde_json::from_str(&complaint).expect("the complaint is JSON");
        assert!(answer["problems"][0]["message"].is_string() && answer["problems"][0].get("file").is_none());
    }
}

#[test]
fn absurd_files_are_refused_at_once() {
    let many = |count: usize| (0..count).map(|_| "\"gprs\"").collect::<Vec<_>>().join(", ");
    let variants = many(200_000).replace("gprs", "sack");
    let runs = experiment("gprs")
        .replace(
            "link = \"gprs\"",
            "repetitions = 100000\nlinks = [\"gprs\", \"edge\", \"gsm-csd\"]",
        )
        .replace("\"sack\"", "\"sack\", \"newreno\", \"frto+sack\", \"frto+newreno\"");
    let own = directory(&[
        ("experiments/runs.toml", &runs),
        (
            "experiments/links.toml",
            &experiment("gprs").replace("link = \"gprs\"", &format!("links = [{}]", many(150_000))),
        ),
        (
            "experiments/variants.toml",
            &experiment("gprs").replace("\"sack\"", &variants),
        ),
        (
            "experiments/keys.toml",
            &(0..100_000).map(|key| format!("k{key} = 1\n")).collect::<String>(),
        ),
        ("experiments/name.toml", &experiment(&"x".repeat(1 << 20))),
        (
            "experiments/deep.toml",
            &format!("a = {}{}", "[".repeat(500_000), "]".repeat(500_000)),
        ),
        (
            "links/script.toml",
            &format!(
                "{LINK}{}",
                "[[script]]\nat = \"1 s\"\nrate = \"1 Mbit/s\"\n".repeat(25_000)
            ),
        ),
    ]);
    for (name, what) in [
        ("experiments/links", "has too many entries; give at most 500"),
        ("experiments/variants", "has too many entries; give at most 500"),
        ("experiments/keys", "problems more"),
        ("experiments/name", "there is no link"),
        ("experiments/deep", "not valid TOML"),
        ("links/script", "has too many entries; give at most 10000"),
    ] {
        let complaint = refusal(&[&shipped(), own.path()], &["check", name, "--errors", "json"]);
        assert!(
            complaint.contains(what) && complaint.len() < 1 << 20,
            "{name}: {complaint:.2000}"
        );
    }
    let complaint = refusal(&[&shipped(), own.path()], &["plan", "runs", "--brief"]);
    assert!(
        complaint.contains("has 1200000 runs, and the most are 1000000"),
        "{complaint}"
    );
}

#[test]
fn the_end_of_a_lifeline_stops_a_run() {
    let output = engine(&[&shipped()], &["run", "first-look", "--reps", "100000", "--lifeline"]);
    assert_eq!(output.status.code(), Some(130));
}

#[test]
fn the_confined_engine_follows_no_link_out_of_its_directories() {
    use std::os::unix::fs::symlink;

    let outside = directory(&[("secret.csv", "0.1\n"), ("links/s.toml", LINK)]);
    let own = directory(&[
        ("links/l.toml", LINK),
        ("links/here.csv", "0.02\n"),
        ("links/k.toml", &LINK.replace("\"20 ms\"", "\"empirical(data.csv)\"")),
        ("links/n.toml", "title = \"n\"\nextends = \"s\"\n"),
    ]);
    let links = own.path().join("links");
    let ask = |name: &str| {
        let names = ["check", name, "--confined"];
        refusal(&[own.path()], &names)
    };
    symlink(outside.path().join("secret.csv"), links.join("data.csv")).expect("a link can be made");
    symlink(outside.path().join("links/s.toml"), links.join("s.toml")).expect("a link can be made");
    symlink(outside.path().join("links"), links.join("folder")).expect("a link can be made");
    for name in ["k", "n", "s", "folder/s"] {
        let complaint = ask(name);
        assert!(
            complaint.contains("is outside the profiles directories"),
            "{name}: {complaint}"
        );
    }
    // One that stays inside is as good as the file.
    fs::remove_file(links.join("data.csv")).expect("it is there");
    symlink("here.csv", links.join("data.csv")).expect("a link can be made");
    let output = engine(&[own.path()], &["check", "k", "--confined"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // A device has no end.
    fs::remove_file(links.join("data.csv")).expect("it is there");
    let made = Command::new("mkfifo").arg(links.join("data.csv")).status();
    assert!(made.expect("mkfifo can be started").success());
    let complaint = ask("k");
    assert!(complaint.contains("it is a device or a pipe"), "{complaint}");
}

#[test]
fn messages_quote_no_file_that_lies_elsewhere() {
    let elsewhere = directory(&[
        ("secret.txt", "password=hunter2\n"),
        ("secret.csv", "seconds\nhunter2\n"),
        ("secret.toml", "hunter2 = \"hunter2\"\n"),
        ("broken.toml", "hunter2 hunter2\n"),
    ]);
    let path = |name: &str| elsewhere.path().join(name).display().to_string();
    let rate = |kind: &str| {
        LINK.replace(
            "\"1 Mbit/s\"",
            &format!("{{ kind = \"{kind}\", file = \"{}\" }}", path("secret.txt")),
        )
    };
    let extends = |name: &str| format!("title = \"x\"\nextends = \"{}\"\n", path(name));
    let cases = [
        ("links/x.toml", rate("trace")),
        ("links/x.toml", rate("stepped")),
        (
            "links/x.toml",
            LINK.replace("\"20 ms\"", &format!("\"empirical({})\"", path("secret.csv"))),
        ),
        ("links/x.toml", extends("secret.toml")),
        ("links/x.toml", extends("broken.toml")),
        ("variants/x.toml", extends("secret.toml")),
        ("variants/x.toml", extends("broken.toml")),
        ("experiments/x.toml", experiment(&path("secret.toml"))),
        (
            "experiments/x.toml",
            experiment("l").replace("\"sack\"", &format!("\"{}\"", path("broken.toml"))),
        ),
        (
            "experiments/x.toml",
            experiment("l").replace("bulk-20-kib-down", &path("secret.toml")),
        ),
    ];
    for (file, text) in cases {
        // Neither in a profiles directory nor below the one that names it.
        let own = directory(&[("links/l.toml", LINK), (file, &text)]);
        let file = own.path().join(file).display().to_string();
        let complaint = refusal(&[&shipped()], &["check", &file]);
        assert!(!complaint.contains("hunter2"), "{complaint}");
        assert!(complaint.contains("what stands in it is not told here"), "{complaint}");
    }
    // Beside the file that names it, it is one's own.
    let own = directory(&[
        ("x.toml", &LINK.replace("\"20 ms\"", "\"empirical(d.csv)\"")),
        ("d.csv", "0.1\nsoon\n"),
    ]);
    let complaint = refusal(
        &[&shipped()],
        &["check", &own.path().join("x.toml").display().to_string()],
    );
    assert!(complaint.contains("\"soon\" is not a number of seconds"), "{complaint}");
}
