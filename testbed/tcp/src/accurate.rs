//! Accurate ECN by the header alone (RFC 9768): three flags that ask for it, and that count marked packets afterwards.
//!
//! ```text
//!         AE CWR ECE
//!   SYN    1   1   1   asks; an end that lacks it sees RFC 3168's question
//!   SYN-ACK            the codepoint of the SYN; 0 0 1 and 1 0 1 grant RFC 3168's alone
//!   then   ACE         packets that arrived marked, modulo 8; the client's bare answer to a SYN-ACK tells its codepoint
//! ```

use windlull_units::Ecn;
use windlull_wire::Flags;

use crate::registry::CongestionMarks;

/// Both counters begin with this (section 3.2.1): a field that is zero was cleared on the way.
const FIRST: u8 = 5;
/// `DIVACE`: how many values the field has (appendix A.2).
const VALUES: u64 = 8;

/// The flags of a SYN that asks for it (section 3.1.1).
pub(crate) const ASKS: Flags = Flags(Flags::AE.0 | Flags::CWR.0 | Flags::ECE.0);

/// ACE: AE at the top, ECE at the bottom (section 3.2.1, figure 3).
pub(crate) const fn field_of(flags: Flags) -> u8 {
    (flags.has(Flags::AE) as u8) << 2 | (flags.has(Flags::CWR) as u8) << 1 | flags.has(Flags::ECE) as u8
}

const fn flags_of(field: u8) -> Flags {
    let ae = if field & 4 == 0 { 0 } else { Flags::AE.0 };
    let cwr = if field & 2 == 0 { 0 } else { Flags::CWR.0 };
    let ece = if field & 1 == 0 { 0 } else { Flags::ECE.0 };
    Flags(ae | cwr | ece)
}

/// How a handshake tells of the codepoint of what it answers (sections 3.1.1, table 2, and 3.2.2.1, table 3).
pub(crate) const fn answer_to(codepoint: Ecn) -> Flags {
    flags_of(match codepoint {
        Ecn::NotEct => 0b010,
        Ecn::Ect1 => 0b011,
        Ecn::Ect0 => 0b100,
        Ecn::Ce => 0b110,
    })
}

/// What the peer's SYN or SYN-ACK says of congestion marks (section 3.1.1, table 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// It speaks none, or reflects what it does not know.
    Nothing,
    /// RFC 3168's.
    Marks,
    /// Accurate ECN.
    Counts,
}

impl Offered {
    /// What a SYN, or an answer to one that asked for accurate ECN or not, offers. RFC 3168, section 6.1.1: an answer that
    /// reflects a question speaks no ECN.
    pub(crate) const fn by(flags: Flags, asked: bool) -> Self {
        match (flags.has(Flags::ACK), field_of(flags)) {
            (false, 0b111) => Self::Counts,
            (true, 0b010 | 0b011 | 0b100 | 0b110) if asked => Self::Counts,
            (false, 0b011) | (true, 0b001 | 0b101) => Self::Marks,
            _ => Self::Nothing,
        }
    }
}

/// What both ends speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreed {
    /// No congestion marks.
    Nothing,
    /// RFC 3168's, perhaps with nonces.
    Marks { nonces: bool },
    /// Accurate ECN.
    Counts,
}

impl Agreed {
    /// What an end that is set to `local` speaks with a peer that offered so much.
    pub(crate) const fn between(local: CongestionMarks, offered: Offered) -> Self {
        match (local, offered) {
            (CongestionMarks::Off, _) | (_, Offered::Nothing) => Self::Nothing,
            (CongestionMarks::Accurate, Offered::Counts) => Self::Counts,
            (CongestionMarks::Nonce, _) => Self::Marks { nonces: true },
            (CongestionMarks::On | CongestionMarks::Accurate, _) => Self::Marks { nonces: false },
        }
    }
}

/// What a receiver counts: `r.cep`, modulo 8 as the field is (section 3.2.2).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    marked: u8,
    /// The codepoint of the SYN-ACK, until the answer to it.
    handshake: Option<Ecn>,
    /// Marked packets that nothing has told of yet.
    untold: u8,
    /// Whether the last data was marked.
    marking: bool,
}

impl Counted {
    /// Of a connection that the peer answered with a SYN-ACK of this codepoint, or that it asked for.
    pub(crate) const fn new(answer: Option<Ecn>) -> Self {
        Self {
            marked: match answer {
                Some(Ecn::Ce) => FIRST + 1,
                _ => FIRST,
            },
            handshake: answer,
            untold: 0,
            marking: false,
        }
    }

