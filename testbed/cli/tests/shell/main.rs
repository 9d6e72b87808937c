//! `shell` from outside: programs behind a link, and services of this machine in front of it. Needs user namespaces, or root.
//! Nothing here depends on how fast the machine is: times are bounded from below alone.
//!
//! The programs are this one with other arguments, so that no tool is needed.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};

/// What a program of ours is asked to be.
const ASK_BY_TCP: &str = "--ask-by-tcp";
const ASK_BY_UDP: &str = "--ask-by-udp";
const ASK_UNTIL_REBOUND: &str = "--ask-until-rebound";
const BE_QUIET: &str = "--be-quiet";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().collect();
    match words.get(1).map(String::as_str) {
        Some(ASK_BY_TCP) => report(ask_by_tcp(&words[2])),
        Some(ASK_BY_UDP) => report(ask_by_udp(&words[2])),
        Some(ASK_UNTIL_REBOUND) => report(ask_until_rebound(&words[2])),
        Some(BE_QUIET) => be_quiet(),
        _ => trials(),
    }
}

fn trials() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = [
        ("a_program_ends_and_its_exit_code_is_passed_on", exit_codes as fn() -> _),
        ("a_program_is_its_person_and_knows_where_it_is", who_and_where),
        ("a_service_on_the_loopback_address_is_behind_the_link", by_tcp),
        ("datagrams_find_their_way_there_and_back", by_udp),
        ("a_connection_that_nobody_takes_is_reset", refused),
        ("a_link_in_a_link_adds_its_delay", nested),
        ("a_link_that_loses_all_carries_nothing", lossy),
        ("a_scenario_is_a_link", scenario),
        ("a_server_sees_other_ports_behind_a_nat", rebound),
        ("logs_tell_of_each_packet", logs),
        ("sigterm_is_passed_on", sigterm),
        ("a_program_whose_time_is_over_is_told_to_end", in_time),
        ("what_is_wrong_is_told_before_anything_runs", wrong),
    ];
    let trials: Vec<Trial> = trials.map(|(name, test)| Trial::test(name, test)).into();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The engine's `shell` with these options, for this program.
fn shell(options: &[&str], program: &[&str]) -> Command {
    let mut command = engine();
    command.arg("shell").args(options).arg("--").args(program);
    command
}

fn engine() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_windlull-engine"));
    let profiles = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../profiles");
    command
        .arg("--profiles")
        .arg(profiles)
        .env_remove("MAHIMAHI_BASE")
        .env_remove("MAHIMAHI_SHELL_PREFIX");
    command
}

