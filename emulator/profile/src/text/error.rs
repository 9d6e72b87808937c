//! Why a text cannot be read.

use thiserror::Error;
use windlull_units::ParseQuantityError;

/// Why a text is not what its key asks for; the message says what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TextError {
    /// Not a quantity.
    #[error(transparent)]
    Quantity(#[from] ParseQuantityError),
    /// Not written in any of the ways that are possible.
    #[error("\"{text}\" is not {expected}; write it as in {examples}")]
    Unreadable {
        text: String,
        /// What was expected, with its article.
        expected: &'static str,
        /// What would be right.
        examples: String,
    },
    /// A distribution that does not exist.
    #[error("\"{name}\" is not a distribution; {}", match .suggestion {
        Some(name) => format!("did you mean \"{name}\"?"),
        None => format!("use one of {known}"),
    })]
    UnknownDistribution {
        name: String,
        /// The nearest one, if one is near.
        suggestion: Option<String>,
        /// The ones there are.
        known: &'static str,
    },
    /// A distribution with other parameters than it takes.
    #[error("{name} takes {expected}, not \"{found}\"; write it as in \"{example}\"")]
    Parameters {
        name: &'static str,
        expected: &'static str,
        found: String,
        /// What would be right.
        example: &'static str,
    },
    /// Two amounts in the wrong order.
    #[error("{name}: {low} is above {high}; write the smaller one first")]
    Inverted {
        /// What they belong to.
        name: &'static str,
        low: String,
        high: String,
    },
    /// A number outside its range.
    #[error("{what} is {value}, but must be {range}")]
    Range {
        what: &'static str,
        value: String,
        range: &'static str,
    },
}

impl TextError {
    pub(super) fn range(what: &'static str, value: &str, range: &'static str) -> Self {
        let value = value.to_owned();
        Self::Range { what, value, range }
    }

    pub(crate) fn unreadable(text: &str, expected: &'static str, examples: &[&str]) -> Self {
        let quoted: Vec<_> = examples.iter().map(|example| format!("\"{example}\"")).collect();
        Self::Unreadable {
            text: text.to_owned(),
            expected,
            examples: quoted.join(" or "),
        }
    }
}
