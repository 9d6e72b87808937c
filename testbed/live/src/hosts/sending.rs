//! The sending end: it connects, writes the content, closes, and waits until the peer has closed too.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use nix::errno::Errno;
use nix::poll::PollFlags;
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::socket::{SockaddrIn, connect};
use windlull_capture::address_of;
use windlull_netns::join;
use windlull_plane::Epoch;
use windlull_units::{Bytes, Host};
use windlull_wire::content::PERIOD;

use super::sampler::{Asking, Sampled, Sampler};
use super::socket::{Opened, Report, options, two_periods};
use super::waiting::{Ended, Progress, wait};

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
    /// Connects now, and sends so many octets of the content.
    ///
    /// # Errors
    /// If there is no thread to be had. What happens to the connection is in the report.
    pub fn send(self, size: Bytes, epoch: Epoch) -> io::Result<Sending> {
        let stop = Arc::new(EventFd::from_flags(EfdFlags::EFD_CLOEXEC)?);
        let progress = Arc::new(Progress::default());
        let (own, peer) = (address_of(self.host), address_of(self.host.peer()));
        let asking = Asking {
            namespace: &self.namespace,
            device: &self.device,
            occasion: self.occasion,
            epoch,
        };
        let sampler = Sampler::start(asking, own, peer, Arc::clone(&progress))?;
        let sender = Sender {
            host: self.host,
            stop: Arc::clone(&stop),
            progress: Arc::clone(&progress),
            report: Report::default(),
        };
        let stream = TcpStream::from(self.socket);
        let thread = thread::Builder::new()
            .name("linux sender".to_owned())
            .spawn(move || sender.run(&stream, size))?;
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

struct Sender {
    host: Host,
    stop: Arc<EventFd>,
    progress: Arc<Progress>,
    report: Report,
}

impl Sender {
    fn run(mut self, stream: &TcpStream, size: Bytes) -> Report {
        let ended = self.converse(stream, size);
        self.report.end(ended, &self.progress);
        self.report
    }

    fn converse(&mut self, mut stream: &TcpStream, size: Bytes) -> Result<(), Ended> {
        let peer = SockaddrIn::from(address_of(self.host.peer()));
        match connect(stream.as_raw_fd(), &peer) {
            Ok(()) | Err(Errno::EINPROGRESS) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
        self.wait(stream, PollFlags::POLLOUT)?;
        if let Some(error) = stream.take_error()? {
            return Err(error.into());
        }
        self.progress.is_connected();
        self.report.settings = options(stream, self.host);
        let content = two_periods();
        let size = size.get();
        while self.report.written < size {
            let from = usize::try_from(self.report.written % PERIOD as u64).unwrap_or(0);
            let len = usize::try_from(size - self.report.written)
                .unwrap_or(PERIOD)
                .min(PERIOD);
            match stream.write(&content[from..from + len]) {
                Ok(written) => self.report.written += written as u64,
                Err(error) => self.again(error, stream, PollFlags::POLLOUT)?,
            }
        }
        stream.shutdown(Shutdown::Write)?;
        loop {
            match stream.read(&mut [0; 64]) {
                Ok(0) => return Ok(()),
                Ok(_) => return Err(io::Error::new(ErrorKind::InvalidData, "the receiver has sent data").into()),
                Err(error) => self.again(error, stream, PollFlags::POLLIN)?,
            }
        }
    }

    /// Waits if that is what the socket asks for; else the error is one.
    fn again(&self, error: io::Error, stream: &TcpStream, flags: PollFlags) -> Result<(), Ended> {
        match error.kind() {
            ErrorKind::WouldBlock => self.wait(stream, flags),
            ErrorKind::Interrupted => Ok(()),
            _ => Err(error.into()),
        }
    }

    fn wait(&self, stream: &TcpStream, flags: PollFlags) -> Result<(), Ended> {
        wait(stream.as_fd(), flags, &self.stop, None)
    }
}
