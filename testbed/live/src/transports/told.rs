//! What an end told and sent, in the order in which it did.

use serde::{Deserialize, Serialize};
use windlull_transport::Said;
use windlull_units::{Span, Time};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Told {
    pub(crate) at: Time,
    pub(crate) what: What,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum What {
    /// Of itself; which packets it sent, before the datagram that holds them.
    Said(Said),
    /// A line of a TLS key log.
    Secret(String),
    /// It sent a datagram of so many octets.
    Sent { octets: usize },
    /// Its application has read a response to the end, so long after the request.
    Task { took: Span },
    /// The connection is over for it, by this error or in order.
    Closed { error: Option<String> },
}
