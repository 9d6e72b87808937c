//! What the keys of runs rest on.

use serde_json::json;

/// The feature `preserve_order` of `serde_json`, which any crate may turn on for all, would change keys.
#[test]
fn objects_are_in_order_of_their_keys() {
    assert_eq!(
        json!({"b": 1, "a": {"d": 1, "c": 2}}).to_string(),
        r#"{"a":{"c":2,"d":1},"b":1}"#
    );
}
