//! What an application can read: what its peer's has written, in the order of each stream, and no more.

use std::collections::BTreeMap;

use crate::interface::{Broken, StreamId, Write};

/// The streams that one end reads.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    streams: BTreeMap<StreamId, Stream>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Stream {
    /// Octets that the peer's application has written.
    written: u64,
    /// Octets that were read of them.
    read: u64,
    /// Whether the reader was told of the stream's end.
    has_ended: bool,
}

impl Reads {
    /// The peer's application writes.
    pub fn written(&mut self, write: &Write) {
        let stream = self.streams.entry(write.stream).or_default();
        stream.written = stream.written.saturating_add(write.length);
    }

    /// The end says that its application has read so many octets of a stream, and whether it ends behind them.
    ///
    /// # Errors
    /// If they were not written, or if the end comes too early or twice.
    pub fn read(&mut self, id: StreamId, length: u64, ends: bool) -> Result<(), Broken> {
        let number = id.0;
        let Some(stream) = self.streams.get_mut(&id) else {
            // A TCP whose peer closes has read that there is nothing.
            if length == 0 {
                return Ok(());
            }
            let there: Vec<_> = self.streams.keys().map(|id| id.0.to_string()).collect();
            let there = match there.as_slice() {
                [] => "to none".to_owned(),
                all => format!("to {}", all.join(", ")),
            };
            return Err(Broken(format!(
                "reads from stream {number}, to which its peer has written nothing; it has written {there}"
            )));
        };
        let Stream { written, has_ended, .. } = *stream;
        stream.read = stream.read.saturating_add(length);
        let read = stream.read;
        if has_ended {
            return Err(Broken(format!("reads from stream {number} after its end")));
        }
        if read > written {
            return Err(Broken(format!(
                "reads {read} octets of stream {number}, of which its peer has written {written}"
            )));
        }
        if ends && read < written {
            return Err(Broken(format!(
                "says that stream {number} ends behind {read} octets, of which its peer has written {written}"
            )));
        }
        stream.has_ended = ends;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_that_was_not_written() {
        let mut reads = Reads::default();
        let stream = StreamId(3);
        let wrong = |reads: &Reads, id, length, ends| {
            let Broken(what) = reads.clone().read(id, length, ends).expect_err("it is wrong");
            what
        };
        assert_eq!(
            wrong(&reads, stream, 1, false),
            "reads from stream 3, to which its peer has written nothing; it has written to none"
        );
        assert_eq!(reads.read(stream, 0, true), Ok(()));
        reads.written(&Write {
            stream,
            length: 100,
            ends: true,
        });
        assert_eq!(
            wrong(&reads, StreamId(7), 1, false),
            "reads from stream 7, to which its peer has written nothing; it has written to 3"
        );
        assert_eq!(reads.read(stream, 40, false), Ok(()));
        assert_eq!(
            wrong(&reads, stream, 59, true),
            "says that stream 3 ends behind 99 octets, of which its peer has written 100"
        );
        assert_eq!(
            wrong(&reads, stream, 61, true),
            "reads 101 octets of stream 3, of which its peer has written 100"
        );
        assert_eq!(reads.read(stream, 60, false), Ok(()));
        assert_eq!(reads.read(stream, 0, true), Ok(()));
        assert_eq!(wrong(&reads, stream, 0, true), "reads from stream 3 after its end");
    }
}
