//! Writes what is made from the file types: the JSON Schemas in `profiles/schema` and the reference `docs/files.md`.

use std::path::Path;

use windlull_experiment::{Kind, reference, schema};

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::create_dir_all(root.join("profiles/schema"))?;
    for kind in Kind::ALL {
        let mut text = serde_json::to_string_pretty(&schema(kind)).expect("a schema is JSON");
        text.push('\n');
        std::fs::write(root.join(format!("profiles/schema/{}.json", kind.name())), text)?;
    }
    std::fs::write(root.join("docs/files.md"), reference())
}
