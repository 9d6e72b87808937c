//! What the process says of itself: one JSON object a line, on standard error.

use std::time::SystemTime;

use serde_json::{Map, Value};

/// Says it. `fields` is a JSON object.
#[expect(clippy::print_stderr, reason = "the one place where the process talks")]
pub(crate) fn say(level: &'static str, event: &str, fields: Value) {
    eprintln!("{}", line(level, event, &rfc3339(SystemTime::now()), fields));
}

/// Something went as it should.
pub(crate) fn info(event: &str, fields: Value) {
    say("info", event, fields);
}

fn line(level: &str, event: &str, at: &str, fields: Value) -> String {
    let mut said = Map::new();
    for (key, value) in [("timestamp", at), ("level", level), ("event", event)] {
        said.insert(key.to_owned(), value.into());
    }
    if let Value::Object(fields) = fields {
        said.extend(fields);
    }
    Value::Object(said).to_string()
}

/// A time of the wall clock, to the microsecond.
pub(crate) fn rfc3339(at: SystemTime) -> String {
    humantime::format_rfc3339_micros(at).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_object() {
        let line = line(
            "info",
            "hold \"x\"\n",
            "2003-05-01T00:00:00Z",
            serde_json::json!({"for_s": 3}),
        );
        let said: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(said["event"], "hold \"x\"\n");
        assert_eq!((&said["level"], &said["for_s"]), (&"info".into(), &3.into()));
        assert!(!line.contains('\n'));
    }
}
