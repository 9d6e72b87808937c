//! Why there is no script.

use thiserror::Error;
use windlull_units::Time;

/// Why there is no script.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExportError {
    #[error("the capture has no segment of TCP up to {} s", until.as_secs_f64())]
    Nothing { until: Time },
    #[error("the capture does not begin with the connection's SYN, so that no script can come to the same state")]
    NoSyn,
    #[error(
        "the connection has moved more than 4 GB by then; packetdrill's sequence numbers end there, choose an earlier \
         episode"
    )]
    TooLong,
    #[error(
        "the host under test sent and received data; scripts are made of transfers one way, not of requests and responses"
    )]
    BothWays,
}
