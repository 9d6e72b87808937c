//! The kernel's counters of TCP in one namespace (`/proc/net/netstat`), those that tell what a sender took back or probed.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Counters since the namespace was made. Functions are those of Linux 6.12, `net/ipv4/tcp_input.c` and `tcp_output.c`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counters {
    /// `TCPSpuriousRTOs`: timeouts that F-RTO found spurious; each counts in `TCPLossUndo` too (`tcp_try_undo_loss`).
    pub(super) spurious_rtos: u64,
    /// `TCPLossUndo`: recoveries after a timeout that were undone while they went on (`tcp_try_undo_loss`) or as they ended
    /// (`tcp_try_undo_recovery`), for whatever reason.
    pub(super) loss_undo: u64,
    /// `TCPFullUndo`: fast recoveries that were undone as they ended (`tcp_try_undo_recovery`).
    pub(super) full_undo: u64,
    /// `TCPPartialUndo`: fast recoveries that a partial acknowledgement undid by its timestamp (`tcp_try_undo_partial`).
    pub(super) partial_undo: u64,
    /// `TCPDSACKUndo`: recoveries of either kind that were undone because D-SACK blocks had reported every retransmission, in a
    /// fast recovery or after the end of any (`tcp_try_undo_dsack`).
    pub(super) dsack_undo: u64,
    /// `TCPTimeouts`: how often a retransmission timer fired (`tcp_retransmit_timer`), of a SYN-ACK too (`tcp_syn_ack_timeout`).
    pub(super) timeouts: u64,
    /// `TCPLossProbes`: tail loss probes that were sent (`tcp_send_loss_probe`).
    pub(super) loss_probes: u64,
    /// `TCPLossProbeRecovery`: probes that repaired a loss (`tcp_process_tlp_ack`).
    pub(super) loss_probe_recovery: u64,
}

/// The counters, to be read again and again.
#[derive(Debug)]
pub(super) struct Netstat {
    file: File,
    text: Vec<u8>,
}

impl Netstat {
    /// Those of the calling thread's namespace.
    pub(super) fn open() -> io::Result<Self> {
        Ok(Self {
            file: File::open("/proc/thread-self/net/netstat")?,
            text: vec![0; 1 << 14],
        })
    }

    /// As they are now; those that this kernel does not have are zero.
    pub(super) fn read(&mut self) -> io::Result<Counters> {
        let len = self.file.read_at(&mut self.text, 0)?;
        Ok(parse(&String::from_utf8_lossy(&self.text[..len])))
    }
}

/// Two lines a protocol: the names, then the numbers.
fn parse(text: &str) -> Counters {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("TcpExt:"));
    let (Some(names), Some(values)) = (lines.next(), lines.next()) else {
        return Counters::default();
    };
    let mut counters = Counters::default();
    for (name, value) in names.split_whitespace().zip(values.split_whitespace()) {
        let counter = match name {
            "TCPSpuriousRTOs" => &mut counters.spurious_rtos,
            "TCPLossUndo" => &mut counters.loss_undo,
            "TCPFullUndo" => &mut counters.full_undo,
            "TCPPartialUndo" => &mut counters.partial_undo,
            "TCPDSACKUndo" => &mut counters.dsack_undo,
            "TCPTimeouts" => &mut counters.timeouts,
            "TCPLossProbes" => &mut counters.loss_probes,
            "TCPLossProbeRecovery" => &mut counters.loss_probe_recovery,
            _ => continue,
        };
        *counter = value.parse().unwrap_or(0);
    }
    counters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_found_by_name() {
        let text = "TcpExt: SyncookiesSent TCPLossUndo TCPSpuriousRTOs TCPOther TCPDSACKUndo TCPTimeouts\n\
                    TcpExt: 1 2 3 4 5 6\nIpExt: TCPLossUndo\nIpExt: 9\n";
        let counters = Counters {
            spurious_rtos: 3,
            loss_undo: 2,
            dsack_undo: 5,
            timeouts: 6,
            ..Counters::default()
        };
        assert_eq!(parse(text), counters);
        assert_eq!(parse(""), Counters::default());
    }
}
