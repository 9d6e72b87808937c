//! Scripts of packetdrill, the tool by which TCP in kernels is tested packet by packet (Cardwell et al., *packetdrill:
//! Scriptable Network Stack Testing, from Sockets to Packets*, USENIX ATC 2013).
//!
//! A [`Script`] is [read](read) strictly and written by `Display`; reading what was written gives the same script.
//! [`export`] makes one of what a run's capture shows, [`play`] plays one against a TCP of ours, in virtual time.

#![forbid(unsafe_code)]

mod export;
mod lex;
mod options;
mod play;
mod preamble;
mod read;
mod script;
mod write;

pub use export::{ExportError, Remark, Request, Side, export};
pub use play::{Difference, Played, Unplayable, play};
pub use preamble::preamble;
pub use read::{ReadError, read};
pub use script::{
    Action, Call, Direction, Errno, Event, EventTime, ExpectedOptions, Expression, Ip, Packet, Script, ScriptOption,
    TcpOption,
};
