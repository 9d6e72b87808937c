//! Files of a run and captures of anyone's: read to the end or refused; what was understood can be written again.

use windlull_capture::{Event, EventWriter, FateWriter, clip, read_events, read_pcap};
use windlull_fates::read_fates;
use windlull_units::Time;
use windlull_wire::packet::{LinkType, decode};

/// A pcap or pcapng file, its packets decoded as the analysis would; and parts of it.
///
/// # Panics
/// If a packet claims more octets than the file has, or a part is no capture of the packets it says it has.
pub fn pcap(octets: &[u8]) {
    let Ok(mut reader) = read_pcap(octets) else { return };
    let mut seen = 0;
    while let Ok(Some(packet)) = reader.next_packet() {
        seen += packet.octets.len();
        assert!(seen <= octets.len(), "packets hold no more than their file");
        if let Some(link_type) = LinkType::from_number(packet.link_type) {
            let _ = decode(link_type, packet.octets, packet.original_len as usize);
        }
    }
    assert!(reader.offset() <= octets.len() as u64);
    for span in [Time::ZERO..=Time::NEVER, Time::from_ns(1)..=Time::from_ns(1_000_000)] {
        let mut part = Vec::new();
        if let Ok(clipped) = clip(octets, &span, &mut part) {
            assert!(part.len() <= octets.len());
            let mut reader = read_pcap(part.as_slice()).expect("a part is a capture");
            let mut packets = 0;
            while reader.next_packet().expect("a part's packets are whole").is_some() {
                packets += 1;
            }
            assert_eq!(packets, clipped.kept);
        }
    }
}

/// A `fates.csv`.
///
/// # Panics
/// If fates that were understood do not survive being written and read again.
pub fn fates(octets: &[u8]) {
    let fates: Vec<_> = read_fates(octets).map_while(Result::ok).collect();
    let mut writer = FateWriter::new(Vec::new());
    fates.iter().for_each(|fate| writer.write(fate));
    let written = writer.finish().expect("memory takes all");
    let again: Vec<_> = read_fates(written.as_slice())
        .map(|fate| fate.expect("what we write, we read"))
        .collect();
    assert_eq!(again, fates);
}

/// An `events.jsonl`.
///
/// # Panics
/// If events that were understood do not survive being written and read again.
pub fn events(octets: &[u8]) {
    let events: Vec<_> = read_events(octets).map_while(Result::ok).collect();
    let mut writer = EventWriter::new(Vec::new());
    for (at, event) in &events {
        match event {
            Event::Link(event) => writer.link(*at, event),
            Event::Sender(host, event) => writer.sender(*at, *host, event),
        }
    }
    let written = writer.finish().expect("memory takes all");
    let again: Vec<_> = read_events(written.as_slice())
        .map(|event| event.expect("what we write, we read"))
        .collect();
    assert_eq!(again, events);
}
