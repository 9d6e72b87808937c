//! What a variant's file sets for a stack: read, and refused in the same words whatever the stack is.

use std::collections::BTreeMap;
use std::str::FromStr;

use crate::interface::Broken;

/// Has `set` set each option that is given; it answers `None` if there is no such option, or it cannot have that value. `list`
/// are the options that `stack` has, as in [`Stack::options`](crate::Stack::options).
///
/// # Errors
/// If one is not set: why, and what it may be.
pub fn set_options(
    stack: &str,
    list: &[(&str, &str)],
    given: &BTreeMap<String, String>,
    mut set: impl FnMut(&str, &str) -> Option<()>,
) -> Result<(), Broken> {
    for (name, value) in given {
        set(name, value).ok_or_else(|| Broken(refusal(stack, list, name, value)))?;
    }
    Ok(())
}

fn refusal(stack: &str, list: &[(&str, &str)], name: &str, value: &str) -> String {
    match list.iter().find(|(known, _)| *known == name) {
        Some((_, meaning)) => format!("{stack}'s option `{name}` cannot be `{value}`; it is {meaning}"),
        None => {
            let known: Vec<&str> = list.iter().map(|(known, _)| *known).collect();
            format!("{stack} has no option `{name}`; it has {}", known.join(", "))
        }
    }
}

/// The value, if it is one and lies within these bounds.
pub fn within<T: FromStr + PartialOrd + Copy>(value: &str, least: T, most: T) -> Option<T> {
    value.parse().ok().filter(|value| (&least..=&most).contains(&value))
}
