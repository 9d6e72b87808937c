//! What a row of the table of metrics says, and what is made of it.

use serde::Serialize;

use crate::result::RunAnalysis;

/// What is known of a metric besides its values. It is written once, and read by every language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Metric {
    /// Its name in results, claims and columns: that of a field.
    pub name: &'static str,
    /// What people call it, in lower case, as within a sentence.
    pub label: &'static str,
    /// The unit of its values; empty for a ratio.
    pub unit: &'static str,
    /// How many decimals a person needs.
    pub digits: u8,
    /// Which way is an improvement, where one way is.
    pub better: Option<Better>,
    /// What several flows have of it, if that follows from what each has.
    pub together: Option<Together>,
    /// What exactly is measured.
    pub definition: &'static str,
}

/// Which way is an improvement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Less is better.
    Lower,
    Higher,
}

/// What several flows have of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Together {
    /// The sum of the flows' counts, if all are known.
    Sum,
    /// The mean over the flows that know.
    Mean,
    /// The largest of the flows that know.
    Largest,
}

/// What people are told beside the numbers, where a metric is above a bound. It is written once, as the metric is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Remark {
    /// The metric's name.
    pub metric: &'static str,
    /// Of a larger value it is told.
    pub above: f64,
    /// What is said of a run; `{percent}` is the value, in whole per cent, and a metric's name in braces that metric's.
    pub words: &'static str,
}

/// A value that may be unknown.
pub(super) trait Known {
    /// Whether nothing is known.
    fn is_unknown(&self) -> bool;
}

impl Known for u64 {
    fn is_unknown(&self) -> bool {
        false
    }
}

impl<T> Known for Option<T> {
    fn is_unknown(&self) -> bool {
        self.is_none()
    }
}

pub(super) fn sum<T: std::iter::Sum>(flows: &[RunAnalysis], of: impl Fn(&super::Metrics) -> T) -> T {
    flows.iter().map(|flow| of(&flow.metrics)).sum()
}

#[expect(clippy::cast_precision_loss, reason = "flows are few")]
pub(crate) fn mean(flows: &[RunAnalysis], of: impl Fn(&super::Metrics) -> Option<f64>) -> Option<f64> {
    let known: Vec<f64> = flows.iter().filter_map(|flow| of(&flow.metrics)).collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}

pub(super) fn largest<T: PartialOrd>(flows: &[RunAnalysis], of: impl Fn(&super::Metrics) -> Option<T>) -> Option<T> {
    let known = flows.iter().filter_map(|flow| of(&flow.metrics));
    known.reduce(|one, other| if other > one { other } else { one })
}

pub(super) fn apart<T: Default>(_: &[RunAnalysis], _: impl Fn(&super::Metrics) -> T) -> T {
    T::default()
}

/// Makes `Metrics`, the list `METRICS`, and what several flows have of each, of one table.
macro_rules! metrics {
    (
        connection: {$(
            $name:ident: $type:ty = $label:literal, $unit:literal, $digits:literal, $better:ident, $together:ident, $definition:literal;
        )*}
        others: {$(
            $other:ident = $other_label:literal, $other_unit:literal, $other_digits:literal, $other_better:ident, $other_definition:literal;
        )*}
        sets: {$(
            $set:ident = $set_label:literal, $set_unit:literal, $set_digits:literal, $set_better:ident, $set_definition:literal;
        )*}
    ) => {
        /// The metrics of a run. What cannot be known is absent.
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, schemars::JsonSchema)]
        #[schemars(with = "crate::result::MetricValues")]
        pub struct Metrics {
            $(
                #[doc = $definition]
                #[serde(skip_serializing_if = "Known::is_unknown")]
                pub $name: $type,
            )*
            /// Of a run of several flows, what [`together`](crate::together) names.
            #[serde(flatten)]
            pub of_flows: std::collections::BTreeMap<String, f64>,
        }

        /// Every metric, in the order in which they are written everywhere.
        pub const METRICS: &[Metric] = &[
            $(metrics!(row $name, $label, $unit, $digits, $better, $together, $definition),)*
            $(metrics!(row $other, $other_label, $other_unit, $other_digits, $other_better, apart, $other_definition),)*
        ];

        /// What is measured of a set of flows, as in `set_2_fastest_bps`.
        pub const OF_SETS: &[Metric] = &[
            $(metrics!(row $set, $set_label, $set_unit, $set_digits, $set_better, apart, $set_definition),)*
        ];

        /// What several flows have of each metric, where that follows from what each flow has.
        pub(crate) fn add_up(flows: &[$crate::result::RunAnalysis]) -> Metrics {
            Metrics {
                $($name: $together(flows, |metrics| metrics.$name),)*
                of_flows: std::collections::BTreeMap::new(),
            }
        }
    };
    (row $name:ident, $label:literal, $unit:literal, $digits:literal, $better:ident, $together:ident, $definition:literal) => {
        Metric {
            name: stringify!($name),
            label: $label,
            unit: $unit,
            digits: $digits,
            better: metrics!(better $better),
            together: metrics!(together $together),
            definition: $definition,
        }
    };
    (better lower) => { Some(Better::Lower) };
    (better higher) => { Some(Better::Higher) };
    (better neither) => { None };
    (together sum) => { Some(Together::Sum) };
    (together mean) => { Some(Together::Mean) };
    (together largest) => { Some(Together::Largest) };
    (together apart) => { None };
}
