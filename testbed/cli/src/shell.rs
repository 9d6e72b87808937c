//! `shell`: a program behind a link, as long as it runs.
//!
//! ```text
//!     network of this process -- [ link ] -- network of the program
//!                                down: towards the program, up: from it
//! ```

mod given;
mod packet_log;
mod program;
mod signals;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use clap::Args;
use windlull_experiment::{Library, Link};
use windlull_netns::Stub;
use windlull_plane::Epoch;
use windlull_plane::model::{self, Monitor, Port};
use windlull_units::{Direction, Network, Pace, Seed, Span, parse_span};

use crate::failure::Failure;
use crate::shell::given::Given;
use crate::shell::packet_log::{LogFile, PacketLog};
use crate::shell::program::{Ended, Program};
use crate::shell::signals::Signals;

/// The arguments of `shell`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The link: a name, the path of a file, or a scenario of the QUIC network simulator, as in `simple-p2p --delay=15ms
    /// --bandwidth=10Mbps --queue=25`. Without it, what the next options say.
    #[arg(long, value_name = "LINK", conflicts_with_all = ["down", "up", "delay", "loss", "queue", "profile"])]
    link: Option<String>,
    #[command(flatten)]
    given: Given,
    /// The text of a link's file, as for --link.
    #[arg(long, value_name = "TOML", hide = true, conflicts_with_all = ["down", "up", "delay", "loss", "queue"])]
    profile: Option<String>,
    /// Write what happens to packets towards the program to this file, in the format of Mahimahi's `--downlink-log`.
    #[arg(long, value_name = "FILE")]
    down_log: Option<PathBuf>,
    /// The same of packets from the program, as `--uplink-log`.
    #[arg(long, value_name = "FILE")]
    up_log: Option<PathBuf>,
    /// Tell the program to end (SIGHUP) after so long, and fail.
    #[arg(long = "for", value_name = "TIME", value_parser = parse_span)]
    lasts: Option<Span>,
    /// The seed of the link's random streams.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How the link waits for what is due.
    #[arg(long, value_enum, default_value_t = Pace::Frugal)]
    pace: Pace,
    /// What a shell's prompt begins with.
    #[arg(long, value_name = "TEXT", hide = true)]
    label: Option<String>,
    /// The program with its arguments, after `--`. Without one, the shell of the variable SHELL.
    #[arg(last = true, value_name = "COMMAND")]
    program: Vec<OsString>,
}

/// Starts the program behind the link and ends as it does.
pub(crate) fn shell(library: &Library, arguments: &Arguments) -> Result<(), Failure> {
    let link = arguments.link(library)?;
    if link.model.replay.is_some() {
        return Err(Failure::input(format!(
            "{}: plays what the packets of one run met, and a program is no run; play it in an experiment: `link = {{ \
             fates = \"fates.csv\" }}`",
            link.path.display()
        )));
    }
    model::can_play(&link.model).map_err(Failure::input)?;
    let log = arguments.log(&link)?;
    // Every thread from here on leaves them to one.
    let signals = Signals::block().map_err(|error| Failure::Machine(format!("cannot watch for signals: {error}")))?;
    let stub = Stub::build().map_err(|error| Failure::Machine(error.to_string()))?;
    signals
        .watch()
        .map_err(|error| Failure::Machine(format!("cannot watch for signals: {error}")))?;

    let ports = stub
        .devices_of_link()
        .map(|device| stub.router().run(|| Port::open(device)));
    let [to_server, to_client] = ports;
    let machine = |error: &dyn std::fmt::Display| Failure::Machine(format!("the link: {error}"));
    let to_server = to_server
        .map_err(|error| machine(&error))?
        .map_err(|error| machine(&error))?;
    let to_client = to_client
        .map_err(|error| machine(&error))?
        .map_err(|error| machine(&error))?;
    let (listener, told) = channel();
    let setup = model::Setup {
        link: &link.model,
        access: None,
        crossing: &[],
        network: Network::Ipv4,
        seed: Seed::new(arguments.seed),
        epoch: Epoch::begin(),
        pace: arguments.pace,
    };
    let monitor = Arc::new(Monitor::default());
    let listener = log.is_some().then_some(listener);
    let running = model::pass(setup, to_server, to_client, &monitor, listener).map_err(|error| machine(&error))?;
    let writing = log
        .map(|log| log.write(told))
        .transpose()
        .map_err(|error| Failure::Machine(format!("cannot write a log of packets: {error}")))?;

    if let Some(lasts) = arguments.lasts {
        signals
            .end_after(Duration::from_nanos(lasts.as_ns()))
            .map_err(|error| Failure::Machine(format!("cannot keep the time: {error}")))?;
    }
    let program = Program::of(&arguments.program, &arguments.label(&link));
    let ended = program.run(&stub, &signals);

    let stopped = running.stop();
    if let Some(writing) = writing {
        // As far as the link was played; of one that failed, as far as it told.
        let until = stopped.as_ref().ok().map(|log| log.until);
        writing.finish(until)?;
    }
    drop(stub);
    stopped.map_err(|error| machine(&error))?;
    match ended? {
        Ended::Itself(0) => Ok(()),
        Ended::Itself(code) => Err(Failure::Ended(code)),
        Ended::InTime => Err(Failure::Machine(format!(
            "the program was told to end after {}",
            arguments.lasts.unwrap_or(Span::ZERO)
        ))),
    }
}

impl Arguments {
    fn link(&self, library: &Library) -> Result<Link, Failure> {
        match (&self.link, &self.profile) {
            (Some(name), _) => Ok(Link::load(library, name)?),
            (None, Some(text)) => given::read(library, text, str::to_owned),
            (None, None) => self.given.link(library),
        }
    }

    /// What the prompt says of the link.
    fn label(&self, link: &Link) -> String {
        match (&self.label, &self.link) {
            (Some(label), _) => label.clone(),
            (None, Some(_)) => link.name.clone(),
            (None, None) => self.given.in_words(),
        }
    }

    /// The files of the log; `None` if nobody wants one.
    fn log(&self, link: &Link) -> Result<Option<PacketLog>, Failure> {
        let open = |path: &Option<PathBuf>, direction| {
            let path = path.as_deref();
            path.map(|path| LogFile::create(path, direction, link)).transpose()
        };
        let files = [
            open(&self.down_log, Direction::Down)?,
            open(&self.up_log, Direction::Up)?,
        ];
        Ok(files.iter().any(Option::is_some).then(|| PacketLog::new(files)))
    }
}
