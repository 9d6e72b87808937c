//! The application of an end: what it wrote and quiche has not taken yet, and what it reads.

use std::collections::{BTreeMap, BTreeSet};

use quiche::{Connection, Error};
use windlull_transport::{Answer, Broken, Role, StreamId, Write};

/// What every stream consists of.
static ZEROS: [u8; MOST_AT_ONCE] = [0; MOST_AT_ONCE];

/// Octets that are written to a stream before the next one has its turn. quiche takes no more than the congestion window has room
/// for, so that streams side by side share it in such pieces.
const MOST_AT_ONCE: usize = 16_384;

/// Where an end's application stands.
#[derive(Debug)]
pub(crate) struct Streams {
    role: Role,
    /// What is still to be written, by stream.
    outgoing: BTreeMap<u64, Outgoing>,
    /// The first stream whose turn it is to be written to; if there is none from it on, the lowest.
    turn: u64,
    /// Streams that go both ways, which the peer opened and to which nothing was written yet.
    accepted: BTreeSet<u64>,
}

#[derive(Debug, Default)]
struct Outgoing {
    left: u64,
    ends: bool,
    /// Whether quiche knows the stream.
    is_open: bool,
}

/// What became of one attempt to write.
enum Progress {
    /// There is more to write, and quiche may take it.
    More,
    /// There is more to write, and quiche takes no more now.
    Blocked,
    /// All is written, or nobody wants it.
    Done,
}

impl Streams {
    pub(crate) const fn new(role: Role) -> Self {
        Self {
            role,
            outgoing: BTreeMap::new(),
            turn: 0,
            accepted: BTreeSet::new(),
        }
    }

    /// The application has this to write.
    ///
    /// # Errors
    /// If nothing can be written to this stream, now or ever.
    pub(crate) fn write(&mut self, write: Write) -> Result<(), Broken> {
        let stream = write.stream;
        if stream.is_one_way() && stream.opener() != self.role {
            return Err(Broken(format!(
                "the {} cannot write to stream {}",
                self.role.name(),
                stream.0
            )));
        }
        let is_open = self.accepted.remove(&stream.0);
        let outgoing = self.outgoing.entry(stream.0).or_default();
        if outgoing.ends {
            return Err(written_behind_end(stream.0));
        }
        outgoing.left += write.length;
        outgoing.ends = write.ends;
        outgoing.is_open |= is_open;
        Ok(())
    }

    /// Reads all that has arrived, and tells it.
    pub(crate) fn read(&mut self, connection: &mut Connection, answers: &mut Vec<Answer>) {
        for id in connection.readable() {
            let stream = StreamId(id);
            if !stream.is_one_way() && stream.opener() != self.role {
                match self.outgoing.get_mut(&id) {
                    Some(outgoing) => outgoing.is_open = true,
                    None => {
                        self.accepted.insert(id);
                    }
                }
            }
            let (mut length, mut ends) = (0, false);
            // It is an error if there is no more now, or if the peer reset the stream; then it never ends.
            while let Ok((read, is_last)) = connection.stream_discard(id, usize::MAX) {
                length += read as u64;
                ends = is_last;
                if ends {
                    break;
                }
            }
            if length > 0 || ends {
                answers.push(Answer::Read { stream, length, ends });
            }
        }
    }

    /// Writes what quiche takes, to each stream in turn, as applications that run side by side would.
    ///
    /// # Errors
    /// If the application wrote behind a stream's end, or quiche takes nothing for another reason than that there is no room.
    pub(crate) fn pump(&mut self, connection: &mut Connection) -> Result<(), Broken> {
        let mut blocked = BTreeSet::new();
        loop {
            let is_ready = |(id, outgoing): &(&u64, &Outgoing)| {
                (outgoing.is_open || StreamId(**id).opener() == self.role) && !blocked.contains(*id)
            };
            let next = self.outgoing.range(self.turn..).find(is_ready);
            let Some((&id, _)) = next.or_else(|| self.outgoing.iter().find(is_ready)) else {
                return Ok(());
            };
            let outgoing = self.outgoing.get_mut(&id).expect("it was just found");
            let before = outgoing.left;
            let progress = outgoing.write(id, connection)?;
            // A stream that found no room keeps its turn.
            if outgoing.left < before {
                self.turn = id + 1;
            }
            match progress {
                Progress::More => {}
                Progress::Blocked => {
                    blocked.insert(id);
                }
                Progress::Done => {
                    self.outgoing.remove(&id);
                }
            }
        }
    }
}

impl Outgoing {
    fn write(&mut self, id: u64, connection: &mut Connection) -> Result<Progress, Broken> {
        let length = usize::try_from(self.left).map_or(MOST_AT_ONCE, |left| left.min(MOST_AT_ONCE));
        let is_last = self.ends && length as u64 == self.left;
        match connection.stream_send(id, &ZEROS[..length], is_last) {
            Ok(written) => {
                self.left -= written as u64;
                Ok(match written == length {
                    true if self.left == 0 => Progress::Done,
                    true => Progress::More,
                    false => Progress::Blocked,
                })
            }
            // No room in a window, or too many streams are open.
            Err(Error::Done | Error::StreamLimit) => Ok(Progress::Blocked),
            Err(Error::StreamStopped(_)) => Ok(Progress::Done),
            Err(Error::FinalSize) => Err(written_behind_end(id)),
            Err(error) => Err(Broken(format!("quiche does not take octets for stream {id}: {error}"))),
        }
    }
}

fn written_behind_end(id: u64) -> Broken {
    Broken(format!("something was written behind the end of stream {id}"))
}
