//! `set` lines: the variant of the endpoint under test.

use windlull_tcp::{DelayedAck, Era, TimerSettings, Variant};
use windlull_units::{Bytes, Span, parse_span};

/// Octets of payload in a full segment: the unit of every number in a script.
pub(crate) const UNIT: u64 = 1000;

/// Sets the setting that is called so, and returns; goes on if there is none.
macro_rules! assign {
    ($settings:expr, $key:expr, $value:expr, $wrong:expr, { $(
        $(#[$doc:meta])+ $name:ident: $type:ty = $default:expr
            $(, or $words:literal)? $(, from $least:literal)? $(, to $most:literal)?;
            $part:literal, $label:literal;
    )+ }) => {
        $(if $key == stringify!($name) {
            $settings.$name = Word::read($value).ok_or_else($wrong)?;
            return Ok(());
        })+
    };
}

/// What a script's `set` lines say.
pub(crate) struct Settings {
    pub(crate) variant: Variant,
    pub(crate) isn: u32,
    pub(crate) peer_isn: u32,
    /// Whether the application reads whatever arrives, at once.
    pub(crate) reading: bool,
}

impl Settings {
    pub(crate) fn new() -> Self {
        Self {
            variant: Variant {
                mss: 1000,
                initial_window: Some(10),
                limited_transmit: false,
                ..Variant::default()
            },
            isn: 1_000_000,
            peer_isn: 5_000_000,
            reading: true,
        }
    }

    /// Takes `key=value`.
    pub(crate) fn set(&mut self, word: &str) -> Result<(), String> {
        let (key, value) = word
            .split_once('=')
            .ok_or_else(|| format!("`{word}` is not key=value"))?;
        self.take(key, value)?;
        // Segments stay one unit long beside the timestamps' option.
        if key == "timestamps" {
            self.variant.mss = if self.variant.timestamps { 1012 } else { 1000 };
        }
        Ok(())
    }

    fn take(&mut self, key: &str, value: &str) -> Result<(), String> {
        let wrong = || format!("`{value}` is no value of `{key}`");
        let variant = &mut self.variant;
        match key {
            "era" => {
                let era: Era = Word::read(value).ok_or_else(wrong)?;
                *variant = Variant {
                    mss: if era.host().timestamps { 1012 } else { 1000 },
                    ..era.host()
                };
            }
            "initial_window" if value == "by-size" => variant.initial_window = None,
            "recovery" => variant.recovery = Word::read(value).ok_or_else(wrong)?,
            "detection" => variant.detection = Word::read(value).ok_or_else(wrong)?,
            "response" => variant.response = Word::read(value).ok_or_else(wrong)?,
            "isn" => self.isn = Word::read(value).ok_or_else(wrong)?,
            "peer_isn" => self.peer_isn = Word::read(value).ok_or_else(wrong)?,
            "reading" => self.reading = Word::read(value).ok_or_else(wrong)?,
            _ => {
                windlull_tcp::settings!(assign! variant, key, value, wrong,);
                let timer = &mut variant.timer;
                windlull_tcp::timer_settings!(assign! timer, key, value, wrong,);
                return Err(format!("there is no setting `{key}`"));
            }
        }
        Ok(())
    }
}

/// A setting as scripts write it.
trait Word: Sized {
    /// The value that a word says.
    fn read(word: &str) -> Option<Self>;
}

macro_rules! choice_words {
    ($($choice:ty,)+) => {
        $(impl Word for $choice {
            fn read(word: &str) -> Option<Self> {
                Self::from_name(word)
            }
        })+
    };
}
windlull_tcp::choices!(choice_words!);

macro_rules! parsed_words {
    ($($type:ty,)+) => {
        $(impl Word for $type {
            fn read(word: &str) -> Option<Self> {
                word.parse().ok()
            }
        })+
    };
}
parsed_words! { bool, u16, u32, }

impl<T: Word> Word for Option<T> {
    fn read(word: &str) -> Option<Self> {
        T::read(word).map(Some)
    }
}

impl Word for Bytes {
    fn read(word: &str) -> Option<Self> {
        word.parse().ok().map(Self::new)
    }
}

impl Word for Span {
    fn read(word: &str) -> Option<Self> {
        parse_span(word).ok()
    }
}

impl Word for TimerSettings {
    /// Its settings are written one by one.
    fn read(_: &str) -> Option<Self> {
        None
    }
}

impl Word for DelayedAck {
    /// With the timers of the papers: 50 to 100 ms where a clock ticks, else 200 ms.
    fn read(word: &str) -> Option<Self> {
        let timer = if word == "every-second-within" { 100 } else { 200 };
        Self::from_name(word, Span::from_ms(timer))
    }
}
