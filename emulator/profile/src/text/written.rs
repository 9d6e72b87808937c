//! What a value that is written as a text can do.

use super::TextError;

/// A value that is written as a text.
pub trait Written: Sized {
    /// The name of the way of writing, in the schema's `format`.
    const FORMAT: &'static str;
    /// Texts that are right.
    const EXAMPLES: &'static [&'static str];
    /// Whether a bare number stands for the text of that number.
    const BARE_NUMBER: bool = false;

    /// Reads the text.
    ///
    /// # Errors
    /// If it is not written so; the message says what would be right.
    fn read(text: &str) -> Result<Self, TextError>;

    /// Writes it so that [`Self::read`] gives the same value.
    fn write(&self) -> String;

    /// The amounts in base units (ns, bit/s, octets) to which bounds apply.
    fn amounts(&self) -> Vec<f64> {
        Vec::new()
    }
}
