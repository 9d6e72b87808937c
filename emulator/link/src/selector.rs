//! Which packets a script means: by number, by data segment, by octet, by retransmission.
//!
//! Packets count as the sender hands them to the link, also those that the queue then drops.

use windlull_units::Direction;

use crate::model::{LinkModel, Selector, Trigger};
use crate::packet::TcpView;

/// The script entries that chose one packet, by their index.
pub(crate) type Chosen = Option<Box<[usize]>>;

/// Follows one direction's packets and finds those that the script chooses.
#[derive(Clone, Debug)]
pub(crate) struct Chooser {
    rules: Vec<Rule>,
    packets: u64,
    segments: u64,
    stream: Stream,
}

/// A selector at work.
#[derive(Clone, Debug)]
struct Rule {
    entry: usize,
    which: Selector,
    /// The first octet of the segment it names, once that was sent.
    octet: Option<u64>,
    /// Retransmissions of it seen so far.
    seen: u32,
}

/// What a packet is to the data stream of its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sighting {
    /// Its first octet, counted from the start of the stream.
    first: u64,
    /// The octet after its last.
    end: u64,
    /// Octets below were sent before.
    fresh_from: u64,
}

/// Unwraps sequence numbers into octets of a stream that begins after the SYN.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stream {
    /// Sequence number of octet 0, once known.
    start: Option<u32>,
    /// All octets below were sent.
    pub(crate) sent: u64,
    /// How many segments have carried an octet that was sent before.
    pub(crate) repeated: u64,
}

impl Chooser {
    /// The chooser of `direction`, if the script chooses packets there.
    pub(crate) fn new(model: &LinkModel, direction: Direction) -> Option<Self> {
        let rules: Vec<Rule> = (0..)
            .zip(&model.script)
            .filter(|(_, entry)| entry.scope.covers(direction))
            .filter_map(|(index, entry)| match &entry.trigger {
                Trigger::Packets { which, .. } => Some(Rule {
                    entry: index,
                    which: which.clone(),
                    octet: None,
                    seen: 0,
                }),
                Trigger::At { .. } | Trigger::Transport { .. } => None,
            })
            .collect();
        (!rules.is_empty()).then(|| Self {
            rules,
            packets: 0,
            segments: 0,
            stream: Stream::default(),
        })
    }

    /// The next packet of the direction: which script entries mean it.
    pub(crate) fn choose(&mut self, view: Option<TcpView>) -> Chosen {
        self.packets += 1;
        let sighting = view.and_then(|view| self.stream.see(view));
        let segment = sighting.is_some_and(|seen| seen.is_original()).then(|| {
            self.segments += 1;
            self.segments
        });
        let mut chosen = Vec::new();
        for rule in &mut self.rules {
            if rule.means(self.packets, segment, sighting) {
                chosen.push(rule.entry);
            }
        }
        (!chosen.is_empty()).then(|| chosen.into_boxed_slice())
    }
}

impl Rule {
    /// `segment` is the packet's number among original data segments, if it is one.
    fn means(&mut self, packet: u64, segment: Option<u64>, sighting: Option<Sighting>) -> bool {
        match self.which {
            Selector::Packet(number) => packet == number,
            Selector::DataSegments { first, last } => segment.is_some_and(|number| (first..=last).contains(&number)),
            Selector::Byte(octet) => sighting.is_some_and(|seen| seen.carries(octet) && octet >= seen.fresh_from),
            Selector::RetransmissionOfByte { byte, nth } => self.is_retransmission(sighting, byte, nth),
            Selector::RetransmissionOfSegment { segment: number, nth } => {
                if segment == Some(number) {
                    self.octet = sighting.map(|seen| seen.fresh_from.max(seen.first));
                    return false;
                }
                self.octet
                    .is_some_and(|octet| self.is_retransmission(sighting, octet, nth))
            }
        }
    }

    fn is_retransmission(&mut self, sighting: Option<Sighting>, octet: u64, nth: u32) -> bool {
        let again = sighting.is_some_and(|seen| seen.carries(octet) && octet < seen.fresh_from);
        self.seen += u32::from(again);
        again && self.seen == nth
    }
}

impl Sighting {
    const fn carries(&self, octet: u64) -> bool {
        self.first <= octet && octet < self.end
    }

    /// Whether it carries an octet that was never sent before.
    const fn is_original(&self) -> bool {
        self.end > self.fresh_from
    }
}

