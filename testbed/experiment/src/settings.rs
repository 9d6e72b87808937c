//! From the settings of files to the settings of a TCP, and back, and what the schema says of each.

use schemars::Schema;
use serde::Serialize;
use serde_json::{Map, Value};
use windlull_profile::text::Text;
use windlull_stack::Linux;
use windlull_tcp::{DelayedAck, Era, TimerSettings, Variant};
use windlull_units::{Bytes, Span};

use crate::file::{DelayedAckFile, Named, TimerFile};

/// A setting of a TCP, by its type.
pub trait Setting {
    /// As files write it.
    type File;

    /// Its value; `None` if it is none.
    fn file(&self) -> Option<Self::File>;

    /// Becomes what a file says.
    fn take(&mut self, file: Self::File);

    /// What a file says of it where the one that it extends says something as well.
    fn over(own: Self::File, _base: Self::File) -> Self::File {
        own
    }
}

macro_rules! settings {
    ($($type:ty as $file:ty: $value:ident => $written:expr, $read:ident => $taken:expr;)+) => {
        $(impl Setting for $type {
            type File = $file;

            fn file(&self) -> Option<$file> {
                let $value = self;
                Some($written)
            }

            fn take(&mut self, $read: $file) {
                *self = $taken;
            }
        })+
    };
}

settings! {
    bool as bool: on => *on, on => on;
    u32 as u32: number => *number, number => number;
    String as String: text => text.clone(), text => text;
    Bytes as Text<Bytes>: size => Text(*size), size => size.0;
    Span as Text<Span>: span => Text(*span), span => span.0;
    u16 as Text<Bytes>: size => Text(Bytes::new((*size).into())),
        size => u16::try_from(size.0.get()).expect("checked: at most 65495 octets");
    DelayedAck as DelayedAckFile: policy => (*policy).into(), policy => policy.into();
}

impl<T: Setting + Default> Setting for Option<T> {
    type File = T::File;

    fn file(&self) -> Option<T::File> {
        self.as_ref()?.file()
    }

    fn take(&mut self, file: T::File) {
        self.get_or_insert_default().take(file);
    }
}

macro_rules! choices {
    ($($choice:ty,)+) => {
        settings! { $($choice as Named<$choice>: value => Named(*value), value => value.0;)+ }
    };
}
windlull_tcp::choices!(choices!);

impl Setting for TimerSettings {
    type File = TimerFile;

    fn file(&self) -> Option<TimerFile> {
        Some(TimerFile::of(self))
    }

    fn take(&mut self, file: TimerFile) {
        file.apply(self);
    }

    fn over(own: TimerFile, base: TimerFile) -> TimerFile {
        own.over(base)
    }
}

/// The policies, in files and of a TCP.
macro_rules! policies {
    ($($policy:ident $({ $($delay:ident),+ })?,)+) => {
        impl From<DelayedAckFile> for DelayedAck {
            fn from(file: DelayedAckFile) -> Self {
                match file {
                    $(DelayedAckFile::$policy $({ $($delay),+ })? => Self::$policy $({ $($delay: $delay.0),+ })?,)+
                }
            }
        }

        impl From<DelayedAck> for DelayedAckFile {
            fn from(policy: DelayedAck) -> Self {
                match policy {
                    $(DelayedAck::$policy $({ $($delay),+ })? => Self::$policy $({ $($delay: Text($delay)),+ })?,)+
                }
            }
        }
    };
}

policies! {
    None,
    EverySecond { timer },
    EverySecondSegment { timer },
    EverySecondWithin { earliest, latest },
    WindowPart { timer },
    AtTicks { clock },
    Linux,
}

/// What a row says of a setting, besides its sentence and type.
pub(crate) struct Row {
    pub(crate) key: &'static str,
    pub(crate) part: &'static str,
    pub(crate) label: &'static str,
    pub(crate) words: Option<&'static str>,
    pub(crate) least: Option<&'static str>,
    pub(crate) most: Option<&'static str>,
}

/// Settings that say what a host is like where nobody does.
pub(crate) trait Host {
    /// As it is in this era.
    fn of(era: Era) -> Self;
}

impl Host for Variant {
    fn of(era: Era) -> Self {
        era.host()
    }
}

impl Host for TimerSettings {
    fn of(era: Era) -> Self {
        era.host().timer
    }
}

impl Host for Linux {
    fn of(_: Era) -> Self {
        Self::default()
    }
}

/// Adds to a schema what the rows say: label, place in a form, range, and the default, with those of other eras where they
/// differ. A table of settings has rows of its own, and what the kernel has by itself no default.
pub(crate) fn describe<S: Serialize>(schema: &mut Schema, rows: &[Row], defaults: &S, eras: &[(Era, S)]) {
    let defaults = values(defaults);
    let eras: Vec<_> = eras.iter().map(|(era, settings)| (era, values(settings))).collect();
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    for (number, row) in rows.iter().enumerate() {
        let Some(Value::Object(property)) = properties.get_mut(row.key) else {
            continue;
        };
        bound(property, row);
        if row.words == Some("") {
            continue;
        }
        let default = defaults.get(row.key);
        let is_choice = property.contains_key("enum");
        let show = |value: Option<&Value>| match value {
            None => row.words.unwrap_or_default().to_owned(),
            Some(Value::String(word)) if is_choice => format!("`{word}`"),
            Some(Value::Object(table)) => format!("`{}`", inline(table)),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        let shown = show(default);
        let in_eras = eras.iter().filter(|_| row.key != "era").filter_map(|(era, values)| {
            let other = show(values.get(row.key));
            (other != shown).then(|| format!("; in the era {era}: {other}"))
        });
        if let Some(Value::String(sentence)) = property.get_mut("description") {
            *sentence = format!("{sentence} Default: {shown}{}.", in_eras.collect::<String>());
        }
        property.insert("title".to_owned(), row.label.into());
        property.insert("x-default".to_owned(), default.cloned().unwrap_or_else(|| shown.into()));
        property.insert(
            "x-form".to_owned(),
            serde_json::json!({ "part": row.part, "place": number }),
        );
    }
}

/// What a schema says of a row's range. A text is never empty.
fn bound(property: &mut Map<String, Value>, row: &Row) {
    let is = |name: &str| match property.get("type") {
        Some(Value::Array(types)) => types.iter().any(|it| it == name),
        one => one.is_some_and(|it| it == name),
    };
    let by_number = is("integer");
    if is("string") && !property.contains_key("format") && !property.contains_key("enum") {
        property.insert("minLength".to_owned(), 1.into());
    }
    for (bound, of_number, of_text) in [(row.least, "minimum", "atLeast"), (row.most, "maximum", "atMost")] {
        match bound {
            Some(bound) if by_number => {
                let number: u32 = bound.parse().expect("a bound of a number is one");
                property.insert(of_number.to_owned(), number.into());
            }
            Some(bound) => {
                property.insert(of_text.to_owned(), bound.into());
            }
            None => {}
        }
    }
}

/// A table as TOML writes it within a line.
fn inline(table: &Map<String, Value>) -> String {
    let entries: Vec<_> = table.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", entries.join(", "))
}

/// What settings say, by key, in order of the keys in every build: a stack's engine may have a map that keeps another one.
pub(crate) fn values(settings: &impl Serialize) -> Map<String, Value> {
    let mut values = serde_json::to_value(settings);
    if let Ok(values) = &mut values {
        values.sort_all_objects();
    }
    match values {
        Ok(Value::Object(values)) => values,
        _ => unreachable!("settings are a table with keys of text"),
    }
}
