//! A stack as a process: the contract as lines of JSON over its standard input and output.
//!
//! A line is an object and a newline; if it has the key `octets`, so many octets follow it. Each call is one line to the
//! process, and it answers any number of lines of which the last is `done`. `docs/stacks.md` says what stands in them.

use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use windlull_units::{Carries, Ecn, Network, Time};

use crate::interface::{Answer, Answers, Broken, CONTRACT, Datagram, Stack, Start, StreamId, Transport, Write, unfit};
use crate::qlog::from_qlog;

/// A call that takes so long never returns.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// More lines than any call needs.
const MOST_ANSWERS: usize = 1_000_000;
/// Longer than any line that says something.
const MOST_LINE: u64 = 1 << 20;
/// So much of what the process wrote to its standard error is quoted.
const MOST_QUOTED: usize = 2_000;

/// A program that speaks the contract: each end of a connection is a process of its own.
#[derive(Clone, Debug)]
pub struct Process {
    command: Vec<String>,
    carries: Carries,
    name: String,
}

impl Process {
    /// This program with these arguments; the program stands first.
    pub fn of(command: Vec<String>, carries: Carries) -> Self {
        let name = command.join(" ");
        Self { command, carries, name }
    }

    /// The program and its arguments.
    pub fn command(&self) -> &[String] {
        &self.command
    }
}

impl Stack for Process {
    fn name(&self) -> &str {
        &self.name
    }

    fn version(&self) -> String {
        self.name.clone()
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn carries(&self) -> Carries {
        self.carries
    }

    fn begin(&self, start: &Start) -> Result<Box<dyn Transport>, Broken> {
        let mut end = End::spawn(&self.command, self.carries, start.network)?;
        end.tell(
            &Call::Start {
                contract: CONTRACT,
                start,
            },
            &[],
        )?;
        end.hear(&mut Answers::default())?;
        Ok(Box::new(end))
    }
}

/// The JSON Schema of the lines of the contract: `Told`, of what a process is told, and `Answer`, of what it answers.
pub fn schema() -> Value {
    let inline = |settings: SchemaSettings| settings.with(|settings| settings.inline_subschemas = true);
    let told = inline(SchemaSettings::draft2020_12().for_serialize()).into_generator();
    let answer = inline(SchemaSettings::draft2020_12().for_deserialize()).into_generator();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("The lines between an engine and a stack that is a process, version {CONTRACT}"),
        "$defs": {
            "Told": told.into_root_schema_for::<Call<'_>>(),
            "Answer": answer.into_root_schema_for::<Line>(),
        },
    })
}

/// A line that a process is told.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "do", rename_all = "kebab-case")]
enum Call<'a> {
    /// Always the first.
    Start {
        /// The version of the contract.
        contract: u32,
        #[serde(flatten)]
        start: &'a Start,
    },
    /// The client opens the connection.
    Connect { now: Time },
    /// A datagram arrives, whose octets follow the line.
    Datagram { now: Time, ecn: Ecn, octets: usize },
    /// The instant that it asked to be woken at has come.
    Wake { now: Time },
    /// Its application writes.
    Write {
        now: Time,
        #[serde(flatten)]
        write: Write,
    },
    /// Its application closes the connection in order.
    Close { now: Time },
}

impl Call<'_> {
    /// As `do` has it.
    const fn name(&self) -> &'static str {
        match self {
            Self::Start { .. } => "start",
            Self::Connect { .. } => "connect",
            Self::Datagram { .. } => "datagram",
            Self::Wake { .. } => "wake",
            Self::Write { .. } => "write",
            Self::Close { .. } => "close",
        }
    }
}

/// A line that a process answers.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "kebab-case", deny_unknown_fields)]
enum Line {
    /// Something to send, whose octets follow the line.
    Send {
        octets: usize,
        #[serde(default)]
        ecn: Ecn,
    },
    /// Its application has read octets of a stream.
    Read {
        stream: StreamId,
        length: u64,
        #[serde(default)]
        ends: bool,
    },
    /// The handshake is complete.
    Connected {},
    /// The connection is over for this end.
    Closed {
        /// What went wrong; absent if it was closed in order.
        error: Option<String>,
    },
    /// What it says of itself: an event of qlog.
    Say {
        name: String,
        #[serde(default)]
        data: Value,
        /// Its time is the call's.
        #[serde(rename = "time")]
        _time: Option<Value>,
    },
    /// A line of a TLS key log.
    Secret { line: String },
    /// The end of the answer to a call.
    Done {
        /// When to wake it next; absent if not before something happens.
        wake: Option<Time>,
    },
}

