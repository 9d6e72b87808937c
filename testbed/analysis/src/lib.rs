//! From a capture to verdicts, episodes, metrics and diagram series.
//!
//! [`Analyzer`] is an observer that judges every timeout and retransmission against the fates; [`Recorder`] joins it
//! with the writers of files and with the diagram's columns; [`analyze`] does the same for capture files of any origin.

#![forbid(unsafe_code)]

mod acks;
mod analyzer;
mod cases;
mod course;
mod difference;
mod episodes;
mod files;
mod follower;
mod inference;
mod judge;
mod ledger;
mod metrics;
mod quantile;
mod quic;
mod receiver;
mod recorder;
mod records;
mod result;
mod rtt;
mod sent;
mod series;
mod summary;
mod together;
mod totals;
mod traffic;
mod verdict;
mod withheld;

pub use analyzer::Analyzer;
pub use course::Course;
pub use difference::{Comparing, Difference, Recorded, RecordedError, difference};
pub use episodes::{
    Cause, Change, Cost, DetectorStep, Episode, Outstanding, Reaction, ReactionKind, ResentCounts, ResponseRecord,
    Sentence, Windows,
};
pub use files::{
    AnalyzeError, CaptureAnalysis, ConnectionInfo, ConnectionList, Files, ListedConnection, MOST_LISTED, OctetsError,
    Protocol, Question, Selection, Transits, WayTransits, Which, analyze, analyze_qlog, connections, fates_with_octets,
    load_qlog, qlog_connections, transits, transits_by_acknowledgements,
};
pub use judge::Judge;
pub use metrics::{Better, METRICS, Metric, Metrics, OF_SETS, REMARKS, Remark, Together, is_metric};
pub use recorder::{Recorder, Recording};
pub use result::{Ends, Estimate, Extent, FastRetransmitRecord, RetransmissionCounts, RunAnalysis, TimeoutRecord};
pub use rtt::RoundTrips;
pub use series::{MakeScratchFile, ScratchFile, Series, SeriesBuilder, SeriesRun};
pub use together::{PLENTY, together};
pub use traffic::{CommandMetrics, Traffic, TrafficCourse, WayCourse};
pub use verdict::{Before, Evidence, Judgement, Reason, Truth, Verdict};
