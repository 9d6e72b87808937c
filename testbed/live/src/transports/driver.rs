//! The loop of an end: what has arrived, what is due, then sleep; and the application above it.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::eventfd::EventFd;
use nix::sys::time::TimeSpec;
use windlull_plane::Epoch;
use windlull_transport::{Answer, Answers, Broken, MAX_DATAGRAM, Order, Transport};
use windlull_units::{Carries, Host, Time};

use super::application::{Application, Followed};
use super::end::{Report, TransportSetup};
use super::socket::{DatagramSocket, dropped};
use super::told::{Told, What};
use crate::part;
use crate::running::Progress;

/// Datagrams that are taken before the timer is looked at again.
const DATAGRAMS_AT_A_TIME: u32 = 64;

pub(super) struct Driver {
    setup: TransportSetup,
    transport: Box<dyn Transport>,
    socket: DatagramSocket,
    epoch: Epoch,
    progress: Arc<Progress>,
    told: Vec<Told>,
    wake: Option<Time>,
    application: Application,
    received: u64,
    /// How the connection ended for this end, if it did.
    closed: Option<Option<String>>,
    send_failures: u64,
}

impl Driver {
    pub(super) fn new(
        setup: TransportSetup,
        transport: Box<dyn Transport>,
        socket: DatagramSocket,
        epoch: Epoch,
        progress: Arc<Progress>,
    ) -> Self {
        Self {
            application: Application::new(setup.host, setup.task),
            setup,
            transport,
            socket,
            epoch,
            progress,
            told: Vec::new(),
            wake: None,
            received: 0,
            closed: None,
            send_failures: 0,
        }
    }

    /// Runs until it is told to stop.
    pub(super) fn drive(mut self, stop: &EventFd) -> io::Result<Report> {
        thread::sleep(Duration::from_nanos(self.epoch.until_start().as_ns()));
        let mut went = self.begin();
        loop {
            if let Err(Broken(what)) = went {
                self.progress.break_down(what);
                self.wake = None;
            }
            self.tell_progress();
            if self.wait(stop)? {
                break;
            }
            went = match self.progress.fault() {
                None => self.go_on()?,
                Some(_) => Ok(()),
            };
        }
        Ok(Report {
            missed: dropped(&self.setup.namespace)?,
            told: self.told,
            received: self.received,
            send_failures: self.send_failures,
            failure: self.closed.flatten(),
        })
    }

    fn begin(&mut self) -> Result<(), Broken> {
        if self.setup.host == Host::Client {
            self.order(Order::Connect)?;
        }
        let first = self.application.begin();
        first.map_or(Ok(()), |order| self.order(order))
    }

    /// Takes what has arrived, and does what is due. The outer error is the machine's.
    fn go_on(&mut self) -> io::Result<Result<(), Broken>> {
        let mut datagram = [0; MAX_DATAGRAM];
        for _ in 0..DATAGRAMS_AT_A_TIME {
            let Some((length, ecn)) = self.socket.take(&mut datagram)? else {
                break;
            };
            let went = self.call(|end, now, answers| end.datagram(now, &datagram[..length], ecn, answers));
            if went.is_err() {
                return Ok(went);
            }
        }
        while let Some(order) = self.application.act(self.epoch.now()) {
            let went = self.order(order);
            if went.is_err() {
                return Ok(went);
            }
        }
        Ok(if self.wake.is_some_and(|at| at <= self.epoch.now()) {
            self.call(|end, now, answers| end.wake(now, answers))
        } else {
            Ok(())
        })
    }

    fn order(&mut self, order: Order) -> Result<(), Broken> {
        self.call(|end, now, answers| order.give(end, now, answers))
    }

    /// Calls the end, and does what it answers and what the application then orders.
    fn call(
        &mut self,
        call: impl FnOnce(&mut dyn Transport, Time, &mut Answers) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        let mut answers = Answers::default();
        call(self.transport.as_mut(), self.epoch.now(), &mut answers)?;
        self.wake = answers.wake;
        let mut orders = Vec::new();
        for answer in answers.items {
            orders.extend(self.answered(answer)?);
        }
        orders.into_iter().try_for_each(|order| self.order(order))
    }

    /// Does what the end answered; what the application orders on that.
    fn answered(&mut self, answer: Answer) -> Result<Vec<Order>, Broken> {
        let what = match answer {
            Answer::Send(datagram) => {
                datagram.check(Carries::Datagrams, self.setup.network)?;
                match self.socket.send(&datagram.octets, datagram.ecn) {
                    Ok(()) => What::Sent {
                        octets: datagram.octets.len(),
                    },
                    Err(_) => {
                        self.send_failures += 1;
                        return Ok(Vec::new());
                    }
                }
            }
            Answer::Said(said) => What::Said(said),
            Answer::Secret(line) => What::Secret(line),
            Answer::Closed { error } => {
                self.closed.get_or_insert_with(|| error.clone());
                What::Closed { error }
            }
            Answer::Connected => return Ok(Vec::new()),
            Answer::Read { stream, length, ends } => {
                let now = self.epoch.now();
                let Followed { orders, task } = self.application.read(now, stream, length, ends)?;
                self.received += length;
                if let Some(took) = task {
                    self.tell(What::Task { took });
                }
                return Ok(orders);
            }
        };
        self.tell(what);
        Ok(Vec::new())
    }

    fn tell(&mut self, what: What) {
        let at = self.epoch.now();
        self.told.push(Told { at, what });
    }

    fn tell_progress(&self) {
        // A close that is lost leaves the sender to its idle timeout, which is no error once all has been read: whether it
        // has is the receiver's to say.
        let in_order = match (self.application.is_data_sender(), &self.closed) {
            (_, None) => false,
            (true, Some(_)) => true,
            (false, Some(error)) => error.is_none() && self.application.has_read_all(),
        };
        self.progress.tell(part::Progress {
            closed_in_order: in_order,
            closed: self.closed.is_some(),
            idle: self.wakes_at().is_none(),
            received: self.received,
        });
    }

    /// When something is due by itself.
    fn wakes_at(&self) -> Option<Time> {
        let acts = self.application.acts_at().filter(|_| self.progress.fault().is_none());
        self.wake.into_iter().chain(acts).min()
    }

    /// Sleeps until a datagram arrives or something is due; true if it is to stop.
    fn wait(&self, stop: &EventFd) -> io::Result<bool> {
        let timeout = self.wakes_at().map(|at| {
            let span = Duration::from_nanos(at.since(self.epoch.now()).as_ns());
            TimeSpec::from_duration(span)
        });
        let mut watched = [
            PollFd::new(self.socket.as_fd(), PollFlags::POLLIN),
            PollFd::new(stop.as_fd(), PollFlags::POLLIN),
        ];
        match ppoll(&mut watched, timeout, None) {
            Ok(_) => Ok(watched[1].any().unwrap_or(false)),
            Err(Errno::EINTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
