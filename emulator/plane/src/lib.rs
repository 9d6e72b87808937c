//! The link on real packets: the model on AF_PACKET sockets, or netem by tc and nft.

mod clock;

pub use clock::Epoch;
