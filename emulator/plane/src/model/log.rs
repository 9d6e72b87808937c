//! What a run of the plane leaves behind: the link's story, and how exactly it was kept to.

use hdrhistogram::Histogram;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use windlull_units::{Bytes, Direction, Fate, LinkEvent, PacketId, Replayed, Span, Time, UnmetCondition};

use super::watch::Stall;
use crate::Fingerprint;

/// All that happened. Fed with `entered` in this order, each after `advance` to the same instant, a fresh link of the same
/// model and seed tells the same fates and events, to the nanosecond.
#[derive(Debug, Serialize, Deserialize)]
pub struct Log {
    /// What the link took in, in order.
    pub entered: Vec<Entered>,
    /// What became of the packets, in the model's own times. What was inside at the end has none.
    pub fates: Vec<Fate>,
    /// How the link changed, in the model's own times.
    pub events: Vec<(Time, LinkEvent)>,
    /// What was put on the wire, in order.
    pub released: Vec<Released>,
    /// How far what came to the link was what had been recorded, if it replays a recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<Replayed>,
    /// The entries of the script that never began, as the transport never met their conditions, if it has any of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmet: Option<Vec<UnmetCondition>>,
    /// Up to when the model was played.
    pub until: Time,
    /// How exact all this was.
    pub accuracy: Accuracy,
}

/// A packet that the link took in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entered {
    pub id: PacketId,
    pub direction: Direction,
    /// When it reached the router's device, by the kernel's stamp; later only if the model was already beyond it (see
    /// [`Accuracy::late_entries`]).
    pub at: Time,
    /// By what it is known again in captures.
    pub fingerprint: Fingerprint,
    /// Octets of the IP packet.
    pub size: Bytes,
}

/// A packet on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Released {
    /// Its number; a duplicate has one of its own.
    pub id: PacketId,
    /// When the model said.
    pub planned: Time,
    /// When the system call that sent it had returned: by then it was with the far host's kernel, or beyond.
    pub actual: Time,
}

/// How exactly the plane did what the model said. Errors are in nanoseconds and never below zero: nothing is early.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Accuracy {
    /// Actual less planned time of release, outside of stalls of the machine.
    #[serde(serialize_with = "write_counts", deserialize_with = "read_counts")]
    pub release_error: Histogram<u64>,
    /// The same of packets whose release a stall of the machine delayed.
    #[serde(serialize_with = "write_counts", deserialize_with = "read_counts")]
    pub release_error_in_stalls: Histogram<u64>,
    /// How late the link's own events were played, outside of stalls.
    #[serde(serialize_with = "write_counts", deserialize_with = "read_counts")]
    pub script_error: Histogram<u64>,
    /// The same of events that a stall delayed.
    #[serde(serialize_with = "write_counts", deserialize_with = "read_counts")]
    pub script_error_in_stalls: Histogram<u64>,
    /// How much later than its stamp a packet was taken in, of those where this was so: the model had already gone on
    /// when they were seen.
    #[serde(serialize_with = "write_counts", deserialize_with = "read_counts")]
    pub late_entries: Histogram<u64>,
    /// When the machine itself stood still.
    pub stalls: Vec<Stall>,
    /// Packets from server and from client that the kernel had no place for: the plane did not keep up.
    pub ring_drops: [u64; 2],
    /// Packets that the kernel did not take from us.
    pub send_failures: u64,
    /// How long the plane's thread was in the system calls that send.
    pub sending: Span,
    /// Packets dropped because the model held more than there is memory for.
    pub pool_drops: u64,
    /// Packets dropped because nobody on the other side answered for their address.
    pub unreachable: u64,
    /// Frames that were no packets of the hosts' version of IP, or that a kernel had sent of its own accord.
    pub foreign: u64,
    /// Frames longer than the MTU allows, dropped: an offload is on.
    pub too_long: u64,
    /// Packets whose checksum the sending kernel had not finished: an offload is on.
    pub unfinished_checksums: u64,
}

impl Accuracy {
    pub(super) fn new() -> Self {
        Self {
            release_error: errors(),
            release_error_in_stalls: errors(),
            script_error: errors(),
            script_error_in_stalls: errors(),
            late_entries: errors(),
            stalls: Vec::new(),
            ring_drops: [0; 2],
            send_failures: 0,
            sending: Span::ZERO,
            pool_drops: 0,
            unreachable: 0,
            foreign: 0,
            too_long: 0,
            unfinished_checksums: 0,
        }
    }

    /// Packets that ought to have passed the link and did not, for want of the plane.
    pub fn drops(&self) -> u64 {
        self.ring_drops.iter().sum::<u64>() + self.send_failures + self.pool_drops
    }
}

/// A histogram of errors in nanoseconds: three digits, up to an hour.
pub fn errors() -> Histogram<u64> {
    Histogram::new_with_bounds(1, Span::from_secs(3_600).as_ns(), 3).expect("these bounds are allowed")
}

/// A histogram as its values and how often each was counted.
fn write_counts<S: Serializer>(errors: &Histogram<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    let counted = errors.iter_recorded();
    serializer.collect_seq(counted.map(|step| (step.value_iterated_to(), step.count_at_value())))
}

fn read_counts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Histogram<u64>, D::Error> {
    let mut counted = errors();
    for (value, count) in Vec::<(u64, u64)>::deserialize(deserializer)? {
        counted.record_n(value, count).map_err(serde::de::Error::custom)?;
    }
    Ok(counted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_read_as_they_were_written() {
        let mut accuracy = Accuracy::new();
        for (value, count) in [(0, 3), (1_500, 2), (2_000_000_000, 1)] {
            let recorded = accuracy.release_error.record_n(value, count);
            recorded.expect("less than an hour");
        }
        let text = serde_json::to_string(&accuracy).expect("it has string keys and finite numbers");
        let read: Accuracy = serde_json::from_str(&text).expect("it is one");
        assert_eq!(read.release_error, accuracy.release_error);
        assert_eq!(read.release_error.max(), accuracy.release_error.max());
        assert!(read.script_error.is_empty());
    }
}