fn said(output: &Output) -> String {
    let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// This program itself, to be asked for something.
fn own(words: &[&str]) -> Result<Vec<String>, Failed> {
    let program = std::env::current_exe()?.display().to_string();
    Ok(std::iter::once(program)
        .chain(words.iter().map(|word| (*word).to_owned()))
        .collect())
}

/// Asks the service at this port of the base address from behind a link; how long the answer took, by the program.
fn ask(options: &[&str], how: &str, port: u16) -> Result<Duration, Failed> {
    let words = own(&[how, &port.to_string()])?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = shell(options, &words).output()?;
    let said = said(&output);
    if !output.status.success() {
        return Err(said.into());
    }
    Ok(Duration::from_nanos(said.trim().parse()?))
}

fn exit_codes() -> Result<(), Failed> {
    let code = |program: &[&str]| -> io::Result<_> { Ok(shell(&[], program).output()?.status.code()) };
    assert_eq!(code(&["sh", "-c", "exit 7"])?, Some(7));
    assert_eq!(code(&["true"])?, Some(0));
    assert_eq!(code(&["sh", "-c", "kill -KILL $$"])?, Some(137));
    assert_eq!(code(&["/no-such-program"])?, Some(127));
    assert_eq!(code(&["/dev/null"])?, Some(126));
    Ok(())
}

fn who_and_where() -> Result<(), Failed> {
    let script = "id -u; echo $MAHIMAHI_BASE; echo $WINDLULL_OUTSIDE; echo \"$MAHIMAHI_SHELL_PREFIX\"";
    let output = shell(&["--link", "gprs"], &["sh", "-c", script]).output()?;
    let expected = format!("{}\n100.64.0.1\n100.64.0.1\n[gprs] \n", geteuid());
    assert_eq!(said(&output), expected);
    Ok(())
}

fn by_tcp() -> Result<(), Failed> {
    let port = tcp_service()?;
    // A connection takes one round trip, and the answer another one.
    let took = ask(&["--delay", "20 ms", "--down", "10 Mbit/s"], ASK_BY_TCP, port)?;
    assert!(took >= Duration::from_millis(80), "{took:?}");
    Ok(())
}

fn by_udp() -> Result<(), Failed> {
    let port = udp_service()?;
    let took = ask(&["--delay", "20 ms"], ASK_BY_UDP, port)?;
    assert!(took >= Duration::from_millis(40), "{took:?}");
    Ok(())
}

fn refused() -> Result<(), Failed> {
    // Nobody listens where somebody just did.
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    let error = ask(&[], ASK_BY_TCP, port).expect_err("nobody answers");
    let said = error.message().unwrap_or_default().to_owned();
    assert!(said.contains("reset"), "{said}");
    Ok(())
}

fn nested() -> Result<(), Failed> {
    let port = udp_service()?;
    let inner = own(&[ASK_BY_UDP, &port.to_string()])?;
    let engine = env!("CARGO_BIN_EXE_windlull-engine");
    let mut words = vec![engine, "shell", "--delay", "30 ms", "--"];
    words.extend(inner.iter().map(String::as_str));
    let output = shell(&["--delay", "20 ms"], &words).output()?;
    let said = said(&output);
    let took = said
        .trim()
        .parse()
        .map(Duration::from_nanos)
        .map_err(|_| said.clone())?;
    assert!(took >= Duration::from_millis(100), "{took:?}");
    // The base address is the outermost link's; the other end of the inner one is another.
    let script = [
        engine,
        "shell",
        "--",
        "sh",
        "-c",
        "echo $MAHIMAHI_BASE $WINDLULL_OUTSIDE",
    ];
    let output = shell(&[], &script).output()?;
    assert_eq!(String::from_utf8_lossy(&output.stdout), "100.64.0.1 100.64.0.3\n");
    Ok(())
}

fn lossy() -> Result<(), Failed> {
    let port = udp_service()?;
    let error = ask(&["--loss", "100 %"], ASK_BY_UDP, port).expect_err("nothing comes");
    let said = error.message().unwrap_or_default().to_owned();
    assert!(said.contains("no answer"), "{said}");
    Ok(())
}

fn scenario() -> Result<(), Failed> {
    let port = udp_service()?;
    let scenario = "simple-p2p --delay=25ms --bandwidth=10Mbps --queue=25";
    let took = ask(&["--link", scenario], ASK_BY_UDP, port)?;
    assert!(took >= Duration::from_millis(50), "{took:?}");
    Ok(())
}

fn rebound() -> Result<(), Failed> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = socket.local_addr()?.port();
    thread::spawn(move || {
        while let Ok((_, from)) = socket.recv_from(&mut [0; 9]) {
            let _ = socket.send_to(from.port().to_string().as_bytes(), from);
        }
    });
    let scenario = "rebind --delay=1ms --bandwidth=10Mbps --queue=25 --first-rebind=300ms";
    ask(&["--link", scenario], ASK_UNTIL_REBOUND, port).map(drop)
}

fn logs() -> Result<(), Failed> {
    let place = tempfile::tempdir()?;
    let paths = ["down.log", "up.log"].map(|name| place.path().join(name).display().to_string());
    let port = udp_service()?;
    let options: [&str; 6] = ["--delay", "20 ms", "--down-log", &paths[0], "--up-log", &paths[1]];
    ask(&options, ASK_BY_UDP, port)?;
    for path in &paths {
        let text = fs::read_to_string(path)?;
        assert!(text.contains("# base timestamp: 0\n"), "{text}");
        let events: Vec<Vec<&str>> = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split(' ').collect())
            .collect();
        // A datagram of five octets, with headers of 28.
        let [came, went] = &events[..] else {
            return Err(text.clone().into());
        };
        assert_eq!((came[1], came[2]), ("+", "33"));
        assert_eq!((went[1], went[2], went[3]), ("-", "33", "20"), "{text}");
    }
    Ok(())
}

fn sigterm() -> Result<(), Failed> {
    let words = own(&[BE_QUIET])?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut child = shell(&[], &words).stdout(Stdio::piped()).spawn()?;
    // It says a word when it runs.
    let mut word = [0; 1];
    child.stdout.as_mut().ok_or("a pipe")?.read_exact(&mut word)?;
    kill(Pid::from_raw(i32::try_from(child.id())?), Signal::SIGTERM)?;
    assert_eq!(child.wait()?.code(), Some(128 + Signal::SIGTERM as i32));
    Ok(())
}

fn in_time() -> Result<(), Failed> {
    let words = own(&[BE_QUIET])?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let stubborn = ["sh", "-c", "trap '' HUP TERM; while :; do sleep 0.1; done"];
    for words in [&*words, &stubborn] {
        let output = shell(&["--for", "100 ms"], words).output()?;
        assert_eq!(output.status.code(), Some(1));
        assert!(said(&output).contains("told to end after 100 ms"), "{}", said(&output));
    }
    Ok(())
}

