//! What an experiment's source says: published numbers to stand beside ours, and claims to decide.

use schemars::JsonSchema;
use serde::Serialize;

use crate::file::{Average, PublishedColumn, Relation, Statistic};

/// Numbers that the source published.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Published {
    pub source: String,
    /// What they are of the repetitions.
    pub statistic: Average,
    /// What the columns are.
    pub columns: Vec<PublishedColumn>,
    /// One for each variant they give.
    pub rows: Vec<PublishedRow>,
}

/// A row of published numbers.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PublishedRow {
    /// The variant of the experiment.
    pub variant: String,
    /// What the source calls it.
    pub label: String,
    /// The link of the experiment: its first one.
    pub link: String,
    /// One number for each column.
    pub values: Vec<f64>,
}

/// What the source claims: `left RELATION factor x right` or `left RELATION value`, or left within a tolerance of either.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Claim {
    /// Its name, unique in the experiment.
    pub id: String,
    /// The claim in words.
    pub text: String,
    /// The metric that decides it.
    pub metric: String,
    /// The metric by which that is divided, run by run.
    pub per: Option<String>,
    /// The statistic over the repetitions.
    pub statistic: Statistic,
    /// The one link that it is about; none: all of them.
    pub link: Option<String>,
    pub left: String,
    /// How the two must compare.
    pub relation: Relation,
    /// A variant, or none where a number stands in its place.
    pub right: Option<String>,
    /// The link of the right side, where it is not that of the left.
    pub right_link: Option<String>,
    /// The number.
    pub value: Option<f64>,
    /// What the right side is multiplied by; 1 with `within` and with a number.
    pub factor: f64,
    /// With `within`: how far the left side may be from the right, as a part of the right.
    pub tolerance: Option<f64>,
    /// What is known of why it does not hold here.
    pub note: Option<String>,
}
