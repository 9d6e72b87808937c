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
    ///
    /// Without its own acknowledgements, which are no decision about the data, and without those that it hears before it
    /// has sent any: one TCP ends the handshake with a bare acknowledgement, and another with the first data.
    pub(super) fn packets(&self, is_sent: bool) -> Vec<&Packet> {
        let begins = self
            .packets
            .iter()
            .position(|packet| packet.is_sent && packet.len > 0)
            .unwrap_or(self.packets.len());
        let counts = |(place, packet): &(usize, &Packet)| !packet.is_bare() || (!is_sent && *place > begins);
        let numbered = self.packets.iter().enumerate().filter(counts);
        numbered
            .map(|(_, packet)| packet)
            .filter(|packet| packet.is_sent == is_sent)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use windlull_wire::Flags;

    use super::*;

    const SENT: bool = true;
    const HEARD: bool = false;

    fn packet(is_sent: bool, flags: Flags, len: u32) -> Packet {
        Packet {
            at: Time::ZERO,
            id: None,
            is_sent,
            start: None,
            len,
            flags,
            acked: None,
            sack: Vec::new(),
            is_again: false,
            cause: None,
            verdict: None,
        }
    }

    fn kept(packets: Vec<Packet>) -> [Vec<(Flags, u32)>; 2] {
        let recorded = Recorded {
            packets,
            events: Vec::new(),
            losses: None,
            fates: None,
        };
        [SENT, HEARD].map(|is_sent| {
            let packets = recorded.packets(is_sent);
            packets.iter().map(|packet| (packet.flags, packet.len)).collect()
        })
    }

    #[test]
    fn a_bare_acknowledgement_that_ends_the_handshake_is_no_decision_about_the_data() {
        let (syn, ack) = (Flags::SYN, Flags::ACK);
        let with_data = || {
            vec![
                packet(SENT, syn, 0),
                packet(HEARD, syn.with(ack), 0),
                packet(SENT, ack, 10),
            ]
        };
        let mut bare = with_data();
        bare.insert(2, packet(SENT, ack, 0));
        assert_eq!(kept(bare), kept(with_data()));
    }

    #[test]
    fn what_acknowledges_data_counts_where_it_is_heard() {
        let (ack, fin) = (Flags::ACK, Flags::ACK.with(Flags::FIN));
        let [sent, heard] = kept(vec![
            packet(HEARD, ack, 0),
            packet(HEARD, ack, 100),
            packet(SENT, ack, 0),
            packet(SENT, ack, 10),
            packet(HEARD, ack, 0),
            packet(SENT, fin, 0),
        ]);
        assert_eq!(sent, [(ack, 10), (fin, 0)]);
        assert_eq!(heard, [(ack, 100), (ack, 0)]);
    }
}
