//! The link on real packets: the model on AF_PACKET sockets, or netem by tc and nft.

mod clock;
mod fingerprint;
mod gateway;
pub mod lend;
pub mod model;
pub mod netem;
mod packet_log;
pub mod packet_socket;

pub use clock::{Epoch, WallClock};
pub use fingerprint::{FINGERPRINT_OCTETS, Fingerprint, fingerprint};
pub use packet_log::PacketLog;
