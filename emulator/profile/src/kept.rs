//! The structure of a type's files as it is kept: what it names is read when it is first asked for.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

/// A schema, and the definitions that it refers to. Most files need few of them.
#[derive(Debug)]
pub(crate) struct Structure {
    pub(crate) top: Value,
    definitions: BTreeMap<String, Definition>,
}

/// Its line, where it is read from one.
#[derive(Debug)]
struct Definition(&'static str, OnceLock<Value>);

/// The key of a schema's definitions.
const DEFINITIONS: &str = "$defs";

impl Structure {
    /// Reads what [`Structure::lines`] wrote.
    pub(crate) fn read(text: &'static str) -> Self {
        let mut lines = text.lines();
        let named = |line: &'static str| {
            let (name, schema) = line.split_once(' ').expect("a definition has a name");
            (name.to_owned(), Definition(schema, OnceLock::new()))
        };
        Self {
            top: parse(lines.next().unwrap_or_default()),
            definitions: lines.map(named).collect(),
        }
    }

    /// A schema with its definitions inside.
    pub(crate) fn of(mut schema: Value) -> Self {
        let definitions = schema.as_object_mut().and_then(|schema| schema.remove(DEFINITIONS));
        let definitions = match definitions {
            Some(Value::Object(definitions)) => definitions,
            _ => serde_json::Map::new(),
        };
        Self {
            top: schema,
            definitions: definitions
                .into_iter()
                .map(|(name, schema)| (name, Definition("", OnceLock::from(schema))))
                .collect(),
        }
    }

    /// A line of JSON for the schema, then one for each definition, behind its name.
    pub(crate) fn lines(schema: Value) -> String {
        let Self { top, definitions } = Self::of(schema);
        let mut text = format!("{top}\n");
        for (name, Definition(_, schema)) in definitions {
            let schema = schema.into_inner().expect("it was not read from a line");
            text += &format!("{name} {schema}\n");
        }
        text
    }

    /// What a reference as `#/$defs/NAME` stands for.
    pub(crate) fn definition(&self, reference: &str) -> Option<&Value> {
        let name = reference
            .strip_prefix("#/")?
            .strip_prefix(DEFINITIONS)?
            .strip_prefix('/')?;
        let Definition(line, schema) = self.definitions.get(name)?;
        Some(schema.get_or_init(|| parse(line)))
    }
}

fn parse(line: &str) -> Value {
    serde_json::from_str(line).expect("a structure is JSON")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_kept_is_what_was_written() {
        let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}},
            "$defs": {"A": {"type": "string"}, "B": {"const": "b c"}}});
        let lines: &'static str = Structure::lines(schema.clone()).leak();
        for structure in [Structure::read(lines), Structure::of(schema)] {
            assert_eq!(structure.top["properties"]["a"], json!({"$ref": "#/$defs/A"}));
            assert_eq!(structure.top.get("$defs"), None);
            assert_eq!(structure.definition("#/$defs/A"), Some(&json!({"type": "string"})));
            assert_eq!(structure.definition("#/$defs/B"), Some(&json!({"const": "b c"})));
            assert_eq!(structure.definition("#/$defs/C"), None);
            assert_eq!(structure.definition("#/properties/a"), None);
        }
    }
}
