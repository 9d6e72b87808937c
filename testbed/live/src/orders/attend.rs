//! A host's process: its part of a run, as it is told.

use std::path::Path;
use std::time::{Duration, Instant};

use windlull_netns::{Addresses, Borrowed, Namespace, Node, Site, only_device};
use windlull_units::{Build, Host, Network};

use super::error::{OrdersError, WireError};
use super::protocol::{ASKED_TO_END, Answer, BEAT, HostOrder, Who};
use super::room::Room;
use super::serve::{Visit, serve};
use super::visitors::{STOP_LOOK, Serving};
use crate::commands::Starter;
use crate::part::{HostHere, HostPart as _, HostTask, Progress};

/// How often is looked how far the end is.
const LOOK: Duration = Duration::from_millis(2);
/// How often is told how much has arrived, if nothing else changes.
const TELL: Duration = Duration::from_millis(100);

/// Attends for a host in this process' network namespace: makes its part of the runs that come, one at a time, on
/// `device`, or on the only one that there is. What a killed process had not put back is put back first. `commands` is the
/// socket of who performs commands here, where somebody does.
///
/// # Errors
/// If there is no such device, or the socket's place cannot be had.
pub fn attend(
    socket: &Path,
    host: Host,
    device: Option<&str>,
    commands: Option<&Path>,
    build: Build,
) -> Result<Serving, OrdersError> {
    let failed = |why: String| OrdersError::Place {
        path: socket.to_owned(),
        why,
    };
    let room = Room::take(socket)?;
    let note = room.note();
    let namespace = Namespace::own(Node::from(host).name());
    for note in room.notes() {
        Borrowed::mend(&namespace, &note).map_err(|error| failed(error.to_string()))?;
    }
    let device = match device {
        Some(device) => device.to_owned(),
        None => only_device().map_err(|error| failed(error.to_string()))?,
    };
    let site = Site {
        host,
        namespace,
        device,
        addresses: Addresses::Lab(Network::Ipv4),
    };
    let starter = commands.map(|socket| Starter::There(socket.to_owned(), build));
    serve(room, Who::from(host), build, None, move |visit| {
        Session {
            site: &site,
            starter: starter.as_ref(),
            note: &note,
            turn: Turn::Prepare,
            part: None,
        }
        .go_on(visit)
    })
}

/// A run under way.
struct Session<'a> {
    site: &'a Site,
    /// Who starts its programs, if anybody does.
    starter: Option<&'a Starter>,
    note: &'a Path,
    turn: Turn,
    /// The part goes before its device is given back.
    part: Option<(HostHere, Borrowed)>,
}

/// Which order comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Prepare,
    Capture,
    Start,
    FallSilent,
    StopCapture,
    Finish,
    Nothing,
}

