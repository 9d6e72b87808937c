//! The application above an end of a transport from elsewhere: what it writes and when, and what it has read.

use std::collections::BTreeMap;

use windlull_transport::{Broken, Order, Reads, Role as Side, StreamId, Write};
use windlull_units::{ALWAYS, Bytes, Host, Requests, Span, Time, Work};

use crate::Task;

/// The application of one end: one stream from the data sender, or one for each request. Times are since the run's start.
#[derive(Debug)]
pub(super) struct Application {
    host: Host,
    task: Task,
    reads: Reads,
    /// How many requests it has made, of those that it makes.
    asked: u32,
    /// When it made the requests whose responses are not complete, by their streams.
    open: BTreeMap<StreamId, Time>,
    done: u32,
    has_read_all: bool,
}

/// What follows from what an application has read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Followed {
    pub(super) orders: Vec<Order>,
    /// A response is complete, so long after its request.
    pub(super) task: Option<Span>,
}

impl Application {
    pub(super) fn new(host: Host, task: Task) -> Self {
        let mut reads = Reads::default();
        match (task.work, task.is_data_sender) {
            (Work::Octets(size), false) => reads.written(&transfer(host.peer(), size)),
            (Work::Lasting(_), false) => reads.written(&unending(host.peer())),
            (Work::Octets(_) | Work::Lasting(_), true) => {}
            (Work::Requests(requests), _) => {
                for number in 0..requests.count {
                    let stream = stream_of(requests, sender_in(host, task), number);
                    match (task.is_data_sender, requests.request.get()) {
                        (true, 0) => {}
                        (true, _) => reads.written(&whole(stream, requests.request)),
                        (false, _) => reads.written(&whole(stream, requests.response)),
                    }
                }
            }
        }
        Self {
            host,
            task,
            reads,
            asked: 0,
            open: BTreeMap::new(),
            done: 0,
            has_read_all: false,
        }
    }

    /// Whether the end sends the data: what it reads are requests, if anything.
    pub(super) const fn is_data_sender(&self) -> bool {
        self.task.is_data_sender
    }

    /// Whether it has read all that there is to read.
    pub(super) const fn has_read_all(&self) -> bool {
        self.has_read_all
    }

    /// What it orders first, besides the opening of the connection.
    pub(super) fn begin(&mut self) -> Option<Order> {
        match self.task.work {
            Work::Octets(size) => (self.task.is_data_sender).then(|| Order::Write(transfer(self.host, size))),
            Work::Lasting(_) => (self.task.is_data_sender).then(|| Order::Write(unending(self.host))),
            Work::Requests(_) => self.act(Time::ZERO),
        }
    }

    /// When it makes the next request by itself.
    pub(super) fn acts_at(&self) -> Option<Time> {
        let requests = self.asks()?;
        if self.asked == 0 {
            return Some(Time::ZERO);
        }
        let every = requests.every.filter(|_| self.asked < requests.count)?;
        Some(due(every, self.asked))
    }

    /// Makes a request that is due.
    pub(super) fn act(&mut self, now: Time) -> Option<Order> {
        self.acts_at().filter(|&at| at <= now)?;
        Some(self.ask(now))
    }

    /// The requests, if it is this end that makes them: where a request has no octets, the data sender knows when it is asked.
    fn asks(&self) -> Option<Requests> {
        match self.task.work {
            Work::Requests(requests) if self.task.is_data_sender == (requests.request.get() == 0) => Some(requests),
            Work::Requests(_) | Work::Octets(_) | Work::Lasting(_) => None,
        }
    }

    fn ask(&mut self, now: Time) -> Order {
        let Work::Requests(requests) = self.task.work else {
            unreachable!("there are requests to make");
        };
        let stream = stream_of(requests, sender_in(self.host, self.task), self.asked);
        self.open.insert(stream, now);
        self.asked += 1;
        Order::Write(whole(
            stream,
            if self.task.is_data_sender {
                requests.response
            } else {
                requests.request
            },
        ))
    }

