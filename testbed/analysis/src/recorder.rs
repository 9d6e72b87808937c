//! All that watches a run, in one observer: the analyser, and if wanted the files and the diagram.

use std::collections::HashMap;
use std::io::{self, Write};

use windlull_capture::{CaptureWriter, Observer, Sinks};
use windlull_transport::Said;
use windlull_units::{Fate, Host, LinkEvent, PacketId, Replayed, Span, Time, UnmetCondition};
use windlull_wire::{Segment, SenderEvent, TransmitCause};

use crate::analyzer::Analyzer;
use crate::follower::{Declared, Follower};
use crate::quic::Quic;
use crate::result::RunAnalysis;
use crate::series::{Series, SeriesBuilder};

/// Analyses a run and, if asked to, writes its files with the verdicts in them and gathers the diagram's columns.
#[derive(Debug)]
pub struct Recorder<W> {
    analyzer: Analyzer,
    capture: Option<CaptureWriter<W>>,
    series: Option<SeriesBuilder>,
    quic: Option<Box<Quic>>,
    /// Of a connection of QUIC: the datagrams of segments whose verdict is awaited.
    awaited: HashMap<PacketId, PacketId>,
}

/// What a recorder leaves.
#[derive(Debug)]
pub struct Recording<W> {
    /// Verdicts and metrics.
    pub analysis: RunAnalysis,
    /// The diagram's columns, if asked for.
    pub series: Option<Series>,
    /// The files' writers, flushed, or the first error of writing, if files were asked for.
    pub capture: Option<io::Result<Sinks<W>>>,
}

impl<W: Write> Recorder<W> {
    /// The analysis with episodes, and if wanted the files of the run and the diagram's columns.
    pub fn new(analyzer: Analyzer, capture: Option<CaptureWriter<W>>, series: Option<SeriesBuilder>) -> Self {
        let wanted = capture.is_some() || series.is_some();
        let analyzer = analyzer.telling_episodes();
        Self {
            analyzer: if wanted {
                analyzer.keeping_judgements()
            } else {
                analyzer
            },
            capture,
            series,
            quic: None,
            awaited: HashMap::new(),
        }
    }

    /// The first error of writing, so that a driver can stop early.
    pub fn error(&self) -> Option<&io::Error> {
        let of_captures = self.capture.as_ref().and_then(CaptureWriter::error);
        of_captures.or_else(|| self.series.as_ref().and_then(SeriesBuilder::error))
    }

    /// Octets of memory that the diagram's rows take.
    pub fn rows_bytes(&mut self) -> usize {
        self.series.as_mut().map_or(0, SeriesBuilder::memory_bytes)
    }

    /// The run is over.
    pub fn finish(mut self) -> Recording<W> {
        if let Some(quic) = &self.quic {
            quic.judge(&mut self.analyzer);
        }
        let mut analysis = self.analyzer.finish();
        self.settle();
        if let Some(quic) = self.quic {
            quic.finish(&mut analysis);
        }
        Recording {
            series: self.series.map(|series| series.finish(&analysis)),
            capture: self.capture.map(CaptureWriter::finish),
            analysis,
        }
    }

    /// Hands on the verdicts that were reached. Most events reach none.
    #[inline]
    fn settle(&mut self) {
        if self.analyzer.has_judgements() {
            self.hand_on();
        }
    }

    fn hand_on(&mut self) {
        for judgement in self.analyzer.take_judgements() {
            if let Some(capture) = &mut self.capture {
                let id = self.awaited.remove(&judgement.id).unwrap_or(judgement.id);
                capture.verdict(id, &judgement.comment());
            }
            if let Some(series) = &mut self.series {
                series.judged(&judgement);
            }
        }
    }
}

impl<W: Write> Recorder<W> {
    /// What follows QUIC, and who is told of it as of a TCP.
    fn quic(&mut self) -> (&mut Quic, Told<'_, W>) {
        let data_sender = self.analyzer.data_sender;
        let quic = self.quic.get_or_insert_with(|| {
            if let Some(series) = &mut self.series {
                series.without_windows();
            }
            Box::new(Quic::new(data_sender))
        });
        let told = Told {
            analyzer: &mut self.analyzer,
            series: self.series.as_mut(),
            capture: self.capture.as_mut(),
        };
        (quic, told)
    }

    /// Who is told of a TCP.
    #[inline]
    fn told(&mut self) -> Told<'_, W> {
        Told {
            analyzer: &mut self.analyzer,
            series: self.series.as_mut(),
            capture: self.capture.as_mut(),
        }
    }
}

/// Who is told of a TCP, and of a connection of QUIC as of one. Of the captures, the events alone: the packets of QUIC are
/// datagrams.
pub(crate) struct Told<'a, W> {
    pub(crate) analyzer: &'a mut Analyzer,
    pub(crate) series: Option<&'a mut SeriesBuilder>,
    pub(crate) capture: Option<&'a mut CaptureWriter<W>>,
}

impl<W: Write> Told<'_, W> {
    /// Whether a verdict will follow.
    pub(crate) fn sent(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment) -> bool {
        let judged = self.analyzer.on_sent(now, host, id, segment, None);
        if let Some(series) = &mut self.series {
            series.sent(now, host, id, segment, None);
            if judged {
                series.expect_verdict(id);
            }
        }
        judged
    }
}

