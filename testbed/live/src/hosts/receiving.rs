//! The end that receives the data: it listens, and closes when it has seen the peer's end.

use std::io;
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread::JoinHandle;

use nix::poll::PollFlags;
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::socket::{Backlog, listen};
use windlull_netns::join;
use windlull_plane::Epoch;
use windlull_units::Span;

use super::conversation::Conversation;
use super::diag::Diag;
use super::socket::{Opened, Report};
use super::waiting::{Ended, Progress, wait};
use crate::application::Task;

/// How often the kernel is asked whether the last acknowledgement has come.
const LAST_LOOKS: Span = Span::from_ms(2);

/// A receiver at work.
#[derive(Debug)]
pub struct Receiving {
    thread: JoinHandle<io::Result<Report>>,
    stop: Arc<EventFd>,
    progress: Arc<Progress>,
}

impl Opened {
    /// Listens from now on, and does on one connection what the task's application does.
    ///
    /// # Errors
    /// If it cannot listen, or there is no thread to be had. What happens to the connection is in the report.
    pub fn receive(self, task: Task, epoch: Epoch) -> io::Result<Receiving> {
        listen(&self.socket, Backlog::new(1)?)?;
        let stop = Arc::new(EventFd::from_flags(EfdFlags::EFD_CLOEXEC)?);
        let progress = Arc::new(Progress::default());
        let place = (self.host, self.addresses());
        let mut conversation = Conversation::new(place, task, epoch, Arc::clone(&stop), Arc::clone(&progress));
        let listener = TcpListener::from(self.socket);
        let thread = self.namespace.spawn("linux receiver", move || {
            let ended = accept_and_converse(&mut conversation, listener);
            conversation.finish(ended)
        })?;
        Ok(Receiving { thread, stop, progress })
    }
}

impl Receiving {
    /// How far it is.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Ends it, whatever it is doing. A connection that was not over is then reset by the kernel: stop captures first.
    ///
    /// # Errors
    /// If the thread could not enter its namespace.
    pub fn stop(self) -> io::Result<Report> {
        self.stop.write(1)?;
        join(self.thread)
    }
}

/// Waits for a connection, converses over it, and waits until the peer has acknowledged this end's FIN.
fn accept_and_converse(conversation: &mut Conversation, listener: TcpListener) -> Result<(), Ended> {
    conversation.wait_for(listener.as_fd(), PollFlags::POLLIN)?;
    let (stream, _) = listener.accept()?;
    drop(listener);
    conversation.converse(&stream)?;
    let gone = until_gone(conversation);
    drop(stream);
    gone
}

/// Waits until the kernel has no such connection any more.
fn until_gone(conversation: &Conversation) -> Result<(), Ended> {
    let (own, peer) = conversation.addresses();
    let mut diag = Diag::open(own, peer)?;
    let stop = &conversation.stop;
    while diag.ask()?.is_some() {
        // Not at the stream: both ways are shut, so that it is ready all the time.
        let until = Some((conversation.epoch, conversation.epoch.now() + LAST_LOOKS));
        wait(stop.as_fd(), PollFlags::empty(), stop, until)?;
    }
    Ok(())
}