fn wrong() -> Result<(), Failed> {
    let complaint = |options: &[&str]| -> Result<String, Failed> {
        let output = shell(options, &["true"]).output()?;
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        Ok(said(&output))
    };
    let rate = complaint(&["--down", "12"])?;
    assert!(
        rate.contains("error: --down: ") && rate.contains("28.8 kbit/s"),
        "{rate}"
    );
    let loss = complaint(&["--loss", "101 %"])?;
    assert!(loss.contains("error: --loss: "), "{loss}");
    let all = complaint(&["--loss", "1"])?;
    assert!(all.contains("write \"1 %\""), "{all}");
    // A file that the person names is theirs, wherever it lies.
    let folder = tempfile::tempdir()?;
    let trace = folder.path().join("bad.trace");
    fs::write(&trace, "1\nsoon\n")?;
    let file = trace.display();
    let text = format!(
        "[both]\ndelay = \"0 ms\"\nqueue = {{ kind = \"droptail\", limit = \"unlimited\" }}\nrate = {{ kind = \"trace\", file \
         = \"{file}\" }}\n"
    );
    let trace = complaint(&["--profile", &format!("title = \"x\"\n{text}")])?;
    assert!(trace.contains("soon") && !trace.contains("is not told here"), "{trace}");
    let link = complaint(&["--link", "gprss"])?;
    assert!(link.contains("did you mean \"gprs\""), "{link}");
    let both = complaint(&["--link", "gprs", "--delay", "3 ms"])?;
    assert!(both.contains("cannot be used with"), "{both}");
    Ok(())
}

/// A service on the loopback address that answers each connection's octets; its port.
fn tcp_service() -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut octets = Vec::new();
            let answered = (&stream).take(5).read_to_end(&mut octets);
            let _ = answered.and_then(|_| (&stream).write_all(&octets));
        }
    });
    Ok(port)
}

/// The same of datagrams.
fn udp_service() -> io::Result<u16> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = socket.local_addr()?.port();
    thread::spawn(move || {
        let mut octets = [0; 2_000];
        while let Ok((length, from)) = socket.recv_from(&mut octets) {
            let _ = socket.send_to(&octets[..length], from);
        }
    });
    Ok(port)
}

/// Where programs behind a link find the services of this machine.
fn base() -> io::Result<String> {
    std::env::var("MAHIMAHI_BASE").map_err(io::Error::other)
}

fn ask_by_tcp(port: &str) -> io::Result<Duration> {
    let begun = Instant::now();
    let mut stream = TcpStream::connect(format!("{}:{port}", base()?))?;
    stream.write_all(b"hello")?;
    let mut answer = [0; 5];
    stream.read_exact(&mut answer)?;
    match &answer {
        b"hello" => Ok(begun.elapsed()),
        other => Err(io::Error::other(format!("another answer: {other:?}"))),
    }
}

fn ask_by_udp(port: &str) -> io::Result<Duration> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    socket.connect(format!("{}:{port}", base()?))?;
    socket.set_read_timeout(Some(Duration::from_secs(2)))?;
    let begun = Instant::now();
    socket.send(b"hello")?;
    let mut answer = [0; 9];
    let length = socket
        .recv(&mut answer)
        .map_err(|error| io::Error::other(format!("no answer: {error}")))?;
    match &answer[..length] {
        b"hello" => Ok(begun.elapsed()),
        other => Err(io::Error::other(format!("another answer: {other:?}"))),
    }
}

/// Asks which port the server sees until it is another one than at first.
fn ask_until_rebound(port: &str) -> io::Result<Duration> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    socket.connect(format!("{}:{port}", base()?))?;
    socket.set_read_timeout(Some(Duration::from_millis(50)))?;
    let begun = Instant::now();
    let mut first: Option<Vec<u8>> = None;
    while begun.elapsed() < Duration::from_secs(20) {
        socket.send(b"which?")?;
        let mut answer = [0; 9];
        // The answer to a port that is gone is lost.
        let Ok(length) = socket.recv(&mut answer) else { continue };
        let seen = &answer[..length];
        match &first {
            Some(first) if first != seen => return Ok(begun.elapsed()),
            Some(_) => {}
            None => first = Some(seen.to_vec()),
        }
    }
    Err(io::Error::other("the server sees the same port all the time"))
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a program of ours answers so")]
fn report(result: io::Result<Duration>) -> ExitCode {
    match result {
        Ok(took) => {
            println!("{}", took.as_nanos());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Says a word and waits to be ended.
fn be_quiet() -> ExitCode {
    let mut out = io::stdout();
    if out.write_all(b".").and_then(|()| out.flush()).is_err() {
        return ExitCode::FAILURE;
    }
    loop {
        thread::park();
    }
}
