//! The end that sends the data: it connects, and closes first. Its state is sampled.

use std::io;
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use nix::errno::Errno;
use nix::poll::PollFlags;
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::socket::{SockaddrStorage, connect};
use windlull_netns::join;
use windlull_plane::Epoch;

use super::conversation::Conversation;
use super::sampler::{Asking, Sampled, Sampler};
use super::socket::{Opened, Report};
use super::waiting::{Ended, Progress, wait_until};
use crate::application::Task;

/// A sender at work, and the thread that samples its state.
#[derive(Debug)]
pub struct Sending {
    thread: JoinHandle<Report>,
    sampler: Sampler,
    stop: Arc<EventFd>,
    progress: Arc<Progress>,
}

/// What became of a sender, and what its kernel said meanwhile.
#[derive(Clone, Debug)]
pub struct SenderReport {
    pub report: Report,
    pub sampled: Sampled,
}

impl Opened {
    /// Connects when the task's time comes, and does what the task's application does.
    ///
    /// # Errors
    /// If there is no thread to be had. What happens to the connection is in the report.
    pub fn send(self, task: Task, epoch: Epoch) -> io::Result<Sending> {
        let stop = Arc::new(EventFd::from_flags(EfdFlags::EFD_CLOEXEC)?);
        let progress = Arc::new(Progress::default());
        let (own, peer) = self.addresses();
        let asking = Asking {
            namespace: &self.namespace,
            device: &self.device,
            occasion: self.occasion,
            is_alone: self.is_alone,
            number: self.number,
            triggers: self.triggers.as_ref(),
            epoch,
        };
        let sampler = Sampler::start(asking, own, peer, Arc::clone(&progress))?;
        let place = (self.host, self.addresses());
        let mut conversation = Conversation::new(place, task, epoch, Arc::clone(&stop), Arc::clone(&progress));
        let stream = TcpStream::from(self.socket);
        let thread = thread::Builder::new().name("linux sender".to_owned()).spawn(move || {
            let begun = wait_until(task.begins_at(), epoch, &conversation.stop);
            let ended = begun.and_then(|()| connect_and_converse(&mut conversation, &stream));
            conversation.finish(ended)
        })?;
        Ok(Sending {
            thread,
            sampler,
            stop,
            progress,
        })
    }
}

impl Sending {
    /// How far it is.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Ends it, whatever it is doing. A connection that was not over is then closed by the kernel: stop captures first.
    ///
    /// # Errors
    /// If the kernel could not be asked for its state.
    pub fn stop(self) -> io::Result<SenderReport> {
        self.stop.write(1)?;
        // Before the socket goes: a last sample is taken.
        let sampled = self.sampler.stop()?;
        let report = join(self.thread);
        Ok(SenderReport { report, sampled })
    }
}

/// Opens the connection, then converses over it.
fn connect_and_converse(conversation: &mut Conversation, stream: &TcpStream) -> Result<(), Ended> {
    let (_, peer) = conversation.addresses();
    let peer = SockaddrStorage::from(peer);
    match connect(stream.as_raw_fd(), &peer) {
        Ok(()) | Err(Errno::EINPROGRESS) => {}
        Err(error) => return Err(io::Error::from(error).into()),
    }
    conversation.wait_for(stream.as_fd(), PollFlags::POLLOUT)?;
    if let Some(error) = stream.take_error()? {
        return Err(error.into());
    }
    conversation.converse(stream)
}
