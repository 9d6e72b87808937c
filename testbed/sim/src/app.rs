//! The application of a flow: when it writes, what it waits for, when it is over.

use std::collections::VecDeque;

use windlull_tcp::Endpoint;
use windlull_units::{ALWAYS, Requests, Span, Time, Work};

/// The two ends of a flow's application.
#[derive(Clone, Debug)]
pub(crate) struct App {
    work: Work,
    start: Time,
    begun: bool,
    asked: u32,
    answered: u32,
    done: u32,
    /// When the requests were made whose responses are not complete.
    open: VecDeque<Time>,
    /// Octets that the data sender has read, and the other end.
    read: [u64; 2],
}

/// What an application does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Opens the connection.
    Open,
    /// Makes a request.
    Ask,
    /// Its time is up.
    Stop,
}

impl App {
    pub(crate) fn new(work: Work, start: Span) -> Self {
        Self {
            work,
            start: Time::ZERO + start,
            begun: false,
            asked: 0,
            answered: 0,
            done: 0,
            open: VecDeque::new(),
            read: [0; 2],
        }
    }

    /// Whether it has opened the connection.
    pub(crate) const fn has_begun(&self) -> bool {
        self.begun
    }

    /// What it does next, and when.
    pub(crate) fn next(&self) -> Option<(Time, Act)> {
        if !self.begun {
            return Some((self.start, Act::Open));
        }
        match self.work {
            Work::Octets(_) => None,
            Work::Lasting(span) => Some((self.start + span, Act::Stop)),
            Work::Requests(Requests { every, count, .. }) => {
                let every = every.filter(|_| self.asked < count)?;
                Some((self.start + every.saturating_mul(u64::from(self.asked)), Act::Ask))
            }
        }
    }

    /// Opens the connection.
    pub(crate) fn open(&mut self, now: Time, sender: &mut Endpoint, receiver: &mut Endpoint) {
        self.begun = true;
        sender.connect(now);
        match self.work {
            Work::Octets(size) => {
                sender.write(now, size.get());
                sender.close(now);
            }
            Work::Lasting(_) => sender.write(now, ALWAYS.get()),
            Work::Requests(_) => self.ask(now, sender, receiver),
        }
    }

    /// Makes a request.
    pub(crate) fn ask(&mut self, now: Time, sender: &mut Endpoint, receiver: &mut Endpoint) {
        let Work::Requests(requests) = self.work else { return };
        self.asked += 1;
        self.open.push_back(now);
        if requests.request.get() == 0 {
            self.answer(now, requests, sender);
        } else {
            receiver.write(now, requests.request.get());
        }
    }

    fn answer(&mut self, now: Time, requests: Requests, sender: &mut Endpoint) {
        self.answered += 1;
        sender.write(now, requests.response.get());
        if self.answered == requests.count {
            sender.close(now);
        }
    }

    /// The data sender has read so many octets: answers every request that is whole.
    pub(crate) fn on_request(&mut self, now: Time, octets: u64, sender: &mut Endpoint) {
        self.read[0] += octets;
        let Work::Requests(requests) = self.work else { return };
        while self.answered < self.asked && u64::from(self.answered + 1) * requests.request.get() <= self.read[0] {
            self.answer(now, requests, sender);
        }
    }

    /// The other end has read so many octets: `done` is told how long each response took that is whole now. Whether the
    /// next request is to be made at once.
    pub(crate) fn on_response(&mut self, now: Time, octets: u64, mut done: impl FnMut(Span)) -> bool {
        self.read[1] += octets;
        let Work::Requests(requests) = self.work else {
            return false;
        };
        while u64::from(self.done + 1) * requests.response.get() <= self.read[1] {
            let Some(asked) = self.open.pop_front() else { break };
            self.done += 1;
            done(now.since(asked));
        }
        requests.every.is_none() && self.done == self.asked && self.asked < requests.count
    }
}
