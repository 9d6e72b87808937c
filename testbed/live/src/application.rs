//! The application above one end of a TCP connection: what it writes and when, and what follows from what it reads.
//!
//! The simulator's application sees both ends at once (`windlull_sim::app`); this one sees its own.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use windlull_units::{ALWAYS, Requests, Span, Time, Work};

use crate::ReadingPause;

/// What an application does, and for which end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    pub work: Work,
    /// Who sends the data opens the connection and closes first.
    pub is_data_sender: bool,
    /// When the connection begins.
    pub start: Span,
    /// A pause of the end that receives the data.
    pub pause: Option<ReadingPause>,
}

impl Task {
    /// What the data sender does.
    pub const fn sends(work: Work) -> Self {
        Self {
            work,
            is_data_sender: true,
            start: Span::ZERO,
            pause: None,
        }
    }

    /// What the other end does, with a pause in its reading if one is asked for.
    pub const fn receives(work: Work, pause: Option<ReadingPause>) -> Self {
        Self {
            work,
            is_data_sender: false,
            start: Span::ZERO,
            pause,
        }
    }

    /// The same, on a connection that begins so long after the run.
    #[must_use]
    pub const fn beginning(self, start: Span) -> Self {
        Self { start, ..self }
    }

    /// When the connection begins.
    pub(crate) fn begins_at(&self) -> Time {
        Time::ZERO + self.start
    }

    /// When the time of a transfer by time is up, whatever is under way.
    pub(crate) fn stops_at(&self) -> Option<Time> {
        match self.work {
            Work::Lasting(span) => Some(self.begins_at() + span),
            Work::Octets(_) | Work::Requests(_) => None,
        }
    }
}

/// What an application does next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    /// Octets that it writes, after those that it has written.
    pub(crate) writes: u64,
    /// Whether it then closes.
    pub(crate) closes: bool,
    /// How long each response took that is complete now, from its request to its last octet.
    pub(crate) tasks: Vec<Span>,
}

/// The application of one end. Times are since the run's start.
#[derive(Clone, Debug)]
pub(crate) struct Application {
    task: Task,
    /// Requests that it has made, of those that it makes.
    asked: u32,
    /// Requests that it has answered.
    answered: u32,
    /// Responses that it has read whole.
    done: u32,
    /// When it made the requests whose responses are not complete.
    open: VecDeque<Time>,
    read: u64,
}

impl Application {
    pub(crate) const fn new(task: Task) -> Self {
        Self {
            task,
            asked: 0,
            answered: 0,
            done: 0,
            open: VecDeque::new(),
            read: 0,
        }
    }

    /// What it does once there is a connection.
    pub(crate) fn begin(&mut self) -> Step {
        match (self.task.work, self.task.is_data_sender) {
            (Work::Octets(size), true) => Step {
                writes: size.get(),
                closes: true,
                ..Step::default()
            },
            (Work::Lasting(_), true) => Step {
                writes: ALWAYS.get(),
                ..Step::default()
            },
            (Work::Octets(_) | Work::Lasting(_), false) => Step::default(),
            (Work::Requests(_), _) => self.act(self.task.begins_at()),
        }
    }

    /// When it makes the next request, or answers it, by the clock.
    pub(crate) fn acts_at(&self) -> Option<Time> {
        let Work::Requests(requests) = self.task.work else {
            return None;
        };
        // Without octets of their own, requests are known to the data sender alone.
        if self.task.is_data_sender != (requests.request.get() == 0) {
            return None;
        }
        match self.asked {
            0 => Some(self.task.begins_at()),
            asked => self.due(requests, asked),
        }
    }

    /// When the request of this number is made by the clock, if it is.
    fn due(&self, requests: Requests, number: u32) -> Option<Time> {
        let every = requests.every.filter(|_| number < requests.count)?;
        Some(self.task.begins_at() + every.saturating_mul(u64::from(number)))
    }

    /// Does what is due.
    pub(crate) fn act(&mut self, now: Time) -> Step {
        let mut step = Step::default();
        while let (Work::Requests(requests), Some(at)) = (self.task.work, self.acts_at()) {
            if at > now {
                break;
            }
            // By the clock a request counts from when it was due: an application that wakes late shortens no response.
            self.ask(requests, at, &mut step);
        }
        step
    }

    fn ask(&mut self, requests: Requests, at: Time, step: &mut Step) {
        self.asked += 1;
        if self.task.is_data_sender {
            self.answer(requests, step);
        } else {
            self.open.push_back(at);
            step.writes += requests.request.get();
        }
    }

    fn answer(&mut self, requests: Requests, step: &mut Step) {
        self.answered += 1;
        step.writes += requests.response.get();
        step.closes |= self.answered == requests.count;
    }

    /// It has read so many octets more.
    pub(crate) fn read(&mut self, now: Time, octets: u64) -> Step {
        self.read += octets;
        let mut step = Step::default();
        let Work::Requests(requests) = self.task.work else {
            return step;
        };
        if self.task.is_data_sender {
            while self.answered < requests.count && whole(self.answered, requests.request.get(), self.read) {
                self.answer(requests, &mut step);
            }
            return step;
        }
        while self.done < requests.count && whole(self.done, requests.response.get(), self.read) {
            let asked = self.open.pop_front().or_else(|| match self.done {
                0 => Some(self.task.begins_at()),
                done => self.due(requests, done),
            });
            self.done += 1;
            step.tasks.extend(asked.map(|asked| now.since(asked)));
            if requests.every.is_none() && self.asked < requests.count && requests.request.get() > 0 {
                self.ask(requests, now, &mut step);
            }
        }
        step
    }

