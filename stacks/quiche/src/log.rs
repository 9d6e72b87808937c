//! What an end says of itself, in order, until its answers take it over.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlull_transport::{Answer, Broken, Said};

/// The log of one end. quiche asks that the writers which it is given may move between threads, so that it is behind a lock,
/// which nobody ever waits for.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    kept: Arc<Mutex<Kept>>,
    is_recorded: bool,
    is_data_sender: bool,
}

#[derive(Debug, Default)]
struct Kept {
    answers: Vec<Answer>,
    is_timer: bool,
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

    /// Whether losses and the variables of recovery are of use ([`Start::is_data_sender`]).
    ///
    /// [`Start::is_data_sender`]: windlull_transport::Start::is_data_sender
    pub(crate) const fn needs_recovery(&self) -> bool {
        self.is_recorded || self.is_data_sender
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A panic while the lock is held ends the run, and nobody reads the log afterwards.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn say(&self, said: Said) {
        self.kept().answers.push(Answer::Said(said));
    }

    /// Makes a call in which quiche handles its timers.
    pub(crate) fn in_timer(&self, call: impl FnOnce()) {
        self.kept().is_timer = true;
        call();
        self.kept().is_timer = false;
    }

    /// Whether quiche handles its timers now, and not a datagram.
    pub(crate) fn is_timer(&self) -> bool {
        self.kept().is_timer
    }

    /// This adapter no longer understands its quiche: the run is to end.
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
        kept.fault.take().map_or(Ok(()), |fault| Err(Broken(fault)))
    }
}

/// The key log that quiche writes: a line at a time (draft-ietf-tls-keylogfile).
pub(crate) struct KeyLog(pub(crate) Log);

impl io::Write for KeyLog {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        let line = String::from_utf8_lossy(octets).trim_end().to_owned();
        self.0.kept().answers.push(Answer::Secret(line));
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