impl Session<'_> {
    fn go_on(mut self, visit: &mut Visit<'_>) -> Result<(), WireError> {
        let (mut reported, mut reported_at) = (None, Instant::now());
        loop {
            if visit.is_to_stop() {
                return visit.wire.send(&Answer::Failed(ASKED_TO_END.to_owned()));
            }
            let running = self.turn == Turn::FallSilent;
            match visit.wire.receive(if running { LOOK } else { STOP_LOOK }) {
                Ok(Some(order)) => match self.obey(order, visit) {
                    Ok(answer) => visit.wire.send(&answer)?,
                    Err(what) => return visit.wire.send(&Answer::Failed(what)),
                },
                Ok(None) => {}
                Err(WireError::Closed) => return Ok(()),
                Err(error) => return visit.wire.send(&Answer::Failed(error.to_string())),
            }
            if let Some(progress) = self.progress() {
                if reported.is_none_or(|reported| is_news(reported, progress, reported_at)) {
                    visit.wire.send(&Answer::Progress(progress))?;
                    (reported, reported_at) = (Some(progress), Instant::now());
                }
            }
        }
    }

    fn progress(&mut self) -> Option<Progress> {
        let (part, _) = self.part.as_mut().filter(|_| self.turn == Turn::FallSilent)?;
        part.progress().ok()
    }

    fn obey(&mut self, order: HostOrder, visit: &Visit<'_>) -> Result<Answer, String> {
        let next = match (self.turn, &order) {
            (Turn::Prepare, HostOrder::Prepare(_)) => Turn::Capture,
            (Turn::Capture, HostOrder::Capture(_)) => Turn::Start,
            (Turn::Start, HostOrder::Start) => Turn::FallSilent,
            (Turn::FallSilent, HostOrder::FallSilent) => Turn::StopCapture,
            (Turn::StopCapture, HostOrder::StopCapture) => Turn::Finish,
            (Turn::Finish, HostOrder::Finish) => Turn::Nothing,
            (turn, _) => return Err(format!("an order out of turn: the next is {turn:?}")),
        };
        let answer = match order {
            HostOrder::Prepare(task) => self.prepare(*task, visit)?,
            HostOrder::Finish => self.finish(visit)?,
            order => {
                let (part, _) = self.part.as_mut().expect("prepared first");
                match order {
                    HostOrder::Capture(epoch) => part.capture(epoch),
                    HostOrder::Start => part.start(),
                    HostOrder::FallSilent => part.fall_silent(),
                    HostOrder::StopCapture => part.stop_capture(),
                    HostOrder::Prepare(_) | HostOrder::Finish => unreachable!("obeyed above"),
                }
                .map_err(|error| error.to_string())?;
                Answer::Done
            }
        };
        self.turn = next;
        Ok(answer)
    }

    fn prepare(&mut self, task: HostTask, visit: &Visit<'_>) -> Result<Answer, String> {
        let answers = task.has_sockets();
        let mut site = self.site.clone();
        let keeps_addresses = task.keeps_addresses();
        site.addresses = match task.network {
            Network::Ipv4 if keeps_addresses => {
                Addresses::of_device(&site.namespace, &site.device).map_err(|error| error.to_string())?
            }
            // Over IPv6 the lab's are beside those that it keeps.
            network => Addresses::Lab(network),
        };
        let borrowed = Borrowed::take(&site, answers, keeps_addresses, self.note).map_err(|error| error.to_string())?;
        let (part, settings) =
            HostHere::prepare(task, site, &visit.files.directory, self.starter).map_err(|error| error.to_string())?;
        self.part = Some((part, borrowed));
        Ok(Answer::Prepared(settings))
    }

    fn finish(&mut self, visit: &Visit<'_>) -> Result<Answer, String> {
        let (mut part, borrowed) = self.part.take().expect("prepared first");
        let left = part.finish().map_err(|error| error.to_string())?;
        drop(part);
        borrowed.give_back().map_err(|error| error.to_string())?;
        visit.files.leave(&left).map(Answer::Left)
    }
}

/// Whether this is to be told after that.
fn is_news(reported: Progress, now: Progress, reported_at: Instant) -> bool {
    let received = now.received;
    let ago = reported_at.elapsed();
    Progress { received, ..reported } != now || (reported != now && ago >= TELL) || ago >= BEAT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_news_and_octets_are_for_a_while_none() {
        let reported = Progress::default();
        let more = Progress {
            received: 5,
            ..reported
        };
        let closed = Progress { closed: true, ..more };
        let (now, long_ago) = (
            Instant::now(),
            Instant::now().checked_sub(2 * TELL).expect("a machine runs longer"),
        );
        assert!(!is_news(reported, reported, long_ago));
        let a_beat_ago = Instant::now().checked_sub(BEAT).expect("a machine runs longer");
        assert!(is_news(reported, reported, a_beat_ago));
        assert!(!is_news(reported, more, now) && is_news(reported, more, long_ago));
        assert!(is_news(reported, closed, now));
    }
}
