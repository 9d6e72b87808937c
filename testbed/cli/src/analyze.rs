//! `analyze`: what captures show of a TCP connection.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use flate2::read::MultiGzDecoder;
use windlull_analysis::{
    AnalyzeError, CaptureAnalysis, Files, Question, Selection, Series, Which, analyze as analyze_files, analyze_qlog,
    connections, load_qlog, qlog_connections, transits, transits_by_acknowledgements,
};
use windlull_capture::{QlogTrace, ReadError, is_qlog};
use windlull_record::{write_compressed, write_series};
use windlull_units::Host;

use crate::answer;
use crate::failure::Failure;

/// The arguments of `analyze`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A pcap or pcapng file of one end, or a qlog file; any of them may be compressed by gzip.
    first: PathBuf,
    second: Option<PathBuf>,
    /// The connection between these two addresses (`192.0.2.1:80`); the one with the most data if not given.
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    between: Option<Vec<SocketAddr>>,
    /// The connection of this number in the list that --connections gives.
    #[arg(long, value_name = "N", conflicts_with = "between")]
    connection: Option<u64>,
    /// The end at which the first file was captured; in captures that are not of a run, the server is who sends the data.
    /// If not given, what the files tell, or a guess by the handshake.
    #[arg(long, value_enum, conflicts_with = "connections")]
    end: Option<Host>,
    /// List the TCP connections with data instead.
    #[arg(long, conflicts_with_all = ["between", "connection", "series"])]
    connections: bool,
    /// Say when each packet left one end and reached the other instead; with one capture, the data sender's, by the
    /// acknowledgements.
    #[arg(long, conflicts_with_all = ["connections", "series"])]
    packets: bool,
    /// Also write the diagram's columns, as in a run's series.json.gz, to this file; compressed if its name ends in .gz.
    #[arg(long, value_name = "FILE")]
    series: Option<PathBuf>,
}

/// Analyses one or two captures. With both of a run's own directory, what the link and the sender told is read along; with
/// one of them the fates alone, to know which packets the link corrupted.
pub(crate) fn analyze(arguments: &Arguments) -> Result<(), Failure> {
    refuse_the_same(arguments)?;
    let (mut first, is_log) = begun(&arguments.first)?;
    let mut second = arguments.second.as_deref().map(open).transpose()?;
    let selection = match (arguments.between.as_deref(), arguments.connection) {
        (Some(&[a, b]), _) => Selection::Between(a, b),
        (_, Some(number)) => Selection::Number(number),
        _ => Selection::MostData,
    };
    let question = Question {
        selection,
        first_taken_at: arguments.end,
    };
    if is_log {
        return analyze_logs(arguments, question, &mut first, second.as_mut());
    }
    if arguments.packets {
        let joined = match second.as_mut() {
            Some(second) => transits(&mut first, second, question),
            None => transits_by_acknowledgements(&mut first, question),
        };
        let joined = joined.map_err(|error| explained(arguments, &error))?;
        return answer::json(&joined);
    }
    let mut fates = beside(arguments, "fates.csv");
    let both = arguments.second.is_some();
    let mut events = both.then(|| beside(arguments, "events.jsonl")).flatten();
    let files = Files {
        first: &mut first,
        second: second.as_mut().map(|file| &mut **file as &mut dyn Read),
        fates: fates.as_mut().map(|file| file as &mut dyn Read),
        events: events.as_mut().map(|file| file as &mut dyn io::BufRead),
    };
    if arguments.connections {
        let list = connections(files).map_err(|error| explained(arguments, &error))?;
        return answer::json(&list);
    }
    let analysis = analyze_files(files, question).map_err(|error| explained(arguments, &error))?;
    tell(arguments, &analysis)
}

fn tell(arguments: &Arguments, analysis: &CaptureAnalysis) -> Result<(), Failure> {
    if let Some(path) = &arguments.series {
        write_to(path, &analysis.series).map_err(|error| Failure::file("write", path, &error))?;
    }
    answer::json(analysis)
}

/// Octets by which a qlog file is known.
const BEGINNING: u64 = 64;

/// A file, whole, and whether it is a qlog file. It may be a pipe, which is read but once.
fn begun(path: &Path) -> Result<(impl Read, bool), Failure> {
    let mut file = open(path)?;
    let mut beginning = Vec::new();
    file.by_ref()
        .take(BEGINNING)
        .read_to_end(&mut beginning)
        .map_err(|error| Failure::file("read", path, &error))?;
    let is_log = is_qlog(&beginning);
    Ok((Cursor::new(beginning).chain(file), is_log))
}

