//! The emulator's process: the link's part of a run, on devices that it lends.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use windlull_netns::Namespace;
use windlull_plane::lend::{Ended, Lender, Loan};
use windlull_plane::model::PortKind;
use windlull_plane::netem::Carriage;
use windlull_units::{Build, PlaneKind};

use super::error::{OrdersError, WireError};
use super::protocol::{ASKED_TO_END, Answer, BEAT, LinkOrder, Who};
use super::room::Room;
use super::serve::{Visit, serve};
use super::visitors::{STOP_LOOK, Serving};
use crate::part::{LinkHere, LinkPart as _, LinkState, LinkTask};
use crate::plane::LinkSite;

/// How often is looked whether the link is empty.
const LOOK: Duration = Duration::from_millis(2);

/// Attends for the emulator: plays the links of the runs that come, one at a time, on the lender's devices, which must be
/// of this process' network namespace. `without_netem` says why there is no netem plane, where there is none.
///
/// # Errors
/// If the socket's place cannot be had.
pub fn serve_link(
    socket: &Path,
    build: Build,
    lender: Arc<dyn Lender>,
    without_netem: Option<String>,
) -> Result<Serving, OrdersError> {
    let room = Room::take(socket)?;
    let lacks = without_netem.clone();
    serve(room, Who::Emulator, build, without_netem, move |visit| {
        Session {
            lender: &*lender,
            without_netem: lacks.as_deref(),
            turn: Turn::Prepare,
            held: None,
        }
        .go_on(visit)
    })
}

/// A run under way.
struct Session<'a> {
    lender: &'a dyn Lender,
    without_netem: Option<&'a str>,
    turn: Turn,
    held: Option<Held>,
}

/// Which order comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Prepare,
    Start,
    Stop,
    Finish,
    Nothing,
}

impl Session<'_> {
    fn go_on(mut self, visit: &mut Visit<'_>) -> Result<(), WireError> {
        let ended = self.hear_out(visit);
        if let Some(held) = self.held.take() {
            held.give_back(match &ended {
                Ok(ended) => *ended,
                Err(_) => Ended::Cancelled,
            });
        }
        ended.map(drop)
    }

    /// Until its end, or the run's.
    fn hear_out(&mut self, visit: &mut Visit<'_>) -> Result<Ended, WireError> {
        let mut reported: Option<(LinkState, Instant)> = None;
        loop {
            if visit.is_to_stop() {
                visit.wire.send(&Answer::Failed(ASKED_TO_END.to_owned()))?;
                return Ok(Ended::Cancelled);
            }
            let running = self.turn == Turn::Stop;
            let heard = visit.wire.receive(if running { LOOK } else { STOP_LOOK });
            let obeyed = match heard {
                Ok(Some(order)) => self.obey(order, visit).map(Some),
                Ok(None) => Ok(None),
                Err(WireError::Closed) => return Ok(Ended::Cancelled),
                Err(error) => Err(error.to_string()),
            };
            match obeyed {
                Ok(Some(answer)) => visit.wire.send(&answer)?,
                Ok(None) => {}
                Err(what) => {
                    visit.wire.send(&Answer::Failed(what))?;
                    return Ok(Ended::Failed);
                }
            }
            if let Some(state) = self.state() {
                if reported.is_none_or(|(reported, at)| reported != state || at.elapsed() >= BEAT) {
                    visit.wire.send(&Answer::State(state))?;
                    reported = Some((state, Instant::now()));
                }
            }
        }
    }

    fn state(&mut self) -> Option<LinkState> {
        let held = self.held.as_mut().filter(|_| self.turn == Turn::Stop)?;
        held.part.state().ok()
    }

    fn obey(&mut self, order: LinkOrder, visit: &Visit<'_>) -> Result<Answer, String> {
        match (self.turn, order) {
            (Turn::Prepare, LinkOrder::Prepare(task)) => {
                if let (PlaneKind::Netem, Some(why)) = (task.plane, self.without_netem) {
                    return Err(format!(
                        "the netem plane does not work in the emulator's place: {why}; the model plane does (--plane model)"
                    ));
                }
                self.held = Some(Held::take(self.lender, *task, visit)?);
                self.turn = Turn::Start;
                Ok(Answer::Done)
            }
            (Turn::Start, LinkOrder::Start(epoch)) => {
                let held = self.held.as_mut().expect("prepared first");
                held.part.start(epoch).map_err(|error| error.to_string())?;
                self.turn = Turn::Stop;
                Ok(Answer::Done)
            }
            (Turn::Stop, LinkOrder::Stop) => {
                let held = self.held.as_mut().expect("prepared first");
                held.part.stop().map_err(|error| error.to_string())?;
                self.turn = Turn::Finish;
                Ok(Answer::Done)
            }
            (Turn::Finish, LinkOrder::Finish) => {
                self.turn = Turn::Nothing;
                self.finish(visit)
            }
            (turn, _) => Err(format!("an order out of turn: the next is {turn:?}")),
        }
    }

    fn finish(&mut self, visit: &Visit<'_>) -> Result<Answer, String> {
        let mut held = self.held.take().expect("prepared first");
        let left = match held.part.finish() {
            Ok(left) => left,
            Err(error) => {
                held.give_back(Ended::Failed);
                return Err(error.to_string());
            }
        };
        held.give_back(Ended::Done);
        visit.files.leave(&left).map(Answer::Left)
    }
}

