//! Every file that is shipped: it is right, it means what it says, and what is generated from the types is current.

use std::path::{Path, PathBuf};

use windlull_experiment::{
    Experiment, Kind, Library, Link, Resolved, Testbed, VariantProfile, check, list, metrics_for_programs, reference,
    schema, show, structure, with_metrics,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn library() -> Library {
    Library::open(root().join("profiles"))
}

#[test]
fn every_shipped_file_is_right() {
    let library = library();
    for kind in Kind::ALL {
        let names = library.names(kind);
        assert!(!names.is_empty(), "no {}", kind.folder());
        for name in names {
            check(&library, &format!("{}/{name}", kind.folder())).unwrap_or_else(|problems| panic!("{problems}"));
        }
        for name in list(&library, kind).into_iter().map(|listed| listed.name) {
            let full = format!("{}/{name}", kind.folder());
            let shown = show(&library, &full).expect("what was checked can be shown");
            assert_eq!((shown.kind, shown.name.as_str()), (kind.name(), name.as_str()));
            serde_json::to_string(&shown).expect("what is shown can be told");
        }
    }
}

#[test]
fn every_shipped_link_names_its_source_and_can_be_written_again() {
    let library = library();
    for listed in list(&library, Kind::Link) {
        assert!(!listed.title.is_empty() && !listed.source.is_empty(), "{}", listed.name);
        let link = Link::load(&library, &listed.name).expect("a shipped link is right");
        assert!(listed.family.is_some(), "{} is of no family", listed.name);
        assert_eq!(listed.family, link.family, "{}", listed.name);
        let text = toml::to_string(&link.resolved()).expect("a link can be written");
        let files = std::collections::BTreeMap::from([(PathBuf::from("p/links/x.toml"), text.clone())]);
        let again = Link::load(&Library::new("p", files), "x").unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        assert_eq!(again.model, link.model, "{text}");
    }
}

#[test]
fn every_shipped_variant_can_be_written_again() {
    let library = library();
    for name in library.names(Kind::Variant) {
        let variant = VariantProfile::load(&library, &name).expect("a shipped variant is right");
        let text = toml::to_string(&variant.resolved()).expect("a variant can be written");
        let files = std::collections::BTreeMap::from([(PathBuf::from("p/variants/x.toml"), text.clone())]);
        let again = VariantProfile::load(&Library::new("p", files), "x").unwrap_or_else(|p| panic!("{p}\n{text}"));
        assert_eq!(again.stack, variant.stack, "{text}");
    }
}

#[test]
fn the_tables_of_the_paper_compare_the_same_six_variants() {
    let library = library();
    for (table, rows, claims) in [
        ("table-1", 6, 11),
        ("table-2-2pct", 0, 2),
        ("table-2-5pct", 6, 9),
        ("table-2-10pct", 0, 2),
        ("table-3", 6, 11),
    ] {
        let name = format!("papers/sarolahti2003/{table}");
        let experiment = Experiment::load(&library, &name).unwrap_or_else(|problems| panic!("{problems}"));
        let names: Vec<_> = experiment
            .variants
            .iter()
            .map(|variant| variant.name.as_str())
            .collect();
        assert_eq!(
            names,
            [
                "eifel+sack",
                "frto+sack",
                "sack",
                "newreno",
                "frto+newreno",
                "eifel+newreno"
            ]
        );
        assert_eq!((experiment.repetitions, experiment.runs()), (30, 180));
        let ours: Vec<_> = experiment
            .variants
            .iter()
            .filter_map(|variant| variant.stack.windlull())
            .collect();
        let recoveries = ours.iter().map(|variant| variant.recovery.name());
        assert_eq!(
            recoveries.collect::<Vec<_>>(),
            ["reno-sack", "reno-sack", "reno-sack", "newreno", "newreno", "newreno"]
        );
        assert!(
            ours.iter()
                .all(|variant| variant.mss == 256 && variant.burst_limit == Some(3))
        );
        assert_eq!(ours.iter().filter(|variant| variant.timestamps).count(), 2);
        assert_eq!(
            experiment
                .published
                .as_ref()
                .map_or(0, |published| published.rows.len()),
            rows
        );
        assert_eq!(experiment.claims.len(), claims);
        assert!(!experiment.assumptions.is_empty());
    }
}

#[test]
fn a_plan_tells_everything_resolved() {
    let experiment =
        Experiment::load(&library(), "papers/sarolahti2003/table-1").expect("a shipped experiment is right");
    let plan = serde_json::to_value(experiment.plan(&[Testbed::Sim])).expect("a plan can be told");
    assert_eq!(plan["seed"], "2003");
    assert_eq!(plan["repetitions"], 30);
    assert_eq!(plan["links"][0]["name"], "sarolahti2003-sudden-delays");
    assert_eq!(
        plan["links"][0]["summary"][1],
        "sudden-delays (each direction): delivery pauses for exponential(mean 3.5 s), from a packet on with probability 2 %"
    );
    assert_eq!(plan["links"][0]["resolved"]["both"]["rate"], "28.8 kbit/s");
    assert_eq!(plan["variants"][1]["resolved"]["timer"]["minimum_rto"], "1 s");
    assert_eq!(plan["workload"]["size_bytes"], 102_400);
    assert_eq!(plan["published"]["rows"][1]["values"][0], 76.23);
    assert_eq!(plan["published"]["rows"][1]["link"], plan["links"][0]["name"]);
    assert_eq!(plan["claims"][2]["factor"], 3.0);
    let Resolved::Experiment(_) = show(&library(), "papers/sarolahti2003/table-1")
        .expect("it is there")
        .resolved
    else {
        panic!("an experiment is shown as another thing");
    };
}

#[test]
fn what_is_generated_is_current() {
    let hint = "run `make generate`";
    for kind in Kind::ALL {
        let path = root().join(format!("schema/{}.json", kind.name()));
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        let mut generated = serde_json::to_string_pretty(&schema(kind)).expect("a schema is JSON");
        generated.push('\n');
        assert!(committed == generated, "{} is not current: {hint}", path.display());
    }
    let committed = std::fs::read_to_string(root().join("docs/files.md")).unwrap_or_default();
    assert!(committed == reference(), "docs/files.md is not current: {hint}");
    let committed = std::fs::read_to_string(root().join("controller/windlull/metrics.json")).unwrap_or_default();
    assert!(
        committed == metrics_for_programs(),
        "controller/windlull/metrics.json is not current: {hint}"
    );
    let committed = std::fs::read_to_string(root().join("docs/results.md")).unwrap_or_default();
    assert!(
        committed == with_metrics(&committed),
        "docs/results.md is not current: {hint}"
    );
}

/// Every key of every table of a schema, however deep.
fn keys(value: &serde_json::Value, found: &mut Vec<String>) {
    if let Some(properties) = value.get("properties").and_then(serde_json::Value::as_object) {
        found.extend(properties.keys().cloned());
    }
    match value {
        serde_json::Value::Object(object) => object.values().for_each(|value| keys(value, found)),
        serde_json::Value::Array(items) => items.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

#[test]
fn the_reference_has_every_key_of_every_schema() {
    let text = reference();
    for kind in Kind::ALL {
        let heading = format!("\n## {}", kind.folder());
        let begin = text
            .to_lowercase()
            .find(&heading)
            .unwrap_or_else(|| panic!("no chapter on {}", kind.folder()));
        let rest = &text[begin + 4..];
        let chapter = &rest[..rest.find("\n## ").unwrap_or(rest.len())];
        let mut found = Vec::new();
        keys(
            &serde_json::to_value(schema(kind)).expect("a schema is JSON"),
            &mut found,
        );
        assert!(found.len() > 5);
        for key in found {
            assert!(
                chapter.contains(&format!("| `{key}` |")),
                "`{key}` of {} is not documented",
                kind.name()
            );
        }
    }
}

#[test]
fn the_structures_are_those_of_the_types() {
    for kind in Kind::ALL {
        let (path, generated) = structure(kind);
        let kept = std::fs::read_to_string(root().join(path)).expect("a generated file is there");
        assert_eq!(kept, generated, "`make generate` writes {path} anew");
    }
}
