//! A run as its files have it: what the data sender sent, heard and decided, and what the link did.

use std::io::{BufRead, Read};

use windlull_capture::{Event, read_events};
use windlull_fates::read_fates;
use windlull_transport::PacketLost;
use windlull_units::{Fate, Host, Time};
use windlull_wire::SenderEvent;

use super::error::RecordedError;
use super::packets::Packet;
use super::{datagrams, packets};

/// A run whose sender's deeds can be held beside those of another one.
#[derive(Debug)]
pub struct Recorded {
    /// What the data sender sent and heard, in order of time.
    pub(super) packets: Vec<Packet>,
    /// What it said of itself.
    pub(super) events: Vec<(Time, SenderEvent)>,
    /// Of QUIC: what it declared lost.
    pub(super) losses: Option<Vec<(Time, PacketLost)>>,
    /// What the link did, where that was kept.
    pub(super) fates: Option<Vec<Fate>>,
}

impl Recorded {
    /// Reads the capture of the data sender's end, and `events.jsonl` and `fates.csv` of the same run.
    ///
    /// # Errors
    /// [`RecordedError`]: a file that is none of a run, or that is damaged.
    pub fn read(
        data_sender: Host,
        capture: &mut dyn Read,
        events: Option<&mut dyn BufRead>,
        fates: Option<&mut dyn Read>,
    ) -> Result<Self, RecordedError> {
        Self::of(packets::read(capture)?, None, data_sender, events, fates)
    }

    /// Reads the qlog of the data sender's end of a run of QUIC, and `events.jsonl` and `fates.csv` of the same run.
    ///
    /// # Errors
    /// As [`Recorded::read`].
    pub fn read_quic(
        data_sender: Host,
        qlog: &mut dyn BufRead,
        events: Option<&mut dyn BufRead>,
        fates: Option<&mut dyn Read>,
    ) -> Result<Self, RecordedError> {
        let told = datagrams::read(qlog)?;
        Self::of(told.packets, Some(told.losses), data_sender, events, fates)
    }

    /// Whether it is of QUIC.
    pub const fn is_quic(&self) -> bool {
        self.losses.is_some()
    }

    fn of(
        packets: Vec<Packet>,
        losses: Option<Vec<(Time, PacketLost)>>,
        data_sender: Host,
        events: Option<&mut dyn BufRead>,
        fates: Option<&mut dyn Read>,
    ) -> Result<Self, RecordedError> {
        let mut said = Vec::new();
        if let Some(events) = events {
            for event in read_events(events) {
                if let (at, Event::Sender(host, event)) = event? {
                    if host == data_sender {
                        said.push((at, event));
                    }
                }
            }
        }
        let fates = fates.map(|fates| read_fates(fates).collect::<Result<Vec<_>, _>>());
        Ok(Self {
            packets,
            losses,
            events: said,
            fates: fates.transpose()?,
        })
    }

    /// The packets that the data sender sent, or those that it heard.
    pub(super) fn packets(&self, is_sent: bool) -> Vec<&Packet> {
        self.packets.iter().filter(|packet| packet.is_sent == is_sent).collect()
    }
}
