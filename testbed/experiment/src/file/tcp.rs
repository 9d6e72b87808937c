//! The variant file, and the settings that an experiment may lay over it.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use windlull_stack::{Linux, Program, Transport};
use windlull_tcp::{Detection, Era, Recovery, Response, TimerSettings, Variant};
use windlull_units::Carries;

use super::Named;
use crate::settings::{Host, Row, Setting, describe};

/// A transport to test: a TCP of ours, the kernel's, or a stack from elsewhere: `profiles/variants/NAME.toml`. Both ends of a
/// connection use it.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Windlull variant")]
pub struct VariantFile {
    /// What the variant is, in one line.
    #[schemars(length(min = 1))]
    pub title: String,
    /// A longer description, for readers.
    pub description: Option<String>,
    /// Where it is defined: papers with their section, RFCs.
    pub source: Option<String>,
    /// The variant this one builds on: a name, or the path of a file. Keys given here replace those of that variant.
    pub extends: Option<String>,
    /// Whose it is. Default: `windlull`, or what it extends.
    pub stack: Option<StackName>,
    /// Settings of the kernel's TCP, with `stack = "linux"` and in place of all keys below.
    pub linux: Option<LinuxFile>,
    /// Which stack from elsewhere, with `stack = "transport"` and in place of all keys below.
    pub transport: Option<TransportFile>,
    /// How lost segments are repaired. Default: `newreno`.
    pub recovery: Option<Named<Recovery>>,
    /// How spurious timeouts are found. Default: `none`.
    pub detection: Option<Named<Detection>>,
    /// What follows once a timeout proved spurious. Default: `none`.
    pub response: Option<Named<Response>>,
    /// Everything that is not one of the three choices above.
    #[serde(flatten)]
    pub settings: SettingsFile,
}

/// Declares what a file may say of settings, from their rows: each may be left out.
macro_rules! declare {
    ($(#[$meta:meta])* $file:ident of $settings:ty, { $(
        $(#[$doc:meta])+ $key:ident: $value:ty = $default:expr
            $(, or $words:literal)? $(, from $least:literal)? $(, to $most:literal)? $(, in $unit:literal)?;
            $part:literal, $label:literal;
    )+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[schemars(transform = $file::describe)]
        pub struct $file {
            $(
                $(#[$doc])+
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $key: Option<<$value as Setting>::File>,
            )+
        }

        impl $file {
            /// These, and what they do not say from `base`.
            pub(crate) fn over(self, base: Self) -> Self {
                Self {
                    $($key: match (self.$key, base.$key) {
                        (Some(own), Some(base)) => Some(<$value as Setting>::over(own, base)),
                        (own, base) => own.or(base),
                    },)+
                }
            }

            /// Changes what these say of `settings`.
            pub(crate) fn apply(self, settings: &mut $settings) {
                $(if let Some(value) = self.$key {
                    <$value as Setting>::take(&mut settings.$key, value);
                })+
            }

            /// Everything that `settings` say.
            pub(crate) fn of(settings: &$settings) -> Self {
                Self { $($key: <$value as Setting>::file(&settings.$key),)+ }
            }

            pub(crate) const ROWS: &[Row] = &[$(Row {
                key: stringify!($key),
                part: $part,
                label: $label,
                words: [$($words)?].first().copied(),
                least: [$($least)?].first().copied(),
                most: [$($most)?].first().copied(),
            },)+];

            fn describe(schema: &mut Schema) {
                let of = |era: Era| Self::of(&<$settings as Host>::of(era));
                let eras: Vec<_> = Era::ALL.iter().map(|&era| (era, of(era))).collect();
                describe(schema, Self::ROWS, &of(Era::default()), &eras);
            }
        }
    };
}

windlull_tcp::settings! { declare!
    /// Settings of a TCP that are independent of its recovery: in a variant file, or under `[tcp]` in an experiment,
    /// where they override every variant's.
    #[derive(Copy)]
    SettingsFile of Variant,
}

windlull_tcp::timer_settings! { declare!
    /// The retransmission timer.
    #[derive(Copy)]
    TimerFile of TimerSettings,
}

impl SettingsFile {
    /// Lays these over a variant. Whoever gives a receive window gets that window: what it would have grown to goes, as with
    /// a receive buffer of Linux's that a program sets (tcp(7), `SO_RCVBUF`).
    pub(crate) fn lay_over(self, variant: &mut Variant) {
        self.apply(variant);
        if self.receive_window.is_some() && self.largest_receive_window.is_none() {
            variant.largest_receive_window = None;
        }
    }
}

windlull_stack::linux_settings! { declare!
    /// Settings of the Linux kernel's TCP. What is not given is the kernel's own; a run records every value.
    LinuxFile of Linux,
}

/// Whose transport a variant is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StackName {
    /// Ours.
    #[default]
    Windlull,
    /// The Linux kernel's TCP.
    Linux,
    /// A stack from elsewhere, as QUIC's.
    Transport,
}

/// The table `[transport]`: a stack from elsewhere that speaks the stack contract.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransportFile {
    /// A stack that `windlull stacks build NAME` has built.
    #[schemars(length(min = 1))]
    pub name: Option<String>,
    /// In place of `name`: a program that speaks the contract over its standard input and output, and its arguments.
    #[schemars(length(min = 1))]
    pub command: Option<Vec<String>>,
    /// What a program that speaks the contract hands to the link; `datagrams` if it is absent.
    pub carries: Option<Carries>,
    /// Options of the stack, by name; `windlull stacks list` says which it has.
    pub options: Option<BTreeMap<String, String>>,
}

impl TransportFile {
    /// These, and what they do not say from `base`; options by each name.
    pub(crate) fn over(self, base: Self) -> Self {
        let program_is_given = self.name.is_some() || self.command.is_some();
        let mut options = base.options.unwrap_or_default();
        options.extend(self.options.unwrap_or_default());
        let (name, command, carries) = if program_is_given {
            (self.name, self.command, self.carries)
        } else {
            (base.name, base.command, self.carries.or(base.carries))
        };
        Self {
            name,
            command,
            carries,
            options: Some(options).filter(|options| !options.is_empty()),
        }
    }

    /// As a file says it.
    pub(crate) fn of(transport: &Transport) -> Self {
        let (name, command) = match &transport.program {
            Program::Built(name) => (Some(name.clone()), None),
            Program::Command(command) => (None, Some(command.clone())),
        };
        let options = Some(transport.options.clone()).filter(|options| !options.is_empty());
        Self {
            name,
            command,
            carries: Some(transport.carries).filter(|carries| !carries.is_default()),
            options,
        }
    }
}