impl Stream {
    /// Follows a segment; `None` if it carries no data. Without a SYN the first data segment starts the stream.
    pub(crate) fn see(&mut self, view: TcpView) -> Option<Sighting> {
        let first_octet = view.seq.wrapping_add(u32::from(view.syn));
        if view.syn && self.start != Some(first_octet) {
            // Another connection: its stream starts over.
            *self = Self {
                start: Some(first_octet),
                ..Self::default()
            };
        }
        if view.payload_len == 0 {
            return None;
        }
        let start = *self.start.get_or_insert(first_octet);
        #[expect(clippy::cast_possible_truncation, reason = "sequence numbers are the low 32 bits")]
        let expected = start.wrapping_add(self.sent as u32);
        let ahead = first_octet.wrapping_sub(expected) as i32;
        // Octets before the stream, as in a keep-alive, are not of it.
        let first = self.sent.checked_add_signed(i64::from(ahead))?;
        let sighting = Sighting {
            first,
            end: first + u64::from(view.payload_len),
            fresh_from: self.sent,
        };
        self.sent = self.sent.max(sighting.end);
        self.repeated += u64::from(sighting.first < sighting.fresh_from);
        Some(sighting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of the packets that `which` means, among segments of `(first octet, length)` after a SYN.
    fn chosen(which: Selector, isn: u32, segments: &[(u32, u32)]) -> Vec<usize> {
        let rule = Rule {
            entry: 0,
            which,
            octet: None,
            seen: 0,
        };
        let mut chooser = Chooser {
            rules: vec![rule],
            packets: 0,
            segments: 0,
            stream: Stream::default(),
        };
        let syn = TcpView {
            seq: isn,
            payload_len: 0,
            syn: true,
        };
        let data = segments.iter().map(|&(first, payload_len)| TcpView {
            seq: isn.wrapping_add(1).wrapping_add(first),
            payload_len,
            syn: false,
        });
        let found = std::iter::once(syn)
            .chain(data)
            .enumerate()
            .filter(|(_, view)| chooser.choose(Some(*view)).is_some());
        found.map(|(number, _)| number).collect()
    }

    /// Four segments, a bare acknowledgement, two retransmissions of the second, one of the first, a fifth segment.
    const SEGMENTS: [(u32, u32); 9] = [
        (0, 100),
        (100, 100),
        (200, 100),
        (300, 100),
        (400, 0),
        (100, 100),
        (100, 100),
        (0, 100),
        (400, 100),
    ];

    #[test]
    fn packets_count_from_one_and_of_any_kind() {
        assert_eq!(chosen(Selector::Packet(1), 9, &SEGMENTS), [0]);
        assert_eq!(chosen(Selector::Packet(6), 9, &SEGMENTS), [5]);
    }

    #[test]
    fn data_segments_count_originals_alone() {
        let which = Selector::DataSegments { first: 4, last: 5 };
        assert_eq!(chosen(which, 9, &SEGMENTS), [4, 9]);
    }

    #[test]
    fn a_byte_is_found_in_its_original() {
        for (octet, packet) in [(0, 1), (99, 1), (100, 2), (499, 9)] {
            assert_eq!(chosen(Selector::Byte(octet), 9, &SEGMENTS), [packet], "octet {octet}");
        }
        assert!(chosen(Selector::Byte(500), 9, &SEGMENTS).is_empty());
    }

    #[test]
    fn retransmissions_count_from_one() {
        let of_byte = |nth| chosen(Selector::RetransmissionOfByte { byte: 150, nth }, 9, &SEGMENTS);
        assert_eq!(of_byte(1), [6]);
        assert_eq!(of_byte(2), [7]);
        assert!(of_byte(3).is_empty());
        let of_segment = |segment| chosen(Selector::RetransmissionOfSegment { segment, nth: 1 }, 9, &SEGMENTS);
        assert_eq!(of_segment(1), [8]);
        assert_eq!(of_segment(2), [6]);
        assert!(of_segment(3).is_empty());
    }

    #[test]
    fn sequence_numbers_unwrap() {
        let isn = u32::MAX - 150;
        let which = Selector::DataSegments { first: 4, last: 5 };
        assert_eq!(chosen(which, isn, &SEGMENTS), [4, 9]);
        assert_eq!(
            chosen(Selector::RetransmissionOfByte { byte: 199, nth: 1 }, isn, &SEGMENTS),
            [6]
        );
    }

    #[test]
    fn octets_beyond_four_gibibytes_have_their_own_numbers() {
        let mut stream = Stream::default();
        let mut seq = 0_u32;
        let step = 1 << 30;
        for turn in 0..10_u64 {
            let view = TcpView {
                seq,
                payload_len: step,
                syn: false,
            };
            assert_eq!(stream.see(view).map(|seen| seen.first), Some(turn << 30));
            seq = seq.wrapping_add(step);
        }
    }

    #[test]
    fn octets_before_the_stream_and_the_syn_itself_are_no_data() {
        assert!(chosen(Selector::DataSegments { first: 1, last: 9 }, 9, &[(u32::MAX, 1)]).is_empty());
    }

    #[test]
    fn a_segment_half_new_counts_as_original() {
        let segments = [(0, 100), (50, 100)];
        assert_eq!(chosen(Selector::DataSegments { first: 2, last: 2 }, 9, &segments), [2]);
        assert_eq!(chosen(Selector::Byte(120), 9, &segments), [2]);
        assert_eq!(
            chosen(Selector::RetransmissionOfByte { byte: 60, nth: 1 }, 9, &segments),
            [2]
        );
    }
}
