//! A transport that was made for tests: it sends each chunk of a stream in a datagram, all at once, and again until it is
//! acknowledged.

use std::collections::{BTreeMap, BTreeSet};

use windlull_transport::{
    Answer, Answers, Broken, Datagram, PacketSent, Said, Space, Stack, Start, StreamId, Transport, Write,
};
use windlull_units::{Ecn, Span, Time};

/// Octets of a datagram's data, at most.
const CHUNK: u64 = 1_000;
/// After so long everything that was not acknowledged is sent again.
const TIMEOUT: Span = Span::from_secs(1);

pub(crate) struct Simple;

#[derive(Default)]
pub(crate) struct End {
    /// What is not acknowledged: stream, offset, length, whether the stream ends.
    left: BTreeSet<(u64, u64, u64, bool)>,
    offsets: BTreeMap<u64, u64>,
    had: BTreeSet<(u64, u64)>,
    sent: u64,
    /// When the oldest of those not acknowledged is sent again.
    again: Option<Time>,
}

impl End {
    fn send(&mut self, kind: u8, (stream, offset, length, ends): (u64, u64, u64, bool), answers: &mut Answers) {
        let mut octets = vec![kind, u8::from(ends)];
        for number in [stream, offset, length] {
            octets.extend_from_slice(&number.to_be_bytes());
        }
        if kind == b'D' {
            octets.resize(octets.len() + usize::try_from(length).expect("a chunk"), 0);
        }
        answers.say(Said::PacketSent(PacketSent {
            space: Space::Data,
            number: self.sent,
            length: None,
            frames: Vec::new(),
        }));
        self.sent += 1;
        let ecn = Ecn::Ect0;
        answers.push(Answer::Send(Datagram { octets, ecn }));
    }

    fn answer(&self, answers: &mut Answers) {
        answers.wake = self.again.filter(|_| !self.left.is_empty());
    }
}

impl Stack for Simple {
    fn name(&self) -> &str {
        "simple"
    }

    fn version(&self) -> String {
        "simple 1".to_owned()
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn begin(&self, start: &Start) -> Result<Box<dyn Transport>, Broken> {
        assert_ne!(start.seed, [0; 32]);
        Ok(Box::new(End::default()))
    }
}

impl Transport for End {
    fn connect(&mut self, _: Time, answers: &mut Answers) -> Result<(), Broken> {
        answers.push(Answer::Connected);
        self.answer(answers);
        Ok(())
    }

    fn datagram(&mut self, _: Time, octets: &[u8], _: Ecn, answers: &mut Answers) -> Result<(), Broken> {
        let number = |place: usize| {
            let octets = octets[2 + 8 * place..10 + 8 * place].try_into().expect("eight");
            u64::from_be_bytes(octets)
        };
        let (kind, ends) = (octets[0], octets[1] == 1);
        match kind {
            b'C' => answers.push(Answer::Closed { error: None }),
            b'A' => _ = self.left.remove(&(number(0), number(1), number(2), ends)),
            _ => {
                let chunk = (number(0), number(1), number(2), ends);
                self.send(b'A', chunk, answers);
                if self.had.insert((chunk.0, chunk.1)) {
                    // A stream ends once all of it is there; here its last chunk comes last unless one was lost.
                    let whole = self.had.iter().filter(|had| had.0 == chunk.0).count() as u64;
                    let last = ends.then_some(chunk.1 / CHUNK + 1);
                    self.offsets
                        .entry(chunk.0)
                        .and_modify(|n| *n = last.unwrap_or(*n))
                        .or_insert(last.unwrap_or(0));
                    answers.push(Answer::Read {
                        stream: StreamId(chunk.0),
                        length: chunk.2,
                        ends: self.offsets[&chunk.0] == whole,
                    });
                }
            }
        }
        self.answer(answers);
        Ok(())
    }

    fn wake(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        if self.again.is_some_and(|at| at <= now) {
            for chunk in self.left.clone() {
                self.send(b'D', chunk, answers);
            }
            self.again = Some(now + TIMEOUT);
        }
        self.answer(answers);
        Ok(())
    }

    fn write(&mut self, now: Time, write: Write, answers: &mut Answers) -> Result<(), Broken> {
        let length = write.length.min(1_000_000);
        for offset in (0..length).step_by(usize::try_from(CHUNK).expect("small")) {
            let rest = length - offset;
            let chunk = (write.stream.0, offset, rest.min(CHUNK), write.ends && rest <= CHUNK);
            self.left.insert(chunk);
            self.send(b'D', chunk, answers);
        }
        self.again = Some(now + TIMEOUT);
        self.answer(answers);
        Ok(())
    }

    fn close(&mut self, _: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.send(b'C', (0, 0, 0, false), answers);
        answers.push(Answer::Closed { error: None });
        self.answer(answers);
        Ok(())
    }
}
