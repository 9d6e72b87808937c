//! Writes the links in `profiles/links` as the models that `windlull_link::Link::named` makes links of.
//!
//! ```text
//! cargo run -p windlull-profile --example embed
//! ```
//!
//! It is built with a link crate that does not have them (without its feature `named`), so that it also runs when those that were
//! written before no longer compile.

mod source;

use std::fmt::Write as _;
use std::path::Path;

use windlull_profile::{Kind, Library, Link};

use source::Source as _;

const HEAD: &str = "\
//! Every link in `profiles/links`, as its model. `make generate` writes this file.

use std::sync::Arc;

use windlull_units::{BitRate, Bytes, Direction, Span, Time};

use super::entry::{NamedLink, count, rate};
use crate::model::{
    Action, AdaptiveRedModel, AllocationModel, ArqModel, CakeModel, CodelModel, ContentionModel, Distribution,
    DrrModel, DualPi2Model, FqCodelModel, GrantsModel, Impairment, ImpairmentKind, InOrder, LightModel, LinkModel,
    Onset, PathModel, Persistence, PieModel, QueueLimit, QueueModel, QueueSize, RateModel, RecordedPath, RecordedRow,
    Recording, RedAim, RedModel, Scope, ScriptEntry, Selector, ServiceModel, Start, Train, TransportCondition, Trigger,
    Zeros,
};

/// In order of their names.
pub(super) const LINKS: &[NamedLink] = &[
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let library = Library::open(root.join("profiles"));
    let mut text = HEAD.to_owned();
    for name in library.names(Kind::Link) {
        let link = Link::load(&library, &name)?;
        write!(text, "    NamedLink::new({name:?}, {:?}, || ", link.title)?;
        link.model.source(&mut text);
        text.push_str("),\n");
    }
    text.push_str("];\n");
    std::fs::write(root.join("emulator/link/src/named/links.rs"), text)?;
    Ok(())
}
