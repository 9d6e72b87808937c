//! What an end says of itself, in order, until its answers take it over.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlull_transport::{Answer, Broken, Frame, PacketReceived, PacketSent, Said, Space, frames};

use crate::dialect::NAME;

/// The log of one end. quinn asks that what its hooks hold may move between threads, so that it is behind a lock, which nobody
/// ever waits for.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    kept: Arc<Mutex<Kept>>,
    is_recorded: bool,
    is_data_sender: bool,
}

#[derive(Debug, Default)]
struct Kept {
    answers: Vec<Answer>,
    /// The last packet that was decrypted, until quinn takes it, and how many answers there were before it.
    decrypted: Option<(usize, PacketReceived)>,
    /// The last packet that held a ping and padding and nothing else.
    padded_ping: Option<u64>,
    fault: Option<String>,
}

impl Log {
    pub(crate) fn new(is_recorded: bool, is_data_sender: bool) -> Self {
        Self {
            kept: Arc::default(),
            is_recorded,
            is_data_sender,
        }
    }

    /// Whether more is of use than what was sent and lost, and the variables of recovery ([`Start::is_recorded`]).
    ///
    /// [`Start::is_recorded`]: windlull_transport::Start::is_recorded
    pub(crate) const fn is_recorded(&self) -> bool {
        self.is_recorded
    }

    /// Whether what was received, losses and the variables of recovery are of use ([`Start::is_data_sender`]).
    ///
    /// [`Start::is_data_sender`]: windlull_transport::Start::is_data_sender
    pub(crate) const fn needs_qlog(&self) -> bool {
        self.is_recorded || self.is_data_sender
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A panic while the lock is held ends the run, and nobody reads the log afterwards.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn say(&self, said: Said) {
        self.kept().answers.push(Answer::Said(said));
    }

    pub(crate) fn secret(&self, line: String) {
        self.kept().answers.push(Answer::Secret(line));
    }

    /// A packet is about to be encrypted.
    pub(crate) fn sent(&self, space: Space, number: u64, length: usize, payload: &[u8]) {
        match frames(payload) {
            Ok(frames) => {
                let mut kept = self.kept();
                if let [Frame::Ping, .., Frame::Padding] = frames[..] {
                    kept.padded_ping = Some(number);
                }
                kept.answers.push(Answer::Said(Said::PacketSent(PacketSent {
                    space,
                    number,
                    length: u16::try_from(length).ok(),
                    frames,
                })));
            }
            Err(error) => self.fail(format!(
                "{NAME}'s {} packet {number} cannot be read: {error}",
                space.name()
            )),
        }
    }

    /// A packet was decrypted. quinn may still find it to be a duplicate, or of no use yet.
    pub(crate) fn decrypted(&self, space: Space, number: u64, length: usize, payload: &[u8]) {
        if !self.needs_qlog() {
            return;
        }
        // What the peer sent may be nonsense. Then quinn closes the connection (RFC 9000, section 12.4), and says why.
        let frames = frames(payload).unwrap_or_default();
        let mut kept = self.kept();
        let packet = PacketReceived {
            space,
            number,
            length: u16::try_from(length).ok(),
            frames,
        };
        kept.decrypted = Some((kept.answers.len(), packet));
    }

    /// quinn took the packet that was decrypted last. It is told before what has followed from it.
    pub(crate) fn taken(&self) {
        let mut kept = self.kept();
        if let Some((place, packet)) = kept.decrypted.take() {
            kept.answers.insert(place, Answer::Said(Said::PacketReceived(packet)));
        }
    }

    /// A probe timeout fired. It is told before the packets that it made quinn send.
    pub(crate) fn timed_out(&self) {
        let mut kept = self.kept();
        let is_sent = |answer: &Answer| matches!(answer, Answer::Said(Said::PacketSent(_)));
        let place = kept.answers.iter().position(is_sent).unwrap_or(kept.answers.len());
        kept.answers
            .insert(place, Answer::Said(Said::ProbeTimeout { space: None }));
    }

    /// The last packet that held a ping and padding and nothing else, once.
    pub(crate) fn take_padded_ping(&self) -> Option<u64> {
        self.kept().padded_ping.take()
    }

    /// This adapter no longer understands its quinn: the run is to end.
    pub(crate) fn fail(&self, fault: String) {
        self.kept().fault.get_or_insert(fault);
    }

    /// Moves what was said behind these answers.
    ///
    /// # Errors
    /// If something could not be understood.
    pub(crate) fn move_to(&self, answers: &mut Vec<Answer>) -> Result<(), Broken> {
        let mut kept = self.kept();
        answers.append(&mut kept.answers);
        if let Some((place, _)) = &mut kept.decrypted {
            *place = 0;
        }
        kept.fault.take().map_or(Ok(()), |fault| Err(Broken(fault)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(log: &Log) -> Vec<Answer> {
        let mut answers = Vec::new();
        log.move_to(&mut answers).expect("nothing failed");
        answers
    }

    #[test]
    fn a_packet_is_received_only_if_it_is_taken() {
        let log = Log::new(true, true);
        log.decrypted(Space::Data, 3, 30, &[1]);
        log.decrypted(Space::Data, 4, 40, &[1]);
        log.taken();
        log.taken();
        let packet = PacketReceived {
            space: Space::Data,
            number: 4,
            length: Some(40),
            frames: vec![Frame::Ping],
        };
        assert_eq!(told(&log), [Answer::Said(Said::PacketReceived(packet))]);

        let log = Log::new(false, false);
        log.decrypted(Space::Data, 3, 30, &[1]);
        log.taken();
        assert_eq!(told(&log), []);
    }

    #[test]
    fn what_comes_about_is_told_before_what_follows_from_it() {
        let log = Log::new(true, true);
        log.secret("before".to_owned());
        log.decrypted(Space::Data, 4, 40, &[1]);
        log.secret("behind".to_owned());
        log.taken();
        log.sent(Space::Data, 7, 30, &[1]);
        log.timed_out();
        let said = told(&log);
        assert!(
            matches!(
                said[..],
                [
                    Answer::Secret(_),
                    Answer::Said(Said::PacketReceived(_)),
                    Answer::Secret(_),
                    Answer::Said(Said::ProbeTimeout { .. }),
                    Answer::Said(Said::PacketSent(_)),
                ]
            ),
            "{said:?}"
        );
    }

    #[test]
    fn a_frame_that_is_not_known_ends_the_run() {
        let log = Log::new(true, true);
        log.sent(Space::Data, 7, 30, &[0x3f]);
        let broken = log.move_to(&mut Vec::new()).err().map(|broken| broken.0);
        assert_eq!(
            broken,
            Some(format!(
                "{NAME}'s application_data packet 7 cannot be read: frame type 0x3f is not known"
            ))
        );
    }
}
