//! A script of packetdrill.

use std::sync::LazyLock;

use windlull_packetdrill::{play, read};
use windlull_tcp::Variant;

static VARIANT: LazyLock<Variant> = LazyLock::new(Variant::default);

/// What is read means the same once it is written and read again, and is played or refused; what is not read is refused
/// with a place within the text.
///
/// # Panics
/// If it is not so.
pub fn packetdrill(octets: &[u8]) {
    let Ok(text) = std::str::from_utf8(octets) else { return };
    match read(text) {
        Ok(script) => {
            assert_eq!(
                read(&script.to_string()).as_ref(),
                Ok(&script),
                "what we write, we read"
            );
            let _ = play(&script, &VARIANT);
        }
        Err(error) => {
            assert!(error.line <= text.matches('\n').count() + 1, "{error}");
            assert!(!error.message.is_empty(), "a refusal has a reason");
        }
    }
}
