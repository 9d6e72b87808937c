//! The receiving end: it listens, reads to the end, compares every octet with the content, and closes.

use std::io::{self, ErrorKind, Read};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread::JoinHandle;

use nix::poll::PollFlags;
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::socket::{Backlog, listen};
use sha2::{Digest, Sha256};
use windlull_capture::address_of;
use windlull_netns::join;
use windlull_plane::Epoch;
use windlull_units::{Host, Span, Time};
use windlull_wire::content::PERIOD;

use super::diag::Diag;
use super::socket::{Opened, Report, options, two_periods};
use super::waiting::{Ended, Progress, wait};
use crate::ReadingPause;

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
    /// Listens from now on; reads one connection to its end, with a pause if one is asked for.
    ///
    /// # Errors
    /// If it cannot listen, or there is no thread to be had. What happens to the connection is in the report.
    pub fn receive(self, pause: Option<ReadingPause>, epoch: Epoch) -> io::Result<Receiving> {
        listen(&self.socket, Backlog::new(1)?)?;
        let stop = Arc::new(EventFd::from_flags(EfdFlags::EFD_CLOEXEC)?);
        let progress = Arc::new(Progress::default());
        let receiver = Receiver {
            host: self.host,
            epoch,
            pause,
            stop: Arc::clone(&stop),
            progress: Arc::clone(&progress),
            report: Report::default(),
            hash: Sha256::new(),
        };
        let listener = TcpListener::from(self.socket);
        let thread = self.namespace.spawn("linux receiver", move || receiver.run(listener))?;
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

struct Receiver {
    host: Host,
    epoch: Epoch,
    pause: Option<ReadingPause>,
    stop: Arc<EventFd>,
    progress: Arc<Progress>,
    report: Report,
    hash: Sha256,
}

impl Receiver {
    fn run(mut self, listener: TcpListener) -> Report {
        let ended = self.converse(listener);
        self.report.end(ended, &self.progress);
        let digest = self.hash.finalize();
        self.report.received.sha256 = digest.iter().map(|octet| format!("{octet:02x}")).collect();
        self.report
    }

    fn converse(&mut self, listener: TcpListener) -> Result<(), Ended> {
        wait(listener.as_fd(), PollFlags::POLLIN, &self.stop, None)?;
        let (stream, _) = listener.accept()?;
        drop(listener);
        stream.set_nonblocking(true)?;
        self.progress.is_connected();
        self.report.settings = options(&stream, self.host);
        self.read_all(&stream)?;
        stream.shutdown(Shutdown::Write)?;
        let gone = self.until_gone();
        drop(stream);
        gone
    }

    fn read_all(&mut self, mut stream: &TcpStream) -> Result<(), Ended> {
        let content = two_periods();
        let mut buffer = vec![0; PERIOD];
        loop {
            let wanted = match self.pause {
                None => PERIOD,
                Some(pause) => {
                    let left = pause.after.get().saturating_sub(self.report.received.octets);
                    usize::try_from(left).unwrap_or(PERIOD).min(PERIOD)
                }
            };
            if wanted == 0 {
                self.rest()?;
                continue;
            }
            match stream.read(&mut buffer[..wanted]) {
                Ok(0) => return Ok(()),
                Ok(len) => self.take(&buffer[..len], &content),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    wait(stream.as_fd(), PollFlags::POLLIN, &self.stop, None)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Reads nothing for as long as the pause lasts, once.
    fn rest(&mut self) -> Result<(), Ended> {
        let Some(pause) = self.pause.take() else {
            return Ok(());
        };
        self.sleep_until(self.epoch.now() + pause.lasts)
    }

    fn take(&mut self, octets: &[u8], content: &[u8]) {
        let received = &mut self.report.received;
        let from = usize::try_from(received.octets % PERIOD as u64).unwrap_or(0);
        let expected = &content[from..from + octets.len()];
        if octets != expected && received.first_wrong.is_none() {
            let right = octets.iter().zip(expected).take_while(|(a, b)| a == b).count();
            received.first_wrong = Some(received.octets + right as u64);
        }
        received.octets += octets.len() as u64;
        self.progress.has_received(received.octets);
        self.hash.update(octets);
    }

    /// Waits until the peer has acknowledged this end's FIN: the connection is then gone.
    fn until_gone(&self) -> Result<(), Ended> {
        let mut diag = Diag::open(address_of(self.host), address_of(self.host.peer()))?;
        while diag.ask()?.is_some() {
            // Not at the stream: both ways are shut, so that it is ready all the time.
            self.sleep_until(self.epoch.now() + LAST_LOOKS)?;
        }
        Ok(())
    }

    fn sleep_until(&self, until: Time) -> Result<(), Ended> {
        let until = Some((self.epoch, until));
        wait(self.stop.as_fd(), PollFlags::empty(), &self.stop, until)
    }
}
