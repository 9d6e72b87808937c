//! Lines of JSON on a Unix socket.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::WireError;

/// Longer than the orders for the largest trace of a link.
pub(super) const LONGEST_LINE: usize = 64 << 20;
/// Who has not taken what it was sent for so long does not listen any more.
const LISTENS: Duration = Duration::from_secs(10);
/// Read at a time.
const PIECE: usize = 1 << 16;

/// One side of a connection.
#[derive(Debug)]
pub(crate) struct Wire {
    stream: UnixStream,
    /// What has come and was not taken.
    buffer: Vec<u8>,
    /// How much of it has no line's end.
    searched: usize,
    longest: usize,
}

impl Wire {
    pub(crate) fn new(stream: UnixStream) -> Self {
        Self::with_lines_up_to(stream, LONGEST_LINE)
    }

    fn with_lines_up_to(stream: UnixStream, longest: usize) -> Self {
        // Fails only for no time at all. Without it who does not listen would hold up who speaks.
        let _ = stream.set_write_timeout(Some(LISTENS));
        Self {
            stream,
            buffer: Vec::new(),
            searched: 0,
            longest,
        }
    }

    pub(crate) fn send(&mut self, message: &impl Serialize) -> Result<(), WireError> {
        let mut line = serde_json::to_vec(message).map_err(|error| WireError::Unexpected(error.to_string()))?;
        line.push(b'\n');
        self.stream.write_all(&line).map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => WireError::Closed,
            _ => error.into(),
        })
    }

    /// The next message, if one comes within this time.
    pub(crate) fn receive<T: DeserializeOwned>(&mut self, within: Duration) -> Result<Option<T>, WireError> {
        let Some(line) = self.line(within)? else {
            return Ok(None);
        };
        serde_json::from_slice(&line)
            .map(Some)
            .map_err(|error| WireError::Unexpected(format!("not a message that belongs here: {error}")))
    }

    /// The next line as it came, if one comes within this time.
    pub(super) fn line(&mut self, within: Duration) -> Result<Option<Vec<u8>>, WireError> {
        let begun = Instant::now();
        loop {
            if let Some(end) = self.buffer[self.searched..].iter().position(|&octet| octet == b'\n') {
                let rest = self.buffer.split_off(self.searched + end + 1);
                let mut line = std::mem::replace(&mut self.buffer, rest);
                line.pop();
                self.searched = 0;
                return Ok(Some(line));
            }
            self.searched = self.buffer.len();
            if self.searched > self.longest {
                return Err(WireError::TooLong(self.longest));
            }
            if !self.wait(within.saturating_sub(begun.elapsed()))? {
                return Ok(None);
            }
            self.read()?;
        }
    }

    /// Whether something has come, or the end, within this time.
    fn wait(&self, within: Duration) -> Result<bool, WireError> {
        let ms = within.as_micros().div_ceil(1_000);
        let timeout = PollTimeout::try_from(u32::try_from(ms).unwrap_or(u32::MAX)).unwrap_or(PollTimeout::MAX);
        let mut ready = [PollFd::new(self.stream.as_fd(), PollFlags::POLLIN)];
        match poll(&mut ready, timeout) {
            Ok(count) => Ok(count > 0),
            // Asked again by whoever waits.
            Err(Errno::EINTR) => Ok(false),
            Err(error) => Err(WireError::Socket(error.into())),
        }
    }

    fn read(&mut self) -> Result<(), WireError> {
        let mut piece = [0; PIECE];
        match self.stream.read(&mut piece) {
            Ok(0) => Err(WireError::Closed),
            Ok(len) => {
                self.buffer.extend_from_slice(&piece[..len]);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::ConnectionReset => Err(WireError::Closed),
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (Wire, UnixStream) {
        let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
        (Wire::with_lines_up_to(ours, 100), theirs)
    }

    const SOON: Duration = Duration::from_secs(5);

    #[test]
    fn lines_come_whole_and_one_at_a_time() {
        let (mut wire, mut other) = pair();
        other.write_all(b"1\n2\n3").expect("it takes all");
        assert_eq!(wire.receive::<u32>(SOON).expect("a line"), Some(1));
        assert_eq!(wire.receive::<u32>(SOON).expect("a line"), Some(2));
        assert_eq!(wire.receive::<u32>(Duration::ZERO).expect("no line yet"), None);
        other.write_all(b"4\n").expect("it takes all");
        assert_eq!(wire.receive::<u32>(SOON).expect("a line"), Some(34));
    }

    #[test]
    fn a_message_is_sent_as_a_line() {
        let (mut wire, other) = pair();
        wire.send(&["a\nb"]).expect("it is taken");
        let mut other = Wire::new(other);
        assert_eq!(other.line(SOON).expect("a line"), Some(br#"["a\nb"]"#.to_vec()));
    }

    #[test]
    fn the_end_is_told_and_so_is_half_a_line() {
        let (mut wire, other) = pair();
        drop(other);
        assert!(matches!(wire.receive::<u32>(SOON), Err(WireError::Closed)));
        let (mut wire, mut other) = pair();
        other.write_all(b"12").expect("it takes all");
        drop(other);
        assert!(matches!(wire.receive::<u32>(SOON), Err(WireError::Closed)));
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let (mut wire, mut other) = pair();
        other.write_all(&[b' '; 101]).expect("it takes all");
        assert!(matches!(wire.line(SOON), Err(WireError::TooLong(100))));
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let (mut wire, mut other) = pair();
        other.write_all(b"{\n").expect("it takes all");
        assert!(matches!(wire.receive::<u32>(SOON), Err(WireError::Unexpected(_))));
    }

    #[test]
    fn who_has_gone_cannot_be_sent_to() {
        let (mut wire, other) = pair();
        drop(other);
        assert!(matches!(wire.send(&1), Err(WireError::Closed)));
    }
}
