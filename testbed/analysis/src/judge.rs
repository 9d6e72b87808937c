//! What judges a run of which nothing is written: a connection of TCP or of QUIC.

use windlull_capture::Observer;
use windlull_transport::Said;
use windlull_units::{Fate, Host, LinkEvent, PacketId, Replayed, Span, Time, UnmetCondition};
use windlull_wire::{Segment, SenderEvent, TransmitCause};

use crate::analyzer::Analyzer;
use crate::quic::Quic;
use crate::result::RunAnalysis;

/// Judges a connection.
#[derive(Debug)]
pub struct Judge {
    analyzer: Analyzer,
    quic: Option<Box<Quic>>,
}

impl Judge {
    pub fn new(data_sender: Host) -> Self {
        Self {
            analyzer: Analyzer::new(data_sender),
            quic: None,
        }
    }

    /// The run is over.
    pub fn finish(mut self) -> RunAnalysis {
        if let Some(quic) = &self.quic {
            quic.judge(&mut self.analyzer);
        }
        let mut analysis = self.analyzer.finish();
        if let Some(quic) = self.quic {
            quic.finish(&mut analysis);
        }
        analysis
    }

    fn quic(&mut self) -> (&mut Quic, &mut Analyzer) {
        let data_sender = self.analyzer.data_sender;
        let quic = self.quic.get_or_insert_with(|| Box::new(Quic::new(data_sender)));
        (quic, &mut self.analyzer)
    }
}

impl Observer for Judge {
    #[inline]
    fn sent(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment, cause: Option<TransmitCause>) {
        self.analyzer.on_sent(now, host, id, segment, cause);
    }

    #[inline]
    fn arrived(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment) {
        self.analyzer.arrived(now, host, id, segment);
    }

    fn packet_sent(&mut self, now: Time, host: Host, id: PacketId) {
        let (quic, analyzer) = self.quic();
        for (number, segment) in quic.sent(now, host, id) {
            analyzer.on_sent(now, host, number, &segment, None);
        }
    }

    fn packet_arrived(&mut self, now: Time, host: Host, id: PacketId) {
        let (quic, analyzer) = self.quic();
        quic.arrived(now, host, id, analyzer);
    }

    fn said(&mut self, now: Time, host: Host, said: &Said) {
        let (quic, analyzer) = self.quic();
        quic.said(now, host, said, analyzer);
    }

    fn closed(&mut self, _: Time, host: Host, error: Option<&str>) {
        let (quic, analyzer) = self.quic();
        quic.closed(host, error, analyzer);
    }

    #[inline]
    fn fate(&mut self, fate: &Fate) {
        match &mut self.quic {
            None => self.analyzer.fate(fate),
            Some(quic) => quic.fate(fate, &mut self.analyzer),
        }
    }

    #[inline]
    fn link(&mut self, now: Time, event: &LinkEvent) {
        self.analyzer.link(now, event);
    }

    #[inline]
    fn sender(&mut self, now: Time, host: Host, event: &SenderEvent) {
        self.analyzer.sender(now, host, event);
    }

    #[inline]
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
}