/// One end: a process, and who watches over it.
struct End {
    child: Arc<Mutex<Child>>,
    carries: Carries,
    network: Network,
    to: BufWriter<ChildStdin>,
    from: BufReader<ChildStdout>,
    complaints: Option<JoinHandle<String>>,
    watch: Arc<Watch>,
    line: Vec<u8>,
    /// What it was last told to do.
    told: &'static str,
    /// How many lines it has answered to that.
    answered: usize,
}

/// What the watching thread looks at.
#[derive(Default)]
struct Watch {
    /// Odd while a call is under way.
    calls: AtomicU64,
    is_over: AtomicBool,
    hangs: AtomicBool,
}

impl End {
    fn spawn(command: &[String], carries: Carries, network: Network) -> Result<Self, Broken> {
        let (program, arguments) = command
            .split_first()
            .ok_or_else(|| Broken("there is no program".to_owned()))?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| Broken(format!("cannot be started: {error}")))?;
        let to = BufWriter::new(child.stdin.take().expect("it is piped"));
        let from = BufReader::with_capacity(1 << 16, child.stdout.take().expect("it is piped"));
        let mut stderr = child.stderr.take().expect("it is piped");
        let complaints = thread::spawn(move || {
            let mut text = Vec::new();
            drop(stderr.read_to_end(&mut text));
            let text = String::from_utf8_lossy(&text).trim().to_owned();
            let from = text.len().saturating_sub(MOST_QUOTED);
            let from = (from..text.len())
                .find(|&from| text.is_char_boundary(from))
                .unwrap_or(0);
            text[from..].to_owned()
        });
        let (child, watch) = (Arc::new(Mutex::new(child)), Arc::new(Watch::default()));
        thread::spawn({
            let (child, watch) = (Arc::clone(&child), Arc::clone(&watch));
            move || watch.over(&child)
        });
        Ok(Self {
            child,
            carries,
            network,
            to,
            from,
            complaints: Some(complaints),
            watch,
            line: Vec::new(),
            told: "start",
            answered: 0,
        })
    }

    fn call(&mut self, call: &Call<'_>, octets: &[u8], answers: &mut Answers) -> Result<(), Broken> {
        self.tell(call, octets)?;
        self.hear(answers)
    }

    fn tell(&mut self, call: &Call<'_>, octets: &[u8]) -> Result<(), Broken> {
        (self.told, self.answered) = (call.name(), 0);
        self.watch.calls.fetch_add(1, Ordering::Relaxed);
        serde_json::to_writer(&mut self.to, call)
            .map_err(io::Error::from)
            .and_then(|()| self.to.write_all(b"\n"))
            .and_then(|()| self.to.write_all(octets))
            .and_then(|()| self.to.flush())
            .map_err(|_| self.died())
    }

    /// Reads what is answered, to the end of the answer.
    fn hear(&mut self, answers: &mut Answers) -> Result<(), Broken> {
        for _ in 0..MOST_ANSWERS {
            self.line.clear();
            let read = (&mut self.from).take(MOST_LINE).read_until(b'\n', &mut self.line);
            if !matches!(read, Ok(1..)) {
                return Err(self.died());
            }
            let line: Line = serde_json::from_slice(&self.line).map_err(|error| self.unreadable(&error))?;
            self.answered += 1;
            let answer = match line {
                Line::Done { wake } => {
                    answers.wake = wake;
                    self.watch.calls.fetch_add(1, Ordering::Relaxed);
                    return Ok(());
                }
                // One that is shorter is checked by whoever takes it.
                Line::Send { octets, .. } if octets > self.carries.most_octets(self.network) => {
                    let range = format!("at most {}", self.carries.most_octets(self.network));
                    return Err(unfit(self.carries, octets, &range));
                }
                Line::Send { octets, ecn } => {
                    let mut datagram = vec![0; octets];
                    if self.from.read_exact(&mut datagram).is_err() {
                        return Err(self.died());
                    }
                    Answer::Send(Datagram { octets: datagram, ecn })
                }
                Line::Read { stream, length, ends } => Answer::Read { stream, length, ends },
                Line::Connected {} => Answer::Connected,
                Line::Closed { error } => Answer::Closed { error },
                Line::Say { name, data, .. } => {
                    let said = from_qlog(&name, data);
                    Answer::Said(said.map_err(|wrong| Broken(format!("says what qlog does not have: {wrong}")))?)
                }
                Line::Secret { line } => Answer::Secret(line),
            };
            answers.push(answer);
        }
        Err(Broken(format!("answers more than {MOST_ANSWERS} lines to one call")))
    }

    /// What is wrong with the line that was read last.
    fn unreadable(&self, error: &serde_json::Error) -> Broken {
        let line = String::from_utf8_lossy(&self.line);
        let line: String = line.trim_end().chars().take(200).collect();
        Broken(match serde_json::from_str::<Value>(&line) {
            Ok(_) => {
                let error = error.to_string();
                let what = error.split(" at line ").next().unwrap_or_default();
                format!("answers `{line}`, which is not in the contract: {what}")
            }
            Err(_) => format!(
                "answers `{line}`, which is no line of JSON; its standard output is for the contract alone, and each object is \
                 a line of its own"
            ),
        })
    }

    /// What became of a process that answers no more.
    fn died(&mut self) -> Broken {
        let (told, seconds) = (self.told, PATIENCE.as_secs());
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        drop(child.kill());
        let ended = child.wait();
        drop(child);
        let what = match (self.watch.hangs.load(Ordering::Relaxed), self.answered, ended) {
            (true, 0, _) => format!("hangs: `{told}` was not answered for {seconds} s"),
            (true, lines, _) => {
                format!("answered {lines} lines to `{told}`, but no `done` that ends an answer within {seconds} s")
            }
            (false, _, Ok(status)) if status.success() => {
                format!("ended by itself, without an error, before it had answered `{told}` with `done`")
            }
            (false, _, Ok(status)) => format!("ended at `{told}` ({status})"),
            (false, _, Err(error)) => format!("ended at `{told}`: {error}"),
        };
        let complaints = self.complaints.take().and_then(|thread| thread.join().ok());
        Broken(match complaints.filter(|text| !text.is_empty()) {
            Some(text) => format!("{what}; it wrote: {text}"),
            None => what,
        })
    }
}

