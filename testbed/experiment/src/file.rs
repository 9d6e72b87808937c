//! The files as they are written. Their JSON Schemas and their reference come from these types and comments.

mod choice;
mod delayed_ack;
mod experiment;
mod figure;
mod live;
mod tcp;
mod workload;

use windlull_profile::FileType;

pub use choice::Named;
pub use delayed_ack::DelayedAckFile;
pub use experiment::{
    Average, CaptureFile, ClaimFile, ExperimentFile, LinkChoice, PublishedColumn, PublishedFile, Relation, RowFile,
    Snaplen, SnaplenWord, StandInFile, Statistic, WorkloadChoice,
};
pub use figure::FigureFile;
pub use live::{LiveFile, Peer};
pub use tcp::{LinuxFile, SettingsFile, StackName, TimerFile, TransportFile, VariantFile};
pub use workload::{OwnWorkloadFile, TrafficFile, WorkloadFile, WorkloadKind};

impl FileType for VariantFile {
    const STRUCTURE: &'static str = include_str!("structure/variant.lines");
}

impl FileType for WorkloadFile {
    const STRUCTURE: &'static str = include_str!("structure/workload.lines");
}

impl FileType for ExperimentFile {
    const STRUCTURE: &'static str = include_str!("structure/experiment.lines");
}