/// Analyses one or two qlog files.
fn analyze_logs(
    arguments: &Arguments,
    question: Question,
    first: &mut dyn Read,
    second: Option<&mut Box<dyn Read>>,
) -> Result<(), Failure> {
    if arguments.packets {
        return Err(Failure::input(format!(
            "{}: a qlog file; --packets needs captures",
            arguments.first.display()
        )));
    }
    let read = |file: &mut dyn Read, path: &Path, which: Which| -> Result<Vec<QlogTrace>, Failure> {
        let mut octets = Vec::new();
        file.read_to_end(&mut octets)
            .map_err(|error| Failure::file("read", path, &error))?;
        if !is_qlog(&octets) {
            return Err(Failure::input(format!(
                "{}: no qlog file, and the other is one; give two captures or two logs",
                path.display()
            )));
        }
        load_qlog(octets, which).map_err(|error| explained(arguments, &error))
    };
    let first = read(first, &arguments.first, Which::First)?;
    let second = match (second, &arguments.second) {
        (Some(file), Some(path)) => Some(read(file, path, Which::Second)?),
        _ => None,
    };
    if arguments.connections {
        return answer::json(&qlog_connections(&first, second.as_deref()));
    }
    let analysis = analyze_qlog(&first, second.as_deref(), question).map_err(|error| explained(arguments, &error))?;
    tell(arguments, &analysis)
}

fn write_to(path: &Path, series: &Series) -> io::Result<()> {
    let compressed = path.extension().is_some_and(|extension| extension == "gz");
    let write = if compressed { write_compressed } else { write_series };
    write(&mut File::create(path)?, series)
}

/// One capture twice would look like a link that loses nothing and takes no time.
fn refuse_the_same(arguments: &Arguments) -> Result<(), Failure> {
    let Some(second) = &arguments.second else { return Ok(()) };
    match (arguments.first.canonicalize(), second.canonicalize()) {
        (Ok(first), Ok(second)) if first == second => Err(Failure::input(format!(
            "{}: given for both ends; give the other end's capture, or one alone",
            second.display()
        ))),
        _ => Ok(()),
    }
}

/// How a file begins that gzip has compressed (RFC 1952, section 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What is read of a compressed file at most: some kilobytes can be made of any number of octets.
const MOST_UNPACKED: u64 = 4 << 30;

/// Opens a capture, compressed or not; who reads it has a buffer of its own.
fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path.is_dir() {
        return Err(Failure::input(format!(
            "{}: a directory; give a pcap or pcapng file",
            path.display()
        )));
    }
    let mut file = File::open(path).map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
    let mut magic = Vec::new();
    file.by_ref()
        .take(GZIP.len() as u64)
        .read_to_end(&mut magic)
        .map_err(|error| Failure::file("read", path, &error))?;
    let is_compressed = magic == GZIP;
    let whole = Cursor::new(magic).chain(file);
    Ok(if is_compressed {
        Box::new(MultiGzDecoder::new(whole).take(MOST_UNPACKED))
    } else {
        Box::new(whole)
    })
}

/// A file of the run's directory, if the captures are of a run.
fn beside(arguments: &Arguments, name: &str) -> Option<BufReader<File>> {
    let is_ours = |path: &Path| {
        let file = path.file_name().and_then(|name| name.to_str());
        matches!(file, Some("server.pcapng" | "client.pcapng"))
    };
    let directory = arguments.first.parent()?;
    let second = arguments.second.as_deref();
    let together = |second: &Path| second.parent() == Some(directory) && is_ours(second);
    if !is_ours(&arguments.first) || second.is_some_and(|second| !together(second)) {
        return None;
    }
    File::open(directory.join(name)).ok().map(BufReader::new)
}

/// The error with the file's name; a disk that cannot be read is no bad input.
fn explained(arguments: &Arguments, error: &AnalyzeError) -> Failure {
    let which = match error {
        AnalyzeError::Capture { which, .. }
        | AnalyzeError::TooMany { which, .. }
        | AnalyzeError::NoConnection { which, .. }
        | AnalyzeError::NoNumber { which, .. }
        | AnalyzeError::NotThere { which, .. }
        | AnalyzeError::NotTheSenders { which, .. }
        | AnalyzeError::OtherEnd { which, .. }
        | AnalyzeError::Qlog { which, .. }
        | AnalyzeError::WrittenBy { which, .. } => Some(*which),
        AnalyzeError::NotInSecondLog | AnalyzeError::SameEnd => Some(Which::Second),
        AnalyzeError::Fates(_) | AnalyzeError::Events(_) => None,
    };
    let path = match which {
        Some(Which::First) => Some(&arguments.first),
        Some(Which::Second) => arguments.second.as_ref(),
        None => None,
    };
    let message = match path {
        Some(path) => format!("{}: {error}", path.display()),
        None => error.to_string(),
    };
    match error {
        AnalyzeError::Capture {
            source: ReadError::Io(error),
            ..
        } if error.kind() != io::ErrorKind::InvalidInput => Failure::Machine(message),
        _ => Failure::input(message),
    }
}
