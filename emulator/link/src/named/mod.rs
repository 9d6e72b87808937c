//! The links that Windlull ships, by their names: no file is read.
//!
//! They are the files in `profiles/links`, each made into the model that it describes (`make generate`). So a link has its
//! name, its numbers and their source in one place, and this crate needs no parser.

mod entry;
#[rustfmt::skip]
#[allow(unused_imports, clippy::approx_constant, reason = "it is written by a program, and its numbers are links'")]
mod links;

use std::cmp::Reverse;
use std::fmt;

use windlull_units::Seed;

use crate::model::LinkModel;
use crate::{Link, Packet};

pub use entry::NamedLink;
use links::LINKS;

/// A suggestion has at least so many letters in common with the name that was asked for.
const ALIKE: usize = 3;

/// All links that Windlull ships, in order of their names.
///
/// ```
/// for link in windlull_link::named_links().iter().filter(|link| link.name().starts_with("lte")) {
///     println!("{}: {}", link.name(), link.title());
/// }
/// ```
pub const fn named_links() -> &'static [NamedLink] {
    LINKS
}

/// There is no link of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLink {
    /// The name that was asked for.
    pub name: String,
    /// The name of a link that is called nearly so, if there is one.
    pub nearest: Option<&'static str>,
}

impl fmt::Display for UnknownLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, nearest } = self;
        match nearest {
            Some(nearest) => write!(f, "there is no link `{name}`; the nearest name is `{nearest}`"),
            None => write!(
                f,
                "there is no link `{name}`; `windlull_link::named_links()` has the names"
            ),
        }
    }
}

impl std::error::Error for UnknownLink {}

impl LinkModel {
    /// The model of the link that Windlull ships under this name, to be changed or to be made a [`Link`].
    ///
    /// # Errors
    /// If there is no link of this name.
    pub fn named(name: &str) -> Result<Self, UnknownLink> {
        match LINKS.binary_search_by(|link| link.name().cmp(name)) {
            Ok(index) => Ok(LINKS[index].model()),
            Err(_) => Err(UnknownLink {
                name: name.to_owned(),
                nearest: nearest(name),
            }),
        }
    }
}

impl<P: Packet> Link<P> {
    /// The link that Windlull ships under this name, at the start of its run: [`Link::new`] of [`LinkModel::named`].
    ///
    /// ```
    /// use windlull_link::{Datagram, Link, Seed};
    ///
    /// let link = Link::<Datagram>::named("lte-cell-edge", Seed::new(1))?;
    /// assert_eq!(link.poll_at(), None); // Nothing happens on it by itself.
    /// # Ok::<(), windlull_link::UnknownLink>(())
    /// ```
    ///
    /// # Errors
    /// If there is no link of this name.
    pub fn named(name: &str, seed: Seed) -> Result<Self, UnknownLink> {
        Ok(Self::new(&LinkModel::named(name)?, seed))
    }
}

/// The link whose name begins as this one for the longest, of several the one of the most similar length.
fn nearest(name: &str) -> Option<&'static str> {
    let common = |known: &str| known.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    let candidates = LINKS.iter().map(|link| (common(link.name()), link.name()));
    let (_, nearest) = candidates
        .filter(|(common, _)| *common >= ALIKE)
        .min_by_key(|(common, known)| (Reverse(*common), known.len().abs_diff(name.len())))?;
    Some(nearest)
}