impl Watch {
    /// Kills the process when a call takes too long, until it is over.
    fn over(&self, child: &Mutex<Child>) {
        const LOOK_EVERY: Duration = Duration::from_millis(100);
        let (mut last, mut waited) = (0, Duration::ZERO);
        while !self.is_over.load(Ordering::Relaxed) {
            thread::park_timeout(LOOK_EVERY);
            let calls = self.calls.load(Ordering::Relaxed);
            waited = if calls == last && calls % 2 == 1 {
                waited + LOOK_EVERY
            } else {
                Duration::ZERO
            };
            last = calls;
            if waited >= PATIENCE {
                self.hangs.store(true, Ordering::Relaxed);
                drop(child.lock().unwrap_or_else(PoisonError::into_inner).kill());
                return;
            }
        }
    }
}

impl Drop for End {
    fn drop(&mut self) {
        self.watch.is_over.store(true, Ordering::Relaxed);
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        drop(child.kill());
        drop(child.wait());
    }
}

impl Transport for End {
    fn connect(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.call(&Call::Connect { now }, &[], answers)
    }

    fn datagram(&mut self, now: Time, octets: &[u8], ecn: Ecn, answers: &mut Answers) -> Result<(), Broken> {
        let call = Call::Datagram {
            now,
            ecn,
            octets: octets.len(),
        };
        self.call(&call, octets, answers)
    }

    fn wake(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.call(&Call::Wake { now }, &[], answers)
    }

    fn write(&mut self, now: Time, write: Write, answers: &mut Answers) -> Result<(), Broken> {
        self.call(&Call::Write { now, write }, &[], answers)
    }

