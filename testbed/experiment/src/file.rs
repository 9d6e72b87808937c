//! The files as they are written. Their JSON Schemas and their reference come from these types and comments.

mod choice;
mod experiment;
mod tcp;
mod workload;

pub use choice::{Choice, Named};
pub use experiment::{
    CaptureFile, ClaimFile, ColumnFile, ExperimentFile, FullWord, PublishedFile, Relation, RowFile, Snaplen,
    StandInFile, Statistic,
};
pub use tcp::{DelayedAckFile, SettingsFile, TimerFile, VariantFile};
pub use workload::{DirectionFile, WorkloadFile, WorkloadKind};