    /// Octets that it has read.
    pub(crate) const fn has_read(&self) -> u64 {
        self.read
    }

    /// Octets that it may be sent in all.
    pub(crate) fn may_read(&self) -> u64 {
        match (self.task.work, self.task.is_data_sender) {
            (Work::Octets(size), false) => size.get(),
            (Work::Lasting(_), false) => ALWAYS.get(),
            (Work::Octets(_) | Work::Lasting(_), true) => 0,
            (Work::Requests(requests), is_data_sender) => {
                let each = if is_data_sender {
                    requests.request
                } else {
                    requests.response
                };
                each.get().saturating_mul(u64::from(requests.count))
            }
        }
    }
}

/// Whether the unit of this number, of so many octets each, is among those read.
fn whole(number: u32, each: u64, read: u64) -> bool {
    each > 0 && u64::from(number + 1).saturating_mul(each) <= read
}

#[cfg(test)]
mod tests {
    use windlull_units::Bytes;

    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn both(request: u64, every: Option<Span>) -> [Application; 2] {
        let work = Work::Requests(Requests {
            request: Bytes::new(request),
            response: Bytes::new(2_000),
            every,
            count: 2,
        });
        [Task::sends(work), Task::receives(work, None)].map(Application::new)
    }

    fn writes(writes: u64, closes: bool) -> Step {
        Step {
            writes,
            closes,
            tasks: Vec::new(),
        }
    }

    #[test]
    fn each_request_follows_the_response_to_the_one_before() {
        let [mut sender, mut asker] = both(300, None);
        assert_eq!(sender.begin(), Step::default());
        assert_eq!(asker.begin(), writes(300, false));
        assert_eq!((sender.acts_at(), asker.acts_at()), (None, None));
        assert_eq!(sender.read(ms(20), 299), Step::default());
        assert_eq!(sender.read(ms(20), 1), writes(2_000, false));
        assert_eq!(asker.read(ms(40), 1_999), Step::default());
        let next = asker.read(ms(45), 1);
        assert_eq!((next.writes, next.tasks), (300, vec![Span::from_ms(45)]));
        assert_eq!(sender.read(ms(60), 300), writes(2_000, true));
        let last = asker.read(ms(99), 2_000);
        assert_eq!((last.writes, last.tasks), (0, vec![Span::from_ms(54)]));
    }

    #[test]
    fn by_the_clock_requests_do_not_wait_and_count_from_when_they_were_due() {
        let [_, mut asker] = both(300, Some(Span::from_ms(10)));
        assert_eq!(asker.begin(), writes(300, false));
        assert_eq!(asker.acts_at(), Some(ms(10)));
        assert_eq!(asker.act(ms(9)), Step::default());
        assert_eq!(asker.act(ms(14)), writes(300, false));
        assert_eq!(asker.acts_at(), None);
        assert_eq!(asker.read(ms(50), 4_000).tasks, [Span::from_ms(50), Span::from_ms(40)]);
    }

    #[test]
    fn the_clock_of_a_connection_begins_with_it() {
        let [sender, asker] = both(300, Some(Span::from_ms(10)));
        let [mut sender, mut asker] =
            [sender.task, asker.task].map(|task| Application::new(task.beginning(Span::from_ms(100))));
        assert_eq!((sender.begin(), asker.begin()), (Step::default(), writes(300, false)));
        assert_eq!(asker.acts_at(), Some(ms(110)));
        assert_eq!(asker.act(ms(110)), writes(300, false));
        assert_eq!(asker.read(ms(150), 4_000).tasks, [Span::from_ms(50), Span::from_ms(40)]);
        let by_time = Task::sends(Work::Lasting(Span::from_ms(7))).beginning(Span::from_ms(5));
        assert_eq!(by_time.stops_at(), Some(ms(12)));
    }

    #[test]
    fn a_sender_that_knows_when_it_is_asked_writes_by_itself() {
        let [mut sender, mut asker] = both(0, Some(Span::from_ms(10)));
        assert_eq!(asker.begin(), Step::default());
        assert_eq!(asker.acts_at(), None);
        assert_eq!(sender.begin(), writes(2_000, false));
        assert_eq!(sender.act(ms(10)), writes(2_000, true));
        assert_eq!(asker.read(ms(35), 4_000).tasks, [Span::from_ms(35), Span::from_ms(25)]);
    }

    #[test]
    fn a_transfer_is_written_at_once_and_one_by_time_never_ends_by_itself() {
        let of = |work| Application::new(Task::sends(work));
        assert_eq!(of(Work::Octets(Bytes::new(7))).begin(), writes(7, true));
        assert_eq!(
            of(Work::Lasting(Span::from_secs(1))).begin(),
            writes(ALWAYS.get(), false)
        );
        assert_eq!(of(Work::Octets(Bytes::new(7))).may_read(), 0);
    }
}
