//! The application of an end: what it wrote and quinn has not taken yet, and what it reads.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use windlull_transport::{Answer, Broken, Role, StreamId, Write};

use crate::dialect;
use crate::proto::{self, Connection, Dir, FinishError, Side, StreamEvent, WriteError};

/// What every stream consists of. quinn keeps a view of it and copies it only into packets.
static ZEROS: [u8; MOST_AT_ONCE] = [0; MOST_AT_ONCE];

/// Octets that are written to a stream before the next one has its turn.
///
/// quinn frees what is acknowledged by such pieces (its `send_window` counts a piece until all of it is), so that with a small
/// window they must be small.
const MOST_AT_ONCE: usize = 65_536;

/// How many such pieces a send window holds at least.
const PIECES_OF_WINDOW: u64 = 64;

/// Where an end's application stands.
#[derive(Debug)]
pub(crate) struct Streams {
    role: Role,
    /// The most that is written at once.
    piece: usize,
    /// What is still to be written, by stream.
    outgoing: BTreeMap<u64, Outgoing>,
    /// Those of them that are open, and to which quinn may let more be written.
    ready: BTreeSet<u64>,
    /// The first stream whose turn it is to be written to; if there is none from it on, the lowest.
    turn: u64,
    /// How many streams this end opened, by direction.
    opened: [u64; 2],
    /// How many streams that go both ways the peer opened.
    accepted: u64,
    /// Whether the peer may let this end open more streams than it did when that was tried last.
    may_open: bool,
    /// What was read since the last answers.
    reads: Vec<Read>,
}

#[derive(Debug, Default)]
struct Outgoing {
    left: u64,
    ends: bool,
}

#[derive(Debug)]
struct Read {
    stream: StreamId,
    length: u64,
    ends: bool,
}

/// What became of one attempt to write.
enum Progress {
    /// There is more to write.
    More,
    /// There is more to write, and quinn will say when it takes more.
    Blocked,
    /// All is written, or nobody wants it.
    Done,
}