    fn close(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.call(&Call::Close { now }, &[], answers)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::interface::Role;

    fn shell(script: &str) -> Process {
        Process::of(["sh", "-c", script].map(str::to_owned).into(), Carries::Datagrams)
    }

    fn start() -> Start {
        Start {
            role: Role::Client,
            seed: [7; 32],
            options: BTreeMap::new(),
            is_recorded: false,
            is_data_sender: false,
            network: Network::Ipv4,
        }
    }

    fn connected(script: &str) -> Result<Answers, Broken> {
        connected_over(Network::Ipv4, script)
    }

    fn connected_over(network: Network, script: &str) -> Result<Answers, Broken> {
        let mut end = shell(script).begin(&Start { network, ..start() })?;
        let mut answers = Answers::default();
        end.connect(Time::ZERO, &mut answers)?;
        Ok(answers)
    }

    #[test]
    fn a_call_is_answered_with_a_datagram_and_a_time() {
        let script = r#"read start; case "$start" in *'"contract":1,"role":"client","seed":"0707'*) ;; *) exit 3;; esac
            echo '{"answer":"done"}'
            read connect; [ "$connect" = '{"do":"connect","now":0}' ] || exit 4
            printf '{"answer":"send","octets":3}\nabc{"answer":"done","wake":250}\n'; read rest"#;
        let answers = connected(script).expect("it speaks the contract");
        assert_eq!(answers.wake, Some(Time::from_ns(250)));
        let sent = Answer::Send(Datagram {
            octets: b"abc".to_vec(),
            ecn: Ecn::NotEct,
        });
        assert_eq!(answers.items, [sent]);
    }

    #[test]
    fn over_ipv6_it_is_told_so_and_a_datagram_is_shorter() {
        let script = |wanted: &str, octets: usize| {
            format!(
                r#"read start; case "$start" in {wanted}) ;; *) exit 3;; esac
                echo '{{"answer":"done"}}'; read connect
                printf '{{"answer":"send","octets":{octets}}}\n%0{octets}d{{"answer":"done"}}\n' 0; read rest"#
            )
        };
        let told = r#"*'"network":"ipv6"'*"#;
        let answers = connected_over(Network::Ipv6, &script(told, 1_452)).expect("it fits");
        assert_eq!(answers.items.len(), 1);
        let large = connected_over(Network::Ipv6, &script(told, 1_453))
            .expect_err("it does not fit")
            .0;
        assert_eq!(large, "sends a datagram of 1453 octets; at most 1452 fit into a packet");
        // Over IPv4 nothing is told of that, as ever.
        assert!(connected(&script(told, 1_453)).is_err());
        assert!(connected(&script("*network*) exit 4;; *", 1_453)).is_ok());
    }

    #[test]
    fn what_a_stack_did_wrong_is_told() {
        let wrong = |script: &str| connected(script).expect_err("it is wrong").0;
        assert_eq!(
            wrong("echo no such option >&2; exit 2"),
            "ended at `start` (exit status: 2); it wrote: no such option"
        );
        assert_eq!(
            wrong(r#"read start; echo '{"answer":"done"}'; read call"#),
            "ended by itself, without an error, before it had answered `connect` with `done`"
        );
        let unknown = wrong(r#"read start; echo '{"answer":"sent"}'; read rest"#);
        assert!(
            unknown.starts_with(r#"answers `{"answer":"sent"}`, which is not in the contract: unknown variant `sent`"#),
            "{unknown}"
        );
        let garbage = wrong("echo hello; read rest");
        assert!(
            garbage.starts_with("answers `hello`, which is no line of JSON; its standard output"),
            "{garbage}"
        );
        let large = wrong(
            r#"read start; echo '{"answer":"done"}'; read call; echo '{"answer":"send","octets":9000}'; read rest"#,
        );
        assert_eq!(large, "sends a datagram of 9000 octets; at most 1472 fit into a packet");
        let nobody = Process::of(vec!["./nobody-has-this".to_owned()], Carries::Datagrams).begin(&start());
        assert!(nobody.is_err_and(|broken| broken.0.starts_with("cannot be started: ")));
    }
}
