//! All that a run depends on.

use windlull_link::model::LinkModel;
use windlull_tcp::Variant;
use windlull_units::{ConstantRate, Host, Seed, Span, Transfer, Work};

/// All that a run depends on.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The link that all flows share.
    pub link: &'a LinkModel,
    /// The link between it and the client of each flow, one for each; without, clients stand at the shared link's end.
    pub access: Option<&'a LinkModel>,
    /// The flows. Their number and order decide what happens at the same instant.
    pub flows: &'a [Flow<'a>],
    /// What crosses the shared link besides.
    pub crossing: &'a [ConstantRate],
    pub seed: Seed,
    /// When to give up, in virtual time.
    pub time_limit: Span,
}

/// One connection.
#[derive(Clone, Copy, Debug)]
pub struct Flow<'a> {
    /// The TCP of both ends.
    pub variant: &'a Variant,
    /// What it is there for.
    pub work: Work,
    /// Who sends the data and opens the connection.
    pub data_sender: Host,
    pub start: Span,
}

impl<'a> Flow<'a> {
    /// A transfer that begins with the run.
    pub const fn of(variant: &'a Variant, transfer: Transfer) -> Self {
        Self {
            variant,
            work: Work::Octets(transfer.size),
            data_sender: transfer.data_sender,
            start: Span::ZERO,
        }
    }
}
