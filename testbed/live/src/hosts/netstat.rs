//! The kernel's counters of TCP in one namespace (`/proc/net/netstat`), those that tell what a sender took back.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Counters since the namespace was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counters {
    /// `TCPSpuriousRTOs`: timeouts that F-RTO found spurious.
    pub(super) spurious_rtos: u64,
    /// `TCPLossUndo`: recoveries after a timeout that were undone, for whatever reason.
    pub(super) loss_undo: u64,
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
        let text = "TcpExt: SyncookiesSent TCPLossUndo TCPSpuriousRTOs TCPOther\n\
                    TcpExt: 1 2 3 4\nIpExt: TCPLossUndo\nIpExt: 9\n";
        let counters = Counters {
            spurious_rtos: 3,
            loss_undo: 2,
        };
        assert_eq!(parse(text), counters);
        assert_eq!(parse(""), Counters::default());
    }
}
