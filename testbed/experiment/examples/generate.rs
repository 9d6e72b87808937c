//! Writes what is made from the file types: the JSON Schemas in `schema` and the reference `docs/files.md`; and what is
//! made from the table of metrics: `controller/windlull/metrics.json` and the table in `docs/results.md`.

use std::path::Path;

use windlull_experiment::{Kind, metrics_for_programs, reference, schema, structure, with_metrics};

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::create_dir_all(root.join("schema"))?;
    for kind in Kind::ALL {
        let mut text = serde_json::to_string_pretty(&schema(kind)).expect("a schema is JSON");
        text.push('\n');
        std::fs::write(root.join(format!("schema/{}.json", kind.name())), text)?;
        let (path, text) = structure(kind);
        std::fs::write(root.join(path), text)?;
    }
    std::fs::write(root.join("docs/files.md"), reference())?;
    std::fs::write(root.join("controller/windlull/metrics.json"), metrics_for_programs())?;
    let results = root.join("docs/results.md");
    let text = with_metrics(&std::fs::read_to_string(&results)?);
    std::fs::write(results, text)
}
