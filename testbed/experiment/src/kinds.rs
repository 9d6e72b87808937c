//! What kind of file a text is.

use crate::{Kind, schema};

/// What kind of file this is by the keys it has.
pub(crate) fn kind_by_keys(text: &str) -> Kind {
    let (table, _) = toml::de::DeTable::parse_recoverable(text);
    let keys: Vec<String> = table.get_ref().keys().map(|key| key.get_ref().to_string()).collect();
    let in_common = |kind: &Kind| {
        let schema = schema(*kind);
        let known = schema.get("properties").and_then(serde_json::Value::as_object);
        keys.iter()
            .filter(|key| known.is_some_and(|known| known.contains_key(*key)))
            .count()
    };
    // Of equals the last one wins, and an experiment is what people write most.
    Kind::ALL.into_iter().max_by_key(in_common).unwrap_or(Kind::Experiment)
}
