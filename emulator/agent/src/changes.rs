//! What a hand asks for, strictly read, and what of it is in force.

use std::time::SystemTime;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_link::LiveChange;
use windlull_link::model::Action;
use windlull_profile::Complaint;
use windlull_profile::text::{Probability, Written};
use windlull_units::{BitRate, Direction, Span};

use crate::logs::rfc3339;

/// The body of `POST /link/changes`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    kind: Kind,
    #[serde(default)]
    direction: Which,
    /// As in `3 s`; nothing: until it is taken back.
    #[serde(rename = "for")]
    lasts: Option<String>,
    set: Option<Set>,
}

windlull_units::named! {
    /// What is done.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[schemars(rename = "ChangeKind")]
    pub(crate) enum Kind {
        Hold = "hold",
        Drop = "drop",
        Set = "set",
    }
}

/// Which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ChangeDirection")]
pub(crate) enum Which {
    #[default]
    Both,
    Down,
    Up,
}

/// What is set, as in `{"rate": "64 kbit/s", "delay": "200 ms", "loss": "1 %"}`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ChangedSettings")]
pub(crate) struct Set {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rate: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    delay: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    loss: Option<String>,
}

/// What was asked for, understood.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) kind: Kind,
    pub(crate) direction: Which,
    pub(crate) lasts: Option<Span>,
    pub(crate) set: Option<Set>,
    /// What the link is told, one after another.
    pub(crate) parts: Vec<LiveChange>,
}

/// A change that is in force.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkChange")]
pub(crate) struct ChangeAnswer {
    pub(crate) id: u64,
    pub(crate) kind: Kind,
    pub(crate) direction: Which,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) set: Option<Set>,
    since: String,
    until: Option<String>,
}

impl Asked {
    pub(crate) fn new(kind: Kind, direction: Which, lasts: Option<String>, set: Option<Set>) -> Self {
        Self {
            kind,
            direction,
            lasts,
            set,
        }
    }

    /// Reads the texts in it.
    pub(crate) fn understood(self) -> Result<Wanted, Vec<Complaint>> {
        let mut wrong = Vec::new();
        let lasts = self.lasts.as_deref().and_then(|text| read("for", text, &mut wrong));
        if lasts == Some(Span::ZERO) {
            wrong.push(Complaint::of_key(
                "for",
                "a change has to last; write a time above zero, or null",
            ));
        }
        let set = self.set.clone().unwrap_or_default();
        let (rate, delay, loss) = (
            set.rate.as_deref().and_then(|text| read("set.rate", text, &mut wrong)),
            set.delay
                .as_deref()
                .and_then(|text| read("set.delay", text, &mut wrong)),
            set.loss.as_deref().and_then(|text| read("set.loss", text, &mut wrong)),
        );
        if wrong.is_empty() {
            match (self.kind, &self.set) {
                (Kind::Set, _) if rate.is_none() && delay.is_none() && loss.is_none() => wrong.push(Complaint::of_key(
                    "set",
                    "missing; a change of kind \"set\" needs one of rate, delay, loss, as in {\"rate\": \"64 kbit/s\"}",
                )),
                (Kind::Hold | Kind::Drop, Some(_)) => {
                    wrong.push(Complaint::of_key("set", "goes with kind \"set\" alone; leave it out"));
                }
                _ => {}
            }
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let actions = match self.kind {
            Kind::Hold => vec![Action::Hold],
            Kind::Drop => vec![Action::Drop],
            Kind::Set => [
                rate.map(|rate: BitRate| Action::SetRate(rate)),
                delay.map(Action::SetDelay),
                loss.map(|Probability(loss)| Action::SetLoss(loss)),
            ]
            .into_iter()
            .flatten()
            .collect(),
        };
        let direction = match self.direction {
            Which::Both => None,
            Which::Down => Some(Direction::Down),
            Which::Up => Some(Direction::Up),
        };
        let part = |action| LiveChange {
            direction,
            action,
            lasts,
        };
        Ok(Wanted {
            kind: self.kind,
            direction: self.direction,
            lasts,
            set: self.set,
            parts: actions.into_iter().map(part).collect(),
        })
    }
}

impl ChangeAnswer {
    pub(crate) fn new(id: u64, wanted: &Wanted, since: SystemTime, until: Option<SystemTime>) -> Self {
        Self {
            id,
            kind: wanted.kind,
            direction: wanted.direction,
            set: wanted.set.clone(),
            since: rfc3339(since),
            until: until.map(rfc3339),
        }
    }
}

fn read<T: Written>(key: &str, text: &str, wrong: &mut Vec<Complaint>) -> Option<T> {
    T::read(text)
        .map_err(|error| wrong.push(Complaint::of_key(key, &error.to_string())))
        .ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn understood(body: Value) -> Result<Wanted, Vec<Complaint>> {
        let asked: Asked = serde_json::from_value(body).expect("the right keys");
        asked.understood()
    }

    fn complaints(body: Value) -> Value {
        let wrong = understood(body).expect_err("something is wrong");
        serde_json::to_value(wrong).expect("JSON")
    }

    #[test]
    fn each_kind_is_understood() {
        let hold = understood(json!({"kind": "hold", "for": "3 s"})).expect("right");
        let expected = LiveChange {
            direction: None,
            action: Action::Hold,
            lasts: Some(Span::from_secs(3)),
        };
        assert_eq!(hold.parts, [expected]);
        let set =
            json!({"kind": "set", "direction": "up", "set": {"rate": "64 kbit/s", "delay": "200 ms", "loss": "1 %"}});
        let set = understood(set).expect("right");
        assert_eq!(set.parts.len(), 3);
        assert!(
            set.parts
                .iter()
                .all(|part| part.direction == Some(Direction::Up) && part.lasts.is_none())
        );
        assert_eq!(set.parts[1].action, Action::SetDelay(Span::from_ms(200)));
        assert_eq!(set.parts[2].action, Action::SetLoss(0.01));
    }

    #[test]
    fn what_is_wrong_is_told_by_its_key() {
        let found = complaints(json!({"kind": "hold", "for": "3 parsecs"}));
        assert_eq!(found[0]["key"], "for");
        assert!(
            found[0]["message"]
                .as_str()
                .is_some_and(|text| text.contains("parsecs"))
        );
        assert_eq!(complaints(json!({"kind": "hold", "for": "0 s"}))[0]["key"], "for");
        assert_eq!(complaints(json!({"kind": "set"}))[0]["key"], "set");
        assert_eq!(
            complaints(json!({"kind": "drop", "set": {"loss": "1 %"}}))[0]["key"],
            "set"
        );
        assert_eq!(
            complaints(json!({"kind": "set", "set": {"loss": "200 %"}}))[0]["key"],
            "set.loss"
        );
        assert_eq!(
            complaints(json!({"kind": "set", "set": {"rate": "0 bit/s"}}))[0]["key"],
            "set.rate"
        );
    }

    #[test]
    fn other_keys_and_kinds_are_refused() {
        for wrong in [
            json!({"kind": "hold", "until": "3 s"}),
            json!({"kind": "wait"}),
            json!({"direction": "both"}),
            json!({"kind": "set", "set": {"jitter": "3 ms"}}),
        ] {
            assert!(serde_json::from_value::<Asked>(wrong).is_err());
        }
    }
}
