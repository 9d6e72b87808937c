//! What is wrong with what was given, as programs are told of it: the one shape of the engine's complaints in JSON.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Problem;

/// One thing that is wrong, with its place as far as there is one.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub struct Complaint {
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    key: Option<String>,
    message: String,
    suggestion: Option<String>,
    #[serde(skip)]
    text: String,
}

/// So many characters of each part: a whole file may be quoted in it.
const LONGEST_TEXT: usize = 2000;

impl Complaint {
    /// Of no file.
    pub fn of_nothing(message: &str) -> Self {
        let message = shortened(message);
        Self {
            text: message.clone(),
            message,
            ..Self::default()
        }
    }

    /// Of a key of a request, which is no file.
    pub fn of_key(key: &str, message: &str) -> Self {
        Self {
            key: Some(key.to_owned()),
            text: shortened(&format!("{key}: {message}")),
            message: shortened(message),
            ..Self::default()
        }
    }

    /// All of it in one line, for a person.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl From<&Problem> for Complaint {
    fn from(problem: &Problem) -> Self {
        let given = |text: &str| (!text.is_empty()).then(|| shortened(text));
        Self {
            file: given(&problem.file),
            line: problem.line,
            column: problem.column,
            key: given(&problem.key),
            message: shortened(&problem.message()),
            suggestion: problem.defect.suggestion().map(shortened),
            text: shortened(&problem.to_string()),
        }
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_of_a_key_has_its_place_in_both_forms() {
        let complaint = Complaint::of_key("set.loss", "200 % is more than all");
        assert_eq!(complaint.text(), "set.loss: 200 % is more than all");
        let json = serde_json::to_value(&complaint).expect("JSON");
        let expected = serde_json::json!({"key": "set.loss", "message": "200 % is more than all"});
        assert_eq!(json, expected);
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let complaint = Complaint::of_nothing(&"ä".repeat(LONGEST_TEXT + 1));
        assert_eq!(complaint.text(), "ä".repeat(LONGEST_TEXT) + "...");
        let whole = "ä".repeat(LONGEST_TEXT);
        assert_eq!(Complaint::of_nothing(&whole).text(), whole);
    }
}