    /// It has read octets of a stream.
    ///
    /// # Errors
    /// If it cannot have.
    pub(super) fn read(&mut self, now: Time, stream: StreamId, length: u64, ends: bool) -> Result<Followed, Broken> {
        self.reads.read(stream, length, ends)?;
        let mut followed = Followed::default();
        if !ends {
            return Ok(followed);
        }
        match (self.task.work, self.task.is_data_sender) {
            (Work::Octets(_), true) | (Work::Lasting(_), _) => {}
            (Work::Octets(_), false) => {
                self.has_read_all = true;
                followed.orders.push(Order::Close);
            }
            (Work::Requests(requests), true) => {
                followed.orders.push(Order::Write(whole(stream, requests.response)));
            }
            (Work::Requests(requests), false) => {
                let number = u32::try_from(stream.number()).unwrap_or(u32::MAX);
                let asked = self.open.remove(&stream).or_else(|| Some(due(requests.every?, number)));
                followed.task = asked.map(|asked| now.since(asked));
                self.done += 1;
                if self.done == requests.count {
                    self.has_read_all = true;
                    followed.orders.push(Order::Close);
                } else if requests.every.is_none() && self.asked < requests.count {
                    followed.orders.push(self.ask(now));
                }
            }
        }
        Ok(followed)
    }
}

/// When a request is made that is made by the clock.
fn due(every: Span, number: u32) -> Time {
    Time::ZERO + every.saturating_mul(u64::from(number))
}

const fn sender_in(host: Host, task: Task) -> Host {
    if task.is_data_sender { host } else { host.peer() }
}

/// The stream of a request and its response; of the response alone, where the request has no octets.
const fn stream_of(requests: Requests, data_sender: Host, number: u32) -> StreamId {
    if requests.request.get() == 0 {
        StreamId::one_way(Side::at(data_sender), number as u64)
    } else {
        StreamId::two_way(Side::at(data_sender.peer()), number as u64)
    }
}

const fn whole(stream: StreamId, size: Bytes) -> Write {
    Write {
        stream,
        length: size.get(),
        ends: true,
    }
}

/// The one write of a transfer: its sender's.
const fn transfer(sender: Host, size: Bytes) -> Write {
    whole(StreamId::one_way(Side::at(sender), 0), size)
}

/// The write of a sender that always has data.
const fn unending(sender: Host) -> Write {
    Write {
        ends: false,
        ..transfer(sender, ALWAYS)
    }
}

#[cfg(test)]
mod tests {
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
        [Host::Server, Host::Client].map(|host| {
            let is_data_sender = host == Host::Server;
            Application::new(
                host,
                Task {
                    work,
                    is_data_sender,
                    start: Span::ZERO,
                    pause: None,
                },
            )
        })
    }

    fn written(order: Option<Order>) -> (u64, u64) {
        let Some(Order::Write(write)) = order else {
            unreachable!("it writes: {order:?}");
        };
        assert!(write.ends);
        (write.stream.0, write.length)
    }

    #[test]
    fn each_request_follows_the_response_to_the_one_before() {
        let [mut server, mut client] = both(300, None);
        assert_eq!(server.begin().map(|_| ()), None);
        assert_eq!(written(client.begin()), (0, 300));
        assert_eq!((client.acts_at(), server.acts_at()), (None, None));
        let answer = server.read(ms(20), StreamId(0), 300, true).expect("it was written");
        assert_eq!(written(answer.orders.first().copied()), (0, 2_000));
        client.read(ms(40), StreamId(0), 1_200, false).expect("it was written");
        let next = client.read(ms(45), StreamId(0), 800, true).expect("it was written");
        assert_eq!(next.task, Some(Span::from_ms(45)));
        assert_eq!(written(next.orders.first().copied()), (4, 300));
        assert!(!client.has_read_all());
        let last = client.read(ms(99), StreamId(4), 2_000, true).expect("it was written");
        assert_eq!(last.task, Some(Span::from_ms(54)));
        assert!(matches!(last.orders.as_slice(), [Order::Close]) && client.has_read_all());
    }

    #[test]
    fn by_the_clock_requests_do_not_wait() {
        let [_, mut client] = both(300, Some(Span::from_ms(10)));
        assert_eq!(written(client.begin()), (0, 300));
        assert_eq!(client.acts_at(), Some(ms(10)));
        assert!(client.act(ms(9)).is_none());
        assert_eq!(written(client.act(ms(11))), (4, 300));
        assert_eq!(client.acts_at(), None);
    }

    #[test]
    fn a_sender_that_knows_when_it_is_asked_writes_by_itself() {
        let [mut server, mut client] = both(0, Some(Span::from_ms(10)));
        assert!(client.begin().is_none() && client.acts_at().is_none());
        assert_eq!(written(server.begin()), (3, 2_000));
        assert_eq!(written(server.act(ms(10))), (7, 2_000));
        let had = client.read(ms(35), StreamId(7), 2_000, true).expect("it was written");
        assert_eq!(had.task, Some(Span::from_ms(25)));
        assert!(had.orders.is_empty());
    }
}
