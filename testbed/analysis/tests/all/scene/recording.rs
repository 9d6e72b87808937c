//! A scene that is recorded: analysed as it happens, with the files that a run leaves, in memory.

use windlull_analysis::{Analyzer, Recorder, RunAnalysis};
use windlull_capture::{CaptureWriter, Provenance, Sinks, Snaplen};
use windlull_units::{Host, Seed};

use super::Scene;

/// The files of a run.
pub(crate) type Written = Sinks<Vec<u8>>;

/// Files in memory.
pub(crate) const fn in_memory() -> Written {
    Sinks {
        server: Vec::new(),
        client: Vec::new(),
        fates: Vec::new(),
        events: Vec::new(),
        qlogs: None,
    }
}

/// What the captures say of the run.
pub(crate) fn provenance() -> Provenance {
    Provenance {
        version: "0.1.0".into(),
        commit: "abc".into(),
        testbed: "sim".to_owned(),
        kernel: None,
        experiment: "papers/sarolahti2003/table-1".into(),
        variant: "frto+sack".into(),
        link: "gprs".into(),
        repetition: 3,
        seed: Seed::new(42),
    }
}

/// Records a run in which the server sends the data; `snaplen` is what is kept of each packet.
pub(crate) fn recorder(snaplen: Snaplen) -> Recorder<Vec<u8>> {
    let capture = CaptureWriter::new(in_memory(), &provenance(), snaplen);
    Recorder::new(Analyzer::new(Host::Server), Some(capture), None)
}

/// What the run came to, and its files.
pub(crate) fn finished(scene: Scene<Recorder<Vec<u8>>>) -> (RunAnalysis, Written) {
    let recording = scene.observer.finish();
    let files = recording.capture.expect("files were asked for");
    (recording.analysis, files.expect("memory does not fail"))
}
