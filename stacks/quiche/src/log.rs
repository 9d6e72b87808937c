//! What an end says of itself, in order, until its answers take it over.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlull_transport::{Answer, Broken, Metrics, PacketReceived, PacketSent, Role, Said, Space};

use crate::recovery::Recovery;

/// The log of one end. quiche asks that the writers which it is given may move between threads, so that it is behind a lock,
/// which nobody ever waits for.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    kept: Arc<Mutex<Kept>>,
    is_recorded: bool,
    is_data_sender: bool,
}

#[derive(Debug)]
struct Kept {
    answers: Vec<Answer>,
    /// The last packet that was decrypted, until quiche takes it.
    decrypted: Option<PacketReceived>,
    /// The greatest number of a packet that quiche took, by space.
    received: [Option<u64>; Space::ALL.len()],
    recovery: Recovery,
    is_timer: bool,
    fault: Option<String>,
}

impl Log {
    pub(crate) fn new(role: Role, is_recorded: bool, is_data_sender: bool) -> Self {
        let kept = Kept {
            answers: Vec::new(),
            decrypted: None,
            received: [None; Space::ALL.len()],
            recovery: Recovery::new(role),
            is_timer: false,
            fault: None,
        };
        Self {
            kept: Arc::new(Mutex::new(kept)),
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

    /// A packet is about to be encrypted.
    pub(crate) fn sent(&self, packet: PacketSent) {
        let needs_recovery = self.needs_recovery();
        let kept = &mut *self.kept();
        if needs_recovery && let Some(lost) = kept.recovery.on_sent(&packet) {
            kept.answers.push(Answer::Said(Said::PacketLost(lost)));
        }
        kept.answers.push(Answer::Said(Said::PacketSent(packet)));
    }

    /// A packet of this space was decrypted, which follows from the greatest number of one that quiche took. quiche may still
    /// drop it.
    pub(crate) fn decrypted(&self, space: Space, packet: impl FnOnce(Option<u64>) -> PacketReceived) {
        let kept = &mut *self.kept();
        kept.decrypted = Some(packet(kept.received[space as usize]));
    }

    /// quiche took the packet that was decrypted last.
    pub(crate) fn taken(&self) {
        let kept = &mut *self.kept();
        let Some(packet) = kept.decrypted.take() else {
            kept.fault
                .get_or_insert_with(|| "quiche takes a packet that was not heard".to_owned());
            return;
        };
        let largest = &mut kept.received[packet.space as usize];
        *largest = (*largest).max(Some(packet.number));
        kept.recovery.on_received(&packet);
        kept.answers.push(Answer::Said(Said::PacketReceived(packet)));
    }

    /// These variables of recovery changed, and so many packets quiche has counted as lost in all, if that changed.
    pub(crate) fn metrics(&self, metrics: Metrics, lost_count: Option<u64>) {
        let kept = &mut *self.kept();
        let told = kept
            .recovery
            .on_metrics(metrics, lost_count, kept.is_timer, &mut kept.answers);
        if let Err(wrong) = told {
            kept.fault.get_or_insert(wrong);
        }
    }

    /// Makes a call in which quiche handles its timers.
    pub(crate) fn in_timer(&self, call: impl FnOnce()) {
        self.kept().is_timer = true;
        call();
        self.kept().is_timer = false;
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
