//! At which end a capture was made: what the file says, what the caller says, and what is only guessed.

use crate::scene::Scene;
use crate::scene::recording::{Written, finished, recorder};
use windlull_analysis::{AnalyzeError, CaptureAnalysis, Ends, Files, Question, Selection, analyze};
use windlull_capture::{Snaplen, read_pcap};
use windlull_units::Host;

/// Both ends' captures of a short transfer, as we write them: they say of each packet which way it went.
fn captures() -> Written {
    let mut scene = Scene::new(recorder(Snaplen::Full));
    scene.handshake();
    for number in 0..4 {
        let data = scene.later(100).data(number);
        scene.later(50).deliver(data);
        let ack = scene.ack(number + 1, &[]);
        scene.later(50).deliver(ack);
    }
    scene.finish(4);
    finished(scene).1
}

/// The packets in a file that says nothing of their ways, the nth of them at `at_us(n)`.
fn foreign(file: &[u8], at_us: impl Fn(u32, u64) -> u64) -> Vec<u8> {
    let mut out: Vec<u8> = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 1]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let mut reader = read_pcap(file).expect("ours");
    let mut number = 0;
    while let Some(packet) = reader.next_packet().expect("ours") {
        let us = at_us(number, packet.at_ns.expect("stamped") / 1_000);
        number += 1;
        let len = u32::try_from(packet.octets.len()).expect("short");
        let secs = u32::try_from(us / 1_000_000).expect("this century");
        for word in [
            secs,
            u32::try_from(us % 1_000_000).expect("small"),
            len,
            packet.original_len,
        ] {
            out.extend(word.to_le_bytes());
        }
        out.extend(packet.octets);
    }
    out
}

/// With stamps as they are.
fn plain(file: &[u8]) -> Vec<u8> {
    foreign(file, |_, us| us)
}

fn asked(first: &[u8], second: Option<&[u8]>, end: Option<Host>) -> Result<CaptureAnalysis, AnalyzeError> {
    let (mut first, mut second) = (first, second);
    let files = Files {
        first: &mut first,
        second: second.as_mut().map(|file| file as &mut dyn std::io::Read),
        fates: None,
        events: None,
    };
    let question = Question {
        selection: Selection::MostData,
        first_taken_at: end,
    };
    analyze(files, question)
}

fn ends(file: &[u8], end: Option<Host>) -> (Ends, Vec<String>) {
    let analysis = asked(file, None, end).expect("a capture").analysis;
    (analysis.ends, analysis.notes)
}

fn notes_of(notes: &[String], part: &str) -> usize {
    notes.iter().filter(|note| note.contains(part)).count()
}

#[test]
fn a_guess_by_the_handshake_is_said_to_be_one() {
    let files = captures();
    let (found, notes) = ends(&plain(&files.client), None);
    assert_eq!(found, Ends::Receiver);
    assert_eq!(
        notes_of(&notes, "a guess, by the times of the handshake"),
        1,
        "{notes:?}"
    );
    assert_eq!(notes_of(&notes, "(--end server)"), 1, "{notes:?}");
    let both = asked(&plain(&files.client), Some(&plain(&files.server)), None).expect("captures");
    let notes = both.analysis.notes;
    assert_eq!(
        notes_of(&notes, "is a guess, by the times of the handshake"),
        1,
        "{notes:?}"
    );
    // What the file says itself is no guess.
    let (found, notes) = ends(&files.client, None);
    assert_eq!((found, notes_of(&notes, "guess")), (Ends::Receiver, 0), "{notes:?}");
}

#[test]
fn a_handshake_without_a_round_trip_tells_no_end() {
    let files = captures();
    // The data sender opened, and it took the other host 40 us to answer; its own acknowledgement took 90 us: at the
    // sender's end that looks like the answering end.
    let near = foreign(&files.server, |number, us| match number {
        0 => 1_000,
        1 => 1_040,
        2 => 1_130,
        _ => us,
    });
    let (found, notes) = ends(&near, None);
    assert_eq!(found, Ends::Sender);
    assert_eq!(notes_of(&notes, "Nothing tells at which end"), 1, "{notes:?}");
    // Times that are alike tell as little, however long they are.
    let alike = foreign(&files.server, |number, us| match number {
        0 => 1_000,
        1 => 41_000,
        2 => 91_000,
        _ => us,
    });
    assert_eq!(notes_of(&ends(&alike, None).1, "Nothing tells at which end"), 1);
}

#[test]
fn the_caller_says_which_end_it_was() {
    let files = captures();
    let client = plain(&files.client);
    for (end, expected) in [(Host::Client, Ends::Receiver), (Host::Server, Ends::Sender)] {
        let (found, notes) = ends(&client, Some(end));
        assert_eq!((found, notes_of(&notes, "guess")), (expected, 0), "{notes:?}");
    }
    let server = plain(&files.server);
    let both = asked(&client, Some(&server), Some(Host::Client))
        .expect("captures")
        .analysis;
    assert_eq!(both.metrics.packets_lost, Some(0), "{:?}", both.notes);
    assert_eq!(notes_of(&both.notes, "guess"), 0, "{:?}", both.notes);
}

#[test]
fn who_contradicts_the_file_is_told() {
    let files = captures();
    let error = asked(&files.client, None, Some(Host::Server)).expect_err("it is the client's");
    assert_eq!(
        error.to_string(),
        "first capture: captured at the client, and not at the server, as the file itself says: most packets that it \
         marks as outgoing were sent there; leave --end out, or say client"
    );
    let error = asked(&plain(&files.client), Some(&files.server), Some(Host::Server)).expect_err("the second is");
    let message = error.to_string();
    assert!(
        message.starts_with("second capture: captured at the server"),
        "{message}"
    );
    assert!(message.ends_with("or say client"), "{message}");
}