/// A link on lent devices.
struct Held {
    /// Before the loan: its sockets close first.
    part: LinkHere,
    loan: Box<dyn Loan>,
}

impl Held {
    fn take(lender: &dyn Lender, task: LinkTask, visit: &Visit<'_>) -> Result<Self, String> {
        let loan = lender.lend(visit.run).map_err(|error| error.to_string())?;
        let namespace = Namespace::own("emulator");
        // Frames of the hosts' own pass as they are: between two bridges the link is a wire. Of hosts that keep their
        // addresses it is the router.
        let site = LinkSite {
            router: &namespace,
            devices: loan.devices(),
            carriage: Carriage::Wire,
            kind: if task.routes { PortKind::Gateway } else { PortKind::Wire },
            visible: loan.visible(),
        };
        match LinkHere::prepare(task, &site, &visit.files.directory, Some(loan.monitor())) {
            Ok(part) => Ok(Self { part, loan }),
            Err(error) => {
                loan.give_back(Ended::Failed);
                Err(error.to_string())
            }
        }
    }

    fn give_back(self, ended: Ended) {
        drop(self.part);
        self.loan.give_back(ended);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::net::UnixStream;
    use std::sync::Mutex;

    use tempfile::TempDir;
    use windlull_link::model::{LinkModel, PathModel};
    use windlull_plane::lend::LendError;
    use windlull_plane::model::{Monitor, Pace, Visible};
    use windlull_plane::netem::Devices;
    use windlull_units::{Network, Seed, Span};

    use super::*;
    use crate::orders::serve::hello;
    use crate::orders::wire::Wire;

    const BUILD: Build = Build {
        version: "1",
        commit: "c",
    };
    const SOON: Duration = Duration::from_secs(20);
    const LACKS: &str = "the kernel has no sch_netem";

    /// Lends devices that are not there, and notes what became of each loan.
    #[derive(Default)]
    struct Keeper {
        ended: Arc<Mutex<Vec<Ended>>>,
    }

    struct Lent {
        devices: Devices,
        ended: Arc<Mutex<Vec<Ended>>>,
    }

    impl Lender for Keeper {
        fn lend(&self, _: &str) -> Result<Box<dyn Loan>, LendError> {
            Ok(Box::new(Lent {
                devices: Devices {
                    to_server: "no-such-device".to_owned(),
                    to_client: "nor-this".to_owned(),
                },
                ended: Arc::clone(&self.ended),
            }))
        }
    }

    impl Loan for Lent {
        fn devices(&self) -> &Devices {
            &self.devices
        }

        fn visible(&self) -> Arc<Visible> {
            Arc::default()
        }

        fn monitor(&self) -> Arc<Monitor> {
            Arc::default()
        }

        fn give_back(self: Box<Self>, ended: Ended) {
            self.ended.lock().expect("nobody panics with it").push(ended);
        }
    }

    /// One who attends, what became of its loans, and a run that was welcomed there.
    fn welcomed() -> (TempDir, Serving, Arc<Mutex<Vec<Ended>>>, Wire) {
        let directory = tempfile::tempdir().expect("a directory");
        let socket = directory.path().join("orders.sock");
        let keeper = Keeper::default();
        let ended = Arc::clone(&keeper.ended);
        let serving = serve_link(&socket, BUILD, Arc::new(keeper), Some(LACKS.to_owned())).expect("the place is free");
        let mut wire = Wire::new(UnixStream::connect(&socket).expect("somebody attends"));
        wire.send(&hello(BUILD, Some("a run"))).expect("it is taken");
        let greeting = wire.line(SOON).expect("a greeting").expect("in time");
        assert!(
            greeting.starts_with(br#"{"welcome""#),
            "{}",
            String::from_utf8_lossy(&greeting)
        );
        (directory, serving, ended, wire)
    }

    fn task(plane: PlaneKind) -> LinkOrder {
        LinkOrder::Prepare(Box::new(LinkTask {
            link: LinkModel::symmetric(PathModel::plain(None, Span::from_ms(1))),
            access: None,
            flows: 1,
            crossing: Vec::new(),
            network: Network::Ipv4,
            seed: Seed::new(1),
            plane,
            routes: false,
            pace: Pace::Frugal,
            horizon: Span::from_secs(1),
            capture: None,
        }))
    }

    fn failure(wire: &mut Wire) -> String {
        match wire.receive(SOON).expect("an answer").expect("in time") {
            Answer::Failed(what) => what,
            other => panic!("not failed: {other:?}"),
        }
    }

    #[test]
    fn an_order_out_of_turn_ends_the_run() {
        let (_directory, _serving, _, mut wire) = welcomed();
        wire.send(&LinkOrder::Stop).expect("it is taken");
        let what = failure(&mut wire);
        assert!(what.contains("out of turn") && what.contains("Prepare"), "{what}");
        assert!(matches!(wire.line(SOON), Err(WireError::Closed)));
    }

    #[test]
    fn an_order_that_nobody_knows_ends_the_run() {
        let (_directory, _serving, _, mut wire) = welcomed();
        wire.send(&"dance").expect("it is taken");
        assert!(failure(&mut wire).contains("dance"));
        let (_directory, _serving, _, mut wire) = welcomed();
        wire.send(&serde_json::json!({"prepare": {"link": {}, "colour": "red"}}))
            .expect("it is taken");
        assert!(failure(&mut wire).contains("not a message that belongs here"));
    }

    #[test]
    fn what_cannot_be_prepared_is_told_and_the_loan_given_back() {
        let (_directory, _serving, ended, mut wire) = welcomed();
        wire.send(&task(PlaneKind::Model)).expect("it is taken");
        assert!(failure(&mut wire).contains("no-such-device"));
        assert_eq!(*ended.lock().expect("nobody panics with it"), [Ended::Failed]);
    }

    #[test]
    fn the_netem_plane_is_refused_with_what_is_missing() {
        let (_directory, _serving, ended, mut wire) = welcomed();
        wire.send(&task(PlaneKind::Netem)).expect("it is taken");
        let what = failure(&mut wire);
        assert!(what.contains(LACKS) && what.contains("--plane model"), "{what}");
        assert!(ended.lock().expect("nobody panics with it").is_empty());
    }

    #[test]
    fn another_run_is_told_who_is_there_and_a_visitor_is_welcome() {
        let (directory, _serving, _, _wire) = welcomed();
        let greeted = |run: Option<&str>| {
            let socket = directory.path().join("orders.sock");
            let mut other = Wire::new(UnixStream::connect(socket).expect("somebody attends"));
            other.send(&hello(BUILD, run)).expect("it is taken");
            let line = other.line(SOON).expect("a greeting").expect("in time");
            String::from_utf8(line).expect("JSON is text")
        };
        assert_eq!(greeted(Some("another")), r#"{"busy":{"run":"a run"}}"#);
        assert!(greeted(None).starts_with(r#"{"welcome""#));
    }

    #[test]
    fn another_build_is_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        let socket = directory.path().join("orders.sock");
        let _serving = serve_link(&socket, BUILD, Arc::new(Keeper::default()), None).expect("the place is free");
        let greeted = |line: &str| {
            let mut stream = UnixStream::connect(&socket).expect("somebody attends");
            stream.write_all(line.as_bytes()).expect("it is taken");
            let line = Wire::new(stream).line(SOON).expect("a greeting").expect("in time");
            String::from_utf8(line).expect("JSON is text")
        };
        let other = greeted("{\"protocol\":4,\"version\":\"1\",\"commit\":\"d\",\"run\":\"x\"}\n");
        assert!(
            other.contains("refused") && other.contains("commit c") && other.contains("commit d"),
            "{other}"
        );
        let other = greeted("{\"protocol\":1}\n");
        assert!(other.contains("refused") && other.contains("protocol"), "{other}");
        assert!(greeted("GET / HTTP/1.1\n").contains("must be a hello"));
    }

    #[test]
    fn who_ends_takes_its_runs_with_it() {
        let (directory, serving, _, mut wire) = welcomed();
        serving.stop();
        assert!(failure(&mut wire).contains("told to end"));
        assert!(!directory.path().join("orders.sock").exists());
    }
}
