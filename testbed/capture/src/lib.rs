//! What a run leaves behind: pcapng at both ends, fates, link and sender events, all on one clock.
//!
//! A testbed tells what happens to an [`Observer`]; the analyser is one, the writers of files are others. Readers
//! turn files back into the same calls, so that nobody downstream can tell a simulated run from a live one.

#![forbid(unsafe_code)]

mod clip;
mod events;
mod fates;
mod interfaces;
mod observer;
mod pcapng;
mod provenance;
mod qlog;
mod qlog_file;
mod reader;
mod seen;
mod sink;
mod writer;

pub use clip::{ClipError, Clipped, clip};
pub use events::{Event, EventError, EventLine, EventWriter, read_events};
pub use fates::FateWriter;
pub use interfaces::{InterfacesWriter, Stamps};
pub use observer::{Observer, Tee};
pub use pcapng::{Comment, Crossing, InterfacePacket, PacketRecord, PcapngWriter, RUN_START_NS};
pub use provenance::Provenance;
pub use qlog::{QlogError, read_qlog};
pub use qlog_file::{Clock, QlogTrace, is_qlog, read_qlog_file};
pub use reader::{Captured, PacketReader, ReadError, read_pcap};
pub use seen::{Seen, SeenError, seen};
pub use writer::{CaptureWriter, Sinks, Snaplen, address_in, address_of, addresses_from};