    /// A packet of the connection arrived, with or without data. Tells whether it is to be acknowledged at once: the first marked
    /// data after data that was not, and the second marked packet that was not told of, without data the third (section 3.2.2.5.1).
    pub(crate) const fn on_arrival(&mut self, codepoint: Ecn, data: bool) -> bool {
        let marked = matches!(codepoint, Ecn::Ce);
        let begins = data && marked && !self.marking;
        if data {
            self.marking = marked;
        }
        if !marked {
            return false;
        }
        self.marked = (self.marked + 1) % 8;
        self.untold = self.untold.saturating_add(1);
        begins || self.untold >= if data { 2 } else { 3 }
    }

    /// The flags of what is sent now.
    pub(crate) const fn flags(&mut self, bare: bool) -> Flags {
        self.untold = 0;
        match self.handshake.take() {
            Some(codepoint) if bare => answer_to(codepoint),
            _ => flags_of(self.marked),
        }
    }
}

/// What a sender knows of its peer's counter: `s.cep`, modulo 8.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known(u8);

impl Known {
    /// Nothing has come yet, or, from a client, the bare answer to a SYN-ACK (section 3.2.2.1, table 4).
    pub(crate) const fn new(answer: Option<u8>) -> Self {
        match answer {
            Some(0b110) => Self(FIRST + 1),
            _ => Self(FIRST),
        }
    }

    /// A field arrived with an acknowledgement that so many packets had arrived: how many more of them were marked. With eight and
    /// more the field may have wrapped, and the most that it can stand for is taken (appendix A.2.1, `dSafer.cep`).
    pub(crate) fn on_field(&mut self, field: u8, packets: u64) -> u64 {
        let more = (VALUES + u64::from(field) - u64::from(self.0)) % VALUES;
        self.0 = field;
        if packets < VALUES {
            return more;
        }
        packets - (packets - more) % VALUES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_three_flags() {
        for field in 0..8 {
            assert_eq!(field_of(flags_of(field)), field);
        }
        assert_eq!(flags_of(0b100), Flags::AE);
        assert_eq!(field_of(answer_to(Ecn::NotEct)), 0b010);
    }

    /// Section 3.1.1, table 2, for an answer to who asked for accurate ECN and to who did not.
    #[test]
    fn answers_mean_what_was_asked() {
        let by = |field, asked| Offered::by(Flags::ACK.with(flags_of(field)), asked);
        let asked = [0, 1, 2, 3, 4, 5, 6, 7].map(|field| by(field, true));
        let (nothing, marks, counts) = (Offered::Nothing, Offered::Marks, Offered::Counts);
        assert_eq!(asked, [nothing, marks, counts, counts, counts, marks, counts, nothing]);
        let classic = [0, 1, 2, 3, 4, 5, 6, 7].map(|field| by(field, false));
        assert_eq!(
            classic,
            [nothing, marks, nothing, nothing, nothing, marks, nothing, nothing]
        );
    }

    /// Section 3.2.2.5.1: of packets without data the third, with data the second.
    #[test]
    fn marked_packets_are_told_of_before_the_field_comes_round() {
        let mut counted = Counted::new(None);
        assert!([false, false, true].map(|_| counted.on_arrival(Ecn::Ce, false))[2]);
        assert_eq!(field_of(counted.flags(true)), 0);
        assert!(!counted.on_arrival(Ecn::Ce, false));
        assert!(!counted.on_arrival(Ecn::Ect0, true));
        assert!(counted.on_arrival(Ecn::Ce, true), "it begins");
        counted.flags(true);
        assert!(!counted.on_arrival(Ecn::Ce, true));
        assert!(counted.on_arrival(Ecn::Ce, true));
    }

    /// Appendix A.2.1: of 11 packets 1 or 9 were marked if the field has moved by one.
    #[test]
    fn a_field_that_may_have_come_round_counts_the_most() {
        for (packets, more) in [(1, 1), (7, 1), (8, 1), (9, 9), (11, 9), (16, 9), (17, 17)] {
            assert_eq!(Known::new(None).on_field(6, packets), more, "{packets}");
        }
        let mut known = Known::new(Some(0b110));
        assert_eq!(
            (known.on_field(7, 2), known.on_field(1, 3), known.on_field(1, 7)),
            (1, 2, 0)
        );
    }
}