impl Streams {
    /// The application of an end whose send window is so large.
    pub(crate) fn new(role: Role, send_window: Option<u64>) -> Self {
        let piece = send_window.map_or(MOST_AT_ONCE as u64, |octets| octets / PIECES_OF_WINDOW);
        Self {
            role,
            piece: usize::try_from(piece).map_or(MOST_AT_ONCE, |piece| piece.clamp(1, MOST_AT_ONCE)),
            outgoing: BTreeMap::new(),
            ready: BTreeSet::new(),
            turn: 0,
            opened: [0; 2],
            accepted: 0,
            may_open: false,
            reads: Vec::new(),
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
        let outgoing = self.outgoing.entry(stream.0).or_default();
        if outgoing.ends {
            return Err(written_behind_end(stream.0));
        }
        outgoing.left += write.length;
        outgoing.ends = write.ends;
        if self.is_open(stream) {
            self.ready.insert(stream.0);
        } else {
            self.may_open = true;
        }
        Ok(())
    }

    /// The connection is open: now streams may be.
    pub(crate) fn on_connected(&mut self) {
        self.may_open = true;
    }

    pub(crate) fn on_event(&mut self, event: &StreamEvent, connection: &mut Connection) {
        match *event {
            StreamEvent::Opened { dir } => {
                while let Some(id) = connection.streams().accept(dir) {
                    if dir == Dir::Bi {
                        self.accepted += 1;
                        self.make_ready(id.into());
                    }
                    self.read(id, connection);
                }
            }
            StreamEvent::Readable { id } => self.read(id, connection),
            StreamEvent::Writable { id } => self.make_ready(id.into()),
            StreamEvent::Available { .. } => self.may_open = true,
            // No transport here stops a stream; if one does, the next write hears of it.
            StreamEvent::Finished { .. } | StreamEvent::Stopped { .. } => {}
        }
    }

    /// A stream may be written to, if there is something.
    fn make_ready(&mut self, id: u64) {
        if self.outgoing.contains_key(&id) {
            self.ready.insert(id);
        }
    }

    fn is_open(&self, stream: StreamId) -> bool {
        let count = if stream.opener() == self.role {
            self.opened[usize::from(stream.is_one_way())]
        } else {
            self.accepted
        };
        stream.number() < count
    }

    /// Reads all that a stream has.
    fn read(&mut self, id: proto::StreamId, connection: &mut Connection) {
        let stream = StreamId(id.into());
        let (mut length, mut ends) = (0, false);
        let mut receiver = connection.recv_stream(id);
        // It is an error if the stream was read to its end before, as when two events tell of it.
        let Ok(mut chunks) = receiver.read(true) else {
            return;
        };
        loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => length += chunk.bytes.len() as u64,
                Ok(None) => {
                    ends = true;
                    break;
                }
                // Nothing more now; or the peer reset the stream, and then it never ends.
                Err(_) => break,
            }
        }
        // Credit for the peer, which is queued with this, is sent with the next packets.
        let _ = chunks.finalize();
        if length == 0 && !ends {
            return;
        }
        match self.reads.iter_mut().find(|read| read.stream == stream) {
            Some(read) => {
                read.length += length;
                read.ends = ends;
            }
            None => self.reads.push(Read { stream, length, ends }),
        }
    }

    /// Tells what was read since the last call, once for each stream.
    pub(crate) fn tell_reads(&mut self, answers: &mut Vec<Answer>) {
        answers.extend(self.reads.drain(..).map(|read| Answer::Read {
            stream: read.stream,
            length: read.length,
            ends: read.ends,
        }));
    }

    /// Opens what streams it can and writes what quinn takes, each stream in turn, as applications that run side by side would.
    /// Says whether there was anything to try.
    ///
    /// # Errors
    /// If the application wrote behind a stream's end.
    pub(crate) fn pump(&mut self, connection: &mut Connection) -> Result<bool, Broken> {
        if std::mem::take(&mut self.may_open) {
            self.open(connection);
        }
        let mut has_tried = false;
        while let Some(&id) = self.ready.range(self.turn..).next().or(self.ready.first()) {
            has_tried = true;
            self.turn = id + 1;
            let outgoing = self
                .outgoing
                .get_mut(&id)
                .expect("a stream is ready only while there is something for it");
            match outgoing.write(id, self.piece, connection)? {
                Progress::More => {}
                Progress::Blocked => {
                    self.ready.remove(&id);
                }
                Progress::Done => {
                    self.ready.remove(&id);
                    self.outgoing.remove(&id);
                }
            }
        }
        Ok(has_tried)
    }

    /// Opens this end's streams up to the highest that something was written to, as far as the peer's limit lets.
    fn open(&mut self, connection: &mut Connection) {
        for dir in [Dir::Bi, Dir::Uni] {
            let own = |id: &&u64| {
                let stream = StreamId(**id);
                stream.opener() == self.role && stream.is_one_way() == (dir == Dir::Uni)
            };
            let wanted = self
                .outgoing
                .keys()
                .rev()
                .find(own)
                .map_or(0, |&id| StreamId(id).number() + 1);
            while self.opened[dir as usize] < wanted {
                let Some(id) = connection.streams().open(dir) else {
                    break;
                };
                self.opened[dir as usize] += 1;
                self.make_ready(id.into());
            }
        }
    }
}

impl Outgoing {
    fn write(&mut self, id: u64, piece: usize, connection: &mut Connection) -> Result<Progress, Broken> {
        let mut stream = connection.send_stream(in_quinn(StreamId(id)));
        if self.left > 0 {
            let length = usize::try_from(self.left).map_or(piece, |left| left.min(piece));
            match dialect::write(&mut stream, Bytes::from_static(&ZEROS[..length])) {
                Ok(written) => self.left -= written as u64,
                Err(WriteError::Blocked) => return Ok(Progress::Blocked),
                Err(WriteError::Stopped(_)) => return Ok(Progress::Done),
                Err(WriteError::ClosedStream) => return Err(written_behind_end(id)),
            }
            if self.left > 0 {
                return Ok(Progress::More);
            }
        }
        if self.ends {
            match stream.finish() {
                Ok(()) | Err(FinishError::Stopped(_)) => {}
                Err(FinishError::ClosedStream) => return Err(written_behind_end(id)),
            }
        }
        Ok(Progress::Done)
    }
}

/// The same stream in quinn's words.
fn in_quinn(stream: StreamId) -> proto::StreamId {
    let side = match stream.opener() {
        Role::Client => Side::Client,
        Role::Server => Side::Server,
    };
    let dir = if stream.is_one_way() { Dir::Uni } else { Dir::Bi };
    proto::StreamId::new(side, dir, stream.number())
}

fn written_behind_end(id: u64) -> Broken {
    Broken(format!("something was written behind the end of stream {id}"))
}
