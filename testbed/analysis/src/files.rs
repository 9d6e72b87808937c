//! Analysis of capture files: both ends' or one end's, ours or anybody's.
//!
//! With both ends' captures the fate of every packet follows from whether it is found at the other end; the very same
//! [`Analyzer`](crate::Analyzer) then judges. With one end's, what cannot be known stays unknown and is said to be. The same
//! of qlog files, in which QUIC says what it did.

mod acknowledged;
mod checksums;
mod connection;
mod error;
mod intact;
mod list;
mod load;
mod matching;
mod merge;
mod notes;
mod octets;
mod one_end;
mod packets;
mod qlog;
mod side;
mod story;
mod transits;

use std::fmt;
use std::io::{BufRead, Read};

use schemars::JsonSchema;
use serde::Serialize;
use windlull_capture::read_events;
use windlull_fates::read_fates;
use windlull_units::Host;

pub use self::list::{ConnectionList, ListedConnection, MOST_LISTED, Protocol, connections};
pub use self::qlog::{analyze_qlog, load_qlog, qlog_connections};
pub use crate::files::connection::ConnectionInfo;
use crate::files::connection::Side;
pub use crate::files::error::{AnalyzeError, Which};
use crate::files::load::Capture;
pub use crate::files::load::Selection;
pub use crate::files::octets::{OctetsError, fates_with_octets};
pub use crate::files::one_end::transits_by_acknowledgements;
use crate::files::side::side;
use crate::files::story::{Extras, data_sender_of, tell_both, tell_one};
pub use crate::files::transits::{Transits, WayTransits, transits};
use crate::metrics::Meter;
use crate::result::RunAnalysis;
use crate::series::Series;

/// The files to analyse.
pub struct Files<'a> {
    /// A pcap or pcapng file of either end.
    pub first: &'a mut dyn Read,
    pub second: Option<&'a mut dyn Read>,
    /// The `fates.csv` of the run that the captures are of: the causes of drops.
    pub fates: Option<&'a mut dyn Read>,
    /// The `events.jsonl` of the run: what the link and the sender said.
    pub events: Option<&'a mut dyn BufRead>,
}

impl fmt::Debug for Files<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Files")
            .field("second", &self.second.is_some())
            .field("fates", &self.fates.is_some())
            .field("events", &self.events.is_some())
            .finish_non_exhaustive()
    }
}

/// What is asked of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Question {
    pub selection: Selection,
    /// The end at which the first file was captured, where the caller knows it. In captures that are not of our hosts the
    /// data sender is called the server.
    pub first_taken_at: Option<Host>,
}

impl From<Selection> for Question {
    fn from(selection: Selection) -> Self {
        Self {
            selection,
            first_taken_at: None,
        }
    }
}

/// The analysis of capture files.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CaptureAnalysis {
    /// Which connection it is about.
    pub connection: ConnectionInfo,
    /// What is said of it.
    #[serde(flatten)]
    pub analysis: RunAnalysis,
    /// The diagram's columns.
    #[serde(skip)]
    pub series: Series,
}

/// Analyses a connection of one or two captures.
///
/// # Errors
/// [`AnalyzeError`]: a file that is no capture or is truncated, has no such connection, or was captured at another end
/// than the caller says.
pub fn analyze(files: Files<'_>, question: impl Into<Question>) -> Result<CaptureAnalysis, AnalyzeError> {
    let Question {
        selection,
        first_taken_at,
    } = question.into();
    let mut first = Capture::load(files.first, Which::First)?;
    let second = files
        .second
        .map(|file| Capture::load(file, Which::Second))
        .transpose()?;
    let mut extras = Extras::default();
    if let Some(file) = files.fates {
        for fate in read_fates(file) {
            let fate = fate?;
            extras.fates.add(&fate);
            if second.is_some() {
                extras.meters.fate(&fate);
            }
        }
        extras.ours = second.is_some();
    }
    if let Some(file) = files.events {
        extras.events = read_events(file).collect::<Result<_, _>>()?;
        extras.ours = true;
    }
    let several = first.with_data().count() > 1;
    let chosen = first.take(selection, Which::First)?;
    let mut notes = first.notes(Which::First);
    let connection = chosen.info();
    if several && matches!(selection, Selection::Number(_)) && extras.leave_out_senders() {
        notes.push(
            "What a sender told of itself is left out: the run has several connections, and it does not say which one \
             it is about."
                .to_owned(),
        );
    }
    let data_sender = data_sender_of(&chosen);
    let stated = first_taken_at.map(|host| Side::of(host, data_sender));
    let first_placed = side(&chosen, stated, data_sender, Which::First)?;
    let (analysis, series) = match second {
        None => tell_one(&chosen, first_placed, extras, notes),
        Some(mut second) => {
            let other = second.take_like(&chosen, Which::Second)?.facing(connection.data_sender);
            notes.extend(second.notes(Which::Second));
            let stated = stated.map(Side::other);
            let placed = [first_placed, side(&other, stated, data_sender, Which::Second)?];
            tell_both([&chosen, &other], placed, extras, notes)
        }
    };
    Ok(CaptureAnalysis {
        connection,
        analysis,
        series,
    })
}