impl<W: Write> Follower for Told<'_, W> {
    fn further_fate(&mut self, fate: &Fate) {
        if let Some(series) = &mut self.series {
            series.fate(fate);
        }
        self.analyzer.further_fate(fate);
    }

    fn declared_lost(&mut self, now: Time, lost: Declared) {
        self.analyzer.declared_lost(now, lost);
    }

    fn closed_in_order(&mut self, at: Time) {
        self.analyzer.closed_in_order(at);
    }
}

impl<W: Write> Observer for Told<'_, W> {
    fn sent(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment, _: Option<TransmitCause>) {
        Told::sent(self, now, host, id, segment);
    }

    #[inline]
    fn arrived(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment) {
        if let Some(series) = &mut self.series {
            series.arrived(now, host, id, segment);
        }
        self.analyzer.arrived(now, host, id, segment);
        if let (Some(series), Some((at, trip))) = (&mut self.series, self.analyzer.take_round_trip()) {
            series.round_trip(at, trip);
        }
    }

    #[inline]
    fn fate(&mut self, fate: &Fate) {
        if let Some(series) = &mut self.series {
            series.fate(fate);
        }
        self.analyzer.fate(fate);
    }

    fn link(&mut self, _: Time, _: &LinkEvent) {}

    #[inline]
    fn sender(&mut self, now: Time, host: Host, event: &SenderEvent) {
        if let Some(capture) = &mut self.capture {
            capture.sender(now, host, event);
        }
        if let Some(series) = &mut self.series {
            series.sender(now, host, event);
        }
        self.analyzer.sender(now, host, event);
    }
}

impl<W: Write> Observer for Recorder<W> {
    fn octets(&mut self, frame: &[u8], original_len: u32) {
        if let Some(capture) = &mut self.capture {
            capture.octets(frame, original_len);
        }
    }

    fn sent(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment, cause: Option<TransmitCause>) {
        let judged = self.analyzer.on_sent(now, host, id, segment, cause);
        if let Some(capture) = &mut self.capture {
            if judged {
                capture.expect_verdict(id);
            }
            capture.sent(now, host, id, segment, cause);
        }
        if let Some(series) = &mut self.series {
            series.sent(now, host, id, segment, cause);
            if judged {
                series.expect_verdict(id);
            }
        }
        self.settle();
    }

    fn arrived(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment) {
        if let Some(capture) = &mut self.capture {
            capture.arrived(now, host, id, segment);
        }
        self.told().arrived(now, host, id, segment);
        self.settle();
    }

    fn wants_octets(&self) -> bool {
        self.capture.is_some()
    }

    fn wants_all_said(&self) -> bool {
        true
    }

    fn packet_sent(&mut self, now: Time, host: Host, id: PacketId) {
        let (quic, mut told) = self.quic();
        let mut awaited = Vec::new();
        for (number, segment) in quic.sent(now, host, id) {
            if told.sent(now, host, number, &segment) {
                awaited.push(number);
            }
        }
        if let Some(capture) = &mut self.capture {
            if !awaited.is_empty() {
                capture.expect_verdict(id);
            }
            capture.packet_sent(now, host, id);
        }
        self.awaited.extend(awaited.into_iter().map(|number| (number, id)));
        self.settle();
    }

    fn packet_arrived(&mut self, now: Time, host: Host, id: PacketId) {
        if let Some(capture) = &mut self.capture {
            capture.packet_arrived(now, host, id);
        }
        let (quic, mut told) = self.quic();
        quic.arrived(now, host, id, &mut told);
        self.settle();
    }

    fn said(&mut self, now: Time, host: Host, said: &Said) {
        if let Some(capture) = &mut self.capture {
            capture.said(now, host, said);
        }
        let (quic, mut told) = self.quic();
        quic.said(now, host, said, &mut told);
        self.settle();
    }

    fn secret(&mut self, line: &str) {
        if let Some(capture) = &mut self.capture {
            capture.secret(line);
        }
    }

    fn closed(&mut self, _: Time, host: Host, error: Option<&str>) {
        let (quic, mut told) = self.quic();
        quic.closed(host, error, &mut told);
    }

    fn fate(&mut self, fate: &Fate) {
        if let Some(capture) = &mut self.capture {
            capture.fate(fate);
        }
        if self.quic.is_some() {
            let (quic, mut told) = self.quic();
            quic.fate(fate, &mut told);
        } else {
            self.told().fate(fate);
        }
        self.settle();
    }

    fn link(&mut self, now: Time, event: &LinkEvent) {
        if let Some(capture) = &mut self.capture {
            capture.link(now, event);
        }
        if let Some(series) = &mut self.series {
            series.link(now, event);
        }
        self.analyzer.link(now, event);
    }

    fn sender(&mut self, now: Time, host: Host, event: &SenderEvent) {
        self.told().sender(now, host, event);
        self.settle();
    }

    fn task(&mut self, now: Time, took: Span) {
        self.analyzer.task(now, took);
    }

    fn time_is_up(&mut self, now: Time) {
        self.analyzer.time_is_up(now);
    }

    fn replayed(&mut self, replayed: &Replayed) {
        self.analyzer.replayed(replayed);
    }

    fn unmet(&mut self, unmet: &[UnmetCondition]) {
        self.analyzer.unmet(unmet);
    }

    fn has_failed(&self) -> bool {
        self.error().is_some()
    }
}
